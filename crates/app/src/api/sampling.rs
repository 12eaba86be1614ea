//! Sampling and roots as a view sees them (client/sampling, client/roots; both deprecated as of 2026-07-28).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::tools::ContentView;

/// A sampling request, whole. All texts are the server's, plain text; numbers are the tokens that came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SamplingView {
    /// The system prompt that the server would like.
    pub system_prompt: Option<String>,
    /// The conversation in order.
    pub messages: Vec<SamplingMessageView>,
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
    /// What context of other servers is wanted.
    pub include_context: Option<String>,
    /// What is passed on to the provider, pretty-printed.
    pub metadata: Option<String>,
    /// The tools that the answer may use.
    pub tools: Vec<SamplingToolView>,
    /// `auto`, `required` or `none`; absent when the server did not choose.
    pub tool_choice: Option<String>,
    /// Members of the request that the specification does not know.
    pub unknown: Vec<String>,
    /// What does not look as the specification says, a sentence each.
    pub problems: Vec<String>,
    /// Whether an answer may hold several blocks and use tools, in the revision that is spoken.
    pub takes_blocks: bool,
    /// Whether an answer may hold sound, in the revision that is spoken.
    pub takes_audio: bool,
    /// Whether a refusal reaches the server with its reason. Else nothing is sent, and the call ends here.
    pub is_refusal_sent: bool,
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SamplingMessageView {
    /// `user` or `assistant`, or what the server said instead.
    pub role: String,
    /// Its parts in order.
    pub content: Vec<SamplingBlockView>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SamplingBlockView {
    /// Text, an image, a sound, or what has no place in a message.
    Content {
        /// What it is.
        content: ContentView,
    },
    /// The model wanted to use a tool.
    ToolUse {
        /// What its result names it by.
        id: String,
        /// The tool.
        name: String,
        /// The arguments, pretty-printed.
        input: String,
    },
    /// What using a tool gave.
    ToolResult {
        /// The use that it belongs to.
        tool_use_id: String,
        /// The content blocks.
        content: Vec<ContentView>,
        /// `structuredContent`, pretty-printed.
        structured: Option<String>,
        /// Whether using the tool failed.
        is_error: bool,
    },
}

/// A tool that an answer may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SamplingToolView {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The schema of its arguments, JSON text.
    pub input_schema: String,
}

/// An answer that was saved for a server, to be used again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SavedAnswer {
    /// What the person calls it.
    pub name: String,
    /// The text of a `CreateMessageResult`.
    pub answer: String,
}

/// A folder that a server may be told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FolderCheck {
    /// As it was given: a `file:` URI.
    pub uri: String,
    /// Its path on this machine, where it has one.
    pub path: Option<String>,
    /// Why it cannot be told, or what to know of it before.
    pub problem: Option<String>,
    /// Whether it can be told all the same.
    pub is_tellable: bool,
}
