//! Operations that wait for what a person does in their browser.

use insta::assert_snapshot;
use protocol::era::Era;
use protocol::operation::{Intent, Limits, Operation};

use crate::script::{Script, call};

fn modern() -> Intent {
    Intent {
        declared: r#"{"elicitation":{"form":{},"url":{}}}"#.to_owned(),
        ..call(r#"{"name":"files"}"#)
    }
}

fn legacy() -> Intent {
    Intent {
        era: Era::Legacy,
        ..modern()
    }
}

fn asks(state: &str) -> String {
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{"go":{{"method":"elicitation/create","params":{{"mode":"url","url":"https://example.com/a","message":"m"}}}}}},"requestState":"{state}"}}"#
    )
}

const REQUIRED: &str = r#"{"elicitations":[{"mode":"url","elicitationId":"e1","url":"https://example.com/a","message":"m"}]}"#;

fn opened(script: &mut Script, key: &str) {
    script.operation.link_opened("https://example.com/a");
    script.answer(key, r#"{"action":"accept"}"#);
}

#[test]
fn a_link_that_was_opened_is_not_asked_for_again_but_waited_for_with_each_new_state() {
    let mut script = Script::start(modern());
    script.result(&asks("one"));
    opened(&mut script, "go");
    script
        .result(&asks("two"))
        .waited()
        .result(&asks("three"))
        .turn(Operation::retry_now)
        .turn(Operation::retry_now)
        .result(r#"{"resultType":"complete","content":[]}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"files"}
    ? go: elicitation/create {"mode":"url","url":"https://example.com/a","message":"m"}
    → 2 {"name":"files","inputResponses":{"go":{"action":"accept"}},"requestState":"one"}
    in the browser: 1, 2000 ms
    → 3 (round 3, after the browser) {"name":"files","inputResponses":{"go":{"action":"accept"}},"requestState":"two"}
    in the browser: 2, 4000 ms
    → 4 (round 4, after the browser) {"name":"files","inputResponses":{"go":{"action":"accept"}},"requestState":"three"}
    nothing
    over: Complete
    "#);
}

#[test]
fn after_a_dozen_times_the_person_says_when_and_the_limit_of_rounds_is_for_questions() {
    let limits = Limits {
        rounds: 3,
        ..Limits::default()
    };
    let mut script = Script::start_within(modern(), limits);
    script.result(&asks("s"));
    opened(&mut script, "go");
    script.take();
    for _ in 0..11 {
        script.result(&asks("s")).waited();
    }
    let waits: Vec<String> = script
        .take()
        .lines()
        .filter(|line| line.starts_with("in the browser"))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        waits.first().map(String::as_str),
        Some("in the browser: 1, 2000 ms")
    );
    assert_eq!(
        waits.last().map(String::as_str),
        Some("in the browser: 11, 60000 ms")
    );
    script.result(&asks("s"));
    assert_eq!(script.take(), "in the browser: 12, until the person says\n");
    script.turn(Operation::retry_now).result(&asks("s"));
    assert!(
        script
            .take()
            .ends_with("in the browser: 13, until the person says\n")
    );
    script.cancel();
    assert_eq!(script.take(), "over: Cancelled\n");
}

#[test]
fn another_link_is_asked_for_and_so_is_one_beside_a_form() {
    let mut script = Script::start(modern());
    script.result(&asks("one"));
    opened(&mut script, "go");
    script
        .result(&asks("two").replace("example.com/a", "example.com/b"))
        .answer("go", r#"{"action":"decline"}"#)
        .result(r#"{"resultType":"input_required","inputRequests":{"go":{"method":"elicitation/create","params":{"mode":"url","url":"https://example.com/a","message":"m"}},"form":{"method":"elicitation/create","params":{"message":"?"}}}}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"files"}
    ? go: elicitation/create {"mode":"url","url":"https://example.com/a","message":"m"}
    → 2 {"name":"files","inputResponses":{"go":{"action":"accept"}},"requestState":"one"}
    ? go: elicitation/create {"mode":"url","url":"https://example.com/b","message":"m"}
    → 3 {"name":"files","inputResponses":{"go":{"action":"decline"}},"requestState":"two"}
    ? go: elicitation/create {"mode":"url","url":"https://example.com/a","message":"m"}
    ? form: elicitation/create {"message":"?"}
    "#);
}

#[test]
fn a_legacy_request_is_sent_again_when_the_server_says_that_the_person_is_done() {
    let mut script = Script::start(legacy());
    script.links_required(Some(REQUIRED));
    opened(&mut script, "e1");
    script
        .turn(|operation| operation.link_completed("another"))
        .turn(|operation| operation.link_completed("e1"))
        .result(r#"{"content":[]}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"files"}
    ? e1: elicitation/create {"mode":"url","elicitationId":"e1","url":"https://example.com/a","message":"m"}
    in the browser: 0, 2000 ms
    nothing
    → 2 (round 2, after the browser) {"name":"files"}
    over: Complete
    "#);
}

#[test]
fn the_same_link_after_it_was_said_to_be_complete_is_noticed() {
    let mut script = Script::start(legacy());
    script.links_required(Some(REQUIRED));
    opened(&mut script, "e1");
    script
        .turn(|operation| operation.link_completed("e1"))
        .links_required(Some(REQUIRED))
        .waited()
        .links_required(Some(REQUIRED));
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"files"}
    ? e1: elicitation/create {"mode":"url","elicitationId":"e1","url":"https://example.com/a","message":"m"}
    in the browser: 0, 2000 ms
    → 2 (round 2, after the browser) {"name":"files"}
    ! url-elicitation-repeated
    in the browser: 1, 2000 ms
    → 3 (round 3, after the browser) {"name":"files"}
    in the browser: 2, 4000 ms
    "#);
}

#[test]
fn a_declined_link_of_a_legacy_error_ends_the_request() {
    let mut script = Script::start(legacy());
    script
        .links_required(Some(REQUIRED))
        .answer("e1", r#"{"action":"decline"}"#);
    assert!(
        script
            .transcript
            .ends_with("failed: link declined: tools/call needs a link to be opened first, which you declined.\n"),
        "{}",
        script.transcript
    );
    let mut script = Script::start(legacy());
    script
        .links_required(Some(REQUIRED))
        .answer("e1", r#"{"action":"cancel"}"#);
    assert!(script.transcript.ends_with("over: Cancelled\n"));
}

#[test]
fn an_error_without_usable_links_is_an_error_and_says_what_is_wrong() {
    for (data, rules) in [
        (None, "! url-elicitation-list-missing\n"),
        (
            Some(r#"{"elicitations":{}}"#),
            "! url-elicitation-list-missing\n",
        ),
        (
            Some(r#"{"elicitations":[]}"#),
            "! url-elicitation-list-missing\n",
        ),
        (
            Some(r#"{"elicitations":[{"mode":"form","message":"m","requestedSchema":{}},7]}"#),
            "! url-elicitation-malformed\n! url-elicitation-malformed\n",
        ),
    ] {
        let mut script = Script::start(legacy());
        script.take();
        script.links_required(data);
        assert_eq!(
            script.take(),
            format!("{rules}not about links\n"),
            "{data:?}"
        );
    }
    // The modern era has no such error.
    let mut script = Script::start(modern());
    script.take();
    script.links_required(Some(REQUIRED));
    assert_eq!(script.take(), "not about links\n");
}
