//! Reading the servers file: at the start, and whenever it was changed from outside.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::form::read_entry;
use super::{Catalog, Entry};
use crate::api::servers::ServerId;
use crate::api::{ErrorCode, ErrorView};

/// What a change of the file from outside brought.
#[derive(Debug)]
pub struct Reread {
    /// The servers that are not in it any more.
    pub gone: Vec<ServerId>,
    /// What could not be understood.
    pub problem: Option<ErrorView>,
}

impl Catalog {
    /// Reads the catalog; a missing file is an empty one.
    ///
    /// # Errors
    /// The file, or an entry of it, cannot be read. The catalog then holds what could be read; an entry that could
    /// not is kept as it is, and a file that could not is copied aside before anything is written in its place.
    pub fn load(path: PathBuf) -> (Self, Option<ErrorView>) {
        let mut catalog = Self::with_demos(path);
        let problem = match std::fs::read_to_string(&catalog.path) {
            Ok(text) => match catalog.read_known(text) {
                Ok(bad_entries) => {
                    (!bad_entries.is_empty()).then(|| catalog.entries_left(&bad_entries))
                }
                Err(problem) => Some(catalog.put_aside(&problem)),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => Some(catalog.put_aside(&error.to_string())),
        };
        (catalog, problem)
    }

    fn read_known(&mut self, text: String) -> Result<Vec<String>, String> {
        let read = self.read_file(&text);
        self.known_text = Some(text);
        read
    }

    /// Reads the file anew, if it was changed from outside. Gives nothing when it was not.
    pub fn reread(&mut self) -> Option<Reread> {
        if self.in_memory {
            return None;
        }
        // It may be written just now, in place or by another file in its place; the end of that is told too.
        let text = std::fs::read_to_string(&self.path)
            .ok()
            .filter(|text| !text.trim().is_empty())?;
        if self.known_text.as_deref().unwrap_or_default() == text {
            return None;
        }
        let (mut fresh, problem) = Self::load_text(self.path.clone(), &text);
        if problem.is_some() && fresh.entries().all(Entry::builtin) {
            // It is half written, or broken: what is known stays, and is not written over it.
            let problem = ErrorView {
                hint: Some(
                    "The servers stay as they were. Mend the file; it is read as soon as it is saved."
                        .to_owned(),
                ),
                ..problem?
            };
            self.unwritable = Some(problem.clone());
            return Some(Reread {
                gone: Vec::new(),
                problem: Some(problem),
            });
        }
        // One without an identity of its own is the one of that name.
        for entry in &mut fresh.entries {
            if !entry.has_own_id()
                && let Some(known) = self.entries.iter().find(|known| known.name == entry.name)
            {
                entry.id.clone_from(&known.id);
            }
        }
        let gone = self
            .entries
            .iter()
            .filter(|entry| !fresh.entries.iter().any(|other| other.id == entry.id))
            .map(|entry| entry.id.clone())
            .collect();
        for entry in &mut fresh.entries {
            // The bundled ones are not in the file; what was set for them lasts for the session.
            if entry.builtin()
                && let Some(known) = self.entries.iter().find(|known| known.id == entry.id)
            {
                *entry = known.clone();
            }
        }
        *self = fresh;
        Some(Reread { gone, problem })
    }

    fn load_text(path: PathBuf, text: &str) -> (Self, Option<ErrorView>) {
        let mut catalog = Self::with_demos(path);
        let problem = if text.trim().is_empty() {
            None
        } else {
            match catalog.read_file(text) {
                Ok(bad) => (!bad.is_empty()).then(|| catalog.entries_left(&bad)),
                Err(problem) => Some(ErrorView {
                    code: ErrorCode::Failed,
                    message: format!(
                        "The servers file {} could not be read: {problem}.",
                        catalog.path.display()
                    ),
                    hint: None,
                }),
            }
        };
        catalog.known_text = Some(text.to_owned());
        (catalog, problem)
    }

    fn entries_left(&self, problems: &[String]) -> ErrorView {
        ErrorView {
            code: ErrorCode::Failed,
            message: format!(
                "In the servers file {} could not be read: {}.",
                self.path.display(),
                problems.join("; ")
            ),
            hint: Some(
                "They are kept in the file as they are; mend them there and start again."
                    .to_owned(),
            ),
        }
    }

    /// Copies the file to a name that is free, so that what is saved later does not overwrite it.
    fn put_aside(&mut self, problem: &str) -> ErrorView {
        let mut problem = ErrorView {
            code: ErrorCode::Failed,
            message: format!(
                "The servers file {} could not be read: {problem}",
                self.path.display()
            ),
            hint: None,
        };
        let aside = (1..1000)
            .map(|number: u32| {
                self.path
                    .with_extension(format!("json.unreadable-{number}"))
            })
            .find(|path| !path.exists());
        if let Some(aside) = aside.filter(|aside| std::fs::copy(&self.path, aside).is_ok()) {
            problem.hint = Some(format!(
                "A copy is kept as {}; mend it and start again.",
                aside.display()
            ));
        } else {
            problem.hint = Some(
                "Mend the file and start again; until then no server can be saved.".to_owned(),
            );
            self.unwritable = Some(problem.clone());
        }
        problem
    }

    /// Takes what the file holds, and says what is wrong with the entries that could not be understood.
    fn read_file(&mut self, text: &str) -> Result<Vec<String>, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let Value::Object(mut file) = value else {
            return Err("it is not a JSON object".to_owned());
        };
        let servers = match file.shift_remove("mcpServers") {
            Some(Value::Object(servers)) => servers,
            None => Map::new(),
            Some(_) => return Err("\"mcpServers\" is not an object".to_owned()),
        };
        self.rest = file;
        let mut problems = Vec::new();
        for (name, raw) in servers {
            match read_entry(&name, &raw) {
                Ok(mut entry) => {
                    // A copied entry has the id of its model.
                    if self.get(&entry.id).is_some() {
                        entry.id = uuid::Uuid::now_v7().to_string();
                    }
                    self.entries.push(entry);
                }
                Err(problem) => {
                    problems.push(format!("{name:?} ({problem})"));
                    self.unreadable.insert(name, raw);
                }
            }
        }
        Ok(problems)
    }
}
