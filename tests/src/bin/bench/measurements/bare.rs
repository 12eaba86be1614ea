//! The same exchange without Roundtrip: what the core sent, sent again by a bare `reqwest` client.

use std::time::{Duration, Instant};

use app::api::details::{BodyText, RowDetails};
use journal::event::OperationId;
use reqwest::header::{CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue};
use serde_json::json;
use tests::core::Core;

use super::Outcome;

/// A client that sends what the core sent.
pub struct Bare {
    client: reqwest::Client,
    url: String,
    headers: HeaderMap,
    body: String,
}

impl Bare {
    /// Reads from the core what it sent for this operation.
    ///
    /// # Errors
    /// The operation sent nothing over HTTP.
    pub async fn like(core: &Core, url: &str, operation: OperationId) -> Outcome<Self> {
        let details: RowDetails = core
            .must("row", json!({ "key": format!("o{}", operation.0) }))
            .await;
        let exchange = details
            .exchanges
            .first()
            .ok_or("the call has no exchange")?;
        let (Some(request), Some(http)) = (&exchange.request, &exchange.http) else {
            return Err("the call has no request".to_owned());
        };
        let body: BodyText = core
            .must(
                "body",
                json!({ "event": request.event, "form": "raw", "limit": 0 }),
            )
            .await;
        let mut headers = HeaderMap::new();
        for header in &http.request.headers {
            let name = HeaderName::try_from(&header.name).map_err(|error| error.to_string())?;
            let value = HeaderValue::try_from(&header.value).map_err(|error| error.to_string())?;
            // These two are the library's.
            if name != HOST && name != CONTENT_LENGTH {
                headers.append(name, value);
            }
        }
        let client = reqwest::Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self {
            client,
            url: url.to_owned(),
            headers,
            body: body.text,
        })
    }

    /// One exchange, its reply read whole and thrown away.
    ///
    /// # Errors
    /// The server does not answer well.
    pub async fn exchange(&self) -> Outcome<Duration> {
        let begun = Instant::now();
        let response = self
            .client
            .post(&self.url)
            .headers(self.headers.clone())
            .body(self.body.clone())
            .send()
            .await
            .map_err(|error| error.to_string())?;
        let status = response.status();
        let reply = response.bytes().await.map_err(|error| error.to_string())?;
        let took = begun.elapsed();
        if status.is_success() && !reply.is_empty() {
            Ok(took)
        } else {
            Err(format!("the bare exchange was answered {status}"))
        }
    }

    /// One exchange whose reply is a stream, read to its end and thrown away. Gives how many events came, too.
    ///
    /// # Errors
    /// The server does not answer well.
    pub async fn stream(&self) -> Outcome<(Duration, u64)> {
        let begun = Instant::now();
        let mut response = self
            .client
            .post(&self.url)
            .headers(self.headers.clone())
            .body(self.body.clone())
            .send()
            .await
            .map_err(|error| error.to_string())?;
        let mut event_count = 0;
        let mut ends_in_break = false;
        while let Some(chunk) = response.chunk().await.map_err(|error| error.to_string())? {
            // An empty line ends an event; it may be cut in two.
            event_count += u64::from(ends_in_break && chunk.first() == Some(&b'\n'));
            event_count += memchr::memmem::find_iter(&chunk, b"\n\n").count() as u64;
            ends_in_break = chunk.last() == Some(&b'\n');
        }
        Ok((begun.elapsed(), event_count))
    }
}
