//! The text of a JSON object, changed in place: every byte that is not meant stays as it was.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::value::RawValue;
use wire::object::{quote, string};

/// Where a member stands in its object's text.
pub(crate) struct Member {
    /// The key, decoded.
    pub(crate) key: String,
    /// From the key's first quote to the value's last byte.
    pub(crate) span: Range<usize>,
    /// The value.
    pub(crate) value: Range<usize>,
}

/// The members of an object's text in order, duplicates included; `None` when the text is not one JSON object.
pub(crate) fn members(text: &str) -> Option<Vec<Member>> {
    serde_json::from_str::<&RawValue>(text).ok()?;
    let bytes = text.as_bytes();
    let mut at = skip_space(bytes, 0);
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    let mut found = Vec::new();
    loop {
        at = skip_space(bytes, at + 1);
        if bytes.get(at) != Some(&b'"') {
            return Some(found); // `}`: the text is valid JSON
        }
        let start = at;
        at = skip_string(bytes, at);
        let token = text.get(start..at)?;
        let key = string(token)?.into_owned();
        at = skip_space(bytes, skip_space(bytes, at) + 1);
        let end = skip_value(bytes, at);
        found.push(Member {
            key,
            span: start..end,
            value: at..end,
        });
        at = skip_space(bytes, end);
        if bytes.get(at) != Some(&b',') {
            return Some(found);
        }
    }
}

/// The value that a reader which lets the last of equal keys win would see.
pub(crate) fn value<'a>(text: &'a str, members: &[Member], key: &str) -> Option<&'a str> {
    let member = members.iter().rev().find(|member| member.key == key)?;
    text.get(member.value.clone())
}

/// The object's text with `key` set to `value` (JSON text): in place where the key is there, else at the end.
/// A text that is not an object is returned as it is.
pub(crate) fn set(text: &str, key: &str, value: &str) -> String {
    let Some(members) = members(text) else {
        return text.to_owned();
    };
    if let Some(member) = members.iter().rev().find(|member| member.key == key) {
        return splice(text, member.value.clone(), value);
    }
    let addition = format!("{}:{value}", quote(key));
    match members.last() {
        Some(last) => splice(text, last.span.end..last.span.end, &format!(",{addition}")),
        None => format!("{{{addition}}}"),
    }
}

/// The object's text without the members of these names. White space between members is only lost when
/// something had to go.
pub(crate) fn without(text: &str, keys: &[&str]) -> String {
    let Some(members) = members(text) else {
        return text.to_owned();
    };
    if !members
        .iter()
        .any(|member| keys.contains(&member.key.as_str()))
    {
        return text.to_owned();
    }
    let kept: Vec<&str> = members
        .iter()
        .filter(|member| !keys.contains(&member.key.as_str()))
        .filter_map(|member| text.get(member.span.clone()))
        .collect();
    format!("{{{}}}", kept.join(","))
}

/// JSON text on one line. Line breaks cannot occur inside a token, so each is white space between tokens.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) {
        Cow::Owned(text.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(text)
    }
}

/// At most `limit` characters of a text on one line, for a sentence that quotes it.
pub(crate) fn excerpt(text: &str, limit: usize) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut cut: String = text.trim().chars().take(limit).map(clean).collect();
    if text.trim().chars().nth(limit).is_some() {
        cut.push('…');
    }
    cut
}

fn splice(text: &str, range: Range<usize>, with: &str) -> String {
    let mut changed = text.to_owned();
    changed.replace_range(range, with);
    changed
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// From an opening quote to just after the closing one.
fn skip_string(bytes: &[u8], mut at: usize) -> usize {
    at += 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// From a value's first byte to just after its last. Iterative: depth is the sender's choice.
fn skip_value(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = skip_string(bytes, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    at
}
