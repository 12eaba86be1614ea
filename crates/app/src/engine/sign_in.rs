//! Sign-in: who is signed in to which server, what a refusal leads to, and the tasks that fetch tokens.
//!
//! - A token is attached by [`Engine::bearer`] to each request of the server that it is for, and to no other.
//! - A refusal (401, or 403 for want of scope) is answered at most a few times for one operation: by a token that came
//!   meanwhile, by a refresh, by a sign-in that the person agreed to ([`refused`]).
//! - One task a server fetches tokens; operations that need them wait for it.
//! - Nothing is asked of the keyring for a server that nobody ever signed in to.

mod door;
mod exchange;
mod kept;
mod proving;
mod refreshing;
mod refused;
mod running;
mod starting;
mod view;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use client::clock::now_micros;
use journal::event::{ConnectionId, EventBody, OperationId};
use protocol::operation::Finish;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use url::Url;

use super::state::{Engine, reply};
use crate::api::servers::{Phase, ServerId};
use crate::api::sign_in::SignInStep;
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::Reach;
use crate::references;

pub use door::{SignInInput, load, save};
pub(super) use exchange::challenges;
pub use kept::{Kept, SignInNotes};
use proving::Pass;
pub(super) use refused::LettingIn;
pub use running::Ended;

/// After a refresh in vain, how long none is tried ahead of expiry.
const REFRESH_PAUSE: Duration = Duration::from_secs(30);

/// What sign-in has to do with a server.
#[derive(Default)]
pub(super) struct SignIn {
    /// What is kept; nothing before the keyring was read, or when it holds nothing.
    kept: Option<Arc<Kept>>,
    is_loaded: bool,
    session_only: Option<String>,
    /// The last refusal: its status, and its challenges.
    refusal: Option<(u16, Vec<String>)>,
    run: Option<Run>,
    progress: Progress,
    last_operation: Option<OperationId>,
    error: Option<ErrorView>,
    asks_for_client: bool,
    /// Operations that go on when there is a token.
    waiting: Vec<OperationId>,
    /// The operation whose prompt asks for the sign-in.
    asked: Option<OperationId>,
    is_refreshing: bool,
    refresh_failed: Option<Instant>,
    /// What the next proof for the server carries, of a token that is bound to a key.
    nonce: Option<String>,
    version: u32,
}

/// A sign-in under way.
struct Run {
    operation: OperationId,
    task: AbortHandle,
    go: mpsc::Sender<bool>,
}

/// How far a sign-in is.
#[derive(Clone, Default)]
pub struct Progress {
    steps: Vec<SignInStep>,
    is_paused: bool,
    open_url: Option<String>,
    browser_problem: Option<String>,
}

/// All servers' sign-ins.
pub struct SignIns {
    by_server: HashMap<ServerId, SignIn>,
    notes: SignInNotes,
}

impl SignIns {
    pub(super) fn new(notes: SignInNotes) -> Self {
        Self {
            by_server: HashMap::new(),
            notes,
        }
    }

    /// The server has let Roundtrip in: what it refused before does not count any more.
    pub(super) fn let_in(&mut self, server: &str) {
        if let Some(sign_in) = self.by_server.get_mut(server) {
            sign_in.refusal = None;
        }
    }

    fn of(&mut self, server: &str) -> &mut SignIn {
        self.by_server.entry(server.to_owned()).or_default()
    }
}

impl Engine {
    pub(super) fn take_sign_in(&mut self, input: SignInInput) {
        match input {
            SignInInput::IsToLoad { server, answer } => {
                let owner = self.is_to_load(&server);
                reply(answer, Ok(owner));
            }
            SignInInput::Loaded { server, kept } => {
                let sign_in = self.sign_ins.of(&server);
                sign_in.is_loaded = true;
                sign_in.kept = kept.map(|kept| Arc::new(*kept));
                self.sign_in_changed(&server);
            }
            SignInInput::Start {
                server,
                step_by_step,
                trial,
                answer,
            } => {
                let started =
                    self.start_sign_in(&server, None, step_by_step, trial.map(|trial| *trial));
                reply(answer, started);
            }
            SignInInput::Next {
                server,
                to_the_end,
                answer,
            } => {
                let taken = self.sign_in_next(&server, to_the_end);
                reply(answer, taken);
            }
            SignInInput::View { server, answer } => {
                let view = self.sign_in_view(&server);
                reply(answer, view);
            }
            SignInInput::Save {
                server,
                options,
                secrets,
                answer,
            } => {
                let saved = self.save_sign_in(&server, *options, *secrets);
                reply(answer, saved);
            }
            SignInInput::Saved {
                server,
                kept,
                session_only,
            } => self.keep(&server, *kept, session_only),
            SignInInput::SignOut { server, answer } => {
                let started = self.start_sign_out(&server);
                reply(answer, started);
            }
            SignInInput::Record {
                connection,
                operation,
                events,
            } => {
                // What still comes of one that was cancelled belongs to nothing any more.
                if self.active.contains_key(&operation) {
                    for (at_micros, event) in events {
                        self.record_at(at_micros, connection, Some(operation), event);
                    }
                    self.publisher.touch(operation);
                }
            }
            SignInInput::Progress {
                server,
                operation,
                progress,
            } => {
                let sign_in = self.sign_ins.of(&server);
                if sign_in
                    .run
                    .as_ref()
                    .is_some_and(|run| run.operation == operation)
                {
                    sign_in.progress = *progress;
                    self.sign_in_changed(&server);
                }
            }
            SignInInput::Ended {
                server,
                operation,
                ended,
            } => self.sign_in_ended(&server, operation, *ended),
            SignInInput::Refreshed {
                server,
                operation,
                ended,
            } => self.refreshed(&server, operation, *ended),
            SignInInput::SignedOut {
                server,
                operation,
                ended,
            } => self.signed_out(&server, operation, *ended),
        }
    }

    fn is_to_load(&mut self, server: &str) -> Option<String> {
        let entry = self.catalog.get(server)?;
        let name = entry.name.clone();
        if matches!(entry.reach, Reach::DemoProtected) && !self.sign_ins.of(server).is_loaded {
            // The authorization server that it was with ended with the Roundtrip before.
            self.forget_sign_in(server);
            self.sign_ins.of(server).is_loaded = true;
            return None;
        }
        let is_noted = self.sign_ins.notes.get(server).is_some();
        let sign_in = self.sign_ins.of(server);
        (is_noted && !sign_in.is_loaded).then_some(name)
    }

    /// The view has something new to see.
    fn sign_in_changed(&mut self, server: &str) {
        let sign_in = self.sign_ins.of(server);
        sign_in.version = sign_in.version.wrapping_add(1);
        self.publisher.servers_changed();
    }

    /// Takes over what a task kept.
    fn keep(&mut self, server: &str, kept: Kept, session_only: Option<String>) {
        if session_only.is_none() {
            self.sign_ins.notes.set(server, &kept);
        }
        let sign_in = self.sign_ins.of(server);
        sign_in.is_loaded = true;
        sign_in.session_only = session_only;
        sign_in.kept = Some(Arc::new(kept));
        self.sign_in_changed(server);
    }

    /// Whether Roundtrip signs in to this server: over HTTP, and with no credential of the person's own, be it an
    /// `Authorization` header or a secret in its URL.
    pub(super) fn signs_in(&self, server: &str) -> bool {
        use crate::api::servers::Endpoint;
        match self.catalog.get(server).map(|entry| &entry.reach) {
            Some(Reach::Endpoint(Endpoint::Http { url, headers })) => {
                let has_header = headers
                    .iter()
                    .any(|header| header.name.eq_ignore_ascii_case("authorization"));
                !has_header && references::names_in(url).is_empty()
            }
            Some(Reach::DemoHttp | Reach::DemoProtected) => true,
            _ => false,
        }
    }

    /// The token for a request on this connection.
    fn pass(&self, connection: ConnectionId) -> Option<Pass> {
        let connection = self.connections.get(&connection)?;
        if !connection.is_over_http() || !self.signs_in(&connection.server) {
            return None;
        }
        let sign_in = self.sign_ins.by_server.get(&connection.server)?;
        let kept = sign_in.kept.as_ref()?;
        let grant = kept.grant.as_ref()?;
        is_same_server(&grant.server_url, &connection.address).then(|| {
            Pass::new(
                (grant.access_token.clone(), grant.obtained_micros),
                kept.proof_key.clone().filter(|_| grant.is_bound),
                sign_in.nonce.clone(),
            )
        })
    }

    fn sign_in_ended(&mut self, server: &str, operation: OperationId, ended: Ended) {
        let sign_in = self.sign_ins.of(server);
        if sign_in
            .run
            .as_ref()
            .is_none_or(|run| run.operation != operation)
        {
            return;
        }
        sign_in.run = None;
        sign_in.progress.is_paused = false;
        sign_in.progress.open_url = None;
        sign_in.refresh_failed = None;
        let failure = ended.outcome.as_ref().err().cloned();
        sign_in.asks_for_client = failure.as_ref().is_some_and(|one| one.asks_for_client);
        sign_in.error = failure.as_ref().map(|failure| ErrorView {
            code: ErrorCode::Failed,
            message: failure.message.clone(),
            hint: failure.hint.clone(),
        });
        if failure.is_none() {
            sign_in.refusal = None;
        }
        self.keep(server, ended.kept, ended.session_only);
        match failure {
            None => {
                self.finish(operation, Finish::Complete);
                self.go_on(server);
                self.connect_signed_in(server);
            }
            Some(failure) => {
                self.finish(
                    operation,
                    Finish::Failed {
                        brief: "not signed in".to_owned(),
                        message: failure.message.clone(),
                        hint: failure.hint.clone(),
                    },
                );
                self.give_up(server, &failure.message, failure.hint.as_deref());
            }
        }
    }

    /// A server that was refused to connect to for want of a sign-in is connected to now.
    fn connect_signed_in(&mut self, server: &str) {
        let wanted = self
            .newest
            .get(server)
            .and_then(|id| self.connections.get(id))
            .is_some_and(|connection| {
                connection.phase == Phase::Failed
                    && connection
                        .error
                        .as_ref()
                        .is_some_and(|error| error.code == ErrorCode::SignInNeeded)
            });
        if wanted && let Err(error) = self.connect(server, None) {
            tracing::debug!(message = error.message, "not connected after a sign-in");
        }
    }

    fn refreshed(&mut self, server: &str, operation: OperationId, ended: Ended) {
        let sign_in = self.sign_ins.of(server);
        sign_in.is_refreshing = false;
        sign_in.refresh_failed = ended.outcome.is_err().then(Instant::now);
        if ended.outcome.is_ok() {
            sign_in.refusal = None;
        }
        self.keep(server, ended.kept, ended.session_only);
        let finish = match ended.outcome {
            Ok(()) => Finish::Complete,
            Err(failure) => Finish::Failed {
                brief: "not refreshed".to_owned(),
                message: failure.message,
                hint: failure.hint,
            },
        };
        self.finish(operation, finish);
        // Also in vain: what the server says to the old token decides.
        self.go_on(server);
    }

    fn signed_out(&mut self, server: &str, operation: OperationId, ended: Ended) {
        let finish = match &ended.outcome {
            Ok(()) => Finish::Complete,
            Err(failure) => Finish::Failed {
                brief: "not revoked".to_owned(),
                message: failure.message.clone(),
                hint: failure.hint.clone(),
            },
        };
        let sign_in = self.sign_ins.of(server);
        sign_in.error = ended.outcome.as_ref().err().map(|failure| ErrorView {
            code: ErrorCode::Failed,
            message: failure.message.clone(),
            hint: failure.hint.clone(),
        });
        sign_in.progress = Progress::default();
        sign_in.refusal = None;
        self.keep(server, ended.kept, ended.session_only);
        self.finish(operation, finish);
    }

    /// The operations that waited for a token go on.
    fn go_on(&mut self, server: &str) {
        let waiting = std::mem::take(&mut self.sign_ins.of(server).waiting);
        for operation in waiting {
            let Some(active) = self.active.get(&operation) else {
                continue;
            };
            let (connection, is_kept) = (active.connection, active.again.is_some());
            self.record(connection, Some(operation), EventBody::WaitEnded);
            if is_kept {
                self.send_kept(operation);
            } else {
                self.send_signed_in(operation);
            }
        }
    }

    /// The operations that waited for a token will get none.
    fn give_up(&mut self, server: &str, why: &str, hint: Option<&str>) {
        let waiting = std::mem::take(&mut self.sign_ins.of(server).waiting);
        for operation in waiting {
            self.fail(
                operation,
                "not signed in",
                format!("The server wants a sign-in, which did not succeed. {why}"),
                hint.map(str::to_owned),
            );
        }
    }

    /// A server was removed: what is kept for it goes with it.
    pub(super) fn forget_sign_in(&mut self, server: &str) {
        self.cancel_sign_in(server);
        self.sign_ins.by_server.remove(server);
        if self.sign_ins.notes.get(server).is_some() {
            self.sign_ins.notes.forget(server);
            let (keyring, server) = (self.keyring.clone(), server.to_owned());
            self.closing.spawn(async move {
                if let Err(error) = Kept::default().write(&keyring, &server).await {
                    tracing::warn!(%error, "the sign-in of a removed server stays in the keyring");
                }
            });
        }
    }

    /// The keyring's name for what a server's sign-in gave, where it has something.
    pub(super) fn sign_in_kept_as(&self, server: &str) -> Option<String> {
        self.sign_ins.notes.get(server).map(|_| Kept::name(server))
    }

    /// Stops the sign-in that runs for a server; what waited for it fails.
    pub(super) fn cancel_sign_in(&mut self, server: &str) {
        let Some(run) = self.sign_ins.of(server).run.take() else {
            return;
        };
        run.task.abort();
        let sign_in = self.sign_ins.of(server);
        sign_in.progress.is_paused = false;
        sign_in.progress.open_url = None;
        self.finish(run.operation, Finish::Cancelled);
        self.give_up(server, "It was cancelled.", None);
        self.sign_in_changed(server);
    }

    /// An operation has ended: nothing of it waits for a sign-in any more.
    pub(super) fn sign_in_without(&mut self, operation: OperationId) {
        let mut cancelled = None;
        let mut unasked = None;
        for (server, sign_in) in &mut self.sign_ins.by_server {
            sign_in.waiting.retain(|waiting| *waiting != operation);
            if sign_in.asked == Some(operation) {
                sign_in.asked = None;
                unasked = Some(server.clone());
            }
            if sign_in
                .run
                .as_ref()
                .is_some_and(|run| run.operation == operation)
            {
                cancelled = Some(server.clone());
            }
        }
        if let Some(server) = cancelled {
            // Its connection was closed, or the person cancelled its row.
            if let Some(run) = self.sign_ins.of(&server).run.take() {
                run.task.abort();
            }
            self.sign_ins.of(&server).progress.open_url = None;
            self.give_up(&server, "It was cancelled.", None);
            self.sign_in_changed(&server);
        }
        if let Some(server) = unasked {
            self.ask_for_the_next(&server);
        }
    }
}

/// Whether a token for one URL may go to the other.
fn is_same_server(granted: &str, address: &str) -> bool {
    match (Url::parse(granted), Url::parse(address)) {
        (Ok(granted), Ok(address)) => {
            granted.origin() == address.origin()
                && granted.path().trim_end_matches('/') == address.path().trim_end_matches('/')
        }
        _ => false,
    }
}

/// A moment, for steps that only this module times.
fn now() -> u64 {
    now_micros()
}
