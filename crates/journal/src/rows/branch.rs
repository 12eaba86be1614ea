//! The row of a branch inside the operation that it is from: how the branch stands, beside the rounds of the original.

use super::{TEXT_CHARS, operation_spans};
use crate::event::{BranchWay, EventBody, EventSeq, OperationId};
use crate::log::{Journal, JournalError};
use crate::row::{Row, RowKind};
use crate::text::one_line;
use crate::tree::NONE;

/// An operation that sends anew what another one sent, or that other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchPoint {
    /// The operation at the other end: the original of a branch, or a branch of the original.
    pub operation: OperationId,
    /// The round of the original whose request was sent anew, from 1.
    pub round: u32,
    /// In which way.
    pub way: BranchWay,
    /// The recording that the original is of, where it is another one.
    pub recording: Option<String>,
}

impl BranchPoint {
    /// `round 1 answered anew`: what was done to the original.
    pub fn words(&self) -> String {
        words(self.round, self.way)
    }
}

fn words(round: u32, way: BranchWay) -> String {
    match way {
        BranchWay::AsItWas => format!("round {round} sent again"),
        BranchWay::Changed => format!("round {round} sent again, changed"),
        // The answers to what a round asked are in the request of the round after it.
        BranchWay::Answered => format!("round {} answered anew", round.saturating_sub(1).max(1)),
    }
}

/// A branch's event in words, without looking at the operations.
pub fn told(body: &EventBody) -> Option<String> {
    match body {
        EventBody::BranchBegan {
            of,
            round,
            way,
            recording,
        } => {
            let of = match recording {
                None => format!("#{}", of.0),
                Some(recording) => format!("#{} of the recording {recording}", of.0),
            };
            Some(format!("branch of {of}: {}", words(*round, *way)))
        }
        EventBody::BranchedOff { branch, round, way } => {
            Some(format!("{} in #{}", words(*round, *way), branch.0))
        }
        _ => None,
    }
}

impl Journal {
    /// Where an operation is from, when it sends anew what another one sent.
    pub fn origin(&self, operation: OperationId) -> Result<Option<BranchPoint>, JournalError> {
        let Some(seq) = self.tree().branches().origin(operation) else {
            return Ok(None);
        };
        self.branch_point(seq)
    }

    /// The operations that send anew what this one sent, in their order; `most` of them, the newest ones.
    pub fn branches(
        &self,
        operation: OperationId,
        most: usize,
    ) -> Result<Vec<BranchPoint>, JournalError> {
        let all = self.tree().branches().of(operation);
        let mut points = Vec::new();
        for seq in &all[all.len().saturating_sub(most)..] {
            points.extend(self.branch_point(*seq)?);
        }
        Ok(points)
    }

    fn branch_point(&self, seq: EventSeq) -> Result<Option<BranchPoint>, JournalError> {
        Ok(match self.event(seq)?.body {
            EventBody::BranchBegan {
                of: operation,
                round,
                way,
                recording,
            } => Some(BranchPoint {
                operation,
                round,
                way,
                recording,
            }),
            EventBody::BranchedOff {
                branch: operation,
                round,
                way,
            } => Some(BranchPoint {
                operation,
                round,
                way,
                recording: None,
            }),
            _ => None,
        })
    }

    /// `branch of #12`.
    pub(super) fn origin_chip(&self, seq: EventSeq) -> String {
        match self.preview(seq, 0).map(|preview| preview.event.body) {
            Ok(EventBody::BranchBegan { of, recording, .. }) => match recording {
                None => format!("branch of #{}", of.0),
                Some(_) => format!("branch of #{} of a recording", of.0),
            },
            _ => "branch".to_owned(),
        }
    }

    /// Fills the row of a branch in its original. What is not in this recording is only named.
    pub(super) fn branch_row(
        &self,
        (original, branch): (OperationId, OperationId),
        round: u32,
        way: BranchWay,
        row: &mut Row,
    ) {
        row.kind = RowKind::Branch;
        // Beside the rounds, and not in the one that happened to be the last.
        row.depth = 1;
        row.label = words(round, way);
        row.detail = Some(format!("#{}", branch.0));
        let shown_in = self.tree().branches().shown_in(branch);
        let Some(operation) = self
            .tree()
            .operation(branch)
            .filter(|_| shown_in == Some(original))
        else {
            "not in this recording".clone_into(&mut row.state_text);
            return;
        };
        let name = self.tree().name(operation.method);
        let subject = (operation.name != NONE).then(|| self.tree().name(operation.name));
        let title = match subject {
            Some(subject) => format!("#{} {name} {subject}", branch.0),
            None => format!("#{} {name}", branch.0),
        };
        row.detail = Some(one_line(&title, TEXT_CHARS));
        row.start_micros = operation.started_micros;
        row.end_micros = operation.ended.map(|end| end.at_micros);
        row.spans = operation_spans(operation);
        (row.state, row.state_text) = self.operation_state(operation);
    }
}
