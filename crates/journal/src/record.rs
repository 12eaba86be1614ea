//! The format of a recording, version 1.
//!
//! ```text
//! file    = magic (8 bytes: 89 "MCPR" 0D 0A 1A) version (u32) reserved (u32, zero) record*
//! record  = payload_byte_len (u64) crc32 of the payload (u32) payload
//! payload = kind (u8) at_micros (u64) connection (varint) operation (varint, 0 = none, else id + 1) body
//! ```
//!
//! Integers are little-endian; a varint is LEB128. A text is its length in bytes (varint) and its
//! UTF-8; an optional text is 0 for none, else its length + 1 and its UTF-8. A part given as JSON
//! is a text that holds JSON. The bodies, by kind:
//!
//! ```text
//!  1 ConnectionOpened       server_name, transport, address
//!  2 ConnectionClosed       reason
//!  3 ConnectionEstablished  era, revision
//!  4 OperationStarted       method, name (optional)
//!  5 OperationEnded         JSON
//!  6 AttemptStarted         round, attempt, request_id (optional), label (optional)
//!  7 AttemptEnded           round, attempt, JSON
//!  8 WaitStarted            reason
//!  9 WaitEnded
//! 10 Frame                  direction (u8), carrier (u8), role (u8), round, attempt, byte_len (varint),
//!                           the role's texts, then the exact bytes up to the end
//! 11 HttpRequest            round, attempt, body_byte_len, JSON
//! 12 HttpResponse           round, attempt, JSON
//! 13 HttpEnded              round, attempt, body_byte_len, error (optional)
//! 14 ProcessStarted         pid, folder (optional), count, that many texts
//! 15 Stderr                 byte_len (varint), then the exact bytes up to the end
//! 16 ProcessExited          expected (u8), status
//! 17 PromptOpened           prompt, round, key, method, message
//! 18 PromptClosed           prompt, outcome
//! 19 FindingSeen            event (0 = none, else + 1), JSON
//! ```
//!
//! The bytes of a frame or a line are stored as they came, never encoded again, so a plain search
//! through the file finds what was on the wire. A reader refuses a version above its own.

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wire::frame::{Carrier, Direction};

use crate::event::{ConnectionId, Event, EventBody, EventSeq, FrameRole, OperationId};

mod fields;

use fields::{Fields, Put};

/// The first bytes of a recording. The byte above 0x7F and the line endings show at once when a
/// transfer has mangled the file.
pub(crate) const MAGIC: [u8; 8] = *b"\x89MCPR\r\n\x1a";
/// The version that is written here.
pub(crate) const VERSION: u32 = 1;
/// The size of what stands before the first record.
pub(crate) const FILE_HEAD_BYTE_LEN: usize = 16;
/// The size of what stands before a payload.
pub(crate) const RECORD_HEAD_BYTE_LEN: usize = 12;

/// What stands before the first record.
pub(crate) fn file_head() -> [u8; FILE_HEAD_BYTE_LEN] {
    let mut head = [0; FILE_HEAD_BYTE_LEN];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head
}

/// The length of the payload and its checksum, as a record's head gives them.
pub(crate) fn read_record_head(head: [u8; RECORD_HEAD_BYTE_LEN]) -> (u64, u32) {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = head;
    (
        u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        u32::from_le_bytes([i, j, k, l]),
    )
}

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
    }
}

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
            out.text(reason)
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
            error,
        } => {
            out.numbers([round, attempt]);
            out.number(*body_byte_len);
            out.optional(error.as_deref());
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

fn role_tag(role: &FrameRole) -> u8 {
    match role {
        FrameRole::Request { .. } => 0,
        FrameRole::Reply => 1,
        FrameRole::Notification { .. } => 2,
        FrameRole::Orphan => 3,
        FrameRole::NotProtocol { .. } => 4,
        FrameRole::KeepAlive => 5,
    }
}

/// Why a payload could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It ends too early. Of the first bytes of a payload this says nothing bad.
    Short,
    /// What stands there has no meaning in this version.
    Meaningless,
}

/// An event, and how many bytes its frame or line has in full.
pub(crate) struct Decoded {
    pub(crate) event: Event,
    pub(crate) byte_len: u64,
}

/// Reads a payload. When it was `cut`, so are the bytes of a frame or line.
pub(crate) fn decode(payload: &Bytes, cut: bool) -> Result<Decoded, Unreadable> {
    let mut fields = Fields::of(payload);
    let kind = fields.byte()?;
    let at_micros = fields.micros()?;
    let connection = ConnectionId(fields.small()?);
    let operation = fields.one_up()?.map(OperationId);
    let mut byte_len = 0;
    let body = decode_body(kind, &mut fields, cut, &mut byte_len)?;
    Ok(Decoded {
        event: Event {
            at_micros,
            connection,
            operation,
            body,
        },
        byte_len,
    })
}

fn decode_body(
    kind: u8,
    fields: &mut Fields<'_>,
    cut: bool,
    byte_len: &mut u64,
) -> Result<EventBody, Unreadable> {
    Ok(match kind {
        1 => EventBody::ConnectionOpened {
            server_name: fields.text()?,
            transport: fields.text()?,
            address: fields.text()?,
        },
        2 => EventBody::ConnectionClosed {
            reason: fields.text()?,
        },
        3 => EventBody::ConnectionEstablished {
            era: fields.text()?,
            revision: fields.text()?,
        },
        4 => EventBody::OperationStarted {
            method: fields.text()?,
            name: fields.optional()?,
        },
        5 => EventBody::OperationEnded(parsed(fields)?),
        6 => EventBody::AttemptStarted {
            round: fields.small()?,
            attempt: fields.small()?,
            request_id: fields.optional()?,
            label: fields.optional()?,
        },
        7 => EventBody::AttemptEnded {
            round: fields.small()?,
            attempt: fields.small()?,
            outcome: parsed(fields)?,
        },
        8 => EventBody::WaitStarted {
            reason: fields.text()?,
        },
        9 => EventBody::WaitEnded,
        10 => decode_frame(fields, cut, byte_len)?,
        11 => {
            let (round, attempt) = (fields.small()?, fields.small()?);
            let body_byte_len = fields.number()?;
            EventBody::HttpRequest {
                round,
                attempt,
                head: parsed(fields)?,
                body_byte_len,
            }
        }
        12 => EventBody::HttpResponse {
            round: fields.small()?,
            attempt: fields.small()?,
            head: parsed(fields)?,
        },
        13 => EventBody::HttpEnded {
            round: fields.small()?,
            attempt: fields.small()?,
            body_byte_len: fields.number()?,
            error: fields.optional()?,
        },
        14 => {
            let pid = fields.small()?;
            let folder = fields.optional()?;
            let count = fields.number()?;
            let command = (0..count)
                .map(|_| fields.text())
                .collect::<Result<_, _>>()?;
            EventBody::ProcessStarted {
                pid,
                command,
                folder,
            }
        }
        15 => {
            *byte_len = fields.number()?;
            EventBody::Stderr {
                bytes: fields.bytes(*byte_len, cut)?,
            }
        }
        16 => EventBody::ProcessExited {
            expected: fields.byte()? != 0,
            status: fields.text()?,
        },
        17 => EventBody::PromptOpened {
            prompt: fields.small()?,
            round: fields.small()?,
            key: fields.text()?,
            method: fields.text()?,
            message: fields.text()?,
        },
        18 => EventBody::PromptClosed {
            prompt: fields.small()?,
            outcome: fields.text()?,
        },
        19 => {
            let event = fields.one_up()?.map(EventSeq);
            EventBody::FindingSeen {
                finding: parsed(fields)?,
                event,
            }
        }
        _ => return Err(Unreadable::Meaningless),
    })
}

fn decode_frame(
    fields: &mut Fields<'_>,
    cut: bool,
    byte_len: &mut u64,
) -> Result<EventBody, Unreadable> {
    let direction = match fields.byte()? {
        0 => Direction::Sent,
        1 => Direction::Received,
        _ => return Err(Unreadable::Meaningless),
    };
    let carrier = match fields.byte()? {
        0 => Carrier::Line,
        1 => Carrier::Body,
        2 => Carrier::SseEvent,
        _ => return Err(Unreadable::Meaningless),
    };
    let role = fields.byte()?;
    let (round, attempt) = (fields.small()?, fields.small()?);
    *byte_len = fields.number()?;
    let role = match role {
        0 => FrameRole::Request {
            method: fields.text()?,
        },
        1 => FrameRole::Reply,
        2 => FrameRole::Notification {
            method: fields.text()?,
            text: fields.optional()?,
        },
        3 => FrameRole::Orphan,
        4 => FrameRole::NotProtocol {
            problem: fields.text()?,
        },
        5 => FrameRole::KeepAlive,
        _ => return Err(Unreadable::Meaningless),
    };
    let bytes = fields.bytes(*byte_len, cut)?;
    Ok(EventBody::Frame {
        direction,
        carrier,
        round,
        attempt,
        role,
        bytes,
    })
}

fn parsed<T: DeserializeOwned>(fields: &mut Fields<'_>) -> Result<T, Unreadable> {
    serde_json::from_str(fields.text_slice()?).map_err(|_| Unreadable::Meaningless)
}
