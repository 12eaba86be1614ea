//! A view: which rows one person sees, and any window of them.
//!
//! A view follows the tree by remembering how far it has seen. Its heart is a `Counts` list: one
//! count for each entry of the top level (0 when the filter hides it, else 1 and the children that are
//! unfolded), in sums that find row 400 000 in a few steps. New entries go to the end; an entry that joins
//! later, as an operation under Errors does when it ends badly, changes one count in place, so rows stay in
//! the order of their start.

use std::collections::{BTreeSet, HashMap};

use crate::event::{ConnectionId, OperationId};
use crate::log::Journal;
use crate::row::{Filter, Row, RowRef};
use crate::tree::{Operation, Top, TopKind};

mod counts;
mod time;

use counts::Counts;

/// One look at a journal. It is to be used with one journal only.
#[derive(Debug, Default)]
pub struct View {
    filter: Filter,
    connections: Option<BTreeSet<ConnectionId>>,
    /// Unfolded operations by their index, and how many children of theirs are counted.
    expanded: HashMap<u32, u32>,
    counts: Counts,
    /// Which entries are in.
    shown: Vec<bool>,
    top_rows: u32,
    /// How far the tree's lists were seen.
    seen_errors: usize,
    seen_prompted: usize,
    seen_children: u64,
    /// Goes up when another filter, connections or foldings were asked for.
    looks: u64,
}

/// What a window's rows depend on. While it stays equal, so do the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowStamp {
    total_rows: u32,
    top_rows: u32,
    place: (u32, u32),
    looks: u64,
    last_change: u32,
    loose_version: u32,
}

impl View {
    /// A view with everything folded.
    pub fn new(filter: Filter, connections: Option<BTreeSet<ConnectionId>>) -> View {
        View {
            filter,
            connections,
            ..View::default()
        }
    }

    /// Changes what is looked at; foldings stay. Costs nothing when it is what is looked at already.
    pub fn look(&mut self, filter: Filter, connections: Option<BTreeSet<ConnectionId>>) {
        if self.filter == filter && self.connections == connections {
            return;
        }
        *self = View {
            filter,
            connections,
            expanded: std::mem::take(&mut self.expanded),
            looks: self.looks + 1,
            ..View::default()
        };
    }

    /// The filter.
    pub fn filter(&self) -> Filter {
        self.filter
    }

    /// Brings the view up to date. The other methods that take the journal do so by themselves.
    pub fn sync(&mut self, journal: &Journal) {
        let tree = journal.tree();
        for index in self.shown.len()..tree.tops().len() {
            let top = &tree.tops()[index];
            let operation = match top.what {
                TopKind::Operation(index) => tree.operation_at(index),
                TopKind::Loose(_) => None,
            };
            let shown = match self.filter {
                Filter::All => true,
                Filter::Calls => operation.is_some_and(is_call),
                // These come by the tree's lists.
                Filter::Prompts | Filter::Errors => false,
            } && self.has_connection(top);
            self.shown.push(shown);
            self.counts.push(if shown { self.count_of(top) } else { 0 });
            self.top_rows += u32::from(shown);
        }
        let joined = match self.filter {
            Filter::All | Filter::Calls => &[],
            Filter::Errors => &tree.errors()[self.seen_errors..],
            Filter::Prompts => &tree.prompted()[self.seen_prompted..],
        };
        for index in joined {
            let index = *index as usize;
            if let Some(top) = tree.tops().get(index)
                && self.has_connection(top)
                && !std::mem::replace(&mut self.shown[index], true)
            {
                self.counts.add(index, self.count_of(top));
                self.top_rows += 1;
            }
        }
        self.seen_errors = tree.errors().len();
        self.seen_prompted = tree.prompted().len();
        if self.seen_children != tree.child_total() {
            self.seen_children = tree.child_total();
            for (operation, counted) in &mut self.expanded {
                let Some(operation) = tree.operation_at(*operation) else {
                    continue;
                };
                let present = child_count(operation);
                let more = present - *counted;
                *counted = present;
                if more > 0 && self.shown[operation.top as usize] {
                    self.counts.add(operation.top as usize, more);
                }
            }
        }
    }

    /// How many rows there were at the last [`View::sync`].
    pub fn total_rows(&self) -> u32 {
        self.counts.total()
    }

    /// How many of them are operations or belong to none.
    pub fn top_rows(&self) -> u32 {
        self.top_rows
    }

    /// The rows from `start` on, `len` of them or as many as there are.
    pub fn window(&mut self, journal: &Journal, start: u32, len: u32) -> Vec<Row> {
        self.sync(journal);
        let mut rows =
            Vec::with_capacity(len.min(self.total_rows().saturating_sub(start)) as usize);
        self.walk(journal, start, len, |place| {
            let row = match place {
                Place::Operation(operation, is_expanded) => {
                    Some(journal.operation_row(operation, is_expanded))
                }
                Place::Child(operation, child) => journal.child_row(operation, child),
                Place::Loose(top) => journal.loose_row(top),
            };
            rows.extend(row);
        });
        rows
    }

    /// What the rows of a window depend on: cheaper than the rows, and equal only while they are.
    pub fn stamp(&mut self, journal: &Journal, start: u32, len: u32) -> WindowStamp {
        self.sync(journal);
        let mut last_change = 0;
        let mut operation_seen = None;
        self.walk(journal, start, len, |place| {
            if let Place::Operation(operation, _) | Place::Child(operation, _) = place
                && operation_seen.replace(operation.top) != Some(operation.top)
            {
                last_change = last_change.max(operation.last_change);
            }
        });
        let (top, within) = self.counts.find(start).unwrap_or_default();
        WindowStamp {
            total_rows: self.total_rows(),
            top_rows: self.top_rows,
            place: (u32::try_from(top).unwrap_or(u32::MAX), within),
            looks: self.looks,
            last_change,
            loose_version: journal.tree().loose_version(),
        }
    }

    /// The row of an operation, counted from 0. None when the filter hides it.
    pub fn locate(&mut self, journal: &Journal, operation: OperationId) -> Option<u32> {
        self.locate_row(journal, RowRef::Operation(operation))
    }

    /// The place of any row, counted from 0. None when the filter hides it, or its operation is folded.
    pub fn locate_row(&mut self, journal: &Journal, row: RowRef) -> Option<u32> {
        self.sync(journal);
        let tree = journal.tree();
        let (top, within) = match row {
            RowRef::Operation(id) => (tree.operation(id)?.top as usize, 0),
            RowRef::Child(id, place) => {
                let index = tree.index_of(id)?;
                let counted = *self.expanded.get(&u32::try_from(index).ok()?)?;
                if place == 0 || place > counted {
                    return None;
                }
                (tree.operation(id)?.top as usize, place)
            }
            RowRef::Loose(seq) => (tree.top_of_event(seq)?, 0),
        };
        self.shown
            .get(top)
            .copied()
            .unwrap_or(false)
            .then(|| self.counts.before(top) + within)
    }

    /// Unfolds or folds an operation.
    pub fn set_expanded(&mut self, journal: &Journal, operation: OperationId, is_expanded: bool) {
        self.sync(journal);
        let Some(index) = journal
            .tree()
            .index_of(operation)
            .and_then(|index| u32::try_from(index).ok())
        else {
            return;
        };
        let Some(operation) = journal.tree().operation_at(index) else {
            return;
        };
        let before = self.expanded.get(&index).copied();
        let after = is_expanded.then(|| child_count(operation));
        if before.is_some() == after.is_some() {
            return;
        }
        self.looks += 1;
        match after {
            Some(children) => self.expanded.insert(index, children),
            None => self.expanded.remove(&index),
        };
        if self
            .shown
            .get(operation.top as usize)
            .copied()
            .unwrap_or(false)
        {
            let top = operation.top as usize;
            self.counts.add(top, after.unwrap_or_default());
            self.counts.subtract(top, before.unwrap_or_default());
        }
    }

    /// Whether an operation is unfolded.
    pub fn is_expanded(&self, journal: &Journal, operation: OperationId) -> bool {
        let index = journal
            .tree()
            .index_of(operation)
            .and_then(|index| u32::try_from(index).ok());
        index.is_some_and(|index| self.expanded.contains_key(&index))
    }

    /// The rows that an entry takes when it is shown.
    fn count_of(&self, top: &Top) -> u32 {
        match top.what {
            TopKind::Operation(index) => 1 + self.expanded.get(&index).copied().unwrap_or_default(),
            TopKind::Loose(_) => 1,
        }
    }

    fn has_connection(&self, top: &Top) -> bool {
        self.connections
            .as_ref()
            .is_none_or(|connections| connections.contains(&top.connection))
    }

    /// Visits the places of a window in order.
    fn walk<'a>(
        &self,
        journal: &'a Journal,
        start: u32,
        len: u32,
        mut visit: impl FnMut(Place<'a>),
    ) {
        let tree = journal.tree();
        let end = start.saturating_add(len).min(self.total_rows());
        let mut at = start;
        while at < end {
            let Some((top, within)) = self.counts.find(at) else {
                return;
            };
            let Some(entry) = tree.tops().get(top) else {
                return;
            };
            match entry.what {
                TopKind::Loose(_) => {
                    visit(Place::Loose(top));
                    at += 1;
                }
                TopKind::Operation(index) => {
                    let Some(operation) = tree.operation_at(index) else {
                        return;
                    };
                    let counted = self.expanded.get(&index).copied();
                    let mut within = within;
                    if within == 0 {
                        visit(Place::Operation(operation, counted.is_some()));
                        within = 1;
                        at += 1;
                    }
                    let last = counted.unwrap_or_default();
                    while at < end && within <= last {
                        visit(Place::Child(operation, within - 1));
                        within += 1;
                        at += 1;
                    }
                }
            }
        }
    }
}

/// What a row of a window stands for.
enum Place<'a> {
    Operation(&'a Operation, bool),
    /// The child's index.
    Child(&'a Operation, u32),
    /// The index among the tops.
    Loose(usize),
}

fn is_call(operation: &Operation) -> bool {
    matches!(
        &*operation.method,
        "tools/call" | "prompts/get" | "resources/read"
    )
}

fn child_count(operation: &Operation) -> u32 {
    u32::try_from(operation.children.len()).unwrap_or(u32::MAX)
}
