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
