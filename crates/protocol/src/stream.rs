//! An event stream over its reconnections: what was heard last, and when to ask for the rest (2025-11-25
//! basic/transports § Resumability and Redelivery, § Sending Messages to the Server, and WHATWG HTML § 9.2.6).

use wire::sse::SseEvent;

/// How long to wait before a stream is asked for again, where the server did not say.
pub const RETRY_MILLIS: u64 = 1_000;
/// No wait is shorter, whatever the server says.
const LEAST_MILLIS: u64 = 100;
/// No back-off is longer. A longer `retry` is obeyed.
const MOST_MILLIS: u64 = 60_000;
/// How often in a row the server may answer a resumption with no message before the waits grow. A server that wants
/// to be polled gives an id and a `retry` each time.
const PATIENT_POLLS: u32 = 20;
/// How often in a row an opened stream may bring nothing at all.
const EMPTY_LIMIT: u32 = 5;

/// The place in a stream of events, kept over its reconnections. It has no clock: the driver tells what came and is
/// told how long to wait.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    last_event_id: Option<String>,
    retry_millis: Option<u64>,
    /// Openings in a row without a message.
    quiet: u32,
    /// Openings in a row without any event.
    empty: u32,
    heard: Heard,
}

/// The most that the stream as it is now has brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Heard {
    #[default]
    Nothing,
    /// An event that only moves the cursor.
    Id,
    /// An event with data.
    Message,
}

/// When to ask for the rest of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconnection {
    /// After so many milliseconds.
    After(u64),
    /// No more: it has brought nothing so many times in a row.
    GivenUp(u32),
}

impl Cursor {
    /// The id to resume after (`Last-Event-ID`).
    pub fn last_event_id(&self) -> Option<&str> {
        self.last_event_id.as_deref()
    }

    /// Takes an event of the stream, in order.
    pub fn take(&mut self, event: &SseEvent<'_>) {
        // The standard takes `retry` line by line, and everything else only when the event is whole.
        if let Some(millis) = event.retry_millis {
            self.retry_millis = Some(millis);
        }
        if !event.is_whole {
            return;
        }
        if let Some(id) = &event.id {
            self.last_event_id = (!id.is_empty()).then(|| id.clone().into_owned());
            self.heard = self.heard.max(Heard::Id);
        }
        if event.data.as_ref().is_some_and(|data| !data.is_empty()) {
            self.heard = Heard::Message;
        }
    }

    /// The stream ended, or could not be opened: says when it is to be opened again. `random`, from 0 to 1, spreads
    /// the back-off, so that many clients of a server that was restarted do not come back at once.
    pub fn ended(&mut self, random: f64) -> Reconnection {
        let heard = std::mem::take(&mut self.heard);
        self.quiet = match heard {
            Heard::Message => 0,
            Heard::Id | Heard::Nothing => self.quiet.saturating_add(1),
        };
        self.empty = match heard {
            Heard::Nothing => self.empty.saturating_add(1),
            Heard::Id | Heard::Message => 0,
        };
        if self.empty >= EMPTY_LIMIT {
            return Reconnection::GivenUp(self.empty);
        }
        let asked = self.retry_millis.unwrap_or(RETRY_MILLIS);
        let doublings = self.empty.max(self.quiet.saturating_sub(PATIENT_POLLS));
        if doublings == 0 {
            return Reconnection::After(asked.max(LEAST_MILLIS));
        }
        let grown = asked
            .max(LEAST_MILLIS)
            .saturating_mul(1 << doublings.min(16))
            .min(MOST_MILLIS);
        Reconnection::After(asked.max(spread(grown, random)))
    }
}

/// At least as long, and up to a quarter longer.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a wait of at most a minute, and a part of it"
)]
fn spread(millis: u64, random: f64) -> u64 {
    millis + (millis as f64 * 0.25 * random.clamp(0.0, 1.0)) as u64
}
