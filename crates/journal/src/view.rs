//! A view: which rows one person sees, and any window of them.
//!
//! A view follows the log by remembering how far it has seen. Its heart is a `Counts` list: one
//! count for each entry of the top level (0 when it is hidden, else 1 and the children that are
//! unfolded), in sums that find row 400 000 in a few steps. New entries go to the end; an entry that joins or
//! leaves later, as an operation does when it ends badly, changes one count in place, so rows stay in
//! the order of their start. Each event makes the entry that it belongs to be judged again, and no other.
//!
//! What is shown is a quick filter, the connections that are looked at, and a [`Query`]. Its texts are not looked
//! for here: whoever holds the view runs a [`crate::search`] and tells it what was found.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::event::{ConnectionId, EventSeq, OperationId};
use crate::filter::{Judge, Query, Truth};
use crate::log::Journal;
use crate::row::{Filter, Row, RowKey, RowKind, RowRef};
use crate::search::Hit;
use crate::tree::{Operation, OperationTree, Top, TopKind};

mod counts;
mod found;
mod time;

use counts::Counts;
use found::Found;

/// One look at a journal. It is to be used with one journal only.
#[derive(Debug, Default)]
pub struct View {
    filter: Filter,
    connections: Option<BTreeSet<ConnectionId>>,
    judge: Option<Judge>,
    found: Found,
    /// Unfolded operations by their index, and how many children of theirs are counted.
    expanded: HashMap<u32, u32>,
    counts: Counts,
    /// Which entries are in.
    shown: Vec<bool>,
    top_rows: u32,
    /// How far the log was seen.
    seen_events: u32,
    seen_connections: u32,
    seen_children: u64,
    /// Goes up when something else was asked for, and when an entry joined or left.
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
        (self.filter, self.connections) = (filter, connections);
        self.begin_again();
    }

    /// Asks for rows that fit a query besides, or for all. Costs nothing when it is the same line. What a search found
    /// for another query is forgotten.
    pub fn ask(&mut self, query: Option<Arc<Query>>) {
        let line = |query: Option<&Arc<Query>>| query.map(|query| query.line().to_owned());
        if line(self.query()) == line(query.as_ref()) {
            return;
        }
        self.found = Found::of(query.as_ref().map_or(0, |query| query.texts().len()));
        self.judge = query.map(Judge::new);
        self.begin_again();
    }

    /// The query.
    pub fn query(&self) -> Option<&Arc<Query>> {
        self.judge.as_ref().map(Judge::query)
    }

    /// Takes in what a search found, and that it has gone over all events before `searched`.
    pub fn learn(&mut self, journal: &Journal, hits: &[Hit], searched: EventSeq) {
        self.sync(journal);
        let mut found = std::mem::take(&mut self.found);
        found.learn(journal.tree(), hits, searched, |found, top| {
            std::mem::swap(&mut self.found, found);
            self.judge_again(journal.tree(), top);
            std::mem::swap(&mut self.found, found);
        });
        self.found = found;
    }

    /// The first event in which a search found a text of the query, for a row's operation or the row itself.
    pub fn first_found(&self, journal: &Journal, row: RowRef) -> Option<EventSeq> {
        self.found.first_event(top_of(journal.tree(), row)?)
    }

    /// All entries are to be judged anew; foldings stay.
    fn begin_again(&mut self) {
        self.counts = Counts::default();
        self.shown.clear();
        (self.top_rows, self.seen_events, self.seen_children) = (0, 0, 0);
        self.looks += 1;
        let denies_text = self.judge.as_ref().is_some_and(Judge::denies_text);
        if denies_text {
            self.found.expect_anew();
        }
    }

    /// The filter.
    pub fn filter(&self) -> Filter {
        self.filter
    }

    /// Brings the view up to date. The other methods that take the journal do so by themselves.
    pub fn sync(&mut self, journal: &Journal) {
        let tree = journal.tree();
        if let Some(judge) = &mut self.judge
            && judge.has_connection_field()
            && self.seen_connections != tree.connections_version()
        {
            // Servers have names that they had not.
            judge.forget_connections();
            if !self.shown.is_empty() {
                self.begin_again();
            }
        }
        self.seen_connections = tree.connections_version();
        let known = self.shown.len();
        for (index, top) in tree.tops().iter().enumerate().skip(known) {
            if let Some(judge) = &self.judge
                && judge.denies_text()
            {
                self.found.expect(as_index(index), last_event(tree, top));
            }
            let shown = self.shows(tree, as_index(index), top);
            self.shown.push(shown);
            self.counts.push(if shown { self.count_of(top) } else { 0 });
            self.top_rows += u32::from(shown);
        }
        if known > 0 && (self.judge.is_some() || self.filter.can_change()) {
            for seq in self.seen_events..journal.len() {
                if let Some(top) = tree.touched(seq).filter(|top| (*top as usize) < known) {
                    self.judge_again(tree, top);
                }
            }
        }
        self.seen_events = journal.len();
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

    /// The keys of a stretch of rows. Reads nothing of the log.
    pub fn keys(&mut self, journal: &Journal, start: u32, len: u32) -> Vec<RowKey> {
        self.sync(journal);
        let tops = journal.tree().tops();
        let mut keys = Vec::new();
        self.walk(journal, start, len, |place| {
            let row = match place {
                Place::Operation(operation, _) => Some(RowRef::Operation(operation.id)),
                Place::Child(operation, child) => Some(RowRef::Child(operation.id, child + 1)),
                Place::Loose(top) => tops.get(top).map(|top| RowRef::Loose(top.seq)),
            };
            keys.extend(row.map(|row| row.to_string()));
        });
        keys
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

    /// The top row after a row, or before it, round the end: its place, and what it is. A row inside an operation has
    /// its own operation's row before it. Without a row the first, or the last. None when no row is shown.
    pub fn step(
        &mut self,
        journal: &Journal,
        from: Option<u32>,
        backwards: bool,
    ) -> Option<(u32, RowRef)> {
        self.sync(journal);
        let total = self.total_rows();
        let last = total.checked_sub(1)?;
        let place = match (from, backwards) {
            (None, false) => 0,
            (None, true) => last,
            (Some(from), false) => {
                let (top, within) = self.counts.find(from.min(last))?;
                let next = from.min(last) - within + self.count_at(journal, top);
                if next < total { next } else { 0 }
            }
            (Some(from), true) => match self.counts.find(from.min(last))? {
                (_, 0) => from.min(last).checked_sub(1).unwrap_or(last),
                (_, within) => from.min(last) - within,
            },
        };
        let (top, within) = self.counts.find(place)?;
        let entry = journal.tree().tops().get(top)?;
        let row = match entry.what {
            TopKind::Operation(index) => RowRef::Operation(journal.tree().operation_at(index)?.id),
            TopKind::Loose { .. } => RowRef::Loose(entry.seq),
        };
        Some((place - within, row))
    }

    /// The rows of the top level that are shown, in their order.
    pub fn top_keys(&mut self, journal: &Journal) -> Vec<RowRef> {
        self.sync(journal);
        let tree = journal.tree();
        let shown = tree
            .tops()
            .iter()
            .zip(&self.shown)
            .filter(|(_, shown)| **shown);
        shown
            .filter_map(|(top, _)| match top.what {
                TopKind::Operation(index) => Some(RowRef::Operation(tree.operation_at(index)?.id)),
                TopKind::Loose { .. } => Some(RowRef::Loose(top.seq)),
            })
            .collect()
    }

    /// Judges an entry again; it joins or leaves at its place.
    fn judge_again(&mut self, tree: &OperationTree, index: u32) {
        let place = index as usize;
        let (Some(top), Some(before)) = (tree.tops().get(place), self.shown.get(place).copied())
        else {
            return;
        };
        let shown = self.shows(tree, index, top);
        if shown == before {
            return;
        }
        self.shown[place] = shown;
        // One may come where another goes.
        self.looks += 1;
        let count = self.count_of(top);
        if shown {
            self.counts.add(place, count);
            self.top_rows += 1;
        } else {
            self.counts.subtract(place, count);
            self.top_rows -= 1;
        }
    }

    /// Whether an entry is to be shown.
    fn shows(&mut self, tree: &OperationTree, index: u32, top: &Top) -> bool {
        self.has_connection(top)
            && self.filter.lets(tree, top)
            && self.judge.as_mut().is_none_or(|judge| {
                let (found, denies_text) = (&self.found, judge.denies_text());
                judge.judge(tree, top, |text| found.truth(text, index, denies_text)) == Truth::Yes
            })
    }

    /// The rows that the entry at an index takes, which is shown.
    fn count_at(&self, journal: &Journal, index: usize) -> u32 {
        let top = journal.tree().tops().get(index);
        top.map_or(0, |top| self.count_of(top))
    }

    /// The rows that an entry takes when it is shown.
    fn count_of(&self, top: &Top) -> u32 {
        match top.what {
            TopKind::Operation(index) => 1 + self.expanded.get(&index).copied().unwrap_or_default(),
            TopKind::Loose { .. } => 1,
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
                TopKind::Loose { .. } => {
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

impl Filter {
    /// Whether it lets an entry through.
    fn lets(self, tree: &OperationTree, top: &Top) -> bool {
        let operation = match top.what {
            TopKind::Operation(index) => tree.operation_at(index),
            TopKind::Loose { .. } => None,
        };
        match self {
            Filter::All => true,
            Filter::Calls => operation.is_some_and(|operation| {
                matches!(
                    tree.name(operation.method),
                    "tools/call" | "prompts/get" | "resources/read"
                )
            }),
            Filter::Prompts => match (operation, top.what) {
                (Some(operation), _) => !operation.prompts.is_empty(),
                (None, TopKind::Loose { kind, .. }) => kind == RowKind::Prompt,
                (None, TopKind::Operation(_)) => false,
            },
            Filter::Tasks => operation.is_some_and(|operation| {
                operation.is_task() || tree.name(operation.method).starts_with("tasks/")
            }),
            Filter::Errors => top.in_errors,
        }
    }

    /// Whether an entry may come to be let through, or cease to be.
    fn can_change(self) -> bool {
        !matches!(self, Filter::All | Filter::Calls)
    }
}

/// The index of the top that a row belongs to.
fn top_of(tree: &OperationTree, row: RowRef) -> Option<u32> {
    match row {
        RowRef::Operation(id) | RowRef::Child(id, _) => Some(tree.operation(id)?.top),
        RowRef::Loose(seq) => tree.top_of_event(seq).map(as_index),
    }
}

/// The last event that belongs to an entry now.
fn last_event(tree: &OperationTree, top: &Top) -> u32 {
    let operation = match top.what {
        TopKind::Operation(index) => tree.operation_at(index),
        TopKind::Loose { .. } => None,
    };
    operation
        .and_then(|operation| operation.events.last().copied())
        .unwrap_or(top.seq.0)
}

fn as_index(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

fn child_count(operation: &Operation) -> u32 {
    u32::try_from(operation.children.len()).unwrap_or(u32::MAX)
}
