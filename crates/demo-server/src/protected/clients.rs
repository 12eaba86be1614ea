//! Who the authorization server's clients are: those that registered themselves (RFC 7591), and those whose identity is
//! the URL of a document about them (2026-07-28 basic/authorization/client-registration § Client ID Metadata Documents).

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use url::{Host, Url};

use super::fields::Fields;
use super::{Demo, now};

/// How clients may prove who they are.
pub(super) const METHODS: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];
/// How long a client's document may take.
const DOCUMENT_TIME: Duration = Duration::from_secs(5);
/// The longest document that is read (the draft's § 6.6 advises 5 KB).
const LONGEST_DOCUMENT: usize = 5 * 1024;

/// A client.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) redirect_uris: Vec<String>,
    pub(super) method: String,
    pub(super) secret: Option<String>,
    /// It has a document, so nobody registered it.
    pub(super) has_document: bool,
}

impl Client {
    /// Whether the person may be sent there: exactly as registered, but for the port of a loopback address (OAuth 2.1
    /// § 8.4.2).
    pub(super) fn takes_redirect(&self, wanted: &str) -> bool {
        self.redirect_uris.iter().any(|known| {
            known == wanted
                || without_port(known) == without_port(wanted).filter(|_| is_loopback(wanted))
        })
    }
}

fn is_loopback(uri: &str) -> bool {
    Url::parse(uri).is_ok_and(|url| {
        url.scheme() == "http"
            && match url.host() {
                Some(Host::Ipv4(address)) => address.is_loopback(),
                Some(Host::Ipv6(address)) => address.is_loopback(),
                Some(Host::Domain(name)) => name == "localhost",
                None => false,
            }
    })
}

fn without_port(uri: &str) -> Option<String> {
    let mut url = Url::parse(uri).ok().filter(|_| is_loopback(uri))?;
    url.set_port(None).ok()?;
    Some(url.to_string())
}

/// Whether a client may name this redirect URI: HTTPS, this machine, or a scheme of its own (OAuth 2.1 § 2.3.1).
fn check_redirect(uri: &str) -> Result<(), String> {
    let url = Url::parse(uri).map_err(|_| format!("{uri:?} is no URL"))?;
    if url.fragment().is_some() {
        return Err(format!("{uri:?} has a fragment"));
    }
    match url.scheme() {
        "http" if is_loopback(uri) => Ok(()),
        "http" => Err(format!("{uri:?} is neither HTTPS nor on this machine")),
        "javascript" | "data" | "file" | "blob" | "about" | "ws" | "wss" | "ftp" => {
            Err(format!("{uri:?} is not a way back to a program"))
        }
        // HTTPS, or a scheme of the program's own.
        _ => Ok(()),
    }
}

/// The name, redirect URIs and method that a client's metadata holds.
fn read(document: &Value) -> Result<(String, Vec<String>, String), (&'static str, String)> {
    let redirect_uris: Vec<String> = document["redirect_uris"]
        .as_array()
        .map(|all| {
            all.iter()
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect()
        })
        .unwrap_or_default();
    if redirect_uris.is_empty() {
        return Err((
            "invalid_redirect_uri",
            "redirect_uris must name at least one URI".to_owned(),
        ));
    }
    for uri in &redirect_uris {
        check_redirect(uri).map_err(|problem| ("invalid_redirect_uri", problem))?;
    }
    let method = document["token_endpoint_auth_method"]
        .as_str()
        .unwrap_or("client_secret_basic")
        .to_owned();
    let name = document["client_name"]
        .as_str()
        .map(|name| name.chars().filter(|c| !c.is_control()).take(80).collect())
        .unwrap_or_default();
    Ok((name, redirect_uris, method))
}

/// Registers a client.
pub(super) async fn register(State(demo): State<Arc<Demo>>, body: Bytes) -> Response {
    let refused = |error: &str, why: &str| {
        (
            StatusCode::BAD_REQUEST,
            Json(json!({ "error": error, "error_description": why })),
        )
            .into_response()
    };
    let Ok(document @ Value::Object(_)) = serde_json::from_slice::<Value>(&body) else {
        return refused("invalid_client_metadata", "the body is not a JSON object");
    };
    let (name, redirect_uris, method) = match read(&document) {
        Ok(read) => read,
        Err((error, why)) => return refused(error, &why),
    };
    if !METHODS.contains(&method.as_str()) {
        let why = format!("token_endpoint_auth_method must be one of {METHODS:?}");
        return refused("invalid_client_metadata", &why);
    }
    let drawn = demo.keys.random().and_then(|id| {
        let secret = (method != "none").then(|| demo.keys.random()).transpose()?;
        Ok((format!("demo-{}", id.get(..12).unwrap_or(&id)), secret))
    });
    let Ok((id, secret)) = drawn else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let mut reply = json!({
        "client_id": id,
        "client_id_issued_at": now(),
        "client_name": name,
        "redirect_uris": redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
    });
    if let Some(secret) = &secret {
        reply["client_secret"] = json!(secret);
        reply["client_secret_expires_at"] = json!(0);
    }
    demo.desk().add_client(Client {
        id,
        name,
        redirect_uris,
        method,
        secret,
        has_document: false,
    });
    (
        StatusCode::CREATED,
        [(header::CACHE_CONTROL, "no-store")],
        Json(reply),
    )
        .into_response()
}

/// The client of that identity.
///
/// # Errors
/// There is none, in words for the person.
pub(super) async fn find(demo: &Demo, id: &str) -> Result<Client, String> {
    let known = demo.desk().client(id);
    match known {
        Some(client) => Ok(client),
        None if id.starts_with("https://") || id.starts_with("http://") => {
            let client = of_document(id).await?;
            demo.desk().add_client(client.clone());
            Ok(client)
        }
        None => Err(format!("No client {id:?} is registered here.")),
    }
}

/// The client that a document describes.
async fn of_document(id: &str) -> Result<Client, String> {
    let url = Url::parse(id).map_err(|_| format!("The client id {id:?} is no URL."))?;
    // The rule is HTTPS; a document on this machine is what a developer has while trying.
    let is_fetched = match url.scheme() {
        "https" => match url.host() {
            // A server must not be led to addresses that only it can reach.
            Some(Host::Domain(name)) => name != "localhost" && name.contains('.'),
            Some(Host::Ipv4(address)) => !address.is_private() && !address.is_link_local(),
            Some(Host::Ipv6(_)) | None => false,
        },
        _ => is_loopback(id),
    };
    if !is_fetched || url.path() == "/" || url.fragment().is_some() {
        return Err(format!(
            "The client id {id:?} cannot be a Client ID Metadata Document: it must be an https URL with a path."
        ));
    }
    let failed = |why: String| format!("The client's document {id} cannot be used: {why}.");
    let client = reqwest::Client::builder()
        .timeout(DOCUMENT_TIME)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let mut response = client
        .get(url)
        .header(header::ACCEPT, "application/json")
        .send()
        .await
        .map_err(|error| failed(error.without_url().to_string()))?;
    if response.status() != StatusCode::OK {
        return Err(failed(format!(
            "it was answered with HTTP {}",
            response.status()
        )));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| failed(error.without_url().to_string()))?
    {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST_DOCUMENT {
            return Err(failed("it is longer than 5 KB".to_owned()));
        }
    }
    let document: Value = serde_json::from_slice(&body)
        .map_err(|error| failed(format!("it is not JSON ({error})")))?;
    if document["client_id"].as_str() != Some(id) {
        return Err(failed("its client_id is not its own URL".to_owned()));
    }
    let (name, redirect_uris, method) = read(&document).map_err(|(_, why)| failed(why))?;
    if name.is_empty() {
        return Err(failed("it has no client_name".to_owned()));
    }
    // A public document holds no secret, so the absent method is none here.
    if method.starts_with("client_secret") && document.get("token_endpoint_auth_method").is_some() {
        return Err(failed("a document cannot have a client secret".to_owned()));
    }
    Ok(Client {
        id: id.to_owned(),
        name,
        redirect_uris,
        method: "none".to_owned(),
        secret: None,
        has_document: true,
    })
}

/// The client that a request at the token or revocation endpoint is of (OAuth 2.1 § 2.4).
///
/// # Errors
/// It does not prove who it is: how it was refused, in words.
pub(super) async fn authenticated(
    demo: &Demo,
    authorization: Option<&str>,
    fields: &Fields,
) -> Result<Client, String> {
    let decoded = |text: &str| {
        percent_decode_str(&text.replace('+', " "))
            .decode_utf8_lossy()
            .into_owned()
    };
    let basic = match authorization {
        None => None,
        Some(value) => {
            let (id, secret) = value
                .split_once(' ')
                .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"))
                .and_then(|(_, encoded)| STANDARD.decode(encoded.trim()).ok())
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .and_then(|pair| {
                    pair.split_once(':')
                        .map(|(id, secret)| (decoded(id), decoded(secret)))
                })
                .ok_or("the Authorization header is not HTTP Basic")?;
            Some((id, secret))
        }
    };
    let (id, method, secret) = match (basic, fields.get("client_id"), fields.get("client_secret")) {
        (Some((id, secret)), _, None) => (id, "client_secret_basic", Some(secret)),
        (Some(_), _, Some(_)) => return Err("the client proves who it is in two ways".to_owned()),
        (None, Some(id), Some(secret)) => {
            (id.to_owned(), "client_secret_post", Some(secret.to_owned()))
        }
        (None, Some(id), None) => (id.to_owned(), "none", None),
        (None, None, _) => return Err("the request does not say which client it is of".to_owned()),
    };
    let client = find(demo, &id).await?;
    if client.method != method {
        return Err(format!(
            "this client is registered with {} and came with {method}",
            client.method
        ));
    }
    if client.secret != secret {
        return Err("the client's secret is wrong".to_owned());
    }
    Ok(client)
}
