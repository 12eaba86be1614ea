//! Listing and calling tools.

use std::sync::Arc;

use journal::event::{ConnectionId, OperationEnd, OperationId};
use protocol::operation::Pages;
use protocol::retry::ToolHints;
use protocol::tools;
use serde_json::value::RawValue;
use wire::object::{ObjectWriter, ValueKind};

use super::clocks;
use super::operation::{Ask, Purpose};
use super::state::Engine;
use crate::api::tools::ToolList;
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;

/// What to try about a list that the server refused.
const LIST_HINT: &str = "Try again; the row of tools/list shows what the server said.";

impl Engine {
    pub(super) fn tools(&self, server: &str) -> Result<ToolList, ErrorView> {
        let id = self.newest.get(server).ok_or_else(never_connected)?;
        let connection = self.connections.get(id).ok_or_else(never_connected)?;
        Ok(self.redacted_tools(connection.tools.view(connection.is_over_http())))
    }

    pub(super) fn refresh_tools(&mut self, server: &str) -> Result<(), ErrorView> {
        let id = self.connected(server)?;
        self.list_tools(id);
        Ok(())
    }

    /// Fetches all pages of the tools, unless they are on their way or the server has none.
    pub(super) fn list_tools(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.get(&id) else {
            return;
        };
        if !connection.tools.declared || connection.tools.is_loading() {
            return;
        }
        let Some(speaker) = connection.speaker.clone() else {
            return;
        };
        let limit = connection.request_limit();
        // The operation may end within `start`, so its number is known before.
        let operation = OperationId(self.next_operation);
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.tools.begin(operation);
        }
        self.start(
            id,
            speaker,
            Ask {
                method: "tools/list".to_owned(),
                name: None,
                params: None,
                pages: Pages::All,
                purpose: Purpose::ListTools,
                mirrored: Vec::new(),
                limit,
                progress: false,
            },
            None,
        );
        self.publisher.servers_changed();
    }

    /// The server says that its tools changed.
    pub(super) fn tools_changed(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.tools.stale = true;
        if connection.tools.is_due() {
            self.list_tools(id);
        }
    }

    /// Fetches the lists that changed while they were left alone.
    pub(super) fn list_due_tools(&mut self) {
        let due: Vec<_> = self
            .connections
            .iter()
            .filter(|(_, connection)| connection.is_connected() && connection.tools.is_due())
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            self.list_tools(id);
        }
    }

    /// A page of the tools came. Gives what is wrong with it, when it is no page.
    pub(super) fn tools_page(
        &mut self,
        id: ConnectionId,
        operation: OperationId,
        result: &RawValue,
    ) -> Option<String> {
        let connection = self.connections.get_mut(&id)?;
        let page = tools::read_page(result);
        if !page.problems.is_empty() {
            return Some(page.problems.join(" "));
        }
        if connection.tools.operation == Some(operation) {
            connection.tools.page(page);
            self.publisher.servers_changed();
        }
        None
    }

    /// The operation that lists tools ended.
    pub(super) fn tools_listed(
        &mut self,
        id: ConnectionId,
        operation: OperationId,
        end: &OperationEnd,
    ) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        if connection.tools.operation != Some(operation) {
            return;
        }
        let failed = |message: String, hint: Option<String>| ErrorView {
            code: ErrorCode::Failed,
            message,
            hint,
        };
        match end {
            OperationEnd::Complete | OperationEnd::ToolError => connection.tools.complete(),
            OperationEnd::Failed {
                brief,
                message,
                hint,
            } => {
                connection.tools.fail(failed(
                    format!("The tools could not be listed ({brief}): {message}"),
                    hint.clone().or_else(|| Some(LIST_HINT.to_owned())),
                ));
            }
            OperationEnd::Cancelled | OperationEnd::Settled { .. } => {
                connection.tools.fail(failed(
                    "The listing of tools was cancelled.".to_owned(),
                    None,
                ));
            }
        }
        self.publisher.servers_changed();
    }

    pub(super) fn call_tool(
        &mut self,
        server: &str,
        (tool, name): (u32, &str),
        arguments: &str,
        limit_millis: Option<u64>,
    ) -> Result<OperationId, ErrorView> {
        let limit = match limit_millis {
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
            .tools
            .get(tool)
            .filter(|entry| entry.name == name);
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

fn never_connected() -> ErrorView {
    ErrorView {
        code: ErrorCode::Gone,
        message: "The server is not connected.".to_owned(),
        hint: Some("Connect to it first.".to_owned()),
    }
}
