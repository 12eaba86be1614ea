//! What a server is told of Roundtrip: capabilities by its options and revision, the log level, and what `_meta` gets.

use std::collections::HashSet;

use app::api::options::{Advertised, ServerOptions};
use app::api::servers::{Endpoint, EraChoice, ServerDraft};
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::{self, Listener, Received};

fn draft(name: &str, url: &str, options: ServerOptions) -> ServerDraft {
    ServerDraft {
        name: name.to_owned(),
        endpoint: Endpoint::Http {
            url: url.to_owned(),
            headers: Vec::new(),
        },
        era: EraChoice::Auto,
        options,
    }
}

fn meta(received: &Received) -> Value {
    received.message()["params"]["_meta"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_modern_server_is_told_with_each_request_and_from_the_next_one_on() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        listener::modern(&asked, &mut talk).await;
    })
    .await;
    let options = ServerOptions {
        advertise: Advertised {
            elicitation_form: false,
            elicitation_url: false,
            sampling: false,
            tasks: false,
            ..Advertised::default()
        },
        log_level: Some("debug".to_owned()),
        meta: Some(r#"{"com.example/tenant": "a"}"#.to_owned()),
        traceparent: true,
        ..ServerOptions::default()
    };
    let server = core
        .add(draft("modern", &listener.url(), options.clone()))
        .await;
    let report = core.connect_well(&server).await.report.expect("a report");
    assert_eq!(report.client_capabilities.trim(), "{}");
    core.call(&server, "echo", "{}").await;
    let metas: Vec<Value> = listener.received().iter().map(meta).collect();
    assert!(metas.len() >= 3, "{metas:#?}");
    let mut traces = HashSet::new();
    for meta in &metas {
        assert_eq!(
            meta["io.modelcontextprotocol/clientCapabilities"],
            json!({}),
            "{meta}"
        );
        assert_eq!(meta["io.modelcontextprotocol/logLevel"], "debug");
        assert_eq!(meta["com.example/tenant"], "a");
        let trace = meta["traceparent"].as_str().expect("a traceparent");
        let parts: Vec<&str> = trace.split('-').collect();
        let [version, trace_id, parent_id, flags] = parts[..] else {
            panic!("{trace}");
        };
        assert_eq!(
            (version, trace_id.len(), parent_id.len(), flags),
            ("00", 32, 16, "01")
        );
        assert!(
            trace
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-')),
            "{trace}"
        );
        assert!(traces.insert(trace.to_owned()), "{trace} came twice");
    }

    // Changed while connected: the next request says so.
    let changed = ServerOptions {
        advertise: Advertised {
            elicitation_url: true,
            roots: true,
            ..options.advertise
        },
        log_level: None,
        meta: None,
        traceparent: false,
        ..options
    };
    let draft = draft("modern", &listener.url(), changed);
    let _: String = core
        .must("save_server", json!({ "server": server, "draft": draft }))
        .await;
    core.call(&server, "echo", "{}").await;
    let last = listener.received().last().map(meta).expect("a request");
    assert_eq!(
        last["io.modelcontextprotocol/clientCapabilities"],
        json!({ "elicitation": { "url": {} }, "roots": {} })
    );
    let keys: Vec<&String> = last.as_object().expect("an object").keys().collect();
    assert!(
        keys.iter()
            .all(|key| key.starts_with("io.modelcontextprotocol/") || *key == "progressToken"),
        "{keys:?}"
    );
    assert_eq!(last.get("io.modelcontextprotocol/logLevel"), None);
    // Each request of the modern era carries the level; setLevel belongs to the other one.
    assert!(
        listener
            .received()
            .iter()
            .all(|received| received.asks() != "logging/setLevel")
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_server_is_told_once() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        listener::legacy(&asked, &mut talk).await;
    })
    .await;
    let options = ServerOptions {
        advertise: Advertised {
            sampling: true,
            roots: true,
            tasks: false,
            ..Advertised::default()
        },
        meta: Some(r#"{"k": 1}"#.to_owned()),
        ..ServerOptions::default()
    };
    let server = core.add(draft("legacy", &listener.url(), options)).await;
    core.connect_well(&server).await;
    core.call(&server, "echo", "{}").await;
    let sent = |method: &str| {
        let found = listener
            .received()
            .into_iter()
            .find(|received| received.asks() == method);
        found.expect(method).message()["params"].clone()
    };
    assert_eq!(
        sent("initialize")["capabilities"],
        json!({
            "elicitation": { "form": {}, "url": {} },
            "sampling": { "tools": {} },
            "roots": { "listChanged": true }
        })
    );
    assert_eq!(sent("tools/call")["_meta"]["k"], json!(1));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn options_that_cannot_be_used_are_refused_at_their_field() {
    let core = Core::start().await;
    for (options, words) in [
        (
            ServerOptions {
                meta: Some("[1]".to_owned()),
                ..ServerOptions::default()
            },
            "_meta",
        ),
        (
            ServerOptions {
                meta: Some("{oops".to_owned()),
                ..ServerOptions::default()
            },
            "_meta",
        ),
        (
            ServerOptions {
                roots: vec!["/home/me".to_owned()],
                ..ServerOptions::default()
            },
            "/home/me",
        ),
        (
            ServerOptions {
                roots: vec!["file:relative".to_owned()],
                ..ServerOptions::default()
            },
            "file:relative",
        ),
    ] {
        let draft = draft("odd", "http://127.0.0.1:1/mcp", options);
        let error = core
            .rpc::<String>("save_server", json!({ "server": null, "draft": draft }))
            .await
            .expect_err("it is refused");
        assert_eq!(error["code"], "bad_input", "{error}");
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|message| message.contains(words)),
            "{error}"
        );
    }
    core.close().await;
}
