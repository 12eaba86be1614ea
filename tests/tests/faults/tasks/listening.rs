//! Servers that tell of tasks by themselves: polls give way to what is told, and come back when nothing is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use app::api::servers::EraChoice;
use app::api::tasks::{TaskStanding, TaskView};
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received, Talk};

use super::{form, task};

/// A modern server that tells of tasks. `drops` ends the first stream after its first words; `agrees` is whether it tells
/// of tasks at all.
struct Telling {
    listener: Listener,
    script: Arc<Script>,
}

/// What the server does from now on.
#[derive(Default)]
struct Script {
    agrees: bool,
    drops: bool,
    /// Every task is done.
    done: AtomicBool,
    /// Every task asks something.
    asks: AtomicBool,
    started: AtomicUsize,
    streams: AtomicUsize,
}

impl Script {
    fn now(&self) -> (bool, bool) {
        (
            self.done.load(Ordering::SeqCst),
            self.asks.load(Ordering::SeqCst),
        )
    }

    fn state(&self, id: &Value) -> Value {
        let mut state = match self.now() {
            (true, _) => {
                let content = json!([{ "type": "text", "text": format!("done {id}") }]);
                task("completed", &json!({ "result": { "content": content } }))
            }
            (false, true) => task(
                "input_required",
                &json!({ "inputRequests": { "paper": form() } }),
            ),
            (false, false) => task("working", &json!({})),
        };
        state["taskId"] = id.clone();
        state
    }

    /// Tells of the tasks on a stream whenever something changes.
    async fn tell(&self, message: &Value, talk: &mut Talk) {
        let wanted = message["params"]["notifications"]["taskIds"].clone();
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": message["id"] });
        let agreed = if self.agrees {
            json!({ "taskIds": wanted })
        } else {
            json!({})
        };
        talk.stream().await;
        talk.event(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": { "notifications": agreed, "_meta": meta },
        }))
        .await;
        if self.streams.fetch_add(1, Ordering::SeqCst) == 0 && self.drops {
            tokio::time::sleep(Duration::from_millis(300)).await;
            return;
        }
        let mut told: Option<(bool, bool)> = None;
        while self.agrees && told.is_none_or(|(is_done, _)| !is_done) {
            tokio::time::sleep(Duration::from_millis(50)).await;
            if told.replace(self.now()) == Some(self.now()) {
                continue;
            }
            for id in wanted.as_array().into_iter().flatten() {
                let mut params = self.state(id);
                params
                    .as_object_mut()
                    .expect("an object")
                    .remove("resultType");
                params["_meta"] = meta.clone();
                let told =
                    json!({ "jsonrpc": "2.0", "method": "notifications/tasks", "params": params });
                talk.event(&told).await;
            }
        }
        talk.until_closed().await;
    }

    async fn speak(&self, asked: &Received, talk: &mut Talk) {
        let message = asked.message();
        match asked.asks().as_str() {
            "server/discover" => {
                let result = json!({
                    "resultType": "complete",
                    "supportedVersions": ["2026-07-28"],
                    "capabilities": {
                        "tools": {},
                        "extensions": { "io.modelcontextprotocol/tasks": {} },
                    },
                    "ttlMs": 0,
                    "cacheScope": "private",
                    "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "teller", "version": "1" } },
                });
                talk.result(asked, &result).await;
            }
            "tools/call" => {
                let number = self.started.fetch_add(1, Ordering::SeqCst);
                let more = json!({ "resultType": "task", "taskId": format!("t-{number}") });
                talk.result(asked, &task("working", &more)).await;
            }
            "tasks/get" => {
                let state = self.state(&message["params"]["taskId"]);
                talk.result(asked, &state).await;
            }
            "tasks/update" => {
                self.asks.store(false, Ordering::SeqCst);
                talk.result(asked, &json!({ "resultType": "complete" }))
                    .await;
            }
            "subscriptions/listen" => self.tell(&message, talk).await,
            _ => listener::modern(asked, talk).await,
        }
    }
}

async fn telling(agrees: bool, drops: bool) -> Telling {
    let script = Arc::new(Script {
        agrees,
        drops,
        ..Script::default()
    });
    let speaker = Arc::clone(&script);
    let listener = Listener::start(move |asked, mut talk| {
        let speaker = Arc::clone(&speaker);
        async move { speaker.speak(&asked, &mut talk).await }
    })
    .await;
    Telling { listener, script }
}

fn asked(listener: &Listener, method: &str) -> usize {
    listener
        .received()
        .iter()
        .filter(|received| received.asks() == method)
        .count()
}

async fn until_task(core: &Core, what: &str, found: impl Fn(&TaskView) -> bool) -> TaskView {
    core.until(what, |seen| {
        seen.tasks.iter().find(|task| found(task)).cloned()
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_tells_takes_the_place_of_polls() {
    let core = Core::start().await;
    let telling = telling(true, false).await;
    let server = core
        .add_url("teller", &telling.listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let listened = until_task(&core, "that it is told of", |task| task.is_listened).await;
    // The server wants a poll each 0.1 s; now there is one a minute.
    let polls = asked(&telling.listener, "tasks/get");
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert!(asked(&telling.listener, "tasks/get") <= polls + 1);
    assert!(
        listened
            .next_poll_micros
            .is_some_and(|at| at > listened.seen_micros + 30_000_000),
        "{listened:#?}"
    );
    // What it tells is asked for, answered, and asked for again.
    telling.script.asks.store(true, Ordering::SeqCst);
    let prompt = core
        .until("the form", |seen| seen.prompts.first().cloned())
        .await;
    let _: () = core
        .must(
            "answer_prompt",
            json!({ "prompt": prompt.id, "action": "accept", "content": r#"{"size":"A4"}"# }),
        )
        .await;
    telling.script.done.store(true, Ordering::SeqCst);
    assert_eq!(text_of(&core.outcome(operation).await), "done \"t-0\"");
    core.until("the stream's end", |seen| {
        seen.tasks
            .iter()
            .all(|task| !task.is_listened)
            .then_some(())
    })
    .await;
    let shown = core.unfolded().await;
    assert!(shown.contains("subscriptions/listen"), "{shown}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_drops_gives_way_to_polls_until_it_is_back() {
    let core = Core::start().await;
    let telling = telling(true, true).await;
    let server = core
        .add_url("teller", &telling.listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    core.start_call(&server, "echo", "{}").await;
    until_task(&core, "that it is told of", |task| task.is_listened).await;
    let dropped = until_task(&core, "the drop", |task| !task.is_listened).await;
    until_task(&core, "polls", |task| task.polls > dropped.polls + 2).await;
    // The stream is opened again, and polls are rare again.
    until_task(&core, "that it is told of again", |task| task.is_listened).await;
    let polls = asked(&telling.listener, "tasks/get");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(asked(&telling.listener, "tasks/get") <= polls + 1);
    telling.script.done.store(true, Ordering::SeqCst);
    until_task(&core, "its end", |task| task.standing == TaskStanding::Over).await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_tells_of_no_tasks_is_asked_once() {
    let core = Core::start().await;
    let telling = telling(false, false).await;
    let server = core
        .add_url("teller", &telling.listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    core.start_call(&server, "echo", "{}").await;
    until_task(&core, "polls", |task| task.polls > 4).await;
    core.start_call(&server, "echo", "{}").await;
    core.until("polls of the other", |seen| {
        (seen.tasks.len() == 2 && seen.tasks.iter().all(|task| task.polls > 4)).then_some(())
    })
    .await;
    assert_eq!(asked(&telling.listener, "subscriptions/listen"), 1);
    // Nothing is left open for it.
    let open: Value = core
        .must("subscriptions", json!({ "server": server }))
        .await;
    assert_eq!(open["subscriptions"], json!([]));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_that_begin_together_share_a_stream() {
    let core = Core::start().await;
    let telling = telling(true, false).await;
    let server = core
        .add_url("teller", &telling.listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    for _ in 0..50 {
        core.start_call(&server, "echo", "{}").await;
    }
    core.until("that all are told of", |seen| {
        (seen.tasks.len() == 50 && seen.tasks.iter().all(|task| task.is_listened)).then_some(())
    })
    .await;
    let streams = asked(&telling.listener, "subscriptions/listen");
    assert!(streams < 15, "{streams} streams");
    telling.script.done.store(true, Ordering::SeqCst);
    core.until("all ends", |seen| {
        seen.tasks
            .iter()
            .all(|task| task.standing == TaskStanding::Over)
            .then_some(())
    })
    .await;
    core.close().await;
}
