//! What an event is and says, in words.

use journal::details::branch_told;
use journal::event::{EventBody, OperationEnd};
use wire::frame::Carrier;

use super::clock_time;

/// Characters of an event's line.
pub(super) const LINE_CHARS: usize = 300;

/// What an event is, in words.
pub fn kind(body: &EventBody) -> String {
    match body {
        EventBody::ConnectionOpened { .. } => "connection opened",
        EventBody::ConnectionClosed { .. } => "connection closed",
        EventBody::ConnectionEstablished { .. } => "connected",
        EventBody::OperationStarted { .. } => "started",
        EventBody::OperationEnded(_) => "ended",
        EventBody::AttemptStarted { .. } => "attempt started",
        EventBody::AnsweredFromCache { .. } => "answered from cache",
        EventBody::AttemptEnded { .. } => "attempt ended",
        EventBody::WaitStarted { .. } => "wait started",
        EventBody::WaitEnded => "wait ended",
        EventBody::Note { .. } => "note",
        EventBody::BranchBegan { .. } | EventBody::BranchedOff { .. } => "branch",
        EventBody::Frame {
            carrier: Carrier::Line,
            ..
        } => "line",
        EventBody::Frame {
            carrier: Carrier::Body,
            ..
        } => "HTTP body",
        EventBody::Frame {
            carrier: Carrier::SseEvent,
            ..
        } => "SSE event",
        EventBody::HttpRequest { .. } => "HTTP request head",
        EventBody::HttpResponse { .. } => "HTTP response head",
        EventBody::HttpEnded { .. } => "HTTP exchange ended",
        EventBody::ProcessStarted { .. } => "process started",
        EventBody::Stderr { .. } => "stderr",
        EventBody::ProcessExited { .. } => "process ended",
        EventBody::PromptOpened { .. } => "prompt opened",
        EventBody::PromptClosed { .. } => "prompt closed",
        EventBody::FindingSeen { .. } => "finding",
    }
    .to_owned()
}

/// One line of an event.
pub fn brief_text(body: &EventBody) -> String {
    one_line(&whole_text(body))
}

/// All that an event says, in words.
pub fn whole_text(body: &EventBody) -> String {
    match body {
        EventBody::ConnectionOpened {
            server_name,
            address,
            ..
        } => format!("{server_name} · {address}"),
        EventBody::ConnectionClosed { reason }
        | EventBody::WaitStarted { reason }
        | EventBody::Note { text: reason } => reason.clone(),
        EventBody::ConnectionEstablished { era, revision } => format!("{era} · {revision}"),
        EventBody::OperationStarted { method, name } => match name {
            Some(name) => format!("{method} {name}"),
            None => method.clone(),
        },
        EventBody::OperationEnded(end) => match end {
            OperationEnd::Complete => "complete".to_owned(),
            OperationEnd::ToolError => "tool error".to_owned(),
            OperationEnd::Failed { brief, message, .. }
            | OperationEnd::Settled { brief, message } => format!("{brief}: {message}"),
            OperationEnd::Cancelled => "cancelled".to_owned(),
        },
        EventBody::AttemptStarted {
            round, request_id, ..
        } => match request_id {
            Some(id) => format!("round {round} · id {id}"),
            None => format!("round {round}"),
        },
        EventBody::AttemptEnded { outcome, .. } => journal::details::outcome_text(outcome),
        EventBody::AnsweredFromCache {
            round,
            event,
            fetched_micros,
        } => format!(
            "answer {round} · fetched {} · event {}",
            clock_time(*fetched_micros),
            event.0
        ),
        EventBody::WaitEnded => String::new(),
        body @ (EventBody::BranchBegan { .. } | EventBody::BranchedOff { .. }) => {
            branch_told(body).unwrap_or_default()
        }
        EventBody::Frame { carrier, bytes, .. } => match carrier {
            Carrier::SseEvent => match wire::sse::data(bytes) {
                Some(data) if !data.is_empty() => String::from_utf8_lossy(&data).into_owned(),
                _ => String::from_utf8_lossy(bytes).into_owned(),
            },
            Carrier::Line | Carrier::Body => String::from_utf8_lossy(bytes).into_owned(),
        },
        EventBody::HttpRequest { head, .. } => format!("{} {}", head.method, head.url),
        EventBody::HttpResponse { head, .. } => format!(
            "{} {} {}",
            head.version,
            head.status,
            head.header("content-type").unwrap_or_default()
        ),
        EventBody::HttpEnded {
            body_byte_len,
            error,
            ..
        } => match error {
            Some(error) => error.clone(),
            None => format!("{body_byte_len} bytes"),
        },
        EventBody::ProcessStarted { pid, command, .. } => {
            format!("pid {pid} · {}", command.join(" "))
        }
        EventBody::Stderr { bytes } => String::from_utf8_lossy(bytes).into_owned(),
        EventBody::ProcessExited { status, .. } => status.clone(),
        EventBody::PromptOpened {
            method, message, ..
        } => format!("{method} · {message}"),
        EventBody::PromptClosed { outcome, .. } => outcome.clone(),
        EventBody::FindingSeen { finding, .. } => finding.message.clone(),
    }
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(LINE_CHARS + 4));
    for (count, character) in text.chars().enumerate() {
        if count == LINE_CHARS {
            line.push('…');
            break;
        }
        line.push(if matches!(character, '\n' | '\r') {
            ' '
        } else {
            character
        });
    }
    line.trim_end().to_owned()
}
