//! A body of 64 MiB, looked at: how soon its first lines are there, how soon any others are, and how soon a tree's.

use std::time::{Duration, Instant};

use app::api::details::RowDetails;
use app::api::servers::EraChoice;
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::{self, Listener};

use super::Outcome;
use super::report::{Figure, Unit};
use super::samples::Samples;

const MEBIBYTES: usize = 64;
const COLUMNS: u32 = 100;
const WINDOWS: u32 = 200;

/// Measures it.
///
/// # Errors
/// The body is not there, or not all of it.
pub async fn measure() -> Outcome<Vec<Figure>> {
    let line = format!(
        "{{\"dish\":\"soup of the day\",\"price\":4.50,\"note\":\"{}\"}}",
        "with bread ".repeat(8)
    );
    let count = (MEBIBYTES << 20) / line.len();
    let rows = vec![line; count].join(",");
    let body = std::sync::Arc::new(rows);
    let server = Listener::start(move |asked, mut talk| {
        let body = std::sync::Arc::clone(&body);
        async move {
            if asked.asks() == "tools/call" {
                let id = asked.message()["id"].to_string();
                let text = format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"resultType\":\"complete\",\"content\":[],\
                     \"structuredContent\":{{\"dishes\":[{body}]}}}}}}"
                );
                let headers = [("content-type", "application/json")];
                talk.answer("200 OK", &headers, &text).await;
            } else {
                listener::modern(&asked, &mut talk).await;
            }
        }
    })
    .await;
    let core = Core::start().await;
    let id = core
        .add_url("large", &server.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&id).await;
    let outcome = core.call(&id, "echo", "{}").await;
    let row: RowDetails = core
        .must("row", json!({ "key": format!("o{}", outcome.operation.0) }))
        .await;
    let reply = row
        .exchanges
        .first()
        .and_then(|exchange| exchange.response)
        .ok_or("the call has no reply")?;
    let lines = async |start: u64| -> (Duration, Value) {
        let args = json!({
            "event": reply.event, "form": "pretty", "columns": COLUMNS, "start": start, "len": 60,
        });
        let begun = Instant::now();
        let part: Value = core.must("body_lines", args).await;
        (begun.elapsed(), part)
    };
    let (opened, part) = lines(0).await;
    let line_count = part["line_count"].as_u64().unwrap_or_default();
    if line_count < count as u64 {
        return Err(format!("the body has only {line_count} lines"));
    }
    let mut scrolled = Samples::default();
    for nth in 0..WINDOWS {
        let start = u64::from(nth * 7919 % WINDOWS) * line_count / u64::from(WINDOWS);
        scrolled.add(lines(start).await.0);
    }
    let begun = Instant::now();
    let args = json!({ "event": reply.event, "at": null, "start": 0, "len": 60 });
    let _: Value = core.must("json_children", args).await;
    let tree = begun.elapsed();
    let size = format!(
        "{} MB, {line_count} lines of {COLUMNS} characters at most",
        reply.byte_len / 1_000_000
    );
    drop(core.close().await);
    Ok(vec![
        Figure {
            key: "body_open_ms",
            what: format!("the first lines of a body of {MEBIBYTES} MiB, laid out"),
            value: opened.as_secs_f64() * 1e3,
            unit: Unit::Millis,
            goal: None,
            note: format!("{size}; as a tree {:.0} ms", tree.as_secs_f64() * 1e3),
        },
        Figure {
            key: "body_scroll_p99_ms",
            what: "60 lines anywhere in it, 99th percentile".to_owned(),
            value: scrolled.quantile_millis(0.99),
            unit: Unit::Millis,
            goal: None,
            note: format!(
                "{WINDOWS} places; median {:.2} ms",
                scrolled.median_millis()
            ),
        },
    ])
}
