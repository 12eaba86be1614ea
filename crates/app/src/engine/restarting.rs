//! Processes that end by themselves are started anew, as the server's options say: by the next request, or at once a few
//! times with longer and longer waits (2026-07-28 basic/transports/stdio § Unexpected Termination). What was in flight
//! fails with the cause; the new handshake has its rows like any other.

use std::time::Duration;

use journal::event::ConnectionId;
use protocol::retry;
use tokio::time::Instant;

use super::input::Input;
use super::offers::OfferInput;
use super::state::Engine;
use crate::api::options::RestartChoice;
use crate::api::servers::{Phase, ServerId};
use crate::api::{ErrorCode, ErrorView};

/// How often a process is started anew in a row.
const LIMIT: u32 = 5;
/// A process that lived for so long has nothing to do with the one that ended before.
const SETTLED: Duration = Duration::from_mins(1);

/// A server's restarts in a row, and what waits for it to be there again.
#[derive(Default)]
pub(super) struct Restarts {
    count: u32,
    connected_at: Option<Instant>,
    /// Requests that started it anew.
    waiting: Vec<Input>,
    /// The next request starts it.
    is_asleep: bool,
    /// The connection that is being made was not asked for by the person.
    is_under_way: bool,
}

impl Engine {
    /// The server is lost without anybody's wish: the connection ends with this error, and what the options say follows.
    pub(super) fn lost(&mut self, id: ConnectionId, message: &str, reason: &str) {
        let Some(connection) = self.connections.get(&id) else {
            return;
        };
        let server = connection.server.clone();
        let (hint, restart) = match connection.options.restart {
            RestartChoice::Never => ("Connect again to start it anew.".to_owned(), None),
            RestartChoice::OnRequest => {
                let restarts = self.restarts.entry(server.clone()).or_default();
                restarts.is_asleep = true;
                ("The next request starts it anew.".to_owned(), None)
            }
            RestartChoice::AtOnce => match self.next_restart(&server) {
                Some((number, wait)) => ("It is started anew.".to_owned(), Some((number, wait))),
                None => (
                    format!(
                        "It was started anew {LIMIT} times in a row and ended each time: look at its stderr, then connect again."
                    ),
                    None,
                ),
            },
        };
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.error = Some(ErrorView {
                code: ErrorCode::Failed,
                message: message.to_owned(),
                hint: Some(hint),
            });
        }
        self.close(id, reason, Phase::Failed);
        if let Some((number, wait)) = restart {
            self.start_anew(&server, number, wait);
        }
    }

    /// Which restart in a row would be the next, and the wait before it; none when there were enough.
    fn next_restart(&mut self, server: &str) -> Option<(u32, Duration)> {
        let restarts = self.restarts.entry(server.to_owned()).or_default();
        if restarts
            .connected_at
            .is_some_and(|since| since.elapsed() >= SETTLED)
        {
            restarts.count = 0;
        }
        restarts.connected_at = None;
        if restarts.count >= LIMIT {
            return None;
        }
        restarts.count += 1;
        // The first is at once: most processes end once.
        let wait = match restarts.count {
            1 => Duration::ZERO,
            count => Duration::from_millis(retry::back_off_millis(count - 1, fastrand::f64())),
        };
        Some((restarts.count, wait))
    }

    fn start_anew(&mut self, server: &str, number: u32, wait: Duration) {
        let pause = (!wait.is_zero()).then(|| {
            let words = format!(
                "starting it anew in {:.1} s ({number} of {LIMIT})",
                wait.as_secs_f64()
            );
            (wait, words)
        });
        self.restarts
            .entry(server.to_owned())
            .or_default()
            .is_under_way = true;
        if let Err(error) = self.connect_after(server, None, pause) {
            tracing::warn!(
                message = error.message,
                "a server could not be started anew"
            );
        }
    }

    /// The connection of a restart could not be made: it is tried again, where more tries are left.
    pub(super) fn restart_failed(&mut self, server: &str) {
        let is_under_way = self
            .restarts
            .get_mut(server)
            .is_some_and(|restarts| std::mem::take(&mut restarts.is_under_way));
        let wants_more = self
            .catalog
            .get(server)
            .is_some_and(|entry| entry.options.restart == RestartChoice::AtOnce);
        if is_under_way
            && wants_more
            && let Some((number, wait)) = self.next_restart(server)
        {
            self.start_anew(server, number, wait);
        } else {
            self.release(server);
        }
    }

    /// The server is there.
    pub(super) fn settled(&mut self, server: &str) {
        let restarts = self.restarts.entry(server.to_owned()).or_default();
        restarts.connected_at = Some(Instant::now());
        restarts.is_asleep = false;
        restarts.is_under_way = false;
    }

    /// The person has taken the server into their own hands: it connects or disconnects by their wish alone.
    pub(super) fn forget_restarts(&mut self, server: &str) {
        if let Some(restarts) = self.restarts.get_mut(server) {
            restarts.count = 0;
            restarts.is_asleep = false;
            restarts.is_under_way = false;
        }
    }

    /// Whether the server's process has ended and the next request starts it anew.
    pub(super) fn is_asleep(&self, server: &str) -> bool {
        self.restarts
            .get(server)
            .is_some_and(|restarts| restarts.is_asleep || !restarts.waiting.is_empty())
    }

    /// Keeps a request whose server sleeps, or is just being woken, and wakes it. Gives back what can be done now.
    pub(super) fn wake_for(&mut self, input: Input) -> Option<Input> {
        let Some(server) = input
            .wants()
            .filter(|server| self.is_asleep(server))
            .cloned()
        else {
            return Some(input);
        };
        let restarts = self.restarts.entry(server.clone()).or_default();
        let sleeps = std::mem::take(&mut restarts.is_asleep);
        restarts.waiting.push(input);
        if sleeps {
            self.start_anew(&server, 1, Duration::ZERO);
        }
        None
    }

    /// Does what waited for the server, which is there now, or is known not to come.
    pub(super) fn release(&mut self, server: &str) {
        let waiting = self
            .restarts
            .get_mut(server)
            .map(|restarts| std::mem::take(&mut restarts.waiting))
            .unwrap_or_default();
        for input in waiting {
            self.handle(input);
        }
        self.take_up_flows(server);
    }
}

impl Input {
    /// The server that this asks something of, if it does.
    fn wants(&self) -> Option<&ServerId> {
        match self {
            Self::CallTool { args, .. } => Some(&args.server),
            Self::RefreshTools { server, .. }
            | Self::Offer(
                OfferInput::Fetch { server, .. }
                | OfferInput::FetchMore { server, .. }
                | OfferInput::ReadResource { server, .. }
                | OfferInput::GetPrompt { server, .. },
            ) => Some(server),
            Self::Request { args, .. } => Some(&args.server),
            _ => None,
        }
    }
}
