//! Bodies of any size, looked at by windows: lines of text or of a dump, and the children of a JSON value.

use journal::event::EventSeq;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use wire::object::ValueKind;

use super::details::BodyForm;
use super::recordings::RecordingId;

/// Which lines of a body are wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LinesArgs {
    /// The event that holds the body.
    pub event: EventSeq,
    /// How it is wanted.
    pub form: BodyForm,
    /// Lines are broken after so many characters; a dump's never are.
    pub columns: u32,
    /// The first line wanted, from 0.
    pub start: u32,
    /// How many; at most 400 are given.
    pub len: u32,
    /// Of this recording; absent for the running session.
    #[serde(default)]
    #[ts(optional)]
    pub recording: Option<RecordingId>,
}

/// Some lines of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LinesPart {
    /// How many lines there are in all.
    pub line_count: u32,
    /// The first one given.
    pub start: u32,
    /// The lines.
    pub lines: Vec<LineView>,
    /// Whether the body is JSON.
    pub is_json: bool,
    /// Whether it is UTF-8.
    pub is_utf8: bool,
    /// All bytes of the body.
    pub byte_len: u64,
}

/// A line of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LineView {
    /// Its text.
    pub text: String,
    /// It goes on from the line above, which was too long.
    pub continued: bool,
    /// It begins within a JSON string.
    pub in_string: bool,
}

/// What is looked for in a body's lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FindLinesArgs {
    /// The event that holds the body.
    pub event: EventSeq,
    /// How it is shown.
    pub form: BodyForm,
    /// As for the lines.
    pub columns: u32,
    /// What is looked for; upper and lower case of ASCII letters are the same.
    pub text: String,
    /// Of this recording; absent for the running session.
    #[serde(default)]
    #[ts(optional)]
    pub recording: Option<RecordingId>,
}

/// Where a text was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundLines {
    /// How often it is there.
    pub total: u32,
    /// The first 2000 places.
    pub hits: Vec<LineHit>,
}

/// A place in a body's lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LineHit {
    /// The line, from 0.
    pub line: u32,
    /// Where it begins in the line, in UTF-16 code units.
    pub from: u32,
    /// Where it ends; beyond the line's end where it goes on in the next.
    pub to: u32,
}

/// Which children of a JSON value are wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JsonChildrenArgs {
    /// The event that holds the JSON.
    pub event: EventSeq,
    /// Where the value begins, in bytes; absent for the root itself, as the only child of nothing.
    pub at: Option<u64>,
    /// The first child wanted, from 0.
    pub start: u32,
    /// How many; at most 400 are given.
    pub len: u32,
    /// Of this recording; absent for the running session.
    #[serde(default)]
    #[ts(optional)]
    pub recording: Option<RecordingId>,
}

/// Some children of a JSON value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JsonChildren {
    /// How many there are in all; 0 where the body is no JSON.
    pub total: u32,
    /// Those that were wanted.
    pub children: Vec<JsonNode>,
}

/// A JSON value within another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JsonNode {
    /// Where it begins, in bytes: its name in further questions.
    pub at: u64,
    /// Its size in bytes.
    pub byte_len: u64,
    /// Its key, read; absent in an array and for the root.
    pub key: Option<String>,
    /// What it is.
    pub kind: JsonKind,
    /// The token as it came, cut at 300 characters; empty for an object or array.
    pub text: String,
    /// The token was cut.
    pub is_cut: bool,
    /// How many children it has.
    pub child_count: u32,
}

/// What a JSON value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum JsonKind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null`
    Null,
}

impl From<ValueKind> for JsonKind {
    fn from(kind: ValueKind) -> Self {
        match kind {
            ValueKind::Object => Self::Object,
            ValueKind::Array => Self::Array,
            ValueKind::String => Self::String,
            ValueKind::Number => Self::Number,
            ValueKind::Boolean => Self::Boolean,
            ValueKind::Null => Self::Null,
        }
    }
}

/// What is looked for in a JSON body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FindJsonArgs {
    /// The event that holds the JSON.
    pub event: EventSeq,
    /// What is looked for in keys and values; upper and lower case of ASCII letters are the same.
    pub text: String,
    /// Of this recording; absent for the running session.
    #[serde(default)]
    #[ts(optional)]
    pub recording: Option<RecordingId>,
}

/// Where a text was found in a JSON body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundJson {
    /// How many keys and values hold it.
    pub total: u32,
    /// The first 500 of them.
    pub hits: Vec<JsonHit>,
}

/// A value that was found, with the way to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JsonHit {
    /// Where the value begins.
    pub at: u64,
    /// The containers around it, from the root on.
    pub way: Vec<JsonStep>,
}

/// A container on the way to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JsonStep {
    /// Where the container begins.
    pub at: u64,
    /// Which of its children leads on, from 0.
    pub index: u32,
}

/// A JSON value that is wanted as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JsonValueArgs {
    /// The event that holds the JSON.
    pub event: EventSeq,
    /// Where the value begins, in bytes.
    pub at: u64,
    /// Of this recording; absent for the running session.
    #[serde(default)]
    #[ts(optional)]
    pub recording: Option<RecordingId>,
}

/// Something to be saved as a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SaveContentArgs {
    /// What to call it; what cannot be part of a file's name is left out.
    pub name: String,
    /// What to save.
    pub content: SavedContent,
    /// An event of this recording; absent for the running session.
    #[serde(default)]
    #[ts(optional)]
    pub recording: Option<RecordingId>,
}

/// What is saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SavedContent {
    /// The exact bytes of an event's frame.
    Event {
        /// Which.
        event: EventSeq,
    },
    /// A text.
    Text {
        /// The text.
        text: String,
    },
    /// Bytes in Base64.
    Base64 {
        /// Them.
        base64: String,
    },
}
