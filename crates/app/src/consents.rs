//! The hosts that a person agreed to open links to, server by server: what tells a first time from a further one. Their
//! file stands beside the catalog.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::api::links::AgreedHost;
use crate::api::servers::ServerId;
use crate::noted::Noted;

/// All consents, with their file.
#[derive(Debug)]
pub struct Consents {
    /// When each host was agreed to first, in microseconds since the Unix epoch.
    hosts: Noted<BTreeMap<ServerId, BTreeMap<String, u64>>>,
}

/// For warnings.
const WHAT: &str = "the hosts that were agreed to";

impl Consents {
    /// Reads them. Without their file each host is a first one.
    pub fn load(path: PathBuf) -> Self {
        Self {
            hosts: Noted::load(path, WHAT),
        }
    }

    /// None that are known, and none that are written.
    pub fn in_memory() -> Self {
        Self {
            hosts: Noted::in_memory(WHAT),
        }
    }

    /// The same consents; what comes to them is not written.
    pub fn kept_in_memory(self) -> Self {
        Self {
            hosts: self.hosts.kept_in_memory(),
        }
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
            self.hosts.save();
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
            self.hosts.save();
        }
    }

    /// Forgets a server that was removed.
    pub fn forget_all(&mut self, server: &str) {
        if self.hosts.remove(server).is_some() {
            self.hosts.save();
        }
    }
}
