//! Texts of servers and of secrets' names, made fit for what people read.

use std::fmt::Write as _;

use super::Redacted;

/// Which secrets are named in it, in a sentence.
pub(crate) fn secrets_named(redacted: &Redacted) -> String {
    if redacted.is_empty() {
        return "No known secret was in it.".to_owned();
    }
    let named: Vec<String> = redacted
        .iter()
        .map(|(name, count)| match count {
            1 => format!("{name} (once)"),
            count => format!("{name} ({count} times)"),
        })
        .collect();
    format!(
        "Secrets are named where their values stood: {}.",
        named.join(", ")
    )
}

/// Bytes as a person reads them: JSON laid out, cut where they are large.
pub(super) fn shown(bytes: &[u8], most: usize) -> String {
    let near = &bytes[..bytes.len().min(most.saturating_mul(4))];
    let laid_out = (near.len() == bytes.len())
        .then(|| wire::pretty::layout(bytes))
        .flatten();
    let mut text = laid_out.unwrap_or_else(|| String::from_utf8_lossy(near).into_owned());
    if text.len() > most || near.len() < bytes.len() {
        let mut end = most.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        let _infallible = write!(text, "\n… cut here: the whole has {} bytes", bytes.len());
    }
    text
}

/// A text in which nothing is hidden: what takes no place, or turns the direction of writing around, is named.
pub(super) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => seen.push(character),
            '\u{00ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}' => named(&mut seen, character),
            control if control.is_control() => named(&mut seen, control),
            other => seen.push(other),
        }
    }
    seen
}

fn named(seen: &mut String, character: char) {
    let _infallible = write!(seen, "⟨U+{:04X}⟩", u32::from(character));
}
