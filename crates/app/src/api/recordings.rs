//! Recordings of past sessions: what there are, and how long they are kept.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A recording's identity: its file's name in the folder of recordings.
pub type RecordingId = String;

/// What a recording is to this Roundtrip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RecordingState {
    /// The running session is written to it.
    Running,
    /// Another Roundtrip writes to it.
    InUse,
    /// Its session is over.
    Past,
}

/// One recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RecordingView {
    /// Its identity.
    pub id: RecordingId,
    /// The name that the person gave it. A recording with a name is kept until it is deleted by hand.
    pub name: Option<String>,
    /// What it is to this Roundtrip.
    pub state: RecordingState,
    /// The servers, each once, in the order of their first connections.
    pub server_names: Vec<String>,
    /// The first event's time, in microseconds since the Unix epoch; absent without events.
    pub start_micros: Option<u64>,
    /// The last event's.
    pub end_micros: Option<u64>,
    /// How many events it holds.
    pub event_count: u32,
    /// How many operations.
    pub operation_count: u32,
    /// How many findings.
    pub finding_count: u32,
    /// The size of its file.
    pub byte_len: u64,
    /// Why it cannot be read, or not to its end.
    pub problem: Option<String>,
}

/// All recordings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RecordingList {
    /// The running one first, then the newest.
    pub recordings: Vec<RecordingView>,
    /// The folder that they are in; absent where nothing is written.
    pub folder: Option<String>,
    /// What the limits removed when Roundtrip started.
    pub removed_at_start: Option<RetentionPlan>,
}

/// A recording that was opened to be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OpenedRecording {
    /// What the list says of it.
    pub view: RecordingView,
    /// What a person should know of it, in sentences: it was cut off, it is damaged.
    pub notes: Vec<String>,
}

/// How long recordings are kept. Without limits they are kept until they are deleted by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Retention {
    /// How many MiB those without a name may take together.
    pub total_mib: Option<u32>,
    /// How many days those without a name are kept after their last event.
    pub days: Option<u32>,
}

/// What the limits remove, or removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RetentionPlan {
    /// The recordings, the oldest first.
    pub recordings: Vec<RecordingView>,
    /// Their sizes together.
    pub byte_len: u64,
    /// How many are kept because they have a name.
    pub named: u32,
    /// What could not be removed, and why.
    pub problems: Vec<String>,
}
