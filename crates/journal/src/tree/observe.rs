//! How each event changes the tree.

use std::sync::Arc;

use super::{
    AskedBy, Connection, NONE, Operation, OperationTree, Prompt, Top, TopKind, as_index, frames,
};
use crate::event::{ConnectionId, Event, EventBody, EventSeq, OperationEnd};
use crate::row::RowKind;

impl OperationTree {
    /// Takes in the next event of the log.
    pub(crate) fn observe(&mut self, seq: EventSeq, event: &Event) {
        let known = event.operation.and_then(|id| self.index_of(id));
        let errors_before = self.errors.len();
        if let Some(index) = known {
            self.operations[index].events.push(seq.0);
        }
        let changes = match &event.body {
            EventBody::ConnectionOpened {
                server_name,
                transport,
                address,
            } => {
                let connection = Connection {
                    server_name: self.name(server_name),
                    transport: transport.clone(),
                    address: address.clone(),
                    opened_micros: event.at_micros,
                    established: None,
                    closed_micros: None,
                };
                self.connections.insert(event.connection, connection);
                // Its rows have a name now.
                self.loose_version += 1;
                true
            }
            EventBody::ConnectionEstablished { era, revision } => {
                if let Some(connection) = self.connections.get_mut(&event.connection) {
                    connection.established = Some((era.clone(), revision.clone()));
                }
                false
            }
            EventBody::ConnectionClosed { .. } => {
                if let Some(connection) = self.connections.get_mut(&event.connection) {
                    connection.closed_micros = Some(event.at_micros);
                }
                false
            }
            EventBody::OperationStarted { method, name } => {
                self.start_operation(seq, event, known, method, name.as_deref())
            }
            EventBody::PromptOpened { prompt, .. } => {
                self.open_prompt(seq, event, known, *prompt);
                true
            }
            EventBody::PromptClosed { prompt, .. } => {
                self.close_prompt(seq, event.at_micros, *prompt)
            }
            EventBody::FindingSeen { event: seen, .. } => self.find(seq, known, *seen),
            body => match known {
                Some(index) => self.observe_within(seq, event.at_micros, index, body),
                None => self.observe_loose(seq, event.connection, body),
            },
        };
        if changes {
            self.version += 1;
            if let Some(index) = known {
                self.operations[index].last_change = seq.0;
            }
        }
        let errors = as_index(self.errors.len() - errors_before);
        self.density.add(event.at_micros, errors);
    }

    fn start_operation(
        &mut self,
        seq: EventSeq,
        event: &Event,
        known: Option<usize>,
        method: &str,
        name: Option<&str>,
    ) -> bool {
        let Some(id) = event.operation.filter(|_| known.is_none()) else {
            return false; // started twice, or nobody's: it stays an event
        };
        let index = self.operations.len();
        if id.0 as usize != index {
            self.odd_ids.insert(id, as_index(index));
        }
        let (method, name) = (self.name(method), name.map(|name| self.name(name)));
        let top = as_index(self.tops.len());
        self.operations
            .push(Operation::new(id, event, seq, top, method, name));
        self.push_top(seq, event.connection, TopKind::Operation(as_index(index)));
        self.running += 1;
        true
    }

    /// An event of an operation that is not about prompts or findings.
    fn observe_within(&mut self, seq: EventSeq, at: u64, index: usize, body: &EventBody) -> bool {
        let operation = &mut self.operations[index];
        let child_count = operation.children.len();
        let mut bad = false;
        let changes = match body {
            EventBody::OperationEnded(end) => {
                let open = operation.end(seq, at, end);
                if open {
                    self.running -= 1;
                    bad = matches!(end, OperationEnd::ToolError | OperationEnd::Failed { .. });
                }
                open
            }
            EventBody::AttemptStarted {
                round,
                attempt,
                label,
                ..
            } => {
                operation.start_attempt(seq, at, (*round, *attempt), label.as_deref());
                true
            }
            EventBody::AttemptEnded {
                round,
                attempt,
                outcome,
            } => operation.end_attempt(seq, at, (*round, *attempt), outcome),
            EventBody::AnsweredFromCache { .. } => {
                operation.children.push(seq.0);
                operation.from_cache = seq.0;
                true
            }
            EventBody::WaitStarted { .. } => operation.start_wait(at),
            EventBody::WaitEnded => operation.end_wait(at),
            EventBody::HttpRequest { round, attempt, .. } => {
                if let Some(attempt) = operation.attempt_mut(*round, *attempt) {
                    attempt.http_request = seq.0;
                    attempt.http_response = NONE;
                    attempt.http_end = NONE;
                }
                false
            }
            EventBody::HttpResponse { round, attempt, .. } => {
                if let Some(attempt) = operation.attempt_mut(*round, *attempt) {
                    attempt.http_response = seq.0;
                }
                false
            }
            EventBody::HttpEnded { round, attempt, .. } => {
                if let Some(attempt) = operation.attempt_mut(*round, *attempt) {
                    attempt.http_end = seq.0;
                }
                false
            }
            EventBody::Frame {
                direction,
                carrier,
                round,
                attempt,
                role,
                bytes,
            } => {
                let taken = operation.take_frame(
                    seq,
                    (*round, *attempt),
                    *direction,
                    *carrier,
                    role,
                    bytes.len(),
                );
                match frames::row_within(*direction, role).filter(|_| !taken) {
                    Some(kind) => {
                        operation.children.push(seq.0);
                        bad = kind == RowKind::Noise;
                        true
                    }
                    None => false,
                }
            }
            EventBody::ProcessStarted { .. }
            | EventBody::Stderr { .. }
            | EventBody::Note { .. } => {
                operation.children.push(seq.0);
                true
            }
            EventBody::ProcessExited { expected, .. } => {
                operation.children.push(seq.0);
                bad = !expected;
                true
            }
            _ => false,
        };
        self.child_total += (operation.children.len() - child_count) as u64;
        if bad {
            let top = operation.top;
            self.join_errors(top);
        }
        changes
    }

    /// An event of no operation.
    fn observe_loose(&mut self, seq: EventSeq, connection: ConnectionId, body: &EventBody) -> bool {
        let (kind, bad) = match body {
            EventBody::Frame {
                direction, role, ..
            } => match frames::row_of_its_own(*direction, role) {
                Some(kind) => (kind, kind == RowKind::Noise),
                None => return false,
            },
            EventBody::Stderr { .. } => (RowKind::Stderr, false),
            EventBody::ProcessStarted { .. } => (RowKind::Process, false),
            EventBody::Note { .. } => (RowKind::Notification, false),
            EventBody::ProcessExited { expected, .. } => (RowKind::Process, !expected),
            _ => return false,
        };
        let top = self.push_top(seq, connection, TopKind::Loose(kind));
        if bad {
            self.join_errors(top);
        }
        true
    }

    fn open_prompt(&mut self, seq: EventSeq, event: &Event, known: Option<usize>, id: u32) {
        let asked_by = match known {
            Some(index) => AskedBy::Operation(as_index(index)),
            None => AskedBy::Nobody,
        };
        let index = as_index(self.prompts.len());
        self.prompts
            .push(Prompt::new(seq, event.at_micros, asked_by));
        self.prompt_ids.insert(id, index);
        let Some(operation) = known else {
            let top = self.push_top(seq, event.connection, TopKind::Loose(RowKind::Prompt));
            self.prompted.push(top);
            return;
        };
        let operation = &mut self.operations[operation];
        operation.open_prompt(seq, event.at_micros, index);
        self.child_total += 1;
        if operation.prompts.len() == 1 {
            self.prompted.push(operation.top);
        }
    }

    fn close_prompt(&mut self, seq: EventSeq, at: u64, id: u32) -> bool {
        let Some(prompt) = self
            .prompt_ids
            .get(&id)
            .and_then(|index| self.prompts.get_mut(*index as usize))
        else {
            return false;
        };
        if !prompt.close(seq, at) {
            return false;
        }
        match prompt.asked_by {
            AskedBy::Operation(index) => {
                // The closing event may have come without its operation's id.
                let operation = &mut self.operations[index as usize];
                operation.close_prompt(at);
                operation.last_change = seq.0;
            }
            AskedBy::Nobody => self.loose_version += 1,
        }
        true
    }

    fn find(&mut self, seq: EventSeq, known: Option<usize>, seen: Option<EventSeq>) -> bool {
        if let Some(index) = known {
            let operation = &mut self.operations[index];
            operation.findings.push(seq.0);
            let (top, row) = (
                operation.top,
                seen.and_then(|seen| operation.row_of_event(seen)),
            );
            if let Some(row) = row {
                self.findings.entry(row).or_default().push(seq);
            }
            self.join_errors(top);
            return true;
        }
        let Some(seen) = seen else { return false };
        let Ok(top) = self.tops.binary_search_by_key(&seen, |top| top.seq) else {
            return false;
        };
        if let TopKind::Operation(_) = self.tops[top].what {
            return false;
        }
        self.findings.entry(seen).or_default().push(seq);
        self.loose_version += 1;
        self.join_errors(as_index(top));
        true
    }

    fn push_top(&mut self, seq: EventSeq, connection: ConnectionId, what: TopKind) -> u32 {
        let index = as_index(self.tops.len());
        self.tops.push(Top {
            seq,
            connection,
            what,
            in_errors: false,
        });
        index
    }

    fn join_errors(&mut self, index: u32) {
        if let Some(top) = self.tops.get_mut(index as usize)
            && !top.in_errors
        {
            top.in_errors = true;
            self.errors.push(index);
        }
    }

    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        self.names.insert(Arc::clone(&name));
        name
    }
}
