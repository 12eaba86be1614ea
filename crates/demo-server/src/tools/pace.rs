//! Tools that take their time, or none at all: progress, cancellation and a flood.

use std::collections::VecDeque;
use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, ProgressNotificationParam, ProgressToken};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{failed, without_number_formats};
use crate::server::DemoServer;

const MOST_STEPS: u32 = 600;
const LONGEST_STEP_MILLIS: u32 = 60_000;
const MOST_NOTIFICATIONS: u32 = 1_000_000;

/// How many notifications may wait to be written. Above one, because each would then wait for a turn of the SDK's
/// loop; not many more, because each holds some memory, and what stays in the cache is sent faster.
const FLOOD_WINDOW: usize = 64;

fn ten() -> u32 {
    10
}

fn half_a_second() -> u32 {
    500
}

fn a_thousand() -> u32 {
    1000
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct CountInput {
    /// How far to count.
    #[serde(default = "ten")]
    #[schemars(title = "Steps", range(min = 1, max = MOST_STEPS))]
    steps: u32,
    /// How long each step takes, in milliseconds.
    #[serde(default = "half_a_second")]
    #[schemars(title = "Milliseconds a step", range(min = 0, max = LONGEST_STEP_MILLIS))]
    step_millis: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct FloodInput {
    /// How many progress notifications to send before the answer.
    #[serde(default = "a_thousand")]
    #[schemars(title = "Notifications", range(min = 0, max = MOST_NOTIFICATIONS))]
    count: u32,
}

#[tool_router(router = pace_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Count slowly",
        description = "Counts, and reports its progress at each step when the caller asks for progress. \
                       It can be cancelled.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn slow_count(
        &self,
        Parameters(input): Parameters<CountInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let CountInput { steps, step_millis } = input;
        if !(1..=MOST_STEPS).contains(&steps) {
            return Ok(failed(format!(
                "steps must be from 1 to {MOST_STEPS}, not {steps}."
            )));
        }
        if step_millis > LONGEST_STEP_MILLIS {
            return Ok(failed(format!(
                "step_millis must be from 0 to {LONGEST_STEP_MILLIS}, not {step_millis}."
            )));
        }
        let token = context.meta.get_progress_token();
        for step in 1..=steps {
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(step_millis.into())) => {}
                // The caller hears nothing more of this request (basic/patterns/cancellation).
                () = context.ct.cancelled() => return Err(cancelled()),
            }
            if let Some(token) = &token {
                let progress = progress(token, step, steps, format!("Step {step} of {steps}"));
                context
                    .peer
                    .notify_progress(progress)
                    .await
                    .map_err(|error| unsent(&error))?;
            }
        }
        let mut result =
            CallToolResult::success(vec![ContentBlock::text(format!("Counted to {steps}."))]);
        result.structured_content = Some(json!({ "counted": steps }));
        Ok(result)
    }

    #[tool(
        title = "Flood",
        description = "Sends as many progress notifications as it is asked for, as fast as it can, then answers. \
                       The caller must ask for progress.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn flood(
        &self,
        Parameters(input): Parameters<FloodInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let count = input.count;
        if count > MOST_NOTIFICATIONS {
            return Ok(failed(format!(
                "count must be from 0 to {MOST_NOTIFICATIONS}, not {count}."
            )));
        }
        let Some(token) = context.meta.get_progress_token() else {
            return Ok(failed(
                "This call carries no progress token, so no progress can be sent. Ask for progress and call again.",
            ));
        };
        flood(&context, &token, count).await?;
        let mut result = CallToolResult::success(vec![ContentBlock::text(format!(
            "Sent {count} notifications."
        ))]);
        result.structured_content = Some(json!({ "sent": count }));
        Ok(result)
    }
}

/// Sends `count` notifications in order, with up to [`FLOOD_WINDOW`] on their way at a time.
async fn flood(
    context: &RequestContext<RoleServer>,
    token: &ProgressToken,
    count: u32,
) -> Result<(), ErrorData> {
    let mut on_their_way = VecDeque::with_capacity(FLOOD_WINDOW);
    for number in 1..=count {
        if context.ct.is_cancelled() {
            return Err(cancelled());
        }
        let notification = progress(token, number, count, format!("Order {number} of {count}"));
        // The first poll takes the notification's place in the outgoing queue; it must not be put off by tokio's
        // budget for a task, or a later notification could overtake this one.
        let mut sending = Box::pin(tokio::task::unconstrained(
            context.peer.notify_progress(notification),
        ));
        if let std::task::Poll::Ready(sent) = futures_util::poll!(&mut sending) {
            sent.map_err(|error| unsent(&error))?;
            continue;
        }
        on_their_way.push_back(sending);
        if on_their_way.len() == FLOOD_WINDOW
            && let Some(oldest) = on_their_way.pop_front()
        {
            oldest.await.map_err(|error| unsent(&error))?;
        }
    }
    for sending in on_their_way {
        sending.await.map_err(|error| unsent(&error))?;
    }
    Ok(())
}

fn progress(
    token: &ProgressToken,
    done: u32,
    total: u32,
    message: String,
) -> ProgressNotificationParam {
    ProgressNotificationParam::new(token.clone(), done.into())
        .with_total(total.into())
        .with_message(message)
}

/// Reaches nobody: the SDK drops the answer of a cancelled request.
fn cancelled() -> ErrorData {
    ErrorData::internal_error("cancelled by the caller", None)
}

fn unsent(error: &ServiceError) -> ErrorData {
    ErrorData::internal_error(
        format!("a progress notification could not be sent: {error}"),
        None,
    )
}
