//! How each event changes the tree.

use super::{
    AskedBy, Connection, NONE, Operation, OperationTree, Prompt, Top, TopKind, as_index, frames,
};
use crate::event::{ConnectionId, Event, EventBody, EventSeq, FrameRole, OperationEnd};
use crate::row::RowKind;

impl OperationTree {
    /// Takes in the next event of the log.
    pub(crate) fn observe(&mut self, seq: EventSeq, event: &Event) {
        let known = event.operation.and_then(|id| self.index_of(id));
        let errors_before = self.errors;
        if let Some(index) = known {
            self.operations[index].events.push(seq.0);
        }
        if frames::is_log(&event.body) {
            self.logs.push(seq.0);
        }
        let tops_before = self.tops.len();
        let mut touched = known.map_or(NONE, |index| self.operations[index].top);
        let changes = match &event.body {
            EventBody::ConnectionOpened {
                server_name,
                transport,
                address,
            } => {
                let connection = Connection {
                    server_name: server_name.as_str().into(),
                    transport: transport.clone(),
                    address: address.clone(),
                    opened_micros: event.at_micros,
                    established: None,
                    closed_micros: None,
                    events: vec![seq],
                };
                self.connections.insert(event.connection, connection);
                // Its rows have a name now.
                self.loose_version += 1;
                self.connections_version += 1;
                true
            }
            EventBody::ConnectionEstablished { era, revision } => {
                if let Some(connection) = self.connections.get_mut(&event.connection) {
                    connection.established = Some((era.clone(), revision.clone()));
                    connection.events.push(seq);
                }
                false
            }
            EventBody::ConnectionClosed { .. } => {
                if let Some(connection) = self.connections.get_mut(&event.connection) {
                    connection.closed_micros = Some(event.at_micros);
                    connection.events.push(seq);
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
            EventBody::PromptClosed { prompt, outcome } => {
                match self.close_prompt(seq, event.at_micros, *prompt, outcome) {
                    Some(top) => {
                        touched = top;
                        true
                    }
                    None => false,
                }
            }
            EventBody::FindingSeen {
                event: seen,
                finding,
            } => {
                self.found_rules.add(&finding.rule, event.connection, seq);
                match self.find(seq, known, *seen) {
                    Some(top) => {
                        touched = top;
                        true
                    }
                    None => false,
                }
            }
            EventBody::BranchBegan { .. } | EventBody::BranchedOff { .. } => {
                self.observe_branch(seq, event, known)
            }
            body => match known {
                Some(index) => self.observe_within(seq, event.at_micros, index, body),
                None => self.observe_loose(seq, event.connection, body),
            },
        };
        if self.tops.len() > tops_before {
            touched = as_index(tops_before);
        }
        self.touched.push(touched);
        if changes {
            self.version += 1;
            if let Some(index) = known {
                self.note_change(index, seq);
            }
        }
        let errors = self.errors - errors_before;
        self.density.add(event.at_micros, errors);
    }

    /// A row of an operation has changed.
    fn note_change(&mut self, index: usize, seq: EventSeq) {
        self.operations[index].last_change = seq.0;
        // The original has a row that shows how its branch stands.
        let original = self.branches.shown_in(self.operations[index].id);
        if let Some(index) = original.and_then(|id| self.index_of(id)) {
            self.operations[index].last_change = seq.0;
        }
    }

    /// A branch, in itself or in its original; each has a row of it.
    fn observe_branch(&mut self, seq: EventSeq, event: &Event, known: Option<usize>) -> bool {
        let (Some(index), Some(operation)) = (known, event.operation) else {
            return false;
        };
        match &event.body {
            EventBody::BranchedOff { branch, .. } => {
                self.branches.branch_off(operation, *branch, seq);
            }
            _ => self.branches.begin(operation, seq),
        }
        self.operations[index].children.push(seq.0);
        self.child_total += 1;
        true
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
        let method = self.names.method(method);
        let name = name.map_or(NONE, |name| self.names.subject(name));
        let top = as_index(self.tops.len());
        self.operations
            .push(Operation::new(id, event, seq, top, method, name));
        self.push_top(seq, event.connection, TopKind::Operation(as_index(index)));
        self.running += 1;
        self.note_change(index, seq);
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
            EventBody::HttpRequest { .. }
            | EventBody::HttpResponse { .. }
            | EventBody::HttpEnded { .. } => {
                operation.take_http(seq, body);
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
        let method = match body {
            EventBody::Frame {
                role: FrameRole::Request { method } | FrameRole::Notification { method, .. },
                ..
            } => self.names.method(method),
            _ => NONE,
        };
        let what = TopKind::Loose {
            kind,
            is_bad: bad,
            method,
        };
        let top = self.push_top(seq, connection, what);
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
            let what = TopKind::Loose {
                kind: RowKind::Prompt,
                is_bad: false,
                method: NONE,
            };
            self.push_top(seq, event.connection, what);
            return;
        };
        let operation = &mut self.operations[operation];
        operation.open_prompt(seq, event.at_micros, index);
        self.child_total += 1;
    }

    /// The top in which a prompt was closed by this.
    fn close_prompt(&mut self, seq: EventSeq, at: u64, id: u32, outcome: &str) -> Option<u32> {
        let index = *self.prompt_ids.get(&id)?;
        let prompt = self.prompts.get_mut(index as usize)?;
        if !prompt.close(seq, at, outcome) {
            return None;
        }
        match prompt.asked_by {
            AskedBy::Operation(index) => {
                // The closing event may have come without its operation's id.
                let operation = &mut self.operations[index as usize];
                operation.close_prompt(at);
                let top = operation.top;
                self.note_change(index as usize, seq);
                Some(top)
            }
            AskedBy::Nobody => {
                self.loose_version += 1;
                let opened = prompt.opened;
                self.top_of_event(opened).map(as_index)
            }
        }
    }

    /// The top in which something was found.
    fn find(&mut self, seq: EventSeq, known: Option<usize>, seen: Option<EventSeq>) -> Option<u32> {
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
            return Some(top);
        }
        let seen = seen?;
        let top = self.top_of_event(seen)?;
        if let TopKind::Operation(_) = self.tops[top].what {
            return None;
        }
        self.findings.entry(seen).or_default().push(seq);
        self.loose_version += 1;
        let top = as_index(top);
        self.join_errors(top);
        Some(top)
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
            self.errors += 1;
        }
    }
}
