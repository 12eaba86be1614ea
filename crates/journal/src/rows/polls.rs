//! A task's polls in a row are one row.

use crate::log::Journal;
use crate::row::{Row, RowKind, Span};
use crate::text::counted;
use crate::tree::{Attempt, NONE, Operation};

impl Journal {
    /// `12 polls`: when they began and ended, how the last of them stands, and where the time between went.
    pub(super) fn polls_row(&self, operation: &Operation, run: &[Attempt], row: &mut Row) {
        let [first, .., last] = run else { return };
        row.kind = RowKind::Round;
        row.event = None;
        let rounds = last.round.saturating_sub(first.round).saturating_add(1);
        row.label = counted(rounds, "poll");
        row.start_micros = first.started_micros;
        row.end_micros = last
            .end_micros()
            .or(operation.ended.map(|end| end.at_micros))
            .map(|end| end.max(first.started_micros));
        (row.state, row.state_text) = self.attempt_state(operation, last);
        let since = operation
            .waits
            .get(first.wait as usize)
            .map_or(first.started_micros, |(start, _)| *start);
        row.spans = within(operation.clock.spans(), since, row.end_micros);
        if last.ended == NONE && operation.ended.is_none() {
            row.end_micros = None;
        }
    }
}

/// The parts of the operation's bars that lie between two times.
fn within(spans: Vec<Span>, start: u64, end: Option<u64>) -> Vec<Span> {
    spans
        .into_iter()
        .filter_map(|span| {
            let from = span.start_micros.max(start);
            let until = match (span.end_micros, end) {
                (Some(its), Some(end)) => Some(its.min(end)),
                (its, end) => its.or(end),
            };
            until.is_none_or(|until| until >= from).then_some(Span {
                kind: span.kind,
                start_micros: from,
                end_micros: until,
            })
        })
        .collect()
}
