//! Texts of a server, made fit for one line of a row.

use std::borrow::Cow;

/// The text on one line, at most `limit` characters of it, `…` where it was cut.
///
/// Terminal escapes are taken out, and so are the controls that turn the direction of writing
/// around: a row must not read differently from what it holds. Other control characters become
/// spaces.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::with_capacity(text.len().min(limit * 4));
    let mut taken = 0;
    let mut chars = text.chars().peekable();
    while let Some(next) = chars.next() {
        if next == '\u{1b}' {
            if chars.next_if_eq(&'[').is_some() {
                while chars
                    .next()
                    .is_some_and(|part| !('@'..='~').contains(&part))
                {}
            }
            continue;
        }
        if matches!(next, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            continue;
        }
        if taken == limit {
            line.push('…');
            break;
        }
        line.push(if next.is_control() { ' ' } else { next });
        taken += 1;
    }
    line.truncate(line.trim_end().len());
    line
}

/// The same of bytes; what is not UTF-8 is shown as U+FFFD.
pub(crate) fn one_line_of_bytes(bytes: &[u8], limit: usize) -> String {
    let near = &bytes[..bytes.len().min(limit * 4 + 4)];
    match String::from_utf8_lossy(near) {
        Cow::Borrowed(text) => one_line(text, limit),
        Cow::Owned(text) => one_line(&text, limit),
    }
}

/// `1 page`, `2 pages`.
pub(crate) fn counted(count: u32, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// A duration in the unit that reads best.
pub fn duration(micros: u64) -> String {
    let (whole, rest) = (micros / 1000, micros % 1000);
    match micros {
        0 => "0".to_owned(),
        1..=999 => format!("{micros} µs"),
        1_000..=9_999 => format!("{whole}.{} ms", rest / 100),
        10_000..=999_999 => format!("{whole} ms"),
        1_000_000..=59_999_999 => format!("{}.{:02} s", whole / 1000, whole % 1000 / 10),
        _ => format!("{} min {} s", whole / 60_000, whole % 60_000 / 1000),
    }
}
