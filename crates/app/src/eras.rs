//! Which era each server over stdio was found to speak, so that connecting again needs no process for the question. It
//! is a file of its own beside the catalog: a finding of Roundtrip, not a wish of the person.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::api::servers::ServerId;
use crate::catalog::{Entry, Reach};
use crate::noted::Noted;

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
    found: Noted<BTreeMap<ServerId, Found>>,
}

/// For warnings.
const WHAT: &str = "the eras that were found";

impl FoundEras {
    /// Reads the findings. Without their file they are found anew.
    pub fn load(path: PathBuf) -> Self {
        Self {
            found: Noted::load(path, WHAT),
        }
    }

    /// Findings that nobody has yet and that are not written.
    pub fn in_memory() -> Self {
        Self {
            found: Noted::in_memory(WHAT),
        }
    }

    /// The same findings; what comes to them is not written.
    pub fn kept_in_memory(self) -> Self {
        Self {
            found: self.found.kept_in_memory(),
        }
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
                self.found.save();
            }
        }
    }

    /// Forgets a server, because it was removed or because what was found does not hold.
    pub fn forget(&mut self, server: &str) {
        if self.found.remove(server).is_some() {
            self.found.save();
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
