//! JSON lines: a head, an event a line, and an end that says how many there were and what was redacted.

use std::io::Write;

use serde::{Deserialize, Serialize};

use super::{Chosen, ExportError, Redacted, Source};

/// The version of the lines that is written here.
pub(crate) const VERSION: u32 = 1;
/// The member that the first and the last line begin with.
pub(crate) const MARK: &str = "roundtrip";

/// The first line.
#[derive(Serialize, Deserialize)]
pub(crate) struct Head {
    /// `events`
    pub(crate) roundtrip: String,
    /// The version of the lines.
    pub(crate) version: u32,
    /// What the recording is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
}

/// The last line.
#[derive(Serialize, Deserialize)]
pub(crate) struct End {
    /// `end`
    pub(crate) roundtrip: String,
    /// How many events stand before it.
    pub(crate) events: u64,
    /// The secrets that are named in them, and how often.
    pub(crate) redacted: Redacted,
}

/// Writes what was chosen. Events are numbered from 0 in their order.
pub(super) fn write(
    source: &mut Source<'_>,
    chosen: &Chosen,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let head = Head {
        roundtrip: "events".to_owned(),
        version: VERSION,
        name: source.name(),
    };
    line(&head, out)?;
    for place in 0..chosen.events.len() {
        line(&source.event(chosen, place)?, out)?;
    }
    let end = End {
        roundtrip: "end".to_owned(),
        events: chosen.events.len() as u64,
        redacted: source.redacted().clone(),
    };
    line(&end, out)
}

fn line(value: &impl Serialize, out: &mut dyn Write) -> Result<(), ExportError> {
    let mut text = serde_json::to_vec(value).map_err(std::io::Error::other)?;
    text.push(b'\n');
    out.write_all(&text)?;
    Ok(())
}
