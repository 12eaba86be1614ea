//! What a server lists: tools, resources, resource templates, prompts; and what is asked of them.

use journal::event::OperationId;
pub use protocol::listing::{ListKind, Mark};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ErrorView;

/// A list of a connected server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ListView<T> {
    /// How far it is.
    pub state: ListState,
    /// All entries of all pages so far, in the server's order.
    pub entries: Vec<T>,
    /// Names or URIs that the fetch before had and the last one has not.
    pub gone: Vec<String>,
    /// The operation that fetched it.
    pub operation: Option<OperationId>,
    /// Whether the server declares the capability at all.
    pub declared: bool,
    /// How old it is, and how long it may be used; absent before the first page.
    pub freshness: Option<FreshnessView>,
}

/// How far a list is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ListState {
    /// Never asked for.
    Unasked,
    /// On its way.
    Loading,
    /// All pages are here.
    Ready,
    /// The server has another page, which is fetched when it is asked for.
    More,
    /// It failed; what is here is from before, or from the pages until then.
    Failed {
        /// Why.
        error: ErrorView,
    },
}

/// How old an answer is (2026-07-28 server/utilities/caching § Freshness Calculation). Times are microseconds since the
/// Unix epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FreshnessView {
    /// When it was received; of several pages the first.
    pub fetched_micros: u64,
    /// Until when it is fresh; of several pages the one that goes stale first. Absent where the server gave no `ttlMs`.
    pub fresh_until_micros: Option<u64>,
    /// `public` or `private`, as far as the server says.
    pub scope: Option<String>,
    /// It was not fetched again: the answer before was still fresh.
    pub from_cache: bool,
    /// The server has said since that it changed.
    pub invalidated: bool,
}

/// What a view has to know of a list to fetch it when it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ListNews {
    /// Counts up whenever the list changed.
    pub version: u32,
    /// How many entries are known; absent before the list has been fetched.
    pub count: Option<u32>,
    /// Whether the server declares the capability.
    pub declared: bool,
}

/// A resource of a fixed URI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResourceView {
    /// Its place in the list: its identity within this version of the list.
    pub index: u32,
    /// Which it is of those with its URI, from 0.
    pub nth: u32,
    /// How it differs from the fetch before.
    pub mark: Option<Mark>,
    /// Its URI; empty when the server sent none (then `problems` says so).
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description, plain text.
    pub description: Option<String>,
    /// Its MIME type.
    pub mime_type: Option<String>,
    /// Its size in bytes, as far as the server says.
    pub size: Option<u64>,
    /// When it was modified last, as the server wrote it.
    pub last_modified: Option<String>,
    /// What is wrong with the entry, in plain words.
    pub problems: Vec<String>,
}

/// A template of resources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResourceTemplateView {
    /// Its place in the list.
    pub index: u32,
    /// Which it is of those with its text, from 0.
    pub nth: u32,
    /// How it differs from the fetch before.
    pub mark: Option<Mark>,
    /// The template (RFC 6570); empty when the server sent none.
    pub uri_template: String,
    /// Its name.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description, plain text.
    pub description: Option<String>,
    /// The MIME type of all that it leads to.
    pub mime_type: Option<String>,
    /// Its variables, in the order in which they come first; none where it is malformed.
    pub variables: Vec<TemplateVariable>,
    /// Why it cannot be used, when it cannot.
    pub malformed: Option<String>,
    /// What is wrong with the entry, in plain words.
    pub problems: Vec<String>,
}

/// A variable of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TemplateVariable {
    /// Its name.
    pub name: String,
    /// It takes several values (`*`).
    pub exploded: bool,
    /// The URI holds together without it (a query, for one).
    pub detachable: bool,
}

/// A prompt that a server offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OfferedPromptView {
    /// Its place in the list.
    pub index: u32,
    /// Which it is of those with its name, from 0.
    pub nth: u32,
    /// How it differs from the fetch before.
    pub mark: Option<Mark>,
    /// Its name; empty when the server sent none.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description, plain text.
    pub description: Option<String>,
    /// Its arguments in order.
    pub arguments: Vec<PromptArgumentView>,
    /// What is wrong with the entry, in plain words.
    pub problems: Vec<String>,
}

/// An argument of a prompt; its value is a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PromptArgumentView {
    /// Its name.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description, plain text.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
}

/// What is completed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CompletionTarget {
    /// An argument of a prompt.
    Prompt {
        /// The prompt's name.
        name: String,
    },
    /// A variable of a resource template.
    ResourceTemplate {
        /// The template's text.
        uri_template: String,
    },
}

/// What a server suggests for what is typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CompletionView {
    /// The suggestions, best first; at most 100.
    pub values: Vec<String>,
    /// How many there are in all, as far as the server says.
    pub total: Option<u64>,
    /// There are more than these.
    pub has_more: bool,
    /// What is wrong with the answer, in plain words.
    pub problems: Vec<String>,
    /// The operation that asked.
    pub operation: OperationId,
}
