//! The catalog's servers as a view sees and changes them.

use super::connection::Connection;
use super::state::Engine;
use crate::api::ErrorView;
use crate::api::servers::{Endpoint, Phase, ServerDraft, ServerId, ServerView};
use crate::catalog::{self, Entry, Reach};
use crate::secret_values::Standing;

impl Engine {
    /// All servers as the list shows them.
    pub(super) fn server_views(&self) -> Vec<ServerView> {
        self.catalog
            .entries()
            .map(|entry| {
                let newest = self
                    .newest
                    .get(&entry.id)
                    .and_then(|id| self.connections.get(id));
                let open_prompts = self
                    .prompts
                    .iter()
                    .filter(|prompt| prompt.view.server == entry.id)
                    .count();
                let mut idle = Connection::new(entry);
                idle.set_phase(Phase::Disconnected);
                ServerView {
                    id: entry.id.clone(),
                    name: entry.name.clone(),
                    builtin: entry.builtin(),
                    transport: entry.transport().to_owned(),
                    address: entry.address(),
                    draft: entry.draft(),
                    connection: newest.unwrap_or(&idle).view(
                        u32::try_from(open_prompts).unwrap_or(u32::MAX),
                        self.is_asleep(&entry.id),
                    ),
                }
            })
            .collect()
    }

    pub(super) fn save_server(
        &mut self,
        server: Option<&str>,
        draft: &ServerDraft,
    ) -> Result<ServerId, ErrorView> {
        let id = self.catalog.save(server, draft)?;
        if let Some(changed) = server {
            self.options_changed(changed, &draft.options);
        }
        self.publisher.servers_changed();
        Ok(id)
    }

    /// What a draft may use of the keyring.
    ///
    /// # Errors
    /// The name is taken, or the server cannot be changed.
    pub(super) fn standing(&self, server: Option<&str>, name: &str) -> Result<Standing, ErrorView> {
        self.catalog.check_name(server, name)?;
        let before = server.map(|server| self.endpoint(server)).transpose()?;
        let of_others = self
            .catalog
            .entries()
            .filter(|entry| Some(entry.id.as_str()) != server)
            .flat_map(Entry::secret_names)
            .collect();
        Ok(Standing { before, of_others })
    }

    /// How a server of the person's is reached.
    fn endpoint(&self, server: &str) -> Result<Endpoint, ErrorView> {
        match self.catalog.get(server).map(|entry| &entry.reach) {
            Some(Reach::Endpoint(endpoint)) => Ok(endpoint.clone()),
            Some(_) => Err(catalog::bad_input(
                "The bundled servers cannot be changed.",
                "Add a server of your own.",
            )),
            None => Err(catalog::gone()),
        }
    }

    pub(super) fn remove_server(&mut self, server: &str) -> Result<Endpoint, ErrorView> {
        let endpoint = self.endpoint(server)?;
        self.catalog.remove(server)?;
        self.disconnect(server);
        self.newest.remove(server);
        self.restarts.remove(server);
        self.eras.forget(server);
        self.restarts.remove(server);
        self.eras.forget(server);
        self.publisher.servers_changed();
        Ok(endpoint)
    }
}
