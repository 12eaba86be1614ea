//! Tools without a story: an echo, a failure and noise on standard error.

use std::io::Write as _;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{failed, without_number_formats};
use crate::server::DemoServer;

#[derive(Debug, Deserialize, JsonSchema)]
struct EchoInput {
    /// What to give back, unchanged.
    #[schemars(title = "Text")]
    text: String,
}

/// The two ways in which MCP tells a failure apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum FailureKind {
    ToolError,
    RpcError,
    InvalidParams,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct FailInput {
    /// How to fail: a result with isError, the JSON-RPC error -32603, or the JSON-RPC error -32602.
    #[schemars(title = "Kind")]
    kind: FailureKind,
}

/// How many lines `stderr_chatter` may be asked for.
const MOST_LINES: u32 = 10_000;

fn five() -> u32 {
    5
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(transform = without_number_formats)]
struct ChatterInput {
    /// How many lines to write.
    #[serde(default = "five")]
    #[schemars(title = "Lines", range(min = 1, max = MOST_LINES))]
    lines: u32,
}

#[tool_router(router = plain_tools, vis = "pub(super)")]
impl DemoServer {
    #[tool(
        title = "Echo",
        description = "Gives back its text, unchanged.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    fn echo(Parameters(input): Parameters<EchoInput>) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::text(input.text)])
    }

    #[tool(
        title = "Fail on purpose",
        description = "Fails as it is told to: as a tool (isError) or as a request (a JSON-RPC error).",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    fn fail(Parameters(input): Parameters<FailInput>) -> Result<CallToolResult, ErrorData> {
        match input.kind {
            FailureKind::ToolError => Ok(failed(
                "The oven is out of order, so nothing can be baked. Try again tomorrow, or order a salad.",
            )),
            FailureKind::RpcError => Err(ErrorData::internal_error(
                "the kitchen is on fire",
                Some(json!({ "extinguisher": "next to the door", "retryAfterSeconds": 30 })),
            )),
            FailureKind::InvalidParams => Err(ErrorData::invalid_params(
                "nobody can order that",
                Some(json!({ "argument": "kind" })),
            )),
        }
    }

    #[tool(
        title = "Write to standard error",
        description = "Writes lines to standard error, then answers. Over HTTP they go to the server's own terminal.",
        annotations(
            read_only_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn stderr_chatter(
        &self,
        Parameters(input): Parameters<ChatterInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let lines = input.lines;
        if !(1..=MOST_LINES).contains(&lines) {
            return Ok(failed(format!(
                "lines must be from 1 to {MOST_LINES}, not {lines}."
            )));
        }
        // Nobody may be reading: only this thread waits then, and the call can still be cancelled.
        let writing = tokio::task::spawn_blocking(move || -> std::io::Result<()> {
            let mut stderr = std::io::stderr().lock();
            for line in 1..=lines {
                writeln!(
                    stderr,
                    "roundtrip-demo: order {line} of {lines} is on its way"
                )?;
            }
            stderr.flush()
        });
        let written = tokio::select! {
            written = writing => written,
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
        };
        Ok(match written {
            Ok(Ok(())) => CallToolResult::success(vec![ContentBlock::text(format!(
                "Wrote {lines} {} to standard error.",
                if lines == 1 { "line" } else { "lines" }
            ))]),
            Ok(Err(error)) => failed(format!("Standard error cannot be written: {error}.")),
            Err(error) => failed(format!("The writing broke off: {error}.")),
        })
    }
}
