//! Nothing that a server sends, or a person types, makes the rules panic or changes what was written.

use proptest::prelude::*;
use protocol::era::{Era, ProbeAnswer, ProbeReply, Revision, judge_initialize, judge_probe};
use protocol::headers::{Mirrored, for_request, mirrored_parameters};
use protocol::operation::{Intent, Limits, Operation, Step};
use protocol::request::Speaker;
use protocol::{elicitation, identity, results, tools};
use serde_json::value::RawValue;

use crate::script::{call, raw, rpc_error};

/// Keys that the rules look for, among others.
const KEYS: [&str; 22] = [
    "resultType",
    "inputRequests",
    "requestState",
    "method",
    "params",
    "tools",
    "name",
    "inputSchema",
    "content",
    "type",
    "text",
    "data",
    "resource",
    "properties",
    "x-mcp-header",
    "nextCursor",
    "_meta",
    "capabilities",
    "extensions",
    "supportedVersions",
    "mode",
    "é\"\\",
];

/// JSON texts as nobody's serialiser would write them: duplicate keys, long digits, white space.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1.10".to_owned()),
        Just("12345678901234567890".to_owned()),
        Just("1e400".to_owned()),
        Just(r#""input_required""#.to_owned()),
        Just(r#""complete""#.to_owned()),
        Just(r#""string""#.to_owned()),
        Just(r#""\ud800\u0000""#.to_owned()),
        "\\PC{0,8}".prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let space = prop::sample::select(&["", " ", "\n\t", "\r\n"][..]);
        let member = (
            prop::sample::select(&KEYS[..]),
            inner.clone(),
            space.clone(),
        )
            .prop_map(|(key, value, space)| {
                format!(
                    "{space}{}{space}:{space}{value}{space}",
                    serde_json::Value::from(key)
                )
            });
        prop_oneof![
            prop::collection::vec(member, 0..6)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
            (prop::collection::vec(inner, 0..4), space)
                .prop_map(|(values, space)| format!("[{space}{}{space}]", values.join(","))),
        ]
    })
}

fn speaker() -> Speaker {
    Speaker {
        era: Era::Modern,
        revision: Revision::V2026_07_28,
        client_name: "r\"t".to_owned(),
        client_version: "0".to_owned(),
        capabilities: "{}".to_owned(),
        log_level: None,
        meta: None,
    }
}

fn drive(intent: Intent, results: &[Box<RawValue>]) {
    let (mut operation, mut step) = Operation::start(
        intent,
        Limits {
            rounds: 4,
            pages: 4,
        },
    );
    for result in results {
        step = match step {
            Step::Send { params, .. } => {
                let params = params.unwrap_or_else(|| "{}".to_owned());
                assert!(
                    serde_json::from_str::<&RawValue>(&params).is_ok(),
                    "{params} is JSON"
                );
                operation.on_result(result).0
            }
            Step::Ask(requests) => {
                let mut last = Step::Nothing;
                for request in requests {
                    last = operation
                        .answer(&request.key, "{}".to_owned())
                        .expect("it was asked");
                }
                assert!(matches!(last, Step::Send { .. }), "all answers lead on");
                last
            }
            Step::Wait { .. } | Step::Browse { .. } => operation.waited(),
            // What a hostile server makes of a task is tried with the tasks.
            Step::Task { .. } | Step::Finished(_) | Step::Nothing => return,
        };
    }
}

proptest! {
    #[test]
    fn readers_take_anything(text in json(), status in prop::option::of(100_u16..600)) {
        let value = raw(&text);
        tools::read_page(&value);
        results::read_tool_result(&value);
        results::read_block(&value);
        identity::read_discover(&value);
        identity::read_initialize(&value);
        elicitation::read(&value);
        // Excluded or not, both are fine; only panics are not.
        drop(mirrored_parameters(&value));
        let error = rpc_error(-32022, &text, Some(&text));
        for answer in [
            ProbeAnswer::Result(&value),
            ProbeAnswer::Error(&error),
            ProbeAnswer::Unreadable(text.as_bytes()),
        ] {
            let reply = ProbeReply { http_status: status, answer };
            judge_probe(&reply);
            judge_initialize(&reply);
        }
    }

    #[test]
    fn operations_take_anything(results in prop::collection::vec(json(), 1..8)) {
        let results: Vec<_> = results.iter().map(|text| raw(text)).collect();
        drive(call(r#"{"name":"t","requestState":1}"#), &results);
        drive(Intent { method: "tools/list".to_owned(), params: None, ..call("{}") }, &results);
    }

    #[test]
    fn bodies_take_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), status in 100_u16..600) {
        let reply = ProbeReply { http_status: Some(status), answer: ProbeAnswer::Unreadable(&bytes) };
        judge_probe(&reply);
        judge_initialize(&reply);
    }

    #[test]
    fn a_request_is_one_line_of_json_that_holds_what_was_written(arguments in json()) {
        let params = format!(r#"{{"name":"t","arguments":{arguments}}}"#);
        let sent = speaker().request(1, "tools/call", Some(&params), true, None);
        prop_assert!(!sent.contains(['\n', '\r']));
        prop_assert!(serde_json::from_str::<&RawValue>(&sent).is_ok());
        prop_assert!(sent.contains(&arguments.replace(['\n', '\r'], " ")));
        let path = vec!["type".to_owned()];
        for_request(&speaker(), "tools/call", Some(&params), &[Mirrored { path, header: "Mcp-Param-T".to_owned() }]);
    }

    #[test]
    fn typed_text_is_refused_or_sent_whole(content in "\\PC{0,40}") {
        if let Ok(reply) = elicitation::reply(elicitation::Action::Accept, Some(&content)) {
            prop_assert!(serde_json::from_str::<&RawValue>(&reply).is_ok());
        }
        speaker().request(1, &content, Some(&content), true, None);
        drive(call(&content), &[raw("{}")]);
    }
}

#[test]
fn depth_is_the_senders_choice() {
    let deep = format!("{}{}", r#"{"a":["#.repeat(20_000), "]}".repeat(20_000));
    let params = format!(r#"{{"name":"t","arguments":{deep}}}"#);
    let sent = speaker().request(1, "tools/call", Some(&params), false, None);
    assert!(sent.contains(&deep));
    let result = raw(&format!(
        r#"{{"content":[{{"type":{deep}}}],"structuredContent":{deep},"tools":[{deep}]}}"#
    ));
    assert_eq!(
        results::read_tool_result(&result)
            .structured
            .map(|raw| raw.get().len()),
        Some(deep.len())
    );
    assert_eq!(tools::read_page(&result).entries.len(), 1);
    drive(call(&params), &[result]);
}
