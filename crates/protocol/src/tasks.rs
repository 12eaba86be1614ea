//! Tasks: what a server says of one, and how one is followed from its handle to its end. Two designs: the extension
//! of the modern era (SEP-2663), and the experimental tasks of 2025-11-25 (basic/utilities/tasks).
//!
//! A [`TaskRun`] belongs to an [`crate::operation::Operation`]: it says what to send, how long to wait and what to ask,
//! and is told what came. It keeps no clock: whoever drives it waits, and says when a task's time to live is over.

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use crate::era::Era;
use crate::findings::Finding;
use crate::{rules, text};

mod end;
mod handle;
mod keys;
mod next;
mod pace;
mod polled;
mod run;
mod wishes;

pub use handle::TaskHandle;
pub use pace::Pace;
pub use run::{LISTENED_POLL_MILLIS, TaskLoss, TaskRun, TaskStep};

/// How much of a server's value a finding quotes.
const QUOTED: usize = 80;
/// How much of a failure's text a note quotes.
const NOTED: usize = 160;
/// The longest interval between polls that is believed, in milliseconds: a day.
const LONGEST_INTERVAL_MILLIS: u64 = 86_400_000;

/// Which design of tasks is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskDesign {
    /// The extension `io.modelcontextprotocol/tasks` (SEP-2663).
    Extension,
    /// 2025-11-25 basic/utilities/tasks.
    Experimental,
}

impl TaskDesign {
    /// The design that an era knows.
    pub fn of(era: Era) -> Self {
        match era {
            Era::Modern => Self::Extension,
            Era::Legacy => Self::Experimental,
        }
    }

    fn ttl_key(self) -> &'static str {
        match self {
            Self::Extension => "ttlMs",
            Self::Experimental => "ttl",
        }
    }

    fn interval_key(self) -> &'static str {
        match self {
            Self::Extension => "pollIntervalMs",
            Self::Experimental => "pollInterval",
        }
    }
}

/// A task's status (SEP-2663 § Task Status; 2025-11-25 basic/utilities/tasks § Task Status).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStatus {
    /// The request is being processed.
    Working,
    /// The server needs input first.
    InputRequired,
    /// There is a result.
    Completed,
    /// There is an error.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl TaskStatus {
    /// The protocol's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it stays as it is.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// The status that the word stands for.
    pub fn of(word: &str) -> Option<Self> {
        [
            Self::Working,
            Self::InputRequired,
            Self::Completed,
            Self::Failed,
            Self::Cancelled,
        ]
        .into_iter()
        .find(|status| status.as_str() == word)
    }
}

/// What a server said of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskState {
    /// Its identifier.
    pub id: String,
    /// Its status.
    pub status: TaskStatus,
    /// `statusMessage`, plain text.
    pub message: Option<String>,
    /// `createdAt` as it came.
    pub created_at: Option<String>,
    /// `lastUpdatedAt` as it came.
    pub last_updated_at: Option<String>,
    /// How long it is kept from its creation on, in milliseconds; absent for unlimited or unsaid.
    pub ttl_millis: Option<u64>,
    /// How long to wait between polls, in milliseconds.
    pub poll_interval_millis: Option<u64>,
}

/// Reads a task. What is missing or odd and does not hinder is among the findings.
///
/// # Errors
/// Why it is no task, in a sentence.
pub fn read_task(
    design: TaskDesign,
    task: &RawValue,
    findings: &mut Vec<Finding>,
) -> Result<TaskState, String> {
    if ValueKind::of(task) != ValueKind::Object {
        return Err(format!(
            "The task is {}, not an object.",
            ValueKind::of(task)
        ));
    }
    let words = |key| {
        object::get(task, key)
            .and_then(object::string)
            .map(std::borrow::Cow::into_owned)
    };
    let id = words("taskId")
        .filter(|id| !id.is_empty())
        .ok_or_else(|| "The task has no taskId.".to_owned())?;
    let word = object::get(task, "status").map_or("missing", RawValue::get);
    let status = words("status")
        .and_then(|status| TaskStatus::of(&status))
        .ok_or_else(|| {
            format!(
                "The task's status is {}, which is none of those that there are.",
                text::excerpt(word, QUOTED)
            )
        })?;
    for key in ["createdAt", "lastUpdatedAt"] {
        if words(key).is_none() {
            findings.push(rules::task_field(design, key, "missing or not a string"));
        }
    }
    let ttl = object::get(task, design.ttl_key());
    if ttl.is_none() {
        findings.push(rules::task_field(design, design.ttl_key(), "missing"));
    }
    let mut millis = |key, value: Option<&RawValue>| {
        let value = value.filter(|value| value.get().trim() != "null")?;
        let number = serde_json::from_str::<f64>(value.get())
            .ok()
            .filter(|number| *number >= 0.0);
        if number.is_none_or(|number| number.fract() != 0.0) {
            let what = format!("{}, not a whole number", text::excerpt(value.get(), QUOTED));
            findings.push(rules::task_field(design, key, &what));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is not negative, and what is too large is the largest"
        )]
        number.map(|number| number as u64)
    };
    let ttl_millis = millis(design.ttl_key(), ttl);
    let interval_key = design.interval_key();
    let poll_interval_millis = millis(interval_key, object::get(task, interval_key))
        .map(|interval| interval.min(LONGEST_INTERVAL_MILLIS));
    Ok(TaskState {
        id,
        status,
        message: words("statusMessage").filter(|message| !message.is_empty()),
        created_at: words("createdAt"),
        last_updated_at: words("lastUpdatedAt"),
        ttl_millis,
        poll_interval_millis,
    })
}

/// That a server gave a task the identifier of another one that goes on.
pub fn id_taken(id: &str) -> Finding {
    rules::task_id_taken(&text::excerpt(id, QUOTED))
}

/// The task that an experimental `CreateTaskResult` holds (2025-11-25 basic/utilities/tasks § Creating Tasks).
pub fn created_task(result: &RawValue) -> Option<&RawValue> {
    object::get(result, "task").filter(|task| ValueKind::of(*task) == ValueKind::Object)
}

/// The task that a message of a legacy server belongs to (2025-11-25 basic/utilities/tasks § Related Task Metadata).
pub fn related_task(params: &RawValue) -> Option<String> {
    let meta = object::get(params, "_meta")?;
    let related = object::get(meta, "io.modelcontextprotocol/related-task")?;
    object::get(related, "taskId")
        .and_then(object::string)
        .map(std::borrow::Cow::into_owned)
}
