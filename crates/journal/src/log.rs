//! The log: an append-only segment of records, and where each of them lies.

use std::borrow::Borrow;
use std::fs::TryLockError;
use std::io;
use std::path::Path;

use bytes::Bytes;

use crate::event::{Event, EventBody, EventSeq, OperationId};
use crate::record::{self, Decoded, FILE_HEAD_BYTE_LEN, RECORD_HEAD_BYTE_LEN, Unreadable};
use crate::store::{self, Store};
use crate::summary::Summary;
use crate::tree::OperationTree;

mod aside;
mod error;
mod notes;
mod opening;
mod scan;

use aside::Aside;
pub use error::JournalError;
pub use notes::OpenNotes;
pub use opening::summarize;

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
    /// The events that belong into no file.
    aside: Aside,
    /// Where each record begins: in the store, or, with the highest bit set, aside.
    offsets: Vec<u64>,
    /// Records lie between those of events: names that the recording was given.
    has_gaps: bool,
    tree: OperationTree,
    summary: Summary,
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
        Ok(Journal::over(store))
    }

    fn over(store: Store) -> Journal {
        Journal {
            store,
            aside: Aside::default(),
            offsets: Vec::new(),
            has_gaps: false,
            tree: OperationTree::default(),
            summary: Summary::default(),
        }
    }

    /// Adds an event. Never fails: see [`Journal::problem`].
    ///
    /// An `OperationStarted` should carry [`Journal::next_operation`].
    pub fn append(&mut self, event: impl Borrow<Event>) -> EventSeq {
        self.append_event(event.borrow())
    }

    /// Adds an event that goes to no file: it can be read as long as this journal is open, and is in no recording.
    ///
    /// What refers to it must be added in the same way.
    pub fn append_aside(&mut self, event: impl Borrow<Event>) -> EventSeq {
        let event = event.borrow();
        let seq = EventSeq(count(self.offsets.len()));
        self.offsets.push(self.aside.append(seq, event));
        self.tree.observe(seq, event);
        seq
    }

    fn append_event(&mut self, event: &Event) -> EventSeq {
        let seq = EventSeq(count(self.offsets.len()));
        self.offsets.push(self.store.byte_len());
        let renumbered = self.aside.numbered_for_file(event);
        let written = renumbered.as_ref().unwrap_or(event);
        self.store.append(record::size_hint(written), |out| {
            record::encode(written, out);
        });
        self.tree.observe(seq, event);
        self.summary.observe(event);
        self.flush_if_much_waits();
        seq
    }

    fn flush_if_much_waits(&mut self) {
        if self.store.waiting_byte_len() >= FLUSH_FORCED_BYTE_LEN && self.store.problem().is_none()
        {
            self.store.flush();
        }
    }

    /// Gives the recording a name, or none. It is written into the file, so it stays with it wherever that goes.
    pub fn set_name(&mut self, name: Option<&str>) {
        let name = name.filter(|name| !name.is_empty());
        self.has_gaps = true;
        self.store.append(64 + name.map_or(0, str::len), |out| {
            record::encode_name(name.unwrap_or_default(), out);
        });
        self.summary.name = name.map(str::to_owned);
        self.flush_if_much_waits();
    }

    /// What can be said of it in a list of recordings.
    pub fn summary(&self) -> Summary {
        Summary {
            byte_len: self.store.byte_len(),
            ..self.summary.clone()
        }
    }

    /// The id that the next operation gets.
    pub fn next_operation(&self) -> OperationId {
        self.tree.next_operation()
    }

    /// The event with this number.
    pub fn event(&self, seq: EventSeq) -> Result<Event, JournalError> {
        let payload = self.payload(seq)?;
        match record::decode(&payload, false) {
            Ok(decoded) => Ok(self.numbered_as_here(seq, decoded.event)),
            Err(_) => Err(self.damaged(seq)),
        }
    }

    /// The numbers of events that an event's record names are those of the file.
    fn numbered_as_here(&self, seq: EventSeq, mut event: Event) -> Event {
        if !self.is_aside(seq) {
            self.aside.number_as_here(&mut event.body);
        }
        event
    }

    fn is_aside(&self, seq: EventSeq) -> bool {
        self.offsets
            .get(seq.0 as usize)
            .is_some_and(|offset| aside::is_aside(*offset))
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
                if !cut
                    || has_bytes(&decoded.event.body)
                        && decoded.shown_byte_len() >= decoded.byte_len.min(limit as u64) =>
            {
                decoded
            }
            // Only bytes may be cut: of anything else the end would be taken for absent.
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
        let event = self.numbered_as_here(seq, event);
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

    /// The size of the log in bytes, with what is not in the file yet, and what never will be.
    pub fn byte_len(&self) -> u64 {
        self.store.byte_len() + self.aside.byte_len()
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

    /// Where each record begins.
    pub(crate) fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
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
        let byte_len = if self.has_gaps || !self.aside.is_empty() {
            // What follows need not be the next event.
            let head = self.read(seq, offset, RECORD_HEAD_BYTE_LEN)?;
            let Some(head) = head.first_chunk::<RECORD_HEAD_BYTE_LEN>() else {
                return Err(self.damaged(seq));
            };
            let (payload_byte_len, _) = record::read_record_head(*head);
            payload_byte_len.saturating_add(RECORD_HEAD_BYTE_LEN as u64)
        } else {
            let end = self.offsets.get(index + 1).copied();
            end.unwrap_or(self.store.byte_len()).saturating_sub(offset)
        };
        if !aside::is_aside(offset) && byte_len > self.store.byte_len().saturating_sub(offset) {
            return Err(self.damaged(seq));
        }
        let byte_len = usize::try_from(byte_len).map_err(|error| JournalError::Read {
            seq,
            source: io::Error::other(error),
        })?;
        Ok((offset, byte_len))
    }

    fn read(&self, seq: EventSeq, offset: u64, byte_len: usize) -> Result<Bytes, JournalError> {
        let mut bytes = vec![0; byte_len];
        let read = if aside::is_aside(offset) {
            self.aside.read(offset, &mut bytes)
        } else {
            self.store.read(offset, &mut bytes)
        };
        read.map_err(|source| JournalError::Read { seq, source })?;
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

/// Whether an event is a frame or a line, which ends with its bytes.
fn has_bytes(body: &EventBody) -> bool {
    matches!(body, EventBody::Frame { .. } | EventBody::Stderr { .. })
}

/// Events are numbered with 32 bits: four thousand million of them would not fit in memory's index anyway.
fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
