//! The server itself: who it is, what it can do, and where each request goes.

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::bookings::Bookings;
use crate::{completion, paging, prompts, resources, tools};

/// What a client is told about how to use the server.
const INSTRUCTIONS: &str = "\
A restaurant guide that shows what the Model Context Protocol can do. Everything is made up and nothing leaves this \
process.

- find_restaurants and menu_card answer at once: structured content, an image, an embedded resource and a link.
- book_table asks for the party size, the seating and an e-mail address with a form before it books. \
cancel_booking undoes it; the resource demo://bookings lists what is booked.
- slow_count reports progress and can be cancelled; flood sends as many progress notifications as you ask for.
- fail fails on purpose, as a tool or as a request; stderr_chatter writes to standard error; echo gives back its text.

The guide knows Bologna, Kyoto and Porto; try Trattoria Lucia.";

/// The demo server. Clones share the bookings and the key that protects the request state.
#[derive(Clone)]
pub(crate) struct DemoServer {
    tools: Arc<ToolRouter<DemoServer>>,
    /// Seals and opens `requestState` with a key that lives as long as the process.
    pub(crate) request_states: RequestStateCodec,
    pub(crate) bookings: Bookings,
}

impl DemoServer {
    /// A server with no bookings and a key of its own.
    pub(crate) fn new() -> Result<DemoServer, String> {
        Ok(DemoServer {
            tools: Arc::new(tools::router()),
            request_states: request_state_codec()?,
            bookings: Bookings::default(),
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
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        let identity = Implementation::new("roundtrip-demo", env!("CARGO_PKG_VERSION"))
            .with_title("Roundtrip demo")
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
        let (tools, next_cursor) = paging::page("tools", tools::in_order(&self.tools), request)?;
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
        let (resources, next_cursor) = paging::page("resources", resources::all(), request)?;
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
        let (prompts, next_cursor) = paging::page("prompts", prompts::all(), request)?;
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

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        completion::complete(&request)
    }
}
