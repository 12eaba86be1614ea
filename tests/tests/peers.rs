//! Servers of others, through the whole core: server-everything (legacy, over stdio and HTTP) and one on the TypeScript
//! SDK v2 (modern, over HTTP). Their packages are in `servers/node_modules`, by lock file.

use std::process::Stdio;

use app::api::details::{BodyForm, BodyText, RowDetails};
use app::api::servers::{EraChoice, Phase};
use app::api::tools::{CallOutcome, CallResult, ContentView};
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::programs;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

fn everything() -> String {
    let main = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    programs::servers()
        .join(main)
        .to_string_lossy()
        .into_owned()
}

/// A server that runs beside the core; it ends with the test.
struct Peer {
    _child: Child,
    url: String,
}

/// The first line that has this beginning.
async fn line(from: impl AsyncBufRead + Unpin + Send + 'static, beginning: &str) -> String {
    let mut lines = from.lines();
    while let Some(line) = lines.next_line().await.expect("text") {
        if line.starts_with(beginning) {
            // What it says later must not fill its pipe.
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return line;
        }
    }
    panic!("the server ended before it said {beginning:?}");
}

impl Peer {
    async fn sdk() -> Self {
        let mut child = Command::new(programs::node())
            .arg(programs::servers().join("modern.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node runs");
        let stdout = child.stdout.take().expect("a pipe");
        let url = line(BufReader::new(stdout), "http://").await;
        Self { _child: child, url }
    }

    async fn everything() -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("it is bound").port();
        drop(free);
        let mut child = Command::new(programs::node())
            .args([&everything(), "streamableHttp"])
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node runs");
        let stderr = child.stderr.take().expect("a pipe");
        line(
            BufReader::new(stderr),
            "MCP Streamable HTTP Server listening",
        )
        .await;
        Self {
            _child: child,
            url: format!("http://127.0.0.1:{port}/mcp"),
        }
    }
}

/// The bytes of an operation's request and response, and whether they came as an event of a stream.
async fn bytes(core: &Core, outcome: &CallOutcome) -> (String, String) {
    let details: RowDetails = core
        .must("row", json!({ "key": format!("o{}", outcome.operation.0) }))
        .await;
    let exchange = details.exchanges.first().expect("an exchange");
    let mut texts = Vec::new();
    for part in [&exchange.request, &exchange.response] {
        let event = part.as_ref().expect("both came").event;
        let body: BodyText = core
            .must(
                "body",
                json!({ "event": event, "form": BodyForm::Raw, "limit": 0 }),
            )
            .await;
        assert_eq!(body.byte_len, body.text.len() as u64);
        texts.push(body.text);
    }
    let response = texts.pop().expect("two");
    (texts.pop().expect("two"), response)
}

/// The message in an event of a stream, or the text itself.
fn message(text: &str) -> Value {
    let data: String = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect();
    let json = if data.is_empty() { text } else { &data };
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn structured(outcome: &CallOutcome) -> Value {
    let CallResult::Tool {
        structured: Some(text),
        problems,
        ..
    } = &outcome.result
    else {
        panic!("{outcome:#?}");
    };
    assert_eq!(problems, &[] as &[String]);
    serde_json::from_str(text).expect("JSON")
}

/// What server-everything does alike over both transports.
async fn everything_works(core: &Core, server: &str) {
    let report = core.connect_well(server).await.report.expect("a report");
    assert_eq!(
        (report.era.as_str(), report.revision.as_str()),
        ("legacy", "2025-11-25")
    );
    assert!(report.name.is_some_and(|name| name.contains("everything")));
    assert!(report.instructions.is_some());
    let list = core.tools(server).await;
    assert!(list.entries.len() > 8, "{list:#?}");
    for tool in &list.entries {
        assert_eq!(tool.problems, Vec::<String>::new(), "{}", tool.name);
    }

    let outcome = core.call(server, "echo", r#"{"message":"ciao"}"#).await;
    assert_eq!(text_of(&outcome), "Echo: ciao");
    let (request, response) = bytes(core, &outcome).await;
    assert!(
        request.contains(r#""arguments":{"message":"ciao"}"#),
        "{request}"
    );
    assert_eq!(message(&request)["id"], message(&response)["id"]);
    assert_eq!(
        message(&response)["result"]["content"][0]["text"],
        json!("Echo: ciao")
    );

    let outcome = core.call(server, "get-sum", r#"{"a":2,"b":3}"#).await;
    assert!(text_of(&outcome).contains('5'), "{outcome:#?}");
    let outcome = core
        .call(
            server,
            "get-structured-content",
            r#"{"location":"New York"}"#,
        )
        .await;
    assert!(structured(&outcome)["temperature"].is_number());
    let outcome = core.call(server, "get-tiny-image", "{}").await;
    let CallResult::Tool { content, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert!(
        content
            .iter()
            .any(|block| matches!(block, ContentView::Image { problem: None, .. })),
        "{content:#?}"
    );
    let outcome = core
        .call(
            server,
            "trigger-long-running-operation",
            r#"{"duration":0.3,"steps":3}"#,
        )
        .await;
    assert!(
        matches!(
            outcome.result,
            CallResult::Tool {
                is_error: false,
                ..
            }
        ),
        "{outcome:#?}"
    );
    let timeline = core.unfolded().await;
    for row in [
        "initialize — complete",
        "notifications/initialized — complete",
        "tools/list — complete",
        "tools/call echo — complete",
    ] {
        assert!(timeline.contains(row), "no {row:?} in\n{timeline}");
    }
    assert_eq!(
        timeline.matches("notifications/progress").count(),
        3,
        "{timeline}"
    );

    // Bad arguments come back as an error that says so.
    let outcome = core.call(server, "get-sum", r#"{"a":"two"}"#).await;
    match &outcome.result {
        CallResult::Tool { is_error: true, .. }
        | CallResult::Failed {
            code: Some(-32602), ..
        } => {}
        other => panic!("{other:#?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_over_stdio() {
    let core = Core::start().await;
    let node = programs::node().to_string_lossy().into_owned();
    let server = core
        .add_command(
            "everything",
            &node,
            &[&everything(), "stdio"],
            EraChoice::Auto,
        )
        .await;
    everything_works(&core, &server).await;
    let pid = core.connection(&server).pid.expect("a process");
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(&server, Phase::Disconnected).await;
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_over_http() {
    let core = Core::start().await;
    let peer = Peer::everything().await;
    let server = core
        .add_url("everything", &peer.url, &[], EraChoice::Auto)
        .await;
    everything_works(&core, &server).await;
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(&server, Phase::Disconnected).await;
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("session/end DELETE — complete"),
        "{timeline}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_sdk_over_http() {
    let core = Core::start().await;
    let peer = Peer::sdk().await;
    let server = core.add_url("sdk", &peer.url, &[], EraChoice::Auto).await;
    let report = core.connect_well(&server).await.report.expect("a report");
    assert_eq!(
        (report.era.as_str(), report.revision.as_str()),
        ("modern", "2026-07-28")
    );
    assert_eq!(report.name.as_deref(), Some("sdk-v2"));
    assert_eq!(
        report.instructions.as_deref(),
        Some("Adds numbers and repeats words.")
    );
    let list = core.tools(&server).await;
    let names: Vec<_> = list.entries.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["add", "repeat", "refuse"]);

    let outcome = core.call(&server, "add", r#"{"a":1.50,"b":2}"#).await;
    assert_eq!(structured(&outcome), json!({ "sum": 3.5 }));
    assert_eq!(text_of(&outcome), "1.5 + 2 = 3.5");
    let (request, response) = bytes(&core, &outcome).await;
    // What the person typed left as they typed it.
    assert!(
        request.contains(r#""arguments":{"a":1.50,"b":2}"#),
        "{request}"
    );
    let sent = message(&request);
    let meta = &sent["params"]["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        json!("2026-07-28")
    );
    assert_eq!(
        meta["io.modelcontextprotocol/clientInfo"]["name"],
        json!("roundtrip")
    );
    assert_eq!(message(&response)["id"], sent["id"]);

    let outcome = core.call(&server, "refuse", "{}").await;
    assert!(
        matches!(outcome.result, CallResult::Tool { is_error: true, .. }),
        "{outcome:#?}"
    );
    assert!(text_of(&outcome).contains("refused"), "{outcome:#?}");
    let timeline = core.unfolded().await;
    for row in [
        "server/discover — complete",
        "tools/list — complete",
        "tools/call add — complete",
        "tools/call refuse — tool error",
    ] {
        assert!(timeline.contains(row), "no {row:?} in\n{timeline}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_sdk_with_the_wrong_era() {
    let core = Core::start().await;
    let peer = Peer::sdk().await;
    let server = core.add_url("sdk", &peer.url, &[], EraChoice::Legacy).await;
    let failure = core.connect_badly(&server, None).await;
    assert_eq!(
        failure.error.code,
        app::api::ErrorCode::WrongEra,
        "{failure:#?}"
    );
    assert!(failure.row.contains("initialize — "), "{failure:#?}");
    let connection = core.connect_as(&server, Some(EraChoice::Modern)).await;
    assert_eq!(connection.phase, Phase::Connected, "{connection:#?}");
    core.close().await;
}
