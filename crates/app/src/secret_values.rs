//! Secret values on their way: from a form into the keyring, and from the keyring into a request that is
//! being sent. The redactor knows each of them before anything that could carry it is recorded.

use std::collections::HashSet;

use secrets::{Keyring, Redactor, SecretString};
use serde_json::Value;

use crate::api::servers::{Endpoint, NamedValue, ServerDraft};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::{bad_input, named_values, secret_name};

/// Reads the secret `name` for the header or variable `used_as`.
///
/// # Errors
/// It is not in the keyring, or the keyring cannot be read.
pub async fn read(
    keyring: &Keyring,
    redactor: &Redactor,
    name: &str,
    used_as: &str,
) -> Result<String, ErrorView> {
    let failed = |message: String| ErrorView {
        code: ErrorCode::Failed,
        message,
        hint: Some("Edit the server and enter the value again.".to_owned()),
    };
    let value = keyring
        .get(name)
        .await
        .map_err(|error| {
            failed(format!(
                "The secret for {used_as} could not be read: {error}"
            ))
        })?
        .ok_or_else(|| {
            failed(format!(
                "The secret for {used_as} ({name}) is not in the keyring."
            ))
        })?;
    redactor.add(name, value.clone());
    Ok(secrets::expose(&value).to_owned())
}

/// Teaches the redactor each text in a JSON value, from `shortest` bytes on.
pub fn teach_texts(redactor: &Redactor, name: &str, json: &str, shortest: usize) {
    let Ok(value) = serde_json::from_str::<Value>(json) else {
        return;
    };
    let mut rest = vec![&value];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) if text.len() >= shortest => {
                redactor.add(name, SecretString::from(text.as_str()));
            }
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => rest.extend(members.values()),
            _ => {}
        }
    }
}

/// What the catalog says about the secrets that a draft may use.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// The endpoint that is to be replaced, when a server is changed.
    pub before: Option<Endpoint>,
    /// The names that other servers refer to; theirs are neither read nor overwritten.
    pub of_others: HashSet<String>,
}

/// Puts the secret values of a draft into the keyring and their names in their places. An empty value keeps what
/// the server had under that name.
///
/// # Errors
/// The draft names a secret that is not this server's, or the keyring cannot be written; the draft is not to be
/// saved then.
pub async fn store(
    keyring: &Keyring,
    redactor: &Redactor,
    mut draft: ServerDraft,
    mut standing: Standing,
    session_only: bool,
) -> Result<ServerDraft, ErrorView> {
    let owner = draft.name.clone();
    let kept: Vec<NamedValue> = standing
        .before
        .as_mut()
        .map(|endpoint| named_values(endpoint).clone())
        .unwrap_or_default();
    for value in named_values(&mut draft.endpoint) {
        if let Some(name) = secret_name(&value.value) {
            // A reference that came from elsewhere would send another server's secret to this one.
            if kept.iter().any(|old| old.value == value.value) {
                continue;
            }
            return Err(bad_input(
                &format!(
                    "{} refers to the secret {name}, which is not this server's.",
                    value.name
                ),
                "Enter the value itself; it is kept in the keyring.",
            ));
        }
        if !value.secret {
            continue;
        }
        if value.value.is_empty() {
            let old = kept.iter().find(|old| old.secret && old.name == value.name);
            let Some(old) = old else {
                return Err(bad_input(
                    &format!("The secret value of {} is empty.", value.name),
                    "Enter the value, or clear \"keep as secret\".",
                ));
            };
            value.value.clone_from(&old.value);
            continue;
        }
        let name = free_name(&owner, &value.name, &standing.of_others);
        let secret = SecretString::from(std::mem::take(&mut value.value));
        let kept = if session_only {
            keyring.set_for_session(&name, &secret)
        } else {
            keyring.set(&name, secret.clone()).await
        };
        kept.map_err(|error| not_kept(&value.name, &error))?;
        redactor.add(&name, secret);
        value.value = format!("${{secret:{name}}}");
    }
    Ok(draft)
}

/// The error for a value that the keyring does not take: keeping it for this session only is offered.
pub fn not_kept(what: &str, error: &secrets::SecretsError) -> ErrorView {
    ErrorView {
        code: ErrorCode::NotKept,
        message: format!("The value of {what} could not be kept as a secret: {error}"),
        hint: Some(
            "Unlock or start the keyring and save again, or keep it for this session only: it is in memory then, and \
             entered again after a restart."
                .to_owned(),
        ),
    }
}

/// Deletes the secrets of a server that was removed. The redactor goes on knowing them: what the server still says
/// while it ends may hold them.
pub async fn forget(keyring: &Keyring, mut endpoint: Endpoint) {
    for value in named_values(&mut endpoint) {
        if let Some(name) = secret_name(&value.value)
            && let Err(error) = keyring.delete(name).await
        {
            tracing::warn!(name, %error, "a secret of a removed server stays in the keyring");
        }
    }
}

/// A name that no other server refers to.
fn free_name(server: &str, used_as: &str, of_others: &HashSet<String>) -> String {
    let plain = name_of(server, used_as);
    if !of_others.contains(&plain) {
        return plain;
    }
    (2..=of_others.len() + 2)
        .map(|number| format!("{plain} {number}"))
        .find(|name| !of_others.contains(name))
        .unwrap_or(plain)
}

/// A secret's name. It stands in JSON texts in its value's place and must not end a string there, nor end itself
/// within its braces.
fn name_of(server: &str, used_as: &str) -> String {
    format!("{server}/{used_as}").replace(
        |c: char| matches!(c, '"' | '\\' | '{' | '}') || c.is_control(),
        "_",
    )
}
