//! The headers that mirror a message (2026-07-28 basic/transports/streamable-http § Request Metadata).

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::era::{Era, Revision};
pub use crate::mirror::{Mirrored, mirrored_parameters};
use crate::request::{META_PROTOCOL_VERSION, Speaker};

/// The name of the header that carries the revision.
pub const PROTOCOL_VERSION: &str = "MCP-Protocol-Version";

/// The headers of a POST that carries a request or notification; `params` as they were given to
/// [`Speaker::request`], so before `_meta` was added.
///
/// Modern: `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name` where the method has one, and `Mcp-Param-*` for each
/// of `mirrored` whose argument is present. Legacy: `MCP-Protocol-Version` on all but `initialize`, from
/// 2025-06-18 on.
///
/// What cannot be read from `params` is left out; the server's refusal is then what the person sees.
pub fn for_request(
    speaker: &Speaker,
    method: &str,
    params: Option<&str>,
    mirrored: &[Mirrored],
) -> Vec<(String, String)> {
    if speaker.era == Era::Legacy {
        return if method == "initialize" {
            Vec::new()
        } else {
            for_stream(speaker)
        };
    }
    let params = params.and_then(|params| serde_json::from_str::<&RawValue>(params).ok());
    // A revision that the person wrote into `_meta` wins there, and header and body must agree.
    let revision = params
        .and_then(|params| get(params, &["_meta", META_PROTOCOL_VERSION]))
        .or_else(|| wire::object::get(speaker.meta.as_deref()?, META_PROTOCOL_VERSION))
        .and_then(string)
        .unwrap_or_else(|| speaker.revision.as_str().to_owned());
    let mut headers = vec![
        (PROTOCOL_VERSION.to_owned(), revision),
        ("Mcp-Method".to_owned(), wire::header::encode_value(method)),
    ];
    let name = name_source(method)
        .and_then(|source| get(params?, &[source]))
        .and_then(string);
    if let Some(name) = name {
        headers.push(("Mcp-Name".to_owned(), wire::header::encode_value(&name)));
    }
    if method == "tools/call" {
        for parameter in mirrored {
            let mut path = vec!["arguments"];
            path.extend(parameter.path.iter().map(String::as_str));
            if let Some(value) = params
                .and_then(|params| get(params, &path))
                .and_then(header_text)
            {
                headers.push((parameter.header.clone(), wire::header::encode_value(&value)));
            }
        }
    }
    headers
}

/// The headers of an exchange without a message, a legacy GET or DELETE after `initialize`.
pub fn for_stream(speaker: &Speaker) -> Vec<(String, String)> {
    // The header came with 2025-06-18; dated revisions compare as text.
    if speaker.revision.as_str() < Revision::V2025_06_18.as_str() {
        return Vec::new();
    }
    vec![(
        PROTOCOL_VERSION.to_owned(),
        speaker.revision.as_str().to_owned(),
    )]
}

/// The member of `params` that `Mcp-Name` mirrors. The tasks extension adds `taskId` (SEP-2663).
pub(crate) fn name_source(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

fn get<'a>(mut value: &'a RawValue, path: &[&str]) -> Option<&'a RawValue> {
    for key in path {
        value = wire::object::get(value, key)?;
    }
    Some(value)
}

fn string(value: &RawValue) -> Option<String> {
    wire::object::string(value).map(Cow::into_owned)
}

/// A parameter's value as the header's text; `None` for null, and for what has no such form (objects, arrays).
pub(crate) fn header_text(value: &RawValue) -> Option<String> {
    let token = value.get().trim();
    match token.as_bytes().first()? {
        b'"' => string(value),
        b't' | b'f' => Some(token.to_owned()),
        b'n' | b'{' | b'[' => None,
        _ => Some(decimal(token)),
    }
}

/// An integer in decimal form: `42.0` and `4.2e1` become `42`. Anything else stays as it was written, for the
/// server to refuse; digits are never rounded away.
fn decimal(token: &str) -> String {
    const LARGEST_SAFE: f64 = 9_007_199_254_740_991.0;
    if !token.contains(['.', 'e', 'E']) {
        return token.to_owned();
    }
    match token.parse::<f64>() {
        Ok(number) if number.fract() == 0.0 && number.abs() <= LARGEST_SAFE => {
            format!("{}", if number == 0.0 { 0.0 } else { number })
        }
        _ => token.to_owned(),
    }
}
