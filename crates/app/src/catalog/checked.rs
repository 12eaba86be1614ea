//! What a person entered for a server, before anything is made of it.

use super::{bad_input, named_values, options};
use crate::api::ErrorView;
use crate::api::servers::{Endpoint, ServerDraft};
use crate::references;

/// The draft with its texts trimmed, when it can be used.
///
/// # Errors
/// What is missing or wrong, for the field that has it.
pub fn checked(mut draft: ServerDraft) -> Result<ServerDraft, ErrorView> {
    draft.name = draft.name.trim().to_owned();
    if draft.name.is_empty() {
        return Err(bad_input(
            "The server has no name.",
            "Give it a name to find it by in the list.",
        ));
    }
    options::check(&mut draft.options)?;
    match &mut draft.endpoint {
        Endpoint::Stdio {
            command, folder, ..
        } => {
            *command = command.trim().to_owned();
            if command.is_empty() {
                return Err(bad_input(
                    "The command is empty.",
                    "Enter the program to start, such as npx or a path.",
                ));
            }
            *folder = folder
                .take()
                .map(|folder| folder.trim().to_owned())
                .filter(|folder| !folder.is_empty());
        }
        Endpoint::Http { url, .. } => {
            *url = url.trim().to_owned();
            let scheme = url::Url::parse(&references::plain_url(url))
                .ok()
                .filter(url::Url::has_host)
                .map(|url| url.scheme().to_owned());
            if !matches!(scheme.as_deref(), Some("http" | "https")) {
                return Err(bad_input(
                    &format!("{url:?} is not an http or https URL."),
                    "Enter the whole URL, such as https://example.com/mcp.",
                ));
            }
        }
    }
    let what = match &draft.endpoint {
        Endpoint::Stdio { .. } => "variable",
        Endpoint::Http { .. } => "header",
    };
    let values = named_values(&mut draft.endpoint);
    values.retain(|value| !(value.name.trim().is_empty() && value.value.is_empty()));
    for value in values.iter_mut() {
        value.name = value.name.trim().to_owned();
        if value.name.is_empty() {
            return Err(bad_input(
                &format!("A {what} has a value and no name."),
                "Name it, or remove it.",
            ));
        }
    }
    Ok(draft)
}
