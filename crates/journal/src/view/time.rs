//! Finding rows by their time.

use super::View;
use crate::log::Journal;
use crate::tree::{Top, TopKind};

impl View {
    /// The first row that began at this time or later, counted from 0; the last row where all are earlier. None where
    /// there is no row. Looks at about as many entries as the logarithm of their number.
    pub fn row_at(&mut self, journal: &Journal, at_micros: u64) -> Option<u32> {
        self.sync(journal);
        let tops = journal.tree().tops();
        let known = &tops[..self.shown.len().min(tops.len())];
        let first = known.partition_point(|top| began(journal, top) < at_micros);
        let last = self.total_rows().checked_sub(1)?;
        // Entries before it that are hidden take no rows, so this is the next one that is shown.
        Some(self.counts.before(first).min(last))
    }
}

/// When an entry began. That of a loose one stands in its record alone; one that cannot be read counts as the earliest.
fn began(journal: &Journal, top: &Top) -> u64 {
    match top.what {
        TopKind::Operation(index) => journal
            .tree()
            .operation_at(index)
            .map_or(0, |operation| operation.started_micros),
        TopKind::Loose { .. } => journal
            .preview(top.seq, 0)
            .map_or(0, |preview| preview.event.at_micros),
    }
}
