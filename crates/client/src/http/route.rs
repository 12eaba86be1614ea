//! The way to a server: its proxy, and the certificates that are trusted beside the system's.

use std::path::Path;

use reqwest::{Certificate, Proxy, Url};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use crate::error::{LinkError, LinkErrorKind};

/// The proxy with this URL, for every request.
///
/// # Errors
/// It is no proxy's URL. The error does not show it whole, because it may hold a password.
pub(super) fn proxy(url: &str) -> Result<Proxy, LinkError> {
    let bad = |why: &str| {
        LinkError::new(
            LinkErrorKind::BadUrl,
            format!("The proxy {} cannot be used: {why}.", shown(url)),
        )
        .with_hint("A proxy looks like http://proxy.example.com:3128 or socks5://localhost:1080.")
    };
    let parsed = Url::parse(url.trim()).map_err(|error| bad(&error.to_string()))?;
    if !matches!(
        parsed.scheme(),
        "http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h"
    ) {
        return Err(bad(&format!(
            "`{}` is no scheme of a proxy",
            parsed.scheme()
        )));
    }
    if parsed.host_str().is_none_or(str::is_empty) {
        return Err(bad("it names no host"));
    }
    Proxy::all(parsed).map_err(|error| bad(&super::failure::chain(&error)))
}

/// Whether the proxy itself is spoken to over TLS.
pub(super) fn needs_tls(url: &str) -> bool {
    url.trim_start().to_ascii_lowercase().starts_with("https:")
}

/// A proxy's URL without its user name and password.
pub(super) fn shown(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url.trim()) else {
        // What cannot be read may hold a password anywhere before the last @.
        let rest = url.rsplit_once('@').map_or(url, |(_, rest)| rest);
        return rest.escape_debug().to_string();
    };
    // A URL that can have neither has none to hide.
    let _none = parsed.set_username("");
    let _none = parsed.set_password(None);
    let text = parsed.to_string();
    text.strip_suffix('/').unwrap_or(&text).to_owned()
}

/// The certificates of a PEM file.
///
/// # Errors
/// The file cannot be read, holds no certificate, or one that is none.
pub(super) fn certificates(file: &Path) -> Result<Vec<Certificate>, LinkError> {
    let bad = |why: String, hint: &str| {
        LinkError::new(
            LinkErrorKind::BadCaFile,
            format!("The CA file {} cannot be used: {why}.", file.display()),
        )
        .with_hint(hint)
    };
    let text = std::fs::read(file).map_err(|error| {
        bad(
            error.to_string(),
            "Check the path in the server's options, and that the file may be read.",
        )
    })?;
    let form = "The file must hold certificates in PEM form, each between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----.";
    let mut certificates = Vec::new();
    for der in CertificateDer::pem_slice_iter(&text) {
        let number = certificates.len() + 1;
        let der = der.map_err(|error| {
            bad(
                format!("its certificate {number} is broken ({error})"),
                form,
            )
        })?;
        // Only what can be an anchor of trust is of use; said here, where it can be named.
        rustls::RootCertStore::empty()
            .add(der.clone())
            .map_err(|error| bad(format!("its certificate {number} is none ({error})"), form))?;
        let certificate = Certificate::from_der(&der)
            .map_err(|error| bad(super::failure::chain(&error), form))?;
        certificates.push(certificate);
    }
    if certificates.is_empty() {
        return Err(bad("it holds no certificate".to_owned(), form));
    }
    Ok(certificates)
}
