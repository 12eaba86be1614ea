//! Which era each server over stdio was found to speak, so that connecting again needs no process for the question. It
//! is a file of its own beside the catalog: a finding of Roundtrip, not a wish of the person.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::api::servers::ServerId;
use crate::catalog::{Entry, Reach};
use crate::paths::write_whole;

/// What was found out about a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// `modern` or `legacy`.
    pub era: String,
    /// The revision that was agreed on.
    pub revision: String,
    /// What reached it, in a number: after an edit it is another server.
    reach: String,
    /// The version that it gave itself: after an update it may speak another era.
    version: Option<String>,
}

/// All findings, with their file.
#[derive(Debug)]
pub struct FoundEras {
    /// None: what is found lasts as long as the process.
    path: Option<PathBuf>,
    found: BTreeMap<ServerId, Found>,
}

impl FoundEras {
    /// Reads the findings. A file that is missing or cannot be read is none: they are found anew.
    pub fn load(path: PathBuf) -> Self {
        let found = std::fs::read_to_string(&path)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        Self {
            path: Some(path),
            found,
        }
    }

    /// Findings that nobody has yet and that are not written.
    pub fn in_memory() -> Self {
        Self {
            path: None,
            found: BTreeMap::new(),
        }
    }

    /// The same findings; what comes to them is not written.
    pub fn kept_in_memory(self) -> Self {
        Self { path: None, ..self }
    }

    /// What is known of the server as it is reached now.
    pub fn get(&self, entry: &Entry) -> Option<&Found> {
        self.found
            .get(&entry.id)
            .filter(|found| found.reach == reach_of(entry))
    }

    /// Remembers what was found. A server that gives itself another version than before is forgotten instead, so that it
    /// is asked again the next time.
    pub fn remember(&mut self, entry: &Entry, era: &str, revision: &str, version: Option<&str>) {
        let found = Found {
            era: era.to_owned(),
            revision: revision.to_owned(),
            reach: reach_of(entry),
            version: version.map(str::to_owned),
        };
        match self.get(entry) {
            Some(before) if *before == found => {}
            Some(before) if before.era == found.era && before.version != found.version => {
                self.forget(&entry.id);
            }
            _ => {
                self.found.insert(entry.id.clone(), found);
                self.save();
            }
        }
    }

    /// Forgets a server, because it was removed or because what was found does not hold.
    pub fn forget(&mut self, server: &str) {
        if self.found.remove(server).is_some() {
            self.save();
        }
    }

    fn save(&self) {
        let Some(path) = &self.path else {
            return;
        };
        // Without it each connection asks anew, which a person can live with.
        let written = serde_json::to_string_pretty(&self.found)
            .map_err(std::io::Error::from)
            .and_then(|text| write_whole(path, &text));
        if let Err(error) = written {
            tracing::warn!(%error, "the eras that were found could not be written");
        }
    }
}

/// A number for the command, arguments, environment and folder, which are not written down a second time.
pub(crate) fn reach_of(entry: &Entry) -> String {
    let mut hasher = DefaultHasher::new();
    match &entry.reach {
        Reach::DemoStdio => "demo over stdio".hash(&mut hasher),
        Reach::DemoHttp => "demo over HTTP".hash(&mut hasher),
        Reach::DemoProtected => "demo with sign-in".hash(&mut hasher),
        Reach::Endpoint(endpoint) => serde_json::to_string(endpoint)
            .unwrap_or_default()
            .hash(&mut hasher),
    }
    format!("{:016x}", hasher.finish())
}
