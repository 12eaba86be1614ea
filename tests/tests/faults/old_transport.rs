//! HTTP+SSE of 2024-11-05: one stream brings everything, and its first event says where messages are posted.

use std::sync::Arc;
use std::time::Duration;

use app::api::feed::PromptAction;
use app::api::options::{HttpStyle, ServerOptions};
use app::api::servers::{EraChoice, Phase};
use app::api::tools::CallResult;
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received, Talk};
use tokio::sync::broadcast;

/// Answers as a server of 2024-11-05. What is to be said on its stream goes through `said`; `None` ends it.
async fn old(asked: Received, mut talk: Talk, said: broadcast::Sender<Option<Value>>) {
    match (asked.method.as_str(), asked.path.as_str()) {
        ("GET", "/mcp") => {
            let mut heard = said.subscribe();
            talk.stream().await;
            talk.say("event: endpoint\r\ndata: /messages?session=7\r\n\r\n")
                .await;
            while let Ok(Some(message)) = heard.recv().await {
                talk.event(&message).await;
            }
        }
        ("POST", "/messages?session=7") => {
            let answer = match asked.asks().as_str() {
                "initialize" => Some(json!({
                    "protocolVersion": "2024-11-05",
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "old", "version": "1" },
                })),
                "tools/list" => Some(json!({
                    "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }],
                })),
                "tools/call" => {
                    let words = asked.message()["params"]["arguments"].to_string();
                    Some(json!({ "content": [{ "type": "text", "text": words }] }))
                }
                _ => None,
            };
            // As the SDKs of the time do it: with words that are no message.
            talk.answer(
                "202 Accepted",
                &[("content-type", "text/plain")],
                "Accepted",
            )
            .await;
            if let Some(answer) = answer {
                let _gone = said.send(Some(listener::reply(&asked, &answer)));
            }
        }
        _ => {
            talk.answer("405 Method Not Allowed", &[("allow", "GET")], "")
                .await;
        }
    }
}

async fn old_server() -> (Listener, broadcast::Sender<Option<Value>>) {
    let (said, _) = broadcast::channel(64);
    let sender = said.clone();
    let listener = Listener::start(move |asked, talk| old(asked, talk, sender.clone())).await;
    (listener, said)
}

fn sse() -> ServerOptions {
    ServerOptions {
        http: HttpStyle::Sse,
        ..ServerOptions::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_no_post_is_found_to_speak_http_sse() {
    let core = Core::start().await;
    let (listener, _said) = old_server().await;
    let server = core
        .add_url("old", &listener.url(), &[], EraChoice::Auto)
        .await;
    let report = core.connect_well(&server).await.report.expect("a report");
    assert_eq!(report.revision, "2024-11-05");
    assert!(
        report.era_reason.contains("HTTP+SSE"),
        "{}",
        report.era_reason
    );
    assert!(
        report.era_reason.contains("HTTP 405"),
        "{}",
        report.era_reason
    );
    let one = core.start_call(&server, "echo", r#"{"call":1}"#).await;
    let two = core.start_call(&server, "echo", r#"{"call":2}"#).await;
    assert_eq!(text_of(&core.outcome(two).await), r#"{"call":2}"#);
    assert_eq!(text_of(&core.outcome(one).await), r#"{"call":1}"#);
    let timeline = core.unfolded().await;
    for row in [
        "initialize — HTTP 405",
        "session/stream GET — running",
        "endpoint /messages?session=7 — notification",
        "initialize — complete",
        "tools/list — complete",
    ] {
        assert!(timeline.contains(row), "no {row:?} in\n{timeline}");
    }
    // The words of the 202 are no noise, and there is one stream and one session only.
    assert!(!timeline.contains("not protocol"), "{timeline}");
    assert_eq!(timeline.matches("session/stream").count(), 1, "{timeline}");
    for received in listener.received() {
        // The header came later than the revision that was agreed on.
        if received.path != "/mcp" {
            assert_eq!(received.header("mcp-protocol-version"), None);
        }
    }
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(&server, Phase::Disconnected).await;
    assert!(
        core.unfolded()
            .await
            .contains("session/stream GET — closed")
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn http_sse_that_was_chosen_is_spoken_at_once_and_asks_the_person_too() {
    let core = Core::start().await;
    let (listener, said) = old_server().await;
    let server = core
        .add_url_with("old", &listener.url(), EraChoice::Auto, sse())
        .await;
    core.connect_well(&server).await;
    core.tools(&server).await;
    let methods: Vec<(String, String)> = listener
        .received()
        .iter()
        .map(|received| (received.method.clone(), received.asks()))
        .take(3)
        .collect();
    let sent = |method: &str, asks: &str| (method.to_owned(), asks.to_owned());
    assert_eq!(
        methods,
        [
            sent("GET", ""),
            sent("POST", "initialize"),
            sent("POST", "notifications/initialized")
        ]
    );
    let schema = json!({ "type": "object", "properties": {} });
    let params = json!({ "message": "Sure?", "requestedSchema": schema });
    said.send(Some(
        json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params }),
    ))
    .expect("the stream is open");
    let prompt = core
        .until("the form", |seen| seen.prompts.first().cloned())
        .await;
    let _: () = core
        .must(
            "answer_prompt",
            json!({ "prompt": prompt.id, "action": PromptAction::Accept, "content": "{}" }),
        )
        .await;
    let answer = listener
        .until(|received| received.message()["id"] == json!("q"))
        .await;
    assert_eq!(answer.path, "/messages?session=7");
    assert_eq!(answer.message()["result"]["action"], json!("accept"));
    // A reply to nothing is a row, and a refused POST is the call's own failure.
    said.send(Some(json!({ "jsonrpc": "2.0", "id": 4711, "result": {} })))
        .expect("the stream is open");
    core.until_row("orphan reply").await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn losing_the_stream_is_losing_the_connection() {
    let core = Core::start().await;
    let (said, _) = broadcast::channel(64);
    let sender = said.clone();
    let listener = Listener::start(move |asked, mut talk| {
        let said = sender.clone();
        async move {
            if asked.asks() == "tools/call" {
                talk.accepted().await;
                said.send(None).expect("the stream is open");
            } else {
                old(asked, talk, said).await;
            }
        }
    })
    .await;
    let server = core
        .add_url_with("lost", &listener.url(), EraChoice::Legacy, sse())
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    let CallResult::Failed { error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert!(
        error.message.contains("closed its event stream"),
        "{error:#?}"
    );
    let connection = core.until_phase(&server, Phase::Failed).await;
    let error = connection.error.expect("an error");
    assert!(
        error.message.contains("closed its event stream"),
        "{error:#?}"
    );
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("session/stream GET — stream lost"),
        "{timeline}"
    );
    assert!(
        timeline.contains("tools/call echo — stream lost"),
        "{timeline}"
    );
    // And it can be connected to again.
    core.connect_well(&server).await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_elsewhere_gets_no_message() {
    let core = Core::start().await;
    let elsewhere = Listener::start(|_, _| async {}).await;
    let location = Arc::new(format!("http://{}/messages", elsewhere.authority()));
    let named = Arc::clone(&location);
    let listener = Listener::start(move |asked, mut talk| {
        let named = Arc::clone(&named);
        async move {
            assert_eq!(asked.method, "GET");
            talk.stream().await;
            talk.say(&format!("event: endpoint\ndata: {named}\n\n"))
                .await;
            talk.until_closed().await;
        }
    })
    .await;
    let server = core
        .add_url_with("elsewhere", &listener.url(), EraChoice::Auto, sse())
        .await;
    let connection = core.connect(&server).await;
    assert_eq!(connection.phase, Phase::Failed);
    let error = connection.error.expect("an error");
    assert!(error.message.contains(&*location), "{error:#?}");
    assert!(
        error.message.contains("not at its own origin"),
        "{error:#?}"
    );
    assert!(
        core.unfolded()
            .await
            .contains("session/stream GET — another origin")
    );
    assert!(elsewhere.received().is_empty());
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_url_without_mcp_keeps_its_first_error_and_choosing_streamable_asks_no_further() {
    let core = Core::start().await;
    let listener = Listener::start(|_, mut talk| async move {
        talk.answer(
            "404 Not Found",
            &[("content-type", "text/plain")],
            "no such page",
        )
        .await;
    })
    .await;
    let gets = || {
        listener
            .received()
            .iter()
            .filter(|received| received.method == "GET")
            .count()
    };
    let streamable = ServerOptions {
        http: HttpStyle::Streamable,
        ..ServerOptions::default()
    };
    let url = listener.url();
    let server = core
        .add_url_with("streamable", &url, EraChoice::Auto, streamable)
        .await;
    let failure = core.connect_badly(&server, None).await;
    assert!(
        failure.error.message.contains("no MCP endpoint"),
        "{failure:#?}"
    );
    assert_eq!(gets(), 0);

    let server = core.add_url("auto", &url, &[], EraChoice::Auto).await;
    let failure = core.connect_badly(&server, None).await;
    assert!(
        failure.error.message.contains("no MCP endpoint"),
        "{failure:#?}"
    );
    assert_eq!(gets(), 1);

    let server = core.add_url_with("sse", &url, EraChoice::Auto, sse()).await;
    let connection = core.connect(&server).await;
    let error = connection.error.expect("an error");
    assert!(
        error.message.contains("GET was answered with HTTP 404"),
        "{error:#?}"
    );
    assert!(error.hint.is_some_and(|hint| hint.contains("/sse")));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_post_is_the_calls_own_failure() {
    let core = Core::start().await;
    let (said, _) = broadcast::channel(64);
    let sender = said.clone();
    let listener = Listener::start(move |asked, mut talk| {
        let said = sender.clone();
        async move {
            if asked.asks() == "tools/call" {
                talk.answer(
                    "413 Content Too Large",
                    &[("content-type", "text/plain")],
                    "too long",
                )
                .await;
            } else {
                old(asked, talk, said).await;
            }
        }
    })
    .await;
    let server = core
        .add_url_with("refuses", &listener.url(), EraChoice::Legacy, sse())
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    let CallResult::Failed { error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert!(error.message.contains("HTTP 413: too long"), "{error:#?}");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(core.connection(&server).phase, Phase::Connected);
    core.close().await;
}
