//! Writing to the journal. Every event passes here, and with it the redactor.

use client::clock::now_micros;
use journal::event::{ConnectionId, Event, EventBody, EventSeq, OperationId};
use protocol::findings::Finding;

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
        mut body: EventBody,
    ) -> EventSeq {
        self.redact_event(&mut body);
        self.publisher.timeline_changed();
        let event = Event {
            at_micros,
            connection,
            operation,
            body,
        };
        let mut journal = self.journal.write();
        if self.unrecorded.contains(&connection) {
            journal.append_aside(event)
        } else {
            journal.append(event)
        }
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
}
