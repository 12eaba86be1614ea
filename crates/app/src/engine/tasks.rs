//! Tasks: following them as part of their operation, and what is known of each, also when nobody follows it any more.
//!
//! A task has no timer of its own: its waits are the operation's, which the sweep looks at.

use std::time::Duration;

use client::clock::now_micros;
use journal::event::{AttemptOutcome, ConnectionId, EventBody, EventSeq, OperationId};
use protocol::era::Era;
use protocol::operation::{Intent, Limits, Operation, Pages, Step};
use protocol::tasks::{TaskState, TaskStep};
use protocol::tools::ToolEntry;
use serde_json::value::RawValue;
use tokio::time::Instant;
use wire::object;

use super::input::Answer;
use super::operation::{Active, Patience, Purpose};
use super::state::{Engine, reply};
use crate::api::servers::ServerId;
use crate::api::tasks::{TaskList, TaskView};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;

/// How many tasks that nobody follows are remembered.
const REMEMBERED: usize = 1000;

/// What is known of a task.
pub struct KnownTask {
    server: ServerId,
    server_name: String,
    connection: ConnectionId,
    /// The operation that follows it, or did last.
    pub(super) operation: OperationId,
    /// The tool it came from; empty where that is not known.
    title: String,
    state: TaskState,
    known_micros: u64,
    seen_micros: u64,
    polls: u32,
    failures: u32,
    is_cancel_asked: bool,
    /// Its time to live was said to be over.
    is_expired: bool,
}

impl KnownTask {
    /// When its time to live is over, counted from when it became known.
    pub(super) fn expires_micros(&self) -> Option<u64> {
        let ttl = self.state.ttl_millis?;
        Some(self.known_micros.saturating_add(ttl.saturating_mul(1000)))
    }
}

/// What is wanted of tasks.
pub enum TaskWish {
    /// Those that are known.
    List {
        /// Only this server's.
        server: Option<ServerId>,
        /// The newest first.
        answer: Answer<TaskList>,
    },
    /// Poll one now, and follow it.
    Poll {
        /// Whose.
        server: ServerId,
        /// Its identifier.
        task: String,
        /// The operation that follows it.
        answer: Answer<OperationId>,
    },
    /// Ask the server to cancel one.
    Cancel {
        /// Whose.
        server: ServerId,
        /// Its identifier.
        task: String,
        /// The operation that follows it.
        answer: Answer<OperationId>,
    },
}

impl Engine {
    pub(super) fn take_task_wish(&mut self, wish: TaskWish) {
        match wish {
            TaskWish::List { server, answer } => {
                let tasks = self.task_views(server.as_deref());
                reply(answer, Ok(TaskList { tasks }));
            }
            TaskWish::Poll {
                server,
                task,
                answer,
            } => {
                let polled = self.poll_task(&server, &task);
                reply(answer, polled);
            }
            TaskWish::Cancel {
                server,
                task,
                answer,
            } => {
                let asked = self.cancel_task(&server, &task);
                reply(answer, asked);
            }
        }
    }

    /// Does what a task needs.
    pub(super) fn take_task_steps(
        &mut self,
        operation: OperationId,
        round: u32,
        steps: Vec<TaskStep>,
    ) {
        let is_new = self.remember_task(operation);
        for step in steps {
            match step {
                TaskStep::Stop => self.stop_waiting(
                    operation,
                    AttemptOutcome::Cancelled,
                    "something else is asked first",
                ),
                TaskStep::Send {
                    method,
                    params,
                    label,
                    is_endless,
                } => {
                    if let Some(active) = self.active.get_mut(&operation) {
                        active.wait = None;
                        active.patience = if is_endless {
                            Patience::Endless
                        } else {
                            Patience::Limited
                        };
                        // A task's requests are small and soon answered; only the call itself reports progress.
                        active.progress = false;
                    }
                    self.send_round(operation, round, Some(method), Some(&params), Some(label));
                }
                TaskStep::Wait { millis, reason } => {
                    let spread = fastrand::f64() / 10.0;
                    let millis = Duration::from_millis(millis).mul_f64(1.0 + spread);
                    self.begin_wait(operation, millis, reason);
                }
                TaskStep::Ask(requests) => self.open_prompts(operation, requests),
                TaskStep::Withdraw(keys) => self.withdraw_keys(operation, &keys),
                TaskStep::Note(text) => self.note(operation, text),
                TaskStep::Finished(finish) => self.finish(operation, finish),
            }
        }
        if is_new && self.is_following(operation) {
            let task = self.active.get(&operation).and_then(|active| {
                let run = active.machine.as_ref()?.task()?;
                Some((active.connection, run.state().id.clone()))
            });
            if let Some((connection, task)) = task {
                self.listen_to_task(connection, operation, &task);
            }
        }
    }

    /// Writes a word into an operation's record.
    pub(super) fn note(&mut self, operation: OperationId, text: String) {
        let Some(connection) = self.active.get(&operation).map(|active| active.connection) else {
            return;
        };
        self.record(connection, Some(operation), EventBody::Note { text });
    }

    /// Keeps what the operation knows of its task. Gives whether it was not known before.
    fn remember_task(&mut self, operation: OperationId) -> bool {
        let Some(active) = self.active.get(&operation) else {
            return false;
        };
        let Some(task) = active.machine.as_ref().and_then(Operation::task) else {
            return false;
        };
        let Some(connection) = self.connections.get(&active.connection) else {
            return false;
        };
        let now = now_micros();
        let known = self.tasks.iter().position(|known| {
            known.server == connection.server && known.state.id == task.state().id
        });
        let place = known.unwrap_or_else(|| {
            self.tasks.push(KnownTask {
                server: connection.server.clone(),
                server_name: connection.server_name.clone(),
                connection: active.connection,
                operation,
                title: active.tool.clone().unwrap_or_default(),
                state: task.state().clone(),
                known_micros: now,
                seen_micros: now,
                polls: 0,
                failures: 0,
                is_cancel_asked: false,
                is_expired: false,
            });
            self.tasks.len() - 1
        });
        let Some(entry) = self.tasks.get_mut(place) else {
            return false;
        };
        entry.connection = active.connection;
        entry.operation = operation;
        entry.polls = task.polls();
        entry.failures = task.failures();
        entry.is_cancel_asked |= task.is_cancel_asked();
        if entry.state != *task.state() {
            entry.state = task.state().clone();
            entry.seen_micros = now;
        }
        if self.tasks.len() > REMEMBERED
            && let Some(oldest) = self
                .tasks
                .iter()
                .position(|known| !self.active.contains_key(&known.operation))
        {
            self.tasks.remove(oldest);
        }
        known.is_none()
    }

    /// Tells the tasks whose time to live is over so.
    pub(super) fn expire_tasks(&mut self) {
        let now = now_micros();
        let mut over = Vec::new();
        for known in &mut self.tasks {
            let is_over = !known.is_expired
                && !known.state.status.is_terminal()
                && known.expires_micros().is_some_and(|at| at <= now);
            if is_over {
                known.is_expired = true;
                over.push(known.operation);
            }
        }
        for operation in over {
            self.turn_task(operation, Operation::expire_task);
        }
    }

    pub(super) fn turn_task(
        &mut self,
        operation: OperationId,
        turn: impl FnOnce(&mut Operation) -> Step,
    ) {
        let step = self
            .active
            .get_mut(&operation)
            .and_then(|active| active.machine.as_mut())
            .map(turn);
        if let Some(step) = step {
            self.advance(operation, step);
        }
    }

    /// The operation that follows a task of this connection.
    pub(super) fn follower(&self, connection: ConnectionId, task: &str) -> Option<OperationId> {
        self.tasks
            .iter()
            .find(|known| known.connection == connection && known.state.id == task)
            .map(|known| known.operation)
            .filter(|operation| self.is_following(*operation))
    }

    /// Whether the operation follows a task now.
    pub(super) fn is_following(&self, operation: OperationId) -> bool {
        self.active
            .get(&operation)
            .and_then(|active| active.machine.as_ref())
            .is_some_and(Operation::is_following)
    }

    /// The server told of a task by itself.
    pub(super) fn task_told(
        &mut self,
        connection: ConnectionId,
        params: Option<&RawValue>,
        event: EventSeq,
    ) {
        let Some(params) = params else {
            return;
        };
        let id = object::get(params, "taskId")
            .and_then(object::string)
            .unwrap_or_default();
        let Some(operation) = self.follower(connection, &id) else {
            return;
        };
        let told = self
            .active
            .get_mut(&operation)
            .and_then(|active| active.machine.as_mut())
            .map(|machine| machine.told(params));
        if let Some((step, findings)) = told {
            self.record_findings(connection, Some(operation), Some(event), findings);
            let _known = self.remember_task(operation);
            self.advance(operation, step);
        }
    }

    /// All tasks that are known, the newest first.
    fn task_views(&self, server: Option<&str>) -> Vec<TaskView> {
        self.tasks
            .iter()
            .rev()
            .filter(|known| server.is_none_or(|server| known.server == server))
            .map(|known| self.task_view(known))
            .collect()
    }

    fn task_view(&self, known: &KnownTask) -> TaskView {
        let is_followed = self.is_following(known.operation);
        let next_poll_micros = self
            .active
            .get(&known.operation)
            .filter(|_| is_followed)
            .and_then(|active| active.wait)
            .map(|wait| {
                let left = wait.until.saturating_duration_since(Instant::now());
                now_micros().saturating_add(u64::try_from(left.as_micros()).unwrap_or(u64::MAX))
            });
        TaskView {
            server: known.server.clone(),
            server_name: known.server_name.clone(),
            task: self.redacted_text(known.state.id.clone()),
            title: known.title.clone(),
            operation: known.operation,
            is_followed,
            status: known.state.status.as_str().to_owned(),
            status_message: known
                .state
                .message
                .clone()
                .map(|message| self.redacted_text(message)),
            created_at: known.state.created_at.clone(),
            last_updated_at: known.state.last_updated_at.clone(),
            known_micros: known.known_micros,
            seen_micros: known.seen_micros,
            ttl_millis: known.state.ttl_millis,
            expires_micros: known.expires_micros(),
            poll_interval_millis: known.state.poll_interval_millis,
            next_poll_micros,
            polls: known.polls,
            failed_polls: known.failures,
            is_cancel_asked: known.is_cancel_asked,
        }
    }

    /// Polls a task now: as a part of what follows it, or as an operation that follows it from here on.
    ///
    /// # Errors
    /// The server is not connected, or the task is over.
    fn poll_task(&mut self, server: &str, task: &str) -> Result<OperationId, ErrorView> {
        let connection = self.connected(server)?;
        if let Some(operation) = self.follower(connection, task) {
            self.turn_task(operation, Operation::poll_now);
            return Ok(operation);
        }
        self.follow_task(connection, task, Operation::poll_now)
    }

    /// Asks the server to cancel a task; the operation tells what it does.
    ///
    /// # Errors
    /// The server is not connected, or the task is over.
    fn cancel_task(&mut self, server: &str, task: &str) -> Result<OperationId, ErrorView> {
        let connection = self.connected(server)?;
        if let Some(operation) = self.follower(connection, task) {
            self.turn_task(operation, Operation::cancel);
            return Ok(operation);
        }
        self.follow_task(connection, task, Operation::cancel)
    }

    /// Follows a task whose operation is over.
    fn follow_task(
        &mut self,
        connection: ConnectionId,
        task: &str,
        turn: impl FnOnce(&mut Operation) -> Step,
    ) -> Result<OperationId, ErrorView> {
        let task = task.trim();
        if task.is_empty() {
            return Err(bad_input(
                "The task has no identifier.",
                "Choose one of the list of tasks.",
            ));
        }
        let link = self.connections.get(&connection).ok_or_else(gone)?;
        let speaker = link.speaker.clone().ok_or_else(gone)?;
        let limit = link.request_limit();
        let over = self
            .tasks
            .iter()
            .find(|known| known.server == link.server && known.state.id == task)
            .filter(|known| known.state.status.is_terminal());
        if let Some(known) = over {
            return Err(ErrorView {
                code: ErrorCode::Gone,
                message: format!(
                    "The task {task} is over: it was {}.",
                    known.state.status.as_str()
                ),
                hint: Some("Its row in the timeline holds the result.".to_owned()),
            });
        }
        let tool = self
            .tasks
            .iter()
            .find(|known| known.server == link.server && known.state.id == task)
            .map(|known| known.title.clone());
        let intent = Intent {
            era: speaker.era,
            declared: speaker.capabilities.clone(),
            method: "tasks/get".to_owned(),
            name: Some(task.to_owned()),
            params: None,
            pages: Pages::One,
        };
        let (mut machine, mut step) = Operation::follow(intent, Limits::default(), task);
        // What the person wants may be more than the first poll: it replaces it, before anything was sent.
        if let other @ Step::Task { .. } = turn(&mut machine) {
            step = without_stop(other);
        }
        let operation = self.open_operation(connection, "tasks/get", Some(task));
        self.active.insert(
            operation,
            Active {
                machine: Some(machine),
                tool,
                limit,
                ..Active::new(connection, speaker, Purpose::Call, "tasks/get", Some(task))
            },
        );
        self.advance(operation, step);
        Ok(operation)
    }

    /// Whether a tool's call asks for an experimental task (2025-11-25 basic/utilities/tasks § Tool-Level
    /// Negotiation): where the tool must run as one, and where it may and the person wants it.
    ///
    /// # Errors
    /// It is wanted, and not possible.
    pub(super) fn runs_as_task(
        &self,
        connection: ConnectionId,
        tool: &ToolEntry,
        wanted: bool,
    ) -> Result<bool, ErrorView> {
        let Some(connection) = self.connections.get(&connection) else {
            return Ok(false);
        };
        let is_legacy = connection
            .speaker
            .as_ref()
            .is_some_and(|speaker| speaker.era == Era::Legacy);
        let support = tool.task_support.as_deref();
        let refused = |why: &str, hint: &str| {
            if !wanted {
                return Ok(false);
            }
            let why = format!("The tool {} cannot be run as a task: {why}", tool.name);
            Err(bad_input(&why, hint))
        };
        if !connection.options.advertise.tasks {
            return refused(
                "tasks are switched off for this server.",
                "Switch them on in the server's options.",
            );
        }
        if !is_legacy {
            return refused(
                "in this revision the server decides by itself which call becomes a task.",
                "Call it as it is.",
            );
        }
        if !connection.declares(&["tasks", "requests", "tools", "call"]) {
            return refused(
                "the server does not declare tasks for calls (tasks.requests.tools.call).",
                "Call it as it is.",
            );
        }
        match support {
            Some("required") => Ok(true),
            Some("optional") => Ok(wanted),
            _ => refused(
                "the server says that it must not be (execution.taskSupport).",
                "Call it as it is.",
            ),
        }
    }
}

/// Nothing was sent yet, so there is nothing to stop.
fn without_stop(step: Step) -> Step {
    match step {
        Step::Task { round, steps } => Step::Task {
            round,
            steps: steps
                .into_iter()
                .filter(|step| !matches!(step, TaskStep::Stop))
                .collect(),
        },
        other => other,
    }
}

fn gone() -> ErrorView {
    ErrorView {
        code: ErrorCode::Gone,
        message: "The server is not connected.".to_owned(),
        hint: Some("Connect to it first.".to_owned()),
    }
}
