//! What an answer shows about the server that gave it.

use serde_json::value::RawValue;
use wire::message::RpcError;
use wire::object;

use super::{Era, Revision, is_date};
use crate::text;

/// `HeaderMismatch`.
pub(super) const HEADER_MISMATCH: i64 = -32020;
/// `MissingRequiredClientCapability`.
const MISSING_CAPABILITY: i64 = -32021;
/// `UnsupportedProtocolVersion`.
const UNSUPPORTED_VERSION: i64 = -32022;

/// A JSON-RPC error that only a modern server sends (2026-07-28 basic § Error Codes).
pub(super) enum ModernError {
    /// Another revision is wanted; these are supported.
    Version(Vec<String>),
    /// The request was refused for another reason.
    Refusal,
}

/// The modern error that this is, when its code and shape are those of one. The code alone is not enough
/// where the schema wants data: older servers used codes of this range as they liked.
pub(super) fn modern_error(error: &RpcError) -> Option<ModernError> {
    match error.code {
        HEADER_MISMATCH => Some(ModernError::Refusal),
        MISSING_CAPABILITY => {
            let required = object::get(error.data.as_deref()?, "requiredCapabilities")?;
            object::read_members(required).map(|_| ModernError::Refusal)
        }
        UNSUPPORTED_VERSION => {
            let supported = object::get(error.data.as_deref()?, "supported")?;
            strings(supported).map(ModernError::Version)
        }
        _ => None,
    }
}

/// The revisions that any error names: in `data.supported`, else in its message.
pub(super) fn named_revisions(error: &RpcError) -> Vec<String> {
    let supported = error
        .data
        .as_deref()
        .and_then(|data| object::get(data, "supported"));
    if let Some(named) = supported.and_then(strings) {
        return named;
    }
    let mut named: Vec<String> = Vec::new();
    let words = error
        .message
        .split(|c: char| !(c.is_ascii_digit() || c == '-'));
    for word in words.filter(|word| is_date(word)) {
        if !named.iter().any(|known| known == word) {
            named.push(word.to_owned());
        }
    }
    named
}

/// The strings of an array; `None` when it is not an array or has none. Elements of other types are skipped.
pub(super) fn strings(value: &RawValue) -> Option<Vec<String>> {
    let elements: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
    let strings: Vec<String> = elements
        .iter()
        .filter_map(|element| serde_json::from_str(element.get()).ok())
        .collect();
    (!strings.is_empty()).then_some(strings)
}

/// The newest of `spoken` that is among `supported`, and of this era.
pub(super) fn common<'a>(
    supported: &[String],
    spoken: &'a [Revision],
    era: Era,
) -> Option<&'a Revision> {
    spoken
        .iter()
        .filter(|revision| revision.era() == era)
        .find(|revision| supported.iter().any(|name| name == revision.as_str()))
}

/// What a body that is not JSON-RPC looks like, for a sentence: `a web page (“Welcome to nginx!”)`.
pub(super) fn describe(body: &[u8]) -> String {
    let start = String::from_utf8_lossy(body.get(..body.len().min(4096)).unwrap_or_default());
    let start = start.trim_start_matches('\u{feff}').trim();
    if start.is_empty() {
        return "an empty body".to_owned();
    }
    if is_web_page(body) {
        return match title(start) {
            Some(title) => format!("a web page (“{}”)", text::excerpt(title, 80)),
            None => "a web page".to_owned(),
        };
    }
    let quoted = text::excerpt(start, 120);
    if serde_json::from_slice::<&RawValue>(body).is_ok() {
        return format!("JSON that is not JSON-RPC: {quoted}");
    }
    format!("something that is not JSON: {quoted}")
}

/// Whether a body is HTML.
pub(super) fn is_web_page(body: &[u8]) -> bool {
    let start = String::from_utf8_lossy(body.get(..body.len().min(512)).unwrap_or_default());
    let start = start
        .trim_start_matches('\u{feff}')
        .trim_start()
        .to_ascii_lowercase();
    ["<!doctype html", "<html", "<head", "<body", "<!--"]
        .iter()
        .any(|tag| start.starts_with(tag))
        || (start.starts_with("<?xml") && start.contains("<html"))
}

fn title(page: &str) -> Option<&str> {
    // ASCII lower case keeps byte offsets.
    let lower = page.to_ascii_lowercase();
    let open = lower.find("<title")?;
    let start = open + lower.get(open..)?.find('>')? + 1;
    let end = start + lower.get(start..)?.find("</title")?;
    page.get(start..end)
        .map(str::trim)
        .filter(|title| !title.is_empty())
}
