//! When each secret was used last: its name and a time, in a file beside the catalog.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::paths::write_whole;

/// How long a use may be unwritten while more come.
const PAUSE: Duration = Duration::from_secs(30);

/// All uses, with their file.
#[derive(Debug, Default)]
pub struct SecretUses {
    /// None: they are known for as long as the process lasts.
    path: Option<PathBuf>,
    /// In microseconds since the Unix epoch.
    last: BTreeMap<String, u64>,
    is_due: bool,
    saved_at: Option<Instant>,
}

impl SecretUses {
    /// Reads them. A file that is missing or cannot be read is none.
    pub fn load(path: PathBuf) -> Self {
        let last = std::fs::read_to_string(&path)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        Self {
            path: Some(path),
            last,
            is_due: false,
            saved_at: None,
        }
    }

    /// When the secret of this name was used last.
    pub fn last(&self, name: &str) -> Option<u64> {
        self.last.get(name).copied()
    }

    /// The secret of this name is used now.
    pub fn note(&mut self, name: &str, now_micros: u64) {
        self.last.insert(name.to_owned(), now_micros);
        self.is_due = true;
    }

    /// The secret of this name is no more.
    pub fn forget(&mut self, name: &str) {
        self.is_due |= self.last.remove(name).is_some();
    }

    /// Writes what has changed, at most once in a while.
    pub fn save_in_time(&mut self) {
        if self.saved_at.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.saved_at = Some(Instant::now());
            self.save();
        }
    }

    /// Writes what has changed.
    pub fn save(&mut self) {
        if !std::mem::take(&mut self.is_due) {
            return;
        }
        let Some(path) = &self.path else {
            return;
        };
        let written = serde_json::to_string_pretty(&self.last)
            .map_err(std::io::Error::from)
            .and_then(|text| write_whole(path, &text));
        if let Err(error) = written {
            tracing::warn!(%error, "when secrets were used last could not be written");
        }
    }
}
