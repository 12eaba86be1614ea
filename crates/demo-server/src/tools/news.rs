//! Tools that make the server tell something by itself: log messages, and lists that change.

#![allow(deprecated)] // Logging is deprecated by SEP-2577, and works until it is removed.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResult, ContentBlock, LoggingLevel, LoggingMessageNotificationParam, ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::resources::SEASON_URI;
use crate::server::DemoServer;

/// The name of the logger.
const LOGGER: &str = "kitchen";

/// Every level with what is logged at it, from the least to the most urgent.
const MESSAGES: [(LoggingLevel, &str); 8] = [
    (LoggingLevel::Debug, "the oven is at 183 °C"),
    (LoggingLevel::Info, "table 4 has ordered"),
    (LoggingLevel::Notice, "the last sole is sold"),
    (LoggingLevel::Warning, "the basil is running out"),
    (LoggingLevel::Error, "a plate was dropped"),
    (LoggingLevel::Critical, "the fridge is warm"),
    (LoggingLevel::Alert, "the smoke detector rings"),
    (LoggingLevel::Emergency, "everybody out"),
];

#[derive(Debug, Deserialize, JsonSchema)]
struct OrderInput {
    /// For which table.
    #[schemars(title = "Table", length(min = 1))]
    table: String,
}

fn severity(level: LoggingLevel) -> usize {
    MESSAGES
        .iter()
        .position(|(one, _)| *one == level)
        .unwrap_or_default()
}

#[tool_router(router = news_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Log from the kitchen",
        description = "Sends a log message at each level that the client wants to hear of, then answers.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn kitchen_log(&self, context: RequestContext<RoleServer>) -> CallToolResult {
        let is_modern = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        // In 2026-07-28 a request says itself which messages it wants (server/utilities/logging).
        let least = if is_modern {
            context.meta.log_level()
        } else {
            Some(self.session.log_level())
        };
        let Some(least) = least else {
            return CallToolResult::success(vec![ContentBlock::text(
                "This call asked for no log messages, so none were sent. Set the server's log level and call again.",
            )]);
        };
        let mut sent = 0;
        for (level, words) in MESSAGES {
            if severity(level) < severity(least) {
                continue;
            }
            let data = json!({ "message": words, "station": "pass" });
            let message = LoggingMessageNotificationParam::new(level, data).with_logger(LOGGER);
            if context.peer.notify_logging_message(message).await.is_ok() {
                sent += 1;
            }
        }
        CallToolResult::success(vec![ContentBlock::text(format!(
            "Sent {sent} log messages."
        ))])
    }

    #[tool(
        title = "Turn the season",
        description = "Offers a tool, a prompt and a resource of the season, or takes them away. Clients that listen are \
                       told that their lists have changed.",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn turn_season(&self) -> CallToolResult {
        let words = if self.notices.turn_season() {
            format!(
                "It is truffle season: order_truffles, praise_truffles and {SEASON_URI} are there."
            )
        } else {
            "The season is over.".to_owned()
        };
        CallToolResult::success(vec![ContentBlock::text(words)])
    }

    #[tool(
        title = "Order truffles",
        description = "There only while it is the season.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    fn order_truffles(Parameters(OrderInput { table }): Parameters<OrderInput>) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::text(format!(
            "Tagliatelle with truffles for table {table}."
        ))])
    }
}
