//! Handles outlive the program: what is kept of a task, what is not, and what becomes of it.

use std::time::Duration;

use app::api::servers::EraChoice;
use app::api::tasks::{TaskStanding, TaskView};
use serde_json::{Value, json};
use tests::core::{Core, text_of};

use super::{Poll, completed, form, server, task, working};

async fn until_task(core: &Core, what: &str, found: impl Fn(&TaskView) -> bool) -> TaskView {
    core.until(what, |seen| {
        seen.tasks.iter().find(|task| found(task)).cloned()
    })
    .await
}

fn file(folder: &std::path::Path) -> Value {
    let text = std::fs::read_to_string(folder.join("tasks.json")).expect("the file");
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_polled_again_after_a_restart() {
    let core = Core::start().await;
    // It needs an answer in this run and completes in the next one.
    let listener = server(|_, asked| {
        let discovered = asked
            .iter()
            .filter(|method| *method == "server/discover")
            .count();
        let asks = json!({ "inputRequests": { "paper": form() } });
        // A server that has not taken the answer in yet asks on.
        if discovered == 1 {
            Poll::Task(task("input_required", &asks))
        } else {
            completed("at last")
        }
    })
    .await;
    let server = core
        .add_url("patient", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    core.start_call(&server, "echo", "{}").await;
    let prompt = core
        .until("the form", |seen| seen.prompts.first().cloned())
        .await;
    let _: () = core
        .must(
            "answer_prompt",
            json!({ "prompt": prompt.id, "action": "accept", "content": r#"{"size":"secret-A4"}"# }),
        )
        .await;
    listener
        .until(|received| received.asks() == "tasks/update")
        .await;
    until_task(&core, "a poll after the answer", |task| task.polls > 2).await;
    let folder = core.close().await;

    let kept = file(folder.path());
    assert_eq!(kept["tasks"][0]["task"], "t-1");
    assert_eq!(kept["tasks"][0]["answered"], json!(["paper"]));
    // Neither the question nor the answer is written down.
    let text = kept.to_string();
    assert!(
        !text.contains("secret-A4") && !text.contains("Which"),
        "{text}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.path().join("tasks.json"))
            .expect("the file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    let core = Core::start_in(folder).await;
    let known = until_task(&core, "the task of the run before", |_| true).await;
    assert_eq!(
        (known.standing, known.operation, known.title.as_str()),
        (TaskStanding::Unfollowed, None, "echo")
    );
    assert_eq!(known.status, "input_required");
    core.connect_well(&server).await;
    let over = until_task(&core, "its end", |task| task.standing == TaskStanding::Over).await;
    let operation = over.operation.expect("an operation followed it");
    assert_eq!(text_of(&core.outcome(operation).await), "at last");
    // What was answered before the restart was not asked again.
    assert!(core.seen().prompts.is_empty());
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_became_unknown_or_expired_says_so_and_stays_readable() {
    for (ttl, standing) in [
        (json!(null), TaskStanding::Lost),
        (json!(1), TaskStanding::Expired),
    ] {
        let core = Core::start().await;
        let ttl_of = ttl.clone();
        let listener = server(move |_, asked| {
            let discovered = asked
                .iter()
                .filter(|method| *method == "server/discover")
                .count();
            if discovered > 1 {
                Poll::Error(-32602, "Failed to retrieve task: Task not found")
            } else {
                Poll::Task(task(
                    "working",
                    &json!({ "statusMessage": "half done", "ttlMs": ttl_of }),
                ))
            }
        })
        .await;
        let server = core
            .add_url("forgetful", &listener.url(), &[], EraChoice::Auto)
            .await;
        core.connect_well(&server).await;
        core.start_call(&server, "echo", "{}").await;
        until_task(&core, "words", |task| task.status_message.is_some()).await;
        let folder = core.close().await;
        let core = Core::start_in(folder).await;
        core.connect_well(&server).await;
        let gone = until_task(&core, "that it is gone", |task| task.standing == standing).await;
        assert_eq!(gone.status_message.as_deref(), Some("half done"));
        assert!(
            gone.end_message
                .is_some_and(|said| said.contains("Task not found")),
        );
        let folder = core.close().await;
        // Also after a further restart, and it is not asked for again.
        let core = Core::start_in(folder).await;
        core.connect_well(&server).await;
        let asked = |listener: &tests::listener::Listener| {
            listener
                .received()
                .iter()
                .filter(|received| received.asks() == "tasks/get")
                .count()
        };
        let before = asked(&listener);
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(asked(&listener), before);
        let still = until_task(&core, "it", |_| true).await;
        assert_eq!(still.standing, standing);
        core.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_reached_otherwise_is_not_told_of_tasks_of_another() {
    let core = Core::start().await;
    let listener = server(|_, _| working()).await;
    let other = server(|_, _| working()).await;
    let server = core
        .add_url("moved", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    core.start_call(&server, "echo", "{}").await;
    until_task(&core, "the task", |task| task.polls > 0).await;
    let mut draft = core
        .seen()
        .servers
        .iter()
        .find(|view| view.id == server)
        .and_then(|view| view.draft.clone())
        .expect("its draft");
    draft.endpoint = app::api::servers::Endpoint::Http {
        url: other.url(),
        headers: Vec::new(),
    };
    let folder = core.close().await;
    let core = Core::start_in(folder).await;
    let _: String = core
        .must("save_server", json!({ "server": server, "draft": draft }))
        .await;
    core.connect_well(&server).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert!(
        !other
            .received()
            .iter()
            .any(|received| received.asks() == "tasks/get")
    );
    let known = until_task(&core, "it", |_| true).await;
    assert_eq!(known.standing, TaskStanding::Unfollowed);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_the_file() {
    let secret = "hunter2-hunter2-hunter2";
    let core = Core::start().await;
    let listener = server(move |_, _| {
        Poll::Task(task(
            "working",
            &json!({ "statusMessage": format!("working for {secret}") }),
        ))
    })
    .await;
    let server = core
        .add_url(
            "talkative",
            &listener.url(),
            &[("X-Key", secret)],
            EraChoice::Auto,
        )
        .await;
    core.connect_well(&server).await;
    core.start_call(&server, "echo", "{}").await;
    let shown = until_task(&core, "words", |task| task.status_message.is_some()).await;
    let said = shown.status_message.expect("words");
    assert!(said.starts_with("working for ${secret:"), "{said}");
    let folder = core.close().await;
    let text = std::fs::read_to_string(folder.path().join("tasks.json")).expect("the file");
    assert!(text.contains("working for ${secret:"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_read_is_left_alone_and_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tasks.json");
    std::fs::write(&path, "{ \"layout\": 7, \"tasks\": [] }").expect("a file");
    let core = Core::start_in(folder).await;
    let problem = core
        .until("the problem", |seen| seen.status.file_problem.clone())
        .await;
    assert!(
        problem.contains("tasks.json") && problem.contains("later Roundtrip"),
        "{problem}"
    );
    let listener = server(|_, _| completed("done")).await;
    let server = core
        .add_url("quick", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    core.call(&server, "echo", "{}").await;
    core.close().await;
    let text = std::fs::read_to_string(&path);
    // The folder is gone with the core that held it, or the file is as it was.
    if let Ok(text) = text {
        assert!(text.contains("\"layout\": 7"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_are_taken_up_one_after_another() {
    let core = Core::start().await;
    let folder = core.close().await;
    let tasks: Vec<Value> = (0..300)
        .map(|number| {
            json!({
                "server": "", "server_name": "many", "reach": "", "task": format!("t-{number}"), "title": "echo",
                "design": "extension", "status": "working", "message": null, "created_at": null,
                "last_updated_at": null, "ttl_millis": null, "poll_interval_millis": 60_000,
                "is_cancel_asked": false, "polls": 3, "known_micros": 1, "seen_micros": 1,
                "loss": null, "end": null,
            })
        })
        .collect();
    let layout = json!({ "layout": 1, "tasks": tasks });
    std::fs::write(folder.path().join("tasks.json"), layout.to_string()).expect("a file");
    let core = Core::start_in(folder).await;
    // More than a batch holds, all of them arrive.
    core.until("all of them", |seen| {
        (seen.tasks.len() == 300).then_some(())
    })
    .await;
    let count: u32 = core
        .must(
            "forget_tasks",
            json!({ "tasks": (0..299).map(|n| json!({ "server": "", "task": format!("t-{n}") })).collect::<Vec<_>>() }),
        )
        .await;
    assert_eq!(count, 299);
    core.until("one is left", |seen| (seen.tasks.len() == 1).then_some(()))
        .await;
    core.close().await;
}
