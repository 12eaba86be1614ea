//! What a server is about: how it differs from when it was last connected, and its icons.

use client::Route;
use client::clock::now_micros;
use journal::event::ConnectionId;
use protocol::icons::Icon;
use protocol::listing::ListKind;

use super::handshake::expand_home;
use super::input::Answer;
use super::lists::never_connected;
use super::state::{Engine, reply};
use crate::api::ErrorView;
use crate::api::changes::ServerChanges;
use crate::api::servers::{Endpoint, ServerId, ServerReport};
use crate::catalog::Reach;

/// What is wanted to be known about a server.
pub enum AboutInput {
    /// What has changed since it was last connected.
    Changes {
        /// Which.
        server: ServerId,
        /// The changes.
        answer: Answer<ServerChanges>,
    },
    /// Its icons as it describes them, its own URL, and the way there.
    Icons {
        /// Which.
        server: ServerId,
        /// Them.
        answer: Answer<ServersIcons>,
    },
}

/// What it takes to look at a server's icons.
pub struct ServersIcons {
    /// As the server describes them.
    pub icons: Vec<Icon>,
    /// The server's URL; a process has none.
    pub url: Option<String>,
    /// The way to it.
    pub route: Route,
}

impl Engine {
    pub(super) fn take_about(&mut self, input: AboutInput) {
        match input {
            AboutInput::Changes { server, answer } => reply(answer, self.changes(&server)),
            AboutInput::Icons { server, answer } => reply(answer, self.icons_of(&server)),
        }
    }

    fn changes(&self, server: &str) -> Result<ServerChanges, ErrorView> {
        let id = self.newest.get(server).ok_or_else(never_connected)?;
        let connection = self.connections.get(id).ok_or_else(never_connected)?;
        let fetched: Vec<ListKind> = ListKind::ALL
            .into_iter()
            .filter(|kind| connection.lists.of(*kind).fingerprints().is_some())
            .collect();
        Ok(self
            .last_seen
            .changes(server, connection.before.as_ref(), &fetched))
    }

    fn icons_of(&self, server: &str) -> Result<ServersIcons, ErrorView> {
        let id = self.connected(server)?;
        let connection = self.connections.get(&id).ok_or_else(never_connected)?;
        let reach = self.catalog.get(server).map(|entry| &entry.reach);
        let url = match reach {
            Some(Reach::DemoStdio | Reach::Endpoint(Endpoint::Stdio { .. })) | None => None,
            Some(Reach::Endpoint(Endpoint::Http { url, .. })) => Some(url.clone()),
            Some(Reach::DemoHttp | Reach::DemoProtected) => Some(connection.address.clone()),
        };
        Ok(ServersIcons {
            icons: connection
                .report
                .as_ref()
                .map(|report| report.icons.clone())
                .unwrap_or_default(),
            url,
            route: Route {
                proxy: connection.options.proxy.clone(),
                ca_file: connection.options.ca_file.as_deref().map(expand_home),
            },
        })
    }

    /// The server is connected: it is compared with what it was.
    pub(super) fn compare_with_before(&mut self, id: ConnectionId, report: &ServerReport) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        let reach = self
            .catalog
            .get(&connection.server)
            .map(crate::eras::reach_of)
            .unwrap_or_default();
        connection.before =
            self.last_seen
                .connected(&connection.server, reach, report, now_micros());
    }

    /// A list is here: it is what the server lists from now on.
    pub(super) fn note_list(&mut self, id: ConnectionId, kind: ListKind) {
        let Some(connection) = self.connections.get(&id) else {
            return;
        };
        if self.newest.get(&connection.server) != Some(&id) {
            return;
        }
        let Some(mut entries) = connection.lists.of(kind).fingerprints() else {
            return;
        };
        for (name, _) in &mut entries {
            let known = self.redactor.redact_text(name).into_owned();
            *name = known;
        }
        let server = connection.server.clone();
        self.last_seen.listed(&server, kind, entries);
    }
}
