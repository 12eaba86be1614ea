//! What is known of a task that nobody follows: enough to take it up again, also after a restart.

use super::{Pace, TaskState, TaskStatus};

/// A task's handle (SEP-2663 § Task Polling: clients should persist task ids, so that polling can resume).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskHandle {
    /// What the server said of it last.
    pub state: TaskState,
    /// How the person wants it polled.
    pub pace: Pace,
    /// The keys that the server has answers to: they are not asked again (SEP-2663 § Task Update Requests).
    pub answered: Vec<String>,
    /// The server was asked to cancel it.
    pub is_cancel_asked: bool,
    /// How often it was polled.
    pub polls: u32,
}

impl TaskHandle {
    /// The handle of a task of which only the identifier is known.
    pub fn of_id(id: &str) -> Self {
        Self {
            state: TaskState {
                id: id.to_owned(),
                status: TaskStatus::Working,
                message: None,
                created_at: None,
                last_updated_at: None,
                ttl_millis: None,
                poll_interval_millis: None,
            },
            pace: Pace::default(),
            answered: Vec::new(),
            is_cancel_asked: false,
            polls: 0,
        }
    }
}
