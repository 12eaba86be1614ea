//! Sending: a round's request, and messages that get no reply. What is sent is recorded before it leaves.

use std::sync::Arc;

use bytes::Bytes;
use client::error::LinkError;
use client::report::ExchangeId;
use client::{HttpMethod, Outgoing};
use journal::event::{AttemptOutcome, ConnectionId, EventBody, FrameRole, OperationId};
use protocol::headers;
use protocol::operation::Finish;
use protocol::request::{self, Speaker};
use protocol::stream::Cursor;
use tokio::time::Instant;
use wire::frame::Direction;

use super::operation::{Active, Attempt, Purpose, Sending, Sent};
use super::state::{Engine, Place};

/// How many redirects one message follows.
const REDIRECT_LIMIT: u32 = 3;

impl Engine {
    pub(super) fn send_round(
        &mut self,
        operation: OperationId,
        round: u32,
        method: Option<&str>,
        params: Option<&str>,
        label: Option<String>,
    ) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let connection = active.connection;
        let speaker = Arc::clone(&active.speaker);
        let progress = active.progress;
        let method = method.unwrap_or(&active.method).to_owned();
        active.round_method.clone_from(&method);
        let headers = headers::for_request(&speaker, &method, params, &active.mirrored);
        let Some((request_id, traced)) = self
            .connections
            .get_mut(&connection)
            .map(|connection| (connection.take_request_id(), connection.options.traceparent))
        else {
            self.fail(
                operation,
                "not connected",
                "The connection is gone.".to_owned(),
                None,
            );
            return;
        };
        let traceparent = traced.then(super::speaking::traceparent);
        let message = Bytes::from(speaker.request(
            request_id,
            &method,
            params,
            progress,
            traceparent.as_deref(),
        ));
        let is_stdio = self.is_stdio(connection);
        let mut number = 1;
        if let Some(active) = self.active.get_mut(&operation) {
            if active.round == round {
                number = active.attempts + 1;
            } else {
                active.retries = 0;
            }
            active.sending = (!is_stdio).then(|| Sending {
                params: params.map(str::to_owned),
                label: label.clone(),
            });
        }
        let sent = Sent {
            http_method: HttpMethod::Post,
            message,
            keeps_breaks: false,
            headers,
        };
        self.send_attempt(operation, (round, number), Some(request_id), label, sent);
    }

    /// Begins an attempt of a round whose attempts before, if any, have ended, and sends its message. A `request_id`
    /// may be that of the attempt before, where the request has not reached the server (a redirect) or is not sent
    /// again (its stream is taken up).
    pub(super) fn send_attempt(
        &mut self,
        operation: OperationId,
        (round, number): (u32, u32),
        request_id: Option<u64>,
        label: Option<String>,
        sent: Sent,
    ) {
        if self.waits_for_session(operation) {
            self.keep_for_session(operation, (round, number), request_id, sent);
            return;
        }
        if self.waits_for_token(operation) {
            self.keep_for_token(operation, (round, number), request_id, sent);
            return;
        }
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        if sent.http_method == HttpMethod::Post {
            // Its answer may come on a stream of its own.
            active.cursor = Cursor::default();
        }
        let (connection, limit, method) =
            (active.connection, active.limit, active.round_method.clone());
        let exchange = self.take_exchange(Place {
            connection,
            operation,
            round,
            attempt: number,
        });
        self.record(
            connection,
            Some(operation),
            EventBody::AttemptStarted {
                round,
                attempt: number,
                request_id: request_id.map(|id| id.to_string()),
                label,
            },
        );
        let kept = (!self.is_stdio(connection)).then(|| sent.clone());
        let hard_limit = self
            .connections
            .get(&connection)
            .map(super::connection::Connection::hard_limit);
        if let Some(active) = self.active.get_mut(&operation) {
            active.current = Some(Attempt {
                sent: kept,
                hard_deadline: hard_limit
                    .filter(|_| !matches!(active.purpose, Purpose::Handshake | Purpose::Stream))
                    .map(|limit| (Instant::now() + limit, limit)),
                ..Attempt::new((round, number), request_id, exchange, limit)
            });
            active.http_status = None;
            active.retry_after = None;
            active.round = round;
            active.attempts = number;
        }
        if let (Some(link), Some(id)) = (self.connections.get_mut(&connection), request_id) {
            link.pending.insert(id, operation);
        }
        let sent = self.send_message(
            connection,
            operation,
            (round, number),
            exchange,
            sent,
            &method,
            true,
        );
        if let Err(error) = sent {
            self.not_delivered(operation, error);
        }
    }

    /// Ends the round's attempt with this outcome and sends another message for the same request, as a further
    /// attempt: where a redirect leads, or the request that takes its stream up.
    pub(super) fn send_further(
        &mut self,
        operation: OperationId,
        outcome: AttemptOutcome,
        sent: Sent,
    ) {
        let Some(attempt) = self
            .active
            .get(&operation)
            .and_then(|active| active.current.as_ref())
        else {
            return;
        };
        let (round, number, request_id) = (attempt.round, attempt.number + 1, attempt.request_id);
        self.end_attempt(operation, outcome);
        self.send_attempt(operation, (round, number), request_id, None, sent);
    }

    /// Sends a round's message again, as a further attempt, where a redirect of the same origin leads. Gives false
    /// when the failure is not such a redirect, or one too many.
    pub(super) fn follow(&mut self, operation: OperationId, error: &LinkError) -> bool {
        let Some(active) = self.active.get_mut(&operation) else {
            return false;
        };
        let connection = active.connection;
        let redirects = active.redirects;
        let Some(attempt) = active
            .current
            .as_mut()
            .filter(|_| redirects < REDIRECT_LIMIT)
        else {
            return false;
        };
        let (Some(location), Some(sent)) = (attempt.moved_to.take(), attempt.sent.take()) else {
            return false;
        };
        active.redirects += 1;
        let link = self
            .connections
            .get(&connection)
            .and_then(|connection| connection.link.as_ref());
        if !link.is_some_and(|link| link.move_within_origin(&location)) {
            return false;
        }
        let outcome = AttemptOutcome::Transport {
            brief: "redirect".to_owned(),
            message: error.message.clone(),
        };
        self.send_further(operation, outcome, sent);
        true
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
        sent: Sent,
        method: &str,
        expects_reply: bool,
    ) -> Result<(), LinkError> {
        let Sent {
            http_method,
            mut message,
            keeps_breaks,
            mut headers,
        } = sent;
        let Some(link) = self.connections.get(&connection) else {
            return Err(super::connection::not_connected());
        };
        let carrier = link.carrier();
        let has = |headers: &[(String, String)], name: &str| {
            headers
                .iter()
                .any(|(given, _)| given.eq_ignore_ascii_case(name))
        };
        if let Some(session) = &link.session
            && !has(&headers, "Mcp-Session-Id")
        {
            headers.push(("Mcp-Session-Id".to_owned(), session.clone()));
        }
        // 2026-07-28 basic/authorization § Token Requirements: in every request.
        if let Some(since) = self.present_token(connection, (http_method, &message), &mut headers) {
            self.note_bearer_use(connection);
            if let Some(attempt) = self
                .active
                .get_mut(&operation)
                .and_then(|active| active.current.as_mut())
            {
                attempt.bearer = Some(since);
            }
        }
        let without = self.apply_edits(operation, &mut headers);
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
        if self.is_stdio(connection) && !keeps_breaks {
            // What is recorded is what is sent.
            message = client::one_line(message);
        }
        // A GET that takes a stream up carries no message.
        if !message.is_empty() {
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
        }
        let link = self
            .connections
            .get(&connection)
            .and_then(|connection| connection.link.as_ref())
            .ok_or_else(super::connection::not_connected)?;
        link.send(Outgoing {
            exchange,
            message,
            keeps_breaks,
            headers,
            without,
            http_method,
            expects_reply,
        })
    }

    /// Changes headers as the person wants them in this operation; gives those that are to be left out.
    fn apply_edits(
        &self,
        operation: OperationId,
        headers: &mut Vec<(String, String)>,
    ) -> Vec<String> {
        let mut without = Vec::new();
        let edits = self.active.get(&operation).map(|active| &active.edits);
        for edit in edits.into_iter().flatten() {
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case(&edit.name));
            match &edit.value {
                Some(value) => headers.push((edit.name.clone(), value.clone())),
                None => without.push(edit.name.clone()),
            }
        }
        without
    }

    /// Sends a notification; its row ends when it is on its way (stdio) or accepted (HTTP).
    pub(super) fn notify(
        &mut self,
        connection: ConnectionId,
        speaker: &Arc<Speaker>,
        method: &str,
        params: Option<&str>,
    ) -> OperationId {
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
        )
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
            Sent {
                http_method: HttpMethod::Post,
                message: Bytes::from(text),
                keeps_breaks: false,
                headers,
            },
            method,
            false,
        );
        match sent {
            Err(error) => self.not_delivered(operation, error),
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
        active.attempts = 1;
        active.current = Some(Attempt::new((1, 1), None, exchange, limit));
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
}
