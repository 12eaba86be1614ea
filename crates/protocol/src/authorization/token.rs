//! Token requests and what they give (OAuth 2.1 § 3.2; RFC 7523; RFC 7009).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::form_urlencoded;

use super::client::{AuthMethod, Client};
use super::documents::{object, text};

/// How long before its end a token counts as run out, in microseconds; a tenth of its life where that is shorter.
const MARGIN_MICROS: u64 = 60_000_000;

/// A JWT that proves who the client is, to be signed by whoever sends the request (RFC 7523 § 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// `iss` and `sub`.
    pub client_id: String,
    /// `aud`: the authorization server.
    pub audience: String,
}

/// The parameters of a request, the secret ones named.
#[derive(Clone, Default)]
pub struct Form {
    parameters: Vec<(String, String, bool)>,
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Form {
    /// Adds a parameter that anybody may see.
    pub fn add(&mut self, name: &str, value: &str) {
        self.parameters
            .push((name.to_owned(), value.to_owned(), false));
    }

    /// Adds a parameter that nobody else may see.
    pub fn add_secret(&mut self, name: &str, value: &str) {
        self.parameters
            .push((name.to_owned(), value.to_owned(), true));
    }

    /// The body.
    pub fn body(&self) -> String {
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(self.parameters.iter().map(|(name, value, _)| (name, value)))
            .finish()
    }

    /// A parameter a line, secrets left out.
    pub fn shown(&self) -> String {
        let lines: Vec<String> = self
            .parameters
            .iter()
            .map(|(name, value, is_secret)| {
                let value = if *is_secret { "…" } else { value };
                format!("{name} = {value}")
            })
            .collect();
        lines.join("\n")
    }

    /// What nobody else may see, by name.
    pub fn secrets(&self) -> Vec<(String, String)> {
        self.parameters
            .iter()
            .filter(|(_, _, is_secret)| *is_secret)
            .map(|(name, value, _)| (name.clone(), value.clone()))
            .collect()
    }
}

/// Says in a request who the client is: its header, and the assertion that is to be signed and added.
pub fn authenticate(
    client: &Client,
    form: &mut Form,
) -> (Vec<(String, String)>, Option<Assertion>) {
    let secret = client.secret.as_deref().unwrap_or_default();
    match client.method {
        AuthMethod::None => {
            form.add("client_id", &client.id);
            (Vec::new(), None)
        }
        AuthMethod::ClientSecretPost => {
            form.add("client_id", &client.id);
            form.add_secret("client_secret", secret);
            (Vec::new(), None)
        }
        AuthMethod::ClientSecretBasic => {
            let encoded = |text: &str| -> String {
                form_urlencoded::byte_serialize(text.as_bytes()).collect()
            };
            let pair = format!("{}:{}", encoded(&client.id), encoded(secret));
            let value = format!("Basic {}", STANDARD.encode(pair));
            (vec![("Authorization".to_owned(), value)], None)
        }
        AuthMethod::PrivateKeyJwt => {
            form.add("client_id", &client.id);
            let assertion = Assertion {
                client_id: client.id.clone(),
                audience: client.issuer.clone(),
            };
            (Vec::new(), Some(assertion))
        }
    }
}

/// What a token endpoint gave.
#[derive(Clone, PartialEq, Eq)]
pub struct Tokens {
    /// For the server.
    pub access: String,
    /// `Bearer`, as it came.
    pub kind: Option<String>,
    /// For a fresh one.
    pub refresh: Option<String>,
    /// Who the person is (`OpenID` Connect).
    pub id: Option<String>,
    /// What is allowed; nothing means as it was asked for.
    pub scopes: Option<Vec<String>>,
    /// For how long, in seconds.
    pub expires_in: Option<u64>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens")
            .field("kind", &self.kind)
            .field("scopes", &self.scopes)
            .field("expires_in", &self.expires_in)
            .finish_non_exhaustive()
    }
}

impl Tokens {
    /// Whether they are bound to the key whose proof went with the request (RFC 9449 § 5).
    pub fn is_bound(&self) -> bool {
        let kind = self.kind.as_deref().unwrap_or_default();
        kind.eq_ignore_ascii_case(super::proof::SCHEME)
    }
}

/// Why a token endpoint gave none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenError {
    /// `invalid_grant` and so on, where it said.
    pub error: Option<String>,
    /// What was answered, in a sentence.
    pub message: String,
}

/// Reads a token endpoint's reply (OAuth 2.1 § 3.2.3 and § 3.2.4).
///
/// # Errors
/// It gave no token.
pub fn read(status: u16, body: &[u8]) -> Result<Tokens, TokenError> {
    let document = object(body).map_err(|problem| TokenError {
        error: None,
        message: format!("It answered HTTP {status}, and {problem}."),
    })?;
    let error = text(&document, "error");
    // Some answer an error with 200.
    if !(200..300).contains(&status) || error.is_some() {
        let said = [error.clone(), text(&document, "error_description")];
        let said: Vec<String> = said.into_iter().flatten().collect();
        let message = if said.is_empty() {
            format!("It answered HTTP {status} without an error code.")
        } else {
            format!(
                "It answered HTTP {status}: {}.",
                said.join(": ").trim_end_matches('.')
            )
        };
        return Err(TokenError { error, message });
    }
    let access = text(&document, "access_token").ok_or_else(|| TokenError {
        error: None,
        message: "Its reply has no access_token.".to_owned(),
    })?;
    let seconds = document.get("expires_in").and_then(|value| match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            number
                .as_f64()
                .and_then(|seconds| format!("{:.0}", seconds.max(0.0)).parse().ok())
        }),
        // Against the rule, and common.
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    });
    Ok(Tokens {
        access,
        kind: text(&document, "token_type"),
        refresh: text(&document, "refresh_token"),
        id: text(&document, "id_token"),
        scopes: document
            .get("scope")
            .and_then(Value::as_str)
            .map(super::scope::split),
        expires_in: seconds,
    })
}

/// How tokens are come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantKind {
    /// The person consented in the browser.
    Person,
    /// The client itself may (SEP-1046).
    ClientCredentials,
    /// A workload's JWT stands for the consent (SEP-1933).
    JwtBearer,
    /// The person's identity provider consented for them (SEP-990).
    IdentityAssertion,
}

/// A signed-in state: the tokens, and what they are bound to.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// How it was come by.
    pub kind: GrantKind,
    /// The URL of the server that it is for.
    pub server_url: String,
    /// Who Roundtrip is there, and the authorization server.
    pub client: Client,
    /// The resource it was asked for; nothing where that was left out.
    pub resource: Option<String>,
    /// Where fresh tokens are.
    pub token_endpoint: String,
    /// Where tokens are given back.
    pub revocation_endpoint: Option<String>,
    /// For the server.
    pub access_token: String,
    /// For a fresh one.
    pub refresh_token: Option<String>,
    /// Who the person is.
    pub id_token: Option<String>,
    /// What was asked for.
    pub requested: Vec<String>,
    /// What is allowed.
    pub granted: Vec<String>,
    /// Since when, in microseconds since the Unix epoch.
    pub obtained_micros: u64,
    /// Until when.
    pub expires_micros: Option<u64>,
    /// It is bound to Roundtrip's key: each request with it carries a proof (RFC 9449).
    #[serde(default)]
    pub is_bound: bool,
}

/// Leaves the tokens out.
impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant")
            .field("kind", &self.kind)
            .field("server_url", &self.server_url)
            .field("client", &self.client)
            .field("granted", &self.granted)
            .field("expires_micros", &self.expires_micros)
            .finish_non_exhaustive()
    }
}

impl Grant {
    /// Whether the token runs out so soon that a fresh one is better.
    pub fn is_running_out(&self, now_micros: u64) -> bool {
        let Some(end) = self.expires_micros else {
            return false;
        };
        let life = end.saturating_sub(self.obtained_micros);
        now_micros.saturating_add(MARGIN_MICROS.min(life / 10)) >= end
    }

    /// Whether the token has run out.
    pub fn is_over(&self, now_micros: u64) -> bool {
        self.expires_micros.is_some_and(|end| end <= now_micros)
    }

    /// The request for fresh tokens (OAuth 2.1 § 4.3); nothing where there is nothing to ask with.
    pub fn refresh_form(&self) -> Option<Form> {
        let refresh = self.refresh_token.as_deref()?;
        let mut form = Form::default();
        form.add("grant_type", "refresh_token");
        form.add_secret("refresh_token", refresh);
        // 2026-07-28 basic/authorization § Resource Parameter Implementation: in every token request.
        if let Some(resource) = &self.resource {
            form.add("resource", resource);
        }
        Some(form)
    }

    /// The grant with what a refresh gave. A refresh token that did not come is the one of before (OAuth 2.1 § 4.3.3).
    #[must_use]
    pub fn refreshed(&self, tokens: Tokens, now_micros: u64) -> Self {
        Self {
            is_bound: tokens.is_bound(),
            access_token: tokens.access,
            refresh_token: tokens.refresh.or_else(|| self.refresh_token.clone()),
            id_token: tokens.id.or_else(|| self.id_token.clone()),
            granted: tokens.scopes.unwrap_or_else(|| self.granted.clone()),
            obtained_micros: now_micros,
            expires_micros: end_of(tokens.expires_in, now_micros),
            ..self.clone()
        }
    }
}

/// When a token ends that lives for so many seconds.
pub(super) fn end_of(expires_in: Option<u64>, now_micros: u64) -> Option<u64> {
    expires_in.map(|seconds| now_micros.saturating_add(seconds.saturating_mul(1_000_000)))
}

/// The request that gives a token back (RFC 7009 § 2.1).
pub fn revocation_form(token: &str, hint: &str) -> Form {
    let mut form = Form::default();
    form.add_secret("token", token);
    form.add("token_type_hint", hint);
    form
}
