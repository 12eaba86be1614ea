//! Prompts: what servers ask of the person. None is ever answered here without the person's action.

use client::clock::now_micros;
use journal::event::{ConnectionId, EventBody, OperationId};
use protocol::elicitation::{self, Action, Elicitation};
use protocol::link::Link;
use protocol::operation::{AnswerError, InputRequest};
use protocol::request;
use serde_json::value::RawValue;

use super::input::Answer;
use super::links::{AskedLink, LINK};
use super::requested;
use super::retrying::Setback;
use super::state::{Engine, reply};
use crate::api::feed::{PromptAction, PromptAsk, PromptView};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;

/// JSON-RPC: the method is not known.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// What a page may keep of one answer: pictures and sounds are among it.
const LARGEST_DRAFT: usize = 32 << 20;

/// A prompt that waits for the person.
pub struct OpenPrompt {
    /// The operation that the answer goes to.
    pub(super) operation: OperationId,
    /// The operation whose row shows it: in the legacy era the call that waits for the person, where that is clear.
    pub(super) shown_in: OperationId,
    pub(super) connection: ConnectionId,
    pub(super) answers: Answers,
    /// The links that it is about.
    pub(super) links: Vec<AskedLink>,
    pub(super) view: PromptView,
    /// The `params` of a sampling request as they came.
    pub(super) request: Option<Box<RawValue>>,
    /// What the person began to answer, as the page gave it: in memory alone.
    draft: String,
}

/// Where the answer goes.
#[derive(Clone, Debug)]
pub(super) enum Answers {
    /// Into the next round, under this key.
    Round {
        key: String,
        /// Only an elicitation can be declined; other requests can be left out.
        is_elicitation: bool,
    },
    /// Back to the server, as the reply to its request with this id (the JSON token that came).
    Served { id: String },
    /// Nowhere: it stands for the time that the person spends in their browser.
    Browser,
    /// Nowhere: it offers to go on with a link flow that was cut short; without one, with those that the keyring has.
    Unfinished { flow: Option<String> },
    /// To Roundtrip itself: whether what failed so is sent again.
    SendAgain { setback: Setback },
    /// To Roundtrip itself: whether to sign in for what was refused so.
    SignIn { setback: Setback },
}

impl OpenPrompt {
    /// Whether it asks nothing, and stands for what the person does in their browser.
    pub(super) fn is_wait_in_browser(&self) -> bool {
        matches!(self.answers, Answers::Browser | Answers::Unfinished { .. })
    }

    /// Whether a server asks it on this connection beside its calls, so that any of them may wait for the answer.
    pub(super) fn is_of_any_call_on(&self, connection: ConnectionId) -> bool {
        self.connection == connection
            && self.operation == self.shown_in
            && matches!(self.answers, Answers::Served { .. })
    }
}

impl Engine {
    /// A round's reply asks for input (2026-07-28 basic/patterns/mrtr).
    pub(super) fn open_prompts(&mut self, operation: OperationId, requests: Vec<InputRequest>) {
        if !requests.is_empty() {
            self.browser_over(operation, "finished");
        }
        for request in requests {
            if request.method == "roots/list" && self.give_roots(operation, &request.key) {
                continue;
            }
            let is_elicitation = request.method == "elicitation/create";
            let folders = self
                .active
                .get(&operation)
                .map(|active| self.folders_of(active.connection));
            let requested = requested::ask_of(
                &request.method,
                &request.params,
                &folders.unwrap_or_default(),
            );
            if let Some(ask) = requested {
                let answers = Answers::Round {
                    key: request.key.clone(),
                    is_elicitation,
                };
                self.open_prompt(
                    (operation, operation),
                    answers,
                    &request.key,
                    &request.method,
                    ask,
                );
                self.keep_request(&request.params);
                continue;
            }
            let ask = ask_of(&request.method, &request.params);
            let answers = Answers::Round {
                key: request.key.clone(),
                is_elicitation,
            };
            let method = journal_name(&request.method, &ask.1);
            self.open_prompt((operation, operation), answers, &request.key, method, ask);
        }
    }

    pub(super) fn open_prompt(
        &mut self,
        (operation, shown_in): (OperationId, OperationId),
        answers: Answers,
        key: &str,
        method: &str,
        (message, ask): (String, PromptAsk),
    ) {
        let Some(active) = self.active.get(&shown_in) else {
            return;
        };
        let (connection, round, title) = (active.connection, active.round, active.title.clone());
        let Some(link) = self.connections.get(&connection) else {
            return;
        };
        let (ask, links) = self.with_link(&link.server, ask);
        let id = self.next_prompt;
        self.next_prompt += 1;
        let mut view = PromptView {
            id,
            server: link.server.clone(),
            server_name: link.server_name.clone(),
            address: link.address.clone(),
            operation: Some(shown_in),
            operation_title: title,
            round,
            input_key: key.to_owned(),
            since_micros: now_micros(),
            lapses_micros: None,
            popped_out: false,
            message: message.clone(),
            ask,
        };
        self.redact_prompt(&mut view);
        self.prompts.push(OpenPrompt {
            operation,
            shown_in,
            connection,
            answers,
            links,
            view,
            request: None,
            draft: String::new(),
        });
        self.record(
            connection,
            Some(shown_in),
            EventBody::PromptOpened {
                prompt: id,
                round,
                key: key.to_owned(),
                method: method.to_owned(),
                message,
            },
        );
        self.task_changed(shown_in);
        self.publisher.prompts_changed();
        self.publisher.servers_changed();
    }

    /// The folders that the person has set for a server, where roots are advertised to it.
    pub(super) fn roots_of(&self, connection: ConnectionId) -> Option<String> {
        let options = &self.connections.get(&connection)?.options;
        (options.advertise.roots && !options.roots.is_empty())
            .then(|| super::speaking::roots_result(options))
    }

    /// Answers with the folders that the person has set, and says so.
    fn give_roots(&mut self, operation: OperationId, key: &str) -> bool {
        let roots = self
            .active
            .get(&operation)
            .and_then(|active| self.roots_of(active.connection));
        let Some(roots) = roots else {
            return false;
        };
        self.note(
            operation,
            format!("roots/list was answered from the server's options: {roots}"),
        );
        let step = self
            .active
            .get_mut(&operation)
            .and_then(|active| active.machine.as_mut())
            .map(|machine| machine.answer(key, roots));
        if let Some(Ok(step)) = step {
            self.advance(operation, step);
        }
        true
    }

    /// Whether a prompt offers to go on with what was cut short.
    pub(super) fn is_offer(&self, prompt: u32) -> bool {
        self.prompts.iter().any(|open| {
            open.view.id == prompt && matches!(open.answers, Answers::Unfinished { .. })
        })
    }

    pub(super) fn place_in_queue(&self, prompt: u32) -> Result<usize, ErrorView> {
        let place = self.prompts.iter().position(|open| open.view.id == prompt);
        place.ok_or_else(|| ErrorView {
            code: ErrorCode::Gone,
            message:
                "This prompt is not open any more: its operation has ended or it was answered."
                    .to_owned(),
            hint: None,
        })
    }

    /// Keeps what the person began to answer.
    pub(super) fn keep_draft(&mut self, prompt: u32, draft: String) -> Result<(), ErrorView> {
        let place = self.place_in_queue(prompt)?;
        if draft.len() > LARGEST_DRAFT {
            return Err(bad_input(
                "What was begun is too large to be kept for another window.",
                "Answer it where it was begun.",
            ));
        }
        self.prompts[place].draft = draft;
        Ok(())
    }

    /// What was kept of an answer.
    pub(super) fn draft(&self, prompt: u32) -> Result<String, ErrorView> {
        self.place_in_queue(prompt)
            .map(|place| self.prompts[place].draft.clone())
    }

    /// When nobody waits for the operation's prompts any more: its task's time to live is over then.
    pub(super) fn lapses_micros(&self, operation: OperationId) -> Option<u64> {
        if let Some(lapses) = self.offer_lapses_micros(operation) {
            return Some(lapses);
        }
        let mut newest = self.tasks.iter().rev();
        let task = newest.find(|task| task.operation == Some(operation))?;
        task.expires_micros()
    }

    /// The person's answer, or a link that is accepted and so is to be opened first.
    pub(super) fn answered(
        &mut self,
        (prompt, action, content): (u32, PromptAction, Option<String>),
        answer: Answer<()>,
    ) {
        if action == PromptAction::Accept && self.asks_for_link(prompt) {
            self.accept_link(prompt, answer);
        } else {
            let taken = self.answer_prompt(prompt, action, content.as_deref());
            reply(answer, taken);
        }
    }

    /// A link's ask says whether its host is a first one; the link itself is kept beside the view.
    fn with_link(&self, server: &str, mut ask: PromptAsk) -> (PromptAsk, Vec<AskedLink>) {
        let PromptAsk::Link { link, is_first, .. } = &mut ask else {
            return (ask, Vec::new());
        };
        *is_first = !self.consents.holds(server, &link.host);
        let asked = AskedLink {
            link: (**link).clone(),
            id: None,
            is_completed: false,
        };
        (ask, vec![asked])
    }

    /// The person answers. A link that is accepted is opened first ([`Engine::accept_link`]).
    pub(super) fn answer_prompt(
        &mut self,
        prompt: u32,
        action: PromptAction,
        content: Option<&str>,
    ) -> Result<(), ErrorView> {
        if self.is_offer(prompt) {
            return self.discard_offer(prompt, action == PromptAction::Accept);
        }
        let waiting = self
            .prompts
            .iter()
            .find(|open| open.view.id == prompt && matches!(open.answers, Answers::Browser))
            .map(|open| open.operation);
        let Some(operation) = waiting else {
            return self.take_answer(prompt, action, content);
        };
        if action == PromptAction::Accept {
            return Err(bad_input(
                "There is nothing to accept: the server is waited for.",
                "Choose Retry now, or cancel the call.",
            ));
        }
        self.browser_over(operation, "cancelled");
        self.cancel(operation)
    }

    /// Takes the answer to a prompt that has one.
    pub(super) fn take_answer(
        &mut self,
        prompt: u32,
        action: PromptAction,
        content: Option<&str>,
    ) -> Result<(), ErrorView> {
        let place = self.place_in_queue(prompt)?;
        let open = &self.prompts[place];
        if matches!(
            open.view.ask,
            PromptAsk::Sampling { .. } | PromptAsk::Roots { .. }
        ) {
            return self.answer_request(place, action, content);
        }
        if action == PromptAction::Accept && matches!(open.view.ask, PromptAsk::Unsupported { .. })
        {
            return Err(bad_input(
                "This prompt cannot be answered here.",
                "Decline or cancel it.",
            ));
        }
        let is_ours = matches!(
            open.answers,
            Answers::SendAgain { .. } | Answers::SignIn { .. }
        );
        let reply = if is_ours {
            String::new()
        } else {
            elicitation::reply(
                match action {
                    PromptAction::Accept => Action::Accept,
                    PromptAction::Decline => Action::Decline,
                    PromptAction::Cancel => Action::Cancel,
                },
                content,
            )
            .map_err(|problem| bad_input(&problem, "The answer must be a JSON object."))?
        };
        if let Answers::Round { .. } = &self.prompts[place].answers {
            self.learn_answer(self.prompts[place].operation, &reply);
        }
        let open = self.prompts.remove(place);
        let asks_for_sign_in = matches!(open.answers, Answers::SignIn { .. });
        let outcome = match (is_ours, action) {
            (true, PromptAction::Accept) if asks_for_sign_in => "accepted",
            (true, PromptAction::Accept) => "sent again",
            (true, _) => "stopped",
            (false, PromptAction::Accept) => "accepted",
            (false, PromptAction::Decline) => "declined",
            (false, PromptAction::Cancel) => "cancelled",
        };
        self.close_prompt(&open, outcome);
        match open.answers {
            Answers::Round {
                key,
                is_elicitation,
            } => {
                let Some(machine) = self
                    .active
                    .get_mut(&open.operation)
                    .and_then(|active| active.machine.as_mut())
                else {
                    return Ok(());
                };
                let step = if is_elicitation {
                    machine.answer(&key, reply)
                } else {
                    machine.leave_out(&key)
                };
                match step {
                    Ok(step) => self.advance(open.operation, step),
                    Err(AnswerError::NotAsked { key } | AnswerError::NotAnObject { key }) => {
                        tracing::warn!(key, "an answer was not taken");
                    }
                }
            }
            Answers::Served { id } => {
                self.send_reply(open.operation, &request::response(&id, &reply));
            }
            Answers::Browser | Answers::Unfinished { .. } => {}
            Answers::SendAgain { setback } => {
                let is_wanted = action == PromptAction::Accept;
                self.send_again_answered(open.operation, setback, is_wanted);
            }
            Answers::SignIn { setback } => {
                let is_wanted = action == PromptAction::Accept;
                self.sign_in_answered(open.operation, setback, is_wanted);
            }
        }
        Ok(())
    }

    pub(super) fn close_prompt(&mut self, open: &OpenPrompt, outcome: &str) {
        self.record(
            open.connection,
            Some(open.shown_in),
            EventBody::PromptClosed {
                prompt: open.view.id,
                outcome: outcome.to_owned(),
            },
        );
        self.task_changed(open.shown_in);
        self.publisher.prompts_changed();
        self.publisher.servers_changed();
    }

    /// The operation is over, so nobody waits for the answers.
    pub(super) fn withdraw_prompts(&mut self, operation: OperationId) {
        let (withdrawn, kept) = std::mem::take(&mut self.prompts)
            .into_iter()
            .partition(|open| open.operation == operation);
        self.prompts = kept;
        for open in &withdrawn {
            self.close_prompt(open, "withdrawn");
        }
    }

    /// A task does not ask these any more.
    pub(super) fn withdraw_keys(&mut self, operation: OperationId, keys: &[String]) {
        let (withdrawn, kept) = std::mem::take(&mut self.prompts)
            .into_iter()
            .partition(|open| {
                open.operation == operation
                    && matches!(&open.answers, Answers::Round { key, .. } if keys.contains(key))
            });
        self.prompts = kept;
        for open in &withdrawn {
            self.close_prompt(open, "withdrawn");
        }
    }
}

/// What a prompt is called in the journal: its method, or a link.
pub(super) fn journal_name<'a>(method: &'a str, ask: &PromptAsk) -> &'a str {
    if matches!(ask, PromptAsk::Link { .. }) {
        LINK
    } else {
        method
    }
}

/// What a request asks, in a form that can be drawn, with the server's message.
pub(super) fn ask_of(method: &str, params: &RawValue) -> (String, PromptAsk) {
    let unsupported = |message: &str, reason: String| {
        let json = wire::pretty::layout(params.get().as_bytes())
            .unwrap_or_else(|| params.get().to_owned());
        (message.to_owned(), PromptAsk::Unsupported { json, reason })
    };
    if method != "elicitation/create" {
        let reason = match method {
            "sampling/createMessage" => {
                "The request has no params object, so there is nothing to show. It can be left out of the answer."
                    .to_owned()
            }
            "" => "This entry of inputRequests is not a request. It can be left out of the answer."
                .to_owned(),
            _ => format!("The method {method} is not known. It can be left out of the answer."),
        };
        return unsupported(method, reason);
    }
    match elicitation::read(params) {
        Elicitation::Form { message, schema } => (
            message,
            PromptAsk::Form {
                schema: schema.get().to_owned(),
            },
        ),
        Elicitation::Url { message, url, .. } => (
            message,
            PromptAsk::Link {
                link: Box::new(Link::judge(&url)),
                is_first: true,
                problem: None,
            },
        ),
        Elicitation::Unknown { reason } => unsupported("", reason),
    }
}
