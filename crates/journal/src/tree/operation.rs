//! One operation: its children, attempts and time.

use wire::frame::{Carrier, Direction};

use super::NONE;
use super::clock::Clock;
use crate::event::{
    AttemptOutcome, Event, EventBody, EventSeq, FrameRole, OperationEnd, OperationId,
};

/// So many different error codes of one operation are known.
const MOST_CODES: usize = 64;

/// One operation. Lists hold event numbers, as bare integers for their size.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) id: OperationId,
    pub(crate) connection: crate::event::ConnectionId,
    /// The method's name, by its number.
    pub(crate) method: u32,
    /// The name of what it is about, by its number; [`NONE`] where it has none.
    pub(crate) name: u32,
    /// Its place among the tops.
    pub(crate) top: u32,
    pub(crate) started: EventSeq,
    pub(crate) started_micros: u64,
    pub(crate) ended: Option<End>,
    /// All its events after the first.
    pub(crate) events: Vec<u32>,
    /// The events that began its child rows.
    pub(crate) children: Vec<u32>,
    pub(crate) attempts: Vec<Attempt>,
    /// Indices into the tree's prompts.
    pub(crate) prompts: Vec<u32>,
    /// The waits that are over, and the one that may not be.
    pub(crate) waits: Vec<(u64, u64)>,
    wait_since: Option<u64>,
    /// Waits that an attempt has taken for its own.
    waits_taken: usize,
    pub(crate) findings: Vec<u32>,
    /// The codes of the JSON-RPC errors that came.
    pub(crate) codes: Vec<i64>,
    pub(crate) clock: Clock,
    /// How many rounds began.
    pub(crate) rounds: u32,
    /// How many of them polled a task.
    pub(crate) polls: u32,
    /// The row that the next poll joins: polls with no prompt or other round between them are one row. [`NONE`] where
    /// there is none.
    poll_row: u32,
    /// Its rounds are pages.
    pub(crate) is_paged: bool,
    /// The last of its answers that came from the cache; [`NONE`] where none did.
    pub(crate) from_cache: u32,
    /// The last event that changed one of its rows.
    pub(crate) last_change: u32,
}

/// An operation's end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) seq: EventSeq,
    pub(crate) at_micros: u64,
    pub(crate) kind: EndKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndKind {
    Complete,
    ToolError,
    Failed,
    Cancelled,
    Settled,
}

/// One attempt. Numbers of events are [`NONE`] where there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    pub(crate) round: u32,
    /// The attempt within the round, from 1.
    pub(crate) number: u32,
    pub(crate) started: u32,
    /// The event that began the row in which it shows: its own start, or that of the first of its polls.
    pub(crate) row: u32,
    pub(crate) ended: u32,
    pub(crate) request: u32,
    pub(crate) reply: u32,
    /// The body that stood in the reply's place.
    pub(crate) stand_in: u32,
    pub(crate) http_request: u32,
    pub(crate) http_response: u32,
    pub(crate) http_end: u32,
    /// The wait before it, as an index into the operation's waits.
    pub(crate) wait: u32,
    pub(crate) ended_badly: bool,
    /// The HTTP status that came last; 0 for none.
    pub(crate) http_status: u16,
    pub(crate) started_micros: u64,
    ended_micros: u64,
    /// Bytes of the frames received.
    pub(crate) received_byte_len: u64,
}

impl Attempt {
    /// When it ended, by its own event.
    pub(crate) fn end_micros(&self) -> Option<u64> {
        (self.ended != NONE).then_some(self.ended_micros)
    }
}

impl Operation {
    pub(super) fn new(
        id: OperationId,
        event: &Event,
        started: EventSeq,
        top: u32,
        method: u32,
        name: u32,
    ) -> Operation {
        Operation {
            id,
            connection: event.connection,
            method,
            name,
            top,
            started,
            started_micros: event.at_micros,
            ended: None,
            events: Vec::new(),
            children: Vec::new(),
            attempts: Vec::new(),
            prompts: Vec::new(),
            waits: Vec::new(),
            wait_since: None,
            waits_taken: 0,
            findings: Vec::new(),
            codes: Vec::new(),
            clock: Clock::default(),
            rounds: 0,
            polls: 0,
            poll_row: NONE,
            is_paged: false,
            from_cache: NONE,
            last_change: started.0,
        }
    }

    /// Whether it was running until now.
    pub(super) fn end(&mut self, seq: EventSeq, at: u64, end: &OperationEnd) -> bool {
        if self.ended.is_some() {
            return false;
        }
        let at_micros = at.max(self.started_micros);
        self.end_wait(at_micros);
        self.clock
            .stop(at_micros, matches!(end, OperationEnd::Failed { .. }));
        let kind = match end {
            OperationEnd::Complete => EndKind::Complete,
            OperationEnd::ToolError => EndKind::ToolError,
            OperationEnd::Failed { .. } => EndKind::Failed,
            OperationEnd::Cancelled => EndKind::Cancelled,
            OperationEnd::Settled { .. } => EndKind::Settled,
        };
        self.ended = Some(End {
            seq,
            at_micros,
            kind,
        });
        true
    }

    pub(super) fn start_attempt(
        &mut self,
        seq: EventSeq,
        at: u64,
        place: (u32, u32),
        label: Option<&str>,
    ) {
        let is_poll = label.is_some_and(|label| label.starts_with("poll"));
        if self
            .attempts
            .last()
            .is_none_or(|last| last.round != place.0)
        {
            self.rounds += 1;
            self.polls += u32::from(is_poll);
        }
        self.is_paged |= label.is_some_and(|label| label.starts_with("page"));
        self.end_wait(at);
        let wait = if self.waits.len() > self.waits_taken {
            self.waits.len() - 1
        } else {
            NONE as usize
        };
        self.waits_taken = self.waits.len();
        let row = if is_poll && self.poll_row != NONE {
            self.poll_row
        } else {
            self.children.push(seq.0);
            seq.0
        };
        self.poll_row = if is_poll { row } else { NONE };
        if self.attempts.is_empty() {
            self.attempts.reserve_exact(1);
        }
        self.attempts.push(Attempt {
            round: place.0,
            number: place.1,
            started: seq.0,
            row,
            ended: NONE,
            request: NONE,
            reply: NONE,
            stand_in: NONE,
            http_request: NONE,
            http_response: NONE,
            http_end: NONE,
            wait: u32::try_from(wait).unwrap_or(NONE),
            ended_badly: false,
            http_status: 0,
            started_micros: at,
            ended_micros: 0,
            received_byte_len: 0,
        });
        self.clock.attempt_started(at);
    }

    /// Whether an open attempt ended by this.
    pub(super) fn end_attempt(
        &mut self,
        seq: EventSeq,
        at: u64,
        (round, attempt): (u32, u32),
        outcome: &AttemptOutcome,
    ) -> bool {
        let badly = match outcome {
            AttemptOutcome::RpcError { .. }
            | AttemptOutcome::Transport { .. }
            | AttemptOutcome::TimedOut => true,
            AttemptOutcome::Result { .. }
            | AttemptOutcome::Cancelled
            | AttemptOutcome::Settled { .. } => false,
        };
        let Some(attempt) = self
            .attempt_mut(round, attempt)
            .filter(|attempt| attempt.ended == NONE)
        else {
            return false;
        };
        attempt.ended = seq.0;
        attempt.ended_micros = at.max(attempt.started_micros);
        attempt.ended_badly = badly;
        if let AttemptOutcome::RpcError { code, .. } = outcome
            && !self.codes.contains(code)
            && self.codes.len() < MOST_CODES
        {
            self.codes.push(*code);
        }
        self.clock.attempt_ended(at, badly);
        true
    }

    pub(super) fn start_wait(&mut self, at: u64) -> bool {
        if self.ended.is_some() || self.wait_since.is_some() {
            return false;
        }
        self.wait_since = Some(at);
        self.clock.wait(at, true);
        true
    }

    pub(super) fn end_wait(&mut self, at: u64) -> bool {
        let Some(since) = self.wait_since.take() else {
            return false;
        };
        self.waits.push((since, at.max(since)));
        self.clock.wait(at, false);
        true
    }

    pub(super) fn open_prompt(&mut self, seq: EventSeq, at: u64, index: u32) {
        self.children.push(seq.0);
        self.poll_row = NONE;
        self.prompts.push(index);
        self.clock.prompt_opened(at);
    }

    pub(super) fn close_prompt(&mut self, at: u64) {
        self.clock.prompt_closed(at);
    }

    /// Files a frame with its attempt; whether it is the attempt's request or reply, which has the attempt's row.
    pub(super) fn take_frame(
        &mut self,
        seq: EventSeq,
        (round, attempt): (u32, u32),
        direction: Direction,
        carrier: Carrier,
        role: &FrameRole,
        byte_len: usize,
    ) -> bool {
        let Some(attempt) = self.attempt_mut(round, attempt) else {
            return false;
        };
        match direction {
            Direction::Sent => {
                let is_request = attempt.request == NONE
                    && matches!(
                        role,
                        FrameRole::Request { .. } | FrameRole::Notification { .. }
                    );
                if is_request {
                    attempt.request = seq.0;
                }
                is_request
            }
            Direction::Received => {
                // The messages of a batch come once more, each by itself.
                if !matches!(role, FrameRole::Batch { .. }) {
                    attempt.received_byte_len += byte_len as u64;
                }
                match role {
                    FrameRole::Reply => attempt.reply = seq.0,
                    FrameRole::NotProtocol { .. } if carrier == Carrier::Body => {
                        attempt.stand_in = seq.0;
                    }
                    _ => return false,
                }
                matches!(role, FrameRole::Reply)
            }
        }
    }

    /// Files a head or the end of an HTTP exchange with its attempt.
    pub(super) fn take_http(&mut self, seq: EventSeq, body: &EventBody) {
        let (EventBody::HttpRequest { round, attempt, .. }
        | EventBody::HttpResponse { round, attempt, .. }
        | EventBody::HttpEnded { round, attempt, .. }) = body
        else {
            return;
        };
        let Some(of) = self.attempt_mut(*round, *attempt) else {
            return;
        };
        match body {
            EventBody::HttpRequest { .. } => {
                of.http_request = seq.0;
                of.http_response = NONE;
                of.http_end = NONE;
            }
            EventBody::HttpResponse { head, .. } => {
                of.http_response = seq.0;
                of.http_status = head.status;
            }
            _ => of.http_end = seq.0,
        }
    }

    /// The attempt at this place. They come in order; the last is asked for most.
    pub(super) fn attempt_mut(&mut self, round: u32, attempt: u32) -> Option<&mut Attempt> {
        let place = |attempt: &Attempt| (attempt.round, attempt.number);
        let index = match self.attempts.last() {
            Some(last) if place(last) == (round, attempt) => self.attempts.len() - 1,
            _ => self
                .attempts
                .binary_search_by_key(&(round, attempt), place)
                .ok()?,
        };
        self.attempts.get_mut(index)
    }

    /// Whether it ended without doing what was asked, and not by the person's wish.
    pub(crate) fn has_failed(&self) -> bool {
        self.ended.is_some_and(|end| end.kind == EndKind::Failed)
    }

    /// Whether it became a task that was followed, or is about one.
    pub(crate) fn is_task(&self) -> bool {
        self.polls > 0
    }

    /// Whether it waited on purpose, or does now.
    pub(crate) fn has_waited(&self) -> bool {
        !self.waits.is_empty() || self.wait_since.is_some()
    }

    /// The attempt that this event began.
    pub(crate) fn attempt_of_event(&self, seq: EventSeq) -> Option<usize> {
        self.attempts
            .binary_search_by_key(&seq.0, |attempt| attempt.started)
            .ok()
    }

    /// The attempts that the row of this one shows: itself, or all polls in a row.
    pub(crate) fn run_of(&self, index: usize) -> std::ops::Range<usize> {
        let Some(row) = self.attempts.get(index).map(|attempt| attempt.row) else {
            return index..index;
        };
        let start = self.attempts.partition_point(|attempt| attempt.row < row);
        let end = self.attempts.partition_point(|attempt| attempt.row <= row);
        start..end
    }

    /// The last attempt that began before this event.
    pub(crate) fn attempt_around(&self, seq: EventSeq) -> Option<usize> {
        self.attempts
            .partition_point(|attempt| attempt.started <= seq.0)
            .checked_sub(1)
    }

    /// The child row in which an event shows: its own, or its attempt's.
    pub(super) fn row_of_event(&self, seq: EventSeq) -> Option<EventSeq> {
        if self.children.binary_search(&seq.0).is_ok() {
            return Some(seq);
        }
        let attempt = self.attempts.get(self.attempt_around(seq)?)?;
        Some(EventSeq(attempt.row))
    }
}
