//! Fetching a small picture: without credentials, without what is not asked for, and no larger than it may be.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use reqwest::Url;
use reqwest::redirect::Policy;

use super::{dns, failure, route as way};
use crate::Route;
use crate::error::{LinkError, LinkErrorKind};

/// How long a picture may take.
const LIMIT: Duration = Duration::from_secs(10);
/// Redirects that are followed, within the origin.
const MOST_REDIRECTS: usize = 3;

/// Fetches a picture of at most `most` bytes. A redirect is followed only to the same scheme, host and port; no cookie,
/// no `Authorization` and no header of the server's entry is sent (2026-07-28 basic/index § Icons).
///
/// # Errors
/// It is not to be had, or is too large.
pub async fn fetch(url: &Url, route: &Route, most: usize) -> Result<Bytes, LinkError> {
    let bad = |message: String| LinkError::new(LinkErrorKind::BadUrl, message);
    let origin = url.origin();
    let policy = Policy::custom(move |attempt| {
        if attempt.url().origin() != origin {
            attempt.error("it leads to another origin")
        } else if attempt.previous().len() > MOST_REDIRECTS {
            attempt.error("it leads on and on")
        } else {
            attempt.follow()
        }
    });
    let mut builder = reqwest::Client::builder()
        .redirect(policy)
        .referer(false)
        .dns_resolver(Arc::new(dns::Resolver))
        .timeout(LIMIT);
    if let Some(proxy) = &route.proxy {
        builder = builder.proxy(way::proxy(proxy)?);
    }
    if let Some(file) = &route.ca_file {
        builder = builder.tls_certs_merge(way::certificates(file)?);
    }
    let client = builder
        .build()
        .map_err(|error| LinkError::new(LinkErrorKind::Tls, failure::chain(&error)))?;
    let response = client
        .get(url.clone())
        .send()
        .await
        .map_err(|error| bad(format!("It cannot be fetched: {}.", failure::chain(&error))))?;
    if !response.status().is_success() {
        return Err(bad(format!(
            "Its server answered with {}.",
            response.status()
        )));
    }
    let too_large = || bad(format!("It is larger than {} KiB.", most / 1024));
    let announced = response.content_length();
    if announced.is_some_and(|len| usize::try_from(len).is_ok_and(|len| len > most)) {
        return Err(too_large());
    }
    let mut bytes = BytesMut::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk =
            chunk.map_err(|error| bad(format!("It broke off: {}.", failure::chain(&error))))?;
        if bytes.len() + chunk.len() > most {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.freeze())
}
