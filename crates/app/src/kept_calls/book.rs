//! The calls of all tools in memory, and their file.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::api::kept_calls::{KeptCall, KeptCalls, KeptEnd};
use crate::api::servers::ServerId;
use crate::api::{ErrorCode, ErrorView};
use crate::paths::write_whole;

/// How many calls that were made are kept of each tool.
const LONGEST_HISTORY: usize = 30;
/// Arguments that are larger are not kept, in bytes.
const LARGEST_ARGUMENTS: usize = 64 << 10;
/// What was made is written this long after it, with all that was made meanwhile.
const WRITE_AFTER: Duration = Duration::from_secs(1);

/// The calls of one server's tools, by their names.
type Tools = BTreeMap<String, KeptCalls>;

/// What the file holds.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Pages {
    #[serde(default)]
    servers: BTreeMap<ServerId, Tools>,
    /// Members that another version of Roundtrip wrote.
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

/// A call that was removed, to be brought back to its place.
#[derive(Clone, Debug)]
struct Removed {
    server: ServerId,
    tool: String,
    call: KeptCall,
}

/// The calls that are kept. Clones are the same book.
#[derive(Clone, Debug)]
pub struct CallBook(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// None: what is kept lasts as long as the process.
    path: Option<PathBuf>,
    pages: Mutex<Pages>,
    removed: Mutex<Vec<Removed>>,
    /// Held while the file is written, which no call waits for.
    writing: Mutex<()>,
    /// Something is in memory that the file does not have.
    is_unwritten: AtomicBool,
    /// The file will be written a little later, with all that comes until then.
    is_due: AtomicBool,
}

impl CallBook {
    /// Reads the file; one that is missing is an empty book, one that cannot be read is put aside. Where that fails too
    /// it is not written over.
    pub fn load(path: PathBuf) -> Self {
        let read = match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Pages::default()),
            Err(error) => Err(error.to_string()),
        };
        let problem = match read {
            Ok(pages) => return Self::of(Some(path), pages),
            Err(problem) => problem,
        };
        let aside = path.with_extension("json.unreadable");
        tracing::warn!(problem, aside = %aside.display(), "the kept calls could not be read");
        let is_aside = std::fs::rename(&path, &aside)
            .inspect_err(|error| tracing::warn!(%error, "nor could they be put aside"))
            .is_ok();
        Self::of(is_aside.then_some(path), Pages::default())
    }

    /// An empty book that is never written.
    pub fn in_memory() -> Self {
        Self::of(None, Pages::default())
    }

    fn of(path: Option<PathBuf>, pages: Pages) -> Self {
        Self(Arc::new(Inner {
            path,
            pages: Mutex::new(pages),
            removed: Mutex::new(Vec::new()),
            writing: Mutex::new(()),
            is_unwritten: AtomicBool::new(false),
            is_due: AtomicBool::new(false),
        }))
    }

    /// What is kept for a tool.
    pub fn of_tool(&self, server: &str, tool: &str) -> KeptCalls {
        let pages = self.0.pages.lock();
        let kept = pages.servers.get(server).and_then(|tools| tools.get(tool));
        kept.cloned().unwrap_or_default()
    }

    /// What is kept for a server's tools, with their names.
    pub fn of_server(&self, server: &str) -> Vec<(String, KeptCalls)> {
        let pages = self.0.pages.lock();
        let tools = pages.servers.get(server).into_iter().flatten();
        tools
            .map(|(tool, kept)| (tool.clone(), kept.clone()))
            .collect()
    }

    /// The calls of all servers that have a name.
    pub fn saved(&self) -> Vec<KeptCall> {
        let pages = self.0.pages.lock();
        let kept = pages.servers.values().flat_map(BTreeMap::values);
        kept.flat_map(|kept| kept.saved.iter().cloned()).collect()
    }

    /// One call.
    ///
    /// # Errors
    /// It is not kept any more.
    pub fn call(&self, server: &str, tool: &str, id: &str) -> Result<KeptCall, ErrorView> {
        let kept = self.of_tool(server, tool);
        let mut calls = kept.saved.into_iter().chain(kept.history);
        calls.find(|call| call.id == id).ok_or_else(gone)
    }

    /// Notes a call that has just been made.
    pub fn note(&self, server: &str, tool: &str, call: KeptCall) {
        if call.arguments.len() > LARGEST_ARGUMENTS {
            return;
        }
        self.change(server, tool, |kept| {
            kept.history.insert(0, call);
            kept.history.truncate(LONGEST_HISTORY);
        });
        self.write_soon();
    }

    /// Notes how a call ended.
    pub fn note_end(&self, server: &str, tool: &str, id: &str, end: KeptEnd) {
        self.change(server, tool, |kept| {
            if let Some(call) = kept.history.iter_mut().find(|call| call.id == id) {
                call.end = Some(end);
            }
        });
        self.write_soon();
    }

    /// Keeps a call under its name and writes the file; gives the one that had the name before.
    ///
    /// # Errors
    /// The file cannot be written; nothing is kept then.
    pub fn save(
        &self,
        server: &str,
        tool: &str,
        call: KeptCall,
    ) -> Result<Option<KeptCall>, ErrorView> {
        let before = self.of_tool(server, tool);
        let mut replaced = None;
        self.change(server, tool, |kept| {
            if let Some(at) = kept.saved.iter().position(|one| one.name == call.name) {
                replaced = Some(kept.saved.remove(at));
            }
            kept.saved.push(call);
            in_order(&mut kept.saved);
        });
        self.write_now().inspect_err(|_| {
            self.change(server, tool, |kept| *kept = before);
        })?;
        Ok(replaced)
    }

    /// Removes calls and writes the file. They can be brought back until [`Self::forget_removed`].
    ///
    /// # Errors
    /// The file cannot be written; nothing is removed then.
    pub fn remove(&self, server: &str, tool: &str, ids: &[String]) -> Result<(), ErrorView> {
        let before = self.of_tool(server, tool);
        let mut taken = Vec::new();
        self.change(server, tool, |kept| {
            for list in [&mut kept.saved, &mut kept.history] {
                taken.extend(list.extract_if(.., |call| ids.contains(&call.id)));
            }
        });
        if let Err(error) = self.write_now() {
            self.change(server, tool, |kept| *kept = before);
            return Err(error);
        }
        self.0
            .removed
            .lock()
            .extend(taken.into_iter().map(|call| Removed {
                server: server.to_owned(),
                tool: tool.to_owned(),
                call,
            }));
        Ok(())
    }

    /// Brings removed calls back and writes the file.
    ///
    /// # Errors
    /// They were removed too long ago, or the file cannot be written.
    pub fn restore(&self, server: &str, tool: &str, ids: &[String]) -> Result<(), ErrorView> {
        let is_wanted = |one: &mut Removed| {
            one.server == server && one.tool == tool && ids.contains(&one.call.id)
        };
        let back: Vec<Removed> = self.0.removed.lock().extract_if(.., is_wanted).collect();
        if back.is_empty() {
            return Err(gone());
        }
        let before = self.of_tool(server, tool);
        self.change(server, tool, |kept| {
            for Removed { call, .. } in back.clone() {
                // A name that was taken meanwhile stays with who has it.
                match &call.name {
                    Some(_) => kept.saved.push(call),
                    None => kept.history.push(call),
                }
            }
            in_order(&mut kept.saved);
            kept.history
                .sort_by(|a, b| b.at_micros.cmp(&a.at_micros).then_with(|| b.id.cmp(&a.id)));
        });
        self.write_now().inspect_err(|_| {
            self.change(server, tool, |kept| *kept = before);
            self.0.removed.lock().extend(back);
        })
    }

    /// Forgets what was removed: these, or all. Gives them.
    pub fn forget_removed(&self, ids: Option<&[String]>) -> Vec<KeptCall> {
        let mut removed = self.0.removed.lock();
        let taken = removed.extract_if(.., |one| ids.is_none_or(|ids| ids.contains(&one.call.id)));
        taken.map(|one| one.call).collect()
    }

    /// Forgets all that is kept for a server. Gives it.
    pub fn forget_server(&self, server: &str) -> Vec<KeptCall> {
        let Some(tools) = self.0.pages.lock().servers.remove(server) else {
            return Vec::new();
        };
        self.write_soon();
        let calls = tools
            .into_values()
            .flat_map(|kept| kept.saved.into_iter().chain(kept.history));
        calls.collect()
    }

    fn change(&self, server: &str, tool: &str, change: impl FnOnce(&mut KeptCalls)) {
        let mut pages = self.0.pages.lock();
        let tools = pages.servers.entry(server.to_owned()).or_default();
        let kept = tools.entry(tool.to_owned()).or_default();
        change(kept);
        if kept.saved.is_empty() && kept.history.is_empty() {
            tools.remove(tool);
        }
        self.0.is_unwritten.store(true, Ordering::Release);
    }

    /// Writes the file a little later, off the way of the call, and once for all calls until then.
    fn write_soon(&self) {
        if self.0.path.is_none() || self.0.is_due.swap(true, Ordering::AcqRel) {
            return;
        }
        let book = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(WRITE_AFTER).await;
            book.0.is_due.store(false, Ordering::Release);
            let written = tokio::task::spawn_blocking(move || book.write_now()).await;
            if let Ok(Err(error)) = written {
                tracing::warn!(error = %error.message, "the calls that were made could not be written");
            }
        });
    }

    /// Writes what the file does not have yet.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_now(&self) -> Result<(), ErrorView> {
        let Some(path) = &self.0.path else {
            return Ok(());
        };
        // Held until the end: of two that write, the later one has the later pages.
        let _writing = self.0.writing.lock();
        let text = {
            let pages = self.0.pages.lock();
            if !self.0.is_unwritten.swap(false, Ordering::AcqRel) {
                return Ok(());
            }
            serde_json::to_string_pretty(&*pages).unwrap_or_default() + "\n"
        };
        write_whole(path, &text).map_err(|error| {
            self.0.is_unwritten.store(true, Ordering::Release);
            ErrorView {
                code: ErrorCode::Failed,
                message: format!(
                    "The kept calls {} could not be written: {error}",
                    path.display()
                ),
                hint: Some("Check the folder's permissions and the free space.".to_owned()),
            }
        })
    }
}

fn in_order(saved: &mut [KeptCall]) {
    saved.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.id.cmp(&b.id)));
}

fn gone() -> ErrorView {
    ErrorView {
        code: ErrorCode::Gone,
        message: "This call is not kept any more.".to_owned(),
        hint: None,
    }
}
