//! What each server was like when it was last connected, so that a person sees what has changed since. It is a file of its
//! own beside the catalog. Of what a server lists it has names and fingerprints, never the entries.

use std::collections::BTreeMap;
use std::path::PathBuf;

use protocol::listing::ListKind;
use serde::{Deserialize, Serialize};

use crate::api::changes::{ChangedFact, ChangedList, ServerChanges};
use crate::api::servers::{ServerId, ServerReport};
use crate::noted::Noted;

/// For warnings.
const WHAT: &str = "what servers were like";
/// Characters of a text that are kept.
const MOST_CHARS: usize = 20_000;
/// Entries of one list that are kept.
const MOST_ENTRIES: usize = 20_000;
/// Names of one kind that are told.
const MOST_TOLD: usize = 200;

/// What a server was like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Seen {
    at_micros: u64,
    /// What reached it: after an edit it is another server.
    reach: String,
    /// By what they are called.
    facts: BTreeMap<String, String>,
    /// The entries of each list that was fetched whole, by name: their fingerprints.
    lists: BTreeMap<String, BTreeMap<String, u64>>,
}

/// What all servers were like, with their file.
#[derive(Debug)]
pub struct LastSeen {
    seen: Noted<BTreeMap<ServerId, Seen>>,
}

impl LastSeen {
    /// Reads the file.
    pub fn load(path: PathBuf) -> Self {
        Self {
            seen: Noted::load(path, WHAT),
        }
    }

    /// Nothing was seen yet, and nothing is written.
    pub fn in_memory() -> Self {
        Self {
            seen: Noted::in_memory(WHAT),
        }
    }

    /// The server is connected: what it was like before, and from now on it is like this.
    pub fn connected(
        &mut self,
        server: &str,
        reach: String,
        report: &ServerReport,
        now_micros: u64,
    ) -> Option<Seen> {
        let before = self.seen.get(server).filter(|seen| seen.reach == reach);
        let before = before.cloned();
        let now = Seen {
            at_micros: now_micros,
            reach,
            facts: facts(report),
            // Until each is fetched it is as it was.
            lists: before
                .as_ref()
                .map(|before| before.lists.clone())
                .unwrap_or_default(),
        };
        self.seen.insert(server.to_owned(), now);
        self.seen.save();
        before
    }

    /// A list was fetched whole.
    pub fn listed(&mut self, server: &str, kind: ListKind, entries: Vec<(String, u64)>) {
        let Some(seen) = self.seen.get_mut(server) else {
            return;
        };
        let entries: BTreeMap<String, u64> = entries.into_iter().take(MOST_ENTRIES).collect();
        if seen.lists.get(kind.member()) != Some(&entries) {
            seen.lists.insert(kind.member().to_owned(), entries);
            self.seen.save();
        }
    }

    /// How the server differs from what it was like before. `fetched`: the lists that this connection has fetched.
    pub fn changes(
        &self,
        server: &str,
        before: Option<&Seen>,
        fetched: &[ListKind],
    ) -> ServerChanges {
        let (Some(before), Some(now)) = (before, self.seen.get(server)) else {
            return ServerChanges::default();
        };
        ServerChanges {
            since_micros: Some(before.at_micros),
            facts: changed_facts(&before.facts, &now.facts),
            lists: fetched
                .iter()
                .filter_map(|kind| {
                    let before = before.lists.get(kind.member())?;
                    let now = now.lists.get(kind.member())?;
                    changed_list(*kind, before, now)
                })
                .collect(),
        }
    }

    /// Forgets a server.
    pub fn forget(&mut self, server: &str) {
        if self.seen.remove(server).is_some() {
            self.seen.save();
        }
    }
}

fn facts(report: &ServerReport) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let mut note = |what: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let kept = value.chars().take(MOST_CHARS).collect();
            facts.insert(what.to_owned(), kept);
        }
    };
    note("name", report.name.as_deref());
    note("title", report.title.as_deref());
    note("version", report.version.as_deref());
    note("website", report.website.as_deref());
    note("instructions", report.instructions.as_deref());
    note("era", Some(&report.era));
    note("revision", Some(&report.revision));
    let capabilities: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&report.capabilities).unwrap_or_default();
    for (name, value) in &capabilities {
        match value {
            serde_json::Value::Object(extensions) if name == "extensions" => {
                for (extension, value) in extensions {
                    note(&format!("extension {extension}"), Some(&value.to_string()));
                }
            }
            value => note(&format!("capability {name}"), Some(&value.to_string())),
        }
    }
    facts
}

fn changed_facts(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Vec<ChangedFact> {
    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter(|name| before.get(*name) != now.get(*name))
        .take(MOST_TOLD)
        .map(|name| ChangedFact {
            what: name.clone(),
            before: before.get(name).cloned(),
            now: now.get(name).cloned(),
        })
        .collect()
}

fn changed_list(
    kind: ListKind,
    before: &BTreeMap<String, u64>,
    now: &BTreeMap<String, u64>,
) -> Option<ChangedList> {
    let told = |names: Vec<&String>| {
        let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
        let names = names.into_iter().take(MOST_TOLD).cloned().collect();
        (names, count)
    };
    let (new, new_count) = told(
        now.keys()
            .filter(|key| !before.contains_key(*key))
            .collect(),
    );
    let (gone, gone_count) = told(
        before
            .keys()
            .filter(|key| !now.contains_key(*key))
            .collect(),
    );
    let (changed, changed_count) = told(
        now.iter()
            .filter(|(key, print)| before.get(*key).is_some_and(|before| before != *print))
            .map(|(key, _)| key)
            .collect(),
    );
    let count = new_count + gone_count + changed_count;
    (count > 0).then(|| ChangedList {
        list: kind.noun().to_owned(),
        new,
        gone,
        changed,
        count,
    })
}

/// A fingerprint that is the same in every version of Roundtrip (FNV-1a).
pub fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
