//! A connection's tools: the list as it comes, page by page, and what a view sees of it.

use std::time::Duration;

use journal::event::OperationId;
use protocol::headers::Mirrored;
use protocol::tools::{ToolEntry, ToolPage};

use tokio::time::Instant;

use crate::api::ErrorView;
use crate::api::tools::{ListState, MirroredParameter, ToolList, ToolView};

/// How long a list that a server declares changed is left alone after it was asked for.
const LIST_PAUSE: Duration = Duration::from_secs(1);

/// The tools of one connection.
#[derive(Debug)]
pub struct Tools {
    /// The server declares the capability.
    pub declared: bool,
    /// Counts up whenever a view should look again.
    pub version: u32,
    /// The operation that fetches or fetched them.
    pub operation: Option<OperationId>,
    /// They changed since they were asked for: fetch again, not before `due`.
    pub stale: bool,
    /// When they may be fetched again. A server that says with each list that the list changed must not be asked
    /// without end.
    pub due: Option<Instant>,
    state: ListState,
    shown: Vec<ToolEntry>,
    /// The pages of a list that replaces one that is shown.
    incoming: Option<Vec<ToolEntry>>,
}

impl Default for Tools {
    fn default() -> Self {
        Self {
            declared: false,
            version: 0,
            operation: None,
            stale: false,
            due: None,
            state: ListState::Unasked,
            shown: Vec::new(),
            incoming: None,
        }
    }
}

impl Tools {
    /// The list is asked for. One that is shown stays until the new one is whole.
    pub fn begin(&mut self, operation: OperationId) {
        self.operation = Some(operation);
        self.stale = false;
        self.due = Some(Instant::now() + LIST_PAUSE);
        let first = self.shown.is_empty();
        self.incoming = (!first).then(Vec::new);
        self.set(ListState::Loading);
    }

    /// A page came.
    pub fn page(&mut self, page: ToolPage) {
        match &mut self.incoming {
            Some(incoming) => incoming.extend(page.tools),
            None => self.shown.extend(page.tools),
        }
        self.version += 1;
    }

    /// The list is whole.
    pub fn complete(&mut self) {
        if let Some(incoming) = self.incoming.take() {
            self.shown = incoming;
        }
        self.set(ListState::Ready);
    }

    /// It failed; what is shown stays.
    pub fn fail(&mut self, error: ErrorView) {
        self.incoming = None;
        self.set(ListState::Failed { error });
    }

    /// Whether it is to be fetched again now.
    pub fn is_due(&self) -> bool {
        self.stale && !self.is_loading() && self.due.is_none_or(|due| due <= Instant::now())
    }

    /// Whether it is on its way.
    pub fn is_loading(&self) -> bool {
        self.state == ListState::Loading
    }

    /// How many there are; nothing before the first page.
    pub fn count(&self) -> Option<u32> {
        let known = self.state == ListState::Ready || !self.shown.is_empty();
        known.then(|| u32::try_from(self.shown.len()).unwrap_or(u32::MAX))
    }

    /// The tool at this place.
    pub fn get(&self, index: u32) -> Option<&ToolEntry> {
        self.shown.get(index as usize)
    }

    /// The first tool of this name.
    pub fn named(&self, name: &str) -> Option<&ToolEntry> {
        self.shown.iter().find(|tool| tool.name == name)
    }

    /// What a view sees.
    pub fn view(&self, over_http: bool) -> ToolList {
        ToolList {
            state: self.state.clone(),
            tools: self
                .shown
                .iter()
                .enumerate()
                .map(|(index, tool)| view(index, tool, over_http))
                .collect(),
            operation: self.operation,
            declared: self.declared,
        }
    }

    fn set(&mut self, state: ListState) {
        self.state = state;
        self.version += 1;
    }
}

/// Headers are mirrored, and tools excluded for them, over HTTP alone (2026-07-28
/// basic/transports/streamable-http § Schema Extension).
fn view(index: usize, tool: &ToolEntry, over_http: bool) -> ToolView {
    ToolView {
        index: u32::try_from(index).unwrap_or(u32::MAX),
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
