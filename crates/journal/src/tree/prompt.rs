//! Prompts, inside operations and beside them.

use crate::event::EventSeq;

use super::NONE;

/// What a server asked of the person.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prompt {
    /// The event that opened it.
    pub(crate) opened: EventSeq,
    pub(crate) opened_micros: u64,
    closed: u32,
    closed_micros: u64,
    accepted: bool,
    pub(crate) asked_by: AskedBy,
}

/// For what a prompt was opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AskedBy {
    /// The operation at this index.
    Operation(u32),
    Nobody,
}

impl Prompt {
    pub(super) fn new(opened: EventSeq, opened_micros: u64, asked_by: AskedBy) -> Prompt {
        Prompt {
            opened,
            opened_micros,
            closed: NONE,
            closed_micros: 0,
            accepted: false,
            asked_by,
        }
    }

    /// Whether it was open until now.
    pub(super) fn close(&mut self, seq: EventSeq, at: u64, outcome: &str) -> bool {
        let open = self.closed == NONE;
        if open {
            self.closed = seq.0;
            self.closed_micros = at.max(self.opened_micros);
            self.accepted = is_acceptance(outcome);
        }
        open
    }

    /// Whether it was closed by doing what was asked.
    pub(crate) fn is_accepted(&self) -> bool {
        self.accepted
    }

    /// The event that closed it, and when.
    pub(crate) fn closed(&self) -> Option<(EventSeq, u64)> {
        (self.closed != NONE).then_some((EventSeq(self.closed), self.closed_micros))
    }
}

/// Whether a prompt's outcome, in a word, is that of who did what was asked.
pub(crate) fn is_acceptance(outcome: &str) -> bool {
    matches!(outcome, "accepted" | "sent again" | "finished")
}
