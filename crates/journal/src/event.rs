//! What the journal stores. Events are self-sufficient: the operations tree, the timeline and the
//! details of a row are all views of them, so a reopened recording shows what the live one showed.

use bytes::Bytes;
use protocol::findings::Finding;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use wire::frame::{Carrier, Direction};
use wire::http::{RequestHead, ResponseHead};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($inner:ty)),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);
    )*};
}

ids! {
    /// A live link to a server, numbered within its journal.
    ConnectionId(u32),
    /// An operation, numbered from 0 in the order of starting within its journal.
    OperationId(u32),
    /// An event's position in its journal, from 0, without gaps.
    EventSeq(u32),
}

/// One entry of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Microseconds since the Unix epoch.
    pub at_micros: u64,
    /// The connection it belongs to.
    pub connection: ConnectionId,
    /// The operation it belongs to, when it is known to belong to one.
    pub operation: Option<OperationId>,
    /// What happened.
    #[serde(flatten)]
    pub body: EventBody,
}

/// What happened. Adding a variant is a change of the recording format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum EventBody {
    /// A person's wish to connect; the first event of a connection.
    ConnectionOpened {
        /// The catalog's name of the server.
        server_name: String,
        /// `stdio` or `http`.
        transport: String,
        /// The command line or the URL.
        address: String,
    },
    /// The connection is gone.
    ConnectionClosed {
        /// Why, in a sentence.
        reason: String,
    },
    /// The era and revision are known.
    ConnectionEstablished {
        /// `modern` or `legacy`.
        era: String,
        /// The protocol revision, e.g. `2026-07-28`.
        revision: String,
    },
    /// An operation began. Its id is the event's `operation`.
    OperationStarted {
        /// The method, or a word of ours for what has none (`process/start`).
        method: String,
        /// The tool, prompt or resource it is about.
        name: Option<String>,
    },
    /// An operation ended.
    OperationEnded(OperationEnd),
    /// A round's first attempt, or a further one, is about to be sent.
    AttemptStarted {
        /// The round, from 1.
        round: u32,
        /// The attempt within the round, from 1.
        attempt: u32,
        /// The JSON-RPC id, as JSON text; absent for notifications.
        request_id: Option<String>,
        /// What the round is called where it is more than a number (`page 2`).
        label: Option<String>,
    },
    /// The attempt of `round` got its final reply, or will get none.
    AttemptEnded {
        /// The round, from 1.
        round: u32,
        /// The attempt within the round, from 1.
        attempt: u32,
        /// How it ended.
        outcome: AttemptOutcome,
    },
    /// A round was not sent: the answer to the same request was still fresh (2026-07-28 server/utilities/caching).
    AnsweredFromCache {
        /// The round, from 1.
        round: u32,
        /// The frame that holds the answer.
        event: EventSeq,
        /// When it was received, in microseconds since the Unix epoch.
        fetched_micros: u64,
    },
    /// The operation waits on purpose (back-off) until it goes on.
    WaitStarted {
        /// Why.
        reason: String,
    },
    /// The wait is over.
    WaitEnded,
    /// One message, or what stood in a message's place.
    Frame {
        /// Which way it went.
        direction: Direction,
        /// What carried it.
        carrier: Carrier,
        /// The round and attempt it belongs to, where it belongs to an operation.
        round: u32,
        /// The attempt within the round.
        attempt: u32,
        /// What the message turned out to be.
        role: FrameRole,
        /// The exact bytes.
        #[serde(with = "crate::export::exact_bytes")]
        bytes: Bytes,
    },
    /// The head of an HTTP request was sent.
    HttpRequest {
        /// The round, from 1.
        round: u32,
        /// The attempt within the round.
        attempt: u32,
        /// The head.
        head: RequestHead,
        /// The body's size.
        body_byte_len: u64,
    },
    /// The head of an HTTP response arrived.
    HttpResponse {
        /// The round, from 1.
        round: u32,
        /// The attempt within the round.
        attempt: u32,
        /// The head.
        head: ResponseHead,
    },
    /// The HTTP exchange is over.
    HttpEnded {
        /// The round, from 1.
        round: u32,
        /// The attempt within the round.
        attempt: u32,
        /// Bytes of the response's body after decoding.
        body_byte_len: u64,
        /// The same as they came, before decoding; recordings made before this was kept have the size after it.
        wire_byte_len: u64,
        /// When the first of them came, in microseconds since the Unix epoch.
        first_byte_micros: Option<u64>,
        /// What went wrong, where something did.
        error: Option<String>,
    },
    /// The child process was started.
    ProcessStarted {
        /// Its process id.
        pid: u32,
        /// The program and its arguments.
        command: Vec<String>,
        /// Its working folder.
        folder: Option<String>,
    },
    /// A line of the child's stderr, without its line ending.
    Stderr {
        /// The exact bytes.
        #[serde(with = "crate::export::exact_bytes")]
        bytes: Bytes,
    },
    /// The child ended.
    ProcessExited {
        /// `exit code 1`, `signal 9 (SIGKILL)` and so on.
        status: String,
        /// Roundtrip asked for it.
        expected: bool,
    },
    /// A server asks something of the person.
    PromptOpened {
        /// The prompt, unique in its journal.
        prompt: u32,
        /// The round whose reply asked it.
        round: u32,
        /// The key in `inputRequests`, or the JSON-RPC id of a legacy request.
        key: String,
        /// `elicitation/create`, `sampling/createMessage`, `roots/list` or what came; `link` for an
        /// elicitation by one, `browser` while the person is there, `retry` where Roundtrip asks whether to send a round
        /// again.
        method: String,
        /// The server's message, for the row's label.
        message: String,
    },
    /// The prompt was answered or withdrawn.
    PromptClosed {
        /// The prompt.
        prompt: u32,
        /// `accepted`, `declined`, `cancelled` or `withdrawn`; for `browser` also `finished`; for `retry` `sent again` or `stopped`.
        outcome: String,
    },
    /// Something about an operation that no message says: a word for who reads the timeline.
    Note {
        /// In a sentence or two.
        text: String,
    },
    /// The operation sends anew what another one sent in a round; that one may be of another recording.
    BranchBegan {
        /// The original.
        of: OperationId,
        /// The round of it whose request is sent anew, from 1.
        round: u32,
        /// In which way.
        way: BranchWay,
        /// The recording that the original is of; absent for the same one.
        recording: Option<String>,
    },
    /// Another operation sends anew what this one sent in a round.
    BranchedOff {
        /// The other one.
        branch: OperationId,
        /// The round, from 1.
        round: u32,
        /// In which way.
        way: BranchWay,
    },
    /// A breach of the specification, or a risk, seen in an event.
    FindingSeen {
        /// The finding.
        finding: Finding,
        /// The event in which it was seen.
        event: Option<EventSeq>,
    },
}

/// In which way a request is sent anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BranchWay {
    /// As it was.
    AsItWas,
    /// With other parameters or headers.
    Changed,
    /// With other answers to what the round before asked, or another `requestState`.
    Answered,
}

/// What a frame turned out to be, decided once when it was appended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FrameRole {
    /// A request.
    Request {
        /// Its method.
        method: String,
    },
    /// The reply to the round's request.
    Reply,
    /// A notification.
    Notification {
        /// Its method.
        method: String,
        /// What the row says beside the method: a progress text, a log line.
        text: Option<String>,
    },
    /// A reply to nothing that waits.
    Orphan,
    /// Not JSON-RPC: noise on stdout, a web page, an empty event.
    NotProtocol {
        /// What is wrong with it.
        problem: String,
    },
    /// What carries no message and needs none: an SSE event with a comment, an id or a retry time alone; a body that
    /// only acknowledges.
    KeepAlive,
    /// Several messages in one JSON array. Each follows as a frame of its own, with its part of these bytes.
    Batch {
        /// How many.
        len: u32,
    },
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AttemptOutcome {
    /// A result with this `resultType` (`complete` when it was absent).
    Result {
        /// The `resultType`.
        result_type: String,
    },
    /// A JSON-RPC error.
    RpcError {
        /// The error's code.
        code: i64,
        /// The error's message.
        message: String,
    },
    /// The transport failed, or HTTP answered with an error status.
    Transport {
        /// A short form for the row: `HTTP 503`, `connection refused`.
        brief: String,
        /// The whole sentence.
        message: String,
    },
    /// The person cancelled.
    Cancelled,
    /// No reply in time.
    TimedOut,
    /// It ended in a way that is no fault, and without a reply: a stream that the server does not offer, or closed.
    Settled {
        /// A short form for the row: `no stream`.
        brief: String,
        /// The whole sentence.
        message: String,
    },
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OperationEnd {
    /// It did what was asked.
    Complete,
    /// The tool answered with `isError: true`.
    ToolError,
    /// The server answered with a JSON-RPC error, or the transport failed.
    Failed {
        /// A short form for the row: `error -32602`, `HTTP 404`.
        brief: String,
        /// What went wrong, where, and what to try.
        message: String,
        /// What to try.
        hint: Option<String>,
    },
    /// The person cancelled it.
    Cancelled,
    /// It is over, and nothing is wrong: a stream that the server does not offer, or that went with its connection.
    Settled {
        /// A short form for the row: `no stream`.
        brief: String,
        /// The whole sentence.
        message: String,
    },
}

impl EventBody {
    /// The number of another event that it names.
    pub(crate) fn named(&mut self) -> Option<&mut EventSeq> {
        match self {
            EventBody::FindingSeen { event, .. } => event.as_mut(),
            EventBody::AnsweredFromCache { event, .. } => Some(event),
            _ => None,
        }
    }
}
