//! A canary that is known to the redactor never comes out of it.
#![allow(clippy::unwrap_used)] // also in the helpers, which are tests too

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use secrets::{Redactor, SecretString};

fn knowing(values: &[(&str, &str)]) -> Redactor {
    let redactor = Redactor::new();
    for (name, value) in values {
        redactor.add(name, SecretString::from(*value));
    }
    redactor
}

fn redacted(redactor: &Redactor, text: &str) -> String {
    String::from_utf8(redactor.redact(text.as_bytes()).into_owned()).unwrap()
}

#[test]
fn a_value_gives_way_to_its_name() {
    let redactor = knowing(&[("github/token", "ghp_0123456789")]);
    assert_eq!(
        redacted(&redactor, r#"{"authorization":"Bearer ghp_0123456789"}"#),
        r#"{"authorization":"Bearer ${secret:github/token}"}"#
    );
}

#[test]
fn of_what_others_make_up_the_latest_is_known() {
    let redactor = Redactor::new();
    redactor.add("state", SecretString::from("the person's own"));
    redactor.add_made_up("server/state", "state number one");
    for number in 0..1000 {
        redactor.add_made_up("server/state", &format!("made up {number}."));
        // What is used again stays.
        redactor.add_made_up("server/state", "state number one");
    }
    let text = "made up 0. made up 999. state number one, the person's own";
    assert_eq!(
        redacted(&redactor, text),
        "made up 0. ${secret:server/state} ${secret:server/state}, ${secret:state}"
    );

    let long = "é0123456789".repeat(1 << 20);
    redactor.add_made_up("server/state", &long);
    let left = redacted(&redactor, &long);
    assert!(left.starts_with("${secret:server/state}"));
    assert!(left.len() < long.len());
}

#[test]
fn what_holds_no_value_is_borrowed() {
    let redactor = knowing(&[("token", "ghp_0123456789")]);
    assert!(matches!(
        redactor.redact(b"nothing to see"),
        Cow::Borrowed(_)
    ));
    assert!(matches!(
        Redactor::new().redact(b"ghp_0123456789"),
        Cow::Borrowed(_)
    ));
    assert!(matches!(
        redactor.redact(b"\xff\xfe ghp_012345678"),
        Cow::Borrowed(_)
    ));
}

#[test]
fn short_values_are_ignored() {
    let redactor = knowing(&[("pin", "123"), ("space", "  \n 1 "), ("nothing", "")]);
    assert!(redactor.is_empty());
    assert_eq!(redacted(&redactor, "123 123"), "123 123");
    redactor.add("pin", SecretString::from("1234"));
    assert!(!redactor.is_empty());
    assert_eq!(redacted(&redactor, "1234"), "${secret:pin}");
}

#[test]
fn the_longest_value_is_taken() {
    let redactor = knowing(&[("short", "secret-token"), ("long", "secret-token-and-more")]);
    assert_eq!(
        redacted(&redactor, "secret-token-and-more"),
        "${secret:long}"
    );
    assert_eq!(
        redacted(&redactor, "secret-token-and-less"),
        "${secret:short}-and-less"
    );
}

#[test]
fn names_come_and_go() {
    let redactor = knowing(&[("token", "first-value")]);
    let clone = redactor.clone();
    assert_eq!(redacted(&clone, "first-value"), "${secret:token}");
    // A changed value: replies to requests with the earlier one may still come.
    redactor.add("token", SecretString::from("second-value"));
    assert_eq!(
        redacted(&clone, "first-value second-value"),
        "${secret:token} ${secret:token}"
    );
    clone.remove("token");
    assert!(redactor.is_empty());
    assert_eq!(
        redacted(&redactor, "first-value second-value"),
        "first-value second-value"
    );
    redactor.remove("never there");
}

#[test]
fn the_password_inside_a_basic_authorization_is_found() {
    let redactor = knowing(&[("password", "correct horse battery")]);
    for user in ["", "a", "ab", "abc", "somebody else"] {
        for after in ["", "!", "!!", "!!!"] {
            let header = STANDARD.encode(format!("{user}:correct horse battery{after}"));
            let clean = redacted(&redactor, &format!("Basic {header}"));
            assert!(clean.contains("${secret:password}"), "{clean}");
            let longest_left = clean
                .split("${secret:password}")
                .map(str::len)
                .max()
                .unwrap();
            assert!(longest_left < header.len(), "{clean}");
        }
    }
}

#[test]
fn the_credential_of_a_whole_header_is_found_alone() {
    let redactor = knowing(&[("header", "Bearer eyJhbGciOi.eyJzdWIi.c2ln")]);
    assert_eq!(
        redacted(&redactor, "Bearer eyJhbGciOi.eyJzdWIi.c2ln"),
        "${secret:header}"
    );
    assert_eq!(
        redacted(&redactor, "token=eyJhbGciOi.eyJzdWIi.c2ln;"),
        "token=${secret:header};"
    );
}

#[test]
fn a_name_cannot_break_what_it_is_put_into() {
    let redactor = knowing(&[("a\"b\\c\n{d}", "the-value-itself")]);
    let clean = redacted(&redactor, r#"{"echo":"the-value-itself"}"#);
    let parsed: serde_json::Value = serde_json::from_str(&clean).unwrap();
    assert_eq!(parsed["echo"], "${secret:a_b_c__d_}");
}

#[test]
fn nothing_shows_a_value() {
    let redactor = knowing(&[("token", "ghp_0123456789")]);
    redactor.redact(b"");
    assert!(!format!("{redactor:?}").contains("ghp_"));
    assert!(!format!("{:?}", redactor.stream()).contains("ghp_"));
}

#[test]
fn the_ways_in_which_json_writers_escape() {
    let redactor = knowing(&[("s", "a\"b\\c/d<e>&'é𝄞\u{1}+\n")]);
    for text in [
        r#"a\"b\\c/d<e>&'é𝄞\u0001+\n"#, // serde_json, JavaScript
        r#"a\"b\\c\/d<e>&'\u00e9\ud834\udd1e\u0001+\n"#, // PHP
        r#"a\"b\\c/d<e>&'\u00e9\ud834\udd1e\u0001+\n"#, // Python
        r#"a\"b\\c/d<e>&'\u00E9\uD834\uDD1E\u0001+\n"#, // Jackson
        r#"a\"b\\c/d\u003ce\u003e\u0026'é𝄞\u0001+\n"#, // Go
        r"a\u0022b\\c/d\u003Ce\u003E\u0026\u0027\u00E9\uD834\uDD1E\u0001\u002B\n", // .NET
        r#"a\\\"b\\\\c/d<e>&'é𝄞\\u0001+\\n"#, // JSON in JSON
    ] {
        assert_eq!(
            redacted(&redactor, &format!("\"{text}\"")),
            "\"${secret:s}\"",
            "{text}"
        );
    }
}

/// A value that could be a secret: long enough, and without what the replacement itself holds.
fn canary() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z0-9_-]{8,40}",
        "[ -~]{8,40}",
        "\\PC{8,24}",
        "[\\x01-\\x7f]{8,24}",
    ]
    .prop_filter("no space around it, nothing of the replacement", |value| {
        value.trim() == value
            && !value.contains(['$', '{', '}'])
            && !"${secret:canary}".contains(value.as_str())
    })
}

/// An encoding by other people's code.
fn encode(form: usize, value: &str, before: &str, after: &str) -> (String, String) {
    let json = |text: &str| {
        let quoted = serde_json::to_string(text).unwrap();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let alone = match form {
        0 => value.to_owned(),
        1 => json(value),
        2 => json(&json(value)),
        3 => utf8_percent_encode(value, NON_ALPHANUMERIC).to_string(),
        4 => STANDARD.encode(value),
        5 => STANDARD_NO_PAD.encode(value),
        6 => URL_SAFE.encode(value),
        7 => URL_SAFE_NO_PAD.encode(value),
        _ => json(&STANDARD.encode(value)),
    };
    (format!("{before}{alone}{after}"), alone)
}

proptest! {
    // Each case builds a matcher, which is slow without optimisation.
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_form_survives_anywhere(
        value in canary(), form in 0_usize..9, before in "\\PC{0,12}", after in "\\PC{0,12}",
    ) {
        let redactor = knowing(&[("canary", &value)]);
        let (text, alone) = encode(form, &value, &before, &after);
        let clean = redacted(&redactor, &text);
        prop_assert!(clean.contains("${secret:canary}"), "{text:?} became {clean:?}");
        prop_assert!(!clean.contains(&alone), "{alone:?} survives in {clean:?}");
        prop_assert!(!clean.contains(&value));
    }

    #[test]
    fn no_part_of_a_longer_base64_gives_it_back(
        value in canary(), before in "\\PC{0,9}", after in "\\PC{0,9}", url_safe: bool,
    ) {
        let redactor = knowing(&[("canary", &value)]);
        let whole = format!("{before}{value}{after}");
        let engine = if url_safe { &URL_SAFE } else { &STANDARD };
        let clean = redacted(&redactor, &engine.encode(&whole));
        prop_assert!(clean.contains("${secret:canary}"), "{clean}");
        // Whatever is left of it decodes to something without the canary, at every alignment.
        for piece in clean.split("${secret:canary}") {
            for shift in 0..4 {
                let padded = format!("{}{piece}", "A".repeat(shift));
                let usable = &padded.trim_end_matches('=')[..padded.trim_end_matches('=').len() / 4 * 4];
                if let Ok(decoded) = engine.decode(usable) {
                    let survives = decoded.windows(value.len()).any(|window| window == value.as_bytes());
                    prop_assert!(!survives, "{piece}");
                }
            }
        }
    }

    #[test]
    fn any_cut_of_a_stream_gives_the_same(
        value in canary(), other in canary(), form in 0_usize..9, before in "\\PC{0,30}", after in "\\PC{0,30}",
        cuts in proptest::collection::vec(0_usize..400, 0..8),
    ) {
        let redactor = knowing(&[("canary", &value), ("other", &other)]);
        let (first, _) = encode(form, &value, &before, &after);
        let (second, _) = encode((form + 4) % 9, &other, &after, &value);
        let text = format!("{first}{second}");
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
        cuts.sort_unstable();
        let mut stream = redactor.stream();
        let mut out = Vec::new();
        let mut from = 0;
        for cut in cuts {
            out.extend(stream.push(&text.as_bytes()[from..cut]));
            from = cut;
        }
        out.extend(stream.push(&text.as_bytes()[from..]));
        out.extend(stream.finish());
        prop_assert_eq!(out, redactor.redact(text.as_bytes()).into_owned());
    }

    #[test]
    fn byte_by_byte_is_a_cut_too(value in canary(), form in 0_usize..9, before in "\\PC{0,9}", after in "\\PC{0,9}") {
        let redactor = knowing(&[("canary", &value)]);
        let (text, _) = encode(form, &value, &before, &after);
        let mut stream = redactor.stream();
        let mut out = Vec::new();
        for byte in text.as_bytes() {
            out.extend(stream.push(std::slice::from_ref(byte)));
        }
        out.extend(stream.finish());
        prop_assert_eq!(out, redactor.redact(text.as_bytes()).into_owned());
    }

    #[test]
    fn bytes_that_are_no_text_pass_untouched(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let redactor = knowing(&[("canary", "a-canary-that-is-not-in-there")]);
        prop_assert_eq!(redactor.redact(&bytes).into_owned(), bytes);
    }
}

#[test]
fn what_a_cut_leaves_of_a_value_is_replaced_too() {
    let redactor = Redactor::new();
    redactor.add("token", SecretString::from("sk_live_0123456789"));
    assert_eq!(
        redactor.redact_text("it said sk_live_0123… and more"),
        "it said ${secret:token}… and more"
    );
    assert_eq!(
        redactor.redact_text("c2tfbGl2ZV8wMTIz… sk_live_0123456789 sk_liv…"),
        "${secret:token}… ${secret:token} ${secret:token}…"
    );
    // Not cut, it is another text; and a few letters are no value.
    for text in ["sk_live_0123", "sk_l…", "…", "no secret…"] {
        assert_eq!(redactor.redact_text(text), text);
    }
}
