//! Streamable HTTP, both eras on one endpoint.

use serde_json::{Value, json};

use crate::support::{Http, Sse, call, header, json_body, modern, modern_with_progress};

/// Shakes hands as 2025-11-25 asks; gives back the session's id.
pub(crate) async fn shake_hands(server: &Http, capabilities: Value) -> String {
    let request = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "conversation", "version": "1.0" },
        },
    });
    let response = server.post(&request, &[]).await;
    let session = header(&response, "mcp-session-id")
        .expect("a session")
        .to_owned();
    let answer = Sse::of(response).next().await.unwrap();
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let headers = [
        ("mcp-session-id", session.as_str()),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    assert_eq!(server.post(&initialized, &headers).await.status(), 202);
    session
}

#[tokio::test]
async fn a_plain_answer_is_json_without_a_session() {
    let server = Http::start().await;
    let response = server
        .ask_modern(1, "server/discover", modern(json!({})))
        .await;
    assert_eq!(response.status(), 200);
    assert_eq!(header(&response, "mcp-session-id"), None);
    let answer = json_body(response).await;
    assert!(
        answer["result"]["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28"))
    );
    let answer = json_body(
        server
            .ask_modern(
                2,
                "tools/call",
                modern(call("echo", json!({ "text": "hi" }))),
            )
            .await,
    )
    .await;
    assert_eq!(answer["result"]["content"][0]["text"], "hi");
}

#[tokio::test]
async fn an_answer_with_progress_before_it_is_a_stream() {
    let server = Http::start().await;
    let params = modern_with_progress(
        call("slow_count", json!({ "steps": 3, "step_millis": 1 })),
        json!("p"),
    );
    let all = Sse::of(server.ask_modern(1, "tools/call", params).await)
        .all()
        .await;
    let steps: Vec<_> = all[..3]
        .iter()
        .map(|message| message["params"]["progress"].clone())
        .collect();
    assert_eq!(steps, [json!(1.0), json!(2.0), json!(3.0)]);
    assert_eq!(all[3]["result"]["structuredContent"]["counted"], 3);
    assert_eq!(all.len(), 4);
}

#[tokio::test]
async fn headers_and_body_must_agree() {
    let server = Http::start().await;
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": modern(call("echo", json!({ "text": "hi" }))),
    });
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "fail"),
    ];
    let response = server.post(&request, &headers).await;
    assert_eq!(response.status(), 400);
    assert_eq!(json_body(response).await["error"]["code"], -32020);
}

#[tokio::test]
async fn an_older_client_has_a_session_from_handshake_to_delete() {
    let server = Http::start().await;
    let session = shake_hands(&server, json!({})).await;
    let headers = [
        ("mcp-session-id", session.as_str()),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });
    let answer = Sse::of(server.post(&list, &headers).await)
        .next()
        .await
        .unwrap();
    assert_eq!(answer["result"]["nextCursor"], "tools/6");
    let flood = json!({
        "jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": { "name": "flood", "arguments": { "count": 2000 }, "_meta": { "progressToken": 3 } },
    });
    let all = Sse::of(server.post(&flood, &headers).await).all().await;
    let steps: Vec<_> = all
        .iter()
        .filter_map(|message| message["params"]["progress"].as_f64())
        .collect();
    assert_eq!(steps, (1..=2000).map(f64::from).collect::<Vec<_>>());
    assert_eq!(
        all.last().unwrap()["result"]["structuredContent"]["sent"],
        2000
    );

    assert!(server.delete(&headers).await.status().is_success());
    assert_eq!(server.post(&list, &headers).await.status(), 404);
}

#[tokio::test]
async fn other_origins_and_hosts_are_turned_away() {
    let server = Http::start().await;
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": modern(json!({})) });
    for header in [("origin", "https://evil.example"), ("host", "evil.example")] {
        let headers = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "server/discover"),
            header,
        ];
        assert_eq!(
            server.post(&request, &headers).await.status(),
            403,
            "{header:?}"
        );
    }
}

#[tokio::test]
async fn what_is_not_json_is_refused_and_the_server_goes_on() {
    let server = Http::start().await;
    let response = server.post(&json!("not a message"), &[]).await;
    assert!(response.status().is_client_error(), "{}", response.status());
    let response = server
        .ask_modern(1, "server/discover", modern(json!({})))
        .await;
    assert_eq!(response.status(), 200);
}
