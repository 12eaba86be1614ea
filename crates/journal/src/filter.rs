//! The filter line: which rows a person wants to see, in words.
//!
//! `docs/filter.md` tells the grammar to those who type it. [`Query::parse`] reads a line, or says where it
//! went wrong and what to try; [`complete::complete`] suggests what may stand at the cursor.
//!
//! A line is about the entries of the timeline's top level: operations with everything inside them, and what belongs
//! to none. Its fields are answered from the tree alone, without reading a record. Its texts and regular expressions
//! are answered by a [`crate::search`] that goes over the recorded bytes; until it has found a text in a row, the row
//! has it not.

use std::sync::Arc;

use crate::search::Needle;

pub mod complete;
mod judge;
mod lexer;
mod number;
mod parser;
mod problem;
mod words;

pub(crate) use judge::{Judge, Truth};
pub use problem::Problem;

use number::Range;
use words::{Has, Kind, NameField, NumberField, Status};

/// A filter line that could be read.
#[derive(Debug)]
pub struct Query {
    line: String,
    root: Condition,
    texts: Vec<Arc<Needle>>,
    has_connection_field: bool,
    denies_text: bool,
    names: usize,
}

impl Query {
    /// Reads a line. None when nothing stands in it.
    ///
    /// # Errors
    /// The line cannot be understood: what is wrong, where, and what to try.
    pub fn parse(line: &str) -> Result<Option<Query>, Problem> {
        parser::parse(line)
    }

    /// The line as it was typed.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// The texts and regular expressions, for a search. Empty when the index answers all of it.
    pub fn texts(&self) -> &[Arc<Needle>] {
        &self.texts
    }
}

/// What must hold of a row.
#[derive(Debug)]
pub(crate) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Name {
        field: NameField,
        pattern: Pattern,
        /// Which of the query's names it is.
        slot: usize,
    },
    Status(Status),
    Kind(Kind),
    Has(Has),
    Number(NumberField, Range),
    /// Which of the query's texts.
    Text(usize),
}

/// What a name must look like. Case counts nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// It contains this, which is in lower case.
    Contains(String),
    /// It is this.
    Is(String),
    /// It begins, goes on and ends with these, with anything between.
    Parts(Vec<String>),
}

impl Pattern {
    /// The pattern that a person means by a value.
    fn of(value: &str, exact: bool) -> Pattern {
        let value = value.to_lowercase();
        if value.contains('*') {
            Pattern::Parts(value.split('*').map(str::to_owned).collect())
        } else if exact {
            Pattern::Is(value)
        } else {
            Pattern::Contains(value)
        }
    }

    pub(crate) fn fits(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        match self {
            Pattern::Contains(part) => name.contains(part),
            Pattern::Is(whole) => name == *whole,
            Pattern::Parts(parts) => {
                let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
                    return false;
                };
                let Some(mut rest) = name.strip_prefix(first.as_str()) else {
                    return false;
                };
                for part in &parts[1..parts.len() - 1] {
                    let Some(at) = rest.find(part.as_str()) else {
                        return false;
                    };
                    rest = &rest[at + part.len()..];
                }
                rest.ends_with(last.as_str())
            }
        }
    }
}
