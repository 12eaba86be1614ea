//! Secret values on their way: from a form into the keyring, and from the keyring into a request that is
//! being sent. The redactor knows each of them before anything that could carry it is recorded.

use secrets::{Keyring, Redactor};

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

/// Puts the secret values of a draft into the keyring and their names in their places. An empty value keeps what
/// `before` has under that name.
///
/// # Errors
/// The keyring cannot be written; the draft is not to be saved then.
pub async fn store(
    keyring: &Keyring,
    redactor: &Redactor,
    mut draft: ServerDraft,
    before: Option<&Endpoint>,
) -> Result<ServerDraft, ErrorView> {
    let owner = draft.name.trim().to_owned();
    let mut before = before.cloned();
    let kept: Vec<NamedValue> = before
        .as_mut()
        .map(|endpoint| named_values(endpoint).clone())
        .unwrap_or_default();
    for value in named_values(&mut draft.endpoint) {
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
        let name = name_of(&owner, &value.name);
        let secret = secrets::SecretString::from(std::mem::take(&mut value.value));
        keyring
            .set(&name, secret.clone())
            .await
            .map_err(|error| ErrorView {
                code: ErrorCode::BadInput,
                message: format!(
                    "The value of {} could not be kept as a secret: {error}",
                    value.name
                ),
                hint: Some(
                    "Unlock or start the keyring and save again, or clear \"keep as secret\"."
                        .to_owned(),
                ),
            })?;
        redactor.add(&name, secret);
        value.value = format!("${{secret:{name}}}");
    }
    Ok(draft)
}

/// Deletes the secrets of a server that was removed.
pub async fn forget(keyring: &Keyring, redactor: &Redactor, mut endpoint: Endpoint) {
    for value in named_values(&mut endpoint) {
        if let Some(name) = secret_name(&value.value) {
            if let Err(error) = keyring.delete(name).await {
                tracing::warn!(name, %error, "a secret of a removed server stays in the keyring");
            }
            redactor.remove(name);
        }
    }
}

/// A secret's name. It stands in JSON texts in its value's place and must not end a string there, nor end itself
/// within its braces.
fn name_of(server: &str, used_as: &str) -> String {
    format!("{server}/{used_as}").replace(
        |c: char| matches!(c, '"' | '\\' | '{' | '}') || c.is_control(),
        "_",
    )
}
