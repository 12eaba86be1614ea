//! A sign-in lasts: over restarts, over the token's end, until the person signs out.

use app::api::servers::Phase;
use app::api::sign_in::SignInState;
use app::api::{ErrorCode, ErrorView};
use protocol::authorization::trace::Stage;
use secrets::Keyring;
use serde_json::{Value, json};
use tests::core::{Core, text_of};

use crate::scene::{Person, Protected, claims, count, until_expired, until_state, view};

const HELLO: &str = r#"{"text":"ciao"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn one_consent_connects_and_the_demo_starts_with_a_click() {
    let core = Core::start().await;
    let refused = core.connect_badly("demo-sign-in", None).await;
    assert_eq!(refused.error.code, ErrorCode::SignInNeeded);
    let signed_in = Person::default().signs_in(&core, "demo-sign-in").await;
    core.until_phase("demo-sign-in", Phase::Connected).await;
    let outcome = core.call("demo-sign-in", "echo", HELLO).await;
    assert!(text_of(&outcome).contains("ciao"));

    let given = signed_in.signed_in.as_ref().expect("signed in");
    assert_eq!(given.client_kind, "registered");
    assert_eq!(given.requested, ["guide:read", "offline_access"]);
    let token = &given.tokens[0];
    assert_eq!(token.fits_server, Some(true), "{token:#?}");
    assert!(token.expires_micros.is_some());
    assert_eq!(claims(&signed_in)["aud"], json!(given.resource));
    let stages: Vec<Stage> = signed_in
        .steps
        .iter()
        .map(|step| step.trace.stage)
        .collect();
    for stage in [Stage::Client, Stage::Consent, Stage::Token] {
        assert!(stages.contains(&stage), "{stages:?}");
    }
    let timeline = core.unfolded().await;
    for exchange in ["registration", "token"] {
        assert!(timeline.contains(exchange), "{timeline}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wanted_without_a_connection_works_without_one() {
    let server = Protected::start(&[]);
    let core = Core::start().await;
    let id = server.added_to(&core).await;
    let signed_in = Person::default().signs_in(&core, &id).await;
    assert_eq!(core.connection(&id).phase, Phase::Disconnected);
    assert_eq!(claims(&signed_in)["aud"], json!(server.url()));
    core.connect_well(&id).await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_the_token_is_there_still() {
    let server = Protected::start(&[]);
    let keyring = Keyring::in_memory();
    let folder = tempfile::tempdir().expect("a folder");
    let core = Core::start_with(folder, keyring.clone()).await;
    let id = server.added_to(&core).await;
    Person::default().signs_in(&core, &id).await;
    let folder = core.close().await;

    let core = Core::start_with(folder, keyring).await;
    until_state(&core, &id, SignInState::SignedIn).await;
    core.connect_well(&id).await;
    assert_eq!(core.browser().opened(), Vec::<String>::new());
    assert_eq!(count(&core, "refresh").await, 0, "the token is good still");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ran_out_while_nothing_ran_is_refreshed_before_it_is_used() {
    let server = Protected::start(&["--token-seconds", "1"]);
    let keyring = Keyring::in_memory();
    let folder = tempfile::tempdir().expect("a folder");
    let core = Core::start_with(folder, keyring.clone()).await;
    let id = server.added_to(&core).await;
    let before = claims(&Person::default().signs_in(&core, &id).await);
    until_expired(&core, &id).await;
    let folder = core.close().await;

    let core = Core::start_with(folder, keyring).await;
    core.connect_well(&id).await;
    let timeline = core.unfolded().await;
    assert!(timeline.contains("sign-in refresh"), "{timeline}");
    assert!(!timeline.contains("HTTP 401"), "{timeline}");
    let after = claims(&view(&core, &id).await);
    assert_ne!(before["jti"], after["jti"]);
    assert_eq!(core.browser().opened(), Vec::<String>::new());
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_requests_that_find_the_token_running_out_refresh_once() {
    let server = Protected::start(&["--token-seconds", "1"]);
    let core = Core::start().await;
    let id = server.added_to(&core).await;
    Person::default().signs_in(&core, &id).await;
    core.connect_well(&id).await;
    core.tools(&id).await;
    until_expired(&core, &id).await;
    let before = count(&core, "sign-in refresh").await;
    let first = core.start_call(&id, "echo", HELLO).await;
    let second = core.start_call(&id, "echo", HELLO).await;
    for operation in [first, second] {
        let outcome = core.outcome(operation).await;
        assert!(text_of(&outcome).contains("ciao"));
    }
    let timeline = core.unfolded().await;
    let after = count(&core, "sign-in refresh").await;
    assert_eq!(after, before + 1, "{timeline}");
    assert!(!timeline.contains("after HTTP 401"), "{timeline}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_old_refresh_token_is_kept_where_none_is_returned() {
    let server = Protected::start(&["--token-seconds", "1", "--keep-refresh-token"]);
    let core = Core::start().await;
    let id = server.added_to(&core).await;
    Person::default().signs_in(&core, &id).await;
    core.connect_well(&id).await;
    for _ in 0..2 {
        until_expired(&core, &id).await;
        let outcome = core.call(&id, "echo", HELLO).await;
        assert!(text_of(&outcome).contains("ciao"));
    }
    assert!(count(&core, "sign-in refresh").await >= 2);
    let view = view(&core, &id).await;
    assert!(view.news.refreshes, "{view:#?}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_refresh_a_rotating_token_one_after_the_other() {
    let server = Protected::start(&["--token-seconds", "1"]);
    let keyring = Keyring::in_memory();
    let first = Core::start_with(tempfile::tempdir().expect("a folder"), keyring.clone()).await;
    let id = server.added_to(&first).await;
    Person::default().signs_in(&first, &id).await;
    first.connect_well(&id).await;
    // A second Roundtrip on the same data folder and keyring.
    let second = Core::start_beside(&first, keyring).await;
    second.connect_well(&id).await;
    for _ in 0..2 {
        until_expired(&first, &id).await;
        let (one, other) = tokio::join!(
            first.call(&id, "echo", HELLO),
            second.call(&id, "echo", HELLO)
        );
        assert!(text_of(&one).contains("ciao"));
        assert!(text_of(&other).contains("ciao"));
    }
    for core in [&first, &second] {
        let timeline = core.unfolded().await;
        assert!(!timeline.contains("not refreshed"), "{timeline}");
    }
    second.close().await;
    first.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_gives_the_tokens_back_wipes_them_and_ends_the_connection() {
    let server = Protected::start(&[]);
    let keyring = Keyring::in_memory();
    let folder = tempfile::tempdir().expect("a folder");
    let core = Core::start_with(folder, keyring.clone()).await;
    let id = server.added_to(&core).await;
    Person::default().signs_in(&core, &id).await;
    core.connect_well(&id).await;
    let name = format!("sign-in {id}");
    let kept = keyring.get(&name).await.expect("the keyring");
    let kept: Value = serde_json::from_str(secrets::expose(&kept.expect("a value"))).expect("JSON");
    let token = kept["grant"]["access_token"].as_str().expect("a token");

    let _: Value = core.must("sign_out", json!({ "server": id })).await;
    until_state(&core, &id, SignInState::None).await;
    let connection = core.until_phase(&id, Phase::Disconnected).await;
    assert_eq!(connection.error, None, "{connection:#?}");
    core.until_row("revocation of the access token").await;
    let timeline = core
        .until_row("sign-in sign out [2 rounds] — complete")
        .await;
    assert!(
        timeline.contains("revocation of the refresh token"),
        "{timeline}"
    );
    // What was given back is not taken any more, and is nowhere.
    let refused = reqwest::Client::builder()
        .no_proxy()
        .build()
        .expect("a client")
        .post(server.url())
        .bearer_auth(token)
        .send()
        .await
        .expect("a reply");
    let challenge = refused.headers()["www-authenticate"]
        .to_str()
        .expect("text");
    assert!(challenge.contains("revoked"), "{challenge}");
    let after = keyring.get(&name).await.expect("the keyring");
    let after = after
        .map(|value| secrets::expose(&value).to_owned())
        .unwrap_or_default();
    assert!(!after.contains("access_token"), "{after}");
    let again: Result<Value, ErrorView> = core
        .rpc("sign_out", json!({ "server": id }))
        .await
        .map_err(|error| serde_json::from_value(error).expect("an error"));
    assert!(
        again
            .expect_err("nobody is signed in")
            .message
            .contains("Nobody is signed in")
    );
    let refused = core.connect_badly(&id, None).await;
    assert_eq!(refused.error.code, ErrorCode::SignInNeeded);
    core.close().await;
}
