//! Tasks: a call that goes on as one operation, whatever its server makes of it.

mod controls;
mod durable;
mod experimental;
mod listening;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::api::feed::{PromptAction, PromptAsk};
use app::api::servers::{EraChoice, Phase};
use app::api::tasks::{TaskList, TaskView};
use app::api::tools::CallResult;
use journal::event::OperationId;
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received, Talk};

/// What a poll is answered with.
enum Poll {
    Task(Value),
    Error(i64, &'static str),
    /// An HTTP status without a message.
    Status(&'static str),
    /// Nothing, until the client goes.
    Never,
}

fn task(status: &str, more: &Value) -> Value {
    let mut task = json!({
        "resultType": "complete",
        "taskId": "t-1",
        "status": status,
        "createdAt": "2026-11-30T10:30:00Z",
        "lastUpdatedAt": "2026-11-30T10:30:00Z",
        "ttlMs": 60000,
        "pollIntervalMs": 100,
    });
    let more = more.as_object().expect("an object").clone();
    task.as_object_mut().expect("an object").extend(more);
    task
}

fn working() -> Poll {
    Poll::Task(task("working", &json!({})))
}

fn completed(words: &str) -> Poll {
    let content = json!([{ "type": "text", "text": words }]);
    Poll::Task(task(
        "completed",
        &json!({ "result": { "content": content } }),
    ))
}

fn form() -> Value {
    json!({
        "method": "elicitation/create",
        "params": {
            "message": "Which paper?",
            "requestedSchema": { "type": "object", "properties": { "size": { "type": "string" } } },
        },
    })
}

/// A modern server whose calls are tasks, and whose polls are answered by `answer`, which knows how many came and what
/// else the server was asked.
async fn server<A>(answer: A) -> Listener
where
    A: Fn(usize, &[String]) -> Poll + Send + Sync + 'static,
{
    let answer = Arc::new(answer);
    let asked_for = Arc::new(Mutex::new(Vec::<String>::new()));
    Listener::start(move |asked, mut talk| {
        let (answer, asked_for) = (Arc::clone(&answer), Arc::clone(&asked_for));
        async move {
            let poll = {
                let mut all = asked_for.lock().expect("no test panics in it");
                all.push(asked.asks());
                let polls = all.iter().filter(|method| *method == "tasks/get").count();
                (asked.asks() == "tasks/get").then(|| answer(polls, &all))
            };
            speak(&asked, &mut talk, poll).await;
        }
    })
    .await
}

async fn speak(asked: &Received, talk: &mut Talk, poll: Option<Poll>) {
    match (asked.asks().as_str(), poll) {
        ("tools/call", _) => {
            let handle = task("working", &json!({ "resultType": "task" }));
            talk.result(asked, &handle).await;
        }
        (_, Some(Poll::Task(task))) => talk.result(asked, &task).await,
        (_, Some(Poll::Error(code, message))) => {
            talk.error("200 OK", asked, code, message).await;
        }
        (_, Some(Poll::Status(status))) => talk.answer(status, &[], "").await,
        (_, Some(Poll::Never)) => talk.until_closed().await,
        ("tasks/update" | "tasks/cancel", _) => {
            talk.result(asked, &json!({ "resultType": "complete" }))
                .await;
        }
        _ => listener::modern(asked, talk).await,
    }
}

async fn tasks(core: &Core, server: &str) -> Vec<TaskView> {
    let list: TaskList = core.must("tasks", json!({ "server": server })).await;
    list.tasks
}

/// The rows of an operation, its own first.
async fn rows(core: &Core, operation: OperationId) -> String {
    let timeline = core.unfolded().await;
    let own = core.operation_row(operation).await;
    let (_, after) = timeline.rsplit_once(&own).expect("it has a row");
    let children: Vec<&str> = after
        .lines()
        .take_while(|line| line.starts_with(' '))
        .collect();
    format!("{own}{}\n", children.join("\n"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_becomes_a_task_ends_with_the_tasks_result() {
    let core = Core::start().await;
    let listener = server(|polls, _| match polls {
        1 | 4 => working(),
        2 => Poll::Status("503 Service Unavailable"),
        3 => Poll::Error(-32603, "the disk is busy"),
        _ => completed("it is built"),
    })
    .await;
    let server = core
        .add_url("builder", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    assert_eq!(text_of(&outcome), "it is built");
    assert!(outcome.time_micros > 300_000, "{outcome:#?}");

    let shown = rows(&core, outcome.operation).await;
    let words: Vec<&str> = shown.lines().map(str::trim).collect();
    assert_eq!(words[0], "tools/call echo [5 polls] — complete");
    let states: Vec<&str> = words[1..]
        .iter()
        .filter_map(|row| row.split_once(" — ").map(|(_, state)| state))
        .collect();
    // Polls in a row are one row, which stands as the last of them; each is among the events.
    assert_eq!(states, ["task", "completed"], "{shown}");
    let events = core.events(outcome.operation).await;
    for words in ["503", "the disk is busy"] {
        assert!(events.contains(words), "no {words:?} in\n{events}");
    }
    // SEP-2663 § Streamable HTTP: Routing Headers.
    let polls: Vec<Received> = listener
        .received()
        .into_iter()
        .filter(|received| received.asks() == "tasks/get")
        .collect();
    for poll in &polls {
        assert_eq!(poll.header("mcp-name"), Some("t-1"));
        assert_eq!(poll.header("mcp-method"), Some("tasks/get"));
        let meta = &poll.message()["params"]["_meta"];
        let declared = &meta["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(
            declared["extensions"]["io.modelcontextprotocol/tasks"],
            json!({})
        );
        assert_eq!(meta.get("progressToken"), None);
    }
    let known = tasks(&core, &server).await;
    let [known] = &known[..] else {
        panic!("{known:#?}");
    };
    assert_eq!(
        (
            known.status.as_str(),
            known.title.as_str(),
            known.polls,
            known.is_followed
        ),
        ("completed", "echo", 5, false)
    );
    assert_eq!(known.ttl_millis, Some(60_000));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_asks_once_and_is_told_once_though_polls_hang() {
    let core = Core::start().await;
    let listener = server(|polls, asked| {
        if asked.iter().any(|method| method == "tasks/update") {
            return completed("printed");
        }
        match polls {
            1 | 2 => Poll::Task(task("input_required", &json!({ "inputRequests": { "paper": form(), "roots": { "method": "roots/list" } } }),
            )),
            // As servers do that hold a poll until there is news.
            _ => Poll::Never,
        }
    })
    .await;
    let server = core
        .add_url("printer", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let prompts = core
        .until("both prompts", |seen| {
            (seen.prompts.len() == 2).then(|| seen.prompts.clone())
        })
        .await;
    listener
        .until(|received| received.asks() == "tasks/get")
        .await;
    let (forms, others): (Vec<_>, Vec<_>) = prompts
        .into_iter()
        .partition(|prompt| matches!(prompt.ask, PromptAsk::Form { .. }));
    assert_eq!(forms[0].message, "Which paper?");
    assert_eq!(forms[0].operation, Some(operation));
    // Roots were not advertised; they are left out, and that is said.
    for (prompt, action, content) in [
        (&others[0], PromptAction::Decline, None),
        (&forms[0], PromptAction::Accept, Some(r#"{"size":"A4"}"#)),
    ] {
        let _: () = core
            .must(
                "answer_prompt",
                json!({ "prompt": prompt.id, "action": action, "content": content }),
            )
            .await;
    }
    let outcome = core.outcome(operation).await;
    assert_eq!(text_of(&outcome), "printed");
    assert!(outcome.user_micros > 0, "{outcome:#?}");
    let updates: Vec<Value> = listener
        .received()
        .iter()
        .filter(|received| received.asks() == "tasks/update")
        .map(|received| received.message()["params"]["inputResponses"].clone())
        .collect();
    assert_eq!(
        updates,
        [json!({ "paper": { "action": "accept", "content": { "size": "A4" } } })]
    );
    let shown = rows(&core, operation).await;
    for words in [
        "form: “Which paper?” — accepted",
        "answer · id",
        "was left unanswered",
        "input_required",
    ] {
        assert!(shown.contains(words), "no {words:?} in\n{shown}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_task_asks_the_server_and_tells_what_it_did() {
    let core = Core::start().await;
    let was_asked = |asked: &[String]| asked.iter().any(|method| method == "tasks/cancel");
    let obeys = server(move |_, asked| {
        if was_asked(asked) {
            Poll::Task(task("cancelled", &json!({})))
        } else {
            working()
        }
    })
    .await;
    let too_late = server(move |_, asked| {
        if was_asked(asked) {
            completed("done before")
        } else {
            working()
        }
    })
    .await;
    let deaf = server(|_, _| working()).await;
    for (name, listener) in [("obeys", &obeys), ("too late", &too_late), ("deaf", &deaf)] {
        let server = core
            .add_url(name, &listener.url(), &[], EraChoice::Auto)
            .await;
        core.connect_well(&server).await;
        let operation = core.start_call(&server, "echo", "{}").await;
        listener
            .until(|received| received.asks() == "tasks/get")
            .await;
        if name == "too late" {
            // By the task as well as by its operation.
            let _: OperationId = core
                .must("cancel_task", json!({ "server": server, "task": "t-1" }))
                .await;
        } else {
            let _: () = core.must("cancel", json!({ "operation": operation })).await;
        }
        let asked = listener
            .until(|received| received.asks() == "tasks/cancel")
            .await;
        assert_eq!(asked.header("mcp-name"), Some("t-1"));
        if name == "deaf" {
            core.until("what is known", |seen| {
                seen.rows
                    .iter()
                    .any(|row| row.label.contains("tools/call") && row.end_micros.is_none())
                    .then_some(())
            })
            .await;
            let known = tasks(&core, &server).await;
            assert!(
                known[0].is_cancel_asked && known[0].is_followed,
                "{known:#?}"
            );
            let _: () = core.must("cancel", json!({ "operation": operation })).await;
        }
        let outcome = core.outcome(operation).await;
        let shown = rows(&core, operation).await;
        match name {
            "too late" => {
                assert_eq!(text_of(&outcome), "done before");
                assert!(
                    shown.contains("before the wish to cancel it took effect"),
                    "{shown}"
                );
            }
            _ => assert_eq!(outcome.result, CallResult::Cancelled, "{name}\n{shown}"),
        }
        if name == "deaf" {
            assert!(shown.contains("Not followed any more"), "{shown}");
        }
        // SEP-2663 § Task Cancellation: never by the notification.
        assert!(
            listener
                .received()
                .iter()
                .all(|received| received.asks() != "notifications/cancelled"),
            "{name}"
        );
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_outlives_its_connection() {
    let core = Core::start().await;
    let listener = server(|_, asked| {
        let discovered = asked
            .iter()
            .filter(|method| *method == "server/discover")
            .count();
        if discovered > 1 {
            completed("at last")
        } else {
            working()
        }
    })
    .await;
    let server = core
        .add_url("patient", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    listener
        .until(|received| received.asks() == "tasks/get")
        .await;
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(&server, Phase::Disconnected).await;
    let outcome = core.outcome(operation).await;
    let CallResult::Failed { error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert!(
        error
            .message
            .contains("The task t-1 was working last and may go on at the server"),
        "{error:#?}"
    );
    let known = tasks(&core, &server).await;
    assert_eq!(
        (known[0].status.as_str(), known[0].is_followed),
        ("working", false)
    );
    let refused = core
        .rpc::<OperationId>("poll_task", json!({ "server": server, "task": "t-1" }))
        .await
        .expect_err("it is not connected");
    assert_eq!(refused["code"], "gone");

    // Connected again, it is followed again, by itself.
    core.connect_well(&server).await;
    let known = tasks(&core, &server).await;
    let taken_up = known[0].operation.expect("an operation follows it");
    assert_ne!(taken_up, operation);
    assert_eq!(text_of(&core.outcome(taken_up).await), "at last");
    let known = tasks(&core, &server).await;
    assert_eq!(known.len(), 1, "{known:#?}");
    assert_eq!(
        (known[0].status.as_str(), known[0].title.as_str()),
        ("completed", "echo")
    );
    let over = core
        .rpc::<OperationId>("poll_task", json!({ "server": server, "task": "t-1" }))
        .await
        .expect_err("it is over");
    assert!(
        over["message"]
            .as_str()
            .is_some_and(|words| words.contains("over")),
        "{over}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_about_a_task_is_shown_and_not_believed() {
    let core = Core::start().await;
    // How often each poll is answered so, before the truth.
    let listener = server(|polls, _| match polls {
        1 => Poll::Task(json!("a task")),
        2 => {
            let mut other = task("completed", &json!({ "result": { "content": [] } }));
            other["taskId"] = json!("t-2");
            Poll::Task(other)
        }
        3 => Poll::Task(task("resting", &json!({}))),
        4 => Poll::Task(task("input_required", &json!({ "inputRequests": [] }))),
        _ => Poll::Task(task("failed", &json!({ "error": { "code": -32000, "message": "out of paper", "data": { "trays": 2 } } }),
        )),
    })
    .await;
    let server = core
        .add_url("odd", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    let CallResult::Failed { code, error, data } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert_eq!(*code, Some(-32000), "{error:#?}");
    assert!(error.message.contains("out of paper"), "{error:#?}");
    assert!(
        data.as_deref()
            .is_some_and(|data| data.contains("\"trays\": 2")),
        "{data:?}"
    );
    let details: app::api::details::RowDetails = core
        .must("row", json!({ "key": format!("o{}", outcome.operation.0) }))
        .await;
    let mut rules: HashMap<&str, usize> = HashMap::new();
    for finding in &details.findings {
        *rules.entry(&finding.rule).or_default() += 1;
    }
    for rule in ["task-malformed", "task-of-another-id", "task-field"] {
        assert!(rules.contains_key(rule), "{rules:?}");
    }
    let shown = rows(&core, outcome.operation).await;
    assert!(shown.contains("3 polls in a row failed"), "{shown}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_tasks_at_once_do_not_disturb_each_other() {
    let core = Core::start().await;
    let started = Arc::new(Mutex::new(0_u32));
    let listener = Listener::start(move |asked, mut talk| {
        let started = Arc::clone(&started);
        async move {
            let message = asked.message();
            match asked.asks().as_str() {
                "tools/call" => {
                    let number = {
                        let mut started = started.lock().expect("no test panics in it");
                        *started += 1;
                        *started
                    };
                    let id = format!("t-{number}-{}", message["params"]["arguments"]["n"]);
                    let handle = task("working", &json!({ "resultType": "task", "taskId": id }));
                    talk.result(&asked, &handle).await;
                }
                "tasks/get" => {
                    let id = message["params"]["taskId"].as_str().expect("an id");
                    let number = id.rsplit('-').next().expect("a number");
                    let content = json!([{ "type": "text", "text": number }]);
                    let done = json!({ "taskId": id, "result": { "content": content } });
                    talk.result(&asked, &task("completed", &done)).await;
                }
                _ => listener::modern(&asked, &mut talk).await,
            }
        }
    })
    .await;
    let server = core
        .add_url("busy", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let mut operations = Vec::new();
    for n in 0..40 {
        let arguments = json!({ "n": n }).to_string();
        operations.push(core.start_call(&server, "echo", &arguments).await);
    }
    for (n, operation) in operations.into_iter().enumerate() {
        let outcome = tokio::time::timeout(Duration::from_secs(30), core.outcome(operation))
            .await
            .expect("it ends in time");
        assert_eq!(text_of(&outcome), n.to_string());
    }
    assert_eq!(tasks(&core, &server).await.len(), 40);
    core.close().await;
}
