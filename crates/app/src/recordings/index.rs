//! What was found out about recordings, kept so that a list need not read them all.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use journal::log::{JournalError, summarize};
use journal::summary::Summary;
use serde::{Deserialize, Serialize};

use crate::api::recordings::{RecordingId, RecordingState, RecordingView};
use crate::paths::write_whole;

/// The form of the index file. Another one is not read: it can be made anew.
const VERSION: u32 = 1;

/// The index and its file.
pub(super) struct Index {
    path: PathBuf,
    known: BTreeMap<RecordingId, Known>,
    is_changed: bool,
}

/// A recording as it was when it was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Known {
    byte_len: u64,
    modified_micros: u64,
    summary: Summary,
}

#[derive(Serialize, Deserialize)]
struct IndexFile {
    version: u32,
    recordings: BTreeMap<RecordingId, Known>,
}

impl Index {
    /// Reads the index; one that cannot be read is an empty one.
    pub(super) fn load(path: PathBuf) -> Index {
        let known = fs::read_to_string(&path)
            .ok()
            .and_then(|text| serde_json::from_str::<IndexFile>(&text).ok())
            .filter(|file| file.version == VERSION)
            .map(|file| file.recordings)
            .unwrap_or_default();
        Index {
            path,
            known,
            is_changed: false,
        }
    }

    /// What is known of a recording; it is read where that is not of the file as it is now.
    pub(super) fn summary(&mut self, id: &str, path: &Path) -> Result<Summary, JournalError> {
        let stamp = stamp(path);
        if let (Some(known), Some(stamp)) = (self.known.get(id), stamp)
            && (known.byte_len, known.modified_micros) == stamp
        {
            return Ok(known.summary.clone());
        }
        let summary = summarize(path)?;
        if let Some(stamp) = stamp {
            self.keep(id, stamp, summary.clone());
        }
        Ok(summary)
    }

    /// Keeps what its writer knows of a recording.
    pub(super) fn note(&mut self, id: &str, path: &Path, summary: Summary) {
        if let Some(stamp) = stamp(path)
            && stamp.0 == summary.byte_len
        {
            self.keep(id, stamp, summary);
            self.write();
        }
    }

    /// Writes the index if anything is new, without those that are gone.
    pub(super) fn save(&mut self, present: &[RecordingView]) {
        let before = self.known.len();
        self.known
            .retain(|id, _| present.iter().any(|view| view.id == *id));
        if self.is_changed || self.known.len() != before {
            self.write();
        }
    }

    fn keep(&mut self, id: &str, (byte_len, modified_micros): (u64, u64), summary: Summary) {
        self.is_changed = true;
        self.known.insert(
            id.to_owned(),
            Known {
                byte_len,
                modified_micros,
                summary,
            },
        );
    }

    fn write(&mut self) {
        let file = IndexFile {
            version: VERSION,
            recordings: self.known.clone(),
        };
        let text = serde_json::to_string(&file).unwrap_or_default();
        match write_whole(&self.path, &text) {
            Ok(()) => self.is_changed = false,
            // It is found out again the next time.
            Err(error) => tracing::debug!(%error, "the index of recordings is not written"),
        }
    }
}

/// A file's size and the time of its last change.
fn stamp(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((
        metadata.len(),
        u64::try_from(modified.as_micros()).unwrap_or(u64::MAX),
    ))
}

/// A recording as a list shows it.
pub(super) fn view(id: RecordingId, state: RecordingState, summary: &Summary) -> RecordingView {
    RecordingView {
        id,
        name: summary.name.clone(),
        state,
        server_names: summary.server_names.clone(),
        start_micros: summary.start_micros,
        end_micros: summary.end_micros,
        event_count: summary.event_count,
        operation_count: summary.operation_count,
        finding_count: summary.finding_count,
        byte_len: summary.byte_len,
        problem: summary
            .is_damaged
            .then(|| "It is damaged: what comes after cannot be read.".to_owned()),
    }
}

/// A recording that cannot be read.
pub(super) fn unreadable_view(
    id: RecordingId,
    state: RecordingState,
    byte_len: u64,
    error: &JournalError,
) -> RecordingView {
    RecordingView {
        problem: Some(error.to_string()),
        byte_len,
        ..view(id, state, &Summary::default())
    }
}
