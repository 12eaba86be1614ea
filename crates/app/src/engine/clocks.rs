//! The clocks of requests: how long each may take, what starts its limit anew, and when its clock stands still.

use std::time::Duration;

use journal::event::OperationId;
use tokio::time::Instant;

use super::operation::{Active, Attempt, Purpose};
use super::state::Engine;

/// Which limit ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// Nothing came for so long.
    Silence(Duration),
    /// It took so long in all.
    Hard(Duration),
}

impl Engine {
    /// Starts the silence's limit anew, where something came for the request itself and the server's options have it so.
    /// A handshake's is not: its wait is bounded, whatever the server chats of. Nor is that of a message that did not
    /// reach its process, whose last words alone are awaited.
    pub(super) fn restart_clock(&mut self, operation: OperationId) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let resets = self
            .connections
            .get(&active.connection)
            .is_none_or(|connection| connection.options.progress_resets_limit);
        if active.purpose == Purpose::Handshake || !resets {
            return;
        }
        let limit = active.limit;
        if let Some(attempt) = active
            .current
            .as_mut()
            .filter(|attempt| attempt.undelivered.is_none())
        {
            attempt.deadline = Instant::now() + limit;
        }
    }

    /// Lets the clocks stand for this long that wait for the person: those of the operations whose prompts are open. A
    /// question that a server sent beside several calls stops the clocks of all of them, because any of them may be the
    /// one that it belongs to.
    pub(super) fn hold_clocks(&mut self, passed: Duration) {
        if self.prompts.is_empty() {
            return;
        }
        for (operation, active) in &mut self.active {
            let Some(attempt) = active
                .current
                .as_mut()
                .filter(|attempt| attempt.undelivered.is_none())
            else {
                continue;
            };
            // A poll is not what the person's answer is for.
            let polls = active
                .machine
                .as_ref()
                .is_some_and(protocol::operation::Operation::is_following);
            let is_held = !polls
                && self.prompts.iter().any(|prompt| {
                    prompt.operation == *operation
                        || prompt.shown_in == *operation
                        || prompt.is_of_any_call_on(active.connection)
                });
            if is_held {
                attempt.hold(passed);
            }
        }
    }

    /// The limit that ran out for this operation, if one did.
    pub(super) fn limit_reached(&self, operation: OperationId, now: Instant) -> Option<Limit> {
        let active = self.active.get(&operation)?;
        let (deadline, hard_deadline) = active.deadlines()?;
        if let Some((hard, limit)) = hard_deadline
            && hard <= now
        {
            return Some(Limit::Hard(limit));
        }
        (deadline <= now).then_some(Limit::Silence(active.limit))
    }
}

impl Active {
    /// When its attempt, or the one that is kept until a stream can be taken up, has been silent for too long, and when
    /// it has taken too long in all.
    fn deadlines(&self) -> Option<(Instant, Option<(Instant, Duration)>)> {
        match (&self.current, &self.again) {
            (Some(attempt), _) => Some((attempt.deadline, attempt.hard_deadline)),
            (None, Some(again)) => Some((again.deadline, again.hard_deadline)),
            (None, None) => None,
        }
    }

    /// The moment at which a limit runs out.
    pub(super) fn ends_at(&self) -> Option<Instant> {
        let (deadline, hard_deadline) = self.deadlines()?;
        Some(hard_deadline.map_or(deadline, |(hard, _)| deadline.min(hard)))
    }
}

impl Attempt {
    fn hold(&mut self, passed: Duration) {
        self.deadline += passed;
        if let Some((hard, _)) = &mut self.hard_deadline {
            *hard += passed;
        }
    }
}

/// A limit that a person chose; a clock has no number for the longest ones.
pub(super) fn limit_of(millis: u64) -> Duration {
    const YEAR_MILLIS: u64 = 365 * 24 * 3_600_000;
    Duration::from_millis(millis.min(YEAR_MILLIS))
}

/// A limit in words: `5 seconds`, `1.5 seconds`, `1 second`.
pub(super) fn in_words(limit: Duration) -> String {
    let millis = limit.as_millis();
    if millis == 1000 {
        "1 second".to_owned()
    } else if millis.is_multiple_of(1000) {
        format!("{} seconds", millis / 1000)
    } else {
        format!("{} seconds", limit.as_secs_f64())
    }
}
