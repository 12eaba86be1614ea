//! Links: opening them once the person has agreed, and waiting for the person in their browser.
//!
//! A link is handed to the browser by the one call in [`Engine::hand_over`], and only from a prompt that the person has
//! accepted. While they are there, a prompt of Roundtrip's own stands for it: it asks nothing, and from it the link is
//! opened again, the server asked again, or the operation cancelled.

use std::sync::Arc;
use std::time::Duration;

use client::clock::now_micros;
use journal::event::{ConnectionId, EventBody, OperationEnd, OperationId};
use protocol::elicitation;
use protocol::link::Link;
use serde_json::value::RawValue;
use wire::message::RpcError;

use super::input::{Answer, Input};
use super::operation::Purpose;
use super::prompts::{Answers, OpenPrompt};
use super::state::{Engine, Place, reply};
use crate::api::feed::{PromptAction, PromptAsk};
use crate::api::links::{HostList, LinkAct};
use crate::api::servers::ServerId;
use crate::api::{ErrorCode, ErrorView};
use crate::browser::Browser;
use crate::catalog::bad_input;

/// What a link is called in the journal, where another question has its method.
pub(super) const LINK: &str = "link";
/// What the wait for a person in their browser is called there.
const BROWSER: &str = "browser";

/// A link of a prompt, as it came: what the view holds has lost its secrets.
#[derive(Clone, Debug)]
pub(super) struct AskedLink {
    pub(super) link: Link,
    /// What a legacy server calls it.
    pub(super) id: Option<String>,
    /// The server has said that the person is done with it.
    pub(super) is_completed: bool,
}

/// What is wanted of links.
pub enum LinkWish {
    /// Do something about one.
    Act {
        /// The prompt.
        prompt: u32,
        /// What.
        act: LinkAct,
        /// Done.
        answer: Answer<()>,
    },
    /// The browser was given a link, or could not be started.
    HandedOver {
        /// The prompt.
        prompt: u32,
        /// Whether the person agrees to it by this, or did before.
        is_consent: bool,
        /// Why it could not.
        outcome: Result<(), String>,
        /// Done.
        answer: Answer<()>,
    },
    /// The hosts that were agreed to.
    Hosts {
        /// For which server.
        server: ServerId,
        /// By name.
        answer: Answer<HostList>,
    },
    /// Forget one.
    Forget {
        /// For which server.
        server: ServerId,
        /// Its name.
        host: String,
        /// Those that are left.
        answer: Answer<HostList>,
    },
}

impl Engine {
    pub(super) fn take_link_wish(&mut self, wish: LinkWish) {
        match wish {
            LinkWish::Act {
                prompt,
                act,
                answer,
            } => self.act_on_link(prompt, act, answer),
            LinkWish::HandedOver {
                prompt,
                is_consent,
                outcome,
                answer,
            } => {
                let taken = self.handed_over(prompt, is_consent, outcome);
                reply(answer, taken);
            }
            LinkWish::Hosts { server, answer } => {
                let hosts = self.consents.of(&server);
                reply(answer, Ok(HostList { hosts }));
            }
            LinkWish::Forget {
                server,
                host,
                answer,
            } => {
                self.consents.forget(&server, &host);
                self.tell_first_times(&server);
                let hosts = self.consents.of(&server);
                reply(answer, Ok(HostList { hosts }));
            }
        }
    }

    fn act_on_link(&mut self, prompt: u32, act: LinkAct, answer: Answer<()>) {
        match act {
            LinkAct::OpenedByHand => {
                let done = self
                    .openable(prompt, 0)
                    .and_then(|_| self.link_agreed(prompt));
                reply(answer, done);
            }
            LinkAct::OpenAgain { index } => {
                let is_open = self
                    .prompts
                    .iter()
                    .any(|open| open.view.id == prompt && open.is_wait_in_browser());
                if is_open {
                    self.hand_over(prompt, index, false, answer);
                } else {
                    reply(answer, Err(gone()));
                }
            }
            LinkAct::RetryNow => {
                let done = self.retry_after_browser(prompt);
                reply(answer, done);
            }
        }
    }

    /// The person accepts a link: it is handed to the browser, and the server is told when that has worked.
    pub(super) fn accept_link(&mut self, prompt: u32, answer: Answer<()>) {
        self.hand_over(prompt, 0, true, answer);
    }

    /// Whether a prompt asks to open a link.
    pub(super) fn asks_for_link(&self, prompt: u32) -> bool {
        self.prompts
            .iter()
            .any(|open| open.view.id == prompt && matches!(open.view.ask, PromptAsk::Link { .. }))
    }

    /// The address that a prompt's link opens.
    fn openable(&self, prompt: u32, index: u32) -> Result<String, ErrorView> {
        let link = self
            .prompts
            .iter()
            .find(|open| open.view.id == prompt)
            .and_then(|open| open.links.get(index as usize))
            .ok_or_else(gone)?;
        link.link.opens().ok_or_else(|| {
            bad_input(
                &format!(
                    "This link is not opened. {}",
                    link.link.refusal.as_deref().unwrap_or_default()
                ),
                "Decline it; it can be copied.",
            )
        })
    }

    /// Hands a link to the browser, beside the loop: a program that is started may take its time.
    fn hand_over(&mut self, prompt: u32, index: u32, is_consent: bool, answer: Answer<()>) {
        let url = match self.openable(prompt, index) {
            Ok(url) => url,
            Err(error) => {
                reply(answer, Err(error));
                return;
            }
        };
        let (browser, handle) = (Arc::clone(&self.browser), self.handle.clone());
        tokio::spawn(async move {
            let opening = tokio::task::spawn_blocking(move || browser.open(&url));
            let outcome = opening
                .await
                .unwrap_or_else(|error| Err(format!("Roundtrip met a fault of its own: {error}.")));
            if let Some(handle) = handle.upgrade() {
                let told = LinkWish::HandedOver {
                    prompt,
                    is_consent,
                    outcome,
                    answer,
                };
                // An engine that has ended asks no one any more.
                let _ended = handle.tell(Input::Link(told)).await;
            }
        });
    }

    fn handed_over(
        &mut self,
        prompt: u32,
        is_consent: bool,
        outcome: Result<(), String>,
    ) -> Result<(), ErrorView> {
        let said = outcome.as_ref().err().map(|why| {
            format!("The browser could not be started: {why} Copy the link and open it yourself.")
        });
        if let Some(open) = self.prompts.iter_mut().find(|open| open.view.id == prompt)
            && let PromptAsk::Link { problem, .. } | PromptAsk::Browser { problem, .. } =
                &mut open.view.ask
        {
            *problem = said;
            self.publisher.prompts_changed();
        }
        match outcome {
            Ok(()) if is_consent => self.link_agreed(prompt),
            Ok(()) => Ok(()),
            Err(why) => Err(ErrorView {
                code: ErrorCode::Failed,
                message: format!("The browser could not be started: {why}"),
                hint: Some("Copy the link and open it yourself.".to_owned()),
            }),
        }
    }

    /// The person agreed to a link and it is open: the server is told so, and they are waited for.
    fn link_agreed(&mut self, prompt: u32) -> Result<(), ErrorView> {
        let open = self
            .prompts
            .iter()
            .find(|open| open.view.id == prompt)
            .filter(|open| matches!(open.view.ask, PromptAsk::Link { .. }))
            .ok_or_else(gone)?;
        let (server, links) = (open.view.server.clone(), open.links.clone());
        let (operation, shown_in) = (open.operation, open.shown_in);
        let (key, message) = (open.view.input_key.clone(), open.view.message.clone());
        // A server's own request is over with its answer; what it is for, where that is known, waits.
        let waits_in = match open.answers {
            Answers::Served { .. } if operation == shown_in => None,
            _ => Some(shown_in),
        };
        for asked in &links {
            self.consents.add(&server, &asked.link.host, now_micros());
            if let Some(machine) = self
                .active
                .get_mut(&operation)
                .and_then(|active| active.machine.as_mut())
            {
                machine.link_opened(&asked.link.url);
            }
        }
        self.tell_first_times(&server);
        let taken = self.take_answer(prompt, PromptAction::Accept, None);
        if let Some(operation) = waits_in {
            self.flow_agreed(operation, &key, &message, &links);
            self.wait_in_browser(operation, &key, message, links);
        }
        taken
    }

    /// The person is in their browser for this operation.
    pub(super) fn wait_in_browser(
        &mut self,
        operation: OperationId,
        key: &str,
        message: String,
        links: Vec<AskedLink>,
    ) {
        if !self.active.contains_key(&operation) {
            return;
        }
        let views = links.iter().map(|asked| asked.link.clone());
        if let Some(open) = self.browser_prompt(operation) {
            let PromptAsk::Browser { links: shown, .. } = &mut open.view.ask else {
                return;
            };
            shown.extend(views);
            open.links.extend(links);
            self.redact_browser(operation);
            self.publisher.prompts_changed();
            return;
        }
        let can_retry = self
            .active
            .get(&operation)
            .and_then(|active| active.machine.as_ref())
            .is_some_and(protocol::operation::Operation::is_browsing);
        let ask = PromptAsk::Browser {
            links: views.collect(),
            asked_again: 0,
            next_micros: self.next_round_micros(operation),
            can_retry,
            note: None,
            problem: None,
            keeping: self.keeping_for(operation),
        };
        self.open_prompt(
            (operation, operation),
            Answers::Browser,
            key,
            BROWSER,
            (message, ask),
        );
        if let Some(open) = self.browser_prompt(operation) {
            open.links = links;
        }
    }

    fn redact_browser(&mut self, operation: OperationId) {
        let place = self.prompts.iter().position(|open| {
            open.operation == operation && matches!(open.answers, Answers::Browser)
        });
        if let Some(place) = place {
            let mut open = self.prompts.remove(place);
            self.redact_prompt(&mut open.view);
            self.prompts.insert(place, open);
        }
    }

    /// When the operation's present wait is over, on the wall's clock.
    fn next_round_micros(&self, operation: OperationId) -> Option<u64> {
        let until = self.active.get(&operation)?.wait?.until;
        let left = until.saturating_duration_since(tokio::time::Instant::now());
        Some(now_micros() + u64::try_from(left.as_micros()).unwrap_or(u64::MAX))
    }

    fn browser_prompt(&mut self, operation: OperationId) -> Option<&mut OpenPrompt> {
        self.prompts
            .iter_mut()
            .find(|open| open.operation == operation && matches!(open.answers, Answers::Browser))
    }

    /// The server waits for links that are open already: it is asked again after a while, or when the person says so.
    pub(super) fn browse(&mut self, operation: OperationId, millis: Option<u64>, again: u32) {
        if let Some(millis) = millis {
            let wait = Duration::from_millis(millis);
            let reason = format!(
                "you are in the browser; the server is asked again in {} s",
                millis / 1000
            );
            self.begin_wait(operation, wait, reason);
        }
        let next = self.next_round_micros(operation);
        if let Some(open) = self.browser_prompt(operation)
            && let PromptAsk::Browser {
                asked_again,
                next_micros,
                can_retry,
                note,
                ..
            } = &mut open.view.ask
        {
            (*asked_again, *next_micros, *can_retry) = (again, next, true);
            *note = millis.is_none().then(|| {
                format!(
                    "The server asked for the same link {again} times, so Roundtrip asks it no more by itself. Choose \
                     Retry now when you are done."
                )
            });
            self.publisher.prompts_changed();
        }
    }

    /// The operation's next request goes out: nothing can be hurried meanwhile.
    pub(super) fn browser_asks(&mut self, operation: OperationId) {
        if let Some(open) = self.browser_prompt(operation)
            && let PromptAsk::Browser {
                next_micros,
                can_retry,
                note,
                ..
            } = &mut open.view.ask
        {
            (*next_micros, *can_retry, *note) = (None, false, None);
            self.publisher.prompts_changed();
        }
    }

    fn retry_after_browser(&mut self, prompt: u32) -> Result<(), ErrorView> {
        if self.is_offer(prompt) {
            return self.go_on_with_offer(prompt);
        }
        let operation = self
            .prompts
            .iter()
            .find(|open| open.view.id == prompt && matches!(open.answers, Answers::Browser))
            .map(|open| open.operation)
            .ok_or_else(gone)?;
        let Some(active) = self.active.get_mut(&operation) else {
            return Err(gone());
        };
        let connection = active.connection;
        let Some(machine) = active.machine.as_mut() else {
            return Err(gone());
        };
        let step = if machine.is_following() {
            machine.poll_now()
        } else if machine.is_browsing() {
            machine.retry_now()
        } else {
            return Err(bad_input(
                "The server has been asked already; its answer is awaited.",
                "Cancel the call to stop it.",
            ));
        };
        if active.wait.take().is_some() {
            self.record(connection, Some(operation), EventBody::WaitEnded);
        }
        self.advance(operation, step);
        Ok(())
    }

    /// The operation goes on without the browser, or is over.
    pub(super) fn browser_over(&mut self, operation: OperationId, outcome: &str) {
        let place = self.prompts.iter().position(|open| {
            open.operation == operation && matches!(open.answers, Answers::Browser)
        });
        if let Some(place) = place {
            let open = self.prompts.remove(place);
            self.close_prompt(&open, outcome);
        }
    }

    /// How a wait in the browser ends with its operation.
    pub(super) fn browser_outcome(end: &OperationEnd) -> &'static str {
        match end {
            OperationEnd::Complete | OperationEnd::ToolError | OperationEnd::Settled { .. } => {
                "finished"
            }
            OperationEnd::Failed { .. } => "withdrawn",
            OperationEnd::Cancelled => "cancelled",
        }
    }

    /// A legacy server needs links to be opened before it does what it was asked for.
    pub(super) fn links_required(&mut self, place: Place, error: &RpcError) -> bool {
        let Some(active) = self.active.get_mut(&place.operation) else {
            return false;
        };
        // A connection is not made in a browser.
        if active.purpose == Purpose::Handshake {
            return false;
        }
        let Some(machine) = active.machine.as_mut() else {
            return false;
        };
        let (step, findings) = machine.on_links_required(error);
        self.record_findings(place.connection, Some(place.operation), None, findings);
        let Some(step) = step else {
            return false;
        };
        self.advance(place.operation, step);
        true
    }

    /// The server says that the person is done (2025-11-25 client/elicitation § Completion Notifications for URL Mode
    /// Elicitation). Ids that nobody waits for are ignored, as they must be.
    pub(super) fn link_completed(&mut self, connection: ConnectionId, params: Option<&RawValue>) {
        let Some(id) = params.and_then(elicitation::completed) else {
            return;
        };
        let mut waiting: Vec<_> = self
            .active
            .iter()
            .filter(|(_, active)| active.connection == connection && active.machine.is_some())
            .map(|(operation, _)| *operation)
            .collect();
        waiting.sort_unstable();
        for operation in waiting {
            let step = self
                .active
                .get_mut(&operation)
                .and_then(|active| active.machine.as_mut())
                .map(|machine| machine.link_completed(&id));
            if let Some(step @ protocol::operation::Step::Send { .. }) = step {
                self.end_wait_early(operation);
                self.advance(operation, step);
            } else if self.is_all_completed(operation, &id) {
                // What it is for is on its way already: the time from here on is the server's.
                self.browser_over(operation, "finished");
            }
        }
    }

    fn end_wait_early(&mut self, operation: OperationId) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        if active.wait.take().is_some() {
            let connection = active.connection;
            self.record(connection, Some(operation), EventBody::WaitEnded);
        }
    }

    /// Whether this id is the last that a wait in the browser was for.
    fn is_all_completed(&mut self, operation: OperationId, id: &str) -> bool {
        let Some(open) = self.browser_prompt(operation) else {
            return false;
        };
        for asked in &mut open.links {
            asked.is_completed |= asked.id.as_deref() == Some(id);
        }
        open.links.iter().all(|asked| asked.is_completed)
    }

    /// Whether the open links of a server are first ones, after a consent came or went.
    fn tell_first_times(&mut self, server: &str) {
        for open in &mut self.prompts {
            if open.view.server == server
                && let PromptAsk::Link { is_first, .. } = &mut open.view.ask
                && let Some(asked) = open.links.first()
            {
                *is_first = !self.consents.holds(server, &asked.link.host);
            }
        }
        self.publisher.prompts_changed();
    }
}

/// What holds a browser, for the engine.
pub type SharedBrowser = Arc<dyn Browser>;

fn gone() -> ErrorView {
    ErrorView {
        code: ErrorCode::Gone,
        message: "This link is not asked for any more: its operation has ended or it was answered."
            .to_owned(),
        hint: None,
    }
}
