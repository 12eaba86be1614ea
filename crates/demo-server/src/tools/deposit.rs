//! Paying a deposit: a tool that sends the person to a page of this server's own (client/elicitation § URL Mode).
//!
//! A client of 2026-07-28 gets the link in the result and calls again; how the page stands is read from the request state
//! and from what is kept. An older client is asked by a request, or told by the error -32042 that a link must be opened
//! first, and hears in `notifications/elicitation/complete` that the page is done.

use std::ops::ControlFlow;
use std::time::Duration;

use rmcp::handler::server::tool::{InputResponses, RequestState};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, CustomNotification, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorCode, ServerNotification,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::watch;

use super::asking::{
    By, PATIENCE, answer, ask, cancelled, identity_of, is_modern, reply_of,
    restaurant_to_ask_about, wait_for,
};
use super::{failed, without_number_formats};
use crate::deposits::Standing;
use crate::guide::Restaurant;
use crate::server::DemoServer;

/// The key of the link among the input requests.
const PAGE: &str = "deposit";
/// URL elicitation is required (2025-11-25 client/elicitation § URL Elicitation Required Error).
const URL_ELICITATION_REQUIRED: ErrorCode = ErrorCode(-32042);
const MOST_EUROS: u32 = 500;
/// How long a round waits for a page that is open: who is quick is served by the first one.
const A_LOOK: Duration = Duration::from_secs(1);

fn twenty() -> u32 {
    20
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct DepositInput {
    /// A restaurant of the guide, e.g. Trattoria Lucia.
    #[schemars(title = "Restaurant", length(min = 1))]
    restaurant: String,
    /// How much is asked for, in euros. Nothing is charged.
    #[serde(default = "twenty")]
    #[schemars(title = "Euros", range(min = 1, max = MOST_EUROS))]
    euros: u32,
    /// Only before 2026-07-28: refuse the call with the error -32042, which names the link, in place of asking.
    #[serde(default)]
    #[schemars(title = "Refuse first")]
    refuse_first: bool,
}

/// What the client carries from one round to the next.
#[derive(Debug, Serialize, Deserialize)]
struct Begun {
    deposit: String,
}

#[tool_router(router = deposit_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Pay a deposit",
        description = "Asks the person to open a page in the browser, where a deposit is paid or called off. Nothing is \
                       charged. The page is this server's own, on 127.0.0.1.",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn pay_deposit(
        &self,
        Parameters(input): Parameters<DepositInput>,
        RequestState(state): RequestState,
        InputResponses(mut responses): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let restaurant = match restaurant_to_ask_about(&input.restaurant, By::Links, &context) {
            ControlFlow::Continue(restaurant) => restaurant,
            ControlFlow::Break(over) => return over,
        };
        if !(1..=MOST_EUROS).contains(&input.euros) {
            let words = format!("euros must be from 1 to {MOST_EUROS}, not {}.", input.euros);
            return Ok(failed(words).into());
        }
        if !is_modern(&context) {
            return if input.refuse_first {
                self.refuse_until_paid(restaurant, &input, context).await
            } else {
                self.ask_to_pay(restaurant, &input, &context).await
            };
        }
        let call = identity_of("pay_deposit", &input)?;
        let begun = match state.as_deref() {
            None => Begun {
                deposit: self.deposits.begin(restaurant.name, input.euros),
            },
            Some(state) => self.open(state, &call)?,
        };
        // Without a state nothing was asked yet, and answers to nothing are ignored.
        if state.is_some() {
            if let Some(reply) = reply_of(&mut responses, PAGE)?
                && let Some(over) = refused(restaurant, &reply)
            {
                return Ok(over.into());
            }
            let Some(mut standing) = self.deposits.watch(&begun.deposit) else {
                return Ok(failed("That deposit is not known any more: call again.").into());
            };
            // It ends with the page's choice, or with the patience of one round.
            tokio::select! {
                settled = settled(&mut standing) => return Ok(ended(restaurant, &input, settled).into()),
                () = tokio::time::sleep(A_LOOK) => {}
                () = context.ct.cancelled() => return Err(cancelled()),
            }
        }
        // 2026-07-28 knows no identifier of an elicitation; the SDK writes an empty one.
        let link = self
            .link(restaurant, &input, &begun.deposit, String::new())
            .await?;
        Ok(ask([(PAGE, link)], Some(self.seal(&begun, &call)?)))
    }
}

impl DemoServer {
    async fn link(
        &self,
        restaurant: &Restaurant,
        input: &DepositInput,
        deposit: &str,
        elicitation_id: String,
    ) -> Result<ElicitRequestParams, ErrorData> {
        let url = self.deposits.url_of(deposit).await.map_err(|error| {
            ErrorData::internal_error(format!("there is no page: {error}"), None)
        })?;
        Ok(ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message: message(restaurant, input),
            url,
            elicitation_id,
        })
    }

    /// Asks a client of an earlier revision by a request, and answers when the page is done.
    async fn ask_to_pay(
        &self,
        restaurant: &'static Restaurant,
        input: &DepositInput,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let deposit = self.deposits.begin(restaurant.name, input.euros);
        let link = self
            .link(restaurant, input, &deposit, deposit.clone())
            .await?;
        let reply = match wait_for(link, context).await? {
            Ok(reply) => reply,
            Err(failure) => return Ok(failure.into()),
        };
        if let Some(over) = refused(restaurant, &reply) {
            return Ok(over.into());
        }
        let Some(mut standing) = self.deposits.watch(&deposit) else {
            return Ok(failed("That deposit is not known any more: call again.").into());
        };
        tokio::select! {
            settled = settled(&mut standing) => {
                tell_completion(&context.peer, &deposit).await;
                Ok(ended(restaurant, input, settled).into())
            }
            () = tokio::time::sleep(PATIENCE) => Ok(failed("The page was not used in time.").into()),
            () = context.ct.cancelled() => Err(cancelled()),
        }
    }

    /// Refuses the call until the page is done, and tells when it is: the client calls again by itself.
    async fn refuse_until_paid(
        &self,
        restaurant: &'static Restaurant,
        input: &DepositInput,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let key = (restaurant.name, input.euros);
        let known = self
            .session
            .deposit(key)
            .and_then(|deposit| Some((self.deposits.watch(&deposit)?, deposit)));
        let deposit = if let Some((standing, deposit)) = known {
            let settled = *standing.borrow();
            if settled != Standing::Open {
                self.session.forget_deposit(key);
                return Ok(ended(restaurant, input, settled).into());
            }
            deposit
        } else {
            let deposit = self.deposits.begin(restaurant.name, input.euros);
            self.session.keep_deposit(key, deposit.clone());
            if let Some(mut standing) = self.deposits.watch(&deposit) {
                let (peer, deposit) = (context.peer, deposit.clone());
                tokio::spawn(async move {
                    settled(&mut standing).await;
                    tell_completion(&peer, &deposit).await;
                });
            }
            deposit
        };
        let link = self
            .link(restaurant, input, &deposit, deposit.clone())
            .await?;
        Err(ErrorData::new(
            URL_ELICITATION_REQUIRED,
            "A deposit must be paid first.",
            Some(json!({ "elicitations": [link] })),
        ))
    }
}

fn message(restaurant: &Restaurant, input: &DepositInput) -> String {
    format!(
        "{} asks for a deposit of {} euros. Please pay it in your browser.",
        restaurant.name, input.euros
    )
}

/// The result for a person who does not open the page.
fn refused(restaurant: &Restaurant, reply: &ElicitResult) -> Option<CallToolResult> {
    let status = match reply.action {
        ElicitationAction::Accept => return None,
        ElicitationAction::Decline => "declined",
        // Whatever later revisions add: nothing but `accept` agrees to open a page.
        _ => "cancelled",
    };
    let words = format!(
        "No deposit was paid to {}: the page was not opened.",
        restaurant.name
    );
    Some(answer(words, json!({ "status": status })))
}

/// The result for a page that is done.
fn ended(restaurant: &Restaurant, input: &DepositInput, standing: Standing) -> CallToolResult {
    let euros = input.euros;
    if standing == Standing::Paid {
        let words = format!("{} has your deposit of {euros} euros.", restaurant.name);
        return answer(words, json!({ "status": "paid", "euros": euros }));
    }
    let words = format!(
        "No deposit was paid to {}: it was called off.",
        restaurant.name
    );
    answer(words, json!({ "status": "called_off" }))
}

/// Waits until the guest has chosen.
async fn settled(standing: &mut watch::Receiver<Standing>) -> Standing {
    match standing
        .wait_for(|standing| *standing != Standing::Open)
        .await
    {
        Ok(settled) => *settled,
        // It was dropped for want of room.
        Err(_) => Standing::CalledOff,
    }
}

/// Tells a client of an earlier revision that the page is done.
async fn tell_completion(peer: &Peer<RoleServer>, deposit: &str) {
    let params = json!({ "elicitationId": deposit });
    let told = CustomNotification::new("notifications/elicitation/complete", Some(params));
    // A client that has gone does not want to know any more.
    peer.send_notification(ServerNotification::CustomNotification(told))
        .await
        .ok();
}
