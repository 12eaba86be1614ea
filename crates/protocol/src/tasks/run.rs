//! The state machine of a task that is followed.

use serde_json::value::RawValue;
use wire::message::RpcError;
use wire::object;

use super::keys::{Keys, Reply};
use super::{NOTED, QUOTED, TaskDesign, TaskState, TaskStatus, end, read_task};
use crate::findings::Finding;
use crate::operation::{AnswerError, Finish, InputRequest};
use crate::{rounds, rules, text};

/// How long a task is left alone whose server tells of changes by itself, in milliseconds: a stream can be dead
/// without a sign.
pub const LISTENED_POLL_MILLIS: u64 = 60_000;
/// So many failed polls in a row are worth a word; so many refusals in a row are the end.
const MANY_FAILURES: u32 = 3;

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
    design: TaskDesign,
    pub(super) state: TaskState,
    declared: String,
    pub(super) on_its_way: OnItsWay,
    pub(super) cancelling: Cancelling,
    pub(super) keys: Keys,
    pub(super) polls: u32,
    /// Polls in a row that failed.
    pub(super) failures: u32,
    pub(super) is_listened: bool,
    is_expired: bool,
}

impl TaskRun {
    /// Takes a task up. The first step waits for its first poll, or polls at once where there is something to fetch.
    pub fn start(design: TaskDesign, state: TaskState, declared: String) -> (Self, Vec<TaskStep>) {
        let mut run = Self {
            design,
            state,
            declared,
            on_its_way: OnItsWay::Nothing,
            cancelling: Cancelling::No,
            keys: Keys::default(),
            polls: 0,
            failures: 0,
            is_listened: false,
            is_expired: false,
        };
        let mut steps = Vec::new();
        match run.state.status {
            TaskStatus::Working => run.wait(&mut steps),
            _ if design == TaskDesign::Experimental => run.look_closer(&mut steps),
            _ => run.poll(&mut steps),
        }
        (run, steps)
    }

    /// Takes a task up of which only the identifier is known: the first step asks for it.
    pub fn resume(design: TaskDesign, id: &str, declared: String) -> (Self, Vec<TaskStep>) {
        let state = TaskState {
            id: id.to_owned(),
            status: TaskStatus::Working,
            message: None,
            created_at: None,
            last_updated_at: None,
            ttl_millis: None,
            poll_interval_millis: None,
        };
        let (mut run, _) = Self::start(design, state, declared);
        let mut steps = Vec::new();
        run.poll(&mut steps);
        (run, steps)
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
    pub(crate) fn handle(&self) -> String {
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

    /// The server told of the task by itself (SEP-2663 § Task Status Notifications; 2025-11-25 § Task Status
    /// Notification). It is looked at, and then asked for: the record of the operation shall hold its result.
    pub fn told(&mut self, task: &RawValue, findings: &mut Vec<Finding>) -> Vec<TaskStep> {
        match read_task(self.design, task, findings) {
            Ok(state) if state.id == self.state.id => {
                let is_news =
                    state.status != self.state.status || state.status == TaskStatus::InputRequired;
                if !state.status.is_terminal() {
                    self.state = state;
                }
                if is_news { self.poll_now() } else { Vec::new() }
            }
            Ok(_) => Vec::new(),
            Err(why) => {
                findings.push(rules::task_malformed(&why));
                Vec::new()
            }
        }
    }

    /// Whether the server tells of the task by itself from now on. When it does not any more, it is polled at once.
    pub fn set_listened(&mut self, is_listened: bool) -> Vec<TaskStep> {
        let was = std::mem::replace(&mut self.is_listened, is_listened);
        match (was, is_listened) {
            (true, false) => self.poll_now(),
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

    /// The person wants it cancelled: the server is asked, and what it does is waited for. The second time it is let
    /// go of.
    pub fn cancel(&mut self) -> Vec<TaskStep> {
        if self.cancelling != Cancelling::No {
            return vec![
                TaskStep::Note(format!(
                    "Not followed any more. The server was asked to cancel the task {} and has not said that it did.",
                    self.state.id
                )),
                TaskStep::Stop,
                TaskStep::Finished(Finish::Cancelled),
            ];
        }
        self.cancelling = Cancelling::Wanted;
        let mut steps = Vec::new();
        // A reply that is awaited for the person's answer is worth waiting for; a poll is not.
        if !matches!(self.on_its_way, OnItsWay::Update(_)) {
            if self.on_its_way != OnItsWay::Nothing {
                steps.push(TaskStep::Stop);
            }
            self.send_cancel(&mut steps);
        }
        steps
    }

    /// The person answered: the text of the method's result object.
    ///
    /// # Errors
    /// The answer was not taken.
    pub fn answer(&mut self, key: &str, answer: String) -> Result<Vec<TaskStep>, AnswerError> {
        if text::members(&answer).is_none() {
            return Err(AnswerError::NotAnObject {
                key: key.to_owned(),
            });
        }
        self.reply(key, Reply::Given(answer))
    }

    /// The person goes on without answering.
    ///
    /// # Errors
    /// The task does not wait for this key.
    pub fn leave_out(&mut self, key: &str) -> Result<Vec<TaskStep>, AnswerError> {
        let mut steps = self.reply(key, Reply::LeftOut)?;
        steps.insert(
            0,
            TaskStep::Note(format!(
                "{:?} was left unanswered, and the task may wait for it; cancel the task to end that.",
                text::excerpt(key, QUOTED)
            )),
        );
        Ok(steps)
    }

    fn reply(&mut self, key: &str, reply: Reply) -> Result<Vec<TaskStep>, AnswerError> {
        self.keys.reply(key, reply)?;
        let mut steps = Vec::new();
        if self.keys.are_ready() {
            match self.on_its_way {
                OnItsWay::Nothing => self.go_on(&mut steps),
                OnItsWay::Poll => {
                    // A server may hold a poll until something changes, which is this answer.
                    steps.push(TaskStep::Stop);
                    self.on_its_way = OnItsWay::Nothing;
                    self.go_on(&mut steps);
                }
                _ => {}
            }
        }
        Ok(steps)
    }

    fn polled(
        &mut self,
        result: &RawValue,
        findings: &mut Vec<Finding>,
        steps: &mut Vec<TaskStep>,
    ) {
        let state = match read_task(self.design, result, findings) {
            Ok(state) => state,
            Err(why) => {
                findings.push(rules::task_malformed(&why));
                self.poll_failed(&why, false, steps);
                return;
            }
        };
        if state.id != self.state.id {
            findings.push(rules::task_of_another_id(&self.state.id, &state.id));
            self.poll_failed("the answer is about another task", false, steps);
            return;
        }
        if self.failures >= MANY_FAILURES {
            steps.push(TaskStep::Note("The server answers polls again.".to_owned()));
        }
        self.failures = 0;
        self.state = state;
        if self.state.status.is_terminal() {
            self.ended(result, findings, steps);
            return;
        }
        if self.design == TaskDesign::Experimental {
            if self.state.status == TaskStatus::InputRequired {
                self.look_closer(steps);
            } else {
                self.go_on(steps);
            }
            return;
        }
        let asked = self.read_requests(result, findings, steps);
        self.go_on(steps);
        // Last: what is answered at once is sent at once, and what is then on its way is not waited for twice.
        if !asked.is_empty() {
            steps.push(TaskStep::Ask(asked));
        }
    }

    /// What is asked now that was not asked before; what is asked no more is withdrawn.
    fn read_requests(
        &mut self,
        result: &RawValue,
        findings: &mut Vec<Finding>,
        steps: &mut Vec<TaskStep>,
    ) -> Vec<InputRequest> {
        let mut requests = Vec::new();
        if self.state.status == TaskStatus::InputRequired {
            match rounds::read_input_requests(result, &self.declared, findings) {
                Some(read) if !read.is_empty() => requests = read,
                _ => findings.push(rules::task_field(
                    self.design,
                    "inputRequests",
                    "missing or empty, though the status is input_required",
                )),
            }
        }
        let (withdrawn, asked) = self.keys.compare(requests, findings);
        if !withdrawn.is_empty() {
            steps.push(TaskStep::Withdraw(withdrawn));
        }
        asked
    }

    fn ended(&mut self, result: &RawValue, findings: &mut Vec<Finding>, steps: &mut Vec<TaskStep>) {
        if self.state.status == TaskStatus::Cancelled {
            steps.push(self.cancelled());
        } else if self.design == TaskDesign::Experimental {
            self.fetch_result(steps);
        } else {
            if self.is_cancel_asked() {
                steps.push(TaskStep::Note(format!(
                    "The task was {} before the wish to cancel it took effect.",
                    self.state.status.as_str()
                )));
            }
            let finish = end::finish(&self.state, result, findings);
            steps.push(TaskStep::Finished(finish));
        }
    }

    fn cancelled(&self) -> TaskStep {
        TaskStep::Finished(if self.is_cancel_asked() {
            Finish::Cancelled
        } else {
            end::cancelled_by_server(&self.state)
        })
    }

    fn poll_failed(&mut self, why: &str, is_refusal: bool, steps: &mut Vec<TaskStep>) {
        self.failures += 1;
        let is_over = self.is_expired || (is_refusal && self.failures >= MANY_FAILURES);
        if is_over {
            let (brief, message) = if self.is_expired {
                ("task expired", "its time to live is over")
            } else {
                (
                    "task lost",
                    "it does not know the task, or does not serve tasks",
                )
            };
            steps.push(TaskStep::Finished(Finish::Failed {
                brief: brief.to_owned(),
                message: format!(
                    "The server tells nothing more of the task {}: {message} (it was {} last). The last poll: {why}",
                    self.state.id,
                    self.state.status.as_str()
                ),
                hint: Some("Call again; the polls in the timeline show what the server said.".to_owned()),
            }));
            return;
        }
        if self.failures == MANY_FAILURES {
            steps.push(TaskStep::Note(format!(
                "{MANY_FAILURES} polls in a row failed, the last with: {}. Polling goes on, more and more slowly.",
                text::excerpt(why, NOTED).trim_end_matches('.')
            )));
        }
        self.wait(steps);
    }
}
