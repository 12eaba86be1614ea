//! Comparing the headers that mirror a message with the message (2026-07-28 basic/transports/streamable-http § Server
//! Validation): what a server would compare, done for who looks at a recorded exchange.

use serde_json::value::RawValue;
use wire::header;
use wire::http::Header;

use crate::era::Revision;
use crate::headers::{PROTOCOL_VERSION, header_text, name_source};
use crate::request::META_PROTOCOL_VERSION;

/// What the name of each parameter's header begins with.
const PARAMETER: &str = "mcp-param-";
/// Arguments that are looked through for a value, so that a hostile body takes no long time.
const MOST_ARGUMENTS: usize = 2000;

/// A header that mirrors a part of the message, and that part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The header's name as it was sent, or as it would be where it is missing.
    pub header: String,
    /// Its value as it was sent; none where it is missing.
    pub value: Option<String>,
    /// What the value stands for, where it is encoded.
    pub decoded: Option<String>,
    /// The part of the message that it mirrors: `method`, `params.name`.
    pub part: Option<String>,
    /// What that part holds.
    pub held: Option<String>,
    /// What is wrong, in a sentence.
    pub problem: Option<String>,
}

/// Compares the headers of a POST with the message in its body. A body that is no request or notification has nothing to
/// compare with, and gives nothing.
pub fn compare(headers: &[Header], body: &[u8]) -> Vec<Compared> {
    let Ok(message) = serde_json::from_slice::<&RawValue>(body) else {
        return Vec::new();
    };
    let Some(method) = text_of(message, &["method"]) else {
        return Vec::new();
    };
    let version = text_of(message, &["params", "_meta", META_PROTOCOL_VERSION]);
    let is_modern = headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case(PROTOCOL_VERSION))
        .any(|header| header.value.as_str() >= Revision::V2026_07_28.as_str())
        || version.is_some();
    let mut compared = vec![of(
        headers,
        PROTOCOL_VERSION,
        &format!("params._meta[\"{META_PROTOCOL_VERSION}\"]"),
        version,
        false,
    )];
    if is_modern {
        compared.push(of(
            headers,
            "Mcp-Method",
            "method",
            Some(method.clone()),
            true,
        ));
        if let Some(member) = name_source(&method) {
            let held = text_of(message, &["params", member]);
            compared.push(of(
                headers,
                "Mcp-Name",
                &format!("params.{member}"),
                held,
                true,
            ));
        }
        compared.extend(
            headers
                .iter()
                .filter(|header| header.name.to_ascii_lowercase().starts_with(PARAMETER))
                .map(|header| parameter(header, message)),
        );
    }
    compared.retain(|one| one.value.is_some() || one.held.is_some() || one.problem.is_some());
    compared
}

/// One header beside its part of the message.
fn of(
    headers: &[Header],
    name: &str,
    part: &str,
    held: Option<String>,
    is_required: bool,
) -> Compared {
    let mut found = headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case(name));
    let first = found.next();
    let repeated = found.count();
    let (decoded, mut problem) = match first.map(|header| header::decode_value(&header.value)) {
        Some(Ok(decoded)) => (Some(decoded), None),
        Some(Err(problem)) => (None, Some(problem)),
        None => (None, None),
    };
    if problem.is_none() {
        problem = match (&decoded, &held) {
            (Some(sent), Some(held)) if sent != held => {
                Some(format!("The header says {sent:?} and {part} is {held:?}."))
            }
            (Some(_), None) if is_required => Some(format!("The message has no {part}.")),
            (None, Some(_)) if is_required => Some("The header is missing.".to_owned()),
            _ if repeated > 0 => Some(format!("The header was sent {} times.", repeated + 1)),
            _ => None,
        };
    }
    let value = first.map(|header| header.value.clone());
    Compared {
        header: first.map_or(name, |header| &header.name).to_owned(),
        decoded: decoded.filter(|decoded| value.as_ref() != Some(decoded)),
        value,
        part: Some(part.to_owned()),
        held,
        problem,
    }
}

/// A parameter's header. Which argument it mirrors stands in the tool's schema, which a recording may not hold; so any
/// argument that has the value is taken for it.
fn parameter(sent: &Header, message: &RawValue) -> Compared {
    let mut compared = Compared {
        header: sent.name.clone(),
        value: Some(sent.value.clone()),
        decoded: None,
        part: None,
        held: None,
        problem: None,
    };
    let decoded = match header::decode_value(&sent.value) {
        Ok(decoded) => decoded,
        Err(problem) => {
            compared.problem = Some(problem);
            return compared;
        }
    };
    let arguments = wire::object::get(message, "params")
        .and_then(|params| wire::object::get(params, "arguments"));
    let named = sent.name.get(PARAMETER.len()..).unwrap_or_default();
    let mut fitting: Option<String> = None;
    if let Some(arguments) = arguments {
        let json = arguments.get().as_bytes();
        let mut seen = 0;
        wire::outline::walk(json, |_, key, _, token| {
            seen += 1;
            let value = std::str::from_utf8(token).ok().and_then(|token| {
                let raw = serde_json::from_str::<&RawValue>(token).ok()?;
                header_text(raw)
            });
            if let Some(key) = key
                && value.as_deref() == Some(&decoded)
            {
                let key = wire::outline::string(key).into_owned();
                // The one that is called like the header, else the first.
                let is_namesake = key.eq_ignore_ascii_case(named);
                if fitting.is_none() || is_namesake {
                    fitting = Some(key);
                }
                return !is_namesake && seen < MOST_ARGUMENTS;
            }
            seen < MOST_ARGUMENTS
        });
    }
    match fitting {
        Some(key) => {
            compared.part = Some(format!("params.arguments.{key}"));
            compared.held = Some(decoded.clone());
        }
        None => compared.problem = Some("No argument of the message has this value.".to_owned()),
    }
    compared.decoded = (decoded != sent.value).then_some(decoded);
    compared
}

fn text_of(message: &RawValue, path: &[&str]) -> Option<String> {
    let mut value = message;
    for key in path {
        value = wire::object::get(value, key)?;
    }
    wire::object::string(value).map(std::borrow::Cow::into_owned)
}
