//! The head of a request: from the endpoint, its headers and those of one message.

use std::fmt;
use std::net::IpAddr;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::Bytes;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap,
    HeaderName, HeaderValue, TRANSFER_ENCODING, USER_AGENT,
};
use reqwest::{Client, Request, Response, Url, Version};
use url::Host;
use wire::http::{Header, RequestHead, ResponseHead};

use crate::HttpMethod;
use crate::error::{LinkError, LinkErrorKind};

use super::body;

const AGENT: &str = concat!("roundtrip/", env!("CARGO_PKG_VERSION"));

/// Where messages go, and the headers that all of them have.
pub(super) struct Endpoint {
    url: RwLock<Url>,
    headers: HeaderMap,
    /// `host:port`, for errors.
    authority: String,
    /// The `Host` header that the library will send.
    host_header: String,
}

/// Headers and URL may hold secrets.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("authority", &self.authority)
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    pub(super) fn new(url: &str) -> Result<Self, LinkError> {
        let mut url = parse(url)?;
        url.set_fragment(None);
        let host = url.host_str().unwrap_or_default();
        let authority = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
        let host_header = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Ok(Self {
            url: RwLock::new(url),
            headers: HeaderMap::new(),
            authority,
            host_header,
        })
    }

    /// Sets the headers of all messages. Credentials in the URL become one of them.
    pub(super) fn set_headers(
        &mut self,
        client: &Client,
        headers: &[(String, String)],
    ) -> Result<(), LinkError> {
        if let Some(credentials) = take_credentials(&mut write(&self.url), client)? {
            self.headers.insert(AUTHORIZATION, credentials);
        }
        replace(&mut self.headers, headers)
    }

    pub(super) fn authority(&self) -> &str {
        &self.authority
    }

    pub(super) fn is_https(&self) -> bool {
        read(&self.url).scheme() == "https"
    }

    pub(super) fn is_loopback(&self) -> bool {
        match read(&self.url).host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
            Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
            None => false,
        }
    }

    /// Sends what follows to `location` (absolute or relative) when it is of the same origin, and gives whether it
    /// is: the headers that all messages have are meant for this origin alone.
    pub(super) fn move_within_origin(&self, location: &str) -> bool {
        let mut url = write(&self.url);
        let Ok(mut target) = url.join(location) else {
            return false;
        };
        let has_credentials = !target.username().is_empty() || target.password().is_some();
        if target.origin() != url.origin() || has_credentials {
            return false;
        }
        target.set_fragment(None);
        *url = target;
        true
    }

    /// The request for one message, and its head as it will be sent.
    pub(super) fn request(
        &self,
        method: HttpMethod,
        message: &Bytes,
        headers: &[(String, String)],
        without: &[String],
    ) -> Result<(Request, RequestHead), LinkError> {
        let mut all = defaults(method, !message.is_empty());
        for name in self.headers.keys() {
            all.remove(name);
        }
        all.extend(self.headers.clone());
        replace(&mut all, headers)?;
        for name in without {
            all.remove(checked(name, "")?.0);
        }

        let mut shown: Vec<Header> = all.iter().map(shown).collect();
        // These two the library adds, at the end.
        if !all.contains_key(HOST) {
            shown.push(Header {
                name: HOST.as_str().to_owned(),
                value: self.host_header.clone(),
            });
        }
        if method == HttpMethod::Post || !message.is_empty() {
            shown.push(Header {
                name: CONTENT_LENGTH.as_str().to_owned(),
                value: message.len().to_string(),
            });
        }
        let method = method.token();
        let url = read(&self.url).clone();
        let head = RequestHead {
            method: method.to_string(),
            url: url.to_string(),
            headers: shown,
        };
        let mut request = Request::new(method, url);
        *request.headers_mut() = all;
        *request.body_mut() = body(message);
        Ok((request, head))
    }
}

fn read(url: &RwLock<Url>) -> RwLockReadGuard<'_, Url> {
    url.read().unwrap_or_else(PoisonError::into_inner)
}

fn write(url: &RwLock<Url>) -> RwLockWriteGuard<'_, Url> {
    url.write().unwrap_or_else(PoisonError::into_inner)
}

/// The head of a response as it came.
pub(super) fn response_head(response: &Response) -> ResponseHead {
    let version = match response.version() {
        Version::HTTP_09 => "HTTP/0.9",
        Version::HTTP_10 => "HTTP/1.0",
        Version::HTTP_2 => "HTTP/2",
        Version::HTTP_3 => "HTTP/3",
        _ => "HTTP/1.1",
    };
    ResponseHead {
        status: response.status().as_u16(),
        version: version.to_owned(),
        headers: response.headers().iter().map(shown).collect(),
    }
}

fn shown((name, value): (&HeaderName, &HeaderValue)) -> Header {
    Header {
        name: name.as_str().to_owned(),
        value: String::from_utf8_lossy(value.as_bytes()).into_owned(),
    }
}

/// 2026-07-28 basic/transports/streamable-http § Sending Messages, 2: both types are accepted.
fn defaults(method: HttpMethod, has_body: bool) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(16);
    let accepted = match method {
        HttpMethod::Post => Some("application/json, text/event-stream"),
        HttpMethod::Get => Some("text/event-stream"),
        HttpMethod::Delete => Some("application/json"),
    };
    if let Some(accepted) = accepted {
        headers.insert(ACCEPT, HeaderValue::from_static(accepted));
    }
    if has_body {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers
}

/// Sets headers in place of those with the same names. A name that is given twice is sent twice.
fn replace(headers: &mut HeaderMap, given: &[(String, String)]) -> Result<(), LinkError> {
    let given: Vec<(HeaderName, HeaderValue)> = given
        .iter()
        .map(|(name, value)| checked(name, value))
        .collect::<Result<_, _>>()?;
    for (name, _) in &given {
        headers.remove(name);
    }
    for (name, value) in given {
        headers.append(name, value);
    }
    Ok(())
}

fn checked(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), LinkError> {
    let bad = |what: String, hint: &str| {
        Err(LinkError::new(LinkErrorKind::BadHeader, what).with_hint(hint))
    };
    let Ok(field) = HeaderName::from_bytes(name.as_bytes()) else {
        return bad(
            format!("`{}` cannot be the name of a header.", name.escape_debug()),
            "A name has letters, digits and hyphens only: no spaces, no colon.",
        );
    };
    if [CONTENT_LENGTH, TRANSFER_ENCODING].contains(&field) {
        return bad(
            format!("The header {field} cannot be set: it follows from the message."),
            "Remove the header.",
        );
    }
    let Ok(content) = HeaderValue::from_bytes(value.as_bytes()) else {
        let at = value
            .chars()
            .position(|char| char.is_control() && char != '\t');
        let place = at.map_or(String::new(), |at| format!(" (character {})", at + 1));
        return bad(
            format!("The value of the header {name} holds a control character{place}."),
            "Remove line breaks and other invisible characters; they often come with pasting.",
        );
    };
    Ok((field, content))
}

fn parse(text: &str) -> Result<Url, LinkError> {
    let text = text.trim();
    let bad = |why: &str, hint: String| {
        Err(LinkError::new(
            LinkErrorKind::BadUrl,
            format!("The URL {} cannot be used: {why}.", text.escape_debug()),
        )
        .with_hint(hint))
    };
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) if !text.is_empty() => {
            return bad(
                "it has no scheme",
                format!("Try http://{text} or https://{text}."),
            );
        }
        Err(error) => {
            return bad(
                &error.to_string(),
                "A URL looks like https://example.com/mcp.".to_owned(),
            );
        }
    };
    match url.scheme() {
        "http" | "https" if url.port() == Some(0) => bad(
            "port 0 cannot be connected to",
            "Give the server's port.".to_owned(),
        ),
        "http" | "https" => Ok(url),
        // `localhost:3000/mcp` reads as a URL with the scheme `localhost`.
        scheme if url.cannot_be_a_base() => bad(
            &format!("`{scheme}` is neither http nor https"),
            format!("Try http://{text} or https://{text}."),
        ),
        scheme => bad(
            &format!("`{scheme}` is neither http nor https"),
            "Servers are reached over http or https.".to_owned(),
        ),
    }
}

/// `https://user:password@host` becomes a header, as in a browser, and leaves the URL that is shown.
fn take_credentials(url: &mut Url, client: &Client) -> Result<Option<HeaderValue>, LinkError> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    // The library knows how to decode and encode them.
    let request = client.get(url.clone()).build();
    let header = request
        .ok()
        .and_then(|request| request.headers().get(AUTHORIZATION).cloned());
    let cleared = url.set_username("").and_then(|()| url.set_password(None));
    match (header, cleared) {
        (Some(header), Ok(())) => Ok(Some(header)),
        _ => Err(LinkError::new(
            LinkErrorKind::BadUrl,
            "The user name and password in the URL cannot be used.",
        )
        .with_hint("Set an Authorization header instead.")),
    }
}
