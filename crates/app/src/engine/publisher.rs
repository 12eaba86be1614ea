//! The publisher: tells each page what changed, one numbered batch a tick, at most two in flight.
//!
//! The main page looks at the timeline; the page of a prompt's own window is told of servers and prompts alone. They are
//! numbered and acknowledged apart, so a window that does not answer holds no other back. The view says what it looks at; the publisher keeps the rows it sent last and sends those that differ.
//! After a look the next patch holds the whole window, so that the reply to the look and the feed, which
//! travel by different ways, can arrive in either order: the higher revision wins.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use client::clock::now_micros;
use journal::event::{ConnectionId, OperationId};
use journal::filter::Query;
use journal::row::{Row, RowKey, RowRef};
use journal::view::{View, WindowStamp};
use tokio::sync::watch;
use tokio::time::Instant;

use super::input::{FeedSink, Input};
use super::pages::{Page, Pages};
use super::search::{FindWish, Search};
use super::state::Engine;
use crate::api::ErrorView;
use crate::api::feed::{FeedBatch, PlacedRow, PromptView, StatusView, TimelineLook, TimelinePatch};
use crate::api::find::{FindView, FoundRow};
use crate::api::servers::ServerId;
use crate::find::refused;

/// How often the last round trip is told at most.
const ROUND_TRIP_PAUSE: Duration = Duration::from_millis(500);
/// How many rows a window has at most.
pub const WINDOW_LIMIT: u32 = 400;

/// What the pages were told, and what they have yet to be told. The timeline is the main page's alone.
pub struct Publisher {
    pages: Pages,
    /// The open prompts, for whoever shows them beside the pages.
    asked: watch::Sender<Vec<PromptView>>,
    asked_changed: bool,
    view: View,
    look: TimelineLook,
    search: Option<Search>,
    find: Option<FindView>,
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
    /// What is wrong with the servers file now.
    pub(super) fn catalog_problem(&mut self, problem: Option<ErrorView>) {
        self.catalog_problem = problem.map(|problem| match problem.hint {
            Some(hint) => format!("{} {hint}", problem.message),
            None => problem.message,
        });
        self.timeline_changed();
    }

    pub(super) fn new(
        recording: Option<String>,
        catalog_problem: Option<String>,
        asked: watch::Sender<Vec<PromptView>>,
    ) -> Self {
        Self {
            pages: Pages::default(),
            asked,
            asked_changed: false,
            view: View::default(),
            look: TimelineLook {
                len: 60,
                follow: true,
                ..TimelineLook::default()
            },
            search: None,
            find: None,
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

    /// A page has applied a batch: the main one, or that of a prompt's own window.
    pub(super) fn acknowledge(&mut self, prompt: Option<u32>, number: u32) {
        if let Some(page) = self.pages.get_mut(prompt) {
            page.acknowledge(number);
        }
    }

    pub(super) fn servers_changed(&mut self) {
        for page in self.pages.all_mut() {
            page.changed.servers = true;
        }
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
            self.servers_changed();
        }
    }

    pub(super) fn prompts_changed(&mut self) {
        self.asked_changed = true;
        for page in self.pages.all_mut() {
            page.changed.prompts = true;
        }
    }

    pub(super) fn timeline_changed(&mut self) {
        if let Some(page) = self.pages.get_mut(None) {
            page.changed.timeline = true;
        }
    }

    pub(super) fn recording_problem(&mut self, problem: Option<String>) {
        if self.recording_problem != problem {
            self.recording_problem = problem;
            self.timeline_changed();
        }
    }

    pub(super) fn touch(&mut self, operation: OperationId) {
        if let Some(page) = self.pages.get_mut(None) {
            page.touched.push(operation);
        }
    }

    /// Stops the search for the filter line's texts.
    pub(super) fn stop_search(&mut self) {
        if let Some(search) = &self.search {
            search.stop();
            self.timeline_changed();
        }
    }

    fn find_view(&self, byte_len: u64) -> Option<FindView> {
        self.view.query().map(|query| FindView {
            line: query.line().to_owned(),
            search: self.search.as_ref().map(|search| search.view(byte_len)),
        })
    }
}

impl Engine {
    /// A page wants the feed: the main one, or that of a prompt's own window, which is told of servers and prompts.
    pub(super) fn attach(&mut self, prompt: Option<u32>, sink: FeedSink) {
        let publisher = &mut self.publisher;
        publisher
            .pages
            .put(prompt, Page::new(sink, prompt.is_none()));
        if prompt.is_none() {
            publisher.whole = true;
            publisher.status = StatusView::default();
            self.tasks.all_are_news();
        } else {
            publisher.prompts_changed();
        }
    }

    /// The window of a prompt is closed.
    pub(super) fn detach(&mut self, prompt: u32) {
        if self.publisher.pages.take(Some(prompt)) {
            self.publisher.prompts_changed();
        }
    }

    /// Whether a page has something to be told and can take it.
    pub(super) fn publish_due(&mut self) -> bool {
        if self.has_task_news()
            && let Some(page) = self.publisher.pages.get_mut(None)
        {
            page.changed.tasks = true;
        }
        let publisher = &self.publisher;
        publisher.asked_changed || publisher.pages.all().any(Page::is_due)
    }

    pub(super) fn publish(&mut self) {
        if std::mem::take(&mut self.publisher.asked_changed) {
            let asked = self.prompt_views();
            // Nobody may be looking.
            self.publisher.asked.send_replace(asked);
        }
        for prompt in self.publisher.pages.due() {
            self.publish_to(prompt);
        }
    }

    fn publish_to(&mut self, prompt: Option<u32>) {
        let Some(page) = self.publisher.pages.get_mut(prompt) else {
            return;
        };
        let changed = std::mem::take(&mut page.changed);
        let touched = std::mem::take(&mut page.touched);
        let mut batch = FeedBatch {
            now_micros: now_micros(),
            touched,
            ..FeedBatch::default()
        };
        if changed.servers {
            batch.servers = Some(self.server_views());
        }
        if changed.prompts {
            batch.prompts = Some(self.prompt_views());
        }
        if changed.timeline {
            batch.timeline = self.timeline_patch();
            batch.status = self.status();
        }
        if changed.tasks {
            batch.tasks = self.task_news();
        }
        let Some(page) = self.publisher.pages.get_mut(prompt) else {
            return;
        };
        batch.number = page.next_number();
        let text = serde_json::to_string(&batch).unwrap_or_default();
        if !page.send(text) {
            // The page is gone; one that comes attaches again and gets everything.
            self.publisher.pages.take(prompt);
            if prompt.is_some() {
                self.publisher.prompts_changed();
            }
        }
    }

    /// The open prompts in the order in which they were asked.
    fn prompt_views(&self) -> Vec<PromptView> {
        let views = self.prompts.iter().map(|open| PromptView {
            popped_out: self.publisher.pages.has(open.view.id),
            lapses_micros: self.lapses_micros(open.shown_in),
            ..open.view.clone()
        });
        views.collect()
    }

    /// The rows that changed in the view's window, when any did.
    fn timeline_patch(&mut self) -> Option<TimelinePatch> {
        let connections = self.looked_at();
        let journal = self.journal.read();
        let publisher = &mut self.publisher;
        publisher.view.look(publisher.look.filter, connections);
        publisher.view.sync(&journal);
        if let Some(search) = &publisher.search {
            search.tell(&journal, &mut publisher.view);
        }
        let find = publisher.find_view(journal.byte_len());
        let total_rows = publisher.view.total_rows();
        let len = publisher.look.len.min(WINDOW_LIMIT);
        let start = if publisher.look.follow {
            total_rows.saturating_sub(len)
        } else {
            publisher.look.start.min(total_rows.saturating_sub(1))
        };
        let stamp = publisher.view.stamp(&journal, start, len);
        if !publisher.whole && publisher.stamp == Some(stamp) && publisher.find == find {
            return None;
        }
        publisher.find.clone_from(&find);
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
            find,
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

    /// All connections to a server since the start.
    pub(super) fn connections_of(&self, server: &ServerId) -> BTreeSet<ConnectionId> {
        self.connections
            .iter()
            .filter(|(_, connection)| connection.server == *server)
            .map(|(id, _)| *id)
            .collect()
    }

    /// The connections of the server that the view looks at.
    fn looked_at(&self) -> Option<BTreeSet<ConnectionId>> {
        let server = self.publisher.look.server.as_ref()?;
        Some(self.connections_of(server))
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
                .or_else(|| self.publisher.catalog_problem.clone())
                .or_else(|| self.task_file_problem()),
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
    pub(super) fn look(&mut self, look: TimelineLook) -> Result<TimelinePatch, ErrorView> {
        if look.line != self.publisher.look.line {
            let query = Query::parse(&look.line).map_err(refused)?.map(Arc::new);
            self.publisher.search = query.as_ref().and_then(|query| {
                let engine = self.handle.clone();
                Search::start(query, &self.journal, move || {
                    if let Some(engine) = engine.upgrade() {
                        engine.tell_and_wait(Input::Find(FindWish::GoOn));
                    }
                })
            });
            self.publisher.view.ask(query);
        }
        self.publisher.look = look;
        self.publisher.whole = true;
        let patch = self.timeline_patch().unwrap_or_default();
        self.publisher.whole = true;
        self.publisher.timeline_changed();
        Ok(patch)
    }

    /// Does what is wanted of the filter line's search and of what it found.
    pub(super) fn find(&mut self, wish: FindWish) {
        match wish {
            FindWish::GoOn => self.publisher.timeline_changed(),
            FindWish::Stop => self.publisher.stop_search(),
            FindWish::Step {
                from,
                backwards,
                answer,
            } => {
                let journal = self.journal.read();
                let view = &mut self.publisher.view;
                let found = view.step(&journal, from, backwards);
                let found = found.map(|(index, row)| FoundRow {
                    index,
                    key: row.to_string(),
                    event: view.first_found(&journal, row),
                });
                // Whoever asked may have gone.
                let _gone = answer.send(found);
            }
            FindWish::Rows { answer } => {
                let rows = self.publisher.view.top_keys(&self.journal.read());
                let _gone = answer.send(rows);
            }
        }
    }

    pub(super) fn fold(&mut self, operation: OperationId, expanded: bool) {
        let journal = self.journal.read();
        self.publisher
            .view
            .set_expanded(&journal, operation, expanded);
        drop(journal);
        self.publisher.timeline_changed();
    }

    pub(super) fn locate(&mut self, operation: OperationId) -> Option<u32> {
        let journal = self.journal.read();
        self.publisher.view.locate(&journal, operation)
    }

    /// The place of any row.
    pub(super) fn locate_row(&mut self, row: RowRef) -> Option<u32> {
        let journal = self.journal.read();
        self.publisher.view.locate_row(&journal, row)
    }

    pub(super) fn locate_time(&mut self, at_micros: u64) -> Option<u32> {
        let journal = self.journal.read();
        self.publisher.view.row_at(&journal, at_micros)
    }

    /// The keys of a stretch of rows.
    pub(super) fn row_keys(&mut self, start: u32, len: u32) -> Vec<RowKey> {
        let journal = self.journal.read();
        self.publisher.view.keys(&journal, start, len)
    }
}
