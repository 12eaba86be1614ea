//! More permission, less than was asked for, and none.

use app::api::feed::PromptAction;
use app::api::sign_in::SignInState;
use protocol::authorization::trace::Verdict;
use serde_json::{Value, json};
use tests::core::Core;
use tests::person;

use crate::scene::{Person, Protected, claims, question, until_state, view};

const BOOKING: &str = r#"{"restaurant":"Trattoria Lucia","date":"2027-05-05","time":"19:00"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_needs_more_asks_for_the_union_and_goes_on() {
    let server = Protected::start(&[]);
    let core = Core::start().await;
    let id = server.added_to(&core).await;
    let person = Person::default();
    person.signs_in(&core, &id).await;
    core.connect_well(&id).await;
    let operation = core.start_call(&id, "book_table", BOOKING).await;
    let (prompt, more) = question(&core).await;
    assert_eq!(more, ["bookings:write"]);
    // Let in, the tool asks for what it needs to know.
    let form = person.during(&core, core.next_prompt(prompt)).await;
    assert_ne!(form.id, prompt);
    core.answer(form.id, PromptAction::Cancel, None).await;
    core.outcome(operation).await;
    let scope = claims(&view(&core, &id).await)["scope"].clone();
    assert_eq!(scope, "guide:read offline_access bookings:write");
    let timeline = core.unfolded().await;
    assert!(timeline.contains("HTTP 403"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_consent_that_leaves_the_scope_out_is_not_asked_for_for_ever() {
    let server = Protected::start(&[]);
    let core = Core::start().await;
    let id = server.added_to(&core).await;
    let person = Person {
        refuses: &["bookings:write"],
        ..Person::default()
    };
    person.signs_in(&core, &id).await;
    core.connect_well(&id).await;
    let outcome = person
        .during(&core, core.call(&id, "book_table", BOOKING))
        .await;
    let shown = format!("{:?}", outcome.result);
    assert!(shown.contains("403"), "{shown}");
    // The first sign-in and at most two more.
    let opened = core.browser().opened().len();
    assert!((2..=3).contains(&opened), "{opened}");
    let view = view(&core, &id).await;
    let token = view.steps.last().expect("steps");
    let lacking = token
        .trace
        .checks
        .iter()
        .find(|check| check.verdict == Verdict::Warned);
    assert!(
        lacking.is_some_and(|check| check.what.contains("bookings:write")),
        "{token:#?}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_is_an_answer() {
    let server = Protected::start(&[]);
    let core = Core::start().await;
    let id = server.added_to(&core).await;
    Person::default().signs_in(&core, &id).await;
    core.connect_well(&id).await;
    let operation = core.start_call(&id, "book_table", BOOKING).await;
    let (prompt, _) = question(&core).await;
    core.answer(prompt, PromptAction::Decline, None).await;
    let outcome = core.outcome(operation).await;
    let shown = format!("{:?}", outcome.result);
    assert!(shown.contains("403"), "{shown}");
    assert_eq!(core.browser().opened().len(), 1, "the first sign-in alone");
    until_state(&core, &id, SignInState::SignedIn).await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_changes_what_is_asked_and_nothing_else() {
    let server = Protected::start(&["--no-registration"]);
    let core = Core::start().await;
    let id = server.added_to(&core).await;
    let trial = json!({ "client_id": "nobody", "resource": "https://elsewhere.example/mcp" });
    let _: Value = core
        .must("sign_in", json!({ "server": id, "trial": trial }))
        .await;
    let page = core.until_opened(1).await.pop().expect("a page");
    assert!(page.contains("client_id=nobody"), "{page}");
    assert!(page.contains("elsewhere.example"), "{page}");
    let view: app::api::sign_in::SignInView =
        core.must("sign_in_view", json!({ "server": id })).await;
    assert_eq!(view.open_url.as_deref(), Some(page.as_str()));
    assert_eq!(view.options.client_id, None, "a trial changes nothing");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_can_be_copied_where_no_browser_starts() {
    let server = Protected::start(&[]);
    let core = Core::start().await;
    core.browser().set_broken(Some("there is no browser here"));
    let id = server.added_to(&core).await;
    let _: Value = core.must("sign_in", json!({ "server": id })).await;
    let url = loop {
        let view = view(&core, &id).await;
        if let (Some(url), Some(problem)) = (view.open_url, view.browser_problem) {
            assert!(problem.contains("no browser here"), "{problem}");
            break url;
        }
        tokio::time::sleep(person::LOOK).await;
    };
    let last = Person::default().consents(&url).await;
    assert!(last.contains("You can close this page"), "{last}");
    until_state(&core, &id, SignInState::SignedIn).await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_can_say_who_roundtrip_is() {
    let server = Protected::start(&["--no-registration"]);
    let document = tests::document::serve().await;
    let core = Core::start().await;
    let id = server.added_to(&core).await;
    let args = json!({ "server": id, "options": { "metadata_document": document } });
    let _: () = core.must("save_sign_in", args).await;
    let view = Person::default().signs_in(&core, &id).await;
    let given = view.signed_in.expect("signed in");
    assert_eq!(given.client_id, document);
    assert_eq!(given.client_kind, "metadata document");
    core.connect_well(&id).await;
    core.close().await;
}
