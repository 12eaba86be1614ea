//! Work that outlives its request: tasks of the extension, from their handles to their ends.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Http, Piped, call, json_body, modern, modern_with};

/// What a client says in every request that knows tasks.
fn with_tasks(params: Value) -> Value {
    let capabilities = json!({
        "elicitation": { "form": {} },
        "extensions": { "io.modelcontextprotocol/tasks": {} },
    });
    modern_with(params, capabilities, None)
}

/// Calls a tool, and gives the identifier of the task that it became.
async fn begin(server: &mut Piped, tool: &str, arguments: Value) -> String {
    let answer = server
        .ask("tools/call", with_tasks(call(tool, arguments)))
        .await;
    let result = &answer["result"];
    assert_eq!(result["resultType"], "task", "{answer}");
    assert_eq!(result["status"], "working");
    assert!(
        result["createdAt"].is_string() && result["lastUpdatedAt"].is_string(),
        "{answer}"
    );
    assert_eq!(result["pollIntervalMs"], 500);
    result["taskId"].as_str().expect("an identifier").to_owned()
}

async fn get(server: &mut Piped, task: &str) -> Value {
    let answer = server
        .ask("tasks/get", with_tasks(json!({ "taskId": task })))
        .await;
    let result = answer["result"].clone();
    assert_eq!(result["resultType"], "complete", "{answer}");
    assert_eq!(result["taskId"], task);
    result
}

/// Polls until the status is this one.
async fn until(server: &mut Piped, task: &str, status: &str) -> Value {
    for _ in 0..600 {
        let state = get(server, task).await;
        if state["status"] == status {
            return state;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the task never was {status}");
}

#[tokio::test]
async fn the_extension_is_declared() {
    let mut server = Piped::start();
    let answer = server.ask("server/discover", modern(json!({}))).await;
    assert_eq!(
        answer["result"]["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"],
        json!({})
    );
}

#[tokio::test]
async fn an_import_tells_how_far_it_is_and_completes() {
    let mut server = Piped::start();
    let arguments = json!({ "dishes": 20, "step_millis": 20 });
    let task = begin(&mut server, "import_menu", arguments).await;
    let working = get(&mut server, &task).await;
    assert_eq!(working["status"], "working");
    let said = working["statusMessage"].as_str().expect("a message");
    assert!(said.starts_with("importing dish"), "{said}");
    let done = until(&mut server, &task, "completed").await;
    assert_eq!(done["result"]["structuredContent"]["imported"], 20);
    assert_eq!(done["result"]["content"][0]["text"], "Imported 20 dishes.");
}

#[tokio::test]
async fn a_banquet_asks_in_its_middle() {
    let mut server = Piped::start();
    let task = begin(
        &mut server,
        "plan_banquet",
        json!({ "occasion": "the wedding" }),
    )
    .await;
    let asking = until(&mut server, &task, "input_required").await;
    let question = &asking["inputRequests"]["guests"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "Who comes to the wedding?");
    let answers =
        json!({ "guests": { "action": "accept", "content": { "guests": 30, "wine": false } } });
    let params = with_tasks(json!({ "taskId": task, "inputResponses": answers }));
    let answer = server.ask("tasks/update", params).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let done = until(&mut server, &task, "completed").await;
    assert_eq!(
        done["result"]["content"][0]["text"],
        "A banquet for 30: the wedding, with water."
    );
}

#[tokio::test]
async fn a_sync_fails_with_an_error() {
    let mut server = Piped::start();
    let task = begin(&mut server, "nightly_sync", json!({})).await;
    let failed = until(&mut server, &task, "failed").await;
    assert_eq!(failed["error"]["code"], -32603);
    assert_eq!(failed["error"]["message"], "upstream timed out");
}

#[tokio::test]
async fn a_rebuild_is_cancelled_and_a_stubborn_one_finishes() {
    let mut server = Piped::start();
    for (stubborn, end) in [(false, "cancelled"), (true, "completed")] {
        let arguments = json!({ "seconds": 2, "stubborn": stubborn });
        let task = begin(&mut server, "rebuild_index", arguments).await;
        let params = with_tasks(json!({ "taskId": task }));
        let answer = server.ask("tasks/cancel", params).await;
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        until(&mut server, &task, end).await;
    }
}

#[tokio::test]
async fn a_roast_outlives_its_time_to_live() {
    let mut server = Piped::start();
    let task = begin(&mut server, "slow_roast", json!({})).await;
    assert_eq!(get(&mut server, &task).await["ttlMs"], 6000);
    let failed = until(&mut server, &task, "failed").await;
    assert!(failed["error"]["message"].is_string(), "{failed}");
}

#[tokio::test]
async fn a_client_that_knows_no_tasks_is_served_while_it_waits_or_told_what_it_needs() {
    let mut server = Piped::start();
    let arguments = json!({ "dishes": 2, "step_millis": 1 });
    let answer = server
        .ask("tools/call", modern(call("import_menu", arguments)))
        .await;
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["structuredContent"]["imported"], 2);
    for (tool, arguments) in [
        ("plan_banquet", json!({ "occasion": "the wedding" })),
        ("slow_roast", json!({})),
    ] {
        let answer = server
            .ask("tools/call", modern(call(tool, arguments)))
            .await;
        assert_eq!(answer["error"]["code"], -32021, "{answer}");
        assert_eq!(
            answer["error"]["data"]["requiredCapabilities"]["extensions"]["io.modelcontextprotocol/tasks"],
            json!({})
        );
    }
    let (mut server, _) = Piped::start_legacy("2025-11-25", json!({})).await;
    let answer = server
        .ask(
            "tools/call",
            call("import_menu", json!({ "dishes": 2, "step_millis": 1 })),
        )
        .await;
    assert_eq!(answer["result"]["content"][0]["text"], "Imported 2 dishes.");
}

#[tokio::test]
async fn bad_arguments_and_unknown_tasks_are_told_in_words() {
    let mut server = Piped::start();
    for (tool, arguments) in [
        ("import_menu", json!({ "dishes": 0 })),
        ("rebuild_index", json!({ "seconds": 100_000 })),
    ] {
        let answer = server
            .ask("tools/call", with_tasks(call(tool, arguments)))
            .await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    for method in ["tasks/get", "tasks/cancel"] {
        let answer = server
            .ask(method, with_tasks(json!({ "taskId": "nobody" })))
            .await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[tokio::test]
async fn tasks_over_http_are_those_of_the_process() {
    let server = Http::start().await;
    let arguments = json!({ "dishes": 2, "step_millis": 1 });
    let created = server
        .ask_modern(1, "tools/call", with_tasks(call("import_menu", arguments)))
        .await;
    let created = json_body(created).await;
    let task = created["result"]["taskId"].as_str().expect("a task");
    tokio::time::sleep(Duration::from_millis(200)).await;
    let message = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tasks/get", "params": with_tasks(json!({ "taskId": task })),
    });
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tasks/get"),
        ("mcp-name", task),
    ];
    let done = json_body(server.post(&message, &headers).await).await;
    assert_eq!(done["result"]["status"], "completed", "{done}");
}
