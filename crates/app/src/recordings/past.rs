//! A past session that is looked at: its journal is read and never written, and nothing of it changes any more.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use journal::event::OperationId;
use journal::log::Journal;
use journal::row::{Row, RowState};
use journal::view::View;
use parking_lot::Mutex;

use crate::api::ErrorView;
use crate::api::details::RowDetails;
use crate::api::feed::{PlacedRow, TimelineLook, TimelinePatch};
use crate::details;
use crate::engine::{self, SharedJournal, WINDOW_LIMIT};

/// What is said of what never ended.
const NOT_ENDED: &str = "had not ended";

/// A recording that is looked at.
pub struct Past {
    journal: SharedJournal,
    notes: Vec<String>,
    in_use: bool,
    /// When its last event happened: what ran then had not ended.
    end_micros: u64,
    view: Mutex<View>,
}

/// Patches are numbered across recordings: one that is opened again goes on counting.
static REVISION: AtomicU32 = AtomicU32::new(0);

impl Past {
    /// Opens a recording to look at it in this way.
    pub fn open(path: &Path, view: View) -> Result<Past, ErrorView> {
        let (journal, notes) =
            Journal::view(path).map_err(|error| details::journal_error(&error))?;
        Ok(Past {
            end_micros: journal.summary().end_micros.unwrap_or_default(),
            journal: engine::shared(journal),
            notes: notes.sentences(),
            in_use: notes.in_use,
            view: Mutex::new(view),
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
        std::mem::take(&mut self.view.lock())
    }

    /// The window that is looked at. A past session has no catalog: `server` is a server's name.
    pub fn look(&self, look: &TimelineLook) -> TimelinePatch {
        let journal = self.journal.read();
        let connections = look.server.as_ref().map(|name| {
            journal
                .tree()
                .connections()
                .filter(|(_, connection)| *connection.server_name == **name)
                .map(|(id, _)| id)
                .collect()
        });
        let mut view = self.view.lock();
        view.look(look.filter, connections);
        view.sync(&journal);
        let total_rows = view.total_rows();
        let len = look.len.min(WINDOW_LIMIT);
        let start = if look.follow {
            total_rows.saturating_sub(len)
        } else {
            look.start.min(total_rows.saturating_sub(1))
        };
        let rows = view.window(&journal, start, len);
        TimelinePatch {
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
            find: None,
        }
    }

    /// Folds or unfolds an operation.
    pub fn fold(&self, operation: OperationId, expanded: bool) {
        let journal = self.journal.read();
        self.view.lock().set_expanded(&journal, operation, expanded);
    }

    /// Where an operation's row is.
    pub fn locate(&self, operation: OperationId) -> Option<u32> {
        let journal = self.journal.read();
        self.view.lock().locate(&journal, operation)
    }

    /// The row that had begun last at a time.
    pub fn locate_time(&self, at_micros: u64) -> Option<u32> {
        let journal = self.journal.read();
        self.view.lock().row_at(&journal, at_micros)
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
