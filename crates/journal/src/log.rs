//! The log: an append-only segment of records, and where each of them lies.

use std::borrow::Borrow;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use bytes::Bytes;

use crate::event::{Event, EventBody, EventSeq, OperationId};
use crate::record::{self, Decoded, FILE_HEAD_BYTE_LEN, RECORD_HEAD_BYTE_LEN, Unreadable};
use crate::store::{self, Store};
use crate::tree::OperationTree;

mod error;
mod notes;
mod scan;

pub use error::JournalError;
pub use notes::OpenNotes;

/// How many bytes may wait before a flush is due.
const FLUSH_DUE_BYTE_LEN: u64 = 256 * 1024;
/// How many bytes may wait before appending flushes by itself, should nobody else do it.
const FLUSH_FORCED_BYTE_LEN: u64 = 4 * 1024 * 1024;
/// How much of a record is read to see its beginning.
const PREVIEW_HEAD_BYTE_LEN: usize = 256;

/// The log with its index and the operations tree.
///
/// The app owns it behind a reader-writer lock. Appending is cheap: the record goes to memory, and
/// [`Journal::flush`], called a few times a second, writes it to the file.
#[derive(Debug)]
pub struct Journal {
    store: Store,
    /// Where each record begins.
    offsets: Vec<u64>,
    tree: OperationTree,
}

/// An event of which a frame's or line's bytes may be cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// The event, with at most as many of its bytes as were asked for.
    pub event: Event,
    /// How many bytes its frame or line has in full; 0 for other events.
    pub byte_len: u64,
}

impl Journal {
    /// A new journal: in memory, or in a file that only its owner may read. A file with content is refused.
    /// A disk that cannot take a byte is no error but a [`Journal::problem`].
    pub fn create(path: Option<&Path>) -> Result<Journal, JournalError> {
        let mut store = match path {
            None => Store::in_memory(),
            Some(path) => {
                let file = store::create(path).map_err(|source| match source.kind() {
                    io::ErrorKind::AlreadyExists => JournalError::Exists {
                        path: path.to_owned(),
                    },
                    _ => JournalError::File {
                        path: path.to_owned(),
                        source,
                    },
                })?;
                if let Err(TryLockError::WouldBlock) = file.try_lock() {
                    return Err(JournalError::Exists {
                        path: path.to_owned(),
                    });
                }
                Store::over(file, path, 0, true)
            }
        };
        store.append(FILE_HEAD_BYTE_LEN, |out| {
            out.extend_from_slice(&record::file_head());
        });
        store.flush();
        Ok(Journal {
            store,
            offsets: Vec::new(),
            tree: OperationTree::default(),
        })
    }

    /// Opens a recording and derives its index and tree again. The file is not changed before something is appended.
    pub fn open(path: &Path) -> Result<(Journal, OpenNotes), JournalError> {
        let failed = |source| JournalError::File {
            path: path.to_owned(),
            source,
        };
        let (file, mut writable) = open_file(path).map_err(failed)?;
        if writable && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            writable = false;
        }
        let mut offsets = Vec::new();
        let mut tree = OperationTree::default();
        let scanned = scan::scan(&file, path, &mut |offset, event| {
            tree.observe(EventSeq(count(offsets.len())), event);
            offsets.push(offset);
        })?;
        writable &= scanned.damaged_at.is_none();
        let notes = OpenNotes {
            torn_byte_len: scanned.torn_byte_len,
            damaged_at: scanned.damaged_at,
            read_only: !writable,
            unfinished: tree.running_operations().collect(),
        };
        let store = Store::over(file, path, scanned.end, writable);
        Ok((
            Journal {
                store,
                offsets,
                tree,
            },
            notes,
        ))
    }

    /// Adds an event. Never fails: see [`Journal::problem`].
    ///
    /// An `OperationStarted` should carry [`Journal::next_operation`].
    pub fn append(&mut self, event: impl Borrow<Event>) -> EventSeq {
        self.append_event(event.borrow())
    }

    fn append_event(&mut self, event: &Event) -> EventSeq {
        let seq = EventSeq(count(self.offsets.len()));
        self.offsets.push(self.store.byte_len());
        self.store
            .append(record::size_hint(event), |out| record::encode(event, out));
        self.tree.observe(seq, event);
        if self.store.waiting_byte_len() >= FLUSH_FORCED_BYTE_LEN && self.store.problem().is_none()
        {
            self.store.flush();
        }
        seq
    }

    /// The id that the next operation gets.
    pub fn next_operation(&self) -> OperationId {
        self.tree.next_operation()
    }

    /// The event with this number.
    pub fn event(&self, seq: EventSeq) -> Result<Event, JournalError> {
        let payload = self.payload(seq)?;
        match record::decode(&payload, false) {
            Ok(decoded) => Ok(decoded.event),
            Err(_) => Err(self.damaged(seq)),
        }
    }

    /// The event with this number and at most the first `limit` bytes of its frame or line, without reading the rest.
    pub fn preview(&self, seq: EventSeq, limit: usize) -> Result<Preview, JournalError> {
        let (offset, byte_len) = self.place(seq)?;
        let wanted = (RECORD_HEAD_BYTE_LEN + PREVIEW_HEAD_BYTE_LEN)
            .saturating_add(limit)
            .min(byte_len);
        let cut = wanted < byte_len;
        let bytes = self.read(seq, offset, wanted)?;
        let payload = bytes.slice(RECORD_HEAD_BYTE_LEN.min(bytes.len())..);
        let decoded = match record::decode(&payload, cut) {
            Ok(decoded)
                if !cut || decoded.shown_byte_len() >= decoded.byte_len.min(limit as u64) =>
            {
                decoded
            }
            // Its texts are longer than a preview's head.
            Ok(_) | Err(Unreadable::Short) if cut => {
                record::decode(&self.payload(seq)?, false).map_err(|_| self.damaged(seq))?
            }
            Ok(_) | Err(_) => return Err(self.damaged(seq)),
        };
        let Decoded {
            mut event,
            byte_len,
        } = decoded;
        if let EventBody::Frame { bytes, .. } | EventBody::Stderr { bytes } = &mut event.body {
            bytes.truncate(limit);
        }
        Ok(Preview { event, byte_len })
    }

    /// How many events there are.
    pub fn len(&self) -> u32 {
        count(self.offsets.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// The size of the log in bytes, with what is not in the file yet.
    pub fn byte_len(&self) -> u64 {
        self.store.byte_len()
    }

    /// The file; none for a journal in memory.
    pub fn path(&self) -> Option<&Path> {
        self.store.path()
    }

    /// The operations, and what belongs to none.
    pub fn tree(&self) -> &OperationTree {
        &self.tree
    }

    /// Writes to the file what is not there yet. To be called every 250 ms or sooner.
    pub fn flush(&mut self) {
        self.store.flush();
    }

    /// Anything waits to be written, be it that an earlier flush failed.
    pub fn needs_flush(&self) -> bool {
        self.store.waiting_byte_len() > 0
    }

    /// So much waits to be written that a flush should not wait for the next tick. False while the disk refuses.
    pub fn flush_is_urgent(&self) -> bool {
        self.store.waiting_byte_len() >= FLUSH_DUE_BYTE_LEN && self.store.problem().is_none()
    }

    /// What is wrong with the recording now, in sentences for the person: the disk is full and the like. All
    /// events stay readable meanwhile; it passes when a later flush succeeds.
    pub fn problem(&self) -> Option<&str> {
        self.store.problem()
    }

    /// Where a record begins, and its size.
    fn place(&self, seq: EventSeq) -> Result<(u64, usize), JournalError> {
        let index = seq.0 as usize;
        let Some(offset) = self.offsets.get(index).copied() else {
            return Err(JournalError::NoSuchEvent {
                seq,
                len: self.len(),
            });
        };
        let end = self
            .offsets
            .get(index + 1)
            .copied()
            .unwrap_or(self.store.byte_len());
        let byte_len =
            usize::try_from(end.saturating_sub(offset)).map_err(|error| JournalError::Read {
                seq,
                source: io::Error::other(error),
            })?;
        Ok((offset, byte_len))
    }

    fn read(&self, seq: EventSeq, offset: u64, byte_len: usize) -> Result<Bytes, JournalError> {
        let mut bytes = vec![0; byte_len];
        self.store
            .read(offset, &mut bytes)
            .map_err(|source| JournalError::Read { seq, source })?;
        Ok(bytes.into())
    }

    /// The checked payload of an event's record.
    fn payload(&self, seq: EventSeq) -> Result<Bytes, JournalError> {
        let (offset, byte_len) = self.place(seq)?;
        let record = self.read(seq, offset, byte_len)?;
        let Some(head) = record.first_chunk::<RECORD_HEAD_BYTE_LEN>() else {
            return Err(self.damaged(seq));
        };
        let (_, checksum) = record::read_record_head(*head);
        let payload = record.slice(RECORD_HEAD_BYTE_LEN..);
        if crc32fast::hash(&payload) == checksum {
            Ok(payload)
        } else {
            Err(self.damaged(seq))
        }
    }

    pub(crate) fn damaged(&self, seq: EventSeq) -> JournalError {
        JournalError::Damaged {
            seq,
            offset: self
                .offsets
                .get(seq.0 as usize)
                .copied()
                .unwrap_or_default(),
        }
    }
}

impl Drop for Journal {
    /// Writes what waits; a failure here has nobody left to hear of it.
    fn drop(&mut self) {
        self.store.flush();
    }
}

/// Events are numbered with 32 bits: four thousand million of them would not fit in memory's index anyway.
fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
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
