//! Events on their way out: each passes the redactor, and what stands in the place of secrets is counted.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;

use bytes::Bytes;
use memchr::memmem::Finder;
use tempfile::TempPath;

use super::{Chosen, ExportError};
use crate::event::{Event, EventBody, EventSeq};
use crate::log::Journal;
use crate::texts::Texts;

/// What the redactor puts before a secret's name.
const BEFORE_NAME: &[u8] = b"${secret:";
/// How long a secret's name may be, in bytes.
const LONGEST_NAME: usize = 512;

/// Looks at a journal for a moment, so that its writer is not held up for long.
pub type Reader<'a> = &'a dyn Fn() -> Box<dyn Deref<Target = Journal> + 'a>;

/// The bytes with every known secret replaced by its name; nothing where there was none.
pub type Redact<'a> = &'a dyn Fn(&[u8]) -> Option<Vec<u8>>;

/// Told how many of how many events are done; `false` when that was enough.
pub type Watch<'a> = &'a dyn Fn(u64, u64) -> bool;

/// How often each secret's name stands in what was exported.
pub type Redacted = BTreeMap<String, u64>;

/// A journal that is exported.
pub struct Source<'a> {
    reader: Reader<'a>,
    redact: Redact<'a>,
    watch: Watch<'a>,
    finder: Finder<'static>,
    redacted: Redacted,
}

/// What was chosen, without secrets, as a journal of its own. It is gone when it is dropped.
pub(super) struct Copy {
    pub(super) journal: Journal,
    _file: TempPath,
}

impl<'a> Source<'a> {
    /// A journal, what knows its secrets, and who is told how far it is.
    pub fn new(reader: Reader<'a>, redact: Redact<'a>, watch: Watch<'a>) -> Source<'a> {
        Source {
            reader,
            redact,
            watch,
            finder: Finder::new(BEFORE_NAME),
            redacted: Redacted::new(),
        }
    }

    /// The chosen event at this place, without secrets, and numbered as it is among them.
    pub(super) fn event(&mut self, chosen: &Chosen, place: usize) -> Result<Event, ExportError> {
        if !(self.watch)(place as u64, chosen.events.len() as u64) {
            return Err(ExportError::Cancelled);
        }
        let seq = chosen.events[place];
        let mut event = self.look(|journal| journal.event(seq))?;
        event.body.each_text(self);
        renumber(&mut event.body, chosen);
        Ok(event)
    }

    /// The name of the recording, without secrets.
    pub(super) fn name(&mut self) -> Option<String> {
        let mut name = self.look(|journal| journal.summary().name)?;
        self.text(&mut name);
        Some(name)
    }

    /// What was chosen as a journal, in a file of that folder that only its owner can read.
    pub(super) fn copy(&mut self, chosen: &Chosen, spool: &Path) -> Result<Copy, ExportError> {
        let file = tempfile::Builder::new()
            .prefix(".export-")
            .tempfile_in(spool)?
            .into_temp_path();
        let mut journal = Journal::create(Some(&file))?;
        for place in 0..chosen.events.len() {
            let event = self.event(chosen, place)?;
            journal.append(&event);
            if journal.flush_is_urgent() {
                journal.flush();
            }
        }
        if let Some(name) = self.name() {
            journal.set_name(Some(&name));
        }
        Ok(Copy {
            journal,
            _file: file,
        })
    }

    /// Whether it is to go on.
    pub(super) fn goes_on(&self, done: usize, all: usize) -> Result<(), ExportError> {
        if (self.watch)(done as u64, all as u64) {
            Ok(())
        } else {
            Err(ExportError::Cancelled)
        }
    }

    fn look<T>(&self, look: impl FnOnce(&Journal) -> T) -> T {
        look(&(self.reader)())
    }

    /// What was met in the place of secrets so far.
    pub(super) fn redacted(&self) -> &Redacted {
        &self.redacted
    }

    fn count(&mut self, bytes: &[u8]) {
        let mut from = 0;
        while let Some(at) = self.finder.find(&bytes[from..]) {
            let start = from + at + BEFORE_NAME.len();
            let rest = &bytes[start..bytes.len().min(start + LONGEST_NAME)];
            // A name has neither braces nor line breaks.
            let end = rest.iter().position(|byte| b"{}\n\r\"".contains(byte));
            if let Some(end) = end.filter(|end| rest[*end] == b'}')
                && let Ok(name) = std::str::from_utf8(&rest[..end])
            {
                *self.redacted.entry(name.to_owned()).or_default() += 1;
            }
            from = start;
        }
    }
}

impl Texts for Source<'_> {
    fn text(&mut self, text: &mut String) {
        if let Some(redacted) = (self.redact)(text.as_bytes()) {
            *text = String::from_utf8_lossy(&redacted).into_owned();
        }
        self.count(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &mut Bytes) {
        if let Some(redacted) = (self.redact)(bytes) {
            *bytes = Bytes::from(redacted);
        }
        let counted = bytes.clone();
        self.count(&counted);
    }
}

/// Numbers what an event names as it is numbered among the chosen. What names no event there is goes on doing so.
fn renumber(body: &mut EventBody, chosen: &Chosen) {
    let Some(other) = body.named() else { return };
    match chosen.events.binary_search(other) {
        Ok(place) => *other = EventSeq(u32::try_from(place).unwrap_or(u32::MAX)),
        Err(_) if other.0 < chosen.of => {
            if let EventBody::FindingSeen { event, .. } = body {
                *event = None;
            }
        }
        Err(_) => {}
    }
}
