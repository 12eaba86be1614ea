//! Which events are taken away.

use std::collections::BTreeSet;

use crate::event::{ConnectionId, EventBody, EventSeq, OperationId};
use crate::log::{Journal, JournalError};
use crate::row::RowRef;

/// The events that are taken away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// In their order, each once.
    pub(super) events: Vec<EventSeq>,
    /// How many there were to choose from.
    pub(super) of: u32,
    /// How many rows of the top level they make.
    pub rows: u32,
}

impl Chosen {
    /// Everything.
    pub fn all(journal: &Journal) -> Chosen {
        Chosen {
            events: (0..journal.len()).map(EventSeq).collect(),
            of: journal.len(),
            rows: u32::try_from(journal.tree().tops().len()).unwrap_or(u32::MAX),
        }
    }

    /// What these rows stand for, and what is needed to understand it: the connections, and an operation whose answer
    /// was used again. A row inside an operation stands for the whole of it.
    ///
    /// # Errors
    /// There is no such row, or the journal cannot be read.
    pub fn rows(journal: &Journal, rows: &[RowRef]) -> Result<Chosen, JournalError> {
        let mut gathered = Gathered {
            journal,
            operations: BTreeSet::new(),
            connections: BTreeSet::new(),
            events: BTreeSet::new(),
        };
        let mut loose = 0;
        for row in rows {
            match *row {
                RowRef::Operation(id) | RowRef::Child(id, _) => gathered.operation(id)?,
                RowRef::Loose(seq) => loose += u32::from(gathered.loose(seq)?),
            }
        }
        let Gathered {
            operations,
            connections,
            mut events,
            ..
        } = gathered;
        for id in connections {
            if let Some(connection) = journal.tree().connection(id) {
                events.extend(&connection.events);
            }
        }
        Ok(Chosen {
            rows: u32::try_from(operations.len())
                .unwrap_or(u32::MAX)
                .saturating_add(loose),
            events: events.into_iter().collect(),
            of: journal.len(),
        })
    }

    /// How many events there are.
    pub fn event_count(&self) -> u32 {
        u32::try_from(self.events.len()).unwrap_or(u32::MAX)
    }
}

struct Gathered<'a> {
    journal: &'a Journal,
    operations: BTreeSet<OperationId>,
    connections: BTreeSet<ConnectionId>,
    events: BTreeSet<EventSeq>,
}

impl Gathered<'_> {
    fn operation(&mut self, id: OperationId) -> Result<(), JournalError> {
        let tree = self.journal.tree();
        let mut wanted = vec![id];
        while let Some(id) = wanted.pop() {
            let operation = tree
                .operation(id)
                .ok_or(JournalError::NoSuchOperation { operation: id })?;
            if !self.operations.insert(id) {
                continue;
            }
            self.connections.insert(operation.connection);
            self.events.insert(operation.started);
            self.events
                .extend(operation.events.iter().copied().map(EventSeq));
            let prompts = operation.prompts.iter();
            let closed = prompts.filter_map(|index| tree.prompt_at(*index)?.closed());
            self.events.extend(closed.map(|(seq, _)| seq));
            if operation.from_cache != crate::tree::NONE {
                for seq in &operation.events {
                    let event = self.journal.preview(EventSeq(*seq), 0)?.event;
                    if let EventBody::AnsweredFromCache { event: answer, .. } = event.body
                        && let Ok(answer) = self.journal.preview(answer, 0)
                        && let Some(asked) = answer.event.operation
                    {
                        wanted.push(asked);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether it was new.
    fn loose(&mut self, seq: EventSeq) -> Result<bool, JournalError> {
        let tree = self.journal.tree();
        self.connections
            .insert(self.journal.preview(seq, 0)?.event.connection);
        self.events.extend(tree.findings_of_row(seq));
        let prompt = tree.prompt_of_event(seq);
        let closed = prompt.and_then(crate::tree::Prompt::closed);
        self.events.extend(closed.map(|(seq, _)| seq));
        Ok(self.events.insert(seq))
    }
}
