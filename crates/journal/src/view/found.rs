//! Where a search found the texts of a query.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::event::EventSeq;
use crate::filter::Truth;
use crate::search::Hit;
use crate::tree::{NONE, OperationTree};

/// For each text the tops that have it, and how far it was looked for.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// For each text and top the first event that has it; [`NONE`] where none was found. Tops beyond the end: none.
    first: Vec<Vec<u32>>,
    /// Events before this one were searched.
    searched: u32,
    /// Tops that were searched as far as they went when they were first judged; only kept where a text that is not
    /// there decides.
    read: Vec<bool>,
    /// The tops that were not, by the event that must have been searched.
    unread: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Found {
    pub(super) fn of(texts: usize) -> Found {
        Found {
            first: vec![Vec::new(); texts],
            ..Found::default()
        }
    }

    /// What is known of a text in a top.
    pub(super) fn truth(&self, text: usize, top: u32, denies_text: bool) -> Truth {
        let first = self.first.get(text).and_then(|tops| tops.get(top as usize));
        if first.is_some_and(|first| *first != NONE) {
            Truth::Yes
        } else if denies_text && !self.is_read(top) {
            Truth::Unknown
        } else {
            Truth::No
        }
    }

    /// The first event of a top that has any of the texts.
    pub(super) fn first_event(&self, top: u32) -> Option<EventSeq> {
        let events = self.first.iter().filter_map(|tops| tops.get(top as usize));
        events
            .copied()
            .min()
            .filter(|first| *first != NONE)
            .map(EventSeq)
    }

    /// All tops are to be judged anew. What was found stays.
    pub(super) fn expect_anew(&mut self) {
        self.read.clear();
        self.unread.clear();
    }

    /// A top is judged for the first time: it is not decided before what it has now was searched.
    pub(super) fn expect(&mut self, top: u32, last_event: u32) {
        let place = top as usize;
        if self.read.len() <= place {
            self.read.resize(place + 1, false);
        }
        if last_event < self.searched {
            self.read[place] = true;
        } else {
            self.unread.push(Reverse((last_event, top)));
        }
    }

    /// Takes in what a search found; gives the tops that have to be judged again.
    pub(super) fn learn(
        &mut self,
        tree: &OperationTree,
        hits: &[Hit],
        searched: EventSeq,
        mut again: impl FnMut(&mut Found, u32),
    ) {
        self.searched = self.searched.max(searched.0);
        for hit in hits {
            let Some(top) = tree.touched(hit.event.0) else {
                continue;
            };
            let place = top as usize;
            let Some(tops) = self.first.get_mut(hit.text) else {
                continue;
            };
            if tops.len() <= place {
                tops.resize(tree.tops().len().max(place + 1), NONE);
            }
            let is_new = tops[place] == NONE;
            tops[place] = tops[place].min(hit.event.0);
            if is_new {
                again(self, top);
            }
        }
        while let Some(Reverse((event, top))) = self.unread.peek().copied() {
            if event >= self.searched {
                break;
            }
            self.unread.pop();
            if let Some(read) = self.read.get_mut(top as usize) {
                *read = true;
            }
            again(self, top);
        }
    }

    fn is_read(&self, top: u32) -> bool {
        self.read.get(top as usize).copied().unwrap_or(false)
    }
}
