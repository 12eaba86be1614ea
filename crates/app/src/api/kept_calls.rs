//! Calls that are kept for a tool: those that were made, and those that the person gave a name.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::servers::ServerId;

/// The calls of one tool.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolCallsArgs {
    /// Of which server.
    pub server: ServerId,
    /// The tool's name.
    pub tool: String,
}

/// Some calls of one tool.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct KeptCallsArgs {
    /// Of which server.
    pub server: ServerId,
    /// The tool's name.
    pub tool: String,
    /// Which calls.
    pub ids: Vec<String>,
}

/// One call of one tool.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct KeptCallArgs {
    /// Of which server.
    pub server: ServerId,
    /// The tool's name.
    pub tool: String,
    /// Which call.
    pub id: String,
}

/// Keep a call under a name.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SaveCallArgs {
    /// Of which server.
    pub server: ServerId,
    /// The tool's name.
    pub tool: String,
    /// The name that the person gave it; a saved call of this name is replaced.
    pub name: String,
    /// The arguments: the text of a JSON object.
    pub arguments: String,
}

/// What is to be exported.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExportCallsArgs {
    /// Of which server.
    pub server: ServerId,
    /// Of this tool; of all without.
    pub tool: Option<String>,
}

/// What is kept for one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KeptCalls {
    /// Those with a name, in the order of their names.
    pub saved: Vec<KeptCall>,
    /// Those that were made, the newest first.
    pub history: Vec<KeptCall>,
}

/// One call that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KeptCall {
    /// Its identity.
    pub id: String,
    /// The name that the person gave it; absent for one that was only made.
    pub name: Option<String>,
    /// Its arguments as JSON text, without what looks like a secret.
    pub arguments: String,
    /// How many values look like secrets. A saved call's are in the keyring, a made one's are not kept.
    pub secrets: u32,
    /// When it was made or saved, in microseconds since the Unix epoch.
    pub at_micros: u64,
    /// How it ended, for one that was made and has ended.
    pub end: Option<KeptEnd>,
}

/// How a call that is kept ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KeptEnd {
    /// `complete`, `tool error`, `cancelled`, or why it failed.
    pub words: String,
    /// It ended well.
    pub good: bool,
    /// From its start to its end, in microseconds.
    pub total_micros: u64,
}

/// The arguments of a kept call, to be filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CallArguments {
    /// The text of a JSON object, with the secrets of a saved call.
    pub arguments: String,
    /// How many secret values it had that are not known.
    pub missing: u32,
}
