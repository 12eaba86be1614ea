//! Which secrets there are, by name: those that the catalog refers to, those of sign-ins, and those of link flows.

use std::collections::BTreeMap;

use client::clock::now_micros;
use journal::event::ConnectionId;

use super::input::Answer;
use super::state::{Engine, reply};
use crate::api::ErrorView;
use crate::api::secrets::{ClearPlace, ClearValue, SecretKind, SecretState, SecretUse, SecretView};
use crate::api::servers::{Endpoint, ServerId};
use crate::catalog::{self, Reach};
use crate::paste::looks_secret;
use crate::{clear_values, references};

/// Something about secrets for the engine to do. No value is among it.
pub enum SecretInput {
    /// Which there are.
    List {
        /// Each without its state, and what stands in the servers file in the clear.
        answer: Answer<(Vec<SecretView>, Vec<ClearValue>)>,
    },
    /// A secret is no more.
    Gone {
        /// Its name.
        name: String,
    },
    /// Forget what a server's sign-in or link flows have in the store.
    Forget {
        /// Of which server.
        server: ServerId,
        /// Which of the two.
        kind: SecretKind,
        /// Under way.
        answer: Answer<()>,
    },
}

impl Engine {
    pub(super) fn take_secret(&mut self, input: SecretInput) {
        match input {
            SecretInput::List { answer } => {
                let list = (self.secret_views(), self.clear_values());
                reply(answer, Ok(list));
            }
            SecretInput::Gone { name } => self.uses.forget(&name),
            SecretInput::Forget {
                server,
                kind,
                answer,
            } => {
                let done = self.forget_secret_of(&server, kind);
                reply(answer, done);
            }
        }
    }

    /// The keyring has said how it is.
    pub(super) fn keyring_described(&mut self, label: String) {
        let label = Some(label);
        if self.keyring_label != label {
            self.keyring_label = label;
            self.publisher.timeline_changed();
        }
    }

    fn forget_secret_of(&mut self, server: &str, kind: SecretKind) -> Result<(), ErrorView> {
        if self.catalog.get(server).is_none() {
            return Err(catalog::gone());
        }
        match kind {
            SecretKind::SignIn => {
                self.forget_sign_in(server);
                self.publisher.servers_changed();
            }
            SecretKind::LinkFlow => self.forget_flows(server),
            SecretKind::Value => {}
        }
        Ok(())
    }

    /// A token goes out with a request of this connection.
    pub(super) fn note_bearer_use(&mut self, connection: ConnectionId) {
        let server = self.connections.get(&connection);
        if let Some(name) = server.and_then(|link| self.sign_in_kept_as(&link.server)) {
            self.uses.note(&name, now_micros());
        }
    }

    /// The secrets that a server's entry refers to are about to be used.
    pub(super) fn note_secret_uses(&mut self, names: &[String]) {
        let now = now_micros();
        for name in names {
            self.uses.note(name, now);
        }
    }

    fn secret_views(&self) -> Vec<SecretView> {
        let mut known: BTreeMap<String, SecretView> = BTreeMap::new();
        let mut add = |name: String, kind: SecretKind, used: SecretUse| {
            known
                .entry(name.clone())
                .or_insert_with(|| SecretView {
                    last_used_micros: self.uses.last(&name),
                    name,
                    kind,
                    uses: Vec::new(),
                    state: SecretState::Unknown,
                    can_be_restored: false,
                })
                .uses
                .push(used);
        };
        for entry in self.catalog.entries() {
            let used = |used_as: String| SecretUse {
                server: entry.id.clone(),
                server_name: entry.name.clone(),
                used_as,
            };
            if let Reach::Endpoint(endpoint) = &entry.reach {
                for (name, used_as) in uses_of(endpoint) {
                    add(name, SecretKind::Value, used(used_as));
                }
            }
            if let Some(name) = self.sign_in_kept_as(&entry.id) {
                add(name, SecretKind::SignIn, used("sign-in".to_owned()));
            }
            if let Some(name) = self.flows.kept_as(&entry.id) {
                add(name, SecretKind::LinkFlow, used("link flow".to_owned()));
            }
        }
        known.into_values().collect()
    }

    fn clear_values(&self) -> Vec<ClearValue> {
        let mut found = Vec::new();
        for entry in self.catalog.entries() {
            let Reach::Endpoint(endpoint) = &entry.reach else {
                continue;
            };
            for value in named(endpoint).1 {
                let is_clear =
                    references::names_in(&value.value).is_empty() && !value.value.is_empty();
                if is_clear && looks_secret(&value.name) {
                    found.push(ClearValue {
                        server: entry.id.clone(),
                        server_name: entry.name.clone(),
                        name: value.name.clone(),
                        place: ClearPlace::Named,
                    });
                }
            }
            let place = match endpoint {
                Endpoint::Stdio { .. } => ClearPlace::Argument,
                Endpoint::Http { .. } => ClearPlace::Url,
            };
            for value in clear_values::take_out(&mut endpoint.clone()) {
                found.push(ClearValue {
                    server: entry.id.clone(),
                    server_name: entry.name.clone(),
                    name: value.name,
                    place,
                });
            }
        }
        found
    }
}

/// The names of the secrets that an endpoint refers to, each with what it is used as.
fn uses_of(endpoint: &Endpoint) -> Vec<(String, String)> {
    let mut uses = Vec::new();
    let mut note = |text: &str, used_as: &str| {
        for name in references::names_in(text) {
            uses.push((name.to_owned(), used_as.to_owned()));
        }
    };
    let (what, values) = named(endpoint);
    for value in values {
        note(&value.value, &format!("{what} {}", value.name));
    }
    match endpoint {
        Endpoint::Stdio { args, .. } => {
            for (at, arg) in args.iter().enumerate() {
                note(arg, &format!("argument {}", at + 1));
            }
        }
        Endpoint::Http { url, .. } => note(url, "the URL"),
    }
    uses
}

fn named(endpoint: &Endpoint) -> (&'static str, &[crate::api::servers::NamedValue]) {
    match endpoint {
        Endpoint::Stdio { env, .. } => ("variable", env),
        Endpoint::Http { headers, .. } => ("header", headers),
    }
}
