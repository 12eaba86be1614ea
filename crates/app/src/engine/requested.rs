//! Sampling and roots: what a server asks of the person beside forms and links, and how that is answered or refused
//! (client/sampling, client/roots). Roots are given without a prompt where the person has set folders for the server.

use journal::event::{ConnectionId, OperationId};
use protocol::era::Revision;
use protocol::request;
use protocol::sampling::{self, Request};
use serde_json::value::RawValue;
use wire::message::Id;
use wire::object::{self, ValueKind};

use super::prompts::{Answers, OpenPrompt};
use super::state::Engine;
use crate::api::ErrorView;
use crate::api::feed::{PromptAction, PromptAsk};
use crate::catalog::bad_input;
use crate::folders;

/// The person refused (2025-11-25 client/sampling § Error Handling).
const REJECTED: i64 = -1;
/// JSON-RPC: the parameters are not usable.
const INVALID_PARAMS: i64 = -32602;

/// A sampling request that is open, as it came but for secrets.
#[derive(Debug)]
pub struct SamplingAsked {
    /// The `params`.
    pub params: String,
    /// The revision that is spoken.
    pub revision: Revision,
    /// Whether a refusal is sent to the server.
    pub is_refusal_sent: bool,
}

/// What a sampling or roots request asks, and its message for rows and lists: the conversation's last words.
pub(super) fn ask_of(
    method: &str,
    params: &RawValue,
    folders: &[String],
) -> Option<(String, PromptAsk)> {
    match method {
        "sampling/createMessage" if ValueKind::of(params) == ValueKind::Object => {
            let request = Request::read(params);
            let count = |len| u32::try_from(len).unwrap_or(u32::MAX);
            let ask = PromptAsk::Sampling {
                messages: count(request.messages.len()),
                tools: count(request.tools.len()),
                max_tokens: request.max_tokens.clone(),
            };
            Some((request.last_words(), ask))
        }
        "roots/list" => Some((
            String::new(),
            PromptAsk::Roots {
                folders: folders.to_vec(),
            },
        )),
        _ => None,
    }
}

impl Engine {
    /// Whether the connection's server was told of this capability.
    pub(super) fn was_offered(&self, connection: ConnectionId, capability: &str) -> bool {
        self.connections.get(&connection).is_some_and(|connection| {
            object::get(&*connection.spoken().capabilities, capability).is_some()
        })
    }

    /// The folders that the person has set for a server.
    pub(super) fn folders_of(&self, connection: ConnectionId) -> Vec<String> {
        let connection = self.connections.get(&connection);
        connection.map_or_else(Vec::new, |connection| connection.options.roots.clone())
    }

    /// What makes a request that a legacy server sent one that is answered by an error (2025-11-25 client/sampling §
    /// Error Handling; `CreateMessageRequestParams.tools`).
    pub(super) fn invalid_request(
        &self,
        connection: ConnectionId,
        method: &str,
        params: &RawValue,
    ) -> Option<String> {
        if method != "sampling/createMessage" {
            return None;
        }
        if ValueKind::of(params) != ValueKind::Object {
            return Some("The request has no params object".to_owned());
        }
        let request = Request::read(params);
        let offers_tools = self.connections.get(&connection).is_some_and(|connection| {
            object::get(&*connection.spoken().capabilities, "sampling")
                .is_some_and(|sampling| object::get(sampling, "tools").is_some())
        });
        if request.wants_tools && !offers_tools {
            return Some("Roundtrip did not declare sampling.tools".to_owned());
        }
        request.invalid
    }

    /// A request of a legacy server for sampling or roots: it is asked of the person, or refused as the specification
    /// says.
    pub(super) fn serve_request(
        &mut self,
        connection: ConnectionId,
        operation: OperationId,
        for_call: Option<OperationId>,
        (id, method, params): (Id<'_>, &str, &RawValue),
    ) {
        if let Some(why) = self.invalid_request(connection, method, params) {
            self.note(
                operation,
                format!("The request is not valid, so it was refused without a question: {why}."),
            );
            let text = request::error_response(id.token(), INVALID_PARAMS, &why);
            self.send_reply(operation, &text);
            return;
        }
        let Some(ask) = ask_of(method, params, &self.folders_of(connection)) else {
            return;
        };
        let answers = Answers::Served {
            id: id.token().to_owned(),
        };
        let shown_in = for_call.unwrap_or(operation);
        self.open_prompt((operation, shown_in), answers, id.token(), method, ask);
        self.keep_request(params);
    }

    /// Keeps what the prompt that was opened last asks, to be shown whole.
    pub(super) fn keep_request(&mut self, params: &RawValue) {
        if let Some(open) = self.prompts.last_mut()
            && matches!(open.view.ask, PromptAsk::Sampling { .. })
        {
            open.request = Some(params.to_owned());
        }
    }

    /// A sampling request whole.
    pub(super) fn sampling_asked(&self, prompt: u32) -> Result<SamplingAsked, ErrorView> {
        let open = &self.prompts[self.place_in_queue(prompt)?];
        let params = open
            .request
            .as_ref()
            .ok_or_else(|| bad_input("This prompt is no sampling request.", "Look at its kind."))?;
        Ok(SamplingAsked {
            params: self.redacted_text(params.get().to_owned()),
            revision: self.revision_of(open),
            is_refusal_sent: matches!(open.answers, Answers::Served { .. }),
        })
    }

    fn revision_of(&self, open: &OpenPrompt) -> Revision {
        let connection = self.connections.get(&open.connection);
        connection.map_or(Revision::V2026_07_28, |connection| {
            connection.spoken().revision.clone()
        })
    }

    /// The person answers a sampling or roots request, or refuses it, perhaps with a reason.
    pub(super) fn answer_request(
        &mut self,
        place: usize,
        action: PromptAction,
        content: Option<&str>,
    ) -> Result<(), ErrorView> {
        let open = &self.prompts[place];
        let reply = match action {
            PromptAction::Accept => Some(self.checked(open, content.unwrap_or_default())?),
            PromptAction::Decline | PromptAction::Cancel => None,
        };
        let open = self.prompts.remove(place);
        let reason = content
            .map(str::trim)
            .filter(|reason| reply.is_none() && !reason.is_empty());
        let outcome = match (action, reason) {
            (PromptAction::Accept, _) => "answered".to_owned(),
            (PromptAction::Decline, Some(reason)) => format!("rejected: {reason}"),
            (PromptAction::Decline, None) => "rejected".to_owned(),
            (PromptAction::Cancel, _) => "cancelled".to_owned(),
        };
        self.close_prompt(&open, &outcome);
        match (open.answers, reply) {
            (Answers::Round { key, .. }, Some(reply)) => {
                let step = self
                    .active
                    .get_mut(&open.operation)
                    .and_then(|active| active.machine.as_mut())
                    .map(|machine| machine.answer(&key, reply));
                match step {
                    Some(Ok(step)) => self.advance(open.operation, step),
                    Some(Err(error)) => tracing::warn!(?error, "an answer was not taken"),
                    None => {}
                }
            }
            (Answers::Round { key, .. }, None) => self.refuse_round(open.operation, &key),
            (Answers::Served { id }, Some(reply)) => {
                self.send_reply(open.operation, &request::response(&id, &reply));
            }
            (Answers::Served { id }, None) => {
                let words = reason.unwrap_or(match open.view.ask {
                    PromptAsk::Roots { .. } => "User rejected the request for roots",
                    _ => "User rejected sampling request",
                });
                let text = request::error_response(&id, REJECTED, words);
                self.send_reply(open.operation, &text);
            }
            // No server waits for the others.
            (_, _) => {}
        }
        Ok(())
    }

    /// A round's request is refused. No answer says so: the server does not wait for one, so the call is not sent again
    /// and ends here (2026-07-28 client/sampling § Error Handling). A task goes on without the answer.
    fn refuse_round(&mut self, operation: OperationId, key: &str) {
        let Some(machine) = self
            .active
            .get_mut(&operation)
            .and_then(|active| active.machine.as_mut())
        else {
            return;
        };
        if machine.is_following() {
            if let Ok(step) = machine.leave_out(key) {
                self.advance(operation, step);
            }
        } else if let Err(error) = self.cancel(operation) {
            tracing::debug!(message = error.message, "the refused call had ended");
        }
    }

    fn checked(&self, open: &OpenPrompt, content: &str) -> Result<String, ErrorView> {
        let Some(params) = &open.request else {
            return folders::answer(content);
        };
        let request = Request::read(params);
        sampling::answer(content, &request, &self.revision_of(open)).map_err(|breaches| {
            let words: Vec<_> = breaches
                .iter()
                .map(|breach| match breach.pointer.as_str() {
                    "" => breach.message.clone(),
                    pointer => format!("{pointer}: {}", breach.message),
                })
                .collect();
            bad_input(
                &format!("The answer was not sent. {}", words.join(" ")),
                "Correct it; the server would refuse it too.",
            )
        })
    }
}
