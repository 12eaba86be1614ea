//! Tools that ask for what was deprecated with 2026-07-28 and works until it goes: sampling (client/sampling) and roots
//! (client/roots). A client of 2026-07-28 is asked within the result, an older one by a request while its call waits.
#![allow(deprecated)] // The SDK says of both what the specification says.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::handler::server::tool::{InputResponses, RequestState};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequest,
    CreateMessageRequestParams, CreateMessageResult, InputRequest, InputRequests,
    InputRequiredResult, ListRootsRequest, ListRootsResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::asking::{cancelled, identity_of, is_modern};
use super::failed;
use crate::guide::Restaurant;
use crate::resources::PICTURE;
use crate::server::DemoServer;

/// The key of the question among the input requests.
const QUESTION: &str = "question";
/// How often the model may use the tool before it must answer.
const MOST_TURNS: usize = 3;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct SuggestInput {
    /// A restaurant of the guide, e.g. Trattoria Lucia.
    #[schemars(title = "Restaurant", length(min = 1))]
    restaurant: String,
    /// What the guest likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(title = "Taste", with = "String")]
    taste: Option<String>,
}

/// What the client carries from one round to the next: the conversation after the first question.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Turns {
    messages: Vec<Value>,
}

/// What to do after the model's words.
enum Next {
    Answer(CallToolResult),
    /// Ask again: it used the tool.
    AskAgain,
}

#[tool_router(router = asking_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Suggest a dish",
        description = "Asks the client's language model for a dish (sampling, deprecated since 2026-07-28). The model \
                       may look prices up with a tool of this request before it answers.",
        annotations(read_only_hint = true, open_world_hint = true)
    )]
    async fn suggest_dish(
        &self,
        Parameters(input): Parameters<SuggestInput>,
        RequestState(state): RequestState,
        InputResponses(responses): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let restaurant = match Restaurant::named_or_say(&input.restaurant) {
            Ok(restaurant) => restaurant,
            Err(problem) => return Ok(failed(problem).into()),
        };
        let Some(with_tools) = takes_samples(&context) else {
            return undeclared(&context, &json!({ "sampling": {} }), "sampling");
        };
        if !is_modern(&context) {
            return suggest_while_waiting(restaurant, &input, with_tools, &context)
                .await
                .map(Into::into);
        }
        let call = identity_of("suggest_dish", &input)?;
        let mut turns: Turns = match state.as_deref() {
            None => Turns::default(),
            Some(state) => self.open(state, &call)?,
        };
        let reply = responses.unwrap_or_default().remove(QUESTION);
        // Without a state nothing was asked yet, and answers to nothing are ignored.
        if let Some(reply) = reply.filter(|_| state.is_some())
            && let Next::Answer(result) = take(restaurant, &mut turns, &reply)?
        {
            return Ok(result.into());
        }
        let question = question(restaurant, &input, &turns, with_tools)?;
        let state = self.seal(&turns, &call)?;
        let request = InputRequest::CreateMessage(CreateMessageRequest::new(question));
        let requests = InputRequests::from([(QUESTION.to_owned(), request)]);
        Ok(InputRequiredResult::new(Some(requests), Some(state)).into())
    }

    #[tool(
        title = "List shared folders",
        description = "Asks the client which folders it shares (roots, deprecated since 2026-07-28) and names them. \
                       Nothing in them is looked at.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn shared_folders(
        &self,
        InputResponses(responses): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let declares = context
            .client_capabilities()
            .is_some_and(|capabilities| capabilities.roots.is_some());
        if !declares {
            return undeclared(&context, &json!({ "roots": {} }), "roots");
        }
        if !is_modern(&context) {
            let told = tokio::select! {
                told = context.peer.list_roots() => told,
                () = context.ct.cancelled() => return Err(cancelled()),
            };
            return Ok(match told {
                Ok(roots) => name_folders(&roots),
                Err(error) => failed(format!("The folders were not told: {error}.")),
            }
            .into());
        }
        if let Some(reply) = responses.unwrap_or_default().remove(QUESTION) {
            let roots = read::<ListRootsResult>(reply)?;
            return Ok(name_folders(&roots).into());
        }
        let request = InputRequest::ListRoots(ListRootsRequest::default());
        let requests = InputRequests::from([(QUESTION.to_owned(), request)]);
        Ok(InputRequiredResult::new(Some(requests), None).into())
    }
}

/// The whole conversation with an older client, which answers while its call waits.
async fn suggest_while_waiting(
    restaurant: &Restaurant,
    input: &SuggestInput,
    with_tools: bool,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let mut turns = Turns::default();
    loop {
        let question = question(restaurant, input, &turns, with_tools)?;
        let reply = tokio::select! {
            reply = context.peer.create_message(question) => reply,
            () = context.ct.cancelled() => return Err(cancelled()),
        };
        let reply = match reply {
            Ok(reply) => serde_json::to_value(reply).map_err(|error| unwritable(&error))?,
            Err(error) => return Ok(failed(format!("No model answered: {error}."))),
        };
        match take(restaurant, &mut turns, &reply)? {
            Next::Answer(result) => return Ok(result),
            Next::AskAgain => {}
        }
    }
}

/// The request with the conversation so far: words, the picture of the menu card, and a tool.
fn question(
    restaurant: &Restaurant,
    input: &SuggestInput,
    turns: &Turns,
    with_tools: bool,
) -> Result<CreateMessageRequestParams, ErrorData> {
    let taste = input.taste.as_deref().unwrap_or("anything");
    let mut messages = vec![
        json!({ "role": "user", "content": {
            "type": "text",
            "text": format!(
                "Which dish of {} in {} would you suggest to a guest who likes {taste}?",
                restaurant.name, restaurant.city
            )
        }}),
        json!({ "role": "user", "content": {
            "type": "image",
            "data": STANDARD.encode(PICTURE),
            "mimeType": "image/png"
        }}),
    ];
    messages.extend(turns.messages.iter().cloned());
    let mut request = json!({
        "messages": messages,
        "systemPrompt": "You are a waiter who knows the menu by heart. Answer in one sentence.",
        "modelPreferences": {
            "hints": [{ "name": "sonnet" }, { "name": "small" }],
            "costPriority": 0.6,
            "speedPriority": 0.8,
            "intelligencePriority": 0.3
        },
        "temperature": 0.5,
        "maxTokens": 200,
        "stopSequences": ["\n\n"]
    });
    if with_tools {
        let is_last = turns.messages.len() / 2 >= MOST_TURNS;
        request["tools"] = json!([{
            "name": "look_up_price",
            "description": "The price of a dish, in euros.",
            "inputSchema": {
                "type": "object",
                "properties": { "dish": { "type": "string", "title": "Dish" } },
                "required": ["dish"]
            }
        }]);
        request["toolChoice"] = json!({ "mode": if is_last { "none" } else { "auto" } });
    }
    serde_json::from_value(request).map_err(|error| unwritable(&error))
}

/// Takes the model's words: the answer, or uses of the tool, whose results are added to the conversation.
fn take(restaurant: &Restaurant, turns: &mut Turns, reply: &Value) -> Result<Next, ErrorData> {
    let answer = read::<CreateMessageResult>(reply.clone())?;
    let blocks = match &reply["content"] {
        Value::Array(blocks) => blocks.clone(),
        single => vec![single.clone()],
    };
    let uses: Vec<&Value> = blocks
        .iter()
        .filter(|block| block["type"] == "tool_use")
        .collect();
    if uses.is_empty() {
        let texts: Vec<&str> = blocks
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect();
        let mut result = CallToolResult::success(vec![ContentBlock::text(format!(
            "{} suggests: {}",
            answer.model,
            texts.join(" ")
        ))]);
        result.structured_content = Some(json!({
            "model": answer.model,
            "stopReason": answer.stop_reason,
            "blocks": blocks.len()
        }));
        return Ok(Next::Answer(result));
    }
    if turns.messages.len() / 2 >= MOST_TURNS {
        return Ok(Next::Answer(failed(format!(
            "The model used the tool {MOST_TURNS} times and never answered."
        ))));
    }
    let results: Vec<Value> = uses.iter().map(|used| price(restaurant, used)).collect();
    turns
        .messages
        .push(json!({ "role": "assistant", "content": blocks }));
    turns
        .messages
        .push(json!({ "role": "user", "content": results }));
    Ok(Next::AskAgain)
}

/// The result of looking a price up.
fn price(restaurant: &Restaurant, used: &Value) -> Value {
    let wanted = used["input"]["dish"].as_str().unwrap_or_default();
    let found = restaurant
        .dishes
        .iter()
        .find(|(dish, _)| dish.eq_ignore_ascii_case(wanted.trim()));
    let text = match found {
        Some((dish, euros)) => format!("{dish} costs {euros} euros."),
        None => format!("There is no dish {wanted:?} on the menu."),
    };
    json!({
        "type": "tool_result",
        "toolUseId": used["id"],
        "content": [{ "type": "text", "text": text }],
        "isError": found.is_none()
    })
}

fn name_folders(roots: &ListRootsResult) -> CallToolResult {
    let names: Vec<String> = roots
        .roots
        .iter()
        .map(|root| match &root.name {
            Some(name) => format!("{name} ({})", root.uri),
            None => root.uri.clone(),
        })
        .collect();
    let text = match names.len() {
        0 => "No folder is shared.".to_owned(),
        1 => format!("One folder is shared: {}.", names[0]),
        count => format!("{count} folders are shared: {}.", names.join(", ")),
    };
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// Whether the client takes sampling requests, and then whether with tools.
fn takes_samples(context: &RequestContext<RoleServer>) -> Option<bool> {
    let sampling = context.client_capabilities()?.sampling?;
    Some(sampling.tools.is_some())
}

/// The client did not say that it can be asked: an error of the protocol where there is one for it, else words.
fn undeclared(
    context: &RequestContext<RoleServer>,
    required: &Value,
    name: &str,
) -> Result<CallToolResponse, ErrorData> {
    if is_modern(context) {
        return Err(ErrorData::missing_required_client_capability(read(
            required.clone(),
        )?));
    }
    Ok(failed(format!(
        "This client has not said that it can be asked for this (the capability {name})."
    ))
    .into())
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| {
        ErrorData::invalid_params(
            format!("inputResponses.{QUESTION} is not an answer: {error}"),
            None,
        )
    })
}

fn unwritable(error: &serde_json::Error) -> ErrorData {
    ErrorData::internal_error(format!("the question cannot be written: {error}"), None)
}
