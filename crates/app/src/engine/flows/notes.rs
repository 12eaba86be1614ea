//! Notes of which servers have link flows in the keyring, so that it is asked for nobody else.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::api::servers::ServerId;
use crate::noted::Noted;

/// What everybody may know of a server's flows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    /// The keyring's name for them.
    pub(super) kept_as: String,
    /// They have ended, and the keyring could not be told yet.
    #[serde(default)]
    pub(super) is_over: bool,
}

/// All notes, with their file.
#[derive(Debug)]
pub struct FlowNotes {
    notes: Noted<BTreeMap<ServerId, Note>>,
}

/// For warnings.
const WHAT: &str = "the notes of link flows";

impl FlowNotes {
    /// Reads the notes. Without their file no flow is offered after a restart.
    pub fn load(path: PathBuf) -> Self {
        Self {
            notes: Noted::load(path, WHAT),
        }
    }

    /// Notes of nothing, for a run that keeps nothing.
    pub fn in_memory() -> Self {
        Self {
            notes: Noted::in_memory(WHAT),
        }
    }

    /// Whether flows outlive the process.
    pub(super) fn keeps(&self) -> bool {
        self.notes.path().is_some()
    }

    pub(super) fn get(&self, server: &str) -> Option<&Note> {
        self.notes.get(server)
    }

    pub(super) fn all(&self) -> Vec<(ServerId, Note)> {
        let notes = self.notes.iter();
        notes
            .map(|(server, note)| (server.clone(), note.clone()))
            .collect()
    }

    /// The keyring's name for a server's flows: the one that they have, else one that no other server's have.
    pub(super) fn name_for(&self, server: &str, server_name: &str) -> String {
        if let Some(note) = self.notes.get(server) {
            return note.kept_as.clone();
        }
        let plain: String = format!("links {server_name}")
            .chars()
            .map(|c| if c.is_control() { '_' } else { c })
            .collect();
        let is_free = |name: &String| self.notes.values().all(|note| note.kept_as != *name);
        (2..)
            .map(|number: u32| format!("{plain} {number}"))
            .take(self.notes.len())
            .fold(Some(plain.clone()).filter(is_free), |free, next| {
                free.or_else(|| Some(next).filter(is_free))
            })
            .unwrap_or(plain)
    }

    pub(super) fn set(&mut self, server: &str, note: Note) {
        let before = self.notes.insert(server.to_owned(), note.clone());
        if before != Some(note) {
            self.notes.save();
        }
    }

    pub(super) fn remove(&mut self, server: &str) {
        if self.notes.remove(server).is_some() {
            self.notes.save();
        }
    }
}
