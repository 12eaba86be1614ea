//! Lists that come in pages.

use std::fmt::Write as _;

use insta::assert_snapshot;
use protocol::era::Era;
use protocol::operation::{Finish, Intent, Limits, Operation, Pages, Step};
use protocol::tools;

use crate::script::{Script, list, raw};

fn page(cursor: &str) -> String {
    format!(
        r#"{{"resultType":"complete","tools":[],"ttlMs":1,"cacheScope":"public","nextCursor":{cursor}}}"#
    )
}

#[test]
fn cursors_go_back_byte_for_byte() {
    let mut script = Script::start(Intent {
        params: Some(r#"{"cursor":"start","x":1.10}"#.to_owned()),
        ..list("tools/list")
    });
    script
        .result(&page(r#""p\u0032\/""#))
        .result(&page(r#""""#))
        .result(&page("null"));
    assert_snapshot!(script.transcript, @r#"
    → 1 {"cursor":"start","x":1.10}
    → 2 (page 2) {"cursor":"p\u0032\/","x":1.10}
    → 3 (page 3) {"cursor":"","x":1.10}
    over: Complete
    "#);
}

#[test]
fn fifty_four_tools_in_pages_of_fifty_are_all_there() {
    let entries = |range: std::ops::Range<u32>| {
        let mut text = String::new();
        for n in range {
            let comma = if text.is_empty() { "" } else { "," };
            write!(
                text,
                r#"{comma}{{"name":"tool_{n}","inputSchema":{{"type":"object"}}}}"#
            )
            .expect("a string takes all");
        }
        text
    };
    let (mut operation, mut step) = Operation::start(list("tools/list"), Limits::default());
    let mut names = Vec::new();
    while let Step::Send { params, .. } = step {
        let result = if params.is_none() {
            format!(
                r#"{{"resultType":"complete","tools":[{}],"nextCursor":"50"}}"#,
                entries(0..50)
            )
        } else {
            assert_eq!(params.as_deref(), Some(r#"{"cursor":"50"}"#));
            format!(
                r#"{{"resultType":"complete","tools":[{}]}}"#,
                entries(50..54)
            )
        };
        names.extend(
            tools::read_page(&raw(&result))
                .entries
                .into_iter()
                .map(|tool| tool.name),
        );
        step = operation.on_result(&raw(&result)).0;
    }
    assert!(matches!(step, Step::Finished(Finish::Complete)));
    assert_eq!(names.len(), 54);
    assert_eq!(names.last().map(String::as_str), Some("tool_53"));
}

#[test]
fn a_cursor_that_comes_again_is_a_circle() {
    let mut script = Script::start(list("tools/list"));
    script
        .result(&page(r#""a""#))
        .result(&page(r#""b""#))
        .result(&page(r#""\u0061""#));
    assert_snapshot!(script.transcript, @r#"
    → 1 no params
    → 2 (page 2) {"cursor":"a"}
    → 3 (page 3) {"cursor":"b"}
    failed: cursor repeats: Page 3 gave the cursor "\u0061" for a second time, so the list would go round in a circle. All 3 pages until then are kept.
    "#);

    let mut own = Script::start(Intent {
        params: Some(r#"{"cursor":"a"}"#.to_owned()),
        ..list("tools/list")
    });
    own.result(&page(r#""a""#));
    assert!(own.transcript.contains("failed: cursor repeats"));
}

#[test]
fn a_list_without_end_is_stopped() {
    let (mut operation, mut step) = Operation::start(list("resources/list"), Limits::default());
    let mut sent = 0;
    while let Step::Send { .. } = step {
        sent += 1;
        let (next, findings) = operation.on_result(&raw(&page(&format!("\"{sent}\""))));
        assert!(findings.is_empty());
        step = next;
    }
    assert_eq!(sent, 1000);
    let Step::Finished(Finish::Failed {
        brief,
        message,
        hint,
    }) = step
    else {
        panic!("it ends by failing, not with {step:?}");
    };
    assert_eq!(brief, "too many pages");
    assert_eq!(
        message,
        "After 1000 pages the server still gives a cursor for another. All 1000 pages until then are kept."
    );
    assert!(hint.is_some());
}

#[test]
fn one_page_is_one_page_and_other_methods_have_none() {
    let mut script = Script::start(Intent {
        pages: Pages::One,
        ..list("tools/list")
    });
    script.result(&page(r#""more""#));
    assert!(script.transcript.ends_with("over: Complete\n"));

    let mut script = Script::start(Intent {
        params: Some("{}".to_owned()),
        ..list("tools/call")
    });
    script.result(r#"{"resultType":"complete","content":[],"nextCursor":"x"}"#);
    assert!(script.transcript.ends_with("over: Complete\n"));
}

#[test]
fn an_empty_cursor_ends_a_legacy_list_only() {
    let mut script = Script::start(Intent {
        era: Era::Legacy,
        ..list("tools/list")
    });
    script.result(r#"{"tools":[],"nextCursor":""}"#);
    assert_eq!(
        script.transcript,
        "→ 1 no params\n! cursor-empty\nover: Complete\n"
    );
}

#[test]
fn a_cursor_of_another_type_is_found() {
    let mut number = Script::start(list("tools/list"));
    number.result(&page("12345678901234567890"));
    assert_eq!(
        number.transcript,
        "→ 1 no params\n! cursor-not-string\n→ 2 (page 2) {\"cursor\":12345678901234567890}\n"
    );

    let mut object = Script::start(list("tools/list"));
    object.result(&page("{}"));
    assert!(object.transcript.contains("failed: cursor unusable: nextCursor is an object and not a string, so the next page cannot be asked for. The first page is kept."));
}

#[test]
fn caching_hints_are_asked_for_once_a_list() {
    let mut script = Script::start(list("tools/list"));
    script
        .result(r#"{"tools":[],"nextCursor":"2"}"#)
        .result(r#"{"tools":[],"nextCursor":"3"}"#)
        .result(r#"{"resultType":"complete","tools":[],"ttlMs":-1,"cacheScope":"shared"}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 no params
    ! result-type-missing
    ! ttl-missing
    ! cache-scope-missing
    → 2 (page 2) {"cursor":"2"}
    → 3 (page 3) {"cursor":"3"}
    ! ttl-invalid
    ! cache-scope-invalid
    over: Complete
    "#);

    let mut changes = Script::start(list("tools/list"));
    changes
        .result(r#"{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private","nextCursor":"2"}"#)
        .result(r#"{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"public"}"#);
    assert!(changes.transcript.contains("! cache-scope-changes\n"));
}

#[test]
fn hints_are_not_asked_of_calls_or_in_the_legacy_era() {
    let mut called = Script::start(Intent {
        params: Some("{}".to_owned()),
        ..list("tools/call")
    });
    called.result(r#"{"resultType":"complete","content":[]}"#);
    let mut legacy = Script::start(Intent {
        era: Era::Legacy,
        ..list("tools/list")
    });
    legacy.result(r#"{"tools":[]}"#);
    assert!(!called.transcript.contains('!') && !legacy.transcript.contains('!'));
}
