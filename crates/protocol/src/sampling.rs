//! What a sampling request asks, and whether an answer to it is one (2026-07-28 and 2025-11-25 client/sampling). Sampling
//! is deprecated as of 2026-07-28 in favour of servers calling model providers themselves; it stays for twelve months.

mod answer;
mod balance;

use std::borrow::Cow;

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use crate::results::{self, Content};
use crate::text;

pub use answer::{Breach, answer};

/// How much of a server's value a problem quotes.
const QUOTED: usize = 60;
/// How much of the last words tells one request from another.
const LAST_WORDS: usize = 200;

/// The `params` of `sampling/createMessage`. Numbers are the tokens that came.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The system prompt that the server would like.
    pub system_prompt: Option<String>,
    /// The conversation in order, messages that are malformed included.
    pub messages: Vec<Message>,
    /// Names, or parts of names, of models that the server would like, the best first.
    pub model_hints: Vec<String>,
    /// How much low cost counts, from 0 to 1.
    pub cost_priority: Option<String>,
    /// How much low latency counts, from 0 to 1.
    pub speed_priority: Option<String>,
    /// How much capability counts, from 0 to 1.
    pub intelligence_priority: Option<String>,
    /// The most tokens that the answer may have.
    pub max_tokens: Option<String>,
    /// How random the answer should be.
    pub temperature: Option<String>,
    /// What ends the answer.
    pub stop_sequences: Vec<String>,
    /// `none`, `thisServer` or `allServers`, or what came instead.
    pub include_context: Option<String>,
    /// What is passed on to the provider.
    pub metadata: Option<Box<RawValue>>,
    /// The tools that the answer may use. They belong to this request and need not be the server's own.
    pub tools: Vec<Tool>,
    /// `auto`, `required` or `none`, or what came instead.
    pub tool_choice: Option<String>,
    /// Members that the specification does not know.
    pub unknown: Vec<String>,
    /// What does not look as the specification says, a sentence each.
    pub problems: Vec<String>,
    /// Whether the request is for tools at all: `tools` or `toolChoice` is there.
    pub wants_tools: bool,
    /// What of the conversation makes the request an error (§ Message Content Constraints), in the words of the
    /// specification's examples.
    pub invalid: Option<String>,
}

/// A message of the conversation.
#[derive(Clone, Debug)]
pub struct Message {
    /// `user` or `assistant`, or what came instead.
    pub role: String,
    /// What it holds; a single block is a list of one.
    pub content: Vec<Block>,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub enum Block {
    /// Text, an image, a sound, or something that has no place in a message.
    Content(Content),
    /// The model wanted to use a tool.
    ToolUse {
        /// What its result names it by.
        id: String,
        /// The tool.
        name: String,
        /// The arguments as they came.
        input: Box<RawValue>,
    },
    /// What using a tool gave.
    ToolResult {
        /// The use that it belongs to.
        tool_use_id: String,
        /// The content blocks.
        content: Vec<Content>,
        /// `structuredContent` as it came.
        structured: Option<Box<RawValue>>,
        /// Whether using the tool failed.
        is_error: bool,
    },
}

/// A tool that the answer may use.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The schema of its arguments; an empty object where there is none.
    pub input_schema: Box<RawValue>,
}

impl Request {
    /// Reads what is asked. Whatever is wrong is said in [`Request::problems`].
    pub fn read(params: &RawValue) -> Self {
        let mut request = Request::default();
        let Some(members) = object::read_members(params) else {
            request.problems.push(format!(
                "The request's params are {}, not an object.",
                ValueKind::of(params)
            ));
            return request;
        };
        let mut has_messages = false;
        for (key, value) in members {
            match key.as_str() {
                "messages" => {
                    has_messages = true;
                    request.read_messages(value);
                }
                "systemPrompt" => request.system_prompt = request.text(&key, value),
                "includeContext" => request.include_context = request.text(&key, value),
                "modelPreferences" => request.read_preferences(value),
                "maxTokens" => request.max_tokens = request.number(&key, value),
                "temperature" => request.temperature = request.number(&key, value),
                "stopSequences" => request.read_stop_sequences(value),
                "metadata" => request.metadata = Some(value.to_owned()),
                "tools" => request.read_tools(value),
                "toolChoice" => request.read_tool_choice(value),
                "_meta" | "task" => {}
                _ => request.unknown.push(text::excerpt(&key, QUOTED)),
            }
        }
        if !has_messages {
            request.problem("The request has no messages.");
        }
        if request.max_tokens.is_none() {
            request.problem("The request has no maxTokens, which is required.");
        }
        if matches!(
            request.include_context.as_deref(),
            Some("thisServer" | "allServers")
        ) {
            request.problem("includeContext asks for context, which is deprecated and was not offered (sampling.context).");
        }
        request.invalid = balance::breach(&request.messages);
        if let Some(breach) = &request.invalid {
            let breach = format!("{breach}.");
            request.problem(breach);
        }
        request
    }

    /// The last text of the conversation, to tell the request from others; empty where there is none.
    pub fn last_words(&self) -> String {
        let blocks = self
            .messages
            .iter()
            .rev()
            .flat_map(|message| message.content.iter().rev());
        let mut texts = blocks.filter_map(|block| match block {
            Block::Content(Content::Text { text }) => Some(text),
            _ => None,
        });
        texts
            .next()
            .map(|words| text::excerpt(words, LAST_WORDS))
            .unwrap_or_default()
    }

    fn problem(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    fn text(&mut self, key: &str, value: &RawValue) -> Option<String> {
        let read = object::string(value).map(Cow::into_owned);
        if read.is_none() && ValueKind::of(value) != ValueKind::Null {
            let kind = ValueKind::of(value);
            self.problem(format!("{key} is {kind}, not a string."));
        }
        read
    }

    fn number(&mut self, key: &str, value: &RawValue) -> Option<String> {
        match ValueKind::of(value) {
            ValueKind::Number => Some(value.get().to_owned()),
            ValueKind::Null => None,
            kind => {
                self.problem(format!("{key} is {kind}, not a number."));
                None
            }
        }
    }

    fn elements<'a>(&mut self, key: &str, value: &'a RawValue) -> Vec<&'a RawValue> {
        object::read_elements(value).unwrap_or_else(|| {
            let kind = ValueKind::of(value);
            self.problem(format!("{key} is {kind}, not an array."));
            Vec::new()
        })
    }

    fn read_messages(&mut self, value: &RawValue) {
        for (place, message) in self.elements("messages", value).into_iter().enumerate() {
            let number = place + 1;
            let role = object::get(message, "role").and_then(object::string);
            if !matches!(role.as_deref(), Some("user" | "assistant")) {
                let is = object::get(message, "role").map_or_else(
                    || "missing".to_owned(),
                    |role| text::excerpt(role.get(), QUOTED),
                );
                self.problem(format!(
                    "The role of message {number} is {is}; it must be \"user\" or \"assistant\"."
                ));
            }
            let content = if let Some(content) = object::get(message, "content") {
                match object::read_elements(content) {
                    Some(blocks) => blocks.into_iter().map(read_block).collect(),
                    None => vec![read_block(content)],
                }
            } else {
                self.problem(format!("Message {number} has no content."));
                Vec::new()
            };
            for block in &content {
                if let Block::Content(Content::Other { problem, .. }) = block {
                    self.problem(format!("Message {number}: {problem}"));
                }
            }
            self.messages.push(Message {
                role: role.unwrap_or_default().into_owned(),
                content,
            });
        }
    }

    fn read_preferences(&mut self, value: &RawValue) {
        let Some(members) = object::read_members(value) else {
            let kind = ValueKind::of(value);
            self.problem(format!("modelPreferences is {kind}, not an object."));
            return;
        };
        for (key, value) in members {
            match key.as_str() {
                "hints" => {
                    for hint in self.elements("modelPreferences.hints", value) {
                        let name = object::get(hint, "name").and_then(object::string);
                        self.model_hints.extend(name.map(Cow::into_owned));
                    }
                }
                "costPriority" => self.cost_priority = self.priority(&key, value),
                "speedPriority" => self.speed_priority = self.priority(&key, value),
                "intelligencePriority" => self.intelligence_priority = self.priority(&key, value),
                _ => self
                    .unknown
                    .push(format!("modelPreferences.{}", text::excerpt(&key, QUOTED))),
            }
        }
    }

    fn priority(&mut self, key: &str, value: &RawValue) -> Option<String> {
        let token = self.number(key, value)?;
        let is_share = token
            .parse::<f64>()
            .is_ok_and(|priority| (0.0..=1.0).contains(&priority));
        if !is_share {
            self.problem(format!(
                "{key} is {}; it must be from 0 to 1.",
                text::excerpt(&token, QUOTED)
            ));
        }
        Some(token)
    }

    fn read_stop_sequences(&mut self, value: &RawValue) {
        for sequence in self.elements("stopSequences", value) {
            match object::string(sequence) {
                Some(sequence) => self.stop_sequences.push(sequence.into_owned()),
                None => self.problem("A stop sequence is not a string."),
            }
        }
    }

    fn read_tools(&mut self, value: &RawValue) {
        self.wants_tools = true;
        for (place, tool) in self.elements("tools", value).into_iter().enumerate() {
            let text = |key| {
                object::get(tool, key)
                    .and_then(object::string)
                    .map(Cow::into_owned)
            };
            let Some(name) = text("name") else {
                self.problem(format!("Tool {} has no name.", place + 1));
                continue;
            };
            let schema = object::get(tool, "inputSchema")
                .filter(|schema| ValueKind::of(*schema) == ValueKind::Object);
            if schema.is_none() {
                let name = text::excerpt(&name, QUOTED);
                self.problem(format!("The tool {name} has no inputSchema."));
            }
            self.tools.push(Tool {
                name,
                title: text("title"),
                description: text("description"),
                input_schema: schema.map_or_else(
                    || RawValue::from_string("{}".to_owned()).unwrap_or_default(),
                    ToOwned::to_owned,
                ),
            });
        }
    }

    fn read_tool_choice(&mut self, value: &RawValue) {
        self.wants_tools = true;
        let Some(mode) = object::get(value, "mode") else {
            // The default.
            self.tool_choice = Some("auto".to_owned());
            return;
        };
        let mode = object::string(mode).map_or_else(
            || text::excerpt(mode.get(), QUOTED),
            |mode| text::excerpt(&mode, QUOTED),
        );
        if !matches!(mode.as_str(), "auto" | "required" | "none") {
            self.problem(format!(
                "toolChoice.mode is {mode}; auto, required and none are known."
            ));
        }
        self.tool_choice = Some(mode);
    }
}

fn read_block(block: &RawValue) -> Block {
    let text = |key| {
        object::get(block, key)
            .and_then(object::string)
            .map(Cow::into_owned)
    };
    let other = |problem: &str| {
        Block::Content(Content::Other {
            raw: block.to_owned(),
            problem: problem.to_owned(),
        })
    };
    match text("type").as_deref() {
        Some("tool_use") => match (text("id"), text("name"), object::get(block, "input")) {
            (Some(id), Some(name), Some(input)) if ValueKind::of(input) == ValueKind::Object => {
                Block::ToolUse {
                    id,
                    name,
                    input: input.to_owned(),
                }
            }
            _ => other("A tool_use block must have id, name and an object input."),
        },
        Some("tool_result") => {
            let content = object::get(block, "content").and_then(object::read_elements);
            match (text("toolUseId"), content) {
                (Some(tool_use_id), Some(content)) => Block::ToolResult {
                    tool_use_id,
                    content: content.into_iter().map(results::read_block).collect(),
                    structured: object::get(block, "structuredContent").map(ToOwned::to_owned),
                    is_error: object::get(block, "isError")
                        .is_some_and(|flag| flag.get() == "true"),
                },
                _ => other("A tool_result block must have toolUseId and an array content."),
            }
        }
        _ => match results::read_block(block) {
            content @ (Content::Text { .. }
            | Content::Image(_)
            | Content::Audio(_)
            | Content::Other { .. }) => Block::Content(content),
            Content::ResourceLink { .. } | Content::Resource { .. } => other(
                "A message of a sampling request holds text, images, audio, tool uses and their results alone.",
            ),
        },
    }
}
