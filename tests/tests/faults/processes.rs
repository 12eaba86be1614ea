//! Lives of processes: which is asked for its era, which is started anew, and when.

use std::process::Command;
use std::time::{Duration, Instant};

use app::api::options::{RestartChoice, ServerOptions};
use app::api::servers::{Endpoint, EraChoice, Phase, ServerDraft};
use app::api::tools::CallResult;
use serde_json::json;
use tests::core::{Core, text_of};
use tests::programs;

fn draft(oddity: &str, args: &[&str], restart: RestartChoice) -> ServerDraft {
    let script = programs::odd_server().to_string_lossy().into_owned();
    ServerDraft {
        name: oddity.to_owned(),
        endpoint: Endpoint::Stdio {
            command: "python3".to_owned(),
            args: ["-u".to_owned(), script, oddity.to_owned()]
                .into_iter()
                .chain(args.iter().map(|arg| (*arg).to_owned()))
                .collect(),
            env: Vec::new(),
            folder: None,
        },
        era: EraChoice::Auto,
        options: ServerOptions {
            restart,
            ..ServerOptions::default()
        },
    }
}

/// How many processes were started, and how often a server was asked for its era.
async fn counted(core: &Core) -> (usize, usize) {
    let timeline = core.unfolded().await;
    (
        timeline.matches("process/start python3").count(),
        timeline.matches("server/discover —").count(),
    )
}

async fn leave(core: &Core, server: &str) {
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(server, Phase::Disconnected).await;
}

fn kill(pid: u32) {
    let killed = Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .expect("kill");
    assert!(killed.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_server_is_asked_once_by_a_process_of_its_own_and_remembered() {
    let core = Core::start().await;
    let server = core.add(draft("plain", &[], RestartChoice::Never)).await;
    core.connect_well(&server).await;
    assert_eq!(
        counted(&core).await,
        (2, 1),
        "one to ask, one for the session"
    );
    leave(&core, &server).await;

    let report = core.connect_well(&server).await.report.expect("a report");
    assert_eq!(report.era, "legacy");
    assert!(
        report.era_reason.contains("found to be before"),
        "{report:#?}"
    );
    assert_eq!(counted(&core).await, (3, 1), "it was asked again");
    leave(&core, &server).await;

    // Another command is another server.
    let _: String = core
        .must(
            "save_server",
            json!({ "server": server, "draft": draft("plain", &["--again"], RestartChoice::Never) }),
        )
        .await;
    core.connect_well(&server).await;
    assert_eq!(
        counted(&core).await,
        (5, 2),
        "it was not asked after the edit"
    );

    // The finding outlives Roundtrip, and stands outside the catalog's file.
    let folder = core.close().await;
    let catalog = std::fs::read_to_string(folder.path().join("servers.json")).expect("the catalog");
    assert!(
        !catalog.contains("found") && !catalog.contains("2025-11-25"),
        "{catalog}"
    );
    let core = Core::start_in(folder).await;
    core.until("the servers", |seen| {
        (!seen.servers.is_empty()).then_some(())
    })
    .await;
    core.connect_well(&server).await;
    assert_eq!(counted(&core).await, (1, 0));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_modern_server_goes_on_in_the_process_that_was_asked() {
    let core = Core::start().await;
    let server = core
        .add(draft("plain-modern", &[], RestartChoice::Never))
        .await;
    core.connect_well(&server).await;
    assert_eq!(counted(&core).await, (1, 1));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_crashes_at_once_is_started_once() {
    let core = Core::start().await;
    for restart in [
        RestartChoice::Never,
        RestartChoice::OnRequest,
        RestartChoice::AtOnce,
    ] {
        let server = core.add(draft("crash", &[], restart)).await;
        let begun = Instant::now();
        let failure = core.connect_badly(&server, None).await;
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "it waited for a time-out"
        );
        let message = &failure.error.message;
        assert!(message.contains("exit code 1"), "{failure:#?}");
        assert!(
            message.contains("the database of the server is not there"),
            "{failure:#?}"
        );
        let _: () = core
            .must("remove_server", json!({ "server": server }))
            .await;
    }
    assert_eq!(counted(&core).await.0, 3);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remembered_era_that_does_not_hold_is_found_anew() {
    let core = Core::start().await;
    let flag = core.folder().join("modern");
    let server = core
        .add(draft(
            "turncoat",
            &[&flag.to_string_lossy()],
            RestartChoice::Never,
        ))
        .await;
    assert_eq!(
        core.connect_well(&server)
            .await
            .report
            .expect("a report")
            .era,
        "legacy"
    );
    leave(&core, &server).await;
    std::fs::write(&flag, "").expect("the flag");
    assert_eq!(
        core.connect_well(&server)
            .await
            .report
            .expect("a report")
            .era,
        "modern"
    );
    leave(&core, &server).await;
    // And back.
    std::fs::remove_file(&flag).expect("the flag");
    assert_eq!(
        core.connect_well(&server)
            .await
            .report
            .expect("a report")
            .era,
        "legacy"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_to_connect_is_no_fault_of_the_server() {
    let core = Core::start().await;
    let server = core.add(draft("mute", &[], RestartChoice::Never)).await;
    for era in [EraChoice::Auto, EraChoice::Legacy] {
        let _: () = core
            .must("connect", json!({ "server": server, "era": era }))
            .await;
        core.until("the question", |seen| {
            let view = seen.servers.iter().find(|view| view.id == server)?;
            view.connection
                .step
                .as_deref()?
                .contains("waiting for the answer")
                .then_some(())
        })
        .await;
        leave(&core, &server).await;
    }
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("server/discover — cancelled"),
        "{timeline}"
    );
    assert!(timeline.contains("initialize — cancelled"), "{timeline}");
    assert!(!timeline.contains("— disconnected"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_request_starts_a_process_anew_that_has_ended() {
    let core = Core::start().await;
    let server = core
        .add(draft("plain", &[], RestartChoice::OnRequest))
        .await;
    let pid = core.connect_well(&server).await.pid.expect("a process");
    core.tools(&server).await;
    kill(pid);
    let connection = core.until_phase(&server, Phase::Failed).await;
    let error = connection.error.expect("an error");
    assert!(error.message.contains("SIGKILL"), "{error:#?}");
    assert!(connection.wakes);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(
        core.connection(&server).phase,
        Phase::Failed,
        "nobody asked for it"
    );

    // Two at once start it once.
    let first = core.call(&server, "echo", r#"{"n":1}"#);
    let second = core.call(&server, "echo", r#"{"n":2}"#);
    let (first, second) = tokio::join!(first, second);
    assert_eq!(text_of(&first), r#"{"n": 1}"#);
    assert_eq!(text_of(&second), r#"{"n": 2}"#);
    let connection = core.until_phase(&server, Phase::Connected).await;
    assert!(!connection.wakes);
    assert_ne!(connection.pid, Some(pid));
    let timeline = core.unfolded().await;
    assert_eq!(timeline.matches("initialize —").count(), 2, "{timeline}");

    // What the person has disconnected stays down.
    leave(&core, &server).await;
    let refused = core
        .rpc::<serde_json::Value>(
            "call_tool",
            json!({ "server": server, "tool": 0, "name": "echo", "arguments": "{}" }),
        )
        .await
        .expect_err("it is not connected");
    assert_eq!(refused["code"], json!("gone"));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_is_started_anew_at_once_and_what_was_in_flight_fails_with_the_cause() {
    let core = Core::start().await;
    let server = core.add(draft("hangs", &[], RestartChoice::AtOnce)).await;
    let pid = core.connect_well(&server).await.pid.expect("a process");
    let operation = core.start_call(&server, "echo", "{}").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    kill(pid);
    let outcome = core.outcome(operation).await;
    let CallResult::Failed { error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert!(error.message.contains("signal 9 (SIGKILL)"), "{error:#?}");
    let connection = core
        .until("a new process", |seen| {
            let view = seen.servers.iter().find(|view| view.id == server)?;
            let connection = &view.connection;
            (connection.phase == Phase::Connected && connection.pid != Some(pid))
                .then(|| connection.clone())
        })
        .await;
    assert_eq!(connection.error, None);
    assert_eq!(core.tools(&server).await.entries.len(), 1);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_ends_again_and_again_is_left_alone_in_the_end() {
    let core = Core::start().await;
    let server = core
        .add(draft("ends-soon", &[], RestartChoice::AtOnce))
        .await;
    let _: () = core
        .must("connect", json!({ "server": server, "era": null }))
        .await;
    let error = core
        .until("the end of it", |seen| {
            let view = seen.servers.iter().find(|view| view.id == server)?;
            let error = view.connection.error.as_ref()?;
            let is_last = error
                .hint
                .as_deref()
                .is_some_and(|hint| hint.contains("5 times in a row"));
            is_last.then(|| error.clone())
        })
        .await;
    assert!(error.message.contains("exit code 7"), "{error:#?}");
    assert!(error.message.contains("that was all"), "{error:#?}");
    // One to ask, one for the session, and one for each time that it was started anew.
    assert_eq!(counted(&core).await, (7, 1));
    core.close().await;
}
