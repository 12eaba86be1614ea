//! Event streams over HTTP in the legacy era: the one that a session has of its own (2025-11-25 basic/transports §
//! Listening for Messages from the Server), and those of requests, which are taken up again when they break off
//! before the answer (§ Resumability and Redelivery).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use client::HttpMethod;
use client::error::{LinkError, LinkErrorKind};
use client::report::ExchangeId;
use journal::event::{AttemptOutcome, ConnectionId, EventBody, OperationEnd, OperationId};
use protocol::era::Era;
use protocol::headers;
use protocol::request::Speaker;
use protocol::retry;
use protocol::stream::Reconnection;
use tokio::time::Instant;
use wire::sse::SseEvent;

use super::ending::brief;
use super::frames::Source;
use super::http_sse::Opening;
use super::operation::{Active, Purpose, Sent, Wait, WaitFor};
use super::state::{Engine, Place};

/// What the operation is called that holds a stream which no request opened.
pub(super) const SESSION_STREAM: &str = "session/stream";
/// A stream may be silent for as long as it likes.
pub(super) const ENDLESS: Duration = Duration::from_hours(10 * 365 * 24);

/// A further attempt of a round, to be sent when its wait is over.
#[derive(Debug)]
pub struct Again {
    round: u32,
    number: u32,
    request_id: Option<u64>,
    sent: Sent,
    /// When the operation has waited long enough for its answer.
    pub(super) deadline: Instant,
    /// When it has taken too long in all, and how long that is.
    pub(super) hard_deadline: Option<(Instant, Duration)>,
}

/// What is particular to an operation that holds a stream which no request opened.
#[derive(Debug)]
pub enum StreamKind {
    /// A session's own stream.
    Session,
    /// HTTP+SSE: the stream that carries everything from the server, and whoever waits for its endpoint.
    HttpSse(Option<Opening>),
}

impl Engine {
    /// Opens the session's own stream, where the transport has one.
    pub(super) fn open_session_stream(&mut self, connection: ConnectionId) {
        let Some(link) = self.connections.get(&connection) else {
            return;
        };
        let Some(speaker) = link.speaker.clone() else {
            return;
        };
        if speaker.era != Era::Legacy || !link.is_over_http() || link.http_sse {
            return;
        }
        self.open_stream(connection, &speaker, StreamKind::Session, ENDLESS);
    }

    /// Opens a stream by GET, as an operation of its own.
    pub(super) fn open_stream(
        &mut self,
        connection: ConnectionId,
        speaker: &Arc<Speaker>,
        kind: StreamKind,
        limit: Duration,
    ) {
        let operation = self.open_operation(connection, SESSION_STREAM, Some("GET"));
        let mut active = Active::new(
            connection,
            Arc::clone(speaker),
            Purpose::Stream,
            SESSION_STREAM,
            Some("GET"),
        );
        active.limit = limit;
        active.stream = Some(kind);
        self.active.insert(operation, active);
        if let Some(link) = self.connections.get_mut(&connection) {
            link.stream = Some(operation);
        }
        let sent = listen(speaker, None);
        self.send_attempt(operation, (1, 1), None, None, sent);
    }

    /// Ends a connection's stream, which has no more use: nothing is wrong with it.
    pub(super) fn settle_stream(&mut self, connection: ConnectionId, brief: &str, message: &str) {
        let Some(operation) = self
            .connections
            .get_mut(&connection)
            .and_then(|connection| connection.stream.take())
        else {
            return;
        };
        let exchange = self
            .active
            .get(&operation)
            .and_then(|active| active.current.as_ref())
            .map(|attempt| attempt.exchange);
        let link = self
            .connections
            .get(&connection)
            .and_then(|connection| connection.link.as_ref());
        if let (Some(link), Some(exchange)) = (link, exchange) {
            link.cancel(exchange);
        }
        self.settle(operation, brief, message.to_owned());
    }

    fn settle(&mut self, operation: OperationId, brief: &str, message: String) {
        let outcome = AttemptOutcome::Settled {
            brief: brief.to_owned(),
            message: message.clone(),
        };
        self.end_attempt(operation, outcome);
        let brief = brief.to_owned();
        self.end_operation(operation, OperationEnd::Settled { brief, message });
    }

    /// Where the frames of an exchange come from.
    pub(super) fn source_of(&self, place: Place, exchange: ExchangeId) -> Source {
        match self
            .active
            .get(&place.operation)
            .and_then(|active| active.stream.as_ref())
        {
            None => Source::Exchange(place, exchange),
            Some(kind) => Source::Stream {
                place,
                carries_replies: matches!(kind, StreamKind::HttpSse(_)),
            },
        }
    }

    /// Keeps the place in a stream that an operation waits for.
    pub(super) fn note_event(
        &mut self,
        operation: OperationId,
        exchange: ExchangeId,
        event: &SseEvent<'_>,
    ) {
        if let Some(active) = self.active.get_mut(&operation)
            && active
                .current
                .as_ref()
                .is_some_and(|attempt| attempt.exchange == exchange)
        {
            active.cursor.take(event);
        }
    }

    /// An exchange is over that its operation waits for: gives whether that has been dealt with, because it was a stream
    /// that is opened again, or given up.
    pub(super) fn stream_ended(
        &mut self,
        operation: OperationId,
        error: Option<&LinkError>,
    ) -> bool {
        match self
            .active
            .get(&operation)
            .and_then(|active| active.stream.as_ref())
        {
            Some(StreamKind::Session) => self.session_stream_ended(operation, error),
            Some(StreamKind::HttpSse(_)) => self.http_sse_ended(operation, error),
            None => return self.resume(operation, error),
        }
        true
    }

    /// The GET of a session's own stream is over, in whatever way.
    fn session_stream_ended(&mut self, operation: OperationId, error: Option<&LinkError>) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let status = active.http_status;
        let was_stream = status.is_some_and(|status| (200..300).contains(&status))
            && active
                .current
                .as_ref()
                .is_some_and(super::operation::Attempt::is_event_stream);
        let outcome = match (was_stream, status, error) {
            (_, _, Some(error)) if may_pass(error) => AttemptOutcome::Transport {
                brief: brief(error).to_owned(),
                message: error.message.clone(),
            },
            (true, _, None) => AttemptOutcome::Settled {
                brief: "closed".to_owned(),
                message: "The server closed its stream.".to_owned(),
            },
            (false, Some(status), None) if retry::is_passing(status) => AttemptOutcome::Transport {
                brief: format!("HTTP {status}"),
                message: format!("The server answered GET with HTTP {status}."),
            },
            (_, _, error) => {
                let said = match (error, status) {
                    (Some(error), _) => error.message.clone(),
                    (None, Some(status)) => {
                        format!("The server answered GET with HTTP {status} and no event stream.")
                    }
                    (None, None) => "The server did not answer GET.".to_owned(),
                };
                // 2025-11-25 says 405; servers say 400, 404 and 406 too, and mean the same.
                let message = format!(
                    "{said} So it offers no stream of its own, which it need not; everything else goes on without it."
                );
                self.settle(operation, "no stream", message);
                return;
            }
        };
        match active.cursor.ended(fastrand::f64()) {
            Reconnection::After(millis) => {
                let reason = match &outcome {
                    AttemptOutcome::Transport { message, .. } => message.trim_end_matches('.'),
                    _ => "The server closed its stream",
                };
                let reason = format!("{reason}; it is opened again in {}", seconds(millis));
                self.take_up(operation, outcome, millis, reason);
            }
            Reconnection::GivenUp(times) => {
                let message = format!(
                    "The server's own stream brought nothing {times} times in a row, so it is not opened again. Everything else goes on without it."
                );
                self.settle(operation, "no stream", message);
            }
        }
    }

    /// The stream of a request broke off before the answer, or was closed to be polled: it is taken up again after a
    /// wait, where the server gave an event id to resume after. Gives whether that, or the failure of it, has been
    /// dealt with.
    fn resume(&mut self, operation: OperationId, error: Option<&LinkError>) -> bool {
        let Some(active) = self.active.get_mut(&operation) else {
            return false;
        };
        let is_http_sse = self
            .connections
            .get(&active.connection)
            .is_none_or(|connection| connection.http_sse);
        let Some(attempt) = &active.current else {
            return false;
        };
        let is_resumption = attempt.is_resumption();
        let status = active.http_status.unwrap_or_default();
        let was_stream = (200..300).contains(&status) && attempt.is_event_stream();
        let may_resume = active.speaker.era == Era::Legacy
            && attempt.request_id.is_some()
            && !is_http_sse
            && error.is_none_or(may_pass)
            && (was_stream || is_resumption);
        let Some(id) = active
            .cursor
            .last_event_id()
            .filter(|_| may_resume)
            .map(str::to_owned)
        else {
            return false;
        };
        if is_resumption && !was_stream && error.is_none() && !retry::is_passing(status) {
            let message = format!(
                "The server ended the stream before the answer, and refused to take it up again after the event {id}: HTTP {status}. Whether the request was carried out is not known."
            );
            let hint = "Look at the server's log: it gave event ids, which promise that a stream can be resumed.";
            self.fail(operation, "not resumed", message, Some(hint.to_owned()));
            return true;
        }
        let (outcome, cause) = match error {
            Some(error) => (
                AttemptOutcome::Transport {
                    brief: brief(error).to_owned(),
                    message: error.message.clone(),
                },
                error.message.trim_end_matches('.').to_owned(),
            ),
            None if was_stream => (
                AttemptOutcome::Settled {
                    brief: "stream closed".to_owned(),
                    message: "The server closed the stream before the answer.".to_owned(),
                },
                "The server closed the stream before the answer".to_owned(),
            ),
            None => (
                AttemptOutcome::Transport {
                    brief: format!("HTTP {status}"),
                    message: format!("The server answered the resumption with HTTP {status}."),
                },
                format!("The server answered the resumption with HTTP {status}"),
            ),
        };
        match active.cursor.ended(fastrand::f64()) {
            Reconnection::After(millis) => {
                let reason = format!(
                    "{cause}; it is taken up after the event {id} in {}",
                    seconds(millis)
                );
                self.take_up(operation, outcome, millis, reason);
            }
            Reconnection::GivenUp(times) => {
                let message = format!(
                    "{cause}, and it brought nothing {times} times in a row after the event {id}. Whether the request was carried out is not known."
                );
                let hint = "Look at the server's log, then call again.";
                self.fail(operation, "not resumed", message, Some(hint.to_owned()));
            }
        }
        true
    }

    /// Ends the attempt and asks for the rest of its stream after a wait.
    fn take_up(
        &mut self,
        operation: OperationId,
        outcome: AttemptOutcome,
        millis: u64,
        reason: String,
    ) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let Some(attempt) = &active.current else {
            return;
        };
        let again = Again {
            round: attempt.round,
            number: attempt.number + 1,
            request_id: attempt.request_id,
            sent: listen(&active.speaker, active.cursor.last_event_id()),
            deadline: attempt.deadline,
            hard_deadline: attempt.hard_deadline,
        };
        self.end_attempt(operation, outcome);
        self.send_after(operation, again, Some(millis), reason);
    }

    /// Keeps a further attempt until its wait is over, or, without `millis`, until [`Engine::send_kept`] is called.
    pub(super) fn send_after(
        &mut self,
        operation: OperationId,
        again: Again,
        millis: Option<u64>,
        reason: String,
    ) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let connection = active.connection;
        active.again = Some(again);
        if let Some(millis) = millis {
            let until = Instant::now() + Duration::from_millis(millis);
            active.wait = Some(Wait {
                until,
                then: WaitFor::Kept,
            });
            self.wake_by(until);
        }
        self.record(
            connection,
            Some(operation),
            EventBody::WaitStarted { reason },
        );
    }

    /// Sends the attempt that was kept.
    pub(super) fn send_kept(&mut self, operation: OperationId) {
        let Some(again) = self
            .active
            .get_mut(&operation)
            .and_then(|active| active.again.take())
        else {
            return;
        };
        let place = (again.round, again.number);
        self.send_attempt(operation, place, again.request_id, None, again.sent);
        if let Some(attempt) = self
            .active
            .get_mut(&operation)
            .and_then(|active| active.current.as_mut())
        {
            // A stream that is taken up ever again does not stretch the wait for the answer.
            attempt.deadline = again.deadline;
            attempt.hard_deadline = again.hard_deadline.or(attempt.hard_deadline);
        }
    }
}

impl Again {
    /// The request that the server works on: that of a stream which is waited for to be taken up, and not one that was
    /// refused, or was never sent.
    pub(super) fn known_request(&self) -> Option<u64> {
        self.request_id
            .filter(|_| self.sent.http_method == HttpMethod::Get)
    }

    pub(super) fn new(
        (round, number): (u32, u32),
        request_id: Option<u64>,
        sent: Sent,
        deadline: Instant,
    ) -> Self {
        Self {
            round,
            number,
            request_id,
            sent,
            deadline,
            hard_deadline: None,
        }
    }
}

/// The GET that opens a stream, or takes one up after an event.
fn listen(speaker: &Speaker, last_event_id: Option<&str>) -> Sent {
    let mut headers = headers::for_stream(speaker);
    if let Some(id) = last_event_id {
        headers.push(("Last-Event-ID".to_owned(), id.to_owned()));
    }
    Sent {
        http_method: HttpMethod::Get,
        message: Bytes::new(),
        keeps_breaks: false,
        headers,
    }
}

/// Whether what failed may be gone at the next try.
fn may_pass(error: &LinkError) -> bool {
    matches!(
        error.kind,
        LinkErrorKind::ConnectionLost
            | LinkErrorKind::ConnectionRefused
            | LinkErrorKind::TimedOut
            | LinkErrorKind::Dns
    )
}

/// `500 ms`, `2 s`.
pub(super) fn seconds(millis: u64) -> String {
    match millis {
        0..1000 => format!("{millis} ms"),
        _ if millis.is_multiple_of(1000) => format!("{} s", millis / 1000),
        _ => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
    }
}
