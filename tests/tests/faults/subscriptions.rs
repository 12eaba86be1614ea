//! Subscriptions: what is listened to, what a server agrees to, and streams that drop.

use std::sync::{Arc, Mutex};

use app::api::details::RowDetails;
use app::api::servers::{EraChoice, Phase};
use app::api::subscriptions::SubscriptionList;
use app::api::tools::CallResult;
use journal::event::OperationId;
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received, Talk};

fn discovered(capabilities: &Value) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": capabilities,
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "teller", "version": "1" } },
    })
}

fn note(method: &str, subscription: &Value, more: &Value) -> Value {
    let mut params = more.as_object().expect("an object").clone();
    params.insert(
        "_meta".to_owned(),
        json!({ "io.modelcontextprotocol/subscriptionId": subscription }),
    );
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

async fn acknowledge(talk: &mut Talk, asked: &Received, agreed: &Value) {
    talk.stream().await;
    let id = asked.message()["id"].clone();
    talk.event(&note(
        "notifications/subscriptions/acknowledged",
        &id,
        &json!({ "notifications": agreed }),
    ))
    .await;
}

fn listens(listener: &Listener) -> Vec<Value> {
    listener
        .received()
        .iter()
        .filter(|received| received.asks() == "subscriptions/listen")
        .map(|received| received.message()["params"]["notifications"].clone())
        .collect()
}

async fn rules(core: &Core, operation: OperationId) -> Vec<String> {
    let details: RowDetails = core
        .must("row", json!({ "key": format!("o{}", operation.0) }))
        .await;
    details
        .findings
        .into_iter()
        .map(|finding| finding.rule)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_lists_are_listened_to_and_a_stream_that_drops_is_opened_again() {
    let core = Core::start().await;
    let streams = Arc::new(Mutex::new(0_u32));
    let listener = Listener::start(move |asked, mut talk| {
        let streams = Arc::clone(&streams);
        async move {
            match asked.asks().as_str() {
                "server/discover" => {
                    let capabilities = json!({
                        "tools": { "listChanged": true },
                        "resources": { "listChanged": true },
                        "prompts": {},
                    });
                    talk.result(&asked, &discovered(&capabilities)).await;
                }
                "subscriptions/listen" => {
                    let stream = {
                        let mut streams = streams.lock().expect("no test panics in it");
                        *streams += 1;
                        *streams
                    };
                    // It agrees to a part.
                    acknowledge(&mut talk, &asked, &json!({ "toolsListChanged": true })).await;
                    let id = asked.message()["id"].clone();
                    talk.event(&note("notifications/tools/list_changed", &id, &json!({})))
                        .await;
                    if stream > 1 {
                        talk.until_closed().await;
                    }
                }
                _ => listener::modern(&asked, &mut talk).await,
            }
        }
    })
    .await;
    let server = core
        .add_url("teller", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let subscription = core
        .until("the second stream", |seen| {
            let row = seen
                .rows
                .iter()
                .find(|row| row.label == "subscriptions/listen")?;
            (listens(&listener).len() == 2).then_some(row.operation?)
        })
        .await;
    assert_eq!(
        listens(&listener)[0],
        json!({ "toolsListChanged": true, "resourcesListChanged": true })
    );
    let list: SubscriptionList = loop {
        let list: SubscriptionList = core
            .must("subscriptions", json!({ "server": server }))
            .await;
        if list.subscriptions.iter().any(|one| one.is_open) {
            break list;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    let agreed = list.subscriptions[0].agreed.clone().expect("it is open");
    assert!(
        agreed.tools_list_changed && !agreed.resources_list_changed,
        "{agreed:?}"
    );
    // The list was fetched again, and nothing was said twice.
    listener
        .until(|received| received.asks() == "tools/list")
        .await;
    assert_eq!(
        rules(&core, subscription).await,
        ["subscription-in-part", "subscription-in-part"]
    );
    let timeline = core.unfolded().await;
    for words in [
        "subscriptions/listen toolsListChanged, resourcesListChanged",
        "— dropped",
        "[retry 1]",
        "notifications/tools/list_changed",
    ] {
        assert!(timeline.contains(words), "no {words:?} in\n{timeline}");
    }
    // Nobody waits for a stream: calls go on, and a disconnect ends it well.
    assert_eq!(text_of(&core.call(&server, "echo", "{}").await), "{}");
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    core.until_phase(&server, Phase::Disconnected).await;
    let row = core.operation_row(subscription).await;
    assert!(row.contains("— complete"), "{row}");
    core.close().await;
}

#[allow(clippy::too_many_lines)] // one story
#[tokio::test(flavor = "multi_thread")]
async fn several_at_once_are_told_apart_and_ended_one_by_one() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        match asked.asks().as_str() {
            "subscriptions/listen" => {
                let wanted = asked.message()["params"]["notifications"].clone();
                let id = asked.message()["id"].clone();
                if wanted["resourceSubscriptions"][0] == json!("file:///refused") {
                    talk.error("200 OK", &asked, -32602, "no such resource")
                        .await;
                    return;
                }
                if wanted["resourceSubscriptions"][0] == json!("file:///odd") {
                    talk.stream().await;
                    // Too early, without its subscription, and about something else.
                    talk.event(
                        &json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }),
                    )
                    .await;
                }
                let event = json!({
                    "jsonrpc": "2.0",
                    "method": "notifications/subscriptions/acknowledged",
                    "params": {
                        "_meta": { "io.modelcontextprotocol/subscriptionId": id },
                        "notifications": wanted,
                    },
                });
                if wanted["resourceSubscriptions"][0] != json!("file:///odd") {
                    talk.stream().await;
                }
                talk.event(&event).await;
                let uri = wanted["resourceSubscriptions"][0].clone();
                talk.event(&note(
                    "notifications/resources/updated",
                    &id,
                    &json!({ "uri": uri }),
                ))
                .await;
                if uri == json!("file:///over") {
                    let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
                    let over = json!({ "resultType": "complete", "_meta": meta });
                    talk.event(&listener::reply(&asked, &over)).await;
                    return;
                }
                talk.until_closed().await;
            }
            _ => listener::modern(&asked, &mut talk).await,
        }
    })
    .await;
    let server = core
        .add_url("teller", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    let mut opened: Vec<OperationId> = Vec::new();
    for uri in [
        "file:///a",
        "file:///odd",
        "file:///over",
        "file:///refused",
    ] {
        let filter = json!({ "resources": [uri] });
        opened.push(
            core.must("subscribe", json!({ "server": server, "filter": filter }))
                .await,
        );
    }
    core.until("the update", |seen| {
        seen.status.running.eq(&0).then_some(())
    })
    .await;
    // The server's end is no drop, and a refusal is a failure.
    let over = core.outcome(opened[2]).await;
    assert!(matches!(over.result, CallResult::Tool { .. }), "{over:#?}");
    let refused = core.outcome(opened[3]).await;
    assert!(
        matches!(
            refused.result,
            CallResult::Failed {
                code: Some(-32602),
                ..
            }
        ),
        "{refused:#?}"
    );
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("notifications/resources/updated file:///a"),
        "{timeline}"
    );
    let odd = rules(&core, opened[1]).await;
    assert_eq!(
        odd,
        ["subscription-id-missing", "subscription-unasked"],
        "{timeline}"
    );

    let _: () = core
        .must("unsubscribe", json!({ "operation": opened[0] }))
        .await;
    assert_eq!(core.outcome(opened[0]).await.result, CallResult::Cancelled);
    let list: SubscriptionList = core
        .must("subscriptions", json!({ "server": server }))
        .await;
    assert!(
        list.subscriptions
            .iter()
            .any(|one| one.operation == opened[1]),
        "{list:#?}"
    );
    assert!(
        list.subscriptions
            .iter()
            .all(|one| one.operation != opened[0]),
        "{list:#?}"
    );
    // Wanted again after a new connection, but not what was ended.
    let nothing = core
        .rpc::<OperationId>("subscribe", json!({ "server": server, "filter": {} }))
        .await
        .expect_err("it is about nothing");
    assert_eq!(nothing["code"], "bad_input");
    core.close().await;
}
