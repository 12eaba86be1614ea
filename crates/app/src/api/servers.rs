//! The catalog's servers and the state of their connections.

use journal::event::OperationId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ErrorView;
use super::lists::ListNews;
use super::options::ServerOptions;
use super::sign_in::SignInNews;

/// A server's identity in the catalog: a UUID, or `demo-stdio` and `demo-http` for the bundled ones.
pub type ServerId = String;

/// A name and a value: an environment variable or a header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NamedValue {
    /// The name.
    pub name: String,
    /// The value; for a secret that is kept already, empty means "leave it".
    pub value: String,
    /// Keep the value in the OS keyring instead of the catalog's file.
    #[serde(default)]
    pub secret: bool,
}

/// How to reach a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "transport", rename_all = "snake_case")]
pub enum Endpoint {
    /// A child process that speaks on its standard streams.
    Stdio {
        /// The program: a path, or a name to look up in PATH.
        command: String,
        /// Its arguments, one an entry.
        args: Vec<String>,
        /// Variables added to the environment.
        env: Vec<NamedValue>,
        /// The working folder; the person's home when absent.
        folder: Option<String>,
    },
    /// A Streamable HTTP endpoint.
    Http {
        /// Its URL, `http` or `https`.
        url: String,
        /// Headers added to each request.
        headers: Vec<NamedValue>,
    },
}

/// Which era to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EraChoice {
    /// Probe with `server/discover`, fall back to `initialize`.
    #[default]
    Auto,
    /// 2026-07-28, without a fallback.
    Modern,
    /// `initialize` at once.
    Legacy,
}

/// What a person fills in to add or change a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerDraft {
    /// Its name; must not be empty.
    pub name: String,
    /// How to reach it.
    pub endpoint: Endpoint,
    /// Which era to speak.
    pub era: EraChoice,
    /// How it is treated.
    #[serde(default)]
    #[ts(as = "Option<ServerOptions>", optional)]
    pub options: ServerOptions,
}

/// What a pasted text was understood as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PasteReading {
    /// The servers found in it, in order; the form takes the first, the rest are offered.
    pub drafts: Vec<ServerDraft>,
    /// What the text was taken for: `shell command`, `URL`, `mcpServers block`.
    pub taken_for: String,
    /// What was left out, in plain words.
    pub notes: Vec<String>,
}

/// One entry of the catalog with its connection, as the list on the left shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerView {
    /// Its identity.
    pub id: ServerId,
    /// Its name in the catalog.
    pub name: String,
    /// One of the bundled ones, which cannot be changed or removed.
    pub builtin: bool,
    /// `stdio` or `http`.
    pub transport: String,
    /// The command line or the URL, secrets left out.
    pub address: String,
    /// What the form shows when the person edits it (secret values are empty); absent for the bundled ones.
    pub draft: Option<ServerDraft>,
    /// Its connection.
    pub connection: ConnectionView,
    /// Its sign-in, where there is, or was asked for, one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sign_in: Option<SignInNews>,
}

/// How far a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not connected, and nothing went wrong.
    Disconnected,
    /// On the way; `step` says what is awaited.
    Connecting,
    /// Ready.
    Connected,
    /// Going down.
    Disconnecting,
    /// It could not be made, or was lost; `error` says why.
    Failed,
}

/// The state of a server's connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConnectionView {
    /// How far it is.
    pub phase: Phase,
    /// Since when, in microseconds since the Unix epoch.
    pub since_micros: u64,
    /// While connecting: what is awaited (`waiting for the answer to server/discover`).
    pub step: Option<String>,
    /// Why it failed.
    pub error: Option<ErrorView>,
    /// The operation whose row explains the failure, where there is one.
    pub operation: Option<OperationId>,
    /// What the server said of itself.
    pub report: Option<ServerReport>,
    /// The process id, for stdio.
    pub pid: Option<u32>,
    /// The last round trip in microseconds, for the status bar.
    pub last_round_trip_micros: Option<u64>,
    /// Counts up whenever the list of tools changed; the view fetches `tools` again.
    pub tools_version: u32,
    /// How many tools are known; absent before the list has been fetched.
    pub tool_count: Option<u32>,
    /// Its resources.
    pub resources: ListNews,
    /// Its resource templates.
    pub resource_templates: ListNews,
    /// The prompts that it offers.
    pub prompts: ListNews,
    /// Counts up whenever something about its subscriptions changed; the view fetches `subscriptions` again.
    #[serde(default)]
    pub subscriptions_version: u32,
    /// Prompts of this server that wait for the person.
    pub open_prompts: u32,
    /// Its process has ended, and the next request starts it anew.
    #[serde(default)]
    pub wakes: bool,
}

/// What a server said of itself in `server/discover` or `initialize`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerReport {
    /// `modern` or `legacy`.
    pub era: String,
    /// The revision in use, e.g. `2026-07-28`.
    pub revision: String,
    /// How the era was found (`server/discover answered`, `fell back: no answer in 5 s`).
    pub era_reason: String,
    /// The revisions that the server says it supports (modern only).
    pub supported_revisions: Vec<String>,
    /// Its name; absent or empty is "not reported".
    pub name: Option<String>,
    /// Its title for people.
    pub title: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its website.
    pub website: Option<String>,
    /// Its icons as it describes them; a view asks the core to look at them.
    #[serde(skip)]
    #[ts(skip)]
    pub icons: Vec<protocol::icons::Icon>,
    /// Its instructions, plain text.
    pub instructions: Option<String>,
    /// The capabilities as the server sent them: pretty-printed JSON text.
    pub capabilities: String,
    /// The names of the capabilities that are present, extensions included.
    pub capability_names: Vec<String>,
    /// The capabilities that Roundtrip advertises: pretty-printed JSON text.
    pub client_capabilities: String,
}
