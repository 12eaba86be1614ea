//! The rules behind findings about streams, sessions and batches.

use super::finding;
use crate::era::{Era, Revision};
use crate::findings::{Finding, Severity};

/// A response stream was still open a while after the response had come.
pub fn stream_left_open(era: Era) -> Finding {
    let (place, words) = match era {
        Era::Modern => (
            "2026-07-28 basic/transports/streamable-http § Receiving Messages",
            "The final JSON-RPC response SHOULD terminate the stream.",
        ),
        Era::Legacy => (
            "2025-11-25 basic/transports § Sending Messages to the Server",
            "After the JSON-RPC response has been sent, the server SHOULD terminate the SSE stream.",
        ),
    };
    finding(
        "stream-left-open",
        Severity::Should,
        "The server left the response stream open after its response, so Roundtrip closed it.",
        place,
        words,
    )
}

/// The session's own stream brought a response, and resumes no other.
pub fn response_on_session_stream() -> Finding {
    finding(
        "response-on-session-stream",
        Severity::Must,
        "A response came on the session's own stream, which no request opened; it was taken for the request with its id.",
        "2025-11-25 basic/transports § Listening for Messages from the Server",
        "The server MUST NOT send a JSON-RPC response on the stream unless resuming a stream associated with a previous client request.",
    )
}

/// A lost session was reported by 400 instead of 404.
pub fn session_lost_by_400() -> Finding {
    finding(
        "session-lost-by-400",
        Severity::Must,
        "The server answered a request with its session id by 400, as if there were none; a session that has ended is reported by 404.",
        "2025-11-25 basic/transports § Session Management",
        "The server MAY terminate the session at any time, after which it MUST respond to requests containing that session ID with HTTP 404 Not Found.",
    )
}

/// A batch came in a revision that has none; `None` when that one has.
pub fn batch_received(revision: &Revision) -> Option<Finding> {
    if *revision <= Revision::V2025_03_26 {
        return None;
    }
    Some(finding(
        "batch",
        Severity::Must,
        format!("Several messages came in one JSON array, which {revision} does not have."),
        "2025-06-18 changelog § Major changes",
        "Remove support for JSON-RPC batching.",
    ))
}

/// A line of stdout has begun and does not end. `head` is how it begins.
pub fn line_unfinished(byte_len: u64, head: &str) -> Finding {
    finding(
        "line-unfinished",
        Severity::Must,
        format!(
            "A line on the server's stdout does not end: {byte_len} bytes, beginning {head:?}. A message in it, or right \
             after it, is not seen before a newline comes."
        ),
        "2026-07-28 basic/transports/stdio",
        "Messages are delimited by newlines, and MUST NOT contain embedded newlines.",
    )
}

/// The stream broke off inside an event, which therefore counts for nothing.
pub fn event_cut_off() -> Finding {
    finding(
        "event-cut-off",
        Severity::Note,
        "The stream ended inside this event, before its blank line; it was not taken for a message.",
        "WHATWG HTML § 9.2.6",
        "Once the end of the file is reached, any pending data must be discarded.",
    )
}
