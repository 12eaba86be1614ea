//! Lists that are fetched when they are wanted, change, come late, or fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use app::api::lists::{
    CompletionView, ListState, ListView, Mark, OfferedPromptView, ResourceTemplateView,
    ResourceView,
};
use app::api::options::ServerOptions;
use app::api::servers::EraChoice;
use app::api::tools::CallResult;
use serde_json::{Value, json};
use tests::core::{Core, resource_text};
use tests::listener::{self, Listener};

use super::{add, asked_for, complete, discover, text_of_file};

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_fetched_when_they_are_wanted_and_bad_entries_hide_no_others() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        let cursor = asked.message()["params"]["cursor"].clone();
        match asked.asks().as_str() {
            "server/discover" => discover(&asked, &mut talk).await,
            "resources/list" if cursor.is_null() => {
                let page = json!({ "resources": [{ "uri": "file:///a", "name": "a" }, 7], "nextCursor": "2" });
                talk.result(&asked, &complete(&page, 0)).await;
            }
            "resources/list" => {
                let page = json!({ "resources": [{ "uri": "file:///a", "name": "again" }] });
                talk.result(&asked, &complete(&page, 0)).await;
            }
            "resources/templates/list" => {
                let page = json!({ "resourceTemplates": [
                    { "uriTemplate": "notes://{topic}{?page}", "name": "notes" },
                    { "uriTemplate": "notes://{topic", "name": "broken" },
                ] });
                talk.result(&asked, &complete(&page, 0)).await;
            }
            "prompts/list" => talk.error("500 Internal", &asked, -32603, "no prompts today").await,
            _ => listener::modern(&asked, &mut talk).await,
        }
    })
    .await;
    let server = add(&core, &listener, ServerOptions::default()).await;
    core.tools(&server).await;
    assert_eq!(
        asked_for(&listener, "resources/list"),
        0,
        "nobody asked for them"
    );
    let unasked: ListView<ResourceView> = core.must("resources", json!({ "server": server })).await;
    assert_eq!(
        (unasked.state, unasked.declared),
        (ListState::Unasked, true)
    );

    let resources: ListView<ResourceView> = core.fetch("resources", &server, false).await;
    let shown: Vec<_> = resources
        .entries
        .iter()
        .map(|entry| (entry.uri.as_str(), entry.nth, entry.problems.len()))
        .collect();
    assert_eq!(
        shown,
        [("file:///a", 0, 0), ("", 0, 3), ("file:///a", 1, 1)]
    );
    assert_eq!(core.connection(&server).resources.count, Some(3));

    let templates: ListView<ResourceTemplateView> =
        core.fetch("resource_templates", &server, false).await;
    assert_eq!(templates.entries[0].malformed, None);
    let names: Vec<_> = templates.entries[0]
        .variables
        .iter()
        .map(|variable| (variable.name.as_str(), variable.detachable))
        .collect();
    assert_eq!(names, [("topic", false), ("page", true)]);
    assert!(
        templates.entries[1]
            .malformed
            .as_deref()
            .is_some_and(|why| why.contains("not closed"))
    );

    let prompts: ListView<OfferedPromptView> = core.fetch("prompts", &server, false).await;
    let ListState::Failed { error } = &prompts.state else {
        panic!("{prompts:#?}");
    };
    assert!(
        error.message.contains("The prompts could not be listed")
            && error.message.contains("no prompts today"),
        "{error:#?}"
    );
    assert!(error.hint.is_some());
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_says_changed_is_fetched_again_and_told_apart() {
    let core = Core::start().await;
    let lists = Arc::new(AtomicU32::new(0));
    let listener = Listener::start(move |asked, mut talk| {
        let lists = lists.clone();
        async move {
            match asked.asks().as_str() {
                "server/discover" => discover(&asked, &mut talk).await,
                "resources/list" => {
                    let entry = |uri: &str, name: &str| json!({ "uri": uri, "name": name });
                    let all = if lists.fetch_add(1, Ordering::SeqCst) == 0 {
                        json!([entry("file:///a", "a"), entry("file:///b", "b"), entry("file:///c", "c")])
                    } else {
                        json!([entry("file:///b", "b"), entry("file:///c", "other"), entry("file:///d", "d")])
                    };
                    talk.result(&asked, &complete(&json!({ "resources": all }), 600_000)).await;
                }
                "tools/call" => {
                    talk.stream().await;
                    talk.event(&json!({ "jsonrpc": "2.0", "method": "notifications/resources/list_changed" }))
                        .await;
                    let content = json!({ "resultType": "complete", "content": [] });
                    talk.event(&listener::reply(&asked, &content)).await;
                }
                _ => listener::modern(&asked, &mut talk).await,
            }
        }
    })
    .await;
    let server = add(&core, &listener, ServerOptions::default()).await;
    let first: ListView<ResourceView> = core.fetch("resources", &server, false).await;
    assert!(first.entries.iter().all(|entry| entry.mark.is_none()) && first.gone.is_empty());
    core.call(&server, "echo", "{}").await;
    // Though it was fresh for ten minutes; and not before its pause is over.
    let mut list = first;
    for _ in 0..600 {
        let is_new = list.gone.len() == 1 && list.state == ListState::Ready;
        if is_new {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        list = core.list("resources", &server).await;
    }
    let shown: Vec<_> = list
        .entries
        .iter()
        .map(|entry| (entry.uri.as_str(), entry.mark))
        .collect();
    assert_eq!(
        shown,
        [
            ("file:///b", None),
            ("file:///c", Some(Mark::Changed)),
            ("file:///d", Some(Mark::New))
        ]
    );
    assert_eq!(list.gone, ["file:///a"]);
    assert_eq!(asked_for(&listener, "resources/list"), 2);
    // The templates were never asked for, so there is nothing to fetch again.
    assert_eq!(asked_for(&listener, "resources/templates/list"), 0);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_by_page_more_is_fetched_when_it_is_asked_for() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        let cursor = asked.message()["params"]["cursor"].clone();
        match asked.asks().as_str() {
            "server/discover" => discover(&asked, &mut talk).await,
            "resources/list" => {
                let (name, next) = match cursor.as_str() {
                    None => ("a", json!("one")),
                    Some("one") => ("b", json!("two")),
                    // A circle.
                    Some(_) => ("c", json!("one")),
                };
                let page = json!({ "resources": [{ "uri": format!("file:///{name}"), "name": name }], "nextCursor": next });
                talk.result(&asked, &complete(&page, 0)).await;
            }
            _ => listener::modern(&asked, &mut talk).await,
        }
    })
    .await;
    let options = ServerOptions {
        page_by_page: true,
        ..ServerOptions::default()
    };
    let server = add(&core, &listener, options).await;
    let mut list: ListView<ResourceView> = core.fetch("resources", &server, false).await;
    assert_eq!(
        (list.state.clone(), list.entries.len()),
        (ListState::More, 1)
    );
    for expected in 2..4 {
        let args = json!({ "server": server, "list": "resources" });
        let _: () = core.must("fetch_more", args).await;
        list = core.list("resources", &server).await;
        assert_eq!(
            (list.state.clone(), list.entries.len()),
            (ListState::More, expected)
        );
    }
    let _: () = core
        .must(
            "fetch_more",
            json!({ "server": server, "list": "resources" }),
        )
        .await;
    list = core.list("resources", &server).await;
    let ListState::Failed { error } = &list.state else {
        panic!("{list:#?}");
    };
    assert!(
        error.message.contains("\"one\" for a second time"),
        "{error:#?}"
    );
    assert_eq!(list.entries.len(), 3, "what came is kept");
    assert_eq!(asked_for(&listener, "resources/list"), 3);
    let nothing = core
        .rpc::<Value>("fetch_more", json!({ "server": server, "list": "prompts" }))
        .await
        .expect_err("there is no further page");
    assert!(nothing.to_string().contains("no further page"), "{nothing}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_late_list_of_a_dead_connection_is_dropped() {
    let core = Core::start().await;
    let lists = Arc::new(AtomicU32::new(0));
    let listener = Listener::start(move |asked, mut talk| {
        let lists = lists.clone();
        async move {
            if asked.asks() != "tools/list" {
                return listener::modern(&asked, &mut talk).await;
            }
            let first = lists.fetch_add(1, Ordering::SeqCst) == 0;
            if first {
                // It comes when the connection after has its own.
                tokio::time::sleep(Duration::from_millis(700)).await;
            }
            let name = if first { "late" } else { "prompt" };
            let tool = json!({ "name": name, "inputSchema": { "type": "object" } });
            talk.result(&asked, &complete(&json!({ "tools": [tool] }), 0))
                .await;
        }
    })
    .await;
    let server = core
        .add_url("late", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    listener.until(|asked| asked.asks() == "tools/list").await;
    core.connect_well(&server).await;
    assert_eq!(core.tools(&server).await.entries[0].name, "prompt");
    tokio::time::sleep(Duration::from_millis(900)).await;
    let list = core.tools(&server).await;
    assert_eq!((list.state, list.entries.len()), (ListState::Ready, 1));
    assert_eq!(list.entries[0].name, "prompt");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_servers_that_fail_all_the_time_are_gathered() {
    const SERVERS: usize = 20;
    const CALLS: usize = 8;
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        if asked.asks() == "tools/call" {
            talk.error("500 Internal", &asked, -32603, "again").await;
        } else {
            listener::modern(&asked, &mut talk).await;
        }
    })
    .await;
    let mut servers = Vec::new();
    for number in 0..SERVERS {
        let name = format!("failing {number}");
        let server = core
            .add_url(&name, &listener.url(), &[], EraChoice::Auto)
            .await;
        core.connect_well(&server).await;
        core.tools(&server).await;
        servers.push(server);
    }
    let before = core.seen().number;
    let mut calls = Vec::new();
    for _ in 0..CALLS {
        for server in &servers {
            calls.push(core.start_call(server, "echo", "{}").await);
        }
    }
    for call in calls {
        let outcome = core.outcome(call).await;
        assert!(matches!(
            outcome.result,
            CallResult::Failed {
                code: Some(-32603),
                ..
            }
        ));
    }
    // 160 failures are told in fewer batches, and the core answers on.
    let batches = core.seen().number - before;
    assert!((batches as usize) < SERVERS * CALLS, "{batches} batches");
    let good = core.read(&servers[0], "file:///a", false).await;
    assert!(matches!(
        good.result,
        CallResult::Failed {
            code: Some(-32601),
            ..
        }
    ));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn legacy_servers_are_listed_read_and_completed_too() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        match asked.asks().as_str() {
            "initialize" => {
                let result = json!({
                    "protocolVersion": "2025-03-26",
                    "capabilities": { "resources": {}, "completions": {} },
                    "serverInfo": { "name": "old", "version": "1" },
                });
                talk.result(&asked, &result).await;
            }
            "resources/list" => {
                // An empty cursor ends a list of that time.
                let page =
                    json!({ "resources": [{ "uri": "file:///a", "name": "a" }], "nextCursor": "" });
                talk.result(&asked, &page).await;
            }
            "resources/read" => {
                // No hints in that era, and what looks like one means nothing.
                let mut content = text_of_file("file:///a", "old");
                content["ttlMs"] = json!(600_000);
                talk.result(&asked, &content).await;
            }
            "completion/complete" => {
                let completion = json!({ "completion": { "values": ["a"] } });
                talk.result(&asked, &completion).await;
            }
            "server/discover" => {
                talk.error("400 Bad Request", &asked, -32000, "initialize first")
                    .await;
            }
            _ => talk.accepted().await,
        }
    })
    .await;
    let options = ServerOptions {
        page_by_page: true,
        ..ServerOptions::default()
    };
    let server = add(&core, &listener, options).await;
    let list: ListView<ResourceView> = core.fetch("resources", &server, false).await;
    assert_eq!((list.state, list.entries.len()), (ListState::Ready, 1));
    assert_eq!(
        list.freshness.expect("it is known").fresh_until_micros,
        None
    );
    for _ in 0..2 {
        assert_eq!(
            resource_text(&core.read(&server, "file:///a", false).await),
            "old"
        );
    }
    assert_eq!(asked_for(&listener, "resources/read"), 2);
    let completion: CompletionView = core
        .must(
            "complete",
            json!({
                "server": server,
                "target": { "kind": "resource_template", "uri_template": "file:///{path}" },
                "argument": "path",
                "value": "",
                "context": r#"{"other":"x"}"#,
            }),
        )
        .await;
    assert_eq!(completion.values, ["a"]);
    let sent = listener
        .until(|asked| asked.asks() == "completion/complete")
        .await
        .message();
    assert!(
        sent["params"]["context"].is_null(),
        "2025-03-26 has no context: {sent}"
    );
    let refused = core
        .rpc::<Value>(
            "fetch_list",
            json!({ "server": server, "list": "prompts", "refresh": false }),
        )
        .await
        .expect_err("it has none");
    assert!(
        refused
            .to_string()
            .contains("does not declare the capability prompts")
    );
    core.close().await;
}
