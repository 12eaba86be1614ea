//! Cancelling, disconnecting, quitting, and servers that end in the middle.

use std::process::Command;

use app::api::options::{RestartChoice, ServerOptions};
use app::api::servers::{EraChoice, Phase};
use app::api::tools::{CallResult, CallStarted};
use journal::event::OperationId;
use serde_json::json;
use tests::core::{Core, text_of};
use tests::listener::{self, Listener};

fn lives(pid: u32) -> bool {
    // A zombie has ended; whoever started it has yet to be told.
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|stat| Some(stat.rsplit_once(") ")?.1.starts_with('Z')))
        .is_some_and(|is_zombie| !is_zombie)
}

/// Starts a call of the server that never answers, and waits until the server has it.
async fn hanging_call(core: &Core, server: &str) -> OperationId {
    let operation = core.start_call(server, "echo", "{}").await;
    core.until("the call", |seen| {
        seen.rows
            .iter()
            .any(|row| row.label == "the call came")
            .then_some(())
    })
    .await;
    operation
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_reply_after_cancel_is_shown_and_changes_nothing() {
    let core = Core::start().await;
    let server = core.add_odd("late", EraChoice::Auto).await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let _: () = core.must("cancel", json!({ "operation": operation })).await;
    let outcome = core.outcome(operation).await;
    assert_eq!(outcome.result, CallResult::Cancelled);
    // The server answers in order, so the late reply is there when this one is.
    let next = core.call(&server, "echo", r#"{"quick":1}"#).await;
    assert_eq!(text_of(&next), r#"{"quick": 1}"#);

    assert_eq!(
        core.outcome(operation).await.result,
        CallResult::Cancelled,
        "the late reply changed the outcome"
    );
    let timeline = core.unfolded().await;
    let (before, after) = timeline
        .split_once("tools/call echo — complete")
        .expect("the second call");
    assert!(before.contains("tools/call echo — cancelled"), "{timeline}");
    // It stands with the call that it answers, not with the one that happened to wait.
    assert!(before.contains("too late"), "{timeline}");
    assert!(!after.contains("too late"), "{timeline}");
    assert!(timeline.contains("notifications/cancelled"), "{timeline}");
    // Cancelling what has ended is an error in words.
    let gone = core
        .rpc::<()>("cancel", json!({ "operation": operation }))
        .await
        .expect_err("it has ended");
    assert_eq!(gone["code"], json!("gone"));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_in_the_middle_of_a_call_and_is_connected_again() {
    let core = Core::start().await;
    let options = ServerOptions {
        restart: RestartChoice::Never,
        ..ServerOptions::default()
    };
    let server = core
        .add_odd_as("hangs", &[], EraChoice::Auto, options)
        .await;
    let pid = core.connect_well(&server).await.pid.expect("a process");
    let operation = hanging_call(&core, &server).await;
    let killed = Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .expect("kill");
    assert!(killed.success());

    let outcome = core.outcome(operation).await;
    let CallResult::Failed { error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert!(error.message.contains("signal 9 (SIGKILL)"), "{error:#?}");
    assert!(error.message.contains("the call came"), "{error:#?}");
    let row = core.operation_row(operation).await;
    assert!(row.contains("tools/call echo — process ended"), "{row}");
    let connection = core.until_phase(&server, Phase::Failed).await;
    let error = connection.error.expect("an error");
    assert!(error.message.contains("SIGKILL"), "{error:#?}");
    assert_eq!(connection.pid, None);
    let refused = core
        .rpc::<CallStarted>(
            "call_tool",
            json!({ "server": server, "tool": 0, "name": "echo", "arguments": "{}" }),
        )
        .await
        .expect_err("it is not connected");
    assert_eq!(refused["code"], json!("gone"));

    let again = core.connect_well(&server).await;
    assert_ne!(again.pid, Some(pid));
    assert_eq!(again.error, None);
    assert_eq!(core.tools(&server).await.entries.len(), 1);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn quitting_while_a_server_has_not_answered_leaves_no_process() {
    let core = Core::start().await;
    let server = core.add_odd("mute", EraChoice::Legacy).await;
    let _: () = core
        .must("connect", json!({ "server": server, "era": null }))
        .await;
    let pid = core
        .until("the process", |seen| {
            let view = seen.servers.iter().find(|view| view.id == server)?;
            view.connection.pid
        })
        .await;
    assert!(lives(pid));
    let folder = core.close().await;
    assert!(!lives(pid), "it lives on");
    assert!(folder.path().exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_at_once_leaves_no_process() {
    let core = Core::start().await;
    let server = core.add_odd("plain", EraChoice::Auto).await;
    // At any moment of the handshake.
    for steps in 0..12 {
        let _: () = core
            .must("connect", json!({ "server": server, "era": null }))
            .await;
        for _ in 0..steps * 20 {
            tokio::task::yield_now().await;
        }
        let _: () = core.must("disconnect", json!({ "server": server })).await;
    }
    core.until_phase(&server, Phase::Disconnected).await;
    let connection = core.connect_well(&server).await;
    let pid = connection.pid.expect("a process");
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(&server, Phase::Disconnected).await;
    assert!(!lives(pid));
    core.close().await;
    assert_eq!(children_that_run("odd.py"), Vec::<u32>::new());
}

/// The children of this process whose command line holds these words.
fn children_that_run(words: &str) -> Vec<u32> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let path = entry.path();
        let read = |file: &str| std::fs::read_to_string(path.join(file)).unwrap_or_default();
        let stat = read("stat");
        let Some((_, rest)) = stat.rsplit_once(") ") else {
            continue;
        };
        let parent = rest.split(' ').nth(1).unwrap_or_default();
        if parent == own && read("cmdline").contains(words) {
            found.extend(entry.file_name().to_string_lossy().parse::<u32>());
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_while_connecting_and_while_a_call_runs() {
    let core = Core::start().await;
    let server = core.add_odd("mute", EraChoice::Auto).await;
    let _: () = core
        .must("connect", json!({ "server": server, "era": null }))
        .await;
    core.until("the question", |seen| {
        let view = seen.servers.iter().find(|view| view.id == server)?;
        let step = view.connection.step.as_deref()?;
        step.contains("server/discover").then_some(())
    })
    .await;
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    let connection = core.until_phase(&server, Phase::Disconnected).await;
    assert_eq!(connection.error, None, "the person's own wish is no error");

    let server = core.add_odd("hangs", EraChoice::Auto).await;
    let pid = core.connect_well(&server).await.pid.expect("a process");
    let operation = hanging_call(&core, &server).await;
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    let outcome = core.outcome(operation).await;
    let CallResult::Failed { error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert!(
        error.message.contains("connection was closed"),
        "{error:#?}"
    );
    let connection = core.until_phase(&server, Phase::Disconnected).await;
    assert_eq!(connection.error, None);
    assert!(!lives(pid));

    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("server/discover — cancelled"),
        "{timeline}"
    );
    assert!(
        timeline.contains("tools/call echo — disconnected"),
        "{timeline}"
    );
    assert!(!timeline.contains("— running"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_over_http_closes_the_exchange() {
    let core = Core::start().await;
    let (closed, mut is_closed) = tokio::sync::mpsc::unbounded_channel();
    let listener = Listener::start(move |asked, mut talk| {
        let closed = closed.clone();
        async move {
            if asked.asks() == "tools/call" {
                talk.stream().await;
                talk.until_closed().await;
                closed.send(()).expect("the test waits");
            } else {
                listener::modern(&asked, &mut talk).await;
            }
        }
    })
    .await;
    let server = core
        .add_url("hangs", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    listener
        .until(|received| received.asks() == "tools/call")
        .await;
    let _: () = core.must("cancel", json!({ "operation": operation })).await;
    assert_eq!(core.outcome(operation).await.result, CallResult::Cancelled);
    is_closed
        .recv()
        .await
        .expect("the server is told by the close");

    // And so does disconnecting.
    let operation = core.start_call(&server, "echo", "{}").await;
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    let outcome = core.outcome(operation).await;
    assert!(
        matches!(outcome.result, CallResult::Failed { .. }),
        "{outcome:#?}"
    );
    core.until_phase(&server, Phase::Disconnected).await;
    assert!(
        !listener
            .received()
            .iter()
            .any(|received| received.asks() == "notifications/cancelled"),
        "the modern era cancels by closing"
    );
    core.close().await;
}
