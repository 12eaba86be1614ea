//! How many events a second come from a socket into the journal: a server floods an event stream, and the call's outcome
//! is there when all of them are recorded, each assigned to its operation, in a file, with a view fed. The server's
//! thread shares the processors, so this is what is left of them.

use std::time::{Duration, Instant};

use app::api::servers::EraChoice;
use serde_json::json;
use tests::core::Core;

use super::Outcome;
use super::flooder::Flooder;
use super::report::{Figure, Unit};
use super::samples::Samples;

const COUNT: u32 = 200_000;
const RUNS: usize = 3;

/// Measures it.
///
/// # Errors
/// The core does not get through with it.
pub async fn measure() -> Outcome<Vec<Figure>> {
    let flooder = Flooder::start(COUNT, 0)?;
    let mut times = Samples::default();
    // One more, to warm up. Each has a core of its own: a journal that is long already is another matter.
    for run in 0..=RUNS {
        let core = Core::start().await;
        let id = core
            .add_url("flooder", &flooder.url, &[], EraChoice::Auto)
            .await;
        core.connect_well(&id).await;
        let outcome = core.call(&id, "flood", "{}").await;
        let ended = Instant::now();
        let begun = flooder
            .begun
            .try_recv()
            .map_err(|error| format!("the flood never began: {error}"))?;
        let details: serde_json::Value = core
            .must("row", json!({ "key": format!("o{}", outcome.operation.0) }))
            .await;
        let recorded = details["event_count"].as_u64().unwrap_or_default();
        if recorded < u64::from(COUNT) {
            return Err(format!(
                "only {recorded} of {COUNT} events are in the journal"
            ));
        }
        if run > 0 {
            times.add(ended - begun);
        }
        drop(core.close().await);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let millis = times.median_millis();
    Ok(vec![Figure {
        key: "ingest_events_per_s",
        what: "events from a socket into the journal".to_owned(),
        value: f64::from(COUNT) / millis * 1e3,
        unit: Unit::PerSecond,
        goal: None,
        note: format!("{COUNT} SSE events in {millis:.0} ms, median of {RUNS}"),
    }])
}
