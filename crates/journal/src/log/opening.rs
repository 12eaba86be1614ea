//! Recordings are opened: to be gone on with, to be looked at, or to be listed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use super::scan::{self, Content, Scanned};
use super::{Journal, JournalError, OpenNotes, count};
use crate::event::EventSeq;
use crate::store::Store;
use crate::summary::Summary;

impl Journal {
    /// Opens a recording and derives its index and tree again. The file is not changed before something is appended.
    pub fn open(path: &Path) -> Result<(Journal, OpenNotes), JournalError> {
        let (file, mut writable) = open_file(path).map_err(|source| failed(path, source))?;
        if writable && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            writable = false;
        }
        Journal::derive(file, path, writable, false)
    }

    /// Opens a recording to be looked at: its file is never written, and others may look at it too.
    pub fn view(path: &Path) -> Result<(Journal, OpenNotes), JournalError> {
        let file = File::open(path).map_err(|source| failed(path, source))?;
        let in_use = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        let (journal, mut notes) = Journal::derive(file, path, false, in_use)?;
        // It is as it was wanted.
        notes.read_only = false;
        Ok((journal, notes))
    }

    fn derive(
        file: File,
        path: &Path,
        mut writable: bool,
        in_use: bool,
    ) -> Result<(Journal, OpenNotes), JournalError> {
        let mut journal = Journal::over(Store::in_memory());
        let scanned = scan::scan(&file, path, &mut |offset, content| match content {
            Content::Event(event) => {
                let seq = EventSeq(count(journal.offsets.len()));
                journal.tree.observe(seq, &event);
                journal.summary.observe(&event);
                journal.offsets.push(offset);
            }
            Content::Name(name) => {
                journal.has_gaps = true;
                journal.summary.name = Some(name).filter(|name| !name.is_empty());
            }
        })?;
        writable &= scanned.damaged_at.is_none();
        let notes = OpenNotes {
            torn_byte_len: scanned.torn_byte_len,
            damaged_at: scanned.damaged_at,
            read_only: !writable,
            in_use,
            unfinished: journal.tree.running_operations().collect(),
        };
        journal.store = Store::over(file, path, scanned.end, writable);
        Ok((journal, notes))
    }
}

/// Reads a recording for what a list says of it, without keeping an index of it.
pub fn summarize(path: &Path) -> Result<Summary, JournalError> {
    let file = File::open(path).map_err(|source| failed(path, source))?;
    let mut summary = Summary::default();
    let Scanned {
        end, damaged_at, ..
    } = scan::scan(&file, path, &mut |_, content| match content {
        Content::Event(event) => summary.observe(&event),
        Content::Name(name) => summary.name = Some(name).filter(|name| !name.is_empty()),
    })?;
    summary.is_damaged = damaged_at.is_some();
    // What is listed is the file's size; what is damaged or torn is part of it.
    summary.byte_len = file.metadata().map_or(end, |metadata| metadata.len());
    Ok(summary)
}

fn failed(path: &Path, source: io::Error) -> JournalError {
    JournalError::File {
        path: path.to_owned(),
        source,
    }
}

/// The file and whether it may be written.
fn open_file(path: &Path) -> io::Result<(File, bool)> {
    match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => Ok((file, true)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            Ok((File::open(path)?, false))
        }
        Err(error) => Err(error),
    }
}
