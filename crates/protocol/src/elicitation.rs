//! What an elicitation asks, and how it is answered (2026-07-28 and 2025-11-25 client/elicitation).

use std::borrow::Cow;

use serde_json::value::RawValue;
use wire::object::{self, ObjectWriter, ValueKind};

use crate::text;

/// The `params` of `elicitation/create`.
#[derive(Clone, Debug)]
pub enum Elicitation {
    /// A form to fill in; `mode` is `form` or absent.
    Form {
        /// What is asked, plain text; empty when the server said nothing.
        message: String,
        /// The `requestedSchema` as it came.
        schema: Box<RawValue>,
    },
    /// A page to visit.
    Url {
        /// What is asked, plain text.
        message: String,
        /// The URL as it came: not checked, and not to be opened without consent.
        url: String,
        /// Legacy only: what a later `notifications/elicitation/complete` names.
        elicitation_id: Option<String>,
    },
    /// Something that cannot be drawn.
    Unknown {
        /// Why, in a sentence.
        reason: String,
    },
}

/// What a person chose (§ Response Actions).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Approved and, for a form, submitted.
    Accept,
    /// Said no.
    Decline,
    /// Dismissed without a choice.
    Cancel,
}

/// Reads what is asked.
pub fn read(params: &RawValue) -> Elicitation {
    let unknown = |reason: String| Elicitation::Unknown { reason };
    if ValueKind::of(params) != ValueKind::Object {
        return unknown(format!(
            "The request's params are {}, not an object.",
            ValueKind::of(params)
        ));
    }
    let text = |key| {
        object::get(params, key)
            .and_then(object::string)
            .map(Cow::into_owned)
    };
    let message = text("message").unwrap_or_default();
    let mode = object::get(params, "mode").filter(|mode| ValueKind::of(*mode) != ValueKind::Null);
    let name = mode.map_or(Some("form".into()), object::string);
    match name.as_deref() {
        Some("form") => match object::get(params, "requestedSchema") {
            Some(schema) if ValueKind::of(schema) == ValueKind::Object => Elicitation::Form {
                message,
                schema: schema.to_owned(),
            },
            Some(schema) => unknown(format!(
                "requestedSchema is {}, not an object.",
                ValueKind::of(schema)
            )),
            None => unknown("The request is for a form and has no requestedSchema.".to_owned()),
        },
        Some("url") => match text("url").filter(|url| !url.is_empty()) {
            Some(url) => Elicitation::Url {
                message,
                url,
                elicitation_id: text("elicitationId"),
            },
            None => unknown("The request is for a page to visit and has no url.".to_owned()),
        },
        _ => unknown(format!(
            "The mode {} is not known (form and url are).",
            mode.map(|mode| text::excerpt(mode.get(), 80))
                .unwrap_or_default()
        )),
    }
}

/// The text of an `ElicitResult`. `content`, the text of a JSON object, goes with `Accept` alone and is sent as
/// it was written.
///
/// # Errors
/// The content is not a JSON object.
pub fn reply(action: Action, content: Option<&str>) -> Result<String, String> {
    let mut result = ObjectWriter::new();
    match action {
        Action::Accept => {
            result.string("action", "accept");
            if let Some(content) = content {
                if text::members(content).is_none() {
                    return Err(format!(
                        "The content is not a JSON object, so it was not sent: {}",
                        text::excerpt(content, 120)
                    ));
                }
                result.raw("content", &text::one_line(content));
            }
        }
        Action::Decline => {
            result.string("action", "decline");
        }
        Action::Cancel => {
            result.string("action", "cancel");
        }
    }
    Ok(result.finish())
}
