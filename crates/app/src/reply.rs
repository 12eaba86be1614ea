//! The replies of an operation, read from the journal as they came.

use std::borrow::Cow;

use journal::details::Exchange;
use journal::event::{EventBody, EventSeq, OperationId};
use journal::log::{Journal, JournalError};
use serde_json::value::RawValue;
use wire::frame::Carrier;
use wire::message;
use wire::object;

use crate::api::replies::{OperationReply, ReplyKind, ReplyText};

/// Reads how an operation ended and what it was answered.
///
/// # Errors
/// The journal does not know it or cannot be read.
pub fn read(journal: &Journal, operation: OperationId) -> Result<OperationReply, JournalError> {
    let summary = journal.operation(operation)?;
    let mut replies: Vec<ReplyText> = Vec::new();
    for exchange in journal.exchanges(operation)? {
        let Some(reply) = reply_of(journal, &exchange)? else {
            continue;
        };
        // Of a round that was sent more than once, the last reply counts.
        replies.retain(|earlier| earlier.round != reply.round);
        replies.push(reply);
    }
    Ok(OperationReply {
        operation,
        end: summary.end.map(|(_, end)| end),
        replies,
    })
}

fn reply_of(journal: &Journal, exchange: &Exchange) -> Result<Option<ReplyText>, JournalError> {
    let Some(response) = exchange.response else {
        return Ok(None);
    };
    let Some(payload) = payload(journal, response.event)? else {
        return Ok(None);
    };
    let other = || {
        (
            ReplyKind::Other,
            String::from_utf8_lossy(&payload).into_owned(),
        )
    };
    let (kind, text) = match serde_json::from_slice::<&RawValue>(&payload) {
        Ok(document) => {
            let replies = replies_in(document);
            let meant = match exchange.request {
                // Where a batch holds several (2025-03-26 basic § Batching), the request's id tells which is meant.
                Some(request) if replies.len() > 1 => {
                    let wanted = request_id(journal, request.event)?;
                    replies.iter().find(|reply| reply.id == wanted)
                }
                _ => None,
            };
            meant
                .or(replies.first())
                .map_or_else(other, |reply| (reply.kind, reply.value.get().to_owned()))
        }
        Err(_) => other(),
    };
    Ok(Some(ReplyText {
        round: exchange.round,
        kind,
        text,
        event: response.event,
    }))
}

/// A message with a result or an error.
struct Reply<'a> {
    /// The id's token without its quotes: a server that turns a number into a string means the same request.
    id: Option<String>,
    kind: ReplyKind,
    value: &'a RawValue,
}

/// The replies in a message, or in a batch of them.
fn replies_in(document: &RawValue) -> Vec<Reply<'_>> {
    let messages = object::read_elements(document).unwrap_or_else(|| vec![document]);
    messages
        .into_iter()
        .filter_map(|message| {
            let (kind, value) = match object::get(message, "error") {
                Some(error) => (ReplyKind::Error, error),
                None => (ReplyKind::Result, object::get(message, "result")?),
            };
            let id = id_token(message);
            Some(Reply { id, kind, value })
        })
        .collect()
}

fn id_token(message: &RawValue) -> Option<String> {
    object::get(message, "id").map(|id| id.get().trim_matches('"').to_owned())
}

/// The message in a frame, read as UTF-8 where it is not.
fn payload(journal: &Journal, event: EventSeq) -> Result<Option<Vec<u8>>, JournalError> {
    let EventBody::Frame { carrier, bytes, .. } = journal.event(event)?.body else {
        return Ok(None);
    };
    let payload = match carrier {
        Carrier::SseEvent => wire::sse::data(&bytes).unwrap_or_default(),
        Carrier::Line | Carrier::Body => Cow::Borrowed(&bytes[..]),
    };
    Ok(Some(
        message::mend(&payload).unwrap_or_else(|| payload.into_owned()),
    ))
}

fn request_id(journal: &Journal, event: EventSeq) -> Result<Option<String>, JournalError> {
    let payload = payload(journal, event)?.unwrap_or_default();
    Ok(serde_json::from_slice::<&RawValue>(&payload)
        .ok()
        .and_then(id_token))
}
