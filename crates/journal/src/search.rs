//! Looking for texts in the recorded bytes.
//!
//! A search goes over the log block by block. [`Journal::block`] says, under the journal's lock, which records the
//! next block has and where they are; [`Block::read`] fetches its bytes, for what is in the file without any lock;
//! [`Loaded::search`] goes over them. So the journal is never held for longer than it takes to copy a block that is
//! in memory only, and whoever searches can stop between two blocks, tell how far it is, and go on where it ended when
//! more has been recorded.
//!
//! Inside a block a text first runs over all bytes at once, which is what makes it fast, and then looks at the records
//! in which that ended: a record's own numbers are no finds. An expression looks at one record after the other.
//!
//! What is searched is what was recorded, so a secret's value is not found, but its name is: payloads of both
//! directions, HTTP heads as lines (`name: value`), lines of stderr, command lines, messages of errors, prompts,
//! findings and notes, names of methods and tools.

use std::fs::File;
use std::io;
use std::sync::Arc;

use bytes::Bytes;

use crate::event::EventSeq;
use crate::log::Journal;
use crate::store;

mod needle;
mod pattern;
mod texts;

pub use needle::Needle;

/// That a text was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hit {
    /// Which of the needles.
    pub text: usize,
    /// The event that has it.
    pub event: EventSeq,
}

/// Some records that follow each other, and where their bytes are.
#[derive(Debug)]
pub struct Block {
    first: EventSeq,
    /// Where each record begins, and where the last one ends, from the first on.
    bounds: Vec<usize>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Memory(Vec<u8>),
    File { file: Arc<File>, offset: u64 },
}

/// A block whose bytes are there.
#[derive(Debug)]
pub struct Loaded {
    pub(crate) first: EventSeq,
    pub(crate) bounds: Vec<usize>,
    pub(crate) bytes: Bytes,
}

impl Journal {
    /// The records from `from` on that take about `byte_len` bytes together, at least one. None at the log's end.
    pub fn block(&self, from: EventSeq, byte_len: u64) -> Option<Block> {
        let offsets = self.offsets();
        let start = *offsets.get(from.0 as usize)?;
        let rest = &offsets[from.0 as usize..];
        let memory_start = self.store().memory_start();
        let is_in_file = start < memory_start;
        // What is in the file and what is not are blocks of their own.
        let limit = if is_in_file {
            memory_start.min(start.saturating_add(byte_len))
        } else {
            start.saturating_add(byte_len)
        };
        let count = rest.partition_point(|offset| *offset < limit).max(1);
        let relative = |offset: u64| usize::try_from(offset - start).unwrap_or(usize::MAX);
        let mut bounds: Vec<_> = rest[..count].iter().copied().map(relative).collect();
        let end = rest.get(count).copied().unwrap_or(self.byte_len());
        bounds.push(relative(end));
        let source = match self.store().file().filter(|_| is_in_file) {
            Some(file) => Source::File {
                file: Arc::clone(file),
                offset: start,
            },
            None => Source::Memory(self.store().copy(start, relative(end))),
        };
        Some(Block {
            first: from,
            bounds,
            source,
        })
    }
}

impl Block {
    /// The event after the block's last.
    pub fn next(&self) -> EventSeq {
        next(self.first, &self.bounds)
    }

    /// Fetches the bytes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(self) -> io::Result<Loaded> {
        let byte_len = self.bounds.last().copied().unwrap_or_default();
        let bytes = match self.source {
            Source::Memory(bytes) if bytes.len() == byte_len => bytes,
            Source::Memory(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Source::File { file, offset } => {
                let mut bytes = vec![0; byte_len];
                store::read_exact_at(&file, &mut bytes, offset)?;
                bytes
            }
        };
        Ok(Loaded {
            first: self.first,
            bounds: self.bounds,
            bytes: bytes.into(),
        })
    }
}

impl Loaded {
    /// The event after the block's last.
    pub fn next(&self) -> EventSeq {
        next(self.first, &self.bounds)
    }

    /// How many bytes it has.
    pub fn byte_len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The events of the block that have a needle; each once for each needle.
    pub fn search(&self, needles: &[Arc<Needle>]) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (text, needle) in needles.iter().enumerate() {
            needle.search(self, &mut |index| {
                hits.push(Hit {
                    text,
                    event: EventSeq(self.first.0.saturating_add(index)),
                });
            });
        }
        hits
    }

    /// How many records it has.
    fn len(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }
}

fn next(first: EventSeq, bounds: &[usize]) -> EventSeq {
    let count = u32::try_from(bounds.len().saturating_sub(1)).unwrap_or(u32::MAX);
    EventSeq(first.0.saturating_add(count))
}
