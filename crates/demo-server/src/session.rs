//! What the server keeps of one client of an earlier revision. Clients of 2026-07-28 say everything in each request.

#![allow(deprecated)] // Logging is deprecated by SEP-2577, and works until it is removed.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::LoggingLevel;

use crate::notices::Subscribed;

/// One client.
pub(crate) struct Session {
    pub(crate) subscribed: Arc<Subscribed>,
    log_level: Mutex<LoggingLevel>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            subscribed: Arc::default(),
            log_level: Mutex::new(LoggingLevel::Info),
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
}
