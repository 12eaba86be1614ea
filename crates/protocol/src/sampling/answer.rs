//! Whether an answer is a `CreateMessageResult` of the revision that is spoken, and fits what was asked.

use std::collections::BTreeSet;

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use super::Request;
use crate::era::{Era, Revision};
use crate::{base64, text};

/// What is wrong with an answer, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// A JSON pointer into the answer; empty for all of it.
    pub pointer: String,
    /// In plain words.
    pub message: String,
}

/// The text of an answer on one line, to be sent as it was written.
///
/// # Errors
/// What is wrong with it, at least one thing.
pub fn answer(answer: &str, request: &Request, revision: &Revision) -> Result<String, Vec<Breach>> {
    let mut check = Check {
        request,
        has_tools: revision.era() == Era::Modern
            || revision.as_str() >= Revision::V2025_11_25.as_str(),
        has_audio: revision.as_str() >= Revision::V2025_03_26.as_str(),
        revision,
        uses: BTreeSet::new(),
        breaches: Vec::new(),
    };
    check.whole(answer);
    if check.breaches.is_empty() {
        Ok(text::one_line(answer).into_owned())
    } else {
        Err(check.breaches)
    }
}

struct Check<'a> {
    request: &'a Request,
    revision: &'a Revision,
    /// Content may be a list, and tools may be used.
    has_tools: bool,
    has_audio: bool,
    /// The ids of tool uses so far.
    uses: BTreeSet<String>,
    breaches: Vec<Breach>,
}

impl Check<'_> {
    fn breach(&mut self, pointer: &str, message: impl Into<String>) {
        self.breaches.push(Breach {
            pointer: pointer.to_owned(),
            message: message.into(),
        });
    }

    fn whole(&mut self, answer: &str) {
        let read = serde_json::from_str::<&RawValue>(answer).ok();
        let Some(answer) = read.filter(|read| ValueKind::of(*read) == ValueKind::Object) else {
            self.breach("", "The answer is not a JSON object.");
            return;
        };
        let role = object::get(answer, "role").and_then(object::string);
        if !matches!(role.as_deref(), Some("assistant" | "user")) {
            self.breach("/role", "The role must be \"assistant\" or \"user\".");
        }
        match object::get(answer, "model").and_then(object::string) {
            None => self.breach("/model", "The answer must name its model."),
            Some(model) if model.trim().is_empty() => {
                self.breach("/model", "Name the model that wrote the answer.");
            }
            Some(_) => {}
        }
        let stop_reason = object::get(answer, "stopReason");
        if stop_reason.is_some_and(|reason| ValueKind::of(reason) != ValueKind::String) {
            self.breach("/stopReason", "The stop reason must be a text.");
        }
        let Some(content) = object::get(answer, "content") else {
            self.breach("/content", "The answer has no content.");
            return;
        };
        match object::read_elements(content) {
            Some(_) if !self.has_tools => {
                let message = format!(
                    "In {} an answer is a single block, not a list.",
                    self.revision.as_str()
                );
                self.breach("/content", message);
            }
            Some(blocks) if blocks.is_empty() => {
                self.breach("/content", "The answer has no content block.");
            }
            Some(blocks) => {
                for (place, block) in blocks.into_iter().enumerate() {
                    self.block(&format!("/content/{place}"), block);
                }
            }
            None => self.block("/content", content),
        }
        self.tool_choice();
    }

    fn tool_choice(&mut self) {
        match self.request.tool_choice.as_deref() {
            Some("none") if !self.uses.is_empty() => {
                self.breach(
                    "/content",
                    "The server's tool choice is none: no tool may be used.",
                );
            }
            Some("required") if self.uses.is_empty() => {
                self.breach(
                    "/content",
                    "The server's tool choice is required: at least one tool must be used.",
                );
            }
            _ => {}
        }
    }

    fn block(&mut self, pointer: &str, block: &RawValue) {
        let kind = object::get(block, "type").and_then(object::string);
        match kind.as_deref() {
            Some("text") => {
                self.text_at(pointer, block, "text");
            }
            Some("image") => self.media(pointer, block),
            Some("audio") if self.has_audio => self.media(pointer, block),
            Some("tool_use") if self.has_tools => self.tool_use(pointer, block),
            Some("tool_result") => {
                self.breach(
                    pointer,
                    "A tool's result is the server's to give, not the model's.",
                );
            }
            Some(kind) => {
                let message = format!(
                    "The content type {:?} is not one that an answer has in {}.",
                    text::excerpt(kind, 40),
                    self.revision.as_str()
                );
                self.breach(pointer, message);
            }
            None => self.breach(pointer, "The block has no type."),
        }
    }

    fn text_at(&mut self, pointer: &str, block: &RawValue, key: &str) -> Option<String> {
        let read = object::get(block, key).and_then(object::string);
        if read.is_none() {
            self.breach(
                &format!("{pointer}/{key}"),
                format!("{key} must be a text."),
            );
        }
        read.map(std::borrow::Cow::into_owned)
    }

    fn media(&mut self, pointer: &str, block: &RawValue) {
        if let Some(data) = self.text_at(pointer, block, "data") {
            match base64::check(&data) {
                Ok((_, 0)) => self.breach(&format!("{pointer}/data"), "The file is empty."),
                Ok(_) => {}
                Err(why) => self.breach(
                    &format!("{pointer}/data"),
                    format!("The data cannot be read: {why}."),
                ),
            }
        }
        if let Some(mime_type) = self.text_at(pointer, block, "mimeType")
            && !mime_type.contains('/')
        {
            self.breach(
                &format!("{pointer}/mimeType"),
                "The MIME type must be one such as image/png.",
            );
        }
    }

    fn tool_use(&mut self, pointer: &str, block: &RawValue) {
        if let Some(id) = self.text_at(pointer, block, "id") {
            if id.is_empty() {
                self.breach(&format!("{pointer}/id"), "A tool use needs an id.");
            } else if !self.uses.insert(id) {
                self.breach(
                    &format!("{pointer}/id"),
                    "Another tool use of this answer has the same id.",
                );
            }
        }
        if let Some(name) = self.text_at(pointer, block, "name")
            && self.request.tools.iter().all(|tool| tool.name != name)
        {
            let message = format!(
                "The server offers no tool named {:?} for this answer.",
                text::excerpt(&name, 60)
            );
            self.breach(&format!("{pointer}/name"), message);
        }
        let input = object::get(block, "input");
        if !input.is_some_and(|input| ValueKind::of(input) == ValueKind::Object) {
            self.breach(
                &format!("{pointer}/input"),
                "The arguments of a tool must be a JSON object.",
            );
        }
    }
}
