//! Where an operation's time goes.
//!
//! At every moment an operation is in one of four ways: a prompt is open (the person's time), else an
//! attempt is under way (the server's), else it waits on purpose (time's), else nothing of these. So the bars
//! of its row never overlap, and the totals add up to no more than the operation took.

use crate::row::{Span, SpanKind};

/// At most so many bars in a row.
pub(crate) const SPAN_CAP: usize = 64;
/// Bars of one kind with no more than this between them are one bar.
const TOUCHING_MICROS: u64 = 1_000;

/// How long an operation spent in each kind of time, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// On the server, with the attempts that failed.
    pub server_micros: u64,
    /// Waiting on you.
    pub user_micros: u64,
    /// Waiting on time.
    pub time_micros: u64,
}

#[derive(Clone, Copy, Debug)]
struct Bar {
    start: u64,
    end: u64,
    kind: SpanKind,
}

/// The clock of one operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    open_attempts: u32,
    open_prompts: u32,
    waiting: bool,
    stopped: bool,
    /// What goes on, and since when.
    running: Option<(SpanKind, u64)>,
    bars: Vec<Bar>,
    totals: Totals,
}

impl Clock {
    pub(super) fn attempt_started(&mut self, at: u64) {
        self.open_attempts += 1;
        self.turn(at, false);
    }

    pub(super) fn attempt_ended(&mut self, at: u64, badly: bool) {
        self.open_attempts = self.open_attempts.saturating_sub(1);
        self.turn(at, badly);
    }

    pub(super) fn prompt_opened(&mut self, at: u64) {
        self.open_prompts += 1;
        self.turn(at, false);
    }

    pub(super) fn prompt_closed(&mut self, at: u64) {
        self.open_prompts = self.open_prompts.saturating_sub(1);
        self.turn(at, false);
    }

    pub(super) fn wait(&mut self, at: u64, on: bool) {
        self.waiting = on;
        self.turn(at, false);
    }

    /// Nothing goes on from here. An attempt that is cut off so ended `badly`, or just so.
    pub(super) fn stop(&mut self, at: u64, badly: bool) {
        self.stopped = true;
        self.turn(at, badly);
    }

    /// What it waits for now.
    pub(crate) fn now(&self) -> Option<SpanKind> {
        self.running.map(|(kind, _)| kind)
    }

    /// The totals, with what goes on measured up to `now_micros`.
    pub(crate) fn totals(&self, now_micros: u64) -> Totals {
        let mut totals = self.totals;
        if let Some((kind, since)) = self.running {
            totals.add(kind, now_micros.saturating_sub(since));
        }
        totals
    }

    /// The bars of the waterfall, in order.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let mut spans: Vec<_> = self
            .bars
            .iter()
            .map(|bar| Span {
                kind: bar.kind,
                start_micros: bar.start,
                end_micros: Some(bar.end),
            })
            .collect();
        if let Some((kind, since)) = self.running {
            match spans.last_mut() {
                Some(last)
                    if last.kind == kind && touches(last.end_micros.unwrap_or_default(), since) =>
                {
                    last.end_micros = None;
                }
                _ => spans.push(Span {
                    kind,
                    start_micros: since,
                    end_micros: None,
                }),
            }
        }
        spans
    }

    fn turn(&mut self, at: u64, badly: bool) {
        let next = if self.stopped {
            None
        } else if self.open_prompts > 0 {
            Some(SpanKind::User)
        } else if self.open_attempts > 0 {
            Some(SpanKind::Server)
        } else if self.waiting {
            Some(SpanKind::Time)
        } else {
            None
        };
        let before = self.running.map(|(kind, _)| kind);
        if before == next && !badly {
            return;
        }
        let mut at = at;
        if let Some((kind, since)) = self.running.take() {
            at = at.max(since);
            self.totals.add(kind, at - since);
            let failed = badly && kind == SpanKind::Server;
            // An attempt of no length still was one; a change of mind in no time was nothing.
            if at > since || kind == SpanKind::Server {
                self.push(Bar {
                    start: since,
                    end: at,
                    kind: if failed { SpanKind::Error } else { kind },
                });
            }
        }
        self.running = next.map(|kind| (kind, at));
    }

    fn push(&mut self, bar: Bar) {
        match self.bars.last_mut() {
            Some(last) if last.kind == bar.kind && touches(last.end, bar.start) => {
                // A clock that was set back does not make a bar shorter.
                last.end = last.end.max(bar.end);
            }
            _ => {
                if self.bars.is_empty() {
                    self.bars.reserve_exact(1);
                }
                self.bars.push(bar);
            }
        }
        // One place is left for what goes on.
        while self.bars.len() >= SPAN_CAP {
            coarsen(&mut self.bars);
        }
    }
}

impl Totals {
    fn add(&mut self, kind: SpanKind, micros: u64) {
        let total = match kind {
            SpanKind::Server | SpanKind::Error => &mut self.server_micros,
            SpanKind::User => &mut self.user_micros,
            SpanKind::Time => &mut self.time_micros,
        };
        *total = total.saturating_add(micros);
    }
}

fn touches(end: u64, start: u64) -> bool {
    start.saturating_sub(end) <= TOUCHING_MICROS
}

/// Makes the list shorter where it shows least: the closest neighbours of one kind become one bar; where
/// all neighbours differ, the shortest bar yields to the one before it.
fn coarsen(bars: &mut Vec<Bar>) {
    let closest = bars
        .windows(2)
        .enumerate()
        .filter_map(|(index, pair)| match pair {
            [left, right] if left.kind == right.kind => {
                Some((right.start.saturating_sub(left.end), index))
            }
            _ => None,
        })
        .min();
    if let Some((_, index)) = closest {
        bars[index].end = bars[index + 1].end;
        bars.remove(index + 1);
        return;
    }
    let shortest = bars
        .iter()
        .enumerate()
        .skip(1)
        .min_by_key(|(_, bar)| bar.end - bar.start);
    if let Some(index) = shortest.map(|(index, _)| index) {
        bars[index - 1].end = bars[index].end;
        bars.remove(index);
    }
}
