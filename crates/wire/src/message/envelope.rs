//! From the members of the top-level object to a message.

use std::borrow::Cow;

use serde::Deserializer as _;
use serde_json::value::RawValue;

use super::rpc_error::{RpcError, short};
use super::{BATCH_LIMIT, Id, Message, MessageKind, Problem, Reading, no_message};
use crate::object::{self, EachMember, ValueKind};

/// How many members of other names are checked for duplicates.
const OTHERS_CHECKED: usize = 1000;

/// The members that the envelope knows. The last of duplicates counts, as `JSON.parse` has it.
#[derive(Default)]
struct Members<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    /// The first name that came twice.
    repeated: Option<String>,
    others: Vec<Cow<'a, [u8]>>,
}

impl<'a> Members<'a> {
    fn take(&mut self, key: Cow<'a, [u8]>, value: &'a RawValue) {
        let place = match &*key {
            b"jsonrpc" => &mut self.jsonrpc,
            b"id" => &mut self.id,
            b"method" => &mut self.method,
            b"params" => &mut self.params,
            b"result" => &mut self.result,
            b"error" => &mut self.error,
            _ => {
                if self.others.len() < OTHERS_CHECKED {
                    self.others.push(key);
                }
                return;
            }
        };
        if place.replace(value).is_some() {
            self.repeat(&key);
        }
    }

    fn repeat(&mut self, key: &[u8]) {
        if self.repeated.is_none() {
            self.repeated = Some(short(&String::from_utf8_lossy(key)).into_owned());
        }
    }

    fn check_others(&mut self) {
        if self.others.len() < 2 {
            return;
        }
        let mut others = std::mem::take(&mut self.others);
        others.sort_unstable();
        let mut neighbours = others.iter().zip(others.iter().skip(1));
        if let Some((name, _)) = neighbours.find(|(name, next)| name == next) {
            self.repeat(name);
        }
    }
}

/// Reads text that begins with `{`.
pub(super) fn read_object(text: &str, problems: Vec<Problem>) -> Message<'_> {
    let mut problems = problems;
    let mut members = Members::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = reader.deserialize_map(EachMember(|key, value| members.take(key, value)));
    if let Err(error) = read {
        let reason = not_json(&error);
        return Message {
            text,
            kind: MessageKind::NotProtocol { reason },
            problems,
        };
    }
    if let Err(error) = reader.end() {
        problems.push(Problem::new(format!(
            "more follows the message, which was not read ({error})"
        )));
    }
    members.check_others();
    let kind = interpret(&members, &mut problems);
    if let Some(name) = members.repeated {
        problems.push(Problem::new(format!(
            "the member {name:?} comes more than once; the last one counts"
        )));
    }
    Message {
        text,
        kind,
        problems,
    }
}

/// Reads text that begins with `[`.
pub(super) fn read_batch(text: &str, problems: Vec<Problem>) -> Reading<'_> {
    let mut messages = Vec::new();
    let (mut strangers, mut unread) = (0_u64, 0_u64);
    let read = object::each_element(text, |element| {
        if !element.get().starts_with('{') {
            strangers += 1;
        } else if messages.len() < BATCH_LIMIT {
            messages.push(read_object(element.get(), Vec::new()));
        } else {
            unread += 1;
        }
    });
    if let Err(error) = read {
        return no_message(not_json(&error), problems);
    }
    if messages.is_empty() {
        let reason = if strangers == 0 {
            "an empty JSON array".to_owned()
        } else {
            "a JSON array without an object in it".to_owned()
        };
        return no_message(reason, problems);
    }
    messages[0].problems.splice(0..0, problems);
    for reason in [
        (strangers > 0)
            .then(|| format!("part of a batch (elements that are no objects: {strangers})")),
        (unread > 0).then(|| {
            format!("part of a batch (messages beyond the first {BATCH_LIMIT}, not read: {unread})")
        }),
    ]
    .into_iter()
    .flatten()
    {
        messages.push(Message {
            text: "",
            kind: MessageKind::NotProtocol { reason },
            problems: Vec::new(),
        });
    }
    Reading::Batch(messages)
}

/// Why text that begins neither with `{` nor with `[` is no message.
pub(super) fn why_no_object(text: &str) -> String {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(value) => match ValueKind::of(value) {
            ValueKind::Null => "null, not a JSON object".to_owned(),
            kind => format!("{kind} in JSON, not an object"),
        },
        Err(error) => not_json(&error),
    }
}

fn not_json(error: &serde_json::Error) -> String {
    if error.is_eof() {
        format!("JSON that ends early ({error})")
    } else {
        format!("not JSON ({error})")
    }
}

fn interpret<'a>(members: &Members<'a>, problems: &mut Vec<Problem>) -> MessageKind<'a> {
    let reply = members.result.is_some() || members.error.is_some();
    if !reply && members.method.is_none() {
        return MessageKind::NotProtocol {
            reason: "a JSON object with neither method, result nor error".to_owned(),
        };
    }
    // Web services of all kinds answer with {"error": …}, OAuth's among them.
    let is_nameless = members.jsonrpc.is_none() && members.id.is_none();
    if is_nameless && members.method.is_none() && members.result.is_none() {
        return MessageKind::NotProtocol {
            reason: "a JSON object with an error, and without jsonrpc and id".to_owned(),
        };
    }
    match members.jsonrpc {
        Some(version) if version.get() == "\"2.0\"" => {}
        Some(version) if object::string(version).as_deref() == Some("2.0") => {}
        Some(version) => problems.push(Problem::new(format!(
            "jsonrpc is {}; it must be \"2.0\"",
            short(version.get())
        ))),
        None => problems.push(Problem::new("jsonrpc is missing; it must be \"2.0\"")),
    }
    if reply {
        return interpret_reply(members, problems);
    }
    let Some(method) = members.method.and_then(object::string) else {
        let kind = members.method.map_or(ValueKind::Null, ValueKind::of);
        return MessageKind::NotProtocol {
            reason: format!("a message whose method is {kind} instead of a string"),
        };
    };
    let params = check_params(members.params, problems);
    match check_id(members.id, problems) {
        // Some serializers write the absent id of a notification as null: the name tells.
        Some(Id("null")) if method.starts_with("notifications/") => {
            MessageKind::Notification { method, params }
        }
        Some(id) => MessageKind::Request { id, method, params },
        None => MessageKind::Notification { method, params },
    }
}

fn interpret_reply<'a>(members: &Members<'a>, problems: &mut Vec<Problem>) -> MessageKind<'a> {
    if members.method.is_some() {
        problems.push(Problem::new("a reply has a method; it was read as a reply"));
    }
    let id = check_id(members.id, problems);
    let error = match (members.result, members.error) {
        (Some(_), Some(error)) if error.get() == "null" => {
            problems.push(Problem::new("a result comes with an error that is null"));
            None
        }
        (Some(result), Some(error)) => {
            problems.push(Problem::new(if result.get() == "null" {
                "an error comes with a result that is null"
            } else {
                "both result and error are there; it was read as an error"
            }));
            Some(error)
        }
        (_, error) => error,
    };
    if let Some(error) = error {
        return MessageKind::Error {
            id: id.filter(|id| id.token() != "null"),
            error: RpcError::read(error, problems),
        };
    }
    let (Some(id), Some(result)) = (id, members.result) else {
        return MessageKind::NotProtocol {
            reason: "a result without an id, which answers no request".to_owned(),
        };
    };
    let kind = ValueKind::of(result);
    if kind != ValueKind::Object {
        problems.push(Problem::new(format!(
            "result is {kind}; it must be an object"
        )));
    }
    MessageKind::Result { id, result }
}

fn check_id<'a>(id: Option<&'a RawValue>, problems: &mut Vec<Problem>) -> Option<Id<'a>> {
    let token = id?.get();
    match ValueKind::of(token) {
        ValueKind::String => {}
        ValueKind::Number if !token.contains(['.', 'e', 'E']) => {}
        ValueKind::Number => problems.push(Problem::new(format!(
            "id is {}; it must be a string or an integer",
            short(token)
        ))),
        kind => problems.push(Problem::new(format!(
            "id is {kind}; it must be a string or an integer"
        ))),
    }
    Some(Id(token))
}

fn check_params<'a>(
    params: Option<&'a RawValue>,
    problems: &mut Vec<Problem>,
) -> Option<&'a RawValue> {
    let params = params?;
    let kind = ValueKind::of(params);
    if kind != ValueKind::Object {
        problems.push(Problem::new(format!(
            "params is {kind}; it must be an object"
        )));
    }
    (kind != ValueKind::Null).then_some(params)
}
