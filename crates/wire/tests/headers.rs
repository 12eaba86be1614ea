//! Header values: 2026-07-28 basic/transports/streamable-http § Value Encoding.

use proptest::prelude::*;
use wire::header::{decode_value, encode_value};

#[test]
fn the_examples_of_the_specification() {
    for (text, value) in [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ] {
        assert_eq!(encode_value(text), value);
        assert_eq!(decode_value(value).as_deref(), Ok(text));
    }
}

#[test]
fn what_is_plain_stays_as_it_is() {
    for text in [
        "",
        "42",
        "-7",
        "true",
        "two words",
        "file:///a%20b?c=d",
        "=?base64?",
        "?=",
        "=?BASE64?eA==?=",
    ] {
        assert_eq!(encode_value(text), text);
        assert_eq!(decode_value(text).as_deref(), Ok(text));
    }
}

#[test]
fn controls_and_white_space_at_an_end_are_encoded() {
    for text in [
        " a",
        "a ",
        "\ta",
        "a\tb",
        "\u{7f}",
        "\0",
        "a\r\nX-Injected: 1",
        "=?base64?=",
        "é",
    ] {
        let value = encode_value(text);
        assert!(
            value.starts_with("=?base64?") && value.ends_with("?="),
            "{text:?}: {value}"
        );
        assert_eq!(decode_value(&value).as_deref(), Ok(text));
    }
}

#[test]
fn padding_may_be_left_out() {
    assert_eq!(decode_value("=?base64?SGk?=").as_deref(), Ok("Hi"));
}

#[test]
fn a_broken_value_says_what_is_wrong() {
    let said = |value: &str| decode_value(value).err().unwrap_or_default();
    assert!(said("=?base64?%%%?=").contains("not valid Base64"));
    assert!(said("=?base64?//8=?=").contains("UTF-8"));
    assert!(said("=?base64?=").contains("no room"));
}

proptest! {
    #[test]
    fn every_text_survives(text in any::<String>()) {
        let value = encode_value(&text);
        prop_assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')));
        prop_assert_eq!(value.trim(), &value);
        prop_assert_eq!(decode_value(&value), Ok(text));
    }

    #[test]
    fn every_text_that_looks_encoded_survives(inner in "[ -~]{0,12}") {
        let text = format!("=?base64?{inner}?=");
        prop_assert_eq!(decode_value(&encode_value(&text)), Ok(text));
    }
}
