//! A body, as it is to be shown.

use journal::event::{Event, EventBody};
use wire::frame::Carrier;

use super::words::whole_text;
use crate::api::details::{BodyForm, BodyText};

/// Bytes of a body that are shown when nobody says how many.
const BODY_LIMIT: u64 = 1 << 20;

/// A body in the form that is wanted. Laying out a large one takes its time: not to be done under the journal's lock.
pub fn body(recorded: Event, form: BodyForm, limit: u64) -> BodyText {
    let bytes = match recorded.body {
        EventBody::Frame { bytes, carrier, .. } => match (carrier, form) {
            // The message is the event's data; the raw forms show the event's own lines.
            (Carrier::SseEvent, BodyForm::Pretty) => wire::sse::data(&bytes).map_or_else(
                || bytes.clone(),
                |data| bytes::Bytes::from(data.into_owned()),
            ),
            _ => bytes,
        },
        EventBody::Stderr { bytes } => bytes,
        other => bytes::Bytes::from(whole_text(&other)),
    };
    let limit = usize::try_from(if limit == 0 { BODY_LIMIT } else { limit }).unwrap_or(usize::MAX);
    // JSON is laid out whole and cut afterwards: half a document has no layout.
    let laid_out = (form == BodyForm::Pretty)
        .then(|| wire::pretty::layout(&bytes))
        .flatten();
    let is_json = laid_out.is_some();
    let is_utf8 = std::str::from_utf8(&bytes).is_ok();
    let (text, shown) = match (laid_out, form) {
        (Some(text), _) => {
            let len = text.len();
            let (text, cut) = cut(text, limit);
            let shown = if cut {
                bytes.len() * text.len() / len.max(1)
            } else {
                bytes.len()
            };
            (text, shown)
        }
        (None, BodyForm::Hex) => {
            // A row of hex is five times as long as its bytes.
            let shown = bytes.len().min(limit / 5);
            (wire::pretty::hex(&bytes[..shown]), shown)
        }
        (None, BodyForm::Pretty | BodyForm::Raw) => {
            let shown = bytes.len().min(limit);
            (String::from_utf8_lossy(&bytes[..shown]).into_owned(), shown)
        }
    };
    BodyText {
        text,
        is_json,
        is_utf8,
        byte_len: bytes.len() as u64,
        shown_byte_len: shown as u64,
    }
}

fn cut(mut text: String, limit: usize) -> (String, bool) {
    if text.len() <= limit {
        return (text, false);
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    (text, true)
}
