//! One file made of another, without a running session: what a program without a window does.

use std::path::PathBuf;

use super::files;
use crate::api::ErrorView;
use crate::api::transfers::ExportForm;
use crate::{App, run_aside};

/// What a person should know of a file that was made of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// The secrets that are named in it where their values stood, and how often.
    pub redacted: Vec<(String, u64)>,
    /// What else there is to say, in sentences.
    pub notes: Vec<String>,
}

impl App {
    /// Reads a file that can be brought in and writes it in another form, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be read, or the other one cannot be written.
    pub async fn convert(
        &self,
        from: PathBuf,
        form: ExportForm,
        to: PathBuf,
    ) -> Result<Converted, ErrorView> {
        let unread = self.learn_secrets().await?;
        let redactor = self.redactor.clone();
        let exported = run_aside(move || files::export(&from, form, &to, &redactor)).await??;
        Ok(Converted {
            redacted: exported.redacted.into_iter().collect(),
            notes: exported.notes.into_iter().chain(unread).collect(),
        })
    }

    /// Reads a file that can be brought in and writes it as a recording, which must not be there yet.
    ///
    /// # Errors
    /// The file cannot be read, or the recording cannot be written.
    pub async fn import_as(&self, from: PathBuf, to: PathBuf) -> Result<Converted, ErrorView> {
        let unread = self.learn_secrets().await?;
        let redactor = self.redactor.clone();
        let read = run_aside(move || files::import(&from, &to, &redactor, &|_, _| true));
        Ok(Converted {
            redacted: Vec::new(),
            notes: read.await??.into_iter().chain(unread).collect(),
        })
    }
}
