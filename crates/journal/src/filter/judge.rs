//! Whether an entry of the tree fits a query. Nothing here reads a record.

use std::sync::Arc;

use super::number::Range;
use super::words::{Has, Kind, NameField, NumberField, Status};
use super::{Condition, Query};
use crate::event::ConnectionId;
use crate::row::{RowKind, SpanKind};
use crate::tree::{EndKind, NONE, Operation, OperationTree, Top, TopKind};

/// What is known: a text that was not looked for to the end may still be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Yes,
    No,
    Unknown,
}

impl From<bool> for Truth {
    fn from(is_so: bool) -> Truth {
        if is_so { Truth::Yes } else { Truth::No }
    }
}

/// A query, with what was found out about names: each is compared once.
#[derive(Debug)]
pub(crate) struct Judge {
    query: Arc<Query>,
    names: Vec<Seen>,
}

/// What is known of names, by their number; connections by theirs.
#[derive(Debug, Default)]
struct Seen {
    fits: Vec<Option<bool>>,
    connection: Option<(ConnectionId, bool)>,
}

impl Judge {
    pub(crate) fn new(query: Arc<Query>) -> Judge {
        let names = (0..query.names).map(|_| Seen::default()).collect();
        Judge { query, names }
    }

    pub(crate) fn query(&self) -> &Arc<Query> {
        &self.query
    }

    /// What connections are called may have changed.
    pub(crate) fn forget_connections(&mut self) {
        for seen in &mut self.names {
            seen.connection = None;
        }
    }

    /// Whether names of connections decide.
    pub(crate) fn has_connection_field(&self) -> bool {
        self.query.has_connection_field
    }

    /// Whether a text that is not there decides.
    pub(crate) fn denies_text(&self) -> bool {
        self.query.denies_text
    }

    /// Whether the entry fits. `text` tells what is known of each of the query's texts in it.
    pub(crate) fn judge(
        &mut self,
        tree: &OperationTree,
        top: &Top,
        text: impl Fn(usize) -> Truth,
    ) -> Truth {
        let entry = Entry {
            tree,
            top,
            operation: match top.what {
                TopKind::Operation(index) => tree.operation_at(index),
                TopKind::Loose { .. } => None,
            },
        };
        weigh(&self.query.root, &mut self.names, &entry, &text)
    }
}

fn weigh(
    condition: &Condition,
    names: &mut [Seen],
    entry: &Entry<'_>,
    text: &impl Fn(usize) -> Truth,
) -> Truth {
    match condition {
        Condition::All(parts) => {
            let mut whole = Truth::Yes;
            for part in parts {
                match weigh(part, names, entry, text) {
                    Truth::No => return Truth::No,
                    Truth::Unknown => whole = Truth::Unknown,
                    Truth::Yes => {}
                }
            }
            whole
        }
        Condition::Any(parts) => {
            let mut whole = Truth::No;
            for part in parts {
                match weigh(part, names, entry, text) {
                    Truth::Yes => return Truth::Yes,
                    Truth::Unknown => whole = Truth::Unknown,
                    Truth::No => {}
                }
            }
            whole
        }
        Condition::Not(inner) => match weigh(inner, names, entry, text) {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            Truth::Unknown => Truth::Unknown,
        },
        Condition::Name {
            field,
            pattern,
            slot,
        } => names
            .get_mut(*slot)
            .is_some_and(|seen| entry.name_fits(*field, seen, |name| pattern.fits(name)))
            .into(),
        Condition::Status(status) => entry.stands(*status).into(),
        Condition::Kind(kind) => (entry.kind() == *kind).into(),
        Condition::Has(has) => entry.has(*has).into(),
        Condition::Number(field, range) => entry.number_fits(*field, *range).into(),
        Condition::Text(index) => text(*index),
    }
}

struct Entry<'a> {
    tree: &'a OperationTree,
    top: &'a Top,
    operation: Option<&'a Operation>,
}

impl Entry<'_> {
    fn name_fits(&self, field: NameField, seen: &mut Seen, fits: impl Fn(&str) -> bool) -> bool {
        let name = match field {
            NameField::Method => match (self.operation, self.top.what) {
                (Some(operation), _) => operation.method,
                (None, TopKind::Loose { method, .. }) => method,
                (None, TopKind::Operation(_)) => NONE,
            },
            NameField::Name => self.operation.map_or(NONE, |operation| operation.name),
            NameField::Server | NameField::Transport => {
                let id = self.top.connection;
                if let Some((_, known)) = seen.connection.filter(|(known, _)| *known == id) {
                    return known;
                }
                let connection = self.tree.connection(id);
                let is_so = connection.is_some_and(|connection| {
                    fits(if field == NameField::Server {
                        &connection.server_name
                    } else {
                        &connection.transport
                    })
                });
                seen.connection = Some((id, is_so));
                return is_so;
            }
        };
        if name == NONE {
            return false;
        }
        let place = name as usize;
        if place >= seen.fits.len() {
            seen.fits
                .resize(self.tree.name_count().max(place + 1), None);
        }
        *seen.fits[place].get_or_insert_with(|| fits(self.tree.name(name)))
    }

    fn kind(&self) -> Kind {
        match self.top.what {
            TopKind::Operation(_) => Kind::Operation,
            TopKind::Loose { kind, .. } => match kind {
                RowKind::Stderr => Kind::Stderr,
                RowKind::Process => Kind::Process,
                RowKind::Noise => Kind::Noise,
                RowKind::Prompt => Kind::Prompt,
                _ => Kind::Notification,
            },
        }
    }

    fn stands(&self, status: Status) -> bool {
        let Some(operation) = self.operation else {
            return self.loose_stands(status);
        };
        let Some(end) = operation.ended else {
            let waits = operation.clock.now();
            return match status {
                Status::Running => true,
                Status::Waiting => matches!(waits, Some(SpanKind::User | SpanKind::Time)),
                Status::OnYou => waits == Some(SpanKind::User),
                Status::OnTime => waits == Some(SpanKind::Time),
                _ => false,
            };
        };
        match status {
            Status::Complete => end.kind == EndKind::Complete,
            Status::Error => matches!(end.kind, EndKind::ToolError | EndKind::Failed),
            Status::ToolError => end.kind == EndKind::ToolError,
            Status::Failed => end.kind == EndKind::Failed,
            Status::Cancelled => end.kind == EndKind::Cancelled,
            Status::Note => end.kind == EndKind::Settled,
            Status::Running | Status::Waiting | Status::OnYou | Status::OnTime => false,
        }
    }

    fn loose_stands(&self, status: Status) -> bool {
        let TopKind::Loose { kind, is_bad, .. } = self.top.what else {
            return false;
        };
        if kind == RowKind::Prompt
            && let Some(prompt) = self.tree.prompt_of_event(self.top.seq)
        {
            return match (prompt.closed(), status) {
                (None, Status::Running | Status::Waiting | Status::OnYou) => true,
                (Some(_), Status::Complete) => prompt.is_accepted(),
                (Some(_), Status::Cancelled) => !prompt.is_accepted(),
                _ => false,
            };
        }
        match status {
            Status::Error | Status::Failed => is_bad,
            Status::Note => !is_bad,
            _ => false,
        }
    }

    fn has(&self, has: Has) -> bool {
        match has {
            Has::Error => self.top.in_errors,
            Has::Finding => self.findings() > 0,
            Has::Prompt => self.prompts() > 0,
            _ => self.operation.is_some_and(|operation| match has {
                Has::Retry => retries(operation) > 0,
                Has::Task => operation.is_task(),
                Has::Cache => operation.from_cache != NONE,
                Has::Pages => operation.is_paged,
                Has::Wait => operation.has_waited(),
                Has::Http => operation
                    .attempts
                    .iter()
                    .any(|attempt| attempt.http_status != 0),
                Has::Error | Has::Finding | Has::Prompt => false,
            }),
        }
    }

    fn prompts(&self) -> usize {
        match self.operation {
            Some(operation) => operation.prompts.len(),
            None => usize::from(self.kind() == Kind::Prompt),
        }
    }

    fn findings(&self) -> usize {
        match self.operation {
            Some(operation) => operation.findings.len(),
            None => self.tree.findings_of_row(self.top.seq).len(),
        }
    }

    fn number_fits(&self, field: NumberField, range: Range) -> bool {
        match field {
            NumberField::Prompts => return range.contains_count(self.prompts() as u64),
            NumberField::Findings => return range.contains_count(self.findings() as u64),
            _ => {}
        }
        let Some(operation) = self.operation else {
            return false;
        };
        let count = match field {
            // What goes on has no length yet: it would join by the clock alone.
            NumberField::Duration
            | NumberField::OnServer
            | NumberField::OnYou
            | NumberField::OnTime => {
                let Some(end) = operation.ended else {
                    return false;
                };
                match field {
                    NumberField::Duration => end.at_micros - operation.started_micros,
                    NumberField::OnServer => operation.clock.totals(0).server_micros,
                    NumberField::OnYou => operation.clock.totals(0).user_micros,
                    _ => operation.clock.totals(0).time_micros,
                }
            }
            NumberField::Rounds => u64::from(operation.rounds - operation.polls),
            NumberField::Retries => retries(operation),
            NumberField::Polls => u64::from(operation.polls),
            NumberField::Size => operation
                .attempts
                .iter()
                .map(|attempt| attempt.received_byte_len)
                .fold(0, u64::saturating_add),
            NumberField::Http => {
                return operation.attempts.iter().any(|attempt| {
                    attempt.http_status != 0 && range.contains(i64::from(attempt.http_status))
                });
            }
            NumberField::Code => {
                return operation.codes.iter().any(|code| range.contains(*code));
            }
            NumberField::Prompts | NumberField::Findings => return false,
        };
        range.contains_count(count)
    }
}

fn retries(operation: &Operation) -> u64 {
    (operation.attempts.len() as u64).saturating_sub(u64::from(operation.rounds))
}
