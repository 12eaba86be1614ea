//! The details of a selected row.

use journal::event::{EventSeq, OperationId};
use protocol::findings::Finding;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use wire::frame::{Carrier, Direction};
use wire::http::{RequestHead, ResponseHead};

/// Everything that the right pane shows of a row; bodies are fetched one by one with `body`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RowDetails {
    /// The row.
    pub key: String,
    /// Its operation.
    pub operation: Option<OperationId>,
    /// A heading: `tools/call book_table`.
    pub title: String,
    /// The lines of Summary, in order.
    pub summary: Vec<SummaryLine>,
    /// The attempts of the operation, in order; just one's for a row inside it.
    pub exchanges: Vec<ExchangeView>,
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
}

/// A line of Summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SummaryLine {
    /// What it is: `On the server`.
    pub label: String,
    /// Its value, plain text.
    pub value: String,
}

/// One attempt: what was sent and what came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ExchangeView {
    /// The round, from 1.
    pub round: u32,
    /// The attempt within the round, from 1.
    pub attempt: u32,
    /// What to call it: `round 2 · id 6 · retry 1`.
    pub label: String,
    /// The request's message.
    pub request: Option<BodyRef>,
    /// The reply's message, or the body that stood in its place.
    pub response: Option<BodyRef>,
    /// The HTTP exchange, over HTTP.
    pub http: Option<HttpView>,
    /// How it ended, in words.
    pub outcome: Option<String>,
}

/// A body that `body` can fetch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BodyRef {
    /// The event that holds it.
    pub event: EventSeq,
    /// Its size in bytes.
    pub byte_len: u64,
    /// When it was sent or complete.
    pub at_micros: u64,
}

/// An HTTP exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HttpView {
    /// What was sent.
    pub request: RequestHead,
    /// When it was sent.
    pub sent_micros: u64,
    /// Bytes of the request's body.
    pub request_byte_len: u64,
    /// What came.
    pub response: Option<ResponseHead>,
    /// When the head was complete.
    pub head_micros: Option<u64>,
    /// When it was over.
    pub ended_micros: Option<u64>,
    /// Bytes of the response's body, so far.
    pub response_byte_len: u64,
    /// What went wrong.
    pub error: Option<String>,
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
