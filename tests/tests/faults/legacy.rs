//! The legacy era over HTTP and stdio: sessions, headers, and what a server asks on its own.

use app::api::feed::{PromptAction, PromptAsk};
use app::api::servers::{EraChoice, Phase};
use app::api::tools::CallResult;
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received};

/// A form that the server asks for within the reply to a call, after a ping.
async fn asking(asked: Received, mut talk: listener::Talk) {
    if asked.asks() != "tools/call" {
        listener::legacy(&asked, &mut talk).await;
        return;
    }
    talk.stream().await;
    // Some servers begin with an event that only gives an id.
    talk.say("id: e1\ndata: \n\n").await;
    talk.event(&json!({ "jsonrpc": "2.0", "id": "ping-1", "method": "ping" }))
        .await;
    talk.until(|received| received.message()["id"] == json!("ping-1"))
        .await;
    let schema = json!({ "type": "object", "properties": { "count": { "type": "integer" } } });
    let params = json!({ "message": "How many?", "requestedSchema": schema });
    talk.event(&json!({
        "jsonrpc": "2.0",
        "id": 7,
        "method": "elicitation/create",
        "params": params,
    }))
    .await;
    let form = talk
        .until(|received| received.message()["id"] == json!(7))
        .await;
    let words = form.message()["result"].to_string();
    let content = json!([{ "type": "text", "text": words }]);
    talk.event(&listener::reply(&asked, &json!({ "content": content })))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_own_requests_are_answered_over_stdio_and_within_an_http_reply() {
    let core = Core::start().await;
    let listener = Listener::start(asking).await;
    let over_stdio = core.add_odd("asks", EraChoice::Auto).await;
    let over_http = core
        .add_url("asks over HTTP", &listener.url(), &[], EraChoice::Auto)
        .await;
    for server in [over_stdio, over_http] {
        core.connect_well(&server).await;
        let operation = core.start_call(&server, "echo", "{}").await;
        let prompt = core
            .until("the form", |seen| seen.prompts.first().cloned())
            .await;
        assert_eq!(prompt.message, "How many?");
        assert_eq!(prompt.operation, Some(operation), "{prompt:#?}");
        assert!(matches!(prompt.ask, PromptAsk::Form { .. }), "{prompt:#?}");
        let _: () = core
            .must(
                "answer_prompt",
                json!({
                    "prompt": prompt.id,
                    "action": PromptAction::Accept,
                    "content": r#"{"count":3}"#,
                }),
            )
            .await;
        let outcome = core.outcome(operation).await;
        let text: Value = serde_json::from_str(&text_of(&outcome)).expect("JSON");
        let form = text.get("form").unwrap_or(&text);
        assert_eq!(form["action"], json!("accept"), "{text}");
        assert_eq!(form["content"], json!({ "count": 3 }), "{text}");
        if let Some(refused) = text.get("roots") {
            assert_eq!(refused, &json!(-32601), "roots were not advertised");
        }
        core.until("the end of the form", |seen| {
            seen.prompts.is_empty().then_some(())
        })
        .await;
        let timeline = core.unfolded().await;
        for row in [
            "ping asked by the server — complete",
            "form: “How many?” — accepted",
        ] {
            assert!(timeline.contains(row), "no {row:?} in\n{timeline}");
        }
        assert!(outcome.user_micros > 0, "{outcome:#?}");
    }
    // Each reply was an exchange of its own, and carried what all carry.
    let replies: Vec<Received> = listener
        .received()
        .into_iter()
        .filter(|received| received.message().get("result").is_some())
        .collect();
    assert_eq!(replies.len(), 2, "{replies:#?}");
    for reply in &replies {
        assert_eq!(reply.header("mcp-session-id"), Some("s-1"));
        assert_eq!(reply.header("mcp-protocol-version"), Some("2025-11-25"));
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_message_of_a_legacy_session_carries_it_and_delete_ends_it() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        listener::legacy(&asked, &mut talk).await;
    })
    .await;
    let server = core
        .add_url("legacy", &listener.url(), &[], EraChoice::Auto)
        .await;
    let report = core.connect_well(&server).await.report.expect("a report");
    assert_eq!(report.era, "legacy");
    assert!(
        report.era_reason.contains("HTTP 400"),
        "{}",
        report.era_reason
    );
    core.call(&server, "echo", "{}").await;
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(&server, Phase::Disconnected).await;

    let mut received = listener.received();
    // The stream of its own and the list are asked for at once.
    received[3..5].sort_by_key(|received| received.method.clone());
    let sent: Vec<_> = received
        .iter()
        .map(|received| {
            (
                format!("{} {}", received.method, received.asks()),
                received.header("mcp-session-id").map(str::to_owned),
                received.header("mcp-protocol-version").map(str::to_owned),
            )
        })
        .collect();
    let plain =
        |what: &str, version: Option<&str>| (what.to_owned(), None, version.map(str::to_owned));
    let in_session = |what: &str| {
        (
            what.to_owned(),
            Some("s-1".to_owned()),
            Some("2025-11-25".to_owned()),
        )
    };
    assert_eq!(
        sent,
        [
            plain("POST server/discover", Some("2026-07-28")),
            plain("POST initialize", None),
            in_session("POST notifications/initialized"),
            in_session("GET "),
            in_session("POST tools/list"),
            in_session("POST tools/call"),
            in_session("DELETE "),
        ]
    );
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("session/end DELETE — complete"),
        "{timeline}"
    );

    // Quitting ends it too.
    core.connect_well(&server).await;
    core.close().await;
    let deleted = listener
        .received()
        .iter()
        .filter(|received| received.method == "DELETE")
        .count();
    assert_eq!(deleted, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_keeps_its_sessions_or_has_lost_one() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.method == "DELETE" {
            talk.answer("405 Method Not Allowed", &[("allow", "POST")], "")
                .await;
        } else if asked.asks() == "tools/call" {
            talk.error("404 Not Found", &asked, -32001, "Session not found")
                .await;
        } else if asked.asks() == "notifications/initialized" {
            // Not what the specification asks for, and no reason to give up.
            talk.answer("500 Internal Server Error", &[], "oops").await;
        } else {
            listener::legacy(&asked, &mut talk).await;
        }
    })
    .await;
    let server = core
        .add_url("forgetful", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    let CallResult::Failed {
        code: Some(-32001),
        error,
        ..
    } = &outcome.result
    else {
        panic!("{outcome:#?}");
    };
    assert!(error.message.contains("Session not found"), "{error:#?}");
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(&server, Phase::Disconnected).await;
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("session/end DELETE — complete"),
        "{timeline}"
    );
    assert!(
        timeline.contains("notifications/initialized — HTTP 500"),
        "{timeline}"
    );
    core.close().await;
}
