//! JSON lines, as [`crate::export`] writes them.

use std::io::{BufRead, Read as _};

use serde_json::Value;

use super::{ImportError, Sink};
use crate::event::Event;
use crate::export::{End, Head, MARK, VERSION};

/// No event is longer than this in JSON. A file may be one line without end.
const LONGEST_LINE: u64 = 512 << 20;

/// Whether a file that begins so is lines of this kind.
pub(super) fn is_one(start: &[u8]) -> bool {
    let first = start.split(|byte| *byte == b'\n').next().unwrap_or(start);
    serde_json::from_slice::<Value>(first)
        .is_ok_and(|head| head.get(MARK).is_some_and(|mark| mark == "events"))
}

/// Brings lines in.
pub(super) fn read(
    mut file: impl BufRead,
    sink: &mut Sink<'_>,
) -> Result<Vec<String>, ImportError> {
    let mut line = Vec::new();
    let mut number = 0_u64;
    let mut count = 0_u64;
    let mut name = None;
    let mut notes = Vec::new();
    let mut has_end = false;
    loop {
        line.clear();
        if file
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)?
            == 0
        {
            break;
        }
        number += 1;
        if line.len() as u64 == LONGEST_LINE {
            return Err(ImportError::Form(format!(
                "Line {number} is longer than {} MiB; no event is.",
                LONGEST_LINE >> 20
            )));
        }
        let is_whole = line.ends_with(b"\n");
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if number == 1 {
            let head: Head = serde_json::from_slice(text).map_err(|error| wrong(number, &error))?;
            if head.version > VERSION {
                return Err(ImportError::Form(format!(
                    "The file was written by a newer Roundtrip (lines {}, this one reads up to {VERSION}); update it.",
                    head.version
                )));
            }
            name = head.name;
            continue;
        }
        if has_end {
            return Err(ImportError::Form(format!(
                "Line {number} stands behind the line that ends the file. Two files in one are brought in one by one."
            )));
        }
        if text.starts_with(b"{\"roundtrip\":")
            && let Ok(end) = serde_json::from_slice::<End>(text)
        {
            has_end = true;
            if end.events != count {
                notes.push(format!(
                    "The last line tells of {} events, but {count} came before it.",
                    end.events
                ));
            }
            continue;
        }
        let event: Event = match serde_json::from_slice(text) {
            Ok(event) => event,
            Err(_) if !is_whole => {
                notes.push(format!("The file was cut off in line {number}."));
                break;
            }
            Err(error) => return Err(wrong(number, &error)),
        };
        count += 1;
        sink.take(event)?;
    }
    if !has_end && notes.is_empty() {
        notes.push("The file has no last line, so it may have been cut off.".to_owned());
    }
    if let Some(name) = name {
        sink.name(name);
    }
    Ok(notes)
}

fn wrong(number: u64, error: &serde_json::Error) -> ImportError {
    // Its own place is within the line, which is always its first.
    let said = error.to_string();
    let what = said
        .rsplit_once(" at line ")
        .map_or(said.as_str(), |(what, _)| what);
    ImportError::Form(format!(
        "Line {number} is no event of Roundtrip's: {what} (column {}).",
        error.column()
    ))
}
