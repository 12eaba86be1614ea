//! How long a request may take: the server's own limits, a call's, what starts them anew and when they stand still.

use std::time::{Duration, Instant};

use app::api::feed::PromptAction;
use app::api::options::ServerOptions;
use app::api::servers::EraChoice;
use app::api::tools::{CallOutcome, CallResult, CallStarted};
use serde_json::json;
use tests::core::{Core, text_of};

async fn odd(core: &Core, oddity: &str, options: ServerOptions) -> String {
    let server = core
        .add_odd_as(oddity, &[], EraChoice::Legacy, options)
        .await;
    core.connect_well(&server).await;
    core.tools(&server).await;
    server
}

fn limits(request_limit_millis: u64, progress_resets_limit: bool, hard: u64) -> ServerOptions {
    ServerOptions {
        request_limit_millis,
        progress_resets_limit,
        hard_limit_millis: hard,
        ..ServerOptions::default()
    }
}

/// Why a call was given up.
fn timed_out(outcome: &CallOutcome) -> String {
    match &outcome.result {
        CallResult::Failed { error, .. } if error.message.contains("did not answer") => {
            error.message.clone()
        }
        other => panic!("it did not time out: {other:#?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_limit_and_a_calls_own() {
    let core = Core::start().await;
    let server = odd(&core, "hangs", limits(700, true, 3_600_000)).await;
    let outcome = core.call(&server, "echo", "{}").await;
    assert!(
        timed_out(&outcome).contains("within 0.7 seconds"),
        "{outcome:#?}"
    );
    assert!(outcome.total_micros < 3_000_000, "{outcome:#?}");

    let call = json!({
        "server": server, "tool": 0, "name": "echo", "arguments": "{}", "limit_millis": 2000
    });
    let begun = Instant::now();
    let started: CallStarted = core.must("call_tool", call).await;
    let outcome = core.outcome(started.operation).await;
    assert!(
        timed_out(&outcome).contains("within 2 seconds"),
        "{outcome:#?}"
    );
    assert!(begun.elapsed() >= Duration::from_secs(2));
    let timeline = core.unfolded().await;
    assert!(timeline.contains("notifications/cancelled"), "{timeline}");

    let refused = core
        .rpc::<CallStarted>(
            "call_tool",
            json!({
                "server": server, "tool": 0, "name": "echo", "arguments": "{}", "limit_millis": 0
            }),
        )
        .await
        .expect_err("no time at all");
    assert_eq!(refused["code"], json!("bad_input"));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_starts_the_limit_anew_where_the_switch_says_so_and_never_the_hard_one() {
    let core = Core::start().await;
    let long = r#"{"ticks":20}"#;
    let server = odd(&core, "ticks", limits(800, true, 3_600_000)).await;
    let outcome = core.call(&server, "echo", long).await;
    assert_eq!(text_of(&outcome), r#"{"ticks": 20}"#);
    let _: () = core
        .must("remove_server", json!({ "server": server }))
        .await;

    let server = odd(&core, "ticks", limits(800, false, 3_600_000)).await;
    let outcome = core.call(&server, "echo", long).await;
    assert!(timed_out(&outcome).contains("within 0.8 seconds"));
    let _: () = core
        .must("remove_server", json!({ "server": server }))
        .await;

    let server = odd(&core, "ticks", limits(800, true, 1000)).await;
    let outcome = core.call(&server, "echo", long).await;
    let message = timed_out(&outcome);
    assert!(
        message.contains("within 1 second, the longest"),
        "{message}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn log_lines_without_end_are_no_sign_of_life_of_a_call() {
    let core = Core::start().await;
    let server = odd(&core, "chatters", limits(900, true, 3_600_000)).await;
    let outcome = core.call(&server, "echo", "{}").await;
    timed_out(&outcome);
    assert!(outcome.total_micros < 5_000_000, "{outcome:#?}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clocks_of_all_calls_stand_still_while_a_question_is_open_that_may_be_any_ones() {
    let core = Core::start().await;
    // Both limits: the person's time is no part of either.
    let server = odd(&core, "asks-beside-two", limits(1200, true, 1500)).await;
    let first = core.start_call(&server, "echo", r#"{"n":1}"#).await;
    let second = core.start_call(&server, "echo", r#"{"n":2}"#).await;
    let prompt = core
        .until("the question", |seen| seen.prompts.first().cloned())
        .await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let _: () = core
        .must(
            "answer_prompt",
            json!({
                "prompt": prompt.id,
                "action": PromptAction::Accept,
                "content": r#"{"count":3}"#,
            }),
        )
        .await;
    for operation in [first, second] {
        let outcome = core.outcome(operation).await;
        assert!(text_of(&outcome).contains(r#""count": 3"#), "{outcome:#?}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_answer_to_the_same_id_is_a_row_of_its_own() {
    let core = Core::start().await;
    let server = odd(&core, "twice", ServerOptions::default()).await;
    for number in 1..=3 {
        let outcome = core
            .call(&server, "echo", &format!(r#"{{"n":{number}}}"#))
            .await;
        assert_eq!(text_of(&outcome), format!(r#"{{"n": {number}}}"#));
    }
    // The last one's second answer may be on its way yet.
    core.call(&server, "echo", r#"{"n":4}"#).await;
    let timeline = core.unfolded().await;
    let orphans: Vec<&str> = timeline
        .lines()
        .filter(|line| line.contains("orphan reply"))
        .collect();
    for number in 1..=3 {
        assert!(
            orphans
                .iter()
                .any(|line| line.contains(&format!("\\\"n\\\": {number}"))),
            "{number}: {timeline}"
        );
    }
    core.close().await;
}
