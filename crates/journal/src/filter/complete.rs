//! What may stand at the cursor of a filter line.

use std::collections::BTreeMap;
use std::ops::Range;

use super::words::{FIELDS, Has, Kind, NameField, Status, Takes, field_named};
use crate::tree::OperationTree;

/// How many suggestions are made at most.
const MOST: usize = 40;

/// Something that may be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What takes the place of the bytes at [`Suggestions::at`].
    pub insert: String,
    /// What it means, or how often it is there.
    pub says: String,
    /// More belongs behind it: a value behind a field.
    pub goes_on: bool,
}

/// What may stand at a place of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestions {
    /// Which bytes of the line are replaced.
    pub at: Range<usize>,
    /// The best first.
    pub all: Vec<Suggestion>,
}

/// Suggests for a cursor, a byte of the line. Names come from what the journal knows.
pub fn complete(tree: &OperationTree, line: &str, cursor: usize) -> Suggestions {
    let cursor = floor(line, cursor.min(line.len()));
    let Some(word_start) = word_start(&line[..cursor]) else {
        // Inside quotes or an expression there is nothing to know.
        return Suggestions::default();
    };
    let word_end = cursor
        + line[cursor..]
            .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')'))
            .unwrap_or(line.len() - cursor);
    let typed = &line[word_start..cursor];
    let Some((field, value)) = typed.split_once(':') else {
        return Suggestions {
            at: word_start..word_end,
            all: words(typed),
        };
    };
    let Some(field) = field_named(field) else {
        return Suggestions::default();
    };
    let offset = value.rfind([',', '=']).map_or(0, |comma| comma + 1);
    let value_start = word_start + (typed.len() - value.len()) + offset;
    let value = line[value_start..cursor].trim_start_matches('"');
    let list = |all: &[(&str, &str)]| {
        all.iter()
            .filter(|(word, _)| word.starts_with(&value.to_lowercase()))
            .map(|(word, says)| suggestion(word, says))
            .collect::<Vec<_>>()
    };
    let all = match field.takes {
        Takes::Status => list(&pairs(Status::ALL)),
        Takes::Kind => list(&pairs(Kind::ALL)),
        Takes::Has => list(&pairs(Has::ALL)),
        Takes::Name(name) => names(tree, name, value),
        Takes::Number(_) if value.is_empty() => vec![suggestion(field.example, field.says)],
        Takes::Number(_) | Takes::Text => Vec::new(),
    };
    let at = value_start..word_end.max(value_start);
    // What stands there already need not be suggested alone.
    if let [only] = all.as_slice()
        && only.insert == line[at.clone()]
    {
        return Suggestions::default();
    }
    Suggestions { at, all }
}

fn words(typed: &str) -> Vec<Suggestion> {
    let wanted = typed.trim_start_matches(['-', '!']).to_lowercase();
    let before = &typed[..typed.len() - wanted.len().min(typed.len())];
    let mut all: Vec<_> = FIELDS
        .iter()
        .filter(|field| {
            field.word.starts_with(&wanted)
                || field
                    .others
                    .iter()
                    .any(|other| !wanted.is_empty() && other.starts_with(&wanted))
        })
        .map(|field| Suggestion {
            insert: format!("{before}{}:", field.word),
            says: field.says.to_owned(),
            goes_on: true,
        })
        .collect();
    if !wanted.is_empty() && before.is_empty() {
        for (word, says) in [
            ("and", "both must hold; it may be left out"),
            ("or", "one of both must hold"),
            ("not", "it must not hold; also a - before it"),
        ] {
            if word.starts_with(&wanted) && wanted != word {
                all.push(suggestion(word, says));
            }
        }
    }
    all
}

fn pairs<T>(all: &'static [(T, &'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    all.iter().map(|(_, word, says)| (*word, *says)).collect()
}

fn suggestion(word: &str, says: &str) -> Suggestion {
    Suggestion {
        insert: word.to_owned(),
        says: says.to_owned(),
        goes_on: false,
    }
}

/// Names that the journal knows, those that begin with what was typed first, then by how often they are there.
fn names(tree: &OperationTree, field: NameField, typed: &str) -> Vec<Suggestion> {
    let typed = typed.to_lowercase();
    let mut found: Vec<(bool, u32, &str)> = Vec::new();
    let mut consider = |name, count: u32| {
        let lower = str::to_lowercase(name);
        if lower.contains(&typed) && !name.is_empty() {
            found.push((lower.starts_with(&typed), count, name));
        }
    };
    match field {
        NameField::Method => {
            for (name, count) in tree.methods() {
                consider(name, count);
            }
        }
        NameField::Name => {
            for (name, count) in tree.subjects() {
                consider(name, count);
            }
        }
        NameField::Server | NameField::Transport => {
            let mut all = BTreeMap::new();
            for (_, connection) in tree.connections() {
                let name = if field == NameField::Server {
                    &*connection.server_name
                } else {
                    &connection.transport
                };
                *all.entry(name).or_insert(0) += 1;
            }
            for (name, count) in all {
                consider(name, count);
            }
        }
    }
    found
        .sort_unstable_by(|left, right| (right.0, right.1, left.2).cmp(&(left.0, left.1, right.2)));
    found.truncate(MOST);
    found
        .into_iter()
        .map(|(_, count, name)| Suggestion {
            insert: quoted(name),
            says: match field {
                NameField::Server | NameField::Transport => String::new(),
                _ => crate::text::counted(count, "row"),
            },
            goes_on: false,
        })
        .collect()
}

/// A value as it must be written.
fn quoted(value: &str) -> String {
    let is_plain = !value
        .contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"' | '\'' | '*'))
        && !value.starts_with(['/', '=']);
    if is_plain {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Where the word at the end of `before` begins. None inside quotes or a regular expression.
fn word_start(before: &str) -> Option<usize> {
    let mut start = 0;
    let mut inside: Option<char> = None;
    let mut is_escaped = false;
    for (at, next) in before.char_indices() {
        if let Some(end) = inside {
            match next {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                _ if next == end => inside = None,
                _ => {}
            }
            continue;
        }
        let begins = at == start || before[..at].ends_with([':', ',', '=', '-', '!']);
        match next {
            '"' => inside = Some('"'),
            '\'' if begins => inside = Some('\''),
            '/' if begins && !before[start..at].contains(|c: char| !matches!(c, '-' | '!'))
                || before[start..at].ends_with("text:") && next == '/' =>
            {
                inside = Some('/');
            }
            _ if next.is_whitespace() || matches!(next, '(' | ')') => {
                start = at + next.len_utf8();
            }
            _ => {}
        }
    }
    inside.is_none().then_some(start)
}

fn floor(line: &str, mut at: usize) -> usize {
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    at
}
