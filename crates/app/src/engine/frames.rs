//! Frames from servers: whose they are, what they are, and what follows from them.

mod belonging;
mod coming;

use std::time::Duration;

use client::clock::now_micros;
use client::report::ExchangeId;
use journal::event::{AttemptOutcome, ConnectionId, EventBody, EventSeq, FrameRole};
use protocol::operation::{Finish, Step};
use protocol::{retry, rules};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;
use wire::frame::{Carrier, Direction, Frame};
use wire::message::{Id, IdMatch, Message, MessageKind, RpcError};

use super::cached;
use super::no_reply::no_reply;
use super::operation::{Active, Came, Purpose};
use super::retrying::Setback;
use super::sessions::{DEVIATION, METHOD_NOT_FOUND, RECONNECT_HINT, deviates};
use super::state::{Engine, Place};

/// How much of a body that is no reply is kept for the error's text.
const UNREADABLE_KEPT: usize = 4096;
/// How much of a reply's id an error quotes.
const ID_CHARS: usize = 40;
/// How long a handshake still waits for its reply when one with another id has come.
const STRAY_LIMIT: Duration = Duration::from_secs(1);

/// The parameters of `notifications/progress` that are looked at.
#[derive(Deserialize)]
struct Progress<'a> {
    #[serde(borrow, rename = "progressToken")]
    token: &'a RawValue,
    #[serde(rename = "progress")]
    value: f64,
}

/// Where a frame came from, which decides whose its messages can be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// The process's stdout, where everything comes.
    Stdout,
    /// The answer to one exchange: what comes there is about its request.
    Exchange(Place, ExchangeId),
    /// A stream that no request opened, with an operation of its own.
    Stream {
        /// The stream's own place.
        place: Place,
        /// HTTP+SSE: all replies come there.
        carries_replies: bool,
    },
}

impl Source {
    /// Where a message stands that belongs to no other operation.
    fn home(self) -> Option<Place> {
        match self {
            Source::Stdout => None,
            Source::Exchange(place, _) | Source::Stream { place, .. } => Some(place),
        }
    }
}

impl Engine {
    fn record_frame(
        &mut self,
        connection: ConnectionId,
        place: Option<Place>,
        frame: &Frame,
        role: FrameRole,
    ) -> EventSeq {
        self.record_at(
            frame.at_micros,
            connection,
            place.map(|place| place.operation),
            EventBody::Frame {
                direction: Direction::Received,
                carrier: frame.carrier,
                round: place.map_or(0, |place| place.round),
                attempt: place.map_or(0, |place| place.attempt),
                role,
                bytes: frame.bytes.clone(),
            },
        )
    }

    fn take_message(
        &mut self,
        connection: ConnectionId,
        source: Source,
        frame: &Frame,
        message: &Message<'_>,
    ) {
        let whose = self.whose(connection, source, message);
        self.learn_state(whose, message);
        let role = self.role(connection, whose, source, message);
        if let (MessageKind::Request { id, method, params }, FrameRole::Request { .. }) =
            (&message.kind, &role)
        {
            self.take_request(connection, source, frame, message, (*id, method, *params));
            return;
        }
        let event = self.record_frame(connection, whose, frame, role);
        // Beside a call that happens to be the only one, a message may stand by guess; a log line without end is no
        // sign of life of that call.
        let is_known = matches!(source, Source::Exchange(..))
            || matches!(&message.kind, MessageKind::Notification { method, .. } if method == "notifications/progress");
        if let Some(place) = whose.filter(|_| is_known) {
            self.restart_clock(place.operation);
        }
        let operation = whose.map(|place| place.operation);
        self.record_findings(connection, operation, Some(event), envelope(message));
        match &message.kind {
            MessageKind::Result { .. } | MessageKind::Error { .. } => {
                self.take_reply(whose, source, frame, message, event);
            }
            MessageKind::Notification { method, params } => {
                self.take_notification(connection, whose, method, *params, event);
            }
            // Only the modern era leaves a request unserved.
            MessageKind::Request { method, .. } => {
                let finding = rules::server_request_in_modern_era(method);
                self.record_findings(connection, operation, Some(event), vec![finding]);
            }
            MessageKind::NotProtocol { reason } => match source {
                Source::Stdout => {
                    let finding = rules::stdout_not_protocol(reason);
                    self.record_findings(connection, None, Some(event), vec![finding]);
                }
                Source::Exchange(place, exchange) if self.waits_for(place.operation, exchange) => {
                    if let Some(attempt) = self
                        .active
                        .get_mut(&place.operation)
                        .and_then(|active| active.current.as_mut())
                    {
                        let kept = frame.bytes.len().min(UNREADABLE_KEPT);
                        attempt
                            .unreadable
                            .get_or_insert_with(|| frame.bytes.slice(..kept));
                    }
                }
                Source::Exchange(..) | Source::Stream { .. } => {}
            },
        }
    }

    /// A request from the server opens an operation of its own, which its frame belongs to.
    fn take_request(
        &mut self,
        connection: ConnectionId,
        source: Source,
        frame: &Frame,
        message: &Message<'_>,
        (id, method, params): (Id<'_>, &str, Option<&RawValue>),
    ) {
        let role = FrameRole::Request {
            method: method.to_owned(),
        };
        let operation = self.open_operation(connection, method, Some("asked by the server"));
        self.record(
            connection,
            Some(operation),
            EventBody::AttemptStarted {
                round: 1,
                attempt: 1,
                request_id: Some(id.token().to_owned()),
                label: None,
            },
        );
        let place = Place {
            connection,
            operation,
            round: 1,
            attempt: 1,
        };
        let event = self.record_frame(connection, Some(place), frame, role);
        // The call for whose sake the server asks: that of the task it names, or of the stream, or the only one that waits.
        let of_task = params
            .and_then(protocol::tasks::related_task)
            .and_then(|task| self.follower(connection, &task));
        let for_call = match source {
            _ if of_task.is_some() => of_task,
            Source::Exchange(place, _) => Some(place.operation),
            Source::Stdout | Source::Stream { .. } => self.only_waiting(connection),
        }
        .filter(|operation| self.active.contains_key(operation));
        if let Some(call) = for_call {
            self.restart_clock(call);
        }
        let findings = envelope(message);
        self.record_findings(connection, Some(operation), Some(event), findings);
        self.serve(connection, operation, for_call, (id, method, params));
    }

    fn take_reply(
        &mut self,
        whose: Option<Place>,
        source: Source,
        frame: &Frame,
        message: &Message<'_>,
        event: EventSeq,
    ) {
        let fit = self.reply_to(whose, source, message);
        let (Some(place), IdMatch::Exact | IdMatch::Loose) = (whose, fit) else {
            if let (Some(place), Some(id)) = (whose, message.kind.id()) {
                self.take_stray(place, id);
            }
            return;
        };
        if fit == IdMatch::Loose {
            self.note_loose_id(place, message, event);
        }
        match source {
            Source::Stream {
                carries_replies: false,
                ..
            } => self.record_findings(
                place.connection,
                Some(place.operation),
                Some(event),
                vec![rules::response_on_session_stream()],
            ),
            Source::Exchange(_, exchange) if frame.carrier == Carrier::SseEvent => {
                self.expect_end(place, exchange);
            }
            _ => {}
        }
        match &message.kind {
            MessageKind::Result { result, .. } => self.take_result(place, result, event),
            MessageKind::Error { error, .. } => self.take_error(place, error),
            _ => {}
        }
    }

    fn note_loose_id(&mut self, place: Place, message: &Message<'_>, event: EventSeq) {
        let sent = self
            .active
            .get(&place.operation)
            .and_then(|active| active.current.as_ref())
            .and_then(|attempt| attempt.request_id)
            .unwrap_or_default();
        if let Some(id) = message.kind.id() {
            let finding = rules::id_type_changed(&sent.to_string(), id.token());
            self.record_findings(
                place.connection,
                Some(place.operation),
                Some(event),
                vec![finding],
            );
        }
    }

    /// A reply came with an id that no request had, while this operation waits for its own.
    fn take_stray(&mut self, place: Place, id: Id<'_>) {
        let was_sent = id.as_u64_exact().is_some_and(|id| {
            self.connections
                .get(&place.connection)
                .is_some_and(|connection| connection.has_sent(id))
        });
        let is_stdio = self.is_stdio(place.connection);
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        // A reply to a request that is waited for no more is late, which is no fault.
        let Some(attempt) = active.current.as_mut().filter(|_| !was_sent) else {
            return;
        };
        let token: String = id.token().chars().take(ID_CHARS).collect();
        attempt.stray_id = Some(token);
        // In a handshake hardly anything else can be meant, unless the server spoke before it was asked; over HTTP the
        // exchange's end tells.
        if active.purpose == Purpose::Handshake && is_stdio {
            attempt.deadline = attempt.deadline.min(Instant::now() + STRAY_LIMIT);
        }
    }

    fn take_result(&mut self, place: Place, result: &RawValue, event: EventSeq) {
        let result_type = self
            .active
            .get(&place.operation)
            .and_then(|active| active.machine.as_ref())
            .map_or_else(
                || "complete".to_owned(),
                |machine| self.redacted_text(machine.word_for(result)),
            );
        self.end_attempt(place.operation, AttemptOutcome::Result { result_type });
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        if active.ender.is_some() {
            active.came = Some(Came::Result(result.to_owned()));
        }
        let purpose = active.purpose;
        let asked = cached::asked(active);
        let received_micros = now_micros();
        let (step, findings) = match &mut active.machine {
            Some(machine) => machine.on_result(result),
            None => (Step::Finished(Finish::Complete), Vec::new()),
        };
        self.record_findings(
            place.connection,
            Some(place.operation),
            Some(event),
            findings,
        );
        let is_shown = !matches!(step, Step::Ask(_) | Step::Wait { .. });
        if let Some(asked) = asked.filter(|_| is_shown) {
            self.keep_answer(place.connection, &asked, result, (event, received_micros));
        }
        if let Purpose::List(kind) = purpose
            && is_shown
            && let Some(problem) = self.list_page(place, kind, result, received_micros)
        {
            // A list that cannot be read is not an empty one.
            let finish = Finish::Failed {
                brief: "no list".to_owned(),
                message: format!("{} was answered without a list: {problem}", kind.method()),
                hint: Some("Look at the row's response for what the server said.".to_owned()),
            };
            self.finish(place.operation, finish);
            return;
        }
        self.advance(place.operation, step);
    }

    fn take_error(&mut self, place: Place, error: &RpcError) {
        let outcome = AttemptOutcome::RpcError {
            code: error.code,
            message: self.redacted_text(error.message.clone()),
        };
        let is_composed = |active: &Active| active.purpose == Purpose::Composed;
        if self.active.get(&place.operation).is_some_and(is_composed) {
            // An answer to what the person wrote, and nothing to be put right.
            self.end_attempt(place.operation, outcome);
            let finish = Finish::RpcError {
                code: error.code,
                message: error.message.clone(),
            };
            self.finish(place.operation, finish);
            return;
        }
        let status = self
            .active
            .get(&place.operation)
            .and_then(|active| active.http_status)
            .filter(|_| self.is_in_session(place.connection));
        // 2025-11-25 basic/transports § Session Management: 404 says that the session is over.
        if status == Some(404)
            && error.code != METHOD_NOT_FOUND
            && self.session_lost(place.operation, outcome.clone())
        {
            return;
        }
        if self.let_in_after(place, error) {
            return;
        }
        self.end_attempt(place.operation, outcome);
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        if active.ender.is_some() {
            active.came = Some(Came::Error(error.clone()));
        }
        // Whatever the server calls it: what a person can do about it is to sign in.
        if let Some(status @ (401 | 403)) = active.http_status {
            let address = self.address_of(place.connection);
            let failure = no_reply(status, None, Some(error.message.as_bytes()), &address);
            self.fail(
                place.operation,
                &failure.brief,
                failure.message,
                failure.hint,
            );
            return;
        }
        if let Some(status) = active
            .http_status
            .filter(|status| retry::is_passing(*status))
        {
            let address = self.address_of(place.connection);
            let failure = no_reply(status, None, Some(error.message.as_bytes()), &address);
            let setback = Setback {
                brief: failure.brief,
                message: failure.message,
                hint: failure.hint,
            };
            match self.retry(place.operation, &setback) {
                Ok(()) => return,
                Err(why) => {
                    if let Some(active) = self.active.get_mut(&place.operation) {
                        active.note = why;
                    }
                }
            }
        }
        if self.put_right(place, error) || self.links_required(place, error) {
            return;
        }
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        let is_handshake = active.purpose == Purpose::Handshake;
        if status.is_some_and(|status| deviates(status, &error.message)) && !is_handshake {
            self.note_deviation(place);
            self.fail(
                place.operation,
                &format!("error {}", error.code),
                format!("{}. {DEVIATION}", error.message.trim_end_matches('.')),
                Some(RECONNECT_HINT.to_owned()),
            );
            return;
        }
        let step = match &mut active.machine {
            Some(machine) => machine.on_error(error),
            None => Step::Finished(Finish::Complete),
        };
        self.advance(place.operation, step);
    }

    /// Whatever the server calls it: a refusal by its status may be one that a sign-in answers.
    fn let_in_after(&mut self, place: Place, error: &RpcError) -> bool {
        let status = self
            .active
            .get(&place.operation)
            .and_then(|active| active.http_status);
        let Some(status @ (401 | 403)) = status else {
            return false;
        };
        let address = self.address_of(place.connection);
        let failure = no_reply(status, None, Some(error.message.as_bytes()), &address);
        let setback = Setback {
            brief: failure.brief,
            message: failure.message,
            hint: failure.hint,
        };
        self.let_in(place.operation, status, &setback)
    }

    fn take_notification(
        &mut self,
        connection: ConnectionId,
        whose: Option<Place>,
        method: &str,
        params: Option<&RawValue>,
        event: EventSeq,
    ) {
        if let Some(place) = whose
            && self.listens.contains_key(&place.operation)
        {
            self.subscription_told(connection, place.operation, (method, params), event);
        }
        match method {
            "notifications/progress" => {
                let (Some(place), Some(progress)) = (
                    whose,
                    params
                        .and_then(|params| serde_json::from_str::<Progress<'_>>(params.get()).ok()),
                ) else {
                    return;
                };
                let Some(active) = self.active.get_mut(&place.operation) else {
                    return;
                };
                let before = active.last_progress.replace(progress.value);
                let fault = before
                    .filter(|_| !active.progress_fault_seen)
                    .and_then(|before| rules::progress_not_increasing(before, progress.value));
                if let Some(finding) = fault {
                    active.progress_fault_seen = true;
                    self.record_findings(
                        connection,
                        Some(place.operation),
                        Some(event),
                        vec![finding],
                    );
                }
            }
            protocol::elicitation::COMPLETE => self.link_completed(connection, params),
            "notifications/resources/updated" => self.resource_updated(connection, params),
            "notifications/tasks" | "notifications/tasks/status" => {
                self.task_told(connection, params, event);
            }
            "notifications/cancelled" => {
                if let Some(id) = params.and_then(|params| wire::object::get(params, "requestId")) {
                    self.served_no_more(connection, id.get());
                }
            }
            other => self.lists_changed(connection, other),
        }
    }
}

/// What is wrong with a message's envelope.
fn envelope(message: &Message<'_>) -> Vec<protocol::findings::Finding> {
    message
        .problems
        .iter()
        .map(|problem| rules::envelope(&problem.what))
        .collect()
}
