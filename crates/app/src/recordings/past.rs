//! A past session that is looked at: its journal is read and never written, and nothing of it changes any more.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use journal::event::OperationId;
use journal::filter::Query;
use journal::log::Journal;
use journal::row::{Row, RowKey, RowRef, RowState};
use journal::view::View;
use parking_lot::Mutex;

use crate::api::ErrorView;
use crate::api::details::RowDetails;
use crate::api::feed::{PlacedRow, TimelineLook, TimelinePatch};
use crate::api::find::{FindView, FoundRow};
use crate::details;
use crate::engine::{self, Search, SharedJournal, WINDOW_LIMIT};
use crate::find::refused;

/// What is said of what never ended.
const NOT_ENDED: &str = "had not ended";

/// A recording that is looked at.
pub struct Past {
    journal: SharedJournal,
    notes: Vec<String>,
    in_use: bool,
    /// When its last event happened: what ran then had not ended.
    end_micros: u64,
    view: Mutex<Looked>,
}

/// How a recording is looked at.
#[derive(Default)]
struct Looked {
    view: View,
    /// The search for the texts of the view's filter line.
    search: Option<Search>,
}

/// Patches are numbered across recordings: one that is opened again goes on counting.
static REVISION: AtomicU32 = AtomicU32::new(0);

impl Past {
    /// Opens a recording to look at it in this way.
    pub fn open(path: &Path, mut view: View) -> Result<Past, ErrorView> {
        // What was found is forgotten with the search; the next look asks anew.
        view.ask(None);
        let (journal, notes) =
            Journal::view(path).map_err(|error| details::journal_error(&error))?;
        Ok(Past {
            end_micros: journal.summary().end_micros.unwrap_or_default(),
            journal: engine::shared(journal),
            notes: notes.sentences(),
            in_use: notes.in_use,
            view: Mutex::new(Looked { view, search: None }),
        })
    }

    /// Its journal.
    pub fn journal(&self) -> &SharedJournal {
        &self.journal
    }

    /// What a person should know of it, in sentences.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Another Roundtrip was writing to it.
    pub fn in_use(&self) -> bool {
        self.in_use
    }

    /// Somebody else reads it now.
    pub fn is_read(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) > 1 || Arc::strong_count(&self.journal) > 1
    }

    /// How it is looked at, for when it is opened again.
    pub fn take_view(&self) -> View {
        std::mem::take(&mut self.view.lock().view)
    }

    /// Ends the search for the filter line's texts; what it found stays.
    pub fn stop_search(&self) {
        if let Some(search) = &self.view.lock().search {
            search.stop();
        }
    }

    /// The rows of the top level that are shown, in their order.
    pub fn rows(&self) -> Vec<RowRef> {
        self.view.lock().view.top_keys(&self.journal.read())
    }

    /// The top row after a row, or before it.
    pub fn step(&self, from: Option<u32>, backwards: bool) -> Option<FoundRow> {
        let journal = self.journal.read();
        let view = &mut self.view.lock().view;
        let (index, row) = view.step(&journal, from, backwards)?;
        Some(FoundRow {
            index,
            key: row.to_string(),
            event: view.first_found(&journal, row),
        })
    }

    /// The window that is looked at. A past session has no catalog: `server` is a server's name.
    ///
    /// # Errors
    /// The filter line cannot be understood.
    pub fn look(&self, look: &TimelineLook) -> Result<TimelinePatch, ErrorView> {
        let query = Query::parse(&look.line).map_err(refused)?.map(Arc::new);
        let journal = self.journal.read();
        let connections = look.server.as_ref().map(|name| {
            journal
                .tree()
                .connections()
                .filter(|(_, connection)| *connection.server_name == **name)
                .map(|(id, _)| id)
                .collect()
        });
        let mut looked = self.view.lock();
        let Looked { view, search } = &mut *looked;
        let before = view.query().map(|query| query.line().to_owned());
        if before.as_deref() != query.as_ref().map(|query| query.line()) {
            // Whoever looks asks again how far it is; nobody need be told.
            *search = query
                .as_ref()
                .and_then(|query| Search::start(query, &self.journal, || {}));
            view.ask(query);
        }
        view.look(look.filter, connections);
        if let Some(search) = search {
            search.tell(&journal, view);
        }
        view.sync(&journal);
        let total_rows = view.total_rows();
        let len = look.len.min(WINDOW_LIMIT);
        let start = if look.follow {
            total_rows.saturating_sub(len)
        } else {
            look.start.min(total_rows.saturating_sub(1))
        };
        let rows = view.window(&journal, start, len);
        let find = view.query().map(|query| FindView {
            line: query.line().to_owned(),
            search: search
                .as_ref()
                .map(|search| search.view(journal.byte_len())),
        });
        Ok(TimelinePatch {
            revision: REVISION.fetch_add(1, Ordering::Relaxed) + 1,
            total_rows,
            top_rows: view.top_rows(),
            error_count: journal.tree().error_count(),
            start,
            len: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            rows: (0_u32..)
                .zip(rows)
                .map(|(place, row)| PlacedRow {
                    place,
                    row: self.over(row),
                })
                .collect(),
            whole: true,
            find,
        })
    }

    /// Folds or unfolds an operation.
    pub fn fold(&self, operation: OperationId, expanded: bool) {
        let journal = self.journal.read();
        self.view
            .lock()
            .view
            .set_expanded(&journal, operation, expanded);
    }

    /// Where an operation's row is.
    pub fn locate(&self, operation: OperationId) -> Option<u32> {
        let journal = self.journal.read();
        self.view.lock().view.locate(&journal, operation)
    }

    /// The row that had begun last at a time.
    pub fn locate_time(&self, at_micros: u64) -> Option<u32> {
        let journal = self.journal.read();
        self.view.lock().view.row_at(&journal, at_micros)
    }

    /// The keys of a stretch of rows.
    pub fn row_keys(&self, start: u32, len: u32) -> Vec<RowKey> {
        let journal = self.journal.read();
        self.view.lock().view.keys(&journal, start, len)
    }

    /// The details of a row.
    pub fn row(&self, key: &str) -> Result<RowDetails, ErrorView> {
        let mut row = details::row(&self.journal.read(), key, self.end_micros)?;
        if std::mem::take(&mut row.cancellable)
            && let Some(state) = row.summary.iter_mut().find(|line| line.label == "State")
        {
            NOT_ENDED.clone_into(&mut state.value);
        }
        Ok(row)
    }

    /// A row of which nothing runs any more.
    pub fn over(&self, mut row: Row) -> Row {
        if row.end_micros.is_some() {
            return row;
        }
        let end_micros = self.end_micros.max(row.start_micros);
        row.end_micros = Some(end_micros);
        row.state = RowState::Cancelled;
        NOT_ENDED.clone_into(&mut row.state_text);
        for span in &mut row.spans {
            span.end_micros.get_or_insert(end_micros);
        }
        row
    }
}
