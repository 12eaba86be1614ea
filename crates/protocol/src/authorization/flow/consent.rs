//! The person's consent in the browser, and what they come back with.

use super::{At, Flow, How, Step, out_of_turn};
use crate::authorization::redirect::{self, Consent, Refusal};
use crate::authorization::trace::{Check, Failure, Party, Stage, Trace};

const ANSWER_CLAUSE: &str = "2026-07-28 basic/authorization § Authorization Response Validation";
const STATE_CLAUSE: &str =
    "2026-07-28 basic/authorization/security-considerations § Open Redirection";
const RESOURCE_CLAUSE: &str = "2026-07-28 basic/authorization § Resource Parameter Implementation";

impl Flow {
    /// Consent is asked for, where it is not given already.
    pub(super) fn ask_consent(&mut self) -> Step {
        match self.plan.how.clone() {
            How::Person => self.visit(),
            How::ClientCredentials | How::JwtBearer { .. } => self.ask_token(None),
            How::IdentityAssertion {
                token_endpoint,
                client_id,
                id_token,
            } => self.ask_assertion(&token_endpoint, &client_id, &id_token),
        }
    }

    fn visit(&mut self) -> Step {
        let mut trace = Trace::new(
            Stage::Consent,
            Party::App,
            Party::Person,
            "Consent in the browser",
        );
        let resource = self.resource_parameter();
        let client_id = self
            .client
            .as_ref()
            .map(|client| client.id.clone())
            .unwrap_or_default();
        let endpoint = self
            .server
            .authorization_endpoint
            .clone()
            .unwrap_or_default();
        let made = redirect::address(&Consent {
            endpoint: &endpoint,
            client_id: &client_id,
            redirect_uri: &self.plan.redirect_uri,
            scopes: &self.scopes,
            resource: resource.as_deref(),
            state: &self.plan.state,
            challenge: &self.plan.pkce.challenge,
        });
        let (url, parameters) = match made {
            Ok(made) => made,
            Err(problem) => {
                self.traces.push(trace);
                return self.breach(
                    format!("The authorization_endpoint {endpoint} is no URL: {problem}."),
                    "RFC 8414 § 2",
                    "Give a whole https URL.",
                );
            }
        };
        let lines: Vec<String> = parameters
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        trace.sent = Some(format!("GET {endpoint}\n{}", lines.join("\n")));
        trace.checks.push(match &resource {
            Some(resource) => Check::passed(
                format!("The token is asked for this resource alone: {resource}"),
                RESOURCE_CLAUSE,
            ),
            None => Check::warned(
                "No resource is named, as the options of this server say.",
                RESOURCE_CLAUSE,
                "Let the authorization server take the resource parameter.",
            ),
        });
        self.traces.push(trace);
        self.at = At::Consent;
        Step::Visit { url }
    }

    /// The person came back with this.
    pub fn returned(&mut self, answer: &[(String, String)], now_micros: u64) -> Step {
        if !matches!(self.at, At::Consent) {
            return Step::Failed(out_of_turn());
        }
        self.now_micros = now_micros;
        self.at = At::Over;
        let code = redirect::code(
            answer,
            &self.plan.state,
            &self.issuer,
            self.server.sends_iss,
        );
        // What another server says is not shown (RFC 9207 § 2.4).
        let is_authentic = !matches!(
            code,
            Err(Refusal::State | Refusal::Issuer(_) | Refusal::NoIssuer | Refusal::Twice(_))
        );
        let lines: Vec<String> = answer
            .iter()
            .filter(|(name, _)| is_authentic || matches!(name.as_str(), "state" | "iss"))
            .map(|(name, value)| match name.as_str() {
                "code" => "code = …".to_owned(),
                _ => format!("{name} = {value}"),
            })
            .collect();
        self.came(lines.join("\n"));
        let code = match code {
            Ok(code) => code,
            Err(refusal) => return self.answer_refused(refusal),
        };
        self.check(Check::passed(
            "The state is the one that was sent.",
            STATE_CLAUSE,
        ));
        let names_issuer = answer.iter().any(|(name, _)| name == "iss");
        self.check(if names_issuer {
            Check::passed(
                format!("The answer comes from {}.", self.issuer),
                ANSWER_CLAUSE,
            )
        } else {
            Check::warned(
                "The answer does not say which authorization server it comes from; this one does not promise to.",
                ANSWER_CLAUSE,
                "Add \"iss\" to the answer, and set authorization_response_iss_parameter_supported.",
            )
        });
        self.decide("Exchange the code for a token.");
        self.ask_token(Some(&code))
    }

    fn answer_refused(&mut self, refusal: Refusal) -> Step {
        match refusal {
            Refusal::State => self.breach(
                "The answer does not carry the state that was sent, so it may be somebody else's.",
                STATE_CLAUSE,
                "Return \"state\" unchanged. Unless you know why it differs, do not trust the link that was opened.",
            ),
            Refusal::Issuer(iss) => self.breach(
                format!("The answer comes from {iss}, and {} was asked.", self.issuer),
                ANSWER_CLAUSE,
                "Set \"iss\" to exactly the issuer of the metadata, to the character.",
            ),
            Refusal::NoIssuer => self.breach(
                "The answer does not say which authorization server it comes from, and this one promises to.",
                ANSWER_CLAUSE,
                "Add \"iss\" to the answer, or do not set authorization_response_iss_parameter_supported.",
            ),
            Refusal::Twice(name) => self.breach(
                format!("The answer carries {name} twice."),
                "OAuth 2.1 § 3.1",
                "Send each parameter once.",
            ),
            Refusal::NoCode => self.breach(
                "The answer has neither a code nor an error.",
                "OAuth 2.1 § 4.1.2",
                "Return \"code\", or \"error\".",
            ),
            Refusal::Error { error, description } => {
                let message = match description {
                    Some(description) => {
                        format!("The authorization server answered {error}: {description}")
                    }
                    None => format!("The authorization server answered {error}."),
                };
                let advice = match error.as_str() {
                    "access_denied" => "Consent was not given; sign in again to give it.",
                    "invalid_scope" => "Ask for other scopes: they can be set for this sign-in.",
                    "invalid_target" => {
                        "The authorization server does not take the resource; the server's options can leave it out."
                    }
                    _ => "Look at the authorization server's own log for the reason.",
                };
                self.check(Check::failed(message.clone(), "OAuth 2.1 § 4.1.2.1", advice));
                Step::Failed(Failure {
                    message,
                    hint: Some(advice.to_owned()),
                    asks_for_client: false,
                })
            }
        }
    }
}
