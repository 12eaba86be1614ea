//! The page of secrets: what there is, where it is used, and what can be done with it.

use app::api::secrets::{SecretKind, SecretList, SecretState, SecretValue, StoreCondition};
use secrets::{Keyring, expose};
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::{self, Listener};

use crate::locker::Locker;

async fn list(core: &Core) -> SecretList {
    core.must("secrets", json!({})).await
}

fn draft(url: &str, value: &str) -> Value {
    json!({
        "name": "files",
        "era": "modern",
        "endpoint": {
            "transport": "http",
            "url": url,
            "headers": [{ "name": "X-Token", "value": value, "secret": true }],
        },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_listed_shown_replaced_deleted_and_brought_back() {
    let keyring = Keyring::in_memory();
    let listener = Listener::start(|asked, mut talk| async move {
        listener::modern(&asked, &mut talk).await;
    })
    .await;
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring.clone()).await;
    let server: String = core
        .must(
            "save_server",
            json!({ "server": null, "draft": draft(&listener.url(), "first-value") }),
        )
        .await;
    let before = list(&core).await;
    assert_eq!(before.store.condition, StoreCondition::SessionOnly);
    let secret = &before.secrets[0];
    assert_eq!(
        (secret.name.as_str(), secret.kind),
        ("files/X-Token", SecretKind::Value)
    );
    assert_eq!(
        (secret.state, secret.last_used_micros),
        (SecretState::Kept, None)
    );
    assert_eq!(secret.uses[0].server, server);
    assert_eq!(secret.uses[0].used_as, "header X-Token");
    // It is used by connecting.
    core.connect_well(&server).await;
    assert!(list(&core).await.secrets[0].last_used_micros.is_some());
    let name = json!({ "name": "files/X-Token" });
    let shown: SecretValue = core.must("show_secret", name.clone()).await;
    assert_eq!(shown.value, "first-value");
    // Replaced: the next connection has the new value.
    let replace = json!({ "name": "files/X-Token", "value": "second-value" });
    let _: () = core.must("replace_secret", replace).await;
    core.connect_well(&server).await;
    let last = listener.received().pop().expect("a request");
    assert_eq!(last.header("x-token"), Some("second-value"));
    // Deleted: connecting says what is missing. Brought back: it is as it was.
    let _: () = core.must("delete_secret", name.clone()).await;
    let deleted = list(&core).await;
    assert_eq!(deleted.secrets[0].state, SecretState::Missing);
    assert!(deleted.secrets[0].can_be_restored);
    let failed = core.connect(&server).await;
    let error = failed.error.as_ref().expect("it says why");
    assert!(
        error.message.contains("is not in the keyring"),
        "{failed:#?}"
    );
    let _: () = core.must("restore_secret", name.clone()).await;
    assert_eq!(list(&core).await.secrets[0].state, SecretState::Kept);
    core.connect_well(&server).await;
    // Nobody else's secrets can be asked for by name.
    keyring
        .set("another program's", "hush-hush".into())
        .await
        .expect("it is kept");
    let other = core
        .rpc::<SecretValue>("show_secret", json!({ "name": "another program's" }))
        .await;
    assert!(other.is_err());
    // When it was used is known after a restart.
    let folder = core.close().await;
    let core = Core::start_with(folder, keyring).await;
    assert!(list(&core).await.secrets[0].last_used_micros.is_some());
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_keyring_does_not_take_can_be_kept_for_the_session() {
    let locker = Locker::default();
    locker.set_locked(true);
    let listener = Listener::start(|asked, mut talk| async move {
        listener::modern(&asked, &mut talk).await;
    })
    .await;
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), locker.door()).await;
    let args = json!({ "server": null, "draft": draft(&listener.url(), "session-value") });
    let refused = core
        .rpc::<String>("save_server", args.clone())
        .await
        .expect_err("it is locked");
    assert_eq!(refused["code"], "not_kept", "{refused}");
    assert!(
        refused["message"]
            .as_str()
            .expect("words")
            .contains("Test store is locked")
    );
    let mut args = args;
    args["session_only"] = json!(true);
    let server: String = core.must("save_server", args).await;
    core.connect_well(&server).await;
    let last = listener.received().pop().expect("a request");
    assert_eq!(last.header("x-token"), Some("session-value"));
    let now = list(&core).await;
    assert_eq!(now.store.condition, StoreCondition::Locked);
    assert_eq!(now.secrets[0].state, SecretState::SessionOnly);
    core.until("the status bar", |seen| {
        (seen.status.keyring.as_deref() == Some("Test store, locked")).then_some(())
    })
    .await;
    // Unlocked later, it is moved there by being entered again.
    locker.set_locked(false);
    let _: Value = core.must("unlock_keyring", json!({})).await;
    core.until("the status bar", |seen| {
        (seen.status.keyring.as_deref() == Some("Test store, unlocked")).then_some(())
    })
    .await;
    let replace = json!({ "name": "files/X-Token", "value": "kept-value" });
    let _: () = core.must("replace_secret", replace).await;
    assert_eq!(list(&core).await.secrets[0].state, SecretState::Kept);
    let folder = core.close().await;
    for file in crate::recordings::files(folder.path()) {
        let bytes = std::fs::read(&file).expect("a file");
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains("session-value") && !text.contains("kept-value"),
            "{}",
            file.display()
        );
    }
    let door = locker.door();
    let kept = door
        .get("files/X-Token")
        .await
        .expect("it is read")
        .expect("it is there");
    assert_eq!(expose(&kept), "kept-value");
}
