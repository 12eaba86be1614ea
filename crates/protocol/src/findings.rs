//! Findings: breaches of the specification, and risks, seen in an event.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How bad a finding is, in the specification's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A MUST was broken.
    Must,
    /// A SHOULD was broken.
    Should,
    /// Allowed, yet worth a look.
    Note,
}

/// A breach of the specification, or a risk, seen in an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Finding {
    /// The rule's short name, e.g. `result-type-missing`.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// What was seen, in a sentence.
    pub message: String,
    /// The clause of the specification, e.g. `2026-07-28 basic § ResultType`.
    pub clause: String,
}

pub use crate::rules::{
    id_type_changed, progress_not_increasing, server_request_in_modern_era, stdout_not_protocol,
};
