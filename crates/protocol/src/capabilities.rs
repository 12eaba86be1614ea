//! What the two sides declare: the client's capabilities by revision, and what is read of a server's.

use serde_json::value::RawValue;
use wire::object::{self, ObjectWriter, ValueKind};

use crate::era::{Era, Revision};
use crate::identity::TASKS_EXTENSION;

/// What a client offers to do. Each is left out where a revision has no word for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a capability of its own in the specification"
)]
pub struct Offer {
    /// Elicitation by forms, since 2025-06-18.
    pub elicitation_form: bool,
    /// Elicitation by links, since 2025-11-25.
    pub elicitation_url: bool,
    /// Sampling.
    pub sampling: bool,
    /// Roots.
    pub roots: bool,
    /// The tasks extension (SEP-2663 § Capability Negotiation); in 2025-11-25 the experimental tasks, of which a
    /// client that takes none itself declares the bare capability (2025-11-25 basic/utilities/tasks § Capabilities).
    pub tasks: bool,
}

impl Offer {
    /// The text of the `ClientCapabilities` object of a revision (2026-07-28 basic § `_meta`; 2025-11-25
    /// basic/lifecycle § Capability Negotiation).
    pub fn capabilities(&self, revision: &Revision) -> String {
        let modern = revision.era() == Era::Modern;
        let since = |first: Revision| modern || revision.as_str() >= first.as_str();
        let mut all = ObjectWriter::new();
        if since(Revision::V2025_06_18) {
            let by_link = self.elicitation_url && since(Revision::V2025_11_25);
            match (self.elicitation_form, by_link) {
                // An empty object means forms, in words that every revision understands.
                (true, false) if !modern => {
                    all.raw("elicitation", "{}");
                }
                (true, false) => {
                    all.raw("elicitation", r#"{"form":{}}"#);
                }
                (true, true) => {
                    all.raw("elicitation", r#"{"form":{},"url":{}}"#);
                }
                (false, true) => {
                    all.raw("elicitation", r#"{"url":{}}"#);
                }
                (false, false) => {}
            }
        }
        if self.sampling {
            // Tools in sampling came with 2025-11-25 (client/sampling § Capabilities).
            let with_tools = since(Revision::V2025_11_25);
            all.raw(
                "sampling",
                if with_tools { r#"{"tools":{}}"# } else { "{}" },
            );
        }
        if self.roots {
            all.raw(
                "roots",
                if modern {
                    "{}"
                } else {
                    r#"{"listChanged":true}"#
                },
            );
        }
        if self.tasks && modern {
            let mut extensions = ObjectWriter::new();
            extensions.raw(TASKS_EXTENSION, "{}");
            all.raw("extensions", &extensions.finish());
        } else if self.tasks && *revision == Revision::V2025_11_25 {
            all.raw("tasks", "{}");
        }
        all.finish()
    }
}

/// Whether these client capabilities (the text of a JSON object) declare the tasks extension.
pub fn declare_tasks(capabilities: &str) -> bool {
    object::get(capabilities, "extensions")
        .and_then(|extensions| object::get(extensions, TASKS_EXTENSION))
        .is_some_and(|settings| ValueKind::of(settings) == ValueKind::Object)
}

/// Whether a server's capabilities hold something at this path that is neither null nor false.
pub fn declares(capabilities: &RawValue, path: &[&str]) -> bool {
    let mut value = capabilities;
    for key in path {
        match object::get(value, key) {
            Some(inner) => value = inner,
            None => return false,
        }
    }
    !matches!(value.get().trim(), "null" | "false")
}
