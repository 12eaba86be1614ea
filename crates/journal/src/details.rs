//! What the right pane shows of a row: exchanges, totals, events and findings.

use protocol::findings::Finding;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use wire::http::{RequestHead, ResponseHead};

use crate::event::{ConnectionId, EventBody, EventSeq, OperationEnd, OperationId};
use crate::log::{Journal, JournalError};
use crate::row::RowRef;
pub use crate::rows::{BranchPoint, branch_told, outcome_text};
pub use crate::text::duration;
pub use crate::tree::Totals;
use crate::tree::{Attempt, NONE, Operation};

/// An operation in figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationSummary {
    /// Its identity.
    pub id: OperationId,
    /// The connection it belongs to.
    pub connection: ConnectionId,
    /// The method.
    pub method: String,
    /// The tool, prompt or resource it is about.
    pub name: Option<String>,
    /// Microseconds since the Unix epoch.
    pub start_micros: u64,
    /// When and how it ended.
    pub end: Option<(u64, OperationEnd)>,
    /// How many rounds began.
    pub rounds: u32,
    /// Whether its rounds are pages.
    pub is_paged: bool,
    /// How many attempts began; those beyond the rounds are retries.
    pub attempts: u32,
    /// How many prompts were opened.
    pub prompts: u32,
    /// How many rows it unfolds into.
    pub child_count: u32,
    /// How many events it has.
    pub event_count: u32,
    /// How many findings were seen in it.
    pub finding_count: u32,
}

/// One attempt: what was sent and what came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Exchange {
    /// The round, from 1.
    pub round: u32,
    /// The attempt within the round, from 1.
    pub attempt: u32,
    /// What to call it: `round 2 · id 6 · retry 1`.
    pub label: String,
    /// Why it was sent, for a further attempt: how the one before ended (`HTTP 503`).
    pub cause: Option<String>,
    /// How long was waited on purpose before it, in microseconds.
    pub waited_micros: Option<u64>,
    /// When it began.
    pub start_micros: u64,
    /// When it ended.
    pub end_micros: Option<u64>,
    /// The request's message.
    pub request: Option<FrameRef>,
    /// The reply's message, or the body that stood in its place.
    pub response: Option<FrameRef>,
    /// The HTTP exchange, over HTTP; the last one, where an attempt took several.
    pub http: Option<HttpExchange>,
    /// How it ended, in a word or two; none while it goes on.
    pub outcome: Option<String>,
}

/// A frame, by its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FrameRef {
    /// The event that holds it.
    pub event: EventSeq,
    /// Its size in bytes.
    pub byte_len: u64,
    /// Microseconds since the Unix epoch.
    pub at_micros: u64,
}

/// An HTTP exchange. Times are microseconds since the Unix epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HttpExchange {
    /// What was sent.
    pub request: RequestHead,
    /// When it was sent.
    pub sent_micros: u64,
    /// Bytes of the request's body.
    pub request_byte_len: u64,
    /// What came.
    pub response: Option<ResponseHead>,
    /// When the head was complete.
    pub head_micros: Option<u64>,
    /// When the first byte of the body came.
    pub first_byte_micros: Option<u64>,
    /// When it was over.
    pub ended_micros: Option<u64>,
    /// Bytes of the response's body; of its frames so far, until it is over.
    pub response_byte_len: u64,
    /// Bytes of it as they came, where that differs: the body was compressed.
    pub wire_byte_len: Option<u64>,
    /// What went wrong.
    pub error: Option<String>,
}

/// That an operation was answered without sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FromCache {
    /// The frame that holds the answer; of several pages the last one's.
    pub event: EventSeq,
    /// When it was received, in microseconds since the Unix epoch.
    pub fetched_micros: u64,
}

/// A finding, and where it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFinding {
    /// The finding.
    pub finding: Finding,
    /// The event in which it was seen.
    pub event: Option<EventSeq>,
    /// Microseconds since the Unix epoch.
    pub at_micros: u64,
}

impl Journal {
    /// An operation in figures.
    pub fn operation(&self, id: OperationId) -> Result<OperationSummary, JournalError> {
        let operation = self.known(id)?;
        let end = match operation.ended {
            None => None,
            Some(end) => match self.event(end.seq)?.body {
                EventBody::OperationEnded(how) => Some((end.at_micros, how)),
                _ => None,
            },
        };
        Ok(OperationSummary {
            id,
            connection: operation.connection,
            method: self.tree().name(operation.method).to_owned(),
            name: (operation.name != NONE).then(|| self.tree().name(operation.name).to_owned()),
            start_micros: operation.started_micros,
            end,
            rounds: operation.rounds,
            is_paged: operation.is_paged,
            attempts: count(operation.attempts.len()),
            prompts: count(operation.prompts.len()),
            child_count: count(operation.children.len()),
            event_count: count(operation.events.len()).saturating_add(1),
            finding_count: count(operation.findings.len()),
        })
    }

    /// Whether an operation was answered from the cache.
    pub fn from_cache(&self, id: OperationId) -> Result<Option<FromCache>, JournalError> {
        let answered = self.event_if_any(self.known(id)?.from_cache)?;
        Ok(match answered.map(|event| event.body) {
            Some(EventBody::AnsweredFromCache {
                event,
                fetched_micros,
                ..
            }) => Some(FromCache {
                event,
                fetched_micros,
            }),
            _ => None,
        })
    }

    /// Where an operation's time went, in microseconds; what goes on is measured up to `now_micros`.
    pub fn totals(&self, id: OperationId, now_micros: u64) -> Result<Totals, JournalError> {
        Ok(self.known(id)?.clock.totals(now_micros))
    }

    /// All attempts of an operation in order.
    pub fn exchanges(&self, id: OperationId) -> Result<Vec<Exchange>, JournalError> {
        let operation = self.known(id)?;
        (0..operation.attempts.len())
            .map(|index| self.exchange_of(operation, index))
            .collect()
    }

    /// The attempt at an index of [`Journal::exchanges`].
    pub fn exchange(&self, id: OperationId, index: u32) -> Result<Option<Exchange>, JournalError> {
        let operation = self.known(id)?;
        let index = index as usize;
        (index < operation.attempts.len())
            .then(|| self.exchange_of(operation, index))
            .transpose()
    }

    /// The JSON-RPC id, as JSON text, of the attempt at an index of [`Journal::exchanges`].
    pub fn request_id(&self, id: OperationId, index: u32) -> Result<Option<String>, JournalError> {
        let Some(attempt) = self.known(id)?.attempts.get(index as usize) else {
            return Ok(None);
        };
        match self.event(EventSeq(attempt.started))?.body {
            EventBody::AttemptStarted { request_id, .. } => Ok(request_id),
            _ => Ok(None),
        }
    }

    /// Which of [`Journal::exchanges`] a row is about: an attempt's own, the last one before a row inside a round, the
    /// last of all for an operation. None when there is none.
    pub fn exchange_index(&self, row: RowRef) -> Option<u32> {
        let index = match row {
            RowRef::Loose(_) => None,
            RowRef::Operation(id) => self.tree().operation(id)?.attempts.len().checked_sub(1),
            RowRef::Child(id, place) => {
                let operation = self.tree().operation(id)?;
                let seq = *operation.children.get(place.checked_sub(1)? as usize)?;
                let attempt = operation.attempt_around(EventSeq(seq))?;
                match operation.attempt_of_event(EventSeq(seq)) {
                    // Of polls in a row the last one tells how they went.
                    Some(own) => operation.run_of(own).last(),
                    None => Some(attempt),
                }
            }
        };
        index.map(count)
    }

    /// How many events an operation has.
    pub fn operation_event_count(&self, id: OperationId) -> Result<u32, JournalError> {
        Ok(count(self.known(id)?.events.len()).saturating_add(1))
    }

    /// The events of an operation from `start` on, in order; `len` of them or as many as there are.
    pub fn operation_events(
        &self,
        id: OperationId,
        start: u32,
        len: u32,
    ) -> Result<Vec<EventSeq>, JournalError> {
        let operation = self.known(id)?;
        let first = std::iter::once(operation.started.0);
        let skipped = (start as usize).min(operation.events.len() + 1);
        let rest = operation
            .events
            .get(skipped.saturating_sub(1)..)
            .unwrap_or_default();
        let all = first.skip(skipped).chain(rest.iter().copied());
        Ok(all.take(len as usize).map(EventSeq).collect())
    }

    /// What was found in an operation, or in one row.
    pub fn findings(&self, row: RowRef) -> Result<Vec<SeenFinding>, JournalError> {
        match row {
            RowRef::Operation(id) => self
                .known(id)?
                .findings
                .iter()
                .map(|seq| self.seen_finding(EventSeq(*seq)))
                .collect(),
            RowRef::Child(id, place) => {
                let operation = self.known(id)?;
                let child = place
                    .checked_sub(1)
                    .and_then(|index| operation.children.get(index as usize));
                self.findings_of_event(child.map(|seq| EventSeq(*seq)))
            }
            RowRef::Loose(seq) => self.findings_of_event(Some(seq)),
        }
    }

    fn findings_of_event(&self, seq: Option<EventSeq>) -> Result<Vec<SeenFinding>, JournalError> {
        let found = seq
            .map(|seq| self.tree().findings_of_row(seq))
            .unwrap_or_default();
        found.iter().map(|seq| self.seen_finding(*seq)).collect()
    }

    fn seen_finding(&self, seq: EventSeq) -> Result<SeenFinding, JournalError> {
        let event = self.event(seq)?;
        match event.body {
            EventBody::FindingSeen {
                finding,
                event: seen,
            } => Ok(SeenFinding {
                finding,
                event: seen,
                at_micros: event.at_micros,
            }),
            _ => Err(self.damaged(seq)),
        }
    }

    fn exchange_of(&self, operation: &Operation, index: usize) -> Result<Exchange, JournalError> {
        let attempt = &operation.attempts[index];
        let mut label = self.attempt_label(operation, attempt);
        if attempt.number > 1 {
            label = format!("{label} · retry {}", attempt.number - 1);
        }
        let response = if attempt.reply == NONE {
            attempt.stand_in
        } else {
            attempt.reply
        };
        let outcome = self.attempt_outcome(attempt)?;
        Ok(Exchange {
            round: attempt.round,
            attempt: attempt.number,
            label,
            cause: self.retry_cause(operation, index),
            waited_micros: Self::waited_micros(operation, index),
            start_micros: attempt.started_micros,
            end_micros: attempt
                .end_micros()
                .or(operation.ended.map(|end| end.at_micros)),
            request: self.frame_ref(attempt.request)?,
            response: self.frame_ref(response)?,
            http: self.http_exchange(attempt)?,
            outcome: outcome.as_ref().map(outcome_text),
        })
    }

    fn frame_ref(&self, seq: u32) -> Result<Option<FrameRef>, JournalError> {
        if seq == NONE {
            return Ok(None);
        }
        let event = EventSeq(seq);
        let preview = self.preview(event, 0)?;
        Ok(Some(FrameRef {
            event,
            byte_len: preview.byte_len,
            at_micros: preview.event.at_micros,
        }))
    }

    fn http_exchange(&self, attempt: &Attempt) -> Result<Option<HttpExchange>, JournalError> {
        let Some(sent) = self.event_if_any(attempt.http_request)? else {
            return Ok(None);
        };
        let EventBody::HttpRequest {
            head,
            body_byte_len,
            ..
        } = sent.body
        else {
            return Ok(None);
        };
        let mut exchange = HttpExchange {
            request: head,
            sent_micros: sent.at_micros,
            request_byte_len: body_byte_len,
            response: None,
            head_micros: None,
            first_byte_micros: None,
            ended_micros: None,
            response_byte_len: attempt.received_byte_len,
            wire_byte_len: None,
            error: None,
        };
        if let Some(came) = self.event_if_any(attempt.http_response)?
            && let EventBody::HttpResponse { head, .. } = came.body
        {
            exchange.response = Some(head);
            exchange.head_micros = Some(came.at_micros);
        }
        if let Some(over) = self.event_if_any(attempt.http_end)?
            && let EventBody::HttpEnded {
                body_byte_len,
                wire_byte_len,
                first_byte_micros,
                error,
                ..
            } = over.body
        {
            exchange.ended_micros = Some(over.at_micros);
            exchange.response_byte_len = body_byte_len;
            exchange.wire_byte_len = (wire_byte_len != body_byte_len).then_some(wire_byte_len);
            exchange.first_byte_micros = first_byte_micros;
            exchange.error = error;
        }
        Ok(Some(exchange))
    }

    fn event_if_any(&self, seq: u32) -> Result<Option<crate::event::Event>, JournalError> {
        if seq == NONE {
            Ok(None)
        } else {
            self.event(EventSeq(seq)).map(Some)
        }
    }

    fn known(&self, id: OperationId) -> Result<&Operation, JournalError> {
        self.tree()
            .operation(id)
            .ok_or(JournalError::NoSuchOperation { operation: id })
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
