//! A sign-in under way: the task that does what its flow says. It sends, waits for the person, keeps what came in the
//! keyring, and tells the engine; the flow decides.

use std::sync::Arc;

use client::clock::now_micros;
use client::oauth::{self, RedirectListener};
use journal::event::EventBody;
use protocol::authorization::client::{AuthMethod, Client, Preregistered};
use protocol::authorization::flow::{Flow, How, Plan, Request, Step, Wishes};
use protocol::authorization::redirect::Pkce;
use protocol::authorization::scope;
use protocol::authorization::token::Grant;
use protocol::authorization::trace::Failure;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;
use url::Url;

use super::exchange::{Desk, Unreachable};
use super::kept::Kept;
use super::{Progress, SignInInput};
use crate::api::servers::ServerId;
use crate::api::sign_in::{SignInHow, SignInOptions, SignInStep};
use crate::browser::Browser;
use crate::engine::loopback::ProtectedDemo;

/// What a sign-in starts from.
pub(super) struct Setup {
    pub(super) server: ServerId,
    /// Where the server is.
    pub(super) address: Address,
    pub(super) options: SignInOptions,
    pub(super) kept: Kept,
    /// The refusal that asked for it.
    pub(super) refusal: Option<(u16, Vec<String>)>,
    /// The prompt that stands in the timeline for the time in the browser.
    pub(super) prompt: u32,
    pub(super) step_by_step: bool,
}

/// Where a server is that is signed in to.
pub(super) enum Address {
    /// There.
    Url(String),
    /// Where the bundled one listens, which is started where it does not run.
    Demo(ProtectedDemo, TaskTracker),
}

impl Address {
    async fn url(&self) -> Result<Url, Failure> {
        let text = match self {
            Self::Url(url) => url.clone(),
            Self::Demo(demo, closing) => demo.url(closing).await.map_err(|error| Failure {
                message: error.message,
                hint: error.hint,
                asks_for_client: false,
            })?,
        };
        Url::parse(&text).map_err(|_| {
            failure(
                "The server's URL cannot be used.".to_owned(),
                "Mend it in the server's form.",
            )
        })
    }
}

/// How a sign-in ended.
pub struct Ended {
    pub(super) outcome: Result<(), Failure>,
    /// What is kept now.
    pub(super) kept: Kept,
    /// Why it lasts for this session only.
    pub(super) session_only: Option<String>,
}

/// Signs in, and tells the engine how it went. `go` brings the wish for the next step, and whether all the rest is
/// wanted with it.
pub(super) async fn run(
    desk: Desk,
    setup: Setup,
    browser: Arc<dyn Browser>,
    go: mpsc::Receiver<bool>,
) {
    let server = setup.server.clone();
    let mut runner = Runner {
        round: 0,
        progress: Progress::default(),
        step_by_step: setup.step_by_step,
        go,
        browser,
        server: server.clone(),
        prompt: setup.prompt,
        private_key: setup.kept.secrets.private_key.clone(),
        desk,
    };
    let mut kept = setup.kept.clone();
    if kept.proof_key.is_none() {
        // Without one, tokens are asked for as for everybody.
        kept.proof_key = oauth::ProofKey::draw().ok();
    }
    runner.desk.proof_key.clone_from(&kept.proof_key);
    let outcome = match runner.sign_in(&setup, &mut kept).await {
        Ok(grant) => {
            kept.grant = Some(*grant);
            Ok(())
        }
        Err(failure) => Err(failure),
    };
    if !kept.grant.as_ref().is_some_and(|grant| grant.is_bound) {
        kept.proof_key.clone_from(&setup.kept.proof_key);
    }
    let mut session_only = None;
    if kept != setup.kept {
        kept.teach(&runner.desk.redactor, &runner.desk.owner);
        if let Err(error) = kept.write(&runner.desk.keyring, &server).await {
            session_only = Some(error.to_string());
        }
    }
    let ended = Ended {
        outcome,
        kept,
        session_only,
    };
    let operation = runner.desk.operation;
    runner
        .desk
        .tell(SignInInput::Ended {
            server,
            operation,
            ended: Box::new(ended),
        })
        .await;
}

struct Runner {
    desk: Desk,
    server: ServerId,
    browser: Arc<dyn Browser>,
    round: u32,
    progress: Progress,
    step_by_step: bool,
    go: mpsc::Receiver<bool>,
    prompt: u32,
    private_key: Option<String>,
}

impl Runner {
    async fn sign_in(&mut self, setup: &Setup, kept: &mut Kept) -> Result<Box<Grant>, Failure> {
        let how = how(setup)?;
        let mut listener = None;
        if how == How::Person {
            // The port that a registration names, where it is free.
            let port = kept
                .clients
                .iter()
                .filter_map(|client| Url::parse(client.redirect_uri.as_deref()?).ok()?.port())
                .next_back();
            let bound = RedirectListener::bind(port).await.map_err(|error| {
                failure(
                    format!(
                        "No port on this machine can be listened on for the way back: {error}."
                    ),
                    "Look at the firewall of this machine.",
                )
            })?;
            listener = Some(bound);
        }
        let redirect_uri = listener
            .as_ref()
            .map(RedirectListener::uri)
            .unwrap_or_default();
        let plan = plan(setup, setup.address.url().await?, how, redirect_uri)?;
        self.desk.teach("code_verifier", &plan.pkce.verifier);
        let (mut flow, mut step) = Flow::start(plan, now_micros());
        loop {
            self.show(&flow).await;
            if let Some(client) = flow.client() {
                kept.keep_client(client);
            }
            match step {
                Step::Done(grant) => return Ok(grant),
                Step::Failed(failure) => return Err(failure),
                Step::Fetch(request) => {
                    self.pause().await;
                    step = match self.fetch(request).await {
                        Ok(reply) => flow.fetched(&reply),
                        Err(error) => flow.unreachable(&error.message, error.hint),
                    };
                }
                Step::Visit { url } => {
                    self.pause().await;
                    let Some(listener) = listener.as_mut() else {
                        return Err(failure(
                            "A consent in the browser was asked for, and none was planned."
                                .to_owned(),
                            "Choose consent by the person in the options of the sign-in.",
                        ));
                    };
                    step = self.visit(&mut flow, listener, url).await;
                }
            }
        }
    }

    async fn fetch(
        &mut self,
        mut request: Request,
    ) -> Result<protocol::authorization::flow::Reply, Unreachable> {
        if let Some(assertion) = request.assertion.take() {
            let signed = self.private_key.as_deref().map_or_else(
                || Err("There is no private key to sign with.".to_owned()),
                |pem| {
                    oauth::sign_assertion(
                        pem,
                        &assertion.client_id,
                        &assertion.audience,
                        now_micros() / 1_000_000,
                    )
                },
            );
            let jwt = signed.map_err(|message| Unreachable {
                message,
                hint: Some(
                    "Enter the client's private key in the options of the sign-in.".to_owned(),
                ),
            })?;
            request.body = url::form_urlencoded::Serializer::new(request.body)
                .append_pair(
                    "client_assertion_type",
                    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                )
                .append_pair("client_assertion", &jwt)
                .finish();
            request.secrets.push(("client_assertion".to_owned(), jwt));
        }
        self.round += 1;
        if let Some(step) = self.progress.steps.last_mut() {
            step.round = Some(self.round);
        }
        self.tell().await;
        self.desk.exchange(self.round, &request).await
    }

    /// Opens the browser and waits for the person, as long as it takes them; they can cancel.
    async fn visit(
        &mut self,
        flow: &mut Flow,
        listener: &mut RedirectListener,
        url: String,
    ) -> Step {
        let opened = EventBody::PromptOpened {
            prompt: self.prompt,
            round: self.round,
            key: "sign-in".to_owned(),
            method: "sign-in".to_owned(),
            message: "Consent in the browser".to_owned(),
        };
        self.desk.record(vec![(now_micros(), opened)]).await;
        self.progress.open_url = Some(url.clone());
        let browser = Arc::clone(&self.browser);
        // A program that is started may take its time.
        let started = tokio::task::spawn_blocking(move || browser.open(&url)).await;
        self.progress.browser_problem = match started {
            Ok(Ok(())) => None,
            Ok(Err(problem)) => Some(problem),
            Err(error) => Some(error.to_string()),
        };
        self.tell().await;
        let arrival = listener.arrival().await;
        self.progress.open_url = None;
        self.progress.browser_problem = None;
        let step = match arrival {
            None => Step::Failed(failure(
                "The way back from the browser broke off.".to_owned(),
                "Sign in again.",
            )),
            Some(arrival) => {
                if let Some((_, code)) = arrival.answer.iter().find(|(name, _)| name == "code") {
                    self.desk.teach("code", code);
                }
                let step = flow.returned(&arrival.answer, now_micros());
                let went_well = matches!(step, Step::Fetch(_) | Step::Done(_));
                arrival.show(went_well).await;
                step
            }
        };
        let closed = EventBody::PromptClosed {
            prompt: self.prompt,
            outcome: match step {
                Step::Failed(_) => "declined".to_owned(),
                _ => "accepted".to_owned(),
            },
        };
        self.desk.record(vec![(now_micros(), closed)]).await;
        step
    }

    /// Waits until the next step is wanted, where the person goes step by step.
    async fn pause(&mut self) {
        if !self.step_by_step {
            return;
        }
        self.progress.is_paused = true;
        self.tell().await;
        // A view that has gone lets it run to its end.
        let to_the_end = self.go.recv().await.unwrap_or(true);
        self.step_by_step = !to_the_end;
        self.progress.is_paused = false;
        self.tell().await;
    }

    /// Takes the flow's steps into the progress, with their times.
    async fn show(&mut self, flow: &Flow) {
        let now = now_micros();
        let traces = flow.traces();
        for (place, trace) in traces.iter().enumerate() {
            let is_last = place + 1 == traces.len();
            let is_over = !is_last || trace.came.is_some() || trace.decision.is_some();
            if self.progress.steps.len() <= place {
                self.progress.steps.push(SignInStep {
                    trace: trace.clone(),
                    started_micros: now,
                    ended_micros: None,
                    round: None,
                });
            }
            let step = &mut self.progress.steps[place];
            step.trace = trace.clone();
            if is_over && step.ended_micros.is_none() {
                step.ended_micros = Some(now);
            }
        }
        self.tell().await;
    }

    async fn tell(&self) {
        self.desk
            .tell(SignInInput::Progress {
                server: self.server.clone(),
                operation: self.desk.operation,
                progress: Box::new(self.progress.clone()),
            })
            .await;
    }
}

fn failure(message: String, hint: &str) -> Failure {
    Failure {
        message,
        hint: Some(hint.to_owned()),
        asks_for_client: false,
    }
}

fn plan(setup: &Setup, server: Url, how: How, redirect_uri: String) -> Result<Plan, Failure> {
    let options = &setup.options;
    let drawn = |value: Result<String, String>| {
        value.map_err(|problem| failure(problem, "Start the sign-in anew."))
    };
    let (verifier, challenge) =
        oauth::pkce().map_err(|problem| failure(problem, "Start the sign-in anew."))?;
    let issuer_of_client = options
        .client_issuer
        .clone()
        .or_else(|| setup.kept.client_issuer.clone());
    Ok(Plan {
        server,
        refusal: setup.refusal.clone(),
        before: setup
            .kept
            .grant
            .as_ref()
            .map(|grant| scope::union(&grant.requested, grant.granted.iter().map(String::as_str)))
            .unwrap_or_default(),
        wishes: Wishes {
            issuer: options.issuer.clone(),
            authorization_endpoint: options.authorization_endpoint.clone(),
            token_endpoint: options.token_endpoint.clone(),
            scopes: options.scopes.as_deref().map(scope::split),
            resource: options.resource.clone(),
            omits_resource: options.omit_resource,
            metadata_document: options.metadata_document.clone(),
        },
        how,
        preregistered: options.client_id.clone().map(|id| Preregistered {
            id,
            secret: setup.kept.secrets.client_secret.clone(),
            issuer: issuer_of_client,
            method: options.client_method.as_deref().and_then(AuthMethod::named),
            has_key: setup.kept.secrets.private_key.is_some(),
        }),
        known: known(&setup.kept),
        redirect_uri,
        pkce: Pkce {
            verifier,
            challenge,
        },
        state: drawn(oauth::random())?,
    })
}

fn known(kept: &Kept) -> Vec<Client> {
    kept.clients.clone()
}

fn how(setup: &Setup) -> Result<How, Failure> {
    let secrets = &setup.kept.secrets;
    let needed = |value: &Option<String>, what: &str| {
        value
            .clone()
            .filter(|value| !value.is_empty())
            .ok_or_else(|| {
                failure(
                    format!("This sign-in needs {what}, and none is set."),
                    "Set it in the options of the sign-in.",
                )
            })
    };
    Ok(match setup.options.how {
        SignInHow::Person => How::Person,
        SignInHow::ClientCredentials => How::ClientCredentials,
        SignInHow::JwtBearer => How::JwtBearer {
            assertion: needed(&secrets.assertion, "the workload's JWT")?,
        },
        SignInHow::IdentityAssertion => How::IdentityAssertion {
            token_endpoint: needed(
                &setup.options.provider_token_endpoint,
                "the identity provider's token endpoint",
            )?,
            client_id: needed(
                &setup.options.provider_client_id,
                "the client id at the identity provider",
            )?,
            id_token: needed(&secrets.id_token, "the identity provider's id token")?,
        },
    })
}
