//! The filter line: how it is read, what a search for its texts has done, and stepping through what fits.

use journal::event::EventSeq;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The filter line that the timeline shows, and its search. Absent where no line is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FindView {
    /// The line.
    pub line: String,
    /// How far the search for its texts is; absent where it has none.
    pub search: Option<SearchView>,
}

/// How far a search is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SearchView {
    /// What it does.
    pub state: SearchState,
    /// Bytes of the journal that were searched.
    pub searched_byte_len: u64,
    /// Bytes of the journal.
    pub byte_len: u64,
    /// Why it ended early.
    pub problem: Option<String>,
}

/// What a search does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SearchState {
    /// It goes over what was recorded.
    Searching,
    /// It has searched everything and follows what comes.
    Done,
    /// It was stopped; what it had found stays.
    Stopped,
}

/// A filter line, read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FilterReading {
    /// Why it cannot be understood.
    pub problem: Option<FilterProblem>,
    /// What may stand at the cursor, the best first.
    pub suggestions: Vec<FilterSuggestion>,
    /// Which part of the line a suggestion replaces: from this UTF-16 offset.
    pub start: u32,
    /// Up to this one.
    pub end: u32,
    /// The texts that it searches for; no expressions.
    pub texts: Vec<SearchedText>,
}

/// A text that a line searches for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SearchedText {
    /// The text.
    pub text: String,
    /// Whether case counts for nothing.
    pub ignores_case: bool,
}

/// Why a filter line cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FilterProblem {
    /// Where it begins, as a UTF-16 offset.
    pub start: u32,
    /// Where it ends; equal to the start where something is missing.
    pub end: u32,
    /// What is wrong.
    pub message: String,
    /// What to try.
    pub hint: String,
}

/// Something that may be typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FilterSuggestion {
    /// What is inserted.
    pub insert: String,
    /// What it means, or how often it is there.
    pub says: String,
    /// More belongs behind it, so no space does.
    pub goes_on: bool,
}

/// A row that fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundRow {
    /// Its place, from 0.
    pub index: u32,
    /// Its identity.
    pub key: String,
    /// The first event of it in which a searched text was found.
    pub event: Option<EventSeq>,
}
