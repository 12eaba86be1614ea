//! Frames from servers: whose they are, what they are, and what follows from them.

use std::borrow::Cow;

use client::report::ExchangeId;
use journal::event::{AttemptOutcome, ConnectionId, EventBody, EventSeq, FrameRole, OperationId};
use protocol::era::Era;
use protocol::findings::Finding;
use protocol::operation::{Finish, Step};
use protocol::rules;
use serde::Deserialize;
use serde_json::value::RawValue;
use wire::frame::{Carrier, Direction, Frame};
use wire::message::{self, Id, IdMatch, Message, MessageKind, RpcError};

use super::operation::{Came, Purpose};
use super::state::{Engine, Place};

/// How much of a body that is no reply is kept for the error's text.
const UNREADABLE_KEPT: usize = 4096;
/// How much of a notification's text a row shows.
const NOTE_CHARS: usize = 200;

/// The parameters of `notifications/progress` that are looked at.
#[derive(Deserialize)]
struct Progress<'a> {
    #[serde(borrow, rename = "progressToken")]
    token: &'a RawValue,
    progress: f64,
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
    pub(super) fn take_line(&mut self, connection: ConnectionId, frame: Frame) {
        let bytes = frame.bytes.clone();
        let reading = message::read(&bytes);
        self.take_messages(connection, None, frame, reading.messages());
    }

    /// A frame of an HTTP exchange.
    pub(super) fn take_http(&mut self, place: Place, exchange: ExchangeId, frame: Frame) {
        let bytes = frame.bytes.clone();
        let payload = match frame.carrier {
            Carrier::SseEvent => match wire::sse::data(&bytes) {
                Some(data) => data,
                None => {
                    self.record_frame(place.connection, Some(place), &frame, FrameRole::KeepAlive);
                    self.restart_clock(place.operation);
                    return;
                }
            },
            Carrier::Body | Carrier::Line => Cow::Borrowed(&bytes[..]),
        };
        if payload.is_empty() {
            return;
        }
        let reading = message::read(&payload);
        self.take_messages(
            place.connection,
            Some((place, exchange)),
            frame,
            reading.messages(),
        );
    }

    fn take_messages(
        &mut self,
        connection: ConnectionId,
        origin: Option<(Place, ExchangeId)>,
        frame: Frame,
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
        let event = self.record_frame(connection, place, &frame, role);
        for (index, message) in messages.iter().enumerate() {
            let whose = if index == 0 {
                whose
            } else {
                self.whose(connection, origin, message)
            };
            let served = served.filter(|_| index == 0);
            self.take_message(connection, whose, origin, served, message, event, &frame);
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

    /// Which operation a message belongs to.
    fn whose(
        &self,
        connection: ConnectionId,
        origin: Option<(Place, ExchangeId)>,
        message: &Message<'_>,
    ) -> Option<Place> {
        if let Some((place, _)) = origin {
            return Some(place);
        }
        let operation = match &message.kind {
            MessageKind::Result { id, .. } | MessageKind::Error { id: Some(id), .. } => {
                // A reply to nothing is shown beside the call that waits, when only one does.
                self.pending(connection, *id)
                    .or_else(|| self.only_waiting(connection))
            }
            MessageKind::Notification { method, params } if method == "notifications/progress" => {
                params
                    .and_then(|params| serde_json::from_str::<Progress<'_>>(params.get()).ok())
                    .and_then(|progress| self.pending(connection, Id(progress.token.get())))
            }
            MessageKind::Notification { method, .. } if method == "notifications/message" => {
                self.only_waiting(connection)
            }
            MessageKind::Error { id: None, .. } => self.only_waiting(connection),
            _ => None,
        }?;
        self.place_of(operation)
    }

    fn place_of(&self, operation: OperationId) -> Option<Place> {
        let active = self.active.get(&operation)?;
        Some(Place {
            connection: active.connection,
            operation,
            round: active.round,
            attempt: active.current.as_ref().map_or(1, |attempt| attempt.attempt),
        })
    }

    /// The operation that waits for a reply with this id.
    fn pending(&self, connection: ConnectionId, id: Id<'_>) -> Option<OperationId> {
        let pending = &self.connections.get(&connection)?.pending;
        if let Some(id) = id.as_u64_exact() {
            return pending.get(&id).copied();
        }
        // `"7"` or `7.0` for 7 is rare, and few wait at a time.
        pending
            .iter()
            .find(|(sent, _)| id.matches(**sent) != IdMatch::No)
            .map(|(_, operation)| *operation)
    }

    fn only_waiting(&self, connection: ConnectionId) -> Option<OperationId> {
        let pending = &self.connections.get(&connection)?.pending;
        match pending.len() {
            1 => pending.values().next().copied(),
            _ => None,
        }
    }

    fn role(
        &self,
        connection: ConnectionId,
        whose: Option<Place>,
        origin: Option<(Place, ExchangeId)>,
        message: &Message<'_>,
    ) -> FrameRole {
        match &message.kind {
            MessageKind::Result { .. } | MessageKind::Error { .. } => {
                match self.reply_to(whose, origin, message) {
                    IdMatch::No => FrameRole::Orphan,
                    IdMatch::Exact | IdMatch::Loose => FrameRole::Reply,
                }
            }
            MessageKind::Notification { method, params } => FrameRole::Notification {
                method: method.to_string(),
                text: note_text(method, *params).map(|text| self.redacted_text(text)),
            },
            MessageKind::Request { method, .. } => match self.era_of(connection) {
                Some(Era::Modern) => FrameRole::NotProtocol {
                    problem: format!(
                        "the server sent the request {method}, which this revision does not have"
                    ),
                },
                _ => FrameRole::Request {
                    method: method.to_string(),
                },
            },
            MessageKind::NotProtocol { reason } => FrameRole::NotProtocol {
                problem: reason.to_string(),
            },
        }
    }

    fn era_of(&self, connection: ConnectionId) -> Option<Era> {
        self.connections
            .get(&connection)?
            .speaker
            .as_ref()
            .map(|speaker| speaker.era)
    }

    /// How a reply's id fits the request that the operation waits for.
    fn reply_to(
        &self,
        whose: Option<Place>,
        origin: Option<(Place, ExchangeId)>,
        message: &Message<'_>,
    ) -> IdMatch {
        let waiting = whose
            .and_then(|place| self.active.get(&place.operation))
            .and_then(|active| active.current.as_ref());
        let Some(attempt) = waiting else {
            return IdMatch::No;
        };
        if origin.is_some_and(|(_, exchange)| attempt.exchange != exchange) {
            return IdMatch::No;
        }
        let Some(sent) = attempt.request_id else {
            return IdMatch::No;
        };
        match (&message.kind, origin) {
            (MessageKind::Result { id, .. } | MessageKind::Error { id: Some(id), .. }, _) => {
                id.matches(sent)
            }
            // An error without an id answers its HTTP request: the server could not read the id.
            (MessageKind::Error { id: None, .. }, Some(_)) => IdMatch::Exact,
            _ => IdMatch::No,
        }
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
        if let Some(place) = whose {
            self.restart_clock(place.operation);
        }
        match &message.kind {
            MessageKind::Result { .. } | MessageKind::Error { .. } => {
                let fit = self.reply_to(whose, origin, message);
                if let (Some(place), IdMatch::Exact | IdMatch::Loose) = (whose, fit) {
                    if fit == IdMatch::Loose {
                        self.note_loose_id(place, message, event);
                    }
                    match &message.kind {
                        MessageKind::Result { result, .. } => {
                            self.take_result(place, result, event)
                        }
                        MessageKind::Error { error, .. } => self.take_error(place, error),
                        _ => {}
                    }
                }
            }
            MessageKind::Notification { method, params } => {
                self.take_notification(connection, whose, method, *params, event)
            }
            MessageKind::Request { id, method, params } => {
                match (served, self.era_of(connection)) {
                    (Some(operation), _) => self.serve(connection, operation, *id, method, *params),
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
                        self.serve(connection, operation, *id, method, *params);
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
        let era = active.speaker.era;
        let purpose = active.purpose;
        let (step, findings) = match &mut active.machine {
            Some(machine) => machine.on_result(result),
            None => (Step::Finished(Finish::Complete), Vec::new()),
        };
        // What only the modern era asks for is no fault in a legacy reply.
        let findings: Vec<Finding> = if era == Era::Modern {
            findings
        } else {
            Vec::new()
        };
        self.record_findings(
            place.connection,
            Some(place.operation),
            Some(event),
            findings,
        );
        if purpose == Purpose::ListTools {
            self.tools_page(place.connection, place.operation, result);
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
                let before = active.last_progress.replace(progress.progress);
                let fault = before
                    .filter(|_| !active.progress_fault_seen)
                    .and_then(|before| rules::progress_not_increasing(before, progress.progress));
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
            _ => {}
        }
    }
}

/// What a notification's row says beside its method.
fn note_text(method: &str, params: Option<&RawValue>) -> Option<String> {
    let params = params?;
    let text = match method {
        "notifications/progress" => {
            let progress = serde_json::from_str::<Progress<'_>>(params.get()).ok()?;
            let mut text = progress.progress.to_string();
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
