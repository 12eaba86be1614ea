//! A flood is nothing: a call of the demo server's `flood` through the core, over stdio and over HTTP, against a bare
//! reader of the same bytes that throws away what it reads. The two take turns.

use std::time::{Duration, Instant};

use app::api::details::{BodyText, RowDetails};
use app::api::servers::EraChoice;
use serde_json::json;
use tests::core::Core;
use tests::programs;

use super::Outcome;
use super::bare::Bare;
use super::demo::{OverHttp, OverPipes};
use super::report::{Figure, Goal, Unit};
use super::samples::Samples;

const COUNT: u32 = 100_000;
const PAIRS: usize = 3;
/// The result comes within so many times the bare reader's time.
const RESULT_GOAL: f64 = 2.0;
/// Notifications are taken at this share of the bare reader's speed.
const SPEED_GOAL: f64 = 0.5;

/// Measures it.
///
/// # Errors
/// The server cannot be started or called, or notifications are missing.
pub async fn measure() -> Outcome<Vec<Figure>> {
    let (core, bare) = over_stdio().await?;
    let note = format!("{core:.0} ms and {bare:.0} ms, medians of {PAIRS} pairs");
    let mut figures = vec![
        Figure {
            key: "flood_result_ratio",
            what: "a call with 100 000 notifications to a bare reader".to_owned(),
            value: core / bare,
            unit: Unit::Ratio,
            goal: Some(Goal::AtMost(RESULT_GOAL)),
            note: note.clone(),
        },
        Figure {
            key: "notifications_ratio_stdio",
            what: "notifications a second over stdio, to a bare reader's".to_owned(),
            value: bare / core,
            unit: Unit::Ratio,
            goal: Some(Goal::AtLeast(SPEED_GOAL)),
            note,
        },
    ];
    let (core, bare) = over_sse().await?;
    figures.push(Figure {
        key: "notifications_ratio_sse",
        what: "the same over an event stream".to_owned(),
        value: bare / core,
        unit: Unit::Ratio,
        goal: Some(Goal::AtLeast(SPEED_GOAL)),
        note: format!("{core:.0} ms and {bare:.0} ms, medians of {PAIRS} pairs"),
    });
    Ok(figures)
}

/// Medians in milliseconds: through the core, and bare.
async fn over_stdio() -> Outcome<(f64, f64)> {
    let program = programs::demo_server().display().to_string();
    let (mut whole, mut plain) = (Samples::default(), Samples::default());
    // One more, to warm up.
    for pair in 0..=PAIRS {
        let core = Core::start().await;
        let id = core
            .add_command("demo", &program, &["stdio"], EraChoice::Auto)
            .await;
        let (through_core, details) = through(&core, &id).await?;
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
        let alone = tokio::task::spawn_blocking(move || read_lines(&body.text))
            .await
            .map_err(|error| error.to_string())??;
        if pair > 0 {
            whole.add(through_core);
            plain.add(alone);
        }
    }
    Ok((whole.median_millis(), plain.median_millis()))
}

/// The same over HTTP.
async fn over_sse() -> Outcome<(f64, f64)> {
    let server = OverHttp::start()?;
    let (mut whole, mut plain) = (Samples::default(), Samples::default());
    for pair in 0..=PAIRS {
        let core = Core::start().await;
        let id = core
            .add_url("demo", &server.url, &[], EraChoice::Auto)
            .await;
        let (through_core, details) = through(&core, &id).await?;
        let operation = details.operation.ok_or("the call has no operation")?;
        let bare = Bare::like(&core, &server.url, operation).await?;
        drop(core.close().await);
        let (alone, event_count) = bare.stream().await?;
        enough("the bare reader", event_count)?;
        if pair > 0 {
            whole.add(through_core);
            plain.add(alone);
        }
    }
    Ok((whole.median_millis(), plain.median_millis()))
}

/// Connects and calls `flood`: the time of the call, and its row.
async fn through(core: &Core, server: &str) -> Outcome<(Duration, RowDetails)> {
    core.connect_well(server).await;
    // The list is not part of what is measured.
    core.tools(server).await;
    let arguments = json!({ "count": COUNT }).to_string();
    let begun = Instant::now();
    let outcome = core.call(server, "flood", &arguments).await;
    let took = begun.elapsed();
    let details: RowDetails = core
        .must("row", json!({ "key": format!("o{}", outcome.operation.0) }))
        .await;
    enough("the journal", details.event_count.into())?;
    Ok((took, details))
}

/// The time from the same request to its result, with nothing done in between.
fn read_lines(request: &str) -> Outcome<Duration> {
    let mut server = OverPipes::start()?;
    let begun = Instant::now();
    let line_count = server.exchange(request.as_bytes(), b"\"result\"")?;
    let took = begun.elapsed();
    enough("the bare reader", line_count)?;
    Ok(took)
}

fn enough(who: &str, count: u64) -> Outcome<()> {
    if count < u64::from(COUNT) {
        return Err(format!("{who} saw only {count} of {COUNT} notifications"));
    }
    Ok(())
}
