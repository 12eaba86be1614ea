//! The steps of a handshake as the engine carries them out, and the lives of the processes behind links.

use std::sync::Arc;

use client::Link;
use client::error::LinkError;
use client::report::LinkId;
use journal::event::{ConnectionId, EventBody, OperationId};
use protocol::listing::ListKind;
use protocol::operation::Finish;
use protocol::request::Speaker;
use protocol::rules;
use tokio::sync::oneshot;

use super::connection::Connection;
use super::ending::brief;
use super::input::{HandshakeStep, LinkRole, NewLink, ProcessPlan};
use super::operation::{Active, Purpose};
use super::state::Engine;
use crate::api::ErrorView;
use crate::api::servers::{Phase, ServerReport};

/// What to try about a process that ended by itself.
pub(super) const ENDED_HINT: &str = "Run the command in a terminal to see whether it starts there; check its arguments and environment.";

/// How a process ended.
pub(super) struct ProcessEnd {
    pub(super) status: String,
    /// It was asked to.
    pub(super) expected: bool,
    pub(super) last_stderr: Vec<String>,
    /// It had read something of what was sent to it.
    pub(super) heard: bool,
}

impl Engine {
    /// A step of a handshake.
    pub(super) fn handshake_step(&mut self, step: HandshakeStep) {
        // Steps that were on their way when the person disconnected come to nothing; a link that was opened
        // meanwhile is closed.
        let is_live = |id: &ConnectionId| {
            self.connections
                .get(id)
                .is_some_and(super::connection::Connection::is_live)
        };
        if !is_live(&step.connection()) {
            if let HandshakeStep::LinkOpened {
                link,
                opened: Ok(opened),
                ..
            } = step
            {
                self.links.remove(&link);
                self.closing.spawn(opened.close());
            }
            return;
        }
        match step {
            HandshakeStep::NewLink {
                connection,
                process,
                answer,
            } => {
                let link = self.new_link(connection, process);
                let _gone = answer.send(link);
            }
            HandshakeStep::LinkOpened {
                connection,
                link,
                role,
                opened,
                address,
            } => {
                self.link_opened(connection, link, role, opened, address);
            }
            HandshakeStep::Request {
                connection,
                speaker,
                ask,
                answer,
            } => {
                self.start(connection, Arc::new(speaker), ask, Some(answer));
            }
            HandshakeStep::Notify {
                connection,
                speaker,
                method,
                taken,
            } => {
                let operation = self.notify(connection, &Arc::new(speaker), method, None);
                self.await_end(operation, taken);
            }
            HandshakeStep::OpenHttpSse {
                connection,
                speaker,
                opening,
            } => self.open_http_sse(connection, speaker, opening),
            HandshakeStep::SessionRenewed {
                connection,
                renewed,
                operation,
            } => self.session_renewed(connection, renewed, operation),
            HandshakeStep::EndProcess { connection, ended } => self.end_process(connection, ended),
            HandshakeStep::EraForgotten { connection } => {
                if let Some(connection) = self.connections.get(&connection) {
                    self.eras.forget(&connection.server);
                }
            }
            HandshakeStep::Step { connection, step } => {
                if let Some(connection) = self.connections.get_mut(&connection) {
                    connection.step = Some(step);
                    self.publisher.servers_changed();
                }
            }
            HandshakeStep::Established {
                connection,
                speaker,
                report,
                findings,
                operation,
            } => {
                self.record_findings(connection, Some(operation), None, findings);
                self.established(connection, speaker, *report);
            }
            HandshakeStep::Failed {
                connection,
                error,
                operation,
            } => self.handshake_failed(connection, error, operation),
        }
    }

    fn new_link(&mut self, id: ConnectionId, process: Option<ProcessPlan>) -> Option<NewLink> {
        if !self.connections.get(&id)?.is_live() {
            return None;
        }
        let link = LinkId(self.next_link);
        self.next_link += 1;
        self.links.insert(link, id);
        if let Some(plan) = process {
            // The row has room for the program's own name; its start names the whole command.
            let name = plan.command.first().map(|command| {
                command
                    .rsplit(['/', '\\'])
                    .next()
                    .unwrap_or(command)
                    .to_owned()
            });
            let operation = self.open_operation(id, "process/start", name.as_deref());
            let speaker = self.connections.get(&id)?.spoken();
            self.active.insert(
                operation,
                Active::new(
                    id,
                    speaker,
                    Purpose::Process,
                    "process/start",
                    name.as_deref(),
                ),
            );
            let connection = self.connections.get_mut(&id)?;
            connection.starting = Some(operation);
            connection.plan = Some(plan);
            connection.process = Some(link);
            connection.ended = None;
            connection.was_heard = true;
            // A process that is started anew replaces the one before.
            if let Some(replaced) = connection.link.take() {
                self.closing.spawn(replaced.close());
            }
        }
        Some(NewLink {
            link,
            inbox: self.inbox.clone(),
        })
    }

    fn link_opened(
        &mut self,
        id: ConnectionId,
        link_id: LinkId,
        role: LinkRole,
        opened: Result<Link, LinkError>,
        address: Option<String>,
    ) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        match opened {
            Ok(link) => {
                if let Some(address) = address {
                    connection.address = address;
                }
                match role {
                    LinkRole::Speaks => connection.link = Some(link),
                    LinkRole::Launches => connection.launcher = Some(link),
                }
            }
            Err(error) => {
                self.links.remove(&link_id);
                let operation = connection.starting.take().unwrap_or_else(|| {
                    let address = self.address_of(id);
                    self.open_operation(id, "connect", Some(&address))
                });
                let end = Finish::Failed {
                    brief: brief(&error).to_owned(),
                    message: error.message,
                    hint: error.hint,
                };
                if let Some(connection) = self.connections.get_mut(&id) {
                    connection.error_operation = Some(operation);
                }
                if let Some(speaker) = self.connections.get(&id).map(Connection::spoken) {
                    self.active.entry(operation).or_insert_with(|| {
                        Active::new(id, speaker, Purpose::Process, "connect", None)
                    });
                }
                self.finish(operation, end);
            }
        }
    }

    pub(super) fn process_started(&mut self, id: ConnectionId, at_micros: u64, pid: u32) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.pid = Some(pid);
        let operation = connection.starting.take();
        let plan = connection.plan.clone().unwrap_or_else(|| ProcessPlan {
            command: Vec::new(),
            folder: None,
        });
        self.record_at(
            at_micros,
            id,
            operation,
            EventBody::ProcessStarted {
                pid,
                command: plan.command,
                folder: plan.folder,
            },
        );
        if let Some(operation) = operation {
            self.finish(operation, Finish::Complete);
        }
        self.publisher.servers_changed();
    }

    pub(super) fn process_ended(&mut self, id: ConnectionId, link: LinkId, end: &ProcessEnd) {
        self.links.remove(&link);
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        // A process that was replaced by a new one takes nothing with it.
        if !connection.runs_on(link) {
            return;
        }
        connection.pid = None;
        self.publisher.servers_changed();
        if end.expected {
            return;
        }
        let status = &end.status;
        let said = if end.last_stderr.is_empty() {
            "It wrote nothing to stderr.".to_owned()
        } else {
            format!("Its last lines on stderr:\n{}", end.last_stderr.join("\n"))
        };
        let message = self.redacted_text(format!("The server ended with {status}. {said}"));
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.ended = Some(message.clone());
            connection.was_heard = end.heard;
        }
        self.fail_pending(id, "process ended", &message, ENDED_HINT);
        if self
            .connections
            .get(&id)
            .is_some_and(super::connection::Connection::is_connected)
        {
            self.lost(id, &message, &format!("the server ended with {status}"));
        }
    }

    /// The process runs on and can say nothing any more: nothing that is asked would be answered.
    pub(super) fn stdout_closed(&mut self, id: ConnectionId, link: LinkId) {
        let connection = self.connections.get(&id);
        if !connection.is_some_and(|connection| connection.runs_on(link)) {
            return;
        }
        let message = "The server closed its stdout and still runs, so no answer can come.";
        self.fail_pending(
            id,
            "stdout closed",
            message,
            "Look at its stderr in the timeline, and connect again.",
        );
        if self
            .connections
            .get(&id)
            .is_some_and(super::connection::Connection::is_connected)
        {
            self.lost(id, message, "the server closed its stdout");
        }
    }

    /// A line of stdout does not end; told at each call that waits, for its reply may stand in it.
    pub(super) fn line_unfinished(&mut self, id: ConnectionId, byte_len: u64, head: &[u8]) {
        self.learn_broken(None, head);
        let finding = rules::line_unfinished(byte_len, &String::from_utf8_lossy(head));
        let waiting: Vec<_> = self
            .active
            .iter()
            .filter(|(_, active)| active.connection == id)
            .map(|(operation, _)| *operation)
            .collect();
        if waiting.is_empty() {
            self.record_findings(id, None, None, vec![finding]);
            return;
        }
        for operation in waiting {
            self.record_findings(id, Some(operation), None, vec![finding.clone()]);
        }
    }

    /// The process was only asked for its era, and goes.
    fn end_process(&mut self, id: ConnectionId, ended: oneshot::Sender<()>) {
        let link = self
            .connections
            .get_mut(&id)
            .and_then(|connection| connection.link.take());
        self.closing.spawn(async move {
            if let Some(link) = link {
                link.close().await;
            }
            // A handshake that was stopped does not wait any more.
            let _gone = ended.send(());
        });
    }

    fn established(&mut self, id: ConnectionId, speaker: Speaker, mut report: ServerReport) {
        self.redact_report(&mut report);
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        if connection.phase != Phase::Connecting {
            return;
        }
        let event = EventBody::ConnectionEstablished {
            era: report.era.clone(),
            revision: report.revision.clone(),
        };
        let server = connection.server.clone();
        if let Some(entry) = connection.era_wanted_for.take() {
            self.eras.remember(
                &entry,
                &report.era,
                &report.revision,
                report.version.as_deref(),
            );
        }
        connection.lists.declare(&report.capability_names);
        self.compare_with_before(id, &report);
        self.sign_ins.let_in(&server);
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.speaker = Some(Arc::new(speaker));
        connection.report = Some(report);
        connection.task = None;
        connection.error = None;
        connection.set_phase(Phase::Connected);
        self.record(id, None, event);
        self.publisher.servers_changed();
        self.open_session_stream(id);
        self.settled(&server);
        self.list(id, ListKind::Tools);
        self.listen_anew(id);
        self.take_up_tasks(id);
        self.set_log_level(id);
        // What waited for the server waits for its tools, where it has some.
        if self
            .connections
            .get(&id)
            .is_some_and(|connection| !connection.lists.of(ListKind::Tools).is_loading())
        {
            self.release(&server);
        }
        self.tell_settled(id);
    }

    fn handshake_failed(
        &mut self,
        id: ConnectionId,
        error: ErrorView,
        operation: Option<OperationId>,
    ) {
        let error = self.redacted_error(error);
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        // The task is at its end; aborting it here would cut it off.
        connection.task = None;
        let reason = error.message.clone();
        connection.error = Some(error);
        connection.error_operation = operation.or(connection.error_operation);
        let server = connection.server.clone();
        self.close(id, &reason, Phase::Failed);
        self.restart_failed(&server);
    }
}
