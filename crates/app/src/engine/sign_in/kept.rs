//! What is kept of a sign-in. The secret part is one value in the keyring, whole or absent, bound to its server; beside
//! the catalog stands a note without secrets, so that nobody has to ask the keyring who is signed in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use protocol::authorization::client::Client;
use protocol::authorization::token::Grant;
use secrets::{Keyring, Redactor, SecretString, SecretsError};
use serde::{Deserialize, Serialize};

use crate::api::servers::ServerId;
use crate::api::sign_in::SignInSecrets;
use crate::noted::Noted;

/// What the keyring holds for one server.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// What a sign-in gave.
    pub(super) grant: Option<Grant>,
    /// Identities that authorization servers gave, one each.
    pub(super) clients: Vec<Client>,
    /// The authorization server that the entered identity was used with first.
    pub(super) client_issuer: Option<String>,
    /// What the person entered.
    pub(super) secrets: KeptSecrets,
    /// The key that tokens are bound to, once one was.
    pub(super) proof_key: Option<String>,
}

/// What the person entered.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptSecrets {
    pub(super) client_secret: Option<String>,
    pub(super) private_key: Option<String>,
    pub(super) assertion: Option<String>,
    pub(super) id_token: Option<String>,
}

impl KeptSecrets {
    fn all(&self) -> [(&'static str, &Option<String>); 4] {
        [
            ("client_secret", &self.client_secret),
            ("private_key", &self.private_key),
            ("assertion", &self.assertion),
            ("id_token", &self.id_token),
        ]
    }

    /// The names of those that there are.
    pub(super) fn names(&self) -> Vec<String> {
        self.all()
            .into_iter()
            .filter(|(_, value)| value.is_some())
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    /// Takes what was entered: an empty value takes away.
    fn take(&mut self, entered: SignInSecrets) {
        let SignInSecrets {
            client_secret,
            private_key,
            assertion,
            id_token,
        } = entered;
        for (kept, entered) in [
            (&mut self.client_secret, client_secret),
            (&mut self.private_key, private_key),
            (&mut self.assertion, assertion),
            (&mut self.id_token, id_token),
        ] {
            if let Some(value) = entered {
                *kept = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
            }
        }
    }
}

impl Kept {
    /// The keyring's name for it.
    pub(in crate::engine) fn name(server: &str) -> String {
        format!("sign-in {server}")
    }

    /// Reads it.
    ///
    /// # Errors
    /// The keyring cannot be read, or holds something else.
    pub(super) async fn read(
        keyring: &Keyring,
        server: &str,
    ) -> Result<Option<Self>, SecretsError> {
        let value = keyring.get(&Self::name(server)).await?;
        // What an older or newer Roundtrip put there is as good as nothing: the person signs in anew.
        Ok(value.and_then(|value| serde_json::from_str(secrets::expose(&value)).ok()))
    }

    /// Writes it, or takes it away where there is nothing to keep.
    ///
    /// # Errors
    /// The keyring cannot be written.
    pub(super) async fn write(&self, keyring: &Keyring, server: &str) -> Result<(), SecretsError> {
        let name = Self::name(server);
        if *self == Self::default() {
            return keyring.delete(&name).await;
        }
        let text = serde_json::to_string(self).unwrap_or_default();
        keyring.set(&name, SecretString::from(text)).await
    }

    /// Teaches the redactor every secret in it.
    pub(super) fn teach(&self, redactor: &Redactor, owner: &str) {
        for (name, value) in self.secrets.all() {
            teach(redactor, owner, name, value.as_deref());
        }
        let clients = self
            .clients
            .iter()
            .chain(self.grant.iter().map(|grant| &grant.client));
        for client in clients {
            teach(redactor, owner, "client_secret", client.secret.as_deref());
            teach(
                redactor,
                owner,
                "registration_access_token",
                client.registration_token.as_deref(),
            );
        }
        teach(redactor, owner, "proof_key", self.proof_key.as_deref());
        if let Some(grant) = &self.grant {
            teach(redactor, owner, "access_token", Some(&grant.access_token));
            teach(
                redactor,
                owner,
                "refresh_token",
                grant.refresh_token.as_deref(),
            );
            teach(redactor, owner, "id_token", grant.id_token.as_deref());
        }
    }

    /// Keeps an identity in place of the one of before of the same authorization server.
    pub(super) fn keep_client(&mut self, client: &Client) {
        use protocol::authorization::client::ClientKind;
        match client.kind {
            ClientKind::Dynamic => {
                self.clients.retain(|known| known.issuer != client.issuer);
                self.clients.push(client.clone());
            }
            ClientKind::Preregistered => self.client_issuer = Some(client.issuer.clone()),
            ClientKind::MetadataDocument => {}
        }
    }

    /// Takes what the person entered.
    pub(super) fn enter(&mut self, entered: SignInSecrets) {
        self.secrets.take(entered);
    }

    /// Of what another process and this one hold, the newer.
    pub(super) fn newer(self, other: Self) -> Self {
        let age = |kept: &Self| kept.grant.as_ref().map_or(0, |grant| grant.obtained_micros);
        if age(&other) > age(&self) {
            other
        } else {
            self
        }
    }
}

/// A longer token goes into no header. The redactor looks for each value in many forms, so it is not to have whatever an
/// authorization server sends.
const LONGEST: usize = 32 << 10;

/// Teaches the redactor one secret, under a name that says what it is.
pub(super) fn teach(redactor: &Redactor, owner: &str, what: &str, value: Option<&str>) {
    if let Some(value) = value {
        // A name that breaks neither JSON nor its own braces.
        let owner: String = owner
            .chars()
            .map(|c| {
                if matches!(c, '"' | '\\' | '{' | '}') || c.is_control() {
                    '_'
                } else {
                    c
                }
            })
            .collect();
        let name = format!("{owner}/{what}");
        if value.len() > LONGEST {
            redactor.add_made_up(&name, value);
        } else {
            redactor.add(&name, SecretString::from(value));
        }
    }
}

/// What everybody may know of a sign-in that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// The authorization server; nothing while nobody is signed in and there is something else in the keyring.
    pub(super) issuer: Option<String>,
    /// What is allowed.
    pub(super) scopes: Vec<String>,
    /// Until when, in microseconds since the Unix epoch.
    pub(super) expires_micros: Option<u64>,
    /// There is a refresh token.
    pub(super) refreshes: bool,
}

impl Note {
    /// Of what is kept.
    pub(super) fn of(kept: &Kept) -> Self {
        match &kept.grant {
            None => Self::default(),
            Some(grant) => Self {
                issuer: Some(grant.client.issuer.clone()),
                scopes: grant.granted.clone(),
                expires_micros: grant.expires_micros,
                refreshes: grant.refresh_token.is_some(),
            },
        }
    }
}

/// All notes, with their file.
#[derive(Debug)]
pub struct SignInNotes {
    notes: Noted<BTreeMap<ServerId, Note>>,
}

/// For warnings.
const WHAT: &str = "the notes of who is signed in";

impl SignInNotes {
    /// Reads the notes. Without their file the keyring is asked again after the next sign-in.
    pub fn load(path: PathBuf) -> Self {
        Self {
            notes: Noted::load(path, WHAT),
        }
    }

    /// Notes that nobody has yet and that are not written.
    pub fn in_memory() -> Self {
        Self {
            notes: Noted::in_memory(WHAT),
        }
    }

    pub(super) fn get(&self, server: &str) -> Option<&Note> {
        self.notes.get(server)
    }

    /// Notes what is in the keyring; nothing when it holds nothing.
    pub(super) fn set(&mut self, server: &str, kept: &Kept) {
        let changed = if *kept == Kept::default() {
            self.notes.remove(server).is_some()
        } else {
            let note = Note::of(kept);
            self.notes.insert(server.to_owned(), note.clone()) != Some(note)
        };
        if changed {
            self.notes.save();
        }
    }

    pub(super) fn forget(&mut self, server: &str) {
        self.set(server, &Kept::default());
    }

    /// A file that only one process at a time locks, for what must not be done twice at once with a server.
    pub(super) fn lock_file(&self, server: &str) -> Option<PathBuf> {
        let folder = self.notes.path().and_then(Path::parent)?;
        let name: String = server
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '-' {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        Some(folder.join(format!("sign-in-{name}.lock")))
    }
}
