//! Progress, cancellation and the flood.

use serde_json::{Value, json};

use crate::support::{Http, Piped, Sse, call, modern, modern_with_progress};

/// The progress values of `messages`, all of which must be notifications for `token`.
fn progress_of(messages: &[Value], token: &Value) -> Vec<f64> {
    messages
        .iter()
        .map(|message| {
            assert_eq!(message["method"], "notifications/progress", "{message}");
            assert_eq!(&message["params"]["progressToken"], token);
            message["params"]["progress"].as_f64().unwrap()
        })
        .collect()
}

fn one_to(count: u32) -> Vec<f64> {
    (1..=count).map(f64::from).collect()
}

#[tokio::test]
async fn every_step_is_reported_before_the_answer() {
    let mut server = Piped::start();
    let arguments = json!({ "steps": 4, "step_millis": 1 });
    let id = server
        .send(
            "tools/call",
            modern_with_progress(call("slow_count", arguments), json!("mine")),
        )
        .await;
    let (before, answer) = server.until_answer(id).await;
    assert_eq!(progress_of(&before, &json!("mine")), one_to(4));
    assert_eq!(before[1]["params"]["total"], 4.0);
    assert_eq!(before[1]["params"]["message"], "Step 2 of 4");
    assert_eq!(answer["result"]["structuredContent"]["counted"], 4);
}

#[tokio::test]
async fn nobody_hears_progress_who_did_not_ask_for_it() {
    let mut server = Piped::start();
    let arguments = json!({ "steps": 3, "step_millis": 1 });
    let answer = server
        .ask("tools/call", modern(call("slow_count", arguments)))
        .await;
    assert_eq!(answer["result"]["content"][0]["text"], "Counted to 3.");
}

#[tokio::test]
async fn a_cancelled_count_stops_and_never_answers() {
    let mut server = Piped::start();
    let arguments = json!({ "steps": 600, "step_millis": 20 });
    let id = server
        .send(
            "tools/call",
            modern_with_progress(call("slow_count", arguments), json!(7)),
        )
        .await;
    let first = server.hear().await;
    assert_eq!(progress_of(&[first], &json!(7)), [1.0]);
    let params = json!({ "requestId": id, "reason": "changed my mind" });
    server
        .say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;

    let after = server
        .send(
            "tools/call",
            modern(call("slow_count", json!({ "steps": 5, "step_millis": 20 }))),
        )
        .await;
    let (late, answer) = server.until_answer(after).await;
    // Steps that were on their way when the cancellation came may still arrive; the answer may not.
    assert!(progress_of(&late, &json!(7)).len() < 599);
    assert_eq!(answer["result"]["content"][0]["text"], "Counted to 5.");
    let (rest, _) = server.close().await;
    assert!(rest.is_empty(), "{rest:?}");
}

#[tokio::test]
async fn a_flood_arrives_whole_and_in_order() {
    let mut server = Piped::start();
    let count = 20_000;
    let params = modern_with_progress(call("flood", json!({ "count": count })), json!("f"));
    let id = server.send("tools/call", params).await;
    let (before, answer) = server.until_answer(id).await;
    assert_eq!(progress_of(&before, &json!("f")), one_to(count));
    assert_eq!(answer["result"]["structuredContent"]["sent"], count);
}

#[tokio::test]
async fn two_floods_at_once_each_keep_their_order() {
    let mut server = Piped::start();
    let count = 5_000;
    let one = modern_with_progress(call("flood", json!({ "count": count })), json!("one"));
    let two = modern_with_progress(call("flood", json!({ "count": count })), json!("two"));
    let ids = [
        server.send("tools/call", one).await,
        server.send("tools/call", two).await,
    ];
    let mut heard: [Vec<Value>; 2] = Default::default();
    let mut answers = 0;
    while answers < 2 {
        let message = server.hear().await;
        if message.get("method").is_none() {
            assert!(
                ids.iter().any(|id| message["id"] == *id) && message["result"]["isError"] != true,
                "{message}"
            );
            answers += 1;
        } else {
            let which = usize::from(message["params"]["progressToken"] == "two");
            heard[which].push(message);
        }
    }
    assert_eq!(progress_of(&heard[0], &json!("one")), one_to(count));
    assert_eq!(progress_of(&heard[1], &json!("two")), one_to(count));
}

#[tokio::test]
async fn a_flood_can_be_cancelled() {
    let mut server = Piped::start();
    let params = modern_with_progress(call("flood", json!({ "count": 1_000_000 })), json!("f"));
    let id = server.send("tools/call", params).await;
    server.hear().await;
    server.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })).await;
    let after = server
        .send(
            "tools/call",
            modern(call("echo", json!({ "text": "calm" }))),
        )
        .await;
    let (late, answer) = server.until_answer(after).await;
    assert!(progress_of(&late, &json!("f")).len() < 999_999);
    assert_eq!(answer["result"]["content"][0]["text"], "calm");
}

#[tokio::test]
async fn over_http_a_flood_is_a_stream_and_its_reader_may_leave() {
    let server = Http::start().await;
    let params = modern_with_progress(call("flood", json!({ "count": 5_000 })), json!("f"));
    let mut all = Sse::of(server.ask_modern(1, "tools/call", params).await)
        .all()
        .await;
    let answer = all.pop().unwrap();
    assert_eq!(
        (
            &answer["id"],
            &answer["result"]["structuredContent"]["sent"]
        ),
        (&json!(1), &json!(5_000))
    );
    assert_eq!(progress_of(&all, &json!("f")), one_to(5_000));

    let params = modern_with_progress(call("flood", json!({ "count": 1_000_000 })), json!("f"));
    let mut left = Sse::of(server.ask_modern(2, "tools/call", params).await);
    assert!(left.next().await.is_some());
    drop(left);
    let answer = server
        .ask_modern(
            3,
            "tools/call",
            modern(call("echo", json!({ "text": "calm" }))),
        )
        .await;
    assert_eq!(answer.status(), 200);
}
