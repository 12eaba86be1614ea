//! Operations: starting them, sending their rounds, and doing what their state machine says next.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use client::clock::now_micros;
use client::error::LinkError;
use client::report::ExchangeId;
use client::{HttpMethod, Outgoing};
use journal::event::{
    AttemptOutcome, ConnectionId, EventBody, FrameRole, OperationEnd, OperationId,
};
use protocol::headers::{self, Mirrored};
use protocol::operation::{Finish, Intent, Limits, Operation, Pages, Step};
use protocol::request::{self, Speaker};
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::Instant;
use wire::frame::{Carrier, Direction};
use wire::message::RpcError;

use super::state::{Engine, Place};

/// How many rounds an operation may have before it is stopped.
const ROUND_LIMIT: u32 = 20;
/// How many pages a list may have.
const PAGE_LIMIT: u32 = 1000;

/// Something to ask a server.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The method.
    pub method: String,
    /// The tool's name, for the row.
    pub name: Option<String>,
    /// The text of a JSON object.
    pub params: Option<String>,
    /// One page, or all.
    pub pages: Pages,
    /// What to do with the answer.
    pub purpose: Purpose,
    /// Parameters that are mirrored into headers.
    pub mirrored: Vec<Mirrored>,
    /// How long the server may be silent; progress and other messages start it anew.
    pub limit: Duration,
    /// Ask for progress notifications.
    pub progress: bool,
}

/// What an operation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The person wants its result.
    Call,
    /// It fills the list of tools.
    ListTools,
    /// It is part of making a connection.
    Handshake,
    /// It is a notification, and gets no reply.
    Notification,
    /// It holds a request that the server sent.
    Served,
    /// It holds the start of a process.
    Process,
}

/// How a handshake's operation ended, with what came.
#[derive(Debug)]
pub struct Ending {
    /// The HTTP status of the last exchange.
    pub http_status: Option<u16>,
    /// What came.
    pub came: Came,
    /// The row.
    pub operation: OperationId,
}

/// What came in answer to a request.
#[derive(Debug)]
pub enum Came {
    /// A result.
    Result(Box<RawValue>),
    /// A JSON-RPC error.
    Error(RpcError),
    /// A body that is no JSON-RPC reply.
    Unreadable(Bytes),
    /// Nothing, for so long.
    Silence {
        /// How long.
        waited: Duration,
    },
    /// The process ended, or the transport failed.
    Failed {
        /// Why.
        message: String,
        /// What to try.
        hint: Option<String>,
    },
    /// It was cancelled.
    Cancelled,
}

/// An operation that has not ended.
pub struct Active {
    pub(super) connection: ConnectionId,
    pub(super) method: String,
    pub(super) title: String,
    pub(super) purpose: Purpose,
    pub(super) speaker: Arc<Speaker>,
    pub(super) mirrored: Vec<Mirrored>,
    pub(super) limit: Duration,
    pub(super) progress: bool,
    pub(super) machine: Option<Operation>,
    pub(super) current: Option<Attempt>,
    pub(super) round: u32,
    pub(super) wait_until: Option<Instant>,
    pub(super) ender: Option<oneshot::Sender<Ending>>,
    pub(super) came: Option<Came>,
    pub(super) http_status: Option<u16>,
    pub(super) waiters: Vec<oneshot::Sender<()>>,
    pub(super) last_progress: Option<f64>,
    pub(super) progress_fault_seen: bool,
}

/// An attempt that waits for its reply.
#[derive(Debug)]
pub struct Attempt {
    pub(super) round: u32,
    pub(super) attempt: u32,
    pub(super) request_id: Option<u64>,
    pub(super) exchange: ExchangeId,
    pub(super) sent_micros: u64,
    pub(super) deadline: Instant,
    pub(super) content_type: Option<String>,
    /// The beginning of a body that was no reply.
    pub(super) unreadable: Option<Bytes>,
}

impl Engine {
    /// Starts an operation and sends its first round.
    pub(super) fn start(
        &mut self,
        connection: ConnectionId,
        speaker: Arc<Speaker>,
        ask: Ask,
        ender: Option<oneshot::Sender<Ending>>,
    ) -> OperationId {
        let intent = Intent {
            era: speaker.era,
            declared: speaker.capabilities.clone(),
            method: ask.method.clone(),
            name: ask.name.clone(),
            params: ask.params,
            pages: ask.pages,
        };
        let limits = Limits {
            rounds: ROUND_LIMIT,
            pages: PAGE_LIMIT,
        };
        let (machine, step) = Operation::start(intent, limits);
        let operation = self.open_operation(connection, &ask.method, ask.name.as_deref());
        self.active.insert(
            operation,
            Active {
                machine: Some(machine),
                mirrored: ask.mirrored,
                limit: ask.limit,
                progress: ask.progress,
                ender,
                ..Active::new(
                    connection,
                    speaker,
                    ask.purpose,
                    &ask.method,
                    ask.name.as_deref(),
                )
            },
        );
        self.advance(operation, step);
        operation
    }

    /// Gives an operation its number and its row.
    pub(super) fn open_operation(
        &mut self,
        connection: ConnectionId,
        method: &str,
        name: Option<&str>,
    ) -> OperationId {
        let operation = OperationId(self.next_operation);
        self.next_operation += 1;
        self.record(
            connection,
            Some(operation),
            EventBody::OperationStarted {
                method: method.to_owned(),
                name: name.map(str::to_owned),
            },
        );
        operation
    }

    /// Does what the state machine says is next.
    pub(super) fn advance(&mut self, operation: OperationId, step: Step) {
        match step {
            Step::Send {
                round,
                params,
                label,
            } => self.send_round(operation, round, params, label),
            Step::Ask(requests) => self.open_prompts(operation, requests),
            Step::Wait { millis, reason } => {
                if let Some(active) = self.active.get_mut(&operation) {
                    active.wait_until = Some(Instant::now() + Duration::from_millis(millis));
                    let connection = active.connection;
                    self.record(
                        connection,
                        Some(operation),
                        EventBody::WaitStarted { reason },
                    );
                }
            }
            Step::Finished(finish) => self.finish(operation, finish),
            Step::Nothing => {}
        }
    }

    fn send_round(
        &mut self,
        operation: OperationId,
        round: u32,
        params: Option<String>,
        label: Option<String>,
    ) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let connection = active.connection;
        let speaker = Arc::clone(&active.speaker);
        let (limit, progress) = (active.limit, active.progress);
        let headers = headers::for_request(
            &speaker,
            &active.method,
            params.as_deref(),
            &active.mirrored,
        );
        let method = active.method.clone();
        let Some(request_id) = self
            .connections
            .get_mut(&connection)
            .map(super::connection::Connection::take_request_id)
        else {
            self.fail(
                operation,
                "not connected",
                "The connection is gone.".to_owned(),
                None,
            );
            return;
        };
        let text = speaker.request(request_id, &method, params.as_deref(), progress);
        let attempt = Attempt {
            round,
            attempt: 1,
            request_id: Some(request_id),
            exchange: self.take_exchange(Place {
                connection,
                operation,
                round,
                attempt: 1,
            }),
            sent_micros: now_micros(),
            deadline: Instant::now() + limit,
            content_type: None,
            unreadable: None,
        };
        let exchange = attempt.exchange;
        self.record(
            connection,
            Some(operation),
            EventBody::AttemptStarted {
                round,
                attempt: 1,
                request_id: Some(request_id.to_string()),
                label,
            },
        );
        if let Some(active) = self.active.get_mut(&operation) {
            active.current = Some(attempt);
            active.round = round;
        }
        if let Some(link) = self.connections.get_mut(&connection) {
            link.pending.insert(request_id, operation);
        }
        let sent = self.send_message(
            connection,
            operation,
            (round, 1),
            exchange,
            text,
            &method,
            headers,
            true,
        );
        if let Err(error) = sent {
            self.link_failed(operation, &error);
        }
    }

    /// Records a message as sent and hands it to the link.
    #[expect(
        clippy::too_many_arguments,
        reason = "one call, each of its own meaning"
    )]
    fn send_message(
        &mut self,
        connection: ConnectionId,
        operation: OperationId,
        (round, attempt): (u32, u32),
        exchange: ExchangeId,
        text: String,
        method: &str,
        mut headers: Vec<(String, String)>,
        expects_reply: bool,
    ) -> Result<(), LinkError> {
        let message = Bytes::from(text);
        let Some(link) = self.connections.get(&connection) else {
            return Err(super::connection::not_connected());
        };
        let carrier = link.carrier();
        if let Some(session) = &link.session {
            headers.push(("Mcp-Session-Id".to_owned(), session.clone()));
        }
        let role = if expects_reply {
            FrameRole::Request {
                method: method.to_owned(),
            }
        } else if method.is_empty() {
            FrameRole::Reply
        } else {
            FrameRole::Notification {
                method: method.to_owned(),
                text: None,
            }
        };
        self.record(
            connection,
            Some(operation),
            EventBody::Frame {
                direction: Direction::Sent,
                carrier,
                round,
                attempt,
                role,
                bytes: message.clone(),
            },
        );
        let link = self
            .connections
            .get(&connection)
            .and_then(|connection| connection.link.as_ref())
            .ok_or_else(super::connection::not_connected)?;
        link.send(Outgoing {
            exchange,
            message,
            headers,
            http_method: HttpMethod::Post,
            expects_reply,
        })
    }

    /// Sends a notification; its row ends when it is on its way (stdio) or accepted (HTTP).
    pub(super) fn notify(
        &mut self,
        connection: ConnectionId,
        speaker: &Arc<Speaker>,
        method: &str,
        params: Option<&str>,
    ) {
        let text = request::notification(method, params);
        let headers = headers::for_request(speaker, method, params, &[]);
        self.send_alone(
            connection,
            speaker,
            Purpose::Notification,
            method,
            None,
            text,
            headers,
        );
    }

    /// Sends a message that gets no reply, as an operation of its own.
    #[expect(
        clippy::too_many_arguments,
        reason = "one call, each of its own meaning"
    )]
    fn send_alone(
        &mut self,
        connection: ConnectionId,
        speaker: &Arc<Speaker>,
        purpose: Purpose,
        method: &str,
        name: Option<&str>,
        text: String,
        headers: Vec<(String, String)>,
    ) -> OperationId {
        let operation = self.open_operation(connection, method, name);
        self.active.insert(
            operation,
            Active::new(connection, Arc::clone(speaker), purpose, method, name),
        );
        self.send_in(operation, method, text, headers);
        operation
    }

    /// Sends a message without a reply inside an operation; over stdio the operation ends with it.
    pub(super) fn send_in(
        &mut self,
        operation: OperationId,
        method: &str,
        text: String,
        headers: Vec<(String, String)>,
    ) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let connection = active.connection;
        let Some(exchange) = self.begin_bare_attempt(operation) else {
            return;
        };
        let sent = self.send_message(
            connection,
            operation,
            (1, 1),
            exchange,
            text,
            method,
            headers,
            false,
        );
        match sent {
            Err(error) => self.link_failed(operation, &error),
            Ok(()) if self.is_stdio(connection) => self.delivered(operation),
            Ok(()) => {}
        }
    }

    /// Begins the one attempt of an operation whose message has no id.
    pub(super) fn begin_bare_attempt(&mut self, operation: OperationId) -> Option<ExchangeId> {
        let active = self.active.get(&operation)?;
        let (connection, limit, purpose) = (active.connection, active.limit, active.purpose);
        let exchange = self.take_exchange(Place {
            connection,
            operation,
            round: 1,
            attempt: 1,
        });
        if purpose == Purpose::Notification {
            self.record(
                connection,
                Some(operation),
                EventBody::AttemptStarted {
                    round: 1,
                    attempt: 1,
                    request_id: None,
                    label: None,
                },
            );
        }
        let active = self.active.get_mut(&operation)?;
        active.round = 1;
        active.current = Some(Attempt {
            round: 1,
            attempt: 1,
            request_id: None,
            exchange,
            sent_micros: now_micros(),
            deadline: Instant::now() + limit,
            content_type: None,
            unreadable: None,
        });
        Some(exchange)
    }

    /// A message that gets no reply has been taken.
    pub(super) fn delivered(&mut self, operation: OperationId) {
        self.end_attempt(
            operation,
            AttemptOutcome::Result {
                result_type: "complete".to_owned(),
            },
        );
        self.finish(operation, Finish::Complete);
    }

    fn take_exchange(&mut self, place: Place) -> ExchangeId {
        let exchange = ExchangeId(self.next_exchange);
        self.next_exchange += 1;
        self.exchanges.insert(exchange, place);
        exchange
    }

    /// Closes the attempt that waits, with what came of it.
    pub(super) fn end_attempt(&mut self, operation: OperationId, outcome: AttemptOutcome) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let connection = active.connection;
        let Some(attempt) = active.current.take() else {
            return;
        };
        if let Some(connection) = self.connections.get_mut(&connection) {
            if let Some(id) = attempt.request_id {
                connection.pending.remove(&id);
            }
            if matches!(
                outcome,
                AttemptOutcome::Result { .. } | AttemptOutcome::RpcError { .. }
            ) && attempt.request_id.is_some()
            {
                connection.last_round_trip_micros =
                    Some(now_micros().saturating_sub(attempt.sent_micros));
                self.publisher.round_trip_changed();
            }
        }
        // Over stdio nothing more is reported of an exchange; over HTTP its end is still to come.
        if self.is_stdio(connection) {
            self.exchanges.remove(&attempt.exchange);
        }
        self.record(
            connection,
            Some(operation),
            EventBody::AttemptEnded {
                round: attempt.round,
                attempt: attempt.attempt,
                outcome,
            },
        );
    }

    /// The link could not carry the operation's message.
    pub(super) fn link_failed(&mut self, operation: OperationId, error: &LinkError) {
        self.fail(
            operation,
            brief(error),
            error.message.clone(),
            error.hint.clone(),
        );
    }

    /// The transport failed the operation's attempt, or the operation before it had one.
    pub(super) fn fail(
        &mut self,
        operation: OperationId,
        brief: &str,
        message: String,
        hint: Option<String>,
    ) {
        self.end_attempt(
            operation,
            AttemptOutcome::Transport {
                brief: brief.to_owned(),
                message: message.clone(),
            },
        );
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        active.came.get_or_insert(Came::Failed {
            message: message.clone(),
            hint: hint.clone(),
        });
        let step = match &mut active.machine {
            Some(machine) => machine.on_transport_failure(brief, message, hint),
            None => Step::Finished(Finish::Failed {
                brief: brief.to_owned(),
                message,
                hint,
            }),
        };
        self.advance(operation, step);
    }

    /// Cancels an operation: tells the server in the transport's way, and stops waiting.
    ///
    /// # Errors
    /// It has ended already.
    pub(super) fn cancel(&mut self, operation: OperationId) -> Result<(), crate::api::ErrorView> {
        let Some(active) = self.active.get_mut(&operation) else {
            return Err(crate::api::ErrorView {
                code: crate::api::ErrorCode::Gone,
                message: "This operation has ended already.".to_owned(),
                hint: None,
            });
        };
        active.came.get_or_insert(Came::Cancelled);
        let step = match &mut active.machine {
            Some(machine) => machine.cancel(),
            None => Step::Finished(Finish::Cancelled),
        };
        self.stop_waiting(
            operation,
            AttemptOutcome::Cancelled,
            "cancelled by the person",
        );
        self.advance(operation, step);
        Ok(())
    }

    /// No reply came within the limit.
    pub(super) fn time_out(&mut self, operation: OperationId) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let limit = active.limit;
        active.came.get_or_insert(Came::Silence { waited: limit });
        let message = format!(
            "The server did not answer {} within {} seconds.",
            active.title,
            limit.as_secs()
        );
        self.stop_waiting(operation, AttemptOutcome::TimedOut, "no answer in time");
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let hint = "Look at the server's stderr, or call again.";
        let step = match &mut active.machine {
            Some(machine) => {
                machine.on_transport_failure("timed out", message, Some(hint.to_owned()))
            }
            None => Step::Finished(Finish::Failed {
                brief: "timed out".to_owned(),
                message,
                hint: Some(hint.to_owned()),
            }),
        };
        self.advance(operation, step);
    }

    /// Ends the attempt and tells the server, in the transport's way, that nobody waits any more
    /// (2026-07-28 basic/patterns/cancellation § Transport-Specific Cancellation). `initialize` is never cancelled
    /// (2025-11-25 basic/utilities/cancellation), nor a probe, which a legacy server does not know.
    fn stop_waiting(&mut self, operation: OperationId, outcome: AttemptOutcome, reason: &str) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let connection = active.connection;
        let speaker = Arc::clone(&active.speaker);
        let told = active.purpose != Purpose::Handshake;
        let waiting = active
            .current
            .as_ref()
            .map(|attempt| (attempt.request_id, attempt.exchange));
        self.end_attempt(operation, outcome);
        let Some((request_id, exchange)) = waiting else {
            return;
        };
        if let Some(link) = self
            .connections
            .get(&connection)
            .and_then(|connection| connection.link.as_ref())
        {
            link.cancel(exchange);
        }
        let by_notification =
            self.is_stdio(connection) || speaker.era == protocol::era::Era::Legacy;
        if let Some(id) = request_id.filter(|_| told && by_notification) {
            let params = format!(
                "{{\"requestId\":{id},\"reason\":{}}}",
                wire::object::quote(reason)
            );
            self.notify(
                connection,
                &speaker,
                "notifications/cancelled",
                Some(&params),
            );
        }
    }

    /// Ends an operation.
    pub(super) fn finish(&mut self, operation: OperationId, finish: Finish) {
        let Some(mut active) = self.active.remove(&operation) else {
            return;
        };
        self.withdraw_prompts(operation);
        let end = match finish {
            Finish::Complete => OperationEnd::Complete,
            Finish::ToolError => OperationEnd::ToolError,
            Finish::RpcError { code, message } => OperationEnd::Failed {
                brief: format!("error {code}"),
                message,
                hint: None,
            },
            Finish::Failed {
                brief,
                message,
                hint,
            } => OperationEnd::Failed {
                brief,
                message,
                hint,
            },
            Finish::Cancelled => OperationEnd::Cancelled,
        };
        if active.purpose == Purpose::ListTools {
            self.tools_listed(active.connection, operation, &end);
        }
        self.record(
            active.connection,
            Some(operation),
            EventBody::OperationEnded(end),
        );
        self.publisher.touch(operation);
        if let Some(ender) = active.ender.take() {
            let came = active.came.take().unwrap_or(Came::Failed {
                message: "The server gave no answer.".to_owned(),
                hint: None,
            });
            // A handshake that was stopped does not wait any more.
            let _gone = ender.send(Ending {
                http_status: active.http_status,
                came,
                operation,
            });
        }
        for waiter in active.waiters {
            let _gone = waiter.send(());
        }
    }

    /// Answers when the operation has ended, which may be now.
    pub(super) fn await_end(&mut self, operation: OperationId, answer: oneshot::Sender<()>) {
        match self.active.get_mut(&operation) {
            Some(active) => active.waiters.push(answer),
            None => {
                let _gone = answer.send(());
            }
        }
    }

    /// Whether messages of this connection are lines.
    pub(super) fn is_stdio(&self, connection: ConnectionId) -> bool {
        self.connections
            .get(&connection)
            .is_none_or(|connection| connection.carrier() == Carrier::Line)
    }
}

impl Active {
    pub(super) fn new(
        connection: ConnectionId,
        speaker: Arc<Speaker>,
        purpose: Purpose,
        method: &str,
        name: Option<&str>,
    ) -> Self {
        Self {
            connection,
            method: method.to_owned(),
            title: match name {
                Some(name) => format!("{method} {name}"),
                None => method.to_owned(),
            },
            purpose,
            speaker,
            mirrored: Vec::new(),
            limit: super::sweep::CALL_LIMIT,
            progress: false,
            machine: None,
            current: None,
            round: 0,
            wait_until: None,
            ender: None,
            came: None,
            http_status: None,
            waiters: Vec::new(),
            last_progress: None,
            progress_fault_seen: false,
        }
    }
}

/// A link's failure in the few words of a row.
pub(super) fn brief(error: &LinkError) -> &'static str {
    use client::error::LinkErrorKind as Kind;
    match error.kind {
        Kind::CommandNotFound => "command not found",
        Kind::CannotRun => "cannot be run",
        Kind::FolderNotFound => "folder not found",
        Kind::ProcessGone => "process ended",
        Kind::BadUrl => "bad URL",
        Kind::BadHeader => "bad header",
        Kind::NotReading => "not reading",
        Kind::Dns => "host not found",
        Kind::ConnectionRefused => "refused",
        Kind::Tls => "TLS failed",
        Kind::ConnectionLost => "connection lost",
        Kind::TimedOut => "timed out",
        Kind::Redirect => "redirect",
        Kind::BadHttp => "not HTTP",
        Kind::TooLarge => "too large",
        Kind::Cancelled => "cancelled",
    }
}
