//! Bodies of any size by windows. What a body is laid out to, and where its lines and children lie, is kept for the few
//! bodies that were looked at last; an event never changes, so it stays true.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use journal::event::{EventBody, EventSeq};
use journal::log::{Journal, JournalError};
use parking_lot::Mutex;
use wire::frame::Carrier;

use crate::api::details::BodyForm;

mod commands;
mod json;
mod lines;
#[cfg(test)]
mod tests;

use lines::Lines;

/// Bodies that are kept.
const KEPT: usize = 4;
/// Bodies are let go until what is kept needs less than this; the one that is looked at stays.
const KEPT_BYTE_LEN: usize = 192 << 20;

/// The bodies that were looked at last.
#[derive(Debug, Default)]
pub struct Documents {
    /// The last one looked at is at the end.
    kept: Mutex<VecDeque<(Key, Arc<Document>)>>,
}

/// A body, told from those of other journals by its time and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    event: EventSeq,
    at_micros: u64,
    byte_len: u64,
    is_message: bool,
}

/// One body and what is known of it.
#[derive(Debug)]
struct Document {
    /// For a message its JSON text, for an event of a stream its data; else the exact bytes.
    bytes: Bytes,
    is_json: bool,
    is_utf8: bool,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// The laid-out text.
    text: Option<Arc<str>>,
    /// Where its lines begin, for one width.
    lines: Option<(u32, Arc<Lines>)>,
    /// Where every so many-th child of a container lies, by where the container begins.
    places: HashMap<usize, Vec<usize>>,
}

impl Documents {
    /// The body of an event: the message in it, or its exact bytes.
    fn open(
        &self,
        journal: &parking_lot::RwLock<Journal>,
        event: EventSeq,
        is_message: bool,
    ) -> Result<Arc<Document>, JournalError> {
        let key = {
            let preview = journal.read().preview(event, 0)?;
            Key {
                event,
                at_micros: preview.event.at_micros,
                byte_len: preview.byte_len,
                is_message,
            }
        };
        if let Some(document) = self.kept(key) {
            return Ok(document);
        }
        let recorded = journal.read().event(event)?;
        let document = Arc::new(Document::read(&recorded.body, is_message));
        let mut kept = self.kept.lock();
        kept.push_back((key, Arc::clone(&document)));
        let needed = |kept: &VecDeque<(Key, Arc<Document>)>| -> usize {
            kept.iter().map(|(_, document)| document.byte_len()).sum()
        };
        while kept.len() > 1 && (kept.len() > KEPT || needed(&kept) > KEPT_BYTE_LEN) {
            kept.pop_front();
        }
        Ok(document)
    }

    fn kept(&self, key: Key) -> Option<Arc<Document>> {
        let mut kept = self.kept.lock();
        let place = kept.iter().position(|(known, _)| *known == key)?;
        let found = kept.remove(place)?;
        let document = Arc::clone(&found.1);
        kept.push_back(found);
        Some(document)
    }
}

impl Document {
    fn read(body: &EventBody, is_message: bool) -> Self {
        let bytes = match body {
            EventBody::Frame {
                bytes,
                carrier: Carrier::SseEvent,
                ..
            } if is_message => wire::sse::data(bytes)
                .map_or_else(|| bytes.clone(), |data| Bytes::from(data.into_owned())),
            EventBody::Frame { bytes, .. } | EventBody::Stderr { bytes } => bytes.clone(),
            other => Bytes::from(crate::details::whole_text(other)),
        };
        let bare = bytes.strip_prefix(b"\xEF\xBB\xBF").map_or(0, |_| 3);
        let bytes = if is_message {
            bytes.slice(bare..)
        } else {
            bytes
        };
        let text = std::str::from_utf8(&bytes).ok();
        let is_json = text
            .is_some_and(|text| serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok());
        Self {
            is_json,
            is_utf8: text.is_some(),
            bytes,
            known: Mutex::default(),
        }
    }

    /// What it takes in memory, about.
    fn byte_len(&self) -> usize {
        let known = self.known.lock();
        let text = known.text.as_ref().map_or(0, |text| text.len());
        let lines = known.lines.as_ref().map_or(0, |(_, lines)| lines.memory());
        self.bytes.len() + text + lines
    }

    /// The text in a form.
    fn text(&self, form: BodyForm) -> Arc<str> {
        let mut known = self.known.lock();
        if let Some(text) = &known.text {
            return Arc::clone(text);
        }
        let text: Arc<str> = match form {
            BodyForm::Pretty => match wire::pretty::layout(&self.bytes) {
                Some(text) => text.into(),
                None => String::from_utf8_lossy(&self.bytes).into(),
            },
            BodyForm::Raw | BodyForm::Hex => String::from_utf8_lossy(&self.bytes).into(),
        };
        known.text = Some(Arc::clone(&text));
        text
    }

    /// The text with its lines, broken after so many characters.
    fn lines(&self, form: BodyForm, columns: u32) -> (Arc<str>, Arc<Lines>) {
        let text = self.text(form);
        let mut known = self.known.lock();
        if let Some((width, lines)) = &known.lines
            && *width == columns
        {
            return (text, Arc::clone(lines));
        }
        let is_laid_out = form == BodyForm::Pretty && self.is_json;
        let lines = Arc::new(Lines::of(&text, columns as usize, is_laid_out));
        known.lines = Some((columns, Arc::clone(&lines)));
        (text, lines)
    }
}

/// Whether a form shows the message in an event, rather than its bytes.
fn is_message(form: BodyForm) -> bool {
    form == BodyForm::Pretty
}
