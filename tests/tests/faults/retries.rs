//! Attempts that fail on the way: sent again by themselves where that is safe and wanted, on the person's word, or never;
//! each attempt with its cause and its wait in the timeline.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use app::api::feed::{PromptAsk, PromptView};
use app::api::options::{RetryChoice, ServerOptions};
use app::api::servers::{Endpoint, EraChoice, Phase, ServerDraft};
use app::api::tools::{CallOutcome, CallResult};
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received, Talk};

/// How the server treats the calls that it does not answer.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// HTTP 503 that asks to come back at once.
    Busy,
    /// The same with a JSON-RPC error in the body.
    BusyInWords,
    /// HTTP 429 that asks for an hour.
    AnHour,
    /// HTTP 503 that asks for nothing.
    BusyForSome,
    /// The connection is closed without a word.
    HangUp,
}

async fn fail(fault: Fault, asked: &Received, talk: &mut Talk) {
    match fault {
        Fault::Busy => {
            talk.answer("503 Service Unavailable", &[("retry-after", "0")], "")
                .await;
        }
        Fault::BusyForSome => talk.answer("503 Service Unavailable", &[], "").await,
        Fault::BusyInWords => {
            let error = json!({ "code": -32000, "message": "come back" });
            let body = json!({ "jsonrpc": "2.0", "id": asked.message()["id"], "error": error });
            let headers = [("retry-after", "0"), ("content-type", "application/json")];
            talk.answer("503 Service Unavailable", &headers, &body.to_string())
                .await;
        }
        Fault::AnHour => {
            talk.answer("429 Too Many Requests", &[("retry-after", "3600")], "")
                .await;
        }
        Fault::HangUp => {}
    }
}

/// A server with the tools `read` (read-only), `put` (idempotent) and `pay` (neither), whose first `failures` answers to
/// `method` are faults.
async fn flaky(method: &'static str, failures: u32, fault: Fault) -> Listener {
    let count = Arc::new(AtomicU32::new(0));
    Listener::start(move |asked, mut talk| {
        let count = Arc::clone(&count);
        async move {
            if asked.asks() == method && count.fetch_add(1, Ordering::SeqCst) < failures {
                fail(fault, &asked, &mut talk).await;
            } else if asked.asks() == "tools/list" {
                let tool = |name: &str, annotations: Value| {
                    json!({ "name": name, "inputSchema": { "type": "object" }, "annotations": annotations })
                };
                let list = json!({
                    "resultType": "complete",
                    "ttlMs": 0,
                    "cacheScope": "private",
                    "tools": [
                        tool("read", json!({ "readOnlyHint": true })),
                        tool("put", json!({ "idempotentHint": true })),
                        tool("pay", json!({})),
                    ],
                });
                talk.result(&asked, &list).await;
            } else {
                listener::modern(&asked, &mut talk).await;
            }
        }
    })
    .await
}

async fn server(core: &Core, listener: &Listener, retry: RetryChoice, retry_limit: u32) -> String {
    core.add(ServerDraft {
        name: "flaky".to_owned(),
        endpoint: Endpoint::Http {
            url: listener.url(),
            headers: Vec::new(),
        },
        era: EraChoice::Auto,
        options: ServerOptions {
            retry,
            retry_limit,
            ..ServerOptions::default()
        },
    })
    .await
}

/// The ids of the requests with this method, in order.
fn ids(listener: &Listener, method: &str) -> Vec<Value> {
    listener
        .received()
        .iter()
        .filter(|received| received.asks() == method)
        .map(|received| received.message()["id"].clone())
        .collect()
}

fn error_of(outcome: &CallOutcome) -> (String, String) {
    let CallResult::Failed { error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    (
        error.message.clone(),
        error.hint.clone().unwrap_or_default(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn never_is_the_default() {
    let core = Core::start().await;
    let listener = flaky("tools/call", 1, Fault::Busy).await;
    let server = core
        .add_url("flaky", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let (message, _) = error_of(&core.call(&server, "read", "{}").await);
    assert!(message.contains("HTTP 503"), "{message}");
    assert_eq!(ids(&listener, "tools/call").len(), 1);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_safe_is_sent_again_with_its_cause_and_its_wait() {
    for (method, tool) in [
        ("server/discover", "read"),
        ("tools/list", "read"),
        ("tools/call", "read"),
        ("tools/call", "put"),
    ] {
        for fault in [Fault::Busy, Fault::BusyInWords, Fault::HangUp] {
            let what = format!("{method} {tool} {fault:?}");
            let core = Core::start().await;
            let listener = flaky(method, 1, fault).await;
            let server = server(&core, &listener, RetryChoice::Automatic, 3).await;
            core.connect_well(&server).await;
            let outcome = core.call(&server, tool, r#"{"n":1}"#).await;
            assert_eq!(text_of(&outcome), r#"{"n":1}"#, "{what}");
            let ids = ids(&listener, method);
            assert_eq!(ids.len(), 2, "{what}");
            assert_ne!(ids[0], ids[1], "{what}: an id was used twice");
            let timeline = core.unfolded().await;
            let cause = match fault {
                Fault::HangUp => "connection lost",
                Fault::BusyInWords => "error -32000",
                _ => "HTTP 503",
            };
            assert!(
                timeline.contains(&format!("— {cause}")),
                "{what}:\n{timeline}"
            );
            assert!(
                timeline.contains("[retry 1] — complete"),
                "{what}:\n{timeline}"
            );
            core.close().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_wait_before_a_further_attempt_is_recorded_with_its_reason() {
    let core = Core::start().await;
    let listener = flaky("tools/call", 1, Fault::BusyForSome).await;
    let server = server(&core, &listener, RetryChoice::Automatic, 3).await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "read", "{}").await;
    let operation = outcome.operation;
    assert!(
        matches!(outcome.result, CallResult::Tool { .. }),
        "{outcome:#?}"
    );
    // At least half a second, of which nothing is the server's.
    assert!(outcome.time_micros >= 450_000, "{outcome:#?}");
    assert!(outcome.server_micros < 450_000, "{outcome:#?}");
    let events: Value = core
        .must(
            "operation_events",
            json!({ "operation": operation, "start": 0, "len": 100 }),
        )
        .await;
    let events = events.to_string();
    assert!(events.contains("HTTP 503: sent again in"), "{events}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_do_something_twice_is_not_sent_again_by_itself() {
    let core = Core::start().await;
    for fault in [Fault::Busy, Fault::BusyInWords, Fault::HangUp] {
        let listener = flaky("tools/call", 1, fault).await;
        let server = server(&core, &listener, RetryChoice::Automatic, 3).await;
        core.connect_well(&server).await;
        let (_, hint) = error_of(&core.call(&server, "pay", "{}").await);
        assert!(
            hint.contains("neither read-only nor idempotent"),
            "{fault:?}: {hint}"
        );
        assert_eq!(ids(&listener, "tools/call").len(), 1, "{fault:?}");
        let _: () = core
            .must("remove_server", json!({ "server": server }))
            .await;
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_end_at_their_limit_and_at_a_server_that_wants_an_hour() {
    let core = Core::start().await;
    for (fault, attempts, words) in [
        (Fault::Busy, 3, "sent again 2 times, in vain"),
        (Fault::AnHour, 1, "left alone for 3600 s"),
    ] {
        let listener = flaky("tools/call", u32::MAX, fault).await;
        let server = server(&core, &listener, RetryChoice::Automatic, 2).await;
        core.connect_well(&server).await;
        let (_, hint) = error_of(&core.call(&server, "read", "{}").await);
        assert!(hint.contains(words), "{fault:?}: {hint}");
        assert_eq!(ids(&listener, "tools/call").len(), attempts, "{fault:?}");
        let _: () = core
            .must("remove_server", json!({ "server": server }))
            .await;
    }
    core.close().await;
}

async fn question(core: &Core) -> PromptView {
    core.until("the question", |seen| seen.prompts.first().cloned())
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_person_is_asked_and_nothing_is_sent_before_they_answer() {
    let core = Core::start().await;
    let listener = flaky("tools/call", 2, Fault::Busy).await;
    let server = server(&core, &listener, RetryChoice::Ask, 3).await;
    core.connect_well(&server).await;
    for (tool, safe) in [("pay", false), ("read", true)] {
        let before = ids(&listener, "tools/call").len();
        let operation = core.start_call(&server, tool, r#"{"n":2}"#).await;
        let prompt = question(&core).await;
        assert_eq!(prompt.operation, Some(operation));
        assert!(prompt.message.contains("HTTP 503"), "{prompt:#?}");
        let PromptAsk::SendAgain { is_safe, .. } = prompt.ask else {
            panic!("{prompt:#?}");
        };
        assert_eq!(is_safe, safe);
        tokio::time::sleep(Duration::from_millis(600)).await;
        assert_eq!(
            ids(&listener, "tools/call").len(),
            before + 1,
            "it asked first"
        );
        let row = core.operation_row(operation).await;
        assert!(row.contains("waiting on you"), "{row}");

        let again = tool == "read";
        let action = if again { "accept" } else { "decline" };
        let _: () = core
            .must(
                "answer_prompt",
                json!({ "prompt": prompt.id, "action": action, "content": null }),
            )
            .await;
        let outcome = core.outcome(operation).await;
        if again {
            assert_eq!(text_of(&outcome), r#"{"n":2}"#);
        } else {
            let (message, _) = error_of(&outcome);
            assert!(message.contains("HTTP 503"), "{message}");
        }
        core.until("no question", |seen| seen.prompts.is_empty().then_some(()))
            .await;
    }
    let timeline = core.unfolded().await;
    assert!(timeline.contains("— stopped"), "{timeline}");
    assert!(timeline.contains("— sent again"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_can_be_cancelled_while_it_waits_or_asks_and_a_disconnect_ends_it() {
    let core = Core::start().await;
    for (retry, leave) in [
        (RetryChoice::Automatic, "cancel"),
        (RetryChoice::Ask, "cancel"),
        (RetryChoice::Automatic, "disconnect"),
        (RetryChoice::Ask, "disconnect"),
    ] {
        let what = format!("{retry:?} {leave}");
        let listener = flaky("tools/call", u32::MAX, Fault::BusyForSome).await;
        let server = server(&core, &listener, retry, 9).await;
        core.connect_well(&server).await;
        let operation = core.start_call(&server, "read", "{}").await;
        if retry == RetryChoice::Ask {
            question(&core).await;
        } else {
            listener
                .until(|received| received.asks() == "tools/call")
                .await;
        }
        if leave == "cancel" {
            let _: () = core.must("cancel", json!({ "operation": operation })).await;
        } else {
            let _: () = core.must("disconnect", json!({ "server": server })).await;
        }
        let outcome = core.outcome(operation).await;
        assert_eq!(
            matches!(outcome.result, CallResult::Cancelled),
            leave == "cancel",
            "{what}: {outcome:#?}"
        );
        let sent = ids(&listener, "tools/call").len();
        tokio::time::sleep(Duration::from_millis(1200)).await;
        assert_eq!(
            ids(&listener, "tools/call").len(),
            sent,
            "{what}: it went on"
        );
        assert!(core.seen().prompts.is_empty(), "{what}");
        let _: () = core
            .must("remove_server", json!({ "server": server }))
            .await;
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_yet_is_asked_again_while_connecting() {
    let core = Core::start().await;
    // A port that was free a moment ago.
    let authority = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("its address")
    };
    let server = core
        .add(ServerDraft {
            name: "late".to_owned(),
            endpoint: Endpoint::Http {
                url: format!("http://{authority}/mcp"),
                headers: Vec::new(),
            },
            era: EraChoice::Auto,
            options: ServerOptions {
                retry: RetryChoice::Automatic,
                retry_limit: 1,
                ..ServerOptions::default()
            },
        })
        .await;
    let connection = core.connect(&server).await;
    assert_eq!(connection.phase, Phase::Failed);
    let error = connection.error.expect("an error");
    assert!(
        error.hint.unwrap_or_default().contains("sent again once"),
        "the tries are told"
    );
    let timeline = core.unfolded().await;
    assert!(timeline.contains("[retry 1] — refused"), "{timeline}");
    core.close().await;
}
