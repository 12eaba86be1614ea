//! Sampling and roots in both eras, against the demo server and against servers that break their rules: asked of the
//! person, answered or refused by them, and never by Roundtrip itself.

use std::path::Path;

use app::api::feed::{PromptAction, PromptAsk, PromptView};
use app::api::options::{Advertised, ServerOptions};
use app::api::sampling::{SamplingBlockView, SamplingView, SavedAnswer};
use app::api::servers::{Endpoint, EraChoice, ServerDraft};
use app::api::tools::{CallResult, ContentView};
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received};

const ERAS: [(EraChoice, &str); 2] = [(EraChoice::Modern, "modern"), (EraChoice::Legacy, "legacy")];

/// An answer of one text.
fn words(text: &str) -> String {
    json!({
        "role": "assistant", "content": { "type": "text", "text": text }, "model": "me", "stopReason": "endTurn"
    })
    .to_string()
}

async fn sampling(core: &Core, prompt: &PromptView) -> SamplingView {
    core.must("sampling_request", json!({ "prompt": prompt.id }))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sample_is_written_by_the_person_with_a_tool_between() {
    for server in ["demo-stdio", "demo-http"] {
        for (era, name) in ERAS {
            let core = Core::start().await;
            let report = core.connect_as(server, Some(era)).await.report;
            assert_eq!(report.expect("a report").era, name);
            let arguments = r#"{"restaurant":"Trattoria Lucia","taste":"mushrooms"}"#;
            let operation = core.start_call(server, "suggest_dish", arguments).await;

            // The request stands there whole.
            let prompt = core.prompt().await;
            assert_eq!(prompt.operation, Some(operation));
            assert!(
                matches!(
                    &prompt.ask,
                    PromptAsk::Sampling {
                        messages: 2,
                        tools: 1,
                        ..
                    }
                ),
                "{prompt:#?}"
            );
            let request = sampling(&core, &prompt).await;
            assert_eq!(request.problems, Vec::<String>::new());
            assert!(
                request
                    .system_prompt
                    .is_some_and(|system| system.contains("waiter"))
            );
            assert_eq!(request.max_tokens.as_deref(), Some("200"));
            assert_eq!(request.model_hints, ["sonnet", "small"]);
            assert_eq!(request.stop_sequences, ["\n\n"]);
            assert_eq!(request.is_refusal_sent, name == "legacy");
            assert!(matches!(
                &request.messages[1].content[..],
                [SamplingBlockView::Content {
                    content: ContentView::Image {
                        base64: Some(_),
                        ..
                    }
                }]
            ));

            // What is no answer is not sent, and the prompt stays.
            let wrong = json!({ "role": "assistant", "content": [
                { "type": "tool_use", "id": "1", "name": "unknown", "input": {} }
            ], "model": "me" });
            let refused = core
                .rpc::<Value>("answer_prompt", json!({ "prompt": prompt.id, "action": "accept", "content": wrong.to_string() }))
                .await
                .unwrap_err();
            assert_eq!(refused["code"], "bad_input", "{refused}");
            assert!(
                refused["message"]
                    .as_str()
                    .unwrap_or_default()
                    .contains("no tool named"),
                "{refused}"
            );
            assert_eq!(core.prompt().await.id, prompt.id);

            // A tool is used; the server gives its result and asks again.
            let used = json!({ "role": "assistant", "content": [
                { "type": "text", "text": "Let me see." },
                { "type": "tool_use", "id": "call_1", "name": "look_up_price", "input": { "dish": "nothing such" } }
            ], "model": "me", "stopReason": "toolUse" });
            core.answer(prompt.id, PromptAction::Accept, Some(&used.to_string()))
                .await;
            let again = core.next_prompt(prompt.id).await;
            let request = sampling(&core, &again).await;
            assert_eq!(request.problems, Vec::<String>::new());
            assert!(
                matches!(
                    &request.messages[3].content[..],
                    [SamplingBlockView::ToolResult { tool_use_id, is_error: true, .. }] if tool_use_id == "call_1"
                ),
                "{request:#?}"
            );
            core.answer(again.id, PromptAction::Accept, Some(&words("Risotto.")))
                .await;
            let outcome = core.outcome(operation).await;
            assert_eq!(text_of(&outcome), "me suggests: Risotto.");
            assert!(outcome.user_micros > 0, "{outcome:#?}");
            let timeline = core.unfolded().await;
            assert!(timeline.contains("sampling"), "{timeline}");
            assert!(timeline.contains("answered"), "{timeline}");
            core.close().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_ends_a_modern_call_and_is_told_to_a_legacy_server() {
    for (era, name) in ERAS {
        let core = Core::start().await;
        core.connect_as("demo-stdio", Some(era)).await;
        let operation = core
            .start_call(
                "demo-stdio",
                "suggest_dish",
                r#"{"restaurant":"Trattoria Lucia"}"#,
            )
            .await;
        let prompt = core.prompt().await;
        core.answer(
            prompt.id,
            PromptAction::Decline,
            Some("No model may see this."),
        )
        .await;
        let outcome = core.outcome(operation).await;
        if name == "modern" {
            assert!(
                matches!(outcome.result, CallResult::Cancelled),
                "{outcome:#?}"
            );
            // The server does not wait for a refusal, so nothing more was sent.
            let details = core.details(operation).await;
            assert!(!details.contains("2 ("), "{details}");
        } else {
            let text = text_of(&outcome);
            assert!(text.contains("No model may see this."), "{text}");
        }
        let timeline = core.unfolded().await;
        assert!(
            timeline.contains("rejected: No model may see this."),
            "{timeline}"
        );
        core.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_offered_is_not_asked() {
    for (era, name) in ERAS {
        let core = Core::start().await;
        let listener = Listener::start(|asked, mut talk| async move {
            if asked.asks() == "server/discover" || asked.asks() == "tools/list" {
                listener::modern(&asked, &mut talk).await;
            } else {
                listener::legacy(&asked, &mut talk).await;
            }
        })
        .await;
        let options = ServerOptions {
            advertise: Advertised {
                sampling: false,
                roots: false,
                ..Advertised::default()
            },
            ..ServerOptions::default()
        };
        let server = core.add_url_with(name, &listener.url(), era, options).await;
        let report = core.connect_well(&server).await.report.expect("a report");
        assert!(
            !report.client_capabilities.contains("sampling")
                && !report.client_capabilities.contains("roots"),
            "{}",
            report.client_capabilities
        );
        core.close().await;
    }
}

/// A legacy server that asks this beside a call, and gives what it got as the call's text.
async fn asks(asked: Received, mut talk: listener::Talk, mut request: Value) {
    if asked.asks() != "tools/call" {
        listener::legacy(&asked, &mut talk).await;
        return;
    }
    talk.stream().await;
    request["id"] = json!(format!("for {}", asked.message()["id"]));
    talk.event(&request).await;
    let reply = talk
        .until(|received| received.message()["id"] == request["id"] && received.asks().is_empty())
        .await
        .message();
    let text = json!({ "result": reply["result"], "error": reply["error"] }).to_string();
    let content = json!([{ "type": "text", "text": text }]);
    talk.event(&listener::reply(&asked, &json!({ "content": content })))
        .await;
}

fn sample(params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": "s-1", "method": "sampling/createMessage", "params": params })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_legacy_request_is_an_error_and_no_question() {
    let used = json!({ "role": "assistant", "content": { "type": "tool_use", "id": "1", "name": "a", "input": {} } });
    let result = json!({ "type": "tool_result", "toolUseId": "1", "content": [] });
    let text = json!({ "type": "text", "text": "x" });
    for (params, said) in [
        (
            json!({ "messages": [used], "maxTokens": 1 }),
            "Tool result missing in request",
        ),
        (
            json!({ "messages": [used, { "role": "user", "content": [text, result] }], "maxTokens": 1 }),
            "Tool results mixed with other content",
        ),
        (json!([]), "The request has no params object"),
    ] {
        let core = Core::start().await;
        let listener = Listener::start(move |asked, talk| asks(asked, talk, sample(&params))).await;
        let server = core
            .add_url("asks", &listener.url(), &[], EraChoice::Legacy)
            .await;
        core.connect_well(&server).await;
        let outcome = core.call(&server, "echo", "{}").await;
        let got: Value = serde_json::from_str(&text_of(&outcome)).expect("JSON");
        assert_eq!(got["error"]["code"], -32602, "{got}");
        assert_eq!(got["error"]["message"], said, "{got}");
        assert!(core.seen().prompts.is_empty());
        core.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_the_wrong_form_is_shown_with_what_is_wrong() {
    let core = Core::start().await;
    let params = json!({
        "messages": [{ "role": "system", "content": { "type": "text", "text": "<b>hi</b>\u{202e}" } }, 7],
        "maxTokens": "many", "seed": 1
    });
    let listener = Listener::start(move |asked, talk| asks(asked, talk, sample(&params))).await;
    let server = core
        .add_url("asks", &listener.url(), &[], EraChoice::Legacy)
        .await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let prompt = core.prompt().await;
    let request = sampling(&core, &prompt).await;
    assert_eq!(request.messages.len(), 2);
    assert_eq!(request.unknown, ["seed"]);
    assert!(request.problems.len() >= 4, "{:#?}", request.problems);
    core.answer(prompt.id, PromptAction::Accept, Some(&words("fine")))
        .await;
    let text = text_of(&core.outcome(operation).await);
    assert!(text.contains("fine"), "{text}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn saved_answers_are_a_servers_own_and_hold_no_secret() {
    let core = Core::start().await;
    let secret = "hunter2-hunter2";
    let server = core
        .add(ServerDraft {
            name: "with a secret".to_owned(),
            endpoint: Endpoint::Http {
                url: "http://127.0.0.1:9/".to_owned(),
                headers: vec![app::api::servers::NamedValue {
                    name: "Authorization".to_owned(),
                    value: secret.to_owned(),
                    secret: true,
                }],
            },
            era: EraChoice::Auto,
            options: ServerOptions::default(),
        })
        .await;
    let save = |answer: String| json!({ "server": server, "name": " greeting ", "answer": answer });
    let _: () = core.must("save_answer", save(words("Hello"))).await;
    let _: () = core
        .must(
            "save_answer",
            save(words(&format!("Hello, the key is {secret}"))),
        )
        .await;
    let saved: Vec<SavedAnswer> = core
        .must("saved_answers", json!({ "server": server }))
        .await;
    assert_eq!(saved.len(), 1);
    assert_eq!(saved[0].name, "greeting");
    assert!(
        saved[0].answer.contains("the key is") && !saved[0].answer.contains(secret),
        "{saved:#?}"
    );
    let others: Vec<SavedAnswer> = core
        .must("saved_answers", json!({ "server": "demo-stdio" }))
        .await;
    assert_eq!(others, []);

    // They last, and go with their server.
    let folder = core.close().await;
    let written = std::fs::read_to_string(folder.path().join("answers.json")).expect("the file");
    assert!(!written.contains(secret), "{written}");
    let core = Core::start_in(folder).await;
    let saved: Vec<SavedAnswer> = core
        .must("saved_answers", json!({ "server": server }))
        .await;
    assert_eq!(saved.len(), 1);
    let _: () = core
        .must("remove_server", json!({ "server": server }))
        .await;
    // They stay for as long as it can be brought back.
    let saved: Vec<SavedAnswer> = core
        .must("saved_answers", json!({ "server": server }))
        .await;
    assert_eq!(saved.len(), 1);
    let folder = core.close().await;
    let written = std::fs::read_to_string(folder.path().join("answers.json")).expect("the file");
    assert_eq!(written.trim(), "{}");
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_are_asked_for_and_told_as_the_person_chose() {
    for (era, _) in ERAS {
        let core = Core::start().await;
        core.connect_as("demo-stdio", Some(era)).await;
        let operation = core.start_call("demo-stdio", "shared_folders", "{}").await;
        let prompt = core.prompt().await;
        assert!(
            matches!(&prompt.ask, PromptAsk::Roots { folders } if folders.is_empty()),
            "{prompt:#?}"
        );

        let answer = |uri: &str| json!({ "roots": [{ "uri": uri, "name": "Work" }] }).to_string();
        for bad in ["https://example.com/", "file:///home/../etc"] {
            let refused = core
                .rpc::<Value>(
                    "answer_prompt",
                    json!({ "prompt": prompt.id, "action": "accept", "content": answer(bad) }),
                )
                .await
                .unwrap_err();
            assert_eq!(refused["code"], "bad_input", "{bad}: {refused}");
        }
        let folder = uri(core.folder());
        core.answer(prompt.id, PromptAction::Accept, Some(&answer(&folder)))
            .await;
        let text = text_of(&core.outcome(operation).await);
        assert_eq!(text, format!("One folder is shared: Work ({folder})."));
        core.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_that_are_set_are_told_without_a_question_and_a_change_is_told() {
    let core = Core::start().await;
    let request = json!({ "jsonrpc": "2.0", "id": "r-1", "method": "roots/list" });
    let listener = Listener::start(move |asked, talk| asks(asked, talk, request.clone())).await;
    let with = |roots: Vec<String>| ServerOptions {
        advertise: Advertised {
            roots: true,
            ..Advertised::default()
        },
        roots,
        ..ServerOptions::default()
    };
    let folder = uri(core.folder());
    let server = core
        .add_url_with(
            "asks",
            &listener.url(),
            EraChoice::Legacy,
            with(vec![folder.clone()]),
        )
        .await;
    core.connect_well(&server).await;
    let text = text_of(&core.call(&server, "echo", "{}").await);
    assert!(text.contains(&folder), "{text}");
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("roots/list asked by the server — complete"),
        "{timeline}"
    );

    // Changed while connected: the server is told, and asks the person who has set none now.
    let draft = ServerDraft {
        name: "asks".to_owned(),
        endpoint: Endpoint::Http {
            url: listener.url(),
            headers: Vec::new(),
        },
        era: EraChoice::Legacy,
        options: with(Vec::new()),
    };
    let _: String = core
        .must("save_server", json!({ "server": server, "draft": draft }))
        .await;
    listener
        .until(|received| received.asks() == "notifications/roots/list_changed")
        .await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let prompt = core.prompt().await;
    assert!(matches!(prompt.ask, PromptAsk::Roots { .. }), "{prompt:#?}");
    core.answer(prompt.id, PromptAction::Decline, None).await;
    let text = text_of(&core.outcome(operation).await);
    let got: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(got["error"]["code"], -1, "{got}");
    core.close().await;
}
