//! Taking a journal away as a file, and bringing one in.

pub use journal::export::ExportForm;
use journal::row::RowKey;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ErrorView;
use super::recordings::RecordingId;

/// A transfer: an export or an import that was begun.
pub type TransferId = u32;

/// What is taken away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ExportScope {
    /// Everything.
    All,
    /// The rows that the timeline shows.
    Shown,
    /// These rows; one inside an operation stands for all of it.
    Rows {
        /// Their keys.
        keys: Vec<RowKey>,
    },
}

/// Begin to take a journal away.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StartExportArgs {
    /// What of it.
    pub scope: ExportScope,
    /// As what.
    pub form: ExportForm,
    /// Of this recording; absent for the running session.
    #[serde(default)]
    #[ts(optional)]
    pub recording: Option<RecordingId>,
}

/// A transfer.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TransferArgs {
    /// Which.
    pub transfer: TransferId,
}

/// How a transfer stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TransferState {
    /// It goes on.
    Running {
        /// So many events are done.
        done: u32,
        /// Of so many; 0 where that is not known.
        all: u32,
    },
    /// The file is prepared, to be saved.
    Prepared {
        /// What it holds.
        file: ExportedFile,
    },
    /// The file was brought in.
    BroughtIn {
        /// The recording that it became.
        recording: RecordingId,
        /// What a person should know of it, in sentences.
        notes: Vec<String>,
    },
    /// It failed.
    Failed {
        /// Why.
        error: ErrorView,
    },
}

/// A file that is prepared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ExportedFile {
    /// What it is to be called.
    pub name: String,
    /// Its size.
    pub byte_len: u64,
    /// How many rows of the top level it holds.
    pub rows: u32,
    /// How many events.
    pub events: u32,
    /// The secrets that are named in it where their values stood.
    pub redacted: Vec<RedactedSecret>,
    /// What a person should know of it, in sentences.
    pub notes: Vec<String>,
}

/// A secret that is named where its value stood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RedactedSecret {
    /// Its name.
    pub name: String,
    /// How often.
    pub count: u32,
}
