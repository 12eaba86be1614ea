//! Prompts and what getting one gives (2026-07-28 and 2025-11-25 server/prompts).

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use crate::fields::{check_object, optional_flag, optional_text, required_text};
use crate::listing::{Entry, ListKind};
use crate::results::{self, Content};
use crate::text;

/// A prompt.
#[derive(Clone, Debug)]
pub struct PromptEntry {
    /// Its name; empty when there is none (then `problems` says so).
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description, plain text.
    pub description: Option<String>,
    /// Its arguments in order; those without a name are left out, and `problems` says so.
    pub arguments: Vec<PromptArgument>,
    /// What is wrong with it, a sentence each.
    pub problems: Vec<String>,
    /// The whole entry as it came.
    pub raw: Box<RawValue>,
}

/// An argument of a prompt. Its value is a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description, plain text.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
}

impl Entry for PromptEntry {
    const KIND: ListKind = ListKind::Prompts;
    const REPEATED: &'static str =
        "An earlier prompt has the same name; the server takes whichever it likes.";

    fn read(raw: &RawValue) -> Self {
        let mut problems = Vec::new();
        check_object(raw, &mut problems);
        PromptEntry {
            name: required_text(raw, "name", &mut problems),
            title: optional_text(raw, "title", &mut problems),
            description: optional_text(raw, "description", &mut problems),
            arguments: read_arguments(raw, &mut problems),
            problems,
            raw: raw.to_owned(),
        }
    }

    fn key(&self) -> &str {
        &self.name
    }

    fn raw(&self) -> &RawValue {
        &self.raw
    }

    fn problems_mut(&mut self) -> &mut Vec<String> {
        &mut self.problems
    }
}

fn read_arguments(raw: &RawValue, problems: &mut Vec<String>) -> Vec<PromptArgument> {
    let Some(list) =
        object::get(raw, "arguments").filter(|list| ValueKind::of(*list) != ValueKind::Null)
    else {
        return Vec::new();
    };
    let Some(elements) = object::read_elements(list) else {
        problems.push(format!(
            "arguments is {}, not an array.",
            ValueKind::of(list)
        ));
        return Vec::new();
    };
    let mut arguments: Vec<PromptArgument> = Vec::new();
    for (place, element) in elements.into_iter().enumerate() {
        let mut own = Vec::new();
        let name = required_text(element, "name", &mut own);
        let argument = PromptArgument {
            title: optional_text(element, "title", &mut own),
            description: optional_text(element, "description", &mut own),
            required: optional_flag(element, "required", &mut own),
            name,
        };
        let called = if argument.name.is_empty() {
            format!("Argument {}", place + 1)
        } else {
            format!("The argument {}", argument.name)
        };
        if arguments.iter().any(|known| known.name == argument.name) {
            own.push("An earlier one has the same name.".to_owned());
        }
        problems.extend(own.iter().map(|problem| format!("{called}: {problem}")));
        // Of equal names only one value can be sent.
        if !argument.name.is_empty() && !arguments.iter().any(|known| known.name == argument.name) {
            arguments.push(argument);
        }
    }
    arguments
}

/// What getting a prompt gave.
#[derive(Clone, Debug)]
pub struct PromptResult {
    /// The description of what came.
    pub description: Option<String>,
    /// The messages in order, those that are malformed included.
    pub messages: Vec<PromptMessage>,
    /// What did not look as the specification says, a sentence each.
    pub problems: Vec<String>,
}

/// A message of a prompt.
#[derive(Clone, Debug)]
pub struct PromptMessage {
    /// `user` or `assistant`, or what the server said instead.
    pub role: String,
    /// What it says.
    pub content: Content,
}

/// Reads the result of `prompts/get`.
pub fn read_prompt_result(result: &RawValue) -> PromptResult {
    let mut problems = Vec::new();
    let list = object::get(result, "messages");
    let elements = list.and_then(object::read_elements);
    if elements.is_none() {
        problems.push(match (list, ValueKind::of(result)) {
            (Some(list), _) => format!("messages is {}, not an array.", ValueKind::of(list)),
            (None, ValueKind::Object) => "The result has no messages.".to_owned(),
            (None, kind) => format!("The result is {kind}, not an object."),
        });
    }
    let mut messages = Vec::new();
    for (place, element) in elements.unwrap_or_default().into_iter().enumerate() {
        let role = object::get(element, "role").and_then(object::string);
        if !matches!(role.as_deref(), Some("user" | "assistant")) {
            let is = object::get(element, "role").map_or_else(
                || "missing".to_owned(),
                |role| text::excerpt(role.get(), 60),
            );
            problems.push(format!(
                "The role of message {} is {is}; it must be \"user\" or \"assistant\".",
                place + 1
            ));
        }
        messages.push(PromptMessage {
            role: role.unwrap_or_default().into_owned(),
            content: match object::get(element, "content") {
                Some(content) => results::read_block(content),
                None => Content::Other {
                    raw: element.to_owned(),
                    problem: "The message has no content.".to_owned(),
                },
            },
        });
    }
    PromptResult {
        description: optional_text(result, "description", &mut problems),
        messages,
        problems,
    }
}
