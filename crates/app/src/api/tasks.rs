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

/// What changed of the tasks that are known. What a view has not been told of yet comes in further batches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TasksPatch {
    /// The view must forget those that it has: all of them come from here on.
    pub whole: bool,
    /// New ones, and those of which something changed.
    pub changed: Vec<TaskView>,
    /// Not known any more, by their numbers.
    pub gone: Vec<u32>,
}

/// How it stands with a task here, beside what the server says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TaskStanding {
    /// It is followed to its end.
    Followed,
    /// Nobody polls it: its server is not connected, or is another one now.
    Unfollowed,
    /// The person let go of it.
    LetGo,
    /// It completed, failed or was cancelled.
    Over,
    /// Its time to live was over, and the server tells nothing more.
    Expired,
    /// The server does not know it.
    Lost,
}

/// A task that is known. Times are microseconds since the Unix epoch.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says another thing of a task, and any of them may go together"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TaskView {
    /// Counts up in the order in which they became known; another one after a restart.
    pub number: u32,
    /// Whose it is.
    pub server: ServerId,
    /// The catalog's name of the server.
    pub server_name: String,
    /// Its identifier, made by the server.
    pub task: String,
    /// The tool it came from; empty where that is not known.
    pub title: String,
    /// The operation that follows it, or did last; absent where that was before a restart.
    pub operation: Option<OperationId>,
    /// Whether that goes on.
    pub is_followed: bool,
    /// How it stands here.
    pub standing: TaskStanding,
    /// Which design it is spoken of in: `extension` (SEP-2663) or `experimental` (2025-11-25).
    pub design: String,
    /// `working`, `input_required`, `completed`, `failed` or `cancelled`: what the server said last.
    pub status: String,
    /// What the server says of the status, plain text.
    pub status_message: Option<String>,
    /// How it ended, in a few words, where that was not well.
    pub end_brief: Option<String>,
    /// The same in a sentence.
    pub end_message: Option<String>,
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
    /// How long the person wants them to be apart.
    pub own_interval_millis: Option<u64>,
    /// Also where the server wants them further apart.
    pub is_forced: bool,
    /// The person paused its polls.
    pub is_paused: bool,
    /// The server tells of it by itself, so that it is polled only now and then.
    pub is_listened: bool,
    /// When it is polled next, while that is waited for.
    pub next_poll_micros: Option<u64>,
    /// How often it was polled.
    pub polls: u32,
    /// How many polls in a row failed.
    pub failed_polls: u32,
    /// Why the last poll told nothing, or why nobody polls.
    pub problem: Option<String>,
    /// How many of its questions wait for the person.
    pub open_prompts: u32,
    /// Whether the server was asked to cancel it.
    pub is_cancel_asked: bool,
    /// The words with which the server refused that.
    pub cancel_refusal: Option<String>,
    /// The size of its result.
    pub result_byte_len: Option<u64>,
}
