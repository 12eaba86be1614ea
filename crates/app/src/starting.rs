//! Starting the core: with the person's data folder, or for one errand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use journal::log::Journal;
use secrets::{Keyring, Redactor};
use tokio::sync::{Semaphore, watch};

use crate::App;
use crate::api::{ErrorCode, ErrorView};
use crate::browser::{Browser, NoBrowser};
use crate::catalog::Catalog;
use crate::consents::Consents;
use crate::engine::{self, FlowNotes, Input, KeptTask, Parts, SignInNotes, TaskFile};
use crate::eras::FoundEras;
use crate::kept_calls::CallBook;
use crate::last_seen::LastSeen;
use crate::paths::Paths;
use crate::recordings::Recordings;
use crate::saved_answers::SavedAnswers;
use crate::secret_uses::SecretUses;
use crate::watching;

/// How often the keyring is asked how it is.
const KEYRING_PAUSE: Duration = Duration::from_secs(15);

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
    last_seen: LastSeen,
    consents: Consents,
    sign_ins: SignInNotes,
    flows: FlowNotes,
    uses: SecretUses,
    tasks: (TaskFile, Vec<KeptTask>),
    calls: CallBook,
}

impl Known {
    fn nothing() -> Self {
        Self {
            eras: FoundEras::in_memory(),
            last_seen: LastSeen::in_memory(),
            consents: Consents::in_memory(),
            sign_ins: SignInNotes::in_memory(),
            flows: FlowNotes::in_memory(),
            uses: SecretUses::in_memory(),
            tasks: (TaskFile::in_memory(), Vec::new()),
            calls: CallBook::in_memory(),
        }
    }
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
            last_seen: LastSeen::load(paths.last_seen_file()),
            consents: Consents::load(paths.consents_file()),
            sign_ins: SignInNotes::load(paths.sign_ins_file()),
            flows: FlowNotes::load(paths.flows_file()),
            uses: SecretUses::load(paths.secret_uses_file()),
            tasks,
            calls: CallBook::load(paths.calls_file()),
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
                // An errand compares with nothing.
                last_seen: LastSeen::in_memory(),
                consents: Consents::load(paths.consents_file()).kept_in_memory(),
                sign_ins: SignInNotes::load(paths.sign_ins_file()),
                // Nor does it go on with what they began in their browser.
                flows: FlowNotes::in_memory(),
                uses: SecretUses::in_memory(),
                // An errand polls none of the person's tasks.
                tasks: (TaskFile::in_memory(), Vec::new()),
                calls: CallBook::in_memory(),
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
        let catalog_file = catalog.watched_file();
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
        let (asked, watched) = watch::channel(Vec::new());
        let engine = engine::start(Parts {
            catalog,
            eras: known.eras,
            last_seen: known.last_seen,
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
            flows: known.flows,
            uses: known.uses,
        })
        .map_err(|error| ErrorView {
            code: ErrorCode::Failed,
            message: format!("Roundtrip's core could not be started: {error}"),
            hint: Some("Close programs that you do not need, then start again.".to_owned()),
        })?;
        // What a run of its own reads is its own.
        let watch = catalog_file.and_then(|file| {
            watching::watch(&file, engine.clone())
                .inspect_err(|why| tracing::warn!(why, "the servers file is not watched"))
                .ok()
                .map(Arc::new)
        });
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
            calls: known.calls,
            transfers: Arc::default(),
            logs: Arc::default(),
            validating: Arc::new(Semaphore::new(1)),
            asked: watched,
            deleted: Arc::default(),
            runtime: tokio::runtime::Handle::current(),
            _watch: watch,
        };
        app.describe_keyring();
        Ok(app)
    }

    /// The keyring is asked beside everything else: a locked one may take its time.
    fn describe_keyring(&self) {
        let (keyring, engine) = (self.keyring.clone(), self.engine.downgrade());
        tokio::spawn(async move {
            // It may be unlocked, locked or started by others at any time.
            loop {
                let label = keyring.describe().await.to_string();
                let Some(engine) = engine.upgrade() else {
                    return;
                };
                if engine
                    .tell(Input::KeyringDescribed { label })
                    .await
                    .is_err()
                {
                    return;
                }
                drop(engine);
                tokio::time::sleep(KEYRING_PAUSE).await;
            }
        });
    }
}

/// A recording's file name: when it began, in local time, and enough of a random number to be alone with it.
pub fn recording_name() -> String {
    let began = jiff::Zoned::now().strftime("%Y-%m-%d %H.%M.%S");
    let unique = uuid::Uuid::now_v7().simple().to_string();
    format!("{began} {}.mcpr", &unique[unique.len() - 4..])
}
