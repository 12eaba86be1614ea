//! One operation from its first request to its end: the rounds of a multi round-trip request (2026-07-28
//! basic/patterns/mrtr) and the pages of a list (server/utilities/pagination).
//!
//! The driver sends what a [`Step`] says and tells what came; the operation never asks for the same thing
//! twice at once, so there is at most one request, one set of prompts or one wait at a time.

use std::fmt;

use serde_json::value::RawValue;

use crate::era::{Era, Revision};
pub use crate::operation::flow::{FlowAnswer, FlowStage, LinkFlow};
pub use crate::operation::machine::Operation;
use crate::tasks::TaskStep;

mod browser;
mod flow;
mod machine;
mod task;

/// What a person wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The connection's era: only modern results have a `resultType`.
    pub era: Era,
    /// The method, e.g. `tools/call`.
    pub method: String,
    /// The tool, prompt or resource, for texts.
    pub name: Option<String>,
    /// The parameters without what each request gets (`_meta`): the text of a JSON object, sent as it is.
    pub params: Option<String>,
    /// Whether a list is followed to its end.
    pub pages: Pages,
    /// The client capabilities that the requests declare: the text of a JSON object. A server must not ask
    /// for what is not among them.
    pub declared: String,
}

/// How much of a list is wanted. Other methods have no pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Every page.
    All,
    /// The one that the parameters ask for.
    One,
}

/// Where an operation stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds in which the server asks for more.
    pub rounds: u32,
    /// Pages of a list.
    pub pages: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            rounds: 20,
            pages: 1000,
        }
    }
}

/// Why a request goes out once more though it was answered: it was refused for how it was sent. Each happens once in
/// an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Again {
    /// With the headers that a new list of the tools wants (2026-07-28 basic/transports/streamable-http § Client
    /// Behavior).
    Headers,
    /// In another revision, which the server supports (2026-07-28 basic/versioning § Protocol Version Negotiation).
    Revision(Revision),
}

/// What the driver has to do next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Send a request with a new id.
    Send {
        /// The round, from 1; pages count as rounds.
        round: u32,
        /// Its parameters, before [`crate::request::Speaker::request`] adds `_meta`.
        params: Option<String>,
        /// What the round is called where it is more than a number: `page 2`.
        label: Option<String>,
    },
    /// Ask the person; go on by [`Operation::answer`] or [`Operation::leave_out`] for each.
    Ask(Vec<InputRequest>),
    /// Wait, then call [`Operation::waited`].
    Wait {
        /// How long.
        millis: u64,
        /// Why, for the row.
        reason: String,
    },
    /// The person is in the browser: the server waits for nothing but links that they opened already. Call
    /// [`Operation::waited`] after the wait, or [`Operation::retry_now`] when the person says so; without a wait it is
    /// theirs alone to say.
    Browse {
        /// How long until the server is asked again by itself.
        millis: Option<u64>,
        /// How often it asked for the same links since they were opened.
        asked_again: u32,
    },
    /// What a task that is followed needs, in this order.
    Task {
        /// The round that a request among the steps is.
        round: u32,
        /// The steps.
        steps: Vec<TaskStep>,
    },
    /// It is over.
    Finished(Finish),
    /// Nothing to do: an answer of several came, or the call means nothing in this state.
    Nothing,
}

/// One entry of `inputRequests`.
#[derive(Clone, Debug)]
pub struct InputRequest {
    /// The server's key.
    pub key: String,
    /// Its method; empty when the entry is not a request.
    pub method: String,
    /// Its parameters as they came, `{}` where there are none; the whole entry when it is not a request.
    pub params: Box<RawValue>,
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// It did what was asked.
    Complete,
    /// The tool answered with `isError: true`.
    ToolError,
    /// The server answered with a JSON-RPC error.
    RpcError {
        /// The code.
        code: i64,
        /// The message.
        message: String,
    },
    /// The transport failed, or the answers lead nowhere.
    Failed {
        /// A short form for the row.
        brief: String,
        /// What went wrong and where.
        message: String,
        /// What to try.
        hint: Option<String>,
    },
    /// The person cancelled it.
    Cancelled,
}

/// Why an answer was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerError {
    /// The operation does not wait for this key: it never asked, was answered, or went on.
    NotAsked {
        /// The key.
        key: String,
    },
    /// The answer is not a JSON object; the prompt stays open.
    NotAnObject {
        /// The key.
        key: String,
    },
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::NotAsked { key } => {
                write!(f, "The operation no longer waits for an answer to {key:?}.")
            }
            AnswerError::NotAnObject { key } => write!(
                f,
                "The answer to {key:?} is not a JSON object, so it was not sent."
            ),
        }
    }
}

impl std::error::Error for AnswerError {}
