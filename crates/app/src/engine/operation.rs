//! Operations: what they are made of, starting them, and doing what their state machine says next.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use client::HttpMethod;
use client::clock::now_micros;
use client::error::LinkError;
use client::report::ExchangeId;
use journal::event::{ConnectionId, EventBody, OperationId};
use protocol::headers::Mirrored;
use protocol::listing::ListKind;
use protocol::operation::{Intent, Limits, Operation, Pages, Step};
use protocol::request::Speaker;
use protocol::retry::ToolHints;
use protocol::stream::Cursor;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::Instant;
use wire::frame::Carrier;
use wire::message::RpcError;

use super::composed::Awaited;
use super::input::Answer;
use super::sign_in::LettingIn;
use super::state::Engine;
use super::streams::{Again, StreamKind};
use crate::api::calls::HeaderEdit;

/// How many pages a list may have.
const PAGE_LIMIT: u32 = 1000;

/// Something to ask a server.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The method.
    pub method: String,
    /// The tool's name, for the row.
    pub name: Option<String>,
    /// The text of a JSON object.
    pub params: Option<String>,
    /// One page, or all.
    pub pages: Pages,
    /// What to do with the answer.
    pub purpose: Purpose,
    /// Parameters that are mirrored into headers.
    pub mirrored: Vec<Mirrored>,
    /// How long the server may be silent; progress and other messages start it anew.
    pub limit: Duration,
    /// Ask for progress notifications.
    pub progress: bool,
}

/// What an operation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The person wants its result.
    Call,
    /// It fills a list.
    List(ListKind),
    /// It is part of making a connection.
    Handshake,
    /// It is a notification, and gets no reply.
    Notification,
    /// The person wrote it, and it is sent as it is.
    Composed,
    /// It holds a request that the server sent.
    Served,
    /// It holds the start of a process.
    Process,
    /// It holds a stream that no request opened.
    Stream,
    /// It listens, for as long as that is wanted.
    Listen,
    /// It holds a sign-in's exchanges.
    SignIn,
}

/// How a handshake's operation ended, with what came.
#[derive(Debug)]
pub struct Ending {
    /// The HTTP status of the last exchange.
    pub http_status: Option<u16>,
    /// What came.
    pub came: Came,
    /// The row.
    pub operation: OperationId,
    /// The process had read something of what it was sent, where it has ended.
    pub was_heard: bool,
}

/// What came in answer to a request.
#[derive(Debug)]
pub enum Came {
    /// A result.
    Result(Box<RawValue>),
    /// A JSON-RPC error.
    Error(RpcError),
    /// A body that is no JSON-RPC reply.
    Unreadable(Bytes),
    /// Nothing, for so long.
    Silence {
        /// How long.
        waited: Duration,
    },
    /// The process ended, or the transport failed.
    Failed {
        /// Why.
        message: String,
        /// What to try.
        hint: Option<String>,
    },
    /// A reply whose id no request had, so it may be the answer and cannot be taken for it.
    WrongId {
        /// Which, in a sentence.
        message: String,
        /// What to try.
        hint: Option<String>,
    },
    /// It was cancelled.
    Cancelled,
}

/// An operation that has not ended.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says another thing of an operation, and any of them may go together"
)]
pub struct Active {
    pub(super) connection: ConnectionId,
    pub(super) method: String,
    pub(super) title: String,
    pub(super) purpose: Purpose,
    pub(super) speaker: Arc<Speaker>,
    pub(super) mirrored: Vec<Mirrored>,
    pub(super) limit: Duration,
    pub(super) progress: bool,
    /// The tool that is called.
    pub(super) tool: Option<String>,
    /// The number of the task that it follows.
    pub(super) task: Option<u32>,
    /// The method of the round on its way.
    pub(super) round_method: String,
    /// How long what is on its way may take.
    pub(super) patience: Patience,
    pub(super) machine: Option<Operation>,
    pub(super) current: Option<Attempt>,
    pub(super) round: u32,
    /// How many attempts the round had.
    pub(super) attempts: u32,
    /// How many redirects were followed.
    pub(super) redirects: u32,
    /// Over HTTP: the round's request, from which it can be made again.
    pub(super) sending: Option<Sending>,
    /// How often the round was sent again.
    pub(super) retries: u32,
    /// What the tool that is called says of a further call.
    pub(super) tool_hints: ToolHints,
    /// The last answer's `Retry-After`.
    pub(super) retry_after: Option<String>,
    /// What is said beside the error that the operation ends with.
    pub(super) note: Option<String>,
    pub(super) wait: Option<Wait>,
    /// What is sent when the wait is over for it, or when there is a session again.
    pub(super) again: Option<Again>,
    /// The place in the stream that its attempts read.
    pub(super) cursor: Cursor,
    /// Which stream it holds.
    pub(super) stream: Option<StreamKind>,
    /// A new session was opened for its sake.
    pub(super) is_renewed: bool,
    pub(super) ender: Option<oneshot::Sender<Ending>>,
    pub(super) came: Option<Came>,
    pub(super) http_status: Option<u16>,
    pub(super) waiters: Vec<oneshot::Sender<()>>,
    /// Who called the tool, until the call has ended or taken as long as they wait for that.
    pub(super) caller: Option<Caller>,
    pub(super) last_progress: Option<f64>,
    pub(super) progress_fault_seen: bool,
    /// The refusal of its headers, while the tools are listed again for it.
    pub(super) refused: Option<RpcError>,
    /// What was done about refusals for want of a sign-in.
    pub(super) letting_in: LettingIn,
    /// It fails for want of an answer, so what it was for may go on.
    pub(super) is_cut_short: bool,
    /// Of a message that was written by hand: what is awaited in answer to it.
    pub(super) awaited: Option<Awaited>,
    /// Headers that the person wants otherwise than they would be.
    pub(super) edits: Vec<HeaderEdit>,
}

/// A tool call, as its caller is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called {
    /// The call.
    pub operation: OperationId,
    /// It has ended. Otherwise it takes longer than the caller wanted to wait.
    pub has_ended: bool,
}

/// Who waits for a tool call, and until when.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) until: Instant,
    pub(super) answer: Answer<Called>,
}

impl Caller {
    /// Whoever called may have gone.
    pub(super) fn tell(self, operation: OperationId, has_ended: bool) {
        let _gone = self.answer.send(Ok(Called {
            operation,
            has_ended,
        }));
    }
}

/// Whether a limit may end the wait for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// As the options say.
    Limited,
    /// The server may take as long as it likes.
    Endless,
}

/// An attempt that waits for its reply.
#[derive(Debug)]
pub struct Attempt {
    pub(super) round: u32,
    /// Within the round, from 1.
    pub(super) number: u32,
    pub(super) request_id: Option<u64>,
    pub(super) exchange: ExchangeId,
    pub(super) sent_micros: u64,
    /// When the server has been silent for too long.
    pub(super) deadline: Instant,
    /// When it has taken too long in all, and how long that is.
    pub(super) hard_deadline: Option<(Instant, Duration)>,
    pub(super) content_type: Option<String>,
    /// The beginning of a body that was no reply.
    pub(super) unreadable: Option<Bytes>,
    /// Over HTTP: what was sent, to be sent again where a redirect leads.
    pub(super) sent: Option<Sent>,
    /// Where a redirect leads that keeps method and body.
    pub(super) moved_to: Option<String>,
    /// The id of a reply that came meanwhile and that no request had: the JSON token.
    pub(super) stray_id: Option<String>,
    /// Why the message did not reach the process, while its end, which says more, is still awaited.
    pub(super) undelivered: Option<LinkError>,
    /// The challenges of its refusal.
    pub(super) challenges: Vec<String>,
    /// Since when the token is there that it carried.
    pub(super) bearer: Option<u64>,
}

/// A round's request before it is given an id.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    pub(super) params: Option<String>,
    pub(super) label: Option<String>,
}

/// A wait on purpose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub(super) until: Instant,
    pub(super) then: WaitFor,
}

/// What goes on when a wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitFor {
    /// The operation's state machine.
    Machine,
    /// The round is sent again.
    Round,
    /// A further attempt that was kept.
    Kept,
}

/// A message as it is handed to a link.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) http_method: HttpMethod,
    pub(super) message: Bytes,
    /// Over stdio: its line breaks are sent.
    pub(super) keeps_breaks: bool,
    pub(super) headers: Vec<(String, String)>,
}

impl Attempt {
    /// Whether what came for it is a stream of events.
    pub(super) fn is_event_stream(&self) -> bool {
        self.content_type.as_deref().is_some_and(|kind| {
            let kind = kind.split(';').next().unwrap_or_default().trim();
            kind.eq_ignore_ascii_case("text/event-stream")
        })
    }

    /// Whether it takes up the stream of an attempt before.
    pub(super) fn is_resumption(&self) -> bool {
        self.request_id.is_some()
            && self
                .sent
                .as_ref()
                .is_some_and(|sent| sent.http_method == HttpMethod::Get)
    }

    pub(super) fn new(
        (round, number): (u32, u32),
        request_id: Option<u64>,
        exchange: ExchangeId,
        limit: Duration,
    ) -> Self {
        Self {
            round,
            number,
            request_id,
            exchange,
            sent_micros: now_micros(),
            deadline: Instant::now() + limit,
            hard_deadline: None,
            content_type: None,
            unreadable: None,
            sent: None,
            moved_to: None,
            stray_id: None,
            undelivered: None,
            challenges: Vec::new(),
            bearer: None,
        }
    }
}

impl Engine {
    /// Starts an operation and sends its first round.
    pub(super) fn start(
        &mut self,
        connection: ConnectionId,
        speaker: Arc<Speaker>,
        ask: Ask,
        ender: Option<oneshot::Sender<Ending>>,
    ) -> OperationId {
        let (operation, step) = self.prepare(connection, speaker, ask, ender);
        self.advance(operation, step);
        operation
    }

    /// Begins an operation; its first step is the caller's to take.
    pub(super) fn prepare(
        &mut self,
        connection: ConnectionId,
        speaker: Arc<Speaker>,
        ask: Ask,
        ender: Option<oneshot::Sender<Ending>>,
    ) -> (OperationId, Step) {
        let intent = Intent {
            era: speaker.era,
            declared: speaker.capabilities.clone(),
            method: ask.method.clone(),
            name: ask.name.clone(),
            params: ask.params,
            pages: ask.pages,
        };
        let limits = Limits {
            rounds: self
                .connections
                .get(&connection)
                .map_or(Limits::default().rounds, |link| link.options.round_limit),
            pages: PAGE_LIMIT,
        };
        let (machine, step) = Operation::start(intent, limits);
        let operation = self.open_operation(connection, &ask.method, ask.name.as_deref());
        self.active.insert(
            operation,
            Active {
                machine: Some(machine),
                tool: ask.name.clone().filter(|_| ask.method == "tools/call"),
                mirrored: ask.mirrored,
                limit: ask.limit,
                progress: ask.progress,
                ender,
                ..Active::new(
                    connection,
                    speaker,
                    ask.purpose,
                    &ask.method,
                    ask.name.as_deref(),
                )
            },
        );
        (operation, step)
    }

    /// Gives an operation its number and its row.
    pub(super) fn open_operation(
        &mut self,
        connection: ConnectionId,
        method: &str,
        name: Option<&str>,
    ) -> OperationId {
        let operation = OperationId(self.next_operation);
        self.next_operation += 1;
        self.record(
            connection,
            Some(operation),
            EventBody::OperationStarted {
                method: method.to_owned(),
                name: name.map(str::to_owned),
            },
        );
        operation
    }

    /// Does what the state machine says is next.
    pub(super) fn advance(&mut self, operation: OperationId, step: Step) {
        self.take_step(operation, step);
        self.flow_moved(operation);
    }

    fn take_step(&mut self, operation: OperationId, step: Step) {
        match step {
            Step::Send {
                round,
                params,
                label,
            } => {
                self.browser_asks(operation);
                self.send_round(operation, round, None, params.as_deref(), label);
            }
            Step::Browse {
                millis,
                asked_again,
            } => self.browse(operation, millis, asked_again),
            Step::Ask(requests) => self.open_prompts(operation, requests),
            Step::Wait { millis, reason } => {
                self.begin_wait(operation, Duration::from_millis(millis), reason);
            }
            Step::Task { round, steps } => self.take_task_steps(operation, round, steps),
            Step::Finished(finish) => self.finish(operation, finish),
            Step::Nothing => {}
        }
    }

    /// Waits on purpose; the operation goes on when the sweep finds that it is over.
    pub(super) fn begin_wait(&mut self, operation: OperationId, wait: Duration, reason: String) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let until = Instant::now() + wait;
        active.wait = Some(Wait {
            until,
            then: WaitFor::Machine,
        });
        let connection = active.connection;
        self.wake_by(until);
        self.record(
            connection,
            Some(operation),
            EventBody::WaitStarted { reason },
        );
    }

    /// Whether messages of this connection are lines.
    pub(super) fn is_stdio(&self, connection: ConnectionId) -> bool {
        self.connections
            .get(&connection)
            .is_none_or(|connection| connection.carrier() == Carrier::Line)
    }
}

impl Active {
    /// The id that is waited for and the id of a reply that came instead.
    pub(super) fn stray(&self) -> Option<(u64, &str)> {
        let attempt = self.current.as_ref()?;
        Some((attempt.request_id?, attempt.stray_id.as_deref()?))
    }

    pub(super) fn new(
        connection: ConnectionId,
        speaker: Arc<Speaker>,
        purpose: Purpose,
        method: &str,
        name: Option<&str>,
    ) -> Self {
        Self {
            connection,
            method: method.to_owned(),
            title: match name {
                Some(name) => format!("{method} {name}"),
                None => method.to_owned(),
            },
            purpose,
            speaker,
            mirrored: Vec::new(),
            limit: super::sweep::MESSAGE_LIMIT,
            progress: false,
            tool: None,
            task: None,
            round_method: method.to_owned(),
            patience: Patience::Limited,
            machine: None,
            current: None,
            round: 0,
            attempts: 0,
            redirects: 0,
            sending: None,
            retries: 0,
            tool_hints: ToolHints::default(),
            retry_after: None,
            note: None,
            wait: None,
            again: None,
            cursor: Cursor::default(),
            stream: None,
            awaited: None,
            edits: Vec::new(),
            is_renewed: false,
            ender: None,
            came: None,
            http_status: None,
            waiters: Vec::new(),
            caller: None,
            last_progress: None,
            progress_fault_seen: false,
            refused: None,
            letting_in: LettingIn::default(),
            is_cut_short: false,
        }
    }
}
