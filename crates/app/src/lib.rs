//! The host-neutral core of Roundtrip: the catalog, connections, operations, prompts, and the publisher that
//! feeds a view. No Tauri here: every command runs in a plain test, and without a window.
//!
//! Invariants:
//! - **One loop owns the state** ([`engine`]). Commands, handshakes and links tell it things; nothing else writes
//!   to the journal.
//! - **The core owns the truth.** A view that is reloaded attaches again and gets everything; it holds no more
//!   rows than it shows.
//! - **The core never answers for the person.** A prompt ends by their action, or because its operation ended.
//! - **Secrets by value.** A secret's value goes from the keyring into the request that is being sent; the
//!   redactor knows it before that, and every event passes the redactor.
//! - **Errors are data**: [`api::ErrorView`] says what failed, where, and what to try.
//!
//! Deliberately absent: windows, notifications, and anything that knows how a view draws.

pub mod api;
pub mod browser;
pub mod catalog;
pub mod clear_values;
pub mod commands;
mod consents;
mod copying;
mod details;
mod documents;
pub mod engine;
mod eras;
mod events;
mod find;
mod findings;
mod folders;
mod icons;
mod kept_calls;
mod last_seen;
mod lasting;
mod links;
mod lists;
mod logs;
mod looking;
mod noted;
mod offers;
mod outcome;
mod pages;
pub mod paste;
pub mod paths;
mod recordings;
mod references;
mod removal;
mod reply;
mod resending;
mod sampling;
mod saved_answers;
mod saving;
mod secret_list;
mod secret_uses;
mod secret_values;
mod sign_in;
mod starting;
mod transfers;
mod validate;
mod watching;

use std::sync::Arc;
use std::time::Duration;

use client::clock::now_micros;
use journal::event::OperationId;
use journal::log::Journal;
pub use secrets::Keyring;
use secrets::Redactor;
use tokio::sync::{Semaphore, oneshot, watch};

use crate::api::calls::{
    AnswerArgs, BodyArgs, CallToolArgs, ConnectArgs, DensityArgs, EventsArgs, FoldArgs,
    JournalArgs, LocateArgs, LookArgs, Nothing, OperationArgs, PasteArgs, PreferencesArgs,
    ReadFilterArgs, RequestArgs, RowArgs, RowPlace, SaveServerArgs, ServerArgs, StepArgs,
    ValidateArgs, Validation,
};
use crate::api::composer::ComposeArgs;
use crate::api::details::{BodyText, EventLine, RowDetails};
use crate::api::events::JournalPart;
use crate::api::feed::{PromptView, TimelinePatch};
use crate::api::find::{FilterReading, FoundRow};
use crate::api::replies::OperationReply;
use crate::api::servers::{ConnectionView, PasteReading, ServerId, ServerView};
use crate::api::tools::{CallOutcome, CallStarted, ToolList};
use crate::api::{ErrorCode, ErrorView};
use crate::engine::{Anew, ComposeInput, EngineHandle, FindWish, Input, SharedJournal, Started};
use crate::kept_calls::CallBook;
use crate::outcome::Ended;
use crate::paths::Paths;
use crate::recordings::Recordings;
use crate::saved_answers::SavedAnswers;
pub use crate::starting::{Config, Visit};
pub use crate::transfers::Converted;
use crate::transfers::Transfers;

/// Replies up to this size are understood where they are asked for; larger ones on a thread of their own.
const SMALL_BYTES: usize = 64 << 10;

/// How long a value may be checked against a schema.
const VALIDATION_LIMIT: Duration = Duration::from_secs(2);

/// The core. Clones are the same core.
#[derive(Clone)]
pub struct App {
    engine: EngineHandle,
    journal: SharedJournal,
    documents: Arc<documents::Documents>,
    keyring: Keyring,
    redactor: Redactor,
    paths: Arc<Paths>,
    recordings: Arc<Recordings>,
    calls: CallBook,
    transfers: Arc<Transfers>,
    logs: Arc<parking_lot::Mutex<logs::LogBook>>,
    validating: Arc<Semaphore>,
    asked: watch::Receiver<Vec<PromptView>>,
    saved_answers: SavedAnswers,
    deleted: secret_list::Deleted,
    /// Where the core runs. Some of its doors are open to threads that are none of its own, such as that of the windows.
    runtime: tokio::runtime::Handle,
    /// Ends with the last clone.
    _watch: Option<Arc<watching::CatalogWatch>>,
}

impl App {
    /// JSON text laid out over lines, with each token as it was; other text as it is.
    pub fn laid_out(json: &str) -> String {
        wire::pretty::layout(json.as_bytes()).unwrap_or_else(|| json.to_owned())
    }

    /// Text with every known secret's value replaced by its name: for what did not come out of the core.
    pub fn without_secrets(&self, text: &str) -> String {
        self.redactor.redact_text(text).into_owned()
    }

    /// Closes every connection and writes the journal; returns when no child process is left, at most 6 s later.
    pub async fn shutdown(&self) {
        self.forget_removed(None).await;
        self.close_calls().await;
        let (done, ended) = oneshot::channel();
        if self.engine.tell(Input::Shutdown { done }).await.is_ok() {
            // The engine may have been told before.
            let _over = ended.await;
        }
        self.drop_empty_recording();
        let app = self.clone();
        // What is found out now need not be found out when it is listed.
        let _noted = run_aside(move || app.recordings.note(&app.journal)).await;
    }

    /// A session in which nothing happened leaves no file behind.
    fn drop_empty_recording(&self) {
        let journal = self.journal.read();
        if let Some(path) = journal
            .path()
            .filter(|_| journal.summary().event_count == 0)
            && let Err(error) = std::fs::remove_file(path)
        {
            tracing::debug!(%error, "an empty recording stays");
        }
    }

    #[expect(clippy::unused_async, reason = "commands are all alike")]
    async fn read_paste(&self, args: PasteArgs) -> Result<PasteReading, ErrorView> {
        paste::read_paste(&args.text)
    }

    async fn save_server(&self, args: SaveServerArgs) -> Result<ServerId, ErrorView> {
        let draft = catalog::checked(args.draft)?;
        let standing = self
            .engine
            .ask(|answer| Input::Standing {
                server: args.server.clone(),
                name: draft.name.clone(),
                answer,
            })
            .await?;
        let stored = secret_values::store(
            &self.keyring,
            &self.redactor,
            draft,
            standing,
            secret_values::Given {
                values: args.secrets,
                session_only: args.session_only,
            },
        )
        .await?;
        let saved = self
            .engine
            .ask(|answer| Input::SaveServer {
                server: args.server,
                draft: Box::new(stored.draft),
                answer,
            })
            .await?;
        secret_values::forget(&self.keyring, stored.left).await;
        Ok(saved)
    }

    async fn connect(&self, args: ConnectArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| Input::Connect {
                server: args.server,
                era: args.era,
                answer,
            })
            .await
    }

    async fn settled(&self, args: ServerArgs) -> Result<ConnectionView, ErrorView> {
        self.engine
            .ask(|answer| Input::Settled {
                server: args.server,
                answer,
            })
            .await
    }

    async fn servers(&self, _: Nothing) -> Result<Vec<ServerView>, ErrorView> {
        self.engine.ask(|answer| Input::Servers { answer }).await
    }

    async fn disconnect(&self, args: ServerArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| Input::Disconnect {
                server: args.server,
                answer,
            })
            .await
    }

    async fn tools(&self, args: ServerArgs) -> Result<ToolList, ErrorView> {
        self.engine
            .ask(|answer| Input::Tools {
                server: args.server,
                answer,
            })
            .await
    }

    async fn refresh_tools(&self, args: ServerArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| Input::RefreshTools {
                server: args.server,
                answer,
            })
            .await
    }

    async fn call_tool(&self, args: CallToolArgs) -> Result<CallStarted, ErrorView> {
        let (made, at_micros) = (args.clone(), now_micros());
        let called = self
            .engine
            .ask(|answer| Input::CallTool { args, answer })
            .await?;
        self.note_call(&made, at_micros, called);
        let outcome = if called.has_ended {
            // Whoever asks for the outcome itself is told why it cannot be read.
            self.read_outcome(called.operation).await.ok()
        } else {
            None
        };
        Ok(CallStarted {
            operation: called.operation,
            outcome,
        })
    }

    /// A call over modern HTTP mirrors parameters into headers that its tool's schema names, so a list of tools that is
    /// on its way is awaited.
    async fn request(&self, args: RequestArgs) -> Result<OperationId, ErrorView> {
        self.request_anew(args, None).await
    }

    async fn request_anew(
        &self,
        args: RequestArgs,
        anew: Option<Anew>,
    ) -> Result<OperationId, ErrorView> {
        loop {
            let started = self.engine.ask(|answer| Input::Request {
                args: args.clone(),
                anew: anew.clone(),
                answer,
            });
            match started.await? {
                Started::Sent(operation) => return Ok(operation),
                Started::After(listing) => self.ended(listing).await?,
            }
        }
    }

    async fn compose(&self, args: ComposeArgs) -> Result<OperationId, ErrorView> {
        self.engine
            .ask(|answer| Input::Compose(ComposeInput { args, answer }))
            .await
    }

    async fn reply(&self, args: OperationArgs) -> Result<OperationReply, ErrorView> {
        self.ended(args.operation).await?;
        self.read_journal(move |journal| {
            reply::read(journal, args.operation).map_err(|error| details::journal_error(&error))
        })
        .await
    }

    /// Waits until an operation has ended.
    async fn ended(&self, operation: OperationId) -> Result<(), ErrorView> {
        let (answer, ended) = oneshot::channel();
        self.engine
            .tell(Input::AwaitEnd { operation, answer })
            .await?;
        ended.await.map_err(|_| engine::ended())
    }

    async fn outcome(&self, args: OperationArgs) -> Result<CallOutcome, ErrorView> {
        self.ended(args.operation).await?;
        self.read_outcome(args.operation).await
    }

    async fn read_outcome(&self, operation: OperationId) -> Result<CallOutcome, ErrorView> {
        let ended = Ended::read(&self.journal.read(), operation, now_micros())
            .map_err(|error| details::journal_error(&error))?;
        if ended.byte_len() <= SMALL_BYTES {
            return Ok(ended.understood());
        }
        run_aside(move || ended.understood()).await
    }

    async fn cancel(&self, args: OperationArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| Input::Cancel {
                operation: args.operation,
                answer,
            })
            .await
    }

    async fn look(&self, args: LookArgs) -> Result<TimelinePatch, ErrorView> {
        if let Some(recording) = args.recording {
            return self
                .in_past(recording, move |past| past.look(&args.look))
                .await;
        }
        self.engine
            .ask(|answer| Input::Look {
                look: args.look,
                answer,
            })
            .await
    }

    async fn fold(&self, args: FoldArgs) -> Result<(), ErrorView> {
        if let Some(recording) = args.recording {
            return self
                .in_past(recording, move |past| {
                    past.fold(args.operation, args.expanded);
                    Ok(())
                })
                .await;
        }
        self.engine
            .tell(Input::Fold {
                operation: args.operation,
                expanded: args.expanded,
            })
            .await
    }

    async fn locate(&self, args: LocateArgs) -> Result<RowPlace, ErrorView> {
        if let Some(recording) = args.recording {
            return self
                .in_past(recording, move |past| {
                    let index = past.locate(args.operation);
                    Ok(RowPlace { index })
                })
                .await;
        }
        let (answer, place) = oneshot::channel();
        self.engine
            .tell(Input::Locate {
                operation: args.operation,
                answer,
            })
            .await?;
        let index = place.await.map_err(|_| engine::ended())?;
        Ok(RowPlace { index })
    }

    async fn read_filter(&self, args: ReadFilterArgs) -> Result<FilterReading, ErrorView> {
        let journal = self.journal_of(args.recording).await?;
        run_aside(move || find::read(journal.read().tree(), &args.line, args.cursor)).await
    }

    async fn step(&self, args: StepArgs) -> Result<Option<FoundRow>, ErrorView> {
        if let Some(recording) = args.recording {
            return self
                .in_past(recording, move |past| {
                    Ok(past.step(args.from, args.backwards))
                })
                .await;
        }
        let (answer, found) = oneshot::channel();
        self.engine
            .tell(Input::Find(FindWish::Step {
                from: args.from,
                backwards: args.backwards,
                answer,
            }))
            .await?;
        found.await.map_err(|_| engine::ended())
    }

    async fn stop_search(&self, args: DensityArgs) -> Result<(), ErrorView> {
        if let Some(recording) = args.recording {
            return self
                .in_past(recording, |past| {
                    past.stop_search();
                    Ok(())
                })
                .await;
        }
        self.engine.tell(Input::Find(FindWish::Stop)).await
    }

    async fn row(&self, args: RowArgs) -> Result<RowDetails, ErrorView> {
        if let Some(recording) = args.recording {
            return self
                .in_past(recording, move |past| past.row(&args.key))
                .await;
        }
        self.read_journal(move |journal| details::row(journal, &args.key, now_micros()))
            .await
    }

    async fn body(&self, args: BodyArgs) -> Result<BodyText, ErrorView> {
        let journal = self.journal_of(args.recording).await?;
        run_aside(move || {
            let recorded = journal.read().event(args.event);
            recorded
                .map(|recorded| details::body(recorded, args.form, args.limit))
                .map_err(|error| details::journal_error(&error))
        })
        .await?
    }

    async fn operation_events(&self, args: EventsArgs) -> Result<Vec<EventLine>, ErrorView> {
        let journal = self.journal_of(args.recording).await?;
        run_aside(move || {
            details::operation_events(&journal.read(), args.operation, args.start, args.len)
        })
        .await?
    }

    async fn events(&self, args: JournalArgs) -> Result<JournalPart, ErrorView> {
        self.read_journal(move |journal| {
            events::read(journal, args.from, args.len)
                .map(|events| JournalPart { events })
                .map_err(|error| details::journal_error(&error))
        })
        .await
    }

    async fn answer_prompt(&self, args: AnswerArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| Input::AnswerPrompt {
                prompt: args.prompt,
                action: args.action,
                content: args.content,
                answer,
            })
            .await
    }

    async fn validate(&self, args: ValidateArgs) -> Result<Validation, ErrorView> {
        let busy = |problem: &str| Validation {
            errors: Vec::new(),
            schema_problem: Some(problem.to_owned()),
        };
        // A schema can be made to take for ever (2026-07-28 basic § Composition-Keyword Resource Use). The thread that
        // checks it cannot be stopped, so there is only one, and nobody waits for it long.
        let Ok(permit) = Arc::clone(&self.validating).try_acquire_owned() else {
            return Ok(busy(
                "Another schema is still being checked, so this value was not.",
            ));
        };
        let checking = run_aside(move || {
            let checked = validate::validate(&args.schema, &args.value);
            drop(permit);
            checked
        });
        match tokio::time::timeout(VALIDATION_LIMIT, checking).await {
            Ok(checked) => checked,
            Err(_) => Ok(busy(
                "The schema takes too long to check, so the value was not checked.",
            )),
        }
    }

    #[expect(clippy::unused_async, reason = "commands are all alike")]
    async fn preferences(&self, _: Nothing) -> Result<String, ErrorView> {
        // Preferences that cannot be read are preferences that nobody chose yet.
        Ok(std::fs::read_to_string(self.paths.preferences_file()).unwrap_or_default())
    }

    #[expect(clippy::unused_async, reason = "commands are all alike")]
    async fn save_preferences(&self, args: PreferencesArgs) -> Result<(), ErrorView> {
        let path = self.paths.preferences_file();
        paths::write_whole(&path, &args.json).map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!(
                "The preferences {} could not be written: {error}",
                path.display()
            ),
            hint: None,
        })
    }

    /// Reads the journal on a thread where a big body may take its time.
    async fn read_journal<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Journal) -> Result<T, ErrorView> + Send + 'static,
    ) -> Result<T, ErrorView> {
        let journal = Arc::clone(&self.journal);
        run_aside(move || read(&journal.read())).await?
    }
}

async fn run_aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorView> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!("Roundtrip met a fault of its own: {error}."),
            hint: Some("Please report it with what you did before.".to_owned()),
        })
}
