//! The journal's events as a follower sees them.

use std::borrow::Cow;

use journal::event::{Event, EventBody, EventSeq, FrameRole};
use journal::log::{Journal, JournalError};
use serde_json::value::RawValue;
use wire::frame::{Carrier, Direction};
use wire::message;
use wire::object;

use crate::api::events::{Happening, JournalEvent};
use crate::details;

/// How many events are given at once.
const MOST: u32 = 400;

/// The events from `from` on: `len` of them, 400 at most, or as many as there are.
///
/// # Errors
/// The journal cannot be read.
pub fn read(
    journal: &Journal,
    from: EventSeq,
    len: u32,
) -> Result<Vec<JournalEvent>, JournalError> {
    let end = from.0.saturating_add(len.min(MOST)).min(journal.len());
    (from.0..end)
        .map(|seq| Ok(seen(EventSeq(seq), journal.event(EventSeq(seq))?)))
        .collect()
}

fn seen(seq: EventSeq, event: Event) -> JournalEvent {
    JournalEvent {
        event: seq,
        at_micros: event.at_micros,
        operation: event.operation,
        what: happening(event.body),
    }
}

fn happening(body: EventBody) -> Happening {
    match body {
        EventBody::OperationStarted { method, name } => {
            Happening::OperationStarted { method, name }
        }
        EventBody::OperationEnded(end) => Happening::OperationEnded { end },
        EventBody::AttemptStarted {
            round,
            attempt,
            request_id,
            label,
        } => Happening::AttemptStarted {
            round,
            attempt,
            request_id,
            label,
        },
        EventBody::AttemptEnded {
            round,
            attempt,
            outcome,
        } => Happening::AttemptEnded {
            round,
            attempt,
            outcome,
        },
        EventBody::WaitStarted { reason } => Happening::WaitStarted { reason },
        EventBody::WaitEnded => Happening::WaitEnded,
        EventBody::Stderr { bytes } => Happening::Stderr {
            text: String::from_utf8_lossy(&bytes).into_owned(),
        },
        EventBody::FindingSeen { finding, .. } => Happening::Found { finding },
        EventBody::Frame {
            direction: Direction::Received,
            carrier,
            role:
                role @ (FrameRole::Request { .. }
                | FrameRole::Notification { .. }
                | FrameRole::Orphan
                | FrameRole::NotProtocol { .. }),
            bytes,
            ..
        } => received(carrier, role, &bytes),
        other => Happening::Other {
            label: details::kind(&other),
            text: details::brief_text(&other),
        },
    }
}

fn received(carrier: Carrier, role: FrameRole, bytes: &[u8]) -> Happening {
    let payload = match carrier {
        Carrier::SseEvent => wire::sse::data(bytes).unwrap_or_default(),
        Carrier::Line | Carrier::Body => Cow::Borrowed(bytes),
    };
    let payload = message::mend(&payload).unwrap_or_else(|| payload.into_owned());
    match role {
        FrameRole::Request { method } | FrameRole::Notification { method, .. } => {
            let params = serde_json::from_slice::<&RawValue>(&payload)
                .ok()
                .and_then(|message| object::get(message, "params"))
                .map(|params| params.get().to_owned());
            Happening::Received {
                method: Some(method),
                params,
                text: None,
            }
        }
        _ => Happening::Received {
            method: None,
            params: None,
            text: Some(String::from_utf8_lossy(&payload).into_owned()),
        },
    }
}
