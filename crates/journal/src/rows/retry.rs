//! Why a round was sent again, and after how long.

use super::outcome_text;
use crate::log::Journal;
use crate::text::duration;
use crate::tree::Operation;

impl Journal {
    /// How the attempt before a retry ended: `HTTP 503`.
    pub(crate) fn retry_cause(&self, operation: &Operation, index: usize) -> Option<String> {
        let attempt = operation
            .attempts
            .get(index)
            .filter(|attempt| attempt.number > 1)?;
        let before = operation.attempts.get(index.checked_sub(1)?)?;
        if before.round != attempt.round {
            return None;
        }
        let outcome = self.attempt_outcome(before).ok().flatten()?;
        Some(outcome_text(&outcome))
    }

    /// How long was waited on purpose before an attempt, in microseconds.
    pub(crate) fn waited_micros(operation: &Operation, index: usize) -> Option<u64> {
        let wait = operation.attempts.get(index)?.wait;
        let (start, end) = operation.waits.get(wait as usize)?;
        Some(end.saturating_sub(*start))
    }

    /// `after HTTP 503, waited 500 ms`.
    pub(super) fn retry_detail(&self, operation: &Operation, index: usize) -> Option<String> {
        let waited = Self::waited_micros(operation, index).map(duration);
        match (self.retry_cause(operation, index), waited) {
            (Some(cause), Some(waited)) => Some(format!("after {cause}, waited {waited}")),
            (Some(cause), None) => Some(format!("after {cause}")),
            (None, Some(waited)) => Some(format!("waited {waited}")),
            (None, None) => None,
        }
    }
}
