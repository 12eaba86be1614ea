//! The messages that are sent: what was written stays, and `_meta` is added to it.

use protocol::era::{Era, Revision};
use protocol::request::{Speaker, error_response, notification, response};

fn modern() -> Speaker {
    Speaker {
        era: Era::Modern,
        revision: Revision::V2026_07_28,
        client_name: "roundtrip".to_owned(),
        client_version: "0.1.0".to_owned(),
        capabilities: r#"{"elicitation":{"form":{}}}"#.to_owned(),
        log_level: None,
        meta: None,
    }
}

fn legacy() -> Speaker {
    Speaker {
        era: Era::Legacy,
        revision: Revision::V2025_11_25,
        ..modern()
    }
}

const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"roundtrip","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}"#;

#[test]
fn a_modern_request_carries_its_meta() {
    assert_eq!(
        modern().request(1, "server/discover", None, false, None),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"_meta":{{{META}}}}}}}"#
        )
    );
    let speaker = Speaker {
        log_level: Some("debug".to_owned()),
        ..modern()
    };
    assert_eq!(
        speaker.request(2, "tools/list", Some("{}"), true, None),
        format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{{"_meta":{{{META},"io.modelcontextprotocol/logLevel":"debug","progressToken":2}}}}}}"#
        )
    );
}

#[test]
fn a_servers_own_meta_and_a_trace_are_added_and_a_requests_own_meta_wins() {
    let speaker = Speaker {
        meta: Some(r#"{ "com.example/price": 1.10, "a": 1, "a": 2, "io.modelcontextprotocol/protocolVersion": "2027-01-01" }"#.to_owned()),
        ..modern()
    };
    let trace = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    let sent = speaker.request(
        1,
        "x",
        Some(r#"{"_meta":{"a":"mine"}}"#),
        false,
        Some(trace),
    );
    let meta = sent
        .split_once(r#""_meta":"#)
        .map(|(_, meta)| meta)
        .expect("it has _meta");
    assert!(
        meta.starts_with(r#"{"a":"mine","com.example/price":1.10,"io.modelcontextprotocol/protocolVersion":"2027-01-01","io.modelcontextprotocol/clientInfo":"#),
        "{meta}"
    );
    assert!(
        meta.ends_with(&format!(r#","traceparent":"{trace}"}}}}}}"#)),
        "{meta}"
    );
    // The headers say what the body says.
    let headers = protocol::headers::for_request(&speaker, "x", None, &[]);
    assert_eq!(
        headers[0],
        ("MCP-Protocol-Version".to_owned(), "2027-01-01".to_owned())
    );
    // The legacy era has _meta too, and nothing else of it.
    let legacy = Speaker {
        meta: Some(r#"{"k":[1, 2]}"#.to_owned()),
        ..legacy()
    };
    assert_eq!(
        legacy.request(2, "ping", None, false, None),
        r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"k":[1, 2]}}}"#
    );
}

#[test]
fn arguments_go_out_as_they_were_written() {
    let arguments = r#"{"big":12345678901234567890,"price":1.10,"huge":1e400,"z":1,"a":2,"z":3,"esc":"\u00e9\/\ud83d\ude00\ud800","neg":-0}"#;
    let params = format!(r#"{{"name":"t","arguments":{arguments}}}"#);
    let sent = modern().request(3, "tools/call", Some(&params), false, None);
    assert_eq!(
        sent,
        format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"t","arguments":{arguments},"_meta":{{{META}}}}}}}"#
        )
    );
}

#[test]
fn what_is_in_meta_stays_also_where_it_is_ours() {
    let params = r#"{"_meta":{"traceparent":"00-1","io.modelcontextprotocol/protocolVersion":"1900-01-01","x":1.0,"progressToken":"mine"},"name":"t"}"#;
    assert_eq!(
        modern().request(4, "tools/call", Some(params), true, None),
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"_meta":{"traceparent":"00-1","io.modelcontextprotocol/protocolVersion":"1900-01-01","x":1.0,"progressToken":"mine","io.modelcontextprotocol/clientInfo":{"name":"roundtrip","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}},"name":"t"}}"#
    );
}

#[test]
fn of_several_metas_the_last_is_merged() {
    let params = r#"{"_meta":{"a":1},"_meta":{"b":2}}"#;
    assert_eq!(
        modern().request(5, "x", Some(params), false, None),
        format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"x","params":{{"_meta":{{"a":1}},"_meta":{{"b":2,{META}}}}}}}"#
        )
    );
}

#[test]
fn what_cannot_hold_meta_is_sent_as_it_is() {
    for params in ["[1,2]", r#"{"_meta":null}"#, r#"{"_meta":[]}"#, "7"] {
        assert_eq!(
            modern().request(6, "x", Some(params), true, None),
            format!(r#"{{"jsonrpc":"2.0","id":6,"method":"x","params":{params}}}"#)
        );
    }
}

#[test]
fn line_breaks_between_tokens_become_spaces() {
    let params = "{\r\n  \"name\": \"t\",\n  \"arguments\": {\n    \"text\": \"a\\nb\"\n  }\n}";
    let sent = modern().request(7, "tools/call", Some(params), false, None);
    assert!(!sent.contains(['\n', '\r']));
    assert!(
        sent.contains(r#"{    "name": "t",   "arguments": {     "text": "a\nb"   },"_meta":{"#),
        "{sent}"
    );
}

#[test]
fn a_legacy_request_has_meta_for_progress_alone() {
    assert_eq!(
        legacy().request(1, "ping", None, false, None),
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
    );
    assert_eq!(
        legacy().request(2, "tools/list", Some(r#"{ "cursor" : "x" }"#), false, None),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{ "cursor" : "x" }}"#
    );
    assert_eq!(
        legacy().request(3, "tools/call", Some(r#"{"name":"t"}"#), true, None),
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":3}}}"#
    );
    assert_eq!(
        legacy().initialize_params(),
        r#"{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"roundtrip","version":"0.1.0"}}"#
    );
}

#[test]
fn notifications_and_responses() {
    assert_eq!(
        notification("notifications/initialized", None),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
    );
    assert_eq!(
        notification("notifications/cancelled", Some(r#"{"requestId":7}"#)),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#
    );
    assert_eq!(
        response("7.0", "{\n}"),
        r#"{"jsonrpc":"2.0","id":7.0,"result":{ }}"#
    );
    assert_eq!(
        error_response(r#""a""#, -32601, "No \"x\"\nhere"),
        r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"No \"x\"\nhere"}}"#
    );
}
