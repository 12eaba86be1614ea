//! Sessions that a server has ended: a new one is opened once, and what was refused is sent again in it (2025-11-25
//! basic/transports § Session Management).

use client::HttpMethod;
use journal::event::{AttemptOutcome, ConnectionId, OperationId};
use protocol::era::Era;
use protocol::rules;
use tokio::time::Instant;

use super::handshake::renew;
use super::operation::{Active, Purpose, Sent};
use super::state::{Engine, Place};
use super::streams::Again;
use crate::api::ErrorView;
use crate::api::servers::{Phase, ServerReport};

/// JSON-RPC: the method is not known. A server may say so with 404, which then is not about the session.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// What to try about a session that cannot be renewed.
pub(super) const RECONNECT_HINT: &str =
    "The server does not know this session any more: connect again for a new one.";
/// What is wrong with how such a server says so.
pub(super) const DEVIATION: &str =
    "A session that has ended is reported by 404, so Roundtrip does not open a new one by itself.";
/// Why an operation waits.
const REASON: &str = "The server has ended the session; a new one is being opened";

impl Engine {
    /// The server does not know the session of an operation's request any more: the request is kept, and sent again
    /// once there is a new session. Gives false when that cannot be, or was done for it before.
    pub(super) fn session_lost(&mut self, operation: OperationId, outcome: AttemptOutcome) -> bool {
        let Some(active) = self.active.get_mut(&operation) else {
            return false;
        };
        let id = active.connection;
        let Some(connection) = self.connections.get_mut(&id) else {
            return false;
        };
        let has_session = connection.session.is_some() || connection.renewal.is_some();
        if !has_session
            || !connection.is_connected()
            || active.is_renewed
            || active.speaker.era != Era::Legacy
            || !is_asked_for(active)
        {
            return false;
        }
        let Some(attempt) = &active.current else {
            return false;
        };
        let Some(sent) = attempt
            .sent
            .clone()
            .filter(|sent| sent.http_method == HttpMethod::Post)
        else {
            return false;
        };
        active.is_renewed = true;
        let again = Again::new(
            (attempt.round, attempt.number + 1),
            attempt.request_id,
            sent,
            Instant::now() + active.limit,
        );
        let is_of_an_earlier_session = attempt.sent_micros <= connection.session_since_micros;
        self.end_attempt(operation, outcome);
        self.send_after(operation, again, None, REASON.to_owned());
        let Some(connection) = self.connections.get_mut(&id) else {
            return true;
        };
        if let Some(waiting) = &mut connection.renewal {
            waiting.push(operation);
        } else if is_of_an_earlier_session {
            self.send_kept(operation);
        } else {
            connection.renewal = Some(vec![operation]);
            self.renew_session(id);
        }
        true
    }

    /// Whether a connection has a session, or had one for which another is being opened.
    pub(super) fn is_in_session(&self, connection: ConnectionId) -> bool {
        self.connections
            .get(&connection)
            .is_some_and(|connection| connection.session.is_some() || connection.renewal.is_some())
    }

    /// The server reported a lost session by 400.
    pub(super) fn note_deviation(&mut self, place: Place) {
        self.record_findings(
            place.connection,
            Some(place.operation),
            None,
            vec![rules::session_lost_by_400()],
        );
    }

    fn renew_session(&mut self, id: ConnectionId) {
        let message = "The server has ended the session, and its stream with it.";
        self.settle_stream(id, "session over", message);
        let (Some(handle), Some(connection)) =
            (self.handle.upgrade(), self.connections.get_mut(&id))
        else {
            return;
        };
        // It is opened without the id of the old one.
        connection.session = None;
        let Some(speaker) = connection.speaker.as_deref().cloned() else {
            return;
        };
        let task = tokio::spawn(renew::run(handle, id, speaker));
        connection.task = Some(task.abort_handle());
    }

    /// Whether a request is to wait until there is a session again.
    pub(super) fn waits_for_session(&self, operation: OperationId) -> bool {
        self.active.get(&operation).is_some_and(|active| {
            is_asked_for(active)
                && self
                    .connections
                    .get(&active.connection)
                    .is_some_and(|connection| connection.renewal.is_some())
        })
    }

    /// Keeps a request back until there is a session again.
    pub(super) fn keep_for_session(
        &mut self,
        operation: OperationId,
        place: (u32, u32),
        request_id: Option<u64>,
        sent: Sent,
    ) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let deadline = Instant::now() + active.limit;
        if let Some(waiting) = self
            .connections
            .get_mut(&active.connection)
            .and_then(|connection| connection.renewal.as_mut())
        {
            waiting.push(operation);
        }
        let again = Again::new(place, request_id, sent, deadline);
        self.send_after(operation, again, None, REASON.to_owned());
    }

    /// There is a new session, or none could be had.
    pub(super) fn session_renewed(
        &mut self,
        id: ConnectionId,
        renewed: Result<Box<ServerReport>, ErrorView>,
        operation: Option<OperationId>,
    ) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.task = None;
        let waiting = connection.renewal.take().unwrap_or_default();
        match renewed {
            Ok(mut report) => {
                self.redact_report(&mut report);
                if let Some(connection) = self.connections.get_mut(&id) {
                    report.era_reason = connection
                        .report
                        .take()
                        .map_or(report.era_reason, |before| before.era_reason);
                    connection.report = Some(*report);
                }
                self.publisher.servers_changed();
                self.open_session_stream(id);
                for operation in waiting {
                    self.send_kept(operation);
                }
                self.list_in_new_session(id);
            }
            Err(error) => {
                let error = self.redacted_error(error);
                let message = format!(
                    "The server has ended the session, and a new one could not be opened. {}",
                    error.message
                );
                for operation in waiting {
                    self.fail(
                        operation,
                        "session lost",
                        message.clone(),
                        error.hint.clone(),
                    );
                }
                if let Some(connection) = self.connections.get_mut(&id) {
                    connection.error_operation = operation;
                    connection.error = Some(ErrorView { message, ..error });
                }
                self.close(id, "the session was lost", Phase::Failed);
            }
        }
    }
}

/// Whether an operation asks something of a server in a session, rather than making or ending one.
fn is_asked_for(active: &Active) -> bool {
    !matches!(
        active.purpose,
        Purpose::Handshake
            | Purpose::Composed
            | Purpose::Notification
            | Purpose::Served
            | Purpose::Process
            | Purpose::Stream
    )
}

/// What a refusal says that is about the session although its status is 400; nothing for any other.
pub(super) fn deviates(status: u16, said: &str) -> bool {
    status == 400 && said.to_ascii_lowercase().contains("session")
}
