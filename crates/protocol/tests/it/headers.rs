//! The headers that mirror a message.

use proptest::prelude::*;
use protocol::era::{Era, Revision};
use protocol::headers::{Mirrored, for_request, for_stream};
use protocol::request::Speaker;
use wire::header::decode_value;

fn speaker(revision: Revision) -> Speaker {
    Speaker {
        era: Era::of(&revision),
        revision,
        client_name: "roundtrip".to_owned(),
        client_version: "0.1.0".to_owned(),
        capabilities: "{}".to_owned(),
        log_level: None,
        meta: None,
    }
}

fn mirrored(path: &[&str], name: &str) -> Mirrored {
    Mirrored {
        path: path.iter().map(|&key| key.to_owned()).collect(),
        header: format!("Mcp-Param-{name}"),
    }
}

fn lines(headers: &[(String, String)]) -> Vec<String> {
    headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect()
}

fn modern(method: &str, params: Option<&str>) -> Vec<String> {
    lines(&for_request(
        &speaker(Revision::V2026_07_28),
        method,
        params,
        &[],
    ))
}

#[test]
fn each_modern_request_names_revision_method_and_what_it_is_about() {
    for (method, params, name) in [
        ("tools/list", None, None),
        (
            "tools/call",
            Some(r#"{"name":"get_weather"}"#),
            Some("get_weather"),
        ),
        (
            "prompts/get",
            Some(r#"{"name":"Grüße"}"#),
            Some("=?base64?R3LDvMOfZQ==?="),
        ),
        (
            "resources/read",
            Some(r#"{"uri":"file:///a\u002fb"}"#),
            Some("file:///a/b"),
        ),
        ("tasks/get", Some(r#"{"taskId":"t-1"}"#), Some("t-1")),
        ("tasks/update", Some(r#"{"taskId":"t-1"}"#), Some("t-1")),
        (
            "tasks/cancel",
            Some(r#"{"taskId":" x"}"#),
            Some("=?base64?IHg=?="),
        ),
        // One that looks encoded is encoded, so that it is not taken for what it looks like.
        (
            "tools/call",
            Some(r#"{"name":"=?base64?literal?="}"#),
            Some("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ),
        (
            "resources/read",
            Some(r#"{"uri":"file:///projects/myapp/config.json"}"#),
            Some("file:///projects/myapp/config.json"),
        ),
        ("tools/call", Some(r#"{"name":7}"#), None),
        ("tools/call", Some("oops"), None),
        (
            "tools/call",
            Some(r#"{"name":"a\r\nX-Evil: 1"}"#),
            Some("=?base64?YQ0KWC1FdmlsOiAx?="),
        ),
        ("resources/list", Some(r#"{"uri":"x","name":"y"}"#), None),
    ] {
        let mut expected = vec![
            "MCP-Protocol-Version: 2026-07-28".to_owned(),
            format!("Mcp-Method: {method}"),
        ];
        expected.extend(name.map(|name| format!("Mcp-Name: {name}")));
        assert_eq!(modern(method, params), expected, "{method} {params:?}");
    }
}

#[test]
fn a_revision_that_the_person_wrote_is_in_the_header_too() {
    let params = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}"#;
    assert_eq!(
        modern("tools/list", Some(params))[0],
        "MCP-Protocol-Version: 1900-01-01"
    );
}

#[test]
fn legacy_requests_name_the_revision_after_initialize() {
    let november = speaker(Revision::V2025_11_25);
    assert!(for_request(&november, "initialize", None, &[]).is_empty());
    for method in ["notifications/initialized", "tools/call"] {
        let headers = for_request(
            &november,
            method,
            Some(r#"{"name":"t"}"#),
            &[mirrored(&["a"], "A")],
        );
        assert_eq!(lines(&headers), ["MCP-Protocol-Version: 2025-11-25"]);
    }
    assert_eq!(
        lines(&for_stream(&november)),
        ["MCP-Protocol-Version: 2025-11-25"]
    );
    assert_eq!(
        lines(&for_stream(&speaker(Revision::V2025_06_18))),
        ["MCP-Protocol-Version: 2025-06-18"]
    );
    for old in [Revision::V2025_03_26, Revision::V2024_11_05] {
        assert!(for_request(&speaker(old), "tools/list", None, &[]).is_empty());
    }
}

#[test]
fn parameters_are_mirrored_by_their_values() {
    for (value, expected) in [
        (r#""us-west1""#, Some("us-west1")),
        (r#""Hello, 世界""#, Some("=?base64?SGVsbG8sIOS4lueVjA==?=")),
        (r#"" padded ""#, Some("=?base64?IHBhZGRlZCA=?=")),
        (r#""line1\nline2""#, Some("=?base64?bGluZTEKbGluZTI=?=")),
        (
            r#""=?base64?literal?=""#,
            Some("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ),
        (r#""""#, Some("")),
        ("42", Some("42")),
        ("-7", Some("-7")),
        ("42.0", Some("42")),
        ("4.2e1", Some("42")),
        ("-0.0", Some("0")),
        ("9007199254740993", Some("9007199254740993")),
        ("1e300", Some("1e300")),
        ("1.5", Some("1.5")),
        ("true", Some("true")),
        ("false", Some("false")),
        ("null", None),
        ("[1]", None),
        ("{}", None),
    ] {
        let params = format!(r#"{{"name":"t","arguments":{{"region":{value}}}}}"#);
        let headers = for_request(
            &speaker(Revision::V2026_07_28),
            "tools/call",
            Some(&params),
            &[
                mirrored(&["region"], "Region"),
                mirrored(&["absent"], "Absent"),
            ],
        );
        let found = headers.iter().find(|(name, _)| name == "Mcp-Param-Region");
        assert_eq!(found.map(|(_, value)| value.as_str()), expected, "{value}");
        assert!(headers.iter().all(|(name, _)| name != "Mcp-Param-Absent"));
    }
}

#[test]
fn nested_parameters_are_read_at_their_exact_path() {
    let params = r#"{"name":"t","arguments":{"a":{"b":"x","b":"y"},"b":"z","deep":7}}"#;
    let headers = for_request(
        &speaker(Revision::V2026_07_28),
        "tools/call",
        Some(params),
        &[
            mirrored(&["a", "b"], "B"),
            mirrored(&["deep", "b"], "No"),
            mirrored(&["b", "c"], "None"),
        ],
    );
    assert_eq!(lines(&headers)[3..], ["Mcp-Param-B: y"]);
}

#[test]
fn only_calls_mirror_parameters() {
    let params = r#"{"name":"p","arguments":{"a":"x"}}"#;
    let headers = for_request(
        &speaker(Revision::V2026_07_28),
        "prompts/get",
        Some(params),
        &[mirrored(&["a"], "A")],
    );
    assert_eq!(headers.len(), 3);
}

proptest! {
    /// Whatever a tool is called and a person types: one field line that says exactly that.
    #[test]
    fn every_name_and_value_arrives(name in any::<String>(), value in any::<String>()) {
        let json = serde_json::json!({ "name": name, "arguments": { "a": { "b": value } } });
        let headers = for_request(
            &speaker(Revision::V2026_07_28),
            "tools/call",
            Some(&json.to_string()),
            &[mirrored(&["a", "b"], "B")],
        );
        for (header, text) in [("Mcp-Name", &name), ("Mcp-Param-B", &value)] {
            let found: Vec<_> = headers.iter().filter(|(known, _)| known == header).collect();
            prop_assert_eq!(found.len(), 1, "{}", header);
            prop_assert!(found[0].1.bytes().all(|byte| matches!(byte, b' '..=b'~')));
            prop_assert_eq!(decode_value(&found[0].1), Ok(text.clone()));
        }
    }

    /// No method that a person types makes a second field line of the first.
    #[test]
    fn every_method_is_one_field_line(method in any::<String>()) {
        for (_, value) in for_request(&speaker(Revision::V2026_07_28), &method, None, &[]) {
            prop_assert!(!value.contains(['\r', '\n', '\0']), "{:?}", value);
        }
    }
}
