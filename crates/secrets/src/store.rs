//! The port behind which secrets are kept.

use std::fmt;

use secrecy::SecretString;

use crate::SecretsError;

/// A place that keeps secrets by name. Calls may block; [`crate::Keyring`] makes them from a thread of their own.
pub trait SecretStore: Send {
    /// The store's name, as its users know it.
    fn name(&self) -> &'static str;

    /// The value under `name`; none when there is none, or when the whole store is absent.
    fn get(&mut self, name: &str) -> Result<Option<SecretString>, SecretsError>;

    /// Keeps a value under `name`, in place of the one that was there.
    fn set(&mut self, name: &str, value: &SecretString) -> Result<(), SecretsError>;

    /// Takes the value away. That there is none is no error, but that the store cannot be reached is.
    fn delete(&mut self, name: &str) -> Result<(), SecretsError>;

    /// How the store is. Never asks the person for anything.
    fn describe(&mut self) -> StoreState;

    /// Asks the person for the store's password, where it is locked. Most stores do so by themselves when they must.
    ///
    /// # Errors
    /// It stays locked, or is not there.
    fn unlock(&mut self) -> Result<(), SecretsError> {
        Ok(())
    }
}

/// A store and how it is; its `Display` is what the status bar shows, e.g. `Secret Service, unlocked`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreState {
    /// The store's name.
    pub name: &'static str,
    /// How it is.
    pub condition: Condition,
}

/// How a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Condition {
    /// Ready.
    Unlocked,
    /// It will ask for its password.
    Locked,
    /// It is there, but has no keyring to put anything into.
    NoKeyring,
    /// It is not there.
    Absent,
    /// It did not say: probably its password dialog is open.
    Silent,
    /// It forgets everything when the app ends.
    SessionOnly,
}

impl StoreState {
    /// Whether a value that it does not give is one that it does not have.
    pub fn can_be_read(&self) -> bool {
        matches!(self.condition, Condition::Unlocked | Condition::SessionOnly)
    }
}

impl fmt::Display for StoreState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let condition = match self.condition {
            Condition::Unlocked => "unlocked",
            Condition::Locked => "locked",
            Condition::NoKeyring => "no default keyring",
            Condition::Absent => "not available",
            Condition::Silent => "not answering",
            Condition::SessionOnly => "this session only",
        };
        write!(f, "{}, {condition}", self.name)
    }
}

/// Refuses names that no store takes.
pub(crate) fn check_name(name: &str) -> Result<(), SecretsError> {
    if name.is_empty() || name.contains(char::is_control) {
        return Err(SecretsError::BadName);
    }
    Ok(())
}
