//! The commands about what a server offers beside tools: lists, resources, prompts and completions.

use journal::event::OperationId;
use protocol::completion;
use protocol::uri_template::{Template, Value};
use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use crate::App;
use crate::api::calls::{
    CompleteArgs, ExpandTemplateArgs, FetchListArgs, FetchMoreArgs, GetPromptArgs,
    ReadResourceArgs, ServerArgs,
};
use crate::api::lists::{
    CompletionView, ListView, OfferedPromptView, ResourceTemplateView, ResourceView,
};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;
use crate::engine::{self, Came, Input, OfferInput};

impl App {
    pub(crate) async fn resources(
        &self,
        args: ServerArgs,
    ) -> Result<ListView<ResourceView>, ErrorView> {
        let server = args.server;
        self.engine
            .ask(|answer| Input::Offer(OfferInput::Resources { server, answer }))
            .await
    }

    pub(crate) async fn resource_templates(
        &self,
        args: ServerArgs,
    ) -> Result<ListView<ResourceTemplateView>, ErrorView> {
        let server = args.server;
        self.engine
            .ask(|answer| Input::Offer(OfferInput::ResourceTemplates { server, answer }))
            .await
    }

    pub(crate) async fn prompts(
        &self,
        args: ServerArgs,
    ) -> Result<ListView<OfferedPromptView>, ErrorView> {
        let server = args.server;
        self.engine
            .ask(|answer| Input::Offer(OfferInput::Prompts { server, answer }))
            .await
    }

    pub(crate) async fn fetch_list(&self, args: FetchListArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Offer(OfferInput::Fetch {
                    server: args.server,
                    list: args.list,
                    refresh: args.refresh,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn fetch_more(&self, args: FetchMoreArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Offer(OfferInput::FetchMore {
                    server: args.server,
                    list: args.list,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn read_resource(
        &self,
        args: ReadResourceArgs,
    ) -> Result<OperationId, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Offer(OfferInput::ReadResource {
                    server: args.server,
                    uri: args.uri,
                    refresh: args.refresh,
                    answer,
                })
            })
            .await
    }

    #[expect(clippy::unused_async, reason = "commands are all alike")]
    pub(crate) async fn expand_template(
        &self,
        args: ExpandTemplateArgs,
    ) -> Result<String, ErrorView> {
        let template = Template::parse(&args.uri_template).map_err(|why| {
            bad_input(
                &why,
                "The template has to be mended in the server; a URI can be typed instead.",
            )
        })?;
        template
            .expand(&given(&args.values)?)
            .map_err(|why| bad_input(&why, "Change the values."))
    }

    pub(crate) async fn get_prompt(&self, args: GetPromptArgs) -> Result<OperationId, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Offer(OfferInput::GetPrompt {
                    server: args.server,
                    prompt: (args.prompt, args.name),
                    arguments: args.arguments,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn complete(&self, args: CompleteArgs) -> Result<CompletionView, ErrorView> {
        let (operation, ended) = self
            .engine
            .ask(|answer| {
                Input::Offer(OfferInput::Complete {
                    server: args.server,
                    target: args.target,
                    argument: args.argument,
                    value: args.value,
                    context: args.context,
                    answer,
                })
            })
            .await?;
        let ending = ended.await.map_err(|_| engine::ended())?;
        let failed = |message: String, hint: Option<String>| ErrorView {
            code: ErrorCode::Failed,
            message: self.redacted(message),
            hint,
        };
        match ending.came {
            Came::Result(result) => {
                let completion = completion::read(&result);
                Ok(CompletionView {
                    values: completion
                        .values
                        .into_iter()
                        .map(|value| self.redacted(value))
                        .collect(),
                    total: completion.total,
                    has_more: completion.has_more,
                    problems: completion.problems,
                    operation,
                })
            }
            Came::Error(error) => Err(failed(
                format!(
                    "The server answered with error {}: {}",
                    error.code, error.message
                ),
                None,
            )),
            Came::Cancelled => Err(ErrorView {
                code: ErrorCode::Gone,
                message: "What was typed meanwhile is completed instead.".to_owned(),
                hint: None,
            }),
            Came::Failed { message, hint } | Came::WrongId { message, hint } => {
                Err(failed(message, hint))
            }
            Came::Unreadable(_) => Err(failed(
                "The server's answer is not MCP; its row shows what came.".to_owned(),
                None,
            )),
            Came::Silence { waited } => Err(failed(
                format!(
                    "The server did not answer within {} seconds.",
                    waited.as_secs()
                ),
                None,
            )),
        }
    }

    fn redacted(&self, text: String) -> String {
        match self.redactor.redact(text.as_bytes()) {
            std::borrow::Cow::Owned(redacted) => String::from_utf8_lossy(&redacted).into_owned(),
            std::borrow::Cow::Borrowed(_) => text,
        }
    }
}

/// The values of a template's variables; empty ones are not given.
fn given(json: &str) -> Result<Vec<(String, Value)>, ErrorView> {
    let hint = "They are a JSON object of strings and arrays of strings.";
    let raw = serde_json::from_str::<&RawValue>(json)
        .map_err(|error| bad_input(&format!("The values are not valid JSON: {error}."), hint))?;
    let members = object::read_members(raw)
        .ok_or_else(|| bad_input(&format!("The values are {}.", ValueKind::of(raw)), hint))?;
    let mut given = Vec::new();
    for (name, value) in members {
        let text = object::string(value).map(std::borrow::Cow::into_owned);
        let list = || {
            let elements = object::read_elements(value)?;
            let texts = elements.into_iter().map(object::string);
            let texts: Option<Vec<_>> = texts.collect();
            Some(
                texts?
                    .into_iter()
                    .map(std::borrow::Cow::into_owned)
                    .collect(),
            )
        };
        let value: Option<Value> = match text {
            Some(text) if text.is_empty() => None,
            Some(text) => Some(Value::Text(text)),
            None => match list() {
                Some(texts) => {
                    let texts: Vec<String> = texts;
                    (!texts.is_empty()).then_some(Value::List(texts))
                }
                None => {
                    return Err(bad_input(
                        &format!("The value of {name} is {}.", ValueKind::of(value)),
                        hint,
                    ));
                }
            },
        };
        given.extend(value.map(|value| (name, value)));
    }
    Ok(given)
}
