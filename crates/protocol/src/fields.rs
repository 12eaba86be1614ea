//! The members of a list's entry, read as far as they go: what is wrong with one becomes a sentence.

use std::borrow::Cow;

use serde_json::value::RawValue;
use wire::object::{self, ValueKind};

/// That an entry is no object, where it is none.
pub(crate) fn check_object(raw: &RawValue, problems: &mut Vec<String>) {
    if ValueKind::of(raw) != ValueKind::Object {
        problems.push(format!(
            "The entry is {}, not an object.",
            ValueKind::of(raw)
        ));
    }
}

/// A text that may be absent or null.
pub(crate) fn optional_text(
    object: &RawValue,
    key: &str,
    problems: &mut Vec<String>,
) -> Option<String> {
    let value =
        object::get(object, key).filter(|value| ValueKind::of(*value) != ValueKind::Null)?;
    let text = object::string(value).map(Cow::into_owned);
    if text.is_none() {
        problems.push(format!("{key} is {}, not a string.", ValueKind::of(value)));
    }
    text
}

/// A text that must be there and hold something; empty where it does not.
pub(crate) fn required_text(object: &RawValue, key: &str, problems: &mut Vec<String>) -> String {
    let known = problems.len();
    let text = optional_text(object, key, problems).unwrap_or_default();
    if text.is_empty() && problems.len() == known {
        problems.push(format!("It has no {key}."));
    }
    text
}

/// A flag that may be absent or null; anything but true counts as false.
pub(crate) fn optional_flag(object: &RawValue, key: &str, problems: &mut Vec<String>) -> bool {
    match object::get(object, key).map(|value| (value.get(), ValueKind::of(value))) {
        Some(("true", _)) => true,
        Some((_, ValueKind::Boolean | ValueKind::Null)) | None => false,
        Some((_, kind)) => {
            problems.push(format!("{key} is {kind}, not true or false."));
            false
        }
    }
}
