//! Finding the authorization server: the protected resource's metadata, then the server's own.

use std::collections::VecDeque;

use url::Url;

use super::{At, Flow, How, Reply, Request, Step, excerpt};
use crate::authorization::discovery;
use crate::authorization::documents::{ResourceMetadata, ServerMetadata};
use crate::authorization::trace::{Check, Party, Stage, Trace};

const RESOURCE_CLAUSE: &str = "2026-07-28 basic/authorization/authorization-server-discovery § Protected Resource Metadata Discovery Requirements";
const LOCATION_CLAUSE: &str =
    "2026-07-28 basic/authorization/authorization-server-discovery § Authorization Server Location";
const SERVER_CLAUSE: &str = "2026-07-28 basic/authorization/authorization-server-discovery § Authorization Server Metadata Discovery";
const SECURE_CLAUSE: &str =
    "2026-07-28 basic/authorization/security-considerations § Communication Security";
const PKCE_CLAUSE: &str =
    "2026-07-28 basic/authorization/security-considerations § Authorization Code Protection";

impl Flow {
    /// Says where the resource's metadata is looked for.
    pub(super) fn discover_resource(&mut self) -> Step {
        let named = self
            .challenge
            .as_ref()
            .and_then(|challenge| challenge.resource_metadata().map(str::to_owned));
        let mut left: VecDeque<String> =
            discovery::resource_metadata_urls(&self.plan.server).into();
        if let Some(url) = named {
            self.decide(format!("The challenge names the metadata: {url}"));
            if !left.contains(&url) {
                left.clear();
            }
            left.retain(|known| *known != url);
            left.push_front(url);
        } else {
            self.decide(
                "The challenge names no metadata, so its well-known addresses are asked in order.",
            );
        }
        self.ask_resource(left)
    }

    fn ask_resource(&mut self, mut left: VecDeque<String>) -> Step {
        let Some(url) = left.pop_front() else {
            return self.without_resource_metadata();
        };
        let mut trace = Trace::new(
            Stage::ResourceMetadata,
            Party::App,
            Party::Server,
            "Protected resource metadata",
        );
        trace.sent = Some(format!("GET {url}"));
        self.traces.push(trace);
        if let Some(refused) = self.refuse_unprotected(&url, "The protected resource metadata") {
            return refused;
        }
        let request = Request::get(Stage::ResourceMetadata, "protected resource metadata", &url);
        self.at = At::ResourceMetadata { left };
        Step::Fetch(request)
    }

    /// An address that others can listen to, or that is none.
    fn refuse_unprotected(&mut self, url: &str, what: &str) -> Option<Step> {
        match Url::parse(url) {
            Ok(parsed) if discovery::is_protected(&parsed) => None,
            Ok(_) => Some(self.breach(
                format!("{what} is at {url}, which is not HTTPS."),
                SECURE_CLAUSE,
                "Serve it over HTTPS; plain HTTP is for this machine alone.",
            )),
            Err(error) => Some(self.breach(
                format!("{what} is said to be at {url}, which is no URL: {error}."),
                SECURE_CLAUSE,
                "Give a whole https URL.",
            )),
        }
    }

    pub(super) fn resource_metadata(&mut self, reply: &Reply, left: VecDeque<String>) -> Step {
        let status = reply.status;
        if (400..500).contains(&status) {
            self.came(format!("HTTP {status}"));
            if self
                .challenge
                .as_ref()
                .is_some_and(|challenge| challenge.resource_metadata().is_some())
            {
                self.check(Check::warned(
                    format!("The address that the challenge names answers HTTP {status}."),
                    RESOURCE_CLAUSE,
                    "Serve the metadata where the challenge says that it is.",
                ));
            }
            self.decide(match left.front() {
                Some(next) => format!("Not there; next is {next}"),
                None => "Not there, and there is no other place.".to_owned(),
            });
            return self.ask_resource(left);
        }
        if status != 200 {
            self.came(format!("HTTP {status} {}", excerpt(&reply.body)));
            return self.breach(
                format!("The protected resource metadata was answered with HTTP {status}."),
                "RFC 9728 § 3.2",
                "Answer the metadata with HTTP 200 and a JSON object.",
            );
        }
        let metadata = match ResourceMetadata::read(&reply.body) {
            Ok(metadata) => metadata,
            Err(problem) => {
                self.came(format!("HTTP 200 {}", excerpt(&reply.body)));
                return self.breach(
                    format!("The protected resource metadata cannot be read: {problem}."),
                    "RFC 9728 § 3.2",
                    "Answer with a JSON object.",
                );
            }
        };
        self.came(format!(
            "HTTP 200\nresource = {}\nauthorization_servers = {}\nscopes_supported = {}",
            metadata.resource.as_deref().unwrap_or("(absent)"),
            metadata.authorization_servers.join(", "),
            metadata
                .scopes_supported
                .as_ref()
                .map_or_else(|| "(absent)".to_owned(), |scopes| scopes.join(" ")),
        ));
        if let Some(refused) = self.check_resource(&metadata) {
            return refused;
        }
        self.resource = metadata;
        self.choose_server()
    }

    /// RFC 9728 § 3.3: a document about another resource must not be used.
    fn check_resource(&mut self, metadata: &ResourceMetadata) -> Option<Step> {
        let Some(resource) = &metadata.resource else {
            self.check(Check::warned(
                "The metadata does not say which resource it is about.",
                "RFC 9728 § 2",
                "Add \"resource\" with the server's URL.",
            ));
            return None;
        };
        if !discovery::stands_for(resource, &self.plan.server) {
            return Some(self.breach(
                format!(
                    "The metadata is about {resource}, which is not the server {}.",
                    discovery::canonical(&self.plan.server)
                ),
                "RFC 9728 § 3.3",
                "Set \"resource\" to the URL that clients connect to.",
            ));
        }
        self.check(Check::passed(
            format!("The metadata is about this server: {resource}"),
            "RFC 9728 § 3.3",
        ));
        None
    }

    fn choose_server(&mut self) -> Step {
        let servers = self.resource.authorization_servers.clone();
        if let Some(wanted) = self.plan.wishes.issuer.clone() {
            if !servers.contains(&wanted) {
                self.check(Check::warned(
                    format!("{wanted} was chosen, which the resource does not name."),
                    LOCATION_CLAUSE,
                    "Its tokens may not be taken by the server.",
                ));
            }
            self.decide(format!("The authorization server was chosen: {wanted}"));
            return self.discover_server(wanted);
        }
        let Some(first) = servers.first().cloned() else {
            return self.breach(
                "The protected resource metadata names no authorization server.",
                LOCATION_CLAUSE,
                "List at least one issuer in \"authorization_servers\".",
            );
        };
        // Of several, one that knows Roundtrip already spares a registration.
        let known = servers.iter().find(|issuer| {
            self.plan
                .known
                .iter()
                .any(|client| client.issuer == **issuer)
        });
        let issuer = known.cloned().unwrap_or(first);
        self.check(Check::passed(
            format!("It names its authorization server: {issuer}"),
            LOCATION_CLAUSE,
        ));
        self.decide(format!("Ask {issuer} about itself."));
        self.discover_server(issuer)
    }

    fn without_resource_metadata(&mut self) -> Step {
        if let Some(wanted) = self.plan.wishes.issuer.clone() {
            self.decide(format!("The authorization server was chosen: {wanted}"));
            return self.discover_server(wanted);
        }
        let origin = discovery::origin(&self.plan.server);
        self.check(Check::warned(
            "The server has no protected resource metadata.",
            RESOURCE_CLAUSE,
            "Serve it at the well-known address, and name it in the challenge.",
        ));
        self.decide(format!(
            "Servers of the revision 2025-03-26 have none: {origin} is taken for the authorization server."
        ));
        self.discover_server(origin)
    }

    fn discover_server(&mut self, issuer: String) -> Step {
        let left = discovery::server_metadata_urls(&issuer);
        self.issuer = issuer;
        self.ask_server(left.into())
    }

    fn ask_server(&mut self, mut left: VecDeque<String>) -> Step {
        let mut trace = Trace::new(
            Stage::ServerMetadata,
            Party::App,
            Party::AuthorizationServer,
            "Authorization server metadata",
        );
        let Some(url) = left.pop_front() else {
            if left.is_empty() && self.traces.last().map(|last| last.stage) != Some(trace.stage) {
                self.traces.push(trace);
            }
            return self.breach(
                format!(
                    "The authorization server {} says nothing of itself at any of the known addresses.",
                    self.issuer
                ),
                SERVER_CLAUSE,
                "Serve its metadata at /.well-known/oauth-authorization-server or /.well-known/openid-configuration.",
            );
        };
        trace.sent = Some(format!("GET {url}"));
        self.traces.push(trace);
        if let Some(refused) = self.refuse_unprotected(&url, "The authorization server's metadata")
        {
            return refused;
        }
        self.at = At::ServerMetadata { left };
        Step::Fetch(Request::get(
            Stage::ServerMetadata,
            "authorization server metadata",
            &url,
        ))
    }

    pub(super) fn server_metadata(&mut self, reply: &Reply, left: VecDeque<String>) -> Step {
        let status = reply.status;
        if (400..500).contains(&status) {
            self.came(format!("HTTP {status}"));
            self.decide(match left.front() {
                Some(next) => format!("Not there; next is {next}"),
                None => "Not there, and there is no other place.".to_owned(),
            });
            return self.ask_server(left);
        }
        let read = if status == 200 {
            ServerMetadata::read(&reply.body)
        } else {
            Err(format!("it answered HTTP {status}"))
        };
        let metadata = match read {
            Ok(metadata) => metadata,
            Err(problem) => {
                self.came(format!("HTTP {status} {}", excerpt(&reply.body)));
                return self.breach(
                    format!("The authorization server's metadata cannot be read: {problem}."),
                    "RFC 8414 § 3.2",
                    "Answer with HTTP 200 and a JSON object.",
                );
            }
        };
        self.came(format!("HTTP 200\n{}", described(&metadata)));
        // The one rule that all others lean on.
        if metadata.issuer.as_deref() != Some(self.issuer.as_str()) {
            return self.breach(
                format!(
                    "The metadata says that its issuer is {}, and it was fetched for {}.",
                    metadata.issuer.as_deref().unwrap_or("(absent)"),
                    self.issuer
                ),
                "RFC 8414 § 3.3",
                "Set \"issuer\" to exactly the identifier that the resource's metadata names, to the character.",
            );
        }
        self.check(Check::passed(
            format!("The issuer is the one that was asked for: {}", self.issuer),
            "RFC 8414 § 3.3",
        ));
        self.server = metadata;
        self.apply_wishes();
        match self.check_server() {
            Some(refused) => refused,
            None => self.choose_client(),
        }
    }

    fn apply_wishes(&mut self) {
        let wishes = &self.plan.wishes;
        if let Some(endpoint) = wishes.authorization_endpoint.clone() {
            self.server.authorization_endpoint = Some(endpoint);
        }
        if let Some(endpoint) = wishes.token_endpoint.clone() {
            self.server.token_endpoint = Some(endpoint);
        }
    }

    fn check_server(&mut self) -> Option<Step> {
        let is_person = self.plan.how == How::Person;
        let mut needed = vec![("token_endpoint", self.server.token_endpoint.clone())];
        if is_person {
            needed.push((
                "authorization_endpoint",
                self.server.authorization_endpoint.clone(),
            ));
        }
        for (name, endpoint) in needed {
            let Some(endpoint) = endpoint else {
                return Some(self.breach(
                    format!("The authorization server names no {name}."),
                    "RFC 8414 § 2",
                    format!("Add \"{name}\" to its metadata."),
                ));
            };
            if let Some(refused) = self.refuse_unprotected(&endpoint, &format!("The {name}")) {
                return Some(refused);
            }
        }
        self.check(Check::passed("Its endpoints are protected.", SECURE_CLAUSE));
        if !is_person {
            return None;
        }
        let methods = self.server.code_challenge_methods.clone();
        match methods {
            Some(methods) if methods.iter().any(|method| method == "S256") => {
                self.check(Check::passed("It knows PKCE with S256.", PKCE_CLAUSE));
                None
            }
            Some(_) => Some(self.breach(
                "The authorization server does not take PKCE with S256.",
                PKCE_CLAUSE,
                "Support S256, and list it in \"code_challenge_methods_supported\".",
            )),
            None => Some(self.breach(
                "The authorization server does not say that it knows PKCE.",
                PKCE_CLAUSE,
                "List S256 in \"code_challenge_methods_supported\".",
            )),
        }
    }
}

fn described(metadata: &ServerMetadata) -> String {
    let absent = || "(absent)".to_owned();
    let one = |value: &Option<String>| value.clone().unwrap_or_else(absent);
    let many =
        |value: &Option<Vec<String>>| value.as_ref().map_or_else(absent, |words| words.join(" "));
    format!(
        "issuer = {}\nauthorization_endpoint = {}\ntoken_endpoint = {}\nregistration_endpoint = {}\nrevocation_endpoint = {}\nscopes_supported = {}\ncode_challenge_methods_supported = {}\ntoken_endpoint_auth_methods_supported = {}\nclient_id_metadata_document_supported = {}\nauthorization_response_iss_parameter_supported = {}\ndpop_signing_alg_values_supported = {}",
        one(&metadata.issuer),
        one(&metadata.authorization_endpoint),
        one(&metadata.token_endpoint),
        one(&metadata.registration_endpoint),
        one(&metadata.revocation_endpoint),
        metadata.scopes_supported.join(" "),
        many(&metadata.code_challenge_methods),
        many(&metadata.token_endpoint_auth_methods),
        metadata.takes_metadata_documents,
        metadata.sends_iss,
        if metadata.proof_algorithms.is_empty() {
            absent()
        } else {
            metadata.proof_algorithms.join(" ")
        },
    )
}
