//! Choosing who Roundtrip is.

use super::{At, Flow, How, Reply, Request, Step, excerpt};
use crate::authorization::client::{self, AuthMethod, Choice, Client, ClientKind};
use crate::authorization::documents::{object, text};
use crate::authorization::scope;
use crate::authorization::trace::{Check, Failure, Party, Stage, Trace};

const CLAUSE: &str = "2026-07-28 basic/authorization/client-registration § Client Registration";
const BINDING_CLAUSE: &str =
    "2026-07-28 basic/authorization/client-registration § Authorization Server Binding";
const DYNAMIC_CLAUSE: &str =
    "2026-07-28 basic/authorization/client-registration § Dynamic Client Registration";
const SCOPE_CLAUSE: &str = "2026-07-28 basic/authorization § Scope Selection Strategy";

impl Flow {
    pub(super) fn choose_client(&mut self) -> Step {
        self.choose_scopes();
        let mut trace = Trace::new(
            Stage::Client,
            Party::App,
            Party::AuthorizationServer,
            "Who Roundtrip is",
        );
        let choice = client::choose(&client::Options {
            issuer: &self.issuer,
            metadata: &self.server,
            preregistered: self.plan.preregistered.as_ref(),
            metadata_document: self.plan.wishes.metadata_document.as_deref(),
            known: &self.plan.known,
            redirect_uri: &self.plan.redirect_uri,
            now_seconds: self.now_micros / 1_000_000,
        });
        // Only a person's consent can be asked for by a client that registered itself.
        let choice = match choice {
            Choice::Register { .. }
            | Choice::Use(
                Client {
                    kind: ClientKind::Dynamic,
                    ..
                },
                _,
            ) if self.plan.how != How::Person => Choice::Ask,
            choice => choice,
        };
        match choice {
            Choice::Use(client, why) => {
                "Who Roundtrip is: known".clone_into(&mut trace.title);
                trace.came = Some(format!("client_id = {}", client.id));
                trace.checks.push(Check::passed(
                    format!("The identity is one for {}.", self.issuer),
                    BINDING_CLAUSE,
                ));
                trace.decision = Some(format!("No registration: {why}."));
                self.traces.push(trace);
                self.client = Some(client);
                self.ask_consent()
            }
            Choice::Register { url, why } => {
                "Dynamic registration".clone_into(&mut trace.title);
                let body =
                    client::registration(&self.server, &self.plan.redirect_uri, &self.scopes);
                trace.sent = Some(format!("POST {url}\n{body}"));
                trace.checks.push(Check::passed(
                    format!("Registration is the way here: {why}."),
                    CLAUSE,
                ));
                self.traces.push(trace);
                self.at = At::Registration;
                Step::Fetch(Request {
                    is_post: true,
                    headers: vec![
                        ("Accept".to_owned(), "application/json".to_owned()),
                        ("Content-Type".to_owned(), "application/json".to_owned()),
                    ],
                    body,
                    ..Request::get(Stage::Client, "registration", &url)
                })
            }
            Choice::Ask => {
                let message = format!(
                    "{} does not let clients register themselves, and no identity is set for it.",
                    self.issuer
                );
                trace.checks.push(Check::failed(
                    message.clone(),
                    CLAUSE,
                    "Register Roundtrip there by hand and enter the client id, or let the authorization server take Client ID Metadata Documents or registrations.",
                ));
                trace.decision = Some("The client id has to be entered.".to_owned());
                self.traces.push(trace);
                self.at = At::Over;
                Step::Failed(Failure {
                    message,
                    hint: Some(format!(
                        "Register a native application there with the redirect URI {} and enter its client id here.",
                        self.plan.redirect_uri
                    )),
                    asks_for_client: true,
                })
            }
            Choice::OfAnother(issuer) => {
                self.traces.push(trace);
                self.breach(
                    format!(
                        "The client id that was entered belongs to {issuer}, and the server now names {}.",
                        self.issuer
                    ),
                    BINDING_CLAUSE,
                    "Enter the client id for this authorization server, or ask whoever runs the server why it changed.",
                )
            }
        }
    }

    fn choose_scopes(&mut self) {
        let challenged = self
            .challenge
            .as_ref()
            .map(crate::authorization::challenge::Challenge::scopes)
            .unwrap_or_default();
        let (scopes, why) = scope::select(&scope::Sources {
            chosen: self.plan.wishes.scopes.as_deref(),
            challenged: &challenged,
            before: &self.plan.before,
            of_resource: self.resource.scopes_supported.as_deref(),
            of_server: &self.server.scopes_supported,
        });
        let shown = if scopes.is_empty() {
            "no scope".to_owned()
        } else {
            scopes.join(" ")
        };
        self.check(Check::passed(
            format!("Scopes to ask for: {shown} ({why})."),
            SCOPE_CLAUSE,
        ));
        self.decide("Choose who Roundtrip is.");
        self.scopes = scopes;
    }

    pub(super) fn registered(&mut self, reply: &Reply) -> Step {
        let status = reply.status;
        if !(200..300).contains(&status) {
            let said = object(&reply.body).ok().and_then(|document| {
                let words: Vec<String> = ["error", "error_description"]
                    .iter()
                    .filter_map(|key| text(&document, key))
                    .collect();
                (!words.is_empty()).then(|| words.join(": "))
            });
            let said = said.unwrap_or_else(|| excerpt(&reply.body));
            self.came(format!("HTTP {status} {said}"));
            return self.breach(
                format!("The authorization server refused the registration with HTTP {status}: {said}"),
                DYNAMIC_CLAUSE,
                format!(
                    "Let it take a native application with the redirect URI {}, or enter a client id.",
                    self.plan.redirect_uri
                ),
            );
        }
        let client = match client::registered(
            &reply.body,
            &self.issuer,
            &self.plan.redirect_uri,
            &self.server,
        ) {
            Ok(client) => client,
            Err(problem) => {
                self.came(format!("HTTP {status}"));
                return self.breach(
                    format!("The reply to the registration cannot be used: {problem}."),
                    "RFC 7591 § 3.2.1",
                    "Answer with the client's information as a JSON object.",
                );
            }
        };
        self.came(format!(
            "HTTP {status}\nclient_id = {}\ntoken_endpoint_auth_method = {}{}",
            client.id,
            client.method.name(),
            if client.secret.is_some() {
                "\nclient_secret = …"
            } else {
                ""
            },
        ));
        if status != 201 {
            self.check(Check::warned(
                format!("The registration was answered with HTTP {status}."),
                "RFC 7591 § 3.2.1",
                "Answer 201.",
            ));
        }
        if client.secret.is_some() && client.method == AuthMethod::None {
            self.check(Check::warned(
                "It gives a secret that is not used: Roundtrip asked to be a public client.",
                "RFC 7591 § 2",
                "Give no secret to a client with token_endpoint_auth_method none.",
            ));
        }
        self.check(Check::passed(
            format!("The identity is kept for {} alone.", self.issuer),
            BINDING_CLAUSE,
        ));
        self.decide("Ask for consent.");
        self.client = Some(client);
        self.ask_consent()
    }
}
