//! Sampling requests are read whole whatever they are, and only what is an answer is sent.

use protocol::era::Revision;
use protocol::results::Content;
use protocol::sampling::{Block, Request, answer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

fn read(params: &Value) -> Request {
    let text = params.to_string();
    Request::read(serde_json::from_str::<&RawValue>(&text).expect("JSON"))
}

fn asking() -> Value {
    json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": "Which?" } }],
        "maxTokens": 100,
        "tools": [{ "name": "look", "inputSchema": { "type": "object" } }]
    })
}

#[test]
fn a_request_is_read_whole() {
    let request = read(&json!({
        "messages": [
            { "role": "user", "content": { "type": "text", "text": "Look:" } },
            { "role": "user", "content": [
                { "type": "image", "data": "aGk=", "mimeType": "image/png" },
                { "type": "audio", "data": "aGk=", "mimeType": "audio/wav" }
            ] },
            { "role": "assistant", "content": { "type": "tool_use", "id": "1", "name": "look", "input": { "n": 1 } } },
            { "role": "user", "content": { "type": "tool_result", "toolUseId": "1", "content": [
                { "type": "text", "text": "18 °C" },
                { "type": "resource_link", "uri": "demo://a", "name": "a" }
            ], "structuredContent": { "t": 18 }, "isError": true } }
        ],
        "modelPreferences": {
            "hints": [{ "name": "sonnet" }, {}, { "name": "small" }],
            "costPriority": 0.3, "speedPriority": 1, "intelligencePriority": 0
        },
        "systemPrompt": "Be brief.", "includeContext": "none", "temperature": 0.10, "maxTokens": 1000,
        "stopSequences": ["\n"], "metadata": { "user": "a" },
        "tools": [{ "name": "look", "title": "Look", "description": "Looks.", "inputSchema": { "type": "object" } }],
        "toolChoice": { "mode": "required" },
        "_meta": {}, "seed": 7
    }));
    assert_eq!(request.problems, Vec::<String>::new());
    assert_eq!(request.invalid, None);
    assert_eq!(request.unknown, ["seed"]);
    assert_eq!(request.system_prompt.as_deref(), Some("Be brief."));
    assert_eq!(request.model_hints, ["sonnet", "small"]);
    assert_eq!(request.cost_priority.as_deref(), Some("0.3"));
    assert_eq!(request.max_tokens.as_deref(), Some("1000"));
    assert_eq!(request.stop_sequences, ["\n"]);
    assert_eq!(request.tool_choice.as_deref(), Some("required"));
    assert_eq!((request.tools.len(), &*request.tools[0].name), (1, "look"));
    assert!(request.wants_tools);
    let [_, media, used, result] = &request.messages[..] else {
        panic!("{:#?}", request.messages);
    };
    assert!(matches!(
        &media.content[..],
        [
            Block::Content(Content::Image(_)),
            Block::Content(Content::Audio(_))
        ]
    ));
    assert!(
        matches!(&used.content[..], [Block::ToolUse { input, .. }] if input.get() == r#"{"n":1}"#)
    );
    assert!(matches!(
        &result.content[..],
        [Block::ToolResult { content, structured: Some(_), is_error: true, .. }] if content.len() == 2
    ));
    assert_eq!(request.last_words(), "Look:");
}

#[test]
fn nothing_that_came_is_lost_and_every_fault_is_said() {
    for (params, said) in [
        (
            json!([]),
            "The request's params are an array, not an object.",
        ),
        (json!({ "maxTokens": 1 }), "The request has no messages."),
        (
            json!({ "messages": [] }),
            "The request has no maxTokens, which is required.",
        ),
        (
            json!({ "messages": 1, "maxTokens": 1 }),
            "messages is a number, not an array.",
        ),
        (
            json!({ "messages": [], "maxTokens": "many" }),
            "maxTokens is a string, not a number.",
        ),
        (
            json!({ "messages": [{ "role": "system", "content": { "type": "text", "text": "x" } }], "maxTokens": 1 }),
            "The role of message 1 is \"system\"; it must be \"user\" or \"assistant\".",
        ),
        (
            json!({ "messages": [{ "role": "user" }], "maxTokens": 1 }),
            "Message 1 has no content.",
        ),
        (
            json!({ "messages": [{ "role": "user", "content": { "type": "resource_link", "uri": "a", "name": "a" } }], "maxTokens": 1 }),
            "Message 1: A message of a sampling request holds text, images, audio, tool uses and their results alone.",
        ),
        (
            json!({ "messages": [], "maxTokens": 1, "modelPreferences": { "costPriority": 7 } }),
            "costPriority is 7; it must be from 0 to 1.",
        ),
        (
            json!({ "messages": [], "maxTokens": 1, "toolChoice": { "mode": "any" } }),
            "toolChoice.mode is any; auto, required and none are known.",
        ),
        (
            json!({ "messages": [], "maxTokens": 1, "includeContext": "allServers" }),
            "includeContext asks for context, which is deprecated and was not offered (sampling.context).",
        ),
        (
            json!({ "messages": [], "maxTokens": 1, "tools": [{ "name": "a" }] }),
            "The tool a has no inputSchema.",
        ),
    ] {
        let request = read(&params);
        assert!(
            request.problems.iter().any(|problem| problem == said),
            "{params}: {said:?} is not among {:#?}",
            request.problems
        );
    }
}

#[test]
fn tool_uses_and_results_balance() {
    let used = |id: &str| json!({ "type": "tool_use", "id": id, "name": "look", "input": {} });
    let result = |id: &str| json!({ "type": "tool_result", "toolUseId": id, "content": [] });
    let text = json!({ "type": "text", "text": "x" });
    let conversation =
        |messages: Value| read(&json!({ "messages": messages, "maxTokens": 1 })).invalid;
    assert_eq!(
        conversation(json!([
            { "role": "assistant", "content": [used("1"), used("2")] },
            { "role": "user", "content": [result("2"), result("1")] },
            { "role": "assistant", "content": text }
        ])),
        None
    );
    for (messages, breach) in [
        (
            json!([
                { "role": "assistant", "content": [used("1"), used("2")] },
                { "role": "user", "content": [result("1")] }
            ]),
            "Tool result missing in request",
        ),
        (
            json!([{ "role": "assistant", "content": used("1") }]),
            "Tool result missing in request",
        ),
        (
            json!([
                { "role": "assistant", "content": used("1") },
                { "role": "user", "content": [text, result("1")] }
            ]),
            "Tool results mixed with other content",
        ),
        (
            json!([{ "role": "user", "content": result("9") }]),
            "Tool result \"9\" belongs to no tool use",
        ),
    ] {
        assert_eq!(
            conversation(messages.clone()).as_deref(),
            Some(breach),
            "{messages}"
        );
    }
}

#[test]
fn an_answer_is_sent_as_it_was_written() {
    let request = read(&asking());
    let written = "{\"role\":\"assistant\",\n \"content\":[{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"look\",\"input\":{\"n\":12345678901234567890}}],\n \"model\":\"me\",\"stopReason\":\"toolUse\"}";
    let sent = answer(written, &request, &Revision::V2026_07_28).expect("an answer");
    assert!(
        !sent.contains('\n') && sent.contains("12345678901234567890"),
        "{sent}"
    );
    for content in [
        json!({ "type": "text", "text": "" }),
        json!([{ "type": "text", "text": "a" }, { "type": "image", "data": "aGk=", "mimeType": "image/png" }]),
        json!({ "type": "audio", "data": "aGk=", "mimeType": "audio/wav" }),
    ] {
        let written = json!({ "role": "assistant", "content": content, "model": "me" }).to_string();
        answer(&written, &request, &Revision::V2025_11_25).expect("an answer");
    }
}

#[test]
fn what_is_no_answer_is_not_sent() {
    let request = read(&asking());
    let with = |content: Value| {
        json!({ "role": "assistant", "content": content, "model": "me" }).to_string()
    };
    let text = json!({ "type": "text", "text": "x" });
    for (written, revision, pointer) in [
        ("[]".to_owned(), Revision::V2026_07_28, ""),
        ("oops".to_owned(), Revision::V2026_07_28, ""),
        (
            json!({ "role": "system", "content": text, "model": "me" }).to_string(),
            Revision::V2026_07_28,
            "/role",
        ),
        (
            json!({ "role": "assistant", "content": text }).to_string(),
            Revision::V2026_07_28,
            "/model",
        ),
        (
            json!({ "role": "assistant", "content": text, "model": " " }).to_string(),
            Revision::V2026_07_28,
            "/model",
        ),
        (
            json!({ "role": "assistant", "content": text, "model": "me", "stopReason": 1 })
                .to_string(),
            Revision::V2026_07_28,
            "/stopReason",
        ),
        (
            json!({ "role": "assistant", "model": "me" }).to_string(),
            Revision::V2026_07_28,
            "/content",
        ),
        (with(json!([])), Revision::V2026_07_28, "/content"),
        (
            with(json!({ "type": "text" })),
            Revision::V2026_07_28,
            "/content/text",
        ),
        (
            with(json!({ "type": "image", "data": "a", "mimeType": "image/png" })),
            Revision::V2026_07_28,
            "/content/data",
        ),
        (
            with(json!({ "type": "image", "data": "", "mimeType": "image/png" })),
            Revision::V2026_07_28,
            "/content/data",
        ),
        (
            with(json!({ "type": "image", "data": "aGk=", "mimeType": "png" })),
            Revision::V2026_07_28,
            "/content/mimeType",
        ),
        (
            with(json!([{ "type": "tool_use", "id": "1", "name": "other", "input": {} }])),
            Revision::V2026_07_28,
            "/content/0/name",
        ),
        (
            with(json!([{ "type": "tool_use", "id": "1", "name": "look", "input": [] }])),
            Revision::V2026_07_28,
            "/content/0/input",
        ),
        (
            with(json!([
                { "type": "tool_use", "id": "1", "name": "look", "input": {} },
                { "type": "tool_use", "id": "1", "name": "look", "input": {} }
            ])),
            Revision::V2026_07_28,
            "/content/1/id",
        ),
        (
            with(json!([{ "type": "tool_result", "toolUseId": "1", "content": [] }])),
            Revision::V2026_07_28,
            "/content/0",
        ),
        (
            with(json!({ "type": "resource_link", "uri": "a", "name": "a" })),
            Revision::V2026_07_28,
            "/content",
        ),
        // Lists and tools came with 2025-11-25, sound with 2025-03-26.
        (with(json!([text])), Revision::V2025_06_18, "/content"),
        (
            with(json!({ "type": "tool_use", "id": "1", "name": "look", "input": {} })),
            Revision::V2025_06_18,
            "/content",
        ),
        (
            with(json!({ "type": "audio", "data": "aGk=", "mimeType": "audio/wav" })),
            Revision::V2024_11_05,
            "/content",
        ),
    ] {
        let breaches = answer(&written, &request, &revision).expect_err(&written);
        assert_eq!(breaches[0].pointer, pointer, "{written}: {breaches:#?}");
    }
}

#[test]
fn the_servers_tool_choice_is_kept() {
    let mut params = asking();
    let uses = json!({ "role": "assistant", "model": "me", "content": [{ "type": "tool_use", "id": "1", "name": "look", "input": {} }] });
    let words =
        json!({ "role": "assistant", "model": "me", "content": { "type": "text", "text": "x" } });
    for (mode, allowed, refused) in [("none", &words, &uses), ("required", &uses, &words)] {
        params["toolChoice"] = json!({ "mode": mode });
        let request = read(&params);
        let check =
            |written: &Value| answer(&written.to_string(), &request, &Revision::V2026_07_28);
        assert!(check(allowed).is_ok(), "{mode}");
        assert!(check(refused).is_err(), "{mode}");
    }
}
