//! Requests that servers of the legacy era send (2025-11-25 basic § Requests): what answers them, and what takes them back.

use journal::event::{ConnectionId, OperationId};
use protocol::operation::Finish;
use protocol::{elicitation, headers, request};
use serde_json::value::RawValue;
use wire::message::Id;

use super::connection::Connection;
use super::operation::{Active, Purpose};
use super::prompts::{Answers, METHOD_NOT_FOUND, ask_of, journal_name};
use super::state::Engine;
use crate::api::ErrorView;
use crate::api::feed::{PromptAction, PromptAsk};
use crate::catalog::bad_input;

/// JSON-RPC: the parameters are not usable (2025-11-25 client/elicitation § Error Handling).
const INVALID_PARAMS: i64 = -32602;

impl Engine {
    /// A legacy server does not wait for the answer to its request any more (2025-11-25 basic/utilities/cancellation).
    pub(super) fn served_no_more(&mut self, connection: ConnectionId, request_id: &str) {
        let served = self.prompts.iter().find(|open| {
            open.connection == connection
                && matches!(&open.answers, Answers::Served { id } if id == request_id)
        });
        if let Some(operation) = served.map(|open| open.operation) {
            self.finish(
                operation,
                Finish::Failed {
                    brief: "withdrawn".to_owned(),
                    message: "The server withdrew its question before it was answered.".to_owned(),
                    hint: None,
                },
            );
        }
    }

    /// The person cancels the row of a request that the server sent: the server is told so.
    pub(super) fn cancel_served(&mut self, operation: OperationId) -> Result<(), ErrorView> {
        let open = self.prompts.iter().find(|open| open.operation == operation);
        match open.map(|open| open.view.id) {
            Some(prompt) => self.answer_prompt(prompt, PromptAction::Cancel, None),
            None => Err(bad_input(
                "The answer to this request is on its way already.",
                "Disconnect to stop it.",
            )),
        }
    }

    /// The person has cancelled a call: what its server asks for it is dismissed by that, and the server is told so
    /// (2025-11-25 client/elicitation § Response Actions).
    pub(super) fn dismiss_questions_of(&mut self, call: OperationId) {
        let asked = self.prompts.iter().filter(|open| {
            open.shown_in == call
                && open.operation != call
                && matches!(open.answers, Answers::Served { .. })
        });
        let asked: Vec<u32> = asked.map(|open| open.view.id).collect();
        for prompt in asked {
            // One that was answered meanwhile is no question any more.
            let _answered = self.answer_prompt(prompt, PromptAction::Cancel, None);
        }
    }

    /// Answers a request that a legacy server sent, or asks the person to.
    pub(super) fn serve(
        &mut self,
        connection: ConnectionId,
        operation: OperationId,
        for_call: Option<OperationId>,
        (id, method, params): (Id<'_>, &str, Option<&RawValue>),
    ) {
        let Some(speaker) = self.connections.get(&connection).map(Connection::spoken) else {
            return;
        };
        let mut active = Active::new(
            connection,
            speaker,
            Purpose::Served,
            method,
            Some("asked by the server"),
        );
        active.round = 1;
        self.active.insert(operation, active);
        let capability = if method == "roots/list" {
            "roots"
        } else {
            "sampling"
        };
        match method {
            "roots/list" if self.roots_of(connection).is_some() => {
                let roots = self.roots_of(connection).unwrap_or_default();
                self.send_reply(operation, &request::response(id.token(), &roots));
            }
            "sampling/createMessage" | "roots/list" if self.was_offered(connection, capability) => {
                let params = params.unwrap_or(RawValue::NULL);
                self.serve_request(connection, operation, for_call, (id, method, params));
            }
            "ping" => self.send_reply(operation, &request::response(id.token(), "{}")),
            "elicitation/create" => {
                let empty = RawValue::NULL;
                let (message, ask) =
                    self.not_offered(operation, ask_of(method, params.unwrap_or(empty)));
                if let PromptAsk::Unsupported { reason, .. } = &ask {
                    self.send_reply(
                        operation,
                        &request::error_response(id.token(), INVALID_PARAMS, reason),
                    );
                } else {
                    let answers = Answers::Served {
                        id: id.token().to_owned(),
                    };
                    let shown_in = for_call.unwrap_or(operation);
                    let token = id.token();
                    let method = journal_name(method, &ask);
                    self.open_prompt(
                        (operation, shown_in),
                        answers,
                        token,
                        method,
                        (message, ask),
                    );
                    self.name_link(operation, params);
                }
            }
            _ => {
                let problem = format!("Roundtrip did not advertise {method}.");
                self.send_reply(
                    operation,
                    &request::error_response(id.token(), METHOD_NOT_FOUND, &problem),
                );
            }
        }
    }

    /// A link that was not offered is refused (2025-11-25 client/elicitation § Error Handling).
    fn not_offered(
        &self,
        operation: OperationId,
        (message, ask): (String, PromptAsk),
    ) -> (String, PromptAsk) {
        let is_offered = self.active.get(&operation).is_some_and(|active| {
            wire::object::get(&*active.speaker.capabilities, "elicitation")
                .is_some_and(|modes| wire::object::get(modes, "url").is_some())
        });
        if is_offered || !matches!(ask, PromptAsk::Link { .. }) {
            return (message, ask);
        }
        let unsupported = PromptAsk::Unsupported {
            json: String::new(),
            reason: "Roundtrip did not advertise elicitation by links.".to_owned(),
        };
        (message, unsupported)
    }

    /// What a later `notifications/elicitation/complete` names.
    fn name_link(&mut self, operation: OperationId, params: Option<&RawValue>) {
        let id = params.and_then(elicitation::completed);
        let open = self.prompts.iter_mut().rev();
        let links = open.filter(|open| open.operation == operation);
        for asked in links.flat_map(|open| &mut open.links) {
            asked.id.clone_from(&id);
        }
    }

    pub(super) fn send_reply(&mut self, operation: OperationId, text: &str) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let headers = headers::for_stream(&active.speaker);
        self.send_in(operation, "", text.to_owned(), headers);
    }
}
