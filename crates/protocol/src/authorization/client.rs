//! Who Roundtrip is to an authorization server (2026-07-28 basic/authorization/client-registration).

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::documents::{ServerMetadata, object, text};

/// How an identity was come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    /// The person entered it.
    Preregistered,
    /// The URL of a Client ID Metadata Document.
    MetadataDocument,
    /// The authorization server gave it (RFC 7591).
    Dynamic,
}

/// How a client proves who it is at the token endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthMethod {
    /// Not at all: a public client.
    None,
    /// Its secret in the `Authorization` header.
    ClientSecretBasic,
    /// Its secret in the body.
    ClientSecretPost,
    /// A JWT that it signs (RFC 7523).
    PrivateKeyJwt,
}

impl AuthMethod {
    /// Its name in metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ClientSecretBasic => "client_secret_basic",
            Self::ClientSecretPost => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }

    /// The method of that name.
    pub fn named(name: &str) -> Option<Self> {
        [
            Self::None,
            Self::ClientSecretBasic,
            Self::ClientSecretPost,
            Self::PrivateKeyJwt,
        ]
        .into_iter()
        .find(|method| method.name() == name)
    }
}

/// An identity, bound to the authorization server that knows it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// The authorization server.
    pub issuer: String,
    /// The identity.
    pub id: String,
    /// Its secret.
    pub secret: Option<String>,
    /// How it proves who it is.
    pub method: AuthMethod,
    /// How it was come by.
    pub kind: ClientKind,
    /// Where a registration said that the person comes back to.
    pub redirect_uri: Option<String>,
    /// When the secret ends, in seconds since the Unix epoch.
    pub secret_expires_seconds: Option<u64>,
    /// What changes the registration (RFC 7592).
    pub registration_token: Option<String>,
}

/// Leaves the secrets out.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("issuer", &self.issuer)
            .field("id", &self.id)
            .field("method", &self.method)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// An identity that the person entered.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Preregistered {
    /// The identity.
    pub id: String,
    /// Its secret.
    pub secret: Option<String>,
    /// The authorization server that knows it; where nobody said, the first that it is used with.
    pub issuer: Option<String>,
    /// How it proves who it is; where nobody said, as the authorization server takes it.
    pub method: Option<AuthMethod>,
    /// It has a key to sign with.
    pub has_key: bool,
}

impl fmt::Debug for Preregistered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preregistered")
            .field("id", &self.id)
            .field("issuer", &self.issuer)
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// What an identity is chosen from.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The authorization server.
    pub issuer: &'a str,
    /// What it says of itself.
    pub metadata: &'a ServerMetadata,
    /// What the person entered.
    pub preregistered: Option<&'a Preregistered>,
    /// Roundtrip's Client ID Metadata Document, where it has one.
    pub metadata_document: Option<&'a str>,
    /// What authorization servers gave before.
    pub known: &'a [Client],
    /// Where the person is to come back to.
    pub redirect_uri: &'a str,
    /// Seconds since the Unix epoch.
    pub now_seconds: u64,
}

/// Which identity is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This one.
    Use(Client, &'static str),
    /// One that is asked for at this address.
    Register {
        /// Where.
        url: String,
        /// Why, where there was another before.
        why: &'static str,
    },
    /// The person has to enter one.
    Ask,
    /// What the person entered is of this other authorization server.
    OfAnother(String),
}

/// Chooses in the order of § Client Registration.
pub fn choose(options: &Options<'_>) -> Choice {
    if let Some(entered) = options.preregistered {
        if let Some(other) = entered
            .issuer
            .as_ref()
            .filter(|issuer| *issuer != options.issuer)
        {
            return Choice::OfAnother(other.clone());
        }
        return Choice::Use(
            of_person(entered, options),
            "an identity was entered for this server",
        );
    }
    if let Some(url) = options
        .metadata_document
        .filter(|_| options.metadata.takes_metadata_documents)
    {
        let client = Client {
            issuer: options.issuer.to_owned(),
            id: url.to_owned(),
            secret: None,
            method: AuthMethod::None,
            kind: ClientKind::MetadataDocument,
            redirect_uri: None,
            secret_expires_seconds: None,
            registration_token: None,
        };
        return Choice::Use(
            client,
            "the authorization server takes Client ID Metadata Documents",
        );
    }
    let known = options
        .known
        .iter()
        .find(|client| client.issuer == options.issuer);
    let expired = known.is_some_and(|client| {
        client
            .secret_expires_seconds
            .is_some_and(|end| end != 0 && end <= options.now_seconds)
    });
    if let Some(client) = known
        .filter(|client| !expired && client.redirect_uri.as_deref() == Some(options.redirect_uri))
    {
        return Choice::Use(
            client.clone(),
            "the authorization server registered Roundtrip before",
        );
    }
    match &options.metadata.registration_endpoint {
        Some(url) => Choice::Register {
            url: url.clone(),
            why: match known {
                Some(_) if expired => "the secret of the registration before has ended",
                Some(_) => "the registration before has another redirect URI",
                None => "the authorization server lets clients register themselves",
            },
        },
        None => Choice::Ask,
    }
}

/// The methods that an authorization server takes (RFC 8414 § 2: basic where it does not say).
fn taken(metadata: &ServerMetadata) -> Vec<AuthMethod> {
    match &metadata.token_endpoint_auth_methods {
        Some(names) => names
            .iter()
            .filter_map(|name| AuthMethod::named(name))
            .collect(),
        None => vec![AuthMethod::ClientSecretBasic],
    }
}

fn of_person(entered: &Preregistered, options: &Options<'_>) -> Client {
    let taken = taken(options.metadata);
    let method = entered.method.unwrap_or_else(|| {
        let can = |method: AuthMethod| match method {
            AuthMethod::PrivateKeyJwt => entered.has_key,
            AuthMethod::ClientSecretBasic | AuthMethod::ClientSecretPost => {
                entered.secret.is_some()
            }
            AuthMethod::None => false,
        };
        let order = [
            AuthMethod::PrivateKeyJwt,
            AuthMethod::ClientSecretBasic,
            AuthMethod::ClientSecretPost,
        ];
        order
            .into_iter()
            .find(|method| taken.contains(method) && can(*method))
            .or_else(|| order.into_iter().find(|method| can(*method)))
            .unwrap_or(AuthMethod::None)
    });
    Client {
        issuer: options.issuer.to_owned(),
        id: entered.id.clone(),
        secret: entered.secret.clone(),
        method,
        kind: ClientKind::Preregistered,
        redirect_uri: None,
        secret_expires_seconds: None,
        registration_token: None,
    }
}

/// What Roundtrip registers itself with (RFC 7591 § 2; § Application Type and Redirect URI Constraints).
pub fn registration(metadata: &ServerMetadata, redirect_uri: &str, scopes: &[String]) -> String {
    // A program on a person's machine keeps no secret of its own, so it asks to need none.
    let taken = match &metadata.token_endpoint_auth_methods {
        Some(_) => taken(metadata),
        None => vec![AuthMethod::None],
    };
    let method = [
        AuthMethod::None,
        AuthMethod::ClientSecretBasic,
        AuthMethod::ClientSecretPost,
    ]
    .into_iter()
    .find(|method| taken.contains(method))
    .unwrap_or(AuthMethod::None);
    let mut body = json!({
        "client_name": "Roundtrip",
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method.name(),
        "application_type": "native",
    });
    if !scopes.is_empty() {
        body["scope"] = json!(scopes.join(" "));
    }
    body.to_string()
}

/// Reads what a registration gave (RFC 7591 § 3.2.1).
///
/// # Errors
/// Why no identity is in it, in words.
pub fn registered(
    body: &[u8],
    issuer: &str,
    redirect_uri: &str,
    metadata: &ServerMetadata,
) -> Result<Client, String> {
    let document = object(body)?;
    let id = text(&document, "client_id").ok_or("it has no client_id")?;
    let asked: Value =
        serde_json::from_str(&registration(metadata, redirect_uri, &[])).unwrap_or_default();
    let method = text(&document, "token_endpoint_auth_method")
        .or_else(|| text(&asked, "token_endpoint_auth_method"))
        .and_then(|name| AuthMethod::named(&name))
        .unwrap_or(AuthMethod::None);
    let secret = text(&document, "client_secret");
    if secret.is_none()
        && matches!(
            method,
            AuthMethod::ClientSecretBasic | AuthMethod::ClientSecretPost
        )
    {
        return Err(format!(
            "it asks for {} and gives no client_secret",
            method.name()
        ));
    }
    Ok(Client {
        issuer: issuer.to_owned(),
        id,
        secret,
        method,
        kind: ClientKind::Dynamic,
        redirect_uri: Some(redirect_uri.to_owned()),
        secret_expires_seconds: document
            .get("client_secret_expires_at")
            .and_then(Value::as_u64),
        registration_token: text(&document, "registration_access_token"),
    })
}
