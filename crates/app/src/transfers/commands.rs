//! Commands about transfers.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use journal::export::Chosen;
use journal::log::Journal;
use journal::row::RowRef;
use tokio::sync::oneshot;

use super::{End, Transfer, files};
use crate::api::recordings::RecordingId;
use crate::api::transfers::{
    ExportScope, ExportedFile, RedactedSecret, StartExportArgs, TransferArgs, TransferId,
    TransferState,
};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;
use crate::engine::{self, FindWish, Input, SharedJournal};
use crate::{App, details, run_aside, saving, starting};

/// What is copied as text is at most this long.
const LONGEST_TEXT: u64 = 4 << 20;

impl App {
    pub(crate) async fn start_export(
        &self,
        args: StartExportArgs,
    ) -> Result<TransferId, ErrorView> {
        let journal = self.journal_of(args.recording.clone()).await?;
        let rows = match &args.scope {
            ExportScope::All => None,
            ExportScope::Shown => Some(self.shown_rows(args.recording.clone()).await?),
            ExportScope::Rows { keys } => Some(
                keys.iter()
                    .map(|key| key.parse::<RowRef>())
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(|error| bad_input(&format!("{error}."), "Choose the rows again."))?,
            ),
        };
        let (id, transfer) = self.transfers.begin();
        let app = self.clone();
        tokio::spawn(async move {
            let unread = app.learn_secrets().await;
            let at = Arc::clone(&transfer);
            let prepared = run_aside(move || {
                let mut end = app.prepared(&journal, rows, &args, &at)?;
                if let End::Prepared { file, .. } = &mut end {
                    file.notes.extend(unread?);
                }
                Ok(end)
            });
            transfer.finish(prepared.await.and_then(|end| end));
        });
        Ok(id)
    }

    fn prepared(
        &self,
        journal: &SharedJournal,
        rows: Option<Vec<RowRef>>,
        args: &StartExportArgs,
        transfer: &Transfer,
    ) -> Result<End, ErrorView> {
        let of_journal = |error| details::journal_error(&error);
        let (chosen, name) = {
            let journal = journal.read();
            let chosen = match rows {
                None => Chosen::all(&journal),
                Some(rows) => Chosen::rows(&journal, &rows).map_err(of_journal)?,
            };
            let file_name = self.redactor.redact_text(&file_name(&journal)).into_owned();
            (chosen, format!("{file_name}.{}", args.form.extension()))
        };
        let reader = || -> Box<dyn Deref<Target = Journal> + '_> { Box::new(journal.read()) };
        let redact = |bytes: &[u8]| files::redacted(&self.redactor, bytes);
        let watch = |done, all| transfer.goes_on(done, all);
        let (path, exported) =
            files::prepare(&reader, &chosen, args.form, &redact, &self.spool(), &watch)?;
        let byte_len = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        let file = ExportedFile {
            name: saving::safe_name(&name),
            byte_len,
            rows: chosen.rows,
            events: chosen.event_count(),
            redacted: exported
                .redacted
                .into_iter()
                .map(|(name, count)| RedactedSecret {
                    name,
                    count: u32::try_from(count).unwrap_or(u32::MAX),
                })
                .collect(),
            notes: exported.notes,
        };
        Ok(End::Prepared { file, path })
    }

    /// Where files are prepared: beside the recordings, which are private to their owner; for an errand the system's
    /// folder for such files.
    fn spool(&self) -> PathBuf {
        let recordings = self.paths.recordings();
        if recordings.is_dir() {
            recordings
        } else {
            std::env::temp_dir()
        }
    }

    async fn shown_rows(&self, recording: Option<RecordingId>) -> Result<Vec<RowRef>, ErrorView> {
        if let Some(recording) = recording {
            return self.in_past(recording, |past| Ok(past.rows())).await;
        }
        let (answer, rows) = oneshot::channel();
        self.engine
            .tell(Input::Find(FindWish::Rows { answer }))
            .await?;
        rows.await.map_err(|_| engine::ended())
    }

    #[expect(clippy::unused_async, reason = "commands are all alike")]
    pub(crate) async fn transfer(&self, args: TransferArgs) -> Result<TransferState, ErrorView> {
        Ok(self.transfers.get(args.transfer)?.state())
    }

    pub(crate) async fn export_text(&self, args: TransferArgs) -> Result<String, ErrorView> {
        let transfer = self.transfers.get(args.transfer)?;
        run_aside(move || {
            transfer.with_file(|file, path| {
                if file.byte_len > LONGEST_TEXT {
                    return Err(bad_input(
                        "This is too long to be copied.",
                        "Save it as a file.",
                    ));
                }
                std::fs::read_to_string(path).map_err(|error| {
                    bad_input(
                        &format!("This cannot be copied as text: {error}."),
                        "Save it as a file.",
                    )
                })
            })
        })
        .await?
    }

    pub(crate) async fn save_export(&self, args: TransferArgs) -> Result<String, ErrorView> {
        let transfer = self.transfers.get(args.transfer)?;
        let folder = self.paths.downloads();
        run_aside(move || {
            transfer.with_file(|file, from| {
                let path = saving::free_path(&folder, &file.name)?;
                files::copy_whole(from, &path)?;
                Ok(path.display().to_string())
            })
        })
        .await?
    }

    /// What a prepared export is to be called; for the dialog in which the person says where.
    ///
    /// # Errors
    /// It is not prepared.
    pub fn export_name(&self, transfer: TransferId) -> Result<String, ErrorView> {
        self.transfers
            .get(transfer)?
            .with_file(|file, _| Ok(file.name.clone()))
    }

    /// Writes a prepared export where the person chose: whole, or not at all.
    ///
    /// # Errors
    /// It is not prepared, or cannot be written there.
    pub async fn save_export_at(
        &self,
        transfer: TransferId,
        path: PathBuf,
    ) -> Result<(), ErrorView> {
        let transfer = self.transfers.get(transfer)?;
        run_aside(move || transfer.with_file(|_, from| files::copy_whole(from, &path))).await?
    }

    #[expect(clippy::unused_async, reason = "commands are all alike")]
    pub(crate) async fn end_transfer(&self, args: TransferArgs) -> Result<(), ErrorView> {
        self.transfers.end(args.transfer);
        Ok(())
    }

    /// Begins to bring in a file that the person chose, as a recording.
    ///
    /// # Errors
    /// This core keeps no recordings.
    pub fn start_import(&self, file: PathBuf) -> Result<TransferId, ErrorView> {
        let folder = self.paths.recordings();
        if !folder.is_dir() {
            return Err(ErrorView {
                code: ErrorCode::Failed,
                message: "There is no folder of recordings here.".to_owned(),
                hint: None,
            });
        }
        let id = starting::recording_name();
        let (transfer_id, transfer) = self.transfers.begin();
        let app = self.clone();
        tokio::spawn(async move {
            let unread = app.learn_secrets().await;
            let at = Arc::clone(&transfer);
            let imported =
                run_aside(move || import(&app, &file, &folder.join(&id), id, unread, &at));
            transfer.finish(imported.await.and_then(|end| end));
        });
        Ok(transfer_id)
    }
}

fn import(
    app: &App,
    file: &Path,
    to: &Path,
    recording: RecordingId,
    unread: Result<Vec<String>, ErrorView>,
    transfer: &Transfer,
) -> Result<End, ErrorView> {
    let mut notes = files::import(file, to, &app.redactor, &|done, all| {
        transfer.goes_on(done, all)
    })?;
    notes.extend(unread?);
    Ok(End::BroughtIn { recording, notes })
}

/// What a journal's files are called: its name, or its servers and when it began.
fn file_name(journal: &Journal) -> String {
    let summary = journal.summary();
    let title = summary
        .name
        .unwrap_or_else(|| match summary.server_names.as_slice() {
            [] => "session".to_owned(),
            [one] => one.clone(),
            [one, rest @ ..] => format!("{one} and {} more", rest.len()),
        });
    let began = summary
        .start_micros
        .and_then(|micros| i64::try_from(micros).ok())
        .and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok())
        .map(|began| {
            began
                .to_zoned(jiff::tz::TimeZone::system())
                .strftime(" %Y-%m-%d %H.%M")
                .to_string()
        });
    format!("{title}{}", began.unwrap_or_default())
}
