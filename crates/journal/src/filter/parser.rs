//! From a line's pieces to its condition.
//!
//! ```text
//! line  = any
//! any   = all ("or" all)*
//! all   = one (["and"] one)*
//! one   = ("not" | "-" | "!")* ( "(" any ")" | field ":" value | text | /regex/ )
//! ```

use std::ops::Range;
use std::sync::Arc;

use super::lexer::{Token, What, tokens};
use super::number::range;
use super::problem::{Problem, closest};
use super::words::{FIELDS, Field, Has, Kind, NumberField, Status, Takes, field_named};
use super::words::{NameField, Unit};
use super::{Condition, Pattern, Query};
use crate::search::Needle;

/// How deep parentheses and negations may lie in each other.
const DEEPEST: usize = 64;
/// How many texts one line may search for.
const MOST_TEXTS: usize = 32;

/// Reads a line. None when nothing stands in it.
pub(super) fn parse(line: &str) -> Result<Option<Query>, Problem> {
    let tokens = tokens(line)?;
    if tokens.is_empty() {
        return Ok(None);
    }
    let mut parser = Parser {
        line,
        tokens: &tokens,
        at: 0,
        depth: 0,
        texts: Vec::new(),
        names: 0,
        has_connection_field: false,
        denies_text: false,
        denied: false,
    };
    let root = parser.any()?;
    if let Some(token) = parser.peek() {
        return Err(Problem::new(
            token.at.clone(),
            "This parenthesis closes nothing.",
            "Take it away, put a ( before it, or put it in quotes to find it as text.",
        ));
    }
    Ok(Some(Query {
        line: line.to_owned(),
        root,
        texts: parser.texts,
        has_connection_field: parser.has_connection_field,
        denies_text: parser.denies_text,
        names: parser.names,
    }))
}

struct Parser<'a> {
    line: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    texts: Vec<Arc<Needle>>,
    names: usize,
    has_connection_field: bool,
    denies_text: bool,
    /// An odd number of negations stands before what is read.
    denied: bool,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn any(&mut self) -> Result<Condition, Problem> {
        let mut parts = vec![self.all()?];
        while let Some(token) = self.peek()
            && token.what == What::Or
        {
            self.at += 1;
            self.expect_more(token)?;
            parts.push(self.all()?);
        }
        Ok(one_or(parts, Condition::Any))
    }

    fn all(&mut self) -> Result<Condition, Problem> {
        let mut parts = vec![self.one()?];
        while let Some(token) = self.peek() {
            match token.what {
                What::Or | What::Close => break,
                What::And => {
                    self.at += 1;
                    self.expect_more(token)?;
                }
                _ => {}
            }
            parts.push(self.one()?);
        }
        Ok(one_or(parts, Condition::All))
    }

    fn one(&mut self) -> Result<Condition, Problem> {
        let Some(token) = self.peek() else {
            let end = self.line.len();
            return Err(Problem::new(
                end..end,
                "A condition is missing here.",
                "Add one, for example status:error.",
            ));
        };
        self.at += 1;
        match &token.what {
            What::Not => {
                self.expect_more(token)?;
                self.enter(token)?;
                self.denied = !self.denied;
                let inner = self.one()?;
                self.denied = !self.denied;
                self.depth -= 1;
                Ok(Condition::Not(Box::new(inner)))
            }
            What::Open => {
                self.enter(token)?;
                let inner = self.any()?;
                self.depth -= 1;
                match self.peek() {
                    Some(close) if close.what == What::Close => self.at += 1,
                    _ => {
                        return Err(Problem::new(
                            token.at.clone(),
                            "This parenthesis is never closed.",
                            "Add a ) where the group ends.",
                        ));
                    }
                }
                Ok(inner)
            }
            What::Close => Err(Problem::new(
                token.at.clone(),
                "There is nothing before this parenthesis.",
                "Take it away, or put a condition before it.",
            )),
            What::And | What::Or => Err(Problem::new(
                token.at.clone(),
                format!(
                    "There is nothing before “{}”.",
                    &self.line[token.at.clone()]
                ),
                "Put a condition before it, or put the word in quotes to find it as text.",
            )),
            What::Text(text) => self.text(text, &token.at),
            What::Regex(pattern, flags) => self.regex(pattern, flags, &token.at),
            What::Field {
                name,
                exact,
                values,
                regex,
            } => {
                let Some(field) = field_named(name) else {
                    return Err(unknown_field(name, token.at.clone()));
                };
                if let Some((pattern, flags)) = regex {
                    if field.takes != Takes::Text {
                        return Err(Problem::new(
                            token.at.clone(),
                            format!("“{}” takes no regular expression.", field.word),
                            format!(
                                "Use * for anything, as in {}:*{}*, or search with /…/ alone.",
                                field.word, field.example
                            ),
                        ));
                    }
                    return self.regex(pattern, flags, &token.at);
                }
                let parts = values
                    .iter()
                    .map(|(value, at)| self.value(field, value, *exact, at))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(one_or(parts, Condition::Any))
            }
        }
    }

    fn enter(&mut self, token: &Token) -> Result<(), Problem> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Problem::new(
                token.at.clone(),
                format!("More than {DEEPEST} groups lie in each other."),
                "Take some parentheses away.",
            ));
        }
        Ok(())
    }

    fn expect_more(&self, token: &Token) -> Result<(), Problem> {
        if self.at < self.tokens.len() {
            return Ok(());
        }
        Err(Problem::new(
            token.at.clone(),
            format!("Nothing follows “{}”.", &self.line[token.at.clone()]),
            "Add a condition, or put it in quotes to find it as text.",
        ))
    }

    fn value(
        &mut self,
        field: &Field,
        value: &str,
        exact: bool,
        at: &Range<usize>,
    ) -> Result<Condition, Problem> {
        if value.is_empty() && field.takes != Takes::Text {
            return Err(Problem::new(
                at.clone(),
                format!("“{}:” has no value.", field.word),
                format!("Add one, for example {}:{}.", field.word, field.example),
            ));
        }
        match field.takes {
            Takes::Name(name) => {
                self.has_connection_field |=
                    matches!(name, NameField::Server | NameField::Transport);
                let slot = self.names;
                self.names += 1;
                Ok(Condition::Name {
                    field: name,
                    pattern: Pattern::of(value, exact),
                    slot,
                })
            }
            Takes::Text => self.text(value, at),
            Takes::Status => Status::of(value)
                .map(Condition::Status)
                .ok_or_else(|| unknown(field, value, at, Status::ALL.iter().map(|word| word.1))),
            Takes::Kind => Kind::of(value)
                .map(Condition::Kind)
                .ok_or_else(|| unknown(field, value, at, Kind::ALL.iter().map(|word| word.1))),
            Takes::Has => Has::of(value)
                .map(Condition::Has)
                .ok_or_else(|| unknown(field, value, at, Has::ALL.iter().map(|word| word.1))),
            Takes::Number(number) => {
                let unit = if matches!(number, NumberField::Http | NumberField::Code) {
                    Unit::Count
                } else {
                    number.unit()
                };
                let given = if exact {
                    format!("={value}")
                } else {
                    value.to_owned()
                };
                range(&given, unit)
                    .map(|range| Condition::Number(number, range))
                    .map_err(|hint| {
                        Problem::new(
                            at.clone(),
                            format!("“{}” does not fit “{}”.", value, field.word),
                            hint,
                        )
                    })
            }
        }
    }

    fn text(&mut self, text: &str, at: &Range<usize>) -> Result<Condition, Problem> {
        if text.is_empty() {
            return Err(Problem::new(
                at.clone(),
                "The text to search for is empty.",
                "Write it between the quotes.",
            ));
        }
        self.needle(Needle::text(text), at)
    }

    fn regex(
        &mut self,
        pattern: &str,
        flags: &str,
        at: &Range<usize>,
    ) -> Result<Condition, Problem> {
        if pattern.is_empty() {
            return Err(Problem::new(
                at.clone(),
                "The regular expression is empty.",
                "Write it between the slashes, or put // in quotes to find it as text.",
            ));
        }
        let needle = Needle::regex(pattern, flags).map_err(|message| {
            Problem::new(
                at.clone(),
                format!("The regular expression cannot be read: {message}."),
                "Mend it, or use text:\"…\" to find its characters as they are.",
            )
        });
        self.needle(needle?, at)
    }

    fn needle(&mut self, needle: Needle, at: &Range<usize>) -> Result<Condition, Problem> {
        if self.texts.len() == MOST_TEXTS {
            return Err(Problem::new(
                at.clone(),
                format!("One line searches for {MOST_TEXTS} texts at most."),
                "Join some of them into one regular expression: /this|that/.",
            ));
        }
        self.denies_text |= self.denied;
        self.texts.push(Arc::new(needle));
        Ok(Condition::Text(self.texts.len() - 1))
    }
}

fn one_or(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            join(parts)
        }
    }
}

pub(super) fn unknown_field(name: &str, at: Range<usize>) -> Problem {
    let quoted = format!("put it in quotes to find it as text: \"{name}:…\"");
    let fields = FIELDS
        .iter()
        .flat_map(|field| std::iter::once(field.word).chain(field.others.iter().copied()));
    let hint = match closest(name, fields) {
        Some(field) => format!("Did you mean {field}:? Otherwise {quoted}."),
        None => format!("Press Ctrl+Space for the fields, or {quoted}."),
    };
    Problem::new(at, format!("There is no field “{name}”."), hint)
}

fn unknown<'w>(
    field: &Field,
    value: &str,
    at: &Range<usize>,
    known: impl Iterator<Item = &'w str> + Clone,
) -> Problem {
    let hint = match closest(value, known.clone()) {
        Some(word) => format!("Did you mean {}:{word}?", field.word),
        None => format!("It takes {}.", known.collect::<Vec<_>>().join(", ")),
    };
    Problem::new(
        at.clone(),
        format!("“{}” does not know “{value}”.", field.word),
        hint,
    )
}
