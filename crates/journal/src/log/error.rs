//! What can go wrong with a journal.

use std::io;
use std::path::PathBuf;

use crate::event::{EventSeq, OperationId};
use crate::record;

/// Why a journal could not be created, opened or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be created or opened.
    #[error("The recording {} cannot be opened: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A new recording would overwrite something.
    #[error("{} exists already and is not empty; choose another name for the new recording", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{} is not a recording: it does not begin as one", path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer version.
    #[error("{} was written by a newer Roundtrip (format {version}, this one reads up to {}); update it",
        path.display(), record::VERSION)]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// There is no such event.
    #[error("There is no event {} in this journal of {len} events", seq.0)]
    NoSuchEvent {
        /// The event asked for.
        seq: EventSeq,
        /// How many there are.
        len: u32,
    },
    /// There is no such operation.
    #[error("There is no operation {} in this journal", operation.0)]
    NoSuchOperation {
        /// The operation asked for.
        operation: OperationId,
    },
    /// The event's record cannot be read any more.
    #[error("Event {} cannot be read from the recording: {source}", seq.0)]
    Read {
        /// The event.
        seq: EventSeq,
        /// What the system says.
        source: io::Error,
    },
    /// The event's record was changed after it was written.
    #[error("Event {} of the recording is damaged (byte {offset} and after); the file was changed from outside", seq.0)]
    Damaged {
        /// The event.
        seq: EventSeq,
        /// Where its record begins.
        offset: u64,
    },
}
