//! Events in few words, and rows as text.
#![allow(dead_code)] // each test file uses its part
#![allow(clippy::unwrap_used)] // of tests, though not in a test's own function

use bytes::Bytes;
use journal::event::{
    AttemptOutcome, ConnectionId, Event, EventBody, EventSeq, FrameRole, OperationEnd, OperationId,
};
use journal::log::Journal;
use journal::row::{Filter, Row, RowState, SpanKind};
use journal::view::View;
use protocol::findings::{Finding, Severity};
use wire::frame::{Carrier, Direction};
use wire::http::{Header, RequestHead, ResponseHead};

/// 14:02:00 of some day, in microseconds since the Unix epoch.
pub const START: u64 = 1_780_000_000_000_000;

/// Writes a journal like a transcript: times are milliseconds after [`START`].
pub struct Writer {
    pub journal: Journal,
    connection: ConnectionId,
}

impl Writer {
    pub fn new(journal: Journal) -> Writer {
        let mut writer = Writer {
            journal,
            connection: ConnectionId(0),
        };
        writer.connect(0, "restaurant-bookings");
        writer
    }

    pub fn in_memory() -> Writer {
        Writer::new(Journal::create(None).unwrap())
    }

    pub fn connect(&mut self, connection: u32, server_name: &str) {
        self.connection = ConnectionId(connection);
        self.loose(
            0,
            EventBody::ConnectionOpened {
                server_name: server_name.into(),
                transport: "http".into(),
                address: "http://localhost:8080/mcp".into(),
            },
        );
    }

    pub fn append(&mut self, at: u64, operation: Option<u32>, body: EventBody) -> EventSeq {
        self.journal.append(Event {
            at_micros: START + at * 1000,
            connection: self.connection,
            operation: operation.map(OperationId),
            body,
        })
    }

    pub fn loose(&mut self, at: u64, body: EventBody) -> EventSeq {
        self.append(at, None, body)
    }

    pub fn start(&mut self, at: u64, method: &str, name: Option<&str>) -> u32 {
        let id = self.journal.next_operation().0;
        self.append(
            at,
            Some(id),
            EventBody::OperationStarted {
                method: method.into(),
                name: name.map(Into::into),
            },
        );
        id
    }

    pub fn end(&mut self, at: u64, operation: u32, end: OperationEnd) -> EventSeq {
        self.append(at, Some(operation), EventBody::OperationEnded(end))
    }

    pub fn fail(&mut self, at: u64, operation: u32, brief: &str) -> EventSeq {
        let message = format!("It failed with {brief}");
        self.end(
            at,
            operation,
            OperationEnd::Failed {
                brief: brief.into(),
                message,
                hint: None,
            },
        )
    }

    /// Starts an attempt and sends its request.
    pub fn attempt(&mut self, at: u64, operation: u32, place: (u32, u32), id: u32) {
        self.labelled_attempt(at, operation, place, id, None);
    }

    pub fn labelled_attempt(
        &mut self,
        at: u64,
        operation: u32,
        (round, attempt): (u32, u32),
        id: u32,
        label: Option<&str>,
    ) {
        self.append(
            at,
            Some(operation),
            EventBody::AttemptStarted {
                round,
                attempt,
                request_id: Some(id.to_string()),
                label: label.map(Into::into),
            },
        );
        let request = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#);
        self.append(
            at,
            Some(operation),
            frame(
                Direction::Sent,
                (round, attempt),
                FrameRole::Request {
                    method: "tools/call".into(),
                },
                request.as_bytes(),
            ),
        );
    }

    /// The reply to an attempt, and its end.
    pub fn reply(&mut self, at: u64, operation: u32, place: (u32, u32), result_type: &str) {
        let reply =
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"{result_type}"}}}}"#);
        self.append(
            at,
            Some(operation),
            frame(
                Direction::Received,
                place,
                FrameRole::Reply,
                reply.as_bytes(),
            ),
        );
        self.outcome(
            at,
            operation,
            place,
            AttemptOutcome::Result {
                result_type: result_type.into(),
            },
        );
    }

    pub fn outcome(
        &mut self,
        at: u64,
        operation: u32,
        (round, attempt): (u32, u32),
        outcome: AttemptOutcome,
    ) -> EventSeq {
        self.append(
            at,
            Some(operation),
            EventBody::AttemptEnded {
                round,
                attempt,
                outcome,
            },
        )
    }

    pub fn transport_error(&mut self, at: u64, operation: u32, place: (u32, u32), brief: &str) {
        let outcome = AttemptOutcome::Transport {
            brief: brief.into(),
            message: format!("{brief}!"),
        };
        self.outcome(at, operation, place, outcome);
    }

    pub fn notification(
        &mut self,
        at: u64,
        operation: Option<u32>,
        place: (u32, u32),
        method: &str,
        text: Option<&str>,
    ) -> EventSeq {
        let role = FrameRole::Notification {
            method: method.into(),
            text: text.map(Into::into),
        };
        let bytes = format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#);
        self.append(
            at,
            operation,
            frame(Direction::Received, place, role, bytes.as_bytes()),
        )
    }

    pub fn noise(&mut self, at: u64, operation: Option<u32>, bytes: &[u8]) -> EventSeq {
        let role = FrameRole::NotProtocol {
            problem: "not JSON".into(),
        };
        self.append(
            at,
            operation,
            frame(Direction::Received, (0, 0), role, bytes),
        )
    }

    pub fn stderr(&mut self, at: u64, operation: Option<u32>, line: &str) -> EventSeq {
        self.append(
            at,
            operation,
            EventBody::Stderr {
                bytes: Bytes::copy_from_slice(line.as_bytes()),
            },
        )
    }

    pub fn ask(&mut self, at: u64, operation: Option<u32>, prompt: u32, message: &str) -> EventSeq {
        self.append(
            at,
            operation,
            EventBody::PromptOpened {
                prompt,
                round: 1,
                key: "people".into(),
                method: "elicitation/create".into(),
                message: message.into(),
            },
        )
    }

    pub fn answer(
        &mut self,
        at: u64,
        operation: Option<u32>,
        prompt: u32,
        outcome: &str,
    ) -> EventSeq {
        self.append(
            at,
            operation,
            EventBody::PromptClosed {
                prompt,
                outcome: outcome.into(),
            },
        )
    }

    pub fn find(&mut self, at: u64, operation: Option<u32>, event: Option<EventSeq>) -> EventSeq {
        self.append(
            at,
            operation,
            EventBody::FindingSeen {
                finding: finding(),
                event,
            },
        )
    }

    /// All rows of a view with every operation unfolded, as text.
    pub fn unfolded(&self, filter: Filter) -> String {
        text(&unfolded(&self.journal, filter))
    }
}

/// All rows of a filter with every operation unfolded.
pub fn unfolded(journal: &Journal, filter: Filter) -> Vec<Row> {
    let mut view = View::new(filter, None);
    for id in 0..journal.tree().operation_count() {
        view.set_expanded(journal, OperationId(id), true);
    }
    view.window(journal, 0, u32::MAX)
}

pub fn finding() -> Finding {
    Finding {
        rule: "result-type-missing".into(),
        severity: Severity::Should,
        message: "resultType is missing".into(),
        clause: "2026-07-28 basic § ResultType".into(),
    }
}

pub fn frame(
    direction: Direction,
    (round, attempt): (u32, u32),
    role: FrameRole,
    bytes: &[u8],
) -> EventBody {
    let bytes = Bytes::copy_from_slice(bytes);
    EventBody::Frame {
        direction,
        carrier: Carrier::Line,
        round,
        attempt,
        role,
        bytes,
    }
}

pub fn request_head() -> RequestHead {
    RequestHead {
        method: "POST".into(),
        url: "http://localhost:8080/mcp".into(),
        headers: vec![Header {
            name: "mcp-method".into(),
            value: "tools/call".into(),
        }],
    }
}

pub fn response_head(status: u16) -> ResponseHead {
    ResponseHead {
        status,
        version: "HTTP/1.1".into(),
        headers: Vec::new(),
    }
}

/// Rows as a person would see them: `server` time is `=`, yours `/`, waiting `.`, failed `!`.
pub fn text(rows: &[Row]) -> String {
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn line(row: &Row) -> String {
    let fold = match (row.child_count, row.expanded) {
        (0, _) => " ",
        (_, true) => "▼",
        (_, false) => "▶",
    };
    let indent = "  ".repeat(row.depth.into());
    let detail = row
        .detail
        .as_ref()
        .map(|detail| format!(" {detail}"))
        .unwrap_or_default();
    let chips = joined(row.chips.iter().map(|chip| format!(" [{chip}]")));
    let findings = if row.finding_count > 0 {
        format!(" ⚑{}", row.finding_count)
    } else {
        String::new()
    };
    let mark = match row.state {
        RowState::Running => "○",
        RowState::WaitingOnYou => "◐",
        RowState::WaitingOnTime => "◌",
        RowState::Complete => "●",
        RowState::Error => "✗",
        RowState::Cancelled => "⊘",
        RowState::Note => "·",
    };
    let millis = |micros: u64| (micros - START) / 1000;
    let end = row
        .end_micros
        .map(|end| millis(end).to_string())
        .unwrap_or_default();
    let spans = joined(row.spans.iter().map(|span| {
        let kind = match span.kind {
            SpanKind::Server => '=',
            SpanKind::User => '/',
            SpanKind::Time => '.',
            SpanKind::Error => '!',
        };
        let end = span
            .end_micros
            .map(|end| millis(end).to_string())
            .unwrap_or_default();
        format!(" {}{kind}{end}", millis(span.start_micros))
    }));
    format!(
        "{fold} {indent}{}{detail}{chips}{findings} | {mark} {} | {}–{end} |{spans}",
        row.label,
        row.state_text,
        millis(row.start_micros)
    )
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().concat()
}
