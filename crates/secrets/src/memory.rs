//! A store that forgets.

use std::collections::HashMap;

use secrecy::SecretString;

use crate::SecretsError;
use crate::store::{Condition, SecretStore, StoreState, check_name};

/// Keeps secrets in memory: for tests, and for values that are to last for this session only.
#[derive(Debug, Default)]
pub struct MemoryStore(HashMap<String, SecretString>);

impl MemoryStore {
    /// An empty one.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }
}

impl SecretStore for MemoryStore {
    fn name(&self) -> &'static str {
        "Memory"
    }

    fn get(&mut self, name: &str) -> Result<Option<SecretString>, SecretsError> {
        check_name(name)?;
        Ok(self.0.get(name).cloned())
    }

    fn set(&mut self, name: &str, value: &SecretString) -> Result<(), SecretsError> {
        check_name(name)?;
        self.0.insert(name.to_owned(), value.clone());
        Ok(())
    }

    fn delete(&mut self, name: &str) -> Result<(), SecretsError> {
        check_name(name)?;
        self.0.remove(name);
        Ok(())
    }

    fn describe(&mut self) -> StoreState {
        StoreState {
            name: self.name(),
            condition: Condition::SessionOnly,
        }
    }
}
