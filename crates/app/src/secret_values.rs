//! Secret values on their way: from a form into the keyring, and from the keyring into a request that is
//! being sent. The redactor knows each of them before anything that could carry it is recorded.

use std::collections::{HashMap, HashSet};

use secrets::{Keyring, Redactor, SecretString};
use serde_json::Value;

use crate::api::servers::{Endpoint, NamedValue, ServerDraft};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::{bad_input, named_values, plain_texts, secret_name, secret_names_in};
use crate::references;

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

/// What comes with a draft.
#[derive(Clone, Default)]
pub struct Given {
    /// The values of names that its arguments or its URL refer to.
    pub values: Vec<NamedValue>,
    /// The keyring does not take them: they are kept in memory.
    pub session_only: bool,
}

/// A draft whose secrets are kept.
pub struct Stored {
    /// With names in their places.
    pub draft: ServerDraft,
    /// The names that the server had and nobody refers to any more.
    pub left: Vec<String>,
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
    given: Given,
) -> Result<Stored, ErrorView> {
    let had: Vec<String> = standing
        .before
        .as_ref()
        .map(secret_names_in)
        .unwrap_or_default();
    let keeper = Keeper {
        keyring,
        redactor,
        owner: draft.name.clone(),
        of_others: std::mem::take(&mut standing.of_others),
        session_only: given.session_only,
    };
    let kept: Vec<NamedValue> = standing
        .before
        .as_mut()
        .map(|endpoint| named_values(endpoint).clone())
        .unwrap_or_default();
    for value in named_values(&mut draft.endpoint) {
        check_references(&value.value, &value.name, &had)?;
        if !value.secret || secret_name(&value.value).is_some() {
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
        let secret = std::mem::take(&mut value.value);
        value.value = references::to(&keeper.keep(&value.name, secret).await?);
    }
    let what = match &draft.endpoint {
        Endpoint::Stdio { .. } => "An argument",
        Endpoint::Http { .. } => "The URL",
    };
    let mut entered = HashMap::new();
    for text in plain_texts(&mut draft.endpoint) {
        for name in references::names_in(text) {
            if had.iter().any(|old| old == name) || entered.contains_key(name) {
                continue;
            }
            let value = given.values.iter().find(|value| value.name == name);
            let Some(value) = value.filter(|value| !value.value.is_empty()) else {
                return Err(bad_input(
                    &format!(
                        "{what} refers to the secret {name}, which is not this server's and has no value."
                    ),
                    "Enter its value; it is kept in the keyring.",
                ));
            };
            let full = keeper.keep(name, value.value.clone()).await?;
            entered.insert(name.to_owned(), full);
        }
        *text = references::replaced(text, |name| {
            references::to(entered.get(name).map_or(name, String::as_str))
        });
    }
    let now = secret_names_in(&draft.endpoint);
    let left = had
        .into_iter()
        .filter(|name| !now.contains(name) && !keeper.of_others.contains(name))
        .collect();
    Ok(Stored { draft, left })
}

/// A reference that came from elsewhere would send another server's secret to this one.
fn check_references(text: &str, place: &str, had: &[String]) -> Result<(), ErrorView> {
    let names = references::names_in(text);
    match names
        .iter()
        .find(|name| !had.iter().any(|old| old == **name))
    {
        None => Ok(()),
        Some(name) => Err(bad_input(
            &format!("{place} refers to the secret {name}, which is not this server's."),
            "Enter the value itself; it is kept in the keyring.",
        )),
    }
}

/// Puts one server's values into the keyring.
struct Keeper<'a> {
    keyring: &'a Keyring,
    redactor: &'a Redactor,
    owner: String,
    of_others: HashSet<String>,
    session_only: bool,
}

impl Keeper<'_> {
    /// Keeps a value, and gives its name.
    async fn keep(&self, used_as: &str, value: String) -> Result<String, ErrorView> {
        let name = free_name(&self.owner, used_as, &self.of_others);
        let secret = SecretString::from(value);
        let kept = if self.session_only {
            self.keyring.set_for_session(&name, &secret)
        } else {
            self.keyring.set(&name, secret.clone()).await
        };
        kept.map_err(|error| not_kept(used_as, &error))?;
        self.redactor.add(&name, secret);
        Ok(name)
    }
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

/// Deletes secrets that nobody refers to any more. The redactor goes on knowing them: what the server still says while
/// it ends may hold them.
pub async fn forget(keyring: &Keyring, names: Vec<String>) {
    for name in names {
        if let Err(error) = keyring.delete(&name).await {
            tracing::warn!(name, %error, "a secret that is used no more stays in the keyring");
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
