//! The token: asking for it, and what is looked at before it is used.

use super::{At, Flow, How, Reply, Request, Step};
use crate::authorization::claims;
use crate::authorization::documents::{object, text};
use crate::authorization::proof;
use crate::authorization::scope;
use crate::authorization::token::{self, Form, Grant, Tokens};
use crate::authorization::trace::{Check, Party, Stage, Trace};

const TOKEN_CLAUSE: &str = "OAuth 2.1 § 3.2.3";
const AUDIENCE_CLAUSE: &str = "2026-07-28 basic/authorization/security-considerations § Token Audience Binding and Validation";
const PROOF_CLAUSE: &str = "MCP DPoP profile; RFC 9449 § 5";
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

impl Flow {
    /// SEP-990: the identity provider gives an assertion for the authorization server.
    pub(super) fn ask_assertion(
        &mut self,
        endpoint: &str,
        client_id: &str,
        id_token: &str,
    ) -> Step {
        let mut form = Form::default();
        form.add(
            "grant_type",
            "urn:ietf:params:oauth:grant-type:token-exchange",
        );
        form.add(
            "requested_token_type",
            "urn:ietf:params:oauth:token-type:id-jag",
        );
        form.add("audience", &self.issuer);
        form.add("resource", &self.resource_parameter().unwrap_or_default());
        form.add_secret("subject_token", id_token);
        form.add(
            "subject_token_type",
            "urn:ietf:params:oauth:token-type:id_token",
        );
        form.add("client_id", client_id);
        if !self.scopes.is_empty() {
            form.add("scope", &self.scopes.join(" "));
        }
        let mut trace = Trace::new(
            Stage::Assertion,
            Party::App,
            Party::AuthorizationServer,
            "Assertion of the identity provider",
        );
        trace.sent = Some(format!("POST {endpoint}\n{}", form.shown()));
        self.traces.push(trace);
        self.at = At::Assertion;
        Step::Fetch(Request::form(
            Stage::Assertion,
            "identity assertion",
            endpoint,
            &form,
        ))
    }

    pub(super) fn asserted(&mut self, reply: &Reply) -> Step {
        let assertion = object(&reply.body)
            .ok()
            .filter(|_| (200..300).contains(&reply.status))
            .and_then(|document| text(&document, "access_token"));
        self.came(format!("HTTP {}", reply.status));
        if let Some(assertion) = assertion {
            self.decide("Exchange the assertion for a token.");
            return self.ask_token(Some(&assertion));
        }
        let said = token::read(reply.status, &reply.body)
            .err()
            .map(|error| error.message)
            .unwrap_or_default();
        self.breach(
            format!("The identity provider gave no assertion. {said}"),
            "RFC 8693 § 2.2; SEP-990",
            "Let the identity provider exchange id tokens of this client for assertions.",
        )
    }

    /// Asks for the token, with the code or the assertion where there is one.
    pub(super) fn ask_token(&mut self, proof: Option<&str>) -> Step {
        let Some(client) = self.client.clone() else {
            return Step::Failed(super::out_of_turn());
        };
        let proof = proof.unwrap_or_default();
        let mut form = Form::default();
        match &self.plan.how {
            How::Person => {
                form.add("grant_type", "authorization_code");
                form.add_secret("code", proof);
                form.add("redirect_uri", &self.plan.redirect_uri);
                form.add_secret("code_verifier", &self.plan.pkce.verifier);
            }
            How::ClientCredentials => form.add("grant_type", "client_credentials"),
            How::JwtBearer { assertion } => {
                form.add("grant_type", JWT_BEARER);
                form.add_secret("assertion", assertion);
            }
            How::IdentityAssertion { .. } => {
                form.add("grant_type", JWT_BEARER);
                form.add_secret("assertion", proof);
            }
        }
        if self.plan.how != How::Person && !self.scopes.is_empty() {
            form.add("scope", &self.scopes.join(" "));
        }
        if let Some(resource) = self.resource_parameter() {
            form.add("resource", &resource);
        }
        let (headers, assertion) = token::authenticate(&client, &mut form);
        let endpoint = self.server.token_endpoint.clone().unwrap_or_default();
        let mut trace = Trace::new(
            Stage::Token,
            Party::App,
            Party::AuthorizationServer,
            "Token",
        );
        trace.sent = Some(format!(
            "POST {endpoint}\n{}\n({})",
            form.shown(),
            client.method.name()
        ));
        self.traces.push(trace);
        self.at = At::Token;
        let mut request = Request::form(Stage::Token, "token", &endpoint, &form);
        request.headers.extend(headers);
        request.assertion = assertion;
        request.is_proven = self.binds_tokens();
        Step::Fetch(request)
    }

    /// Whether the token is to be bound to Roundtrip's key: the server asks for that, and the authorization server can.
    fn binds_tokens(&mut self) -> bool {
        let is_asked =
            self.wants_proof || self.resource.wants_bound_tokens || self.resource.names_proofs;
        let can = self
            .server
            .proof_algorithms
            .iter()
            .any(|name| name == proof::ALGORITHM);
        match (is_asked, can) {
            (true, true) => self.check(Check::passed(
                "The server takes tokens that are bound to a key, so a proof of one goes with the request (DPoP).",
                PROOF_CLAUSE,
            )),
            (true, false) => self.check(Check::warned(
                format!(
                    "The server takes tokens that are bound to a key, and the authorization server does not say that it binds any by {}.",
                    proof::ALGORITHM
                ),
                "RFC 9449 § 5.1",
                "List ES256 in \"dpop_signing_alg_values_supported\" of the authorization server's metadata.",
            )),
            _ => {}
        }
        is_asked && can
    }

    /// What kind of token came, against what was asked for.
    fn check_kind(&mut self, tokens: &Tokens) -> Option<Step> {
        let is_asked =
            self.wants_proof || self.resource.wants_bound_tokens || self.resource.names_proofs;
        match tokens.kind.as_deref() {
            _ if tokens.is_bound() && is_asked => {
                self.check(Check::passed(
                    "It is bound to Roundtrip's key: whoever else has it cannot use it (DPoP).",
                    PROOF_CLAUSE,
                ));
                None
            }
            Some(kind) if kind.eq_ignore_ascii_case("bearer") => {
                self.check(Check::passed("It is a Bearer token.", TOKEN_CLAUSE));
                if is_asked {
                    self.check(Check::warned(
                        "It is not bound to a key, which the server takes, or asks for.",
                        PROOF_CLAUSE,
                        "Answer a request with a DPoP proof by \"token_type\": \"DPoP\".",
                    ));
                }
                None
            }
            None => {
                self.check(Check::warned(
                    "It does not say what kind of token it is; it is taken for a Bearer token.",
                    TOKEN_CLAUSE,
                    "Add \"token_type\": \"Bearer\".",
                ));
                None
            }
            Some(kind) => Some(self.breach(
                format!("The token is of the kind {kind}, which Roundtrip did not ask for and cannot present."),
                TOKEN_CLAUSE,
                "Give Bearer tokens, or DPoP tokens to those who prove a key.",
            )),
        }
    }

    pub(super) fn token(&mut self, reply: &Reply) -> Step {
        let tokens = match token::read(reply.status, &reply.body) {
            Ok(tokens) => tokens,
            Err(error) => {
                self.came(error.message.clone());
                let advice = advice(error.error.as_deref(), &error.message);
                return self.breach(
                    format!("The authorization server gave no token. {}", error.message),
                    "OAuth 2.1 § 3.2.4",
                    advice,
                );
            }
        };
        let granted = tokens.scopes.clone().unwrap_or_else(|| self.scopes.clone());
        self.came(format!(
            "HTTP {}\naccess_token = …\ntoken_type = {}\nexpires_in = {}\nscope = {}{}{}",
            reply.status,
            tokens.kind.as_deref().unwrap_or("(absent)"),
            tokens
                .expires_in
                .map_or_else(|| "(absent)".to_owned(), |seconds| seconds.to_string()),
            tokens
                .scopes
                .as_ref()
                .map_or_else(|| "(absent: as asked for)".to_owned(), |all| all.join(" ")),
            if tokens.refresh.is_some() {
                "\nrefresh_token = …"
            } else {
                ""
            },
            if tokens.id.is_some() {
                "\nid_token = …"
            } else {
                ""
            },
        ));
        if let Some(refused) = self.check_kind(&tokens) {
            return refused;
        }
        self.check_lifetime(&tokens);
        let lacking = scope::missing(&self.scopes, &granted);
        if lacking.is_empty() {
            self.check(Check::passed(
                "All scopes were granted.",
                "OAuth 2.1 § 1.4.1",
            ));
        } else {
            self.check(Check::warned(
                format!("Not granted: {}.", lacking.join(" ")),
                "OAuth 2.1 § 1.4.1",
                "What needs them will be refused; the person, or a policy, left them out.",
            ));
        }
        self.check_audience(&tokens);
        self.decide("Signed in.");
        let Some(client) = self.client.clone() else {
            return Step::Failed(super::out_of_turn());
        };
        Step::Done(Box::new(Grant {
            kind: self.plan.how.kind(),
            server_url: self.plan.server.to_string(),
            client,
            resource: self.resource_parameter(),
            token_endpoint: self.server.token_endpoint.clone().unwrap_or_default(),
            revocation_endpoint: self.server.revocation_endpoint.clone(),
            is_bound: tokens.is_bound(),
            access_token: tokens.access,
            refresh_token: tokens.refresh,
            id_token: tokens.id,
            requested: self.scopes.clone(),
            granted,
            obtained_micros: self.now_micros,
            expires_micros: token::end_of(tokens.expires_in, self.now_micros),
        }))
    }

    fn check_lifetime(&mut self, tokens: &Tokens) {
        if tokens.expires_in.is_none() {
            self.check(Check::warned(
                "It does not say how long it lasts.",
                TOKEN_CLAUSE,
                "Add \"expires_in\".",
            ));
        }
    }

    /// A token that can be read says whom it is for; one that cannot is no fault.
    fn check_audience(&mut self, tokens: &Tokens) {
        let Some(claims) = claims::read(&tokens.access) else {
            return;
        };
        let resource = self.resource_parameter();
        let wanted = resource
            .as_deref()
            .unwrap_or_default()
            .trim_end_matches('/');
        let fits = claims
            .audience
            .iter()
            .any(|audience| audience.trim_end_matches('/') == wanted);
        if fits {
            self.check(Check::passed(
                "It is for this server (aud).",
                AUDIENCE_CLAUSE,
            ));
        } else if resource.is_some() {
            self.check(Check::warned(
                format!(
                    "Its audience is {}, not {wanted}.",
                    if claims.audience.is_empty() {
                        "(absent)".to_owned()
                    } else {
                        claims.audience.join(", ")
                    }
                ),
                AUDIENCE_CLAUSE,
                "Let the authorization server put the resource into the token's audience, and the server check it.",
            ));
        }
    }
}

/// What to try about a refused token request.
fn advice(error: Option<&str>, message: &str) -> &'static str {
    // Entra refuses `resource` beside its own scopes.
    if message.contains("AADSTS9010010") || error == Some("invalid_target") {
        return "The authorization server does not take the resource parameter: the server's options can leave it out.";
    }
    match error {
        Some("invalid_client") => {
            "The client id or its secret is not taken: check them, or let Roundtrip register anew."
        }
        Some("invalid_grant") => {
            "The code or assertion was used before, is too old, or was given to another client: sign in again."
        }
        Some("invalid_scope") => "Ask for other scopes: they can be set for this sign-in.",
        Some("unauthorized_client" | "unsupported_grant_type") => {
            "The authorization server does not let this client ask so: check how it is registered there."
        }
        _ => "Look at the authorization server's own log for the reason.",
    }
}
