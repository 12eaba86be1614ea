//! Objects read and written without changing what is in them.

use proptest::prelude::*;
use serde_json::value::RawValue;
use wire::object::{ObjectWriter, ValueKind, get, quote, read_elements, read_members, string};

fn members(json: &str) -> Option<Vec<(String, &str)>> {
    let members = read_members(json)?;
    Some(
        members
            .into_iter()
            .map(|(key, value)| (key, value.get()))
            .collect(),
    )
}

#[test]
fn members_come_in_order_with_duplicates_and_digits() {
    let json = r#"{ "z": 1.00, "a" :[1, 2] ,"z":"\u0041", "caf\u00e9":null}"#;
    assert_eq!(
        members(json).unwrap(),
        [
            ("z".to_owned(), "1.00"),
            ("a".to_owned(), "[1, 2]"),
            ("z".to_owned(), "\"\\u0041\""),
            ("café".to_owned(), "null"),
        ]
    );
    assert_eq!(members("{}"), Some(vec![]));
    for text in [
        "[]",
        "1",
        "\"{}\"",
        "",
        "{\"a\":1",
        "{} {}",
        "{\"a\":1,}",
        "nonsense",
    ] {
        assert_eq!(members(text), None, "{text}");
    }
}

#[test]
fn a_member_is_found_and_the_last_of_duplicates_counts() {
    let json = r#"{"a":1,"b":{"a":2},"\u0061":3}"#;
    assert_eq!(get(json, "a").map(RawValue::get), Some("3"));
    assert_eq!(
        get(get(json, "b").unwrap(), "a").map(RawValue::get),
        Some("2")
    );
    assert!(get(json, "c").is_none());
    assert!(get("[]", "a").is_none());
    let boxed: Box<RawValue> = serde_json::from_str(json).unwrap();
    assert_eq!(get(&boxed, "a").map(RawValue::get), Some("3"));
    assert_eq!(get(&*boxed, "a").map(RawValue::get), Some("3"));
}

#[test]
fn half_a_surrogate_pair_is_shown_not_refused() {
    assert_eq!(string(r#""a\ud800""#).as_deref(), Some("a\u{fffd}"));
    assert_eq!(
        string(r#""é\udc00\ud800!""#).as_deref(),
        Some("é\u{fffd}\u{fffd}!")
    );
    assert_eq!(members(r#"{"\udc00":1}"#).unwrap().len(), 1);
}

#[test]
fn strings_are_decoded_and_borrowed_when_they_can_be() {
    assert!(matches!(
        string("\"plain\""),
        Some(std::borrow::Cow::Borrowed("plain"))
    ));
    assert_eq!(
        string(r#" "a\n\u00e9\ud83d\ude00" "#).as_deref(),
        Some("a\né😀")
    );
    for other in [
        "1",
        "[\"a\"]",
        "[1]",
        "null",
        "{}",
        "",
        "\"a\" \"b\"",
        "\"open",
    ] {
        assert_eq!(string(other), None, "{other}");
    }
}

#[test]
fn elements_come_in_order() {
    let elements = read_elements("[1.0, {\"a\":1} ,[]]").unwrap();
    let elements: Vec<&str> = elements.into_iter().map(RawValue::get).collect();
    assert_eq!(elements, ["1.0", "{\"a\":1}", "[]"]);
    assert!(read_elements("{}").is_none());
    assert!(read_elements("[1").is_none());
}

#[test]
fn kinds_read_well_in_a_sentence() {
    let said: Vec<String> = ["{}", " [1]", "\"\"", "-1", "true", "null"]
        .iter()
        .map(|json| ValueKind::of(json).to_string())
        .collect();
    assert_eq!(
        said,
        [
            "an object",
            "an array",
            "a string",
            "a number",
            "a boolean",
            "null"
        ]
    );
}

#[test]
fn an_object_is_written_from_raw_members_in_order() {
    let mut writer = ObjectWriter::new();
    writer
        .string("say", "\"hi\"\n\u{1}")
        .raw("n", "1.00")
        .raw("o\t", "{\"a\": [ ]}");
    assert_eq!(
        writer.finish(),
        r#"{"say":"\"hi\"\n\u0001","n":1.00,"o\t":{"a": [ ]}}"#
    );
    assert_eq!(ObjectWriter::new().finish(), "{}");
}

#[test]
fn any_depth_is_read() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let json = format!("{{\"a\":{deep}}}");
    assert_eq!(get(&json, "a").map(RawValue::get), Some(&*deep));
}

proptest! {
    #[test]
    fn a_quoted_text_reads_back(text in any::<String>()) {
        let json = quote(&text);
        prop_assert!(!json.contains(['\n', '\r']));
        prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text.clone());
        prop_assert_eq!(string(&json).unwrap(), text);
    }

    #[test]
    fn what_was_read_writes_the_same_object(
        keys in prop::collection::vec(any::<String>(), 0..8),
        number in "-?[1-9][0-9]{0,40}\\.[0-9]{1,9}",
    ) {
        let mut writer = ObjectWriter::new();
        for key in &keys {
            writer.raw(key, &number);
        }
        let json = writer.finish();
        let read = read_members(&json).unwrap();
        prop_assert_eq!(read.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>(), keys);
        let mut again = ObjectWriter::new();
        for (key, value) in &read {
            again.raw(key, value.get());
        }
        prop_assert_eq!(again.finish(), json);
    }

    #[test]
    fn any_text_is_no_trouble(text in any::<String>()) {
        let _seen = (read_members(&text), get(&text, "a"), read_elements(&text), string(&text));
    }
}
