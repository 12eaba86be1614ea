//! Commands about recordings.

use std::sync::Arc;

use super::Past;
use crate::api::ErrorView;
use crate::api::calls::{NameRecordingArgs, Nothing, RecordingArgs, RetentionArgs};
use crate::api::recordings::{
    OpenedRecording, RecordingId, RecordingList, Retention, RetentionPlan,
};
use crate::engine::SharedJournal;
use crate::{App, run_aside};

impl App {
    /// Looks through the recordings beside everything else: there may be many, and large ones.
    pub(crate) fn tidy_recordings(&self) {
        let app = self.clone();
        tokio::task::spawn_blocking(move || app.recordings.tidy(&app.journal));
    }

    /// The journal that a command is about: a recording's, or the running one.
    pub(crate) async fn journal_of(
        &self,
        recording: Option<RecordingId>,
    ) -> Result<SharedJournal, ErrorView> {
        match recording {
            None => Ok(Arc::clone(&self.journal)),
            Some(recording) => {
                self.in_past(recording, |past| Ok(Arc::clone(past.journal())))
                    .await
            }
        }
    }

    /// Does something in a past recording, which is opened first where it is not open.
    pub(crate) async fn in_past<T: Send + 'static>(
        &self,
        recording: RecordingId,
        look: impl FnOnce(&Past) -> Result<T, ErrorView> + Send + 'static,
    ) -> Result<T, ErrorView> {
        let recordings = Arc::clone(&self.recordings);
        run_aside(move || look(&*recordings.past(&recording)?)).await?
    }

    pub(crate) async fn recordings(&self, _: Nothing) -> Result<RecordingList, ErrorView> {
        self.with_recordings(|app| {
            let recordings = app.recordings.list(&app.journal)?;
            let folder = app.recordings.folder.as_ref();
            Ok(RecordingList {
                recordings,
                folder: folder.map(|folder| folder.path.display().to_string()),
                removed_at_start: app.recordings.removed_at_start.lock().clone(),
            })
        })
        .await
    }

    pub(crate) async fn open_recording(
        &self,
        args: RecordingArgs,
    ) -> Result<OpenedRecording, ErrorView> {
        self.with_recordings(move |app| app.recordings.opened(&args.recording, &app.journal))
            .await
    }

    pub(crate) async fn close_recording(&self, args: RecordingArgs) -> Result<(), ErrorView> {
        self.with_recordings(move |app| {
            app.recordings.close(&args.recording);
            Ok(())
        })
        .await
    }

    pub(crate) async fn name_recording(&self, args: NameRecordingArgs) -> Result<(), ErrorView> {
        self.with_recordings(move |app| {
            app.recordings
                .name(&args.recording, args.name.as_deref(), &app.journal)
        })
        .await
    }

    pub(crate) async fn delete_recording(&self, args: RecordingArgs) -> Result<(), ErrorView> {
        self.with_recordings(move |app| app.recordings.delete(&args.recording, &app.journal))
            .await
    }

    pub(crate) async fn retention(&self, _: Nothing) -> Result<Retention, ErrorView> {
        self.with_recordings(|app| Ok(app.recordings.retention()))
            .await
    }

    pub(crate) async fn plan_retention(
        &self,
        args: RetentionArgs,
    ) -> Result<RetentionPlan, ErrorView> {
        self.with_recordings(move |app| app.recordings.plan(args.retention, &app.journal))
            .await
    }

    pub(crate) async fn set_retention(
        &self,
        args: RetentionArgs,
    ) -> Result<RetentionPlan, ErrorView> {
        self.with_recordings(move |app| {
            app.recordings.set_retention(args.retention)?;
            app.recordings.apply(args.retention, &app.journal)
        })
        .await
    }

    /// Files are looked at on a thread where that may take its time.
    async fn with_recordings<T: Send + 'static>(
        &self,
        work: impl FnOnce(&App) -> Result<T, ErrorView> + Send + 'static,
    ) -> Result<T, ErrorView> {
        let app = self.clone();
        run_aside(move || work(&app)).await?
    }
}
