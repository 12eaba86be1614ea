//! The state machine of a task that is followed.

use serde_json::value::RawValue;
use wire::message::RpcError;
use wire::object;

use super::keys::Keys;
use super::{NOTED, Pace, QUOTED, TaskDesign, TaskHandle, TaskState, TaskStatus, read_task};
use crate::findings::Finding;
use crate::operation::{Finish, InputRequest};
use crate::{rules, text};

/// How long a task is left alone whose server tells of changes by itself, in milliseconds: a stream can be dead
/// without a sign.
pub const LISTENED_POLL_MILLIS: u64 = 60_000;
/// So many failed polls in a row are worth a word; so many refusals in a row are the end.
pub(super) const MANY_FAILURES: u32 = 3;

/// One thing that the driver has to do for a task.
#[derive(Clone, Debug)]
pub enum TaskStep {
    /// Nobody waits for the request on its way any more: tell the server in the transport's way.
    Stop,
    /// Send a request with a new id as the operation's next round.
    Send {
        /// The method.
        method: &'static str,
        /// Its parameters.
        params: String,
        /// What the round is called.
        label: String,
        /// The server may take as long as the task does (`tasks/result`).
        is_endless: bool,
    },
    /// Wait, and a little longer by chance; then call [`crate::operation::Operation::waited`].
    Wait {
        /// How long at least.
        millis: u64,
        /// Why, for the row.
        reason: String,
    },
    /// Ask the person, while the task is followed.
    Ask(Vec<InputRequest>),
    /// The server does not ask this any more.
    Withdraw(Vec<String>),
    /// Something that a reader of the timeline should know.
    Note(String),
    /// The task is over.
    Finished(Finish),
}

/// What is on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OnItsWay {
    Nothing,
    Poll,
    Update(Vec<String>),
    Cancel,
    Result,
}

/// What the person wants of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cancelling {
    No,
    /// As soon as what is on its way is answered.
    Wanted,
    /// The server knows.
    Asked,
}

/// A task that is followed to its end.
#[derive(Clone, Debug)]
pub struct TaskRun {
    pub(super) design: TaskDesign,
    pub(super) state: TaskState,
    pub(super) declared: String,
    pub(super) on_its_way: OnItsWay,
    pub(super) cancelling: Cancelling,
    pub(super) keys: Keys,
    pub(super) polls: u32,
    /// Polls in a row that failed.
    pub(super) failures: u32,
    pub(super) is_listened: bool,
    pub(super) pace: Pace,
    pub(super) is_expired: bool,
    /// Why the last poll was none, until one is.
    pub(super) problem: Option<String>,
    pub(super) cancel_refusal: Option<String>,
    pub(super) loss: Option<TaskLoss>,
    pub(super) result_byte_len: Option<usize>,
}

/// Why nothing more will be heard of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskLoss {
    /// The server does not know it, or serves no tasks.
    Unknown,
    /// Its time to live was over, and the server told nothing more.
    Expired,
}

impl TaskRun {
    /// Takes a task up. The first step waits for its first poll, or polls at once where there is something to fetch.
    pub fn start(design: TaskDesign, state: TaskState, declared: String) -> (Self, Vec<TaskStep>) {
        let handle = TaskHandle {
            state,
            ..TaskHandle::of_id("")
        };
        let mut run = Self::of(design, handle, declared);
        let mut steps = Vec::new();
        match run.state.status {
            TaskStatus::Working => run.wait(&mut steps),
            _ if design == TaskDesign::Experimental => run.look_closer(&mut steps),
            _ => run.poll(&mut steps),
        }
        (run, steps)
    }

    /// Takes a task up again. The first step asks for it, at once or after a wait of so many milliseconds.
    pub fn resume(
        design: TaskDesign,
        handle: TaskHandle,
        declared: String,
        after_millis: u64,
    ) -> (Self, Vec<TaskStep>) {
        let mut run = Self::of(design, handle, declared);
        let mut steps = Vec::new();
        if after_millis == 0 {
            run.poll(&mut steps);
        } else {
            steps.push(TaskStep::Wait {
                millis: after_millis,
                reason: "it is taken up again, with others".to_owned(),
            });
        }
        (run, steps)
    }

    fn of(design: TaskDesign, handle: TaskHandle, declared: String) -> Self {
        Self {
            design,
            state: handle.state,
            declared,
            on_its_way: OnItsWay::Nothing,
            cancelling: if handle.is_cancel_asked {
                Cancelling::Asked
            } else {
                Cancelling::No
            },
            keys: Keys::of_answered(handle.answered),
            polls: handle.polls,
            failures: 0,
            is_listened: false,
            pace: handle.pace,
            is_expired: false,
            problem: None,
            cancel_refusal: None,
            loss: None,
            result_byte_len: None,
        }
    }

    /// What it takes to take it up again later.
    pub fn handle(&self) -> TaskHandle {
        TaskHandle {
            state: self.state.clone(),
            pace: self.pace,
            answered: self.keys.answered().map(str::to_owned).collect(),
            is_cancel_asked: self.is_cancel_asked(),
            polls: self.polls,
        }
    }

    /// Which design it is spoken of in.
    pub fn design(&self) -> TaskDesign {
        self.design
    }

    /// How the person wants it polled.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Why the last poll told nothing, until one does.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// The words with which the server refused to cancel it.
    pub fn cancel_refusal(&self) -> Option<&str> {
        self.cancel_refusal.as_deref()
    }

    /// Why nothing more will be heard of it.
    pub fn loss(&self) -> Option<TaskLoss> {
        self.loss
    }

    /// The size of its result as it came, in bytes.
    pub fn result_byte_len(&self) -> Option<usize> {
        self.result_byte_len
    }

    /// Whether the server tells of it by itself.
    pub fn is_listened(&self) -> bool {
        self.is_listened
    }

    /// What the server said of it last.
    pub fn state(&self) -> &TaskState {
        &self.state
    }

    /// How often it was polled.
    pub fn polls(&self) -> u32 {
        self.polls
    }

    /// How many polls in a row failed.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Whether the server was asked to cancel it.
    pub fn is_cancel_asked(&self) -> bool {
        self.cancelling != Cancelling::No
    }

    /// That the task is known and may go on, for whoever stops following it.
    pub(crate) fn farewell(&self) -> String {
        format!(
            "The task {} was {} last and may go on at the server; it can be polled again once the server is connected.",
            self.state.id,
            self.state.status.as_str()
        )
    }

    /// What came, in a word for the round's row, where the task says more than the result's type.
    pub fn word_for(&self, result: &RawValue) -> Option<String> {
        if self.on_its_way != OnItsWay::Poll {
            return None;
        }
        object::get(result, "status")
            .and_then(object::string)
            .map(std::borrow::Cow::into_owned)
    }

    /// The request on its way got this result.
    pub fn on_result(&mut self, result: &RawValue, findings: &mut Vec<Finding>) -> Vec<TaskStep> {
        let mut steps = Vec::new();
        let was = std::mem::replace(&mut self.on_its_way, OnItsWay::Nothing);
        if self.design == TaskDesign::Extension && was != OnItsWay::Nothing {
            let kind = object::get(result, "resultType");
            if kind.and_then(object::string).as_deref() != Some("complete") {
                let token = kind.map_or("missing", RawValue::get);
                findings.push(rules::task_result_type(&text::excerpt(token, QUOTED)));
            }
        }
        match was {
            OnItsWay::Nothing => {}
            OnItsWay::Poll => self.polled(result, findings, &mut steps),
            OnItsWay::Update(keys) => {
                self.keys.sent(&keys);
                self.go_on(&mut steps);
            }
            OnItsWay::Cancel => {
                self.cancelling = Cancelling::Asked;
                // The experimental design answers with the task (2025-11-25 § Cancelling Tasks).
                if self.design == TaskDesign::Experimental
                    && let Ok(state) = read_task(self.design, result, findings)
                    && state.id == self.state.id
                {
                    self.state = state;
                    if self.state.status == TaskStatus::Cancelled {
                        steps.push(self.cancelled());
                        return steps;
                    }
                }
                self.poll(&mut steps);
            }
            OnItsWay::Result => {
                self.result_byte_len = Some(result.get().len());
                let is_error =
                    object::get(result, "isError").is_some_and(|flag| flag.get() == "true");
                steps.push(TaskStep::Finished(if is_error {
                    Finish::ToolError
                } else {
                    Finish::Complete
                }));
            }
        }
        steps
    }

    /// The request on its way got this error.
    pub fn on_error(&mut self, error: &RpcError) -> Vec<TaskStep> {
        let said = format!(
            "error {}: {}",
            error.code,
            text::excerpt(&error.message, NOTED)
        );
        let mut steps = Vec::new();
        match std::mem::replace(&mut self.on_its_way, OnItsWay::Nothing) {
            OnItsWay::Nothing => {}
            OnItsWay::Poll => {
                // The server knows neither the task, nor the method, nor that tasks were declared.
                let is_refusal = matches!(error.code, -32602 | -32601 | -32600 | -32021);
                self.poll_failed(&said, is_refusal, &mut steps);
            }
            OnItsWay::Update(keys) => {
                self.keys.refused(&keys);
                steps.push(TaskStep::Note(format!(
                    "The server did not take the answer ({said}); what it asks again is asked again."
                )));
                self.go_on(&mut steps);
            }
            OnItsWay::Cancel => {
                self.cancelling = Cancelling::Asked;
                self.cancel_refusal = Some(said.clone());
                steps.push(TaskStep::Note(format!(
                    "The server refused to cancel the task ({said}); it is followed on."
                )));
                self.poll(&mut steps);
            }
            // The task's own error, or that it was cancelled.
            OnItsWay::Result => {
                if self.is_cancel_asked() {
                    steps.push(TaskStep::Finished(Finish::Cancelled));
                } else {
                    steps.push(TaskStep::Finished(Finish::RpcError {
                        code: error.code,
                        message: error.message.clone(),
                    }));
                }
            }
        }
        steps
    }

    /// The request on its way got no reply. That never ends a task.
    pub fn on_failure(&mut self, brief: &str, message: &str) -> Vec<TaskStep> {
        let mut steps = Vec::new();
        match std::mem::replace(&mut self.on_its_way, OnItsWay::Nothing) {
            OnItsWay::Nothing => {}
            OnItsWay::Poll | OnItsWay::Result => self.poll_failed(brief, false, &mut steps),
            OnItsWay::Update(keys) => {
                self.keys.lost(&keys);
                steps.push(TaskStep::Note(format!(
                    "The answer may not have reached the server ({brief}): {} It is sent again when the task still asks for it.",
                    text::excerpt(message, NOTED)
                )));
                self.go_on(&mut steps);
            }
            OnItsWay::Cancel => {
                steps.push(TaskStep::Note(format!(
                    "The wish to cancel may not have reached the server ({brief}): {}",
                    text::excerpt(message, NOTED)
                )));
                self.cancelling = Cancelling::Asked;
                self.wait(&mut steps);
            }
        }
        steps
    }

    /// The wait is over.
    pub fn waited(&mut self) -> Vec<TaskStep> {
        self.poll_now()
    }

    /// Polls at once, unless something is on its way.
    pub fn poll_now(&mut self) -> Vec<TaskStep> {
        let mut steps = Vec::new();
        if self.on_its_way == OnItsWay::Nothing {
            self.poll(&mut steps);
        }
        steps
    }

    /// Whether the server tells of the task by itself from now on. When it does not any more, it is polled at once.
    pub fn set_listened(&mut self, is_listened: bool) -> Vec<TaskStep> {
        let was = std::mem::replace(&mut self.is_listened, is_listened);
        match (was, is_listened) {
            (true, false) if !self.pace.is_paused => self.poll_now(),
            (false, true) if self.on_its_way == OnItsWay::Nothing => {
                let mut steps = Vec::new();
                self.wait(&mut steps);
                steps
            }
            _ => Vec::new(),
        }
    }

    /// The task's time to live is over: a server may have dropped it (SEP-2663 § Task Polling). Polls that fail from
    /// now on are the end.
    pub fn expire(&mut self) -> Vec<TaskStep> {
        if std::mem::replace(&mut self.is_expired, true) {
            return Vec::new();
        }
        vec![TaskStep::Note(
            "The task's time to live is over: the server may drop it at any time.".to_owned(),
        )]
    }
}
