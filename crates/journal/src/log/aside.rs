//! Events that belong into no file, and how the numbers of the others differ from theirs in the file.
//!
//! The file's events count without them, so that a recording is whole by itself. Where an event names another, its
//! record holds the other's number in the file; it is translated on the way in and out.

use std::io;

use super::count;
use crate::event::{Event, EventBody, EventSeq};
use crate::record;
use crate::store::Store;

/// Set in the offset of an event that lies aside. No file is that long.
const ASIDE: u64 = 1 << 63;

/// Whether an offset leads aside.
pub(super) fn is_aside(offset: u64) -> bool {
    offset & ASIDE != 0
}

/// The events that belong into no file.
#[derive(Debug)]
pub(super) struct Aside {
    store: Store,
    /// Their numbers, in order.
    seqs: Vec<u32>,
}

impl Default for Aside {
    fn default() -> Self {
        Aside {
            store: Store::in_memory(),
            seqs: Vec::new(),
        }
    }
}

impl Aside {
    pub(super) fn is_empty(&self) -> bool {
        self.seqs.is_empty()
    }

    pub(super) fn byte_len(&self) -> u64 {
        self.store.byte_len()
    }

    /// Keeps an event and gives its offset.
    pub(super) fn append(&mut self, seq: EventSeq, event: &Event) -> u64 {
        let offset = self.store.byte_len() | ASIDE;
        self.store
            .append(record::size_hint(event), |out| record::encode(event, out));
        self.seqs.push(seq.0);
        offset
    }

    pub(super) fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.store.read(offset & !ASIDE, into)
    }

    /// The event as its record has it, where that differs.
    pub(super) fn numbered_for_file(&self, event: &Event) -> Option<Event> {
        if self.is_empty() {
            return None;
        }
        let mut event = event.clone();
        let number = event.body.named()?;
        number.0 -= self.before(number.0);
        Some(event)
    }

    /// Translates the number that a record holds back to the one that it has here.
    pub(super) fn number_as_here(&self, body: &mut EventBody) {
        if self.is_empty() {
            return;
        }
        if let Some(number) = body.named() {
            // The i-th aside stands before the event when it has at most as many of the file's before it.
            let mut aside = 0;
            let (mut low, mut high) = (0, self.seqs.len());
            while low < high {
                let middle = usize::midpoint(low, high);
                if self.seqs[middle] - count(middle) <= number.0 {
                    aside = middle + 1;
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            number.0 += count(aside);
        }
    }

    /// How many lie aside before this number.
    fn before(&self, seq: u32) -> u32 {
        count(self.seqs.partition_point(|aside| *aside < seq))
    }
}
