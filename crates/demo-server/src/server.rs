//! The server itself: who it is, what it can do, and where each request goes.

#![allow(deprecated)] // Logging and legacy subscriptions are deprecated and work until they are removed.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Icon,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    RequestStateCodec, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::bookings::Bookings;
use crate::deposits::Deposits;
use crate::notices::Notices;
use crate::session::Session;
use crate::{completion, paging, prompts, resources, tools};

/// The server's icon.
const ICON: &[u8] = include_bytes!("../assets/icon.svg");

/// What a client is told about how to use the server.
const INSTRUCTIONS: &str = "\
A restaurant guide that shows what the Model Context Protocol can do. Everything is made up and nothing leaves this \
process.

- find_restaurants and menu_card answer at once: structured content, an image, an embedded resource and a link.
- book_table asks for the party size, the seating and an e-mail address with a form before it books. \
cancel_booking undoes it; the resource demo://bookings lists what is booked.
- import_menu, plan_banquet, nightly_sync, rebuild_index and slow_roast answer with tasks, which go on after their \
requests: one completes, one asks in its middle, one fails, one can be cancelled, one expires.
- turn_season changes what is offered, and who listens is told; so is who listens to demo://bookings of each booking. \
kitchen_log sends log messages.
- order_catering repeats an order whose form uses every construct of JSON Schema.
- suggest_dish asks the client for a model's words (sampling), shared_folders for its folders (roots); both are \
deprecated since 2026-07-28.
- guest_card asks with every kind of field, seat_party with two forms at once, compose_menu in three rounds, and \
ask_for_ever never has enough. pay_deposit sends the person to a page in the browser. wait_for_table asks nothing, and \
yet takes several rounds.
- slow_count reports progress and can be cancelled; flood sends as many progress notifications as you ask for.
- fail fails on purpose, as a tool or as a request; stderr_chatter writes to standard error; echo gives back its text.

The guide knows Bologna, Kyoto and Porto; try Trattoria Lucia.";

/// The demo server. Clones share the bookings, the deposits, the tasks, the season and the key that protects the request state; each
/// has a session of its own.
pub(crate) struct DemoServer {
    tools: Arc<ToolRouter<DemoServer>>,
    /// Seals and opens `requestState` with a key that lives as long as the process.
    pub(crate) request_states: RequestStateCodec,
    pub(crate) bookings: Bookings,
    pub(crate) deposits: Deposits,
    /// The work that outlives its request. Clients that reach the same process share it, as they share the bookings.
    pub(crate) tasks: TaskManager,
    pub(crate) notices: Notices,
    pub(crate) session: Session,
}

impl Clone for DemoServer {
    fn clone(&self) -> Self {
        Self {
            tools: Arc::clone(&self.tools),
            request_states: self.request_states.clone(),
            bookings: self.bookings.clone(),
            deposits: self.deposits.clone(),
            tasks: self.tasks.clone(),
            notices: self.notices.clone(),
            session: Session::default(),
        }
    }
}

impl DemoServer {
    /// A server with no bookings and a key of its own.
    pub(crate) fn new() -> Result<DemoServer, String> {
        Ok(DemoServer {
            tools: Arc::new(tools::router()),
            request_states: request_state_codec()?,
            bookings: Bookings::default(),
            deposits: Deposits::default(),
            tasks: TaskManager::new(),
            notices: Notices::new(),
            session: Session::default(),
        })
    }
}

/// What seals and opens a `requestState`, with a key of its own.
pub(crate) fn request_state_codec() -> Result<RequestStateCodec, String> {
    let key = [
        uuid::Uuid::new_v4().into_bytes(),
        uuid::Uuid::new_v4().into_bytes(),
    ]
    .concat();
    RequestStateCodec::try_new(key)
        .map_err(|error| format!("the key that protects request states cannot be made: {error}"))
}

impl ServerHandler for DemoServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_logging()
            .enable_completions()
            .enable_tasks()
            .build();
        let identity = Implementation::new("roundtrip-demo", env!("CARGO_PKG_VERSION"))
            .with_title("Roundtrip demo")
            .with_icons(vec![
                Icon::new(format!(
                    "data:image/svg+xml;base64,{}",
                    BASE64_STANDARD.encode(ICON)
                ))
                .with_mime_type("image/svg+xml")
                .with_sizes(vec!["any".to_owned()]),
                // What no client may fetch: the page shows why.
                Icon::new("http://127.0.0.1/icon.png").with_mime_type("image/png"),
            ])
            .with_description(
                "A restaurant guide that shows every flow of the Model Context Protocol.",
            );
        ServerConfig::new(capabilities)
            .with_server_info(identity)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (tools, next_cursor) = paging::page(
            "tools",
            tools::in_order(&self.tools, self.notices.is_in_season()),
            request,
        )?;
        Ok(ListToolsResult {
            next_cursor,
            ..ListToolsResult::with_all_items(tools)
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.get(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.tools.get(&request.name).is_none() {
            let message = format!(
                "there is no tool named {:?}: tools/list says what there is",
                request.name
            );
            return Err(ErrorData::invalid_params(message, None));
        }
        self.tools
            .call(ToolCallContext::new(self, request, context))
            .await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (resources, next_cursor) = paging::page(
            "resources",
            resources::all(self.notices.is_in_season()),
            request,
        )?;
        Ok(ListResourcesResult {
            next_cursor,
            ..ListResourcesResult::with_all_items(resources)
        })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let (templates, next_cursor) = paging::page("templates", resources::templates(), request)?;
        Ok(ListResourceTemplatesResult {
            next_cursor,
            ..ListResourceTemplatesResult::with_all_items(templates)
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri, &self.bookings).map(Into::into)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let (prompts, next_cursor) = paging::page(
            "prompts",
            prompts::all(self.notices.is_in_season()),
            request,
        )?;
        Ok(ListPromptsResult {
            next_cursor,
            ..ListPromptsResult::with_all_items(prompts)
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request.name, request.arguments.as_ref()).map(Into::into)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // The SDK leaves of it what the capabilities promise.
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.notices.serve_listener(&context).await;
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let notices = self.notices.clone();
        let subscribed = Arc::clone(&self.session.subscribed);
        tokio::spawn(async move { notices.serve_peer(context.peer, subscribed).await });
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // What is not there cannot change.
        resources::read(&request.uri, &self.bookings)?;
        self.session.subscribed.add(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.subscribed.remove(&request.uri);
        Ok(())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.set_log_level(request.level);
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.tasks
            .get_task(&request.task_id)
            .map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks
            .update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        completion::complete(&request)
    }
}
