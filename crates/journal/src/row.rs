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
    /// Another operation sends anew what this one sent, or the other way round.
    Branch,
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
    /// Operations that became a task, and what was asked about tasks.
    Tasks,
    /// Operations that ended badly, noise, and whatever has findings.
    Errors,
}

/// A row's identity, taken apart. Its text form is the [`RowKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowRef {
    /// An operation: `o12`.
    Operation(OperationId),
    /// A row inside an operation, counted from 1: `o12/3`.
    Child(OperationId, u32),
    /// A row that belongs to no operation, by the event that began it: `e99`.
    Loose(EventSeq),
}

impl RowRef {
    /// The operation it belongs to.
    pub fn operation(self) -> Option<OperationId> {
        match self {
            RowRef::Operation(operation) | RowRef::Child(operation, _) => Some(operation),
            RowRef::Loose(_) => None,
        }
    }
}

impl std::fmt::Display for RowRef {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RowRef::Operation(operation) => write!(out, "o{}", operation.0),
            RowRef::Child(operation, place) => write!(out, "o{}/{place}", operation.0),
            RowRef::Loose(event) => write!(out, "e{}", event.0),
        }
    }
}

impl std::str::FromStr for RowRef {
    type Err = NotARowKey;

    fn from_str(key: &str) -> Result<RowRef, NotARowKey> {
        let number = |digits: &str| {
            digits
                .parse::<u32>()
                .map_err(|_| NotARowKey(key.to_owned()))
        };
        if let Some(event) = key.strip_prefix('e') {
            return Ok(RowRef::Loose(EventSeq(number(event)?)));
        }
        let Some(rest) = key.strip_prefix('o') else {
            return Err(NotARowKey(key.to_owned()));
        };
        Ok(match rest.split_once('/') {
            None => RowRef::Operation(OperationId(number(rest)?)),
            Some((operation, place)) => {
                RowRef::Child(OperationId(number(operation)?), number(place)?)
            }
        })
    }
}

/// A text that is no [`RowKey`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a row's key (o12, o12/3 or e99)")]
pub struct NotARowKey(pub String);
