//! What a person wants of tasks.

use journal::event::OperationId;
use protocol::operation::Operation;
use protocol::tasks::Pace;

use super::known::KnownTask;
use crate::api::calls::{PaceTaskArgs, TaskArgs};
use crate::api::servers::ServerId;
use crate::api::tasks::TaskList;
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;
use crate::engine::input::Answer;
use crate::engine::state::{Engine, reply};

/// The shortest interval between polls that a person can choose, in milliseconds.
const SHORTEST_INTERVAL_MILLIS: u64 = 100;
/// The longest one: a day.
const LONGEST_INTERVAL_MILLIS: u64 = 86_400_000;

/// How many forgotten tasks can be brought back.
const FORGOTTEN_KEPT: usize = 1000;

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
        /// Which.
        task: TaskArgs,
        /// The operation that follows it.
        answer: Answer<OperationId>,
    },
    /// Poll one so.
    Pace {
        /// Which, and how.
        args: PaceTaskArgs,
        /// Done.
        answer: Answer<()>,
    },
    /// Ask the server to cancel one.
    Cancel {
        /// Which.
        task: TaskArgs,
        /// The operation that follows it.
        answer: Answer<OperationId>,
    },
    /// Ask the servers to cancel all that are followed.
    CancelAll {
        /// Only this server's.
        server: Option<ServerId>,
        /// How many.
        answer: Answer<u32>,
    },
    /// Know nothing of these any more.
    Forget {
        /// Which.
        tasks: Vec<TaskArgs>,
        /// How many were known.
        answer: Answer<u32>,
    },
    /// That was a mistake.
    Recall {
        /// Which.
        tasks: Vec<TaskArgs>,
        /// How many are known again.
        answer: Answer<u32>,
    },
}

impl Engine {
    pub(in crate::engine) fn take_task_wish(&mut self, wish: TaskWish) {
        match wish {
            TaskWish::List { server, answer } => {
                let tasks = self.task_views(server.as_deref());
                reply(answer, Ok(TaskList { tasks }));
            }
            TaskWish::Poll { task, answer } => {
                let polled = self.poll_task(&task.server, &task.task);
                reply(answer, polled);
            }
            TaskWish::Pace { args, answer } => {
                let set = self.pace_task(&args);
                reply(answer, set);
            }
            TaskWish::Cancel { task, answer } => {
                let asked = self.cancel_task(&task.server, &task.task);
                reply(answer, asked);
            }
            TaskWish::CancelAll { server, answer } => {
                let count = self.cancel_tasks(server.as_deref());
                reply(answer, Ok(count));
            }
            TaskWish::Forget { tasks, answer } => {
                let count = self.forget_tasks(&tasks);
                reply(answer, Ok(count));
            }
            TaskWish::Recall { tasks, answer } => {
                let count = self.recall_tasks(&tasks);
                reply(answer, Ok(count));
            }
        }
    }

    /// The number of a task by the identifier that a view has of it.
    fn task_number(&self, server: &str, id: &str) -> Option<u32> {
        self.tasks
            .find(server, id)
            .or_else(|| self.tasks.find_redacted(server, id, &self.redactor))
            .map(|known| known.number)
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
        self.follow_task(connection, task, 0, Operation::poll_now)
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
        self.follow_task(connection, task, 0, Operation::cancel)
    }

    /// Asks for all that go on and were not asked for yet.
    fn cancel_tasks(&mut self, server: Option<&str>) -> u32 {
        let going_on: Vec<OperationId> = self
            .tasks
            .iter()
            .filter(|known| server.is_none_or(|server| known.server == server))
            .filter(|known| !known.handle.is_cancel_asked && !known.is_over())
            .filter_map(|known| known.operation)
            .filter(|operation| self.is_following(*operation))
            .collect();
        for operation in &going_on {
            self.turn_task(*operation, Operation::cancel);
        }
        u32::try_from(going_on.len()).unwrap_or(u32::MAX)
    }

    /// Sets how a task is polled.
    ///
    /// # Errors
    /// It is not known, or the interval is none that can be, or not without force.
    fn pace_task(&mut self, args: &PaceTaskArgs) -> Result<(), ErrorView> {
        let known = self
            .task_number(&args.server, &args.task)
            .and_then(|number| self.tasks.get(number))
            .ok_or_else(|| unknown(&args.task))?;
        if let Some(own) = args.interval_millis {
            if !(SHORTEST_INTERVAL_MILLIS..=LONGEST_INTERVAL_MILLIS).contains(&own) {
                return Err(bad_input(
                    "Polls can be from 0.1 s to a day apart.",
                    "Choose an interval between these.",
                ));
            }
            let named = known.handle.state.poll_interval_millis;
            if let Some(named) = named.filter(|named| own < *named && !args.is_forced) {
                let message = format!(
                    "The server wants polls to be {named} ms apart, and may refuse more frequent ones."
                );
                return Err(bad_input(
                    &message,
                    "Choose a longer interval, or poll faster than the server wants on purpose.",
                ));
            }
        }
        let pace = Pace {
            is_paused: args.is_paused,
            interval_millis: args.interval_millis,
            is_forced: args.is_forced && args.interval_millis.is_some(),
        };
        let number = known.number;
        let operation = known
            .operation
            .filter(|operation| self.is_following(*operation));
        if let Some(operation) = operation {
            self.turn_task(operation, |machine| machine.set_pace(pace));
            return Ok(());
        }
        let Some(known) = self.tasks.get_mut(number) else {
            return Ok(());
        };
        let goes_on = known.handle.pace.is_paused && !pace.is_paused && !known.is_over();
        known.handle.pace = pace;
        let (server, id) = (known.server.clone(), known.handle.state.id.clone());
        self.tasks.changed(number);
        self.tasks.file.is_due = true;
        if goes_on && let Ok(connection) = self.connected(&server) {
            self.follow_task(connection, &id, 0, Operation::poll_now)?;
        }
        Ok(())
    }

    /// Knows nothing of these any more, and does not follow them. The server hears nothing of it.
    fn forget_tasks(&mut self, tasks: &[TaskArgs]) -> u32 {
        let mut forgotten = Vec::new();
        for TaskArgs { server, task } in tasks {
            let Some(number) = self.task_number(server, task) else {
                continue;
            };
            let operation = self
                .tasks
                .get(number)
                .and_then(|known| known.operation)
                .filter(|operation| self.is_following(*operation));
            // Taken out first: that nobody follows it is then no news of it.
            if let Some(known) = self.tasks.take(number) {
                forgotten.push((known, operation.is_some()));
            }
            if let Some(operation) = operation {
                self.turn_task(operation, Operation::let_go);
            }
        }
        let count = u32::try_from(forgotten.len()).unwrap_or(u32::MAX);
        let kept = &mut self.tasks.forgotten;
        kept.extend(forgotten);
        // The oldest mistakes are not taken back any more.
        let excess = kept.len().saturating_sub(FORGOTTEN_KEPT);
        kept.drain(..excess);
        count
    }

    /// Brings back what was forgotten, and follows what was followed.
    fn recall_tasks(&mut self, tasks: &[TaskArgs]) -> u32 {
        let mut count = 0;
        let is_meant = |(known, _): &(KnownTask, bool)| {
            tasks.iter().any(|task| {
                let id = &known.handle.state.id;
                known.server == task.server
                    && (*id == task.task || self.redactor.redact_text(id) == task.task)
            })
        };
        let forgotten = std::mem::take(&mut self.tasks.forgotten);
        let (meant, kept): (Vec<_>, Vec<_>) = forgotten.into_iter().partition(is_meant);
        self.tasks.forgotten = kept;
        for (known, was_followed) in meant {
            let (server, id) = (known.server.clone(), known.handle.state.id.clone());
            if !self.tasks.put_back(known) {
                continue;
            }
            count += 1;
            if was_followed && let Ok(connection) = self.connected(&server) {
                // A server that has gone meanwhile leaves it as it was.
                let _unreachable = self.follow_task(connection, &id, 0, Operation::poll_now);
            }
        }
        count
    }
}

fn unknown(task: &str) -> ErrorView {
    ErrorView {
        code: ErrorCode::Gone,
        message: format!("The task {task} is not known here."),
        hint: Some("It may have been forgotten; add its handle again.".to_owned()),
    }
}
