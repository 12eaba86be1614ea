//! What servers answered, as it came: for whoever wants the text and not a drawing of it.

use journal::event::{EventSeq, OperationEnd, OperationId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How an operation ended, and the replies that it got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OperationReply {
    /// The operation.
    pub operation: OperationId,
    /// How it ended; absent while it goes on.
    pub end: Option<OperationEnd>,
    /// The reply of each round (or page) that got one, in order; the last is the operation's.
    pub replies: Vec<ReplyText>,
}

/// One reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReplyText {
    /// The round, from 1; pages count as rounds.
    pub round: u32,
    /// What it is.
    pub kind: ReplyKind,
    /// The text of the reply's `result` or `error` exactly as it came, secrets replaced by their names; for what is no
    /// JSON-RPC reply, all of it.
    pub text: String,
    /// The event that holds the whole frame.
    pub event: EventSeq,
}

/// What a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReplyKind {
    /// A result.
    Result,
    /// A JSON-RPC error.
    Error,
    /// No JSON-RPC reply: a web page, an empty body.
    Other,
}
