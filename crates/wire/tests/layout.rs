//! What a person sees of a body: JSON over lines, or columns of hexadecimal.

use proptest::prelude::*;
use wire::pretty::{INDENTED_DEPTH, hex, layout};

/// The JSON without the white space outside its strings.
fn tokens(json: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    for &byte in json {
        if in_string {
            kept.push(byte);
            in_string = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
        } else if !byte.is_ascii_whitespace() {
            kept.push(byte);
            in_string = byte == b'"';
        }
    }
    kept
}

#[test]
fn json_is_laid_out_over_lines_with_its_tokens_as_they_came() {
    let json = br#" {"b":1.0,"a":[1e400,12345678901234567890, "\u00e9\/\ud800\"{",{ },[
        ]],"b":{"c":null,"d":true}} "#;
    insta::assert_snapshot!(layout(json).unwrap(), @r#"
    {
      "b": 1.0,
      "a": [
        1e400,
        12345678901234567890,
        "\u00e9\/\ud800\"{",
        {},
        []
      ],
      "b": {
        "c": null,
        "d": true
      }
    }
    "#);
}

#[test]
fn a_scalar_is_json_too() {
    for json in ["null", "-0.0", "\"a b\"", "[]", "{}"] {
        assert_eq!(layout(json.as_bytes()).as_deref(), Some(json));
    }
    assert_eq!(layout(b"\xEF\xBB\xBF{}").as_deref(), Some("{}"));
}

#[test]
fn what_is_not_one_json_value_has_no_layout() {
    for text in [
        "",
        "  ",
        "hello",
        "{",
        "{}{}",
        "[1,]",
        "{\"a\" 1}",
        "\"open",
        "01",
        "<html>",
    ] {
        assert_eq!(layout(text.as_bytes()), None, "{text}");
    }
    assert_eq!(layout(b"\"\xff\""), None);
}

#[test]
fn any_depth_is_laid_out_and_the_text_stays_in_proportion() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let json = format!("{}0{}", open.repeat(100_000), close.repeat(100_000));
        let text = layout(json.as_bytes()).unwrap();
        assert_eq!(tokens(text.as_bytes()), json.as_bytes());
        assert_eq!(text.lines().count(), 2 * INDENTED_DEPTH + 1);
        assert!(text.len() < 3 * json.len());
    }
}

#[test]
fn bytes_are_shown_in_the_columns_of_hexdump() {
    insta::assert_snapshot!(hex(b"{\"jsonrpc\":\"2.0\"}\r\n\x00\xff"), @r#"
    00000000  7b 22 6a 73 6f 6e 72 70  63 22 3a 22 32 2e 30 22  |{"jsonrpc":"2.0"|
    00000010  7d 0d 0a 00 ff                                    |}....|
    "#);
    assert_eq!(hex(b""), "");
}

/// JSON with white space wherever it may be.
fn json() -> impl Strategy<Value = String> {
    let space = || "[ \t\r\n]{0,3}";
    let string = || r#""([ !#-Z^-~é世]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}){0,8}""#;
    let scalar = prop_oneof![
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?",
        string(),
        "true|false|null",
    ];
    scalar.prop_recursive(6, 64, 6, move |inner| {
        let element = (space(), inner.clone(), space()).prop_map(|(a, b, c)| [a, b, c].concat());
        let member = (space(), string(), space(), space(), inner, space())
            .prop_map(|(a, key, b, c, value, d)| format!("{a}{key}{b}:{c}{value}{d}"));
        prop_oneof![
            (prop::collection::vec(element, 1..6)).prop_map(|all| format!("[{}]", all.join(","))),
            (prop::collection::vec(member, 1..6)).prop_map(|all| format!("{{{}}}", all.join(","))),
            space().prop_map(|space| format!("[{space}]")),
            space().prop_map(|space| format!("{{{space}}}")),
        ]
    })
}

proptest! {
    #[test]
    fn every_token_is_kept(json in json()) {
        let text = layout(json.as_bytes()).unwrap();
        prop_assert_eq!(tokens(text.as_bytes()), tokens(json.as_bytes()));
        prop_assert_eq!(layout(text.as_bytes()), Some(text));
    }

    #[test]
    fn any_bytes_are_no_trouble(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(text) = layout(&bytes) {
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
            prop_assert_eq!(tokens(text.as_bytes()), tokens(bytes));
        }
        prop_assert_eq!(hex(&bytes).lines().count(), bytes.len().div_ceil(16));
    }
}
