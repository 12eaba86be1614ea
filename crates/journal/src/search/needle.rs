//! What is looked for.

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ast;

use super::texts::{self, Place};
use super::{Loaded, pattern};

/// The most memory that a compiled expression may take.
const LARGEST_EXPRESSION_BYTE_LEN: usize = 8 << 20;

/// A text or a regular expression.
#[derive(Debug)]
pub struct Needle {
    regex: Regex,
    /// The characters as they were typed; none for a regular expression.
    text: Option<String>,
    ignores_case: bool,
    /// No find can reach from one record into the next, so it may run over all of a block at once. Each record begins
    /// with its length, of which the upper bytes are zero; a text has none of these. What an expression fits in several
    /// records together would hide what it fits in one.
    sweeps: bool,
}

impl Needle {
    /// The characters of a text, however JSON may have escaped them and whether or not their accents are composed. Case
    /// counts when the text has a capital letter.
    pub fn text(text: &str) -> Needle {
        let ignores_case = !text.chars().any(char::is_uppercase);
        let regex = build(&pattern::of(text, ignores_case), |builder| {
            builder.case_insensitive(ignores_case);
        })
        // Too long for an expression with all its ways of being escaped: as it is then.
        .or_else(|_| build(&regex::escape(text), |_| {}));
        Needle {
            regex: regex.unwrap_or_else(|_| nothing()),
            text: Some(text.to_owned()),
            ignores_case,
            sweeps: !text.contains('\0'),
        }
    }

    /// A regular expression with the flags i, s, m and x.
    ///
    /// # Errors
    /// It cannot be read: why, in words.
    pub fn regex(expression: &str, flags: &str) -> Result<Needle, String> {
        let has = |flag: char| flags.contains(flag);
        // Its own reading says where something is wrong.
        regex_syntax::ParserBuilder::new()
            .utf8(false)
            .case_insensitive(has('i'))
            .dot_matches_new_line(has('s'))
            .multi_line(has('m'))
            .ignore_whitespace(has('x'))
            .build()
            .parse(expression)
            .map_err(|error| why(expression, &error))?;
        let regex = build(expression, |builder| {
            builder
                .case_insensitive(has('i'))
                .dot_matches_new_line(has('s'))
                .multi_line(has('m'))
                .ignore_whitespace(has('x'));
        })
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                "it is too large; make its repetitions smaller".to_owned()
            }
            other => other.to_string(),
        })?;
        Ok(Needle {
            regex,
            text: None,
            ignores_case: has('i'),
            sweeps: false,
        })
    }

    /// The text as it was typed. None for a regular expression.
    pub fn plain(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Whether case counts for nothing.
    pub fn ignores_case(&self) -> bool {
        self.ignores_case
    }

    /// Calls `found` with the index of each record that has it, each once.
    pub(super) fn search(&self, block: &Loaded, found: &mut dyn FnMut(u32)) {
        if self.sweeps {
            self.sweep(block, found);
            return;
        }
        for index in 0..block.len() {
            if self.is_in(block, index, None) {
                found(as_index(index));
            }
        }
    }

    /// Runs over all of the bytes, and looks at the records in which that ended.
    fn sweep(&self, block: &Loaded, found: &mut dyn FnMut(u32)) {
        let mut at = 0;
        let mut index = 0;
        while let Some(end) = self.regex.shortest_match_at(&block.bytes, at) {
            // Of an empty find the end is its only place.
            let last = end.saturating_sub(1).max(at);
            index += block.bounds[index..].partition_point(|bound| *bound <= last) - 1;
            if index >= block.len() {
                return;
            }
            if self.is_in(block, index, Some(end)) {
                found(as_index(index));
            }
            index += 1;
            at = block.bounds[index];
        }
    }

    /// Whether one of a record's texts has it. A find that ended at `end` of the block may be one of them.
    fn is_in(&self, block: &Loaded, index: usize, end: Option<usize>) -> bool {
        match texts::place(block, index) {
            Place::Bytes(bytes) => {
                // What was found is mostly in here; only as much as that is looked at again.
                let near = end.and_then(|end| {
                    let len = end.checked_sub(bytes.start)?;
                    block.bytes.get(bytes.start..bytes.start + len)
                });
                near.is_some_and(|near| self.regex.is_match(near))
                    || block
                        .bytes
                        .get(bytes)
                        .is_some_and(|all| self.regex.is_match(all))
            }
            Place::Texts(texts) => texts
                .iter()
                .any(|text| self.regex.is_match(text.as_bytes())),
            Place::Nowhere => false,
        }
    }
}

fn build(expression: &str, set: impl FnOnce(&mut RegexBuilder)) -> Result<Regex, regex::Error> {
    let mut builder = RegexBuilder::new(expression);
    builder.size_limit(LARGEST_EXPRESSION_BYTE_LEN);
    set(&mut builder);
    builder.build()
}

/// An expression that fits nowhere.
fn nothing() -> Regex {
    #[allow(clippy::unwrap_used)] // a constant
    Regex::new(r"[^\s\S]").unwrap()
}

fn why(expression: &str, error: &regex_syntax::Error) -> String {
    let (kind, span) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span()),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span()),
        other => return other.to_string(),
    };
    place_of(expression, span).map_or_else(|| kind.clone(), |place| format!("{kind}, at {place}"))
}

fn place_of(expression: &str, span: &ast::Span) -> Option<String> {
    let part = expression.get(span.start.offset..span.end.offset)?;
    Some(if part.is_empty() {
        format!(
            "character {}",
            expression[..span.start.offset].chars().count() + 1
        )
    } else {
        format!("“{part}”")
    })
}

fn as_index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
