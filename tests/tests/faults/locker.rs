//! A store of secrets that a test can lock.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use secrets::{Condition, Keyring, SecretStore, SecretString, SecretsError, StoreState, expose};

/// A store that can be locked, and that a further core finds as it was left.
#[derive(Clone, Default)]
pub struct Locker {
    held: Arc<Mutex<HashMap<String, String>>>,
    is_locked: Arc<AtomicBool>,
}

impl Locker {
    /// A door to it.
    pub fn door(&self) -> Keyring {
        Keyring::new(self.clone())
    }

    /// Locks it, or unlocks it.
    pub fn set_locked(&self, is_locked: bool) {
        self.is_locked.store(is_locked, Ordering::SeqCst);
    }

    /// All that it holds.
    pub fn text(&self) -> String {
        format!("{:?}", self.held.lock().expect("no panic"))
    }

    /// Changes what it holds under this name.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut String)) {
        let mut held = self.held.lock().expect("no panic");
        change(held.get_mut(name).expect("it is held"));
    }

    fn open(&self) -> Result<MutexGuard<'_, HashMap<String, String>>, SecretsError> {
        if self.is_locked.load(Ordering::SeqCst) {
            return Err(SecretsError::Locked {
                store: "Test store",
                why: "its password was not given".to_owned(),
            });
        }
        Ok(self.held.lock().expect("no panic"))
    }
}

impl SecretStore for Locker {
    fn name(&self) -> &'static str {
        "Test store"
    }

    fn get(&mut self, name: &str) -> Result<Option<SecretString>, SecretsError> {
        Ok(self.open()?.get(name).cloned().map(SecretString::from))
    }

    fn set(&mut self, name: &str, value: &SecretString) -> Result<(), SecretsError> {
        self.open()?
            .insert(name.to_owned(), expose(value).to_owned());
        Ok(())
    }

    fn delete(&mut self, name: &str) -> Result<(), SecretsError> {
        self.open()?.remove(name);
        Ok(())
    }

    fn describe(&mut self) -> StoreState {
        let is_locked = self.is_locked.load(Ordering::SeqCst);
        StoreState {
            name: "Test store",
            condition: if is_locked {
                Condition::Locked
            } else {
                Condition::Unlocked
            },
        }
    }
}
