//! Secrets by value: what is recorded, and what crosses to a view beside the record, holds their names only.
//!
//! What a server sent is still read as it came: a state that must go back unchanged would not survive otherwise.

use std::borrow::Cow;

use bytes::Bytes;
use journal::event::EventBody;
use journal::texts::Texts;
use protocol::link::Link;

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
    /// Replaces known secrets in an event.
    pub(super) fn redact_event(&self, body: &mut EventBody) {
        if !self.redactor.is_empty() {
            body.each_text(&mut Redacting(self));
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
            icons: _,
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

    fn redact(&self, text: &mut String) {
        if self.redactor.is_empty() {
            return;
        }
        if let Cow::Owned(redacted) = self.redactor.redact_text(text) {
            *text = redacted;
        }
    }

    fn redact_bytes(&self, bytes: &mut Bytes) {
        if let Cow::Owned(redacted) = self.redactor.redact(bytes) {
            *bytes = Bytes::from(redacted);
        }
    }
}

/// The redactor, looking at an event.
struct Redacting<'a>(&'a Engine);

impl Texts for Redacting<'_> {
    fn text(&mut self, text: &mut String) {
        self.0.redact(text);
    }

    fn bytes(&mut self, bytes: &mut Bytes) {
        self.0.redact_bytes(bytes);
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
