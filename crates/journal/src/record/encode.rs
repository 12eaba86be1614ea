//! Events written as records.

use serde::Serialize;
use wire::frame::{Carrier, Direction};

use super::fields::Put;
use super::{NAME_KIND, RECORD_HEAD_BYTE_LEN};
use crate::event::{BranchWay, Event, EventBody, FrameRole};

/// What a record will take at least, so that its buffer can be made large enough beforehand.
pub(crate) fn size_hint(event: &Event) -> usize {
    128 + match &event.body {
        EventBody::Frame { bytes, .. } | EventBody::Stderr { bytes } => bytes.len(),
        _ => 0,
    }
}

/// Writes the record of an event at the end of `out`.
pub(crate) fn encode(event: &Event, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; RECORD_HEAD_BYTE_LEN]);
    out.push(kind(&event.body));
    out.extend_from_slice(&event.at_micros.to_le_bytes());
    out.number(event.connection.0.into());
    out.number(
        event
            .operation
            .map_or(0, |operation| u64::from(operation.0) + 1),
    );
    encode_body(&event.body, out);
    finish(start, out);
}

/// Writes a record that names the recording.
pub(crate) fn encode_name(name: &str, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; RECORD_HEAD_BYTE_LEN]);
    out.push(NAME_KIND);
    out.extend_from_slice(&[0; 8]);
    out.numbers([&0, &0]);
    out.text(name);
    finish(start, out);
}

/// Fills in the head of the record that began at `start`.
fn finish(start: usize, out: &mut [u8]) {
    let (head, payload) = out[start..].split_at_mut(RECORD_HEAD_BYTE_LEN);
    head[..8].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    head[8..].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
}

fn kind(body: &EventBody) -> u8 {
    match body {
        EventBody::ConnectionOpened { .. } => 1,
        EventBody::ConnectionClosed { .. } => 2,
        EventBody::ConnectionEstablished { .. } => 3,
        EventBody::OperationStarted { .. } => 4,
        EventBody::OperationEnded(_) => 5,
        EventBody::AttemptStarted { .. } => 6,
        EventBody::AttemptEnded { .. } => 7,
        EventBody::WaitStarted { .. } => 8,
        EventBody::WaitEnded => 9,
        EventBody::Frame { .. } => 10,
        EventBody::HttpRequest { .. } => 11,
        EventBody::HttpResponse { .. } => 12,
        EventBody::HttpEnded { .. } => 13,
        EventBody::ProcessStarted { .. } => 14,
        EventBody::Stderr { .. } => 15,
        EventBody::ProcessExited { .. } => 16,
        EventBody::PromptOpened { .. } => 17,
        EventBody::PromptClosed { .. } => 18,
        EventBody::FindingSeen { .. } => 19,
        EventBody::AnsweredFromCache { .. } => 20,
        EventBody::Note { .. } => 21,
        EventBody::BranchBegan { .. } => 22,
        EventBody::BranchedOff { .. } => 23,
    }
}

#[allow(clippy::too_many_lines)] // one arm a kind reads best in one place
fn encode_body(body: &EventBody, out: &mut Vec<u8>) {
    match body {
        EventBody::ConnectionOpened {
            server_name,
            transport,
            address,
        } => {
            out.texts([server_name, transport, address]);
        }
        EventBody::ConnectionClosed { reason } | EventBody::WaitStarted { reason } => {
            out.text(reason);
        }
        EventBody::ConnectionEstablished { era, revision } => out.texts([era, revision]),
        EventBody::OperationStarted { method, name } => {
            out.text(method);
            out.optional(name.as_deref());
        }
        EventBody::OperationEnded(end) => json(end, out),
        EventBody::AttemptStarted {
            round,
            attempt,
            request_id,
            label,
        } => {
            out.numbers([round, attempt]);
            out.optional(request_id.as_deref());
            out.optional(label.as_deref());
        }
        EventBody::AttemptEnded {
            round,
            attempt,
            outcome,
        } => {
            out.numbers([round, attempt]);
            json(outcome, out);
        }
        EventBody::WaitEnded => {}
        EventBody::Note { text } => out.text(text),
        EventBody::Frame {
            direction,
            carrier,
            round,
            attempt,
            role,
            bytes,
        } => {
            out.push(match direction {
                Direction::Sent => 0,
                Direction::Received => 1,
            });
            out.push(match carrier {
                Carrier::Line => 0,
                Carrier::Body => 1,
                Carrier::SseEvent => 2,
            });
            out.push(role_tag(role));
            out.numbers([round, attempt]);
            out.number(bytes.len() as u64);
            match role {
                FrameRole::Request { method } => out.text(method),
                FrameRole::Notification { method, text } => {
                    out.text(method);
                    out.optional(text.as_deref());
                }
                FrameRole::NotProtocol { problem } => out.text(problem),
                FrameRole::Batch { len } => out.number((*len).into()),
                FrameRole::Reply | FrameRole::Orphan | FrameRole::KeepAlive => {}
            }
            out.extend_from_slice(bytes);
        }
        EventBody::HttpRequest {
            round,
            attempt,
            head,
            body_byte_len,
        } => {
            out.numbers([round, attempt]);
            out.number(*body_byte_len);
            json(head, out);
        }
        EventBody::HttpResponse {
            round,
            attempt,
            head,
        } => {
            out.numbers([round, attempt]);
            json(head, out);
        }
        EventBody::HttpEnded {
            round,
            attempt,
            body_byte_len,
            wire_byte_len,
            first_byte_micros,
            error,
        } => {
            out.numbers([round, attempt]);
            out.number(*body_byte_len);
            out.optional(error.as_deref());
            out.number(*wire_byte_len);
            out.number(first_byte_micros.map_or(0, |at| at.saturating_add(1)));
        }
        EventBody::ProcessStarted {
            pid,
            command,
            folder,
        } => {
            out.number((*pid).into());
            out.optional(folder.as_deref());
            out.number(command.len() as u64);
            for word in command {
                out.text(word);
            }
        }
        EventBody::Stderr { bytes } => {
            out.number(bytes.len() as u64);
            out.extend_from_slice(bytes);
        }
        EventBody::ProcessExited { status, expected } => {
            out.push(u8::from(*expected));
            out.text(status);
        }
        EventBody::PromptOpened {
            prompt,
            round,
            key,
            method,
            message,
        } => {
            out.numbers([prompt, round]);
            out.texts([key, method, message]);
        }
        EventBody::PromptClosed { prompt, outcome } => {
            out.number((*prompt).into());
            out.text(outcome);
        }
        EventBody::AnsweredFromCache {
            round,
            event,
            fetched_micros,
        } => {
            out.numbers([round, &event.0]);
            out.number(*fetched_micros);
        }
        EventBody::BranchBegan {
            of,
            round,
            way,
            recording,
        } => {
            out.numbers([&of.0, round]);
            out.push(way_tag(*way));
            out.optional(recording.as_deref());
        }
        EventBody::BranchedOff { branch, round, way } => {
            out.numbers([&branch.0, round]);
            out.push(way_tag(*way));
        }
        EventBody::FindingSeen { finding, event } => {
            out.number(event.map_or(0, |event| u64::from(event.0) + 1));
            json(finding, out);
        }
    }
}

fn json(part: &impl Serialize, out: &mut Vec<u8>) {
    // These parts are plain structures of texts and numbers, which JSON can always hold.
    out.text(&serde_json::to_string(part).unwrap_or_default());
}

fn way_tag(way: BranchWay) -> u8 {
    match way {
        BranchWay::AsItWas => 0,
        BranchWay::Changed => 1,
        BranchWay::Answered => 2,
    }
}

fn role_tag(role: &FrameRole) -> u8 {
    match role {
        FrameRole::Request { .. } => 0,
        FrameRole::Reply => 1,
        FrameRole::Notification { .. } => 2,
        FrameRole::Orphan => 3,
        FrameRole::NotProtocol { .. } => 4,
        FrameRole::KeepAlive => 5,
        FrameRole::Batch { .. } => 6,
    }
}
