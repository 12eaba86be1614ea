//! What a person does with what a server offers beside tools: reading resources, getting prompts, and completing what
//! they type.

use journal::event::OperationId;
use protocol::completion::{self, Reference};
use protocol::listing::ListKind;
use protocol::operation::Pages;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use wire::object::{self, ObjectWriter, ValueKind};

use super::input::Answer;
use super::lists::never_connected;
use super::operation::{Ask, Ending, Purpose};
use super::state::{Engine, reply};
use crate::api::lists::{
    CompletionTarget, ListView, OfferedPromptView, ResourceTemplateView, ResourceView,
};
use crate::api::servers::ServerId;
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;

/// Something to do with what a server offers.
pub enum OfferInput {
    /// The resources of a server.
    Resources {
        /// Which.
        server: ServerId,
        /// The list as it is.
        answer: Answer<ListView<ResourceView>>,
    },
    /// The resource templates of a server.
    ResourceTemplates {
        /// Which.
        server: ServerId,
        /// The list as it is.
        answer: Answer<ListView<ResourceTemplateView>>,
    },
    /// The prompts of a server.
    Prompts {
        /// Which.
        server: ServerId,
        /// The list as it is.
        answer: Answer<ListView<OfferedPromptView>>,
    },
    /// Fetch a list.
    Fetch {
        /// Of which server.
        server: ServerId,
        /// Which.
        list: ListKind,
        /// Past the cache.
        refresh: bool,
        /// Under way.
        answer: Answer<()>,
    },
    /// Fetch the next page of a list.
    FetchMore {
        /// Of which server.
        server: ServerId,
        /// Which.
        list: ListKind,
        /// Under way.
        answer: Answer<()>,
    },
    /// Read a resource.
    ReadResource {
        /// Of which server.
        server: ServerId,
        /// Its URI.
        uri: String,
        /// Past the cache.
        refresh: bool,
        /// The operation.
        answer: Answer<OperationId>,
    },
    /// Get a prompt.
    GetPrompt {
        /// Of which server.
        server: ServerId,
        /// Its place in the list, and the name that the person saw there.
        prompt: (u32, String),
        /// The text of a JSON object of strings.
        arguments: String,
        /// The operation.
        answer: Answer<OperationId>,
    },
    /// Complete what is typed.
    Complete {
        /// Of which server.
        server: ServerId,
        /// What for.
        target: CompletionTarget,
        /// The argument or variable.
        argument: String,
        /// What is typed so far.
        value: String,
        /// What the others hold, the text of a JSON object of strings.
        context: String,
        /// The operation, and its end to come.
        answer: Answer<(OperationId, oneshot::Receiver<Ending>)>,
    },
}

/// A field that is completed: what of, and which.
pub type CompletedField = (CompletionTarget, String);

impl Engine {
    pub(super) fn handle_offer(&mut self, input: OfferInput) {
        match input {
            OfferInput::Resources { server, answer } => reply(answer, self.resources(&server)),
            OfferInput::ResourceTemplates { server, answer } => {
                reply(answer, self.resource_templates(&server));
            }
            OfferInput::Prompts { server, answer } => reply(answer, self.offered_prompts(&server)),
            OfferInput::Fetch {
                server,
                list,
                refresh,
                answer,
            } => {
                let started = self.fetch_list(&server, list, refresh);
                reply(answer, started);
            }
            OfferInput::FetchMore {
                server,
                list,
                answer,
            } => {
                let started = self.fetch_more(&server, list);
                reply(answer, started);
            }
            OfferInput::ReadResource {
                server,
                uri,
                refresh,
                answer,
            } => {
                let started = self.read_resource(&server, &uri, refresh);
                reply(answer, started);
            }
            OfferInput::GetPrompt {
                server,
                prompt,
                arguments,
                answer,
            } => {
                let started = self.get_prompt(&server, (prompt.0, &prompt.1), &arguments);
                reply(answer, started.map_err(|error| self.redacted_error(error)));
            }
            OfferInput::Complete {
                server,
                target,
                argument,
                value,
                context,
                answer,
            } => {
                let started = self.complete(&server, target, (argument, &value), &context);
                reply(answer, started);
            }
        }
    }

    /// Reads a resource, from the cache while its answer is fresh.
    fn read_resource(
        &mut self,
        server: &str,
        uri: &str,
        refresh: bool,
    ) -> Result<OperationId, ErrorView> {
        const METHOD: &str = "resources/read";
        let id = self.connected(server)?;
        if uri.is_empty() {
            return Err(bad_input(
                "The URI is empty.",
                "Type the URI of a resource, such as file:///notes.txt.",
            ));
        }
        let connection = self.connections.get(&id).ok_or_else(never_connected)?;
        let mut params = ObjectWriter::new();
        params.string("uri", uri);
        let params = params.finish();
        let kept = connection
            .cache
            .as_ref()
            .filter(|_| !refresh)
            .and_then(|cache| cache.fresh(METHOD, Some(&params), client::clock::now_micros()))
            .cloned();
        if let Some(kept) = kept {
            return Ok(self.answer_from_cache(id, METHOD, Some(uri), &[kept]));
        }
        self.start_offer(server, METHOD, Some(uri), params, None)
    }

    fn get_prompt(
        &mut self,
        server: &str,
        (place, name): (u32, &str),
        arguments: &str,
    ) -> Result<OperationId, ErrorView> {
        let id = self.connected(server)?;
        let connection = self.connections.get(&id).ok_or_else(never_connected)?;
        let prompt = connection.lists.prompts.get(place);
        if prompt.is_none_or(|prompt| prompt.name != name) {
            return Err(ErrorView {
                code: ErrorCode::Gone,
                message: "The server's list of prompts has changed: this prompt is not in its place any more."
                    .to_owned(),
                hint: Some("Choose it again in the list.".to_owned()),
            });
        }
        let given = texts(arguments, "The arguments")?;
        let mut params = ObjectWriter::new();
        params.string("name", name);
        if !given.is_empty() {
            params.raw("arguments", arguments);
        }
        self.start_offer(server, "prompts/get", Some(name), params.finish(), None)
    }

    /// Asks for suggestions; what was asked for this field before is of no use any more and is cancelled.
    fn complete(
        &mut self,
        server: &str,
        target: CompletionTarget,
        (argument, value): (String, &str),
        context: &str,
    ) -> Result<(OperationId, oneshot::Receiver<Ending>), ErrorView> {
        let id = self.connected(server)?;
        let context = texts(context, "The other arguments")?;
        let connection = self.connections.get_mut(&id).ok_or_else(never_connected)?;
        let speaker = connection.speaker.clone().ok_or_else(never_connected)?;
        let (reference, title) = match &target {
            CompletionTarget::Prompt { name } => (Reference::Prompt(name.clone()), name.clone()),
            CompletionTarget::ResourceTemplate { uri_template } => (
                Reference::ResourceTemplate(uri_template.clone()),
                uri_template.clone(),
            ),
        };
        let params =
            completion::params(&reference, (&argument, value), &context, &speaker.revision);
        let title = format!("{title} · {argument}");
        let field: CompletedField = (target, argument);
        if let Some(before) = connection.completing.remove(&field) {
            // It may have ended long ago.
            let _over = self.cancel(before);
        }
        let (ender, ended) = oneshot::channel();
        let operation = self.start_offer(
            server,
            "completion/complete",
            Some(&title),
            params,
            Some(ender),
        )?;
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.completing.insert(field, operation);
        }
        Ok((operation, ended))
    }

    fn start_offer(
        &mut self,
        server: &str,
        method: &str,
        name: Option<&str>,
        params: String,
        ender: Option<oneshot::Sender<Ending>>,
    ) -> Result<OperationId, ErrorView> {
        let id = self.connected(server)?;
        let connection = self.connections.get(&id).ok_or_else(never_connected)?;
        let speaker = connection.speaker.clone().ok_or_else(never_connected)?;
        let limit = connection.request_limit();
        let ask = Ask {
            method: method.to_owned(),
            name: name.map(str::to_owned),
            params: Some(params),
            pages: Pages::One,
            purpose: Purpose::Call,
            mirrored: Vec::new(),
            limit,
            progress: method != "completion/complete",
        };
        Ok(self.start(id, speaker, ask, ender))
    }
}

/// The members of a JSON object whose values are strings, in order.
fn texts(json: &str, what: &str) -> Result<Vec<(String, String)>, ErrorView> {
    let hint = "They are a JSON object of strings, such as {\"city\": \"Rome\"}.";
    let raw = serde_json::from_str::<&RawValue>(json)
        .map_err(|error| bad_input(&format!("{what} are not valid JSON: {error}."), hint))?;
    let members = object::read_members(raw)
        .ok_or_else(|| bad_input(&format!("{what} are {}.", ValueKind::of(raw)), hint))?;
    members
        .into_iter()
        .map(|(name, value)| match object::string(value) {
            Some(text) => Ok((name, text.into_owned())),
            None => Err(bad_input(
                &format!(
                    "The value of {name} is {}, not a string.",
                    ValueKind::of(value)
                ),
                hint,
            )),
        })
        .collect()
}
