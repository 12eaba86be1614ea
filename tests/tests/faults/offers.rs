//! Resources, templates, prompts and completions of servers that do as they like: lists that change, answers that may be
//! used again, values that are completed while they are typed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use app::api::lists::{
    CompletionView, ListState, ListView, Mark, OfferedPromptView, ResourceTemplateView,
    ResourceView,
};
use app::api::options::ServerOptions;
use app::api::servers::{Endpoint, EraChoice, ServerDraft};
use app::api::tools::CallResult;
use serde_json::{Value, json};
use tests::core::{Core, resource_text};
use tests::listener::{self, Listener, Received, Talk};

/// Discovers as a modern server that has everything.
async fn discover(asked: &Received, talk: &mut Talk) {
    let discovered = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {}, "resources": {}, "prompts": {}, "completions": {} },
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "offers", "version": "1" } },
    });
    talk.result(asked, &discovered).await;
}

/// A complete result with these members, to be kept for so long.
fn complete(members: &Value, ttl_millis: u64) -> Value {
    let mut result =
        json!({ "resultType": "complete", "ttlMs": ttl_millis, "cacheScope": "private" });
    for (key, value) in members.as_object().expect("an object") {
        result[key] = value.clone();
    }
    result
}

fn text_of_file(uri: &str, text: &str) -> Value {
    json!({ "contents": [{ "uri": uri, "mimeType": "text/plain", "text": text }] })
}

/// How many requests of this method came.
fn asked_for(listener: &Listener, method: &str) -> usize {
    let received = listener.received();
    received.iter().filter(|one| one.asks() == method).count()
}

async fn add(core: &Core, listener: &Listener, options: ServerOptions) -> String {
    let server = core
        .add(ServerDraft {
            name: listener.authority(),
            endpoint: Endpoint::Http {
                url: listener.url(),
                headers: Vec::new(),
            },
            era: EraChoice::Auto,
            options,
        })
        .await;
    core.connect_well(&server).await;
    server
}

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
async fn a_fresh_answer_is_used_again_and_its_row_says_so() {
    let core = Core::start().await;
    let reads = Arc::new(AtomicU32::new(0));
    let listener = Listener::start(move |asked, mut talk| {
        let reads = reads.clone();
        async move {
            match asked.asks().as_str() {
                "server/discover" => discover(&asked, &mut talk).await,
                "resources/read" => {
                    let number = reads.fetch_add(1, Ordering::SeqCst) + 1;
                    let content = text_of_file("file:///a", &format!("reading {number}"));
                    talk.result(&asked, &complete(&content, 600_000)).await;
                }
                "tools/call" => {
                    talk.stream().await;
                    let updated = json!({ "uri": "file:///a" });
                    talk.event(&json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": updated }))
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
    let first = core.read(&server, "file:///a", false).await;
    assert_eq!(
        (resource_text(&first).as_str(), first.from_cache_micros),
        ("reading 1", None)
    );
    let again = core.read(&server, "file:///a", false).await;
    assert_eq!(resource_text(&again), "reading 1");
    assert!(again.from_cache_micros.is_some());
    assert_ne!(
        again.operation, first.operation,
        "it is an operation of its own"
    );
    assert_eq!(asked_for(&listener, "resources/read"), 1);
    let row = core.operation_row(again.operation).await;
    assert_eq!(row, "resources/read file:///a [from cache] — complete\n");
    let details = core.details(again.operation).await;
    assert!(
        details.contains("From cache: not sent: fetched 20"),
        "{details}"
    );
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("\n  answer 1 · from cache fetched ")
            && timeline.contains(" before — not sent"),
        "{timeline}"
    );

    // Past the cache.
    let fresh = core.read(&server, "file:///a", true).await;
    assert_eq!(resource_text(&fresh), "reading 2");
    // What came so is what is kept.
    assert_eq!(
        resource_text(&core.read(&server, "file:///a", false).await),
        "reading 2"
    );
    // The server says that it changed.
    core.call(&server, "echo", "{}").await;
    assert_eq!(
        resource_text(&core.read(&server, "file:///a", false).await),
        "reading 3"
    );
    assert_eq!(asked_for(&listener, "resources/read"), 3);

    // The person may want none of it.
    let options = ServerOptions {
        cache: false,
        ..ServerOptions::default()
    };
    let uncached = {
        let draft = ServerDraft {
            name: "uncached".to_owned(),
            endpoint: Endpoint::Http {
                url: listener.url(),
                headers: Vec::new(),
            },
            era: EraChoice::Auto,
            options,
        };
        let server = core.add(draft).await;
        core.connect_well(&server).await;
        server
    };
    for number in 4..6 {
        let outcome = core.read(&uncached, "file:///a", false).await;
        assert_eq!(resource_text(&outcome), format!("reading {number}"));
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_fresh_pages_is_not_fetched_again_unless_it_is_wanted() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        let cursor = asked.message()["params"]["cursor"].clone();
        match asked.asks().as_str() {
            "server/discover" => discover(&asked, &mut talk).await,
            "prompts/list" if cursor.is_null() => {
                let page = json!({ "prompts": [{ "name": "a" }], "nextCursor": "2" });
                talk.result(&asked, &complete(&page, 600_000)).await;
            }
            "prompts/list" => {
                let page = json!({ "prompts": [{ "name": "b" }] });
                talk.result(&asked, &complete(&page, 300_000)).await;
            }
            _ => listener::modern(&asked, &mut talk).await,
        }
    })
    .await;
    let server = add(&core, &listener, ServerOptions::default()).await;
    let first: ListView<OfferedPromptView> = core.fetch("prompts", &server, false).await;
    let freshness = first.freshness.expect("it is known");
    let until = freshness.fresh_until_micros.expect("the server says so");
    // The page that goes stale first counts.
    let life = until - freshness.fetched_micros;
    assert!((300_000_000..310_000_000).contains(&life), "{life}");
    assert_eq!(
        (freshness.scope.as_deref(), freshness.from_cache),
        (Some("private"), false)
    );

    let again: ListView<OfferedPromptView> = core.fetch("prompts", &server, false).await;
    assert_eq!(again.entries.len(), 2);
    assert_ne!(again.operation, first.operation);
    let cached = again.freshness.expect("it is known");
    assert!(cached.from_cache);
    assert_eq!(cached.fetched_micros, freshness.fetched_micros);
    let row = core.operation_row(again.operation.expect("its row")).await;
    assert_eq!(row, "prompts/list [from cache] — complete\n");
    assert_eq!(asked_for(&listener, "prompts/list"), 2, "two pages, once");

    let fresh: ListView<OfferedPromptView> = core.fetch("prompts", &server, true).await;
    assert!(!fresh.freshness.expect("it is known").from_cache);
    assert_eq!(asked_for(&listener, "prompts/list"), 4);
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
async fn reading_and_getting_may_ask_the_person_and_such_an_answer_is_not_kept() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        let message = asked.message();
        let answered = message["params"]["inputResponses"]["who"]["content"]["name"].clone();
        match asked.asks().as_str() {
            "server/discover" => discover(&asked, &mut talk).await,
            "resources/read" | "prompts/get" if answered.is_null() => {
                let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
                let ask = json!({ "method": "elicitation/create", "params": { "message": "Who reads?", "requestedSchema": schema } });
                let result = json!({ "resultType": "input_required", "inputRequests": { "who": ask }, "requestState": "s" });
                talk.result(&asked, &result).await;
            }
            "resources/read" => {
                let text = format!("for {}", answered.as_str().unwrap_or_default());
                talk.result(&asked, &complete(&text_of_file("file:///a", &text), 600_000)).await;
            }
            "prompts/list" => {
                let prompt = json!({ "name": "greet", "arguments": [{ "name": "tone", "required": true }] });
                talk.result(&asked, &complete(&json!({ "prompts": [prompt] }), 0)).await;
            }
            "prompts/get" => {
                let words = format!(
                    "{} greets {}",
                    message["params"]["arguments"]["tone"].as_str().unwrap_or_default(),
                    answered.as_str().unwrap_or_default()
                );
                let said = json!({ "role": "user", "content": { "type": "text", "text": words } });
                talk.result(&asked, &json!({ "resultType": "complete", "messages": [said] })).await;
            }
            _ => listener::modern(&asked, &mut talk).await,
        }
    })
    .await;
    let server = add(&core, &listener, ServerOptions::default()).await;
    let answer = |prompt: u32| json!({ "prompt": prompt, "action": "accept", "content": r#"{"name":"Ana"}"# });
    for reading in 1..3 {
        let args = json!({ "server": server, "uri": "file:///a", "refresh": false });
        let operation = core.must("read_resource", args).await;
        let prompt = core
            .until("the prompt", |seen| seen.prompts.first().cloned())
            .await;
        assert_eq!(prompt.operation_title, "resources/read file:///a");
        let _: () = core.must("answer_prompt", answer(prompt.id)).await;
        let outcome = core.outcome(operation).await;
        assert_eq!(resource_text(&outcome), "for Ana");
        core.until("the prompt's end", |seen| {
            seen.prompts.is_empty().then_some(())
        })
        .await;
        assert_eq!(
            asked_for(&listener, "resources/read"),
            2 * reading,
            "asked again"
        );
    }

    let list: ListView<OfferedPromptView> = core.fetch("prompts", &server, false).await;
    assert!(list.entries[0].arguments[0].required);
    let args = json!({ "server": server, "prompt": 0, "name": "greet", "arguments": r#"{"tone":"Warmly"}"# });
    let operation = core.must("get_prompt", args).await;
    let prompt = core
        .until("the prompt", |seen| seen.prompts.first().cloned())
        .await;
    let _: () = core.must("answer_prompt", answer(prompt.id)).await;
    let outcome = core.outcome(operation).await;
    let CallResult::Prompt {
        messages, problems, ..
    } = &outcome.result
    else {
        panic!("{outcome:#?}");
    };
    assert_eq!((messages.len(), messages[0].role.as_str()), (1, "user"));
    assert!(
        format!("{messages:?}").contains("Warmly greets Ana"),
        "{messages:#?}"
    );
    assert!(problems.is_empty());
    let wrong =
        json!({ "server": server, "prompt": 0, "name": "greet", "arguments": r#"{"tone":7}"# });
    let refused = core
        .rpc::<Value>("get_prompt", wrong)
        .await
        .expect_err("only strings");
    assert!(
        refused
            .to_string()
            .contains("The value of tone is a number"),
        "{refused}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_on_replaces_what_was_being_completed() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        let message = asked.message();
        match asked.asks().as_str() {
            "server/discover" => discover(&asked, &mut talk).await,
            "completion/complete" if message["params"]["argument"]["value"] == "p" => {
                // Never answered: the next letter comes first.
                talk.until_closed().await;
            }
            "completion/complete" => {
                let values: Vec<_> = (0..120).map(|number| format!("py{number}")).collect();
                let completion = json!({ "values": values, "total": 300, "hasMore": true });
                talk.result(
                    &asked,
                    &json!({ "resultType": "complete", "completion": completion }),
                )
                .await;
            }
            _ => listener::modern(&asked, &mut talk).await,
        }
    })
    .await;
    let server = add(&core, &listener, ServerOptions::default()).await;
    let args = |value: &str| {
        json!({
            "server": server,
            "target": { "kind": "prompt", "name": "review" },
            "argument": "language",
            "value": value,
            "context": r#"{"tone":"warm"}"#,
        })
    };
    let (first, second) = tokio::join!(core.rpc::<CompletionView>("complete", args("p")), async {
        listener
            .until(|asked| asked.asks() == "completion/complete")
            .await;
        core.must::<CompletionView>("complete", args("py")).await
    });
    let first = first.expect_err("it was replaced");
    assert_eq!(first["code"], "gone", "{first}");
    assert_eq!(
        (second.values.len(), second.total, second.has_more),
        (100, Some(300), true)
    );
    assert_eq!(
        second.problems.len(),
        1,
        "more than 100: {:?}",
        second.problems
    );
    let sent = listener
        .until(|asked| asked.message()["params"]["argument"]["value"] == "py")
        .await
        .message();
    assert_eq!(
        sent["params"]["ref"],
        json!({ "type": "ref/prompt", "name": "review" })
    );
    assert_eq!(sent["params"]["context"]["arguments"]["tone"], "warm");
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("completion/complete review · language — cancelled"),
        "{timeline}"
    );
    let row = core.operation_row(second.operation).await;
    assert_eq!(row, "completion/complete review · language — complete\n");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn templates_are_filled_in_as_the_rfc_says_or_not_at_all() {
    let core = Core::start().await;
    let expand = |template: &str, values: Value| {
        let args = json!({ "uri_template": template, "values": values.to_string() });
        core.rpc::<String>("expand_template", args)
    };
    for (template, values, expected) in [
        (
            "notes://{topic}",
            json!({ "topic": "foo/bar" }),
            "notes://foo%2Fbar",
        ),
        ("notes://x{?topic}", json!({ "topic": "" }), "notes://x"),
        ("notes://x{?topic}", json!({}), "notes://x"),
        (
            "notes://x{?tag*}",
            json!({ "tag": ["a", "b c"] }),
            "notes://x?tag=a&tag=b%20c",
        ),
    ] {
        assert_eq!(
            expand(template, values).await.as_deref(),
            Ok(expected),
            "{template}"
        );
    }
    let error = expand("notes://{topic", json!({ "topic": "x" }))
        .await
        .expect_err("malformed");
    assert_eq!(error["code"], "bad_input");
    assert_eq!(
        error["message"],
        "The URI template is malformed at character 9: the { is not closed."
    );
    let error = expand("notes://{topic}", json!({ "topic": 7 }))
        .await
        .expect_err("no text");
    assert_eq!(error["message"], "The value of topic is a number.");
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
