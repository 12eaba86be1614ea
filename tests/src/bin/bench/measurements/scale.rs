//! A million events in the real window: while 20 000 a second arrive, how evenly frames come and how soon a key is answered;
//! and by how much the web view's memory has grown from a thousand events to all of them.
//!
//! A key's time runs from when it was due, not from when the page got round to it, to the first task after the frame that
//! shows the answer. `ROUNDTRIP_BENCH_EVENTS` makes the flood smaller or larger.

use std::process;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tests::window::Window;

use super::flooder::Flooder;
use super::report::{Figure, Goal, Unit};
use super::samples::Samples;
use super::{Outcome, memory};

const EVENTS: u32 = 1_000_000;
const FEW: u32 = 1000;
const PER_SECOND: u32 = 20_000;
const BYTES_EACH: usize = 300;
const FRAME_GOAL: f64 = 33.0;
const INPUT_GOAL: f64 = 100.0;
const GROWTH_GOAL: f64 = 30.0;
/// The process in which the page is.
const WEB_PROCESS: &str = "WebKitWebProces";
/// How long it may come to rest before its memory is looked at.
const REST: Duration = Duration::from_secs(5);

/// How many events are wanted of the measurements that need many.
pub fn event_count() -> u32 {
    std::env::var("ROUNDTRIP_BENCH_EVENTS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(EVENTS)
}

/// What the page saw, in milliseconds.
#[derive(Deserialize)]
struct Seen {
    /// Between frames.
    frames: Vec<f64>,
    /// From when a key was due to the painted answer.
    keys: Vec<f64>,
    /// All of it.
    took: f64,
}

/// Measures it.
///
/// # Errors
/// The window does not get through with it.
pub async fn measure() -> Outcome<Vec<Figure>> {
    let count = event_count();
    let few = Flooder::start(FEW, BYTES_EACH)?;
    let many = Flooder::paced(count, BYTES_EACH, PER_SECOND)?;
    let window = Window::open(&[("WEBKIT_DISABLE_DMABUF_RENDERER", "1")]).await;

    window.add_url("few", &few.url).await;
    let form = window.call("flood", &[]).await;
    form.at("region", "Result of the call").shows("done").await;
    tokio::time::sleep(REST).await;
    let before = memory::pss_mib_of(process::id(), WEB_PROCESS)?;

    window.add_url("many", &many.url).await;
    window.choose_tool("flood").await;
    let told = window.measure(KEYS, vec![json!("Tool flood")]).await?;
    let seen: Seen = serde_json::from_value(told)
        .map_err(|error| format!("the page's script gave something else: {error}"))?;
    let total = window.timeline().total().await;
    tokio::time::sleep(REST).await;
    let after = memory::pss_mib_of(process::id(), WEB_PROCESS)?;
    window.close().await;

    let frames = Samples::of_millis(&seen.frames);
    let keys = Samples::of_millis(&seen.keys);
    if seen.keys.is_empty() {
        return Err("no key was answered".to_owned());
    }
    let during = format!(
        "{count} events in {:.1} s, {:.0} a second; {} frames, {} keys",
        seen.took / 1e3,
        f64::from(count) / seen.took * 1e3,
        seen.frames.len(),
        seen.keys.len()
    );
    Ok(vec![
        Figure {
            key: "paced_flood_frame_p99_ms",
            what: "between two frames while 20 000 events a second arrive, 99th percentile"
                .to_owned(),
            value: frames.quantile_millis(0.99),
            unit: Unit::Millis,
            goal: Some(Goal::AtMost(FRAME_GOAL)),
            note: during.clone(),
        },
        Figure {
            key: "flood_input_ms",
            what: "from a key to the painted answer meanwhile, 99th percentile".to_owned(),
            value: keys.quantile_millis(0.99),
            unit: Unit::Millis,
            goal: Some(Goal::AtMost(INPUT_GOAL)),
            note: format!("{during}; median {:.0} ms", keys.median_millis()),
        },
        Figure {
            key: "webview_growth_mib",
            what: "the web view's memory, from a thousand events to all".to_owned(),
            value: after - before,
            unit: Unit::Mebibytes,
            goal: Some(Goal::AtMost(GROWTH_GOAL)),
            note: format!("{before:.0} MiB and {after:.0} MiB; {total} rows in the end"),
        },
    ])
}

const KEYS: &str = include_str!("keys.js");
