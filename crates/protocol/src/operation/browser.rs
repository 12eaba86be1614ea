//! Links: an operation whose server waits until the person has done something in their browser.
//!
//! In the modern era the server is asked again with the same answer (2026-07-28 client/elicitation § URL Mode
//! Elicitation Requests); in the legacy era, after the error −32042, the same request is sent again (2025-11-25
//! client/elicitation § URL Elicitation Required Error). Either way only for links that the person has opened: any
//! other is asked for anew.

use std::collections::HashSet;

use wire::message::RpcError;
use wire::object::ObjectWriter;

use super::machine::{Operation, Stage};
use super::{Finish, InputRequest, Step};
use crate::elicitation::{self, Action};
use crate::era::Era;
use crate::findings::Finding;
use crate::{rules, text};

/// How often a server is asked again by itself; after that the person says when.
const ASKED_BY_ITSELF: u32 = 12;

/// What is known of the person's way through the browser.
#[derive(Debug, Default)]
pub(super) struct Browsing {
    /// The URLs that they have opened.
    opened: HashSet<String>,
    /// The ids that the server said are complete.
    completed: HashSet<String>,
    /// How often the same links were asked for since.
    asked_again: u32,
}

impl Browsing {
    pub(super) fn has_opened(&self) -> bool {
        !self.opened.is_empty()
    }

    /// The URLs that were opened, in a fixed order.
    pub(super) fn opened(&self) -> Vec<String> {
        let mut opened: Vec<String> = self.opened.iter().cloned().collect();
        opened.sort_unstable();
        opened
    }
}

impl Operation {
    /// The person has opened this link for this operation. Asked for it again, the operation waits instead of asking.
    pub fn link_opened(&mut self, url: &str) {
        self.browsing.opened.insert(url.to_owned());
    }

    /// Whether the person has opened a link for it.
    pub fn has_opened_link(&self) -> bool {
        self.browsing.has_opened()
    }

    /// Whether a link is among what is asked now.
    pub fn asks_for_link(&self) -> bool {
        let Stage::Asking { asked, .. } = &self.stage else {
            return false;
        };
        asked
            .iter()
            .any(|one| elicitation::url_of(&one.request.method, &one.request.params).is_some())
    }

    /// Whether the person is waited for in their browser, and nothing is on its way.
    pub fn is_browsing(&self) -> bool {
        matches!(self.stage, Stage::Browsing { .. })
    }

    /// Asks the server again now. Nothing while something is on its way.
    pub fn retry_now(&mut self) -> Step {
        if !self.is_browsing() {
            return Step::Nothing;
        }
        let Stage::Browsing { params, .. } = std::mem::replace(&mut self.stage, Stage::Sent) else {
            return Step::Nothing;
        };
        let label = format!("round {}, after the browser", self.round + 1);
        self.send(params, Some(label))
    }

    /// The server says that what it asked under this id is complete; where that was the last, it is asked again.
    pub fn link_completed(&mut self, id: &str) -> Step {
        self.browsing.completed.insert(id.to_owned());
        let Stage::Browsing { ids, .. } = &self.stage else {
            return Step::Nothing;
        };
        let is_all = ids.iter().all(|id| self.browsing.completed.contains(id));
        if ids.is_empty() || !is_all {
            return Step::Nothing;
        }
        self.retry_now()
    }

    /// A legacy server needs links to be opened before it does the request. `None` when the error says something else,
    /// or names no link.
    pub fn on_links_required(&mut self, error: &RpcError) -> (Option<Step>, Vec<Finding>) {
        let is_meant = error.code == elicitation::URL_ELICITATION_REQUIRED
            && self.intent.era == Era::Legacy
            && matches!(self.stage, Stage::Sent);
        if !is_meant {
            return (None, Vec::new());
        }
        let (requests, mut findings) = elicitation::required_by(error);
        if requests.is_empty() {
            return (None, findings);
        }
        let again = requests
            .iter()
            .filter(|request| self.browsing.completed.contains(&request.key))
            .map(|request| rules::link_asked_after_completion(&text::excerpt(&request.key, 80)));
        findings.extend(again);
        if self.are_opened(&requests) {
            return (
                Some(self.browse_again(&requests, self.sent.clone())),
                findings,
            );
        }
        let step = match self.too_many_questions() {
            Some(over) => over,
            None => self.ask(requests, None, true),
        };
        (Some(step), findings)
    }

    /// All that is asked for are links which the person has opened: the same answer once more, after a while.
    pub(super) fn asked_for_opened_links(
        &mut self,
        requests: &[InputRequest],
        state: Option<&str>,
    ) -> Option<Step> {
        if !self.are_opened(requests) {
            return None;
        }
        let accepted = elicitation::reply(Action::Accept, None).unwrap_or_default();
        let mut responses = ObjectWriter::new();
        for request in requests {
            responses.raw(&request.key, &accepted);
        }
        let params = self.retry_params(Some(&responses.finish()), state);
        Some(self.browse_again(requests, Some(params)))
    }

    /// The links of a legacy error were all opened: the request is sent again when the person is done.
    pub(super) fn browse(&mut self, ids: Vec<String>) -> Step {
        self.browsing.asked_again = 0;
        let params = self.sent.clone();
        let is_done = !ids.is_empty() && ids.iter().all(|id| self.browsing.completed.contains(id));
        self.stage = Stage::Browsing { params, ids };
        if is_done {
            return self.retry_now();
        }
        self.await_browser()
    }

    /// A link of a legacy error was not opened, so the request is not sent again.
    pub(super) fn link_refused(&mut self, is_declined: bool) -> Step {
        if !is_declined {
            return self.finish(Finish::Cancelled);
        }
        let message = format!(
            "{} needs a link to be opened first, which you declined.",
            self.title()
        );
        let hint = "Ask again to see the link once more.";
        self.fail("link declined", message, Some(hint))
    }

    fn are_opened(&self, requests: &[InputRequest]) -> bool {
        !requests.is_empty()
            && requests.iter().all(|request| {
                elicitation::url_of(&request.method, &request.params)
                    .is_some_and(|url| self.browsing.opened.contains(&url))
            })
    }

    fn browse_again(&mut self, requests: &[InputRequest], params: Option<String>) -> Step {
        self.browsing.asked_again += 1;
        let ids = requests
            .iter()
            .filter_map(|request| match elicitation::read(&request.params) {
                elicitation::Elicitation::Url { elicitation_id, .. } => elicitation_id,
                _ => None,
            });
        let ids: Vec<String> = ids.collect();
        // What was said to be complete, and is asked for all the same, is not complete.
        for id in &ids {
            self.browsing.completed.remove(id);
        }
        self.stage = Stage::Browsing { params, ids };
        self.await_browser()
    }

    fn await_browser(&self) -> Step {
        let asked_again = self.browsing.asked_again;
        Step::Browse {
            millis: (asked_again < ASKED_BY_ITSELF).then(|| pause_millis(asked_again)),
            asked_again,
        }
    }
}

/// Two seconds, doubled with each time in a row, at most a minute: people take their time in a browser.
fn pause_millis(asked_again: u32) -> u64 {
    (2_000_u64 << asked_again.saturating_sub(1).min(5)).min(60_000)
}
