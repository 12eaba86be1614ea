//! The catalog: the servers a person has added, kept in a file of the `mcpServers` form, and the bundled
//! demo servers, which are not in the file. Values marked secret are in the keyring; the file holds
//! `${secret:NAME}` in their place. Fields that Roundtrip does not know are kept.

mod checked;
mod entry;
mod form;
mod options;
mod reading;

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::api::servers::{ServerDraft, ServerId};
use crate::api::sign_in::SignInOptions;
use crate::api::{ErrorCode, ErrorView};
use crate::paths::write_whole;

pub use self::checked::checked;
pub use self::entry::{
    DEMO_HTTP, DEMO_SIGN_IN, DEMO_STDIO, Entry, Reach, command_line, named_values, plain_texts,
    secret_names_in,
};
use self::form::write_entry;
pub use self::form::{read_endpoint, secret_name};
pub use self::reading::Reread;

/// A server that was taken out of the catalog, and where it stood.
#[derive(Clone, Debug)]
pub struct Removed {
    place: usize,
    entry: Entry,
}

impl Removed {
    /// The server.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }
}

/// The catalog with its file.
#[derive(Debug)]
pub struct Catalog {
    path: PathBuf,
    entries: Vec<Entry>,
    /// Top-level fields of the file that are not ours.
    rest: Map<String, Value>,
    /// Entries that could not be understood; they are written back as they were.
    unreadable: Map<String, Value>,
    /// Why the file must not be written: it could not be read, and no copy of it could be made.
    unwritable: Option<ErrorView>,
    /// Nothing is written: what is saved lasts as long as this catalog.
    in_memory: bool,
    /// The file as it was read or written last, so that a change from outside is told from one of ours.
    known_text: Option<String>,
}

impl Catalog {
    /// The same catalog, whose file is never written.
    #[must_use]
    pub fn kept_in_memory(mut self) -> Self {
        self.in_memory = true;
        self.unwritable = None;
        self
    }

    /// The bundled servers alone.
    fn with_demos(path: PathBuf) -> Self {
        Self {
            path,
            entries: entry::demos(),
            rest: Map::new(),
            unreadable: Map::new(),
            unwritable: None,
            in_memory: false,
            known_text: None,
        }
    }

    /// The file that is to be watched for changes from outside.
    pub fn watched_file(&self) -> Option<PathBuf> {
        (!self.in_memory && self.path.parent().is_some()).then(|| self.path.clone())
    }

    /// All servers: those of the person first, then the bundled ones.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let own = self.entries.iter().filter(|entry| !entry.builtin());
        own.chain(self.entries.iter().filter(|entry| entry.builtin()))
    }

    /// The server with this id.
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// Whether a server can have this name.
    ///
    /// # Errors
    /// Another one has it.
    pub fn check_name(&self, id: Option<&str>, name: &str) -> Result<(), ErrorView> {
        let taken = self
            .entries
            .iter()
            .any(|entry| entry.name == name && Some(entry.id.as_str()) != id)
            || self.unreadable.contains_key(name);
        if taken {
            return Err(bad_input(
                &format!("There is a server named {name:?} already."),
                "Choose another name.",
            ));
        }
        Ok(())
    }

    /// Adds a server, or changes the one with `id`, and writes the file. Secret values are expected to be
    /// `${secret:NAME}` already.
    ///
    /// # Errors
    /// The name is taken, the server is gone or bundled, or the file cannot be written; nothing is changed then.
    pub fn save(&mut self, id: Option<&str>, draft: &ServerDraft) -> Result<ServerId, ErrorView> {
        let name = draft.name.trim();
        self.check_name(id, name)?;
        if let Some(reason) = &self.unwritable {
            return Err(reason.clone());
        }
        let before = self.entries.clone();
        let id = match id {
            None => {
                let id = uuid::Uuid::now_v7().to_string();
                self.entries.push(Entry {
                    id: id.clone(),
                    name: name.to_owned(),
                    reach: Reach::Endpoint(draft.endpoint.clone()),
                    era: draft.era,
                    options: draft.options.clone(),
                    raw: Map::new(),
                });
                id
            }
            Some(id) => {
                let entry = self
                    .entries
                    .iter_mut()
                    .find(|entry| entry.id == id && !entry.builtin())
                    .ok_or_else(gone)?;
                name.clone_into(&mut entry.name);
                entry.reach = Reach::Endpoint(draft.endpoint.clone());
                entry.era = draft.era;
                entry.options = draft.options.clone();
                id.to_owned()
            }
        };
        if let Err(error) = self.write() {
            self.entries = before;
            return Err(error);
        }
        Ok(id)
    }

    /// Changes how a server is signed in to, and writes the file. Of the bundled ones it lasts for this session.
    ///
    /// # Errors
    /// The server is gone, or the file cannot be written.
    pub fn set_sign_in(&mut self, id: &str, options: SignInOptions) -> Result<(), ErrorView> {
        if let Some(reason) = &self.unwritable {
            return Err(reason.clone());
        }
        let entry = self
            .entries
            .iter_mut()
            .find(|entry| entry.id == id)
            .ok_or_else(gone)?;
        let before = std::mem::replace(&mut entry.options.sign_in, options);
        let written = self.write();
        if written.is_err()
            && let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == id)
        {
            entry.options.sign_in = before;
        }
        written
    }

    /// Removes a server and writes the file; gives what [`Catalog::restore`] needs to bring it back.
    ///
    /// # Errors
    /// The server is gone or bundled, or the file cannot be written.
    pub fn remove(&mut self, id: &str) -> Result<Removed, ErrorView> {
        if let Some(reason) = &self.unwritable {
            return Err(reason.clone());
        }
        let place = self
            .entries
            .iter()
            .position(|entry| entry.id == id && !entry.builtin())
            .ok_or_else(gone)?;
        let entry = self.entries.remove(place);
        match self.write() {
            Ok(()) => Ok(Removed { place, entry }),
            Err(error) => {
                self.entries.insert(place, entry);
                Err(error)
            }
        }
    }

    /// Brings a removed server back to where it was, with its identity, and writes the file.
    ///
    /// # Errors
    /// Another server has its name by now, or the file cannot be written; nothing is changed then.
    pub fn restore(&mut self, removed: &Removed) -> Result<(), ErrorView> {
        let Removed { place, entry } = removed;
        self.check_name(Some(&entry.id), &entry.name)?;
        if let Some(reason) = &self.unwritable {
            return Err(reason.clone());
        }
        let place = (*place).min(self.entries.len());
        self.entries.insert(place, entry.clone());
        let written = self.write();
        if written.is_err() {
            self.entries.remove(place);
        }
        written
    }

    fn write(&mut self) -> Result<(), ErrorView> {
        if self.in_memory {
            return Ok(());
        }
        let on_disk = std::fs::read_to_string(&self.path)
            .ok()
            .filter(|text| !text.trim().is_empty());
        if on_disk.is_some() && on_disk != self.known_text {
            return Err(ErrorView {
                code: ErrorCode::Failed,
                message: format!(
                    "The servers file {} was changed from outside a moment ago, so it was not written over.",
                    self.path.display()
                ),
                hint: Some("It is read now; look at the servers, then save again.".to_owned()),
            });
        }
        let mut servers = Map::new();
        for entry in &self.entries {
            if let Reach::Endpoint(endpoint) = &entry.reach {
                servers.insert(
                    entry.name.clone(),
                    Value::Object(write_entry(entry, endpoint)),
                );
            }
        }
        servers.extend(self.unreadable.clone());
        let mut file = self.rest.clone();
        file.insert("mcpServers".to_owned(), Value::Object(servers));
        let text = serde_json::to_string_pretty(&file).unwrap_or_default() + "\n";
        let written = write_whole(&self.path, &text);
        if written.is_ok() {
            self.known_text = Some(text);
        }
        written.map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!(
                "The servers file {} could not be written: {error}",
                self.path.display()
            ),
            hint: Some(
                "Check the folder's permissions and the free space, then save again.".to_owned(),
            ),
        })
    }
}

/// An error about what the person typed.
pub fn bad_input(message: &str, hint: &str) -> ErrorView {
    ErrorView {
        code: ErrorCode::BadInput,
        message: message.to_owned(),
        hint: Some(hint.to_owned()),
    }
}

/// The error for a server that is not in the catalog any more.
pub fn gone() -> ErrorView {
    ErrorView {
        code: ErrorCode::Gone,
        message: "This server is not in the catalog any more.".to_owned(),
        hint: None,
    }
}
