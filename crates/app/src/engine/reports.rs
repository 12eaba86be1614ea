//! What links report: recorded first, then acted on.

use client::clock::now_micros;
use client::error::{LinkError, LinkErrorKind};
use client::report::{ExchangeId, LinkId, Report, ReportKind};
use journal::event::{AttemptOutcome, ConnectionId, EventBody};
use protocol::authorization::{challenge, proof};
use protocol::operation::Finish;
use protocol::retry;

use super::composed::Awaited;
use super::connection::SESSION_END;
use super::operation::{Came, Purpose};
use super::retrying::Setback;
use super::sign_in::challenges;
use super::state::{Engine, Place};
use super::steps::ProcessEnd;

/// What came of a response's body.
#[derive(Clone, Copy)]
struct BodySizes {
    body_byte_len: u64,
    wire_byte_len: u64,
    first_byte_micros: Option<u64>,
}

impl Engine {
    /// Takes what a link reported, in order.
    pub(super) fn take_reports(&mut self, reports: Vec<Report>) {
        for report in reports {
            // A link that was dropped while its reports were on the way belongs to nothing any more.
            if let Some(connection) = self.links.get(&report.link).copied() {
                self.take_report(connection, report);
            }
        }
    }

    fn take_report(&mut self, connection: ConnectionId, report: Report) {
        let at_micros = report.at_micros;
        match report.what {
            ReportKind::ProcessStarted { pid } => self.process_started(connection, at_micros, pid),
            ReportKind::Lines(frames) => {
                for frame in frames {
                    self.take_line(connection, &frame);
                }
            }
            ReportKind::Stderr(lines) => {
                for (at_micros, bytes) in lines {
                    self.record_at(at_micros, connection, None, EventBody::Stderr { bytes });
                }
            }
            ReportKind::UnfinishedLine { byte_len, head } => {
                self.line_unfinished(connection, byte_len, &head);
            }
            ReportKind::WriteFailed { exchange, error } => {
                if let Some(place) = self.exchanges.get(&exchange).copied()
                    && self.waits_for(place.operation, exchange)
                {
                    self.not_delivered(place.operation, error);
                }
            }
            ReportKind::StdoutClosed => self.stdout_closed(connection, report.link),
            ReportKind::ProcessExited {
                status,
                expected,
                last_stderr,
                heard,
            } => {
                let end = ProcessEnd {
                    status,
                    expected,
                    last_stderr,
                    heard,
                };
                self.process_exited(connection, at_micros, report.link, &end);
            }
            ReportKind::RequestHead {
                exchange,
                head,
                body_byte_len,
            } => {
                if let Some(place) = self.exchanges.get(&exchange).copied() {
                    self.record_at(
                        at_micros,
                        connection,
                        Some(place.operation),
                        EventBody::HttpRequest {
                            round: place.round,
                            attempt: place.attempt,
                            head,
                            body_byte_len,
                        },
                    );
                }
            }
            ReportKind::ResponseHead { exchange, head } => {
                if let Some(place) = self.exchanges.get(&exchange).copied() {
                    self.response_head(place, exchange, &head);
                    self.record_at(
                        at_micros,
                        connection,
                        Some(place.operation),
                        EventBody::HttpResponse {
                            round: place.round,
                            attempt: place.attempt,
                            head,
                        },
                    );
                }
            }
            ReportKind::Frames { exchange, frames } => {
                if let Some(place) = self.exchanges.get(&exchange).copied() {
                    for frame in frames {
                        self.take_http(place, exchange, &frame);
                    }
                }
            }
            ReportKind::ExchangeEnded {
                exchange,
                body_byte_len,
                wire_byte_len,
                first_byte_micros,
                error,
            } => {
                let sizes = BodySizes {
                    body_byte_len,
                    wire_byte_len,
                    first_byte_micros,
                };
                self.exchange_ended(connection, at_micros, exchange, sizes, error);
            }
        }
    }

    fn process_exited(
        &mut self,
        connection: ConnectionId,
        at_micros: u64,
        link: LinkId,
        end: &ProcessEnd,
    ) {
        self.record_at(
            at_micros,
            connection,
            None,
            EventBody::ProcessExited {
                status: end.status.clone(),
                expected: end.expected,
            },
        );
        self.process_ended(connection, link, end);
    }

    /// Whether the operation waits for the reply of this exchange.
    pub(super) fn waits_for(
        &self,
        operation: journal::event::OperationId,
        exchange: ExchangeId,
    ) -> bool {
        self.active
            .get(&operation)
            .and_then(|active| active.current.as_ref())
            .is_some_and(|attempt| attempt.exchange == exchange)
    }

    fn response_head(
        &mut self,
        place: Place,
        exchange: ExchangeId,
        head: &wire::http::ResponseHead,
    ) {
        if !self.waits_for(place.operation, exchange) {
            return;
        }
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        active.http_status = Some(head.status);
        active.retry_after = head.header("retry-after").map(str::to_owned);
        let is_refusal = matches!(head.status, 401 | 403);
        let challenges = if is_refusal {
            challenges(head)
        } else {
            Vec::new()
        };
        if let Some(attempt) = &mut active.current {
            attempt.challenges.clone_from(&challenges);
            attempt.content_type = head.header("content-type").map(str::to_owned);
            // The others turn a POST into a GET.
            attempt.moved_to = matches!(head.status, 307 | 308)
                .then(|| head.header("location").map(str::to_owned))
                .flatten();
        }
        let is_initialize = active.method == "initialize" && active.purpose != Purpose::Composed;
        let nonce = head.header(proof::NONCE_HEADER).map(str::to_owned);
        self.note_nonce(place.connection, nonce.as_deref());
        // A proof without the server's nonce is no want of a sign-in.
        if is_refusal && !challenge::wants_nonce(&challenges) {
            self.note_refusal(place.connection, head.status, challenges);
        }
        // The session is given with the reply to initialize (2025-11-25 basic/transports § Session Management).
        if is_initialize
            && let Some(session) = head.header("mcp-session-id")
            && let Some(connection) = self.connections.get_mut(&place.connection)
        {
            connection.session = Some(session.to_owned());
            connection.session_since_micros = now_micros();
        }
    }

    fn exchange_ended(
        &mut self,
        connection: ConnectionId,
        at_micros: u64,
        exchange: ExchangeId,
        sizes: BodySizes,
        error: Option<LinkError>,
    ) {
        let Some(place) = self.exchanges.remove(&exchange) else {
            return;
        };
        let what_failed = self
            .closed_as_left_open(exchange)
            .or_else(|| error.as_ref().map(|error| error.message.clone()));
        self.record_at(
            at_micros,
            connection,
            Some(place.operation),
            EventBody::HttpEnded {
                round: place.round,
                attempt: place.attempt,
                body_byte_len: sizes.body_byte_len,
                wire_byte_len: sizes.wire_byte_len,
                first_byte_micros: sizes.first_byte_micros,
                error: what_failed,
            },
        );
        if !self.waits_for(place.operation, exchange) {
            return;
        }
        let error = error.filter(|error| error.kind != LinkErrorKind::Cancelled);
        if self.listen_dropped(place.operation, error.as_ref()) {
            return;
        }
        if self.stream_ended(place.operation, error.as_ref()) {
            return;
        }
        if let Some(error) = error {
            if self.follow(place.operation, &error) {
                return;
            }
            match Setback::of_link(&error) {
                Some(setback) => self.retry_or_fail(place.operation, setback),
                None => self.link_failed(place.operation, &error),
            }
            return;
        }
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        let status = active.http_status.unwrap_or_default();
        let accepted = (200..300).contains(&status);
        let without_reply = matches!(active.purpose, Purpose::Notification | Purpose::Served)
            || active.awaited == Some(Awaited::Nothing);
        // A server may keep its sessions to itself (405) and may have ended this one before (404): 2025-11-25
        // basic/transports § Session Management.
        let is_over_anyway = active.method == SESSION_END && matches!(status, 404 | 405);
        if without_reply && (accepted || is_over_anyway) {
            self.delivered(place.operation);
            return;
        }
        if accepted && self.is_taken(place.operation) {
            return;
        }
        if self.failed_by_wrong_id(place.operation) {
            return;
        }
        self.without_reply(place, status);
    }

    /// An exchange ended well for HTTP, and holds no reply: the operation goes on another way, or fails in words.
    fn without_reply(&mut self, place: Place, status: u16) {
        let connection = place.connection;
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        let (unreadable, content_type) = active
            .current
            .as_mut()
            .map(|attempt| (attempt.unreadable.take(), attempt.content_type.take()))
            .unwrap_or_default();
        active
            .came
            .get_or_insert(Came::Unreadable(unreadable.clone().unwrap_or_default()));
        let address = self.address_of(connection);
        let mut failure = super::no_reply::no_reply(
            status,
            content_type.as_deref(),
            unreadable.as_deref(),
            &address,
        );
        let in_session = self.is_in_session(connection);
        // 2025-11-25 basic/transports § Session Management: 404 says that the session is over.
        if in_session && status == 404 {
            let outcome = AttemptOutcome::Transport {
                brief: "session over".to_owned(),
                message: failure.message.clone(),
            };
            if self.session_lost(place.operation, outcome) {
                return;
            }
            failure.hint = Some(super::sessions::RECONNECT_HINT.to_owned());
        }
        let said = unreadable.as_deref().map(String::from_utf8_lossy);
        if in_session && said.is_some_and(|said| super::sessions::deviates(status, &said)) {
            self.note_deviation(place);
            failure.message = format!("{} {}", failure.message, super::sessions::DEVIATION);
            failure.hint = Some(super::sessions::RECONNECT_HINT.to_owned());
        }
        if matches!(status, 401 | 403) {
            let setback = Setback {
                brief: failure.brief.clone(),
                message: failure.message.clone(),
                hint: failure.hint.clone(),
            };
            if self.let_in(place.operation, status, &setback) {
                return;
            }
        }
        if retry::is_passing(status) {
            let setback = Setback {
                brief: failure.brief,
                message: failure.message,
                hint: failure.hint,
            };
            self.retry_or_fail(place.operation, setback);
            return;
        }
        self.fail(
            place.operation,
            &failure.brief,
            failure.message,
            failure.hint,
        );
    }

    /// Fails every operation of a connection that waits for a reply.
    pub(super) fn fail_pending(
        &mut self,
        connection: ConnectionId,
        brief: &str,
        message: &str,
        hint: &str,
    ) {
        let mut waiting: Vec<_> = self
            .active
            .iter()
            .filter(|(_, active)| active.connection == connection)
            .map(|(operation, _)| *operation)
            .collect();
        waiting.sort_unstable();
        for operation in waiting {
            if self
                .active
                .get(&operation)
                .is_some_and(|active| active.purpose == Purpose::Process)
            {
                self.finish(
                    operation,
                    Finish::Failed {
                        brief: brief.to_owned(),
                        message: message.to_owned(),
                        hint: Some(hint.to_owned()),
                    },
                );
            } else {
                if let Some(machine) = self
                    .active
                    .get_mut(&operation)
                    .and_then(|active| active.machine.as_mut())
                {
                    machine.cut_off();
                }
                self.fail(operation, brief, message.to_owned(), Some(hint.to_owned()));
            }
        }
    }
}
