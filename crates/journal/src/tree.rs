//! The operations tree: what the events of the log add up to.
//!
//! It subscribes to the log and keeps, an event, a few words: which events are an operation's, which
//! of them have rows of their own, and when time went where. What a row says beyond that is read from
//! the log when a window shows it. It only ever grows, in the order of events, so that a view can
//! follow it by remembering how far it has seen.
//!
//! Deliberately absent: a change of what stands before. Rows keep the place in which they appeared;
//! a notification that comes late for round 1 stands after round 2.

use std::collections::HashMap;
use std::sync::Arc;

use crate::event::{ConnectionId, EventSeq, OperationId};
use crate::row::RowKind;

mod branches;
mod clock;
mod density;
mod frames;
mod names;
mod observe;
mod operation;
mod prompt;
mod rules;

pub(crate) use clock::SPAN_CAP;
pub use clock::Totals;
pub use density::{DENSITY_BUCKETS, Density};
pub(crate) use operation::{Attempt, EndKind, Operation};
pub(crate) use prompt::{AskedBy, Prompt, is_acceptance};

use branches::Branches;
use names::Names;
use rules::FoundRules;

/// No event.
pub(crate) const NONE: u32 = u32::MAX;

/// A live link to a server, as its events tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The catalog's name of the server.
    pub server_name: Arc<str>,
    /// `stdio` or `http`.
    pub transport: String,
    /// The command line or the URL.
    pub address: String,
    /// Microseconds since the Unix epoch.
    pub opened_micros: u64,
    /// The era and revision, once they are known.
    pub established: Option<(String, String)>,
    /// When it was gone.
    pub closed_micros: Option<u64>,
    /// The events that tell of it.
    pub(crate) events: Vec<EventSeq>,
}

/// An entry of the timeline's top level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Top {
    /// The event that began it.
    pub(crate) seq: EventSeq,
    pub(crate) connection: ConnectionId,
    pub(crate) what: TopKind,
    /// It belongs under Errors.
    pub(crate) in_errors: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TopKind {
    /// The operation at this index.
    Operation(u32),
    /// A row of a single event, or a prompt that no operation asked for.
    Loose {
        kind: RowKind,
        /// It tells of something bad by itself, whatever was found in it.
        is_bad: bool,
        /// Its message's method, by number; [`NONE`] where it has none.
        method: u32,
    },
}

/// Operations with their children, and what belongs to none. See the module's words.
#[derive(Debug, Default)]
pub struct OperationTree {
    operations: Vec<Operation>,
    /// Operations whose id is not their index: recordings by others may count as they like.
    odd_ids: HashMap<OperationId, u32>,
    tops: Vec<Top>,
    /// For each event the top whose row, or whose rows, it changed or belongs to; [`NONE`] for none.
    touched: Vec<u32>,
    prompts: Vec<Prompt>,
    /// The latest prompt of each id.
    prompt_ids: HashMap<u32, u32>,
    connections: HashMap<ConnectionId, Connection>,
    /// Messages of servers' logs and lines of stderr, in their order.
    logs: Vec<u32>,
    /// The findings seen in rows, by the event that began the row.
    findings: HashMap<EventSeq, Vec<EventSeq>>,
    found_rules: FoundRules,
    branches: Branches,
    /// How many tops belong under Errors.
    errors: u32,
    names: Names,
    /// Goes up when a connection is named.
    connections_version: u32,
    running: u32,
    child_total: u64,
    version: u64,
    loose_version: u32,
    density: Density,
}

impl OperationTree {
    /// How many operations there are.
    pub fn operation_count(&self) -> u32 {
        as_index(self.operations.len())
    }

    /// How many of them have not ended.
    pub fn running_count(&self) -> u32 {
        self.running
    }

    /// Those that have not ended, in the order of starting. Takes a look at every operation.
    pub fn running_operations(&self) -> impl Iterator<Item = OperationId> + '_ {
        self.operations
            .iter()
            .filter(|operation| operation.ended.is_none())
            .map(|operation| operation.id)
    }

    /// All of them, in the order of starting.
    pub(crate) fn operation_ids(&self) -> impl Iterator<Item = OperationId> + '_ {
        self.operations.iter().map(|operation| operation.id)
    }

    /// The events that tell of findings, in no particular order.
    pub(crate) fn finding_events(&self) -> impl Iterator<Item = EventSeq> + '_ {
        let of_operations = self
            .operations
            .iter()
            .flat_map(|operation| &operation.findings);
        let of_rows = self.findings.values().flatten();
        of_operations
            .map(|seq| EventSeq(*seq))
            .chain(of_rows.copied())
    }

    /// Top rows that belong under [`crate::row::Filter::Errors`], over the whole journal.
    pub fn error_count(&self) -> u32 {
        self.errors
    }

    /// When how much happened.
    pub fn density(&self) -> &Density {
        &self.density
    }

    /// What is known of a connection.
    pub fn connection(&self, id: ConnectionId) -> Option<&Connection> {
        self.connections.get(&id)
    }

    /// All connections, in no particular order.
    pub fn connections(&self) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        self.connections
            .iter()
            .map(|(id, connection)| (*id, connection))
    }

    /// Goes up with every event that changes any row. Equal versions: nothing to show anew.
    pub fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn next_operation(&self) -> OperationId {
        let next = as_index(self.operations.len());
        if self.odd_ids.is_empty() {
            return OperationId(next);
        }
        let above = self
            .operations
            .iter()
            .map(|operation| operation.id.0.saturating_add(1))
            .max();
        OperationId(above.unwrap_or(next).max(next))
    }

    pub(crate) fn index_of(&self, id: OperationId) -> Option<usize> {
        let index = id.0 as usize;
        if self
            .operations
            .get(index)
            .is_some_and(|operation| operation.id == id)
        {
            return Some(index);
        }
        self.odd_ids.get(&id).map(|index| *index as usize)
    }

    pub(crate) fn operation(&self, id: OperationId) -> Option<&Operation> {
        self.index_of(id)
            .and_then(|index| self.operations.get(index))
    }

    pub(crate) fn operation_at(&self, index: u32) -> Option<&Operation> {
        self.operations.get(index as usize)
    }

    pub(crate) fn tops(&self) -> &[Top] {
        &self.tops
    }

    /// The index of the top that this event began.
    pub(crate) fn top_of_event(&self, seq: EventSeq) -> Option<usize> {
        self.tops.binary_search_by_key(&seq, |top| top.seq).ok()
    }

    /// The index of the top that an event changed or belongs to.
    pub(crate) fn touched(&self, seq: u32) -> Option<u32> {
        self.touched
            .get(seq as usize)
            .copied()
            .filter(|top| *top != NONE)
    }

    /// A name by its number.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.names.text(number)
    }

    pub(crate) fn name_count(&self) -> usize {
        self.names.len()
    }

    /// Names of methods, and how many rows have each.
    pub(crate) fn methods(&self) -> impl Iterator<Item = (&str, u32)> {
        self.names.methods()
    }

    /// Names of tools, prompts and resources, and how many rows are about each.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = (&str, u32)> {
        self.names.subjects()
    }

    /// Goes up when a connection is named.
    pub(crate) fn connections_version(&self) -> u32 {
        self.connections_version
    }

    pub(crate) fn prompt_at(&self, index: u32) -> Option<&Prompt> {
        self.prompts.get(index as usize)
    }

    /// The prompt that this event opened.
    pub(crate) fn prompt_of_event(&self, seq: EventSeq) -> Option<&Prompt> {
        let index = self
            .prompts
            .binary_search_by_key(&seq, |prompt| prompt.opened)
            .ok()?;
        self.prompts.get(index)
    }

    /// The findings seen in the row that this event began.
    pub(crate) fn findings_of_row(&self, seq: EventSeq) -> &[EventSeq] {
        self.findings
            .get(&seq)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Which operation sends anew what another one sent.
    pub(crate) fn branches(&self) -> &Branches {
        &self.branches
    }

    /// All findings by their rule.
    pub(crate) fn found_rules(&self) -> &FoundRules {
        &self.found_rules
    }

    /// The events that are lines of a log: `notifications/message`, and what came on stderr.
    pub fn log_events(&self) -> &[u32] {
        &self.logs
    }

    /// Goes up with every child row of any operation.
    pub(crate) fn child_total(&self) -> u64 {
        self.child_total
    }

    /// Goes up with every change of a row that belongs to no operation.
    pub(crate) fn loose_version(&self) -> u32 {
        self.loose_version
    }
}

fn as_index(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
