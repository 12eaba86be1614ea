//! Starting what a sign-in is made of: the flow, a refresh, a sign-out.

use std::sync::Arc;

use client::Route;
use journal::event::{ConnectionId, EventBody, OperationId};
use tokio::sync::mpsc;
use url::Url;

use super::exchange::Desk;
use super::kept::Kept;
use super::running::{self, Address, Setup};
use super::{Run, refreshing};
use crate::api::ErrorView;
use crate::api::servers::{Endpoint, Phase};
use crate::api::sign_in::{SignInOptions, SignInSecrets};
use crate::catalog::{self, Entry, Reach, bad_input};
use crate::engine::connection::Connection;
use crate::engine::handshake::expand_home;
use crate::engine::operation::{Active, Patience, Purpose};
use crate::engine::state::Engine;

/// What the operations of a sign-in are called.
pub(in crate::engine) const SIGN_IN: &str = "sign-in";

impl Engine {
    /// Starts a sign-in, in the place of one that runs.
    ///
    /// # Errors
    /// The server is gone, or is none that is signed in to.
    pub(in crate::engine) fn start_sign_in(
        &mut self,
        server: &str,
        on: Option<ConnectionId>,
        step_by_step: bool,
        trial: Option<SignInOptions>,
    ) -> Result<OperationId, ErrorView> {
        let entry = self
            .catalog
            .get(server)
            .cloned()
            .ok_or_else(catalog::gone)?;
        if !self.signs_in(server) {
            return Err(bad_input(
                "This server is not signed in to by Roundtrip.",
                "Servers over HTTP are; one with an Authorization header of its own, or a secret in its URL, uses that.",
            ));
        }
        let options = checked(trial.unwrap_or_else(|| entry.options.sign_in.clone()))?;
        self.cancel_sign_in_keeping_those_who_wait(server);
        let live = self
            .newest
            .get(server)
            .copied()
            .filter(|id| self.connections.get(id).is_some_and(Connection::is_live));
        let on = on.or(live);
        let connection = on.unwrap_or_else(|| self.open_idle_connection(&entry));
        let address = match &entry.reach {
            Reach::Endpoint(Endpoint::Http { url, .. }) => Address::Url(url.clone()),
            Reach::DemoProtected => Address::Demo(self.demo.clone(), self.closing.clone()),
            _ => Address::Url(self.address_of(connection)),
        };
        let desk = self
            .desk(&entry, connection, &entry.name)
            .ok_or_else(crate::engine::ended)?;
        let operation = desk.operation;
        let prompt = self.next_prompt;
        self.next_prompt += 1;
        let browser = Arc::clone(&self.browser);
        let sign_in = self.sign_ins.of(server);
        let setup = Setup {
            server: server.to_owned(),
            address,
            options,
            kept: sign_in.kept.as_deref().cloned().unwrap_or_default(),
            refusal: sign_in.refusal.clone(),
            prompt,
            step_by_step,
        };
        let (go, wanted) = mpsc::channel(1);
        let task = tokio::spawn(running::run(desk, setup, browser, wanted));
        let sign_in = self.sign_ins.of(server);
        sign_in.run = Some(Run {
            operation,
            task: task.abort_handle(),
            go,
        });
        sign_in.last_operation = Some(operation);
        sign_in.progress = super::Progress::default();
        sign_in.error = None;
        sign_in.asks_for_client = false;
        self.sign_in_changed(server);
        Ok(operation)
    }

    fn cancel_sign_in_keeping_those_who_wait(&mut self, server: &str) {
        let waiting = std::mem::take(&mut self.sign_ins.of(server).waiting);
        self.cancel_sign_in(server);
        self.sign_ins.of(server).waiting = waiting;
    }

    /// What happens without a connection has its events in a journal's connection all the same.
    pub(in crate::engine) fn open_idle_connection(&mut self, entry: &Entry) -> ConnectionId {
        let id = ConnectionId(self.next_connection);
        self.next_connection += 1;
        let mut connection = Connection::new(entry);
        connection.set_phase(Phase::Disconnected);
        self.connections.insert(id, connection);
        self.record(
            id,
            None,
            EventBody::ConnectionOpened {
                server_name: entry.name.clone(),
                transport: entry.transport().to_owned(),
                address: entry.address(),
            },
        );
        id
    }

    /// A place for a task to work at, with an operation of its own in the timeline.
    fn desk(&mut self, entry: &Entry, connection: ConnectionId, name: &str) -> Option<Desk> {
        let engine = self.handle.upgrade()?;
        let speaker = self.connections.get(&connection)?.spoken();
        let operation = self.open_operation(connection, SIGN_IN, Some(name));
        let mut active = Active::new(connection, speaker, Purpose::SignIn, SIGN_IN, Some(name));
        active.patience = Patience::Endless;
        self.active.insert(operation, active);
        let route = match &entry.reach {
            Reach::Endpoint(_) => Route {
                proxy: entry.options.proxy.clone(),
                ca_file: entry.options.ca_file.as_deref().map(expand_home),
            },
            _ => Route::default(),
        };
        Some(Desk {
            engine,
            keyring: self.keyring.clone(),
            redactor: self.redactor.clone(),
            route,
            connection,
            operation,
            owner: entry.name.clone(),
            proof_key: None,
        })
    }

    pub(super) fn sign_in_next(&mut self, server: &str, to_the_end: bool) -> Result<(), ErrorView> {
        let nobody = || ErrorView {
            code: crate::api::ErrorCode::Gone,
            message: "No sign-in waits for its next step.".to_owned(),
            hint: None,
        };
        let run = self.sign_ins.of(server).run.as_ref().ok_or_else(nobody)?;
        run.go.try_send(to_the_end).map_err(|_| nobody())
    }

    /// Whether a request on this connection is better kept until a fresh token is there.
    pub(in crate::engine) fn waits_for_token(&mut self, operation: OperationId) -> bool {
        let Some(active) = self.active.get(&operation) else {
            return false;
        };
        let (connection, purpose) = (active.connection, active.purpose);
        if matches!(purpose, Purpose::SignIn | Purpose::Process) || self.pass(connection).is_none()
        {
            return false;
        }
        let Some(server) = self
            .connections
            .get(&connection)
            .map(|connection| connection.server.clone())
        else {
            return false;
        };
        let sign_in = self.sign_ins.of(&server);
        if sign_in.is_refreshing {
            return true;
        }
        let may_refresh = sign_in
            .refresh_failed
            .is_none_or(|failed| failed.elapsed() >= super::REFRESH_PAUSE);
        let runs_out = sign_in
            .kept
            .as_ref()
            .and_then(|kept| kept.grant.as_ref())
            .is_some_and(|grant| {
                grant.refresh_token.is_some() && grant.is_running_out(super::now())
            });
        may_refresh && runs_out && self.refresh_token(&server, connection)
    }

    /// Fetches a fresh token; gives false when there is nothing to fetch it with.
    pub(super) fn refresh_token(&mut self, server: &str, connection: ConnectionId) -> bool {
        let Some(kept) = self.sign_ins.of(server).kept.clone() else {
            return false;
        };
        let has_refresh = kept
            .grant
            .as_ref()
            .is_some_and(|grant| grant.refresh_token.is_some());
        if !has_refresh {
            return false;
        }
        let Some(entry) = self.catalog.get(server).cloned() else {
            return false;
        };
        let Some(desk) = self.desk(&entry, connection, "refresh") else {
            return false;
        };
        let lock = self.sign_ins.notes.lock_file(server);
        self.sign_ins.of(server).is_refreshing = true;
        tokio::spawn(refreshing::refresh(
            desk,
            server.to_owned(),
            (*kept).clone(),
            lock,
        ));
        self.sign_in_changed(server);
        true
    }

    pub(super) fn start_sign_out(&mut self, server: &str) -> Result<OperationId, ErrorView> {
        let entry = self
            .catalog
            .get(server)
            .cloned()
            .ok_or_else(catalog::gone)?;
        self.cancel_sign_in(server);
        let Some(kept) = self
            .sign_ins
            .of(server)
            .kept
            .clone()
            .filter(|kept| kept.grant.is_some())
        else {
            return Err(bad_input(
                "Nobody is signed in to this server.",
                "Sign in first.",
            ));
        };
        // What was signed in is left with the sign-in: the server would refuse the next request anyway. The end of its
        // session is asked for while the token is still good.
        self.disconnect(server);
        let connection = self.open_idle_connection(&entry);
        let desk = self
            .desk(&entry, connection, "sign out")
            .ok_or_else(crate::engine::ended)?;
        let operation = desk.operation;
        let lock = self.sign_ins.notes.lock_file(server);
        let mut without = (*kept).clone();
        without.grant = None;
        self.sign_ins.of(server).kept = Some(Arc::new(without));
        tokio::spawn(refreshing::sign_out(
            desk,
            server.to_owned(),
            (*kept).clone(),
            lock,
        ));
        self.sign_in_changed(server);
        Ok(operation)
    }

    pub(super) fn save_sign_in(
        &mut self,
        server: &str,
        options: SignInOptions,
        secrets: SignInSecrets,
    ) -> Result<Option<(String, Kept)>, ErrorView> {
        let options = checked(options)?;
        if let Some(key) = secrets
            .private_key
            .as_deref()
            .filter(|key| !key.trim().is_empty())
        {
            client::oauth::check_key(key.trim()).map_err(|problem| {
                bad_input(
                    &problem,
                    "Paste the whole key, with its BEGIN and END lines.",
                )
            })?;
        }
        let entry = self.catalog.get(server).ok_or_else(catalog::gone)?;
        let owner = entry.name.clone();
        let id_changed = entry.options.sign_in.client_id != options.client_id;
        self.catalog.set_sign_in(server, options)?;
        let sign_in = self.sign_ins.of(server);
        let sign_in_is_unkept = sign_in.session_only.is_some();
        let kept = sign_in.kept.as_deref().cloned().unwrap_or_default();
        let mut changed = kept.clone();
        changed.enter(secrets);
        if id_changed {
            // Another identity may belong to another authorization server.
            changed.client_issuer = None;
        }
        self.sign_in_changed(server);
        // What the keyring did not take before is tried again.
        let is_wanted = changed != kept || sign_in_is_unkept;
        Ok(is_wanted.then_some((owner, changed)))
    }
}

/// The options with their texts trimmed, when they can be used.
///
/// # Errors
/// What cannot be used.
fn checked(mut options: SignInOptions) -> Result<SignInOptions, ErrorView> {
    let SignInOptions {
        how: _,
        client_id,
        client_issuer,
        client_method,
        metadata_document,
        scopes,
        resource,
        omit_resource: _,
        issuer,
        authorization_endpoint,
        token_endpoint,
        provider_token_endpoint,
        provider_client_id,
    } = &mut options;
    for text in [
        &mut *client_id,
        client_issuer,
        client_method,
        metadata_document,
        scopes,
        resource,
        issuer,
        authorization_endpoint,
        token_endpoint,
        provider_token_endpoint,
        provider_client_id,
    ] {
        *text = text
            .take()
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty());
    }
    for (what, url) in [
        ("authorization server", &*client_issuer),
        ("Client ID Metadata Document", metadata_document),
        ("resource", resource),
        ("authorization server", issuer),
        ("authorization endpoint", authorization_endpoint),
        ("token endpoint", token_endpoint),
        (
            "identity provider's token endpoint",
            provider_token_endpoint,
        ),
    ] {
        if let Some(url) = url
            && Url::parse(url).is_err()
        {
            return Err(bad_input(
                &format!("{url:?} is no URL, and the {what} is one."),
                "Enter a whole URL, such as https://auth.example.com.",
            ));
        }
    }
    if let Some(method) = client_method
        && protocol::authorization::client::AuthMethod::named(method).is_none()
    {
        return Err(bad_input(
            &format!("{method:?} is no way for a client to prove who it is."),
            "Choose none, client_secret_basic, client_secret_post or private_key_jwt.",
        ));
    }
    Ok(options)
}
