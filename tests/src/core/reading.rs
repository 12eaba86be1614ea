//! The timeline as a person would read it.

use std::time::Duration;

use app::api::details::{EventLine, RowDetails};
use app::api::feed::TimelinePatch;
use journal::event::OperationId;
use journal::row::{Row, RowKind};
use serde_json::json;

use super::{Core, PATIENCE};

impl Core {
    /// Sets the window and gives its rows.
    pub async fn look(&self, start: u32, len: u32) -> TimelinePatch {
        let look =
            json!({ "start": start, "len": len, "follow": false, "filter": "all", "server": null });
        self.must("look", json!({ "look": look })).await
    }

    /// The window's rows as the feed told them, without times.
    pub fn timeline(&self) -> String {
        self.seen().rows.iter().map(line).collect()
    }

    /// The whole timeline, unfolded, as a person would read it, without times.
    pub async fn unfolded(&self) -> String {
        let folded = self.look(0, 400).await;
        for placed in folded.rows {
            if let (RowKind::Operation, Some(operation)) = (placed.row.kind, placed.row.operation) {
                let _: () = self
                    .must("fold", json!({ "operation": operation, "expanded": true }))
                    .await;
            }
        }
        self.look(0, 400)
            .await
            .rows
            .iter()
            .map(|placed| line(&placed.row))
            .collect()
    }

    /// Waits until the unfolded timeline holds this text, and gives it.
    pub async fn until_row(&self, text: &str) -> String {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let timeline = self.unfolded().await;
            if timeline.contains(text) {
                return timeline;
            }
            assert!(
                tokio::time::Instant::now() < deadline,
                "no {text:?} in\n{timeline}"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// An operation's row, without times.
    pub async fn operation_row(&self, operation: OperationId) -> String {
        self.look(0, 400)
            .await
            .rows
            .iter()
            .map(|placed| &placed.row)
            .find(|row| row.kind == RowKind::Operation && row.operation == Some(operation))
            .map_or_else(|| panic!("{operation:?} has no row"), line)
    }

    /// The details of an operation's row: its summary, a line each.
    pub async fn details(&self, operation: OperationId) -> String {
        let details: RowDetails = self
            .must("row", json!({ "key": format!("o{}", operation.0) }))
            .await;
        let mut text = String::new();
        for line in &details.summary {
            text.extend([&line.label, ": ", &line.value, "\n"]);
        }
        text
    }

    /// An operation's events, a line each.
    pub async fn events(&self, operation: OperationId) -> String {
        let args = json!({ "operation": operation, "start": 0, "len": 400 });
        let events: Vec<EventLine> = self.must("operation_events", args).await;
        let mut text = String::new();
        for event in &events {
            text.extend([&event.kind, ": ", &event.text, "\n"]);
        }
        text
    }
}

fn line(row: &Row) -> String {
    let indent = "  ".repeat(usize::from(row.depth));
    let detail = row
        .detail
        .as_deref()
        .map(|detail| format!(" {detail}"))
        .unwrap_or_default();
    let mut chips = String::new();
    for chip in &row.chips {
        chips.extend([" [", chip, "]"]);
    }
    format!(
        "{indent}{}{detail}{chips} — {}\n",
        row.label, row.state_text
    )
}
