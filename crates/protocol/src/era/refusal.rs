//! Refusals of how a request was sent, rather than of what it asks (2026-07-28 basic § Error Codes): what to put right
//! before it goes out once more.

use wire::message::RpcError;

use super::evidence::{self, HEADER_MISMATCH, ModernError};
use super::{Era, Revision};

/// What a refused request calls for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// `HeaderMismatch` on a tool call: list the tools again, then call once more with the headers that the new list
    /// wants (basic/transports/streamable-http § Client Behavior).
    ListTools,
    /// `UnsupportedProtocolVersion`: speak this revision, which both sides know (basic/versioning § Protocol Version
    /// Negotiation).
    Speak(Revision),
    /// `UnsupportedProtocolVersion`, and no revision of this era is shared.
    Reconnect {
        /// Which revisions the server named, and whether one of them is spoken here.
        message: String,
        /// What to try.
        hint: String,
    },
}

/// What to do about this error, in answer to `method` sent in the revision `requested` by a client that speaks `spoken`
/// (newest first); `None` when the error is an answer like any other.
pub fn remedy(
    method: &str,
    error: &RpcError,
    requested: &Revision,
    spoken: &[Revision],
) -> Option<Remedy> {
    if requested.era() != Era::Modern {
        return None;
    }
    if error.code == HEADER_MISMATCH {
        return (method == "tools/call").then_some(Remedy::ListTools);
    }
    let Some(ModernError::Version(supported)) = evidence::modern_error(error) else {
        return None;
    };
    if let Some(revision) = evidence::common(&supported, spoken, Era::Modern) {
        // One that names what it refuses would refuse it again.
        return (revision != requested).then(|| Remedy::Speak(revision.clone()));
    }
    let named = supported.join(", ");
    let message = format!(
        "The server does not speak {requested} any more; it says that it supports {named}."
    );
    let hint = if let Some(revision) = evidence::common(&supported, spoken, Era::Legacy) {
        format!("Connect again: Roundtrip speaks {revision} too, which begins with initialize.")
    } else {
        let spoken: Vec<_> = spoken.iter().map(Revision::as_str).collect();
        format!("Roundtrip speaks {}.", spoken.join(", "))
    };
    Some(Remedy::Reconnect { message, hint })
}
