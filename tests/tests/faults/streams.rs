//! Event streams of the legacy era: a session's own, and those of requests that break off before the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use app::api::servers::{EraChoice, Phase};
use app::api::tools::CallResult;
use serde_json::json;
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received, Talk};

/// An event of a notification that the timeline shows.
fn log(id: &str, words: &str) -> String {
    let params = json!({ "level": "info", "data": words });
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
    format!("id: {id}\ndata: {message}\n\n")
}

fn said(words: &str) -> serde_json::Value {
    json!({ "content": [{ "type": "text", "text": words }] })
}

#[tokio::test(flavor = "multi_thread")]
async fn any_refusal_of_the_sessions_own_stream_means_that_there_is_none() {
    let core = Core::start().await;
    for status in [
        "404 Not Found",
        "405 Method Not Allowed",
        "406 Not Acceptable",
        "400 Bad Request",
        "501 Not Implemented",
        "200 OK",
    ] {
        let listener = Listener::start(move |asked, mut talk| async move {
            if asked.method == "GET" {
                let body = "not a stream";
                talk.answer(status, &[("content-type", "text/plain")], body)
                    .await;
            } else {
                listener::legacy(&asked, &mut talk).await;
            }
        })
        .await;
        let server = core
            .add_url(status, &listener.url(), &[], EraChoice::Legacy)
            .await;
        core.connect_well(&server).await;
        let timeline = core.until_row("session/stream GET — no stream").await;
        assert!(
            !timeline.contains("session/stream GET — HTTP"),
            "{status} is no error:\n{timeline}"
        );
        // Everything else goes on, and the server is left alone about it.
        assert_eq!(text_of(&core.call(&server, "echo", "{}").await), "{}");
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let gets: Vec<Received> = listener
            .received()
            .into_iter()
            .filter(|received| received.method == "GET")
            .collect();
        assert_eq!(gets.len(), 1, "{status}: {gets:#?}");
        assert_eq!(gets[0].header("accept"), Some("text/event-stream"));
        assert_eq!(gets[0].header("mcp-session-id"), Some("s-1"));
        assert_eq!(gets[0].header("mcp-protocol-version"), Some("2025-11-25"));
        let _: () = core.must("disconnect", json!({ "server": server })).await;
        core.until_phase(&server, Phase::Disconnected).await;
        let _: serde_json::Value = core
            .must("remove_server", json!({ "server": server }))
            .await;
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sessions_own_stream_is_live_served_resumed_and_closed_in_peace() {
    let core = Core::start().await;
    let opened = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opened);
    let listener = Listener::start(move |asked, mut talk| {
        let count = Arc::clone(&count);
        async move {
            if asked.method != "GET" {
                listener::legacy(&asked, &mut talk).await;
                return;
            }
            talk.stream().await;
            match count.fetch_add(1, Ordering::SeqCst) {
                0 => {
                    talk.say("retry: 150\n\n").await;
                    talk.say(&log("e1", "first")).await;
                    talk.event(&json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" }))
                        .await;
                    talk.until(|received| received.message()["id"] == json!("p"))
                        .await;
                }
                // Cut before a new id.
                1 => talk.say(": hello\n\n").await,
                _ => {
                    talk.say(&log("e2", "second")).await;
                    talk.until_closed().await;
                }
            }
        }
    })
    .await;
    let server = core
        .add_url("streams", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let timeline = core.until_row("second").await;
    for row in [
        "session/stream GET — running",
        "    notifications/message info · first — notification",
        "round 1 — closed",
        "[retry 2] — running",
        "ping asked by the server — complete",
    ] {
        assert!(timeline.contains(row), "no {row:?} in\n{timeline}");
    }
    let gets: Vec<Received> = listener
        .received()
        .into_iter()
        .filter(|received| received.method == "GET")
        .collect();
    let resumed: Vec<_> = gets.iter().map(|get| get.header("last-event-id")).collect();
    assert_eq!(resumed, [None, Some("e1"), Some("e1")]);
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(&server, Phase::Disconnected).await;
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("session/stream GET — closed"),
        "{timeline}"
    );
    assert!(!timeline.contains("— disconnected"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_brings_nothing_is_asked_for_ever_more_seldom() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.method == "GET" {
            talk.stream().await;
            talk.say("retry: 20\n\n").await;
        } else {
            listener::legacy(&asked, &mut talk).await;
        }
    })
    .await;
    let server = core
        .add_url("empty", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let timeline = core.until_row("session/stream GET — no stream").await;
    assert!(timeline.contains("[retry 4]"), "{timeline}");
    assert!(!timeline.contains("[retry 5]"), "{timeline}");
    assert_eq!(text_of(&core.call(&server, "echo", "{}").await), "{}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sessions_own_stream_can_be_cancelled() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.method == "GET" {
            talk.stream().await;
            talk.say(&log("e1", "here")).await;
            talk.until_closed().await;
        } else {
            listener::legacy(&asked, &mut talk).await;
        }
    })
    .await;
    let server = core
        .add_url("cancelled", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    core.until_row("here").await;
    let operation = core
        .until("the stream", |seen| {
            seen.rows
                .iter()
                .find(|row| row.label == "session/stream")
                .and_then(|row| row.operation)
        })
        .await;
    let _: () = core.must("cancel", json!({ "operation": operation })).await;
    let row = core.operation_row(operation).await;
    assert!(row.contains("session/stream GET — cancelled"), "{row}");
    assert_eq!(text_of(&core.call(&server, "echo", "{}").await), "{}");
    assert!(
        !core.unfolded().await.contains("notifications/cancelled"),
        "no request is cancelled"
    );
    core.close().await;
}

/// Answers a call by a stream that gives an id and ends; what answers the GET that takes it up is `resumed`.
async fn broken_off<F>(asked: Received, mut talk: Talk, first: &str, resumed: F)
where
    F: AsyncFnOnce(Received, Talk),
{
    if asked.asks() == "tools/call" {
        talk.stream().await;
        talk.say(first).await;
    } else if asked.method == "GET" && asked.header("last-event-id").is_some() {
        resumed(asked, talk).await;
    } else {
        listener::legacy(&asked, &mut talk).await;
    }
}

/// The call that a server was asked.
async fn the_call(talk: &mut Talk) -> Received {
    talk.until(|received| received.asks() == "tools/call").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_stream_the_server_closes_is_taken_up_after_the_servers_wait() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, talk| async move {
        let first = "id: c1\r\nretry: 500\r\ndata: \r\n\r\n";
        broken_off(asked, talk, first, async |_, mut talk| {
            let call = the_call(&mut talk).await;
            talk.stream().await;
            talk.event(&listener::reply(&call, &said("done"))).await;
        })
        .await;
    })
    .await;
    let server = core
        .add_url("polls", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let began = Instant::now();
    let outcome = core.call(&server, "echo", "{}").await;
    assert_eq!(text_of(&outcome), "done");
    assert!(began.elapsed() >= Duration::from_millis(500));
    assert!(outcome.time_micros >= 490_000, "{outcome:#?}");
    let resumption = listener
        .until(|received| received.header("last-event-id").is_some())
        .await;
    assert_eq!(resumption.method, "GET");
    assert_eq!(resumption.header("last-event-id"), Some("c1"));
    assert_eq!(resumption.header("mcp-session-id"), Some("s-1"));
    assert_eq!(
        resumption.header("mcp-protocol-version"),
        Some("2025-11-25")
    );
    let timeline = core.unfolded().await;
    assert!(timeline.contains("— stream closed"), "{timeline}");
    assert!(timeline.contains("[retry 1] — complete"), "{timeline}");
    let events = core.events(outcome.operation).await;
    assert!(
        events.contains("taken up after the event c1 in 500 ms"),
        "{events}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_connection_breaks_is_taken_up_too_also_before_a_new_id() {
    let core = Core::start().await;
    let tries = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&tries);
    let listener = Listener::start(move |asked, talk| {
        let count = Arc::clone(&count);
        async move {
            // The event that the stream breaks off in counts for nothing, its id neither.
            let first = "id: c1\nretry: 50\ndata:\n\nid: c2\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
            broken_off(asked, talk, first, async |_, mut talk| {
                match count.fetch_add(1, Ordering::SeqCst) {
                    0 => talk.say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n7\r\n: hi").await,
                    1 => talk.answer("503 Service Unavailable", &[], "").await,
                    _ => {
                        let call = the_call(&mut talk).await;
                        talk.stream().await;
                        talk.event(&listener::reply(&call, &said("done"))).await;
                    }
                }
            })
            .await;
        }
    })
    .await;
    let server = core
        .add_url("breaks", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    assert_eq!(text_of(&outcome), "done");
    assert_eq!(tries.load(Ordering::SeqCst), 3);
    for received in listener.received() {
        if let Some(id) = received.header("last-event-id") {
            assert_eq!(id, "c1");
        }
    }
    let timeline = core.unfolded().await;
    for row in [
        "an event that the stream broke off in",
        "[retry 1] — connection lost",
        "[retry 2] — HTTP 503",
        "[retry 3] — complete",
    ] {
        assert!(timeline.contains(row), "no {row:?} in\n{timeline}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumption_that_is_refused_or_brings_nothing_ends_the_call_in_words() {
    let core = Core::start().await;
    for (name, answer, words) in [
        (
            "refuses",
            "405 Method Not Allowed",
            "refused to take it up again after the event c1: HTTP 405",
        ),
        ("empty", "200 OK", "brought nothing 5 times in a row"),
    ] {
        let listener = Listener::start(move |asked, talk| async move {
            let first = "id: c1\nretry: 10\ndata:\n\n";
            broken_off(asked, talk, first, async |_, mut talk| {
                talk.answer(answer, &[("content-type", "text/event-stream")], "")
                    .await;
            })
            .await;
        })
        .await;
        let server = core
            .add_url(name, &listener.url(), &[], EraChoice::Legacy)
            .await;
        core.connect_well(&server).await;
        let outcome = core.call(&server, "echo", "{}").await;
        let CallResult::Failed { error, .. } = &outcome.result else {
            panic!("{outcome:#?}");
        };
        assert!(error.message.contains(words), "{name}: {error:#?}");
        assert!(error.hint.is_some(), "{error:#?}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_cancelled_at_the_server_while_its_stream_is_waited_for() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, talk| async move {
        let first = "id: c1\nretry: 3600000\ndata:\n\n";
        broken_off(asked, talk, first, async |_, _| {
            panic!("it came back before its time")
        })
        .await;
    })
    .await;
    let server = core
        .add_url("waits", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    core.until_row("tools/call echo — waiting").await;
    let _: () = core.must("cancel", json!({ "operation": operation })).await;
    assert_eq!(core.outcome(operation).await.result, CallResult::Cancelled);
    let call = listener
        .until(|received| received.asks() == "tools/call")
        .await;
    let cancelled = listener
        .until(|received| received.asks() == "notifications/cancelled")
        .await;
    assert_eq!(
        cancelled.message()["params"]["requestId"],
        call.message()["id"]
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_without_an_id_is_not_taken_up_nor_is_one_of_the_modern_era() {
    let core = Core::start().await;
    let legacy = Listener::start(|asked, talk| async move {
        broken_off(asked, talk, ": hello\n\n", async |_, _| {}).await;
    })
    .await;
    let modern = Listener::start(|asked, mut talk| async move {
        if asked.asks() == "tools/call" {
            talk.stream().await;
            talk.say("id: c1\nretry: 10\ndata:\n\n").await;
        } else {
            listener::modern(&asked, &mut talk).await;
        }
    })
    .await;
    for (name, listener) in [("legacy", &legacy), ("modern", &modern)] {
        let server = core
            .add_url(name, &listener.url(), &[], EraChoice::Auto)
            .await;
        core.connect_well(&server).await;
        let outcome = core.call(&server, "echo", "{}").await;
        let CallResult::Failed { error, .. } = &outcome.result else {
            panic!("{outcome:#?}");
        };
        assert!(
            error.message.contains("ended without a reply"),
            "{name}: {error:#?}"
        );
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(
            !listener
                .received()
                .iter()
                .any(|received| received.header("last-event-id").is_some()),
            "{name}"
        );
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_stream_that_is_left_open_is_closed_and_said_to_be() {
    let core = Core::start().await;
    let (closed, mut is_closed) = tokio::sync::mpsc::unbounded_channel();
    let listener = Listener::start(move |asked, mut talk| {
        let closed = closed.clone();
        async move {
            if asked.asks() == "tools/call" {
                talk.stream().await;
                talk.event(&listener::reply(&asked, &said("done"))).await;
                talk.say(&log("late", "after the reply")).await;
                talk.until_closed().await;
                closed.send(()).expect("the test waits");
            } else {
                listener::legacy(&asked, &mut talk).await;
            }
        }
    })
    .await;
    let server = core
        .add_url("open", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    assert_eq!(text_of(&outcome), "done");
    is_closed.recv().await.expect("it is closed");
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("tools/call echo — complete"),
        "{timeline}"
    );
    assert!(
        timeline.contains("after the reply — notification"),
        "{timeline}"
    );
    let mut events = String::new();
    for _ in 0..50 {
        events = core.events(outcome.operation).await;
        if events.contains("Roundtrip closed it after 2 s") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(events.contains("Roundtrip closed it after 2 s"), "{events}");
    assert!(
        events.contains("left the response stream open"),
        "a finding: {events}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_alone_keep_a_call_alive_and_odd_events_are_told_from_messages() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.asks() == "tools/call" {
            talk.stream().await;
            for _ in 0..3 {
                talk.say(": ping\r\n\r\n").await;
            }
            talk.say("event: ping\r\ndata: 2026-11-30\r\n\r\n").await;
            let early = listener::reply(&asked, &said("not a message event"));
            talk.say(&format!("event: answer\ndata: {early}\n\n")).await;
            let reply = listener::reply(&asked, &said("done")).to_string();
            // Split between chunks, within a character and over two lines of data.
            let (first, second) = reply.split_once("\"jsonrpc\"").expect("a member");
            talk.say(&format!(
                "\r\ndata: {first}\r\ndata: \"jsonrpc\"{second}\r\n\r"
            ))
            .await;
            tokio::time::sleep(Duration::from_millis(50)).await;
            talk.say("\n").await;
        } else {
            listener::legacy(&asked, &mut talk).await;
        }
    })
    .await;
    let server = core
        .add_url("odd events", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    assert_eq!(text_of(&outcome), "done");
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("an event of the type answer; messages come as `message`"),
        "{timeline}"
    );
    assert!(!timeline.contains("2026-11-30"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_on_the_sessions_own_stream_finds_its_call() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.method == "GET" {
            talk.stream().await;
            let call = the_call(&mut talk).await;
            let id = &call.message()["id"];
            let token = &call.message()["params"]["_meta"]["progressToken"];
            assert_eq!(token, id);
            let progress = json!({ "progressToken": token, "progress": 1, "total": 2 });
            talk.event(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": progress }))
                .await;
            talk.event(&json!({ "jsonrpc": "2.0", "id": 987, "result": {} }))
                .await;
            talk.event(&listener::reply(&call, &said("by the other way")))
                .await;
            talk.until_closed().await;
        } else if asked.asks() == "tools/call" {
            talk.stream().await;
            talk.until_closed().await;
        } else {
            listener::legacy(&asked, &mut talk).await;
        }
    })
    .await;
    let server = core
        .add_url("crossed", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", "{}").await;
    assert_eq!(text_of(&outcome), "by the other way");
    let timeline = core.unfolded().await;
    let (stream, call) = timeline
        .split_once("tools/call echo")
        .expect("the call's row");
    assert!(stream.contains("orphan reply"), "{timeline}");
    assert!(!call.contains("orphan reply"), "{timeline}");
    assert!(call.contains("notifications/progress 1 of 2"), "{timeline}");
    let events = core.events(outcome.operation).await;
    assert!(events.contains("which no request opened"), "{events}");
    core.close().await;
}
