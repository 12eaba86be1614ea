//! Events read from payloads.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use wire::frame::{Carrier, Direction};

use super::NAME_KIND;
use super::fields::Fields;
use crate::event::{BranchWay, ConnectionId, Event, EventBody, EventSeq, FrameRole, OperationId};

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

impl Decoded {
    /// How many of its frame's or line's bytes are there.
    pub(crate) fn shown_byte_len(&self) -> u64 {
        match &self.event.body {
            EventBody::Frame { bytes, .. } | EventBody::Stderr { bytes } => bytes.len() as u64,
            _ => 0,
        }
    }
}

/// The name that a payload gives to its recording; none for an event.
pub(crate) fn decode_name(payload: &Bytes) -> Option<String> {
    let mut fields = Fields::of(payload);
    if fields.byte().ok()? != NAME_KIND {
        return None;
    }
    fields.micros().ok()?;
    fields.number().ok()?;
    fields.number().ok()?;
    fields.text().ok()
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

#[allow(clippy::too_many_lines)] // one arm a kind reads best in one place
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
        13 => decode_http_ended(fields)?,
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
        20 => EventBody::AnsweredFromCache {
            round: fields.small()?,
            event: EventSeq(fields.small()?),
            fetched_micros: fields.number()?,
        },
        21 => EventBody::Note {
            text: fields.text()?,
        },
        22 => EventBody::BranchBegan {
            of: OperationId(fields.small()?),
            round: fields.small()?,
            way: decode_way(fields.byte()?)?,
            recording: fields.optional()?,
        },
        23 => EventBody::BranchedOff {
            branch: OperationId(fields.small()?),
            round: fields.small()?,
            way: decode_way(fields.byte()?)?,
        },
        _ => return Err(Unreadable::Meaningless),
    })
}

fn decode_way(tag: u8) -> Result<BranchWay, Unreadable> {
    Ok(match tag {
        0 => BranchWay::AsItWas,
        1 => BranchWay::Changed,
        2 => BranchWay::Answered,
        _ => return Err(Unreadable::Meaningless),
    })
}

fn decode_http_ended(fields: &mut Fields<'_>) -> Result<EventBody, Unreadable> {
    let (round, attempt) = (fields.small()?, fields.small()?);
    let body_byte_len = fields.number()?;
    Ok(EventBody::HttpEnded {
        round,
        attempt,
        error: fields.optional()?,
        body_byte_len,
        // They were added at the end, and older recordings end before.
        wire_byte_len: fields.number().unwrap_or(body_byte_len),
        first_byte_micros: fields.number().unwrap_or_default().checked_sub(1),
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
        6 => FrameRole::Batch {
            len: fields.small()?,
        },
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

/// Where the bytes of a frame or a line begin in a payload. None for other records, and for what cannot be read.
pub(crate) fn body_start(payload: &Bytes) -> Option<usize> {
    if !matches!(payload.first(), Some(10 | 15)) {
        return None;
    }
    let mut fields = Fields::of(payload);
    let kind = fields.byte().ok()?;
    fields.micros().ok()?;
    fields.number().ok()?;
    fields.number().ok()?;
    if kind == 15 {
        fields.number().ok()?;
        return Some(fields.at());
    }
    fields.byte().ok()?;
    fields.byte().ok()?;
    let role = fields.byte().ok()?;
    for _ in 0..3 {
        fields.number().ok()?;
    }
    match role {
        0 | 4 => fields.skip_text().ok()?,
        2 => {
            fields.skip_text().ok()?;
            fields.skip_optional().ok()?;
        }
        6 => {
            fields.number().ok()?;
        }
        _ => {}
    }
    Some(fields.at())
}
