//! What the core adds to a call: `tools/call` through all of it (a command at the rpc door, the engine, the client, the
//! journal in its file, a view that is fed) against a bare `reqwest` exchange of the same bytes and headers with the
//! same running server. The two take turns.

use std::time::{Duration, Instant};

use app::api::servers::EraChoice;
use app::api::tools::{CallOutcome, CallResult, CallStarted};
use serde_json::json;
use tests::core::Core;

use super::Outcome;
use super::bare::Bare;
use super::demo::OverHttp;
use super::report::{Figure, Goal, Unit};
use super::samples::Samples;

/// How many calls of each kind are measured, and how many come first that are not.
const CALLS: usize = 4000;
const WARM_UP: usize = 500;
/// How many calls of one kind are made before those of the other kind.
const TURN: usize = 200;
const ARGUMENTS: &str = r#"{"text":"ciao"}"#;
/// What the window gives a call to end at once.
const WAIT_MILLIS: u32 = 40;
const P50_GOAL: f64 = 1.15;
const P99_GOAL: f64 = 1.5;

/// Measures it with 1, 8 and 64 calls in flight.
///
/// # Errors
/// The server cannot be started or called.
pub async fn measure() -> Outcome<Vec<Figure>> {
    let server = OverHttp::start()?;
    let core = Core::start().await;
    let id = core
        .add_url("demo", &server.url, &[], EraChoice::Auto)
        .await;
    core.connect_well(&id).await;
    let tool = core
        .tools(&id)
        .await
        .entries
        .iter()
        .find(|tool| tool.name == "echo")
        .map(|tool| tool.index)
        .ok_or("the demo server has no tool named echo")?;
    let sample = core.call(&id, "echo", ARGUMENTS).await;
    let bare = Bare::like(&core, &server.url, sample.operation).await?;

    let mut figures = Vec::new();
    for (in_flight, p50_key, p99_key) in [
        (1, "core_call_p50_ratio", "core_call_p99_ratio"),
        (8, "core_call_p50_ratio_8", "core_call_p99_ratio_8"),
        (64, "core_call_p50_ratio_64", "core_call_p99_ratio_64"),
    ] {
        let (mut whole, mut plain) = (Samples::default(), Samples::default());
        for turn in 0..(WARM_UP + CALLS) / TURN {
            let through_core = at_once(in_flight, || call(&core, &id, tool)).await?;
            let alone = at_once(in_flight, || bare.exchange()).await?;
            if turn >= WARM_UP / TURN {
                whole.extend(through_core);
                plain.extend(alone);
            }
        }
        for (key, share, goal, what) in [
            (p50_key, 0.5, P50_GOAL, "median"),
            (p99_key, 0.99, P99_GOAL, "99th percentile"),
        ] {
            let (through_core, alone) =
                (whole.quantile_millis(share), plain.quantile_millis(share));
            figures.push(Figure {
                key,
                what: what_of(in_flight, what),
                value: through_core / alone,
                unit: Unit::Ratio,
                goal: Some(Goal::AtMost(goal)),
                note: format!("{through_core:.3} ms and {alone:.3} ms"),
            });
        }
    }
    drop(core.close().await);
    Ok(figures)
}

fn what_of(in_flight: usize, what: &str) -> String {
    match in_flight {
        1 => format!("a call through the core to a bare exchange, {what}"),
        _ => format!("the same with {in_flight} in flight, {what}"),
    }
}

/// Makes [`TURN`] exchanges, so many at once.
async fn at_once<F>(in_flight: usize, exchange: impl Fn() -> F) -> Outcome<Vec<Duration>>
where
    F: Future<Output = Outcome<Duration>>,
{
    let lanes = (0..in_flight).map(|lane| {
        let exchange = &exchange;
        async move {
            let mut times = Vec::new();
            for _ in (lane..TURN).step_by(in_flight) {
                times.push(exchange().await?);
            }
            Outcome::Ok(times)
        }
    });
    let lanes = futures_util::future::try_join_all(lanes).await?;
    Ok(lanes.into_iter().flatten().collect())
}

/// A call as the window makes it: from the command to the outcome in hand.
async fn call(core: &Core, server: &str, tool: u32) -> Outcome<Duration> {
    let begun = Instant::now();
    let started: CallStarted = core
        .must(
            "call_tool",
            json!({
                "server": server,
                "tool": tool,
                "name": "echo",
                "arguments": ARGUMENTS,
                "outcome_within_millis": WAIT_MILLIS,
            }),
        )
        .await;
    let outcome: CallOutcome = if let Some(outcome) = started.outcome {
        outcome
    } else {
        let operation = started.operation;
        core.must("outcome", json!({ "operation": operation }))
            .await
    };
    let took = begun.elapsed();
    match outcome.result {
        CallResult::Tool {
            is_error: false, ..
        } => Ok(took),
        other => Err(format!("the call ended with {other:?}")),
    }
}
