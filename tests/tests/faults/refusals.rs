//! Servers that refuse how a request was sent: what is put right, and what is only told.

use app::api::servers::{EraChoice, Phase};
use app::api::tools::CallResult;
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received, Talk};

/// A list of tools as this page has it.
async fn list(asked: &Received, talk: &mut Talk, tools: &Value) {
    let list = json!({
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
        "tools": tools,
    });
    talk.result(asked, &list).await;
}

fn tool(name: &str, properties: &Value) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object", "properties": properties } })
}

/// The headers that the calls came with, in order.
fn regions(listener: &Listener) -> Vec<Option<String>> {
    listener
        .received()
        .iter()
        .filter(|received| received.asks() == "tools/call")
        .map(|received| received.header("mcp-param-region").map(str::to_owned))
        .collect()
}

/// A server whose tool `sql` mirrors its region since a moment ago: the first list does not say so yet.
async fn changing(then: Value) -> Listener {
    let then = std::sync::Arc::new(then);
    let lists = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    Listener::start(move |asked, mut talk| {
        let (then, lists) = (then.clone(), lists.clone());
        async move {
            match asked.asks().as_str() {
                "tools/list" => {
                    let before = lists.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    let first = json!([tool("sql", &json!({ "region": { "type": "string" } }))]);
                    list(&asked, &mut talk, if before == 0 { &first } else { &then }).await;
                }
                "tools/call" if asked.header("mcp-param-region").is_none() => {
                    let message = "Header mismatch: Mcp-Param-Region is missing";
                    talk.error("400 Bad Request", &asked, -32020, message).await;
                }
                _ => listener::modern(&asked, &mut talk).await,
            }
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_headers_are_refused_goes_out_once_more_with_those_of_a_new_list() {
    let core = Core::start().await;
    let mirrored = json!({ "region": { "type": "string", "x-mcp-header": "Region" } });
    let listener = changing(json!([tool("sql", &mirrored)])).await;
    let server = core
        .add_url("changing", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "sql", r#"{"region":"Zürich"}"#).await;
    assert_eq!(text_of(&outcome), r#"{"region":"Zürich"}"#);
    assert_eq!(
        regions(&listener),
        [None, Some("=?base64?WsO8cmljaA==?=".to_owned())]
    );
    let timeline = core.unfolded().await;
    let rows: Vec<_> = timeline
        .lines()
        .skip_while(|line| !line.starts_with("tools/call"))
        .collect();
    assert_eq!(rows[0], "tools/call sql [2 rounds] — complete");
    assert!(
        rows[1].starts_with("  round 1 · id ") && rows[1].ends_with("error -32020"),
        "{timeline}"
    );
    assert!(
        rows.iter().any(
            |row| row.starts_with("  round 2, with the headers of the new list · id ")
                && row.ends_with("complete")
        ),
        "{timeline}"
    );
    assert_eq!(timeline.matches("tools/list").count(), 2, "{timeline}");

    // From now on they are there at once.
    let outcome = core.call(&server, "sql", r#"{"region":"eu"}"#).await;
    assert_eq!(text_of(&outcome), r#"{"region":"eu"}"#);
    assert_eq!(regions(&listener).len(), 3);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_headers_stay_refused_is_not_sent_a_third_time() {
    let core = Core::start().await;
    let plain = json!({ "region": { "type": "string" } });
    let broken = json!({ "region": { "type": "number", "x-mcp-header": "Region" } });
    for (then, calls, words) in [
        (
            json!([tool("sql", &plain)]),
            2,
            "Mcp-Param-Region is missing",
        ),
        (json!([]), 1, "sql is not in the server's new list of tools"),
        (
            json!([tool("sql", &broken)]),
            1,
            "cannot be called over HTTP",
        ),
        (json!("oops"), 1, "the tools could not be listed again"),
    ] {
        let listener = changing(then.clone()).await;
        let server = core
            .add_url(words, &listener.url(), &[], EraChoice::Auto)
            .await;
        core.connect_well(&server).await;
        let outcome = core.call(&server, "sql", r#"{"region":"eu"}"#).await;
        let CallResult::Failed { code, error, .. } = &outcome.result else {
            panic!("{then}: {outcome:#?}");
        };
        assert_eq!(*code, Some(-32020), "{then}");
        assert!(error.message.contains(words), "{then}: {error:#?}");
        assert_eq!(regions(&listener).len(), calls, "{then}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_with_an_invalid_annotation_is_listed_with_the_reason_and_not_called_over_http() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.asks() == "tools/list" {
            let deep = json!({ "at": { "type": "object", "properties": {
                "zone": { "type": "integer", "x-mcp-header": "Zone" },
                "dry": { "type": "boolean", "x-mcp-header": "Dry" },
            } } });
            let bad = json!({ "x": { "type": "number", "x-mcp-header": "X" } });
            list(
                &asked,
                &mut talk,
                &json!([tool("deep", &deep), tool("bad", &bad)]),
            )
            .await;
        } else {
            listener::modern(&asked, &mut talk).await;
        }
    })
    .await;
    let server = core
        .add_url("annotated", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let tools = core.tools(&server).await.entries;
    assert_eq!(tools.len(), 2, "both are shown");
    assert_eq!(tools[0].excluded, None);
    let reason = tools[1].excluded.clone().expect("why it is excluded");
    assert!(reason.contains("its type is \"number\""), "{reason}");
    let refused: Value = core
        .rpc::<Value>(
            "call_tool",
            json!({ "server": server, "tool": 1, "name": "bad", "arguments": "{}" }),
        )
        .await
        .expect_err("it cannot be called");
    assert!(refused.to_string().contains("cannot be called over HTTP"));

    let outcome = core
        .call(&server, "deep", r#"{"at":{"zone":7.0,"dry":false}}"#)
        .await;
    assert_eq!(text_of(&outcome), r#"{"at":{"zone":7.0,"dry":false}}"#);
    let call = listener.until(|asked| asked.asks() == "tools/call").await;
    assert_eq!(call.header("mcp-param-zone"), Some("7"));
    assert_eq!(call.header("mcp-param-dry"), Some("false"));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revision_that_is_spoken_no_more_says_what_to_do() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.asks() == "tools/call" {
            let data = json!({ "supported": ["2025-11-25"], "requested": "2026-07-28" });
            let error = json!({ "code": -32022, "message": "Unsupported", "data": data });
            let body = json!({ "jsonrpc": "2.0", "id": asked.message()["id"], "error": error });
            talk.json("400 Bad Request", &body).await;
        } else {
            listener::modern(&asked, &mut talk).await;
        }
    })
    .await;
    let server = core
        .add_url("downgraded", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    let CallResult::Failed { code, error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert_eq!(*code, Some(-32022));
    assert!(
        error.message.contains("it supports 2025-11-25"),
        "{error:#?}"
    );
    assert!(
        error
            .hint
            .as_deref()
            .is_some_and(|hint| hint.contains("Connect again")),
        "{error:#?}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_method_that_is_not_found_is_no_lost_server() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.asks() == "tools/call" {
            talk.error("404 Not Found", &asked, -32601, "Method not found")
                .await;
        } else {
            listener::modern(&asked, &mut talk).await;
        }
    })
    .await;
    let server = core
        .add_url("without calls", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    let CallResult::Failed { code, error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert_eq!(*code, Some(-32601));
    assert_eq!(error.message, "Method not found");
    assert!(
        error
            .hint
            .as_deref()
            .is_some_and(|hint| hint.contains("does not have tools/call")),
        "{error:#?}"
    );
    let row = core.operation_row(outcome.operation).await;
    assert!(row.contains("tools/call echo — error -32601"), "{row}");
    assert_eq!(core.connection(&server).phase, Phase::Connected);
    core.close().await;
}
