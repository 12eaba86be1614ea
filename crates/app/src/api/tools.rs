//! A server's tools and the results of calls.

use journal::event::{EventSeq, OperationId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ErrorView;
pub use super::lists::ListState;
use super::lists::{ListView, Mark};

/// The tools of a connected server.
pub type ToolList = ListView<ToolView>;

/// One tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ToolView {
    /// Its place in the list: its identity within this version of the list.
    pub index: u32,
    /// Which it is of those with its name, from 0.
    pub nth: u32,
    /// How it differs from the fetch before.
    pub mark: Option<Mark>,
    /// Its name; empty when the server sent none (then `problems` says so).
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description, plain text.
    pub description: Option<String>,
    /// The input schema as the server sent it: JSON text.
    pub input_schema: String,
    /// The output schema as the server sent it: JSON text.
    pub output_schema: Option<String>,
    /// `readOnlyHint`; absent when the server did not say.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
    /// `execution.taskSupport` of 2025-11-25: whether it must, may or must not run as a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub task_support: Option<String>,
    /// What is wrong with the entry, in plain words.
    pub problems: Vec<String>,
    /// Why it cannot be called over HTTP (an invalid `x-mcp-header`), when it cannot.
    pub excluded: Option<String>,
    /// Parameters mirrored into headers: the property's path and the header's name.
    pub mirrored: Vec<MirroredParameter>,
}

/// A parameter that is mirrored into an HTTP header (`x-mcp-header`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MirroredParameter {
    /// The chain of `properties` keys that leads to it.
    pub path: Vec<String>,
    /// The header's whole name, `Mcp-Param-Region`.
    pub header: String,
}

/// A call that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CallStarted {
    /// Its operation.
    pub operation: OperationId,
    /// What it ended with, when that came in time.
    pub outcome: Option<CallOutcome>,
}

/// How a call stands or ended, with what is to be shown of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CallOutcome {
    /// The operation.
    pub operation: OperationId,
    /// What it ended with.
    pub result: CallResult,
    /// From the start to the end, in microseconds.
    pub total_micros: u64,
    /// Of that, on the server.
    pub server_micros: u64,
    /// Of that, waiting on the person.
    pub user_micros: u64,
    /// Of that, waiting on time.
    pub time_micros: u64,
    /// It was answered from the cache; when the answer was received, in microseconds since the Unix epoch.
    pub from_cache_micros: Option<u64>,
}

/// What a call ended with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallResult {
    /// A `tools/call` result, `isError` or not.
    Tool {
        /// `isError: true`.
        is_error: bool,
        /// The content blocks in order.
        content: Vec<ContentView>,
        /// `structuredContent`, pretty-printed with every digit kept.
        structured: Option<String>,
        /// What did not look as the specification says.
        problems: Vec<String>,
        /// The frame that holds it.
        event: Option<EventSeq>,
    },
    /// What a resource holds (`resources/read`).
    Resource {
        /// Its parts in order.
        contents: Vec<ResourcePartView>,
        /// What did not look as the specification says.
        problems: Vec<String>,
        /// For how many milliseconds it may be taken as fresh, as far as the server says.
        ttl_millis: Option<u64>,
        /// `public` or `private`, as far as the server says.
        scope: Option<String>,
        /// The frame that holds it.
        event: Option<EventSeq>,
    },
    /// A prompt with its arguments filled in (`prompts/get`).
    Prompt {
        /// The description of what came.
        description: Option<String>,
        /// Its messages in order.
        messages: Vec<PromptMessageView>,
        /// What did not look as the specification says.
        problems: Vec<String>,
        /// The frame that holds it.
        event: Option<EventSeq>,
    },
    /// A JSON-RPC error or a failed transport.
    Failed {
        /// The JSON-RPC code, where the server answered with an error.
        code: Option<i64>,
        /// What to say.
        error: ErrorView,
        /// `error.data`, pretty-printed.
        data: Option<String>,
    },
    /// Cancelled by the person.
    Cancelled,
}

/// One content block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ContentView {
    /// `text`.
    Text {
        /// The text.
        text: String,
    },
    /// `image`.
    Image {
        /// Its MIME type as the server says.
        mime_type: String,
        /// Its bytes in Base64, checked; absent when they could not be read (then `problem` says why).
        base64: Option<String>,
        /// What is wrong with it.
        problem: Option<String>,
    },
    /// `audio`.
    Audio {
        /// Its MIME type as the server says.
        mime_type: String,
        /// Its bytes in Base64, checked.
        base64: Option<String>,
        /// What is wrong with it.
        problem: Option<String>,
    },
    /// `resource_link`.
    ResourceLink {
        /// Its URI, plain text.
        uri: String,
        /// Its name.
        name: String,
        /// Its description.
        description: Option<String>,
        /// Its MIME type.
        mime_type: Option<String>,
    },
    /// `resource`: an embedded one.
    Resource {
        /// Its URI, plain text.
        uri: String,
        /// Its MIME type.
        mime_type: Option<String>,
        /// Its text, for a text resource.
        text: Option<String>,
        /// Its size in bytes, for a binary one.
        byte_len: Option<u64>,
        /// Its bytes in Base64, for a binary one, checked.
        base64: Option<String>,
    },
    /// A type that the specification does not know, or a block that is not well-formed.
    Other {
        /// The block, pretty-printed.
        json: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// One part of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResourcePartView {
    /// Its URI, plain text; empty when there is none.
    pub uri: String,
    /// Its MIME type.
    pub mime_type: Option<String>,
    /// What it holds: a text, a picture or sound, or bytes (`resource` without a text).
    pub content: ContentView,
}

/// A message of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PromptMessageView {
    /// `user` or `assistant`, or what the server said instead.
    pub role: String,
    /// What it says.
    pub content: ContentView,
}
