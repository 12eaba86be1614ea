//! Which era a server speaks, found out or chosen.

use app::api::ErrorCode;
use app::api::servers::{EraChoice, Phase};
use app::api::tools::ListState;
use serde_json::json;
use tests::core::{Core, text_of};
use tests::listener::{self, Listener};

#[tokio::test(flavor = "multi_thread")]
async fn legacy_servers_are_found_out_by_how_they_answer_the_probe() {
    let core = Core::start().await;
    for (oddity, reason) in [
        ("plain", "error -32601"),
        ("invalid-params", "error -32602"),
        ("server-error", "error -32000"),
        ("null-id", "error -32600"),
        ("ignores-discover", "not answered within 5 s"),
        ("dies-before-initialize", "exit code 2"),
    ] {
        let server = core.add_odd(oddity, EraChoice::Auto).await;
        let connection = core.connect_well(&server).await;
        let report = connection.report.expect("a report");
        assert_eq!(
            (report.era.as_str(), report.revision.as_str()),
            ("legacy", "2025-11-25"),
            "{oddity}"
        );
        assert!(
            report.era_reason.contains(reason),
            "{oddity}: {}",
            report.era_reason
        );
        assert_eq!(report.name.as_deref(), Some("odd"));
        let outcome = core.call(&server, "echo", r#"{"a":1}"#).await;
        assert_eq!(text_of(&outcome), r#"{"a": 1}"#, "{oddity}");
    }
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("expected initialize, got server/discover"),
        "{timeline}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_era_is_offered_when_the_chosen_one_is_not_spoken() {
    let core = Core::start().await;
    for (oddity, wrong, right, offered, row) in [
        (
            "plain-modern",
            EraChoice::Legacy,
            EraChoice::Modern,
            "Connect as modern",
            "initialize — error -32022",
        ),
        (
            "plain",
            EraChoice::Modern,
            EraChoice::Legacy,
            "Connect as legacy",
            "server/discover — error -32601",
        ),
    ] {
        let server = core.add_odd(oddity, EraChoice::Auto).await;
        let failure = core.connect_badly(&server, Some(wrong)).await;
        assert_eq!(failure.error.code, ErrorCode::WrongEra, "{failure:#?}");
        assert!(
            failure
                .error
                .hint
                .as_deref()
                .is_some_and(|hint| hint.contains(offered)),
            "{failure:#?}"
        );
        assert!(failure.row.contains(row), "{failure:#?}");
        let connection = core.connect_as(&server, Some(right)).await;
        assert_eq!(connection.phase, Phase::Connected, "{connection:#?}");
        assert_eq!(connection.error, None);
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_modern_server_over_http_refuses_initialize_with_400() {
    let core = Core::start().await;
    for (code, data) in [
        (-32020, json!(null)),
        (
            -32022,
            json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" }),
        ),
    ] {
        let listener = Listener::start(move |asked, mut talk| {
            let data = data.clone();
            async move {
                if asked.asks() == "initialize" {
                    let error = json!({ "code": code, "message": "no", "data": data });
                    let body =
                        json!({ "jsonrpc": "2.0", "id": asked.message()["id"], "error": error });
                    talk.json("400 Bad Request", &body).await;
                } else {
                    listener::modern(&asked, &mut talk).await;
                }
            }
        })
        .await;
        let server = core
            .add_url(
                &format!("modern {code}"),
                &listener.url(),
                &[],
                EraChoice::Auto,
            )
            .await;
        let failure = core.connect_badly(&server, Some(EraChoice::Legacy)).await;
        assert_eq!(failure.error.code, ErrorCode::WrongEra, "{failure:#?}");
        assert!(
            failure.row.contains(&format!("initialize — error {code}")),
            "{failure:#?}"
        );
        let report = core.connect_well(&server).await.report.expect("a report");
        assert_eq!(report.era, "modern");
        let outcome = core.call(&server, "echo", r#"{"a":1}"#).await;
        assert_eq!(text_of(&outcome), r#"{"a":1}"#);
        let sent: Vec<_> = listener
            .received()
            .iter()
            .map(|received| {
                (
                    received.asks(),
                    received.header("mcp-protocol-version").map(str::to_owned),
                    received.header("mcp-method").map(str::to_owned),
                )
            })
            .collect();
        let modern = |method: &str| {
            (
                method.to_owned(),
                Some("2026-07-28".to_owned()),
                Some(method.to_owned()),
            )
        };
        assert_eq!(
            sent,
            [
                ("initialize".to_owned(), None, None),
                modern("server/discover"),
                modern("tools/list"),
                modern("tools/call"),
            ]
        );
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_modern_server_that_wakes_up_late_is_still_found_out() {
    let core = Core::start().await;
    let server = core.add_odd("sleepy", EraChoice::Auto).await;
    let report = core.connect_well(&server).await.report.expect("a report");
    assert_eq!(report.era, "modern", "{}", report.era_reason);
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("server/discover — timed out"),
        "{timeline}"
    );
    // The answer that came too late stands with the question that it answers.
    let (first, _) = timeline.split_once("initialize").expect("it was tried");
    assert!(first.contains("orphan reply"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_server_that_wakes_up_late_and_ends_on_the_probe() {
    let core = Core::start().await;
    let script = tests::programs::odd_server();
    let woken = core.folder().join("woken");
    let args = [
        &*script.to_string_lossy(),
        "wakes-and-dies",
        &*woken.to_string_lossy(),
    ];
    let server = core
        .add_command("late", "python3", &args, EraChoice::Auto)
        .await;
    let report = core.connect_well(&server).await.report.expect("a report");
    assert_eq!(report.era, "legacy");
    assert!(
        report.era_reason.contains("not answered within 5 s"),
        "{}",
        report.era_reason
    );
    assert_eq!(core.tools(&server).await.entries.len(), 1);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_answers_to_initialize() {
    let core = Core::start().await;
    let script = tests::programs::odd_server();
    let script = script.to_string_lossy();
    for (answer, words) in [
        ("null", "names no protocolVersion"),
        ("[]", "names no protocolVersion"),
        ("\"hello\"", "names no protocolVersion"),
        ("{}", "names no protocolVersion"),
        (r#"{"protocolVersion":5}"#, "names no protocolVersion"),
        (r#"{"protocolVersion":"1999-01-01"}"#, "1999-01-01"),
        (r#"{"protocolVersion":"DRAFT"}"#, "DRAFT"),
        (r#"{"protocolVersion":"2026-07-28"}"#, "2026-07-28"),
    ] {
        let args = [&*script, "answers", answer];
        let server = core
            .add_command(answer, "python3", &args, EraChoice::Legacy)
            .await;
        let failure = core.connect_badly(&server, None).await;
        assert!(
            failure.error.message.contains(words),
            "{answer}: {failure:#?}"
        );
        assert!(failure.error.hint.is_some(), "{answer}: {failure:#?}");
        assert!(
            failure.row.starts_with("initialize"),
            "{answer}: {failure:#?}"
        );
    }
    // What can be used is used, whatever else is odd.
    let answer = r#"{"protocolVersion":"2024-11-05","capabilities":{"tools":true,"x":[]},"serverInfo":[1],"instructions":7}"#;
    let args = [&*script, "answers", answer];
    let server = core
        .add_command("usable", "python3", &args, EraChoice::Legacy)
        .await;
    let report = core.connect_well(&server).await.report.expect("a report");
    assert_eq!(report.revision, "2024-11-05");
    assert_eq!((report.name, report.instructions), (None, None));
    assert_eq!(core.tools(&server).await.entries.len(), 1);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_a_name_keeps_that_of_the_catalog() {
    let core = Core::start().await;
    for oddity in ["nameless", "empty-name"] {
        let server = core.add_odd(oddity, EraChoice::Auto).await;
        let report = core.connect_well(&server).await.report.expect("a report");
        assert_eq!((report.name, report.era.as_str()), (None, "modern"));
        let list = core.tools(&server).await;
        assert_eq!((list.state, list.entries.len()), (ListState::Ready, 1));
        let view = core
            .until("the server", |seen| {
                seen.servers.iter().find(|view| view.id == server).cloned()
            })
            .await;
        assert_eq!(view.name, oddity);
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_with_the_id_0_are_shown_beside_what_waits() {
    let core = Core::start().await;
    let server = core.add_odd("id-0", EraChoice::Auto).await;
    let failure = core.connect_badly(&server, None).await;
    assert!(
        failure
            .error
            .message
            .contains("a reply with the id 0, but the request's id is 2"),
        "{failure:#?}"
    );
    assert!(
        failure.row.contains("initialize — wrong id"),
        "{failure:#?}"
    );
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("server/discover — wrong id"),
        "{timeline}"
    );
    assert!(timeline.contains("orphan"), "{timeline}");
    core.close().await;
}
