//! Batches of 2025-03-26: each message goes to its own operation, and the outcome is the reply to the request.

use app::api::options::ServerOptions;
use app::api::servers::EraChoice;
use app::api::tools::CallResult;
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener};

fn said(words: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": words }] })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_as_the_answer_to_a_call_is_taken_apart() {
    let core = Core::start().await;
    for as_stream in [false, true] {
        let listener = Listener::start(move |asked, mut talk| async move {
            if asked.asks() != "tools/call" {
                if asked.message()["id"] == json!("ask") {
                    talk.accepted().await;
                } else {
                    listener::legacy(&asked, &mut talk).await;
                }
                return;
            }
            let token = &asked.message()["id"];
            let batch = json!([
                { "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": token, "progress": 1 } },
                { "jsonrpc": "2.0", "id": 99999, "result": said("somebody else's") },
                { "jsonrpc": "2.0", "id": 99998, "error": { "code": -32000, "message": "somebody else's" } },
                { "jsonrpc": "2.0", "id": "ask", "method": "ping" },
                listener::reply(&asked, &said("mine")),
            ]);
            if as_stream {
                talk.stream().await;
                talk.event(&batch).await;
            } else {
                talk.json("200 OK", &batch).await;
            }
        })
        .await;
        let options = ServerOptions::default();
        let server = core
            .add_url_with(
                &format!("batches {as_stream}"),
                &listener.url(),
                EraChoice::Legacy,
                options,
            )
            .await;
        core.connect_well(&server).await;
        let outcome = core.call(&server, "echo", "{}").await;
        assert_eq!(text_of(&outcome), "mine");
        let timeline = core.until_row("ping asked by the server — complete").await;
        let (_, call) = timeline
            .rsplit_once("tools/call echo — complete")
            .expect("the call");
        for row in [
            "batch — 5 messages",
            "notifications/progress 1 — notification",
            "orphan reply",
        ] {
            assert!(call.contains(row), "no {row:?} in\n{timeline}");
        }
        let _: () = core.must("disconnect", json!({ "server": server })).await;
        let _: () = core
            .must("remove_server", json!({ "server": server }))
            .await;
        // 2025-11-25 was agreed on, which has none.
        let events = core.events(outcome.operation).await;
        assert!(events.contains("2025-11-25 does not have"), "{events}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_on_stdout_gives_each_call_its_own_reply() {
    let core = Core::start().await;
    let server = core.add_odd("batches", EraChoice::Legacy).await;
    core.connect_well(&server).await;
    let first = core.start_call(&server, "echo", r#"{"call":1}"#).await;
    let second = core.start_call(&server, "echo", r#"{"call":2}"#).await;
    let first = core.outcome(first).await;
    assert_eq!(text_of(&first), r#"{"call": 1}"#);
    let second = core.outcome(second).await;
    let CallResult::Failed {
        code: Some(-32099), ..
    } = &second.result
    else {
        panic!("{second:#?}");
    };
    let timeline = core.unfolded().await;
    assert!(timeline.contains("batch — 2 messages"), "{timeline}");
    assert!(!timeline.contains("orphan"), "{timeline}");
    core.close().await;
}
