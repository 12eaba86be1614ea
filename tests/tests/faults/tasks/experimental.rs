//! The experimental tasks of 2025-11-25: whose wish they are, and a question in the middle of one.

use std::sync::{Arc, Mutex};

use app::api::feed::PromptAction;
use app::api::servers::EraChoice;
use app::api::tools::CallResult;
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener};

use super::rows;

/// A legacy server with tools that must, may and must not run as tasks, and a form in the middle of one.
async fn experimental() -> Listener {
    let polls = Arc::new(Mutex::new(0_u32));
    Listener::start(move |asked, mut talk| {
        let polls = Arc::clone(&polls);
        async move {
            let message = asked.message();
            let legacy = |status: &str| {
                json!({
                    "taskId": "t-1",
                    "status": status,
                    "createdAt": "2025-11-25T10:30:00Z",
                    "lastUpdatedAt": "2025-11-25T10:30:00Z",
                    "ttl": null,
                    "pollInterval": 100,
                })
            };
            match asked.asks().as_str() {
                "initialize" => {
                    let tasks = json!({ "cancel": {}, "requests": { "tools": { "call": {} } } });
                    let result = json!({
                        "protocolVersion": "2025-11-25",
                        "capabilities": { "tools": {}, "tasks": tasks },
                        "serverInfo": { "name": "listener", "version": "1" },
                    });
                    let head = [("content-type", "application/json"), ("mcp-session-id", "s-1")];
                    talk.answer("200 OK", &head, &listener::reply(&asked, &result).to_string())
                        .await;
                }
                "tools/list" => {
                    let tools: Vec<Value> = ["required", "optional", "forbidden"]
                        .iter()
                        .map(|support| {
                            json!({
                                "name": support,
                                "inputSchema": { "type": "object" },
                                "execution": { "taskSupport": support },
                            })
                        })
                        .collect();
                    talk.result(&asked, &json!({ "tools": tools })).await;
                }
                "tools/call" if message["params"].get("task").is_some() => {
                    *polls.lock().expect("no test panics in it") = 0;
                    talk.result(&asked, &json!({ "task": legacy("working") })).await;
                }
                "tools/call" => {
                    let content = json!([{ "type": "text", "text": "at once" }]);
                    talk.result(&asked, &json!({ "content": content })).await;
                }
                "tasks/get" => {
                    let poll = {
                        let mut polls = polls.lock().expect("no test panics in it");
                        *polls += 1;
                        *polls
                    };
                    let status = if poll == 1 { "working" } else { "input_required" };
                    talk.result(&asked, &legacy(status)).await;
                }
                "tasks/result" => {
                    talk.stream().await;
                    let form = json!(format!("form-{}", message["id"]));
                    let related = json!({ "io.modelcontextprotocol/related-task": { "taskId": "t-1" } });
                    let params = json!({
                        "message": "Which paper?",
                        "requestedSchema": { "type": "object" },
                        "_meta": related,
                    });
                    talk.event(&json!({ "jsonrpc": "2.0", "id": form, "method": "elicitation/create", "params": params }))
                        .await;
                    let filled_in = talk
                        .until(|received| received.message()["id"] == form)
                        .await;
                    let words = filled_in.message()["result"].to_string();
                    let content = json!([{ "type": "text", "text": words }]);
                    talk.event(&listener::reply(&asked, &json!({ "content": content })))
                        .await;
                }
                "tasks/cancel" => talk.result(&asked, &legacy("cancelled")).await,
                _ => listener::legacy(&asked, &mut talk).await,
            }
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_experimental_task_at_input_required_is_fetched_and_its_question_shown() {
    let core = Core::start().await;
    let listener = experimental().await;
    let server = core
        .add_url("experimental", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let list = core.tools(&server).await;
    let supports: Vec<_> = list
        .entries
        .iter()
        .map(|tool| tool.task_support.as_deref())
        .collect();
    assert_eq!(
        supports,
        [Some("required"), Some("optional"), Some("forbidden")]
    );

    // It must: nobody has to say so.
    let operation = core.start_call(&server, "required", "{}").await;
    let prompt = core
        .until("the form", |seen| seen.prompts.first().cloned())
        .await;
    assert_eq!(prompt.operation, Some(operation), "{prompt:#?}");
    let _: () = core
        .must(
            "answer_prompt",
            json!({ "prompt": prompt.id, "action": PromptAction::Accept, "content": r#"{"size":"A4"}"# }),
        )
        .await;
    let outcome = core.outcome(operation).await;
    assert!(text_of(&outcome).contains("A4"), "{outcome:#?}");
    let shown = rows(&core, operation).await;
    for words in [
        "[2 polls]",
        "— task",
        "2 polls — input_required",
        "result · id",
        "— accepted",
    ] {
        assert!(shown.contains(words), "no {words:?} in\n{shown}");
    }

    // It may: only when the person wants it.
    assert_eq!(
        text_of(&core.call(&server, "optional", "{}").await),
        "at once"
    );
    let call = |tool: u32, name: &str| json!({ "server": server, "tool": tool, "name": name, "arguments": "{}", "as_task": true });
    let started: app::api::tools::CallStarted = core.must("call_tool", call(1, "optional")).await;
    core.until("the form", |seen| seen.prompts.first().cloned())
        .await;
    let _: () = core
        .must("cancel", json!({ "operation": started.operation }))
        .await;
    assert_eq!(
        core.outcome(started.operation).await.result,
        CallResult::Cancelled
    );
    // It must not.
    let refused = core
        .rpc::<app::api::tools::CallStarted>("call_tool", call(2, "forbidden"))
        .await
        .expect_err("it must not");
    assert!(
        refused["message"]
            .as_str()
            .is_some_and(|words| words.contains("taskSupport")),
        "{refused}"
    );
    core.close().await;
}
