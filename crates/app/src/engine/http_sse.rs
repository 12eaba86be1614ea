//! HTTP+SSE, the transport of 2024-11-05 (basic/transports § HTTP with SSE): one stream brings everything from the
//! server, and its `endpoint` event says where messages are posted.

use std::sync::Arc;
use std::time::Duration;

use client::error::LinkError;
use client::report::ExchangeId;
use journal::event::{AttemptOutcome, ConnectionId, OperationId};
use protocol::operation::Finish;
use protocol::request::Speaker;
use tokio::sync::oneshot;
use tokio::time::Instant;
use wire::message::{self, MessageKind};

use super::state::{Engine, Place};
use super::streams::{ENDLESS, StreamKind};
use crate::api::servers::Phase;
use crate::api::{ErrorCode, ErrorView};

/// How long the endpoint may take to come.
pub(super) const ENDPOINT_LIMIT: Duration = Duration::from_secs(10);
/// What to try when it is not there.
const HINT: &str = "Check the URL; the event stream of an HTTP+SSE server is often at /sse. Newer servers speak Streamable HTTP.";

/// Whoever waits for the endpoint. Dropped when it did not come in time.
pub type Opening = oneshot::Sender<Result<(), ErrorView>>;

impl Engine {
    /// Opens the stream that brings everything.
    pub(super) fn open_http_sse(
        &mut self,
        connection: ConnectionId,
        speaker: Speaker,
        opening: Opening,
    ) {
        let kind = StreamKind::HttpSse(Some(opening));
        self.open_stream(connection, &Arc::new(speaker), kind, ENDPOINT_LIMIT);
    }

    /// Whether an operation holds the stream that brings everything.
    pub(super) fn is_http_sse_stream(&self, operation: OperationId) -> bool {
        self.active
            .get(&operation)
            .is_some_and(|active| matches!(active.stream, Some(StreamKind::HttpSse(_))))
    }

    /// The server says where messages are posted. Elsewhere than at its own origin they would carry what is meant for
    /// it to somebody else.
    pub(super) fn endpoint_named(&mut self, place: Place, location: &str) {
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        let Some(StreamKind::HttpSse(opening)) = &mut active.stream else {
            return;
        };
        // A server that moves its endpoint later is not followed: no revision has it.
        let Some(opening) = opening.take() else {
            return;
        };
        active.limit = ENDLESS;
        if let Some(attempt) = &mut active.current {
            attempt.deadline = Instant::now() + ENDLESS;
        }
        let Some(connection) = self.connections.get_mut(&place.connection) else {
            return;
        };
        let moved = connection
            .link
            .as_ref()
            .is_some_and(|link| link.move_within_origin(location));
        if moved {
            connection.http_sse = true;
            // A handshake that was stopped does not wait any more.
            let _gone = opening.send(Ok(()));
            return;
        }
        let message = format!(
            "The server's endpoint event names {location}, which is not at its own origin; no message is sent there."
        );
        let hint = "Set the server's URL to one of the origin that it names, or mend the server's endpoint event.";
        self.not_opened(place.operation, opening, "another origin", message, hint);
    }

    /// The stream that brings everything is over, in whatever way.
    pub(super) fn http_sse_ended(&mut self, operation: OperationId, error: Option<&LinkError>) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let connection = active.connection;
        let status = active.http_status;
        let is_stream = active
            .current
            .as_ref()
            .is_some_and(super::operation::Attempt::is_event_stream);
        let Some(StreamKind::HttpSse(opening)) = &mut active.stream else {
            return;
        };
        if let Some(opening) = opening.take() {
            let message = match (error, status) {
                (Some(error), _) => error.message.clone(),
                (None, Some(status)) if is_stream && (200..300).contains(&status) => {
                    "The server closed its event stream without an endpoint event.".to_owned()
                }
                (None, Some(status)) => {
                    format!("GET was answered with HTTP {status} and no event stream.")
                }
                (None, None) => "GET was not answered.".to_owned(),
            };
            self.not_opened(operation, opening, "no stream", message, HINT);
            return;
        }
        let message = match error {
            Some(error) => format!(
                "The server's event stream broke, so no answer can come. {}",
                error.message
            ),
            None => "The server closed its event stream, so no answer can come.".to_owned(),
        };
        let hint = "Connect again.";
        self.fail(
            operation,
            "stream lost",
            message.clone(),
            Some(hint.to_owned()),
        );
        self.fail_pending(connection, "stream lost", &message, hint);
        let Some(link) = self.connections.get_mut(&connection) else {
            return;
        };
        if link.is_connected() {
            link.error = Some(ErrorView {
                code: ErrorCode::Failed,
                message,
                hint: Some(hint.to_owned()),
            });
            link.error_operation = Some(operation);
            self.close(
                connection,
                "the server's event stream was lost",
                Phase::Failed,
            );
        }
    }

    fn not_opened(
        &mut self,
        operation: OperationId,
        opening: Opening,
        brief: &str,
        message: String,
        hint: &str,
    ) {
        let _gone = opening.send(Err(ErrorView {
            code: ErrorCode::Failed,
            message: message.clone(),
            hint: Some(hint.to_owned()),
        }));
        let exchange = self.active.get(&operation).and_then(|active| {
            active
                .current
                .as_ref()
                .map(|attempt| (active.connection, attempt.exchange))
        });
        if let Some((connection, exchange)) = exchange
            && let Some(link) = self
                .connections
                .get(&connection)
                .and_then(|connection| connection.link.as_ref())
        {
            link.cancel(exchange);
        }
        self.end_attempt(
            operation,
            AttemptOutcome::Transport {
                brief: brief.to_owned(),
                message: message.clone(),
            },
        );
        self.finish(
            operation,
            Finish::Failed {
                brief: brief.to_owned(),
                message,
                hint: Some(hint.to_owned()),
            },
        );
    }

    /// Whether a body is only the server's word that it took a message, whose answer comes on the stream.
    pub(super) fn only_acknowledges(
        &self,
        place: Place,
        exchange: ExchangeId,
        bytes: &[u8],
    ) -> bool {
        let is_http_sse = self
            .connections
            .get(&place.connection)
            .is_some_and(|connection| connection.http_sse);
        is_http_sse
            && self.waits_for(place.operation, exchange)
            && self.is_taken(place.operation)
            && message::read(bytes)
                .messages()
                .iter()
                .all(|message| matches!(message.kind, MessageKind::NotProtocol { .. }))
    }

    /// Whether the POST of an operation's message over HTTP+SSE was taken, so that its answer is to come on the stream.
    pub(super) fn is_taken(&self, operation: OperationId) -> bool {
        self.active.get(&operation).is_some_and(|active| {
            active.stream.is_none()
                && active
                    .http_status
                    .is_some_and(|status| (200..300).contains(&status))
                && self
                    .connections
                    .get(&active.connection)
                    .is_some_and(|connection| connection.http_sse)
        })
    }
}
