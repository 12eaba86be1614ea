//! What every tool needs that asks the person something: whom it may ask, how a question is written, and how the answer
//! is read. A client of 2026-07-28 is asked within the result and calls again (basic/patterns/mrtr); an older one gets a
//! request while its call waits.

use std::ops::ControlFlow;
use std::time::Duration;

use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, ElicitRequest,
    ElicitRequestParams, ElicitResult, ElicitationCapability, ElicitationSchema,
    FormElicitationCapability, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    ProtocolVersion, SealOptions, UrlElicitationCapability,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::failed;
use crate::guide::Restaurant;
use crate::server::DemoServer;

/// How long a person may take with a question.
pub(super) const PATIENCE: Duration = Duration::from_mins(30);

/// Whether the client is asked within results.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    speaks(context, &ProtocolVersion::V_2026_07_28)
}

/// Whether the client speaks this revision or a later one.
pub(super) fn speaks(context: &RequestContext<RoleServer>, least: &ProtocolVersion) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version >= *least)
}

/// Whether the client can show forms. One that names no mode knows them (client/elicitation § Capabilities).
pub(super) fn knows_forms(context: &RequestContext<RoleServer>) -> bool {
    elicitation(context)
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// Whether the client can ask the person to open a link.
fn knows_links(context: &RequestContext<RoleServer>) -> bool {
    elicitation(context).is_some_and(|elicitation| elicitation.url.is_some())
}

fn elicitation(context: &RequestContext<RoleServer>) -> Option<ElicitationCapability> {
    context.client_capabilities()?.elicitation
}

/// How a tool asks.
#[derive(Clone, Copy)]
pub(super) enum By {
    Forms,
    Links,
}

/// The restaurant of this name, to ask the person about; or the end of the call, where there is none, or where the client
/// cannot ask so.
pub(super) fn restaurant_to_ask_about(
    name: &str,
    by: By,
    context: &RequestContext<RoleServer>,
) -> ControlFlow<Result<CallToolResponse, ErrorData>, &'static Restaurant> {
    match Restaurant::named_or_say(name) {
        Err(problem) => ControlFlow::Break(Ok(failed(problem).into())),
        Ok(restaurant) => match by {
            By::Forms if !knows_forms(context) => ControlFlow::Break(no_forms(context)),
            By::Links if !knows_links(context) => ControlFlow::Break(no_links(context)),
            By::Forms | By::Links => ControlFlow::Continue(restaurant),
        },
    }
}

/// What a client is told that cannot show forms.
pub(super) fn no_forms(
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let needed = ElicitationCapability::default().with_form(FormElicitationCapability::default());
    undeclared(context, needed, "show forms (the capability elicitation)")
}

/// What a client is told that cannot open links.
fn no_links(context: &RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
    let needed = ElicitationCapability::default().with_url(UrlElicitationCapability::default());
    undeclared(
        context,
        needed,
        "open links (the capability elicitation.url)",
    )
}

/// An error of the protocol where there is one for it, else words.
fn undeclared(
    context: &RequestContext<RoleServer>,
    needed: ElicitationCapability,
    what: &str,
) -> Result<CallToolResponse, ErrorData> {
    if is_modern(context) {
        let mut required = ClientCapabilities::default();
        required.elicitation = Some(needed);
        return Err(ErrorData::missing_required_client_capability(required));
    }
    Ok(failed(format!(
        "This client has not said that it can {what}, so nothing could be asked."
    ))
    .into())
}

/// A form with this `message` above it and the fields of this schema (client/elicitation § Form Mode).
pub(super) fn form(message: String, schema: Value) -> Result<ElicitRequestParams, ErrorData> {
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).map_err(|error| {
        ErrorData::internal_error(format!("the form cannot be made: {error}"), None)
    })?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema,
    })
}

/// The answer to a round that asks the person these questions and gives this state to come back with.
pub(super) fn ask(
    questions: impl IntoIterator<Item = (&'static str, ElicitRequestParams)>,
    state: Option<String>,
) -> CallToolResponse {
    let requests: InputRequests = questions
        .into_iter()
        .map(|(key, question)| {
            let request = InputRequest::Elicitation(ElicitRequest::new(question));
            (key.to_owned(), request)
        })
        .collect();
    InputRequiredResult::new(Some(requests), state).into()
}

/// The answer that came under this key, when one came.
pub(super) fn reply_of(
    responses: &mut Option<InputResponses>,
    key: &str,
) -> Result<Option<ElicitResult>, ErrorData> {
    let Some(reply) = responses
        .as_mut()
        .and_then(|responses| responses.remove(key))
    else {
        return Ok(None);
    };
    serde_json::from_value(reply).map(Some).map_err(|error| {
        ErrorData::invalid_params(
            format!("inputResponses.{key} is not an answer: {error}"),
            None,
        )
    })
}

/// Asks a client of an earlier revision, and waits for the person.
///
/// The inner error is words for the result; the outer one ends the call, which its caller has cancelled.
pub(super) async fn wait_for(
    question: ElicitRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Result<ElicitResult, CallToolResult>, ErrorData> {
    let reply = tokio::select! {
        reply = context.peer.create_elicitation_with_timeout(question, Some(PATIENCE)) => reply,
        () = context.ct.cancelled() => return Err(cancelled()),
    };
    Ok(reply.map_err(|error| {
        failed(format!(
            "The question came back without an answer: {error}."
        ))
    }))
}

/// The error of a call that its caller has cancelled. It reaches nobody: the SDK drops it.
pub(super) fn cancelled() -> ErrorData {
    ErrorData::internal_error("cancelled by the caller", None)
}

/// A result of words and of the same as data.
pub(super) fn answer(words: impl Into<String>, data: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(words)]);
    result.structured_content = Some(data);
    result
}

/// What a state belongs to: this method, this tool, these arguments.
pub(super) fn identity_of(tool: &str, input: &impl Serialize) -> Result<Vec<u8>, ErrorData> {
    serde_json::to_vec(&("tools/call", tool, input)).map_err(|error| {
        ErrorData::internal_error(format!("the call cannot be identified: {error}"), None)
    })
}

impl DemoServer {
    /// Seals what the client carries to the next round, for this call alone and for as long as a person may take. No
    /// two are equal, also of the same.
    pub(super) fn seal(&self, carried: &impl Serialize, call: &[u8]) -> Result<String, ErrorData> {
        let options = SealOptions::new().associated_data(call).ttl(PATIENCE);
        self.request_states
            .seal_json_with(carried, &options)
            .map_err(|error| {
                ErrorData::internal_error(format!("the state cannot be sealed: {error}"), None)
            })
    }

    /// Opens what [`Self::seal`] has sealed for this call.
    pub(super) fn open<T: DeserializeOwned>(
        &self,
        state: &str,
        call: &[u8],
    ) -> Result<T, ErrorData> {
        self.request_states
            .open_json_with(state, call)
            .map_err(|error| {
                ErrorData::invalid_params(
                    format!(
                        "the requestState is not one that this server gave out for this call: {error}"
                    ),
                    None,
                )
            })
    }
}
