//! Times that were taken many times.

use std::time::Duration;

/// Times of one thing.
#[derive(Default)]
pub struct Samples(Vec<Duration>);

impl Samples {
    /// Times that a page's script took, in milliseconds.
    pub fn of_millis(millis: &[f64]) -> Self {
        let times = millis.iter().map(|millis| millis.max(0.0) / 1e3);
        Self(times.map(Duration::from_secs_f64).collect())
    }

    /// Adds a time.
    pub fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Adds times.
    pub fn extend(&mut self, times: Vec<Duration>) {
        self.0.extend(times);
    }

    /// The time that `share` of all are not above, in milliseconds: 0.5 is the median. 0 when there are none.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in a list of some thousands"
    )]
    pub fn quantile_millis(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let place = (share * sorted.len() as f64).ceil() as usize;
        sorted
            .get(place.saturating_sub(1))
            .map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }

    /// The median, in milliseconds.
    pub fn median_millis(&self) -> f64 {
        self.quantile_millis(0.5)
    }
}
