//! The hosts that a person agreed to open links to, server by server: what tells a first time from a further one. Their
//! file stands beside the catalog.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::api::links::AgreedHost;
use crate::api::servers::ServerId;
use crate::paths::write_whole;

/// All consents, with their file.
#[derive(Debug, Default)]
pub struct Consents {
    /// None: they last as long as the process.
    path: Option<PathBuf>,
    /// When each host was agreed to first, in microseconds since the Unix epoch.
    hosts: BTreeMap<ServerId, BTreeMap<String, u64>>,
}

impl Consents {
    /// Reads them. A file that is missing or cannot be read is none: each host is a first one then.
    pub fn load(path: PathBuf) -> Self {
        let hosts = std::fs::read_to_string(&path)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        Self {
            path: Some(path),
            hosts,
        }
    }

    /// The same consents; what comes to them is not written.
    pub fn kept_in_memory(self) -> Self {
        Self { path: None, ..self }
    }

    /// Whether the person agreed to this host before.
    pub fn holds(&self, server: &str, host: &str) -> bool {
        self.hosts
            .get(server)
            .is_some_and(|hosts| hosts.contains_key(host))
    }

    /// The hosts of a server, by name.
    pub fn of(&self, server: &str) -> Vec<AgreedHost> {
        let hosts = self.hosts.get(server).into_iter().flatten();
        hosts
            .map(|(host, since_micros)| AgreedHost {
                host: host.clone(),
                since_micros: *since_micros,
            })
            .collect()
    }

    /// The person agrees to a host.
    pub fn add(&mut self, server: &str, host: &str, now_micros: u64) {
        let hosts = self.hosts.entry(server.to_owned()).or_default();
        if !hosts.contains_key(host) {
            hosts.insert(host.to_owned(), now_micros);
            self.save();
        }
    }

    /// Forgets a host.
    pub fn forget(&mut self, server: &str, host: &str) {
        let was_there = self
            .hosts
            .get_mut(server)
            .is_some_and(|hosts| hosts.remove(host).is_some());
        if was_there {
            self.hosts.retain(|_, hosts| !hosts.is_empty());
            self.save();
        }
    }

    /// Forgets a server that was removed.
    pub fn forget_all(&mut self, server: &str) {
        if self.hosts.remove(server).is_some() {
            self.save();
        }
    }

    fn save(&self) {
        let Some(path) = &self.path else {
            return;
        };
        // Without it each host is a first one again after a restart.
        let written = serde_json::to_string_pretty(&self.hosts)
            .map_err(std::io::Error::from)
            .and_then(|text| write_whole(path, &text));
        if let Err(error) = written {
            tracing::warn!(%error, "the hosts that were agreed to could not be written");
        }
    }
}
