//! The secrets that Roundtrip knows by name, where each is used, and the store that has them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::servers::{Endpoint, NamedValue, ServerId};

/// All secrets, and their store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SecretList {
    /// The store.
    pub store: StoreView,
    /// By name.
    pub secrets: Vec<SecretView>,
    /// Values in the servers file that look like secrets and stand there in the clear.
    pub in_the_clear: Vec<ClearValue>,
}

/// The store of secrets, and how it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StoreView {
    /// Its name, as its users know it.
    pub name: String,
    /// How it is.
    pub condition: StoreCondition,
}

/// How a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum StoreCondition {
    /// Ready.
    Unlocked,
    /// It will ask for its password.
    Locked,
    /// It is there, but has no keyring to put anything into.
    NoKeyring,
    /// It is not there.
    Absent,
    /// It did not say: probably its password dialog is open.
    Silent,
    /// It forgets everything when Roundtrip ends.
    SessionOnly,
}

/// A secret, without its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SecretView {
    /// Its name in the store.
    pub name: String,
    /// What it is.
    pub kind: SecretKind,
    /// Where it is used.
    pub uses: Vec<SecretUse>,
    /// Whether it is there.
    pub state: SecretState,
    /// When it was used last, in microseconds since the Unix epoch.
    pub last_used_micros: Option<u64>,
    /// It was deleted a moment ago and can be brought back.
    pub can_be_restored: bool,
}

/// What a secret is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SecretKind {
    /// A value that the person entered. It can be shown and replaced.
    Value,
    /// What a sign-in gave: tokens, which no view is ever given.
    SignIn,
    /// What it takes to go on after the browser; no view is given it either.
    LinkFlow,
}

/// A place where a secret is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SecretUse {
    /// The server.
    pub server: ServerId,
    /// Its name.
    pub server_name: String,
    /// As what: `header Authorization`, `variable API_KEY`, `argument 2`, `the URL`, `sign-in`, `link flow`.
    pub used_as: String,
}

/// Whether a secret is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SecretState {
    /// In the store.
    Kept,
    /// In memory alone: it ends with Roundtrip.
    SessionOnly,
    /// Nowhere; who uses it cannot connect.
    Missing,
    /// The store does not say.
    Unknown,
}

/// A value in the servers file that looks like a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClearValue {
    /// The server.
    pub server: ServerId,
    /// Its name.
    pub server_name: String,
    /// The header or variable; of an argument or a URL what it is called there (`api-key`, `password`).
    pub name: String,
    /// Where it stands.
    pub place: ClearPlace,
}

/// Where a value stands in the servers file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClearPlace {
    /// As a header or a variable.
    #[default]
    Named,
    /// In an argument of the command.
    Argument,
    /// In the URL.
    Url,
}

/// An endpoint in which secrets may stand in the clear.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClearSecretsArgs {
    /// The endpoint, as it was typed.
    pub endpoint: Endpoint,
}

/// What in an endpoint's arguments or URL looks like a secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClearSecrets {
    /// The endpoint with names in the places of the values.
    pub endpoint: Endpoint,
    /// The names with the values; none where nothing looks like a secret.
    pub secrets: Vec<NamedValue>,
}

/// A secret's value, for the person who asked to see it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SecretValue {
    /// The value.
    pub value: String,
}

/// A secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SecretArgs {
    /// Its name in the store.
    pub name: String,
}

/// A secret's new value.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReplaceSecretArgs {
    /// Its name in the store.
    pub name: String,
    /// The value.
    pub value: String,
    /// Keep it in memory alone, where the store does not take it.
    #[serde(default)]
    pub session_only: bool,
}

/// A value to move from the servers file into the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MoveSecretArgs {
    /// The server.
    pub server: ServerId,
    /// The header or variable, or what it is called in an argument or the URL.
    pub name: String,
    /// Where it stands.
    #[serde(default)]
    #[ts(as = "Option<ClearPlace>", optional)]
    pub place: ClearPlace,
}
