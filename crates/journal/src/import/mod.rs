//! Bringing in a file: a recording, JSON lines or HAR, compressed or not.
//!
//! A file may come from anywhere, so nothing of it is believed: what cannot be read ends the import with a sentence that
//! says where, or, at the end of what was cut off, with a note. Every event passes the redactor, for a file may hold a
//! secret that is known here.

mod har;
mod lines;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use bytes::Bytes;
use flate2::bufread::MultiGzDecoder;
use tempfile::NamedTempFile;

use crate::event::{Event, EventSeq};
use crate::export::{Redact, Watch};
use crate::log::{Journal, JournalError};
use crate::record::MAGIC;
use crate::texts::Texts;

/// How large a file may become that is compressed.
const MOST_INFLATED: u64 = 8 << 30;
/// How large a HAR file may be: it is read whole.
const LARGEST_HAR: u64 = 1 << 30;
/// How a gzip file begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Why something could not be brought in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("The file cannot be read: {0}.")]
    Read(#[from] io::Error),
    /// It is none of the forms that can be brought in, or not all of it is.
    #[error("{0}")]
    Form(String),
    /// It is a recording that cannot be opened.
    #[error("{0}.")]
    Recording(#[from] JournalError),
    /// It was stopped on the way.
    #[error("The import was cancelled.")]
    Cancelled,
}

/// Brings in a file. Gives what a person should know, in sentences.
///
/// # Errors
/// It is no file of a kind that can be brought in, or not to its end.
pub fn read(
    path: &Path,
    redact: Redact<'_>,
    watch: Watch<'_>,
    into: &mut Journal,
) -> Result<Vec<String>, ImportError> {
    let mut sink = Sink {
        redact,
        watch,
        into,
        done: 0,
        all: 0,
    };
    let mut file = BufReader::new(File::open(path)?);
    let mut notes = Vec::new();
    let plain;
    let mut path = path;
    if file.fill_buf()?.starts_with(&GZIP) {
        plain = inflated(file, &sink, &mut notes)?;
        path = plain.path();
    }
    notes.extend(read_plain(path, &mut sink)?);
    if sink.done == 0 {
        return Err(ImportError::Form("The file holds no events.".to_owned()));
    }
    Ok(notes)
}

fn read_plain(path: &Path, sink: &mut Sink<'_>) -> Result<Vec<String>, ImportError> {
    let file = File::open(path)?;
    let byte_len = file.metadata()?.len();
    let mut file = BufReader::new(file);
    let start = file.fill_buf()?;
    if start.starts_with(&MAGIC) {
        return recording(path, sink);
    }
    if start.is_empty() {
        return Err(ImportError::Form("The file is empty.".to_owned()));
    }
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'{') {
        return Err(unknown());
    }
    if lines::is_one(text) {
        return lines::read(file, sink);
    }
    if byte_len > LARGEST_HAR {
        return Err(ImportError::Form(format!(
            "The file has {} MiB; JSON of up to {} MiB is read as HAR.",
            byte_len >> 20,
            LARGEST_HAR >> 20
        )));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        ImportError::Form(format!("The file is no text: byte {at} is not UTF-8."))
    })?;
    har::read(text.trim_start_matches('\u{feff}'), sink)
}

fn recording(path: &Path, sink: &mut Sink<'_>) -> Result<Vec<String>, ImportError> {
    let (from, notes) = Journal::view(path)?;
    sink.all = from.len().into();
    for seq in 0..from.len() {
        sink.take(from.event(EventSeq(seq))?)?;
    }
    if let Some(name) = from.summary().name {
        sink.name(name);
    }
    Ok(notes.sentences())
}

/// The file that was compressed, for as long as it is held.
fn inflated(
    file: BufReader<File>,
    sink: &Sink<'_>,
    notes: &mut Vec<String>,
) -> Result<NamedTempFile, ImportError> {
    let mut plain = NamedTempFile::new()?;
    let mut decoder = MultiGzDecoder::new(file);
    let mut part = vec![0; 256 * 1024];
    let mut byte_len = 0_u64;
    loop {
        match decoder.read(&mut part) {
            Ok(0) => break,
            Ok(read) => {
                plain.write_all(&part[..read])?;
                byte_len += read as u64;
            }
            // What came before the break can be looked at.
            Err(error) if byte_len > 0 => {
                notes.push(format!(
                    "The compressed file is damaged or cut off ({error}): what came before is shown."
                ));
                break;
            }
            Err(error) => return Err(error.into()),
        }
        if byte_len > MOST_INFLATED {
            return Err(ImportError::Form(format!(
                "The file grows beyond {} GiB when it is unpacked; that is no recording of a session.",
                MOST_INFLATED >> 30
            )));
        }
        if !(sink.watch)(0, 0) {
            return Err(ImportError::Cancelled);
        }
    }
    let comment = decoder.header().and_then(|header| header.comment());
    if let Some(comment) = comment.filter(|comment| comment.starts_with(b"Exported by ")) {
        notes.push(String::from_utf8_lossy(comment).into_owned());
    }
    plain.flush()?;
    Ok(plain)
}

fn unknown() -> ImportError {
    ImportError::Form(
        "The file is neither a recording (.mcpr, .mcpr.gz) nor JSON lines that Roundtrip wrote (.jsonl) nor HAR (.har)."
            .to_owned(),
    )
}

/// Where imported events go.
struct Sink<'a> {
    redact: Redact<'a>,
    watch: Watch<'a>,
    into: &'a mut Journal,
    done: u64,
    /// How many there will be; 0 where nobody knows.
    all: u64,
}

impl Sink<'_> {
    /// Takes the next event.
    fn take(&mut self, mut event: Event) -> Result<(), ImportError> {
        event.body.each_text(self);
        self.into.append(&event);
        if self.into.flush_is_urgent() {
            self.into.flush();
        }
        self.done += 1;
        if (self.watch)(self.done, self.all) {
            Ok(())
        } else {
            Err(ImportError::Cancelled)
        }
    }

    fn name(&mut self, mut name: String) {
        Texts::text(self, &mut name);
        self.into.set_name(Some(&name));
    }
}

impl Texts for Sink<'_> {
    fn text(&mut self, text: &mut String) {
        if let Some(redacted) = (self.redact)(text.as_bytes()) {
            *text = String::from_utf8_lossy(&redacted).into_owned();
        }
    }

    fn bytes(&mut self, bytes: &mut Bytes) {
        if let Some(redacted) = (self.redact)(bytes) {
            *bytes = Bytes::from(redacted);
        }
    }
}
