//! A core without a window: a test tells it what a person would do and sees what a view would see.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use app::api::ErrorView;
use app::api::details::{EventLine, RowDetails};
use app::api::feed::{FeedBatch, PromptAction, PromptView, StatusView, TimelinePatch};
use app::api::lists::{ListNews, ListView};
use app::api::options::ServerOptions;
use app::api::replies::OperationReply;
use app::api::servers::{
    ConnectionView, Endpoint, EraChoice, NamedValue, Phase, ServerDraft, ServerView,
};
use app::api::tasks::TaskView;
use app::api::tools::{CallOutcome, CallResult, CallStarted, ContentView, ListState, ToolList};
use app::{App, Config};
use journal::event::OperationId;
use journal::row::{Row, RowKind};
use secrets::Keyring;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};

use crate::browser::FakeBrowser;

/// Longer than anything here takes on a slow machine: reaching it means that what is awaited never comes.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a view holds: the last of each thing that the feed told.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The servers.
    pub servers: Vec<ServerView>,
    /// The open prompts.
    pub prompts: Vec<PromptView>,
    /// The tasks, by their numbers.
    pub tasks: Vec<TaskView>,
    /// The rows of the window.
    pub rows: Vec<Row>,
    /// All rows of the filter.
    pub total_rows: u32,
    /// The status bar.
    pub status: StatusView,
    /// The last batch's number.
    pub number: u32,
}

/// What a person is told about a connection that was not made.
#[derive(Debug)]
pub struct Failure {
    /// At the place of action.
    pub error: ErrorView,
    /// In the timeline.
    pub row: String,
    /// The row's summary, a line each.
    pub details: String,
}

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

    /// Adds a server that is a child process.
    pub async fn add_command(
        &self,
        name: &str,
        command: &str,
        args: &[&str],
        era: EraChoice,
    ) -> String {
        self.add(ServerDraft {
            name: name.to_owned(),
            endpoint: Endpoint::Stdio {
                command: command.to_owned(),
                args: args.iter().map(|arg| (*arg).to_owned()).collect(),
                env: Vec::new(),
                folder: None,
            },
            era,
            options: ServerOptions::default(),
        })
        .await
    }

    /// Adds the server that is odd in this way.
    pub async fn add_odd(&self, oddity: &str, era: EraChoice) -> String {
        let script = crate::programs::odd_server();
        let args = ["-u", &script.to_string_lossy(), oddity];
        self.add_command(oddity, "python3", &args, era).await
    }

    /// Adds a server that is a URL, with options of its own.
    pub async fn add_url_with(
        &self,
        name: &str,
        url: &str,
        era: EraChoice,
        options: ServerOptions,
    ) -> String {
        self.add(ServerDraft {
            name: name.to_owned(),
            endpoint: Endpoint::Http {
                url: url.to_owned(),
                headers: Vec::new(),
            },
            era,
            options,
        })
        .await
    }

    /// Adds the server that is odd in this way, treated so.
    pub async fn add_odd_as(
        &self,
        oddity: &str,
        args: &[&str],
        era: EraChoice,
        options: ServerOptions,
    ) -> String {
        let script = crate::programs::odd_server().to_string_lossy().into_owned();
        let own = ["-u".to_owned(), script, oddity.to_owned()];
        let args = args.iter().map(|arg| (*arg).to_owned());
        self.add(ServerDraft {
            name: oddity.to_owned(),
            endpoint: Endpoint::Stdio {
                command: "python3".to_owned(),
                args: own.into_iter().chain(args).collect(),
                env: Vec::new(),
                folder: None,
            },
            era,
            options,
        })
        .await
    }

    /// Waits until the unfolded timeline holds this text, and gives it.
    pub async fn until_row(&self, text: &str) -> String {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let timeline = self.unfolded().await;
            if timeline.contains(text) {
                return timeline;
            }
            assert!(
                tokio::time::Instant::now() < deadline,
                "no {text:?} in\n{timeline}"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Adds a server that is a URL.
    pub async fn add_url(
        &self,
        name: &str,
        url: &str,
        headers: &[(&str, &str)],
        era: EraChoice,
    ) -> String {
        self.add(ServerDraft {
            name: name.to_owned(),
            endpoint: Endpoint::Http {
                url: url.to_owned(),
                headers: headers
                    .iter()
                    .map(|(name, value)| NamedValue {
                        name: (*name).to_owned(),
                        value: (*value).to_owned(),
                        secret: true,
                    })
                    .collect(),
            },
            era,
            options: ServerOptions::default(),
        })
        .await
    }

    /// Adds a server.
    pub async fn add(&self, draft: ServerDraft) -> String {
        self.must("save_server", json!({ "server": null, "draft": draft }))
            .await
    }

    /// Connects and waits until it is made or has failed.
    pub async fn connect(&self, server: &str) -> ConnectionView {
        self.connect_as(server, None).await
    }

    /// Connects with this era and waits until it is made or has failed.
    pub async fn connect_as(&self, server: &str, era: Option<EraChoice>) -> ConnectionView {
        let before = self.connection(server).since_micros;
        let _: () = self
            .must("connect", json!({ "server": server, "era": era }))
            .await;
        self.until("the connection", |seen| {
            let view = seen.servers.iter().find(|view| view.id == server)?;
            (matches!(view.connection.phase, Phase::Connected | Phase::Failed)
                && view.connection.since_micros > before)
                .then(|| view.connection.clone())
        })
        .await
    }

    /// Connects, expects that it fails, and gives what a person is told about it.
    pub async fn connect_badly(&self, server: &str, era: Option<EraChoice>) -> Failure {
        let connection = self.connect_as(server, era).await;
        assert_eq!(
            connection.phase,
            Phase::Failed,
            "{connection:#?}\n{}",
            self.timeline()
        );
        let error = connection.error.expect("a failed connection has an error");
        let operation = connection.operation.expect("its error has a row");
        Failure {
            error,
            row: self.operation_row(operation).await,
            details: self.details(operation).await,
        }
    }

    /// A server's connection as the view holds it; an empty one of a server that it does not know yet.
    pub fn connection(&self, server: &str) -> ConnectionView {
        self.seen()
            .servers
            .into_iter()
            .find(|view| view.id == server)
            .map_or_else(nothing, |view| view.connection)
    }

    /// Its phase as the core has it, which the feed tells a little later.
    async fn phase_now(&self, server: &str) -> Phase {
        let servers: Vec<ServerView> = self.must("servers", json!({})).await;
        servers
            .into_iter()
            .find(|view| view.id == server)
            .map_or(Phase::Disconnected, |view| view.connection.phase)
    }

    /// An operation's row, without times.
    pub async fn operation_row(&self, operation: OperationId) -> String {
        self.look(0, 400)
            .await
            .rows
            .iter()
            .map(|placed| &placed.row)
            .find(|row| row.kind == RowKind::Operation && row.operation == Some(operation))
            .map_or_else(|| panic!("{operation:?} has no row"), line)
    }

    /// The details of an operation's row: its summary, a line each.
    pub async fn details(&self, operation: OperationId) -> String {
        let details: RowDetails = self
            .must("row", json!({ "key": format!("o{}", operation.0) }))
            .await;
        let mut text = String::new();
        for line in &details.summary {
            text.extend([&line.label, ": ", &line.value, "\n"]);
        }
        text
    }

    /// An operation's events, a line each.
    pub async fn events(&self, operation: OperationId) -> String {
        let args = json!({ "operation": operation, "start": 0, "len": 400 });
        let events: Vec<EventLine> = self.must("operation_events", args).await;
        let mut text = String::new();
        for event in &events {
            text.extend([&event.kind, ": ", &event.text, "\n"]);
        }
        text
    }

    /// Waits until a server's connection is in this phase.
    pub async fn until_phase(&self, server: &str, phase: Phase) -> ConnectionView {
        self.until(&format!("{phase:?}"), |seen| {
            let view = seen.servers.iter().find(|view| view.id == server)?;
            (view.connection.phase == phase).then(|| view.connection.clone())
        })
        .await
    }

    /// Connects and expects it to be made.
    pub async fn connect_well(&self, server: &str) -> ConnectionView {
        let connection = self.connect(server).await;
        assert_eq!(
            connection.phase,
            Phase::Connected,
            "{connection:#?}\n{}",
            self.timeline()
        );
        connection
    }

    /// Waits until the tools are listed. What a server declares is known only once its handshake is over.
    pub async fn tools(&self, server: &str) -> ToolList {
        for _ in 0..600 {
            let before = self.phase_now(server).await;
            let list: ToolList = self.must("tools", json!({ "server": server })).await;
            let is_settled = before != Phase::Connecting && before == self.phase_now(server).await;
            let has_none = !list.declared && is_settled;
            if has_none || matches!(list.state, ListState::Ready | ListState::Failed { .. }) {
                return list;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the tools never came\n{}", self.timeline());
    }

    /// Waits until one of the lists is there, or has failed: `resources`, `resource_templates` or `prompts`.
    pub async fn list<T: DeserializeOwned>(&self, list: &str, server: &str) -> ListView<T> {
        for _ in 0..600 {
            let view: ListView<T> = self.must(list, json!({ "server": server })).await;
            if !matches!(view.state, ListState::Loading | ListState::Unasked) {
                return view;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the {list} never came\n{}", self.timeline());
    }

    /// Fetches one of the lists, past the cache or not, and waits for it.
    pub async fn fetch<T: DeserializeOwned>(
        &self,
        list: &str,
        server: &str,
        refresh: bool,
    ) -> ListView<T> {
        let args = json!({ "server": server, "list": list, "refresh": refresh });
        let _: () = self.must("fetch_list", args).await;
        self.list(list, server).await
    }

    /// Reads a resource and waits for what comes.
    pub async fn read(&self, server: &str, uri: &str, refresh: bool) -> CallOutcome {
        let args = json!({ "server": server, "uri": uri, "refresh": refresh });
        let operation = self.must("read_resource", args).await;
        self.outcome(operation).await
    }

    /// Calls a tool by its name and gives the operation.
    pub async fn start_call(&self, server: &str, tool: &str, arguments: &str) -> OperationId {
        let list = self.tools(server).await;
        let index = list
            .entries
            .iter()
            .find(|view| view.name == tool)
            .unwrap_or_else(|| {
                panic!(
                    "no tool {tool} among {:?}",
                    list.entries
                        .iter()
                        .map(|tool| &tool.name)
                        .collect::<Vec<_>>()
                )
            })
            .index;
        let started: CallStarted = self
            .must(
                "call_tool",
                json!({ "server": server, "tool": index, "name": tool, "arguments": arguments }),
            )
            .await;
        started.operation
    }

    /// Sends any request and waits for its replies as they came. `request` lacks what is usual: the server, one page,
    /// no progress and no limit of its own.
    pub async fn request(&self, server: &str, request: Value) -> OperationReply {
        let mut args = json!({ "server": server, "params": null, "pages": "one", "progress": false, "limit_millis": null });
        for (name, value) in request.as_object().expect("an object") {
            args[name] = value.clone();
        }
        let operation: OperationId = self.must("request", args).await;
        self.must("reply", json!({ "operation": operation })).await
    }

    /// Waits for the first open prompt.
    pub async fn prompt(&self) -> PromptView {
        self.until("a prompt", |seen| seen.prompts.first().cloned())
            .await
    }

    /// Waits for a prompt that was asked after this one.
    pub async fn next_prompt(&self, before: u32) -> PromptView {
        self.until("a further prompt", |seen| {
            let mut prompts = seen.prompts.iter();
            prompts.find(|prompt| prompt.id > before).cloned()
        })
        .await
    }

    /// Answers a prompt.
    pub async fn answer(&self, prompt: u32, action: PromptAction, content: Option<&str>) {
        let args = json!({ "prompt": prompt, "action": action, "content": content });
        let _: () = self.must("answer_prompt", args).await;
    }

    /// Opens the page of a prompt's own window: its batches, each to be acknowledged by who takes it.
    pub fn attach_prompt(&self, prompt: u32) -> mpsc::UnboundedReceiver<FeedBatch> {
        let (batches, arrived) = mpsc::unbounded_channel();
        let sink = move |text: String| {
            let batch = serde_json::from_str(&text).expect("a batch");
            batches.send(batch).is_ok()
        };
        self.app.attach_prompt(prompt, Box::new(sink));
        arrived
    }

    /// The page of a prompt's own window has applied a batch.
    pub async fn acknowledge(&self, prompt: u32, number: u32) {
        let args = json!({ "number": number, "prompt": prompt });
        let _: () = self.must("ack", args).await;
    }

    /// Waits for an operation's outcome.
    pub async fn outcome(&self, operation: OperationId) -> CallOutcome {
        tokio::time::timeout(
            PATIENCE,
            self.must("outcome", json!({ "operation": operation })),
        )
        .await
        .unwrap_or_else(|_| panic!("the operation never ended\n{}", self.timeline()))
    }

    /// Calls a tool and waits for what comes.
    pub async fn call(&self, server: &str, tool: &str, arguments: &str) -> CallOutcome {
        let operation = self.start_call(server, tool, arguments).await;
        self.outcome(operation).await
    }

    /// The whole timeline, unfolded, as a person would read it, without times.
    pub async fn unfolded(&self) -> String {
        let folded = self.look(0, 400).await;
        for placed in folded.rows {
            if let (RowKind::Operation, Some(operation)) = (placed.row.kind, placed.row.operation) {
                let _: () = self
                    .must("fold", json!({ "operation": operation, "expanded": true }))
                    .await;
            }
        }
        self.look(0, 400)
            .await
            .rows
            .iter()
            .map(|placed| line(&placed.row))
            .collect()
    }

    /// Sets the window and gives its rows.
    pub async fn look(&self, start: u32, len: u32) -> TimelinePatch {
        let look =
            json!({ "start": start, "len": len, "follow": false, "filter": "all", "server": null });
        self.must("look", json!({ "look": look })).await
    }

    /// The window's rows as the feed told them, without times.
    pub fn timeline(&self) -> String {
        self.seen().rows.iter().map(line).collect()
    }

    /// Closes the core and gives its folder.
    pub async fn close(self) -> TempDir {
        self.app.shutdown().await;
        self.folder
    }
}

fn nothing() -> ConnectionView {
    ConnectionView {
        phase: Phase::Disconnected,
        since_micros: 0,
        step: None,
        error: None,
        operation: None,
        report: None,
        pid: None,
        last_round_trip_micros: None,
        tools_version: 0,
        tool_count: None,
        resources: ListNews::default(),
        resource_templates: ListNews::default(),
        prompts: ListNews::default(),
        open_prompts: 0,
        wakes: false,
    }
}

fn line(row: &Row) -> String {
    let indent = "  ".repeat(usize::from(row.depth));
    let detail = row
        .detail
        .as_deref()
        .map(|detail| format!(" {detail}"))
        .unwrap_or_default();
    let mut chips = String::new();
    for chip in &row.chips {
        chips.extend([" [", chip, "]"]);
    }
    format!(
        "{indent}{}{detail}{chips} — {}\n",
        row.label, row.state_text
    )
}

impl Seen {
    fn apply(&mut self, batch: FeedBatch) {
        assert_eq!(batch.number, self.number + 1, "a batch is missing");
        self.number = batch.number;
        if let Some(servers) = batch.servers {
            self.servers = servers;
        }
        if let Some(prompts) = batch.prompts {
            self.prompts = prompts;
        }
        if let Some(patch) = batch.tasks {
            if patch.whole {
                self.tasks.clear();
            }
            let is_told = |task: &TaskView| {
                patch.gone.contains(&task.number)
                    || patch.changed.iter().any(|one| one.number == task.number)
            };
            self.tasks.retain(|task| !is_told(task));
            self.tasks.extend(patch.changed);
            self.tasks.sort_by_key(|task| task.number);
        }
        if let Some(status) = batch.status {
            self.status = status;
        }
        if let Some(patch) = batch.timeline {
            self.total_rows = patch.total_rows;
            if patch.whole {
                self.rows.clear();
            }
            self.rows.truncate(patch.len as usize);
            for placed in patch.rows {
                let place = placed.place as usize;
                if place == self.rows.len() {
                    self.rows.push(placed.row);
                } else {
                    self.rows[place] = placed.row;
                }
            }
        }
    }
}

/// The texts of what a resource holds.
///
/// # Panics
/// The outcome is something else.
pub fn resource_text(outcome: &CallOutcome) -> String {
    let CallResult::Resource { contents, .. } = &outcome.result else {
        panic!("no resource: {outcome:#?}");
    };
    let texts = contents.iter().map(|part| match &part.content {
        ContentView::Text { text } => text.clone(),
        other => format!("{other:?}"),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The text of a result's text blocks.
pub fn text_of(outcome: &CallOutcome) -> String {
    match &outcome.result {
        CallResult::Tool { content, .. } => content
            .iter()
            .filter_map(|block| match block {
                ContentView::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join("\n"),
        other => panic!("not a tool's result: {other:#?}"),
    }
}
