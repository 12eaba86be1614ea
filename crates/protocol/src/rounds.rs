//! What the final reply of a round says: its `resultType`, its caching hints, and what it asks for
//! (2026-07-28 basic § `ResultType`, basic/patterns/mrtr, server/utilities/caching).

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

use crate::findings::Finding;
use crate::operation::InputRequest;
use crate::{elicitation, rules, text};

/// How much of a server's value a finding quotes.
const QUOTED: usize = 80;

/// What kind of result a modern server gave.
pub(crate) enum ResultKind {
    /// The end.
    Complete,
    /// An `InputRequiredResult`.
    InputRequired,
    /// A task's handle (SEP-2663 § Polymorphic Results).
    Task,
    /// Something that was not advertised; the token.
    Unknown(String),
}

/// Reads `resultType`; an absent one is `complete`.
pub(crate) fn judge_result_type(result: &RawValue, findings: &mut Vec<Finding>) -> ResultKind {
    if ValueKind::of(result) != ValueKind::Object {
        findings.push(rules::result_not_object());
        return ResultKind::Complete;
    }
    let Some(token) = object::get(result, "resultType") else {
        findings.push(rules::result_type_missing());
        return ResultKind::Complete;
    };
    match object::string(token).as_deref() {
        Some("complete") => ResultKind::Complete,
        Some("input_required") => ResultKind::InputRequired,
        Some("task") => ResultKind::Task,
        _ => {
            let token = text::excerpt(token.get(), QUOTED);
            findings.push(rules::result_type_unknown(&token));
            ResultKind::Unknown(token)
        }
    }
}

/// Checks the hints that a complete result of a cacheable method must carry.
pub(crate) fn judge_caching(method: &str, result: &RawValue, findings: &mut Vec<Finding>) {
    const CACHEABLE: [&str; 6] = [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    ];
    if !CACHEABLE.contains(&method) {
        return;
    }
    match object::get(result, "ttlMs") {
        None => findings.push(rules::ttl_missing(method)),
        Some(token) => {
            let number: Option<f64> = serde_json::from_str(token.get()).ok();
            if !number.is_some_and(|number| number >= 0.0) {
                findings.push(rules::ttl_invalid(&text::excerpt(token.get(), QUOTED)));
            }
        }
    }
    match object::get(result, "cacheScope") {
        None => findings.push(rules::cache_scope_missing(method)),
        Some(token) => {
            if !matches!(object::string(token).as_deref(), Some("public" | "private")) {
                findings.push(rules::cache_scope_invalid(&text::excerpt(
                    token.get(),
                    QUOTED,
                )));
            }
        }
    }
}

/// The token of a result's `requestState`, unless that says that there is none.
pub fn state_of(result: &RawValue) -> Option<&RawValue> {
    object::get(result, "requestState").filter(|state| ValueKind::of(*state) != ValueKind::Null)
}

/// Whether a result asks for a link to be opened.
pub fn asks_for_link(result: &RawValue) -> bool {
    let requests = object::get(result, "inputRequests").and_then(object::read_members);
    requests.into_iter().flatten().any(|(_, request)| {
        let method = object::get(request, "method").and_then(object::string);
        let params = object::get(request, "params");
        method
            .zip(params)
            .is_some_and(|(method, params)| elicitation::url_of(&method, params).is_some())
    })
}

/// How many texts are looked for in bytes that are no message: one that is cut off has one, a batch a few.
const MOST_TEXTS: usize = 32;

/// What stands after each `"requestState":` in bytes that are no message, or not all of one, as [`texts_in`] gives it.
pub fn states_in(bytes: &[u8]) -> Vec<String> {
    texts_in(bytes, "requestState")
}

/// What stands after each member of this name in bytes that are no JSON, or not all of one: the text as it is written,
/// without its quotes, as far as it goes. Of more than 32 the last are not looked for.
pub fn texts_in(bytes: &[u8], member: &str) -> Vec<String> {
    let key = format!("\"{member}\"");
    let key = key.as_bytes();
    let mut texts = Vec::new();
    let mut rest = bytes;
    while texts.len() < MOST_TEXTS
        && let Some(at) = rest.windows(key.len()).position(|window| window == key)
    {
        rest = &rest[at + key.len()..];
        let text = rest.trim_ascii_start();
        let Some(text) = text.strip_prefix(b":").map(<[u8]>::trim_ascii_start) else {
            continue;
        };
        let Some(text) = text.strip_prefix(b"\"") else {
            continue;
        };
        let mut is_escaped = false;
        let end = text.iter().position(|byte| {
            let ends = matches!(byte, b'"' | b'\n') && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            ends
        });
        let text = &text[..end.unwrap_or(text.len())];
        texts.push(String::from_utf8_lossy(text).into_owned());
    }
    texts
}

/// Whether a request may be answered by asking for input.
pub(crate) fn may_ask(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

/// What an `InputRequiredResult` asks for.
pub(crate) struct Required {
    /// The requests in the server's order; empty where there are none.
    pub(crate) requests: Vec<InputRequest>,
    /// The token of `requestState`, exactly as it came.
    pub(crate) state: Option<String>,
}

/// Reads an `InputRequiredResult`.
///
/// # Errors
/// A sentence that says why there is no way to go on; the findings say the same in the specification's terms.
pub(crate) fn read_required(
    result: &RawValue,
    declared: &str,
    findings: &mut Vec<Finding>,
) -> Result<Required, String> {
    let state = object::get(result, "requestState").and_then(|token| {
        if ValueKind::of(token) != ValueKind::String {
            findings.push(rules::request_state_not_string(&text::excerpt(
                token.get(),
                QUOTED,
            )));
        }
        // A null says that there is none. Anything else goes back as it came: it is the server's own.
        (ValueKind::of(token) != ValueKind::Null).then(|| token.get().to_owned())
    });
    let requests = match object::get(result, "inputRequests") {
        Some(requests) if ValueKind::of(requests) != ValueKind::Null => {
            let Some(members) = object::read_members(requests) else {
                findings.push(rules::input_requests_malformed());
                return Err(
                    "The server asks for input, but its inputRequests is not an object.".to_owned(),
                );
            };
            read_requests(members, declared, findings)
        }
        _ => Vec::new(),
    };
    if requests.is_empty() && state.is_none() {
        findings.push(rules::input_required_empty());
        return Err("The server asks for input, but names neither what it wants (inputRequests) nor a state to come back with (requestState).".to_owned());
    }
    Ok(Required { requests, state })
}

/// The `inputRequests` of a task that asks (SEP-2663 § Task Polling); `None` when there is no such object.
pub(crate) fn read_input_requests(
    result: &RawValue,
    declared: &str,
    findings: &mut Vec<Finding>,
) -> Option<Vec<InputRequest>> {
    let members = object::get(result, "inputRequests").and_then(object::read_members)?;
    Some(read_requests(members, declared, findings))
}

fn read_requests(
    members: Vec<(String, &RawValue)>,
    declared: &str,
    findings: &mut Vec<Finding>,
) -> Vec<InputRequest> {
    let mut requests: Vec<InputRequest> = Vec::new();
    for (key, value) in members {
        let request = read_request(key, value, declared, findings);
        match requests.iter_mut().find(|other| other.key == request.key) {
            Some(other) => {
                findings.push(rules::input_request_key_repeated(&request.key));
                *other = request;
            }
            None => requests.push(request),
        }
    }
    requests
}

fn read_request(
    key: String,
    value: &RawValue,
    declared: &str,
    findings: &mut Vec<Finding>,
) -> InputRequest {
    let shown = text::excerpt(&key, QUOTED);
    if ValueKind::of(value) != ValueKind::Object {
        findings.push(rules::input_request_malformed(
            &shown,
            &format!("it is {}", ValueKind::of(value)),
        ));
        return InputRequest {
            key,
            method: String::new(),
            params: value.to_owned(),
        };
    }
    let Some(method) = object::get(value, "method").and_then(object::string) else {
        findings.push(rules::input_request_malformed(&shown, "it has no method"));
        return InputRequest {
            key,
            method: String::new(),
            params: value.to_owned(),
        };
    };
    match capability_of(&method) {
        None => {
            let method = text::excerpt(&method, QUOTED);
            findings.push(rules::input_request_unknown_method(&shown, &method));
        }
        Some(capability) => {
            if let Some(missing) = undeclared(declared, capability, value) {
                findings.push(rules::input_request_undeclared(&method, missing));
            }
        }
    }
    let params = object::get(value, "params").map_or_else(
        || RawValue::from_string("{}".to_owned()).unwrap_or_default(),
        ToOwned::to_owned,
    );
    InputRequest {
        key,
        method: method.into_owned(),
        params,
    }
}

/// The client capability that allows a server to ask this; `None` for a method that none may ask.
fn capability_of(method: &str) -> Option<&'static str> {
    match method {
        "elicitation/create" => Some("elicitation"),
        "sampling/createMessage" => Some("sampling"),
        "roots/list" => Some("roots"),
        _ => None,
    }
}

/// The capability that this request needs and that was not declared. Elicitation has one a mode, and an empty
/// object declares forms (2026-07-28 client/elicitation § Capabilities).
fn undeclared(
    declared: &str,
    capability: &'static str,
    request: &RawValue,
) -> Option<&'static str> {
    let is_object = |value: &&RawValue| ValueKind::of(*value) == ValueKind::Object;
    let Some(settings) = object::get(declared, capability).filter(is_object) else {
        return Some(capability);
    };
    if capability == "sampling" {
        // 2026-07-28 client/sampling § Tools in Sampling.
        let params = object::get(request, "params");
        let asks = |key| params.is_some_and(|params| object::get(params, key).is_some());
        let may = object::get(settings, "tools")
            .as_ref()
            .is_some_and(is_object);
        return (!may && (asks("tools") || asks("toolChoice"))).then_some("sampling.tools");
    }
    if capability != "elicitation" {
        return None;
    }
    let mode = object::get(request, "params")
        .and_then(|params| object::get(params, "mode"))
        .and_then(object::string);
    let may = |mode| object::get(settings, mode).as_ref().is_some_and(is_object);
    match mode.as_deref() {
        Some("url") => (!may("url")).then_some("elicitation.url"),
        None | Some("form") => (!may("form") && may("url")).then_some("elicitation.form"),
        Some(_) => None,
    }
}
