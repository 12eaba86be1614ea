//! The operating system's own store.

#[cfg(target_os = "linux")]
mod secret_service;

use std::collections::HashMap;
use std::sync::Arc;

use keyring_core::{CredentialStore, Entry, Error};
use secrecy::{ExposeSecret as _, SecretString};

use crate::SecretsError;
use crate::parts::{self, Held};
use crate::store::{Condition, SecretStore, StoreState, check_name};

/// Under which service the entries are filed; the app's identifier.
const SERVICE: &str = "dev.roundtrip.inspector";

/// Opens a store. Called again whenever the one that was opened breaks.
type Open = fn() -> keyring_core::Result<Arc<CredentialStore>>;

/// Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.
///
/// The store is opened by the first call that needs it, and opened anew when the platform reports a failure: a session
/// bus or a keyring daemon may start late, or restart.
pub struct PlatformStore {
    name: &'static str,
    open: Open,
    opened: Option<Arc<CredentialStore>>,
    describe: fn() -> Condition,
    /// Asks for the store's password; an error says why it stays locked.
    unlock: fn() -> Result<(), String>,
    /// How many UTF-16 units one entry takes, where there is a limit.
    entry_limit: Option<usize>,
    /// Whether entries take a label for people to read.
    has_labels: bool,
}

impl PlatformStore {
    /// The store of this operating system, not opened yet.
    #[cfg(target_os = "linux")]
    pub fn new() -> PlatformStore {
        PlatformStore {
            name: "Secret Service",
            open: || {
                zbus_secret_service_keyring_store::Store::new()
                    .map(|store| store as Arc<CredentialStore>)
            },
            opened: None,
            describe: secret_service::condition,
            unlock: secret_service::unlock,
            entry_limit: None,
            has_labels: true,
        }
    }

    /// The store of this operating system, not opened yet.
    #[cfg(target_os = "macos")]
    pub fn new() -> PlatformStore {
        PlatformStore {
            name: "Keychain",
            open: || {
                apple_native_keyring_store::keychain::Store::new()
                    .map(|store| store as Arc<CredentialStore>)
            },
            opened: None,
            // The system asks when it must, and says nothing before.
            describe: || Condition::Unlocked,
            unlock: || Ok(()),
            entry_limit: None,
            has_labels: false,
        }
    }

    /// The store of this operating system, not opened yet.
    #[cfg(target_os = "windows")]
    pub fn new() -> PlatformStore {
        PlatformStore {
            name: "Credential Manager",
            open: || {
                windows_native_keyring_store::Store::new()
                    .map(|store| store as Arc<CredentialStore>)
            },
            opened: None,
            // It is open for as long as the person is logged in.
            describe: || Condition::Unlocked,
            unlock: || Ok(()),
            // A credential holds 2560 bytes, and the text is kept as UTF-16.
            entry_limit: Some(1280),
            has_labels: false,
        }
    }

    /// The store of this operating system: there is none that is known.
    #[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "windows")))]
    pub fn new() -> PlatformStore {
        PlatformStore {
            name: "The system's keyring",
            open: || {
                Err(Error::NotSupportedByStore(
                    "this operating system has none that is known".to_owned(),
                ))
            },
            opened: None,
            describe: || Condition::Absent,
            unlock: || Err("this operating system has none that is known".to_owned()),
            entry_limit: None,
            has_labels: false,
        }
    }

    /// Does something with the entry of `name`, and once more with a store that was opened anew when the platform
    /// fails.
    fn with_entry<T>(
        &mut self,
        name: &str,
        work: impl Fn(&Entry) -> keyring_core::Result<T>,
    ) -> Result<keyring_core::Result<T>, SecretsError> {
        let was_open = self.opened.is_some();
        let first = self.entry(name)?.and_then(|entry| work(&entry));
        match first {
            Err(Error::PlatformFailure(error)) if was_open => {
                tracing::debug!(%error, "the secret store is opened anew");
                self.opened = None;
                Ok(self.entry(name)?.and_then(|entry| work(&entry)))
            }
            other => Ok(other),
        }
    }

    fn entry(&mut self, name: &str) -> Result<keyring_core::Result<Entry>, SecretsError> {
        let store = if let Some(store) = &self.opened {
            store
        } else {
            let store = (self.open)().map_err(|error| SecretsError::Absent {
                store: self.name,
                why: error.to_string(),
            })?;
            self.opened.insert(store)
        };
        Ok(if self.has_labels {
            let label = format!("Roundtrip: {name}");
            Entry::new_in_store_with_modifiers(
                store,
                SERVICE,
                name,
                &HashMap::from([("label", label.as_str())]),
            )
        } else {
            Entry::new_in_store(store, SERVICE, name)
        })
    }

    /// One entry's text.
    fn read(&mut self, name: &str) -> Result<Option<SecretString>, SecretsError> {
        match self.with_entry(name, Entry::get_password)? {
            Ok(text) => Ok(Some(SecretString::from(text))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(self.explain(name, &error)),
        }
    }

    fn write(&mut self, name: &str, text: &str) -> Result<(), SecretsError> {
        self.with_entry(name, |entry| entry.set_password(text))?
            .map_err(|error| self.explain(name, &error))
    }

    fn erase(&mut self, name: &str) -> Result<(), SecretsError> {
        match self.with_entry(name, Entry::delete_credential)? {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(self.explain(name, &error)),
        }
    }

    fn write_parts(&mut self, name: &str, parts: &[&str]) -> Result<(), SecretsError> {
        for (index, part) in parts.iter().enumerate() {
            self.write(&parts::part_name(name, index + 1), part)?;
        }
        self.write(name, &parts::head(parts.len()))
    }

    /// How many parts the entry of `name` stands for; none when it is whole, damaged or not there.
    fn count_parts(&mut self, name: &str) -> Result<usize, SecretsError> {
        if self.entry_limit.is_none() {
            return Ok(0);
        }
        // What cannot be read holds no parts that could be found.
        let entry = match self.read(name) {
            Err(SecretsError::Unreadable { .. }) => None,
            other => other?,
        };
        Ok(
            match entry.map(|entry| parts::held(entry.expose_secret())) {
                Some(Held::Parts(count)) => count,
                _ => 0,
            },
        )
    }

    /// The platform's error in our words. Never its `Debug`, which may hold the value.
    fn explain(&self, name: &str, error: &Error) -> SecretsError {
        let store = self.name;
        let unreadable = |why: &str| SecretsError::Unreadable {
            store,
            name: name.to_owned(),
            why: why.to_owned(),
        };
        match error {
            Error::NoEntry => SecretsError::NoKeyring { store },
            #[cfg(target_os = "linux")]
            Error::NoStorageAccess(error) if secret_service::has_no_keyring(error.as_ref()) => {
                SecretsError::NoKeyring { store }
            }
            Error::NoStorageAccess(error) => SecretsError::Locked {
                store,
                why: error.to_string(),
            },
            Error::BadEncoding(_) => unreadable("it is not text"),
            Error::BadDataFormat(..) | Error::BadStoreFormat(_) => {
                unreadable("its format is not known")
            }
            Error::Ambiguous(_) => unreadable("there is more than one entry"),
            Error::TooLong(_, limit) => SecretsError::TooLong {
                store,
                limit: *limit,
            },
            Error::PlatformFailure(error) => SecretsError::Failed {
                store,
                why: error.to_string(),
            },
            Error::Invalid(what, why) => SecretsError::Failed {
                store,
                why: format!("{what} {why}"),
            },
            Error::NotSupportedByStore(why) => SecretsError::Failed {
                store,
                why: why.clone(),
            },
            other => SecretsError::Failed {
                store,
                why: other.to_string(),
            },
        }
    }
}

impl Default for PlatformStore {
    fn default() -> PlatformStore {
        PlatformStore::new()
    }
}

impl std::fmt::Debug for PlatformStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlatformStore")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl SecretStore for PlatformStore {
    fn name(&self) -> &'static str {
        self.name
    }

    fn get(&mut self, name: &str) -> Result<Option<SecretString>, SecretsError> {
        check_name(name)?;
        let entry = match self.read(name) {
            // An app without a keyring still works; what it does not have it asks for.
            Err(SecretsError::Absent { .. }) | Ok(None) => return Ok(None),
            Ok(Some(entry)) => entry,
            Err(error) => return Err(error),
        };
        if self.entry_limit.is_none() {
            return Ok(Some(entry));
        }
        let damaged = |why: &str| SecretsError::Unreadable {
            store: self.name,
            name: name.to_owned(),
            why: why.to_owned(),
        };
        match parts::held(entry.expose_secret()) {
            Held::Whole => Ok(Some(entry)),
            Held::Damaged => Err(damaged("its list of parts makes no sense")),
            Held::Parts(count) => {
                let missing = damaged("a part of it is missing");
                let mut whole = String::new();
                for number in 1..=count {
                    let part = self
                        .read(&parts::part_name(name, number))?
                        .ok_or_else(|| missing.clone())?;
                    whole.push_str(part.expose_secret());
                }
                Ok(Some(SecretString::from(whole)))
            }
        }
    }

    fn set(&mut self, name: &str, value: &SecretString) -> Result<(), SecretsError> {
        check_name(name)?;
        let value = value.expose_secret();
        let before = self.count_parts(name)?;
        let cut = self.entry_limit.and_then(|limit| parts::cut(value, limit));
        let kept = cut.as_ref().map_or(0, Vec::len);
        match cut {
            None => self.write(name, value)?,
            Some(parts) => {
                // Whole or absent: while its parts are written, the value is not there.
                self.erase(name)?;
                let written = self.write_parts(name, &parts);
                if let Err(error) = written {
                    for number in 1..=parts.len().max(before) {
                        // What the store does not take away either cannot be read without its list of parts.
                        self.erase(&parts::part_name(name, number)).ok();
                    }
                    return Err(error);
                }
            }
        }
        for number in kept + 1..=before {
            self.erase(&parts::part_name(name, number))?;
        }
        Ok(())
    }

    fn delete(&mut self, name: &str) -> Result<(), SecretsError> {
        check_name(name)?;
        let count = self.count_parts(name)?;
        // Whole or absent: without the list of its parts it is gone.
        self.erase(name)?;
        for number in 1..=count {
            self.erase(&parts::part_name(name, number))?;
        }
        Ok(())
    }

    fn describe(&mut self) -> StoreState {
        StoreState {
            name: self.name,
            condition: (self.describe)(),
        }
    }

    fn unlock(&mut self) -> Result<(), SecretsError> {
        (self.unlock)().map_err(|why| match (self.describe)() {
            Condition::Absent => SecretsError::Absent {
                store: self.name,
                why,
            },
            Condition::NoKeyring => SecretsError::NoKeyring { store: self.name },
            _ => SecretsError::Locked {
                store: self.name,
                why,
            },
        })
    }
}

#[cfg(test)]
mod tests;
