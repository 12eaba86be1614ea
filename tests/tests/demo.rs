//! The bundled demo server through the whole core, over stdio and over HTTP.

use app::api::feed::PromptAsk;
use app::api::servers::Phase;
use app::api::tools::CallResult;
use serde_json::json;
use tests::core::{Core, text_of};

#[tokio::test(flavor = "multi_thread")]
async fn one_click_connects_to_the_demo_server_over_stdio() {
    let core = Core::start().await;
    let connection = core.connect_well("demo-stdio").await;
    let report = connection.report.expect("a report");
    assert_eq!(report.era, "modern");
    assert_eq!(report.revision, "2026-07-28");
    assert!(connection.pid.is_some());

    let outcome = core.call("demo-stdio", "echo", r#"{"text":"ciao"}"#).await;
    assert!(text_of(&outcome).contains("ciao"));
    let timeline = core.unfolded().await;
    assert!(timeline.contains("server/discover"), "{timeline}");
    assert!(timeline.contains("tools/call echo"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_click_connects_to_the_demo_server_over_http() {
    let core = Core::start().await;
    let connection = core.connect_well("demo-http").await;
    assert_eq!(connection.report.expect("a report").era, "modern");
    let list = core.tools("demo-http").await;
    assert!(
        list.tools.len() > 6,
        "more than one page: {}",
        list.tools.len()
    );
    let outcome = core.call("demo-http", "echo", r#"{"text":"ciao"}"#).await;
    assert!(text_of(&outcome).contains("ciao"));

    let details: serde_json::Value = core
        .must("row", json!({ "key": format!("o{}", outcome.operation.0) }))
        .await;
    let http = &details["exchanges"][0]["http"];
    let header = |name: &str| {
        http["request"]["headers"]
            .as_array()
            .expect("headers")
            .iter()
            .find(|header| {
                header["name"]
                    .as_str()
                    .is_some_and(|found| found.eq_ignore_ascii_case(name))
            })
            .map(|header| header["value"].clone())
    };
    assert_eq!(header("mcp-method"), Some(json!("tools/call")));
    assert_eq!(header("mcp-name"), Some(json!("echo")));
    assert_eq!(header("mcp-protocol-version"), Some(json!("2026-07-28")));
    assert_eq!(http["response"]["status"], json!(200));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_asked_answered_and_sent_in_the_next_round() {
    for server in ["demo-stdio", "demo-http"] {
        let core = Core::start().await;
        core.connect_well(server).await;
        let operation = core
            .start_call(
                server,
                "book_table",
                r#"{"restaurant":"Trattoria Lucia","date":"2026-12-04"}"#,
            )
            .await;
        let prompt = core
            .until("the prompt", |seen| seen.prompts.first().cloned())
            .await;
        assert!(matches!(prompt.ask, PromptAsk::Form { .. }), "{prompt:#?}");
        assert_eq!(prompt.operation, Some(operation));
        let content =
            r#"{"party_size":4,"seating":"terrace","email":"ana@example.com","remind":true}"#;
        let _: () = core
            .must(
                "answer_prompt",
                json!({ "prompt": prompt.id, "action": "accept", "content": content }),
            )
            .await;
        let outcome = core.outcome(operation).await;
        assert!(
            matches!(
                outcome.result,
                CallResult::Tool {
                    is_error: false,
                    ..
                }
            ),
            "{outcome:#?}\n{}",
            core.timeline()
        );
        assert!(outcome.user_micros > 0);
        let timeline = core.unfolded().await;
        assert!(timeline.contains("round 2"), "{timeline}");
        assert!(timeline.contains("accepted"), "{timeline}");
        core.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_comes_before_the_result_and_cancel_stops_it() {
    let core = Core::start().await;
    core.connect_well("demo-stdio").await;
    let outcome = core
        .call(
            "demo-stdio",
            "slow_count",
            r#"{"steps":3,"step_millis":10}"#,
        )
        .await;
    assert!(
        matches!(
            outcome.result,
            CallResult::Tool {
                is_error: false,
                ..
            }
        ),
        "{outcome:#?}"
    );
    let timeline = core.unfolded().await;
    assert_eq!(
        timeline.matches("notifications/progress").count(),
        3,
        "{timeline}"
    );

    let operation = core
        .start_call(
            "demo-stdio",
            "slow_count",
            r#"{"steps":600,"step_millis":1000}"#,
        )
        .await;
    let _: () = core.must("cancel", json!({ "operation": operation })).await;
    let outcome = core.outcome(operation).await;
    assert_eq!(outcome.result, CallResult::Cancelled);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_leaves_no_process() {
    let core = Core::start().await;
    for server in ["demo-stdio", "demo-http"] {
        let connection = core.connect_well(server).await;
        let pid = connection.pid.expect("a process");
        let _: () = core.must("disconnect", json!({ "server": server })).await;
        core.until("the end", |seen| {
            let view = seen.servers.iter().find(|view| view.id == server)?;
            (view.connection.phase == Phase::Disconnected).then_some(())
        })
        .await;
        assert!(
            !std::path::Path::new(&format!("/proc/{pid}")).exists(),
            "{server} lives on"
        );
    }
    core.close().await;
}
