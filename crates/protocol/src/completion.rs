//! Suggestions for what a person types: arguments of prompts, variables of resource templates (2026-07-28 and
//! 2025-11-25 server/utilities/completion).

use std::borrow::Cow;

use serde_json::value::RawValue;
use wire::object::{self, ObjectWriter, ValueKind};

use crate::era::Revision;
use crate::text;

/// How many suggestions one answer may have.
pub const MOST_VALUES: usize = 100;

/// What is completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// A prompt, by its name.
    Prompt(String),
    /// A resource template, by its text.
    ResourceTemplate(String),
}

/// The `params` of `completion/complete`. `context` is what the other arguments hold already, in order; revisions before
/// 2025-06-18 have no place for it.
pub fn params(
    reference: &Reference,
    (argument, value): (&str, &str),
    context: &[(String, String)],
    revision: &Revision,
) -> String {
    let mut target = ObjectWriter::new();
    match reference {
        Reference::Prompt(name) => target.string("type", "ref/prompt").string("name", name),
        Reference::ResourceTemplate(uri) => {
            target.string("type", "ref/resource").string("uri", uri)
        }
    };
    let mut typed = ObjectWriter::new();
    typed.string("name", argument).string("value", value);
    let mut params = ObjectWriter::new();
    params
        .raw("ref", &target.finish())
        .raw("argument", &typed.finish());
    // Dated revisions compare as text.
    if !context.is_empty() && revision.as_str() >= Revision::V2025_06_18.as_str() {
        let mut others = ObjectWriter::new();
        for (name, value) in context {
            others.string(name, value);
        }
        let mut context = ObjectWriter::new();
        context.raw("arguments", &others.finish());
        params.raw("context", &context.finish());
    }
    params.finish()
}

/// What a server suggests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The suggestions, best first; at most [`MOST_VALUES`].
    pub values: Vec<String>,
    /// How many there are in all, as far as the server says.
    pub total: Option<u64>,
    /// There are more than these.
    pub has_more: bool,
    /// What did not look as the specification says, a sentence each.
    pub problems: Vec<String>,
}

/// Reads the result of `completion/complete`.
pub fn read(result: &RawValue) -> Completion {
    let mut problems = Vec::new();
    let completion = object::get(result, "completion");
    let list = completion.and_then(|completion| object::get(completion, "values"));
    let elements = list.and_then(object::read_elements);
    if elements.is_none() {
        problems.push(match (completion, list) {
            (_, Some(list)) => format!("values is {}, not an array.", ValueKind::of(list)),
            (Some(_), None) => "The completion has no values.".to_owned(),
            (None, None) => "The result has no completion.".to_owned(),
        });
    }
    let elements = elements.unwrap_or_default();
    let count = elements.len();
    let mut values: Vec<String> = elements
        .into_iter()
        .filter_map(|value| object::string(value).map(Cow::into_owned))
        .collect();
    if values.len() < count {
        problems.push(format!(
            "{} of {count} values are not strings and are left out.",
            count - values.len()
        ));
    }
    let is_cut = values.len() > MOST_VALUES;
    if is_cut {
        problems.push(format!(
            "It has {} values; at most {MOST_VALUES} are allowed, and the first of them are shown.",
            values.len()
        ));
        values.truncate(MOST_VALUES);
    }
    let member = |key| {
        object::get(completion?, key).filter(|value| ValueKind::of(*value) != ValueKind::Null)
    };
    let total = member("total").and_then(|total| {
        let read = total.get().parse::<u64>().ok();
        if read.is_none() {
            problems.push(format!(
                "total is {}, not a number.",
                text::excerpt(total.get(), 60)
            ));
        }
        read
    });
    let says_more = member("hasMore").is_some_and(|more| more.get() == "true");
    let beyond = total.is_some_and(|total| total > values.len() as u64);
    Completion {
        has_more: says_more || is_cut || beyond,
        values,
        total,
        problems,
    }
}
