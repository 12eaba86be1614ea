//! The journal's events one after another, for whoever follows them instead of looking at rows.

use journal::event::{AttemptOutcome, EventSeq, OperationEnd, OperationId};
use protocol::findings::Finding;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Part of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JournalPart {
    /// Its events in order; none where the journal ends.
    pub events: Vec<JournalEvent>,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JournalEvent {
    /// Its place in the journal.
    pub event: EventSeq,
    /// Microseconds since the Unix epoch.
    pub at_micros: u64,
    /// Its operation, where it has one.
    pub operation: Option<OperationId>,
    /// What happened.
    pub what: Happening,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Happening {
    /// An operation began.
    OperationStarted {
        /// Its method, or a word of ours for what has none.
        method: String,
        /// The tool, prompt or resource.
        name: Option<String>,
    },
    /// An operation ended.
    OperationEnded {
        /// How.
        end: OperationEnd,
    },
    /// A round, or a further attempt of it, is sent.
    AttemptStarted {
        /// The round, from 1.
        round: u32,
        /// The attempt within the round, from 1.
        attempt: u32,
        /// The JSON-RPC id, as JSON text.
        request_id: Option<String>,
        /// What the round is called where it is more than a number.
        label: Option<String>,
    },
    /// An attempt ended.
    AttemptEnded {
        /// The round, from 1.
        round: u32,
        /// The attempt within the round, from 1.
        attempt: u32,
        /// How.
        outcome: AttemptOutcome,
    },
    /// The operation waits on purpose.
    WaitStarted {
        /// Why.
        reason: String,
    },
    /// The wait is over.
    WaitEnded,
    /// A message of the server that is no reply to what waits: a notification, a request, an orphan, noise.
    Received {
        /// The method, of a notification or a request.
        method: Option<String>,
        /// Its parameters as they came: the text of a JSON value.
        params: Option<String>,
        /// All of it, where it has no method.
        text: Option<String>,
    },
    /// A line of the process's stderr.
    Stderr {
        /// The line; bytes outside UTF-8 are shown as U+FFFD.
        text: String,
    },
    /// A breach of the specification, or a risk.
    Found {
        /// The finding.
        finding: Finding,
    },
    /// Anything else, in words.
    Other {
        /// What it is: `HTTP response head`.
        label: String,
        /// One line of it.
        text: String,
    },
}
