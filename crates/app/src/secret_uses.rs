//! When each secret was used last: its name and a time, in a file beside the catalog.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::noted::Noted;

/// How long a use may be unwritten while more come.
const PAUSE: Duration = Duration::from_secs(30);

/// All uses, with their file.
#[derive(Debug)]
pub struct SecretUses {
    /// In microseconds since the Unix epoch.
    last: Noted<BTreeMap<String, u64>>,
    is_due: bool,
    saved_at: Option<Instant>,
}

/// For warnings.
const WHAT: &str = "the times when secrets were used last";

impl SecretUses {
    /// Reads them.
    pub fn load(path: PathBuf) -> Self {
        Self::of(Noted::load(path, WHAT))
    }

    /// Uses that are known for as long as the process lasts.
    pub fn in_memory() -> Self {
        Self::of(Noted::in_memory(WHAT))
    }

    fn of(last: Noted<BTreeMap<String, u64>>) -> Self {
        Self {
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
        if std::mem::take(&mut self.is_due) {
            self.last.save();
        }
    }
}
