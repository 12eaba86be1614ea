//! What a message is about, in a word or a line: what a list of messages says beside each method.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use wire::object;

/// How much of a notification's text is told, in characters.
const NOTE_CHARS: usize = 200;

/// The parameters of `notifications/progress` that are looked at.
#[derive(Deserialize)]
struct Progress<'a> {
    #[serde(rename = "progress")]
    value: f64,
    total: Option<f64>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
}

/// The parameters of `notifications/message` that are looked at.
#[derive(Deserialize)]
struct Log<'a> {
    #[serde(borrow)]
    level: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

/// What a request is about: its tool, prompt, resource, task or level.
pub fn subject(method: &str, params: &RawValue) -> Option<String> {
    let member = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
        "logging/setLevel" => "level",
        _ if method.starts_with("tasks/") => "taskId",
        _ => return None,
    };
    object::get(params, member)
        .and_then(object::string)
        .map(Cow::into_owned)
}

/// What a notification says: how far something is, a line of a log, which resource has changed.
pub fn note_text(method: &str, params: Option<&RawValue>) -> Option<String> {
    let params = params?;
    let text = match method {
        "notifications/progress" => {
            let progress = serde_json::from_str::<Progress<'_>>(params.get()).ok()?;
            let mut text = progress.value.to_string();
            if let Some(total) = progress.total {
                text = format!("{text} of {total}");
            }
            match progress.message {
                Some(message) if !message.is_empty() => format!("{text} · {message}"),
                _ => text,
            }
        }
        "notifications/message" => {
            let log = serde_json::from_str::<Log<'_>>(params.get()).ok()?;
            let data = log.data.map(|data| {
                object::string(data).map_or_else(|| data.get().to_owned(), Cow::into_owned)
            });
            [log.level.map(Cow::into_owned), data]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" · ")
        }
        "notifications/resources/updated" => object::get(params, "uri")
            .and_then(object::string)?
            .into_owned(),
        _ => return None,
    };
    Some(match text.char_indices().nth(NOTE_CHARS) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    })
}
