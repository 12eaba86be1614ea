//! Connections: making them, what is known of them, and their end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use client::Link;
use client::clock::now_micros;
use client::error::{LinkError, LinkErrorKind};
use client::report::{LinkId, Report};
use client::{HttpMethod, Outgoing};
use journal::event::{AttemptOutcome, ConnectionId, EventBody, EventSeq, OperationId};
use protocol::caching::Cache;
use protocol::listing::ListKind;
use protocol::operation::Finish;
use protocol::request::Speaker;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use wire::frame::Carrier;

use super::clocks;
use super::handshake;
use super::input::{Input, ProcessPlan};
use super::lists::Lists;
use super::offers::CompletedField;
use super::operation::{Active, Purpose};
use super::state::{Engine, Place};
use crate::api::options::ServerOptions;
use crate::api::servers::{ConnectionView, EraChoice, Phase, ServerId, ServerReport};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::{self, Entry};
use crate::last_seen::Seen;

/// What the operation is called that ends a legacy session.
pub(super) const SESSION_END: &str = "session/end";
/// How long the end of a legacy session may take before the link is closed all the same.
const SESSION_END_LIMIT: Duration = Duration::from_secs(2);
/// How long the app waits for its child processes when it closes.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(5500);

/// A connection, live or over.
pub struct Connection {
    pub(super) server: ServerId,
    pub(super) server_name: String,
    pub(super) address: String,
    pub(super) transport: &'static str,
    /// How the server is treated.
    pub(super) options: ServerOptions,
    /// It did not agree to tell of a task.
    pub(super) tells_of_no_tasks: bool,
    pub(super) link: Option<Link>,
    /// The bundled HTTP server's process.
    pub(super) launcher: Option<Link>,
    pub(super) session: Option<String>,
    /// Since when it has this session.
    pub(super) session_since_micros: u64,
    /// While a new session is opened for one that the server has ended: who waits for it.
    pub(super) renewal: Option<Vec<OperationId>>,
    /// Messages go as HTTP+SSE has it: posted to the endpoint, and answered on the stream.
    pub(super) http_sse: bool,
    /// The operation that holds the stream which no request opened.
    pub(super) stream: Option<OperationId>,
    pub(super) speaker: Option<Arc<Speaker>>,
    /// Which operation waits for the reply to which request.
    pub(super) pending: HashMap<u64, OperationId>,
    /// Requests that were given up before their replies came.
    pub(super) given_up: HashMap<u64, Place>,
    pub(super) next_request_id: u64,
    pub(super) phase: Phase,
    pub(super) since_micros: u64,
    pub(super) step: Option<String>,
    pub(super) error: Option<ErrorView>,
    pub(super) error_operation: Option<OperationId>,
    pub(super) report: Option<ServerReport>,
    pub(super) pid: Option<u32>,
    /// The link whose process is the server's; an earlier one may still be ending.
    pub(super) process: Option<LinkId>,
    /// Whether a process that has ended had read something of what was sent to it.
    pub(super) was_heard: bool,
    /// The entry, where its era was to be found out: what is found is remembered for it.
    pub(super) era_wanted_for: Option<Entry>,
    /// How the link's process ended without being asked to, in words.
    pub(super) ended: Option<String>,
    /// The operation that holds the start of a link's process.
    pub(super) starting: Option<OperationId>,
    pub(super) plan: Option<ProcessPlan>,
    pub(super) last_round_trip_micros: Option<u64>,
    pub(super) lists: Lists,
    /// What the server was like when it was last connected.
    pub(super) before: Option<Seen>,
    /// Counts up whenever something about its subscriptions changed.
    pub(super) subscriptions_version: u32,
    /// Answers that may be used again; absent where the person does not want that.
    pub(super) cache: Option<Cache<EventSeq>>,
    /// The completion that each field waits for or had last.
    pub(super) completing: HashMap<CompletedField, OperationId>,
    pub(super) task: Option<AbortHandle>,
}

impl Connection {
    pub(super) fn new(entry: &Entry) -> Self {
        Self {
            server: entry.id.clone(),
            server_name: entry.name.clone(),
            address: entry.address(),
            transport: entry.transport(),
            options: entry.options.clone(),
            tells_of_no_tasks: false,
            link: None,
            launcher: None,
            session: None,
            session_since_micros: 0,
            renewal: None,
            http_sse: false,
            stream: None,
            speaker: None,
            pending: HashMap::new(),
            given_up: HashMap::new(),
            next_request_id: 1,
            phase: Phase::Connecting,
            since_micros: now_micros(),
            step: None,
            error: None,
            error_operation: None,
            report: None,
            pid: None,
            process: None,
            was_heard: true,
            era_wanted_for: None,
            ended: None,
            starting: None,
            plan: None,
            last_round_trip_micros: None,
            lists: Lists::default(),
            before: None,
            subscriptions_version: 0,
            cache: entry.options.cache.then(Cache::default),
            completing: HashMap::new(),
            task: None,
        }
    }

    /// How long the server may be silent about a request.
    pub(super) fn request_limit(&self) -> Duration {
        clocks::limit_of(self.options.request_limit_millis)
    }

    /// How long a request may take in all.
    pub(super) fn hard_limit(&self) -> Duration {
        clocks::limit_of(self.options.hard_limit_millis)
    }

    /// A request id that was never used on this connection.
    pub(super) fn take_request_id(&mut self) -> u64 {
        let id = self.next_request_id;
        self.next_request_id += 1;
        id
    }

    /// Whether a request had this id.
    pub(super) fn has_sent(&self, request_id: u64) -> bool {
        (1..self.next_request_id).contains(&request_id)
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

    /// Whether this link's process is the connection's present one.
    pub(super) fn runs_on(&self, link: LinkId) -> bool {
        self.process == Some(link)
    }

    pub(super) fn is_connected(&self) -> bool {
        self.phase == Phase::Connected
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self.phase, Phase::Connecting | Phase::Connected)
    }

    pub(super) fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
        self.since_micros = now_micros();
        self.step = None;
    }

    pub(super) fn view(&self, open_prompts: u32, wakes: bool) -> ConnectionView {
        let tools = self.lists.of(ListKind::Tools).news();
        ConnectionView {
            phase: self.phase,
            since_micros: self.since_micros,
            step: self.step.clone(),
            error: self.error.clone(),
            operation: self.error_operation,
            report: self.report.clone(),
            pid: self.pid,
            last_round_trip_micros: self.last_round_trip_micros,
            tools_version: tools.version,
            tool_count: tools.count,
            resources: self.lists.of(ListKind::Resources).news(),
            resource_templates: self.lists.of(ListKind::ResourceTemplates).news(),
            prompts: self.lists.of(ListKind::Prompts).news(),
            subscriptions_version: self.subscriptions_version,
            open_prompts,
            wakes,
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
        self.forget_restarts(server);
        self.connect_after(server, era, None)
    }

    /// The same, after a pause of so long that is called so.
    pub(super) fn connect_after(
        &mut self,
        server: &str,
        era: Option<EraChoice>,
        pause: Option<(Duration, String)>,
    ) -> Result<(), ErrorView> {
        let entry = self
            .catalog
            .get(server)
            .cloned()
            .ok_or_else(catalog::gone)?;
        let Some(handle) = self.handle.upgrade() else {
            return Err(super::input::ended());
        };
        self.leave(server);
        let predecessor = self.predecessors.get(server).cloned();
        let id = ConnectionId(self.next_connection);
        self.next_connection += 1;
        let mut connection = Connection::new(&entry);
        self.note_secret_uses(&entry.secret_names());
        if !entry.options.record {
            // For all of the connection's life: what its events name of each other is then in one place.
            self.unrecorded.insert(id);
        }
        self.record(
            id,
            None,
            EventBody::ConnectionOpened {
                server_name: entry.name.clone(),
                transport: entry.transport().to_owned(),
                address: entry.address(),
            },
        );
        let mut known = None;
        let is_to_be_found =
            era.unwrap_or(entry.era) == EraChoice::Auto && entry.options.revision.is_none();
        if is_to_be_found && entry.transport() == "stdio" {
            known = self.eras.get(&entry).cloned();
            connection.era_wanted_for = Some(entry.clone());
        }
        let plan = handshake::Plan {
            era,
            known,
            pause,
            predecessor,
        };
        let task = tokio::spawn(handshake::run(
            handle,
            id,
            entry,
            plan,
            (self.keyring.clone(), self.redactor.clone()),
            (self.closing.clone(), self.demo.clone()),
        ));
        connection.task = Some(task.abort_handle());
        self.connections.insert(id, connection);
        self.newest.insert(server.to_owned(), id);
        self.publisher.servers_changed();
        Ok(())
    }

    /// Closes the server's connection, or stops making it.
    pub(super) fn disconnect(&mut self, server: &str) {
        self.forget_restarts(server);
        self.leave(server);
        self.release(server);
    }

    fn leave(&mut self, server: &str) {
        let Some(id) = self.newest.get(server).copied() else {
            return;
        };
        if self.connections.get(&id).is_some_and(Connection::is_live) {
            self.close(id, "disconnected by the person", Phase::Disconnected);
        }
    }

    /// Ends a connection: what waits is failed, its link is closed, and `then` is what it becomes.
    pub(super) fn close(&mut self, id: ConnectionId, reason: &str, then: Phase) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        if let Some(task) = connection.task.take() {
            task.abort();
        }
        // From here on nothing new is started on it, also not by what fails now.
        connection.set_phase(Phase::Disconnecting);
        self.settle_stream(id, "closed", "The connection was closed.");
        self.stop_listening(id);
        let session_end = self.end_session(id);
        if then == Phase::Disconnected {
            self.cancel_handshake(id);
        }
        self.fail_pending_except(id, session_end.as_ref().map(|(operation, _)| *operation));
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        let links: Vec<Link> = [connection.link.take(), connection.launcher.take()]
            .into_iter()
            .flatten()
            .collect();
        let server = connection.server.clone();
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
        self.tell_settled(id);
        let handle = self.handle.clone();
        let closed = CancellationToken::new();
        let before = self.predecessors.insert(server, closed.clone());
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
            // One that was stopped while it waited for its own predecessor has that one's end to wait for still.
            if let Some(before) = before {
                before.cancelled().await;
            }
            closed.cancel();
        });
    }

    /// A legacy session over HTTP is ended by DELETE (2025-11-25 basic/transports § Session Management).
    fn end_session(&mut self, id: ConnectionId) -> Option<(OperationId, oneshot::Receiver<()>)> {
        let connection = self.connections.get(&id)?;
        let session = connection.session.clone()?;
        let speaker = Arc::clone(connection.speaker.as_ref()?);
        connection.link.as_ref()?;
        let operation = self.open_operation(id, SESSION_END, Some("DELETE"));
        let mut active = Active::new(
            id,
            Arc::clone(&speaker),
            Purpose::Notification,
            SESSION_END,
            None,
        );
        active.limit = SESSION_END_LIMIT;
        self.active.insert(operation, active);
        let exchange = self.begin_bare_attempt(operation)?;
        let mut headers = protocol::headers::for_stream(&speaker);
        headers.push(("Mcp-Session-Id".to_owned(), session));
        self.present_token(id, (HttpMethod::Delete, &[]), &mut headers);
        let sent = self.connections.get(&id)?.link.as_ref()?.send(Outgoing {
            keeps_breaks: false,
            exchange,
            message: bytes::Bytes::new(),
            headers,
            without: Vec::new(),
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

    /// What was making the connection ends with it, by the person's wish and not by a fault.
    fn cancel_handshake(&mut self, id: ConnectionId) {
        let mut steps: Vec<_> = self
            .active
            .iter()
            .filter(|(_, active)| {
                active.connection == id
                    && matches!(active.purpose, Purpose::Handshake | Purpose::Process)
            })
            .map(|(operation, _)| *operation)
            .collect();
        steps.sort_unstable();
        for operation in steps {
            self.end_attempt(operation, AttemptOutcome::Cancelled);
            self.finish(operation, Finish::Cancelled);
        }
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
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.pid = None;
            if connection.phase == Phase::Disconnecting {
                connection.set_phase(then);
            }
        }
        self.publisher.servers_changed();
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
            message: match id
                .and_then(|id| self.connections.get(&id))
                .and_then(|connection| connection.error.as_ref())
            {
                Some(error) => format!("The server is not connected. {}", error.message),
                None => "The server is not connected.".to_owned(),
            },
            hint: Some("Connect to it first.".to_owned()),
        })
    }

    /// Closes every connection, waits for their processes, and writes the journal.
    pub(super) async fn shutdown(
        &mut self,
        mut inputs: mpsc::Receiver<Input>,
        mut reports: mpsc::Receiver<Vec<Report>>,
    ) {
        self.flows.is_closing = true;
        inputs.close();
        self.flush_flows();
        let live: Vec<_> = self.connections.keys().copied().collect();
        for id in live {
            if self.connections.get(&id).is_some_and(Connection::is_live) {
                self.close(id, "Roundtrip was closed", Phase::Disconnected);
            }
        }
        // A link that was opened meanwhile is among what was still to be told.
        while let Ok(input) = inputs.try_recv() {
            if let Input::Handshake(step) = input {
                self.handshake_step(step);
            }
        }
        let demo = self.demo.clone();
        self.closing.spawn(async move { demo.close().await });
        self.closing.close();
        let closing = self.closing.clone();
        let all_closed = tokio::time::timeout(SHUTDOWN_LIMIT, async move { closing.wait().await });
        tokio::pin!(all_closed);
        loop {
            tokio::select! {
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
        for id in self.connections.keys().copied().collect::<Vec<_>>() {
            self.fail_pending(
                id,
                "disconnected",
                "Roundtrip was closed before the answer came.",
                "Connect and try again.",
            );
        }
        self.tasks.keep(&self.redactor, true);
        self.uses.save();
        self.journal.write().flush();
    }
}
