//! The documents that say how to sign in, read as far as they go: what is of another kind than it should be counts as
//! absent.

use serde_json::Value;

/// OAuth 2.0 Protected Resource Metadata (RFC 9728 § 2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceMetadata {
    /// The resource identifier.
    pub resource: Option<String>,
    /// The issuers of its authorization servers.
    pub authorization_servers: Vec<String>,
    /// The scopes for basic work; nothing where it is not defined.
    pub scopes_supported: Option<Vec<String>>,
    /// It takes tokens only with a proof of the key that they are bound to (RFC 9728 § 2).
    pub wants_bound_tokens: bool,
    /// It names signature algorithms of such proofs.
    pub names_proofs: bool,
}

/// OAuth 2.0 Authorization Server Metadata (RFC 8414 § 2), or `OpenID` Provider Metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerMetadata {
    /// Its identity.
    pub issuer: Option<String>,
    /// Where the person goes.
    pub authorization_endpoint: Option<String>,
    /// Where tokens are.
    pub token_endpoint: Option<String>,
    /// Where clients register themselves (RFC 7591).
    pub registration_endpoint: Option<String>,
    /// Where tokens are given back (RFC 7009).
    pub revocation_endpoint: Option<String>,
    /// The scopes that it knows.
    pub scopes_supported: Vec<String>,
    /// How clients prove who they are at the token endpoint; nothing where it is not defined.
    pub token_endpoint_auth_methods: Option<Vec<String>>,
    /// Which PKCE methods it takes; nothing where it is not defined.
    pub code_challenge_methods: Option<Vec<String>>,
    /// Its answers carry `iss` (RFC 9207).
    pub sends_iss: bool,
    /// It takes the URL of a Client ID Metadata Document for a client's identity.
    pub takes_metadata_documents: bool,
    /// The signature algorithms of proofs that it binds tokens by (RFC 9449 § 5.1).
    pub proof_algorithms: Vec<String>,
}

impl ResourceMetadata {
    /// Reads the document.
    ///
    /// # Errors
    /// It is no JSON object, in words.
    pub fn read(body: &[u8]) -> Result<Self, String> {
        let document = object(body)?;
        Ok(Self {
            resource: text(&document, "resource"),
            authorization_servers: list(&document, "authorization_servers").unwrap_or_default(),
            scopes_supported: list(&document, "scopes_supported"),
            wants_bound_tokens: flag(&document, "dpop_bound_access_tokens_required"),
            names_proofs: list(&document, "dpop_signing_alg_values_supported")
                .is_some_and(|names| !names.is_empty()),
        })
    }
}

impl ServerMetadata {
    /// Reads the document.
    ///
    /// # Errors
    /// It is no JSON object, in words.
    pub fn read(body: &[u8]) -> Result<Self, String> {
        let document = object(body)?;
        Ok(Self {
            issuer: text(&document, "issuer"),
            authorization_endpoint: text(&document, "authorization_endpoint"),
            token_endpoint: text(&document, "token_endpoint"),
            registration_endpoint: text(&document, "registration_endpoint"),
            revocation_endpoint: text(&document, "revocation_endpoint"),
            scopes_supported: list(&document, "scopes_supported").unwrap_or_default(),
            token_endpoint_auth_methods: list(&document, "token_endpoint_auth_methods_supported"),
            code_challenge_methods: list(&document, "code_challenge_methods_supported"),
            sends_iss: flag(&document, "authorization_response_iss_parameter_supported"),
            takes_metadata_documents: flag(&document, "client_id_metadata_document_supported"),
            proof_algorithms: list(&document, "dpop_signing_alg_values_supported")
                .unwrap_or_default(),
        })
    }
}

/// The body as a JSON object.
pub(super) fn object(body: &[u8]) -> Result<Value, String> {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err("it is JSON, and not an object".to_owned()),
        Err(error) => Err(format!("it is not JSON: {error}")),
    }
}

pub(super) fn text(document: &Value, key: &str) -> Option<String> {
    document
        .get(key)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .filter(|text| !text.is_empty())
}

fn list(document: &Value, key: &str) -> Option<Vec<String>> {
    let entries = document.get(key)?.as_array()?;
    Some(
        entries
            .iter()
            .filter_map(|entry| entry.as_str().map(str::to_owned))
            .collect(),
    )
}

fn flag(document: &Value, key: &str) -> bool {
    document.get(key) == Some(&Value::Bool(true))
}
