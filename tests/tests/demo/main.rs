//! The bundled demo server through the whole core, over stdio and over HTTP.

mod composer;
mod logs;
mod prompts;

use app::api::feed::PromptAsk;
use app::api::lists::{
    CompletionView, ListState, ListView, OfferedPromptView, ResourceTemplateView, ResourceView,
};
use app::api::replies::ReplyKind;
use app::api::servers::Phase;
use app::api::tools::{CallResult, ContentView};
use journal::event::OperationEnd;
use serde_json::{Value, json};
use tests::core::{Core, resource_text, text_of};

#[tokio::test(flavor = "multi_thread")]
async fn one_click_connects_to_the_demo_server_over_stdio() {
    let core = Core::start().await;
    let connection = core.connect_well("demo-stdio").await;
    let report = connection.report.expect("a report");
    assert_eq!(report.era, "modern");
    assert_eq!(report.revision, "2026-07-28");
    assert!(connection.pid.is_some());

    let outcome = core.call("demo-stdio", "echo", r#"{"text":"ciao"}"#).await;
    assert!(text_of(&outcome).contains("ciao"));
    let timeline = core.unfolded().await;
    assert!(timeline.contains("server/discover"), "{timeline}");
    assert!(timeline.contains("tools/call echo"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_click_connects_to_the_demo_server_over_http() {
    let core = Core::start().await;
    let connection = core.connect_well("demo-http").await;
    assert_eq!(connection.report.expect("a report").era, "modern");
    let list = core.tools("demo-http").await;
    assert!(
        list.entries.len() > 6,
        "more than one page: {}",
        list.entries.len()
    );
    let outcome = core.call("demo-http", "echo", r#"{"text":"ciao"}"#).await;
    assert!(text_of(&outcome).contains("ciao"));

    let details: serde_json::Value = core
        .must("row", json!({ "key": format!("o{}", outcome.operation.0) }))
        .await;
    let http = &details["exchanges"][0]["http"];
    let header = |name: &str| {
        http["request"]["headers"]
            .as_array()
            .expect("headers")
            .iter()
            .find(|header| {
                header["name"]
                    .as_str()
                    .is_some_and(|found| found.eq_ignore_ascii_case(name))
            })
            .map(|header| header["value"].clone())
    };
    assert_eq!(header("mcp-method"), Some(json!("tools/call")));
    assert_eq!(header("mcp-name"), Some(json!("echo")));
    assert_eq!(header("mcp-protocol-version"), Some(json!("2026-07-28")));
    assert_eq!(http["response"]["status"], json!(200));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn any_request_can_be_sent_and_its_reply_is_given_as_it_came() {
    let core = Core::start().await;
    for server in ["demo-stdio", "demo-http"] {
        core.connect_well(server).await;
        let params = r#"{ "name":"echo", "arguments":{"text":"1e2"} }"#;
        let reply = core
            .request(
                server,
                json!({ "method": "tools/call", "params": params, "progress": true }),
            )
            .await;
        assert_eq!(reply.end, Some(OperationEnd::Complete), "{reply:#?}");
        assert_eq!(reply.replies.len(), 1, "{reply:#?}");
        assert_eq!(reply.replies[0].kind, ReplyKind::Result);
        let result: Value = serde_json::from_str(&reply.replies[0].text).expect("JSON");
        assert_eq!(result["resultType"], "complete");
        let frame: Value = core
            .must(
                "body",
                json!({ "event": reply.replies[0].event, "form": "raw", "limit": 0 }),
            )
            .await;
        let frame = frame["text"].as_str().expect("text");
        assert!(frame.contains(&reply.replies[0].text), "{frame}");

        let pages = core
            .request(server, json!({ "method": "tools/list", "pages": "all" }))
            .await;
        assert!(pages.replies.len() > 1, "{pages:#?}");
        let first = core
            .request(server, json!({ "method": "tools/list" }))
            .await;
        assert_eq!(first.replies.len(), 1, "{first:#?}");
        assert_eq!(first.replies[0].text, pages.replies[0].text);

        let unknown = core
            .request(server, json!({ "method": "no/such", "params": "{}" }))
            .await;
        assert!(
            matches!(&unknown.end, Some(OperationEnd::Failed { brief, .. }) if brief == "error -32601"),
            "{unknown:#?}"
        );
        assert_eq!(unknown.replies[0].kind, ReplyKind::Error);
        let error: Value = serde_json::from_str(&unknown.replies[0].text).expect("JSON");
        assert_eq!(error["code"], -32601);
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_for_a_call_mirrors_parameters_before_anybody_looked_at_the_tools() {
    let core = Core::start().await;
    core.connect_well("demo-http").await;
    let params =
        r#"{"name":"book_table","arguments":{"restaurant":"Trattoria Lucia","date":"2026-12-04"}}"#;
    let operation: journal::event::OperationId = core
        .must(
            "request",
            json!({ "server": "demo-http", "method": "tools/call", "params": params, "pages": "one",
                    "progress": false, "limit_millis": null }),
        )
        .await;
    core.until("the prompt", |seen| seen.prompts.first().cloned())
        .await;
    let details: Value = core
        .must("row", json!({ "key": format!("o{}", operation.0) }))
        .await;
    let headers = details["exchanges"][0]["http"]["request"]["headers"].to_string();
    for header in ["mcp-method", "mcp-name", "mcp-param-date"] {
        assert!(
            headers.to_ascii_lowercase().contains(header),
            "no {header} in {headers}"
        );
    }
    let _: () = core.must("cancel", json!({ "operation": operation })).await;
    let reply: app::api::replies::OperationReply =
        core.must("reply", json!({ "operation": operation })).await;
    assert_eq!(reply.end, Some(OperationEnd::Cancelled));
    assert_eq!(reply.replies.len(), 1, "the round that asked: {reply:#?}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_cannot_be_sent_says_why() {
    let core = Core::start().await;
    let cases = [
        ("tools/list", "{}", "The server is not connected."),
        ("  ", "{}", "The request has no method."),
        ("tools/list", "{oops", "The parameters are not valid JSON"),
        (
            "tools/list",
            "[1]",
            "The parameters are an array, not an object.",
        ),
    ];
    for (index, (method, params, told)) in cases.into_iter().enumerate() {
        if index == 1 {
            core.connect_well("demo-stdio").await;
        }
        let refused: Result<Value, Value> = core
            .rpc(
                "request",
                json!({ "server": "demo-stdio", "method": method, "params": params, "pages": "one",
                        "progress": false, "limit_millis": null }),
            )
            .await;
        let error = refused.expect_err(told);
        let message = error["message"].as_str().expect("a message");
        assert!(message.starts_with(told), "{method} {params}: {error}");
        assert!(error["hint"].is_string(), "{error}");
    }
    let silent = core
        .rpc::<Value>(
            "request",
            json!({ "server": "demo-stdio", "method": "tools/call", "pages": "one", "progress": false,
                    "params": r#"{"name":"slow_count","arguments":{"steps":600,"step_millis":1000}}"#,
                    "limit_millis": 300 }),
        )
        .await
        .expect("it is sent");
    let reply: app::api::replies::OperationReply =
        core.must("reply", json!({ "operation": silent })).await;
    assert!(
        matches!(&reply.end, Some(OperationEnd::Failed { brief, .. }) if brief == "timed out"),
        "{reply:#?}"
    );
    assert!(reply.replies.is_empty(), "{reply:#?}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_asked_answered_and_sent_in_the_next_round() {
    for server in ["demo-stdio", "demo-http"] {
        let core = Core::start().await;
        core.connect_well(server).await;
        let operation = core
            .start_call(
                server,
                "book_table",
                r#"{"restaurant":"Trattoria Lucia","date":"2026-12-04"}"#,
            )
            .await;
        let prompt = core
            .until("the prompt", |seen| seen.prompts.first().cloned())
            .await;
        assert!(matches!(prompt.ask, PromptAsk::Form { .. }), "{prompt:#?}");
        assert_eq!(prompt.operation, Some(operation));
        let content =
            r#"{"party_size":4,"seating":"terrace","email":"ana@example.com","remind":true}"#;
        let _: () = core
            .must(
                "answer_prompt",
                json!({ "prompt": prompt.id, "action": "accept", "content": content }),
            )
            .await;
        let outcome = core.outcome(operation).await;
        assert!(
            matches!(
                outcome.result,
                CallResult::Tool {
                    is_error: false,
                    ..
                }
            ),
            "{outcome:#?}\n{}",
            core.timeline()
        );
        assert!(outcome.user_micros > 0);
        let timeline = core.unfolded().await;
        assert!(timeline.contains("round 2"), "{timeline}");
        assert!(timeline.contains("accepted"), "{timeline}");
        core.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_comes_before_the_result_and_cancel_stops_it() {
    let core = Core::start().await;
    core.connect_well("demo-stdio").await;
    let outcome = core
        .call(
            "demo-stdio",
            "slow_count",
            r#"{"steps":3,"step_millis":10}"#,
        )
        .await;
    assert!(
        matches!(
            outcome.result,
            CallResult::Tool {
                is_error: false,
                ..
            }
        ),
        "{outcome:#?}"
    );
    let timeline = core.unfolded().await;
    assert_eq!(
        timeline.matches("notifications/progress").count(),
        3,
        "{timeline}"
    );

    let operation = core
        .start_call(
            "demo-stdio",
            "slow_count",
            r#"{"steps":600,"step_millis":1000}"#,
        )
        .await;
    let _: () = core.must("cancel", json!({ "operation": operation })).await;
    let outcome = core.outcome(operation).await;
    assert_eq!(outcome.result, CallResult::Cancelled);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_leaves_no_process() {
    let core = Core::start().await;
    for server in ["demo-stdio", "demo-http"] {
        let connection = core.connect_well(server).await;
        let pid = connection.pid.expect("a process");
        let _: () = core.must("disconnect", json!({ "server": server })).await;
        core.until("the end", |seen| {
            let view = seen.servers.iter().find(|view| view.id == server)?;
            (view.connection.phase == Phase::Disconnected).then_some(())
        })
        .await;
        assert!(
            !std::path::Path::new(&format!("/proc/{pid}")).exists(),
            "{server} lives on"
        );
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_a_template_and_prompts_of_the_demo_server() {
    let core = Core::start().await;
    for server in ["demo-stdio", "demo-http"] {
        core.connect_well(server).await;
        let resources: ListView<ResourceView> = core.fetch("resources", server, false).await;
        assert_eq!(resources.state, ListState::Ready, "{server}");
        let dinner = resources
            .entries
            .iter()
            .find(|entry| entry.name == "dinner")
            .expect("the dinner menu");
        let outcome = core.read(server, &dinner.uri, false).await;
        assert!(resource_text(&outcome).contains("Tiramisù"), "{server}");
        let picture = core
            .read(server, "demo://pictures/menu-card.png", false)
            .await;
        let CallResult::Resource { contents, .. } = &picture.result else {
            panic!("{server}: {picture:#?}");
        };
        assert!(
            matches!(
                &contents[0].content,
                ContentView::Image {
                    base64: Some(_),
                    ..
                }
            ),
            "{server}: {contents:#?}"
        );

        let templates: ListView<ResourceTemplateView> =
            core.fetch("resource_templates", server, false).await;
        let template = &templates.entries[0];
        let completion: CompletionView = core
            .must(
                "complete",
                json!({
                    "server": server,
                    "target": { "kind": "resource_template", "uri_template": template.uri_template },
                    "argument": template.variables[0].name,
                    "value": "verde",
                    "context": "{}",
                }),
            )
            .await;
        let name = completion.values.first().expect("a restaurant");
        let values = json!({ template.variables[0].name.clone(): name }).to_string();
        let uri: String = core
            .must(
                "expand_template",
                json!({ "uri_template": template.uri_template, "values": values }),
            )
            .await;
        let menu = core.read(server, &uri, false).await;
        assert!(resource_text(&menu).starts_with('#'), "{server}: {menu:#?}");
        let nothing = core.read(server, "demo://nothing", false).await;
        assert!(
            matches!(
                &nothing.result,
                CallResult::Failed {
                    code: Some(-32602 | -32002),
                    ..
                }
            ),
            "{server}: {nothing:#?}"
        );

        let prompts: ListView<OfferedPromptView> = core.fetch("prompts", server, false).await;
        let review = prompts
            .entries
            .iter()
            .find(|prompt| prompt.name == "write_review")
            .expect("the review");
        assert!(review.arguments[0].required && !review.arguments[1].required);
        let arguments = json!({ "restaurant": name, "tone": "warm" }).to_string();
        let operation = core
            .must(
                "get_prompt",
                json!({ "server": server, "prompt": review.index, "name": review.name, "arguments": arguments }),
            )
            .await;
        let outcome = core.outcome(operation).await;
        let CallResult::Prompt { messages, .. } = &outcome.result else {
            panic!("{server}: {outcome:#?}");
        };
        assert!(
            !messages.is_empty() && messages[0].role == "user",
            "{server}"
        );
        let row = core.operation_row(operation).await;
        assert_eq!(row, "prompts/get write_review — complete\n", "{server}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_were_made_are_kept_with_their_ends_and_without_secrets() {
    let core = Core::start().await;
    core.connect_well("demo-stdio").await;
    core.call(
        "demo-stdio",
        "echo",
        r#"{"text":"ciao","password":"hunter2"}"#,
    )
    .await;
    let kept = || async {
        let args = json!({ "server": "demo-stdio", "tool": "echo" });
        core.must::<Value>("kept_calls", args).await
    };
    let mut history = kept().await;
    for _ in 0..100 {
        if !history["history"][0]["end"].is_null() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        history = kept().await;
    }
    let made = &history["history"][0];
    assert_eq!(made["arguments"], r#"{"text":"ciao"}"#);
    assert_eq!(made["secrets"], 1);
    assert_eq!(made["end"]["good"], true, "{made}");
    let folder = core.close().await;
    // It was written when the core ended, at the latest.
    let core = Core::start_in(folder).await;
    let args = json!({ "server": "demo-stdio", "tool": "echo" });
    let again: Value = core.must("kept_calls", args).await;
    assert_eq!(again, history);
    core.close().await;
}
