//! Why connections are not made, in words for a person.

use client::LinkSpec;
use client::error::LinkError;
use journal::event::OperationId;
use protocol::era::Revision;

use super::is_http;
use crate::api::{ErrorCode, ErrorView};
use crate::engine::operation::Ending;

/// Why a connection was not made, and the row that shows it.
pub(super) struct Failure {
    pub(super) error: ErrorView,
    pub(super) operation: Option<OperationId>,
    /// The server gave an answer to `initialize`, and it was none of a legacy server.
    pub(super) is_of_another_era: bool,
}

impl From<ErrorView> for Failure {
    fn from(error: ErrorView) -> Self {
        Self {
            error,
            operation: None,
            is_of_another_era: false,
        }
    }
}

impl Failure {
    pub(super) fn of_another_era(self) -> Self {
        Self {
            is_of_another_era: true,
            ..self
        }
    }
}

/// A failure that this ending shows.
pub(super) fn failed(message: String, hint: Option<String>, ending: &Ending) -> Failure {
    Failure {
        error: ErrorView {
            code: ErrorCode::Failed,
            message,
            hint,
        },
        operation: Some(ending.operation),
        is_of_another_era: false,
    }
}

/// The server wants a sign-in.
pub(super) fn sign_in(status: u16, ending: &Ending) -> Failure {
    Failure {
        error: ErrorView {
            code: ErrorCode::SignInNeeded,
            message: format!("The server answered HTTP {status}: it wants a sign-in."),
            hint: Some(
                "Sign in to it; or edit the server and add an Authorization header with a token for it."
                    .to_owned(),
            ),
        },
        operation: Some(ending.operation),
        is_of_another_era: false,
    }
}

/// Both sides speak, and nothing in common.
pub(super) fn no_common_revision(supported: &[String], ending: &Ending) -> Failure {
    let spoken = Revision::SPOKEN.map(|revision| revision.to_string());
    failed(
        format!(
            "The server speaks {}, none of which Roundtrip speaks.",
            list(supported)
        ),
        Some(format!("Roundtrip speaks {}.", list(&spoken))),
        ending,
    )
}

/// What to try when what answered is no MCP server.
pub(super) fn not_mcp_hint(reach: &LinkSpec) -> String {
    if is_http(reach) {
        "Check the URL; MCP endpoints often end in /mcp. The row's Response and HTTP tabs show what came."
    } else {
        "Check the command: it must start an MCP server that speaks on stdin and stdout."
    }
    .to_owned()
}

/// What a link said, as an error for the person.
pub(in crate::engine) fn link_failure(error: &LinkError) -> ErrorView {
    ErrorView {
        code: ErrorCode::Failed,
        message: error.message.clone(),
        hint: error.hint.clone(),
    }
}

/// Words as a sentence lists them.
pub(super) fn list(words: &[String]) -> String {
    match words {
        [] => "no revision".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
