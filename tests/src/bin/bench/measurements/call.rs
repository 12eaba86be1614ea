//! What the core adds to a call: `tools/call` through all of it (a command at the rpc door, the engine, the client, the
//! journal in its file, a view that is fed) against a bare `reqwest` exchange of the same bytes and headers with the
//! same running server. The two alternate.

use std::time::{Duration, Instant};

use app::api::details::{BodyText, RowDetails};
use app::api::servers::EraChoice;
use app::api::tools::{CallOutcome, CallResult, CallStarted};
use journal::event::OperationId;
use reqwest::header::{CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue};
use serde_json::json;
use tests::core::Core;

use super::Outcome;
use super::demo::OverHttp;
use super::report::{Figure, Unit};
use super::samples::Samples;

const WARM_UP: usize = 500;
const PAIRS: usize = 4000;
const GOAL: f64 = 1.15;
/// What the window gives a call to end at once.
const WAIT_MILLIS: u32 = 40;
const ARGUMENTS: &str = r#"{"text":"ciao"}"#;

/// Measures it.
///
/// # Errors
/// The server cannot be started or called.
pub async fn measure() -> Outcome<Vec<Figure>> {
    let server = OverHttp::start()?;
    let core = Core::start().await;
    let id = core
        .add_url("demo", &server.url, &[], EraChoice::Auto)
        .await;
    core.connect_well(&id).await;
    let tool = core
        .tools(&id)
        .await
        .tools
        .iter()
        .find(|tool| tool.name == "echo")
        .map(|tool| tool.index)
        .ok_or("the demo server has no tool named echo")?;
    let sample = core.call(&id, "echo", ARGUMENTS).await;
    let bare = Bare::like(&core, &server.url, sample.operation).await?;

    let (mut whole, mut plain) = (Samples::default(), Samples::default());
    for pair in 0..WARM_UP + PAIRS {
        let through_core = call(&core, &id, tool).await?;
        let alone = bare.exchange().await?;
        if pair >= WARM_UP {
            whole.add(through_core);
            plain.add(alone);
        }
    }
    drop(core.close().await);
    let ratio = |share| whole.quantile_millis(share) / plain.quantile_millis(share);
    let note = |share| {
        format!(
            "{:.3} ms and {:.3} ms, {PAIRS} pairs",
            whole.quantile_millis(share),
            plain.quantile_millis(share)
        )
    };
    Ok(vec![
        Figure {
            key: "core_call_p50_ratio",
            what: "a call through the core to a bare exchange, median",
            value: ratio(0.5),
            unit: Unit::Ratio,
            at_most: Some(GOAL),
            note: note(0.5),
        },
        Figure {
            key: "core_call_p99_ratio",
            what: "the same, 99th percentile",
            value: ratio(0.99),
            unit: Unit::Ratio,
            at_most: None,
            note: note(0.99),
        },
    ])
}

/// A call as the window makes it: from the command to the outcome in hand.
async fn call(core: &Core, server: &str, tool: u32) -> Outcome<Duration> {
    let begun = Instant::now();
    let started: CallStarted = core
        .must(
            "call_tool",
            json!({
                "server": server,
                "tool": tool,
                "name": "echo",
                "arguments": ARGUMENTS,
                "outcome_within_millis": WAIT_MILLIS,
            }),
        )
        .await;
    let outcome: CallOutcome = match started.outcome {
        Some(outcome) => outcome,
        None => {
            let operation = started.operation;
            core.must("outcome", json!({ "operation": operation }))
                .await
        }
    };
    let took = begun.elapsed();
    match outcome.result {
        CallResult::Tool {
            is_error: false, ..
        } => Ok(took),
        other => Err(format!("the call ended with {other:?}")),
    }
}

/// A client that sends what the core sent.
struct Bare {
    client: reqwest::Client,
    url: String,
    headers: HeaderMap,
    body: String,
}

impl Bare {
    /// Reads from the core what it sent for this operation.
    async fn like(core: &Core, url: &str, operation: OperationId) -> Outcome<Self> {
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

    async fn exchange(&self) -> Outcome<Duration> {
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
}
