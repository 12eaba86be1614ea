//! What an elicitation asks, and how it is answered (2026-07-28 and 2025-11-25 client/elicitation).

use std::borrow::Cow;

use serde_json::value::RawValue;
use wire::message::RpcError;
use wire::object::{self, ObjectWriter, ValueKind};

use crate::findings::Finding;
use crate::operation::InputRequest;
use crate::{rules, text};

/// A request cannot be done before a link was followed (2025-11-25 client/elicitation § URL Elicitation Required Error).
pub const URL_ELICITATION_REQUIRED: i64 = -32042;

/// The notification that the person is done in the browser (2025-11-25 client/elicitation § Completion Notifications).
pub const COMPLETE: &str = "notifications/elicitation/complete";

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

/// The URL that this request asks the person to open.
pub fn url_of(method: &str, params: &RawValue) -> Option<String> {
    if method != "elicitation/create" {
        return None;
    }
    match read(params) {
        Elicitation::Url { url, .. } => Some(url),
        Elicitation::Form { .. } | Elicitation::Unknown { .. } => None,
    }
}

/// The `elicitationId` that [`COMPLETE`] names.
pub fn completed(params: &RawValue) -> Option<String> {
    object::get(params, "elicitationId")
        .and_then(object::string)
        .map(Cow::into_owned)
}

/// The links that an error of the code [`URL_ELICITATION_REQUIRED`] names, each as the request that it stands for and
/// under its `elicitationId` as its key. Empty when the error names none that can be opened; the findings say why.
pub fn required_by(error: &RpcError) -> (Vec<InputRequest>, Vec<Finding>) {
    let mut findings = Vec::new();
    let entries: Option<Vec<&RawValue>> = error
        .data
        .as_deref()
        .and_then(|data| object::get(data, "elicitations"))
        .and_then(|list| serde_json::from_str(list.get()).ok());
    let Some(entries) = entries.filter(|entries| !entries.is_empty()) else {
        findings.push(rules::required_links_missing());
        return (Vec::new(), findings);
    };
    let mut requests: Vec<InputRequest> = Vec::new();
    for entry in entries {
        let Elicitation::Url { elicitation_id, .. } = read(entry) else {
            findings.push(rules::required_link_malformed("is no link"));
            continue;
        };
        let key = elicitation_id.unwrap_or_else(|| {
            findings.push(rules::required_link_malformed("has no elicitationId"));
            format!("link {}", requests.len() + 1)
        });
        if requests.iter().any(|request| request.key == key) {
            findings.push(rules::required_link_malformed(
                "has the elicitationId of another",
            ));
            continue;
        }
        requests.push(InputRequest {
            key,
            method: "elicitation/create".to_owned(),
            params: entry.to_owned(),
        });
    }
    (requests, findings)
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
