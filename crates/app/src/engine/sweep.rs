//! What time alone brings: limits that ran out, waits that are over, and the journal's tail.

use std::time::Duration;

use journal::event::EventBody;
use tokio::time::Instant;

use super::operation::{Patience, WaitFor};
use super::state::Engine;

/// How long a message may take that is no request, and so has no limit of the person's choice.
pub const MESSAGE_LIMIT: Duration = Duration::from_mins(5);

impl Engine {
    pub(super) fn sweep(&mut self) {
        let now = Instant::now();
        let passed = now - std::mem::replace(&mut self.swept_at, now);
        self.hold_clocks(passed);
        let late: Vec<_> = self
            .active
            .iter()
            .filter(|(_, active)| {
                active.patience == Patience::Limited
                    && active.ends_at().is_some_and(|ends_at| ends_at <= now)
            })
            .map(|(operation, _)| *operation)
            .collect();
        for operation in late {
            if let Some(limit) = self.limit_reached(operation, now) {
                self.time_out(operation, limit);
            }
        }
        self.close_lingering(now);
        self.expire_tasks();
        self.lapse_flows();
        self.uses.save_in_time();
        self.listen_to_new_tasks();
        self.tasks.keep(&self.redactor, false);
        self.fetch_due_lists();
        self.publisher.tell_round_trip();
        let mut journal = self.journal.write();
        if journal.needs_flush() {
            journal.flush();
        }
        let problem = journal.problem().map(str::to_owned);
        drop(journal);
        self.publisher.recording_problem(problem);
    }

    /// When the first wait may be over.
    pub(super) fn next_wait_over(&self) -> Option<Instant> {
        self.wait_over
    }

    /// A wait began that is over then.
    pub(super) fn wake_by(&mut self, until: Instant) {
        self.wait_over = Some(self.wait_over.map_or(until, |over| over.min(until)));
    }

    /// Goes on with the operations whose waits are over.
    pub(super) fn end_waits(&mut self, now: Instant) {
        if self.wait_over.is_none_or(|over| over > now) {
            return;
        }
        let mut waited: Vec<_> = self
            .active
            .iter()
            .filter(|(_, active)| active.wait.is_some_and(|wait| wait.until <= now))
            .map(|(operation, active)| (*operation, active.connection))
            .collect();
        waited.sort_unstable();
        for (operation, connection) in waited {
            self.record(connection, Some(operation), EventBody::WaitEnded);
            let Some(active) = self.active.get_mut(&operation) else {
                continue;
            };
            match active.wait.take().map(|wait| wait.then) {
                Some(WaitFor::Round) => self.send_round_again(operation),
                Some(WaitFor::Kept) => self.send_kept(operation),
                Some(WaitFor::Machine) | None => {
                    if let Some(machine) = &mut active.machine {
                        let step = machine.waited();
                        self.advance(operation, step);
                    }
                }
            }
        }
        for (operation, active) in &mut self.active {
            if let Some(caller) = active.caller.take_if(|caller| caller.until <= now) {
                caller.tell(*operation, false);
            }
        }
        self.wait_over = self
            .active
            .values()
            .flat_map(|active| {
                let waits = active.wait.map(|wait| wait.until);
                let called = active.caller.as_ref().map(|caller| caller.until);
                waits.into_iter().chain(called)
            })
            .min();
    }
}
