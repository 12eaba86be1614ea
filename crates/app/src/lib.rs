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
pub mod commands;
mod consents;
mod details;
mod documents;
pub mod engine;
mod eras;
mod events;
mod find;
mod folders;
mod lasting;
mod links;
mod lists;
mod looking;
mod offers;
mod outcome;
mod pages;
pub mod paste;
pub mod paths;
mod recordings;
mod removal;
mod reply;
mod resending;
mod sampling;
mod saved_answers;
mod saving;
mod secret_values;
mod sign_in;
mod validate;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use client::clock::now_micros;
use journal::event::OperationId;
use journal::log::Journal;
pub use secrets::Keyring;
use secrets::Redactor;
use tokio::sync::{Semaphore, oneshot, watch};

use crate::api::calls::{
    AnswerArgs, BodyArgs, CallToolArgs, ConnectArgs, EventsArgs, FoldArgs, JournalArgs, LocateArgs,
    LookArgs, Nothing, OperationArgs, PasteArgs, PreferencesArgs, ReadFilterArgs, RequestArgs,
    RowArgs, RowPlace, SaveServerArgs, ServerArgs, StepArgs, ValidateArgs, Validation,
};
use crate::api::details::{BodyText, EventLine, RowDetails};
use crate::api::events::JournalPart;
use crate::api::feed::{PromptView, TimelinePatch};
use crate::api::find::{FilterReading, FoundRow};
use crate::api::replies::OperationReply;
use crate::api::servers::{ConnectionView, PasteReading, ServerId, ServerView};
use crate::api::tools::{CallOutcome, CallStarted, ToolList};
use crate::api::{ErrorCode, ErrorView};
use crate::browser::{Browser, NoBrowser};
use crate::catalog::Catalog;
use crate::consents::Consents;
use crate::engine::{
    EngineHandle, FindWish, Input, KeptTask, Parts, SharedJournal, SignInNotes, Started, TaskFile,
};
use crate::eras::FoundEras;
use crate::outcome::Ended;
use crate::paths::Paths;
use crate::recordings::Recordings;
use crate::saved_answers::SavedAnswers;

/// Replies up to this size are understood where they are asked for; larger ones on a thread of their own.
const SMALL_BYTES: usize = 64 << 10;

/// How long a value may be checked against a schema.
const VALIDATION_LIMIT: Duration = Duration::from_secs(2);

/// What an [`App`] needs to start.
#[derive(Clone, Debug)]
pub struct Config {
    /// The folder of catalog, preferences and recordings; it is made when it is not there.
    pub data_dir: PathBuf,
}

/// What a core for one errand may see and leave.
#[derive(Clone, Debug, Default)]
pub struct Visit {
    /// The folder of the person's catalog, to be read; nothing for a core that knows the bundled servers alone.
    pub data_dir: Option<PathBuf>,
    /// The recording's file, which must not be there yet; nothing to keep it in memory.
    pub recording: Option<PathBuf>,
}

/// What was found out, agreed to and begun before.
struct Known {
    eras: FoundEras,
    consents: Consents,
    sign_ins: SignInNotes,
    tasks: (TaskFile, Vec<KeptTask>),
}

impl Known {
    fn nothing() -> Self {
        Self {
            eras: FoundEras::in_memory(),
            consents: Consents::default(),
            sign_ins: SignInNotes::in_memory(),
            tasks: (TaskFile::in_memory(), Vec::new()),
        }
    }
}

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
    validating: Arc<Semaphore>,
    asked: watch::Receiver<Vec<PromptView>>,
    saved_answers: SavedAnswers,
}

impl App {
    /// Starts the core. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The data folder cannot be used.
    pub fn start(config: Config) -> Result<Self, ErrorView> {
        Self::start_with(config, Keyring::platform())
    }

    /// Starts the core with this keyring.
    ///
    /// # Errors
    /// The data folder cannot be used.
    pub fn start_with(config: Config, keyring: Keyring) -> Result<Self, ErrorView> {
        Self::start_on_host(config, keyring, Arc::new(NoBrowser))
    }

    /// Starts the core with this keyring and this browser.
    ///
    /// # Errors
    /// The data folder cannot be used.
    pub fn start_on_host(
        config: Config,
        keyring: Keyring,
        browser: Arc<dyn Browser>,
    ) -> Result<Self, ErrorView> {
        let paths = Paths::prepare(config.data_dir)?;
        let file = paths.recordings().join(recording_name());
        let catalog = Catalog::load(paths.servers_file());
        let eras = FoundEras::load(paths.eras_file());
        let tasks = TaskFile::load(paths.tasks_file());
        let known = Known {
            eras,
            consents: Consents::load(paths.consents_file()),
            sign_ins: SignInNotes::load(paths.sign_ins_file()),
            tasks,
        };
        let recordings = Recordings::of(&paths);
        let app = Self::start_on(
            paths,
            catalog,
            known,
            Some(&file),
            (keyring, browser),
            recordings,
        )?;
        app.tidy_recordings();
        Ok(app)
    }

    /// Starts a core for one errand: it reads the person's catalog, where it is given one, and changes nothing of
    /// theirs. What is saved meanwhile is forgotten with it.
    ///
    /// # Errors
    /// The recording cannot be made.
    pub fn visit(visit: Visit) -> Result<Self, ErrorView> {
        // Without a catalog of theirs no secret of theirs can be meant.
        let keyring = match &visit.data_dir {
            Some(_) => Keyring::platform(),
            None => Keyring::in_memory(),
        };
        let paths = Paths {
            data: visit.data_dir.unwrap_or_default(),
        };
        // A file without a name is none: the catalog is empty then.
        let ((catalog, problem), known) = if paths.data.as_os_str().is_empty() {
            (Catalog::load(PathBuf::new()), Known::nothing())
        } else {
            let known = Known {
                eras: FoundEras::load(paths.eras_file()).kept_in_memory(),
                consents: Consents::load(paths.consents_file()).kept_in_memory(),
                sign_ins: SignInNotes::load(paths.sign_ins_file()),
                // An errand polls none of the person's tasks.
                tasks: (TaskFile::in_memory(), Vec::new()),
            };
            (Catalog::load(paths.servers_file()), known)
        };
        let catalog = catalog.kept_in_memory();
        Self::start_on(
            paths,
            (catalog, problem),
            known,
            visit.recording.as_deref(),
            (keyring, Arc::new(NoBrowser)),
            Recordings::none(),
        )
    }

    fn start_on(
        paths: Paths,
        (catalog, start_problem): (Catalog, Option<ErrorView>),
        known: Known,
        recording: Option<&Path>,
        (keyring, browser): (Keyring, Arc<dyn Browser>),
        recordings: Recordings,
    ) -> Result<Self, ErrorView> {
        let journal = Journal::create(recording).map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!(
                "The recording {} could not be made: {error}",
                recording.unwrap_or(Path::new("in memory")).display()
            ),
            hint: Some("Check the folder's permissions and the free space.".to_owned()),
        })?;
        let journal = engine::shared(journal);
        let redactor = Redactor::new();
        let (asked, watching) = watch::channel(Vec::new());
        let engine = engine::start(Parts {
            catalog,
            eras: known.eras,
            tasks: known.tasks,
            journal: Arc::clone(&journal),
            recording: recording.map(|file| file.display().to_string()),
            catalog_problem: start_problem.map(|problem| match problem.hint {
                Some(hint) => format!("{} {hint}", problem.message),
                None => problem.message,
            }),
            keyring: keyring.clone(),
            redactor: redactor.clone(),
            asked,
            browser,
            consents: known.consents,
            sign_ins: known.sign_ins,
        })
        .map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!("Roundtrip's core could not be started: {error}"),
            hint: Some("Close programs that you do not need, then start again.".to_owned()),
        })?;
        let saved_answers = SavedAnswers::in_file(paths.answers_file());
        let app = Self {
            saved_answers,
            engine,
            journal,
            documents: Arc::default(),
            keyring,
            redactor,
            paths: Arc::new(paths),
            recordings: Arc::new(recordings),
            validating: Arc::new(Semaphore::new(1)),
            asked: watching,
        };
        app.describe_keyring();
        Ok(app)
    }

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

    /// The keyring is asked beside everything else: a locked one may take its time.
    fn describe_keyring(&self) {
        let (keyring, engine) = (self.keyring.clone(), self.engine.clone());
        tokio::spawn(async move {
            let label = keyring.describe().await.to_string();
            let _ended = engine.tell(Input::KeyringDescribed { label }).await;
        });
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
        let draft = secret_values::store(&self.keyring, &self.redactor, draft, standing).await?;
        self.engine
            .ask(|answer| Input::SaveServer {
                server: args.server,
                draft: Box::new(draft),
                answer,
            })
            .await
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
        let (ender, ended) = oneshot::channel();
        let limit = Duration::from_millis(args.outcome_within_millis.into());
        let operation = self
            .engine
            .ask(|answer| Input::CallTool {
                args,
                ended: ender,
                answer,
            })
            .await?;
        let outcome = match tokio::time::timeout(limit, ended).await {
            // Whoever asks for the outcome itself is told why it cannot be read.
            Ok(Ok(())) => self.read_outcome(operation).await.ok(),
            Ok(Err(_)) | Err(_) => None,
        };
        Ok(CallStarted { operation, outcome })
    }

    /// A call over modern HTTP mirrors parameters into headers that its tool's schema names, so a list of tools that is
    /// on its way is awaited.
    async fn request(&self, args: RequestArgs) -> Result<OperationId, ErrorView> {
        loop {
            let started = self.engine.ask(|answer| Input::Request {
                args: args.clone(),
                answer,
            });
            match started.await? {
                Started::Sent(operation) => return Ok(operation),
                Started::After(listing) => self.ended(listing).await?,
            }
        }
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
                .in_past(recording, move |past| Ok(past.look(&args.look)))
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
        self.read_journal(move |journal| Ok(find::read(journal.tree(), &args.line, args.cursor)))
            .await
    }

    async fn step(&self, args: StepArgs) -> Result<Option<FoundRow>, ErrorView> {
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

    async fn stop_search(&self, _: Nothing) -> Result<(), ErrorView> {
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

/// A recording's file name: when it began, in local time, and enough of a random number to be alone with it.
fn recording_name() -> String {
    let began = jiff::Zoned::now().strftime("%Y-%m-%d %H.%M.%S");
    let unique = uuid::Uuid::now_v7().simple().to_string();
    format!("{began} {}.mcpr", &unique[unique.len() - 4..])
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
