//! Connections: making them, what is known of them, and their end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use client::Link;
use client::clock::now_micros;
use client::error::{LinkError, LinkErrorKind};
use client::report::{LinkId, Report};
use client::{HttpMethod, Outgoing};
use journal::event::{ConnectionId, EventBody, OperationId};
use protocol::operation::Finish;
use protocol::request::Speaker;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use wire::frame::Carrier;

use super::handshake;
use super::input::{HandshakeStep, Input, LinkRole, NewLink, ProcessPlan};
use super::operation::{Active, Purpose, brief};
use super::state::Engine;
use crate::api::servers::{
    ConnectionView, Endpoint, EraChoice, Phase, ServerDraft, ServerId, ServerReport, ServerView,
};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::{self, Entry, Reach};
use crate::tools::Tools;

/// How long the end of a legacy session may take before the link is closed all the same.
const SESSION_END_LIMIT: Duration = Duration::from_secs(2);
/// How long the app waits for its child processes when it closes.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(5500);

/// A connection, live or over.
pub struct Connection {
    pub(super) server: ServerId,
    pub(super) server_name: String,
    pub(super) address: String,
    transport: &'static str,
    pub(super) link: Option<Link>,
    /// The bundled HTTP server's process.
    launcher: Option<Link>,
    pub(super) session: Option<String>,
    pub(super) speaker: Option<Arc<Speaker>>,
    /// Which operation waits for the reply to which request.
    pub(super) pending: HashMap<u64, OperationId>,
    next_request_id: u64,
    phase: Phase,
    since_micros: u64,
    step: Option<String>,
    error: Option<ErrorView>,
    error_operation: Option<OperationId>,
    report: Option<ServerReport>,
    pid: Option<u32>,
    /// The operation that holds the start of a link's process.
    starting: Option<OperationId>,
    plan: Option<ProcessPlan>,
    pub(super) last_round_trip_micros: Option<u64>,
    pub(super) tools: Tools,
    task: Option<AbortHandle>,
}

impl Connection {
    fn new(entry: &Entry) -> Self {
        Self {
            server: entry.id.clone(),
            server_name: entry.name.clone(),
            address: entry.address(),
            transport: entry.transport(),
            link: None,
            launcher: None,
            session: None,
            speaker: None,
            pending: HashMap::new(),
            next_request_id: 1,
            phase: Phase::Connecting,
            since_micros: now_micros(),
            step: None,
            error: None,
            error_operation: None,
            report: None,
            pid: None,
            starting: None,
            plan: None,
            last_round_trip_micros: None,
            tools: Tools::default(),
            task: None,
        }
    }

    /// A request id that was never used on this connection.
    pub(super) fn take_request_id(&mut self) -> u64 {
        let id = self.next_request_id;
        self.next_request_id += 1;
        id
    }

    /// What carries this connection's messages.
    pub(super) fn carrier(&self) -> Carrier {
        if self.transport == "stdio" {
            Carrier::Line
        } else {
            Carrier::Body
        }
    }

    pub(super) fn is_over_http(&self) -> bool {
        self.carrier() == Carrier::Body
    }

    pub(super) fn is_connected(&self) -> bool {
        self.phase == Phase::Connected
    }

    fn is_live(&self) -> bool {
        matches!(self.phase, Phase::Connecting | Phase::Connected)
    }

    fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
        self.since_micros = now_micros();
        self.step = None;
    }

    fn view(&self, open_prompts: u32) -> ConnectionView {
        ConnectionView {
            phase: self.phase,
            since_micros: self.since_micros,
            step: self.step.clone(),
            error: self.error.clone(),
            operation: self.error_operation,
            report: self.report.clone(),
            pid: self.pid,
            last_round_trip_micros: self.last_round_trip_micros,
            tools_version: self.tools.version,
            tool_count: self.tools.count(),
            open_prompts,
        }
    }
}

/// The error for a link that is not there.
pub(super) fn not_connected() -> LinkError {
    LinkError {
        kind: LinkErrorKind::ProcessGone,
        message: "The connection is gone.".to_owned(),
        hint: Some("Connect again.".to_owned()),
    }
}

impl Engine {
    /// Starts to connect; a connection that the server has already is closed first.
    pub(super) fn connect(
        &mut self,
        server: &str,
        era: Option<EraChoice>,
    ) -> Result<(), ErrorView> {
        let entry = self
            .catalog
            .get(server)
            .cloned()
            .ok_or_else(catalog::gone)?;
        let Some(handle) = self.handle.upgrade() else {
            return Err(super::input::ended());
        };
        self.disconnect(server);
        let id = ConnectionId(self.next_connection);
        self.next_connection += 1;
        let mut connection = Connection::new(&entry);
        self.record(
            id,
            None,
            EventBody::ConnectionOpened {
                server_name: entry.name.clone(),
                transport: entry.transport().to_owned(),
                address: entry.address(),
            },
        );
        let era = era.unwrap_or(entry.era);
        let task = tokio::spawn(handshake::run(
            handle,
            id,
            entry,
            era,
            self.keyring.clone(),
            self.redactor.clone(),
        ));
        connection.task = Some(task.abort_handle());
        self.connections.insert(id, connection);
        self.newest.insert(server.to_owned(), id);
        self.publisher.servers_changed();
        Ok(())
    }

    /// Closes the server's connection, or stops making it.
    pub(super) fn disconnect(&mut self, server: &str) {
        let Some(id) = self.newest.get(server).copied() else {
            return;
        };
        if self.connections.get(&id).is_some_and(Connection::is_live) {
            self.close(id, "disconnected by the person", Phase::Disconnected);
        }
    }

    /// Ends a connection: what waits is failed, its link is closed, and `then` is what it becomes.
    fn close(&mut self, id: ConnectionId, reason: &str, then: Phase) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        if let Some(task) = connection.task.take() {
            task.abort();
        }
        let session_end = self.end_session(id);
        self.fail_pending_except(id, session_end.as_ref().map(|(operation, _)| *operation));
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        let links: Vec<Link> = [connection.link.take(), connection.launcher.take()]
            .into_iter()
            .flatten()
            .collect();
        connection.set_phase(if links.is_empty() || then == Phase::Failed {
            then
        } else {
            Phase::Disconnecting
        });
        self.record(
            id,
            None,
            EventBody::ConnectionClosed {
                reason: reason.to_owned(),
            },
        );
        self.publisher.servers_changed();
        let handle = self.handle.clone();
        self.closing.spawn(async move {
            if let Some((_, ended)) = session_end {
                // Whether the server took the DELETE or not, the link goes.
                let _over = tokio::time::timeout(SESSION_END_LIMIT, ended).await;
            }
            for link in links {
                link.close().await;
            }
            if let Some(handle) = handle.upgrade() {
                // An engine that has ended closes everything itself.
                let _ended = handle
                    .tell(Input::Closed {
                        connection: id,
                        then,
                    })
                    .await;
            }
        });
    }

    /// A legacy session over HTTP is ended by DELETE (2025-11-25 basic/transports § Session Management).
    fn end_session(&mut self, id: ConnectionId) -> Option<(OperationId, oneshot::Receiver<()>)> {
        let connection = self.connections.get(&id)?;
        let session = connection.session.clone()?;
        let speaker = Arc::clone(connection.speaker.as_ref()?);
        connection.link.as_ref()?;
        let operation = self.open_operation(id, "session/end", Some("DELETE"));
        let mut active = Active::new(
            id,
            Arc::clone(&speaker),
            Purpose::Notification,
            "session/end",
            None,
        );
        active.limit = SESSION_END_LIMIT;
        self.active.insert(operation, active);
        let exchange = self.begin_bare_attempt(operation)?;
        let mut headers = protocol::headers::for_stream(&speaker);
        headers.push(("Mcp-Session-Id".to_owned(), session));
        let sent = self.connections.get(&id)?.link.as_ref()?.send(Outgoing {
            exchange,
            message: bytes::Bytes::new(),
            headers,
            http_method: HttpMethod::Delete,
            expects_reply: false,
        });
        if let Err(error) = sent {
            self.link_failed(operation, &error);
            return None;
        }
        let (waiter, ended) = oneshot::channel();
        self.await_end(operation, waiter);
        Some((operation, ended))
    }

    fn fail_pending_except(&mut self, id: ConnectionId, kept: Option<OperationId>) {
        let held = kept.and_then(|operation| Some((operation, self.active.remove(&operation)?)));
        self.fail_pending(
            id,
            "disconnected",
            "The connection was closed before the answer came.",
            "Connect and try again.",
        );
        if let Some((operation, active)) = held {
            self.active.insert(operation, active);
        }
    }

    /// The link is closed and, for stdio, no process of its group is left.
    pub(super) fn closed(&mut self, id: ConnectionId, then: Phase) {
        self.links.retain(|_, connection| *connection != id);
        self.exchanges.retain(|_, place| place.connection != id);
        if let Some(connection) = self.connections.get_mut(&id)
            && connection.phase == Phase::Disconnecting
        {
            connection.set_phase(then);
            connection.pid = None;
        }
        self.publisher.servers_changed();
    }

    /// A step of a handshake.
    pub(super) fn handshake_step(&mut self, step: HandshakeStep) {
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
            } => {
                self.notify(connection, &Arc::new(speaker), method, None);
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
            let name = plan.command.first().cloned();
            let operation = self.open_operation(id, "process/start", name.as_deref());
            let speaker = Arc::new(handshake::legacy_speaker());
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
                let replaced = match role {
                    LinkRole::Speaks => connection.link.replace(link),
                    LinkRole::Launches => connection.launcher.replace(link),
                };
                if let Some(replaced) = replaced {
                    self.closing.spawn(replaced.close());
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
                if !self.active.contains_key(&operation) {
                    let speaker = Arc::new(handshake::legacy_speaker());
                    self.active.insert(
                        operation,
                        Active::new(id, speaker, Purpose::Process, "connect", None),
                    );
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

    pub(super) fn process_ended(
        &mut self,
        id: ConnectionId,
        link: LinkId,
        status: &str,
        expected: bool,
        last_stderr: &[String],
    ) {
        self.links.remove(&link);
        if expected {
            return;
        }
        let said = if last_stderr.is_empty() {
            "It wrote nothing to stderr.".to_owned()
        } else {
            format!("Its last lines on stderr:\n{}", last_stderr.join("\n"))
        };
        let message = self.redacted_text(format!("The server ended with {status}. {said}"));
        let hint = "Run the command in a terminal to see whether it starts there; check its arguments and environment.";
        self.fail_pending(id, "process ended", &message, hint);
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.pid = None;
        if connection.phase == Phase::Connected {
            connection.error = Some(ErrorView {
                code: ErrorCode::Failed,
                message,
                hint: Some("Connect again to start it anew.".to_owned()),
            });
            self.close(
                id,
                &format!("the server ended with {status}"),
                Phase::Failed,
            );
        }
    }

    fn established(&mut self, id: ConnectionId, speaker: Speaker, report: ServerReport) {
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
        connection.tools.declared = report.capability_names.iter().any(|name| name == "tools");
        connection.speaker = Some(Arc::new(speaker));
        connection.report = Some(report);
        connection.task = None;
        connection.error = None;
        connection.set_phase(Phase::Connected);
        self.record(id, None, event);
        self.publisher.servers_changed();
        self.list_tools(id);
    }

    fn handshake_failed(
        &mut self,
        id: ConnectionId,
        error: ErrorView,
        operation: Option<OperationId>,
    ) {
        let error = ErrorView {
            message: self.redacted_text(error.message),
            ..error
        };
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        // The task is at its end; aborting it here would cut it off.
        connection.task = None;
        let reason = error.message.clone();
        connection.error = Some(error);
        connection.error_operation = operation.or(connection.error_operation);
        self.close(id, &reason, Phase::Failed);
    }

    /// The command line or the URL of a connection.
    pub(super) fn address_of(&self, id: ConnectionId) -> String {
        self.connections
            .get(&id)
            .map_or_else(String::new, |connection| connection.address.clone())
    }

    /// The newest connection of a server, when it is ready.
    ///
    /// # Errors
    /// It is not connected.
    pub(super) fn connected(&self, server: &str) -> Result<ConnectionId, ErrorView> {
        let id = self.newest.get(server).copied();
        id.filter(|id| {
            self.connections
                .get(id)
                .is_some_and(Connection::is_connected)
        })
        .ok_or_else(|| ErrorView {
            code: ErrorCode::Gone,
            message: "The server is not connected.".to_owned(),
            hint: Some("Connect to it first.".to_owned()),
        })
    }

    /// All servers as the list shows them.
    pub(super) fn server_views(&self) -> Vec<ServerView> {
        self.catalog
            .entries()
            .map(|entry| {
                let newest = self
                    .newest
                    .get(&entry.id)
                    .and_then(|id| self.connections.get(id));
                let open_prompts = self
                    .prompts
                    .iter()
                    .filter(|prompt| prompt.view.server == entry.id)
                    .count();
                let mut idle = Connection::new(entry);
                idle.set_phase(Phase::Disconnected);
                ServerView {
                    id: entry.id.clone(),
                    name: entry.name.clone(),
                    builtin: entry.builtin(),
                    transport: entry.transport().to_owned(),
                    address: entry.address(),
                    draft: entry.draft(),
                    connection: newest
                        .unwrap_or(&idle)
                        .view(u32::try_from(open_prompts).unwrap_or(u32::MAX)),
                }
            })
            .collect()
    }

    pub(super) fn save_server(
        &mut self,
        server: Option<&str>,
        draft: &ServerDraft,
    ) -> Result<ServerId, ErrorView> {
        let id = self.catalog.save(server, draft)?;
        self.publisher.servers_changed();
        Ok(id)
    }

    /// How a server of the person's is reached.
    pub(super) fn endpoint(&self, server: &str) -> Result<Endpoint, ErrorView> {
        match self.catalog.get(server).map(|entry| &entry.reach) {
            Some(Reach::Endpoint(endpoint)) => Ok(endpoint.clone()),
            Some(_) => Err(catalog::bad_input(
                "The bundled servers cannot be changed.",
                "Add a server of your own.",
            )),
            None => Err(catalog::gone()),
        }
    }

    pub(super) fn remove_server(&mut self, server: &str) -> Result<(), ErrorView> {
        self.catalog.remove(server)?;
        self.disconnect(server);
        self.newest.remove(server);
        self.publisher.servers_changed();
        Ok(())
    }

    /// Closes every connection, waits for their processes, and writes the journal.
    pub(super) async fn shutdown(&mut self, mut reports: mpsc::Receiver<Vec<Report>>) {
        let live: Vec<_> = self.connections.keys().copied().collect();
        for id in live {
            if self.connections.get(&id).is_some_and(Connection::is_live) {
                self.close(id, "Roundtrip was closed", Phase::Disconnected);
            }
        }
        self.closing.close();
        let closing = self.closing.clone();
        let all_closed = tokio::time::timeout(SHUTDOWN_LIMIT, async move { closing.wait().await });
        tokio::pin!(all_closed);
        loop {
            tokio::select! {
                biased;
                Some(batch) = reports.recv() => self.take_reports(batch),
                over = &mut all_closed => {
                    if over.is_err() {
                        tracing::warn!("some processes did not end in time; the watchdog ends them");
                    }
                    break;
                }
            }
        }
        while let Ok(batch) = reports.try_recv() {
            self.take_reports(batch);
        }
        self.journal.write().flush();
    }
}
