//! The whole way: into the browser, out of Roundtrip, back, and to the end.

use std::time::Duration;

use app::api::feed::{PromptAction, PromptAsk};
use app::api::links::FlowKeeping;
use app::api::options::ServerOptions;
use app::api::servers::{EraChoice, Phase};
use app::api::tools::CallOutcome;
use secrets::Keyring;
use serde_json::json;
use tests::core::{Core, text_of};
use tests::secret_service::{self, Bus};
use tokio::time::Instant;

use super::{
    ANSWER, Files, TOKEN, URL, act, assert_nothing_in, browser, left_and_offered, prompt, wiped,
};
use crate::locker::Locker;

/// Over HTTP.
async fn http_flow(keyring: impl Fn() -> Keyring) {
    let files = Files::start(false).await;
    let (core, server) = files.connected(keyring()).await;
    let (core, offered) = left_and_offered(core, &server, keyring()).await;
    assert_eq!(offered.message, "Sign in to your files.");
    assert_eq!(offered.operation_title, "link/unfinished echo");
    let PromptAsk::Browser {
        links,
        can_retry,
        note,
        ..
    } = &offered.ask
    else {
        panic!("{offered:#?}");
    };
    assert_eq!(links[0].url, URL);
    assert!(
        *can_retry && offered.lapses_micros.is_some(),
        "{offered:#?}"
    );
    assert!(
        note.as_deref()
            .is_some_and(|note| note.contains("Roundtrip was closed"))
    );
    // The link is there to be opened again, and nothing was asked of the server.
    let args = json!({ "prompt": offered.id, "act": { "kind": "open_again", "index": 0 } });
    let _: () = core.must("link", args).await;
    assert_eq!(core.browser().opened(), [URL]);
    let before = files.calls().len();
    assert_eq!(core.connection(&server).phase, Phase::Disconnected);

    files.set_done();
    act(&core, &offered, "retry_now").await;
    let timeline = core.until_row("tools/call echo — complete").await;
    assert!(timeline.contains("link/unfinished echo"), "{timeline}");
    core.until("no prompt", |seen| seen.prompts.is_empty().then_some(()))
        .await;
    let all = files.calls();
    assert_eq!(all.len(), before + 1, "it is asked once");
    let last = all.last().expect("a call");
    assert_eq!(
        last.message()["params"]["arguments"],
        json!({ "room": "ROOM" })
    );
    let body = &last.body;
    assert!(
        body.contains(TOKEN),
        "the state went back as it came: {body}"
    );
    let notes = core.folder().join("link-flows.json");
    let deadline = Instant::now() + Duration::from_mins(1);
    while std::fs::read_to_string(&notes).expect("the notes").trim() != "{}" {
        assert!(Instant::now() < deadline, "it is wiped");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let folder = core.close().await;
    assert_nothing_in(folder.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_flow_goes_on_after_a_restart() {
    let locker = Locker::default();
    http_flow(|| locker.door()).await;
    assert_eq!(locker.text(), "{}", "it is wiped");
}

/// The same over stdio: the process is another one after the restart.
async fn stdio_flow(keyring: impl Fn() -> Keyring) {
    let own = tempfile::tempdir().expect("a folder");
    let done = own.path().join("done");
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring()).await;
    let server = core
        .add_odd_as(
            "links",
            &[&done.to_string_lossy()],
            EraChoice::Modern,
            ServerOptions::default(),
        )
        .await;
    core.connect_well(&server).await;
    let (core, offered) = left_and_offered(core, &server, keyring()).await;
    std::fs::write(&done, "").expect("a file");
    act(&core, &offered, "retry_now").await;
    let outcome = finished(&core, "echo").await;
    assert_eq!(text_of(&outcome), "kept: True");
    let folder = core.close().await;
    assert_nothing_in(folder.path());
}

/// Waits for the end of the call that a flow went on as.
async fn finished(core: &Core, tool: &str) -> CallOutcome {
    core.until_row(&format!("tools/call {tool} — complete"))
        .await;
    let rows = core.look(0, 400).await.rows;
    let operation = rows
        .iter()
        .filter(|placed| placed.row.label.contains("tools/call"))
        .find_map(|placed| placed.row.operation)
        .expect("a call");
    core.outcome(operation).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_flow_of_a_process_goes_on_after_a_restart() {
    let locker = Locker::default();
    stdio_flow(|| locker.door()).await;
    assert_eq!(locker.text(), "{}", "it is wiped");
}

#[test]
fn link_flows_are_kept_in_the_real_secret_service() {
    secret_service::below(Bus::Unlocked, async || {
        http_flow(Keyring::platform).await;
        let held = Keyring::platform()
            .get("links files")
            .await
            .expect("it is there");
        assert!(held.is_none(), "it is wiped");
        stdio_flow(Keyring::platform).await;
    });
}

#[test]
fn without_a_keyring_a_link_flow_lasts_for_the_session_and_says_so() {
    secret_service::below(Bus::Absent, async || {
        let files = Files::start(false).await;
        let (core, server) = files.connected(Keyring::platform()).await;
        let operation = core.start_call(&server, "echo", "{}").await;
        let asked = prompt(&core, "link").await;
        core.answer(asked.id, PromptAction::Accept, None).await;
        let waiting = browser(&core, "the want of a keyring", |ask| {
            ask["keeping"]["kind"] == "session_only"
        })
        .await;
        let PromptAsk::Browser {
            keeping: FlowKeeping::SessionOnly { why },
            ..
        } = &waiting.ask
        else {
            panic!("{waiting:#?}");
        };
        assert!(why.contains("Secret Service cannot be reached"), "{why}");
        files.set_done();
        // It goes on all the same.
        let outcome = core.outcome(operation).await;
        assert_eq!(text_of(&outcome), "kept: true, who: null");
        let folder = core.close().await;
        assert_nothing_in(folder.path());
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_given_beside_a_link_are_kept_and_open_questions_asked_again() {
    let locker = Locker::default();
    let files = Files::start(true).await;
    let (core, server) = files.connected(locker.door()).await;
    files.set_done();
    // The link was opened, and the form is still empty.
    let (core, offered) = left_and_offered(core, &server, locker.door()).await;
    act(&core, &offered, "retry_now").await;
    let form = prompt(&core, "form").await;
    assert_eq!(form.message, "Who are you?");
    assert!(
        core.seen()
            .prompts
            .iter()
            .all(|prompt| json!(prompt.ask)["kind"] != "link")
    );
    let content = json!({ "who": ANSWER }).to_string();
    core.answer(form.id, PromptAction::Accept, Some(&content))
        .await;
    core.until_row("tools/call echo — complete").await;
    let last = files.calls().pop().expect("a call");
    let answers = &last.message()["params"]["inputResponses"];
    assert_eq!(answers["go"], json!({ "action": "accept" }));
    assert_eq!(
        answers["who"]["content"]["who"],
        json!(ANSWER),
        "it is sent as it is"
    );
    wiped(&locker).await;
    // What the server says of it is in the record under its name.
    let folder = core.close().await;
    assert_nothing_in(folder.path());
}
