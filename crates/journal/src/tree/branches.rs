//! Which operation sends anew what another one sent.

use std::collections::HashMap;

use crate::event::{EventSeq, OperationId};

/// Branches and their originals. Few operations are either, so an operation has no place for it.
#[derive(Debug, Default)]
pub(crate) struct Branches {
    /// Of a branch, the event that tells where it is from.
    origins: HashMap<OperationId, EventSeq>,
    /// Of an original, the events that tell of its branches.
    told: HashMap<OperationId, Vec<EventSeq>>,
    /// Of a branch, the operation whose rows show how it stands: one, whatever a recording claims, so that a change
    /// costs the same.
    shown_in: HashMap<OperationId, OperationId>,
}

impl Branches {
    /// An operation began as a branch. What is told first holds.
    pub(super) fn begin(&mut self, branch: OperationId, seq: EventSeq) {
        self.origins.entry(branch).or_insert(seq);
    }

    /// A branch of an operation began.
    pub(super) fn branch_off(&mut self, of: OperationId, branch: OperationId, seq: EventSeq) {
        self.told.entry(of).or_default().push(seq);
        self.shown_in.entry(branch).or_insert(of);
    }

    /// The event that tells where an operation is from.
    pub(crate) fn origin(&self, branch: OperationId) -> Option<EventSeq> {
        self.origins.get(&branch).copied()
    }

    /// The operation that has a row of how a branch stands.
    pub(crate) fn shown_in(&self, branch: OperationId) -> Option<OperationId> {
        if self.shown_in.is_empty() {
            return None;
        }
        self.shown_in.get(&branch).copied()
    }

    /// The events that tell of an operation's branches, in their order.
    pub(crate) fn of(&self, original: OperationId) -> &[EventSeq] {
        self.told
            .get(&original)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}
