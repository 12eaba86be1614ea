//! What time alone brings: limits that ran out, waits that are over, and the journal's tail.

use std::time::Duration;

use journal::event::EventBody;
use tokio::time::Instant;

use super::operation::WaitFor;
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
                active
                    .current
                    .as_ref()
                    .is_some_and(|attempt| attempt.ends_at() <= now)
            })
            .map(|(operation, _)| *operation)
            .collect();
        for operation in late {
            if let Some(limit) = self.limit_reached(operation, now) {
                self.time_out(operation, limit);
            }
        }
        let waited: Vec<_> = self
            .active
            .iter()
            .filter(|(_, active)| active.wait.is_some_and(|wait| wait.until <= now))
            .map(|(operation, active)| (*operation, active.connection))
            .collect();
        for (operation, connection) in waited {
            self.record(connection, Some(operation), EventBody::WaitEnded);
            let Some(active) = self.active.get_mut(&operation) else {
                continue;
            };
            match active.wait.take().map(|wait| wait.then) {
                Some(WaitFor::Round) => self.send_round_again(operation),
                _ => {
                    if let Some(machine) = &mut active.machine {
                        let step = machine.waited();
                        self.advance(operation, step);
                    }
                }
            }
        }
        self.list_due_tools();
        self.publisher.tell_round_trip();
        let mut journal = self.journal.write();
        if journal.needs_flush() {
            journal.flush();
        }
        let problem = journal.problem().map(str::to_owned);
        drop(journal);
        self.publisher.recording_problem(problem);
    }
}
