//! The JSON-RPC envelope (2026-07-28 basic § Messages): what a frame's bytes say, borrowed from
//! them.
//!
//! Reading never fails. What is no message comes back as [`MessageKind::NotProtocol`] with the
//! reason; what is one in spite of a breach comes back with its [`Problem`]s.

mod envelope;
mod id;
mod rpc_error;

use std::borrow::Cow;

use serde_json::value::RawValue;

pub use id::{Id, IdMatch};
pub use rpc_error::RpcError;

/// How many messages of one batch are read. The rest is counted, not read.
pub const BATCH_LIMIT: usize = 100_000;

/// What was read of a frame.
#[derive(Clone, Debug)]
pub enum Reading<'a> {
    /// One message: the rule.
    One(Message<'a>),
    /// A JSON array of messages, which only revision 2025-03-26 has. Never empty.
    Batch(Vec<Message<'a>>),
}

impl<'a> Reading<'a> {
    /// The messages in order; one or more.
    pub fn messages(&self) -> &[Message<'a>] {
        match self {
            Self::One(message) => std::slice::from_ref(message),
            Self::Batch(messages) => messages,
        }
    }

    /// The messages in order; one or more.
    pub fn messages_mut(&mut self) -> &mut [Message<'a>] {
        match self {
            Self::One(message) => std::slice::from_mut(message),
            Self::Batch(messages) => messages,
        }
    }

    /// The messages in order; one or more.
    pub fn into_messages(self) -> Vec<Message<'a>> {
        match self {
            Self::One(message) => vec![message],
            Self::Batch(messages) => messages,
        }
    }
}

/// One message and what is wrong with its envelope.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// The message's own JSON: all of the frame's, or its part of a batch. Empty where it stands for no message.
    pub text: &'a str,
    /// What it is.
    pub kind: MessageKind<'a>,
    /// Breaches that did not stop the reading, in the order in which they were met.
    pub problems: Vec<Problem>,
}

/// The kinds of message. Values are raw JSON, as they came.
#[derive(Clone, Debug)]
pub enum MessageKind<'a> {
    /// Asks for a reply.
    Request {
        /// Its id. The token `null`, with a problem, when that is what came.
        id: Id<'a>,
        /// The method's name.
        method: Cow<'a, str>,
        /// The parameters; `None` when absent or `null`.
        params: Option<&'a RawValue>,
    },
    /// Asks for none.
    Notification {
        /// The method's name.
        method: Cow<'a, str>,
        /// The parameters; `None` when absent or `null`.
        params: Option<&'a RawValue>,
    },
    /// The reply to a request that went well.
    Result {
        /// The request's id.
        id: Id<'a>,
        /// What it gave.
        result: &'a RawValue,
    },
    /// The reply to a request that failed.
    Error {
        /// The request's id; `None` (absent or `null`) when the peer could not read it.
        id: Option<Id<'a>>,
        /// What went wrong.
        error: RpcError,
    },
    /// Not a message of the protocol: noise, or too broken to be one.
    NotProtocol {
        /// Why, as the end of a sentence that begins with "this is".
        reason: String,
    },
}

impl<'a> MessageKind<'a> {
    /// The method of a request or a notification.
    pub fn method(&self) -> Option<&str> {
        match self {
            Self::Request { method, .. } | Self::Notification { method, .. } => Some(method),
            Self::Result { .. } | Self::Error { .. } | Self::NotProtocol { .. } => None,
        }
    }

    /// The id of a request or a reply.
    pub fn id(&self) -> Option<Id<'a>> {
        match self {
            Self::Request { id, .. } | Self::Result { id, .. } => Some(*id),
            Self::Error { id, .. } => *id,
            Self::Notification { .. } | Self::NotProtocol { .. } => None,
        }
    }
}

/// A breach of the envelope's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, as a sentence without its full stop.
    pub what: String,
}

impl Problem {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

/// Reads the message in these bytes: a line, an HTTP body, or an SSE event's data.
pub fn read(bytes: &[u8]) -> Reading<'_> {
    let mut problems = Vec::new();
    let bytes = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) => {
            problems.push(Problem::new("a byte order mark comes before the message"));
            rest
        }
        None => bytes,
    };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let byte = bytes.get(at).copied().unwrap_or_default();
            return no_message(
                format!("not UTF-8: byte {at} is 0x{byte:02x}, which cannot stand there"),
                problems,
            );
        }
    };
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'{') => Reading::One(envelope::read_object(text, problems)),
        Some(b'[') => envelope::read_batch(text, problems),
        Some(_) => no_message(envelope::why_no_object(text), problems),
        None => no_message("empty".to_owned(), problems),
    }
}

/// The message in bytes that are not UTF-8, with U+FFFD for what cannot be read: a server that writes one word in
/// another encoding is understood all the same. `None` when the bytes are UTF-8, and when there is no message in
/// them either way.
pub fn mend(bytes: &[u8]) -> Option<Vec<u8>> {
    if std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let mended = String::from_utf8_lossy(bytes).into_owned().into_bytes();
    let is_message = read(&mended)
        .messages()
        .iter()
        .any(|message| !matches!(message.kind, MessageKind::NotProtocol { .. }));
    is_message.then_some(mended)
}

fn no_message(reason: String, problems: Vec<Problem>) -> Reading<'static> {
    Reading::One(Message {
        text: "",
        kind: MessageKind::NotProtocol { reason },
        problems,
    })
}
