//! Secrets by value: what is recorded, and what crosses to a view beside the record, holds their names only.
//!
//! What a server sent is still read as it came: a state that must go back unchanged would not survive otherwise.

use std::borrow::Cow;

use bytes::Bytes;
use journal::event::{AttemptOutcome, EventBody, FrameRole, OperationEnd};
use protocol::link::Link;
use wire::http::Header;

use super::state::Engine;
use crate::api::ErrorView;
use crate::api::feed::{PromptAsk, PromptView};
use crate::api::links::FlowKeeping;
use crate::api::lists::{
    ListState, ListView, OfferedPromptView, ResourceTemplateView, ResourceView,
};
use crate::api::servers::ServerReport;
use crate::api::tools::ToolView;

impl Engine {
    /// Replaces known secrets in an event. Every text that a server or a person had a part in is looked at.
    pub(super) fn redact_event(&self, body: &mut EventBody) {
        if self.redactor.is_empty() {
            return;
        }
        match body {
            EventBody::ConnectionOpened {
                server_name,
                transport: _,
                address,
            } => self.redact_all([server_name, address]),
            EventBody::ConnectionClosed { reason }
            | EventBody::WaitStarted { reason }
            | EventBody::Note { text: reason } => {
                self.redact(reason);
            }
            EventBody::OperationStarted { method, name } => {
                self.redact_all([method].into_iter().chain(name));
            }
            EventBody::OperationEnded(OperationEnd::Failed {
                brief,
                message,
                hint,
            }) => self.redact_all([brief, message].into_iter().chain(hint)),
            EventBody::OperationEnded(OperationEnd::Settled { brief, message }) => {
                self.redact_all([brief, message]);
            }
            EventBody::AttemptStarted {
                request_id, label, ..
            } => self.redact_all(request_id.iter_mut().chain(label)),
            EventBody::AttemptEnded { outcome, .. } => match outcome {
                AttemptOutcome::Result { result_type } => self.redact(result_type),
                AttemptOutcome::RpcError { message, .. } => self.redact(message),
                AttemptOutcome::Transport { brief, message }
                | AttemptOutcome::Settled { brief, message } => {
                    self.redact_all([brief, message]);
                }
                AttemptOutcome::Cancelled | AttemptOutcome::TimedOut => {}
            },
            EventBody::Frame { role, bytes, .. } => {
                match role {
                    FrameRole::Request { method } => self.redact(method),
                    FrameRole::Notification { method, text } => {
                        self.redact_all([method].into_iter().chain(text));
                    }
                    FrameRole::NotProtocol { problem } => self.redact(problem),
                    FrameRole::Reply
                    | FrameRole::Orphan
                    | FrameRole::KeepAlive
                    | FrameRole::Batch { .. } => {}
                }
                self.redact_bytes(bytes);
            }
            EventBody::Stderr { bytes } => self.redact_bytes(bytes),
            EventBody::HttpRequest { head, .. } => {
                self.redact(&mut head.url);
                self.redact_headers(&mut head.headers);
            }
            EventBody::HttpResponse { head, .. } => self.redact_headers(&mut head.headers),
            EventBody::HttpEnded { error, .. } => self.redact_all(error),
            EventBody::ProcessStarted {
                command, folder, ..
            } => self.redact_all(command.iter_mut().chain(folder)),
            EventBody::ProcessExited { status, .. } => self.redact(status),
            EventBody::PromptOpened {
                key,
                method,
                message,
                ..
            } => self.redact_all([key, method, message]),
            EventBody::PromptClosed { outcome, .. } => self.redact(outcome),
            EventBody::FindingSeen { finding, .. } => self.redact(&mut finding.message),
            EventBody::ConnectionEstablished { era, revision } => {
                self.redact_all([era, revision]);
            }
            EventBody::OperationEnded(
                OperationEnd::Complete | OperationEnd::ToolError | OperationEnd::Cancelled,
            )
            | EventBody::AnsweredFromCache { .. }
            | EventBody::WaitEnded => {}
        }
    }

    /// The text with each known secret replaced by its name.
    pub(super) fn redacted_text(&self, mut text: String) -> String {
        self.redact(&mut text);
        text
    }

    /// The same of an error.
    pub(super) fn redacted_error(&self, mut error: ErrorView) -> ErrorView {
        self.redact_all([&mut error.message].into_iter().chain(&mut error.hint));
        error
    }

    /// The same of what a server said of itself.
    pub(super) fn redact_report(&self, report: &mut ServerReport) {
        let ServerReport {
            era: _,
            revision,
            era_reason,
            supported_revisions,
            name,
            title,
            version,
            website,
            instructions,
            capabilities,
            capability_names,
            client_capabilities: _,
        } = report;
        self.redact_all(
            [revision, era_reason, capabilities]
                .into_iter()
                .chain(supported_revisions)
                .chain(capability_names)
                .chain(name)
                .chain(title)
                .chain(version)
                .chain(website)
                .chain(instructions),
        );
    }

    /// The same of a list.
    pub(super) fn redacted_list<T: Redact>(&self, mut list: ListView<T>) -> ListView<T> {
        if self.redactor.is_empty() {
            return list;
        }
        if let ListState::Failed { error } = list.state {
            list.state = ListState::Failed {
                error: self.redacted_error(error),
            };
        }
        self.redact_all(&mut list.gone);
        for entry in &mut list.entries {
            entry.each_text(&mut |text| self.redact(text));
        }
        list
    }

    /// The same of a prompt.
    pub(super) fn redact_prompt(&self, prompt: &mut PromptView) {
        self.redact_all([
            &mut prompt.address,
            &mut prompt.operation_title,
            &mut prompt.input_key,
            &mut prompt.message,
        ]);
        match &mut prompt.ask {
            PromptAsk::Form { schema } => self.redact(schema),
            PromptAsk::Link { link, problem, .. } => {
                self.redact_link(link);
                self.redact_all(problem);
            }
            PromptAsk::Browser {
                links,
                note,
                problem,
                keeping,
                ..
            } => {
                for link in links {
                    self.redact_link(link);
                }
                self.redact_all(note.iter_mut().chain(problem));
                if let FlowKeeping::SessionOnly { why } = keeping {
                    self.redact(why);
                }
            }
            PromptAsk::Unsupported { json, reason } => self.redact_all([json, reason]),
            PromptAsk::SendAgain { advice, .. } => self.redact(advice),
            PromptAsk::Roots { folders } => self.redact_all(folders),
            PromptAsk::Sampling { .. } => {}
            PromptAsk::SignIn { more, issuer } => self.redact_all(more.iter_mut().chain(issuer)),
        }
    }

    fn redact_link(&self, link: &mut Link) {
        let Link {
            url,
            scheme: _,
            user_info,
            subdomain,
            site,
            port: _,
            rest,
            host,
            decoded_host,
            is_loopback: _,
            warnings,
            refusal,
        } = link;
        self.redact_all(
            [url, user_info, subdomain, site, rest, host]
                .into_iter()
                .chain(decoded_host)
                .chain(warnings)
                .chain(refusal),
        );
    }

    fn redact_all<'a>(&self, texts: impl IntoIterator<Item = &'a mut String>) {
        for text in texts {
            self.redact(text);
        }
    }

    fn redact_headers(&self, headers: &mut [Header]) {
        for header in headers {
            self.redact(&mut header.value);
        }
    }

    fn redact(&self, text: &mut String) {
        if self.redactor.is_empty() {
            return;
        }
        if let Cow::Owned(redacted) = self.redactor.redact(text.as_bytes()) {
            *text = String::from_utf8_lossy(&redacted).into_owned();
        }
    }

    fn redact_bytes(&self, bytes: &mut Bytes) {
        if let Cow::Owned(redacted) = self.redactor.redact(bytes) {
            *bytes = Bytes::from(redacted);
        }
    }
}

/// What holds texts of a server's.
pub(super) trait Redact {
    /// Calls `redact` with each of them.
    fn each_text(&mut self, redact: &mut dyn FnMut(&mut String));
}

fn each<'a>(texts: impl IntoIterator<Item = &'a mut String>, redact: &mut dyn FnMut(&mut String)) {
    texts.into_iter().for_each(redact);
}

impl Redact for ToolView {
    fn each_text(&mut self, redact: &mut dyn FnMut(&mut String)) {
        let own = [&mut self.name, &mut self.input_schema]
            .into_iter()
            .chain(&mut self.title)
            .chain(&mut self.description)
            .chain(&mut self.output_schema)
            .chain(&mut self.problems)
            .chain(&mut self.excluded)
            .chain(&mut self.task_support);
        each(own, redact);
        for mirrored in &mut self.mirrored {
            each(
                mirrored.path.iter_mut().chain([&mut mirrored.header]),
                redact,
            );
        }
    }
}

impl Redact for ResourceView {
    fn each_text(&mut self, redact: &mut dyn FnMut(&mut String)) {
        let own = [&mut self.uri, &mut self.name]
            .into_iter()
            .chain(&mut self.title)
            .chain(&mut self.description)
            .chain(&mut self.mime_type)
            .chain(&mut self.last_modified)
            .chain(&mut self.problems);
        each(own, redact);
    }
}

impl Redact for ResourceTemplateView {
    fn each_text(&mut self, redact: &mut dyn FnMut(&mut String)) {
        let own = [&mut self.uri_template, &mut self.name]
            .into_iter()
            .chain(&mut self.title)
            .chain(&mut self.description)
            .chain(&mut self.mime_type)
            .chain(&mut self.malformed)
            .chain(&mut self.problems)
            .chain(self.variables.iter_mut().map(|variable| &mut variable.name));
        each(own, redact);
    }
}

impl Redact for OfferedPromptView {
    fn each_text(&mut self, redact: &mut dyn FnMut(&mut String)) {
        let own = std::iter::once(&mut self.name)
            .chain(&mut self.title)
            .chain(&mut self.description)
            .chain(&mut self.problems);
        each(own, redact);
        for argument in &mut self.arguments {
            let own = std::iter::once(&mut argument.name)
                .chain(&mut argument.title)
                .chain(&mut argument.description);
            each(own, redact);
        }
    }
}
