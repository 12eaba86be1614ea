//! What time alone brings: limits that ran out, waits that are over, and the journal's tail.

use std::time::Duration;

use journal::event::EventBody;
use tokio::time::Instant;

use super::operation::Purpose;
use super::state::Engine;

/// How long a server may be silent in the middle of a call.
pub const CALL_LIMIT: Duration = Duration::from_mins(5);

impl Engine {
    pub(super) fn sweep(&mut self) {
        let now = Instant::now();
        let late: Vec<_> = self
            .active
            .iter()
            .filter(|(_, active)| {
                active
                    .current
                    .as_ref()
                    .is_some_and(|attempt| attempt.deadline <= now)
            })
            .map(|(operation, _)| *operation)
            .collect();
        for operation in late {
            // The clock stands while the person is asked.
            if self
                .prompts
                .iter()
                .any(|prompt| prompt.operation == operation || prompt.shown_in == operation)
            {
                self.restart_clock(operation);
            } else {
                self.time_out(operation);
            }
        }
        let waited: Vec<_> = self
            .active
            .iter()
            .filter(|(_, active)| active.wait_until.is_some_and(|until| until <= now))
            .map(|(operation, active)| (*operation, active.connection))
            .collect();
        for (operation, connection) in waited {
            self.record(connection, Some(operation), EventBody::WaitEnded);
            let Some(active) = self.active.get_mut(&operation) else {
                continue;
            };
            active.wait_until = None;
            if let Some(machine) = &mut active.machine {
                let step = machine.waited();
                self.advance(operation, step);
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

    /// Starts the silence's limit anew. A handshake's is not: its wait is bounded, whatever the server chats of.
    pub(super) fn restart_clock(&mut self, operation: journal::event::OperationId) {
        if let Some(active) = self
            .active
            .get_mut(&operation)
            .filter(|active| active.purpose != Purpose::Handshake)
        {
            let limit = active.limit;
            if let Some(attempt) = &mut active.current {
                attempt.deadline = Instant::now() + limit;
            }
        }
    }
}
