//! The catalog: the servers a person has added, kept in a file of the `mcpServers` form, and the bundled
//! demo servers, which are not in the file. Values marked secret are in the keyring; the file holds
//! `${secret:NAME}` in their place. Fields that Roundtrip does not know are kept.

mod form;
mod options;

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::api::options::ServerOptions;
use crate::api::servers::{Endpoint, EraChoice, NamedValue, ServerDraft, ServerId};
use crate::api::sign_in::SignInOptions;
use crate::api::{ErrorCode, ErrorView};
use crate::paths::write_whole;

pub use self::form::{read_endpoint, secret_name};
use self::form::{read_entry, write_entry};

/// The bundled demo server over stdio.
pub const DEMO_STDIO: &str = "demo-stdio";
/// The bundled demo server over HTTP.
pub const DEMO_HTTP: &str = "demo-http";
/// The bundled demo server over HTTP that wants a sign-in.
pub const DEMO_SIGN_IN: &str = "demo-sign-in";

/// One server.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its identity.
    pub id: ServerId,
    /// Its name, unique in the file.
    pub name: String,
    /// Where it is and how it is spoken to.
    pub reach: Reach,
    /// Which era to speak.
    pub era: EraChoice,
    /// How it is treated.
    pub options: ServerOptions,
    /// The entry as the file has it, for the fields that are not ours.
    raw: Map<String, Value>,
}

/// How an entry is reached.
#[derive(Clone, Debug)]
pub enum Reach {
    /// As the person said.
    Endpoint(Endpoint),
    /// The bundled demo server as a child process.
    DemoStdio,
    /// The bundled demo server on a free loopback port, started by the connection.
    DemoHttp,
    /// The bundled demo server that wants a sign-in. It outlives its connections, as what is signed in to does.
    DemoProtected,
}

impl Entry {
    /// Whether its identity stands in the file.
    fn has_own_id(&self) -> bool {
        self.builtin()
            || self
                .raw
                .get(form::OWN_FIELDS)
                .and_then(|own| own.get("id"))
                .is_some()
    }

    /// Whether it is one of the bundled ones.
    pub fn builtin(&self) -> bool {
        !matches!(self.reach, Reach::Endpoint(_))
    }

    /// `stdio` or `http`.
    pub fn transport(&self) -> &'static str {
        match &self.reach {
            Reach::DemoStdio | Reach::Endpoint(Endpoint::Stdio { .. }) => "stdio",
            Reach::DemoHttp | Reach::DemoProtected | Reach::Endpoint(Endpoint::Http { .. }) => {
                "http"
            }
        }
    }

    /// The command line or the URL, without environment or headers.
    pub fn address(&self) -> String {
        match &self.reach {
            Reach::DemoStdio => "built in · stdio".to_owned(),
            Reach::DemoHttp => "built in · HTTP on this machine".to_owned(),
            Reach::DemoProtected => "built in · HTTP on this machine, with sign-in".to_owned(),
            Reach::Endpoint(Endpoint::Stdio { command, args, .. }) => command_line(command, args),
            Reach::Endpoint(Endpoint::Http { url, .. }) => url.clone(),
        }
    }

    /// The names of the secrets that it refers to.
    pub fn secret_names(&self) -> Vec<String> {
        let Reach::Endpoint(endpoint) = &self.reach else {
            return Vec::new();
        };
        let values = match endpoint {
            Endpoint::Stdio { env, .. } => env,
            Endpoint::Http { headers, .. } => headers,
        };
        values
            .iter()
            .filter_map(|value| secret_name(&value.value))
            .map(str::to_owned)
            .collect()
    }

    /// What the form shows, secret values emptied.
    pub fn draft(&self) -> Option<ServerDraft> {
        let Reach::Endpoint(endpoint) = &self.reach else {
            return None;
        };
        let mut endpoint = endpoint.clone();
        for value in named_values(&mut endpoint) {
            if value.secret {
                value.value.clear();
            }
        }
        Some(ServerDraft {
            name: self.name.clone(),
            endpoint,
            era: self.era,
            options: self.options.clone(),
        })
    }
}

/// How the bundled servers are treated: they may ask for all that there is, for they show it.
fn of_demos() -> ServerOptions {
    let mut options = ServerOptions::default();
    options.advertise.roots = true;
    options
}

/// A command line as a person would type it.
pub fn command_line(command: &str, args: &[String]) -> String {
    let words = std::iter::once(command).chain(args.iter().map(String::as_str));
    // A word with a NUL cannot be quoted; it is shown as it is.
    shlex::try_join(words.clone()).unwrap_or_else(|_| words.collect::<Vec<_>>().join(" "))
}

/// The environment or the headers of an endpoint.
pub fn named_values(endpoint: &mut Endpoint) -> &mut Vec<NamedValue> {
    match endpoint {
        Endpoint::Stdio { env, .. } => env,
        Endpoint::Http { headers, .. } => headers,
    }
}

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

/// What a change of the file from outside brought.
#[derive(Debug)]
pub struct Reread {
    /// The servers that are not in it any more.
    pub gone: Vec<ServerId>,
    /// What could not be understood.
    pub problem: Option<ErrorView>,
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

    /// The bundled servers alone.
    fn with_demos(path: PathBuf) -> Self {
        Self {
            path,
            entries: vec![
                Entry {
                    id: DEMO_STDIO.to_owned(),
                    name: "Demo server".to_owned(),
                    reach: Reach::DemoStdio,
                    era: EraChoice::Auto,
                    options: of_demos(),
                    raw: Map::new(),
                },
                Entry {
                    id: DEMO_HTTP.to_owned(),
                    name: "Demo server (HTTP)".to_owned(),
                    reach: Reach::DemoHttp,
                    era: EraChoice::Auto,
                    options: of_demos(),
                    raw: Map::new(),
                },
                Entry {
                    id: DEMO_SIGN_IN.to_owned(),
                    name: "Demo server (sign-in)".to_owned(),
                    reach: Reach::DemoProtected,
                    era: EraChoice::Auto,
                    options: of_demos(),
                    raw: Map::new(),
                },
            ],
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

/// The draft with its texts trimmed, when it can be used.
///
/// # Errors
/// What is missing or wrong, for the field that has it.
pub fn checked(mut draft: ServerDraft) -> Result<ServerDraft, ErrorView> {
    draft.name = draft.name.trim().to_owned();
    if draft.name.is_empty() {
        return Err(bad_input(
            "The server has no name.",
            "Give it a name to find it by in the list.",
        ));
    }
    options::check(&mut draft.options)?;
    match &mut draft.endpoint {
        Endpoint::Stdio {
            command, folder, ..
        } => {
            *command = command.trim().to_owned();
            if command.is_empty() {
                return Err(bad_input(
                    "The command is empty.",
                    "Enter the program to start, such as npx or a path.",
                ));
            }
            *folder = folder
                .take()
                .map(|folder| folder.trim().to_owned())
                .filter(|folder| !folder.is_empty());
        }
        Endpoint::Http { url, .. } => {
            *url = url.trim().to_owned();
            let scheme = url::Url::parse(url)
                .ok()
                .filter(url::Url::has_host)
                .map(|url| url.scheme().to_owned());
            if !matches!(scheme.as_deref(), Some("http" | "https")) {
                return Err(bad_input(
                    &format!("{url:?} is not an http or https URL."),
                    "Enter the whole URL, such as https://example.com/mcp.",
                ));
            }
        }
    }
    let what = match &draft.endpoint {
        Endpoint::Stdio { .. } => "variable",
        Endpoint::Http { .. } => "header",
    };
    let values = named_values(&mut draft.endpoint);
    values.retain(|value| !(value.name.trim().is_empty() && value.value.is_empty()));
    for value in values.iter_mut() {
        value.name = value.name.trim().to_owned();
        if value.name.is_empty() {
            return Err(bad_input(
                &format!("A {what} has a value and no name."),
                "Name it, or remove it.",
            ));
        }
    }
    Ok(draft)
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
