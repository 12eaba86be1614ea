//! The one clock of everything that is recorded.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Microseconds since the Unix epoch.
///
/// The wall clock is read once, and the monotonic clock counts from there: times of one run never
/// go back, and the distance between two of them is exact, even when the machine's clock is set.
pub fn now_micros() -> u64 {
    static ANCHOR: OnceLock<(Instant, u64)> = OnceLock::new();
    let (start, wall_micros) = ANCHOR.get_or_init(|| {
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        (Instant::now(), whole_micros(wall))
    });
    wall_micros + whole_micros(start.elapsed())
}

fn whole_micros(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
