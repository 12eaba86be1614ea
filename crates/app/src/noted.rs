//! Small files beside the catalog with what Roundtrip noted: what it would find out, or ask, again without them. So one
//! that is missing or cannot be read is as good as empty, and that one cannot be written is a warning and no error.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::paths::write_whole;

/// What is noted, with its file.
#[derive(Debug)]
pub struct Noted<T> {
    /// None: it lasts as long as the process.
    path: Option<PathBuf>,
    /// What it is, in the plural, for the warning.
    what: &'static str,
    value: T,
}

impl<T: Default + Serialize + DeserializeOwned> Noted<T> {
    /// Reads the file.
    pub fn load(path: PathBuf, what: &'static str) -> Self {
        Self {
            value: read(&path),
            path: Some(path),
            what,
        }
    }

    /// Nothing is noted yet, and nothing is written.
    pub fn in_memory(what: &'static str) -> Self {
        Self {
            path: None,
            what,
            value: T::default(),
        }
    }

    /// The same; what comes to it is not written.
    pub fn kept_in_memory(self) -> Self {
        Self { path: None, ..self }
    }

    /// The file; none where what is noted lasts as long as the process.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Writes the file.
    pub fn save(&self) {
        let Some(path) = &self.path else {
            return;
        };
        let written = serde_json::to_string_pretty(&self.value)
            .map_err(std::io::Error::from)
            .and_then(|text| write_whole(path, &text));
        if let Err(error) = written {
            tracing::warn!(%error, path = %path.display(), "{} could not be written", self.what);
        }
    }
}

impl<T> Deref for Noted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Noted<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

/// What a file of this kind holds.
pub fn read<T: Default + DeserializeOwned>(path: &Path) -> T {
    std::fs::read_to_string(path)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}
