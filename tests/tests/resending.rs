//! Recorded requests sent again, as they were and changed: to a real server that seals what it gives out.

use app::api::feed::PromptAction;
use journal::event::OperationId;
use serde_json::{Value, json};
use tests::core::{Core, text_of};

const BOOKING: &str = r#"{"restaurant":"Trattoria Lucia","date":"2026-12-04"}"#;
const FORM: &str =
    r#"{"party_size":4,"seating":"terrace","email":"ana@example.com","remind":true}"#;

/// The parameters of a round's request, as they were recorded.
async fn params_of(core: &Core, operation: OperationId, round: usize) -> Value {
    let row: Value = core
        .must("row", json!({ "key": format!("o{}", operation.0) }))
        .await;
    let event = &row["exchanges"][round - 1]["request"]["event"];
    let message: String = core
        .must("json_value", json!({ "event": event, "at": 0 }))
        .await;
    let message: Value = serde_json::from_str(&message).expect("JSON");
    message["params"].clone()
}

/// What the right pane is told of an operation.
async fn details(core: &Core, operation: OperationId) -> Value {
    core.must("row", json!({ "key": format!("o{}", operation.0) }))
        .await
}

async fn resend(
    core: &Core,
    of: OperationId,
    round: u32,
    params: &Value,
    changed: bool,
) -> Result<OperationId, Value> {
    let request = json!({
        "server": "demo-http", "method": "tools/call", "params": params.to_string(), "pages": "one",
        "progress": false, "limit_millis": null,
    });
    let args = json!({ "request": request, "of": of, "round": round, "changed": changed });
    core.rpc("resend", args).await
}

/// A booking in two rounds: the server asks, the person answers.
async fn booked(core: &Core) -> OperationId {
    core.connect_well("demo-http").await;
    let booking = core.start_call("demo-http", "book_table", BOOKING).await;
    let prompt = core.prompt().await;
    core.answer(prompt.id, PromptAction::Accept, Some(FORM))
        .await;
    core.outcome(booking).await;
    booking
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_is_answered_anew_and_the_branch_names_where_it_is_from() {
    let core = Core::start().await;
    let booking = booked(&core).await;
    let answered = params_of(&core, booking, 2).await;
    let key = answered["inputResponses"]
        .as_object()
        .and_then(|answers| answers.keys().next().cloned())
        .expect("an answer");

    // Other values go out with the same state. This server books once an asking, so it gives the first booking back.
    let mut other = answered.clone();
    other["inputResponses"][&key]["content"]["party_size"] = json!(2);
    let branch = resend(&core, booking, 2, &other, true)
        .await
        .expect("it is sent");
    assert_ne!(branch, booking);
    let told = text_of(&core.outcome(branch).await);
    assert!(told.contains("4 people"), "{told}");
    let sent = params_of(&core, branch, 1).await;
    assert_eq!(sent["inputResponses"][&key]["content"]["party_size"], 2);
    assert_eq!(sent["requestState"], answered["requestState"]);
    let row = core.operation_row(branch).await;
    assert!(row.contains("complete"), "{row}");

    // Each names the other, and the original's row of the branch tells how the branch stands.
    let of_branch = details(&core, branch).await;
    assert_eq!(of_branch["origin"]["operation"], booking.0);
    assert_eq!(of_branch["origin"]["words"], "round 1 answered anew");
    assert_eq!(of_branch["origin"]["title"], "tools/call book_table");
    let of_booking = details(&core, booking).await;
    assert_eq!(of_booking["branches"][0]["operation"], branch.0);
    assert_eq!(of_booking["branches"][0]["state"], "complete");
    assert!(of_booking["origin"].is_null());
    core.until_row(&format!(
        "round 1 answered anew #{} tools/call book_table",
        branch.0
    ))
    .await;

    // Declined instead: no prompt is asked, for the answer is in the request.
    let mut declined = answered.clone();
    declined["inputResponses"][&key] = json!({ "action": "decline" });
    let branch = resend(&core, booking, 2, &declined, true)
        .await
        .expect("it is sent");
    core.outcome(branch).await;
    let sent = params_of(&core, branch, 1).await;
    assert_eq!(sent["inputResponses"][&key], json!({ "action": "decline" }));
    assert_eq!(
        sent["requestState"], answered["requestState"],
        "the state is what came"
    );
    assert_eq!(core.seen().prompts.len(), 0);

    // A changed state is not what this server gave out.
    let mut forged = answered.clone();
    let state = answered["requestState"].as_str().expect("a state");
    let first = if state.starts_with('A') { "B" } else { "A" };
    forged["requestState"] = json!(format!("{first}{}", &state[1..]));
    let branch = resend(&core, booking, 2, &forged, true)
        .await
        .expect("it is sent");
    core.outcome(branch).await;
    let row = core.operation_row(branch).await;
    assert!(row.contains("error -32602"), "{row}");

    // From the first round, as it was: the server asks again.
    let first = params_of(&core, booking, 1).await;
    let again = resend(&core, booking, 1, &first, false)
        .await
        .expect("it is sent");
    let prompt = core.prompt().await;
    assert_eq!(prompt.operation, Some(again));
    core.answer(prompt.id, PromptAction::Cancel, None).await;
    core.outcome(again).await;
    let branches = details(&core, booking).await["branches"].clone();
    let told: Vec<(&str, &str)> = branches
        .as_array()
        .expect("branches")
        .iter()
        .map(|one| {
            (
                one["words"].as_str().unwrap(),
                one["state"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("round 1 answered anew", "complete"),
            ("round 1 answered anew", "complete"),
            ("round 1 answered anew", "error -32602"),
            ("round 1 sent again", "complete"),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secrets_name_is_not_sent_in_its_place() {
    let core = Core::start().await;
    core.connect_well("demo-http").await;
    core.add_url(
        "late",
        "http://127.0.0.1:9/mcp",
        &[("X-Key", "canary-77")],
        app::api::servers::EraChoice::Auto,
    )
    .await;
    let echo = core
        .start_call("demo-http", "echo", r#"{"text":"canary-77"}"#)
        .await;
    core.outcome(echo).await;
    let params = params_of(&core, echo, 1).await;
    let refused = resend(&core, echo, 1, &params, false)
        .await
        .expect_err("a name is no value");
    assert_eq!(
        refused["message"],
        "The request has the name of the secret late/X-Key where its value stood."
    );
    let mut edited = params;
    edited["arguments"]["text"] = json!("canary-77");
    let sent = resend(&core, echo, 1, &edited, true)
        .await
        .expect("it is sent");
    core.outcome(sent).await;
    // The value went out, and only its name is kept.
    let recorded = params_of(&core, sent, 1).await;
    assert_eq!(recorded["arguments"]["text"], "${secret:late/X-Key}");
    let nobody = json!({ "name": "echo", "arguments": { "text": "x" } });
    let gone = resend(&core, OperationId(9999), 1, &nobody, false).await;
    assert_eq!(
        gone.expect_err("nothing to name")["message"],
        "There is no operation 9999 in this journal"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_are_sent_otherwise_or_not_at_all() {
    let core = Core::start().await;
    core.connect_well("demo-http").await;
    let echo = core
        .start_call("demo-http", "echo", r#"{"text":"ciao"}"#)
        .await;
    core.outcome(echo).await;
    let params = params_of(&core, echo, 1).await;
    let with = async |headers: Value| -> Result<OperationId, Value> {
        let request = json!({
            "server": "demo-http", "method": "tools/call", "params": params.to_string(), "pages": "one",
            "progress": false, "limit_millis": null,
        });
        let args = json!({
            "request": request, "of": echo, "round": 1, "changed": false, "headers": headers,
        });
        core.rpc("resend", args).await
    };
    let sent_headers = async |operation| -> Vec<(String, String)> {
        let head = &details(&core, operation).await["exchanges"][0]["http"]["request"];
        let headers = head["headers"].as_array().expect("headers").clone();
        headers
            .iter()
            .map(|one| {
                let text = |key: &str| one[key].as_str().expect("a text").to_owned();
                (text("name").to_ascii_lowercase(), text("value"))
            })
            .collect()
    };

    // One more, one in the place of another, and one left out: the rest is as ever.
    let sent = with(json!([
        { "name": "X-Tried", "value": "once" },
        { "name": "user-agent", "value": "somebody else" },
    ]))
    .await
    .expect("it is sent");
    core.outcome(sent).await;
    let headers = sent_headers(sent).await;
    let values = |name: &str| -> Vec<&str> {
        let of_name = headers.iter().filter(|(given, _)| given == name);
        of_name.map(|(_, value)| value.as_str()).collect()
    };
    assert_eq!(values("x-tried"), ["once"]);
    assert_eq!(values("user-agent"), ["somebody else"]);
    assert_eq!(values("mcp-method"), ["tools/call"]);
    assert_eq!(
        details(&core, sent).await["origin"]["words"],
        "round 1 sent again, changed"
    );

    // A strict server refuses what names another method in its head, or none (2026-07-28 § Server Validation).
    let lied = with(json!([{ "name": "Mcp-Method", "value": "tools/list" }]))
        .await
        .expect("it is sent");
    core.outcome(lied).await;
    let row = core.operation_row(lied).await;
    assert!(row.contains("error -32020"), "{row}");
    let without = with(json!([{ "name": "Mcp-Method", "value": null }]))
        .await
        .expect("it is sent");
    core.outcome(without).await;
    assert!(
        sent_headers(without)
            .await
            .iter()
            .all(|(name, _)| name != "mcp-method")
    );
    let row = core.operation_row(without).await;
    assert!(row.contains("error -32020"), "{row}");

    for (headers, told) in [
        (
            json!([{ "name": " ", "value": "x" }]),
            "A header has no name.",
        ),
        (
            json!([{ "name": "Host", "value": "elsewhere" }]),
            "The header Host is set by what is sent, and cannot be another.",
        ),
        (
            json!([{ "name": "X-Key", "value": "${secret:late/X-Key}" }]),
            "The header has the name of the secret late/X-Key where its value stood.",
        ),
    ] {
        let refused = with(headers).await.expect_err("it is not sent");
        assert_eq!(refused["message"], told);
    }
}
