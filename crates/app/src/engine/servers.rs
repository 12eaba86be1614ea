//! The catalog's servers as a view sees and changes them.

use std::collections::BTreeSet;

use super::connection::Connection;
use super::input::Removal;
use super::state::{Engine, reply};
use crate::api::ErrorView;
use crate::api::servers::{Endpoint, Phase, ServerDraft, ServerId, ServerView};
use crate::catalog::{self, Entry, Reach, Removed};
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
                    sign_in: self.sign_in_news(&entry.id),
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
        // One that was removed may come back, and wants its own again.
        let of_others = self
            .catalog
            .entries()
            .filter(|entry| Some(entry.id.as_str()) != server)
            .chain(self.removed.iter().map(Removed::entry))
            .flat_map(Entry::secret_names)
            .collect();
        Ok(Standing { before, of_others })
    }

    /// The names of all secrets that servers refer to.
    pub(super) fn secret_names(&self) -> Vec<String> {
        let entries = self.catalog.entries();
        let removed = self.removed.iter().map(Removed::entry);
        let names: BTreeSet<String> = entries
            .chain(removed)
            .flat_map(Entry::secret_names)
            .collect();
        names.into_iter().collect()
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

    /// The servers file may have been changed from outside. What is connected stays so; nothing is connected to.
    pub(super) fn catalog_touched(&mut self) {
        let Some(reread) = self.catalog.reread() else {
            return;
        };
        for server in reread.gone {
            // Its secrets stay: what was taken out by hand may be put back by hand.
            self.disconnect(&server);
            self.cancel_sign_in(&server);
            self.withdraw_offers(&server);
            self.newest.remove(&server);
            self.restarts.remove(&server);
        }
        self.publisher.catalog_problem(reread.problem);
        self.publisher.servers_changed();
    }

    pub(super) fn handle_removal(&mut self, removal: Removal) {
        match removal {
            Removal::Remove { server, answer } => reply(answer, self.remove_server(&server)),
            Removal::Restore { server, answer } => reply(answer, self.restore_server(&server)),
            Removal::Forget { server, answer } => {
                reply(answer, Ok(self.forget_removed(server.as_deref())));
            }
        }
    }

    /// Takes a server out of the catalog. What it takes to bring it back is kept until [`Engine::forget_removed`].
    fn remove_server(&mut self, server: &str) -> Result<(), ErrorView> {
        // Says why a bundled one stays.
        self.endpoint(server)?;
        let removed = self.catalog.remove(server)?;
        self.disconnect(server);
        self.cancel_sign_in(server);
        self.newest.remove(server);
        self.restarts.remove(server);
        self.eras.forget(server);
        self.last_seen.forget(server);
        self.consents.forget_all(server);
        self.withdraw_offers(server);
        self.removed.push(removed);
        self.publisher.servers_changed();
        Ok(())
    }

    /// Brings back a server that was removed.
    ///
    /// # Errors
    /// It was removed too long ago, or another one has its name by now.
    fn restore_server(&mut self, server: &str) -> Result<(), ErrorView> {
        let place = self
            .removed
            .iter()
            .position(|removed| removed.entry().id == server)
            .ok_or_else(catalog::gone)?;
        if let Some(removed) = self.removed.get(place) {
            self.catalog.restore(removed)?;
        }
        self.removed.remove(place);
        self.offer_again(server);
        self.publisher.servers_changed();
        Ok(())
    }

    /// What was removed and not brought back, which cannot come back from now on: this server, or all.
    fn forget_removed(&mut self, server: Option<&str>) -> Vec<(ServerId, Endpoint)> {
        let (taken, kept) = std::mem::take(&mut self.removed)
            .into_iter()
            .partition(|removed| server.is_none_or(|server| removed.entry().id == server));
        self.removed = kept;
        let taken: Vec<Removed> = taken;
        for removed in &taken {
            self.forget_sign_in(&removed.entry().id);
            self.forget_flows(&removed.entry().id);
        }
        taken
            .into_iter()
            .filter_map(|removed| match &removed.entry().reach {
                Reach::Endpoint(endpoint) => Some((removed.entry().id.clone(), endpoint.clone())),
                Reach::DemoStdio | Reach::DemoHttp | Reach::DemoProtected => None,
            })
            .collect()
    }
}
