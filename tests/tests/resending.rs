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
    core.until_row(&format!(
        "Branch of #{} (tools/call book_table) from round 2: the request was changed.",
        booking.0
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
    core.until_row(&format!(
        "Sent again from #{} (tools/call book_table), round 1, as it was.",
        booking.0
    ))
    .await;
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
