//! Commands about secrets: what there is, and showing, replacing and deleting one. A value crosses to a view only when the
//! person asked to see it, and only one that they entered themselves: tokens and states never do.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use secrets::{Condition, SecretString};

use crate::App;
use crate::api::calls::{Nothing, SaveServerArgs};
use crate::api::secrets::{
    ClearPlace, ClearSecrets, ClearSecretsArgs, MoveSecretArgs, ReplaceSecretArgs, SecretArgs,
    SecretKind, SecretList, SecretState, SecretValue, SecretView, StoreCondition, StoreView,
};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::{bad_input, named_values};
use crate::clear_values;
use crate::engine::{Input, SecretInput};
use crate::secret_values::not_kept;

/// For how long a deleted secret can be brought back.
const KEPT_FOR: Duration = Duration::from_mins(2);

/// Secrets that were deleted a moment ago.
pub type Deleted = Arc<Mutex<HashMap<String, SecretString>>>;

impl App {
    pub(crate) async fn secrets(&self, _: Nothing) -> Result<SecretList, ErrorView> {
        let (mut secrets, in_the_clear) = self
            .engine
            .ask(|answer| Input::Secret(SecretInput::List { answer }))
            .await?;
        let store = self.keyring.describe().await;
        self.tell_keyring(store.to_string()).await;
        for secret in &mut secrets {
            secret.can_be_restored = self.deleted.lock().contains_key(&secret.name);
            secret.state = if self.keyring.is_for_session(&secret.name) {
                SecretState::SessionOnly
            } else if !store.can_be_read() {
                // A locked store would ask for its password, which nobody wanted now.
                SecretState::Unknown
            } else {
                match self.keyring.get(&secret.name).await {
                    Ok(Some(_)) => SecretState::Kept,
                    Ok(None) => SecretState::Missing,
                    Err(_) => SecretState::Unknown,
                }
            };
        }
        Ok(SecretList {
            store: StoreView {
                name: store.name.to_owned(),
                condition: condition(store.condition),
            },
            secrets,
            in_the_clear,
        })
    }

    pub(crate) async fn show_secret(&self, args: SecretArgs) -> Result<SecretValue, ErrorView> {
        self.own_value(&args.name).await?;
        let value = self
            .keyring
            .get(&args.name)
            .await
            .map_err(|error| failed(&format!("The secret could not be read: {error}")))?
            .ok_or_else(|| failed("The secret is not in the keyring; enter its value again."))?;
        Ok(SecretValue {
            value: secrets::expose(&value).to_owned(),
        })
    }

    pub(crate) async fn replace_secret(&self, args: ReplaceSecretArgs) -> Result<(), ErrorView> {
        let ReplaceSecretArgs {
            name,
            value,
            session_only,
        } = args;
        self.own_value(&name).await?;
        if value.is_empty() {
            return Err(bad_input(
                "The new value is empty.",
                "Enter it, or delete the secret.",
            ));
        }
        let value = SecretString::from(value);
        self.redactor.add(&name, value.clone());
        if session_only {
            self.keyring
                .set_for_session(&name, &value)
                .map_err(|error| not_kept(&name, &error))?;
        } else {
            self.keyring
                .set(&name, value)
                .await
                .map_err(|error| not_kept(&name, &error))?;
        }
        self.deleted.lock().remove(&name);
        Ok(())
    }

    pub(crate) async fn delete_secret(&self, args: SecretArgs) -> Result<(), ErrorView> {
        let SecretArgs { name } = args;
        let secret = self.secret(&name).await?;
        if secret.kind != SecretKind::Value {
            for used in secret.uses {
                let server = used.server;
                self.engine
                    .ask(|answer| {
                        Input::Secret(SecretInput::Forget {
                            server,
                            kind: secret.kind,
                            answer,
                        })
                    })
                    .await?;
            }
            return Ok(());
        }
        let value = self
            .keyring
            .get(&name)
            .await
            .map_err(|error| failed(&format!("The secret could not be read: {error}")))?;
        self.keyring
            .delete(&name)
            .await
            .map_err(|error| failed(&format!("The secret could not be deleted: {error}")))?;
        let Some(value) = value else {
            return Ok(());
        };
        self.deleted.lock().insert(name.clone(), value);
        let app = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(KEPT_FOR).await;
            if app.deleted.lock().remove(&name).is_some() {
                // An engine that has ended has nothing to forget.
                let gone = Input::Secret(SecretInput::Gone { name });
                let _ended = app.engine.tell(gone).await;
            }
        });
        Ok(())
    }

    pub(crate) async fn restore_secret(&self, args: SecretArgs) -> Result<(), ErrorView> {
        let value = self.deleted.lock().get(&args.name).cloned();
        let value = value.ok_or_else(|| ErrorView {
            code: ErrorCode::Gone,
            message: "This secret cannot be brought back any more.".to_owned(),
            hint: Some("Enter its value again.".to_owned()),
        })?;
        self.keyring
            .set(&args.name, value)
            .await
            .map_err(|error| not_kept(&args.name, &error))?;
        self.deleted.lock().remove(&args.name);
        Ok(())
    }

    #[expect(clippy::unused_async, reason = "commands are all alike")]
    pub(crate) async fn clear_secrets(
        &self,
        args: ClearSecretsArgs,
    ) -> Result<ClearSecrets, ErrorView> {
        let mut endpoint = args.endpoint;
        let secrets = clear_values::take_out(&mut endpoint);
        Ok(ClearSecrets { endpoint, secrets })
    }

    pub(crate) async fn move_secret(&self, args: MoveSecretArgs) -> Result<(), ErrorView> {
        let servers = self.servers(Nothing {}).await?;
        let draft = servers
            .into_iter()
            .find(|server| server.id == args.server)
            .and_then(|server| server.draft);
        let mut draft = draft.ok_or_else(crate::catalog::gone)?;
        let gone = || failed("This value is not in the servers file any more.");
        let mut secrets = Vec::new();
        if args.place == ClearPlace::Named {
            let value = named_values(&mut draft.endpoint)
                .iter_mut()
                .find(|value| value.name == args.name && !value.secret);
            value.ok_or_else(gone)?.secret = true;
        } else {
            secrets = clear_values::take_out(&mut draft.endpoint);
            if secrets.iter().all(|value| value.name != args.name) {
                return Err(gone());
            }
            // The others stay where they are until the person moves them too.
            secrets.retain(|value| {
                let is_moved = value.name == args.name;
                if !is_moved {
                    clear_values::put_back(&mut draft.endpoint, value);
                }
                is_moved
            });
        }
        self.save_server(SaveServerArgs {
            server: Some(args.server),
            draft,
            session_only: false,
            secrets,
        })
        .await?;
        Ok(())
    }

    pub(crate) async fn unlock_keyring(&self, _: Nothing) -> Result<StoreView, ErrorView> {
        let unlocked = self.keyring.unlock().await;
        let store = self.keyring.describe().await;
        self.tell_keyring(store.to_string()).await;
        unlocked.map_err(|error| failed(&error.to_string()))?;
        Ok(StoreView {
            name: store.name.to_owned(),
            condition: condition(store.condition),
        })
    }

    async fn tell_keyring(&self, label: String) {
        // An engine that has ended shows nothing.
        let _ended = self.engine.tell(Input::KeyringDescribed { label }).await;
    }

    /// The secret of this name, if it is one that the person entered.
    async fn own_value(&self, name: &str) -> Result<SecretView, ErrorView> {
        let secret = self.secret(name).await?;
        match secret.kind {
            SecretKind::Value => Ok(secret),
            SecretKind::SignIn | SecretKind::LinkFlow => Err(bad_input(
                "This was given by a server, and is shown and changed nowhere.",
                "Delete it, and sign in again.",
            )),
        }
    }

    async fn secret(&self, name: &str) -> Result<SecretView, ErrorView> {
        let (secrets, _) = self
            .engine
            .ask(|answer| Input::Secret(SecretInput::List { answer }))
            .await?;
        let found = secrets.into_iter().find(|secret| secret.name == name);
        found.ok_or_else(|| ErrorView {
            code: ErrorCode::Gone,
            message: format!("No server uses a secret named {name:?}."),
            hint: None,
        })
    }
}

fn failed(message: &str) -> ErrorView {
    ErrorView {
        code: ErrorCode::Failed,
        message: message.to_owned(),
        hint: None,
    }
}

fn condition(condition: Condition) -> StoreCondition {
    match condition {
        Condition::Unlocked => StoreCondition::Unlocked,
        Condition::Locked => StoreCondition::Locked,
        Condition::NoKeyring => StoreCondition::NoKeyring,
        Condition::SessionOnly => StoreCondition::SessionOnly,
        Condition::Silent => StoreCondition::Silent,
        _ => StoreCondition::Absent,
    }
}
