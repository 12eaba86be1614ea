//! What the server tells by itself: lists and resources that change, and log messages.

use serde_json::{Value, json};

use crate::support::{Http, Piped, Sse, call, modern};

/// Listens to what `notifications` names; gives the subscription's id after it was acknowledged.
async fn listen(server: &mut Piped, notifications: Value) -> u64 {
    let id = server
        .send(
            "subscriptions/listen",
            modern(json!({ "notifications": notifications })),
        )
        .await;
    let acknowledged = server.hear().await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(acknowledged["params"]["notifications"], notifications);
    id
}

fn methods(messages: &[Value]) -> Vec<&str> {
    let mut methods: Vec<_> = messages
        .iter()
        .filter_map(|message| message["method"].as_str())
        .collect();
    methods.sort_unstable();
    methods
}

#[tokio::test]
async fn who_listens_is_told_that_lists_have_changed() {
    let mut server = Piped::start();
    let wanted = json!({ "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true });
    listen(&mut server, wanted).await;
    let id = server
        .send("tools/call", modern(call("turn_season", json!({}))))
        .await;
    let (mut told, answer) = server.until_answer(id).await;
    let words = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(words.contains("order_truffles"), "{words}");
    while told.len() < 3 {
        told.push(server.hear().await);
    }
    assert_eq!(
        methods(&told),
        [
            "notifications/prompts/list_changed",
            "notifications/resources/list_changed",
            "notifications/tools/list_changed"
        ]
    );
    let read = server
        .ask(
            "resources/read",
            modern(json!({ "uri": "demo://menu/truffles" })),
        )
        .await;
    assert!(read["result"]["contents"][0]["text"].is_string(), "{read}");
    let got = server
        .ask("prompts/get", modern(json!({ "name": "praise_truffles" })))
        .await;
    assert_eq!(got["result"]["messages"][0]["role"], "user", "{got}");
    let ordered = server
        .ask(
            "tools/call",
            modern(call("order_truffles", json!({ "table": "4" }))),
        )
        .await;
    assert_eq!(
        ordered["result"]["content"][0]["text"],
        "Tagliatelle with truffles for table 4."
    );
}

#[tokio::test]
async fn an_older_client_is_told_of_lists_and_of_the_resources_it_subscribed_to() {
    let (mut server, _) =
        Piped::start_legacy("2025-11-25", json!({ "elicitation": { "form": {} } })).await;
    let bookings = json!({ "uri": "demo://bookings" });
    let taken = server.ask("resources/subscribe", bookings.clone()).await;
    assert_eq!(taken["result"], json!({}), "{taken}");
    let refused = server
        .ask("resources/subscribe", json!({ "uri": "demo://nowhere" }))
        .await;
    assert!(refused["error"]["code"].is_number(), "{refused}");
    let arguments = json!({ "restaurant": "Trattoria Lucia", "date": "2026-12-04" });
    let id = server
        .send("tools/call", call("book_table", arguments))
        .await;
    let asked = server.hear().await;
    assert_eq!(asked["method"], "elicitation/create");
    let content = json!({ "party_size": 2, "seating": "bar", "email": "ada@example.com" });
    server
        .say(&json!({
            "jsonrpc": "2.0", "id": asked["id"], "result": { "action": "accept", "content": content },
        }))
        .await;
    let (mut told, _) = server.until_answer(id).await;
    if told.is_empty() {
        told.push(server.hear().await);
    }
    assert_eq!(methods(&told), ["notifications/resources/updated"]);
    assert_eq!(told[0]["params"]["uri"], "demo://bookings");
    server.ask("resources/unsubscribe", bookings).await;
    let id = server
        .send("tools/call", call("turn_season", json!({})))
        .await;
    let (mut told, _) = server.until_answer(id).await;
    while told.len() < 3 {
        told.push(server.hear().await);
    }
    assert_eq!(told.len(), 3);
}

#[tokio::test]
async fn log_messages_come_at_the_levels_that_are_wanted() {
    let mut server = Piped::start();
    // In 2026-07-28 who asks for none gets none.
    let quiet = server
        .ask("tools/call", modern(call("kitchen_log", json!({}))))
        .await;
    let words = quiet["result"]["content"][0]["text"].as_str().unwrap();
    assert!(words.contains("asked for no log messages"), "{words}");
    let mut params = modern(call("kitchen_log", json!({})));
    params["_meta"]["io.modelcontextprotocol/logLevel"] = json!("error");
    let id = server.send("tools/call", params).await;
    let (told, answer) = server.until_answer(id).await;
    let levels: Vec<_> = told
        .iter()
        .map(|message| {
            assert_eq!(message["method"], "notifications/message");
            assert_eq!(message["params"]["logger"], "kitchen");
            message["params"]["level"].as_str().unwrap()
        })
        .collect();
    assert_eq!(levels, ["error", "critical", "alert", "emergency"]);
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "Sent 4 log messages."
    );

    let (mut server, _) = Piped::start_legacy("2025-11-25", json!({})).await;
    server
        .ask("logging/setLevel", json!({ "level": "debug" }))
        .await;
    let id = server
        .send("tools/call", call("kitchen_log", json!({})))
        .await;
    let (told, _) = server.until_answer(id).await;
    assert_eq!(told.len(), 8);
}

#[tokio::test]
async fn a_stream_over_http_tells_of_other_clients_bookings() {
    let server = Http::start().await;
    let wanted = json!({ "notifications": { "resourceSubscriptions": ["demo://bookings"] } });
    let listening = server
        .ask_modern(1, "subscriptions/listen", modern(wanted))
        .await;
    let mut stream = Sse::of(listening);
    let acknowledged = stream.next().await.expect("an acknowledgement");
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    let arguments = json!({ "restaurant": "Trattoria Lucia", "date": "2026-12-04" });
    let first = crate::support::json_body(
        server
            .ask_modern(
                2,
                "tools/call",
                modern(call("book_table", arguments.clone())),
            )
            .await,
    )
    .await;
    let mut params = modern(call("book_table", arguments));
    params["requestState"] = first["result"]["requestState"].clone();
    params["inputResponses"] = json!({ "details": { "action": "accept", "content": {
        "party_size": 2, "seating": "bar", "email": "ada@example.com",
    } } });
    server.ask_modern(3, "tools/call", params).await;
    let updated = stream.next().await.expect("the update");
    assert_eq!(updated["method"], "notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "demo://bookings");
}
