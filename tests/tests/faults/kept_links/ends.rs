//! How a kept flow ends that does not go on at once: by the person, by its server, by its keyring, or by time.

use app::api::feed::PromptAction;
use app::api::tools::CallResult;
use serde_json::{Value, json};
use tests::core::Core;

use super::{Files, act, browser, into_the_browser, left_and_offered, offered, restart, wiped};
use crate::locker::Locker;

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_the_person_ends_is_wiped() {
    let locker = Locker::default();
    let files = Files::start(false).await;
    let (core, server) = files.connected(locker.door()).await;
    // Cancelled while it waits.
    let waiting = into_the_browser(&core, &server).await;
    assert!(locker.text().contains("links files"), "{}", locker.text());
    core.answer(waiting.id, PromptAction::Cancel, None).await;
    wiped(&locker).await;
    // Cancelled where it is offered.
    let (core, offered) = left_and_offered(core, &server, locker.door()).await;
    let accept = json!({ "prompt": offered.id, "action": "accept", "content": null });
    assert!(core.rpc::<()>("answer_prompt", accept).await.is_err());
    core.answer(offered.id, PromptAction::Cancel, None).await;
    wiped(&locker).await;
    // Its row cancels it too.
    core.connect_well(&server).await;
    let (core, offered) = left_and_offered(core, &server, locker.door()).await;
    let _: () = core
        .must("cancel", json!({ "operation": offered.operation }))
        .await;
    wiped(&locker).await;
    // Its server is removed for good when Roundtrip is closed.
    core.connect_well(&server).await;
    into_the_browser(&core, &server).await;
    let _: () = core
        .must("remove_server", json!({ "server": server }))
        .await;
    core.close().await;
    assert_eq!(locker.text(), "{}", "it is wiped");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_is_cut_short_is_offered_again_at_once() {
    let locker = Locker::default();
    let files = Files::start(false).await;
    let (core, server) = files.connected(locker.door()).await;
    let waiting = into_the_browser(&core, &server).await;
    let operation = waiting.operation.expect("its call");
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    let outcome = core.outcome(operation).await;
    assert!(
        matches!(outcome.result, CallResult::Failed { .. }),
        "{outcome:#?}"
    );
    let offered = browser(&core, "the offer", |ask| {
        ask["note"]
            .as_str()
            .is_some_and(|note| note.contains("connection ended"))
    })
    .await;
    files.set_done();
    act(&core, &offered, "retry_now").await;
    core.until_row("tools/call echo — complete").await;
    wiped(&locker).await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_leaves_the_offer_with_the_reason() {
    let locker = Locker::default();
    let files = Files::start(false).await;
    let (core, server) = files.connected(locker.door()).await;
    into_the_browser(&core, &server).await;
    let core = restart(core, locker.door()).await;
    drop(files);
    let offered = offered(&core).await;
    act(&core, &offered, "retry_now").await;
    browser(&core, "the reason", |ask| {
        ask["can_retry"] == true
            && ask["note"]
                .as_str()
                .is_some_and(|note| note.contains("could not be connected to"))
    })
    .await;
    assert!(locker.text().contains("links files"));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_keyring_is_named_and_read_once_it_is_unlocked() {
    let locker = Locker::default();
    let files = Files::start(false).await;
    let (core, server) = files.connected(locker.door()).await;
    into_the_browser(&core, &server).await;
    locker.set_locked(true);
    let core = restart(core, locker.door()).await;
    let locked = browser(&core, "the locked keyring", |ask| {
        ask["problem"]
            .as_str()
            .is_some_and(|why| why.contains("Test store is locked"))
    })
    .await;
    assert!(
        json!(locked.ask)["links"]
            .as_array()
            .is_some_and(Vec::is_empty)
    );
    act(&core, &locked, "retry_now").await;
    let still = core
        .until("it is asked again", |seen| {
            let mut prompts = seen.prompts.iter();
            prompts.find(|prompt| prompt.id > locked.id).cloned()
        })
        .await;
    locker.set_locked(false);
    act(&core, &still, "retry_now").await;
    let offered = browser(&core, "the offer", |ask| ask["problem"].is_null()).await;
    assert_eq!(offered.message, "Sign in to your files.");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lapsed_or_belongs_to_another_server_is_wiped_and_never_sent() {
    let locker = Locker::default();
    let files = Files::start(false).await;
    let (core, server) = files.connected(locker.door()).await;
    into_the_browser(&core, &server).await;
    let folder = core.close().await;
    // A day and an hour pass.
    locker.change("links files", |value| {
        let mut layout: Value = serde_json::from_str(value).expect("JSON");
        let asked = layout["flows"][0]["asked_micros"].as_u64().expect("a time");
        layout["flows"][0]["asked_micros"] = json!(asked - 25 * 3_600_000_000);
        *value = layout.to_string();
    });
    let core = Core::start_with(folder, locker.door()).await;
    wiped(&locker).await;
    assert!(core.seen().prompts.is_empty());
    // The entry leads to another server by now.
    core.connect_well(&server).await;
    into_the_browser(&core, &server).await;
    let folder = core.close().await;
    let file = folder.path().join("servers.json");
    let catalog = std::fs::read_to_string(&file).expect("the catalog");
    let other = Files::start(false).await;
    std::fs::write(
        &file,
        catalog.replace(&files.listener.authority(), &other.listener.authority()),
    )
    .expect("written");
    let core = Core::start_with(folder, locker.door()).await;
    wiped(&locker).await;
    assert!(core.seen().prompts.is_empty());
    assert!(other.listener.received().is_empty());
    core.close().await;
}
