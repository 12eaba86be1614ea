//! Following a task whose operation is over, or that an earlier run left.

use journal::event::{ConnectionId, OperationId};
use protocol::era::Era;
use protocol::operation::{Intent, Limits, Operation, Pages, Step};
use protocol::tasks::{TaskHandle, TaskStep};
use protocol::tools::ToolEntry;

use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;
use crate::engine::operation::{Active, Purpose};
use crate::engine::state::Engine;

/// How long each task that is taken up waits for the one before, in milliseconds: hundreds must not be polled at once.
const APART_MILLIS: u64 = 50;

impl Engine {
    /// Follows a task whose operation is over; the first poll is after so many milliseconds.
    ///
    /// # Errors
    /// The server is not connected, or the task is over.
    pub(super) fn follow_task(
        &mut self,
        connection: ConnectionId,
        task: &str,
        after_millis: u64,
        turn: impl FnOnce(&mut Operation) -> Step,
    ) -> Result<OperationId, ErrorView> {
        let task = task.trim();
        if task.is_empty() {
            return Err(bad_input(
                "The task has no identifier.",
                "Choose one of the list of tasks, or type the identifier that the server gave.",
            ));
        }
        let link = self.connections.get(&connection).ok_or_else(gone)?;
        let speaker = link.speaker.clone().ok_or_else(gone)?;
        let limit = link.request_limit();
        let known = self
            .tasks
            .find(&link.server, task)
            .or_else(|| self.tasks.find_redacted(&link.server, task, &self.redactor));
        // What ended in this run has its result in this run's record.
        if let Some(known) = known
            .filter(|known| known.handle.state.status.is_terminal() && known.operation.is_some())
        {
            return Err(ErrorView {
                code: ErrorCode::Gone,
                message: format!(
                    "The task {task} is over: it was {}.",
                    known.handle.state.status.as_str()
                ),
                hint: Some("Its row in the timeline holds the result.".to_owned()),
            });
        }
        let handle = known.map_or_else(|| TaskHandle::of_id(task), |known| known.handle.clone());
        let tool = known
            .map(|known| known.title.clone())
            .filter(|title| !title.is_empty());
        let is_expired = known.is_some_and(|known| known.is_expired);
        let id = handle.state.id.clone();
        let intent = Intent {
            era: speaker.era,
            declared: speaker.capabilities.clone(),
            method: "tasks/get".to_owned(),
            name: Some(id.clone()),
            params: None,
            pages: Pages::One,
        };
        let (mut machine, mut step) =
            Operation::follow(intent, Limits::default(), handle, after_millis);
        if is_expired {
            // That was said when it was so.
            let _said = machine.expire_task();
        }
        // What the person wants may be more than the first poll: it replaces it, before anything was sent.
        if let other @ Step::Task { .. } = turn(&mut machine) {
            step = without_stop(other);
        }
        let operation = self.open_operation(connection, "tasks/get", Some(&id));
        self.active.insert(
            operation,
            Active {
                machine: Some(machine),
                tool,
                limit,
                ..Active::new(connection, speaker, Purpose::Call, "tasks/get", Some(&id))
            },
        );
        self.advance(operation, step);
        Ok(operation)
    }

    /// The server is connected: its tasks that went on when nobody followed them any more are followed again
    /// (SEP-2663 § Task Polling).
    pub(in crate::engine) fn take_up_tasks(&mut self, connection: ConnectionId) {
        let Some(server) = self
            .connections
            .get(&connection)
            .map(|link| link.server.clone())
        else {
            return;
        };
        let reach = self
            .catalog
            .get(&server)
            .map(crate::eras::reach_of)
            .unwrap_or_default();
        let ids: Vec<String> = self
            .tasks
            .iter()
            .filter(|known| known.server == server && known.reach == reach)
            .filter(|known| !known.is_over() && !known.is_let_go && !known.handle.pace.is_paused)
            .filter(|known| {
                !known
                    .operation
                    .is_some_and(|operation| self.is_following(operation))
            })
            .map(|known| known.handle.state.id.clone())
            .collect();
        for (id, place) in ids.iter().zip(0_u64..) {
            let nothing_more = |_: &mut Operation| Step::Nothing;
            // One that cannot be followed says so when it is polled by hand.
            let _refused = self.follow_task(connection, id, place * APART_MILLIS, nothing_more);
        }
    }

    /// Whether a tool's call asks for an experimental task (2025-11-25 basic/utilities/tasks § Tool-Level
    /// Negotiation): where the tool must run as one, and where it may and the person wants it.
    ///
    /// # Errors
    /// It is wanted, and not possible.
    pub(in crate::engine) fn runs_as_task(
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
