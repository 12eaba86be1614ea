//! Any request, as the person wrote it. What a request needs beside that (its id, its `_meta`, its headers) is added on
//! the same way as for every other.

use std::sync::Arc;

use journal::event::{BranchWay, ConnectionId, EventBody, OperationId};
use protocol::era::Era;
use protocol::headers::Mirrored;
use protocol::naming;
use protocol::operation::{LinkFlow, Pages};
use protocol::retry::ToolHints;
use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use super::clocks;
use super::operation::{Ask, Purpose};
use super::state::Engine;
use crate::api::ErrorView;
use crate::api::calls::{HeaderEdit, PageChoice, RequestArgs};
use crate::api::recordings::RecordingId;
use crate::catalog::bad_input;
use crate::lists::AnyList as _;

/// How a request began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    /// It is on its way.
    Sent(OperationId),
    /// Not yet: this list of tools, which says the call's headers, has to end first. Ask again then.
    After(OperationId),
}

/// A request that is sent anew.
#[derive(Clone, Debug)]
pub struct Anew {
    /// The operation that sent it before.
    pub of: OperationId,
    /// The round of it.
    pub round: u32,
    /// In which way.
    pub way: BranchWay,
    /// The recording that the operation is of, where it is not the running one.
    pub recording: Option<RecordingId>,
    /// Headers that are not to be as they would be.
    pub edits: Vec<HeaderEdit>,
}

impl Engine {
    /// Sends a request of any method.
    ///
    /// # Errors
    /// The server is not connected, or what was typed cannot be sent.
    pub(super) fn request(
        &mut self,
        args: &RequestArgs,
        anew: Option<Anew>,
    ) -> Result<Started, ErrorView> {
        let id = self.connected(&args.server)?;
        let method = args.method.trim();
        if method.is_empty() {
            return Err(bad_input(
                "The request has no method.",
                "Write one, such as tools/list.",
            ));
        }
        let params = match &args.params {
            None => None,
            Some(text) => Some(object_text(text)?),
        };
        let mirrored = match self.mirrored(id, method, params)? {
            Mirroring::Known(mirrored) => mirrored,
            Mirroring::After(listing) => return Ok(Started::After(listing)),
        };
        let speaker = self
            .connections
            .get(&id)
            .and_then(|connection| connection.speaker.clone())
            .ok_or_else(super::input::ended)?;
        if method.starts_with("notifications/") {
            let params = params.map(RawValue::get);
            let operation = self.notify(id, &speaker, method, params);
            if let Some(anew) = anew {
                self.note_branch(operation, &anew);
            }
            return Ok(Started::Sent(operation));
        }
        let Some(connection) = self.connections.get(&id) else {
            return Err(super::input::ended());
        };
        let limit = args
            .limit_millis
            .map_or_else(|| connection.request_limit(), clocks::limit_of);
        let hints = params
            .filter(|_| method == "tools/call")
            .and_then(|params| object::get(params, "name").and_then(object::string))
            .and_then(|name| connection.lists.tools.named(&name))
            .map(ToolHints::from)
            .unwrap_or_default();
        let ask = Ask {
            method: method.to_owned(),
            name: params.and_then(|params| naming::subject(method, params)),
            params: params.map(|params| params.get().to_owned()),
            pages: match args.pages {
                PageChoice::All => Pages::All,
                PageChoice::One => Pages::One,
            },
            purpose: Purpose::Call,
            mirrored,
            limit,
            progress: args.progress,
        };
        let (operation, step) = self.prepare(id, Arc::clone(&speaker), ask, None);
        self.set_tool_hints(operation, hints);
        if let Some(anew) = anew {
            // Before anything is sent, so that it stands before the first round.
            self.note_branch(operation, &anew);
            if let Some(active) = self.active.get_mut(&operation) {
                active.edits = anew.edits;
            }
        }
        self.advance(operation, step);
        Ok(Started::Sent(operation))
    }

    /// Notes in a branch where it is from, and in its original that there is a branch.
    fn note_branch(&mut self, operation: OperationId, anew: &Anew) {
        let Anew {
            of,
            round,
            way,
            recording,
            ..
        } = anew;
        let Some(connection) = self.connection_of(operation) else {
            return;
        };
        let began = EventBody::BranchBegan {
            of: *of,
            round: *round,
            way: *way,
            recording: recording.clone(),
        };
        self.record(connection, Some(operation), began);
        if recording.is_none()
            && let Some(connection) = self.connection_of(*of)
        {
            let branched = EventBody::BranchedOff {
                branch: operation,
                round: *round,
                way: *way,
            };
            self.record(connection, Some(*of), branched);
        }
    }

    /// The connection of an operation, also of one that has ended.
    fn connection_of(&self, operation: OperationId) -> Option<ConnectionId> {
        let known = self.active.get(&operation).map(|active| active.connection);
        known.or_else(|| {
            let summary = self.journal.read().operation(operation);
            summary.ok().map(|summary| summary.connection)
        })
    }

    /// The parameters that are mirrored for a flow which is taken up; a list that is still on its way says of none.
    ///
    /// # Errors
    /// The tool cannot be called as its headers are.
    pub(super) fn mirrored_for(
        &self,
        id: ConnectionId,
        flow: &LinkFlow,
    ) -> Result<Vec<Mirrored>, ErrorView> {
        let params = flow.params.as_deref().map(object_text).transpose()?;
        match self.mirrored(id, &flow.method, params)? {
            Mirroring::Known(mirrored) => Ok(mirrored),
            Mirroring::After(_) => Ok(Vec::new()),
        }
    }

    /// The parameters of a call that are mirrored into headers (2026-07-28 basic/transports/streamable-http § Custom
    /// Headers from Tool Parameters). A tool that no list names has none.
    fn mirrored(
        &self,
        id: ConnectionId,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Mirroring, ErrorView> {
        let none = Ok(Mirroring::Known(Vec::new()));
        let name = (method == "tools/call")
            .then(|| object::get(params?, "name").and_then(object::string))
            .flatten();
        let (Some(name), Some(connection)) = (name, self.connections.get(&id)) else {
            return none;
        };
        let is_modern = connection
            .speaker
            .as_ref()
            .is_some_and(|speaker| speaker.era == Era::Modern);
        if !is_modern || !connection.is_over_http() {
            return none;
        }
        let tools = &connection.lists.tools;
        if let Some(listing) = tools.operation.filter(|_| tools.is_loading()) {
            return Ok(Mirroring::After(listing));
        }
        let Some(tool) = tools.named(&name) else {
            return none;
        };
        match &tool.excluded {
            None => Ok(Mirroring::Known(tool.mirrored.clone())),
            Some(reason) => Err(bad_input(
                &format!("The tool {name} cannot be called over HTTP: {reason}"),
                "The tool's x-mcp-header annotations have to be mended in the server.",
            )),
        }
    }
}

/// Whether it is known which parameters are mirrored.
enum Mirroring {
    Known(Vec<Mirrored>),
    After(OperationId),
}

/// The text of a JSON object, to be sent as it is.
fn object_text(text: &str) -> Result<&RawValue, ErrorView> {
    let value = serde_json::from_str::<&RawValue>(text).map_err(|error| {
        bad_input(
            &format!("The parameters are not valid JSON: {error}."),
            "Mend them and send again.",
        )
    })?;
    match ValueKind::of(value) {
        ValueKind::Object => Ok(value),
        kind => Err(bad_input(
            &format!("The parameters are {kind}, not an object."),
            "Parameters are a JSON object, such as {\"name\": \"echo\"}.",
        )),
    }
}
