//! Where the documents are that say how to sign in, and what must hold of their addresses (2026-07-28
//! basic/authorization/authorization-server-discovery).

use std::net::IpAddr;

use url::{Host, Url};

/// Where a server's protected resource metadata may be, in the order in which to ask (§ Protected Resource Metadata
/// Discovery Requirements).
pub fn resource_metadata_urls(server: &Url) -> Vec<String> {
    let mut urls = Vec::new();
    let path = server.path().trim_end_matches('/');
    for path in [path, ""] {
        let mut url = server.clone();
        url.set_path(&format!("/.well-known/oauth-protected-resource{path}"));
        if path.is_empty() {
            url.set_query(None);
        }
        url.set_fragment(None);
        strip_credentials(&mut url);
        let text = url.to_string();
        if !urls.contains(&text) {
            urls.push(text);
        }
    }
    urls
}

/// Where an authorization server's metadata may be, in the order in which to ask (§ Authorization Server Metadata
/// Discovery). Nothing when the issuer is no URL.
pub fn server_metadata_urls(issuer: &str) -> Vec<String> {
    let Ok(base) = Url::parse(issuer) else {
        return Vec::new();
    };
    let path = base.path().trim_end_matches('/').to_owned();
    let at = |path: String| {
        let mut url = base.clone();
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        url.to_string()
    };
    let mut urls = vec![
        at(format!("/.well-known/oauth-authorization-server{path}")),
        at(format!("/.well-known/openid-configuration{path}")),
    ];
    if !path.is_empty() {
        urls.push(at(format!("{path}/.well-known/openid-configuration")));
    }
    urls
}

/// The server's own URL as a resource identifier (2026-07-28 basic/authorization § Canonical Server URI).
pub fn canonical(server: &Url) -> String {
    let mut url = server.clone();
    url.set_fragment(None);
    strip_credentials(&mut url);
    let text = url.to_string();
    if url.path() == "/" && url.query().is_none() {
        return text.trim_end_matches('/').to_owned();
    }
    text
}

/// The origin as an issuer: where a server of 2025-03-26 has its authorization server.
pub fn origin(server: &Url) -> String {
    server.origin().ascii_serialization()
}

/// Whether a resource identifier may stand for this server: of the same origin, and its path the server's own or one
/// above it. A document about another resource must not be used (RFC 9728 § 3.3).
pub fn stands_for(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else {
        return false;
    };
    if resource.origin() != server.origin() || resource.fragment().is_some() {
        return false;
    }
    if resource.query().is_some() && resource.query() != server.query() {
        return false;
    }
    let above = resource.path().trim_end_matches('/');
    let own = server.path().trim_end_matches('/');
    own == above
        || own
            .strip_prefix(above)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// Whether what is sent there stays secret on the way: HTTPS, or this machine (2026-07-28
/// basic/authorization/security-considerations § Communication Security).
pub fn is_protected(url: &Url) -> bool {
    match url.scheme() {
        "https" => true,
        "http" => match url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
            Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
            None => false,
        },
        _ => false,
    }
}

fn strip_credentials(url: &mut Url) {
    // A URL that can have neither has none to hide.
    let _none = url.set_username("");
    let _none = url.set_password(None);
}
