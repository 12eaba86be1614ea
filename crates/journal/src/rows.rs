//! Rows made from the tree, and from the events they stand for.

use std::sync::Arc;

use crate::event::{AttemptOutcome, ConnectionId, EventBody, EventSeq, OperationEnd};
use crate::log::{Journal, JournalError};
use crate::row::{Row, RowKind, RowRef, RowState, Span, SpanKind};
use crate::text::{counted, one_line, one_line_of_bytes};
use crate::tree::{Attempt, EndKind, NONE, Operation, Prompt, SPAN_CAP, TopKind, is_acceptance};

mod branch;
mod note;
mod polls;
mod retry;

pub use branch::BranchPoint;
pub use branch::told as branch_told;

/// At most so many characters of a server's text in a row.
pub(crate) const TEXT_CHARS: usize = 300;
/// At most so many characters of a prompt's message.
const MESSAGE_CHARS: usize = 80;
/// At most so many characters of a request's id.
const ID_CHARS: usize = 40;

impl Journal {
    /// One row. None when there is no such row.
    pub fn row(&self, row: RowRef, is_expanded: bool) -> Option<Row> {
        match row {
            RowRef::Operation(id) => {
                Some(self.operation_row(self.tree().operation(id)?, is_expanded))
            }
            RowRef::Child(id, place) => {
                self.child_row(self.tree().operation(id)?, place.checked_sub(1)?)
            }
            RowRef::Loose(seq) => self.loose_row(self.tree().top_of_event(seq)?),
        }
    }

    /// The row of an operation.
    pub(crate) fn operation_row(&self, operation: &Operation, is_expanded: bool) -> Row {
        let (state, state_text) = self.operation_state(operation);
        let mut chips = Vec::new();
        let rounds = operation.rounds - operation.polls;
        if rounds > 1 {
            chips.push(counted(
                rounds,
                if operation.is_paged { "page" } else { "round" },
            ));
        }
        if operation.from_cache != NONE {
            chips.push("from cache".to_owned());
        }
        let branches = self.tree().branches();
        match branches.of(operation.id).len() {
            0 => {}
            1 => chips.push("1 branch".to_owned()),
            many => chips.push(format!("{many} branches")),
        }
        if let Some(origin) = branches.origin(operation.id) {
            chips.push(self.origin_chip(origin));
        }
        if operation.polls > 0 {
            chips.push(counted(operation.polls, "poll"));
        }
        Row {
            key: RowRef::Operation(operation.id).to_string(),
            kind: RowKind::Operation,
            depth: 0,
            operation: Some(operation.id),
            event: None,
            server_name: self.server_name(operation.connection),
            label: one_line(self.tree().name(operation.method), TEXT_CHARS),
            detail: (operation.name != NONE)
                .then(|| one_line(self.tree().name(operation.name), TEXT_CHARS)),
            chips,
            state,
            state_text,
            start_micros: operation.started_micros,
            end_micros: operation.ended.map(|end| end.at_micros),
            spans: operation_spans(operation),
            child_count: count(operation.children.len()),
            expanded: is_expanded,
            finding_count: count(operation.findings.len()),
        }
    }

    /// The row of a child, counted from 0.
    pub(crate) fn child_row(&self, operation: &Operation, index: u32) -> Option<Row> {
        let seq = EventSeq(*operation.children.get(index as usize)?);
        let mut row = self.blank(
            RowRef::Child(operation.id, index + 1),
            operation.connection,
            seq,
        );
        if let Some(attempt) = operation.attempt_of_event(seq) {
            row.depth = 1;
            self.attempt_row(operation, attempt, &mut row);
        } else {
            row.depth = if operation.attempt_around(seq).is_some() {
                2
            } else {
                1
            };
            match self.tree().prompt_of_event(seq) {
                Some(prompt) => {
                    self.prompt_row(prompt, operation.ended.map(|end| end.at_micros), &mut row);
                }
                None => self.note_row(seq, &mut row),
            }
        }
        Some(row)
    }

    /// The row of a top that is not an operation.
    pub(crate) fn loose_row(&self, top: usize) -> Option<Row> {
        let top = self.tree().tops().get(top)?;
        let TopKind::Loose { kind, .. } = top.what else {
            return None;
        };
        let mut row = self.blank(RowRef::Loose(top.seq), top.connection, top.seq);
        row.kind = kind;
        match self.tree().prompt_of_event(top.seq) {
            Some(prompt) => self.prompt_row(prompt, None, &mut row),
            None => self.note_row(top.seq, &mut row),
        }
        Some(row)
    }

    fn attempt_row(&self, operation: &Operation, index: usize, row: &mut Row) {
        let run = operation.run_of(index);
        if run.len() > 1 {
            return self.polls_row(operation, &operation.attempts[run], row);
        }
        let Some(attempt) = operation.attempts.get(index) else {
            return;
        };
        row.kind = if attempt.number > 1 {
            RowKind::Attempt
        } else {
            RowKind::Round
        };
        row.event = None;
        row.label = self.attempt_label(operation, attempt);
        if attempt.number > 1 {
            row.chips.push(format!("retry {}", attempt.number - 1));
            row.detail = self.retry_detail(operation, index);
        }
        let operation_end = operation.ended.map(|end| end.at_micros);
        row.start_micros = attempt.started_micros;
        row.end_micros = attempt
            .end_micros()
            .or(operation_end)
            .map(|end| end.max(attempt.started_micros));
        if let Some((start, end)) = operation.waits.get(attempt.wait as usize) {
            row.spans.push(Span {
                kind: SpanKind::Time,
                start_micros: *start,
                end_micros: Some(*end),
            });
        }
        self.attempt_spans(operation, attempt, row);
        (row.state, row.state_text) = self.attempt_state(operation, attempt);
    }

    /// How an attempt stands, as a state and in words.
    pub(super) fn attempt_state(
        &self,
        operation: &Operation,
        attempt: &Attempt,
    ) -> (RowState, String) {
        if attempt.ended == NONE {
            match operation.ended.map(|end| end.kind) {
                None => (RowState::Running, "running".to_owned()),
                Some(EndKind::Cancelled) => (RowState::Cancelled, "cancelled".to_owned()),
                Some(EndKind::Failed) => (RowState::Error, "no reply".to_owned()),
                Some(EndKind::Complete | EndKind::ToolError | EndKind::Settled) => {
                    (RowState::Note, "no reply".to_owned())
                }
            }
        } else {
            match self.attempt_outcome(attempt) {
                Ok(Some(outcome)) => (outcome_state(&outcome), outcome_text(&outcome)),
                Ok(None) => (RowState::Note, String::new()),
                Err(error) => unreadable(&error),
            }
        }
    }

    /// The attempt's bar, without the time in which prompts were open: that was not the server's.
    fn attempt_spans(&self, operation: &Operation, attempt: &Attempt, row: &mut Row) {
        let (end, mut from) = (row.end_micros, Some(attempt.started_micros));
        let first = operation.prompts.partition_point(|index| {
            self.tree()
                .prompt_at(*index)
                .is_some_and(|prompt| prompt.opened.0 < attempt.started)
        });
        for prompt in operation.prompts[first..]
            .iter()
            .filter_map(|index| self.tree().prompt_at(*index))
        {
            let is_within = attempt.ended == NONE || prompt.opened.0 < attempt.ended;
            // The last place is for what follows the last prompt.
            if !is_within || row.spans.len() + 1 >= SPAN_CAP {
                break;
            }
            let Some(since) = from else { break };
            let until = prompt.opened_micros;
            if until > since {
                let (start_micros, end_micros) = (since, Some(until));
                row.spans.push(Span {
                    kind: SpanKind::Server,
                    start_micros,
                    end_micros,
                });
            }
            from = prompt.closed().map(|(_, closed)| closed.max(since));
        }
        if let Some(since) = from {
            let kind = if attempt.ended_badly || attempt.ended == NONE && operation.has_failed() {
                SpanKind::Error
            } else {
                SpanKind::Server
            };
            let end_micros = end.map(|end| end.max(since));
            row.spans.push(Span {
                kind,
                start_micros: since,
                end_micros,
            });
        }
    }

    /// `round 2 · id 6`, or `page 2 · id 6`.
    pub(crate) fn attempt_label(&self, operation: &Operation, attempt: &Attempt) -> String {
        let (id, label) = match self
            .preview(EventSeq(attempt.started), 0)
            .map(|preview| preview.event.body)
        {
            Ok(EventBody::AttemptStarted {
                request_id, label, ..
            }) => (request_id, label),
            _ => (None, None),
        };
        let label = match label {
            Some(label) => one_line(&label, MESSAGE_CHARS),
            None if operation.is_paged => format!("page {}", attempt.round),
            None => format!("round {}", attempt.round),
        };
        match id {
            Some(id) => format!("{label} · id {}", one_line(&id, ID_CHARS)),
            None => label,
        }
    }

    /// How an attempt ended, read from its event.
    pub(crate) fn attempt_outcome(
        &self,
        attempt: &Attempt,
    ) -> Result<Option<AttemptOutcome>, JournalError> {
        if attempt.ended == NONE {
            return Ok(None);
        }
        match self.event(EventSeq(attempt.ended))?.body {
            EventBody::AttemptEnded { outcome, .. } => Ok(Some(outcome)),
            _ => Ok(None),
        }
    }

    fn prompt_row(&self, prompt: &Prompt, withdrawn_micros: Option<u64>, row: &mut Row) {
        row.kind = RowKind::Prompt;
        match self.event(prompt.opened).map(|event| event.body) {
            Ok(EventBody::PromptOpened {
                method, message, ..
            }) => row.label = prompt_label(&method, &message),
            Ok(_) => {}
            Err(error) => row.label = one_line(&error.to_string(), TEXT_CHARS),
        }
        row.start_micros = prompt.opened_micros;
        let (state, text, end) = match prompt.closed() {
            Some((seq, at)) => {
                let outcome = match self.event(seq).map(|event| event.body) {
                    Ok(EventBody::PromptClosed { outcome, .. }) => {
                        one_line(&outcome, MESSAGE_CHARS)
                    }
                    _ => "closed".to_owned(),
                };
                let state = if is_acceptance(&outcome) {
                    RowState::Complete
                } else {
                    RowState::Cancelled
                };
                (state, outcome, Some(at))
            }
            None => match withdrawn_micros {
                Some(at) => (
                    RowState::Cancelled,
                    "withdrawn".to_owned(),
                    Some(at.max(prompt.opened_micros)),
                ),
                None => (RowState::WaitingOnYou, "asking you".to_owned(), None),
            },
        };
        (row.state, row.state_text, row.end_micros) = (state, text, end);
        row.spans.push(Span {
            kind: SpanKind::User,
            start_micros: row.start_micros,
            end_micros: end,
        });
    }

    fn note_row(&self, seq: EventSeq, row: &mut Row) {
        match self.preview(seq, TEXT_CHARS * 4) {
            Ok(preview) => {
                note::fill(&preview.event, row);
                if let EventBody::BranchedOff { branch, round, way } = preview.event.body
                    && let Some(original) = row.operation
                {
                    self.branch_row((original, branch), round, way, row);
                }
            }
            Err(error) => {
                row.kind = RowKind::Noise;
                "unreadable event".clone_into(&mut row.label);
                row.detail = Some(one_line(&error.to_string(), TEXT_CHARS));
                (row.state, row.state_text) = unreadable(&error);
            }
        }
    }

    fn operation_state(&self, operation: &Operation) -> (RowState, String) {
        let Some(end) = operation.ended else {
            return match operation.clock.now() {
                Some(SpanKind::User) => (RowState::WaitingOnYou, "waiting on you".to_owned()),
                Some(SpanKind::Time) => (RowState::WaitingOnTime, "waiting".to_owned()),
                _ => (RowState::Running, "running".to_owned()),
            };
        };
        match end.kind {
            EndKind::Complete => (RowState::Complete, "complete".to_owned()),
            EndKind::ToolError => (RowState::Error, "tool error".to_owned()),
            EndKind::Cancelled => (RowState::Cancelled, "cancelled".to_owned()),
            EndKind::Settled => match self.event(end.seq).map(|event| event.body) {
                Ok(EventBody::OperationEnded(OperationEnd::Settled { brief, .. })) => {
                    (RowState::Note, one_line(&brief, MESSAGE_CHARS))
                }
                Ok(_) => (RowState::Note, "over".to_owned()),
                Err(error) => unreadable(&error),
            },
            EndKind::Failed => match self.event(end.seq).map(|event| event.body) {
                Ok(EventBody::OperationEnded(OperationEnd::Failed { brief, .. })) => {
                    (RowState::Error, one_line(&brief, MESSAGE_CHARS))
                }
                Ok(_) => (RowState::Error, "failed".to_owned()),
                Err(error) => unreadable(&error),
            },
        }
    }

    fn server_name(&self, connection: ConnectionId) -> String {
        let connection = self.tree().connection(connection);
        connection
            .map(|connection| Arc::clone(&connection.server_name))
            .as_deref()
            .unwrap_or_default()
            .to_owned()
    }

    fn blank(&self, row: RowRef, connection: ConnectionId, seq: EventSeq) -> Row {
        Row {
            key: row.to_string(),
            kind: RowKind::Noise,
            depth: 0,
            operation: row.operation(),
            event: Some(seq),
            server_name: self.server_name(connection),
            label: String::new(),
            detail: None,
            chips: Vec::new(),
            state: RowState::Note,
            state_text: String::new(),
            start_micros: 0,
            end_micros: None,
            spans: Vec::new(),
            child_count: 0,
            expanded: false,
            finding_count: count(self.tree().findings_of_row(seq).len()),
        }
    }
}

/// The bars of an operation's row: one for the whole of it where nothing was sent, as for a process's start.
fn operation_spans(operation: &Operation) -> Vec<Span> {
    let spans = operation.clock.spans();
    if !spans.is_empty() {
        return spans;
    }
    let kind = if operation.has_failed() {
        SpanKind::Error
    } else {
        SpanKind::Server
    };
    let end_micros = operation.ended.map(|end| end.at_micros);
    vec![Span {
        kind,
        start_micros: operation.started_micros,
        end_micros,
    }]
}

/// The state that an outcome leaves its round in.
fn outcome_state(outcome: &AttemptOutcome) -> RowState {
    match outcome {
        AttemptOutcome::Result { result_type } if result_type == "input_required" => {
            RowState::WaitingOnYou
        }
        AttemptOutcome::Result { .. } => RowState::Complete,
        AttemptOutcome::RpcError { .. }
        | AttemptOutcome::Transport { .. }
        | AttemptOutcome::TimedOut => RowState::Error,
        AttemptOutcome::Cancelled => RowState::Cancelled,
        AttemptOutcome::Settled { .. } => RowState::Note,
    }
}

/// An outcome in a word or two.
pub fn outcome_text(outcome: &AttemptOutcome) -> String {
    match outcome {
        AttemptOutcome::Result { result_type } => one_line(result_type, MESSAGE_CHARS),
        AttemptOutcome::RpcError { code, .. } => format!("error {code}"),
        AttemptOutcome::Transport { brief, .. } | AttemptOutcome::Settled { brief, .. } => {
            one_line(brief, MESSAGE_CHARS)
        }
        AttemptOutcome::Cancelled => "cancelled".to_owned(),
        AttemptOutcome::TimedOut => "timed out".to_owned(),
    }
}

/// `form: “How many people?”`.
fn prompt_label(method: &str, message: &str) -> String {
    let what = match method {
        "elicitation/create" => "form".to_owned(),
        "sampling/createMessage" => "sampling".to_owned(),
        "roots/list" => "roots".to_owned(),
        "browser" => "in the browser".to_owned(),
        other => one_line(other, MESSAGE_CHARS),
    };
    match one_line(message, MESSAGE_CHARS).as_str() {
        "" => what,
        message => format!("{what}: “{message}”"),
    }
}

fn unreadable(error: &JournalError) -> (RowState, String) {
    let text = match error {
        JournalError::Damaged { .. } => "damaged",
        _ => "unreadable",
    };
    (RowState::Error, text.to_owned())
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
