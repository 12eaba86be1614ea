//! Long lists in the page of the real window: how long it takes from the click on a page's tab to its painted list, and
//! how evenly frames come while it is scrolled from its beginning to its end. The server lists 5 000 tools in 100 pages
//! and 10 000 resources in 100.

use serde::Deserialize;
use serde_json::json;
use tests::programs;
use tests::window::Window;

use super::Outcome;
use super::report::{Figure, Goal, Unit};
use super::samples::Samples;

const TIMES: u32 = 15;
const PAINTED_GOAL: f64 = 350.0;
const TOOLS: u32 = 5_000;
const RESOURCES: u32 = 10_000;

/// What the page saw, in milliseconds.
#[derive(Deserialize)]
struct Seen {
    /// From each click to the painted list.
    opened: Vec<f64>,
    /// Between frames while it scrolled.
    frames: Vec<f64>,
}

/// Measures both lists.
///
/// # Errors
/// A list does not come, or what the page's script gave cannot be read.
pub async fn measure() -> Outcome<Vec<Figure>> {
    // As the app itself chooses when nothing is set; the tests' windows choose otherwise, for their pictures.
    let window = Window::open(&[("WEBKIT_DISABLE_DMABUF_RENDERER", "1")]).await;
    let program = programs::servers().join("odd.py");
    let arguments = format!("{} long-lists", program.display());
    window
        .add_command("Long lists", "python3", &arguments, "Save and connect")
        .await;
    window.connected("Long lists").await;
    let tools = browse(&window, "Tools", "Tools", TOOLS).await?;
    let resources = browse(&window, "Resources", "Resources", RESOURCES).await?;
    window.close().await;

    let scrolled = |key, what: &str, frames: &Samples, count: usize| Figure {
        key,
        what: format!("between two frames while {what} scroll, 99th percentile"),
        value: frames.quantile_millis(0.99),
        unit: Unit::Millis,
        goal: None,
        note: format!(
            "{count} frames from the first to the last, median {:.0} ms",
            frames.median_millis()
        ),
    };
    let opened = Samples::of_millis(&tools.opened);
    Ok(vec![
        Figure {
            key: "tools_5000_painted_ms",
            what: "from the click on Tools to 5 000 tools of 100 pages, painted".to_owned(),
            value: opened.median_millis(),
            unit: Unit::Millis,
            goal: Some(Goal::AtMost(PAINTED_GOAL)),
            note: format!(
                "median of {TIMES}; the longest {:.0} ms",
                opened.quantile_millis(1.0)
            ),
        },
        scrolled(
            "tools_5000_scroll_p99_ms",
            "5 000 tools",
            &Samples::of_millis(&tools.frames),
            tools.frames.len(),
        ),
        scrolled(
            "resources_10000_scroll_p99_ms",
            "10 000 resources",
            &Samples::of_millis(&resources.frames),
            resources.frames.len(),
        ),
    ])
}

async fn browse(window: &Window, page: &str, list: &str, total: u32) -> Outcome<Seen> {
    let arguments = vec![json!(page), json!(list), json!(total), json!(TIMES)];
    let given = window.measure(BROWSE, arguments).await?;
    serde_json::from_value(given.clone())
        .map_err(|error| format!("the page's script gave {given}: {error}"))
}

const BROWSE: &str = include_str!("browse.js");
