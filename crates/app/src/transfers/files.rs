//! Files written and read: whole or not at all, and past the redactor.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Deref;
use std::path::Path;

use journal::export::{
    self, Chosen, ExportError, ExportForm, Exported, Reader, Redact, Source, Watch,
};
use journal::import::{self, ImportError};
use journal::log::Journal;
use secrets::Redactor;
use tempfile::TempPath;

use crate::api::{ErrorCode, ErrorView};
use crate::recordings::EXPORT_PREFIX;

/// Writes what was chosen of a journal into a file of `folder` that only its owner can read, and that is gone when it is
/// not held any more.
///
/// # Errors
/// The journal cannot be read, the file cannot be written, or there is nothing of that form.
pub(crate) fn prepare<'a>(
    journal: Reader<'a>,
    chosen: &Chosen,
    form: ExportForm,
    redact: Redact<'a>,
    folder: &Path,
    watch: Watch<'a>,
) -> Result<(TempPath, Exported), ErrorView> {
    let write = || -> Result<(TempPath, Exported), ExportError> {
        let file = tempfile::Builder::new()
            .prefix(EXPORT_PREFIX)
            .tempfile_in(folder)?;
        let (file, path) = file.into_parts();
        let mut out = BufWriter::new(file);
        let mut source = Source::new(journal, redact, watch);
        let exported = export::write(form, &mut source, chosen, folder, &mut out)?;
        out.flush()?;
        Ok((path, exported))
    };
    write().map_err(|error| not_exported(&error))
}

/// Takes a whole recording away as a file that is written whole or not at all.
///
/// # Errors
/// The recording cannot be read, or the file cannot be written.
pub(crate) fn export(
    recording: &Path,
    form: ExportForm,
    to: &Path,
    redactor: &Redactor,
) -> Result<Exported, ErrorView> {
    let (journal, notes) = open(recording, redactor)?;
    let reader = || -> Box<dyn Deref<Target = Journal>> { Box::new(&journal) };
    let chosen = Chosen::all(&journal);
    let folder = folder_of(to);
    let redact = |bytes: &[u8]| redacted(redactor, bytes);
    let (path, mut exported) = prepare(&reader, &chosen, form, &redact, folder, &|_, _| true)?;
    exported.notes.extend(notes);
    path.persist(to)
        .map_err(|error| not_written(to, &error.error))?;
    Ok(exported)
}

/// A file that can be brought in, opened as a journal in memory, and what a person should know of it.
///
/// # Errors
/// It cannot be read.
pub(crate) fn open(file: &Path, redactor: &Redactor) -> Result<(Journal, Vec<String>), ErrorView> {
    let mut journal =
        Journal::create(None).map_err(|error| crate::details::journal_error(&error))?;
    let redact = |bytes: &[u8]| redacted(redactor, bytes);
    let notes = import::read(file, &redact, &|_, _| true, &mut journal)
        .map_err(|error| not_imported(file, &error))?;
    Ok((journal, notes))
}

/// Brings a file in as a recording at `to`, which must not be there. Gives what a person should know, in sentences.
///
/// # Errors
/// The file cannot be read, or the recording cannot be written; nothing is left behind then.
pub(crate) fn import(
    file: &Path,
    to: &Path,
    redactor: &Redactor,
    watch: &dyn Fn(u64, u64) -> bool,
) -> Result<Vec<String>, ErrorView> {
    let mut journal =
        Journal::create(Some(to)).map_err(|error| crate::details::journal_error(&error))?;
    let redact = |bytes: &[u8]| redacted(redactor, bytes);
    let read = import::read(file, &redact, watch, &mut journal)
        .map_err(|error| not_imported(file, &error));
    journal.flush();
    let problem = journal.problem().map(str::to_owned);
    drop(journal);
    let ended = match (read, problem) {
        (Err(error), _) => Err(error),
        (Ok(_), Some(problem)) => Err(ErrorView {
            code: ErrorCode::Failed,
            message: problem,
            hint: Some("Free some space and bring the file in again.".to_owned()),
        }),
        (Ok(notes), None) => Ok(notes),
    };
    if ended.is_err()
        && let Err(error) = std::fs::remove_file(to)
    {
        tracing::warn!(%error, "a recording that could not be brought in stays");
    }
    ended
}

/// Copies a file so that at `to` is either what was there or all of it.
pub(crate) fn copy_whole(from: &Path, to: &Path) -> Result<(), ErrorView> {
    let copy = || -> io::Result<()> {
        let mut file = tempfile::Builder::new()
            .prefix(".roundtrip-")
            .tempfile_in(folder_of(to))?;
        io::copy(&mut File::open(from)?, &mut file)?;
        file.as_file().sync_all()?;
        file.persist(to).map_err(|error| error.error)?;
        Ok(())
    };
    copy().map_err(|error| not_written(to, &error))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The bytes without secrets; nothing where there were none.
pub(crate) fn redacted(redactor: &Redactor, bytes: &[u8]) -> Option<Vec<u8>> {
    match redactor.redact(bytes) {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(redacted) => Some(redacted),
    }
}

fn not_written(path: &Path, error: &io::Error) -> ErrorView {
    ErrorView {
        code: ErrorCode::Failed,
        message: format!("{} could not be written: {error}.", path.display()),
        hint: Some(
            "Check the folder's permissions and the free space, or choose another one.".to_owned(),
        ),
    }
}

fn not_exported(error: &ExportError) -> ErrorView {
    let hint = match error {
        ExportError::Write(_) => Some("Free some space and try again."),
        ExportError::Nothing => Some("Choose other rows, or all of them."),
        ExportError::NoExchange => Some("Choose another form."),
        ExportError::Journal(_) | ExportError::Cancelled => None,
    };
    ErrorView {
        code: ErrorCode::Failed,
        message: error.to_string(),
        hint: hint.map(str::to_owned),
    }
}

fn not_imported(file: &Path, error: &ImportError) -> ErrorView {
    let name = file.file_name().unwrap_or(file.as_os_str());
    let message = match error {
        ImportError::Cancelled => error.to_string(),
        _ => format!("{} could not be brought in. {error}", name.display()),
    };
    let hint = match error {
        ImportError::Form(_) => Some(
            "Recordings, JSON lines and HAR files that Roundtrip wrote can be brought in, and HAR files of browsers.",
        ),
        ImportError::Read(_) | ImportError::Recording(_) | ImportError::Cancelled => None,
    };
    ErrorView {
        code: ErrorCode::Failed,
        message,
        hint: hint.map(str::to_owned),
    }
}
