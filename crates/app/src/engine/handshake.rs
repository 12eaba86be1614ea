//! Making a connection: the link, then the era, then who the server is. It is one task a connection that
//! asks the engine to do each step, so that every request of it is an operation with its row.

mod failure;
mod http_sse;
mod pin;
mod reach;
pub(super) mod renew;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use client::LinkSpec;
use journal::event::ConnectionId;
use protocol::era::{
    Era, InitializeVerdict, ProbeAnswer, ProbeReply, ProbeVerdict, Revision, judge_initialize,
    judge_probe_with,
};
use protocol::identity::ServerIdentity;
use protocol::operation::Pages;
use protocol::request::Speaker;
use secrets::{Keyring, Redactor};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(super) use self::failure::link_failure;
use self::failure::{Failure, failed, list, no_common_revision, not_mcp_hint, sign_in};
use self::pin::Way;
pub(super) use self::reach::expand_home;
use super::input::{EngineHandle, HandshakeStep, Input};
use super::loopback::ProtectedDemo;
use super::operation::{Ask, Came, Ending, Purpose};
use super::speaking::{legacy_speaker, speaker};
use crate::api::options::HttpStyle;
use crate::api::servers::{EraChoice, ServerReport};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::Entry;
use crate::eras::Found;

/// How long a server may take to answer the probe before it is taken for a legacy one.
const PROBE_LIMIT: Duration = Duration::from_secs(5);
/// How long `initialize` may take; package runners may have to download the server first.
const INITIALIZE_LIMIT: Duration = Duration::from_mins(2);
/// The same over HTTP, where nothing is downloaded.
const HTTP_LIMIT: Duration = Duration::from_secs(30);
/// How long `notifications/initialized` may be on its way before the session is used.
const NOTIFICATION_LIMIT: Duration = Duration::from_secs(5);

/// How a connection is to be made.
pub(super) struct Plan {
    /// The era that was chosen in place of the entry's.
    pub(super) era: Option<EraChoice>,
    /// What was found out about the server before.
    pub(super) known: Option<Found>,
    /// A wait before everything, and how to call it.
    pub(super) pause: Option<(Duration, String)>,
    /// Cancelled when the connection before has ended.
    pub(super) predecessor: Option<CancellationToken>,
}

/// Makes the connection and tells the engine how it went.
pub(super) async fn run(
    engine: EngineHandle,
    connection: ConnectionId,
    entry: Entry,
    plan: Plan,
    (keyring, redactor): (Keyring, Redactor),
    (closing, demo): (TaskTracker, ProtectedDemo),
) {
    let way = match Way::of(&entry, plan.era) {
        Ok(way) => way,
        Err(error) => {
            let step = HandshakeStep::Failed {
                connection,
                error,
                operation: None,
            };
            // An engine that has ended has aborted this task, or is about to.
            let _ended = engine.tell(Input::Handshake(step)).await;
            return;
        }
    };
    let maker = Maker {
        engine,
        connection,
        way,
        speaks_http_sse: AtomicBool::new(false),
        entry,
        keyring,
        redactor,
        closing,
        demo,
    };
    if let Some(predecessor) = plan
        .predecessor
        .filter(|predecessor| !predecessor.is_cancelled())
    {
        maker.step("waiting for the connection before to end").await;
        predecessor.cancelled().await;
    }
    if let Some((wait, words)) = plan.pause {
        maker.step(&words).await;
        tokio::time::sleep(wait).await;
    }
    if let Err(failure) = maker.make(plan.known).await {
        maker
            .tell(HandshakeStep::Failed {
                connection,
                error: failure.error,
                operation: failure.operation,
            })
            .await;
    }
}

struct Maker {
    engine: EngineHandle,
    connection: ConnectionId,
    way: Way,
    /// The server was found to speak HTTP+SSE.
    speaks_http_sse: AtomicBool,
    entry: Entry,
    keyring: Keyring,
    redactor: Redactor,
    closing: TaskTracker,
    demo: ProtectedDemo,
}

impl Maker {
    async fn make(&self, known: Option<Found>) -> Result<(), Failure> {
        if self.entry.transport() == "http" {
            super::sign_in::load(&self.engine, &self.keyring, &self.redactor, &self.entry.id)
                .await?;
        }
        let reach = self.reach().await?;
        self.open(&reach).await?;
        if is_http(&reach) && self.way.http == HttpStyle::Sse {
            self.open_event_stream().await?;
            let reason = "HTTP+SSE was chosen for this server, which only legacy revisions have";
            return self.initialize(&reach, reason, false).await;
        }
        let era = self.way.era;
        match (era, known) {
            (EraChoice::Legacy, _) => {
                let reason = match &self.way.pin {
                    Some(pin) => format!("{pin} was chosen for this server"),
                    None => "legacy was chosen for this server".to_owned(),
                };
                self.initialize(&reach, &reason, false).await
            }
            (EraChoice::Auto, Some(found)) if found.era == Era::Legacy.as_str() => {
                self.initialize_as_before(&reach).await
            }
            // A server that is known to speak is not silent because it is another one, but because it is slow.
            (EraChoice::Auto, Some(_)) => self.probe(&reach, era, HTTP_LIMIT).await,
            (EraChoice::Modern | EraChoice::Auto, _) => self.probe(&reach, era, PROBE_LIMIT).await,
        }
    }

    /// A server that was found to be legacy before is not asked again which era it speaks, unless it proves to be
    /// another one now.
    async fn initialize_as_before(&self, reach: &LinkSpec) -> Result<(), Failure> {
        let reason = "legacy, as it was found to be before";
        let Err(failure) = self.initialize(reach, reason, false).await else {
            return Ok(());
        };
        self.tell(HandshakeStep::EraForgotten {
            connection: self.connection,
        })
        .await;
        if !failure.is_of_another_era {
            return Err(failure);
        }
        self.start_afresh(reach).await?;
        self.probe(reach, EraChoice::Auto, PROBE_LIMIT).await
    }

    /// Ends the process that was asked for its era, and starts a fresh one for the session: what the question did to the
    /// first is no part of it (2026-07-28 basic/transports/stdio § Backward Compatibility). Over HTTP there is none.
    async fn start_afresh(&self, reach: &LinkSpec) -> Result<(), Failure> {
        if is_http(reach) {
            return Ok(());
        }
        self.step("ending the process that was asked for its era")
            .await;
        let (ended, end) = oneshot::channel();
        self.tell(HandshakeStep::EndProcess {
            connection: self.connection,
            ended,
        })
        .await;
        // A connection that has ended meanwhile ends this task.
        let _over = end.await;
        self.open(reach).await
    }

    /// Finds the era with `server/discover` (2026-07-28 basic/transports/stdio and streamable-http, §
    /// Backward Compatibility).
    async fn probe(
        &self,
        reach: &LinkSpec,
        era: EraChoice,
        limit: Duration,
    ) -> Result<(), Failure> {
        let mut revision = self.way.pin.clone().unwrap_or(Revision::LATEST);
        // A server may name another modern revision once; one that goes on renaming is not worth following.
        for is_last in [false, true] {
            let speaker = speaker(&self.entry.options, revision.clone());
            let limit = if era == EraChoice::Modern || is_http(reach) {
                HTTP_LIMIT
            } else {
                limit
            };
            let ending = self
                .request(speaker.clone(), "server/discover", None, limit)
                .await?;
            if let Some(reason) = unanswered(is_http(reach) || era == EraChoice::Modern, &ending)? {
                self.start_afresh(reach).await?;
                return self.initialize(reach, &reason, false).await;
            }
            match judged(&ending, (&revision, &self.way.spoken()), is_last) {
                ProbeVerdict::Modern {
                    report,
                    revision,
                    findings,
                } => {
                    let speaker = Speaker {
                        revision: revision.clone(),
                        ..speaker
                    };
                    let reason = "server/discover answered".to_owned();
                    self.tell(HandshakeStep::Established {
                        connection: self.connection,
                        report: Box::new(server_report(&report, &speaker, reason)),
                        speaker,
                        findings,
                        operation: ending.operation,
                    })
                    .await;
                    return Ok(());
                }
                ProbeVerdict::RetryWith { revision: next, .. } => revision = next,
                ProbeVerdict::NoCommonRevision { supported } => {
                    return Err(no_common_revision(&supported, &ending));
                }
                ProbeVerdict::Refused { reason } => {
                    return Err(failed(
                        reason,
                        Some("Look at the row's response for what the server said.".to_owned()),
                        &ending,
                    ));
                }
                ProbeVerdict::SignIn { status } => return Err(sign_in(status, &ending)),
                ProbeVerdict::NotMcp { reason } => {
                    return Err(failed(reason, Some(not_mcp_hint(reach)), &ending));
                }
                ProbeVerdict::Legacy { reason } if era == EraChoice::Modern => {
                    return Err(Failure {
                        error: ErrorView {
                            code: ErrorCode::WrongEra,
                            message: format!("The server does not speak the modern era: {reason}."),
                            hint: Some(
                                "Connect as legacy, or let Roundtrip choose (auto).".to_owned(),
                            ),
                        },
                        operation: Some(ending.operation),
                        is_of_another_era: false,
                    });
                }
                ProbeVerdict::Legacy { reason } => {
                    let was_slow =
                        limit == PROBE_LIMIT && matches!(ending.came, Came::Silence { .. });
                    self.start_afresh(reach).await?;
                    return self
                        .initialize(reach, &format!("fell back: {reason}"), was_slow)
                        .await;
                }
            }
        }
        Err(ErrorView {
            code: ErrorCode::Failed,
            message: "The server asks for another revision each time it is asked.".to_owned(),
            hint: Some("Connect as legacy, or look at the rows of server/discover.".to_owned()),
        }
        .into())
    }

    /// Opens a legacy session (2025-11-25 basic/lifecycle § Initialization). `was_slow`: the server did not answer the
    /// probe in time and may do so yet.
    async fn initialize(
        &self,
        reach: &LinkSpec,
        era_reason: &str,
        was_slow: bool,
    ) -> Result<(), Failure> {
        let offered = self.legacy_speaker();
        let params = offered.initialize_params();
        let limit = if is_http(reach) {
            HTTP_LIMIT
        } else {
            INITIALIZE_LIMIT
        };
        let ending = self
            .request(offered.clone(), "initialize", Some(params), limit)
            .await?;
        if let Came::Failed { message, hint } | Came::WrongId { message, hint } = &ending.came {
            return Err(failed(message.clone(), hint.clone(), &ending));
        }
        let verdict = judge_initialize(&reply_of(&ending));
        if is_http(reach) && self.may_be_http_sse(&verdict, ending.http_status) {
            // Where there is no event stream either, the first refusal says more.
            if self.open_event_stream().await.is_ok() {
                let status = ending.http_status.unwrap_or_default();
                let reason = format!(
                    "{era_reason}; HTTP+SSE, for POST of initialize was answered with HTTP {status}"
                );
                return Box::pin(self.initialize(reach, &reason, false)).await;
            }
        }
        match verdict {
            InitializeVerdict::Legacy { revision, .. }
                if self.way.pin.as_ref().is_some_and(|pin| *pin != revision) =>
            {
                let pin = offered.revision.clone();
                Err(failed(
                    format!(
                        "The server answered initialize with the revision {revision}, and only {pin} is to be spoken with it."
                    ),
                    Some(format!(
                        "Choose {revision}, or no particular revision, in the server's options."
                    )),
                    &ending,
                ))
            }
            InitializeVerdict::Legacy {
                report,
                revision,
                findings,
            } => {
                let speaker = Speaker {
                    revision,
                    ..offered
                };
                self.initialized(&speaker).await;
                self.tell(HandshakeStep::Established {
                    connection: self.connection,
                    report: Box::new(server_report(&report, &speaker, era_reason.to_owned())),
                    speaker,
                    findings,
                    operation: ending.operation,
                })
                .await;
                Ok(())
            }
            // It was too slow for the probe, as a package that has to be downloaded first; now it is awake.
            InitializeVerdict::ModernOnly { .. } if was_slow => {
                Box::pin(self.probe(reach, EraChoice::Auto, HTTP_LIMIT)).await
            }
            InitializeVerdict::ModernOnly { supported, reason } => {
                let named = if supported.is_empty() {
                    String::new()
                } else {
                    format!(" It speaks {}.", list(&supported))
                };
                Err(Failure {
                    error: ErrorView {
                        code: ErrorCode::WrongEra,
                        message: format!("{reason}{named}"),
                        hint: Some("Connect as modern, or let Roundtrip choose (auto).".to_owned()),
                    },
                    operation: Some(ending.operation),
                    is_of_another_era: true,
                })
            }
            InitializeVerdict::NoCommonRevision { supported } => {
                Err(no_common_revision(&supported, &ending).of_another_era())
            }
            InitializeVerdict::Refused { code, message } => Err(failed(
                format!("The server refused initialize with error {code}: {message}"),
                Some("Look at the row's response for what the server said.".to_owned()),
                &ending,
            )
            .of_another_era()),
            InitializeVerdict::SignIn { status } => Err(sign_in(status, &ending)),
            InitializeVerdict::NotMcp { reason } => {
                Err(failed(reason, Some(not_mcp_hint(reach)), &ending))
            }
        }
    }

    /// Says that the session is open. Over HTTP each message is an exchange of its own, and one that overtakes this
    /// one would reach a server that does not know yet that it may answer (2025-11-25 basic/lifecycle §
    /// Initialization); so the server's taking it is awaited, within reason.
    async fn initialized(&self, speaker: &Speaker) {
        say_initialized(&self.engine, self.connection, speaker).await;
    }

    /// How it is spoken before a revision is agreed on.
    fn legacy_speaker(&self) -> Speaker {
        match &self.way.pin {
            Some(pin) if pin.era() == Era::Legacy => speaker(&self.entry.options, pin.clone()),
            _ => legacy_speaker(&self.entry.options),
        }
    }

    async fn request(
        &self,
        speaker: Speaker,
        method: &str,
        params: Option<String>,
        limit: Duration,
    ) -> Result<Ending, Failure> {
        self.step(&format!("waiting for the answer to {method}"))
            .await;
        let asked = (speaker, method, params);
        Ok(ask(&self.engine, self.connection, asked, limit).await?)
    }

    async fn step(&self, step: &str) {
        self.tell(HandshakeStep::Step {
            connection: self.connection,
            step: step.to_owned(),
        })
        .await;
    }

    async fn tell(&self, step: HandshakeStep) {
        // An engine that has ended has aborted this task, or is about to.
        let _ended = self.engine.tell(Input::Handshake(step)).await;
    }
}

/// Sends a request of a handshake and waits for what comes.
async fn ask(
    engine: &EngineHandle,
    connection: ConnectionId,
    (speaker, method, params): (Speaker, &str, Option<String>),
    limit: Duration,
) -> Result<Ending, ErrorView> {
    let (answer, reply) = oneshot::channel();
    let step = HandshakeStep::Request {
        connection,
        speaker,
        ask: Ask {
            method: method.to_owned(),
            name: None,
            params,
            pages: Pages::One,
            purpose: Purpose::Handshake,
            mirrored: Vec::new(),
            limit,
            progress: false,
        },
        answer,
    };
    engine.tell(Input::Handshake(step)).await?;
    reply.await.map_err(|_| super::input::ended())
}

/// Says `notifications/initialized`, and waits until it was taken or that took too long.
async fn say_initialized(engine: &EngineHandle, connection: ConnectionId, speaker: &Speaker) {
    let (taken, ended) = oneshot::channel();
    let step = HandshakeStep::Notify {
        connection,
        speaker: speaker.clone(),
        method: "notifications/initialized",
        taken,
    };
    // An engine that has ended has aborted this task, or is about to.
    let _ended = engine.tell(Input::Handshake(step)).await;
    // A server that never takes it has a row that says so, and is spoken to all the same.
    let _over = tokio::time::timeout(NOTIFICATION_LIMIT, ended).await;
}

/// Why the era is asked for in the other way, when the probe got nothing that can be judged; none when it did.
fn unanswered(is_final: bool, ending: &Ending) -> Result<Option<String>, Failure> {
    match &ending.came {
        Came::Failed { message, hint } | Came::WrongId { message, hint } if is_final => {
            Err(failed(message.clone(), hint.clone(), ending))
        }
        // It ended before it read the question: it would end again.
        Came::Failed { message, hint } if !ending.was_heard => {
            Err(failed(message.clone(), hint.clone(), ending))
        }
        // Some legacy servers end on anything before initialize: it is started anew for that.
        Came::Failed { message, .. } => Ok(Some(format!(
            "started anew and fell back: server/discover was not answered. {}",
            first_line(message)
        ))),
        Came::WrongId { message, .. } => Ok(Some(format!("fell back: {message}"))),
        _ => Ok(None),
    }
}

/// What the answer to a probe means; nothing is asked again after the last one.
fn judged(
    ending: &Ending,
    (revision, spoken): (&Revision, &[Revision]),
    is_last: bool,
) -> ProbeVerdict {
    let verdict = judge_probe_with(&reply_of(ending), revision, spoken);
    if is_last {
        verdict.without_retry()
    } else {
        verdict
    }
}

fn is_http(reach: &LinkSpec) -> bool {
    matches!(reach, LinkSpec::Http { .. })
}

fn reply_of(ending: &Ending) -> ProbeReply<'_> {
    ProbeReply {
        http_status: ending.http_status,
        answer: match &ending.came {
            Came::Result(result) => ProbeAnswer::Result(result),
            Came::Error(error) => ProbeAnswer::Error(error),
            Came::Unreadable(body) => ProbeAnswer::Unreadable(body),
            Came::Silence { waited } => ProbeAnswer::Silence {
                waited_millis: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
            },
            Came::Failed { message, .. } | Came::WrongId { message, .. } => ProbeAnswer::Gone {
                why: message.clone(),
            },
            Came::Cancelled => ProbeAnswer::Gone {
                why: "it was cancelled".to_owned(),
            },
        },
    }
}

fn server_report(identity: &ServerIdentity, speaker: &Speaker, era_reason: String) -> ServerReport {
    let pretty =
        |json: &str| wire::pretty::layout(json.as_bytes()).unwrap_or_else(|| json.to_owned());
    ServerReport {
        era: speaker.era.as_str().to_owned(),
        revision: speaker.revision.to_string(),
        era_reason,
        supported_revisions: identity.supported_revisions.clone(),
        name: identity.name.clone(),
        title: identity.title.clone(),
        version: identity.version.clone(),
        website: identity.website.clone(),
        icons: identity.icons.clone(),
        instructions: identity.instructions.clone(),
        capabilities: pretty(identity.capabilities.get()),
        capability_names: identity.capability_names.clone(),
        client_capabilities: pretty(&speaker.capabilities),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
