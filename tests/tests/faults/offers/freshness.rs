//! Answers that may be used again, and those that may not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use app::api::lists::{ListView, OfferedPromptView};
use app::api::options::ServerOptions;
use app::api::servers::{Endpoint, EraChoice, ServerDraft};
use app::api::tools::CallResult;
use serde_json::{Value, json};
use tests::core::{Core, resource_text};
use tests::listener::{self, Listener};

use super::{add, asked_for, complete, discover, text_of_file};

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
