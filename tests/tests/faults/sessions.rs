//! Sessions of the legacy era that the server ends: a new one is opened once, and what was refused is sent again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use app::api::servers::{EraChoice, Phase};
use app::api::tools::CallResult;
use serde_json::json;
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received, Talk};

/// Answers as a server whose session is `s-` and the count of sessions so far, each of which ends with its second call.
/// `lost` says so.
async fn forgetting<F>(asked: Received, mut talk: Talk, sessions: &AtomicUsize, lost: F)
where
    F: AsyncFnOnce(Received, Talk),
{
    let session = |number: usize| format!("s-{number}");
    if asked.asks() == "initialize" {
        assert_eq!(asked.header("mcp-session-id"), None, "a new session");
        let session = session(sessions.fetch_add(1, Ordering::SeqCst) + 1);
        let result = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "listener", "version": "1" },
        });
        let body = listener::reply(&asked, &result).to_string();
        let headers = [
            ("content-type", "application/json"),
            ("mcp-session-id", session.as_str()),
        ];
        talk.answer("200 OK", &headers, &body).await;
        return;
    }
    let now = session(sessions.load(Ordering::SeqCst));
    if asked.asks() == "tools/call" && asked.header("mcp-session-id") != Some(now.as_str()) {
        lost(asked, talk).await;
        return;
    }
    // The rest of the server knows one session only.
    let asked = Received {
        headers: vec![("mcp-session-id".to_owned(), "s-1".to_owned())],
        ..asked
    };
    listener::legacy(&asked, &mut talk).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_finds_its_session_gone_is_sent_again_in_a_new_one() {
    for is_message in [false, true] {
        let core = Core::start().await;
        let sessions = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&sessions);
        let listener = Listener::start(move |asked, talk| {
            let count = Arc::clone(&count);
            async move {
                forgetting(asked, talk, &count, async |asked, mut talk| {
                    if is_message {
                        talk.error("404 Not Found", &asked, -32001, "Session not found")
                            .await;
                    } else {
                        talk.answer("404 Not Found", &[], "").await;
                    }
                })
                .await;
            }
        })
        .await;
        let server = core
            .add_url("forgets", &listener.url(), &[], EraChoice::Legacy)
            .await;
        core.connect_well(&server).await;
        core.tools(&server).await;
        // Somebody restarted the server: s-1 means nothing any more, and the next session is s-3.
        sessions.store(2, Ordering::SeqCst);
        // Several calls find out at once, and one new session serves them all.
        let first = core.start_call(&server, "echo", r#"{"call":1}"#).await;
        let second = core.start_call(&server, "echo", r#"{"call":2}"#).await;
        let outcome = core.outcome(first).await;
        assert_eq!(text_of(&outcome), r#"{"call":1}"#);
        assert_eq!(text_of(&core.outcome(second).await), r#"{"call":2}"#);
        assert_eq!(sessions.load(Ordering::SeqCst), 3);
        // What was started anew may offer other tools.
        let listed = |received: &Received| {
            received.asks() == "tools/list" && received.header("mcp-session-id") == Some("s-3")
        };
        listener.until(listed).await;

        let sent: Vec<(String, Option<String>)> = listener
            .received()
            .iter()
            .filter(|received| received.method == "POST")
            .map(|received| {
                let session = received.header("mcp-session-id").map(str::to_owned);
                (received.asks(), session)
            })
            .collect();
        let of = |session: &str, method: &str| {
            let wanted = (method.to_owned(), Some(session.to_owned()));
            sent.iter().filter(|sent| **sent == wanted).count()
        };
        assert_eq!(of("s-3", "notifications/initialized"), 1, "{sent:?}");
        assert_eq!(of("s-3", "tools/call"), 2, "{sent:?}");
        let timeline = core.unfolded().await;
        assert_eq!(
            timeline.matches("initialize — complete").count(),
            2,
            "{timeline}"
        );
        let (_, call) = timeline
            .split_once("tools/call echo — complete")
            .expect("the call");
        let refused = if is_message {
            "error -32001"
        } else {
            "session over"
        };
        assert!(call.contains(refused), "{timeline}");
        assert!(call.contains("[retry 1] — complete"), "{timeline}");
        let events = core.events(first).await;
        assert!(
            events.contains("The server has ended the session; a new one is being opened"),
            "{events}"
        );
        // The end is told to the session that there is.
        let _: () = core.must("disconnect", json!({ "server": server })).await;
        core.until_phase(&server, Phase::Disconnected).await;
        let end = listener.until(|received| received.method == "DELETE").await;
        assert_eq!(end.header("mcp-session-id"), Some("s-3"));
        core.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_forgets_every_session_is_given_one_more_and_no_others() {
    let core = Core::start().await;
    let opened = Arc::new(AtomicUsize::new(0));
    let listener = Listener::start(move |asked, mut talk| {
        let opened = Arc::clone(&opened);
        async move {
            let sessions = match asked.asks().as_str() {
                "initialize" => opened.fetch_add(1, Ordering::SeqCst) + 1,
                _ => opened.load(Ordering::SeqCst),
            };
            let is_forgotten = match asked.asks().as_str() {
                "tools/call" => true,
                // The second session is of no use for lists either.
                "tools/list" => sessions > 1,
                _ => false,
            };
            if is_forgotten {
                talk.error("404 Not Found", &asked, -32001, "Session not found")
                    .await;
            } else {
                listener::legacy(&asked, &mut talk).await;
            }
        }
    })
    .await;
    let server = core
        .add_url("forgets all", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    let CallResult::Failed {
        code: Some(-32001), ..
    } = &outcome.result
    else {
        panic!("{outcome:#?}");
    };
    let count = |method: &str| {
        listener
            .received()
            .iter()
            .filter(|received| received.asks() == method)
            .count()
    };
    core.until_row("tools/list — error -32001").await;
    assert_eq!(count("initialize"), 2);
    assert_eq!(count("tools/call"), 2);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_session_that_cannot_be_had_ends_the_connection_in_words() {
    let core = Core::start().await;
    let lost = Arc::new(AtomicUsize::new(0));
    let is_lost = Arc::clone(&lost);
    let listener = Listener::start(move |asked, mut talk| {
        let is_lost = Arc::clone(&is_lost);
        async move {
            if asked.asks() == "tools/call" {
                is_lost.store(1, Ordering::SeqCst);
                talk.answer("404 Not Found", &[], "").await;
            } else if is_lost.load(Ordering::SeqCst) == 1 {
                talk.error("503 Service Unavailable", &asked, -32000, "draining")
                    .await;
            } else {
                listener::legacy(&asked, &mut talk).await;
            }
        }
    })
    .await;
    let server = core
        .add_url("drains", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    let CallResult::Failed { error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    let words = "a new one could not be opened. It refused initialize with error -32000: draining";
    assert!(error.message.contains(words), "{error:#?}");
    let connection = core.until_phase(&server, Phase::Failed).await;
    let error = connection.error.expect("an error");
    assert!(error.message.contains(words), "{error:#?}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_reports_a_lost_session_by_400_is_said_to_deviate() {
    let core = Core::start().await;
    for is_message in [false, true] {
        let listener = Listener::start(move |asked, mut talk| async move {
            if asked.asks() == "tools/call" && is_message {
                talk.error(
                    "400 Bad Request",
                    &asked,
                    -32000,
                    "Bad Request: No valid session ID provided",
                )
                .await;
            } else if asked.asks() == "tools/call" {
                talk.answer(
                    "400 Bad Request",
                    &[("content-type", "text/plain")],
                    "Invalid session ID",
                )
                .await;
            } else {
                listener::legacy(&asked, &mut talk).await;
            }
        })
        .await;
        let server = core
            .add_url(
                &format!("deviates {is_message}"),
                &listener.url(),
                &[],
                EraChoice::Legacy,
            )
            .await;
        core.connect_well(&server).await;
        let outcome = core.call(&server, "echo", "{}").await;
        let CallResult::Failed { code, error, .. } = &outcome.result else {
            panic!("{outcome:#?}");
        };
        assert_eq!(*code, is_message.then_some(-32000));
        assert!(error.message.contains("session ID"), "{error:#?}");
        assert!(error.message.contains("is reported by 404"), "{error:#?}");
        let hint = error.hint.as_deref().unwrap_or_default();
        assert!(hint.contains("connect again for a new one"), "{error:#?}");
        let events = core.events(outcome.operation).await;
        assert!(events.contains("by 400, as if there were none"), "{events}");
        let initialized = listener
            .received()
            .iter()
            .filter(|received| received.asks() == "initialize")
            .count();
        assert_eq!(initialized, 1);
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_method_is_not_a_lost_session() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.asks() == "tools/call" {
            talk.error("404 Not Found", &asked, -32601, "Method not found")
                .await;
        } else {
            listener::legacy(&asked, &mut talk).await;
        }
    })
    .await;
    let server = core
        .add_url("unknown", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    assert!(
        matches!(
            outcome.result,
            CallResult::Failed {
                code: Some(-32601),
                ..
            }
        ),
        "{outcome:#?}"
    );
    let calls = listener
        .received()
        .iter()
        .filter(|received| received.asks() == "tools/call")
        .count();
    assert_eq!(calls, 1);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_new_session_is_not_sent_and_can_be_cancelled() {
    let core = Core::start().await;
    let initialized = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&initialized);
    let listener = Listener::start(move |asked, mut talk| {
        let count = Arc::clone(&count);
        async move {
            if asked.asks() == "tools/call" {
                talk.answer("404 Not Found", &[], "").await;
            } else if asked.asks() == "initialize" && count.fetch_add(1, Ordering::SeqCst) == 1 {
                talk.until_closed().await;
            } else {
                listener::legacy(&asked, &mut talk).await;
            }
        }
    })
    .await;
    let server = core
        .add_url("slow", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let refused = core.start_call(&server, "echo", "{}").await;
    core.until_row("tools/call echo — waiting").await;
    let kept = core.start_call(&server, "echo", "{}").await;
    let row = core.operation_row(kept).await;
    assert!(row.contains("tools/call echo — waiting"), "{row}");
    for operation in [refused, kept] {
        let _: () = core.must("cancel", json!({ "operation": operation })).await;
        assert_eq!(core.outcome(operation).await.result, CallResult::Cancelled);
    }
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(&server, Phase::Disconnected).await;
    let sent: Vec<String> = listener.received().iter().map(Received::asks).collect();
    let calls = sent.iter().filter(|method| *method == "tools/call").count();
    assert_eq!(calls, 1, "{sent:?}");
    assert!(
        !sent
            .iter()
            .any(|method| method == "notifications/cancelled"),
        "the server has neither of them: {sent:?}"
    );
    core.close().await;
}
