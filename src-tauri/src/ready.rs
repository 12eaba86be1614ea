//! For measurements of the start: with `ROUNDTRIP_REPORT_READY` set, says on stderr when the window can be used.

use std::env;
use std::sync::atomic::{AtomicU8, Ordering};

/// A window that can be used has both.
#[derive(Clone, Copy)]
pub enum Part {
    /// The window has been shown.
    Shown = 0b01,
    /// The page has applied a batch of the feed, so its own state and buttons stand.
    Fed = 0b10,
}

const WHOLE: u8 = Part::Shown as u8 | Part::Fed as u8;

/// What of it is there.
static PARTS: AtomicU8 = AtomicU8::new(0);

/// Notes that a part is there; the first time that both are, it is said if somebody wants to know.
pub fn note(part: Part) {
    let before = PARTS.fetch_or(part as u8, Ordering::AcqRel);
    let is_whole_now = before != WHOLE && before | part as u8 == WHOLE;
    if is_whole_now && env::var_os("ROUNDTRIP_REPORT_READY").is_some() {
        eprintln!("roundtrip: ready");
    }
}
