//! What an elicitation asks, and the answers to it.

use protocol::elicitation::{Action, Elicitation, read, reply};

use crate::script::raw;

fn show(params: &str) -> String {
    match read(&raw(params)) {
        Elicitation::Form { message, schema } => format!("form {message:?} {}", schema.get()),
        Elicitation::Url {
            message,
            url,
            elicitation_id,
        } => format!("url {message:?} {url} {elicitation_id:?}"),
        Elicitation::Unknown { reason } => format!("unknown: {reason}"),
    }
}

#[test]
fn what_is_asked() {
    for (params, expected) in [
        (
            r#"{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{"b":{},"a":{"minimum":1.10}}}}"#,
            r#"form "Who?" {"type":"object","properties":{"b":{},"a":{"minimum":1.10}}}"#,
        ),
        (
            r#"{"message":"Who?","requestedSchema":{}}"#,
            r#"form "Who?" {}"#,
        ),
        (r#"{"mode":null,"requestedSchema":{}}"#, r#"form "" {}"#),
        (
            r#"{"mode":"url","message":"Sign in","url":"https://a.example/x?y=1"}"#,
            r#"url "Sign in" https://a.example/x?y=1 None"#,
        ),
        (
            r#"{"mode":"url","url":"https://a.example","elicitationId":"7"}"#,
            r#"url "" https://a.example Some("7")"#,
        ),
        (
            r#"{"mode":"url","url":""}"#,
            "unknown: The request is for a page to visit and has no url.",
        ),
        (
            r#"{"message":"x"}"#,
            "unknown: The request is for a form and has no requestedSchema.",
        ),
        (
            r#"{"requestedSchema":true}"#,
            "unknown: requestedSchema is a boolean, not an object.",
        ),
        (
            r#"{"mode":"voice"}"#,
            "unknown: The mode \"voice\" is not known (form and url are).",
        ),
        (
            r#"{"mode":7}"#,
            "unknown: The mode 7 is not known (form and url are).",
        ),
        (
            "[]",
            "unknown: The request's params are an array, not an object.",
        ),
    ] {
        assert_eq!(show(params), expected);
    }
}

#[test]
fn how_it_is_answered() {
    let content = "{\n  \"age\": 1.10,\n  \"id\": 12345678901234567890, \"z\": 1, \"a\": 2\n}";
    assert_eq!(
        reply(Action::Accept, Some(content)).as_deref(),
        Ok(
            r#"{"action":"accept","content":{   "age": 1.10,   "id": 12345678901234567890, "z": 1, "a": 2 }}"#
        )
    );
    assert_eq!(
        reply(Action::Accept, None).as_deref(),
        Ok(r#"{"action":"accept"}"#)
    );
    assert_eq!(
        reply(Action::Decline, Some("{}")).as_deref(),
        Ok(r#"{"action":"decline"}"#)
    );
    assert_eq!(
        reply(Action::Cancel, Some("oops")).as_deref(),
        Ok(r#"{"action":"cancel"}"#)
    );
    for content in ["", "7", "[]", "{oops", r#"{},"injected":1"#] {
        let error = reply(Action::Accept, Some(content)).expect_err("it is no object");
        assert!(
            error.starts_with("The content is not a JSON object, so it was not sent: "),
            "{error}"
        );
    }
}
