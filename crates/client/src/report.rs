//! What a link reports to its owner: one closed enum through one bounded channel. A full channel slows
//! the reading of the pipe or socket; nothing is dropped.

use bytes::Bytes;
use wire::frame::Frame;
use wire::http::{RequestHead, ResponseHead};

use crate::error::LinkError;

/// A link, numbered by its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkId(pub u32);

/// One sending of one message, numbered by the link's owner; never reused within a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExchangeId(pub u64);

/// Something that happened on a link.
#[derive(Debug)]
pub struct Report {
    /// On which link.
    pub link: LinkId,
    /// Microseconds since the Unix epoch ([`crate::clock::now_micros`]).
    pub at_micros: u64,
    /// What.
    pub what: ReportKind,
}

/// What happened.
#[derive(Debug)]
pub enum ReportKind {
    /// stdio: the child runs.
    ProcessStarted {
        /// Its process id, also the id of its process group.
        pid: u32,
    },
    /// stdio: whole lines of stdout that one read completed, in order. Empty lines are not reported.
    Lines(Vec<Frame>),
    /// stdio: whole lines of stderr that one read completed, without line endings, with their time.
    Stderr(Vec<(u64, Bytes)>),
    /// stdio: a line of stdout has begun and does not end; told once for each such line. Replies that stand in it are
    /// not seen before its newline.
    UnfinishedLine {
        /// How many bytes of it have come.
        byte_len: u64,
        /// The first of them.
        head: Bytes,
    },
    /// stdio: the message could not be written; the exchange gets no reply.
    WriteFailed {
        /// The exchange.
        exchange: ExchangeId,
        /// Why.
        error: LinkError,
    },
    /// stdio: the child closed its stdout but still runs.
    StdoutClosed,
    /// stdio: the child ended, and everything that it had written was reported before this.
    ProcessExited {
        /// `exit code 1`, `signal 9 (SIGKILL)`.
        status: String,
        /// It was asked to ([`crate::Link::close`]).
        expected: bool,
        /// The last lines of stderr, at most ten, for the error's text.
        last_stderr: Vec<String>,
        /// It had read something of what was sent to it, as far as the system can tell. One that had not ended for
        /// reasons of its own.
        heard: bool,
    },
    /// HTTP: the request's head as it is being sent; reported before the first byte leaves.
    RequestHead {
        /// The exchange.
        exchange: ExchangeId,
        /// The head with every header, those that the HTTP library adds included as far as they are known.
        head: RequestHead,
        /// The body's size.
        body_byte_len: u64,
    },
    /// HTTP: the response's head arrived.
    ResponseHead {
        /// The exchange.
        exchange: ExchangeId,
        /// The head.
        head: ResponseHead,
    },
    /// HTTP: frames that one chunk completed: SSE events one by one, or the one whole body.
    Frames {
        /// The exchange.
        exchange: ExchangeId,
        /// The frames in order.
        frames: Vec<Frame>,
    },
    /// HTTP: the exchange is over, in whatever way; the last report of an exchange.
    ExchangeEnded {
        /// The exchange.
        exchange: ExchangeId,
        /// Bytes of the body after decoding.
        body_byte_len: u64,
        /// Bytes of the body as they came, before decoding.
        wire_byte_len: u64,
        /// When the first of them came, in microseconds since the Unix epoch.
        first_byte_micros: Option<u64>,
        /// What went wrong, where something did. Not set for an HTTP error status with a whole body.
        error: Option<LinkError>,
    },
}
