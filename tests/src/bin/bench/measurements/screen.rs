//! What a person sees of it, measured in the page of the real window: the time from the click on Call to the painted
//! result, and how evenly frames come during a flood.
//!
//! "Painted" is the first task after the frame that the result is in: the frame is asked for when the result's element
//! has appeared, and its picture is made between the frame's callbacks and the next task. `WebKit`'s clock has whole
//! milliseconds, so it is the median that counts.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tests::window::Window;

use super::Outcome;
use super::report::{Figure, Goal, Unit};
use super::samples::Samples;

const CALLS: u32 = 60;
const CLICK_GOAL: f64 = 20.0;
const FLOOD: &str = "100000";

/// What the page saw of calls, in milliseconds from each click.
#[derive(Deserialize)]
struct Clicks {
    /// Until the result was in the page.
    appeared: Vec<f64>,
    /// Until it was painted.
    painted: Vec<f64>,
}

/// What the page saw of a flood, in milliseconds.
#[derive(Deserialize)]
struct Flood {
    /// Between frames.
    frames: Vec<f64>,
    /// From the click to the painted result.
    took: f64,
}

/// Measures both.
///
/// # Errors
/// What the page's scripts gave cannot be read.
pub async fn measure() -> Outcome<Vec<Figure>> {
    // As the app itself chooses when nothing is set; the tests' windows choose otherwise, for their pictures.
    let window = Window::open(&[("WEBKIT_DISABLE_DMABUF_RENDERER", "1")]).await;
    window.connect("Demo server").await;

    let form = window.choose_tool("echo").await;
    form.at("textbox", "text…").fill("ciao").await;
    let clicks: Clicks = read(
        &window
            .measure(CLICK, vec![json!("Tool echo"), json!(CALLS)])
            .await?,
    )?;
    let appeared = samples(&clicks.appeared);
    let clicks = samples(&clicks.painted);

    let form = window.choose_tool("flood").await;
    form.at("textbox", "count…").fill(FLOOD).await;
    let flood: Flood = read(&window.measure(FRAMES, vec![json!("Tool flood")]).await?)?;
    let frames = samples(&flood.frames);
    window.close().await;

    let count = flood.frames.len();
    let during = format!(
        "{count} frames in the {:.0} ms of 100 000 notifications",
        flood.took
    );
    Ok(vec![
        Figure {
            key: "click_to_painted_p50_ms",
            what: "from the click on Call to the painted result".to_owned(),
            value: clicks.median_millis(),
            unit: Unit::Millis,
            goal: Some(Goal::AtMost(CLICK_GOAL)),
            note: format!(
                "{CALLS} calls over stdio; in the page after {:.0} ms; 90 % within {:.0} ms",
                appeared.median_millis(),
                clicks.quantile_millis(0.9)
            ),
        },
        Figure {
            key: "flood_frame_p99_ms",
            what: "between two frames during a flood, 99th percentile".to_owned(),
            value: frames.quantile_millis(0.99),
            unit: Unit::Millis,
            goal: None,
            note: during.clone(),
        },
        Figure {
            key: "flood_frame_max_ms",
            what: "the longest of them".to_owned(),
            value: frames.quantile_millis(1.0),
            unit: Unit::Millis,
            goal: None,
            note: during,
        },
    ])
}

fn read<T: serde::de::DeserializeOwned>(value: &serde_json::Value) -> Outcome<T> {
    serde_json::from_value(value.clone())
        .map_err(|error| format!("the page's script gave {value}: {error}"))
}

fn samples(millis: &[f64]) -> Samples {
    let mut samples = Samples::default();
    for millis in millis {
        samples.add(Duration::from_secs_f64(millis.max(0.0) / 1e3));
    }
    samples
}

const CLICK: &str = include_str!("click.js");
const FRAMES: &str = include_str!("frames.js");
