//! The commands about bodies by windows, and saving what was sent.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use journal::event::{EventBody, EventSeq};

use super::{Document, is_message};
use crate::api::details::BodyForm;
use crate::api::documents::{
    FindJsonArgs, FindLinesArgs, FoundJson, FoundLines, JsonChildren, JsonChildrenArgs,
    JsonValueArgs, LineView, LinesArgs, LinesPart, SaveContentArgs, SavedContent,
};
use crate::api::recordings::RecordingId;
use crate::api::{ErrorCode, ErrorView};
use crate::{App, details, run_aside, saving};

/// Lines and children given at once.
const MOST: u32 = 400;
/// Bytes in a line of a dump.
const DUMPED: usize = 16;

impl App {
    pub(crate) async fn body_lines(&self, args: LinesArgs) -> Result<LinesPart, ErrorView> {
        self.with_document(
            args.recording.clone(),
            args.event,
            is_message(args.form),
            move |document| {
                let len = args.len.min(MOST);
                let (line_count, lines) = if args.form == BodyForm::Hex {
                    (
                        dump_count(&document.bytes),
                        dump(&document.bytes, args.start, len),
                    )
                } else {
                    let (text, lines) = document.lines(args.form, args.columns);
                    (lines.count(), lines.window(&text, args.start, len))
                };
                LinesPart {
                    line_count,
                    start: args.start,
                    lines,
                    is_json: document.is_json,
                    is_utf8: document.is_utf8,
                    byte_len: document.bytes.len() as u64,
                }
            },
        )
        .await
    }

    pub(crate) async fn find_lines(&self, args: FindLinesArgs) -> Result<FoundLines, ErrorView> {
        self.with_document(
            args.recording.clone(),
            args.event,
            is_message(args.form),
            move |document| {
                if args.form == BodyForm::Hex {
                    return FoundLines::default();
                }
                let (text, lines) = document.lines(args.form, args.columns);
                lines.find(&text, &args.text)
            },
        )
        .await
    }

    pub(crate) async fn json_children(
        &self,
        args: JsonChildrenArgs,
    ) -> Result<JsonChildren, ErrorView> {
        self.with_document(args.recording.clone(), args.event, true, move |document| {
            let at = args.at.map(|at| usize::try_from(at).unwrap_or(usize::MAX));
            document.json_children(at, args.start, args.len.min(MOST))
        })
        .await
    }

    pub(crate) async fn json_value(&self, args: JsonValueArgs) -> Result<String, ErrorView> {
        self.with_document(args.recording.clone(), args.event, true, move |document| {
            document.json_value(usize::try_from(args.at).unwrap_or(usize::MAX))
        })
        .await
    }

    pub(crate) async fn find_json(&self, args: FindJsonArgs) -> Result<FoundJson, ErrorView> {
        self.with_document(args.recording.clone(), args.event, true, move |document| {
            document.find_json(&args.text)
        })
        .await
    }

    /// Saves something into the folder of downloads; gives where it is.
    pub(crate) async fn save_content(&self, args: SaveContentArgs) -> Result<String, ErrorView> {
        let name = args.name.clone();
        let bytes = self.content(args).await?;
        let folder = self.paths.downloads();
        run_aside(move || saving::save(&folder, &name, &bytes)).await?
    }

    /// Something to be saved, from the JSON text of [`SaveContentArgs`]: what it is to be called, and its bytes; for the
    /// dialog in which the person says where.
    ///
    /// # Errors
    /// The text is something else, or there is no such content.
    pub async fn content_to_save(&self, args: &str) -> Result<(String, Bytes), ErrorView> {
        let args: SaveContentArgs = serde_json::from_str(args).map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!("What is to be saved was not understood: {error}."),
            hint: None,
        })?;
        let name = saving::safe_name(&args.name);
        Ok((name, self.content(args).await?))
    }

    /// Writes a file where the person chose: whole, or not at all.
    ///
    /// # Errors
    /// It cannot be written there.
    pub async fn write_content(&self, path: PathBuf, bytes: Bytes) -> Result<(), ErrorView> {
        run_aside(move || saving::write_there(&path, &bytes)).await?
    }

    async fn content(&self, args: SaveContentArgs) -> Result<Bytes, ErrorView> {
        Ok(match args.content {
            SavedContent::Text { text } => Bytes::from(text),
            SavedContent::Base64 { base64 } => saving::from_base64(&base64)?,
            SavedContent::Event { event } => {
                let journal = self.journal_of(args.recording).await?;
                let recorded = journal.read().event(event);
                match recorded
                    .map_err(|error| details::journal_error(&error))?
                    .body
                {
                    EventBody::Frame { bytes, .. } | EventBody::Stderr { bytes } => bytes,
                    other => Bytes::from(details::whole_text(&other)),
                }
            }
        })
    }

    /// Looks at a body on a thread where a big one may take its time.
    async fn with_document<T: Send + 'static>(
        &self,
        recording: Option<RecordingId>,
        event: EventSeq,
        is_message: bool,
        look: impl FnOnce(&Document) -> T + Send + 'static,
    ) -> Result<T, ErrorView> {
        let journal = self.journal_of(recording).await?;
        let documents = Arc::clone(&self.documents);
        run_aside(move || {
            let document = documents
                .open(&journal, event, is_message)
                .map_err(|error| details::journal_error(&error))?;
            if u32::try_from(document.bytes.len()).is_err() {
                return Err(ErrorView {
                    code: ErrorCode::Failed,
                    message: "This body is larger than 4 GiB, so it cannot be shown here."
                        .to_owned(),
                    hint: Some("Save it, and open the file.".to_owned()),
                });
            }
            Ok(look(&document))
        })
        .await?
    }
}

fn dump_count(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len().div_ceil(DUMPED)).unwrap_or(u32::MAX)
}

fn dump(bytes: &[u8], start: u32, len: u32) -> Vec<LineView> {
    let from = (start as usize).saturating_mul(DUMPED).min(bytes.len());
    let to = from
        .saturating_add((len as usize).saturating_mul(DUMPED))
        .min(bytes.len());
    wire::pretty::hex_from(from, &bytes[from..to])
        .lines()
        .map(|line| LineView {
            text: line.to_owned(),
            continued: false,
            in_string: false,
        })
        .collect()
}
