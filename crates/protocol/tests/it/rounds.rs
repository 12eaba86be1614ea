//! Multi round-trip requests.

use insta::assert_snapshot;
use protocol::era::Era;
use protocol::operation::{AnswerError, Finish, Intent, Limits, Operation, Pages, Step};

use crate::script::{Script, call, list, raw};

const ASKS_NAME: &str = r#"{"resultType":"input_required","inputRequests":{"name":{"method":"elicitation/create","params":{"message":"Your name?","requestedSchema":{"type":"object","properties":{}}}}}}"#;

#[test]
fn a_call_that_needs_a_name_is_retried_with_the_answer_and_the_state() {
    let mut script = Script::start(call(r#"{"name":"greet","arguments":{"n":1.10}}"#));
    script
        .result(r#"{"resultType":"input_required","inputRequests":{"name":{"method":"elicitation/create","params":{"message":"Your name?"}}},"requestState":"a\u0041\/\n=="}"#)
        .answer("name", r#"{"action":"accept","content":{"name":"Ada","id":12345678901234567890}}"#)
        .result(r#"{"resultType":"complete","content":[]}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"greet","arguments":{"n":1.10}}
    ? name: elicitation/create {"message":"Your name?"}
    → 2 {"name":"greet","arguments":{"n":1.10},"inputResponses":{"name":{"action":"accept","content":{"name":"Ada","id":12345678901234567890}}},"requestState":"a\u0041\/\n=="}
    over: Complete
    "#);
}

#[test]
fn without_a_state_none_is_sent() {
    let mut script = Script::start(call(r#"{"name":"greet"}"#));
    script
        .result(ASKS_NAME)
        .answer("name", r#"{"action":"decline"}"#);
    assert!(script.transcript.ends_with(
        "→ 2 {\"name\":\"greet\",\"inputResponses\":{\"name\":{\"action\":\"decline\"}}}\n"
    ));
}

#[test]
fn a_null_state_is_none_and_another_type_goes_back_as_it_came() {
    let mut script = Script::start(call(r#"{"name":"t"}"#));
    script
        .result(r#"{"resultType":"input_required","requestState":null,"inputRequests":{"a":{"method":"roots/list"}}}"#)
        .answer("a", "{}")
        .result(r#"{"resultType":"input_required","requestState":{"n":1e400},"inputRequests":{"a":{"method":"elicitation/create"}}}"#)
        .answer("a", "{}");
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"t"}
    ! request-state-not-string
    ! input-request-undeclared
    ? a: roots/list {}
    → 2 {"name":"t","inputResponses":{"a":{}}}
    ! request-state-not-string
    ? a: elicitation/create {}
    → 3 {"name":"t","inputResponses":{"a":{}},"requestState":{"n":1e400}}
    "#);
}

#[test]
fn each_round_sends_its_own_responses_and_state_alone() {
    let mut script = Script::start(call(
        r#"{ "name" : "trip", "arguments" : {"z":1,"a":2,"z":3} }"#,
    ));
    script
        .result(r#"{"resultType":"input_required","inputRequests":{"from":{"method":"elicitation/create"}},"requestState":"one"}"#)
        .answer("from", r#"{"action":"accept","content":{"city":"Ulm"}}"#)
        .result(r#"{"resultType":"input_required","inputRequests":{"to":{"method":"elicitation/create"}}}"#)
        .answer("to", r#"{"action":"accept","content":{"city":"Bonn"}}"#)
        .result(r#"{"resultType":"complete","content":[],"isError":true}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 { "name" : "trip", "arguments" : {"z":1,"a":2,"z":3} }
    ? from: elicitation/create {}
    → 2 { "name" : "trip", "arguments" : {"z":1,"a":2,"z":3},"inputResponses":{"from":{"action":"accept","content":{"city":"Ulm"}}},"requestState":"one" }
    ? to: elicitation/create {}
    → 3 { "name" : "trip", "arguments" : {"z":1,"a":2,"z":3},"inputResponses":{"to":{"action":"accept","content":{"city":"Bonn"}}} }
    over: ToolError
    "#);
}

#[test]
fn several_requests_are_answered_in_any_order_and_sent_in_the_servers() {
    let mut script = Script::start(call(r#"{"name":"t"}"#));
    script
        .result(r#"{"resultType":"input_required","inputRequests":{"b":{"method":"elicitation/create","params":{"k":1.0}},"a":{"method":"elicitation/create"}}}"#)
        .answer("a", r#"{"action":"cancel"}"#)
        .answer("a", r#"{"action":"accept"}"#)
        .answer("c", "{}")
        .answer("b", "oops")
        .answer("b", r#"{"action":"decline"}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"t"}
    ? b: elicitation/create {"k":1.0}
    ? a: elicitation/create {}
    nothing
    refused: The operation no longer waits for an answer to "a".
    refused: The operation no longer waits for an answer to "c".
    refused: The answer to "b" is not a JSON object, so it was not sent.
    → 2 {"name":"t","inputResponses":{"b":{"action":"decline"},"a":{"action":"cancel"}}}
    "#);
}

#[test]
fn a_state_alone_is_retried_with_a_growing_back_off_and_without_responses() {
    let mut script = Script::start(call(r#"{"name":"t"}"#));
    for state in ["a", "b", "c", "d", "e", "f", "g"] {
        let result = format!(r#"{{"resultType":"input_required","requestState":"{state}"}}"#);
        script.result(&result).waited();
    }
    script.result(ASKS_NAME).answer("name", "{}");
    script.result(r#"{"resultType":"input_required","inputRequests":{},"requestState":"h"}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"t"}
    wait 500 ms
    → 2 {"name":"t","requestState":"a"}
    wait 1000 ms
    → 3 {"name":"t","requestState":"b"}
    wait 2000 ms
    → 4 {"name":"t","requestState":"c"}
    wait 4000 ms
    → 5 {"name":"t","requestState":"d"}
    wait 8000 ms
    → 6 {"name":"t","requestState":"e"}
    wait 10000 ms
    → 7 {"name":"t","requestState":"f"}
    wait 10000 ms
    → 8 {"name":"t","requestState":"g"}
    ? name: elicitation/create {"message":"Your name?","requestedSchema":{"type":"object","properties":{}}}
    → 9 {"name":"t","inputResponses":{"name":{}}}
    wait 500 ms
    "#);
}

#[test]
fn a_server_that_asks_in_every_round_is_stopped_with_an_explanation() {
    let mut script = Script::start_within(
        Intent {
            name: Some("greet".to_owned()),
            ..call(r#"{"name":"greet"}"#)
        },
        Limits {
            rounds: 3,
            pages: 1,
        },
    );
    for _ in 0..3 {
        script.result(ASKS_NAME).answer("name", "{}");
    }
    assert!(script.transcript.contains(
        "failed: asks without end: tools/call greet was answered 3 times by asking for more, and never with a result, so Roundtrip stopped."
    ));
    assert!(script.operation.is_over());
    assert_eq!(script.operation.round(), 3);
}

#[test]
fn state_alone_for_ever_is_stopped_too() {
    let mut script = Script::start(call(r#"{"name":"t"}"#));
    for _ in 0..20 {
        script
            .result(r#"{"resultType":"input_required","requestState":"s"}"#)
            .waited();
    }
    assert!(script.transcript.contains("failed: asks without end"));
    assert_eq!(script.operation.round(), 20);
}

#[test]
fn an_unknown_method_is_asked_all_the_same_and_can_be_left_out() {
    let mut script = Script::start(call(r#"{"name":"t"}"#));
    script
        .result(r#"{"resultType":"input_required","inputRequests":{"x":{"method":"shell/run","params":{"rm":true}},"y":7,"z":{"params":{}},"n":{"method":"elicitation/create"}},"requestState":"s"}"#)
        .leave_out("x")
        .leave_out("y")
        .leave_out("z")
        .answer("n", r#"{"action":"decline"}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"t"}
    ! input-request-unknown-method
    ! input-request-malformed
    ! input-request-malformed
    ? x: shell/run {"rm":true}
    ? y:  7
    ? z:  {"params":{}}
    ? n: elicitation/create {}
    nothing
    nothing
    nothing
    → 2 {"name":"t","inputResponses":{"n":{"action":"decline"}},"requestState":"s"}
    "#);
}

#[test]
fn a_mode_that_was_not_declared_is_found() {
    for (declared, params, found) in [
        (r#"{"elicitation":{}}"#, "{}", false),
        (r#"{"elicitation":{}}"#, r#"{"mode":"url"}"#, true),
        (
            r#"{"elicitation":{"form":{}}}"#,
            r#"{"mode":"form"}"#,
            false,
        ),
        (r#"{"elicitation":{"url":{}}}"#, r#"{"mode":"form"}"#, true),
        (r#"{"elicitation":{"url":{}}}"#, r#"{"mode":"url"}"#, false),
        ("{}", "{}", true),
    ] {
        let mut script = Script::start(Intent {
            declared: declared.to_owned(),
            ..call("{}")
        });
        script.result(&format!(
            r#"{{"resultType":"input_required","inputRequests":{{"a":{{"method":"elicitation/create","params":{params}}}}}}}"#
        ));
        let rule = "! input-request-undeclared\n";
        assert_eq!(
            script.transcript.contains(rule),
            found,
            "{declared} {params}"
        );
    }
}

#[test]
fn a_repeated_key_is_found_and_the_last_one_asked() {
    let mut script = Script::start(call(r#"{"name":"t"}"#));
    script.result(r#"{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"v":1}},"\u0061":{"method":"elicitation/create","params":{"v":2}}}}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"t"}
    ! input-request-key-repeated
    ? a: elicitation/create {"v":2}
    "#);
}

#[test]
fn asking_for_nothing_or_in_a_wrong_shape_ends_the_call() {
    for (result, rule) in [
        (r#"{"resultType":"input_required"}"#, "input-required-empty"),
        (
            r#"{"resultType":"input_required","inputRequests":{}}"#,
            "input-required-empty",
        ),
        (
            r#"{"resultType":"input_required","inputRequests":null,"requestState":null}"#,
            "input-required-empty",
        ),
        (
            r#"{"resultType":"input_required","inputRequests":[1],"requestState":"s"}"#,
            "input-requests-malformed",
        ),
    ] {
        let mut script = Script::start(call(r#"{"name":"t"}"#));
        script.result(result);
        assert!(
            script.transcript.contains(&format!("! {rule}\n")),
            "{result}: {}",
            script.transcript
        );
        assert!(
            script
                .transcript
                .contains("failed: asks for nothing: The server asks for input"),
            "{result}"
        );
    }
}

#[test]
fn a_method_that_may_not_ask_is_found_and_still_served() {
    let mut script = Script::start(list("tools/list"));
    script
        .result(ASKS_NAME)
        .answer("name", "{}")
        .result(r#"{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"public"}"#);
    assert_snapshot!(script.transcript, @r#"
    → 1 no params
    ! input-required-not-allowed
    ? name: elicitation/create {"message":"Your name?","requestedSchema":{"type":"object","properties":{}}}
    → 2 {"inputResponses":{"name":{}}}
    over: Complete
    "#);
    for method in ["prompts/get", "resources/read", "tools/call"] {
        let mut script = Script::start(Intent {
            method: method.to_owned(),
            ..call("{}")
        });
        script.result(ASKS_NAME);
        assert!(!script.transcript.contains('!'), "{method} may ask");
    }
}

#[test]
fn result_types() {
    for (result, expected) in [
        (
            r#"{"resultType":"complete","content":[]}"#,
            "over: Complete\n",
        ),
        (
            r#"{"resultType":"compl\u0065te","content":[]}"#,
            "over: Complete\n",
        ),
        (
            r#"{"content":[]}"#,
            "! result-type-missing\nover: Complete\n",
        ),
        ("[]", "! result-not-object\nover: Complete\n"),
        (
            r#"{"resultType":"stream","taskId":"1"}"#,
            "! result-type-unknown\nfailed: unknown resultType: tools/call was answered with a result of the type \"stream\", which Roundtrip did not say it knows; such a result is invalid.\n",
        ),
        (
            r#"{"resultType":null}"#,
            "! result-type-unknown\nfailed: unknown resultType: tools/call was answered with a result of the type null, which Roundtrip did not say it knows; such a result is invalid.\n",
        ),
        (
            r#"{"resultType":7}"#,
            "! result-type-unknown\nfailed: unknown resultType: tools/call was answered with a result of the type 7, which Roundtrip did not say it knows; such a result is invalid.\n",
        ),
    ] {
        let mut script = Script::start(call("{}"));
        script.result(result);
        assert_eq!(
            script.transcript,
            format!("→ 1 {{}}\n{expected}"),
            "{result}"
        );
    }
}

#[test]
fn the_legacy_era_has_no_result_types() {
    for result in [
        r#"{"content":[]}"#,
        r#"{"resultType":"input_required","content":[]}"#,
    ] {
        let mut script = Script::start(Intent {
            era: Era::Legacy,
            ..call("{}")
        });
        script.result(result);
        assert_eq!(script.transcript, "→ 1 {}\nover: Complete\n");
    }
}

#[test]
fn what_the_person_wrote_for_a_retry_is_sent_first_and_replaced_then() {
    let mut script = Script::start(call(
        r#"{"requestState":"old","name":"t","inputResponses":{"old":{}}}"#,
    ));
    script.result(ASKS_NAME).answer("name", "{}");
    assert_snapshot!(script.transcript, @r#"
    → 1 {"requestState":"old","name":"t","inputResponses":{"old":{}}}
    ? name: elicitation/create {"message":"Your name?","requestedSchema":{"type":"object","properties":{}}}
    → 2 {"name":"t","inputResponses":{"name":{}}}
    "#);
}

#[test]
fn parameters_that_are_no_object_are_not_sent() {
    for params in ["", "[1]", "{oops", "null", "{} {}"] {
        let (operation, step) = Operation::start(call(params), Limits::default());
        assert!(
            matches!(step, Step::Finished(Finish::Failed { ref brief, .. }) if brief == "bad parameters"),
            "{params}"
        );
        assert!(operation.is_over());
        assert_eq!(operation.round(), 0);
    }
}

#[test]
fn errors_cancels_and_failures_end_it_once() {
    let mut script = Script::start(call("{}"));
    script
        .error(-32602, "Unknown tool")
        .error(-1, "again")
        .result("{}")
        .cancel()
        .waited();
    assert_eq!(
        script.transcript,
        "→ 1 {}\nover: RpcError { code: -32602, message: \"Unknown tool\" }\nnothing\nnothing\nnothing\nnothing\n"
    );

    let mut script = Script::start(call("{}"));
    script.result(ASKS_NAME).cancel().answer("name", "{}");
    assert!(script.transcript.ends_with(
        "over: Cancelled\nrefused: The operation no longer waits for an answer to \"name\".\n"
    ));

    let mut script = Script::start(call("{}"));
    let step = script
        .operation
        .on_transport_failure("HTTP 503", "The server is failing.", None);
    assert!(matches!(step, Step::Finished(Finish::Failed { brief, .. }) if brief == "HTTP 503"));
    assert!(script.operation.is_over());
}

#[test]
fn a_reply_that_nobody_waits_for_changes_nothing() {
    let (mut operation, _) = Operation::start(call("{}"), Limits::default());
    let (step, _) = operation.on_result(&raw(ASKS_NAME));
    assert!(matches!(step, Step::Ask(_)));
    let (step, findings) = operation.on_result(&raw("{}"));
    assert!(matches!(step, Step::Nothing) && findings.is_empty());
    assert!(matches!(operation.waited(), Step::Nothing));
    assert_eq!(
        operation.answer("other", "{}".to_owned()).map(|_| ()),
        Err(AnswerError::NotAsked {
            key: "other".to_owned()
        })
    );
    assert!(matches!(
        operation.answer("name", "{}".to_owned()),
        Ok(Step::Send { round: 2, .. })
    ));
}

#[test]
fn a_page_that_asks_is_retried_at_its_own_cursor() {
    let mut script = Script::start(Intent {
        pages: Pages::All,
        ..list("tools/list")
    });
    script
        .result(r#"{"resultType":"complete","tools":[],"nextCursor":"p2","ttlMs":0,"cacheScope":"public"}"#)
        .result(r#"{"resultType":"input_required","requestState":"s"}"#)
        .waited();
    assert_snapshot!(script.transcript, @r#"
    → 1 no params
    → 2 (page 2) {"cursor":"p2"}
    ! input-required-not-allowed
    wait 500 ms
    → 3 (page 2) {"cursor":"p2","requestState":"s"}
    "#);
}
