//! `book_table`, which must ask before it can answer.

use serde_json::{Value, json};

use crate::support::{Http, Piped, Sse, call, json_body, modern, modern_with};

fn wish() -> Value {
    call(
        "book_table",
        json!({ "restaurant": "Trattoria Lucia", "date": "2026-12-04", "notes": "by the window" }),
    )
}

/// The wish again, with an answer to the form and the state that came with it.
fn wish_with(state: &Value, reply: &Value) -> Value {
    let mut params = wish();
    params["requestState"] = state.clone();
    params["inputResponses"] = json!({ "details": reply });
    params
}

fn accepted(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

fn good() -> Value {
    accepted(
        json!({ "party_size": 4, "seating": "terrace", "email": "ada@example.com", "remind": true }),
    )
}

/// Asks for the form; gives back the state.
async fn form(server: &mut Piped) -> Value {
    let answer = server.ask("tools/call", modern(wish())).await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"]["requestState"].clone()
}

#[tokio::test]
async fn the_first_round_asks_with_a_form() {
    let mut server = Piped::start();
    let answer = server.ask("tools/call", modern(wish())).await;
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required");
    assert!(
        result["requestState"]
            .as_str()
            .is_some_and(|state| !state.is_empty())
    );
    let request = &result["inputRequests"]["details"];
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["mode"], "form");
    let schema = &request["params"]["requestedSchema"];
    let properties = schema["properties"].as_object().unwrap();
    assert_eq!(
        properties.keys().collect::<Vec<_>>(),
        ["party_size", "seating", "email", "remind"]
    );
    assert_eq!(properties["party_size"]["type"], "integer");
    assert_eq!(properties["party_size"]["minimum"], 1);
    assert_eq!(properties["party_size"]["maximum"], 12);
    assert_eq!(
        properties["seating"]["oneOf"][1],
        json!({ "const": "terrace", "title": "Terrace" })
    );
    assert_eq!(properties["email"]["format"], "email");
    assert_eq!(properties["remind"]["type"], "boolean");
    assert_eq!(
        schema["required"],
        json!(["party_size", "seating", "email"])
    );
}

#[tokio::test]
async fn an_accepted_form_books_and_a_repeated_one_books_no_more() {
    let mut server = Piped::start();
    let state = form(&mut server).await;
    let answer = server
        .ask("tools/call", modern(wish_with(&state, &good())))
        .await;
    let output = &answer["result"]["structuredContent"];
    assert_eq!(output["status"], "booked");
    assert_eq!(output["restaurant"], "Trattoria Lucia");
    assert_eq!(output["party_size"], 4);
    assert_eq!(output["seating"], "terrace");
    assert_eq!(output["remind"], true);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("Booked a table for 4 people at Trattoria Lucia on 2026-12-04."),
        "{text}"
    );

    let again = server
        .ask("tools/call", modern(wish_with(&state, &good())))
        .await;
    assert_eq!(again["result"]["structuredContent"], *output);
    let read = server
        .ask(
            "resources/read",
            modern(json!({ "uri": "demo://bookings" })),
        )
        .await;
    let bookings: Value =
        serde_json::from_str(read["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(bookings.as_array().unwrap().len(), 1);
    assert_eq!(bookings[0]["email"], "ada@example.com");
    assert_eq!(bookings[0]["notes"], "by the window");

    let cancel = call(
        "cancel_booking",
        json!({ "reference": output["reference"] }),
    );
    let answer = server.ask("tools/call", modern(cancel)).await;
    assert_eq!(answer["result"]["isError"], false);
    let read = server
        .ask(
            "resources/read",
            modern(json!({ "uri": "demo://bookings" })),
        )
        .await;
    assert_eq!(read["result"]["contents"][0]["text"], "[]");
}

#[tokio::test]
async fn declining_and_closing_are_answers_too() {
    let mut server = Piped::start();
    for (action, status) in [("decline", "declined"), ("cancel", "cancelled")] {
        let state = form(&mut server).await;
        let answer = server
            .ask(
                "tools/call",
                modern(wish_with(&state, &json!({ "action": action }))),
            )
            .await;
        assert_eq!(answer["result"]["isError"], false);
        assert_eq!(answer["result"]["structuredContent"]["status"], status);
        assert!(
            answer["result"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .starts_with("No table was booked")
        );
    }
}

#[tokio::test]
async fn a_wrong_form_is_asked_again_but_not_for_ever() {
    let mut server = Piped::start();
    let mut state = form(&mut server).await;
    let wrong = accepted(json!({ "party_size": 13, "seating": "terrace", "email": "ada" }));
    for _ in 0..2 {
        let answer = server
            .ask("tools/call", modern(wish_with(&state, &wrong)))
            .await;
        assert_eq!(answer["result"]["resultType"], "input_required");
        let message = answer["result"]["inputRequests"]["details"]["params"]["message"]
            .as_str()
            .unwrap();
        assert!(
            message.contains("from 1 to 12") && message.contains("E-mail"),
            "{message}"
        );
        assert_ne!(answer["result"]["requestState"], state);
        state = answer["result"]["requestState"].clone();
    }
    let answer = server
        .ask("tools/call", modern(wish_with(&state, &wrong)))
        .await;
    assert_eq!(answer["result"]["isError"], true);
}

#[tokio::test]
async fn a_missing_answer_is_asked_for_again() {
    let mut server = Piped::start();
    let state = form(&mut server).await;
    let mut params = wish();
    params["requestState"] = state;
    params["inputResponses"] = json!({ "something else": good() });
    let answer = server.ask("tools/call", modern(params)).await;
    assert_eq!(answer["result"]["resultType"], "input_required");
    // An answer to a question that was never asked books nothing.
    let mut params = wish();
    params["inputResponses"] = json!({ "details": good() });
    let answer = server.ask("tools/call", modern(params)).await;
    assert_eq!(answer["result"]["resultType"], "input_required");
}

#[tokio::test]
async fn a_state_that_is_not_ours_is_refused() {
    let mut server = Piped::start();
    let state = form(&mut server).await;
    let text = state.as_str().unwrap();
    let middle = text.len() / 2;
    let other = if &text[middle..=middle] == "A" {
        "B"
    } else {
        "A"
    };
    let tampered = json!(format!("{}{other}{}", &text[..middle], &text[middle + 1..]));
    for state in [tampered, json!(""), json!("rs1.e30.e30"), json!("✂")] {
        let answer = server
            .ask("tools/call", modern(wish_with(&state, &good())))
            .await;
        assert_eq!(answer["error"]["code"], -32602, "{state}");
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("requestState")
        );
    }
    // The same state with other arguments is another call.
    let mut params = wish_with(&state, &good());
    params["arguments"]["date"] = json!("2026-12-05");
    let answer = server.ask("tools/call", modern(params)).await;
    assert_eq!(answer["error"]["code"], -32602);
    // And another process has another key.
    let mut elsewhere = Piped::start();
    let answer = elsewhere
        .ask("tools/call", modern(wish_with(&state, &good())))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
    let malformed = server
        .ask("tools/call", modern(wish_with(&state, &json!("yes"))))
        .await;
    assert_eq!(malformed["error"]["code"], -32602);
}

#[tokio::test]
async fn a_client_without_forms_is_told_what_it_lacks() {
    let mut server = Piped::start();
    for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
        let answer = server
            .ask("tools/call", modern_with(wish(), capabilities, None))
            .await;
        assert_eq!(answer["error"]["code"], -32021);
        assert!(answer["error"]["data"]["requiredCapabilities"]["elicitation"]["form"].is_object());
    }
    // A capability without a mode means forms.
    let answer = server
        .ask(
            "tools/call",
            modern_with(wish(), json!({ "elicitation": {} }), None),
        )
        .await;
    assert_eq!(answer["result"]["resultType"], "input_required");

    let (mut older, _) = Piped::start_legacy("2025-11-25", json!({})).await;
    let answer = older.ask("tools/call", wish()).await;
    assert_eq!(answer["result"]["isError"], true);
}

#[tokio::test]
async fn an_older_client_is_asked_while_its_call_waits() {
    let (mut server, _) = Piped::start_legacy("2025-06-18", json!({ "elicitation": {} })).await;
    let id = server.send("tools/call", wish()).await;
    let question = server.hear().await;
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(
        question["params"]["requestedSchema"]["properties"]["seating"]["enum"][2],
        "bar"
    );
    let wrong = accepted(json!({ "party_size": 0, "seating": "bar", "email": "ada@example.com" }));
    server
        .say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": wrong }))
        .await;
    let question = server.hear().await;
    assert!(
        question["params"]["message"]
            .as_str()
            .unwrap()
            .starts_with("Party size")
    );
    server
        .say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": good() }))
        .await;
    let (before, answer) = server.until_answer(id).await;
    assert!(before.is_empty());
    assert_eq!(answer["result"]["structuredContent"]["status"], "booked");
    assert!(answer["result"].get("resultType").is_none());

    let id = server.send("tools/call", wish()).await;
    let question = server.hear().await;
    server
        .say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } }))
        .await;
    let (_, answer) = server.until_answer(id).await;
    assert_eq!(answer["result"]["structuredContent"]["status"], "declined");

    let id = server.send("tools/call", wish()).await;
    let question = server.hear().await;
    let error = json!({ "code": -1, "message": "the window was closed" });
    server
        .say(&json!({ "jsonrpc": "2.0", "id": question["id"], "error": error }))
        .await;
    let (_, answer) = server.until_answer(id).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("the window was closed")
    );
}

#[tokio::test]
async fn over_http_the_rounds_are_separate_exchanges() {
    let server = Http::start().await;
    let answer = json_body(server.ask_modern(1, "tools/call", modern(wish())).await).await;
    assert_eq!(answer["result"]["resultType"], "input_required");
    let state = &answer["result"]["requestState"];
    let answer = json_body(
        server
            .ask_modern(2, "tools/call", modern(wish_with(state, &good())))
            .await,
    )
    .await;
    assert_eq!(answer["id"], 2);
    assert_eq!(answer["result"]["structuredContent"]["status"], "booked");
    // The bookings are the process's, not a session's.
    let read = server
        .ask_modern(
            3,
            "resources/read",
            modern(json!({ "uri": "demo://bookings" })),
        )
        .await;
    let read = json_body(read).await;
    assert!(
        read["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .contains("ada@example.com")
    );
}

#[tokio::test]
async fn over_http_the_date_must_be_mirrored_in_its_header() {
    let server = Http::start().await;
    let request =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": modern(wish()) });
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "book_table"),
    ];
    let response = server.post(&request, &headers).await;
    assert_eq!(response.status(), 400);
    assert_eq!(json_body(response).await["error"]["code"], -32020);
}

#[tokio::test]
async fn over_http_an_older_client_is_asked_on_its_calls_stream() {
    let server = Http::start().await;
    let session = crate::http::shake_hands(&server, json!({ "elicitation": {} })).await;
    let headers = [
        ("mcp-session-id", session.as_str()),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let request = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": wish() });
    let mut stream = Sse::of(server.post(&request, &headers).await);
    let question = stream.next().await.unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": good() });
    assert_eq!(server.post(&reply, &headers).await.status(), 202);
    let answer = stream.next().await.unwrap();
    assert_eq!(answer["id"], 5);
    assert_eq!(answer["result"]["structuredContent"]["status"], "booked");
}
