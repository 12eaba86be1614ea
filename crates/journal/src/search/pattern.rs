//! A text as it may stand in what was recorded.
//!
//! A person types what they see. On the wire the same may be escaped as JSON allows, once (`\"`, `\u00e9`, `\/`), and
//! accents may be composed (é) or follow their letter (e and U+0301). A space after a colon is layout where it follows
//! a quoted name, and stands for nothing where it parts a header's name from its value.

use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization;

/// The regular expression for a text.
pub(super) fn of(text: &str, ignores_case: bool) -> String {
    let mut pattern = String::with_capacity(text.len() * 2);
    let mut chars = text.nfc().peekable();
    let mut before = None;
    while let Some(next) = chars.next() {
        if next == ':' && chars.next_if_eq(&' ').is_some() {
            pattern.push_str(match before {
                Some('"') => r":\s*",
                // How a head's lines are stored.
                _ => r#"(?:: |","value":")"#,
            });
        } else {
            push(&mut pattern, next, ignores_case);
        }
        before = Some(next);
    }
    pattern
}

fn push(pattern: &mut String, next: char, ignores_case: bool) {
    match next {
        '"' => pattern.push_str(r#"\\?""#),
        '/' => pattern.push_str(r"\\?/"),
        '\\' => pattern.push_str(r"\\{1,2}"),
        '<' | '>' | '&' | '\'' => any_of(pattern, &[literal(next), escaped(next, ignores_case)]),
        '\t' => any_of(pattern, &[literal(next), r"\\t".to_owned()]),
        '\n' => any_of(
            pattern,
            &[literal(next), r"\\r?\\n".to_owned(), r"\\n".to_owned()],
        ),
        _ if next.is_ascii() => pattern.push_str(&literal(next)),
        _ => push_wide(pattern, next, ignores_case),
    }
}

/// A character beyond ASCII: as it is, escaped, and both with its parts one by one.
fn push_wide(pattern: &mut String, next: char, ignores_case: bool) {
    let mut ways = vec![literal(next), escaped(next, ignores_case)];
    if ignores_case {
        ways.extend(next.to_uppercase().map(|upper| escaped(upper, true)));
    }
    let parts: Vec<_> = std::iter::once(next).nfd().collect();
    if parts.len() > 1 {
        let mut way = String::new();
        for part in parts {
            if part.is_ascii() {
                way.push_str(&literal(part));
            } else {
                any_of(&mut way, &[literal(part), escaped(part, ignores_case)]);
            }
        }
        ways.push(way);
    }
    ways.dedup();
    any_of(pattern, &ways);
}

fn any_of(pattern: &mut String, ways: &[String]) {
    pattern.push_str("(?:");
    pattern.push_str(&ways.join("|"));
    pattern.push(')');
}

fn literal(next: char) -> String {
    regex::escape(next.encode_utf8(&mut [0; 4]))
}

/// `\u00e9`, with digits of either case.
fn escaped(next: char, ignores_case: bool) -> String {
    let mut pattern = String::new();
    for unit in next.encode_utf16(&mut [0; 2]) {
        pattern.push_str(r"\\u");
        for digit in format!("{unit:04x}").chars() {
            if digit.is_ascii_digit() || ignores_case {
                pattern.push(digit);
            } else {
                let _infallible = write!(pattern, "[{digit}{}]", digit.to_ascii_uppercase());
            }
        }
    }
    pattern
}
