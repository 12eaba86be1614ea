//! A server behind a URL: each message is an HTTP exchange of its own
//! (2026-07-28 basic/transports/streamable-http).

mod dns;
mod exchange;
mod failure;
mod gzip;
mod head;
pub mod picture;
mod route;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use reqwest::redirect::Policy;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::{LinkError, LinkErrorKind};
use crate::report::ExchangeId;
use crate::reporter::Reporter;
use crate::{HttpMethod, Outgoing, Route};

use self::exchange::Exchange;
use self::head::Endpoint;

/// Name resolution, TCP and TLS together.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Below the five seconds after which Node's HTTP servers close an idle connection: a request must
/// not meet a connection that its server is just closing.
const IDLE_LIMIT: Duration = Duration::from_secs(4);

/// An endpoint and the exchanges that are going on with it.
#[derive(Debug)]
pub(crate) struct HttpLink {
    client: reqwest::Client,
    endpoint: Endpoint,
    /// `host:port`, for errors, and the proxy before it.
    place: String,
    reporter: Reporter,
    exchanges: Exchanges,
    tasks: TaskTracker,
    runtime: Handle,
}

/// The exchanges that can be cancelled.
type Exchanges = Arc<Mutex<HashMap<ExchangeId, CancellationToken>>>;

impl HttpLink {
    pub(crate) fn open(
        url: &str,
        headers: &[(String, String)],
        route: &Route,
        reporter: Reporter,
    ) -> Result<Self, LinkError> {
        let mut endpoint = Endpoint::new(url)?;
        let client = client(&endpoint, route)?;
        endpoint.set_headers(&client, headers)?;
        let place = match &route.proxy {
            None => endpoint.authority().to_owned(),
            Some(proxy) => format!(
                "{} (through the proxy {})",
                endpoint.authority(),
                route::shown(proxy)
            ),
        };
        Ok(Self {
            place,
            client,
            endpoint,
            reporter,
            exchanges: Exchanges::default(),
            tasks: TaskTracker::new(),
            runtime: Handle::current(),
        })
    }

    pub(crate) fn send(&self, outgoing: Outgoing) -> Result<(), LinkError> {
        let Outgoing {
            exchange: id,
            message,
            headers,
            without,
            http_method,
            expects_reply: _,
            keeps_breaks: _,
        } = outgoing;
        let (request, head) = self
            .endpoint
            .request(http_method, &message, &headers, &without)?;
        // Also cancelled when the link closes.
        let cancelled = self.reporter.silenced().child_token();
        lock(&self.exchanges).insert(id, cancelled.clone());
        let exchange = Exchange::new(
            id,
            self.reporter.clone(),
            self.place.clone(),
            head,
            message.len() as u64,
        );
        let client = self.client.clone();
        let exchanges = Arc::clone(&self.exchanges);
        self.tasks.spawn_on(
            async move {
                exchange.run(&client, request, &cancelled).await;
                lock(&exchanges).remove(&id);
            },
            &self.runtime,
        );
        Ok(())
    }

    pub(crate) fn move_within_origin(&self, location: &str) -> bool {
        self.endpoint.move_within_origin(location)
    }

    pub(crate) fn cancel(&self, exchange: ExchangeId) {
        if let Some(cancelled) = lock(&self.exchanges).get(&exchange) {
            cancelled.cancel();
        }
    }

    pub(crate) async fn close(self) {
        self.reporter.silence();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for HttpLink {
    fn drop(&mut self) {
        self.reporter.silence();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A client of our own for each link: its connections are not shared, so that what one link sees
/// does not depend on another.
fn client(endpoint: &Endpoint, route: &Route) -> Result<reqwest::Client, LinkError> {
    let mut builder = reqwest::Client::builder()
        // What the server sends is shown as it came, so nothing is followed or decoded unseen.
        .redirect(Policy::none())
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .dns_resolver(Arc::new(dns::Resolver))
        .connect_timeout(CONNECT_LIMIT)
        .pool_idle_timeout(IDLE_LIMIT);
    if let Some(proxy) = &route.proxy {
        builder = builder.proxy(route::proxy(proxy)?);
    } else if endpoint.is_loopback() {
        // A proxy cannot reach this machine's own loopback.
        builder = builder.no_proxy();
    }
    let needs_tls = endpoint.is_https() || route.proxy.as_deref().is_some_and(route::needs_tls);
    if !needs_tls {
        // Spares the reading of the system's certificates, which may not be there.
        builder = builder.tls_certs_only([]);
    } else if let Some(file) = &route.ca_file {
        builder = builder.tls_certs_merge(route::certificates(file)?);
    }
    builder.build().map_err(|error| {
        LinkError::new(
            LinkErrorKind::Tls,
            format!("TLS is not available: {}.", failure::chain(&error)),
        )
        .with_hint("Check that the system has its CA certificates (on Debian: ca-certificates).")
    })
}

impl HttpMethod {
    fn token(self) -> reqwest::Method {
        match self {
            Self::Post => reqwest::Method::POST,
            Self::Delete => reqwest::Method::DELETE,
            Self::Get => reqwest::Method::GET,
        }
    }
}

/// A body for reqwest, which shares the bytes.
fn body(message: &Bytes) -> Option<reqwest::Body> {
    (!message.is_empty()).then(|| reqwest::Body::from(message.clone()))
}
