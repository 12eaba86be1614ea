//! Secret-like values apart from the arguments that they stand in. The rest of the text stays as it was written,
//! digit by digit.

use serde_json::value::RawValue;
use wire::object::{self, ObjectWriter, ValueKind};

use crate::paste::looks_secret;

/// Arguments that are nested deeper than this are not looked through, and so not kept.
pub const DEEPEST: u32 = 64;

/// What becomes of a member.
pub enum Member {
    /// It stays; what is in it is looked at too.
    Stays,
    /// It is left out.
    Goes,
    /// Its value is this JSON text.
    Becomes(String),
}

/// The arguments with each member as `judge` says: it is given the member's name and its value's JSON text. Nothing
/// when they are no JSON, or nested deeper than [`DEEPEST`].
pub fn rewrite(json: &str, judge: &mut dyn FnMut(&str, &str) -> Member) -> Option<String> {
    rewrite_raw(serde_json::from_str(json).ok()?, judge, 0)
}

fn rewrite_raw(
    raw: &RawValue,
    judge: &mut dyn FnMut(&str, &str) -> Member,
    depth: u32,
) -> Option<String> {
    if depth > DEEPEST {
        return None;
    }
    if let Some(elements) = object::read_elements(raw) {
        let elements = elements
            .into_iter()
            .map(|element| rewrite_raw(element, judge, depth + 1))
            .collect::<Option<Vec<String>>>()?;
        return Some(format!("[{}]", elements.join(",")));
    }
    let Some(members) = object::read_members(raw) else {
        return Some(raw.get().to_owned());
    };
    let mut writer = ObjectWriter::new();
    for (key, value) in members {
        match judge(&key, value.get()) {
            Member::Stays => writer.raw(&key, &rewrite_raw(value, judge, depth + 1)?),
            Member::Becomes(json) => writer.raw(&key, &json),
            Member::Goes => &mut writer,
        };
    }
    Some(writer.finish())
}

/// Whether a member is kept apart: its name says that it is a secret, and its value may be one. A number such as that
/// of `max_tokens` is none.
pub fn is_secret(name: &str, value: &str) -> bool {
    let kind = ValueKind::of(value);
    let may_be = match kind {
        ValueKind::String => value.len() > 2,
        ValueKind::Object | ValueKind::Array => value.contains('"'),
        ValueKind::Number | ValueKind::Boolean | ValueKind::Null => false,
    };
    may_be && looks_secret(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_secrets(json: &str) -> String {
        rewrite(json, &mut |name, value| {
            if is_secret(name, value) {
                Member::Goes
            } else {
                Member::Stays
            }
        })
        .unwrap_or_else(|| "not kept".to_owned())
    }

    #[test]
    fn what_is_not_looked_through_is_not_kept() {
        let nested = |depth: usize| {
            let (open, close) = (r#"{"a":"#.repeat(depth), "}".repeat(depth));
            format!(r#"{open}{{"password":"p"}}{close}"#)
        };
        assert_eq!(without_secrets(&nested(2)), r#"{"a":{"a":{}}}"#);
        assert_eq!(without_secrets(&nested(100)), "not kept");
        assert_eq!(without_secrets("not json"), "not kept");
    }

    #[test]
    fn secrets_are_left_out_and_the_rest_keeps_its_digits() {
        assert_eq!(
            without_secrets(
                r#"{"id": 12345678901234567890, "price": 1.10, "auth": {"Api-Key": "k", "user": "ana"},
                    "list": [{"password": "p", "n": 1e400}], "tokens": ["a", "b"]}"#
            ),
            r#"{"id":12345678901234567890,"price":1.10,"auth":{"user":"ana"},"list":[{"n":1e400}]}"#
        );
    }

    #[test]
    fn what_only_sounds_so_stays() {
        for kept in [
            r#"{"max_tokens":100}"#,
            r#"{"keyboard":"qwerty"}"#,
            r#"{"spinning":"yes"}"#,
            r#"{"secret":true}"#,
            r#"{"password":""}"#,
            r#"{"tokens":[1,2]}"#,
            "[]",
            "7",
        ] {
            assert_eq!(without_secrets(kept), kept);
        }
        for gone in [
            r#"{"PASSWORD":"a"}"#,
            r#"{"access_token":"a"}"#,
            r#"{"private-key":"a"}"#,
            r#"{"pin":"1234"}"#,
        ] {
            assert_eq!(without_secrets(gone), "{}", "{gone}");
        }
    }
}
