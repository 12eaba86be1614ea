//! Tools that go on for several rounds without an end in sight: one that asks nothing, and one that never has enough.

use std::time::Duration;

use rmcp::handler::server::tool::{InputResponses, RequestState};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequiredResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::asking::{
    answer, ask, cancelled, form, identity_of, is_modern, knows_forms, no_forms, reply_of, wait_for,
};
use super::{failed, without_number_formats};
use crate::server::DemoServer;

const MOST_ROUNDS: u32 = 10;
/// How long an older client waits in place of each round.
const A_ROUND: Duration = Duration::from_millis(200);
/// The key of the question that is asked for ever.
const WISH: &str = "wish";

fn two() -> u32 {
    2
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct WaitInput {
    /// How often the client is sent away before there is a table.
    #[serde(default = "two")]
    #[schemars(title = "Rounds", range(min = 1, max = MOST_ROUNDS))]
    rounds: u32,
}

/// How far the conversation is. The client carries it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Place {
    rounds: u32,
}

#[tool_router(router = queue_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Wait for a table",
        description = "Asks nothing, and yet does not answer at once: each round gives a request state alone, to come \
                       back with. A client of an earlier revision just waits.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn wait_for_table(
        &self,
        Parameters(input): Parameters<WaitInput>,
        RequestState(state): RequestState,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !(1..=MOST_ROUNDS).contains(&input.rounds) {
            let words = format!(
                "rounds must be from 1 to {MOST_ROUNDS}, not {}.",
                input.rounds
            );
            return Ok(failed(words).into());
        }
        let there = answer(
            format!("A table is free after {} rounds.", input.rounds),
            json!({ "rounds": input.rounds }),
        );
        if !is_modern(&context) {
            tokio::select! {
                () = tokio::time::sleep(A_ROUND * input.rounds) => return Ok(there.into()),
                () = context.ct.cancelled() => return Err(cancelled()),
            }
        }
        let call = identity_of("wait_for_table", &input)?;
        let mut place = match state.as_deref() {
            None => Place::default(),
            Some(state) => self.open::<Place>(state, &call)?,
        };
        if place.rounds >= input.rounds {
            return Ok(there.into());
        }
        place.rounds += 1;
        let state = self.seal(&place, &call)?;
        Ok(InputRequiredResult::new(None, Some(state)).into())
    }

    #[tool(
        title = "Ask for ever",
        description = "Asks what else the guest would like, again and again, and never has enough: only declining, \
                       cancelling or the client's own limit ends it.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn ask_for_ever(
        &self,
        RequestState(state): RequestState,
        InputResponses(mut responses): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !knows_forms(&context) {
            return no_forms(&context);
        }
        let mut place = Place::default();
        if !is_modern(&context) {
            loop {
                let reply = match wait_for(wish_form(place.rounds)?, &context).await? {
                    Ok(reply) => reply,
                    Err(failure) => return Ok(failure.into()),
                };
                if let Some(over) = had_enough(&reply, place.rounds) {
                    return Ok(over);
                }
                place.rounds += 1;
            }
        }
        let call = identity_of("ask_for_ever", &json!({}))?;
        if let Some(state) = state.as_deref() {
            place = self.open(state, &call)?;
            if let Some(reply) = reply_of(&mut responses, WISH)? {
                if let Some(over) = had_enough(&reply, place.rounds) {
                    return Ok(over);
                }
                place.rounds += 1;
            }
        }
        let question = wish_form(place.rounds)?;
        Ok(ask([(WISH, question)], Some(self.seal(&place, &call)?)))
    }
}

fn wish_form(rounds: u32) -> Result<ElicitRequestParams, ErrorData> {
    let message = match rounds {
        0 => "What would you like?".to_owned(),
        rounds => format!("And what else would you like? That was wish {rounds}."),
    };
    let schema = json!({
        "type": "object",
        "properties": { "wish": { "type": "string", "title": "Wish" } }
    });
    form(message, schema)
}

/// The end, for a person who has had enough.
fn had_enough(reply: &ElicitResult, rounds: u32) -> Option<CallToolResponse> {
    if reply.action == ElicitationAction::Accept {
        return None;
    }
    let words = format!("You have had enough after {rounds} wishes.");
    Some(answer(words, json!({ "wishes": rounds })).into())
}
