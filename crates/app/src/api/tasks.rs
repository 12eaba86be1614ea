//! Tasks as a view sees them.

use journal::event::OperationId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::servers::ServerId;

/// Tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TaskList {
    /// The newest first.
    pub tasks: Vec<TaskView>,
}

/// A task that is known. Times are microseconds since the Unix epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TaskView {
    /// Whose it is.
    pub server: ServerId,
    /// The catalog's name of the server.
    pub server_name: String,
    /// Its identifier, made by the server.
    pub task: String,
    /// The tool it came from; empty where that is not known.
    pub title: String,
    /// The operation that follows it, or did last.
    pub operation: OperationId,
    /// Whether that goes on.
    pub is_followed: bool,
    /// `working`, `input_required`, `completed`, `failed` or `cancelled`: what the server said last.
    pub status: String,
    /// What the server says of the status, plain text.
    pub status_message: Option<String>,
    /// When the server says that it was made.
    pub created_at: Option<String>,
    /// When the server says that it last changed.
    pub last_updated_at: Option<String>,
    /// Since when it is known here.
    pub known_micros: u64,
    /// When something about it changed last.
    pub seen_micros: u64,
    /// How long the server keeps it from its creation on; absent for unlimited or unsaid.
    pub ttl_millis: Option<u64>,
    /// When that is over, counted from when it became known here.
    pub expires_micros: Option<u64>,
    /// How long the server wants polls to be apart.
    pub poll_interval_millis: Option<u64>,
    /// When it is polled next, while that is waited for.
    pub next_poll_micros: Option<u64>,
    /// How often it was polled.
    pub polls: u32,
    /// How many polls in a row failed.
    pub failed_polls: u32,
    /// Whether the server was asked to cancel it.
    pub is_cancel_asked: bool,
}
