//! What comes: lines, bodies and events, down to the messages in them.

use bytes::Bytes;
use client::report::ExchangeId;
use journal::event::{ConnectionId, FrameRole};
use protocol::rules;
use wire::frame::{Carrier, Frame};
use wire::message::{self, Message, MessageKind, Reading};

use super::{ID_CHARS, Source};
use crate::engine::state::{Engine, Place};

impl Engine {
    /// A line of stdout.
    pub(in crate::engine) fn take_line(&mut self, connection: ConnectionId, frame: &Frame) {
        let bytes = frame.bytes.clone();
        self.take_payload(connection, Source::Stdout, frame, &bytes);
    }

    /// A frame of an HTTP exchange.
    pub(in crate::engine) fn take_http(
        &mut self,
        place: Place,
        exchange: ExchangeId,
        frame: &Frame,
    ) {
        let bytes = frame.bytes.clone();
        let source = self.source_of(place, exchange);
        match frame.carrier {
            Carrier::SseEvent => self.take_event(place, exchange, source, frame, &bytes),
            Carrier::Body | Carrier::Line if self.only_acknowledges(place, exchange, &bytes) => {
                self.record_frame(place.connection, Some(place), frame, FrameRole::KeepAlive);
            }
            Carrier::Body | Carrier::Line => {
                self.take_payload(place.connection, source, frame, &bytes);
            }
        }
    }

    /// An event of a stream (WHATWG HTML § 9.2.6).
    fn take_event(
        &mut self,
        place: Place,
        exchange: ExchangeId,
        source: Source,
        frame: &Frame,
        bytes: &[u8],
    ) {
        let event = wire::sse::read(bytes);
        self.note_event(place.operation, exchange, &event);
        let connection = place.connection;
        if !event.is_whole {
            self.learn_broken(Some(place), bytes);
            let problem = "an event that the stream broke off in".to_owned();
            let role = FrameRole::NotProtocol { problem };
            let seen = self.record_frame(connection, Some(place), frame, role);
            // A stream that was left open is closed here, wherever it stands; that is not the server's doing.
            if !self.left_open.contains(&exchange) {
                let findings = vec![rules::event_cut_off()];
                self.record_findings(connection, Some(place.operation), Some(seen), findings);
            }
            return;
        }
        let Some(data) = event.data.filter(|data| !data.is_empty()) else {
            // A comment, or an event that only gives an id (2025-11-25 basic/transports § Sending Messages).
            self.record_frame(connection, Some(place), frame, FrameRole::KeepAlive);
            self.restart_clock(place.operation);
            return;
        };
        match event.event.as_deref() {
            None | Some("message") => self.take_payload(connection, source, frame, &data),
            Some("endpoint") if self.is_http_sse_stream(place.operation) => {
                let location = String::from_utf8_lossy(&data).trim().to_owned();
                let role = FrameRole::Notification {
                    method: "endpoint".to_owned(),
                    text: Some(self.redacted_text(location.clone())),
                };
                self.record_frame(connection, Some(place), frame, role);
                self.endpoint_named(place, &location);
            }
            Some(kind) => {
                // No client looks at events of other types; one that is a message all the same is a fault.
                let is_message = message::read(&data)
                    .messages()
                    .iter()
                    .any(|message| !matches!(message.kind, MessageKind::NotProtocol { .. }));
                let role = if is_message {
                    let kind: String = kind.chars().take(ID_CHARS).collect();
                    FrameRole::NotProtocol {
                        problem: format!("an event of the type {kind}; messages come as `message`"),
                    }
                } else {
                    FrameRole::KeepAlive
                };
                self.record_frame(connection, Some(place), frame, role);
                self.restart_clock(place.operation);
            }
        }
    }

    /// What may hold one message or several.
    fn take_payload(
        &mut self,
        connection: ConnectionId,
        source: Source,
        frame: &Frame,
        payload: &[u8],
    ) {
        let mended = message::mend(payload);
        let mut reading = message::read(mended.as_deref().unwrap_or(payload));
        if let (Some(first), true) = (reading.messages_mut().first_mut(), mended.is_some()) {
            first.problems.push(message::Problem {
                what: "it holds bytes that are not UTF-8, which were read as \u{fffd}".to_owned(),
            });
        }
        match reading {
            Reading::One(message) => self.take_message(connection, source, frame, &message),
            Reading::Batch(messages) => self.take_batch(connection, source, frame, &messages),
        }
    }

    /// A batch is recorded as it came; then each of its messages goes where it belongs (2025-03-26 basic § Batching).
    fn take_batch(
        &mut self,
        connection: ConnectionId,
        source: Source,
        frame: &Frame,
        messages: &[Message<'_>],
    ) {
        let len = u32::try_from(messages.len()).unwrap_or(u32::MAX);
        let home = source.home();
        for message in messages {
            let whose = self.whose(connection, source, message);
            self.learn_state(whose, message);
        }
        let event = self.record_frame(connection, home, frame, FrameRole::Batch { len });
        let finding = self
            .connections
            .get(&connection)
            .and_then(|connection| connection.speaker.as_ref())
            .and_then(|speaker| rules::batch_received(&speaker.revision));
        let operation = home.map(|place| place.operation);
        self.record_findings(
            connection,
            operation,
            Some(event),
            finding.into_iter().collect(),
        );
        for message in messages {
            let part = Frame {
                at_micros: frame.at_micros,
                carrier: match source {
                    Source::Stdout => Carrier::Line,
                    Source::Exchange(..) | Source::Stream { .. } => Carrier::Body,
                },
                bytes: Bytes::copy_from_slice(message.text.as_bytes()),
            };
            self.take_message(connection, source, &part, message);
        }
    }
}
