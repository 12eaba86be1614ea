//! Tools: what a view sees of them, and calling them.

use std::sync::Arc;

use journal::event::OperationId;
use protocol::headers::Mirrored;
use protocol::listing::Listed;
use protocol::operation::Pages;
use protocol::retry::ToolHints;
use protocol::tools::ToolEntry;
use serde_json::value::RawValue;
use wire::object::{ObjectWriter, ValueKind};

use super::clocks;
use super::lists::never_connected;
use super::operation::{Ask, Purpose};
use super::state::Engine;
use crate::api::calls::CallToolArgs;
use crate::api::tools::{MirroredParameter, ToolView};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;

impl Engine {
    pub(super) fn call_tool(&mut self, args: &CallToolArgs) -> Result<OperationId, ErrorView> {
        let CallToolArgs {
            server,
            tool,
            name,
            arguments,
            ..
        } = args;
        let limit = match args.limit_millis {
            Some(0) => {
                return Err(bad_input(
                    "A call that may take no time at all cannot be made.",
                    "Leave the limit out for the server's own, or give it more than 0 ms.",
                ));
            }
            millis => millis.map(clocks::limit_of),
        };
        let id = self.connected(server)?;
        let Some(connection) = self.connections.get(&id) else {
            return Err(never_connected());
        };
        let entry = connection
            .lists
            .tools
            .get(*tool)
            .filter(|entry| entry.name == *name);
        let entry = entry.ok_or_else(|| ErrorView {
            code: ErrorCode::Gone,
            message:
                "The server's list of tools has changed: this tool is not in its place any more."
                    .to_owned(),
            hint: Some("Choose it again in the list.".to_owned()),
        })?;
        if let Some(reason) = entry
            .excluded
            .as_ref()
            .filter(|_| connection.is_over_http())
        {
            return Err(bad_input(
                &format!(
                    "The tool {} cannot be called over HTTP: {reason}",
                    entry.name
                ),
                "The tool's x-mcp-header annotations have to be mended in the server.",
            ));
        }
        let valid = serde_json::from_str::<&RawValue>(arguments).map_err(|error| {
            bad_input(
                &format!("The arguments are not valid JSON: {error}."),
                "Mend them and call again.",
            )
        })?;
        if ValueKind::of(valid) != ValueKind::Object {
            return Err(bad_input(
                &format!("The arguments are {}, not an object.", ValueKind::of(valid)),
                "Arguments are a JSON object, such as {\"city\": \"Rome\"}.",
            ));
        }
        let mut params = ObjectWriter::new();
        params
            .string("name", &entry.name)
            .raw("arguments", valid.get());
        if self.runs_as_task(id, entry, args.as_task)? {
            params.raw("task", "{}");
        }
        let speaker = connection.speaker.clone().ok_or_else(never_connected)?;
        let ask = Ask {
            method: "tools/call".to_owned(),
            name: Some(entry.name.clone()),
            params: Some(params.finish()),
            pages: Pages::One,
            purpose: Purpose::Call,
            mirrored: if connection.is_over_http() {
                entry.mirrored.clone()
            } else {
                Vec::new()
            },
            limit: limit.unwrap_or_else(|| connection.request_limit()),
            progress: true,
        };
        let hints = ToolHints::from(entry);
        let operation = self.start(id, Arc::clone(&speaker), ask, None);
        self.set_tool_hints(operation, hints);
        Ok(operation)
    }
}

/// Headers are mirrored, and tools excluded for them, over HTTP alone (2026-07-28
/// basic/transports/streamable-http § Schema Extension).
pub(super) fn view(index: u32, listed: &Listed<ToolEntry>, over_http: bool) -> ToolView {
    let tool = &listed.entry;
    ToolView {
        index,
        nth: listed.nth,
        mark: listed.mark,
        name: tool.name.clone(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        input_schema: tool.input_schema.get().to_owned(),
        output_schema: tool
            .output_schema
            .as_ref()
            .map(|schema| schema.get().to_owned()),
        read_only: tool.read_only,
        destructive: tool.destructive,
        idempotent: tool.idempotent,
        open_world: tool.open_world,
        task_support: tool.task_support.clone(),
        problems: tool.problems.clone(),
        excluded: tool.excluded.clone().filter(|_| over_http),
        mirrored: tool
            .mirrored
            .iter()
            .filter(|_| over_http)
            .map(mirrored)
            .collect(),
    }
}

fn mirrored(parameter: &Mirrored) -> MirroredParameter {
    MirroredParameter {
        path: parameter.path.clone(),
        header: parameter.header.clone(),
    }
}
