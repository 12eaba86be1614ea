//! The revisions with a handshake, over stdio.

use serde_json::json;

use crate::support::{Piped, call, modern};

#[tokio::test]
async fn each_older_revision_is_agreed_to() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let (mut server, answer) = Piped::start_legacy(revision, json!({})).await;
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], revision);
        assert_eq!(result["serverInfo"]["name"], "roundtrip-demo");
        assert_eq!(result["serverInfo"]["title"], "Roundtrip demo");
        assert!(result["instructions"].is_string());
        let answer = server.ask("tools/list", json!({})).await;
        assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 6);
        assert!(answer["result"].get("resultType").is_none());
        assert_eq!(server.ask("ping", json!({})).await["result"], json!({}));
        let (rest, status) = server.close().await;
        assert!(rest.is_empty() && status.success());
    }
}

#[tokio::test]
async fn an_unknown_revision_is_answered_with_the_newest_that_has_a_handshake() {
    let (_server, answer) = Piped::start_legacy("1999-12-31", json!({})).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn a_probe_may_come_before_the_handshake() {
    let mut server = Piped::start();
    let probe = server.ask("server/discover", modern(json!({}))).await;
    assert!(probe["result"]["supportedVersions"].is_array());
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "conversation", "version": "1.0" },
    });
    let answer = server.ask("initialize", params).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn older_clients_get_the_older_shapes() {
    let (mut server, _) = Piped::start_legacy("2025-11-25", json!({})).await;
    let answer = server
        .ask("resources/read", json!({ "uri": "demo://menu/midnight" }))
        .await;
    assert_eq!(answer["error"]["code"], -32002);
    let id = server
        .send(
            "tools/call",
            json!({
                "name": "slow_count",
                "arguments": { "steps": 2, "step_millis": 1 },
                "_meta": { "progressToken": 9 },
            }),
        )
        .await;
    let (before, answer) = server.until_answer(id).await;
    assert_eq!(before.len(), 2);
    assert!(
        before
            .iter()
            .all(|message| message["params"]["progressToken"] == 9)
    );
    assert!(answer["result"].get("resultType").is_none());
    let answer = server
        .ask(
            "tools/call",
            call("find_restaurants", json!({ "city": "Porto" })),
        )
        .await;
    assert_eq!(answer["result"]["structuredContent"]["total"], 2);
}
