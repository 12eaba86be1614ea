//! What of a record is searched.

use std::ops::Range;

use wire::http::Header;

use super::Loaded;
use crate::event::{AttemptOutcome, Event, EventBody, OperationEnd};
use crate::record::{self, RECORD_HEAD_BYTE_LEN};

/// Where a record's texts are.
pub(super) enum Place {
    /// Bytes of the block, as they stand there.
    Bytes(Range<usize>),
    /// Texts that are stored in another form.
    Texts(Vec<String>),
    Nowhere,
}

/// Where the texts of the record at an index are.
pub(super) fn place(block: &Loaded, index: usize) -> Place {
    let (start, end) = (block.bounds[index], block.bounds[index + 1]);
    let payload_start = (start + RECORD_HEAD_BYTE_LEN).min(end);
    let payload = block.bytes.slice(payload_start..end);
    if let Some(body_start) = record::body_start(&payload) {
        return Place::Bytes(payload_start + body_start..end);
    }
    match record::decode(&payload, false) {
        Ok(decoded) => {
            let texts = texts(decoded.event);
            if texts.is_empty() {
                Place::Nowhere
            } else {
                Place::Texts(texts)
            }
        }
        Err(_) => Place::Nowhere,
    }
}

fn texts(event: Event) -> Vec<String> {
    match event.body {
        EventBody::OperationStarted { method, name } => match name {
            Some(name) => vec![format!("{method} {name}")],
            None => vec![method],
        },
        EventBody::OperationEnded(
            OperationEnd::Failed {
                brief,
                message,
                hint: _,
            }
            | OperationEnd::Settled { brief, message },
        )
        | EventBody::AttemptEnded {
            outcome:
                AttemptOutcome::Transport { brief, message }
                | AttemptOutcome::Settled { brief, message },
            ..
        } => vec![brief, message],
        EventBody::AttemptEnded {
            outcome: AttemptOutcome::RpcError { code, message },
            ..
        } => vec![format!("{code} {message}")],
        EventBody::WaitStarted { reason } => vec![reason],
        EventBody::HttpRequest { head, .. } => {
            lines(format!("{} {}", head.method, head.url), head.headers)
        }
        EventBody::HttpResponse { head, .. } => {
            lines(format!("{} {}", head.version, head.status), head.headers)
        }
        EventBody::HttpEnded { error, .. } => error.into_iter().collect(),
        EventBody::ProcessStarted {
            command, folder, ..
        } => std::iter::once(command.join(" ")).chain(folder).collect(),
        EventBody::ProcessExited { status, .. } => vec![status],
        EventBody::PromptOpened { message, .. } => vec![message],
        EventBody::FindingSeen { finding, .. } => {
            vec![finding.message, finding.clause, finding.rule]
        }
        EventBody::Note { text } => vec![text],
        body @ (EventBody::BranchBegan { .. } | EventBody::BranchedOff { .. }) => {
            crate::rows::branch_told(&body).into_iter().collect()
        }
        // A frame's and a line's bytes are searched where they are.
        _ => Vec::new(),
    }
}

fn lines(first: String, headers: Vec<Header>) -> Vec<String> {
    let headers = headers
        .into_iter()
        .map(|header| format!("{}: {}", header.name, header.value));
    std::iter::once(first).chain(headers).collect()
}
