//! The publisher: tells the view what changed, one numbered batch a tick, at most two in flight.
//!
//! The view says what it looks at; the publisher keeps the rows it sent last and sends those that differ.
//! After a look the next patch holds the whole window, so that the reply to the look and the feed, which
//! travel by different ways, can arrive in either order: the higher revision wins.

use std::collections::BTreeSet;
use std::time::Duration;

use client::clock::now_micros;
use journal::event::{ConnectionId, OperationId};
use journal::row::Row;
use journal::view::{View, WindowStamp};
use tokio::time::Instant;

use super::input::FeedSink;
use super::state::Engine;
use crate::api::feed::{FeedBatch, PlacedRow, StatusView, TimelineLook, TimelinePatch};

/// How many batches may be on their way.
const IN_FLIGHT: u32 = 2;
/// How often the last round trip is told at most.
const ROUND_TRIP_PAUSE: Duration = Duration::from_millis(500);
/// How many rows a window has at most.
const WINDOW_LIMIT: u32 = 400;

/// What the view has yet to be told.
#[derive(Clone, Copy, Debug, Default)]
struct Changed {
    servers: bool,
    prompts: bool,
    timeline: bool,
}

/// What the view was told, and what it has yet to be told.
pub struct Publisher {
    sink: Option<FeedSink>,
    number: u32,
    acknowledged: u32,
    changed: Changed,
    touched: Vec<OperationId>,
    view: View,
    look: TimelineLook,
    revision: u32,
    whole: bool,
    stamp: Option<WindowStamp>,
    sent: Vec<Row>,
    sent_start: u32,
    status: StatusView,
    recording: Option<String>,
    recording_problem: Option<String>,
    catalog_problem: Option<String>,
    round_trip_told: Instant,
    round_trip_changed: bool,
}

impl Publisher {
    pub(super) fn new(recording: Option<String>, catalog_problem: Option<String>) -> Self {
        Self {
            sink: None,
            number: 0,
            acknowledged: 0,
            changed: Changed::default(),
            touched: Vec::new(),
            view: View::default(),
            look: TimelineLook {
                len: 60,
                follow: true,
                ..TimelineLook::default()
            },
            revision: 0,
            whole: true,
            stamp: None,
            sent: Vec::new(),
            sent_start: 0,
            status: StatusView::default(),
            recording,
            recording_problem: None,
            catalog_problem,
            round_trip_told: Instant::now(),
            round_trip_changed: false,
        }
    }

    pub(super) fn acknowledge(&mut self, number: u32) {
        // A late acknowledgement of an earlier attach is above what was sent since.
        if number <= self.number {
            self.acknowledged = self.acknowledged.max(number);
        }
    }

    pub(super) fn servers_changed(&mut self) {
        self.changed.servers = true;
    }

    /// The last round trip is a figure to glance at: it is told twice a second at most.
    pub(super) fn round_trip_changed(&mut self) {
        self.round_trip_changed = true;
        self.tell_round_trip();
    }

    /// Tells a round trip that had to wait.
    pub(super) fn tell_round_trip(&mut self) {
        if self.round_trip_changed && self.round_trip_told.elapsed() >= ROUND_TRIP_PAUSE {
            self.round_trip_changed = false;
            self.round_trip_told = Instant::now();
            self.changed.servers = true;
        }
    }

    pub(super) fn prompts_changed(&mut self) {
        self.changed.prompts = true;
    }

    pub(super) fn timeline_changed(&mut self) {
        self.changed.timeline = true;
    }

    pub(super) fn recording_problem(&mut self, problem: Option<String>) {
        if self.recording_problem != problem {
            self.recording_problem = problem;
            self.changed.timeline = true;
        }
    }

    pub(super) fn touch(&mut self, operation: OperationId) {
        if self.sink.is_some() {
            self.touched.push(operation);
        }
    }

    fn room(&self) -> bool {
        self.number - self.acknowledged < IN_FLIGHT
    }
}

impl Engine {
    pub(super) fn attach(&mut self, sink: FeedSink) {
        let publisher = &mut self.publisher;
        publisher.sink = Some(sink);
        publisher.number = 0;
        publisher.acknowledged = 0;
        publisher.changed.servers = true;
        publisher.changed.prompts = true;
        publisher.changed.timeline = true;
        publisher.whole = true;
        publisher.touched.clear();
        publisher.status = StatusView::default();
    }

    /// Whether the view has something to be told and can take it.
    pub(super) fn publish_due(&self) -> bool {
        let publisher = &self.publisher;
        publisher.sink.is_some()
            && publisher.room()
            && (publisher.changed.servers
                || publisher.changed.prompts
                || publisher.changed.timeline
                || !publisher.touched.is_empty())
    }

    pub(super) fn publish(&mut self) {
        let mut batch = FeedBatch {
            now_micros: now_micros(),
            ..FeedBatch::default()
        };
        if std::mem::take(&mut self.publisher.changed.servers) {
            batch.servers = Some(self.server_views());
        }
        if std::mem::take(&mut self.publisher.changed.prompts) {
            batch.prompts = Some(self.prompts.iter().map(|open| open.view.clone()).collect());
        }
        if std::mem::take(&mut self.publisher.changed.timeline) {
            batch.timeline = self.timeline_patch();
            batch.status = self.status();
        }
        batch.touched = std::mem::take(&mut self.publisher.touched);
        let publisher = &mut self.publisher;
        publisher.number += 1;
        batch.number = publisher.number;
        let text = serde_json::to_string(&batch).unwrap_or_default();
        let reached = publisher.sink.as_ref().is_some_and(|sink| sink(text));
        if !reached {
            // The page is gone; one that comes attaches again and gets everything.
            publisher.sink = None;
        }
    }

    /// The rows that changed in the view's window, when any did.
    fn timeline_patch(&mut self) -> Option<TimelinePatch> {
        let connections = self.looked_at();
        let journal = self.journal.read();
        let publisher = &mut self.publisher;
        publisher.view.look(publisher.look.filter, connections);
        publisher.view.sync(&journal);
        let total_rows = publisher.view.total_rows();
        let len = publisher.look.len.min(WINDOW_LIMIT);
        let start = if publisher.look.follow {
            total_rows.saturating_sub(len)
        } else {
            publisher.look.start.min(total_rows.saturating_sub(1))
        };
        let stamp = publisher.view.stamp(&journal, start, len);
        if !publisher.whole && publisher.stamp == Some(stamp) {
            return None;
        }
        let rows = publisher.view.window(&journal, start, len);
        let whole = publisher.whole || start != publisher.sent_start;
        let changed = rows
            .iter()
            .enumerate()
            .filter(|(place, row)| whole || publisher.sent.get(*place) != Some(row))
            .map(|(place, row)| PlacedRow {
                place: u32::try_from(place).unwrap_or(u32::MAX),
                row: row.clone(),
            })
            .collect();
        publisher.revision += 1;
        let patch = TimelinePatch {
            revision: publisher.revision,
            total_rows,
            top_rows: publisher.view.top_rows(),
            error_count: journal.tree().error_count(),
            start,
            len: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            rows: changed,
            whole,
        };
        publisher.whole = false;
        publisher.stamp = Some(stamp);
        publisher.sent = rows;
        publisher.sent_start = start;
        Some(patch)
    }

    /// The connections of the server that the view looks at, all of them since the start.
    fn looked_at(&self) -> Option<BTreeSet<ConnectionId>> {
        let server = self.publisher.look.server.as_ref()?;
        Some(
            self.connections
                .iter()
                .filter(|(_, connection)| connection.server == *server)
                .map(|(id, _)| *id)
                .collect(),
        )
    }

    fn status(&mut self) -> Option<StatusView> {
        let journal = self.journal.read();
        let status = StatusView {
            event_count: journal.len(),
            byte_len: journal.byte_len(),
            // What listens is not at work.
            running: u32::try_from(self.active.len() - self.listens.len()).unwrap_or(u32::MAX),
            recording: self.publisher.recording.clone(),
            file_problem: self
                .publisher
                .recording_problem
                .clone()
                .or_else(|| self.publisher.catalog_problem.clone()),
            keyring: self.keyring_label.clone(),
        };
        drop(journal);
        if self.publisher.status == status {
            return None;
        }
        self.publisher.status = status.clone();
        Some(status)
    }

    /// Sets what the view looks at and gives its whole window.
    pub(super) fn look(&mut self, look: TimelineLook) -> TimelinePatch {
        self.publisher.look = look;
        self.publisher.whole = true;
        let patch = self.timeline_patch().unwrap_or_default();
        self.publisher.whole = true;
        self.publisher.changed.timeline = true;
        patch
    }

    pub(super) fn fold(&mut self, operation: OperationId, expanded: bool) {
        let journal = self.journal.read();
        self.publisher
            .view
            .set_expanded(&journal, operation, expanded);
        drop(journal);
        self.publisher.changed.timeline = true;
    }

    pub(super) fn locate(&mut self, operation: OperationId) -> Option<u32> {
        let journal = self.journal.read();
        self.publisher.view.locate(&journal, operation)
    }

    pub(super) fn locate_time(&mut self, at_micros: u64) -> Option<u32> {
        let journal = self.journal.read();
        self.publisher.view.row_at(&journal, at_micros)
    }
}
