//! Fetching what a server lists, on a connection: whole or page by page, from the server or from the cache.

use client::clock::now_micros;
use journal::event::{ConnectionId, EventSeq, OperationEnd, OperationId};
use protocol::caching::Kept;
use protocol::era::Era;
use protocol::listing::{ListKind, Listed};
use protocol::operation::Pages;
use protocol::prompts::PromptEntry;
use protocol::resources::{ResourceEntry, TemplateEntry};
use protocol::tools::ToolEntry;
use serde_json::value::RawValue;
use wire::object::ObjectWriter;

use super::connection::Connection;
use super::operation::{Ask, Purpose};
use super::state::{Engine, Place};
use crate::api::lists::{
    ListView, OfferedPromptView, PromptArgumentView, ResourceTemplateView, ResourceView,
    TemplateVariable,
};
use crate::api::tools::ToolList;
use crate::api::{ErrorCode, ErrorView};
use crate::lists::{AnyList, Extent, ServerList, failure_title};

/// The lists of one connection.
#[derive(Debug, Default)]
pub struct Lists {
    pub(super) tools: ServerList<ToolEntry>,
    pub(super) resources: ServerList<ResourceEntry>,
    pub(super) resource_templates: ServerList<TemplateEntry>,
    pub(super) prompts: ServerList<PromptEntry>,
}

impl Lists {
    pub(super) fn of(&self, kind: ListKind) -> &dyn AnyList {
        match kind {
            ListKind::Tools => &self.tools,
            ListKind::Resources => &self.resources,
            ListKind::ResourceTemplates => &self.resource_templates,
            ListKind::Prompts => &self.prompts,
        }
    }

    pub(super) fn of_mut(&mut self, kind: ListKind) -> &mut dyn AnyList {
        match kind {
            ListKind::Tools => &mut self.tools,
            ListKind::Resources => &mut self.resources,
            ListKind::ResourceTemplates => &mut self.resource_templates,
            ListKind::Prompts => &mut self.prompts,
        }
    }

    /// Takes over which of them the server declares.
    pub(super) fn declare(&mut self, capability_names: &[String]) {
        for kind in ListKind::ALL {
            let declared = capability_names
                .iter()
                .any(|name| name == kind.capability());
            self.of_mut(kind).declare(declared);
        }
    }
}

impl Engine {
    /// The server's tools as a view sees them.
    pub(super) fn tools(&self, server: &str) -> Result<ToolList, ErrorView> {
        let connection = self.newest_connection(server)?;
        let over_http = connection.is_over_http();
        let view = |index, listed: &_| super::toolbox::view(index, listed, over_http);
        Ok(self.redacted_list(connection.lists.tools.view(view)))
    }

    /// The same of its resources.
    pub(super) fn resources(&self, server: &str) -> Result<ListView<ResourceView>, ErrorView> {
        let connection = self.newest_connection(server)?;
        Ok(self.redacted_list(connection.lists.resources.view(resource)))
    }

    /// The same of its resource templates.
    pub(super) fn resource_templates(
        &self,
        server: &str,
    ) -> Result<ListView<ResourceTemplateView>, ErrorView> {
        let connection = self.newest_connection(server)?;
        Ok(self.redacted_list(connection.lists.resource_templates.view(template)))
    }

    /// The same of its prompts.
    pub(super) fn offered_prompts(
        &self,
        server: &str,
    ) -> Result<ListView<OfferedPromptView>, ErrorView> {
        let connection = self.newest_connection(server)?;
        Ok(self.redacted_list(connection.lists.prompts.view(prompt)))
    }

    fn newest_connection(&self, server: &str) -> Result<&Connection, ErrorView> {
        let id = self.newest.get(server).ok_or_else(never_connected)?;
        self.connections.get(id).ok_or_else(never_connected)
    }

    /// Fetches a list: past the cache with `refresh`, else from it while all of it is fresh.
    pub(super) fn fetch_list(
        &mut self,
        server: &str,
        kind: ListKind,
        refresh: bool,
    ) -> Result<(), ErrorView> {
        let id = self.connected(server)?;
        let connection = self.connections.get(&id).ok_or_else(never_connected)?;
        if !connection.lists.of(kind).is_declared() {
            return Err(ErrorView {
                code: ErrorCode::Failed,
                message: format!(
                    "The server does not declare the capability {}.",
                    kind.capability()
                ),
                hint: None,
            });
        }
        let cached: Option<Vec<Kept<EventSeq>>> = connection
            .cache
            .as_ref()
            .filter(|_| !refresh && !connection.lists.of(kind).is_loading())
            .and_then(|cache| cache.fresh_pages(kind.method(), None, now_micros()))
            .map(|pages| pages.into_iter().cloned().collect());
        match cached {
            Some(pages) => self.list_from_cache(id, kind, &pages),
            None => self.list(id, kind),
        }
        Ok(())
    }

    /// Fetches the page after those that are here.
    pub(super) fn fetch_more(&mut self, server: &str, kind: ListKind) -> Result<(), ErrorView> {
        let id = self.connected(server)?;
        let connection = self.connections.get_mut(&id).ok_or_else(never_connected)?;
        let list = connection.lists.of_mut(kind);
        if list.is_loading() {
            return Ok(());
        }
        match list.take_cursor() {
            None => Err(ErrorView {
                code: ErrorCode::Gone,
                message: format!("The list of {} has no further page.", kind.noun()),
                hint: Some("Fetch the list again for what the server has now.".to_owned()),
            }),
            Some(Ok(cursor)) => {
                let mut params = ObjectWriter::new();
                params.raw("cursor", &cursor);
                self.list_from(id, kind, Extent::NextPage, Some(params.finish()));
                Ok(())
            }
            Some(Err(cursor)) => {
                let error = ErrorView {
                    code: ErrorCode::Failed,
                    message: format!(
                        "The server gave the cursor {cursor} for a second time, so the list would go round in a circle. The pages until then are kept."
                    ),
                    hint: Some("The server's paging is at fault: compare the cursors of the pages in the timeline.".to_owned()),
                };
                let error = self.redacted_error(error);
                if let Some(connection) = self.connections.get_mut(&id) {
                    connection.lists.of_mut(kind).fail(error);
                }
                self.publisher.servers_changed();
                Ok(())
            }
        }
    }

    /// Fetches a list from the server, unless it is on its way or the server has none.
    pub(super) fn list(&mut self, id: ConnectionId, kind: ListKind) {
        let page_by_page = self
            .connections
            .get(&id)
            .is_some_and(|connection| connection.options.page_by_page);
        let extent = if page_by_page {
            Extent::FirstPage
        } else {
            Extent::Whole
        };
        self.list_from(id, kind, extent, None);
    }

    fn list_from(
        &mut self,
        id: ConnectionId,
        kind: ListKind,
        extent: Extent,
        params: Option<String>,
    ) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        let limit = connection.request_limit();
        let list = connection.lists.of_mut(kind);
        if !list.is_declared() || list.is_loading() {
            return;
        }
        let Some(speaker) = connection.speaker.clone() else {
            return;
        };
        // The operation may end within `start`, so its number is known before.
        list.begin(OperationId(self.next_operation), extent);
        self.start(
            id,
            speaker,
            Ask {
                method: kind.method().to_owned(),
                name: None,
                params,
                pages: match extent {
                    Extent::Whole => Pages::All,
                    Extent::FirstPage | Extent::NextPage => Pages::One,
                },
                purpose: Purpose::List(kind),
                mirrored: Vec::new(),
                limit,
                progress: false,
            },
            None,
        );
        self.publisher.servers_changed();
    }

    /// All pages of a list are fresh: it is what it was.
    fn list_from_cache(&mut self, id: ConnectionId, kind: ListKind, pages: &[Kept<EventSeq>]) {
        let operation = OperationId(self.next_operation);
        if let Some(connection) = self.connections.get_mut(&id) {
            let list = connection.lists.of_mut(kind);
            list.begin(operation, Extent::Whole);
            for page in pages {
                // It was a page when it came.
                let _was_read = list.page(&page.result, page.received_micros, true);
            }
        }
        self.answer_from_cache(id, kind.method(), None, pages);
        self.listed(id, kind, operation, &OperationEnd::Complete);
    }

    /// The server says that lists changed: what is kept of them is stale, and those that were fetched are fetched again.
    pub(super) fn lists_changed(&mut self, id: ConnectionId, notification: &str) {
        for kind in ListKind::changed_by(notification) {
            let Some(connection) = self.connections.get_mut(&id) else {
                return;
            };
            if let Some(cache) = &mut connection.cache {
                cache.forget_method(kind.method());
            }
            let list = connection.lists.of_mut(*kind);
            list.invalidate();
            if list.is_due() {
                self.list(id, *kind);
            }
            self.publisher.servers_changed();
        }
    }

    /// A new session was opened in the place of one that the server has ended, as one does that was started anew: it may
    /// offer other things now.
    pub(super) fn list_in_new_session(&mut self, id: ConnectionId) {
        for kind in ListKind::ALL {
            let Some(connection) = self.connections.get(&id) else {
                return;
            };
            if !connection.lists.of(kind).was_asked() {
                continue;
            }
            // Sessions are of the legacy era, which has no cache.
            self.list(id, kind);
            let listing = self
                .connections
                .get(&id)
                .and_then(|connection| connection.lists.of(kind).operation());
            // A server that forgets this session too is not given another for the lists' sake.
            if let Some(active) = listing.and_then(|listing| self.active.get_mut(&listing)) {
                active.is_renewed = true;
            }
        }
    }

    /// Fetches the lists that changed while they were left alone.
    pub(super) fn fetch_due_lists(&mut self) {
        let due: Vec<_> = self
            .connections
            .iter()
            .filter(|(_, connection)| connection.is_connected())
            .flat_map(|(id, connection)| {
                ListKind::ALL
                    .into_iter()
                    .filter(|kind| connection.lists.of(*kind).is_due())
                    .map(|kind| (*id, kind))
            })
            .collect();
        for (id, kind) in due {
            self.list(id, kind);
        }
    }

    /// A page came. Gives what is wrong with it, when it is no page.
    pub(super) fn list_page(
        &mut self,
        place: Place,
        kind: ListKind,
        result: &RawValue,
        received_micros: u64,
    ) -> Option<String> {
        let list = self
            .connections
            .get_mut(&place.connection)?
            .lists
            .of_mut(kind);
        if list.operation() != Some(place.operation) {
            return None;
        }
        let taken = list.page(result, received_micros, false);
        self.publisher.servers_changed();
        taken.err()
    }

    /// The operation that fetches a list ended.
    pub(super) fn listed(
        &mut self,
        id: ConnectionId,
        kind: ListKind,
        operation: OperationId,
        end: &OperationEnd,
    ) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        let is_legacy = connection
            .speaker
            .as_ref()
            .is_some_and(|speaker| speaker.era == Era::Legacy);
        let list = connection.lists.of_mut(kind);
        if list.operation() != Some(operation) {
            return;
        }
        let failed = |message: String, hint: Option<String>| ErrorView {
            code: ErrorCode::Failed,
            message,
            hint,
        };
        let error = match end {
            OperationEnd::Complete | OperationEnd::ToolError => {
                list.complete(is_legacy);
                self.note_list(id, kind);
                None
            }
            OperationEnd::Failed {
                brief,
                message,
                hint,
            } => Some(failed(
                format!("{} ({brief}): {message}", failure_title(kind)),
                hint.clone().or_else(|| {
                    Some(format!(
                        "Try again; the row of {} shows what the server said.",
                        kind.method()
                    ))
                }),
            )),
            OperationEnd::Cancelled | OperationEnd::Settled { .. } => Some(failed(
                format!("The listing of {} was cancelled.", kind.noun()),
                None,
            )),
        };
        if let Some(error) = error {
            let error = self.redacted_error(error);
            if let Some(connection) = self.connections.get_mut(&id) {
                connection.lists.of_mut(kind).fail(error);
            }
        }
        self.publisher.servers_changed();
    }
}

fn resource(index: u32, listed: &Listed<ResourceEntry>) -> ResourceView {
    let entry = &listed.entry;
    ResourceView {
        index,
        nth: listed.nth,
        mark: listed.mark,
        uri: entry.uri.clone(),
        name: entry.name.clone(),
        title: entry.title.clone(),
        description: entry.description.clone(),
        mime_type: entry.mime_type.clone(),
        size: entry.size,
        last_modified: entry.last_modified.clone(),
        problems: entry.problems.clone(),
    }
}

fn template(index: u32, listed: &Listed<TemplateEntry>) -> ResourceTemplateView {
    let entry = &listed.entry;
    let (variables, malformed) = match &entry.template {
        Ok(template) => (template.variables(), None),
        Err(why) => (&[][..], Some(why.clone())),
    };
    ResourceTemplateView {
        index,
        nth: listed.nth,
        mark: listed.mark,
        uri_template: entry.uri_template.clone(),
        name: entry.name.clone(),
        title: entry.title.clone(),
        description: entry.description.clone(),
        mime_type: entry.mime_type.clone(),
        variables: variables
            .iter()
            .map(|variable| TemplateVariable {
                name: variable.name.clone(),
                exploded: variable.exploded,
                detachable: variable.detachable,
            })
            .collect(),
        malformed,
        problems: entry.problems.clone(),
    }
}

fn prompt(index: u32, listed: &Listed<PromptEntry>) -> OfferedPromptView {
    let entry = &listed.entry;
    OfferedPromptView {
        index,
        nth: listed.nth,
        mark: listed.mark,
        name: entry.name.clone(),
        title: entry.title.clone(),
        description: entry.description.clone(),
        arguments: entry
            .arguments
            .iter()
            .map(|argument| PromptArgumentView {
                name: argument.name.clone(),
                title: argument.title.clone(),
                description: argument.description.clone(),
                required: argument.required,
            })
            .collect(),
        problems: entry.problems.clone(),
    }
}

/// The error for a server that has no connection.
pub(super) fn never_connected() -> ErrorView {
    ErrorView {
        code: ErrorCode::Gone,
        message: "The server is not connected.".to_owned(),
        hint: Some("Connect to it first.".to_owned()),
    }
}
