//! A sign-in as a state machine, from the refusal to the token (2026-07-28 basic/authorization § Authorization Flow
//! Steps).

mod consent;
mod discovering;
mod registering;
mod tokens;

use std::collections::VecDeque;

use url::Url;

use super::challenge::{self, Challenge};
use super::client::{Client, Preregistered};
use super::documents::{ResourceMetadata, ServerMetadata};
use super::redirect::Pkce;
use super::token::{Assertion, Form, Grant, GrantKind};
use super::trace::{Check, Failure, Party, Stage, Trace};

/// What the person wants to be other than what is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// This authorization server.
    pub issuer: Option<String>,
    /// This page in the browser.
    pub authorization_endpoint: Option<String>,
    /// This token endpoint.
    pub token_endpoint: Option<String>,
    /// These scopes.
    pub scopes: Option<Vec<String>>,
    /// This resource.
    pub resource: Option<String>,
    /// No `resource`: some authorization servers refuse it.
    pub omits_resource: bool,
    /// Roundtrip's Client ID Metadata Document.
    pub metadata_document: Option<String>,
}

/// How consent is given.
#[derive(Clone, PartialEq, Eq)]
pub enum How {
    /// By the person, in the browser.
    Person,
    /// It was given to the client.
    ClientCredentials,
    /// A workload's JWT stands for it.
    JwtBearer {
        /// The JWT.
        assertion: String,
    },
    /// The person's identity provider gives it.
    IdentityAssertion {
        /// The identity provider's token endpoint.
        token_endpoint: String,
        /// Who Roundtrip is there.
        client_id: String,
        /// Who the person is there.
        id_token: String,
    },
}

impl std::fmt::Debug for How {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.kind())
    }
}

impl How {
    /// As a grant keeps it.
    pub fn kind(&self) -> GrantKind {
        match self {
            Self::Person => GrantKind::Person,
            Self::ClientCredentials => GrantKind::ClientCredentials,
            Self::JwtBearer { .. } => GrantKind::JwtBearer,
            Self::IdentityAssertion { .. } => GrantKind::IdentityAssertion,
        }
    }
}

/// What a flow starts from.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The server.
    pub server: Url,
    /// The status and the `WWW-Authenticate` of its refusal; nothing where it is to be asked for one.
    pub refusal: Option<(u16, Vec<String>)>,
    /// The scopes that were asked for before, where this is for more.
    pub before: Vec<String>,
    /// What the person wants to be different.
    pub wishes: Wishes,
    /// How consent is given.
    pub how: How,
    /// The identity that the person entered.
    pub preregistered: Option<Preregistered>,
    /// Identities that authorization servers gave.
    pub known: Vec<Client>,
    /// Where the person comes back to.
    pub redirect_uri: String,
    /// Drawn for this flow.
    pub pkce: Pkce,
    /// Drawn for this flow.
    pub state: String,
}

/// What is to be done next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Send this; [`Flow::fetched`] or [`Flow::unreachable`] takes what came.
    Fetch(Request),
    /// Open this in the browser; [`Flow::returned`] takes what the person comes back with.
    Visit {
        /// Where.
        url: String,
    },
    /// There is a token, and perhaps a new identity.
    Done(Box<Grant>),
    /// There is none.
    Failed(Failure),
}

/// A request to send.
#[derive(Clone)]
pub struct Request {
    /// What for.
    pub stage: Stage,
    /// For the timeline.
    pub label: String,
    /// POST; GET otherwise.
    pub is_post: bool,
    /// Where.
    pub url: String,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: String,
    /// To be signed, and added to the body as `client_assertion`.
    pub assertion: Option<Assertion>,
    /// A proof of Roundtrip's key goes with it, so that what is given is bound to that key (RFC 9449 § 5).
    pub is_proven: bool,
    /// What in it nobody else may see, by name.
    pub secrets: Vec<(String, String)>,
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("stage", &self.stage)
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl Request {
    pub(super) fn get(stage: Stage, label: &str, url: &str) -> Self {
        Self {
            stage,
            label: label.to_owned(),
            is_post: false,
            url: url.to_owned(),
            headers: vec![("Accept".to_owned(), "application/json".to_owned())],
            body: String::new(),
            assertion: None,
            is_proven: false,
            secrets: Vec::new(),
        }
    }

    /// A form.
    pub fn form(stage: Stage, label: &str, url: &str, form: &Form) -> Self {
        Self {
            is_post: true,
            headers: vec![
                ("Accept".to_owned(), "application/json".to_owned()),
                (
                    "Content-Type".to_owned(),
                    "application/x-www-form-urlencoded".to_owned(),
                ),
            ],
            body: form.body(),
            secrets: form.secrets(),
            ..Self::get(stage, label, url)
        }
    }
}

/// What came for a request.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// `WWW-Authenticate`, each value.
    pub challenges: Vec<String>,
    /// The body.
    pub body: Vec<u8>,
    /// Microseconds since the Unix epoch.
    pub now_micros: u64,
}

/// Where a flow stands.
#[derive(Clone, Debug)]
enum At {
    Probe,
    ResourceMetadata { left: VecDeque<String> },
    ServerMetadata { left: VecDeque<String> },
    Registration,
    Consent,
    Assertion,
    Token,
    Over,
}

/// A sign-in under way.
#[derive(Debug)]
pub struct Flow {
    plan: Plan,
    at: At,
    traces: Vec<Trace>,
    challenge: Option<Challenge>,
    /// The server's challenge asks for tokens that are bound to a key.
    wants_proof: bool,
    resource: ResourceMetadata,
    issuer: String,
    server: ServerMetadata,
    scopes: Vec<String>,
    client: Option<Client>,
    now_micros: u64,
}

impl Flow {
    /// Starts one.
    pub fn start(plan: Plan, now_micros: u64) -> (Self, Step) {
        let mut flow = Self {
            plan,
            at: At::Probe,
            traces: Vec::new(),
            challenge: None,
            wants_proof: false,
            resource: ResourceMetadata::default(),
            issuer: String::new(),
            server: ServerMetadata::default(),
            scopes: Vec::new(),
            client: None,
            now_micros,
        };
        let mut trace = Trace::new(
            Stage::Challenge,
            Party::Server,
            Party::App,
            "The server refuses",
        );
        let step = if let Some((status, challenges)) = flow.plan.refusal.clone() {
            flow.traces.push(trace);
            flow.refused(status, &challenges)
        } else {
            let url = flow.plan.server.to_string();
            trace.sent = Some(format!("POST {url}"));
            flow.traces.push(trace);
            Step::Fetch(Request {
                is_post: true,
                headers: vec![(
                    "Accept".to_owned(),
                    "application/json, text/event-stream".to_owned(),
                )],
                // Whatever the era: a server that wants a sign-in says so before it looks at a message.
                body: r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned(),
                ..Request::get(Stage::Challenge, "is a sign-in wanted?", &url)
            })
        };
        (flow, step)
    }

    /// What was done so far.
    pub fn traces(&self) -> &[Trace] {
        &self.traces
    }

    /// The identity in use; a new one is worth keeping also when the flow fails later.
    pub fn client(&self) -> Option<&Client> {
        self.client.as_ref()
    }

    /// The authorization server, once it is known.
    pub fn issuer(&self) -> Option<&str> {
        Some(self.issuer.as_str()).filter(|issuer| !issuer.is_empty())
    }

    /// A reply came.
    pub fn fetched(&mut self, reply: &Reply) -> Step {
        self.now_micros = reply.now_micros;
        match std::mem::replace(&mut self.at, At::Over) {
            At::Probe => self.refused(reply.status, &reply.challenges),
            At::ResourceMetadata { left } => self.resource_metadata(reply, left),
            At::ServerMetadata { left } => self.server_metadata(reply, left),
            At::Registration => self.registered(reply),
            At::Assertion => self.asserted(reply),
            At::Token => self.token(reply),
            At::Consent | At::Over => Step::Failed(out_of_turn()),
        }
    }

    /// No reply came, for this reason.
    pub fn unreachable(&mut self, message: &str, hint: Option<String>) -> Step {
        self.at = At::Over;
        if let Some(trace) = self.traces.last_mut() {
            trace.came = Some(message.to_owned());
            trace.checks.push(Check::failed(
                message,
                "RFC 9110",
                hint.clone().unwrap_or_else(|| {
                    "Check that the address can be reached from this machine.".to_owned()
                }),
            ));
        }
        Step::Failed(Failure {
            message: message.to_owned(),
            hint,
            asks_for_client: false,
        })
    }

    /// The server's refusal was read, or there was none.
    fn refused(&mut self, status: u16, challenges: &[String]) -> Step {
        self.challenge = challenge::for_tokens(challenges);
        self.wants_proof = challenge::wants_proof(challenges);
        let challenge = self.challenge.clone();
        let mut came = vec![format!("HTTP {status}")];
        came.extend(
            challenges
                .iter()
                .map(|value| format!("WWW-Authenticate: {value}")),
        );
        let clause = "2026-07-28 basic/authorization § Error Handling";
        let check = match status {
            401 => Check::passed("The server says that it wants a sign-in.", clause),
            403 => Check::passed("The server says that the permission is not enough.", clause),
            _ => Check::warned(
                format!(
                    "The server answered HTTP {status} without a token: it may need no sign-in."
                ),
                clause,
                "A server that wants a sign-in answers 401 to a request without a token.",
            ),
        };
        let has_bearer = challenge.is_some();
        if let Some(trace) = self.traces.last_mut() {
            trace.came = Some(came.join("\n"));
            trace.checks.push(check);
            if matches!(status, 401 | 403) && !has_bearer {
                trace.checks.push(Check::warned(
                    "It sends no challenge for a token.",
                    "RFC 6750 § 3; RFC 9728 § 5.1",
                    "Answer 401 with WWW-Authenticate: Bearer resource_metadata=\"…\".",
                ));
            }
        }
        self.discover_resource()
    }

    /// Adds a check to the step under way.
    fn check(&mut self, check: Check) {
        if let Some(trace) = self.traces.last_mut() {
            trace.checks.push(check);
        }
    }

    /// Says what follows from the step under way.
    fn decide(&mut self, decision: impl Into<String>) {
        if let Some(trace) = self.traces.last_mut() {
            trace.decision = Some(decision.into());
        }
    }

    fn came(&mut self, came: impl Into<String>) {
        if let Some(trace) = self.traces.last_mut() {
            trace.came = Some(came.into());
        }
    }

    /// A rule does not hold: the flow is over.
    fn breach(&mut self, what: impl Into<String>, clause: &str, advice: impl Into<String>) -> Step {
        let (what, advice) = (what.into(), advice.into());
        self.check(Check::failed(what.clone(), clause, advice.clone()));
        self.at = At::Over;
        Step::Failed(Failure {
            message: what,
            hint: Some(format!("{advice} ({clause})")),
            asks_for_client: false,
        })
    }

    /// The resource that a token is asked for: as it was published, as the person wants it, or the server's own URL.
    fn resource_parameter(&self) -> Option<String> {
        if self.plan.wishes.omits_resource {
            return None;
        }
        Some(
            self.plan
                .wishes
                .resource
                .clone()
                .or_else(|| self.resource.resource.clone())
                .unwrap_or_else(|| super::discovery::canonical(&self.plan.server)),
        )
    }
}

fn out_of_turn() -> Failure {
    Failure {
        message: "A reply came that no step of the sign-in waits for.".to_owned(),
        hint: Some("Start the sign-in anew.".to_owned()),
        asks_for_client: false,
    }
}

/// A body in a few words.
fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(600)]);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(200) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}
