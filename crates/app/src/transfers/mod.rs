//! Taking a journal away as a file, and bringing one in: beside everything else, with a word about how far it is.
//!
//! An export is prepared in a file of its own, so that the person sees what is in it, and what was redacted, before it
//! is saved; saving is then a copy that is whole or not there. Before anything is written the redactor learns every
//! secret that the keyring holds for the servers of the catalog: an export may hold a value that was no secret, or not
//! yet known as one, when it was recorded.

mod commands;
mod convert;
mod files;
mod known_secrets;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use parking_lot::Mutex;
use tempfile::TempPath;

pub use convert::Converted;

use crate::api::transfers::{ExportedFile, TransferId, TransferState};
use crate::api::{ErrorCode, ErrorView};

/// How many transfers are kept; the oldest gives way, for a page that was loaded anew forgets its own.
const MOST_KEPT: usize = 4;

/// All transfers of this run that were not ended.
#[derive(Default)]
pub struct Transfers {
    last: AtomicU32,
    all: Mutex<BTreeMap<TransferId, Arc<Transfer>>>,
}

/// One transfer.
#[derive(Default)]
pub struct Transfer {
    is_cancelled: AtomicBool,
    done: AtomicU32,
    all: AtomicU32,
    /// Shared with whoever saves the file, so that nobody waits for a disk who asks how far it is.
    end: Mutex<Option<Arc<End>>>,
}

/// How a transfer ended.
pub(crate) enum End {
    Prepared {
        file: ExportedFile,
        path: TempPath,
    },
    BroughtIn {
        recording: String,
        notes: Vec<String>,
    },
    Failed {
        error: ErrorView,
    },
}

impl Transfers {
    /// A new one.
    pub(crate) fn begin(&self) -> (TransferId, Arc<Transfer>) {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let transfer = Arc::new(Transfer::default());
        let mut all = self.all.lock();
        all.insert(id, Arc::clone(&transfer));
        while all.len() > MOST_KEPT {
            if let Some((_, oldest)) = all.pop_first() {
                oldest.cancel();
            }
        }
        (id, transfer)
    }

    fn get(&self, id: TransferId) -> Result<Arc<Transfer>, ErrorView> {
        let found = self.all.lock().get(&id).cloned();
        found.ok_or_else(|| ErrorView {
            code: ErrorCode::Gone,
            message: "This export or import is over.".to_owned(),
            hint: Some("Begin it again.".to_owned()),
        })
    }

    fn end(&self, id: TransferId) {
        if let Some(transfer) = self.all.lock().remove(&id) {
            transfer.cancel();
        }
    }
}

impl Transfer {
    fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Notes how far it is; whether it is to go on.
    pub(crate) fn goes_on(&self, done: u64, all: u64) -> bool {
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        self.done.store(small(done), Ordering::Relaxed);
        self.all.store(small(all), Ordering::Relaxed);
        !self.is_cancelled.load(Ordering::Relaxed)
    }

    pub(crate) fn finish(&self, end: Result<End, ErrorView>) {
        *self.end.lock() = Some(Arc::new(end.unwrap_or_else(|error| End::Failed { error })));
    }

    fn state(&self) -> TransferState {
        match self.end.lock().as_deref() {
            None => TransferState::Running {
                done: self.done.load(Ordering::Relaxed),
                all: self.all.load(Ordering::Relaxed),
            },
            Some(End::Prepared { file, .. }) => TransferState::Prepared { file: file.clone() },
            Some(End::BroughtIn { recording, notes }) => TransferState::BroughtIn {
                recording: recording.clone(),
                notes: notes.clone(),
            },
            Some(End::Failed { error }) => TransferState::Failed {
                error: error.clone(),
            },
        }
    }

    /// Does something with the file that is prepared.
    fn with_file<T>(
        &self,
        work: impl FnOnce(&ExportedFile, &TempPath) -> Result<T, ErrorView>,
    ) -> Result<T, ErrorView> {
        let end = self.end.lock().clone();
        match end.as_deref() {
            Some(End::Prepared { file, path }) => work(file, path),
            Some(End::Failed { error }) => Err(error.clone()),
            _ => Err(ErrorView {
                code: ErrorCode::Failed,
                message: "There is no file that could be saved yet.".to_owned(),
                hint: Some("Wait until the export is prepared.".to_owned()),
            }),
        }
    }
}
