//! A frame: the exact bytes of one message in one direction, with its time.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which way a frame travelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From Roundtrip to the server.
    Sent,
    /// From the server to Roundtrip.
    Received,
}

/// What carried a frame, which decides how its message is found in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Carrier {
    /// One line of a stdio stream; the bytes hold the line without its line ending.
    Line,
    /// A whole HTTP body.
    Body,
    /// One event of a `text/event-stream`; the bytes hold the event's lines as they came, with
    /// the blank line that ended it. The message is the event's data (see [`crate::sse::data`]).
    SseEvent,
}

/// The exact bytes of one message, and when they were complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Microseconds since the Unix epoch at which the last byte was read or handed to the system.
    pub at_micros: u64,
    /// What carried it.
    pub carrier: Carrier,
    /// The bytes as they came.
    pub bytes: Bytes,
}
