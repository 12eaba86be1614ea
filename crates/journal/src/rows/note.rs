//! Rows that stand for one event: a notification, a line of stderr, a process's start or end, noise.

use wire::frame::Direction;

use super::{TEXT_CHARS, one_line, one_line_of_bytes};
use crate::event::{Event, EventBody, FrameRole};
use crate::row::{Row, RowKind, RowState, Span, SpanKind};

/// Fills a row from its event.
pub(super) fn fill(event: &Event, row: &mut Row) {
    row.start_micros = event.at_micros;
    row.end_micros = Some(event.at_micros);
    match &event.body {
        EventBody::Frame {
            direction,
            role,
            bytes,
            ..
        } => fill_frame(*direction, role, bytes, row),
        EventBody::AnsweredFromCache {
            round,
            fetched_micros,
            ..
        } => {
            row.kind = RowKind::Round;
            row.label = format!("answer {round} · from cache");
            let age = event.at_micros.saturating_sub(*fetched_micros);
            row.detail = Some(format!("fetched {} before", elapsed(age)));
            row.state = RowState::Complete;
            "not sent".clone_into(&mut row.state_text);
        }
        EventBody::Stderr { bytes } => {
            row.kind = RowKind::Stderr;
            row.label = one_line_of_bytes(bytes, TEXT_CHARS);
            "stderr".clone_into(&mut row.state_text);
        }
        EventBody::Note { text } => {
            row.kind = RowKind::Notification;
            row.label = one_line(text, TEXT_CHARS);
            "note".clone_into(&mut row.state_text);
        }
        EventBody::BranchBegan { .. } | EventBody::BranchedOff { .. } => {
            row.kind = RowKind::Branch;
            row.label = one_line(
                &super::branch_told(&event.body).unwrap_or_default(),
                TEXT_CHARS,
            );
            "branch".clone_into(&mut row.state_text);
        }
        EventBody::ProcessStarted { pid, command, .. } => {
            row.kind = RowKind::Process;
            "process started".clone_into(&mut row.label);
            row.detail = Some(one_line(&command.join(" "), TEXT_CHARS));
            row.state_text = format!("pid {pid}");
        }
        EventBody::ProcessExited { status, expected } => {
            row.kind = RowKind::Process;
            "process ended".clone_into(&mut row.label);
            row.state_text = one_line(status, TEXT_CHARS);
            if !expected {
                row.state = RowState::Error;
            }
        }
        _ => {}
    }
    let kind = if row.state == RowState::Error {
        SpanKind::Error
    } else {
        SpanKind::Server
    };
    row.spans.push(Span {
        kind,
        start_micros: row.start_micros,
        end_micros: row.end_micros,
    });
}

/// A span of time, coarsely.
fn elapsed(micros: u64) -> String {
    let seconds = micros / 1_000_000;
    match seconds {
        0 => format!("{} ms", micros / 1000),
        1..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

fn fill_frame(direction: Direction, role: &FrameRole, bytes: &[u8], row: &mut Row) {
    let sent = direction == Direction::Sent;
    match role {
        FrameRole::Notification { method, text } => {
            row.kind = RowKind::Notification;
            row.label = one_line(method, TEXT_CHARS);
            row.detail = text.as_deref().map(|text| one_line(text, TEXT_CHARS));
            if sent { "sent" } else { "notification" }.clone_into(&mut row.state_text);
        }
        FrameRole::Request { method } => {
            row.kind = RowKind::Notification;
            row.label = one_line(method, TEXT_CHARS);
            if sent { "request sent" } else { "request" }.clone_into(&mut row.state_text);
        }
        FrameRole::NotProtocol { problem } => {
            noise("not protocol", bytes, row);
            row.state_text = one_line(problem, TEXT_CHARS);
        }
        FrameRole::Orphan | FrameRole::Reply => {
            noise("orphan reply", bytes, row);
            "nothing waits for it".clone_into(&mut row.state_text);
        }
        FrameRole::KeepAlive => noise("keep-alive", bytes, row),
        FrameRole::Batch { len } => {
            row.kind = RowKind::Notification;
            "batch".clone_into(&mut row.label);
            row.state_text = crate::text::counted(*len, "message");
        }
    }
}

fn noise(label: &str, bytes: &[u8], row: &mut Row) {
    row.kind = RowKind::Noise;
    label.clone_into(&mut row.label);
    row.state = RowState::Error;
    row.detail = Some(one_line_of_bytes(bytes, TEXT_CHARS)).filter(|text| !text.is_empty());
}
