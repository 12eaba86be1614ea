//! What crosses between the core and a view. Everything here derives `TS`; the TypeScript in
//! `ui/src/lib/bindings/` is generated from it by `cargo xtask bindings` and checked in CI.

pub mod calls;
pub mod changes;
pub mod composer;
pub mod copies;
pub mod details;
pub mod documents;
pub mod events;
pub mod feed;
pub mod find;
pub mod findings;
pub mod kept_calls;
pub mod links;
pub mod lists;
pub mod logs;
pub mod options;
pub mod recordings;
pub mod replies;
pub mod sampling;
pub mod secrets;
pub mod servers;
pub mod sign_in;
pub mod subscriptions;
pub mod tasks;
pub mod tools;
pub mod transfers;

pub use journal::event::{AttemptOutcome, EventSeq, OperationEnd, OperationId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// An error as data: what failed and where, and what to try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ErrorView {
    /// A word that the UI may act on.
    pub code: ErrorCode,
    /// What failed, and where. Plain text; may quote a server and is never markup.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
}

impl ErrorView {
    /// Its JSON text, as it crosses to a page.
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The codes that the UI acts on; everything else is `failed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// Nothing special to do but to show it.
    Failed,
    /// The server wants the person to sign in (HTTP 401 or 403).
    SignInNeeded,
    /// The server does not speak the chosen era; the other one is offered.
    WrongEra,
    /// What the person typed cannot be used; shown at the field.
    BadInput,
    /// The keyring does not take a value; keeping it for this session only is offered.
    NotKept,
    /// The thing asked for is gone: a removed server, a finished prompt.
    Gone,
}
