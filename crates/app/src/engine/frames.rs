//! Frames from servers: whose they are, what they are, and what follows from them.

mod belonging;

use std::borrow::Cow;

use client::report::ExchangeId;
use journal::event::{AttemptOutcome, ConnectionId, EventBody, EventSeq, FrameRole, OperationId};
use protocol::era::Era;
use protocol::operation::{Finish, Step};
use protocol::{retry, rules};
use serde::Deserialize;
use serde_json::value::RawValue;
use wire::frame::{Carrier, Direction, Frame};
use wire::message::{self, Id, IdMatch, Message, MessageKind, RpcError};

use super::ending::{WRONG_ID_HINT, wrong_id};
use super::no_reply::no_reply;
use super::operation::{Came, Purpose};
use super::retrying::Setback;
use super::state::{Engine, Place};

/// How much of a body that is no reply is kept for the error's text.
const UNREADABLE_KEPT: usize = 4096;
/// How much of a reply's id an error quotes.
const ID_CHARS: usize = 40;
/// How much of a notification's text a row shows.
const NOTE_CHARS: usize = 200;

/// The parameters of `notifications/progress` that are looked at.
#[derive(Deserialize)]
struct Progress<'a> {
    #[serde(borrow, rename = "progressToken")]
    token: &'a RawValue,
    #[serde(rename = "progress")]
    value: f64,
    total: Option<f64>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
}

/// The parameters of `notifications/message` that are looked at.
#[derive(Deserialize)]
struct Log<'a> {
    #[serde(borrow)]
    level: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl Engine {
    /// A line of stdout.
    pub(super) fn take_line(&mut self, connection: ConnectionId, frame: &Frame) {
        let bytes = frame.bytes.clone();
        let mended = message::mend(&bytes);
        let messages = messages(&bytes, mended.as_deref());
        self.take_messages(connection, None, frame, &messages);
    }

    /// A frame of an HTTP exchange.
    pub(super) fn take_http(&mut self, place: Place, exchange: ExchangeId, frame: &Frame) {
        let bytes = frame.bytes.clone();
        let payload = match frame.carrier {
            Carrier::SseEvent => wire::sse::data(&bytes),
            Carrier::Body | Carrier::Line => Some(Cow::Borrowed(&bytes[..])),
        };
        let Some(payload) = payload else {
            self.record_frame(place.connection, Some(place), frame, FrameRole::KeepAlive);
            self.restart_clock(place.operation);
            return;
        };
        if payload.is_empty() {
            // An event without data, as those that only give an id (2025-11-25 basic/transports § Sending Messages).
            self.record_frame(place.connection, Some(place), frame, FrameRole::KeepAlive);
            self.restart_clock(place.operation);
            return;
        }
        let mended = message::mend(&payload);
        let messages = messages(&payload, mended.as_deref());
        self.take_messages(place.connection, Some((place, exchange)), frame, &messages);
    }

    fn take_messages(
        &mut self,
        connection: ConnectionId,
        origin: Option<(Place, ExchangeId)>,
        frame: &Frame,
        messages: &[Message<'_>],
    ) {
        let Some(first) = messages.first() else {
            return;
        };
        let whose = self.whose(connection, origin, first);
        let mut role = self.role(connection, whose, origin, first);
        if messages.len() > 1
            && let FrameRole::Notification { text, .. } = &mut role
        {
            *text = Some(format!("a batch of {} messages", messages.len()));
        }
        // A request from the server opens an operation of its own, which the frame then belongs to.
        let served = match (&first.kind, &role) {
            (MessageKind::Request { method, .. }, FrameRole::Request { .. }) => {
                Some(self.open_operation(connection, method, Some("asked by the server")))
            }
            _ => None,
        };
        let place = served.map_or(whose, |operation| {
            Some(Place {
                connection,
                operation,
                round: 1,
                attempt: 1,
            })
        });
        if let Some(operation) = served {
            self.record(
                connection,
                Some(operation),
                EventBody::AttemptStarted {
                    round: 1,
                    attempt: 1,
                    request_id: first.kind.id().map(|id| id.token().to_owned()),
                    label: None,
                },
            );
        }
        let event = self.record_frame(connection, place, frame, role);
        for (index, message) in messages.iter().enumerate() {
            let whose = if index == 0 {
                whose
            } else {
                self.whose(connection, origin, message)
            };
            let served = served.filter(|_| index == 0);
            self.take_message(connection, whose, origin, served, message, event, frame);
        }
    }

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

    #[expect(
        clippy::too_many_arguments,
        reason = "one call, each of its own meaning"
    )]
    fn take_message(
        &mut self,
        connection: ConnectionId,
        whose: Option<Place>,
        origin: Option<(Place, ExchangeId)>,
        served: Option<OperationId>,
        message: &Message<'_>,
        event: EventSeq,
        frame: &Frame,
    ) {
        // Beside a call that happens to be the only one, a message over stdio may stand by guess; a log line without end
        // is no sign of life of that call.
        let is_known = origin.is_some()
            || matches!(&message.kind, MessageKind::Notification { method, .. } if method == "notifications/progress");
        if let Some(place) = whose.filter(|_| is_known) {
            self.restart_clock(place.operation);
        }
        let findings = message
            .problems
            .iter()
            .map(|problem| rules::envelope(&problem.what))
            .collect();
        self.record_findings(
            connection,
            whose.map(|place| place.operation),
            Some(event),
            findings,
        );
        match &message.kind {
            MessageKind::Result { .. } | MessageKind::Error { .. } => {
                let fit = self.reply_to(whose, origin, message);
                if let (Some(place), IdMatch::Exact | IdMatch::Loose) = (whose, fit) {
                    if fit == IdMatch::Loose {
                        self.note_loose_id(place, message, event);
                    }
                    match &message.kind {
                        MessageKind::Result { result, .. } => {
                            self.take_result(place, result, event);
                        }
                        MessageKind::Error { error, .. } => self.take_error(place, error),
                        _ => {}
                    }
                } else if let (Some(place), Some(id)) = (whose, message.kind.id()) {
                    self.take_stray(place, id);
                }
            }
            MessageKind::Notification { method, params } => {
                self.take_notification(connection, whose, method, *params, event);
            }
            MessageKind::Request { id, method, params } => {
                // The call for whose sake the server asks: that of the stream, or the only one that waits.
                let for_call = match origin {
                    Some((place, _)) => Some(place.operation),
                    None => self.only_waiting(connection),
                }
                .filter(|operation| self.active.contains_key(operation));
                match (served, self.era_of(connection)) {
                    (Some(operation), _) => {
                        self.serve(connection, operation, for_call, (*id, method, *params));
                    }
                    (None, Some(Era::Modern)) => {
                        let finding = rules::server_request_in_modern_era(method);
                        self.record_findings(
                            connection,
                            whose.map(|place| place.operation),
                            Some(event),
                            vec![finding],
                        );
                    }
                    // A further request of a batch.
                    (None, _) => {
                        let operation =
                            self.open_operation(connection, method, Some("asked by the server"));
                        self.serve(connection, operation, for_call, (*id, method, *params));
                    }
                }
            }
            MessageKind::NotProtocol { reason } => match origin {
                None => {
                    let finding = rules::stdout_not_protocol(reason);
                    self.record_findings(connection, None, Some(event), vec![finding]);
                }
                Some((place, exchange)) if self.waits_for(place.operation, exchange) => {
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
                Some(_) => {}
            },
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
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        // A reply to a request that is waited for no more is late, which is no fault.
        let Some(attempt) = active.current.as_mut().filter(|_| !was_sent) else {
            return;
        };
        let token: String = id.token().chars().take(ID_CHARS).collect();
        let sent = attempt.request_id.unwrap_or_default();
        attempt.stray_id = Some(token.clone());
        // In a handshake nothing else can be meant, so nothing better will come; over HTTP the exchange ends it.
        if active.purpose == Purpose::Handshake && self.is_stdio(place.connection) {
            let message = wrong_id("The server", sent, &token);
            let hint = Some(WRONG_ID_HINT.to_owned());
            if let Some(active) = self.active.get_mut(&place.operation) {
                active.came.get_or_insert(Came::WrongId {
                    message: message.clone(),
                    hint: hint.clone(),
                });
            }
            self.fail(place.operation, "wrong id", message, hint);
        }
    }

    fn take_result(&mut self, place: Place, result: &RawValue, event: EventSeq) {
        let result_type = wire::object::get(result, "resultType")
            .and_then(wire::object::string)
            .map_or_else(|| "complete".to_owned(), Cow::into_owned);
        self.end_attempt(place.operation, AttemptOutcome::Result { result_type });
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        if active.ender.is_some() {
            active.came = Some(Came::Result(result.to_owned()));
        }
        let purpose = active.purpose;
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
        if purpose == Purpose::ListTools
            && is_shown
            && let Some(problem) = self.tools_page(place.connection, place.operation, result)
        {
            // A list that cannot be read is not an empty one.
            let finish = Finish::Failed {
                brief: "no list".to_owned(),
                message: format!("tools/list was answered without a list: {problem}"),
                hint: Some("Look at the row's response for what the server said.".to_owned()),
            };
            self.finish(place.operation, finish);
            return;
        }
        self.advance(place.operation, step);
    }

    fn take_error(&mut self, place: Place, error: &RpcError) {
        self.end_attempt(
            place.operation,
            AttemptOutcome::RpcError {
                code: error.code,
                message: self.redacted_text(error.message.clone()),
            },
        );
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
        let Some(active) = self.active.get_mut(&place.operation) else {
            return;
        };
        let step = match &mut active.machine {
            Some(machine) => machine.on_error(error),
            None => Step::Finished(Finish::Complete),
        };
        self.advance(place.operation, step);
    }

    fn take_notification(
        &mut self,
        connection: ConnectionId,
        whose: Option<Place>,
        method: &str,
        params: Option<&RawValue>,
        event: EventSeq,
    ) {
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
            "notifications/tools/list_changed" => self.tools_changed(connection),
            "notifications/cancelled" => {
                if let Some(id) = params.and_then(|params| wire::object::get(params, "requestId")) {
                    self.served_no_more(connection, id.get());
                }
            }
            _ => {}
        }
    }
}

/// The messages in these bytes, or in what could be made of them.
fn messages<'a>(bytes: &'a [u8], mended: Option<&'a [u8]>) -> Vec<Message<'a>> {
    let mut messages = message::read(mended.unwrap_or(bytes)).into_messages();
    if let Some(first) = messages.first_mut().filter(|_| mended.is_some()) {
        first.problems.push(message::Problem {
            what: "it holds bytes that are not UTF-8, which were read as \u{fffd}".to_owned(),
        });
    }
    messages
}

/// What a notification's row says beside its method.
fn note_text(method: &str, params: Option<&RawValue>) -> Option<String> {
    let params = params?;
    let text = match method {
        "notifications/progress" => {
            let progress = serde_json::from_str::<Progress<'_>>(params.get()).ok()?;
            let mut text = progress.value.to_string();
            if let Some(total) = progress.total {
                text = format!("{text} of {total}");
            }
            match progress.message {
                Some(message) if !message.is_empty() => format!("{text} · {message}"),
                _ => text,
            }
        }
        "notifications/message" => {
            let log = serde_json::from_str::<Log<'_>>(params.get()).ok()?;
            let data = log.data.map(|data| {
                wire::object::string(data).map_or_else(|| data.get().to_owned(), Cow::into_owned)
            });
            [log.level.map(Cow::into_owned), data]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" · ")
        }
        "notifications/resources/updated" => wire::object::get(params, "uri")
            .and_then(wire::object::string)?
            .into_owned(),
        _ => return None,
    };
    Some(match text.char_indices().nth(NOTE_CHARS) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    })
}
