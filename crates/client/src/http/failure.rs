//! From the errors of the HTTP library to what a person can act on.

use std::error::Error;
use std::io::ErrorKind;

use crate::error::{LinkError, LinkErrorKind};

use super::dns::NameNotResolved;

/// What failed, told by the first cause in the chain that says it.
pub(super) fn explain(error: &reqwest::Error, authority: &str) -> LinkError {
    if let Some(failure) = causes(error).find_map(|cause| explain_cause(cause, authority)) {
        return failure;
    }
    let whole = chain(error);
    if error.is_timeout() {
        return if error.is_connect() {
            not_reachable_in_time(authority)
        } else {
            LinkError::new(
                LinkErrorKind::TimedOut,
                format!("{authority} did not answer in time."),
            )
        };
    }
    let kind = if error.is_decode() {
        LinkErrorKind::BadHttp
    } else {
        LinkErrorKind::ConnectionLost
    };
    LinkError::new(
        kind,
        format!("The exchange with {authority} failed: {whole}."),
    )
    .with_hint("Look at the server's own log for the reason.")
}

fn explain_cause(cause: &(dyn Error + 'static), authority: &str) -> Option<LinkError> {
    if let Some(error) = cause.downcast_ref::<NameNotResolved>() {
        return Some(
            LinkError::new(
                LinkErrorKind::Dns,
                format!(
                    "The host {} was not found: its name has no address.",
                    error.host
                ),
            )
            .with_hint("Check the spelling of the host, and this machine's connection."),
        );
    }
    if let Some(error) = cause.downcast_ref::<rustls::Error>() {
        return Some(explain_tls(error, authority));
    }
    if let Some(error) = cause.downcast_ref::<hyper::Error>() {
        return explain_http(error, authority);
    }
    if let Some(error) = cause.downcast_ref::<std::io::Error>() {
        return explain_io(error, authority);
    }
    None
}

fn explain_tls(error: &rustls::Error, authority: &str) -> LinkError {
    use rustls::{CertificateError, Error as Tls};
    let trust = "If you trust this server, name a file with its certificate authority in the server's options, or add that to the system's.";
    let (problem, hint) = match error {
        Tls::InvalidMessage(_) => (
            "it does not speak TLS".to_owned(),
            "Use http:// instead of https:// if the server has no TLS.",
        ),
        Tls::InvalidCertificate(certificate) => match certificate {
            CertificateError::UnknownIssuer => (
                "its certificate is signed by an unknown authority".to_owned(),
                trust,
            ),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
                "its certificate has expired".to_owned(),
                "Renew the certificate; check this machine's clock.",
            ),
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => (
                "its certificate is not valid yet".to_owned(),
                "Check this machine's clock.",
            ),
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                (
                    format!("its certificate is for another host ({certificate})"),
                    "Use the host name that the certificate is for.",
                )
            }
            other => (format!("its certificate is not accepted ({other})"), trust),
        },
        other => (
            other.to_string(),
            "Check that the URL's port is the one for https, and the server's TLS settings.",
        ),
    };
    LinkError::new(
        LinkErrorKind::Tls,
        format!("TLS with {authority} could not be agreed on: {problem}."),
    )
    .with_hint(hint)
}

fn explain_http(error: &hyper::Error, authority: &str) -> Option<LinkError> {
    if error.is_parse() {
        return Some(
            LinkError::new(
                LinkErrorKind::BadHttp,
                format!("What {authority} answered is not HTTP ({error})."),
            )
            .with_hint("Check the port; use https:// instead of http:// if the server speaks TLS."),
        );
    }
    if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        return Some(
            LinkError::new(
                LinkErrorKind::ConnectionLost,
                format!("{authority} closed the connection before its answer was complete."),
            )
            .with_hint(LOST_HINT),
        );
    }
    None
}

const LOST_HINT: &str =
    "The server may have crashed or been restarted: look at its log, then try again.";

fn explain_io(error: &std::io::Error, authority: &str) -> Option<LinkError> {
    match error.kind() {
        ErrorKind::ConnectionRefused => Some(
            LinkError::new(
                LinkErrorKind::ConnectionRefused,
                format!("Nothing listens at {authority}: the connection was refused."),
            )
            .with_hint("Is the server started? Is it the right port?"),
        ),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
            Some(
                LinkError::new(
                    LinkErrorKind::ConnectionRefused,
                    format!("{authority} cannot be reached: {error}."),
                )
                .with_hint("Check this machine's connection, and the VPN if the server needs one."),
            )
        }
        ErrorKind::TimedOut => Some(not_reachable_in_time(authority)),
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof
        | ErrorKind::NotConnected => Some(
            LinkError::new(
                LinkErrorKind::ConnectionLost,
                format!("The connection to {authority} broke: {error}."),
            )
            .with_hint(LOST_HINT),
        ),
        _ => None,
    }
}

fn not_reachable_in_time(authority: &str) -> LinkError {
    LinkError::new(
        LinkErrorKind::TimedOut,
        format!("{authority} did not take the connection in time."),
    )
    .with_hint(
        "Check the scheme (http or https), host and port, and whether a firewall is between.",
    )
}

/// A body that says gzip and is not.
pub(super) fn not_gzip(error: &std::io::Error) -> LinkError {
    LinkError::new(
        LinkErrorKind::BadHttp,
        format!("The reply says content-encoding: gzip, but cannot be decoded: {error}."),
    )
    .with_hint("A proxy between may have changed the body.")
}

/// The error and its causes from the outside in, with those that an I/O error wraps.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let wrapped = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref)
            .map(|inner| inner as &(dyn Error + 'static));
        wrapped.or_else(|| error.source())
    })
    // No chain is that long; a circular one would be.
    .take(32)
}

/// The error and its causes in one line.
pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in causes(error) {
        let part = cause.to_string();
        if parts.last().is_none_or(|last| !last.contains(&part)) {
            parts.push(part);
        }
    }
    parts.join(": ")
}
