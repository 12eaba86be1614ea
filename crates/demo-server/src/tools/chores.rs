//! Tools whose work outlives their request: they answer with a task (SEP-2663) where the client knows tasks.
//!
//! A client that does not is served while it waits, with progress, as far as that is possible; what asks the person in
//! the middle, or outlives every patience, is refused as SEP-2663 § Capability Negotiation says.

use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult,
    ElicitRequest, ElicitResult, ElicitationAction, InputRequest, ProgressNotificationParam,
    ProgressToken,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{asking, failed, without_number_formats};
use crate::server::DemoServer;

const MOST_DISHES: u32 = 1000;
const LONGEST_STEP_MILLIS: u32 = 60_000;
const MOST_SECONDS: u32 = 3600;
/// How long a task is kept, in milliseconds.
const KEPT_MILLIS: u64 = 3_600_000;
/// How long the roast's task is kept, in milliseconds: it is never done by then.
const ROAST_KEPT_MILLIS: u64 = 6_000;
/// How long a roast takes.
const ROAST: Duration = Duration::from_hours(8);
/// The key of the form among the task's input requests.
const GUESTS: &str = "guests";

fn forty() -> u32 {
    40
}

fn a_tick() -> u32 {
    150
}

fn a_minute() -> u32 {
    60
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct ImportInput {
    /// How many dishes the menu has.
    #[serde(default = "forty")]
    #[schemars(title = "Dishes", range(min = 1, max = MOST_DISHES))]
    dishes: u32,
    /// How long each dish takes, in milliseconds.
    #[serde(default = "a_tick")]
    #[schemars(title = "Milliseconds a dish", range(min = 0, max = LONGEST_STEP_MILLIS))]
    step_millis: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct BanquetInput {
    /// What is celebrated.
    #[schemars(title = "Occasion", length(min = 1))]
    occasion: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct RebuildInput {
    /// How long it takes, in seconds.
    #[serde(default = "a_minute")]
    #[schemars(title = "Seconds", range(min = 0, max = MOST_SECONDS))]
    seconds: u32,
    /// Finish although the cancellation was asked for, as servers may.
    #[serde(default)]
    #[schemars(title = "Stubborn")]
    stubborn: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct ImportOutput {
    imported: u32,
}

/// To whom the work tells how far it is, and who may stop it.
#[derive(Clone)]
enum Watcher {
    Task(TaskContext),
    Call(Box<RequestContext<RoleServer>>, Option<ProgressToken>),
}

impl Watcher {
    async fn tell(&self, done: u32, total: u32, message: String) {
        match self {
            Self::Task(task) => task.set_status_message(message),
            Self::Call(context, Some(token)) => {
                let progress = ProgressNotificationParam::new(token.clone(), done.into())
                    .with_total(total.into())
                    .with_message(message);
                // Progress that does not arrive is missed by nobody: the answer will not arrive either.
                context.peer.notify_progress(progress).await.ok();
            }
            Self::Call(_, None) => {}
        }
    }

    async fn cancelled(&self) {
        match self {
            Self::Task(task) => task.cancelled().await,
            Self::Call(context, _) => context.ct.cancelled().await,
        }
    }
}

#[tool_router(router = chore_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Import a menu",
        description = "Imports a menu dish by dish, as a task where the client knows tasks: its status message says how \
                       far it is, and its result how many dishes there are.",
        output_schema = rmcp::handler::server::tool::schema_for_output::<ImportOutput>(),
        annotations(read_only_hint = false, destructive_hint = false, idempotent_hint = true, open_world_hint = false)
    )]
    async fn import_menu(
        &self,
        Parameters(ImportInput {
            dishes,
            step_millis,
        }): Parameters<ImportInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !(1..=MOST_DISHES).contains(&dishes) || step_millis > LONGEST_STEP_MILLIS {
            return Ok(failed(format!(
                "dishes must be from 1 to {MOST_DISHES} and step_millis at most {LONGEST_STEP_MILLIS}."
            ))
            .into());
        }
        let step = Duration::from_millis(step_millis.into());
        self.work(kept(KEPT_MILLIS), context, move |watcher| async move {
            for dish in 1..=dishes {
                let message = format!("importing dish {dish} of {dishes}");
                watcher.tell(dish - 1, dishes, message).await;
                tokio::select! {
                    () = tokio::time::sleep(step) => {}
                    () = watcher.cancelled() => return Err(TaskExit::Cancelled),
                }
            }
            watcher
                .tell(dishes, dishes, format!("{dishes} dishes imported"))
                .await;
            let words = format!("Imported {dishes} dishes.");
            let mut result = CallToolResult::success(vec![ContentBlock::text(words)]);
            result.structured_content =
                serde_json::to_value(ImportOutput { imported: dishes }).ok();
            Ok(result)
        })
        .await
    }

    #[tool(
        title = "Plan a banquet",
        description = "Plans a banquet as a task that asks the person in its middle how many guests there are.",
        annotations(
            read_only_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn plan_banquet(
        &self,
        Parameters(BanquetInput { occasion }): Parameters<BanquetInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        need_tasks(&context)?;
        let form = banquet_form(&occasion)?;
        let task = self.tasks.spawn(kept(KEPT_MILLIS), move |task| {
            Box::pin(async move {
                task.set_status_message("looking for a hall");
                pause(&task, Duration::from_millis(600)).await?;
                task.set_status_message("waiting for the guest list");
                let answer = task.request_input(GUESTS, form).await?;
                task.set_status_message("writing the menu");
                pause(&task, Duration::from_millis(600)).await?;
                Ok(banquet(&occasion, answer))
            })
        });
        Ok(CreateTaskResult::new(task).into())
    }

    #[tool(
        title = "Synchronise the stock",
        description = "Works for a second and then fails as a request fails: with a JSON-RPC error, not with a result.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn nightly_sync(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.work(kept(KEPT_MILLIS), context, move |watcher| async move {
            watcher.tell(0, 1, "asking the wholesaler".to_owned()).await;
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(1)) => {}
                () = watcher.cancelled() => return Err(TaskExit::Cancelled),
            }
            watcher
                .tell(1, 1, "the wholesaler did not answer".to_owned())
                .await;
            Err(TaskExit::Error(ErrorData::internal_error(
                "upstream timed out",
                Some(json!({ "upstream": "wholesaler" })),
            )))
        })
        .await
    }

    #[tool(
        title = "Rebuild the index",
        description = "Works for as long as it is told, and can be cancelled; a stubborn one is asked to and finishes all \
                       the same, as servers may.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn rebuild_index(
        &self,
        Parameters(RebuildInput { seconds, stubborn }): Parameters<RebuildInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if seconds > MOST_SECONDS {
            return Ok(failed(format!(
                "seconds must be from 0 to {MOST_SECONDS}, not {seconds}."
            ))
            .into());
        }
        self.work(kept(KEPT_MILLIS), context, move |watcher| async move {
            for second in 0..seconds {
                let message = format!("{} s of {seconds} s", second + 1);
                watcher.tell(second, seconds, message).await;
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_secs(1)) => {}
                    () = watcher.cancelled(), if !stubborn => return Err(TaskExit::Cancelled),
                }
            }
            let words = "The index is rebuilt.";
            Ok(CallToolResult::success(vec![ContentBlock::text(words)]))
        })
        .await
    }

    #[tool(
        title = "Roast slowly",
        description = "A task that takes hours and is kept for seconds: it shows what becomes of one whose time to live \
                       is over.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn slow_roast(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        need_tasks(&context)?;
        self.work(
            kept(ROAST_KEPT_MILLIS),
            context,
            move |watcher| async move {
                watcher.tell(0, 1, "in the oven".to_owned()).await;
                tokio::select! {
                    () = tokio::time::sleep(ROAST) => {}
                    () = watcher.cancelled() => return Err(TaskExit::Cancelled),
                }
                Ok(CallToolResult::success(vec![ContentBlock::text("Tender.")]))
            },
        )
        .await
    }

    /// Does the work as a task where the client knows tasks, and else while it waits.
    async fn work<F>(
        &self,
        options: TaskOptions,
        context: RequestContext<RoleServer>,
        work: impl FnOnce(Watcher) -> F,
    ) -> Result<CallToolResponse, ErrorData>
    where
        F: Future<Output = Result<CallToolResult, TaskExit>> + Send + 'static,
    {
        if knows_tasks(&context) {
            let task = self
                .tasks
                .spawn(options, |task| Box::pin(work(Watcher::Task(task))));
            return Ok(CreateTaskResult::new(task).into());
        }
        let token = context.meta.get_progress_token();
        match work(Watcher::Call(Box::new(context), token)).await {
            Ok(result) => Ok(result.into()),
            Err(TaskExit::Error(error)) => Err(error),
            // Reaches nobody: the SDK drops the answer of a cancelled request.
            Err(TaskExit::Cancelled) => {
                Err(ErrorData::internal_error("cancelled by the caller", None))
            }
        }
    }
}

fn kept(ttl_millis: u64) -> TaskOptions {
    TaskOptions::new()
        .with_ttl_ms(ttl_millis)
        .with_poll_interval_ms(500)
}

fn knows_tasks(context: &RequestContext<RoleServer>) -> bool {
    context
        .client_capabilities()
        .is_some_and(|capabilities| capabilities.supports_tasks())
}

/// SEP-2663 § Capability Negotiation: what cannot be done without a task is refused to who knows none.
fn need_tasks(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    if knows_tasks(context) {
        return Ok(());
    }
    Err(ErrorData::missing_required_client_capability(
        ClientCapabilities::builder().enable_tasks().build(),
    ))
}

async fn pause(task: &TaskContext, pause: Duration) -> Result<(), TaskExit> {
    tokio::select! {
        () = tokio::time::sleep(pause) => Ok(()),
        () = task.cancelled() => Err(TaskExit::Cancelled),
    }
}

fn banquet_form(occasion: &str) -> Result<InputRequest, ErrorData> {
    let schema = json!({
        "type": "object",
        "properties": {
            "guests": { "type": "integer", "title": "Guests", "minimum": 2, "maximum": 200 },
            "wine": { "type": "boolean", "title": "With wine", "default": true }
        },
        "required": ["guests"]
    });
    let form = asking::form(format!("Who comes to {occasion}?"), schema)?;
    Ok(InputRequest::Elicitation(ElicitRequest::new(form)))
}

/// The banquet, by what the person said.
fn banquet(occasion: &str, answer: Value) -> CallToolResult {
    let Ok(answer) = serde_json::from_value::<ElicitResult>(answer) else {
        return failed("The answer to the question about the guests cannot be read.");
    };
    let said = |name: &str| {
        answer
            .content
            .as_ref()
            .and_then(|content| content.get(name))
    };
    if answer.action != ElicitationAction::Accept {
        return CallToolResult::success(vec![ContentBlock::text(
            "Without a guest list there is no banquet.",
        )]);
    }
    let Some(guests) = said("guests")
        .and_then(Value::as_u64)
        .filter(|guests| *guests >= 2)
    else {
        return failed("guests must be a whole number from 2 on.");
    };
    let drink = if said("wine").and_then(Value::as_bool).unwrap_or(true) {
        "wine"
    } else {
        "water"
    };
    let words = format!("A banquet for {guests}: {occasion}, with {drink}.");
    let mut result = CallToolResult::success(vec![ContentBlock::text(words)]);
    result.structured_content = Some(json!({ "guests": guests, "drink": drink }));
    result
}
