//! What the server keeps of one client of an earlier revision. Clients of 2026-07-28 say everything in each request.

#![allow(deprecated)] // Logging is deprecated by SEP-2577, and works until it is removed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::LoggingLevel;

use crate::notices::Subscribed;

/// One client.
pub(crate) struct Session {
    pub(crate) subscribed: Arc<Subscribed>,
    log_level: Mutex<LoggingLevel>,
    /// The deposits that its calls wait for: by restaurant and euros.
    deposits: Mutex<HashMap<(&'static str, u32), String>>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            subscribed: Arc::default(),
            log_level: Mutex::new(LoggingLevel::Info),
            deposits: Mutex::default(),
        }
    }
}

impl Session {
    /// The least urgent level that the client wants to hear of.
    pub(crate) fn log_level(&self) -> LoggingLevel {
        *self
            .log_level
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        *self
            .log_level
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = level;
    }

    /// The deposit that a call for this waits for.
    pub(crate) fn deposit(&self, key: (&'static str, u32)) -> Option<String> {
        self.deposits().get(&key).cloned()
    }

    pub(crate) fn keep_deposit(&self, key: (&'static str, u32), deposit: String) {
        self.deposits().insert(key, deposit);
    }

    pub(crate) fn forget_deposit(&self, key: (&'static str, u32)) {
        self.deposits().remove(&key);
    }

    fn deposits(&self) -> MutexGuard<'_, HashMap<(&'static str, u32), String>> {
        self.deposits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
