//! How attempts and operations end: by a reply, a failure, a time limit, or the person.

use std::sync::Arc;
use std::time::Duration;

use client::clock::now_micros;
use client::error::{LinkError, LinkErrorKind};
use journal::event::{AttemptOutcome, EventBody, OperationEnd, OperationId};
use protocol::listing::ListKind;
use protocol::operation::{Finish, Step};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::clocks::{Limit, in_words};
use super::input::Answer;
use super::operation::{Called, Caller, Came, Ending, Purpose};
use super::refusals;
use super::state::{Engine, Place};
use super::streams::StreamKind;
use crate::api::calls::CallToolArgs;
use crate::api::servers::Phase;

/// How long the end of a process that takes no more messages is awaited.
const LAST_WORDS_LIMIT: Duration = Duration::from_secs(2);

impl Engine {
    /// Closes the attempt that waits, with what came of it.
    pub(super) fn end_attempt(&mut self, operation: OperationId, outcome: AttemptOutcome) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let connection = active.connection;
        let Some(attempt) = active.current.take() else {
            return;
        };
        let connection_id = connection;
        if let Some(connection) = self.connections.get_mut(&connection) {
            if let Some(id) = attempt.request_id {
                connection.pending.remove(&id);
                if matches!(
                    outcome,
                    AttemptOutcome::Cancelled | AttemptOutcome::TimedOut
                ) {
                    let place = Place {
                        connection: connection_id,
                        operation,
                        round: attempt.round,
                        attempt: attempt.number,
                    };
                    connection.given_up.insert(id, place);
                }
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
                attempt: attempt.number,
                outcome,
            },
        );
    }

    /// The operation's message did not reach the server. A process that has ended says more by its last words than
    /// a pipe that broke, so its end is awaited a moment.
    pub(super) fn not_delivered(&mut self, operation: OperationId, error: LinkError) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let connection = self.connections.get(&active.connection);
        let ended = connection.and_then(|connection| connection.ended.clone());
        let is_running = connection.is_some_and(|connection| connection.link.is_some());
        match (&mut active.current, ended) {
            _ if error.kind != LinkErrorKind::ProcessGone => self.link_failed(operation, &error),
            (_, Some(message)) => {
                let hint = Some(super::steps::ENDED_HINT.to_owned());
                let error = LinkError {
                    message,
                    hint,
                    ..error
                };
                self.link_failed(operation, &error);
            }
            (Some(attempt), None) if is_running => {
                attempt.undelivered = Some(error);
                attempt.deadline = Instant::now() + LAST_WORDS_LIMIT;
            }
            _ => self.link_failed(operation, &error),
        }
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
        active.is_cut_short = true;
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
        match active.purpose {
            Purpose::Served => return self.cancel_served(operation),
            // Without them there is no connection: stopping one is stopping to connect.
            Purpose::Process | Purpose::Handshake => {
                let connection = active.connection;
                self.close(connection, "cancelled by the person", Phase::Disconnected);
                return Ok(());
            }
            // Nor is there one without the stream that brings everything.
            Purpose::Stream if matches!(active.stream, Some(StreamKind::HttpSse(_))) => {
                let connection = active.connection;
                self.close(connection, "cancelled by the person", Phase::Disconnected);
                return Ok(());
            }
            Purpose::Call
            | Purpose::Composed
            | Purpose::List(_)
            | Purpose::Notification
            | Purpose::Stream
            | Purpose::SignIn
            | Purpose::Listen => {}
        }
        // A task is asked for, and says itself how it ended.
        if let Some(machine) = active
            .machine
            .as_mut()
            .filter(|machine| machine.is_following())
        {
            let step = machine.cancel();
            self.advance(operation, step);
            return Ok(());
        }
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
        self.dismiss_questions_of(operation);
        Ok(())
    }

    /// No reply came within a limit.
    pub(super) fn time_out(&mut self, operation: OperationId, ran_out: Limit) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        if let Some(error) = active
            .current
            .as_mut()
            .and_then(|attempt| attempt.undelivered.take())
        {
            self.link_failed(operation, &error);
            return;
        }
        if active.purpose == Purpose::Handshake && self.failed_by_wrong_id(operation) {
            return;
        }
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let (waited, mut message) = match ran_out {
            Limit::Silence(limit) => (
                limit,
                format!(
                    "The server did not answer {} within {}.",
                    active.title,
                    in_words(limit)
                ),
            ),
            Limit::Hard(limit) => (
                limit,
                format!(
                    "The server did not answer {} within {}, the longest that a request may take whatever progress it reports.",
                    active.title,
                    in_words(limit)
                ),
            ),
        };
        active.is_cut_short = true;
        active.came.get_or_insert(Came::Silence { waited });
        if let Some((sent, stray)) = active.stray() {
            message = format!("{message} {}", wrong_id("It", sent, stray));
        }
        self.stop_waiting(operation, AttemptOutcome::TimedOut, "no answer in time");
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let hint = "Look at the server's log for what it is doing; the limit is one of the server's options.";
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

    /// Fails the operation when nothing but a reply with another id came for it, and says whether that was so.
    pub(super) fn failed_by_wrong_id(&mut self, operation: OperationId) -> bool {
        let Some(active) = self.active.get_mut(&operation) else {
            return false;
        };
        let Some((sent, stray)) = active.stray() else {
            return false;
        };
        let message = wrong_id("The server", sent, stray);
        let hint = Some(WRONG_ID_HINT.to_owned());
        active.came.get_or_insert(Came::WrongId {
            message: message.clone(),
            hint: hint.clone(),
        });
        self.fail(operation, "wrong id", message, hint);
        true
    }

    /// Ends the attempt and tells the server, in the transport's way, that nobody waits any more
    /// (2026-07-28 basic/patterns/cancellation § Transport-Specific Cancellation). `initialize` is never cancelled
    /// (2025-11-25 basic/utilities/cancellation), nor a probe, which a legacy server does not know.
    pub(super) fn stop_waiting(
        &mut self,
        operation: OperationId,
        outcome: AttemptOutcome,
        reason: &str,
    ) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let connection = active.connection;
        let speaker = Arc::clone(&active.speaker);
        let told = active.purpose != Purpose::Handshake;
        // While a stream is waited for to be taken up, the server works on.
        let (request_id, exchange) = match (&active.current, &active.again) {
            (Some(attempt), _) => (attempt.request_id, Some(attempt.exchange)),
            (None, Some(again)) => (again.known_request(), None),
            (None, None) => return,
        };
        self.end_attempt(operation, outcome);
        if let (Some(exchange), Some(link)) = (
            exchange,
            self.connections
                .get(&connection)
                .and_then(|connection| connection.link.as_ref()),
        ) {
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
        let end = match finish {
            Finish::Complete => OperationEnd::Complete,
            Finish::ToolError => OperationEnd::ToolError,
            Finish::RpcError { code, message } => OperationEnd::Failed {
                brief: format!("error {code}"),
                message,
                hint: self.active.get_mut(&operation).and_then(|active| {
                    (active.note.take()).or_else(|| refusals::hint(code, &active.method))
                }),
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
        self.end_operation(operation, end);
    }

    /// Ends an operation in any way that there is.
    pub(super) fn end_operation(&mut self, operation: OperationId, end: OperationEnd) {
        let Some(mut active) = self.active.remove(&operation) else {
            return;
        };
        self.flow_left(operation, &active, &end);
        self.browser_over(operation, Self::browser_outcome(&end));
        self.withdraw_prompts(operation);
        self.task_left(&active, &end);
        self.sign_in_without(operation);
        self.listened(active.connection, operation, end == OperationEnd::Cancelled);
        self.task_over(operation);
        if let Purpose::List(kind) = active.purpose {
            self.listed(active.connection, kind, operation, &end);
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
                was_heard: self
                    .connections
                    .get(&active.connection)
                    .is_none_or(|connection| connection.was_heard),
            });
        }
        if let Some(caller) = active.caller {
            caller.tell(operation, true);
        }
        for waiter in active.waiters {
            let _gone = waiter.send(());
        }
        if active.purpose == Purpose::List(ListKind::Tools) {
            self.call_again(active.connection);
            if let Some(server) = self
                .connections
                .get(&active.connection)
                .map(|connection| connection.server.clone())
            {
                self.release(&server);
            }
        }
    }

    /// Answers when the call has ended, or has taken as long as its caller waits for that: one answer, so that a call
    /// which ends at once wakes its caller once.
    pub(super) fn await_call(
        &mut self,
        operation: OperationId,
        args: &CallToolArgs,
        answer: Answer<Called>,
    ) {
        let patience = Duration::from_millis(args.outcome_within_millis.into());
        let caller = Caller {
            until: Instant::now() + patience,
            answer,
        };
        match self.active.get_mut(&operation) {
            None => caller.tell(operation, true),
            Some(_) if patience.is_zero() => caller.tell(operation, false),
            Some(active) => {
                let until = caller.until;
                active.caller = Some(caller);
                self.wake_by(until);
            }
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
}

/// That a reply came whose id no request had.
fn wrong_id(who: &str, sent: u64, received: &str) -> String {
    format!("{who} sent a reply with the id {received}, but the request's id is {sent}.")
}

/// What to try about a reply with another id.
const WRONG_ID_HINT: &str = "A reply must carry its request's id; mend that in the server.";

/// A link's failure in the few words of a row.
pub(super) fn brief(error: &LinkError) -> &'static str {
    use client::error::LinkErrorKind as Kind;
    match error.kind {
        Kind::CommandNotFound => "command not found",
        Kind::CannotRun => "cannot be run",
        Kind::FolderNotFound => "folder not found",
        Kind::ProcessGone => "process ended",
        Kind::BadUrl => "bad URL",
        Kind::BadCaFile => "bad CA file",
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
