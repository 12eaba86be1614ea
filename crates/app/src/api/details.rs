//! The details of a selected row.

use journal::details::Exchange;
use journal::event::{EventSeq, OperationId};
use protocol::findings::Finding;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use wire::frame::{Carrier, Direction};

use super::recordings::RecordingId;

/// Everything that the right pane shows of a row; bodies are fetched one by one with `body`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RowDetails {
    /// The row.
    pub key: String,
    /// Its operation.
    pub operation: Option<OperationId>,
    /// A heading: `tools/call book_table`.
    pub title: String,
    /// Its operation's method.
    pub method: Option<String>,
    /// The tool, prompt or resource that its operation is about.
    pub name: Option<String>,
    /// The catalog's name of the server.
    pub server_name: String,
    /// The lines of Summary, in order.
    pub summary: Vec<SummaryLine>,
    /// The attempts of the operation, in order; just one's for a row inside it.
    pub exchanges: Vec<Exchange>,
    /// Which exchange is shown first: the row's own, or the last.
    pub shown_exchange: u32,
    /// How many events the operation has (`operation_events` reads them by window).
    pub event_count: u32,
    /// The one event, for a row that stands for exactly one.
    pub event: Option<EventLine>,
    /// What was found in it.
    pub findings: Vec<Finding>,
    /// Whether it can be cancelled now.
    pub cancellable: bool,
    /// Where its operation is from, when that sends anew what another one sent.
    pub origin: Option<BranchView>,
    /// The operations that send anew what this one sent, the newest 50 of them in their order.
    pub branches: Vec<BranchView>,
}

/// An operation that sends anew what another one sent, or that other one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BranchView {
    /// The operation at the other end: the original of a branch, or a branch of the original.
    pub operation: OperationId,
    /// What it is: `tools/call book_table`; empty where it is not in this recording.
    pub title: String,
    /// The round of the original whose request was sent anew, from 1.
    pub round: u32,
    /// `round 1 answered anew`.
    pub words: String,
    /// How it stands: `complete`, `error -32602`.
    pub state: String,
    /// How long it took, in microseconds; absent while it runs.
    pub took_micros: Option<u64>,
    /// The recording that it is of, where it is another one.
    pub recording: Option<RecordingId>,
}

/// The headers that mirror a request's message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Mirrors {
    /// Each of them.
    pub headers: Vec<MirrorView>,
}

/// A header that mirrors a part of the message, beside that part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MirrorView {
    /// The header's name as it was sent, or as it would be where it is missing.
    pub header: String,
    /// Its value as it was sent; absent where it is missing.
    pub value: Option<String>,
    /// What the value stands for, where it is encoded.
    pub decoded: Option<String>,
    /// The part of the message that it mirrors: `params.name`.
    pub part: Option<String>,
    /// What that part holds.
    pub held: Option<String>,
    /// What is wrong, in a sentence.
    pub problem: Option<String>,
}

/// A line of Summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SummaryLine {
    /// What it is: `On the server`.
    pub label: String,
    /// Its value, plain text.
    pub value: String,
}

/// One event, as the list Events shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EventLine {
    /// The event.
    pub event: EventSeq,
    /// Microseconds since the Unix epoch.
    pub at_micros: u64,
    /// `SSE event`, `stderr`, `HTTP response head` and so on.
    pub kind: String,
    /// Which way it went, for a frame.
    pub direction: Option<Direction>,
    /// What carried it, for a frame.
    pub carrier: Option<Carrier>,
    /// One line of it, plain text, cut at 300 characters.
    pub text: String,
    /// Its size in bytes.
    pub byte_len: u64,
}

/// How a body is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BodyForm {
    /// JSON laid out over lines, with each token as it came; other text as it is.
    Pretty,
    /// The bytes as text; bytes outside UTF-8 are shown as U+FFFD.
    Raw,
    /// Offset, hex and text in columns.
    Hex,
}

/// A body, ready to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BodyText {
    /// The text.
    pub text: String,
    /// Whether the bytes are JSON.
    pub is_json: bool,
    /// Whether they are UTF-8.
    pub is_utf8: bool,
    /// All bytes of the body.
    pub byte_len: u64,
    /// Bytes shown, where it was cut.
    pub shown_byte_len: u64,
}
