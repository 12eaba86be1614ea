//! A text's lines, found by number.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use crate::api::documents::{FoundLines, LineHit, LineView};

/// Places that are given.
const MOST_HITS: usize = 2000;
/// Narrower lines are not made.
const FEWEST_COLUMNS: usize = 20;

/// Where the lines of a text begin, long ones broken. Never within a character.
#[derive(Debug)]
pub(super) struct Lines {
    starts: Vec<u32>,
    /// For each line of JSON whether it begins within a string; empty for other texts.
    in_string: Vec<bool>,
    end: usize,
}

impl Lines {
    /// Breaks `text` at newlines, and longer lines after so many characters.
    pub(super) fn of(text: &str, columns: usize, is_json: bool) -> Self {
        let columns = columns.max(FEWEST_COLUMNS);
        let mut lines = Self {
            starts: Vec::new(),
            in_string: Vec::new(),
            end: text.len(),
        };
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
            lines.add(text, at..end, columns, is_json);
            if end == bytes.len() {
                return lines;
            }
            at = end + 1;
        }
    }

    fn add(&mut self, text: &str, line: Range<usize>, columns: usize, is_json: bool) {
        let mut within = false;
        let mut from = line.start;
        loop {
            self.starts.push(u32::try_from(from).unwrap_or(u32::MAX));
            if is_json {
                self.in_string.push(within);
            }
            let rest = &text[from..line.end];
            if rest.len() <= columns {
                return;
            }
            let to = rest
                .char_indices()
                .nth(columns)
                .map_or(line.end, |(offset, _)| from + offset);
            if to >= line.end {
                return;
            }
            if is_json {
                within =
                    ends_within_string(&text.as_bytes()[line.start..to], from - line.start, within);
            }
            from = to;
        }
    }

    /// How many lines there are.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// What it takes in memory.
    pub(super) fn memory(&self) -> usize {
        self.starts.len() * 4 + self.in_string.len()
    }

    /// Some lines.
    pub(super) fn window(&self, text: &str, start: u32, len: u32) -> Vec<LineView> {
        let start = (start as usize).min(self.starts.len());
        let end = start.saturating_add(len as usize).min(self.starts.len());
        (start..end)
            .map(|line| {
                let range = self.range(line);
                let from = range.start;
                let continued = from > 0 && text.as_bytes().get(from - 1) != Some(&b'\n');
                let shown = text.get(range).unwrap_or_default();
                LineView {
                    text: shown.trim_end_matches(['\n', '\r']).to_owned(),
                    continued,
                    in_string: self.in_string.get(line).copied().unwrap_or_default(),
                }
            })
            .collect()
    }

    /// Where a text is.
    pub(super) fn find(&self, text: &str, wanted: &str) -> FoundLines {
        let mut found = FoundLines::default();
        let Some(finder) = finder(wanted) else {
            return found;
        };
        for hit in finder.find_iter(text) {
            found.total = found.total.saturating_add(1);
            if found.hits.len() >= MOST_HITS {
                continue;
            }
            let line = self
                .starts
                .partition_point(|start| *start as usize <= hit.start())
                .saturating_sub(1);
            let start = self.range(line).start;
            let units = |range: Range<usize>| {
                let units = text
                    .get(range)
                    .map_or(0, |part| part.encode_utf16().count());
                u32::try_from(units).unwrap_or(u32::MAX)
            };
            let from = units(start..hit.start());
            found.hits.push(LineHit {
                line: u32::try_from(line).unwrap_or(u32::MAX),
                from,
                to: from.saturating_add(units(hit.start()..hit.end())),
            });
        }
        found
    }

    fn range(&self, line: usize) -> Range<usize> {
        let at = |line: usize| {
            self.starts
                .get(line)
                .map_or(self.end, |start| *start as usize)
        };
        at(line)..at(line + 1)
    }
}

/// What finds a text without regard to the case of ASCII letters; nothing finds nothing.
pub(super) fn finder(wanted: &str) -> Option<AhoCorasick> {
    if wanted.is_empty() {
        return None;
    }
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([wanted])
        .ok()
}

/// Whether a stretch of JSON, from `from` on, ends within a string. Strings do not span lines.
fn ends_within_string(line: &[u8], from: usize, mut within: bool) -> bool {
    let mut at = from;
    // A backslash at the end of the stretch before escapes the first byte of this one.
    if within
        && line[..from]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count()
            % 2
            == 1
    {
        at += 1;
    }
    while let Some(offset) = memchr::memchr2(b'"', b'\\', line.get(at..).unwrap_or_default()) {
        at += offset;
        if line[at] == b'"' {
            within = !within;
            at += 1;
        } else {
            at += 2;
        }
    }
    within
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, columns: usize) -> Vec<String> {
        let lines = Lines::of(text, columns, false);
        let window = lines.window(text, 0, lines.count());
        window.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn lines_are_broken_between_characters_and_lose_nothing() {
        let long = "ä🦀x".repeat(30);
        let text = format!("a\r\n\n{long}\nend");
        let lines = texts(&text, 20);
        assert_eq!(lines[..2], ["a", ""]);
        assert_eq!(lines[2..lines.len() - 1].concat(), long);
        assert!(lines.iter().all(|line| line.chars().count() <= 20));
        assert_eq!(texts("", 80), [""]);
        assert_eq!(texts("a\n", 80), ["a", ""]);
    }

    #[test]
    fn a_broken_string_is_known_to_go_on() {
        let text = format!(
            "{{\n  \"k\": \"{}\\\"{}\"\n}}",
            "a".repeat(30),
            "b".repeat(30)
        );
        let lines = Lines::of(&text, 20, true);
        let window = lines.window(&text, 0, 99);
        let within: Vec<bool> = window.iter().map(|line| line.in_string).collect();
        assert_eq!(
            within,
            [false, false, true, true, true, false],
            "{window:?}"
        );
        assert_eq!(window.iter().filter(|line| line.continued).count(), 3);
    }

    #[test]
    fn hits_are_told_by_line_in_the_pages_units() {
        let text = "one\n🦀 Two two\n";
        let lines = Lines::of(text, 80, false);
        let found = lines.find(text, "TWO");
        assert_eq!(found.total, 2);
        let places: Vec<_> = found
            .hits
            .iter()
            .map(|hit| (hit.line, hit.from, hit.to))
            .collect();
        assert_eq!(places, [(1, 3, 6), (1, 7, 10)]);
        assert_eq!(lines.find(text, "").total, 0);
    }
}
