//! Recordings of past sessions: listed, named, looked at without their servers, and deleted.
//!
//! A recording is one file in one folder, and its file's name is its identity. Its name for people is in the file, so
//! it goes wherever the file goes. What a list says of a recording is kept in an index beside the folder: it is
//! derived, and found out anew where the file's size or time differs.

mod commands;
mod index;
mod past;
mod retention;

use std::collections::VecDeque;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use journal::log::Journal;
use journal::view::View;
use parking_lot::Mutex;

use crate::api::recordings::{
    OpenedRecording, RecordingId, RecordingState, RecordingView, RetentionPlan,
};
use crate::api::{ErrorCode, ErrorView};
use crate::engine::SharedJournal;
use crate::paths::Paths;

use index::Index;
pub use past::Past;

/// The ending of a recording's file name.
pub const EXTENSION: &str = "mcpr";
/// How many recordings are held open at once: each takes memory for its index.
const MOST_OPEN: usize = 3;
/// A file without events that nobody writes to is left over after this time.
const LEFT_OVER: Duration = Duration::from_hours(1);
/// How the names of files begin that are prepared to be saved elsewhere.
pub const EXPORT_PREFIX: &str = ".export-";
/// An export of another Roundtrip may be that old before it is left over.
const OLD_EXPORT: Duration = Duration::from_hours(24);
/// How long what is being read of a recording is waited for before it is deleted or named.
const READERS_LIMIT: Duration = Duration::from_secs(2);
/// What a file has before its first event.
const EMPTY_BYTE_LEN: u64 = 16;
/// How long a name may be, in characters.
const LONGEST_NAME: usize = 200;

/// The folder of recordings, and those of them that are looked at.
pub struct Recordings {
    /// None where nothing is listed: an errand sees only its own file.
    folder: Option<Folder>,
    /// The one looked at last at the end.
    open: Mutex<VecDeque<(RecordingId, Arc<Past>)>>,
    removed_at_start: Mutex<Option<RetentionPlan>>,
}

struct Folder {
    path: PathBuf,
    index: Mutex<Index>,
    retention_file: PathBuf,
}

impl Recordings {
    /// Those of a data folder.
    pub fn of(paths: &Paths) -> Recordings {
        Recordings {
            folder: Some(Folder {
                path: paths.recordings(),
                index: Mutex::new(Index::load(paths.recordings_index())),
                retention_file: paths.retention_file(),
            }),
            open: Mutex::default(),
            removed_at_start: Mutex::default(),
        }
    }

    /// None at all.
    pub fn none() -> Recordings {
        Recordings {
            folder: None,
            open: Mutex::default(),
            removed_at_start: Mutex::default(),
        }
    }

    /// All of them, the running one first, then the newest. Files are read that the index does not know.
    fn list(&self, live: &SharedJournal) -> Result<Vec<RecordingView>, ErrorView> {
        let Some(folder) = &self.folder else {
            return Ok(Vec::new());
        };
        let entries =
            fs::read_dir(&folder.path).map_err(|error| unreadable(&folder.path, &error))?;
        let running = running_id(live);
        let mut found = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if Path::new(&name)
                .extension()
                .is_none_or(|ending| ending != EXTENSION)
            {
                continue;
            }
            let is_running = running.as_ref() == Some(&name);
            if is_running {
                found.push(of_running(name, &live.read()));
            } else if let Some(view) = folder.view(name) {
                found.push(view);
            }
        }
        folder.index.lock().save(&found);
        found.sort_by_key(|view| {
            let is_running = view.state == RecordingState::Running;
            std::cmp::Reverse((is_running, view.start_micros, view.id.clone()))
        });
        Ok(found)
    }

    /// One of them, opened; it is opened once and then kept for a while.
    pub fn past(&self, id: &str) -> Result<Arc<Past>, ErrorView> {
        let path = self.path(id)?;
        let mut open = self.open.lock();
        if let Some(at) = open.iter().position(|(one, _)| one == id)
            && let Some(found) = open.remove(at)
        {
            let past = Arc::clone(&found.1);
            open.push_back(found);
            return Ok(past);
        }
        let past = Arc::new(Past::open(&path, View::default())?);
        while open.len() >= MOST_OPEN {
            open.pop_front();
        }
        open.push_back((id.to_owned(), Arc::clone(&past)));
        Ok(past)
    }

    fn opened(&self, id: &str, live: &SharedJournal) -> Result<OpenedRecording, ErrorView> {
        if running_id(live).as_deref() == Some(id) {
            return Err(ErrorView {
                code: ErrorCode::BadInput,
                message: "This is the session that runs now.".to_owned(),
                hint: Some("The timeline shows it already.".to_owned()),
            });
        }
        // It may have grown since it was looked at last.
        self.close(id);
        let past = self.past(id)?;
        let state = if past.in_use() {
            RecordingState::InUse
        } else {
            RecordingState::Past
        };
        let summary = past.journal().read().summary();
        Ok(OpenedRecording {
            view: index::view(id.to_owned(), state, &summary),
            notes: past.notes().to_vec(),
        })
    }

    /// Closes a recording and gives how it was looked at; a command that still reads it is waited for.
    fn close(&self, id: &str) -> Option<View> {
        let mut open = self.open.lock();
        // Files that were renamed by hand are not held under names that they do not have any more.
        open.retain(|(one, _)| one == id || self.path(one).is_ok());
        let at = open.iter().position(|(one, _)| one == id)?;
        let (_, past) = open.remove(at)?;
        drop(open);
        past.stop_search();
        let given_up = Instant::now() + READERS_LIMIT;
        while past.is_read() && Instant::now() < given_up {
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(past.take_view())
    }

    fn name(&self, id: &str, name: Option<&str>, live: &SharedJournal) -> Result<(), ErrorView> {
        let name = name.map(str::trim).filter(|name| !name.is_empty());
        if name.is_some_and(|name| name.chars().count() > LONGEST_NAME) {
            return Err(ErrorView {
                code: ErrorCode::BadInput,
                message: format!("The name is longer than {LONGEST_NAME} characters."),
                hint: Some("Choose a shorter one.".to_owned()),
            });
        }
        let path = self.path(id)?;
        if running_id(live).as_deref() == Some(id) {
            let mut journal = live.write();
            journal.set_name(name);
            journal.flush();
            return match journal.problem() {
                None => Ok(()),
                Some(problem) => Err(ErrorView {
                    code: ErrorCode::Failed,
                    message: problem.to_owned(),
                    hint: None,
                }),
            };
        }
        let looked_at = self.close(id);
        let named = name_file(&path, name);
        if let Some(view) = looked_at {
            let again = Past::open(&path, view)?;
            self.open.lock().push_back((id.to_owned(), Arc::new(again)));
        }
        named
    }

    fn delete(&self, id: &str, live: &SharedJournal) -> Result<(), ErrorView> {
        let path = self.path(id)?;
        if running_id(live).as_deref() == Some(id) {
            return Err(refused(
                "The running session is written to this recording.",
                "Quit Roundtrip first; a server that is not to be recorded has an option for that.",
            ));
        }
        self.close(id);
        let file = File::open(&path).map_err(|error| unreadable(&path, &error))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(refused(
                "Another Roundtrip has this recording open.",
                "Close it there first.",
            ));
        }
        fs::remove_file(&path).map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!(
                "The recording {} could not be deleted: {error}",
                path.display()
            ),
            hint: Some("Check the folder's permissions.".to_owned()),
        })
    }

    /// Keeps what is known of the recording that ends.
    pub fn note(&self, live: &SharedJournal) {
        let Some(folder) = &self.folder else {
            return;
        };
        let mut journal = live.write();
        journal.flush();
        let path = journal.path().map(Path::to_owned);
        let summary = journal.summary();
        drop(journal);
        if let Some(path) = path
            && summary.event_count > 0
            && let Some(id) = id_of(&path)
        {
            folder.index.lock().note(&id, &path, summary);
        }
    }

    /// Removes what a start that nothing came of has left, and what is beyond the limits.
    fn tidy(&self, live: &SharedJournal) {
        let Some(folder) = &self.folder else {
            return;
        };
        let running = running_id(live);
        for entry in fs::read_dir(&folder.path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_left_over = entry.metadata().is_ok_and(|metadata| {
                metadata.len() <= EMPTY_BYTE_LEN
                    && metadata.modified().is_ok_and(|at| {
                        SystemTime::now()
                            .duration_since(at)
                            .is_ok_and(|age| age > LEFT_OVER)
                    })
            });
            if is_left_over
                && running.as_ref() != Some(&name)
                && Path::new(&name)
                    .extension()
                    .is_some_and(|ending| ending == EXTENSION)
                && let Err(error) = self.delete(&name, live)
            {
                tracing::debug!(message = error.message, "an empty recording stays");
            }
        }
        remove_left_over_exports(&folder.path);
        let limits = folder.retention();
        match self.apply(limits, live) {
            Ok(removed) if removed.recordings.is_empty() && removed.problems.is_empty() => {}
            Ok(removed) => *self.removed_at_start.lock() = Some(removed),
            Err(error) => tracing::warn!(message = error.message, "recordings were not looked at"),
        }
    }

    /// Where a recording is. An identity is a file's name and nothing else.
    fn path(&self, id: &str) -> Result<PathBuf, ErrorView> {
        let is_name = Path::new(id).file_name().is_some_and(|name| name == id)
            && Path::new(id)
                .extension()
                .is_some_and(|ending| ending == EXTENSION);
        match &self.folder {
            Some(folder) if is_name => {
                let path = folder.path.join(id);
                if path.is_file() {
                    return Ok(path);
                }
                Err(ErrorView {
                    code: ErrorCode::Gone,
                    message: format!("The recording {id} is not there any more."),
                    hint: Some(format!("Recordings are in {}.", folder.path.display())),
                })
            }
            _ => Err(ErrorView {
                code: ErrorCode::Gone,
                message: format!("There is no recording {id:?}."),
                hint: None,
            }),
        }
    }
}

impl Folder {
    /// What is said of a file; nothing where nothing is in it.
    fn view(&self, id: RecordingId) -> Option<RecordingView> {
        let path = self.path.join(&id);
        let state = state_of(&path);
        match self.index.lock().summary(&id, &path) {
            Ok(summary) if summary.event_count == 0 && !summary.is_damaged => None,
            Ok(summary) => Some(index::view(id, state, &summary)),
            Err(error) => {
                let byte_len = fs::metadata(&path).ok()?.len();
                // A file that is just being made, or was given up.
                if byte_len < EMPTY_BYTE_LEN {
                    return None;
                }
                Some(index::unreadable_view(id, state, byte_len, &error))
            }
        }
    }
}

/// Removes what a run that was killed had prepared to be saved.
fn remove_left_over_exports(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_export = entry
            .file_name()
            .to_string_lossy()
            .starts_with(EXPORT_PREFIX);
        let age = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > OLD_EXPORT));
        if is_export
            && is_old
            && let Err(error) = fs::remove_file(entry.path())
        {
            tracing::debug!(%error, "what was left of an export stays");
        }
    }
}

/// Writes a name into a recording that nobody has open.
fn name_file(path: &Path, name: Option<&str>) -> Result<(), ErrorView> {
    let (mut journal, notes) = Journal::open(path).map_err(|error| of_journal(&error))?;
    if let Some(at) = notes.damaged_at {
        return Err(refused(
            &format!("The recording is damaged at byte {at}, so nothing is written to it."),
            "It can still be looked at; export it to keep what can be read.",
        ));
    }
    if notes.read_only {
        return Err(refused(
            "The recording cannot be written: its file is protected, or another Roundtrip has it open.",
            "Name it there, or make the file writable.",
        ));
    }
    journal.set_name(name);
    journal.flush();
    match journal.problem() {
        None => Ok(()),
        Some(problem) => Err(refused(problem, "Free some space and name it again.")),
    }
}

fn of_running(id: RecordingId, journal: &Journal) -> RecordingView {
    index::view(id, RecordingState::Running, &journal.summary())
}

/// Whether a file's session is over.
fn state_of(path: &Path) -> RecordingState {
    let is_locked = File::open(path)
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)));
    if is_locked {
        RecordingState::InUse
    } else {
        RecordingState::Past
    }
}

/// The identity of the recording that the running session is written to.
fn running_id(live: &SharedJournal) -> Option<RecordingId> {
    live.read().path().and_then(id_of)
}

fn id_of(path: &Path) -> Option<RecordingId> {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
}

fn of_journal(error: &journal::log::JournalError) -> ErrorView {
    crate::details::journal_error(error)
}

fn refused(message: &str, hint: &str) -> ErrorView {
    ErrorView {
        code: ErrorCode::Failed,
        message: message.to_owned(),
        hint: Some(hint.to_owned()),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> ErrorView {
    ErrorView {
        code: ErrorCode::Failed,
        message: format!("{} could not be read: {error}", path.display()),
        hint: Some("Check its permissions.".to_owned()),
    }
}
