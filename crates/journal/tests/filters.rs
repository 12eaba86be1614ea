//! The filter line: what it lets through, what it says when it cannot be read, what it suggests.
#![allow(clippy::unwrap_used)] // of tests, though not in a test's own function

mod common;

use std::sync::Arc;

use common::{Writer, frame, request_head, response_head};
use journal::event::{AttemptOutcome, EventBody, EventSeq, FrameRole, OperationEnd};
use journal::filter::Query;
use journal::filter::complete::complete;
use journal::log::Journal;
use journal::row::{Filter, RowRef};
use journal::view::View;
use wire::frame::Direction;

fn query(line: &str) -> Option<Arc<Query>> {
    Query::parse(line).unwrap().map(Arc::new)
}

/// Searches everything that the view does not know yet.
fn search(view: &mut View, journal: &Journal, from: EventSeq, block_byte_len: u64) -> EventSeq {
    let texts = view.query().map(|query| query.texts().to_vec());
    let mut next = from;
    while let Some(block) = journal.block(next, block_byte_len) {
        let loaded = block.read().unwrap();
        let hits = loaded.search(texts.as_deref().unwrap_or_default());
        next = loaded.next();
        view.learn(journal, &hits, next);
    }
    next
}

/// The keys of the rows that a line lets through.
fn rows(journal: &Journal, line: &str) -> String {
    let mut view = View::new(Filter::All, None);
    view.ask(query(line));
    search(&mut view, journal, EventSeq(0), 1 << 20);
    let rows = view.window(journal, 0, u32::MAX);
    rows.iter()
        .map(|row| row.key.clone())
        .collect::<Vec<_>>()
        .join(" ")
}

/// o0 list, o1 call with a retry and a prompt, o2 call that fails, o3 running, o4 a task; a line of stderr, noise and a
/// notification beside them.
fn session() -> Writer {
    let mut writer = Writer::in_memory();
    let list = writer.start(0, "tools/list", None);
    writer.attempt(0, list, (1, 1), 1);
    writer.reply(12, list, (1, 1), "complete");
    writer.end(12, list, OperationEnd::Complete);

    let call = writer.start(20, "tools/call", Some("book_table"));
    writer.attempt(20, call, (1, 1), 2);
    writer.append(
        20,
        Some(call),
        EventBody::HttpRequest {
            round: 1,
            attempt: 1,
            head: request_head(),
            body_byte_len: 40,
        },
    );
    writer.append(
        30,
        Some(call),
        EventBody::HttpResponse {
            round: 1,
            attempt: 1,
            head: response_head(503),
        },
    );
    writer.transport_error(30, call, (1, 1), "HTTP 503");
    writer.append(
        30,
        Some(call),
        EventBody::WaitStarted {
            reason: "back-off".into(),
        },
    );
    writer.attempt(530, call, (1, 2), 3);
    writer.reply(540, call, (1, 2), "input_required");
    writer.ask(540, Some(call), 0, "How many people?");
    writer.answer(1540, Some(call), 0, "accepted");
    writer.attempt(1540, call, (2, 1), 4);
    writer.append(
        1550,
        Some(call),
        frame(
            Direction::Received,
            (2, 1),
            FrameRole::Reply,
            br#"{"result":{"text":"Caf\u00e9 \"Lucia\", https:\/\/example.org"}}"#,
        ),
    );
    writer.end(1550, call, OperationEnd::Complete);

    writer.connect(1, "Demo server");
    let failed = writer.start(2000, "tools/call", Some("import_menu"));
    writer.attempt(2000, failed, (1, 1), 5);
    writer.outcome(
        2010,
        failed,
        (1, 1),
        AttemptOutcome::RpcError {
            code: -32602,
            message: "Unknown tool: import_menu".into(),
        },
    );
    writer.fail(2010, failed, "error -32602");

    let running = writer.start(3000, "resources/read", Some("file:///menu.md"));
    writer.attempt(3000, running, (1, 1), 6);

    let task = writer.start(4000, "tools/call", Some("slow (very)"));
    writer.attempt(4000, task, (1, 1), 7);
    writer.reply(4001, task, (1, 1), "task");
    writer.labelled_attempt(5000, task, (2, 1), 8, Some("poll 1"));
    writer.reply(5001, task, (2, 1), "complete");
    writer.end(5001, task, OperationEnd::ToolError);

    writer.stderr(6000, None, "Traceback: cafe\u{301} is closed");
    writer.noise(6001, None, b"hello");
    writer.notification(6002, None, (0, 0), "notifications/tools/list_changed", None);
    writer
}

#[test]
fn fields_are_answered_from_the_index() {
    let writer = session();
    let journal = &writer.journal;
    let of = |line: &str| rows(journal, line);
    let [stderr, noise, notice] = [3, 2, 1].map(|back| format!("e{}", journal.len() - back));

    assert_eq!(of("method:tools/call"), "o1 o2 o4");
    assert_eq!(of("method:TOOLS"), format!("o0 o1 o2 o4 {notice}"));
    assert_eq!(of("method:=tools/list"), "o0");
    assert_eq!(of("method:tools/*"), "o0 o1 o2 o4");
    assert_eq!(of("method:*/list*"), format!("o0 {notice}"));
    assert_eq!(of("name:book_table,import_menu"), "o1 o2");
    assert_eq!(of("tool:\"slow (very)\""), "o4");
    assert_eq!(
        of("server:demo"),
        format!("o2 o3 o4 {stderr} {noise} {notice}")
    );
    assert_eq!(of("status:error"), format!("o2 o4 {noise}"));
    assert_eq!(of("status:failed kind:operation"), "o2");
    assert_eq!(of("status:tool-error"), "o4");
    assert_eq!(of("status:running"), "o3");
    assert_eq!(of("has:retry"), "o1");
    assert_eq!(of("has:prompt"), "o1");
    assert_eq!(of("has:task"), "o4");
    assert_eq!(of("has:wait"), "o1");
    assert_eq!(of("has:error"), format!("o2 o4 {noise}"));
    assert_eq!(of("duration:>500ms"), "o1 o4");
    assert_eq!(of("duration:..1s"), "o0 o2");
    assert_eq!(of("duration:>1.2s duration:<2s"), "o1");
    assert_eq!(of("on-you:>=1s"), "o1");
    assert_eq!(of("on-time:>400ms"), "o1");
    assert_eq!(of("round:>1"), "o1");
    assert_eq!(of("retry:1"), "o1");
    assert_eq!(of("poll:>0"), "o4");
    assert_eq!(of("http:503"), "o1");
    assert_eq!(of("http:>=400 http:<500"), "");
    assert_eq!(of("code:-32602"), "o2");
    assert_eq!(of("kind:stderr"), stderr);
    assert_eq!(of("kind:noise,notification"), format!("{noise} {notice}"));
    assert_eq!(of("size:>40"), "o0 o1 o4");
    assert_eq!(of("transport:http kind:operation"), "o0 o1 o2 o3 o4");
}

#[test]
fn conditions_are_joined_and_denied() {
    let writer = session();
    let of = |line: &str| rows(&writer.journal, line);
    assert_eq!(of("method:tools/call status:complete"), "o1");
    assert_eq!(of("method:tools/call and status:complete"), "o1");
    assert_eq!(of("status:running or status:complete"), "o0 o1 o3");
    assert_eq!(of("kind:operation -method:tools/call"), "o0 o3");
    assert_eq!(
        of("kind:operation not (method:tools/call or status:running)"),
        "o0"
    );
    assert_eq!(
        of("kind:operation !status:error not status:running"),
        "o0 o1"
    );
    // "and" binds closer than "or".
    assert_eq!(
        of("method:=tools/list or method:tools/call has:retry"),
        "o0 o1"
    );
    assert_eq!(
        of("(method:=tools/list or method:tools/call) has:retry"),
        "o1"
    );
    assert_eq!(of("-(-status:running)"), "o3");
}

#[test]
fn texts_are_found_as_a_person_types_them() {
    let writer = session();
    let journal = &writer.journal;
    let of = |line: &str| rows(journal, line);
    let stderr = format!("e{}", journal.len() - 3);
    let noise = format!("e{}", journal.len() - 2);

    // Escaped in JSON, composed, and letter and accent apart.
    assert_eq!(of("café"), format!("o1 {stderr}"));
    assert_eq!(of("cafe\u{301}"), format!("o1 {stderr}"));
    assert_eq!(of("CAFÉ"), "");
    assert_eq!(of("Café"), "o1");
    assert_eq!(of("'\"Lucia\"'"), "o1");
    assert_eq!(of("https://example.org"), "o1");
    assert_eq!(of("text:\"\\\"lucia\\\", https\""), "o1");
    // What JSON lays out with a space, and what parts a header's name from its value.
    assert_eq!(of("'\"resultType\": \"task\"'"), "o4");
    assert_eq!(of("'mcp-method: tools'"), "o1");
    // Codes are texts, not what is left out.
    assert_eq!(of("-32602"), "o2");
    assert_eq!(of("unknown tool"), "o2");
    assert_eq!(of("\"how many people\""), "o1");
    assert_eq!(of("hello"), noise);
    // A name's own bytes are searched, a record's numbers and words of ours are not.
    assert_eq!(of("import_menu"), "o2");
    assert_eq!(of("headers"), "");
    assert_eq!(of("rpc_error"), "");
    assert_eq!(of("traceback closed"), stderr);
    assert_eq!(of("lucia or hello"), format!("o1 {noise}"));
    assert_eq!(of("kind:operation -text:result -unknown"), "o3");
}

#[test]
fn expressions_are_found_record_by_record() {
    let writer = session();
    let journal = &writer.journal;
    let of = |line: &str| rows(journal, line);
    let noise = format!("e{}", journal.len() - 2);
    assert_eq!(of("/^hello$/"), noise);
    assert_eq!(of("/HELLO/i"), noise);
    assert_eq!(of("/HELLO/"), "");
    assert_eq!(of("/mcp-method: \\w+\\/call/"), "o1");
    assert_eq!(of(r"/Caf\\u00e9/"), "o1");
    // It fits in each; over all of them at once it would fit only from the first to the last.
    assert_eq!(of("/resultType.*complete/"), "o0 o4");
    assert_eq!(of("text:/resultType.*task/"), "o4");
    assert_eq!(of("-/./s"), "");
}

#[test]
fn what_cannot_be_read_is_told_with_its_place_and_what_to_try() {
    let problem = |line: &str| {
        let problem = Query::parse(line).unwrap_err();
        let at = problem.at.clone();
        format!(
            "{at:?} “{}” {} | {}",
            &line[at.clone()],
            problem.message,
            problem.hint
        )
    };
    insta::assert_snapshot!(
        [
            "methode:x",
            "foo:x",
            "status:eror",
            "status:",
            "has:banana",
            "duration:500ms",
            "duration:>5",
            "duration:>5x",
            "round:many",
            "round:>1s",
            "size:>3q",
            "retry:5..2",
            "(status:error",
            "status:error)",
            "or status:error",
            "status:error or",
            "not",
            "\"abc",
            "/abc",
            "/a(b/",
            "/a/q",
            "//",
            "text:\"\"",
            "ab\"cd\"",
            "\"a\":1",
            "method:/x/",
            "()",
            "name:a,,b",
        ]
        .map(problem)
        .join("\n")
    );
    let deep = format!("{}status:error{}", "(".repeat(200), ")".repeat(200));
    assert!(
        Query::parse(&deep)
            .unwrap_err()
            .message
            .contains("64 groups")
    );
    assert!(Query::parse(&"-".repeat(9000)).is_ok() || Query::parse(&"!".repeat(9000)).is_err());
    assert!(Query::parse(&"not ".repeat(9000)).is_err());
    assert!(
        Query::parse(&"a ".repeat(100))
            .unwrap_err()
            .message
            .contains("32 texts")
    );
    assert!(
        Query::parse("/(a{1000}){1000}/")
            .unwrap_err()
            .message
            .contains("too large")
    );
    assert!(Query::parse("  ").unwrap().is_none());
}

#[test]
fn what_may_stand_at_the_cursor_is_suggested() {
    let writer = session();
    let suggest = |line: &str| {
        let cursor = line.find('|').unwrap();
        let line = line.replacen('|', "", 1);
        let found = complete(writer.journal.tree(), &line, cursor);
        let all: Vec<_> = found
            .all
            .iter()
            .map(|one| format!("{} ({})", one.insert, one.says))
            .collect();
        format!("{:?} {}", found.at, all.join(", "))
    };
    insta::assert_snapshot!(
        [
            "|",
            "me|",
            "-st|",
            "method:|",
            "method:tools/c|",
            "status:error,c|",
            "server:|",
            "name:|",
            "name:men|",
            "has:p|",
            "duration:|",
            "kind:o| x",
            "\"quoted me|",
            "/reg me|",
            "nofield:|",
            "a no|",
            "transport:|",
            "status:error|",
        ]
        .map(|line| format!("{line:<18} {}", suggest(line)))
        .join("\n")
    );
}

#[test]
fn an_entry_joins_and_leaves_at_its_place() {
    let mut writer = Writer::in_memory();
    let mut running = View::new(Filter::All, None);
    running.ask(query("status:running"));
    let mut errors = View::new(Filter::Errors, None);
    errors.ask(query("method:tools/call"));
    let first = writer.start(0, "tools/call", Some("a"));
    let second = writer.start(1, "tools/call", Some("b"));
    let keys = |view: &mut View, journal: &Journal| {
        let rows = view.window(journal, 0, 9);
        rows.iter().map(|row| row.key.clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&mut running, &writer.journal), ["o0", "o1"]);
    running.set_expanded(
        &writer.journal,
        "o0".parse::<RowRef>().unwrap().operation().unwrap(),
        true,
    );
    writer.attempt(2, first, (1, 1), 1);
    assert_eq!(keys(&mut running, &writer.journal), ["o0", "o0/1", "o1"]);
    let stamp = running.stamp(&writer.journal, 0, 9);
    writer.fail(3, second, "error -32000");
    assert_eq!(keys(&mut running, &writer.journal), ["o0", "o0/1"]);
    assert_ne!(running.stamp(&writer.journal, 0, 9), stamp);
    assert_eq!(keys(&mut errors, &writer.journal), ["o1"]);
    writer.fail(4, first, "error -32000");
    assert_eq!(keys(&mut running, &writer.journal), Vec::<String>::new());
    assert_eq!((running.top_rows(), running.total_rows()), (0, 0));
    assert_eq!(keys(&mut errors, &writer.journal), ["o0", "o1"]);
}

#[test]
fn a_row_without_a_text_is_shown_once_it_was_searched_and_leaves_when_the_text_comes() {
    let mut writer = Writer::in_memory();
    let quiet = writer.start(0, "tools/call", Some("quiet"));
    let mut view = View::new(Filter::All, None);
    view.ask(query("-text:ping"));
    assert_eq!(view.window(&writer.journal, 0, 9).len(), 0);
    let mut seen = search(&mut view, &writer.journal, EventSeq(0), 1);
    assert_eq!(view.window(&writer.journal, 0, 9).len(), 1);
    // It does not flicker while what it got is not searched yet.
    writer.notification(
        1,
        Some(quiet),
        (1, 1),
        "notifications/message",
        Some("pong"),
    );
    assert_eq!(view.window(&writer.journal, 0, 9).len(), 1);
    seen = search(&mut view, &writer.journal, seen, 1);
    assert_eq!(view.window(&writer.journal, 0, 9).len(), 1);
    writer.stderr(2, Some(quiet), "ping");
    search(&mut view, &writer.journal, seen, 1);
    assert_eq!(view.window(&writer.journal, 0, 9).len(), 0);
}

#[test]
fn next_and_previous_go_round_the_top_rows() {
    let writer = session();
    let journal = &writer.journal;
    let mut view = View::new(Filter::All, None);
    view.ask(query("method:tools/call"));
    view.set_expanded(
        journal,
        "o1".parse::<RowRef>().unwrap().operation().unwrap(),
        true,
    );
    let children = journal
        .row("o1".parse().unwrap(), false)
        .unwrap()
        .child_count;
    let step = |view: &mut View, from, backwards| {
        let (place, row) = view.step(journal, from, backwards).unwrap();
        assert_eq!(view.locate_row(journal, row), Some(place));
        format!("{place} {row}")
    };
    assert_eq!(step(&mut view, None, false), "0 o1");
    assert_eq!(
        step(&mut view, Some(0), false),
        format!("{} o2", children + 1)
    );
    assert_eq!(
        step(&mut view, Some(2), false),
        format!("{} o2", children + 1)
    );
    assert_eq!(step(&mut view, Some(children + 2), false), "0 o1");
    assert_eq!(step(&mut view, None, true), format!("{} o4", children + 2));
    assert_eq!(step(&mut view, Some(2), true), "0 o1");
    assert_eq!(
        step(&mut view, Some(0), true),
        format!("{} o4", children + 2)
    );
    assert_eq!(step(&mut view, Some(children + 1), true), "0 o1");
    assert_eq!(
        step(&mut view, Some(9999), true),
        format!("{} o2", children + 1)
    );
    view.ask(query("status:cancelled"));
    assert_eq!(view.step(journal, None, false), None);
}

#[test]
fn the_first_find_of_a_row_is_known() {
    let writer = session();
    let journal = &writer.journal;
    let mut view = View::new(Filter::All, None);
    view.ask(query("lucia"));
    search(&mut view, journal, EventSeq(0), 100);
    let found = view.first_found(journal, "o1".parse().unwrap()).unwrap();
    assert!(matches!(
        journal.event(found).unwrap().body,
        EventBody::Frame {
            role: FrameRole::Reply,
            ..
        }
    ));
    assert_eq!(view.first_found(journal, "o0".parse().unwrap()), None);
}
