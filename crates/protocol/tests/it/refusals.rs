//! What follows when a server refuses how a request was sent.

use insta::assert_snapshot;
use protocol::era::{Remedy, Revision, remedy};
use protocol::operation::{Again, Step};

use crate::script::{Script, call, list, rpc_error};

const REQUESTED: Revision = Revision::V2026_07_28;

fn judge(method: &str, code: i64, data: Option<&str>, spoken: &[Revision]) -> String {
    match remedy(method, &rpc_error(code, "no", data), &REQUESTED, spoken) {
        None => "an answer".to_owned(),
        Some(Remedy::ListTools) => "list the tools".to_owned(),
        Some(Remedy::Speak(revision)) => format!("speak {revision}"),
        Some(Remedy::Reconnect { message, hint }) => format!("{message} {hint}"),
    }
}

#[test]
fn header_mismatch_on_a_call_lists_the_tools() {
    let spoken = &Revision::SPOKEN;
    assert_eq!(judge("tools/call", -32020, None, spoken), "list the tools");
    for (method, code) in [
        ("resources/read", -32020),
        ("tools/call", -32602),
        ("tools/call", -32021),
    ] {
        assert_eq!(judge(method, code, None, spoken), "an answer", "{method}");
    }
    let legacy = remedy(
        "tools/call",
        &rpc_error(-32020, "no", None),
        &Revision::V2025_11_25,
        spoken,
    );
    assert_eq!(legacy, None, "the code means nothing in the legacy era");
}

#[test]
fn an_unsupported_revision_is_chosen_anew_from_what_the_server_supports() {
    let later = Revision::new("2027-01-01");
    let spoken = [later, Revision::V2026_07_28, Revision::V2025_11_25];
    for (supported, expected) in [
        (r#"["2027-01-01","2025-11-25"]"#, "speak 2027-01-01"),
        // It names what it refuses: that is no way on.
        (r#"["2026-07-28"]"#, "an answer"),
        (
            r#"["2025-11-25","2025-06-18"]"#,
            "The server does not speak 2026-07-28 any more; it says that it supports 2025-11-25, 2025-06-18. Connect again: Roundtrip speaks 2025-11-25 too, which begins with initialize.",
        ),
        (
            r#"["2030-01-01"]"#,
            "The server does not speak 2026-07-28 any more; it says that it supports 2030-01-01. Roundtrip speaks 2027-01-01, 2026-07-28, 2025-11-25.",
        ),
        (r"[]", "an answer"),
    ] {
        let data = format!(r#"{{"supported":{supported},"requested":"2026-07-28"}}"#);
        assert_eq!(
            judge("prompts/list", -32022, Some(&data), &spoken),
            expected,
            "{supported}"
        );
    }
    assert_eq!(judge("tools/list", -32022, None, &spoken), "an answer");
}

#[test]
fn a_call_is_sent_again_once_with_what_the_round_held() {
    let mut script = Script::start(call(r#"{"name":"t","arguments":{"region":"eu"}}"#));
    script
        .result(r#"{"resultType":"input_required","inputRequests":{"n":{"method":"elicitation/create","params":{}}},"requestState":"s"}"#)
        .answer("n", r#"{"action":"decline"}"#)
        .again(&Again::Headers)
        .again(&Again::Headers)
        .error(-32020, "still no");
    assert_snapshot!(script.transcript, @r#"
    → 1 {"name":"t","arguments":{"region":"eu"}}
    ? n: elicitation/create {}
    → 2 {"name":"t","arguments":{"region":"eu"},"inputResponses":{"n":{"action":"decline"}},"requestState":"s"}
    → 3 (round 3, with the headers of the new list) {"name":"t","arguments":{"region":"eu"},"inputResponses":{"n":{"action":"decline"}},"requestState":"s"}
    not again
    over: RpcError { code: -32020, message: "still no" }
    "#);
}

#[test]
fn a_revision_that_the_person_wrote_is_not_changed() {
    let again = Again::Revision(Revision::new("2027-01-01"));
    let mut own = Script::start(call(
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}"#,
    ));
    own.again(&again);
    assert!(
        own.transcript.ends_with("not again\n"),
        "{}",
        own.transcript
    );
    let mut ours = Script::start(list("tools/list"));
    ours.again(&again);
    assert_snapshot!(ours.transcript, @"
    → 1 no params
    → 2 (round 2, in 2027-01-01) no params
    ");
    assert!(matches!(ours.operation.cancel(), Step::Finished(_)));
    assert!(
        !ours.operation.may_send_again(&Again::Headers),
        "it is over"
    );
}
