//! Events in, rows out: what a person sees of each kind of exchange.

mod common;

use bytes::Bytes;
use common::{START, Writer, frame, unfolded};
use journal::details::FromCache;
use journal::event::{AttemptOutcome, EventBody, FrameRole, OperationEnd, OperationId};
use journal::row::{Filter, RowKind};
use journal::view::View;
use wire::frame::{Carrier, Direction};

#[test]
fn a_call_with_two_rounds_a_form_and_a_retry() {
    let mut writer = Writer::in_memory();
    let discover = writer.start(120, "server/discover", None);
    writer.attempt(120, discover, (1, 1), 1);
    writer.reply(132, discover, (1, 1), "complete");
    writer.end(132, discover, OperationEnd::Complete);

    let call = writer.start(1382, "tools/call", Some("book_table"));
    writer.attempt(1382, call, (1, 1), 4);
    writer.reply(1420, call, (1, 1), "input_required");
    writer.ask(1420, Some(call), 0, "How many people?");
    writer.answer(3320, Some(call), 0, "accepted");
    writer.attempt(3322, call, (2, 1), 5);
    writer.transport_error(3343, call, (2, 1), "HTTP 503");
    writer.append(
        3344,
        Some(call),
        EventBody::WaitStarted {
            reason: "back-off".into(),
        },
    );
    writer.append(3844, Some(call), EventBody::WaitEnded);
    writer.attempt(3844, call, (2, 2), 6);
    writer.reply(3888, call, (2, 2), "input_required");
    writer.ask(3888, Some(call), 1, "Pay the deposit?");

    insta::assert_snapshot!(writer.unfolded(Filter::All), @r#"
    ▼ server/discover | ● complete | 120–132 | 120=132
        round 1 · id 1 | ● complete | 120–132 | 120=132
    ▼ tools/call book_table [2 rounds] | ◐ waiting on you | 1382– | 1382=1420 1420/3320 3322!3343 3344.3844 3844=3888 3888/
        round 1 · id 4 | ◐ input_required | 1382–1420 | 1382=1420
          form: “How many people?” | ● accepted | 1420–3320 | 1420/3320
        round 2 · id 5 | ✗ HTTP 503 | 3322–3343 | 3322!3343
        round 2 · id 6 after HTTP 503, waited 500 ms [retry 1] | ◐ input_required | 3844–3888 | 3344.3844 3844=3888
          form: “Pay the deposit?” | ◐ asking you | 3888– | 3888/
    "#);

    writer.answer(5000, Some(call), 1, "declined");
    writer.attempt(5001, call, (3, 1), 7);
    writer.reply(5010, call, (3, 1), "complete");
    writer.end(5010, call, OperationEnd::Complete);
    insta::assert_snapshot!(writer.unfolded(Filter::Prompts), @r#"
    ▼ tools/call book_table [3 rounds] | ● complete | 1382–5010 | 1382=1420 1420/3320 3322!3343 3344.3844 3844=3888 3888/5000 5001=5010
        round 1 · id 4 | ◐ input_required | 1382–1420 | 1382=1420
          form: “How many people?” | ● accepted | 1420–3320 | 1420/3320
        round 2 · id 5 | ✗ HTTP 503 | 3322–3343 | 3322!3343
        round 2 · id 6 after HTTP 503, waited 500 ms [retry 1] | ◐ input_required | 3844–3888 | 3344.3844 3844=3888
          form: “Pay the deposit?” | ⊘ declined | 3888–5000 | 3888/5000
        round 3 · id 7 | ● complete | 5001–5010 | 5001=5010
    "#);
}

#[test]
fn pages_are_one_bar_and_a_chip() {
    let mut writer = Writer::in_memory();
    let list = writer.start(0, "tools/list", None);
    writer.attempt(0, list, (1, 1), 2);
    writer.reply(15, list, (1, 1), "complete");
    writer.labelled_attempt(15, list, (2, 1), 3, Some("page 2"));
    writer.reply(31, list, (2, 1), "complete");
    writer.end(31, list, OperationEnd::Complete);
    insta::assert_snapshot!(writer.unfolded(Filter::All), @r#"
    ▼ tools/list [2 pages] | ● complete | 0–31 | 0=31
        page 1 · id 2 | ● complete | 0–15 | 0=15
        page 2 · id 3 | ● complete | 15–31 | 15=31
    "#);
}

#[test]
fn what_lies_inside_a_round_comes_under_it() {
    let mut writer = Writer::in_memory();
    let call = writer.start(0, "tools/call", Some("slow"));
    writer.stderr(1, Some(call), "before anything was sent");
    writer.attempt(2, call, (1, 1), 4);
    writer.notification(
        10,
        Some(call),
        (1, 1),
        "notifications/progress",
        Some("1 of 3"),
    );
    writer.stderr(
        11,
        Some(call),
        "\u{1b}[33mwarning\u{1b}[0m: half\tway\u{202e}",
    );
    writer.noise(12, Some(call), b"print('debug')");
    let keep_alive = frame(
        Direction::Received,
        (1, 1),
        FrameRole::KeepAlive,
        b": ping\n\n",
    );
    writer.append(13, Some(call), keep_alive);
    let ping = FrameRole::Request {
        method: "ping".into(),
    };
    writer.append(
        14,
        Some(call),
        frame(Direction::Received, (1, 1), ping, b"{}"),
    );
    writer.append(
        14,
        Some(call),
        frame(Direction::Sent, (1, 1), FrameRole::Reply, b"{}"),
    );
    insta::assert_snapshot!(writer.unfolded(Filter::All), @r#"
    ▼ tools/call slow | ○ running | 0– | 2=
        before anything was sent | · stderr | 1–1 | 1=1
        round 1 · id 4 | ○ running | 2– | 2=
          notifications/progress 1 of 3 | · notification | 10–10 | 10=10
          warning: half way | · stderr | 11–11 | 11=11
          not protocol print('debug') | ✗ not JSON | 12–12 | 12!12
          ping | · request | 14–14 | 14=14
    "#);

    let cancelled = FrameRole::Notification {
        method: "notifications/cancelled".into(),
        text: None,
    };
    writer.append(
        20,
        Some(call),
        frame(Direction::Sent, (1, 1), cancelled, b"{}"),
    );
    writer.end(20, call, OperationEnd::Cancelled);
    insta::assert_snapshot!(writer.unfolded(Filter::All), @r#"
    ▼ tools/call slow | ⊘ cancelled | 0–20 | 2=20
        before anything was sent | · stderr | 1–1 | 1=1
        round 1 · id 4 | ⊘ cancelled | 2–20 | 2=20
          notifications/progress 1 of 3 | · notification | 10–10 | 10=10
          warning: half way | · stderr | 11–11 | 11=11
          not protocol print('debug') | ✗ not JSON | 12–12 | 12!12
          ping | · request | 14–14 | 14=14
          notifications/cancelled | · sent | 20–20 | 20=20
    "#);
}

#[test]
fn every_bad_end_says_what_it_was() {
    let mut writer = Writer::in_memory();
    let refused = writer.start(0, "tools/call", Some("divide"));
    writer.attempt(0, refused, (1, 1), 1);
    let error = AttemptOutcome::RpcError {
        code: -32602,
        message: "no such tool".into(),
    };
    writer.outcome(5, refused, (1, 1), error);
    writer.fail(5, refused, "error -32602");

    let tool_error = writer.start(10, "tools/call", Some("divide"));
    writer.attempt(10, tool_error, (1, 1), 2);
    writer.reply(15, tool_error, (1, 1), "complete");
    writer.end(15, tool_error, OperationEnd::ToolError);

    let silent = writer.start(20, "resources/read", Some("file:///etc/motd"));
    writer.attempt(20, silent, (1, 1), 3);
    writer.outcome(80, silent, (1, 1), AttemptOutcome::TimedOut);
    writer.fail(80, silent, "no reply in 60 s");

    let gone = writer.start(90, "process/start", Some("python server.py"));
    writer.append(
        91,
        Some(gone),
        EventBody::ProcessStarted {
            pid: 4711,
            command: vec!["python".into(), "server.py".into()],
            folder: None,
        },
    );
    writer.stderr(95, Some(gone), "ModuleNotFoundError: No module named 'mcp'");
    let exited = EventBody::ProcessExited {
        status: "exit code 1".into(),
        expected: false,
    };
    writer.append(99, Some(gone), exited);
    writer.fail(99, gone, "exit code 1");

    let well = writer.start(100, "prompts/get", Some("greet"));
    writer.attempt(100, well, (1, 1), 5);
    writer.reply(101, well, (1, 1), "complete");
    writer.end(101, well, OperationEnd::Complete);

    assert_eq!(writer.journal.tree().error_count(), 4);
    insta::assert_snapshot!(writer.unfolded(Filter::Errors), @r#"
    ▼ tools/call divide | ✗ error -32602 | 0–5 | 0!5
        round 1 · id 1 | ✗ error -32602 | 0–5 | 0!5
    ▼ tools/call divide | ✗ tool error | 10–15 | 10=15
        round 1 · id 2 | ● complete | 10–15 | 10=15
    ▼ resources/read file:///etc/motd | ✗ no reply in 60 s | 20–80 | 20!80
        round 1 · id 3 | ✗ timed out | 20–80 | 20!80
    ▼ process/start python server.py | ✗ exit code 1 | 90–99 | 90!99
        process started python server.py | · pid 4711 | 91–91 | 91=91
        ModuleNotFoundError: No module named 'mcp' | · stderr | 95–95 | 95=95
        process ended | ✗ exit code 1 | 99–99 | 99!99
    "#);
    let mut calls = View::new(Filter::Calls, None);
    insta::assert_snapshot!(common::text(&calls.window(&writer.journal, 0, 100)), @r#"
    ▶ tools/call divide | ✗ error -32602 | 0–5 | 0!5
    ▶ tools/call divide | ✗ tool error | 10–15 | 10=15
    ▶ resources/read file:///etc/motd | ✗ no reply in 60 s | 20–80 | 20!80
    ▶ prompts/get greet | ● complete | 100–101 | 100=101
    "#);
}

#[test]
fn what_belongs_to_no_operation_stands_beside_them() {
    let mut writer = Writer::in_memory();
    let started = EventBody::ProcessStarted {
        pid: 12,
        command: vec!["node".into(), "a b.js".into()],
        folder: None,
    };
    writer.loose(0, started);
    writer.stderr(1, None, "listening");
    writer.stderr(2, None, "");
    writer.noise(3, None, b"hello\x00\xff");
    let orphan = br#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
    writer.loose(
        4,
        frame(Direction::Received, (0, 0), FrameRole::Orphan, orphan),
    );
    writer.notification(5, None, (0, 0), "notifications/tools/list_changed", None);
    writer.loose(
        6,
        frame(Direction::Received, (0, 0), FrameRole::KeepAlive, b":\n\n"),
    );
    let ping = FrameRole::Request {
        method: "ping".into(),
    };
    writer.loose(7, frame(Direction::Received, (0, 0), ping, b"{}"));
    writer.ask(8, None, 7, "");
    writer.loose(
        9,
        EventBody::ProcessExited {
            status: "signal 15 (SIGTERM)".into(),
            expected: true,
        },
    );
    insta::assert_snapshot!(writer.unfolded(Filter::All), @r#"
    process started node a b.js | · pid 12 | 0–0 | 0=0
    listening | · stderr | 1–1 | 1=1
     | · stderr | 2–2 | 2=2
    not protocol hello � | ✗ not JSON | 3–3 | 3!3
    orphan reply {"jsonrpc":"2.0","id":0,"result":{}} | ✗ nothing waits for it | 4–4 | 4!4
    notifications/tools/list_changed | · notification | 5–5 | 5=5
    ping | · request | 7–7 | 7=7
    form | ◐ asking you | 8– | 8/
    process ended | · signal 15 (SIGTERM) | 9–9 | 9=9
    "#);

    writer.answer(20, None, 7, "withdrawn");
    insta::assert_snapshot!(writer.unfolded(Filter::Prompts), @"  form | ⊘ withdrawn | 8–20 | 8/20");
    insta::assert_snapshot!(writer.unfolded(Filter::Errors), @r#"
    not protocol hello � | ✗ not JSON | 3–3 | 3!3
    orphan reply {"jsonrpc":"2.0","id":0,"result":{}} | ✗ nothing waits for it | 4–4 | 4!4
    "#);
}

#[test]
fn a_legacy_prompt_inside_a_running_call_is_not_the_servers_time() {
    let mut writer = Writer::in_memory();
    let call = writer.start(0, "tools/call", Some("ask"));
    writer.attempt(0, call, (1, 1), 1);
    let elicit = FrameRole::Request {
        method: "elicitation/create".into(),
    };
    writer.append(
        10,
        Some(call),
        frame(Direction::Received, (1, 1), elicit, b"{}"),
    );
    writer.ask(10, Some(call), 0, "Which colour?");
    writer.answer(60, Some(call), 0, "cancelled");
    writer.reply(70, call, (1, 1), "complete");
    writer.end(70, call, OperationEnd::Complete);
    insta::assert_snapshot!(writer.unfolded(Filter::All), @r#"
    ▼ tools/call ask | ● complete | 0–70 | 0=10 10/60 60=70
        round 1 · id 1 | ● complete | 0–70 | 0=10 60=70
          form: “Which colour?” | ⊘ cancelled | 10–60 | 10/60
    "#);
}

#[test]
fn findings_count_in_the_row_that_they_were_seen_in() {
    let mut writer = Writer::in_memory();
    let call = writer.start(0, "tools/call", Some("slow"));
    writer.attempt(0, call, (1, 1), 4);
    let progress = writer.notification(1, Some(call), (1, 1), "notifications/progress", None);
    writer.find(1, Some(call), Some(progress));
    writer.reply(2, call, (1, 1), "complete");
    let reply = journal::event::EventSeq(writer.journal.len() - 2);
    writer.find(2, Some(call), Some(reply));
    writer.find(2, Some(call), None);
    writer.end(3, call, OperationEnd::Complete);
    let loose = writer.stderr(4, None, "secret=hunter2");
    insta::assert_snapshot!(writer.unfolded(Filter::Errors), @r#"
    ▼ tools/call slow ⚑3 | ● complete | 0–3 | 0=2
        round 1 · id 4 ⚑1 | ● complete | 0–2 | 0=2
          notifications/progress ⚑1 | · notification | 1–1 | 1=1
    "#);
    writer.find(5, None, Some(loose));
    insta::assert_snapshot!(writer.unfolded(Filter::Errors), @r#"
    ▼ tools/call slow ⚑3 | ● complete | 0–3 | 0=2
        round 1 · id 4 ⚑1 | ● complete | 0–2 | 0=2
          notifications/progress ⚑1 | · notification | 1–1 | 1=1
      secret=hunter2 ⚑1 | · stderr | 4–4 | 4=4
    "#);
}

#[test]
fn an_operation_that_ends_badly_late_joins_errors_in_the_order_of_starting() {
    let mut writer = Writer::in_memory();
    let mut view = View::new(Filter::Errors, None);
    let slow = writer.start(0, "tools/call", Some("slow"));
    view.set_expanded(&writer.journal, OperationId(slow), true);
    let quick = writer.start(1, "tools/call", Some("quick"));
    writer.fail(2, quick, "error -1");
    assert_eq!(view.locate(&writer.journal, OperationId(quick)), Some(0));
    assert_eq!(view.locate(&writer.journal, OperationId(slow)), None);

    writer.attempt(3, slow, (1, 1), 1);
    writer.fail(4, slow, "error -2");
    insta::assert_snapshot!(common::text(&view.window(&writer.journal, 0, 9)), @r#"
    ▼ tools/call slow | ✗ error -2 | 0–4 | 3!4
        round 1 · id 1 | ✗ no reply | 3–4 | 3!4
      tools/call quick | ✗ error -1 | 1–2 | 1!2
    "#);
    assert_eq!(view.locate(&writer.journal, OperationId(quick)), Some(2));
    assert_eq!(view.top_rows(), 2);
}

#[test]
fn long_and_hostile_texts_stay_one_line() {
    let mut writer = Writer::in_memory();
    let call = writer.start(0, "tools/call", Some("a\nb\r\u{1b}[2Jc"));
    writer.attempt(0, call, (1, 1), 1);
    writer.reply(1, call, (1, 1), &"x".repeat(200));
    writer.ask(
        2,
        Some(call),
        0,
        &"How many people are coming to the dinner? ".repeat(9),
    );
    let body = EventBody::Frame {
        direction: Direction::Received,
        carrier: Carrier::Body,
        round: 1,
        attempt: 1,
        role: FrameRole::NotProtocol {
            problem: "a web page".into(),
        },
        bytes: Bytes::from(vec![b'<'; 2_000_000]),
    };
    writer.append(3, Some(call), body);
    let rows = unfolded(&writer.journal, Filter::All);
    assert_eq!(rows[0].detail.as_deref(), Some("a b c"));
    assert_eq!(rows[1].state_text.chars().count(), 81);
    insta::assert_snapshot!(rows[2].label, @"form: “How many people are coming to the dinner? How many people are coming to the dinn…”");
    assert_eq!(rows[3].kind, RowKind::Noise);
    assert_eq!(rows[3].detail.as_ref().unwrap().chars().count(), 301);
}

#[test]
fn an_answer_from_the_cache_is_a_row_that_was_not_sent() {
    let mut writer = Writer::in_memory();
    writer.connect(0, "demo");
    let read = writer.start(1, "resources/read", Some("file:///a"));
    writer.attempt(1, read, (1, 1), 3);
    writer.reply(5, read, (1, 1), "complete");
    writer.end(5, read, OperationEnd::Complete);
    let event = writer.journal.exchanges(OperationId(read)).unwrap()[0]
        .response
        .unwrap()
        .event;
    let again = writer.start(60_000, "resources/read", Some("file:///a"));
    let fetched_micros = START + 5_000;
    let cached = EventBody::AnsweredFromCache {
        round: 1,
        event,
        fetched_micros,
    };
    writer.append(60_000, Some(again), cached);
    writer.end(60_000, again, OperationEnd::Complete);
    let from_cache = writer.journal.from_cache(OperationId(again)).unwrap();
    assert_eq!(
        from_cache,
        Some(FromCache {
            event,
            fetched_micros
        })
    );
    assert_eq!(writer.journal.from_cache(OperationId(read)).unwrap(), None);
    insta::assert_snapshot!(writer.unfolded(Filter::All), @r#"
    ▼ resources/read file:///a | ● complete | 1–5 | 1=5
        round 1 · id 3 | ● complete | 1–5 | 1=5
    ▼ resources/read file:///a [from cache] | ● complete | 60000–60000 | 60000=60000
        answer 1 · from cache fetched 59 s before | ● not sent | 60000–60000 | 60000=60000
    "#);
}

#[test]
fn a_stream_that_is_not_offered_is_a_calm_row_and_a_batch_one_of_its_own() {
    let mut writer = Writer::in_memory();
    let settled = |message: &str| AttemptOutcome::Settled {
        brief: "no stream".into(),
        message: message.into(),
    };
    let refused = writer.start(0, "session/stream", Some("GET"));
    writer.attempt(0, refused, (1, 1), 1);
    writer.outcome(10, refused, (1, 1), settled("HTTP 405."));
    let end = OperationEnd::Settled {
        brief: "no stream".into(),
        message: "HTTP 405.".into(),
    };
    writer.end(10, refused, end);

    let open = writer.start(20, "session/stream", Some("GET"));
    writer.attempt(20, open, (1, 1), 2);
    let batch = frame(
        Direction::Received,
        (1, 1),
        FrameRole::Batch { len: 2 },
        b"[{},{}]",
    );
    writer.append(25, Some(open), batch);
    writer.outcome(30, open, (1, 1), settled("The server closed its stream."));
    let reason = "The server closed its stream; it is opened again in 10 ms".to_owned();
    writer.append(30, Some(open), EventBody::WaitStarted { reason });
    insta::assert_snapshot!(writer.unfolded(Filter::All), @r"
    ▼ session/stream GET | · no stream | 0–10 | 0=10
        round 1 · id 1 | · no stream | 0–10 | 0=10
    ▼ session/stream GET | ◌ waiting | 20– | 20=30 30.
        round 1 · id 2 | · no stream | 20–30 | 20=30
          batch | · 2 messages | 25–25 | 25=25
    ");
    assert_eq!(writer.unfolded(Filter::Errors), "", "nothing is wrong");
}
