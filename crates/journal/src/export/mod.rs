//! Taking a journal away as a file.
//!
//! * Every event passes a redactor on its way out ([`Source`]), whatever the form, and everything that is written is
//!   made of the events that did. What stands in the place of secrets is counted, also where it was put when the event
//!   was recorded.
//! * A recording and JSON lines keep every event and every byte, so they can be brought in again as they were
//!   ([`crate::import`]). HAR keeps HTTP exchanges. The page and the summary are for reading.
//! * Events are asked for one at a time, so a running session goes on meanwhile.
//!
//! `docs/exports.md` describes the files.

mod chosen;
pub(crate) mod exact_bytes;
mod har;
mod lines;
mod page;
mod recording;
mod source;
mod summary;
pub(crate) mod time;
mod words;

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::log::JournalError;

pub use chosen::Chosen;
pub(crate) use har::{Own, OwnFrame, OwnLog};
pub(crate) use lines::{End, Head, MARK, VERSION};
pub use source::{Reader, Redact, Redacted, Source, Watch};
pub(crate) use words::secrets_named;

/// The form of an exported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ExportForm {
    /// A recording, compressed: everything, to be opened in Roundtrip.
    Recording,
    /// An event a line, as JSON: everything, for scripts.
    JsonLines,
    /// HTTP Archive 1.2: the HTTP exchanges, for the tools of browsers.
    Har,
    /// One page that shows the timeline, offline and without asking for anything.
    Page,
    /// A summary in Markdown, for an issue report.
    Summary,
}

impl ExportForm {
    /// All of them.
    pub const ALL: [ExportForm; 5] = [
        ExportForm::Recording,
        ExportForm::JsonLines,
        ExportForm::Har,
        ExportForm::Page,
        ExportForm::Summary,
    ];

    /// The ending of its file's name.
    pub fn extension(self) -> &'static str {
        match self {
            ExportForm::Recording => "mcpr.gz",
            ExportForm::JsonLines => "jsonl",
            ExportForm::Har => "har",
            ExportForm::Page => "html",
            ExportForm::Summary => "md",
        }
    }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// How often each secret's name stands in it.
    pub redacted: Redacted,
    /// What a person should know of it, in sentences: what the form could not hold.
    pub notes: Vec<String>,
}

/// Why something could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The journal cannot be read.
    #[error("{0}.")]
    Journal(#[from] JournalError),
    /// The file cannot be written.
    #[error("The file cannot be written: {0}.")]
    Write(#[from] io::Error),
    /// There is nothing of the kind that the form holds.
    #[error(
        "There is no HTTP exchange in what was chosen, and a HAR file holds nothing else. What crossed stdio can be \
         exported as JSON lines."
    )]
    NoExchange,
    /// Nothing was chosen.
    #[error("There is nothing in what was chosen.")]
    Nothing,
    /// It was stopped on the way.
    #[error("The export was cancelled.")]
    Cancelled,
}

/// Writes what was chosen in this form. What takes a copy on the way keeps it in the folder `spool`.
///
/// # Errors
/// The journal cannot be read, the file cannot be written, or there is nothing to write.
pub fn write(
    form: ExportForm,
    source: &mut Source<'_>,
    chosen: &Chosen,
    spool: &std::path::Path,
    out: &mut dyn Write,
) -> Result<Exported, ExportError> {
    if chosen.events.is_empty() {
        return Err(ExportError::Nothing);
    }
    let mut notes = Vec::new();
    match form {
        ExportForm::Recording => recording::write(source, chosen, out)?,
        ExportForm::JsonLines => lines::write(source, chosen, out)?,
        ExportForm::Har => {
            let copy = source.copy(chosen, spool)?;
            notes.extend(har::write(&copy, source, out)?);
        }
        ExportForm::Page => {
            let copy = source.copy(chosen, spool)?;
            notes.extend(page::write(&copy, source, out)?);
        }
        ExportForm::Summary => {
            let copy = source.copy(chosen, spool)?;
            notes.extend(summary::write(&copy, source, out)?);
        }
    }
    out.flush()?;
    Ok(Exported {
        redacted: source.redacted().clone(),
        notes,
    })
}
