//! One line of a log, read from its event.

use std::borrow::Cow;

use journal::event::{Event, EventBody};
use serde_json::value::RawValue;
use wire::frame::Carrier;
use wire::{message, object};

/// The levels of RFC 5424, the mildest first (2026-07-28 server/utilities/logging § Log Levels).
pub const LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// How much of a line is shown.
const SHOWN_CHARS: usize = 4000;
/// How much of the name of a level or a logger.
const NAME_CHARS: usize = 200;

/// What a log line says.
#[derive(Debug, Default)]
pub struct Said {
    pub stderr: bool,
    pub level: Option<String>,
    pub logger: Option<String>,
    pub text: String,
}

impl Said {
    /// What an event of a log says; nothing where its bytes cannot be understood but the bytes themselves.
    pub fn read(event: &Event) -> Said {
        match &event.body {
            EventBody::Stderr { bytes } => Said {
                stderr: true,
                text: String::from_utf8_lossy(bytes).into_owned(),
                ..Said::default()
            },
            EventBody::Frame { carrier, bytes, .. } => {
                let payload = match carrier {
                    Carrier::SseEvent => wire::sse::data(bytes).unwrap_or_default(),
                    Carrier::Line | Carrier::Body => Cow::Borrowed(&bytes[..]),
                };
                let payload = message::mend(&payload).unwrap_or_else(|| payload.into_owned());
                of_message(&payload).unwrap_or_else(|| Said {
                    text: String::from_utf8_lossy(&payload).into_owned(),
                    ..Said::default()
                })
            }
            _ => Said::default(),
        }
    }

    /// The rank of its level among [`LEVELS`], where it is one.
    pub fn rank(&self) -> Option<usize> {
        let level = self.level.as_deref()?;
        LEVELS.iter().position(|known| *known == level)
    }

    /// Whether a text in lower case is in it.
    pub fn has(&self, lower: &str) -> bool {
        let holds = |text: &str| text.to_lowercase().contains(lower);
        holds(&self.text) || self.logger.as_deref().is_some_and(holds)
    }

    /// The text as it is shown, and whether it is cut.
    pub fn shown(self) -> (String, bool) {
        match self.text.char_indices().nth(SHOWN_CHARS) {
            Some((cut, _)) => (self.text[..cut].to_owned(), true),
            None => (self.text, false),
        }
    }
}

/// A name as far as it is one.
fn short(mut name: String) -> String {
    if let Some((cut, _)) = name.char_indices().nth(NAME_CHARS) {
        name.truncate(cut);
        name.push('…');
    }
    name
}

fn of_message(payload: &[u8]) -> Option<Said> {
    let message = serde_json::from_slice::<&RawValue>(payload).ok()?;
    let params = object::get(message, "params")?;
    let text = |member: &str| {
        object::get(params, member).map(|value| {
            object::string(value).map_or_else(|| value.get().to_owned(), Cow::into_owned)
        })
    };
    Some(Said {
        stderr: false,
        level: text("level").map(short),
        logger: text("logger").map(short),
        text: text("data").unwrap_or_default(),
    })
}
