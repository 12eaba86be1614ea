//! How often a person wants a task polled.

/// The interval between polls where neither the server nor the person names one, in milliseconds; it grows to ten times
/// that.
const DEFAULT_INTERVAL_MILLIS: u64 = 1_000;
/// The shortest interval, in milliseconds, whatever anybody says.
const SHORTEST_INTERVAL_MILLIS: u64 = 100;

/// A person's wishes for the polls of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// No polls but those that the person asks for.
    pub is_paused: bool,
    /// How long polls are to be apart, in milliseconds; the server's interval where absent.
    pub interval_millis: Option<u64>,
    /// Also where the server wants them further apart (SEP-2663 § Task Polling: a server may refuse such polls).
    pub is_forced: bool,
}

impl Pace {
    /// How long polls are apart when the server names this interval and has been polled so often, and whose wish that is.
    pub(super) fn interval(self, named: Option<u64>, polls: u32) -> (u64, &'static str) {
        let (interval, whose) = match (self.interval_millis, named) {
            (Some(own), Some(named)) if own < named && !self.is_forced => (named, "the server's"),
            (Some(own), _) => (own, "your"),
            (None, Some(named)) => (named, "the server's"),
            (None, None) => {
                let times = u64::from(polls.saturating_sub(4).clamp(1, 10));
                (DEFAULT_INTERVAL_MILLIS * times, "a usual")
            }
        };
        (interval.max(SHORTEST_INTERVAL_MILLIS), whose)
    }

    /// The wish in words, for the record.
    pub(super) fn in_words(self, named: Option<u64>) -> String {
        let seconds = |millis: u64| format!("{}.{:03}", millis / 1000, millis % 1000);
        if self.is_paused {
            return "You paused its polls.".to_owned();
        }
        match (self.interval_millis, named) {
            (Some(own), Some(named)) if own < named && self.is_forced => format!(
                "You set its polls {} s apart; the server wants {} s and may refuse more frequent ones.",
                seconds(own),
                seconds(named)
            ),
            (Some(own), _) => format!("You set its polls {} s apart.", seconds(own)),
            (None, _) => "Its polls go as the server wants.".to_owned(),
        }
    }
}
