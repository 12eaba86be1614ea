//! Every text of an event that somebody else may have had a part in, in one place: what looks for secrets looks here.
//! Recordings may come from anywhere, so nothing of an event is left out.

use bytes::Bytes;
use wire::http::Header;

use crate::event::{AttemptOutcome, EventBody, FrameRole, OperationEnd};

/// Whoever looks at texts, and may change them.
pub trait Texts {
    /// A text.
    fn text(&mut self, text: &mut String);
    /// The exact bytes of a frame or a line.
    fn bytes(&mut self, bytes: &mut Bytes);
}

impl EventBody {
    /// Shows each text of it.
    pub fn each_text(&mut self, look: &mut dyn Texts) {
        match self {
            EventBody::ConnectionOpened {
                server_name,
                transport,
                address,
            } => all([server_name, transport, address], look),
            EventBody::ConnectionClosed { reason }
            | EventBody::WaitStarted { reason }
            | EventBody::Note { text: reason } => look.text(reason),
            EventBody::ConnectionEstablished { era, revision } => all([era, revision], look),
            EventBody::OperationStarted { method, name } => {
                all([method].into_iter().chain(name), look);
            }
            EventBody::OperationEnded(end) => each_of_end(end, look),
            EventBody::AttemptStarted {
                request_id, label, ..
            } => all(request_id.iter_mut().chain(label), look),
            EventBody::AttemptEnded { outcome, .. } => each_of_outcome(outcome, look),
            EventBody::Frame { role, bytes, .. } => {
                each_of_role(role, look);
                look.bytes(bytes);
            }
            EventBody::Stderr { bytes } => look.bytes(bytes),
            EventBody::HttpRequest { head, .. } => {
                all([&mut head.method, &mut head.url], look);
                each_of_headers(&mut head.headers, look);
            }
            EventBody::HttpResponse { head, .. } => {
                look.text(&mut head.version);
                each_of_headers(&mut head.headers, look);
            }
            EventBody::HttpEnded { error, .. } => all(error, look),
            EventBody::ProcessStarted {
                command, folder, ..
            } => all(command.iter_mut().chain(folder), look),
            EventBody::ProcessExited { status, .. } => look.text(status),
            EventBody::PromptOpened {
                key,
                method,
                message,
                ..
            } => all([key, method, message], look),
            EventBody::PromptClosed { outcome, .. } => look.text(outcome),
            EventBody::FindingSeen { finding, .. } => all(
                [&mut finding.rule, &mut finding.message, &mut finding.clause],
                look,
            ),
            EventBody::BranchBegan { recording, .. } => all(recording, look),
            EventBody::AnsweredFromCache { .. }
            | EventBody::BranchedOff { .. }
            | EventBody::WaitEnded => {}
        }
    }
}

fn each_of_end(end: &mut OperationEnd, look: &mut dyn Texts) {
    match end {
        OperationEnd::Failed {
            brief,
            message,
            hint,
        } => all([brief, message].into_iter().chain(hint), look),
        OperationEnd::Settled { brief, message } => all([brief, message], look),
        OperationEnd::Complete | OperationEnd::ToolError | OperationEnd::Cancelled => {}
    }
}

fn each_of_outcome(outcome: &mut AttemptOutcome, look: &mut dyn Texts) {
    match outcome {
        AttemptOutcome::Result { result_type } => look.text(result_type),
        AttemptOutcome::RpcError { message, .. } => look.text(message),
        AttemptOutcome::Transport { brief, message }
        | AttemptOutcome::Settled { brief, message } => all([brief, message], look),
        AttemptOutcome::Cancelled | AttemptOutcome::TimedOut => {}
    }
}

fn each_of_role(role: &mut FrameRole, look: &mut dyn Texts) {
    match role {
        FrameRole::Request { method } => look.text(method),
        FrameRole::Notification { method, text } => {
            all([method].into_iter().chain(text), look);
        }
        FrameRole::NotProtocol { problem } => look.text(problem),
        FrameRole::Reply | FrameRole::Orphan | FrameRole::KeepAlive | FrameRole::Batch { .. } => {}
    }
}

fn each_of_headers(headers: &mut [Header], look: &mut dyn Texts) {
    for header in headers {
        all([&mut header.name, &mut header.value], look);
    }
}

fn all<'a>(texts: impl IntoIterator<Item = &'a mut String>, look: &mut dyn Texts) {
    for text in texts {
        look.text(text);
    }
}
