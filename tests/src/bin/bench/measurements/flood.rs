//! A flood is nothing: a call of the demo server's `flood` over stdio through the core, against a bare reader of the same
//! program's stdout that throws away what it reads. The two alternate.

use std::time::{Duration, Instant};

use app::api::details::{BodyText, RowDetails};
use app::api::servers::EraChoice;
use app::api::tools::{CallOutcome, CallStarted};
use serde_json::json;
use tests::core::Core;
use tests::programs;

use super::Outcome;
use super::demo::OverPipes;
use super::report::{Figure, Unit};
use super::samples::Samples;

const COUNT: u32 = 100_000;
const PAIRS: usize = 3;
const GOAL: f64 = 2.0;

/// Measures it.
///
/// # Errors
/// The server cannot be started or called, or notifications are missing.
pub async fn measure() -> Outcome<Vec<Figure>> {
    let (mut whole, mut plain) = (Samples::default(), Samples::default());
    // One more, to warm up.
    for pair in 0..=PAIRS {
        let (through_core, request) = through_core().await?;
        let alone = tokio::task::spawn_blocking(move || bare(&request))
            .await
            .map_err(|error| error.to_string())??;
        if pair > 0 {
            whole.add(through_core);
            plain.add(alone);
        }
    }
    let (core, bare) = (whole.median_millis(), plain.median_millis());
    Ok(vec![Figure {
        key: "flood_result_ratio",
        what: "a call with 100 000 notifications to a bare reader",
        value: core / bare,
        unit: Unit::Ratio,
        at_most: Some(GOAL),
        note: format!("{core:.0} ms and {bare:.0} ms, medians of {PAIRS} pairs"),
    }])
}

/// The time of the call, and the request that was sent.
async fn through_core() -> Outcome<(Duration, String)> {
    let core = Core::start().await;
    let program = programs::demo_server();
    let id = core
        .add_command(
            "demo",
            &program.display().to_string(),
            &["stdio"],
            EraChoice::Auto,
        )
        .await;
    core.connect_well(&id).await;
    let tools = core.tools(&id).await;
    let tool = tools
        .tools
        .iter()
        .find(|tool| tool.name == "flood")
        .ok_or("the demo server has no tool named flood")?
        .index;
    let arguments = json!({ "count": COUNT }).to_string();

    let begun = Instant::now();
    let CallStarted { operation, .. } = core
        .must(
            "call_tool",
            json!({ "server": id, "tool": tool, "name": "flood", "arguments": arguments }),
        )
        .await;
    let _: CallOutcome = core
        .must("outcome", json!({ "operation": operation }))
        .await;
    let took = begun.elapsed();

    let details: RowDetails = core
        .must("row", json!({ "key": format!("o{}", operation.0) }))
        .await;
    if details.event_count < COUNT {
        return Err(format!(
            "only {} events of {COUNT} notifications are in the journal",
            details.event_count
        ));
    }
    let request = details
        .exchanges
        .first()
        .and_then(|exchange| exchange.request.as_ref())
        .ok_or("the call has no request")?;
    let body: BodyText = core
        .must(
            "body",
            json!({ "event": request.event, "form": "raw", "limit": 0 }),
        )
        .await;
    drop(core.close().await);
    Ok((took, body.text))
}

/// The time from the same request to its result, with nothing done in between.
fn bare(request: &str) -> Outcome<Duration> {
    let mut server = OverPipes::start()?;
    let begun = Instant::now();
    let line_count = server.exchange(request.as_bytes(), b"\"result\"")?;
    let took = begun.elapsed();
    if line_count <= u64::from(COUNT) {
        return Err(format!("the bare reader saw only {line_count} lines"));
    }
    Ok(took)
}
