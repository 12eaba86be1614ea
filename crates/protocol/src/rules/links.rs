//! Rules about links that a server asks the person to open.

use super::finding;
use crate::findings::{Finding, Severity};

const REQUIRED: &str = "2025-11-25 client/elicitation § URL Elicitation Required Error";

/// The error −32042 without a list of links.
pub(crate) fn required_links_missing() -> Finding {
    finding(
        "url-elicitation-list-missing",
        Severity::Must,
        "The error -32042 says that links must be opened first, and names none (data.elicitations).",
        REQUIRED,
        "The error MUST include a list of elicitations that are required to complete before the original can be retried.",
    )
}

/// An entry of the error's list that is not as it must be. `what` says how.
pub(crate) fn required_link_malformed(what: &str) -> Finding {
    finding(
        "url-elicitation-malformed",
        Severity::Must,
        format!("An entry of data.elicitations {what}."),
        REQUIRED,
        "Any elicitations returned in the error MUST be URL mode elicitations and have an elicitationId property.",
    )
}

/// The same link is asked for although the server said that it was followed to the end.
pub fn link_asked_after_completion(id: &str) -> Finding {
    finding(
        "url-elicitation-repeated",
        Severity::Must,
        format!("The server said that {id} is complete, and asks for the same link again."),
        REQUIRED,
        "The server MUST NOT return this error except when URL mode elicitation is required.",
    )
}
