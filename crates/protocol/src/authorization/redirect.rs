//! The way through the browser: the address that the person is sent to, and what they come back with (OAuth 2.1 §
//! 4.1.1 and § 4.1.2; 2026-07-28 basic/authorization § Authorization Response Validation).

use url::Url;

/// Proof Key for Code Exchange, drawn by whoever drives the flow.
#[derive(Clone, PartialEq, Eq)]
pub struct Pkce {
    /// The secret.
    pub verifier: String,
    /// Its SHA-256, in Base64 of the URL alphabet.
    pub challenge: String,
}

impl std::fmt::Debug for Pkce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pkce")
            .field("challenge", &self.challenge)
            .finish_non_exhaustive()
    }
}

/// What an authorization request says.
#[derive(Clone, Copy, Debug)]
pub struct Consent<'a> {
    /// Where the person goes.
    pub endpoint: &'a str,
    /// Who asks.
    pub client_id: &'a str,
    /// Where they come back to.
    pub redirect_uri: &'a str,
    /// What for.
    pub scopes: &'a [String],
    /// For which resource.
    pub resource: Option<&'a str>,
    /// What the answer must carry.
    pub state: &'a str,
    /// The challenge of PKCE.
    pub challenge: &'a str,
}

/// The address, and its parameters in order.
///
/// # Errors
/// The endpoint is no URL, in words.
pub fn address(consent: &Consent<'_>) -> Result<(String, Vec<(String, String)>), String> {
    let mut url = Url::parse(consent.endpoint).map_err(|error| error.to_string())?;
    url.set_fragment(None);
    let scope = consent.scopes.join(" ");
    let mut parameters = vec![
        ("response_type", "code"),
        ("client_id", consent.client_id),
        ("redirect_uri", consent.redirect_uri),
        ("state", consent.state),
        ("code_challenge", consent.challenge),
        ("code_challenge_method", "S256"),
    ];
    if !scope.is_empty() {
        parameters.push(("scope", &scope));
    }
    if let Some(resource) = consent.resource {
        parameters.push(("resource", resource));
    }
    // OpenID Connect Core § 11: without being asked anew, some give no refresh token.
    if consent
        .scopes
        .iter()
        .any(|scope| scope == super::scope::OFFLINE_ACCESS)
    {
        parameters.push(("prompt", "consent"));
    }
    url.query_pairs_mut().extend_pairs(&parameters);
    let shown = parameters
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    Ok((url.to_string(), shown))
}

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has no `state`, or another one.
    State,
    /// It comes from this other authorization server.
    Issuer(String),
    /// It does not say which authorization server it comes from, where that one promised to.
    NoIssuer,
    /// A parameter stands in it twice.
    Twice(&'static str),
    /// The authorization server, or the person there, refused.
    Error {
        /// `access_denied` and so on.
        error: String,
        /// In the server's words.
        description: Option<String>,
    },
    /// It has neither a code nor an error.
    NoCode,
}

/// Takes the code out of an answer. `error` is looked at last: what another server says must not be shown as this
/// one's.
///
/// # Errors
/// Why there is none.
pub fn code(
    answer: &[(String, String)],
    state: &str,
    issuer: &str,
    sends_iss: bool,
) -> Result<String, Refusal> {
    for name in ["state", "iss", "code", "error"] {
        if answer.iter().filter(|(known, _)| known == name).count() > 1 {
            return Err(Refusal::Twice(name));
        }
    }
    let value = |name: &str| {
        answer
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };
    if value("state") != Some(state) {
        return Err(Refusal::State);
    }
    match value("iss") {
        // RFC 3986 § 6.2.1: character by character, nothing made alike first.
        Some(iss) if iss != issuer => return Err(Refusal::Issuer(iss.to_owned())),
        None if sends_iss => return Err(Refusal::NoIssuer),
        _ => {}
    }
    if let Some(error) = value("error") {
        return Err(Refusal::Error {
            error: error.to_owned(),
            description: value("error_description").map(str::to_owned),
        });
    }
    value("code")
        .filter(|code| !code.is_empty())
        .map(str::to_owned)
        .ok_or(Refusal::NoCode)
}
