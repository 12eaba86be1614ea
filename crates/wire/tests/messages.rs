//! Envelopes as servers write them, good and bad, read into what they are.

use proptest::prelude::*;
use serde_json::value::RawValue;
use wire::message::{BATCH_LIMIT, Id, IdMatch, Message, MessageKind, Reading, read};

/// A reading in words: what each message is, then its problems.
fn told(bytes: impl AsRef<[u8]>) -> String {
    let reading = read(bytes.as_ref());
    let mut lines = Vec::new();
    if let Reading::Batch(messages) = &reading {
        lines.push(format!("a batch of {}", messages.len()));
    }
    lines.extend(reading.messages().iter().map(tell));
    lines.push(String::new());
    lines.join("\n")
}

fn tell(message: &Message<'_>) -> String {
    let raw = |value: Option<&RawValue>| value.map_or("none".to_owned(), ToString::to_string);
    let mut text = match &message.kind {
        MessageKind::Request { id, method, params } => {
            format!("request {id} {method} params {}", raw(*params))
        }
        MessageKind::Notification { method, params } => {
            format!("notification {method} params {}", raw(*params))
        }
        MessageKind::Result { id, result } => format!("result {id} {result}"),
        MessageKind::Error { id, error } => format!(
            "error {} code {} {:?} data {}",
            id.map_or("none", Id::token),
            error.code,
            error.message,
            raw(error.data.as_deref()),
        ),
        MessageKind::NotProtocol { reason } => format!("this is {reason}"),
    };
    for problem in &message.problems {
        text.push_str("\n  ! ");
        text.push_str(&problem.what);
    }
    text
}

#[test]
fn the_four_kinds_of_message() {
    insta::assert_snapshot!(told(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n":1.00, "n":2}}"#
    ), @r#"request 1 tools/call params {"n":1.00, "n":2}"#);
    insta::assert_snapshot!(told(
        r#"{"method":"notifications\/initialized","jsonrpc":"\u0032.0"}"#
    ), @"notification notifications/initialized params none");
    insta::assert_snapshot!(told(
        " {\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\r\n\"result\":{ \"resultType\": \"complete\" }}\n"
    ), @r#"result "a-1" { "resultType": "complete" }"#);
    insta::assert_snapshot!(told(
        r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"No \"x\"","data":{"a":[]}}}"#
    ), @r#"error 3 code -32601 "No \"x\"" data {"a":[]}"#);
    insta::assert_snapshot!(told(
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#
    ), @r#"error none code -32700 "Parse error" data none"#);
}

#[test]
fn a_message_is_read_in_spite_of_breaches() {
    insta::assert_snapshot!(told(r#"{"id":1,"result":{}}"#), @r#"
    result 1 {}
      ! jsonrpc is missing; it must be "2.0"
    "#);
    insta::assert_snapshot!(told(r#"{"jsonrpc":2.0,"id":1.5,"result":"ok"}"#), @r#"
    result 1.5 "ok"
      ! jsonrpc is 2.0; it must be "2.0"
      ! id is 1.5; it must be a string or an integer
      ! result is a string; it must be an object
    "#);
    insta::assert_snapshot!(told(
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null,"method":"x"}"#
    ), @r#"
    result 1 {}
      ! a reply has a method; it was read as a reply
      ! a result comes with an error that is null
    "#);
    insta::assert_snapshot!(told(
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#
    ), @r#"
    error 1 code 1 "m" data none
      ! both result and error are there; it was read as an error
    "#);
    insta::assert_snapshot!(told(
        r#"{"jsonrpc":"2.0","id":null,"result":null,"error":{"code":1,"message":"m","data":null}}"#
    ), @r#"
    error none code 1 "m" data null
      ! id is null; it must be a string or an integer
      ! an error comes with a result that is null
    "#);
    insta::assert_snapshot!(told(
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","params":[1],"x":1,"x":2}"#
    ), @r#"
    request 2 ping params [1]
      ! params is an array; it must be an object
      ! the member "id" comes more than once; the last one counts
    "#);
    insta::assert_snapshot!(told(r#"{"jsonrpc":"2.0","method":"a","x":1,"y":2,"x":3}"#), @r#"
    notification a params none
      ! the member "x" comes more than once; the last one counts
    "#);
    insta::assert_snapshot!(told(
        r#"{"jsonrpc":"2.0","method":"a"} {"jsonrpc":"2.0","method":"b"}"#
    ), @r#"
    notification a params none
      ! more follows the message, which was not read (trailing characters at line 1 column 32)
    "#);
    insta::assert_snapshot!(told("\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"a\"}"), @r#"
    notification a params none
      ! a byte order mark comes before the message
    "#);
}

#[test]
fn an_id_of_null_asks_for_a_reply_unless_the_name_says_otherwise() {
    insta::assert_snapshot!(told(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#), @r#"
    request null ping params none
      ! id is null; it must be a string or an integer
    "#);
    insta::assert_snapshot!(told(
        r#"{"jsonrpc":"2.0","id":null,"method":"notifications/progress","params":null}"#
    ), @r#"
    notification notifications/progress params none
      ! params is null; it must be an object
      ! id is null; it must be a string or an integer
    "#);
}

#[test]
fn errors_are_read_as_far_as_they_go() {
    insta::assert_snapshot!(told(r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#), @r#"
    error 1 code 0 "boom" data none
      ! error is a string; it must be an object with code and message
    "#);
    insta::assert_snapshot!(told(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"-32000","message":{"text":"x"}}}"#
    ), @r#"
    error 1 code -32000 "{\"text\":\"x\"}" data none
      ! error.code is "-32000"; it must be an integer
      ! error.message is an object; it must be a string
    "#);
    insta::assert_snapshot!(told(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-3.2e4}}"#), @r#"
    error 1 code -32000 "" data none
      ! error.code is -3.2e4; it must be an integer
      ! error has no message
    "#);
    insta::assert_snapshot!(told(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1e99}}"#), @r#"
    error 1 code 0 "" data none
      ! error.code is 1e99; it must be an integer
      ! error has no message
    "#);
    insta::assert_snapshot!(told(r#"{"jsonrpc":"2.0","id":1,"error":null}"#), @r#"
    error 1 code 0 "null" data none
      ! error is null; it must be an object with code and message
    "#);
    insta::assert_snapshot!(told(r#"{"jsonrpc":"2.0","id":1,"error":{}}"#), @r#"
    error 1 code 0 "" data none
      ! error has no code
      ! error has no message
    "#);
}

#[test]
fn noise_says_why_it_is_no_message() {
    let noise: &[&[u8]] = &[
        b"",
        b"  \r",
        b"Server started on port 3000",
        b"[info] ready",
        b"[1, 2]",
        b"[]",
        b"{\"level\":\"info\",\"msg\":\"ready\"}",
        b"{",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"resu",
        b"{'jsonrpc':'2.0'}",
        b"42",
        b"\"text\"",
        b"null",
        b"<!DOCTYPE html>",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"a\xff\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}",
        b"{\"jsonrpc\":\"2.0\",\"result\":{}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":NaN}",
    ];
    let all: String = noise.iter().map(told).collect();
    insta::assert_snapshot!(all, @r"
    this is empty
    this is empty
    this is not JSON (expected value at line 1 column 1)
    this is not JSON (expected value at line 1 column 2)
    this is a JSON array without an object in it
    this is an empty JSON array
    this is a JSON object with neither method, result nor error
    this is JSON that ends early (EOF while parsing an object at line 1 column 1)
    this is JSON that ends early (EOF while parsing a string at line 1 column 29)
    this is not JSON (key must be a string at line 1 column 2)
    this is a number in JSON, not an object
    this is a string in JSON, not an object
    this is null, not a JSON object
    this is not JSON (expected value at line 1 column 1)
    this is not UTF-8: byte 28 is 0xff, which cannot stand there
    this is a message whose method is null instead of a string
    this is a result without an id, which answers no request
    this is not JSON (expected value at line 1 column 34)
    ");
}

#[test]
fn a_batch_is_read_message_by_message() {
    insta::assert_snapshot!(told(
        r#"[{"jsonrpc":"2.0","id":1,"result":{}}, 7, {"method":"a"}, "x"]"#
    ), @r#"
    a batch of 3
    result 1 {}
    notification a params none
      ! jsonrpc is missing; it must be "2.0"
    this is part of a batch (elements that are no objects: 2)
    "#);
    insta::assert_snapshot!(
        told(r#"[{"jsonrpc":"2.0","method":"a"}"#),
        @"this is JSON that ends early (EOF while parsing a list at line 1 column 31)"
    );
}

#[test]
fn a_batch_without_end_is_counted_not_held() {
    let json = format!("[{}{{}}]", "{},".repeat(BATCH_LIMIT + 4));
    let reading = read(json.as_bytes());
    assert_eq!(reading.messages().len(), BATCH_LIMIT + 1);
    let last = tell(&reading.messages()[BATCH_LIMIT]);
    insta::assert_snapshot!(last, @"this is part of a batch (messages beyond the first 100000, not read: 5)");
}

#[test]
fn any_depth_and_any_length_is_read() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let json = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"a\":{deep}}}}}");
    assert!(told(&json).starts_with("result 1 {\"a\":[[["));
    assert!(told(&deep).starts_with("this is a JSON array without an object in it"));
    assert!(told("[".repeat(100_000)).starts_with("this is JSON that ends early"));
    let error = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{deep}}}");
    assert!(told(error).len() < 500);
}

#[test]
fn values_are_borrowed_from_the_bytes() {
    let bytes = br#"{"jsonrpc":"2.0","id":1,"result":{"text":"hello"}}"#;
    let Reading::One(Message {
        kind: MessageKind::Result { result, .. },
        ..
    }) = read(bytes)
    else {
        panic!("not a result");
    };
    assert!(bytes.as_ptr_range().contains(&result.get().as_ptr()));
}

#[test]
fn ids_match_exactly_loosely_or_not() {
    for (token, sent, expected) in [
        ("7", 7, IdMatch::Exact),
        ("7", 8, IdMatch::No),
        ("0", 0, IdMatch::Exact),
        ("18446744073709551615", u64::MAX, IdMatch::Exact),
        ("\"7\"", 7, IdMatch::Loose),
        ("\"\\u0037\"", 7, IdMatch::Loose),
        ("7.0", 7, IdMatch::Loose),
        ("\"7.0\"", 7, IdMatch::Loose),
        ("70e-1", 7, IdMatch::Loose),
        ("7e0", 7, IdMatch::Loose),
        ("1e3", 1000, IdMatch::Loose),
        ("7.5", 7, IdMatch::No),
        ("-7", 7, IdMatch::No),
        ("null", 0, IdMatch::No),
        ("\"\"", 0, IdMatch::No),
        ("\"inf\"", 0, IdMatch::No),
        ("\"seven\"", 7, IdMatch::No),
        ("[7]", 7, IdMatch::No),
        ("1e999", u64::MAX, IdMatch::No),
        ("18446744073709551616", u64::MAX, IdMatch::No),
        ("9007199254740993.0", 9_007_199_254_740_992, IdMatch::Loose),
        ("18446744073709551615.0", u64::MAX, IdMatch::No),
    ] {
        assert_eq!(Id(token).matches(sent), expected, "{token} for {sent}");
    }
    assert_eq!(Id("42").as_u64_exact(), Some(42));
    for token in ["\"42\"", "42.0", "-42", "null", "", "18446744073709551616"] {
        assert_eq!(Id(token).as_u64_exact(), None, "{token}");
    }
}

/// Bytes that look like an envelope more often than chance would have it.
fn envelope() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\"jsonrpc\":\"2.0\"", "\"id\":", "\"method\":",
            "\"params\":", "\"result\":", "\"error\":", "\"code\":", "\"message\":", "null", "1",
            "-1e9", "\"x\"", "{}", "[]", " ", "\\ud800", "\u{feff}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "null",
        "1",
        "1.5",
        "-0",
        "\"2.0\"",
        "\"a\"",
        "{}",
        "[]",
        "true",
        "{\"code\":1}",
        "[{}]",
        "\"\\ud800\"",
        "99999999999999999999",
        "{\"message\":\"m\",\"code\":-1}",
    ])
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in envelope()) {
        let text = told(&bytes);
        prop_assert!(!text.is_empty());
    }

    #[test]
    fn every_combination_of_members_is_something(
        members in prop::collection::vec(
            (
                prop::sample::select(vec!["jsonrpc", "id", "method", "params", "result", "error", "x"]),
                value(),
            ),
            0..8,
        ),
    ) {
        let members: Vec<String> =
            members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        let json = format!("{{{}}}", members.join(","));
        let reading = read(json.as_bytes());
        let messages = reading.into_messages();
        prop_assert_eq!(messages.len(), 1);
        let is_reply = json.contains("\"result\"") || json.contains("\"error\"");
        match &messages[0].kind {
            MessageKind::Result { .. } | MessageKind::Error { .. } => prop_assert!(is_reply),
            MessageKind::Request { .. } | MessageKind::Notification { .. } => {
                prop_assert!(!is_reply && json.contains("\"method\""));
            }
            MessageKind::NotProtocol { reason } => prop_assert!(!reason.is_empty()),
        }
    }
}
