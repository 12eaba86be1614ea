//! What the engine is told: one closed enum.

use std::collections::BTreeSet;

use client::Link;
use client::report::LinkId;
use journal::event::{ConnectionId, OperationId};
use journal::row::RowKey;
use protocol::findings::Finding;
use protocol::request::Speaker;
use tokio::sync::{mpsc, oneshot};

use super::about::AboutInput;
use super::composed::ComposeInput;
use super::flows::FlowInput;
use super::http_sse::Opening;
use super::links::LinkWish;
use super::listening::SubscriptionWish;
use super::logging::LogInput;
use super::offers::OfferInput;
use super::operation::{Ask, Called, Ending};
use super::pages::PageInput;
use super::requests::{Anew, Started};
use super::search::FindWish;
use super::secret_names::SecretInput;
use super::sign_in::SignInInput;
use super::tasks::TaskWish;
use crate::api::calls::{CallToolArgs, RequestArgs};
use crate::api::feed::{PromptAction, TimelineLook, TimelinePatch};
use crate::api::servers::{
    ConnectionView, Endpoint, EraChoice, Phase, ServerDraft, ServerId, ServerReport, ServerView,
};
use crate::api::tools::ToolList;
use crate::api::{ErrorCode, ErrorView};
use crate::secret_values::Standing;

/// Where batches go: the text of a `FeedBatch`. Gives false when the view is gone.
pub type FeedSink = Box<dyn Fn(String) -> bool + Send + Sync>;

/// A command's answer, or why there is none.
pub type Answer<T> = oneshot::Sender<Result<T, ErrorView>>;

/// Something for the engine to do.
pub enum Input {
    /// Something of a page.
    Page(PageInput),
    /// Add or change a server; secret values are names by now.
    SaveServer {
        /// The server to change.
        server: Option<ServerId>,
        /// What the person filled in.
        draft: Box<ServerDraft>,
        /// Its identity.
        answer: Answer<ServerId>,
    },
    /// What a draft may use of the keyring, before its secrets are put there.
    Standing {
        /// The server that is to be changed.
        server: Option<ServerId>,
        /// The name that the draft gives it.
        name: String,
        /// What the catalog says; an error when the draft cannot be saved at all.
        answer: Answer<Standing>,
    },
    /// Something with removing a server.
    Removal(Removal),
    /// Connect.
    Connect {
        /// To which server.
        server: ServerId,
        /// With this era instead of the entry's.
        era: Option<EraChoice>,
        /// On its way.
        answer: Answer<()>,
    },
    /// Wait until a server's connection is made or has failed.
    Settled {
        /// Which server.
        server: ServerId,
        /// What became of it.
        answer: Answer<ConnectionView>,
    },
    /// All servers.
    Servers {
        /// As the list shows them.
        answer: Answer<Vec<ServerView>>,
    },
    /// The names of all secrets that servers refer to, those of removed ones that may come back among them.
    SecretNames {
        /// Each once.
        answer: Answer<Vec<String>>,
    },
    /// Disconnect, or stop connecting.
    Disconnect {
        /// Which.
        server: ServerId,
        /// Under way.
        answer: Answer<()>,
    },
    /// The tools of a server.
    Tools {
        /// Which.
        server: ServerId,
        /// The list as it is.
        answer: Answer<ToolList>,
    },
    /// Fetch the tools anew.
    RefreshTools {
        /// Of which server.
        server: ServerId,
        /// Under way.
        answer: Answer<()>,
    },
    /// Something with what a server offers beside tools.
    Offer(OfferInput),
    /// Send a message as it is written.
    Compose(ComposeInput),
    /// Something about a server's log.
    Log(LogInput),
    /// Call a tool.
    CallTool {
        /// Which, and how.
        args: CallToolArgs,
        /// The operation, once it has ended or has taken as long as the caller waits for that.
        answer: Answer<Called>,
    },
    /// Send any request.
    Request {
        /// What is wanted.
        args: RequestArgs,
        /// Where it is from, when it was sent before.
        anew: Option<Anew>,
        /// The operation, or what to wait for first.
        answer: Answer<Started>,
    },
    /// What is wanted of subscriptions.
    Subscriptions(SubscriptionWish),
    /// What is wanted of tasks.
    Tasks(TaskWish),
    /// Wait for an operation's end.
    AwaitEnd {
        /// Which.
        operation: OperationId,
        /// It has ended.
        answer: oneshot::Sender<()>,
    },
    /// Cancel an operation.
    Cancel {
        /// Which.
        operation: OperationId,
        /// Done.
        answer: Answer<()>,
    },
    /// What the view looks at.
    Look {
        /// The window.
        look: TimelineLook,
        /// Its rows.
        answer: Answer<TimelinePatch>,
    },
    /// Fold or unfold.
    Fold {
        /// Which operation.
        operation: OperationId,
        /// Unfolded, or not.
        expanded: bool,
    },
    /// Where an operation's row is in the present filter.
    Locate {
        /// Which operation.
        operation: OperationId,
        /// From 0.
        answer: oneshot::Sender<Option<u32>>,
    },
    /// The keys of a stretch of rows of the present filter.
    RowKeys {
        /// From this row.
        start: u32,
        /// How many.
        len: u32,
        /// Their keys.
        answer: oneshot::Sender<Vec<RowKey>>,
    },
    /// Where the first row that began at a time or later is in the present filter.
    LocateTime {
        /// Microseconds since the Unix epoch.
        at_micros: u64,
        /// From 0.
        answer: oneshot::Sender<Option<u32>>,
    },
    /// All connections to a server since the start.
    ConnectionsOf {
        /// Which server.
        server: ServerId,
        /// In the order of opening.
        answer: oneshot::Sender<BTreeSet<ConnectionId>>,
    },
    /// What is wanted of the filter line's search and of what it found.
    Find(FindWish),
    /// The person answers a prompt.
    AnswerPrompt {
        /// Which.
        prompt: u32,
        /// What they chose.
        action: PromptAction,
        /// With accept: the text of a JSON object.
        content: Option<String>,
        /// Taken.
        answer: Answer<()>,
    },
    /// What is wanted to be known about a server.
    About(AboutInput),
    /// What is wanted of links.
    Link(LinkWish),
    /// Something about link flows that outlive the program.
    Flow(FlowInput),
    /// A step of a handshake.
    Handshake(HandshakeStep),
    /// Something about sign-in.
    SignIn(SignInInput),
    /// Something about secrets, by their names.
    Secret(SecretInput),
    /// The servers file may have changed.
    CatalogTouched,
    /// The keyring has said what it is.
    KeyringDescribed {
        /// In words.
        label: String,
    },
    /// A connection's links are closed.
    Closed {
        /// Which.
        connection: ConnectionId,
        /// What it becomes.
        then: Phase,
    },
    /// End everything.
    Shutdown {
        /// Nothing is left.
        done: oneshot::Sender<()>,
    },
}

/// What the task that makes a connection asks of the engine.
pub enum HandshakeStep {
    /// A number for a link that is about to be opened, and a row for a process that is started.
    NewLink {
        /// For which connection.
        connection: ConnectionId,
        /// The program and its arguments, where a process is started.
        process: Option<ProcessPlan>,
        /// The number, and where its reports go; nothing when the connection is gone.
        answer: oneshot::Sender<Option<NewLink>>,
    },
    /// The link is open, or could not be.
    LinkOpened {
        /// For which connection.
        connection: ConnectionId,
        /// Its number.
        link: LinkId,
        /// What it is for.
        role: LinkRole,
        /// The link, or why there is none.
        opened: Result<Link, client::error::LinkError>,
        /// Where it leads, when that is known only now.
        address: Option<String>,
    },
    /// Send a request and tell how it ended.
    Request {
        /// On which connection.
        connection: ConnectionId,
        /// Speaking like this.
        speaker: Speaker,
        /// What to ask.
        ask: Ask,
        /// How it ended.
        answer: oneshot::Sender<Ending>,
    },
    /// Send a notification.
    Notify {
        /// On which connection.
        connection: ConnectionId,
        /// Speaking like this.
        speaker: Speaker,
        /// Its method.
        method: &'static str,
        /// It is on its way (stdio), or the server took it (HTTP).
        taken: oneshot::Sender<()>,
    },
    /// Open the event stream of HTTP+SSE, and tell when its endpoint is known.
    OpenHttpSse {
        /// On which connection.
        connection: ConnectionId,
        /// Speaking like this.
        speaker: Speaker,
        /// It is known, or why not; dropped when it did not come in time.
        opening: Opening,
    },
    /// A session was opened in place of one that the server had ended, or none could be.
    SessionRenewed {
        /// On which connection.
        connection: ConnectionId,
        /// What the server said of itself.
        renewed: Result<Box<ServerReport>, ErrorView>,
        /// The row that shows why not.
        operation: Option<OperationId>,
    },
    /// End the process, which was only asked for its era.
    EndProcess {
        /// On which connection.
        connection: ConnectionId,
        /// Nothing of it is left.
        ended: oneshot::Sender<()>,
    },
    /// What was found out about the server's era before does not hold any more.
    EraForgotten {
        /// On which connection.
        connection: ConnectionId,
    },
    /// What is awaited now.
    Step {
        /// On which connection.
        connection: ConnectionId,
        /// In words.
        step: String,
    },
    /// The connection is made.
    Established {
        /// Which.
        connection: ConnectionId,
        /// How to speak from now on.
        speaker: Speaker,
        /// What the server said of itself.
        report: Box<ServerReport>,
        /// What is wrong with what it said.
        findings: Vec<Finding>,
        /// The operation that found it out.
        operation: OperationId,
    },
    /// The connection cannot be made.
    Failed {
        /// Which.
        connection: ConnectionId,
        /// Why.
        error: ErrorView,
        /// The row that shows it.
        operation: Option<OperationId>,
    },
}

impl HandshakeStep {
    /// The connection that is being made.
    pub fn connection(&self) -> ConnectionId {
        match self {
            Self::NewLink { connection, .. }
            | Self::LinkOpened { connection, .. }
            | Self::Request { connection, .. }
            | Self::Notify { connection, .. }
            | Self::OpenHttpSse { connection, .. }
            | Self::SessionRenewed { connection, .. }
            | Self::EndProcess { connection, .. }
            | Self::EraForgotten { connection }
            | Self::Step { connection, .. }
            | Self::Established { connection, .. }
            | Self::Failed { connection, .. } => *connection,
        }
    }
}

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRole {
    /// MCP is spoken over it.
    Speaks,
    /// It is the process of a server that is spoken to over another link.
    Launches,
}

/// A process that is about to be started.
#[derive(Clone, Debug)]
pub struct ProcessPlan {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The working folder.
    pub folder: Option<String>,
}

/// A link's number and its inbox.
#[derive(Debug)]
pub struct NewLink {
    /// The number.
    pub link: LinkId,
    /// Where its reports go.
    pub inbox: mpsc::Sender<Vec<client::report::Report>>,
}

/// The door to the engine.
#[derive(Clone, Debug)]
pub struct EngineHandle {
    inputs: mpsc::Sender<Input>,
}

/// A handle that does not keep the engine alive.
#[derive(Clone, Debug)]
pub struct WeakHandle {
    inputs: mpsc::WeakSender<Input>,
}

impl WeakHandle {
    /// The handle, while anybody else holds one.
    pub fn upgrade(&self) -> Option<EngineHandle> {
        self.inputs.upgrade().map(EngineHandle::new)
    }
}

impl EngineHandle {
    pub(super) fn new(inputs: mpsc::Sender<Input>) -> Self {
        Self { inputs }
    }

    pub(crate) fn downgrade(&self) -> WeakHandle {
        WeakHandle {
            inputs: self.inputs.downgrade(),
        }
    }

    /// Tells the engine something that needs no answer.
    ///
    /// # Errors
    /// The engine has ended.
    pub async fn tell(&self, input: Input) -> Result<(), ErrorView> {
        self.inputs.send(input).await.map_err(|_| ended())
    }

    /// The same from a thread that may wait; an engine that has ended need not hear of it.
    pub(crate) fn tell_and_wait(&self, input: Input) {
        let _ended = self.inputs.blocking_send(input);
    }

    /// Gives the engine something to keep.
    ///
    /// # Errors
    /// The engine has ended; here it is back.
    pub(super) async fn hand_over(&self, input: Input) -> Result<(), Input> {
        self.inputs.send(input).await.map_err(|refused| refused.0)
    }

    /// Asks the engine and waits for its answer.
    ///
    /// # Errors
    /// What the engine says, or that it has ended.
    pub async fn ask<T>(&self, input: impl FnOnce(Answer<T>) -> Input) -> Result<T, ErrorView> {
        let (answer, reply) = oneshot::channel();
        self.tell(input(answer)).await?;
        reply.await.map_err(|_| ended())?
    }
}

/// The error for an engine that has ended.
pub fn ended() -> ErrorView {
    ErrorView {
        code: ErrorCode::Gone,
        message: "Roundtrip is closing.".to_owned(),
        hint: None,
    }
}

/// A removal, and what becomes of it.
pub enum Removal {
    /// Remove a server, and disconnect it first.
    Remove {
        /// Which.
        server: ServerId,
        /// Out of the catalog.
        answer: Answer<()>,
    },
    /// Bring back a server that was removed.
    Restore {
        /// Which.
        server: ServerId,
        /// In the catalog again.
        answer: Answer<()>,
    },
    /// What was removed shall not come back any more.
    Forget {
        /// Which, or all.
        server: Option<ServerId>,
        /// Those that were there, and how they were reached.
        answer: Answer<Vec<(ServerId, Endpoint)>>,
    },
}
