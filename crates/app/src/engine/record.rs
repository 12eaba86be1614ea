//! Writing to the journal. Every event passes here, and with it the redactor.

use std::borrow::Cow;

use bytes::Bytes;
use client::clock::now_micros;
use journal::event::{ConnectionId, Event, EventBody, EventSeq, OperationEnd, OperationId};
use protocol::findings::Finding;
use wire::http::Header;

use super::state::Engine;

impl Engine {
    /// Appends an event that happened now.
    pub(super) fn record(
        &mut self,
        connection: ConnectionId,
        operation: Option<OperationId>,
        body: EventBody,
    ) -> EventSeq {
        self.record_at(now_micros(), connection, operation, body)
    }

    /// Appends an event that happened at `at_micros`.
    pub(super) fn record_at(
        &mut self,
        at_micros: u64,
        connection: ConnectionId,
        operation: Option<OperationId>,
        body: EventBody,
    ) -> EventSeq {
        let body = self.redacted(body);
        self.publisher.timeline_changed();
        self.journal.write().append(Event {
            at_micros,
            connection,
            operation,
            body,
        })
    }

    /// Appends findings, each seen in `event`.
    pub(super) fn record_findings(
        &mut self,
        connection: ConnectionId,
        operation: Option<OperationId>,
        event: Option<EventSeq>,
        findings: Vec<Finding>,
    ) {
        for finding in findings {
            self.record(
                connection,
                operation,
                EventBody::FindingSeen { finding, event },
            );
        }
    }

    fn redacted(&self, body: EventBody) -> EventBody {
        if self.redactor.is_empty() {
            return body;
        }
        match body {
            EventBody::Frame {
                direction,
                carrier,
                round,
                attempt,
                role,
                bytes,
            } => EventBody::Frame {
                direction,
                carrier,
                round,
                attempt,
                role,
                bytes: self.redacted_bytes(bytes),
            },
            EventBody::Stderr { bytes } => EventBody::Stderr {
                bytes: self.redacted_bytes(bytes),
            },
            EventBody::HttpRequest {
                round,
                attempt,
                mut head,
                body_byte_len,
            } => {
                head.url = self.redacted_text(head.url);
                self.redact_headers(&mut head.headers);
                EventBody::HttpRequest {
                    round,
                    attempt,
                    head,
                    body_byte_len,
                }
            }
            EventBody::HttpResponse {
                round,
                attempt,
                mut head,
            } => {
                self.redact_headers(&mut head.headers);
                EventBody::HttpResponse {
                    round,
                    attempt,
                    head,
                }
            }
            EventBody::HttpEnded {
                round,
                attempt,
                body_byte_len,
                error,
            } => EventBody::HttpEnded {
                round,
                attempt,
                body_byte_len,
                error: error.map(|error| self.redacted_text(error)),
            },
            EventBody::ProcessStarted {
                pid,
                command,
                folder,
            } => EventBody::ProcessStarted {
                pid,
                command: command
                    .into_iter()
                    .map(|word| self.redacted_text(word))
                    .collect(),
                folder,
            },
            EventBody::ConnectionOpened {
                server_name,
                transport,
                address,
            } => EventBody::ConnectionOpened {
                server_name,
                transport,
                address: self.redacted_text(address),
            },
            EventBody::ConnectionClosed { reason } => EventBody::ConnectionClosed {
                reason: self.redacted_text(reason),
            },
            EventBody::OperationEnded(OperationEnd::Failed {
                brief,
                message,
                hint,
            }) => EventBody::OperationEnded(OperationEnd::Failed {
                brief,
                message: self.redacted_text(message),
                hint,
            }),
            EventBody::PromptOpened {
                prompt,
                round,
                key,
                method,
                message,
            } => EventBody::PromptOpened {
                prompt,
                round,
                key,
                method,
                message: self.redacted_text(message),
            },
            other => other,
        }
    }

    fn redact_headers(&self, headers: &mut [Header]) {
        for header in headers {
            header.value = self.redacted_text(std::mem::take(&mut header.value));
        }
    }

    fn redacted_bytes(&self, bytes: Bytes) -> Bytes {
        match self.redactor.redact(&bytes) {
            Cow::Borrowed(_) => bytes,
            Cow::Owned(redacted) => Bytes::from(redacted),
        }
    }

    /// The text with each known secret replaced by its name.
    pub(super) fn redacted_text(&self, text: String) -> String {
        match self.redactor.redact(text.as_bytes()) {
            Cow::Borrowed(_) => text,
            Cow::Owned(redacted) => String::from_utf8_lossy(&redacted).into_owned(),
        }
    }
}
