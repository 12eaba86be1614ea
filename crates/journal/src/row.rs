//! What the timeline shows: rows, already flattened for the window that a view looks at.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::event::{EventSeq, OperationId};

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// An operation; the others lie inside one, or beside them where nothing owns them.
    Operation,
    /// A round and its only attempt, or the first of several.
    Round,
    /// A further attempt of a round.
    Attempt,
    /// A prompt.
    Prompt,
    /// A notification from the server.
    Notification,
    /// A line of stderr.
    Stderr,
    /// The child process started or ended.
    Process,
    /// Bytes that are not protocol, or a reply to nothing.
    Noise,
}

/// The state that a row is in; one hue each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    /// The server is working.
    Running,
    /// A prompt is open.
    WaitingOnYou,
    /// A back-off or a task.
    WaitingOnTime,
    /// It ended well.
    Complete,
    /// It ended badly.
    Error,
    /// The person cancelled it.
    Cancelled,
    /// It is only a note: a notification, a line of stderr.
    Note,
}

/// The kinds of time that the waterfall tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// On the server.
    Server,
    /// Waiting on you.
    User,
    /// Waiting on time.
    Time,
    /// An attempt that failed.
    Error,
}

/// A bar of the waterfall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Span {
    /// Its kind.
    pub kind: SpanKind,
    /// Microseconds since the Unix epoch.
    pub start_micros: u64,
    /// Absent while it goes on.
    pub end_micros: Option<u64>,
}

/// A row's identity, stable as long as the journal: `o12`, `o12/3` (the third child), `e99` (an event that
/// belongs to no operation).
pub type RowKey = String;

/// One row of the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Row {
    /// Its identity.
    pub key: RowKey,
    /// What it stands for.
    pub kind: RowKind,
    /// 0 for an operation, 1 for a round, 2 for what lies inside a round.
    pub depth: u8,
    /// The operation it belongs to.
    pub operation: Option<OperationId>,
    /// The event it stands for, where it stands for exactly one.
    pub event: Option<EventSeq>,
    /// The catalog's name of the server.
    pub server_name: String,
    /// The method, or what a person reads first.
    pub label: String,
    /// The tool's name, the progress text: what follows the label, in plain text from the server.
    pub detail: Option<String>,
    /// Small words beside it: `2 pages`, `retry 1`.
    pub chips: Vec<String>,
    /// Its state.
    pub state: RowState,
    /// The state in words: `complete`, `waiting on you`, `HTTP 503`, `notification`.
    pub state_text: String,
    /// Microseconds since the Unix epoch.
    pub start_micros: u64,
    /// Absent while it runs; equal to the start for a note.
    pub end_micros: Option<u64>,
    /// The bars of the waterfall. Capped at 64 for an operation's row; neighbours of one kind are merged.
    pub spans: Vec<Span>,
    /// How many rows it unfolds into.
    pub child_count: u32,
    /// Whether it is unfolded.
    pub expanded: bool,
    /// Findings seen in it.
    pub finding_count: u32,
}

/// Which rows a view wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// Everything.
    #[default]
    All,
    /// `tools/call`, `prompts/get`, `resources/read`.
    Calls,
    /// Operations in which a server asked something.
    Prompts,
    /// Operations that ended badly, noise, and whatever has findings.
    Errors,
}
