//! What was found wrong with a server's messages, by rule.

use journal::event::{EventSeq, OperationId};
use protocol::findings::Finding;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The findings about a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FindingsView {
    /// By rule: breaches of a MUST first, and of equals those that were seen more often.
    pub rules: Vec<RuleView>,
}

/// The findings about one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleView {
    /// The last of them.
    pub last: Finding,
    /// How many.
    pub count: u32,
    /// When the first was seen, in microseconds since the Unix epoch.
    pub first_micros: u64,
    /// When the last was seen.
    pub last_micros: u64,
}

/// A window of the findings about one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FindingPlaces {
    /// In their order.
    pub places: Vec<FindingPlaceView>,
}

/// One finding, and what it was seen in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FindingPlaceView {
    /// The event that tells of it.
    pub seq: EventSeq,
    /// When, in microseconds since the Unix epoch.
    pub at_micros: u64,
    /// What was seen.
    pub message: String,
    /// The operation in which it was seen; absent for what belongs to none.
    pub operation: Option<OperationId>,
    /// Its method, and what it is about: `tools/call echo`.
    pub title: Option<String>,
}
