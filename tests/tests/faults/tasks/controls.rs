//! What a person does about tasks: their pace, their end, and forgetting them.

use app::api::servers::EraChoice;
use app::api::tasks::{TaskStanding, TaskView};
use journal::event::OperationId;
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::Listener;

use super::{Poll, completed, server, task, tasks, working};

/// A task as the view has it.
async fn until_task(core: &Core, what: &str, found: impl Fn(&TaskView) -> bool) -> TaskView {
    core.until(what, |seen| {
        seen.tasks.iter().find(|task| found(task)).cloned()
    })
    .await
}

fn pace(server: &str, interval_millis: Option<u64>, is_paused: bool, is_forced: bool) -> Value {
    json!({
        "server": server,
        "task": "t-1",
        "is_paused": is_paused,
        "interval_millis": interval_millis,
        "is_forced": is_forced,
    })
}

fn polls(listener: &Listener) -> usize {
    listener
        .received()
        .iter()
        .filter(|received| received.asks() == "tasks/get")
        .count()
}

async fn begun<A>(answer: A) -> (Core, Listener, String, OperationId)
where
    A: Fn(usize, &[String]) -> Poll + Send + Sync + 'static,
{
    let core = Core::start().await;
    let listener = server(answer).await;
    let server = core
        .add_url("worker", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    until_task(&core, "the task", |task| task.polls > 0).await;
    (core, listener, server, operation)
}

#[tokio::test(flavor = "multi_thread")]
async fn paused_polls_wait_for_the_person_and_go_on_when_they_say_so() {
    let (core, listener, server, operation) = begun(|_, _| working()).await;
    let _: () = core
        .must("pace_task", pace(&server, None, true, false))
        .await;
    let paused = until_task(&core, "the pause", |task| task.is_paused).await;
    assert_eq!(
        (paused.is_followed, paused.next_poll_micros),
        (true, None),
        "{paused:#?}"
    );
    // One that was on its way may still be answered.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let before = polls(&listener);
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    assert_eq!(polls(&listener), before);
    // A poll by hand is one poll.
    let same: OperationId = core
        .must("poll_task", json!({ "server": server, "task": "t-1" }))
        .await;
    assert_eq!(same, operation);
    until_task(&core, "the poll by hand", |task| {
        task.polls as usize == before + 1
    })
    .await;
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    assert_eq!(polls(&listener), before + 1);
    let _: () = core
        .must("pace_task", pace(&server, None, false, false))
        .await;
    until_task(&core, "further polls", |task| {
        task.polls as usize > before + 3
    })
    .await;
    // The record says who paused them.
    let events = core.events(operation).await;
    assert!(events.contains("You paused its polls."), "{events}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn polls_are_faster_than_the_server_wants_only_by_force() {
    let (core, _listener, server, operation) =
        begun(|_, _| Poll::Task(task("working", &json!({ "pollIntervalMs": 30_000 })))).await;
    until_task(&core, "the interval", |task| {
        task.poll_interval_millis == Some(30_000)
    })
    .await;
    for (interval, words) in [(200, "30000 ms apart"), (5, "from 0.1 s to a day")] {
        let refused = core
            .rpc::<()>("pace_task", pace(&server, Some(interval), false, false))
            .await
            .expect_err("it is too short");
        assert_eq!(refused["code"], "bad_input");
        assert!(refused.to_string().contains(words), "{refused}");
    }
    let slow = until_task(&core, "the task", |_| true).await;
    let _: () = core
        .must("pace_task", pace(&server, Some(200), false, true))
        .await;
    let fast = until_task(&core, "fast polls", |task| task.polls > slow.polls + 3).await;
    assert_eq!(
        (fast.own_interval_millis, fast.is_forced),
        (Some(200), true)
    );
    let events = core.events(operation).await;
    assert!(
        events.contains("the server wants 30.000 s and may refuse more frequent ones"),
        "{events}"
    );
    let unknown = core
        .rpc::<()>(
            "pace_task",
            json!({ "server": server, "task": "t-9", "is_paused": true, "interval_millis": null, "is_forced": false }),
        )
        .await
        .expect_err("there is none");
    assert_eq!(unknown["code"], "gone");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_task_is_followed_no_more_and_may_be_recalled() {
    let (core, listener, server, operation) = begun(|_, _| working()).await;
    let one = json!({ "tasks": [{ "server": server, "task": "t-1" }] });
    let count: u32 = core.must("forget_tasks", one.clone()).await;
    assert_eq!(count, 1);
    core.until("an empty list", |seen| seen.tasks.is_empty().then_some(()))
        .await;
    assert!(tasks(&core, &server).await.is_empty());
    let events = core.events(operation).await;
    assert!(
        events.contains("Forgotten by you, so it is followed no more"),
        "{events}"
    );
    // The server was not told.
    assert!(
        !listener
            .received()
            .iter()
            .any(|received| received.asks() == "tasks/cancel")
    );
    let before = polls(&listener);
    let count: u32 = core.must("recall_tasks", one.clone()).await;
    assert_eq!(count, 1);
    let back = until_task(&core, "the task again", |task| task.is_followed).await;
    assert_eq!((back.title.as_str(), back.task.as_str()), ("echo", "t-1"));
    assert_ne!(back.operation, Some(operation));
    until_task(&core, "further polls", |_| polls(&listener) > before + 2).await;
    let again: u32 = core.must("recall_tasks", one).await;
    assert_eq!(again, 0);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_are_cancelled_once_and_what_really_happened_is_told() {
    let (core, listener, server, _) = begun(|_, asked| {
        // It was nearly done when it was asked to stop.
        if asked.iter().any(|method| method == "tasks/cancel") {
            completed("done before")
        } else {
            working()
        }
    })
    .await;
    let count: u32 = core.must("cancel_tasks", json!({ "server": server })).await;
    assert_eq!(count, 1);
    let over = until_task(&core, "its end", |task| task.standing == TaskStanding::Over).await;
    assert_eq!(
        (over.status.as_str(), over.is_cancel_asked),
        ("completed", true)
    );
    assert!(
        over.result_byte_len.is_some_and(|len| len > 10),
        "{over:#?}"
    );
    let count: u32 = core.must("cancel_tasks", json!({ "server": null })).await;
    assert_eq!(count, 0);
    let asked = listener
        .received()
        .iter()
        .filter(|received| received.asks() == "tasks/cancel")
        .count();
    assert_eq!(asked, 1);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_polls_back_off_and_show() {
    let (core, _listener, _server, _) = begun(|polls, _| {
        if (2..5).contains(&polls) {
            Poll::Status("503 Service Unavailable")
        } else {
            working()
        }
    })
    .await;
    let failing = until_task(&core, "two failures", |task| task.failed_polls == 2).await;
    assert!(
        failing
            .problem
            .as_deref()
            .is_some_and(|why| why.contains("503")),
        "{failing:#?}"
    );
    assert_eq!(failing.status, "working");
    let mended = until_task(&core, "an answer", |task| {
        task.failed_polls == 0 && task.polls > 4
    })
    .await;
    assert_eq!(mended.problem, None);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handle_is_added_by_hand_and_an_unknown_one_says_so() {
    let core = Core::start().await;
    let listener = server(|_, _| Poll::Error(-32602, "Task not found")).await;
    let server = core
        .add_url("worker", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let empty = core
        .rpc::<OperationId>("poll_task", json!({ "server": server, "task": "  " }))
        .await
        .expect_err("there is nothing in it");
    assert_eq!(empty["code"], "bad_input");
    let _: OperationId = core
        .must("poll_task", json!({ "server": server, "task": " t-1 " }))
        .await;
    let lost = until_task(&core, "that it is unknown", |task| {
        task.standing == TaskStanding::Lost
    })
    .await;
    assert_eq!(lost.task, "t-1");
    let said = lost.end_message.expect("a sentence");
    assert!(said.contains("Task not found"), "{said}");
    core.close().await;
}
