//! Tasks: following them as part of their operation, and what is known of each, also when nobody follows it any more.
//!
//! A task has no timer of its own: its waits are the operation's, which the sweep looks at. What is known of tasks
//! outlives the connection and the program: [`file`] keeps it, [`following`] takes it up again.

pub mod file;
mod following;
mod known;
mod news;
mod wishes;

use std::time::Duration;

use client::clock::now_micros;
use journal::event::{
    AttemptOutcome, ConnectionId, EventBody, EventSeq, OperationEnd, OperationId,
};
use protocol::operation::{Operation, Step};
use protocol::tasks::TaskStep;
use serde_json::value::RawValue;
use wire::object;

use super::operation::{Active, Patience};
use super::state::Engine;

pub(super) use known::Tasks;
pub use wishes::TaskWish;

impl Engine {
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
        self.task_changed(operation);
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
        let Some(run) = active.machine.as_ref().and_then(Operation::task) else {
            return false;
        };
        if let Some(number) = active.task {
            self.tasks.learn(number, run, now_micros());
            return false;
        }
        let Some(connection) = self.connections.get(&active.connection) else {
            return false;
        };
        let known = self
            .tasks
            .find(&connection.server, &run.state().id)
            .map(|known| (known.number, known.operation));
        // Two tasks with one identifier: the first keeps its place, and the second is followed beside it.
        if let Some((_, Some(other))) = known
            && other != operation
            && self.is_following(other)
        {
            self.task_id_taken(operation);
            return false;
        }
        let reach = self
            .catalog
            .get(&connection.server)
            .map(crate::eras::reach_of)
            .unwrap_or_default();
        let number = known.map_or_else(
            || {
                let title = active.tool.clone().unwrap_or_default();
                self.tasks.add(
                    (&connection.server, &connection.server_name),
                    &title,
                    reach.clone(),
                    run,
                    now_micros(),
                )
            },
            |(number, _)| number,
        );
        if let Some(entry) = self.tasks.get_mut(number) {
            entry.connection = Some(active.connection);
            entry.operation = Some(operation);
            entry.reach = reach;
            entry.is_let_go = false;
            entry.end = None;
        }
        self.tasks.learn(number, run, now_micros());
        if let Some(active) = self.active.get_mut(&operation) {
            active.task = Some(number);
        }
        let active = &self.active;
        self.tasks
            .drop_the_oldest(|operation| active.contains_key(&operation));
        known.is_none()
    }

    /// Something about an operation changed that its task's line shows.
    pub(super) fn task_changed(&mut self, operation: OperationId) {
        if let Some(number) = self.active.get(&operation).and_then(|active| active.task) {
            self.tasks.changed(number);
        }
    }

    /// The operation that followed a task is over, with it or without it.
    pub(super) fn task_left(&mut self, active: &Active, end: &OperationEnd) {
        if let Some(number) = active.task {
            self.tasks.left(number, end);
        }
    }

    /// The server gave a task an identifier that another one has.
    fn task_id_taken(&mut self, operation: OperationId) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let connection = active.connection;
        let id = active
            .machine
            .as_ref()
            .and_then(Operation::task)
            .map(|run| run.state().id.clone())
            .unwrap_or_default();
        let finding = protocol::tasks::id_taken(&id);
        self.record_findings(connection, Some(operation), None, vec![finding]);
    }

    /// Tells the tasks whose time to live is over so.
    pub(super) fn expire_tasks(&mut self) {
        for operation in self.tasks.expire(now_micros()) {
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
        let server = &self.connections.get(&connection)?.server;
        self.tasks
            .find(server, task)
            .or_else(|| self.tasks.find_redacted(server, task, &self.redactor))
            .filter(|known| known.connection == Some(connection))
            .and_then(|known| known.operation)
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
            self.task_changed(operation);
            self.advance(operation, step);
        }
    }
}
