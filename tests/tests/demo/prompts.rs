//! What the demo server asks of the person, through the whole core: over stdio and over HTTP, in both eras.

use std::collections::BTreeSet;
use std::time::Duration;

use app::api::feed::{PromptAction, PromptAsk, PromptView};
use app::api::servers::{EraChoice, Phase};
use app::api::tools::{CallOutcome, CallResult};
use journal::event::OperationId;
use serde_json::{Value, json};
use tests::core::{Core, text_of};

const SERVERS: [&str; 2] = ["demo-stdio", "demo-http"];
const ERAS: [EraChoice; 2] = [EraChoice::Modern, EraChoice::Legacy];
const LUCIA: &str = r#"{"restaurant":"Trattoria Lucia"}"#;
/// As the demo server has it: a double has no room for its last digit.
const MEMBER_NUMBER: &str = "9007199254740993";

/// Every way to reach the demo server, each in a core of its own.
async fn everywhere(mut test: impl AsyncFnMut(&Core, &'static str, EraChoice)) {
    for server in SERVERS {
        for era in ERAS {
            let core = Core::start().await;
            connect(&core, server, era).await;
            test(&core, server, era).await;
            core.close().await;
        }
    }
}

async fn connect(core: &Core, server: &str, era: EraChoice) {
    let connection = core.connect_as(server, Some(era)).await;
    assert_eq!(connection.phase, Phase::Connected, "{connection:#?}");
    let name = if era == EraChoice::Legacy {
        "legacy"
    } else {
        "modern"
    };
    assert_eq!(connection.report.expect("a report").era, name);
}

fn structured(outcome: &CallOutcome) -> Value {
    serde_json::from_str(&structured_text(outcome)).expect("JSON")
}

fn structured_text(outcome: &CallOutcome) -> String {
    match &outcome.result {
        CallResult::Tool {
            structured: Some(text),
            is_error: false,
            ..
        } => text.clone(),
        other => panic!("no structured content: {other:#?}"),
    }
}

/// Waits for the prompts of an operation until there are so many.
async fn prompts(core: &Core, operation: OperationId, count: usize) -> Vec<PromptView> {
    core.until(&format!("{count} prompts"), |seen| {
        let of_it: Vec<PromptView> = seen
            .prompts
            .iter()
            .filter(|prompt| prompt.operation == Some(operation))
            .cloned()
            .collect();
        (of_it.len() == count).then_some(of_it)
    })
    .await
}

/// Waits for a prompt that was asked after this one.
async fn prompt_after(core: &Core, before: Option<u32>) -> PromptView {
    core.until("a further prompt", |seen| {
        let mut prompts = seen.prompts.iter();
        prompts.find(|prompt| Some(prompt.id) > before).cloned()
    })
    .await
}

fn schema_of(prompt: &PromptView) -> &str {
    let PromptAsk::Form { schema } = &prompt.ask else {
        panic!("no form: {prompt:#?}");
    };
    schema
}

/// The frames that a call sent, as JSON.
async fn sent(core: &Core, operation: OperationId) -> Vec<Value> {
    let details: Value = core
        .must("row", json!({ "key": format!("o{}", operation.0) }))
        .await;
    let mut frames = Vec::new();
    for exchange in details["exchanges"].as_array().expect("exchanges") {
        let event = &exchange["request"]["event"];
        let body: Value = core
            .must("body", json!({ "event": event, "form": "raw", "limit": 0 }))
            .await;
        frames.push(serde_json::from_str(body["text"].as_str().expect("text")).expect("JSON"));
    }
    frames
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_with_every_kind_of_field_comes_back_as_it_was_filled_in() {
    everywhere(async |core, server, era| {
        let operation = core.start_call(server, "guest_card", "{}").await;
        let [prompt] = prompts(core, operation, 1)
            .await
            .try_into()
            .expect("one");
        let schema = schema_of(&prompt).to_owned();
        assert!(schema.contains(MEMBER_NUMBER), "{schema}");
        let fields: Value = serde_json::from_str(&schema).expect("JSON");
        let names: Vec<&String> = fields["properties"]
            .as_object()
            .expect("an object")
            .keys()
            .collect();
        assert_eq!(
            names,
            [
                "name",
                "email",
                "website",
                "birthday",
                "arrival",
                "guests",
                "member_number",
                "tip_percent",
                "newsletter",
                "high_chair",
                "seating",
                "occasion",
                "country",
                "wine",
                "diets",
                "allergies"
            ],
            "{server} {era:?}"
        );
        let content = format!(
            r##"{{"name":"Ada","email":"ada@example.com","website":"https://example.com/","birthday":"1990-12-10","arrival":"2026-12-04T19:30:00+01:00","guests":4,"member_number":{MEMBER_NUMBER},"tip_percent":12.50,"newsletter":false,"high_chair":true,"seating":"bar","occasion":"birthday","country":"Portugal","wine":"#7b1e3a","diets":[],"allergies":["a1","a3"]}}"##
        );
        core.answer(prompt.id, PromptAction::Accept, Some(&content))
            .await;
        let outcome = core.outcome(operation).await;
        let text = structured_text(&outcome);
        assert!(text.contains(MEMBER_NUMBER), "{server} {era:?}: {text}");
        let card = &structured(&outcome)["card"];
        assert_eq!(card.as_object().map(serde_json::Map::len), Some(16));
        assert_eq!(card["newsletter"], false);
        assert_eq!(card["diets"], json!([]));
        assert!(text_of(&outcome).starts_with("16 fields"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_comes_back_empty_declined_or_cancelled() {
    everywhere(async |core, server, _| {
        for (action, content, words) in [
            (PromptAction::Accept, Some("{}"), "came back empty"),
            (PromptAction::Decline, None, "it was declined"),
            (PromptAction::Cancel, None, "it was cancelled"),
        ] {
            let arguments = r#"{"all_optional":true}"#;
            let operation = core.start_call(server, "guest_card", arguments).await;
            let asked = prompts(core, operation, 1).await;
            core.answer(asked[0].id, action, content).await;
            let outcome = core.outcome(operation).await;
            assert!(text_of(&outcome).contains(words), "{server}: {outcome:#?}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_trip_without_a_state_sends_none() {
    let core = Core::start().await;
    connect(&core, "demo-stdio", EraChoice::Modern).await;
    let operation = core.start_call("demo-stdio", "guest_card", "{}").await;
    let asked = prompts(&core, operation, 1).await;
    core.answer(asked[0].id, PromptAction::Decline, None).await;
    core.outcome(operation).await;
    let frames = sent(&core, operation).await;
    assert_eq!(frames.len(), 2, "{frames:#?}");
    assert_ne!(frames[0]["id"], frames[1]["id"]);
    assert!(frames[1]["params"].get("requestState").is_none());
    assert_eq!(
        frames[1]["params"]["inputResponses"]["card"]["action"],
        "decline"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_forms_are_open_at_once_and_go_out_together() {
    everywhere(async |core, server, era| {
        let operation = core.start_call(server, "seat_party", LUCIA).await;
        let asked = prompts(core, operation, 2).await;
        let host = asked
            .iter()
            .find(|prompt| prompt.message.contains("host"))
            .expect("the host's");
        let table = asked
            .iter()
            .find(|prompt| prompt.message.contains("table"))
            .expect("the table's");
        assert_ne!(host.id, table.id);
        core.answer(table.id, PromptAction::Accept, Some(r#"{"table":7}"#))
            .await;
        let left = prompts(core, operation, 1).await;
        assert_eq!(left[0].id, host.id, "{server} {era:?}");
        core.answer(host.id, PromptAction::Accept, Some(r#"{"name":"Ada"}"#))
            .await;
        let outcome = core.outcome(operation).await;
        assert_eq!(
            text_of(&outcome),
            "Ada and the party sit at table 7 of Trattoria Lucia.",
            "{server} {era:?}"
        );
        if era == EraChoice::Modern {
            let frames = sent(core, operation).await;
            assert_eq!(frames.len(), 2, "both go in one round: {frames:#?}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_rounds_each_build_on_the_one_before() {
    everywhere(async |core, server, era| {
        let operation = core.start_call(server, "compose_menu", LUCIA).await;
        let mut last = None;
        for (index, dish) in [
            "Crème caramel",
            "Gramigna alla salsiccia",
            "Parmigiana di melanzane",
        ]
        .into_iter()
        .enumerate()
        {
            let prompt = prompt_after(core, last).await;
            last = Some(prompt.id);
            let schema: Value = serde_json::from_str(schema_of(&prompt)).expect("JSON");
            let left = schema["properties"]["dish"]["enum"]
                .as_array()
                .map(Vec::len);
            assert_eq!(left, Some(3 - index), "{schema}");
            let content = json!({ "dish": dish }).to_string();
            core.answer(prompt.id, PromptAction::Accept, Some(&content))
                .await;
        }
        let outcome = core.outcome(operation).await;
        assert_eq!(
            structured(&outcome)["courses"],
            json!([
                "Crème caramel",
                "Gramigna alla salsiccia",
                "Parmigiana di melanzane"
            ])
        );
        if era == EraChoice::Modern {
            let frames = sent(core, operation).await;
            let states: BTreeSet<&str> = frames
                .iter()
                .filter_map(|frame| frame["params"]["requestState"].as_str())
                .collect();
            assert_eq!(
                (frames.len(), states.len()),
                (4, 3),
                "{server}: {frames:#?}"
            );
        }
    })
    .await;
}

/// Waits for a prompt of this kind.
async fn prompt_of(core: &Core, kind: &str) -> PromptView {
    core.until(kind, |seen| {
        let mut prompts = seen.prompts.iter();
        prompts
            .find(|prompt| json!(prompt.ask)["kind"] == kind)
            .cloned()
    })
    .await
}

/// Does on the page what a person does there, and gives the page that comes.
async fn choose(url: &str, choice: &str) -> String {
    let client = reqwest::Client::builder()
        .no_proxy()
        .build()
        .expect("a client");
    let page = client.get(url).send().await.expect("the page");
    assert_eq!(page.status(), 200);
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .expect("text")
        .to_owned();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let text = page.text().await.expect("text");
    assert!(text.contains("Deposit for Trattoria Lucia"), "{text}");
    let sent = client
        .post(url)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("choice={choice}"))
        .send()
        .await;
    sent.expect("the page").text().await.expect("text")
}

async fn pay_deposit(core: &Core, server: &str, refuse_first: bool) -> OperationId {
    let arguments =
        json!({ "restaurant": "Trattoria Lucia", "euros": 35, "refuse_first": refuse_first });
    core.start_call(server, "pay_deposit", &arguments.to_string())
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deposit_is_paid_in_the_browser_and_the_call_goes_on() {
    everywhere(async |core, server, era| {
        for refuse_first in [false, true] {
            if refuse_first && era == EraChoice::Modern {
                continue;
            }
            let opened = core.browser().opened().len();
            let operation = pay_deposit(core, server, refuse_first).await;
            let link = prompt_of(core, "link").await;
            assert!(link.message.contains("35 euros"), "{link:#?}");
            let PromptAsk::Link { link: shown, .. } = &link.ask else {
                panic!("{link:#?}");
            };
            assert_eq!(shown.refusal, None, "{shown:#?}");
            assert_eq!(core.browser().opened().len(), opened, "before consent");
            core.answer(link.id, PromptAction::Accept, None).await;
            prompt_of(core, "browser").await;
            let url = core.browser().opened()[opened].clone();
            let page = choose(&url, "pay").await;
            assert!(page.contains("Paid"), "{page}");
            let outcome = core.outcome(operation).await;
            assert_eq!(
                structured(&outcome),
                json!({ "status": "paid", "euros": 35 }),
                "{server} {era:?}"
            );
            core.until("no prompt", |seen| seen.prompts.is_empty().then_some(()))
                .await;
            if era == EraChoice::Legacy {
                let timeline = core.unfolded().await;
                assert!(
                    timeline.contains("notifications/elicitation/complete"),
                    "{timeline}"
                );
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_left_open_is_asked_for_again_until_it_is_done() {
    let core = Core::start().await;
    connect(&core, "demo-http", EraChoice::Modern).await;
    let operation = pay_deposit(&core, "demo-http", false).await;
    let link = prompt_of(&core, "link").await;
    core.answer(link.id, PromptAction::Accept, None).await;
    // The first round after the consent is over without a payment.
    let timeline = core.until_row("round 2").await;
    assert!(timeline.contains("pay_deposit"), "{timeline}");
    core.until("the same link again", |seen| {
        let mut prompts = seen.prompts.iter();
        prompts.find_map(|prompt| match &prompt.ask {
            PromptAsk::Browser { asked_again, .. } if *asked_again > 0 => Some(()),
            _ => None,
        })
    })
    .await;
    let url = core.browser().opened()[0].clone();
    choose(&url, "call_off").await;
    // The person hurries it.
    let browser = prompt_of(&core, "browser").await;
    let retry = json!({ "prompt": browser.id, "act": { "kind": "retry_now" } });
    // It may be asking by itself just now.
    let _asking: Result<(), Value> = core.rpc("link", retry).await;
    let outcome = core.outcome(operation).await;
    assert_eq!(structured(&outcome)["status"], "called_off");
    assert!(text_of(&outcome).contains("called off"));
    let frames = sent(&core, operation).await;
    let states: BTreeSet<&str> = frames
        .iter()
        .filter_map(|frame| frame["params"]["requestState"].as_str())
        .collect();
    assert!(frames.len() > 2, "{frames:#?}");
    // Each round has a state, and a link flow's states stand in the record by their name alone.
    let stateful = frames
        .iter()
        .filter(|frame| frame["params"]["requestState"].is_string());
    assert_eq!(stateful.count(), frames.len() - 1);
    assert!(
        states.iter().all(|state| state.starts_with("${secret:")),
        "{states:?}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_deposit_opens_nothing() {
    everywhere(async |core, server, era| {
        let operation = pay_deposit(core, server, false).await;
        let link = prompt_of(core, "link").await;
        core.answer(link.id, PromptAction::Decline, None).await;
        let outcome = core.outcome(operation).await;
        assert_eq!(
            structured(&outcome)["status"],
            "declined",
            "{server} {era:?}"
        );
        assert!(core.browser().opened().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_alone_is_brought_back_without_asking_anybody() {
    everywhere(async |core, server, era| {
        let outcome = core.call(server, "wait_for_table", r#"{"rounds":2}"#).await;
        assert_eq!(text_of(&outcome), "A table is free after 2 rounds.");
        let operation = outcome.operation;
        if era == EraChoice::Modern {
            let frames = sent(core, operation).await;
            assert_eq!(frames.len(), 3, "{frames:#?}");
            for frame in &frames {
                assert!(frame["params"].get("inputResponses").is_none(), "{frame}");
            }
            assert_ne!(
                frames[1]["params"]["requestState"],
                frames[2]["params"]["requestState"]
            );
            let timeline = core.unfolded().await;
            assert!(timeline.contains("round 3"), "{timeline}");
        }
        assert_eq!(outcome.user_micros, 0, "nobody was asked");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_for_ever_is_stopped_by_a_limit_that_is_explained() {
    let core = Core::start().await;
    connect(&core, "demo-stdio", EraChoice::Modern).await;
    let operation = core.start_call("demo-stdio", "ask_for_ever", "{}").await;
    let answering = async {
        let mut last = None;
        loop {
            let prompt = prompt_after(&core, last).await;
            last = Some(prompt.id);
            core.answer(prompt.id, PromptAction::Accept, Some("{}"))
                .await;
        }
    };
    let outcome = tokio::select! {
        outcome = core.outcome(operation) => outcome,
        () = answering => unreachable!("it answers for ever"),
    };
    let CallResult::Failed { error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert!(error.message.contains("20 times"), "{error:#?}");
    assert!(
        error
            .hint
            .as_deref()
            .is_some_and(|hint| hint.contains("rounds in the timeline")),
        "{error:#?}"
    );
    let row = core.operation_row(operation).await;
    assert!(row.contains("asks without end"), "{row}");
    core.until("no prompt", |seen| seen.prompts.is_empty().then_some(()))
        .await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_has_had_enough_ends_the_asking() {
    everywhere(async |core, server, era| {
        let operation = core.start_call(server, "ask_for_ever", "{}").await;
        let mut last = None;
        for wish in 0..3 {
            let prompt = prompt_after(core, last).await;
            last = Some(prompt.id);
            let (action, content) = if wish < 2 {
                (PromptAction::Accept, Some(r#"{"wish":"more"}"#))
            } else {
                (PromptAction::Decline, None)
            };
            core.answer(prompt.id, action, content).await;
        }
        let outcome = core.outcome(operation).await;
        assert_eq!(
            text_of(&outcome),
            "You have had enough after 2 wishes.",
            "{server} {era:?}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_asks_in_its_middle() {
    let core = Core::start().await;
    for server in SERVERS {
        connect(&core, server, EraChoice::Modern).await;
        let arguments = r#"{"occasion":"the end of the harvest"}"#;
        let operation = core.start_call(server, "plan_banquet", arguments).await;
        let asked = prompts(&core, operation, 1).await;
        assert!(asked[0].message.contains("harvest"), "{asked:#?}");
        core.answer(
            asked[0].id,
            PromptAction::Accept,
            Some(r#"{"guests":12,"wine":false}"#),
        )
        .await;
        let outcome = core.outcome(operation).await;
        assert_eq!(
            structured(&outcome),
            json!({ "guests": 12, "drink": "water" })
        );
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_takes_its_questions_with_it() {
    everywhere(async |core, server, era| {
        let operation = core.start_call(server, "seat_party", LUCIA).await;
        prompts(core, operation, 2).await;
        let _: () = core.must("cancel", json!({ "operation": operation })).await;
        let outcome = core.outcome(operation).await;
        assert_eq!(outcome.result, CallResult::Cancelled, "{server} {era:?}");
        core.until("no prompt", |seen| seen.prompts.is_empty().then_some(()))
            .await;
        // The server lives on.
        tokio::time::timeout(
            Duration::from_mins(1),
            core.call(server, "echo", r#"{"text":"after"}"#),
        )
        .await
        .expect("an answer");
    })
    .await;
}
