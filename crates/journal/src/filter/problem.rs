//! What is wrong with a filter line.

use std::ops::Range;

/// Why a line cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} {hint}")]
pub struct Problem {
    /// Which bytes of the line it is about; empty at a place where something is missing.
    pub at: Range<usize>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to try, in a sentence.
    pub hint: String,
}

impl Problem {
    pub(super) fn new(
        at: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Problem {
        Problem {
            at,
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// The known word that a mistyped one is closest to, where one is close.
pub(super) fn closest<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    known
        .map(|word| (distance(&typed, word), word))
        .filter(|(steps, word)| *steps <= (word.len() / 3).max(1))
        .min_by_key(|(steps, _)| *steps)
        .map(|(_, word)| word)
}

/// How many letters have to be put in, left out or changed.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<_> = right.chars().take(32).collect();
    let mut row: Vec<_> = (0..=right.len()).collect();
    for (line, letter) in left.chars().take(32).enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}
