//! A core without a window: a test tells it what a person would do and sees what a view would see.

mod calls;
mod reading;
mod seen;
mod servers;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use app::api::feed::FeedBatch;
use app::{App, Config};
use secrets::Keyring;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;

pub use calls::{resource_text, text_of};
pub use seen::Seen;
pub use servers::Failure;

use crate::browser::FakeBrowser;

/// Longer than anything here takes on a slow machine: reaching it means that what is awaited never comes.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running core with a view attached.
pub struct Core {
    app: App,
    seen: watch::Receiver<Seen>,
    folder: TempDir,
    data: PathBuf,
    browser: Arc<FakeBrowser>,
}

impl Core {
    /// Starts a core in a folder of its own.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self::start_in(folder).await
    }

    /// Starts a core in this folder.
    pub async fn start_in(folder: TempDir) -> Self {
        Self::start_with(folder, Keyring::in_memory()).await
    }

    /// Starts a core in this folder, with this keyring.
    #[expect(
        clippy::unused_async,
        reason = "it needs the runtime that it is awaited in"
    )]
    pub async fn start_with(folder: TempDir, keyring: Keyring) -> Self {
        let data = folder.path().to_path_buf();
        Self::start_on(folder, data, keyring)
    }

    /// Starts a further core on the data folder of another, as a second window's process.
    #[expect(
        clippy::unused_async,
        reason = "it needs the runtime that it is awaited in"
    )]
    pub async fn start_beside(other: &Self, keyring: Keyring) -> Self {
        let own = tempfile::tempdir().expect("a folder");
        Self::start_on(own, other.data.clone(), keyring)
    }

    fn start_on(folder: TempDir, data: PathBuf, keyring: Keyring) -> Self {
        let config = Config {
            data_dir: data.clone(),
        };
        let browser = Arc::new(FakeBrowser::default());
        let app = App::start_on_host(config, keyring, browser.clone()).expect("the core starts");
        let (sender, seen) = watch::channel(Seen::default());
        let (batches, mut arrived) = tokio::sync::mpsc::unbounded_channel::<String>();
        app.attach(Box::new(move |text| batches.send(text).is_ok()));
        // As a page does it: beside the core, and acknowledged when it is applied.
        let acknowledging = app.clone();
        tokio::spawn(async move {
            while let Some(text) = arrived.recv().await {
                let batch: FeedBatch = serde_json::from_str(&text).expect("a batch");
                let args = json!({ "number": batch.number }).to_string();
                sender.send_modify(|seen| seen.apply(batch));
                if acknowledging.rpc("ack", &args).await.is_err() {
                    // The core is closing.
                    return;
                }
            }
        });
        Self {
            app,
            seen,
            folder,
            data,
            browser,
        }
    }

    /// The browser that links are handed to.
    pub fn browser(&self) -> &FakeBrowser {
        &self.browser
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.data
    }

    /// Waits until the browser was given so many pages; gives them.
    pub async fn until_opened(&self, count: usize) -> Vec<String> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let opened = self.browser.opened();
            if opened.len() >= count {
                return opened;
            }
            assert!(
                tokio::time::Instant::now() < deadline,
                "the browser was given {opened:?}\n{}",
                self.unfolded().await
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The core itself: for what no page can ask for.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Runs a command and reads its reply.
    ///
    /// # Errors
    /// The error's JSON.
    pub async fn rpc<T: DeserializeOwned>(&self, name: &str, args: Value) -> Result<T, Value> {
        match self.app.rpc(name, &args.to_string()).await {
            Ok(reply) => Ok(serde_json::from_str(&reply).expect("the reply's form")),
            Err(error) => Err(serde_json::from_str(&error).expect("the error's form")),
        }
    }

    /// Runs a command that is to succeed.
    pub async fn must<T: DeserializeOwned>(&self, name: &str, args: Value) -> T {
        match self.rpc(name, args).await {
            Ok(reply) => reply,
            Err(error) => panic!("{name} failed: {error}"),
        }
    }

    /// What the view holds now.
    pub fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    /// Waits until the view holds something.
    pub async fn until<T>(&self, what: &str, mut found: impl FnMut(&Seen) -> Option<T>) -> T {
        let mut seen = self.seen.clone();
        let mut result = None;
        let waited = tokio::time::timeout(
            PATIENCE,
            seen.wait_for(|seen| {
                result = found(seen);
                result.is_some()
            }),
        )
        .await
        .is_ok();
        match result {
            Some(result) => result,
            None => panic!(
                "{what} never came (waited to the end: {}); the view holds {:#?}",
                !waited,
                self.seen()
            ),
        }
    }

    /// Closes the core and gives its folder.
    pub async fn close(self) -> TempDir {
        self.app.shutdown().await;
        self.folder
    }
}
