//! What the engine owns.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use client::report::{ExchangeId, LinkId};
use journal::event::{ConnectionId, OperationId};
use journal::log::Journal;
use parking_lot::RwLock;
use protocol::listing::ListKind;
use secrets::{Keyring, Redactor};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::Connection;
use super::flows::{FlowNotes, Flows};
use super::input::{Input, WeakHandle};
use super::lingering::Lingering;
use super::links::SharedBrowser;
use super::listening::{Listen, Wanted};
use super::loopback::ProtectedDemo;
use super::operation::Active;
use super::prompts::OpenPrompt;
use super::publisher::Publisher;
use super::restarting::Restarts;
use super::sign_in::{SignInNotes, SignIns};
use super::tasks::Tasks;
use super::tasks::file::{KeptTask, TaskFile};
use crate::api::feed::PromptView;
use crate::api::servers::{ConnectionView, ServerId};
use crate::catalog::{Catalog, Removed};
use crate::consents::Consents;
use crate::eras::FoundEras;
use crate::last_seen::LastSeen;
use crate::secret_uses::SecretUses;

/// The journal: the engine writes it, everybody reads it.
pub type SharedJournal = Arc<RwLock<Journal>>;

/// What an engine is made of.
pub struct Parts {
    /// The servers.
    pub catalog: Catalog,
    /// Which era each was found to speak.
    pub eras: FoundEras,
    /// What servers were like when they were last connected.
    pub last_seen: LastSeen,
    /// Where tasks are kept, and those of earlier runs.
    pub tasks: (TaskFile, Vec<KeptTask>),
    /// The log.
    pub journal: SharedJournal,
    /// Where the journal's file is.
    pub recording: Option<String>,
    /// Why the servers file could not be read, when it could not.
    pub catalog_problem: Option<String>,
    /// Where secrets are.
    pub keyring: Keyring,
    /// What replaces them by their names.
    pub redactor: Redactor,
    /// Where the open prompts are told to whoever watches them.
    pub asked: watch::Sender<Vec<PromptView>>,
    /// Where links are handed to.
    pub browser: SharedBrowser,
    /// The hosts that the person agreed to.
    pub consents: Consents,
    /// Which servers are signed in to.
    pub sign_ins: SignInNotes,
    /// Which servers have link flows in the keyring.
    pub flows: FlowNotes,
    /// When each secret was used last.
    pub uses: SecretUses,
}

/// Where an exchange's reports belong.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its connection.
    pub connection: ConnectionId,
    /// Its operation.
    pub operation: OperationId,
    /// Its round.
    pub round: u32,
    /// Its attempt.
    pub attempt: u32,
}

/// The engine's state. One loop owns it; see the module's page.
pub struct Engine {
    pub(super) catalog: Catalog,
    /// Servers that were removed and may still come back, with their secrets.
    pub(super) removed: Vec<Removed>,
    pub(super) eras: FoundEras,
    pub(super) last_seen: LastSeen,
    /// How often each server was started anew in a row, and what waits for it.
    pub(super) restarts: HashMap<ServerId, Restarts>,
    pub(super) journal: SharedJournal,
    pub(super) keyring: Keyring,
    pub(super) redactor: Redactor,
    pub(super) browser: SharedBrowser,
    pub(super) consents: Consents,
    pub(super) sign_ins: SignIns,
    pub(super) flows: Flows,
    pub(super) uses: SecretUses,
    pub(super) keyring_label: Option<String>,
    pub(super) handle: WeakHandle,
    pub(super) inbox: mpsc::Sender<Vec<client::report::Report>>,
    /// All connections since the start, live or over.
    pub(super) connections: HashMap<ConnectionId, Connection>,
    pub(super) newest: HashMap<ServerId, ConnectionId>,
    /// Cancelled when each server's connections before are closed: a new one waits for it, so that two copies of a
    /// server never run at once.
    pub(super) predecessors: HashMap<ServerId, CancellationToken>,
    /// Those whose events go to no file.
    pub(super) unrecorded: HashSet<ConnectionId>,
    /// Which connection a link belongs to.
    pub(super) links: HashMap<LinkId, ConnectionId>,
    pub(super) active: HashMap<OperationId, Active>,
    pub(super) exchanges: HashMap<ExchangeId, Place>,
    /// Response streams that should end by themselves, in the order of their times.
    pub(super) lingering: VecDeque<Lingering>,
    /// Those of them that were closed here, until their ends are reported.
    pub(super) left_open: HashSet<ExchangeId>,
    /// When the first wait of an operation may be over.
    pub(super) wait_over: Option<Instant>,
    pub(super) prompts: Vec<OpenPrompt>,
    /// The operations that listen.
    pub(super) listens: HashMap<OperationId, Listen>,
    /// What the person wants to be told of.
    pub(super) wanted: Vec<Wanted>,
    /// Tasks of all servers, also those that nobody follows any more.
    pub(super) tasks: Tasks,
    /// Who waits until which connection is made or has failed.
    pub(super) settling: Vec<(ConnectionId, super::input::Answer<ConnectionView>)>,
    pub(super) publisher: Publisher,
    /// The bundled server that wants a sign-in.
    pub(super) demo: ProtectedDemo,
    /// Links that are being closed.
    pub(super) closing: TaskTracker,
    /// When time limits were looked at last.
    pub(super) swept_at: tokio::time::Instant,
    pub(super) next_connection: u32,
    pub(super) next_operation: u32,
    pub(super) next_link: u32,
    pub(super) next_exchange: u64,
    pub(super) next_prompt: u32,
}

impl Engine {
    pub(super) fn new(
        parts: Parts,
        handle: WeakHandle,
        inbox: mpsc::Sender<Vec<client::report::Report>>,
    ) -> Self {
        Self {
            publisher: Publisher::new(parts.recording, parts.catalog_problem, parts.asked),
            catalog: parts.catalog,
            removed: Vec::new(),
            eras: parts.eras,
            last_seen: parts.last_seen,
            restarts: HashMap::new(),
            journal: parts.journal,
            keyring: parts.keyring,
            redactor: parts.redactor,
            browser: parts.browser,
            consents: parts.consents,
            sign_ins: SignIns::new(parts.sign_ins),
            flows: Flows::new(parts.flows),
            uses: parts.uses,
            keyring_label: None,
            handle,
            inbox,
            connections: HashMap::new(),
            newest: HashMap::new(),
            predecessors: HashMap::new(),
            unrecorded: HashSet::new(),
            links: HashMap::new(),
            active: HashMap::new(),
            exchanges: HashMap::new(),
            lingering: VecDeque::new(),
            left_open: HashSet::new(),
            wait_over: None,
            prompts: Vec::new(),
            listens: HashMap::new(),
            wanted: Vec::new(),
            tasks: Tasks::new(parts.tasks.0, parts.tasks.1),
            settling: Vec::new(),
            demo: ProtectedDemo::default(),
            closing: TaskTracker::new(),
            swept_at: tokio::time::Instant::now(),
            next_connection: 0,
            next_operation: 0,
            next_link: 0,
            next_exchange: 0,
            next_prompt: 0,
        }
    }

    pub(super) fn handle(&mut self, input: Input) {
        let Some(input) = self.wake_for(input) else {
            return;
        };
        match input {
            Input::Page(input) => self.handle_page(input),
            Input::SaveServer {
                server,
                draft,
                answer,
            } => {
                let saved = self.save_server(server.as_deref(), &draft);
                reply(answer, saved);
            }
            Input::Standing {
                server,
                name,
                answer,
            } => {
                let standing = self.standing(server.as_deref(), &name);
                reply(answer, standing);
            }
            Input::Removal(removal) => self.handle_removal(removal),
            Input::Connect {
                server,
                era,
                answer,
            } => {
                let started = self.connect(&server, era);
                reply(answer, started);
            }
            Input::Settled { server, answer } => self.await_settled(&server, answer),
            Input::Servers { answer } => reply(answer, Ok(self.server_views())),
            Input::SecretNames { answer } => reply(answer, Ok(self.secret_names())),
            Input::Disconnect { server, answer } => {
                self.want_nothing_of(&server);
                self.disconnect(&server);
                reply(answer, Ok(()));
            }
            Input::Tools { server, answer } => reply(answer, self.tools(&server)),
            Input::RefreshTools { server, answer } => {
                let started = self.fetch_list(&server, ListKind::Tools, true);
                reply(answer, started);
            }
            Input::Offer(offer) => self.handle_offer(offer),
            Input::CallTool { args, answer } => match self.call_tool(&args) {
                Ok(operation) => self.await_call(operation, &args, answer),
                Err(error) => reply(answer, Err(self.redacted_error(error))),
            },
            Input::Request { args, anew, answer } => {
                let started = self.request(&args, anew);
                reply(answer, started.map_err(|error| self.redacted_error(error)));
            }
            Input::Subscriptions(wish) => self.take_subscription_wish(wish),
            Input::Tasks(wish) => self.take_task_wish(wish),
            Input::AwaitEnd { operation, answer } => self.await_end(operation, answer),
            Input::Cancel { operation, answer } => reply(answer, self.cancel(operation)),
            Input::Look { look, answer } => reply(answer, self.look(look)),
            Input::Find(wish) => self.find(wish),
            Input::Log(input) => self.handle_log(input),
            Input::Compose(input) => self.handle_compose(input),
            Input::Fold {
                operation,
                expanded,
            } => self.fold(operation, expanded),
            // A view that has gone meanwhile needs no answer.
            Input::Locate { operation, answer } => {
                let _gone = answer.send(self.locate(operation));
            }
            Input::ConnectionsOf { server, answer } => {
                let _gone = answer.send(self.connections_of(&server));
            }
            Input::RowKeys { start, len, answer } => {
                let _gone = answer.send(self.row_keys(start, len));
            }
            Input::LocateTime { at_micros, answer } => {
                let _gone = answer.send(self.locate_time(at_micros));
            }
            Input::AnswerPrompt {
                prompt,
                action,
                content,
                answer,
            } => self.answered((prompt, action, content), answer),
            Input::About(input) => self.take_about(input),
            Input::Link(wish) => self.take_link_wish(wish),
            Input::Flow(input) => self.take_flow(input),
            Input::Handshake(step) => self.handshake_step(step),
            Input::SignIn(input) => self.take_sign_in(input),
            Input::Secret(input) => self.take_secret(input),
            Input::CatalogTouched => self.catalog_touched(),
            Input::KeyringDescribed { label } => self.keyring_described(label),
            Input::Closed { connection, then } => self.closed(connection, then),
            Input::Shutdown { .. } => {}
        }
    }
}

/// Answers a command; whoever asked may have gone.
pub(super) fn reply<T>(answer: super::input::Answer<T>, result: Result<T, crate::api::ErrorView>) {
    let _gone = answer.send(result);
}
