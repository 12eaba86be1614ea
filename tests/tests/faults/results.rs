//! Results of calls at the edge of what is allowed, and calls that fail.

use app::api::details::RowDetails;
use app::api::findings::{FindingPlaces, FindingsView};
use app::api::servers::EraChoice;
use app::api::tools::{CallResult, ContentView};
use serde_json::json;
use tests::core::{Core, text_of};
use tests::listener::{self, Listener};

#[tokio::test(flavor = "multi_thread")]
async fn odd_results_are_shown_as_what_they_are() {
    let core = Core::start().await;
    let server = core.add_odd("odd-results", EraChoice::Auto).await;
    core.connect_well(&server).await;

    // An error is shown as one; that its structured content does not match is beside the point.
    let outcome = core.call(&server, "fails", "{}").await;
    assert_eq!(text_of(&outcome), "it broke");
    let CallResult::Tool {
        is_error,
        structured,
        problems,
        ..
    } = &outcome.result
    else {
        panic!("{outcome:#?}");
    };
    assert!(is_error);
    assert!(
        structured
            .as_deref()
            .is_some_and(|text| text.contains("oops"))
    );
    assert_eq!(problems, &[] as &[String]);
    let row = core.operation_row(outcome.operation).await;
    assert!(row.contains("tools/call fails — tool error"), "{row}");

    // Empty is a result.
    let outcome = core.call(&server, "empty", "{}").await;
    let CallResult::Tool {
        is_error: false,
        content,
        structured: None,
        event: Some(_),
        ..
    } = &outcome.result
    else {
        panic!("{outcome:#?}");
    };
    assert_eq!(content, &[] as &[ContentView]);

    // Only structured, with its digits.
    let outcome = core.call(&server, "structured", "{}").await;
    let CallResult::Tool {
        structured: Some(structured),
        ..
    } = &outcome.result
    else {
        panic!("{outcome:#?}");
    };
    assert!(structured.contains("12345678901234567890"), "{structured}");

    for name in ["text", "nothing"] {
        let outcome = core.call(&server, name, "{}").await;
        let CallResult::Tool { problems, .. } = &outcome.result else {
            panic!("{name}: {outcome:#?}");
        };
        assert!(!problems.is_empty(), "{name}: {outcome:#?}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn noise_on_stdout_is_flagged_and_the_session_goes_on() {
    let core = Core::start().await;
    let server = core.add_odd("noise", EraChoice::Auto).await;
    core.connect_well(&server).await;
    for _ in 0..2 {
        let outcome = core.call(&server, "echo", r#"{"a":1}"#).await;
        assert_eq!(text_of(&outcome), r#"{"a": 1}"#);
    }
    let timeline = core.unfolded().await;
    let flagged: Vec<_> = timeline
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("not protocol"))
        .collect();
    for words in [
        "Starting the server, please wait",
        "red",
        r#"{"level": "info"}"#,
        "calling now...",
        "[1, 2",
        "called",
    ] {
        assert!(
            flagged.iter().any(|line| line.contains(words)),
            "no {words:?} in {flagged:#?}"
        );
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_does_not_end_is_told_at_the_call_that_waits() {
    let core = Core::start().await;
    let server = core.add_odd("unfinished", EraChoice::Legacy).await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", r#"{"a":1}"#).await;
    assert_eq!(text_of(&outcome), r#"{"a": 1}"#);
    let details: RowDetails = core
        .must("row", json!({ "key": format!("o{}", outcome.operation.0) }))
        .await;
    let [finding] = &details.findings[..] else {
        panic!("{details:#?}");
    };
    assert_eq!(finding.rule, "line-unfinished");
    assert!(
        finding
            .message
            .contains("does not end: 10 bytes, beginning \"Password: \""),
        "{finding:#?}"
    );

    // It stands among all that was found about the server, and nothing of it among another's.
    let about: FindingsView = core.must("findings", json!({ "server": server })).await;
    let rule = about
        .rules
        .iter()
        .find(|rule| rule.last.rule == "line-unfinished")
        .unwrap_or_else(|| panic!("{about:#?}"));
    assert_eq!((&rule.last, rule.count), (finding, 1));
    let window = json!({ "server": server, "rule": "line-unfinished", "start": 0, "len": 50 });
    let places: FindingPlaces = core.must("finding_places", window).await;
    let [place] = &places.places[..] else {
        panic!("{places:#?}");
    };
    assert_eq!(place.operation, Some(outcome.operation));
    assert_eq!(place.title.as_deref(), Some("tools/call echo"));
    assert_eq!(place.message, finding.message);
    let other = core.add_odd("odd-results", EraChoice::Legacy).await;
    let about: FindingsView = core.must("findings", json!({ "server": other })).await;
    assert_eq!(about, FindingsView::default());
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_find_their_calls_in_any_order() {
    let core = Core::start().await;
    let server = core.add_odd("reversed", EraChoice::Auto).await;
    core.connect_well(&server).await;
    let mut calls = Vec::new();
    for number in 0..10 {
        let arguments = format!("{{\"number\":{number}}}");
        calls.push(core.start_call(&server, "echo", &arguments).await);
    }
    for (number, operation) in calls.into_iter().enumerate() {
        let outcome = core.outcome(operation).await;
        assert_eq!(text_of(&outcome), format!("{{\"number\": {number}}}"));
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_from_a_modern_server_is_flagged_and_not_answered() {
    let core = Core::start().await;
    let server = core.add_odd("modern-asks", EraChoice::Auto).await;
    core.connect_well(&server).await;
    for _ in 0..2 {
        let outcome = core.call(&server, "echo", "{}").await;
        assert_eq!(text_of(&outcome), "{}");
    }
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("not protocol") && timeline.contains("ping"),
        "{timeline}"
    );
    assert!(!timeline.contains("asked by the server"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_break_in_the_middle_of_a_reply() {
    let core = Core::start().await;
    for (name, said, row) in [
        ("at once", "", "connection lost"),
        (
            "in the head",
            "HTTP/1.1 200 OK\r\ncontent-",
            "connection lost",
        ),
        (
            "in the body",
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{\"jsonrpc\"",
            "connection lost",
        ),
        (
            "in an event",
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n10\r\ndata: {\"jsonrpc\"",
            "connection lost",
        ),
        ("what is no HTTP", "SSH-2.0-OpenSSH_9.6\r\n\r\n", "not HTTP"),
    ] {
        let listener = Listener::start(move |asked, mut talk| async move {
            if asked.asks() == "tools/call" {
                talk.say(said).await;
            } else {
                listener::modern(&asked, &mut talk).await;
            }
        })
        .await;
        let server = core
            .add_url(name, &listener.url(), &[], EraChoice::Auto)
            .await;
        core.connect_well(&server).await;
        let outcome = core.call(&server, "echo", "{}").await;
        let CallResult::Failed { error, .. } = &outcome.result else {
            panic!("{name}: {outcome:#?}");
        };
        assert!(error.message.contains("127.0.0.1"), "{name}: {error:#?}");
        assert!(error.hint.is_some(), "{name}: {error:#?}");
        let shown = core.operation_row(outcome.operation).await;
        assert!(
            shown.contains(&format!("tools/call echo — {row}")),
            "{name}: {shown}"
        );
        // It was sent once: a tool that acted must not act again unasked.
        let calls = listener
            .received()
            .iter()
            .filter(|received| received.asks() == "tools/call")
            .count();
        assert_eq!(calls, 1, "{name}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_replies_are_survived() {
    let core = Core::start().await;
    let server = core.add_odd("hostile", EraChoice::Auto).await;
    core.connect_well(&server).await;
    for (name, words) in [
        // A word in another encoding: read with a mark in its place.
        ("latin-1", "caf\u{fffd} \u{fffd}"),
        ("surrogate", "half a pair: \u{fffd}!"),
        ("controls", "\u{0}\u{1b}[31m\u{7}"),
        ("twice", "the last one"),
    ] {
        let outcome = core.call(&server, name, "{}").await;
        assert_eq!(text_of(&outcome), words, "{name}");
    }
    let outcome = core.call(&server, "large", "{}").await;
    assert_eq!(text_of(&outcome).len(), 8_000_000);

    // Deeper than any parser that recurses would bear.
    let outcome = core.call(&server, "deep", "{}").await;
    let CallResult::Tool {
        structured: Some(structured),
        ..
    } = &outcome.result
    else {
        panic!("{:.2000}", format!("{outcome:?}"));
    };
    assert_eq!(structured.matches('[').count(), 100_000);
    let _: serde_json::Value = core
        .must("row", json!({ "key": format!("o{}", outcome.operation.0) }))
        .await;

    // What is no reply at all leaves the call waiting, and everything else in order.
    let operation = core.start_call(&server, "no-id", "{}").await;
    core.until("the reply without an id", |seen| {
        seen.rows
            .iter()
            .any(|row| row.label == "not protocol")
            .then_some(())
    })
    .await;
    let _: () = core.must("cancel", json!({ "operation": operation })).await;
    let outcome = core.call(&server, "twice", "{}").await;
    assert_eq!(text_of(&outcome), "the last one");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_orphan_reply_is_shown_beside_the_call_that_waits() {
    let core = Core::start().await;
    let server = core.add_odd("call-id-0", EraChoice::Auto).await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    core.until("the noise after the orphan", |seen| {
        seen.rows
            .iter()
            .any(|row| row.detail.as_deref() == Some("that was the answer"))
            .then_some(())
    })
    .await;
    let timeline = core.unfolded().await;
    let (_, after) = timeline
        .split_once("tools/call echo — running")
        .expect("it waits");
    assert!(
        after
            .lines()
            .any(|line| line.contains("orphan reply") && line.starts_with("  ")),
        "{timeline}"
    );
    let _: () = core.must("cancel", json!({ "operation": operation })).await;
    assert_eq!(core.outcome(operation).await.result, CallResult::Cancelled);
    core.close().await;
}

/// Whether to sign in is the person's to say.
async fn decline_sign_in(core: &Core) {
    let prompt = core
        .until("the question", |seen| Some(seen.prompts.first()?.id))
        .await;
    let no = json!({ "prompt": prompt, "action": "decline", "content": null });
    let _: () = core.must("answer_prompt", no).await;
}

#[allow(clippy::too_many_lines)] // Most of them are a table.
#[tokio::test(flavor = "multi_thread")]
async fn calls_over_http_that_come_back_as_something_else() {
    let core = Core::start().await;
    let page = "<!doctype html><title>Down for repair</title>";
    for (status, kind, body, words, row) in [
        (
            "200 OK",
            "text/html",
            page,
            "a web page instead of MCP",
            "web page",
        ),
        (
            "503 Service Unavailable",
            "text/html",
            page,
            "HTTP 503",
            "HTTP 503",
        ),
        (
            "200 OK",
            "application/json",
            "}{",
            "not a JSON-RPC reply",
            "not MCP",
        ),
        (
            "200 OK",
            "application/json",
            "[]",
            "not a JSON-RPC reply",
            "not MCP",
        ),
        (
            "202 Accepted",
            "text/plain",
            "",
            "without a reply",
            "no reply",
        ),
        (
            "200 OK",
            "text/event-stream",
            ": nothing\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"so far\"}}\n\n",
            "without a reply",
            "no reply",
        ),
        (
            "200 OK",
            "application/json",
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}",
            "a reply with the id 0",
            "wrong id",
        ),
        (
            "429 Too Many Requests",
            "text/plain",
            "slow down",
            "slow down",
            "HTTP 429",
        ),
        (
            "401 Unauthorized",
            "application/json",
            "{}",
            "HTTP 401",
            "HTTP 401",
        ),
    ] {
        let listener = Listener::start(move |asked, mut talk| async move {
            if asked.asks() == "tools/call" {
                talk.answer(status, &[("content-type", kind)], body).await;
            } else {
                listener::modern(&asked, &mut talk).await;
            }
        })
        .await;
        let server = core
            .add_url("odd", &listener.url(), &[], EraChoice::Auto)
            .await;
        core.connect_well(&server).await;
        let operation = core.start_call(&server, "echo", "{}").await;
        if row == "HTTP 401" {
            decline_sign_in(&core).await;
        }
        let outcome = core.outcome(operation).await;
        let CallResult::Failed {
            code: None, error, ..
        } = &outcome.result
        else {
            panic!("{body}: {outcome:#?}");
        };
        assert!(error.message.contains(words), "{body}: {error:#?}");
        assert!(error.hint.is_some(), "{body}: {error:#?}");
        let shown = core.operation_row(outcome.operation).await;
        assert!(
            shown.contains(&format!("tools/call echo — {row}")),
            "{body}: {shown}"
        );
        // The connection is not lost by one bad answer.
        assert!(core.connection(&server).error.is_none());
        let _: () = core
            .must("remove_server", json!({ "server": server }))
            .await;
    }
    core.close().await;
}
