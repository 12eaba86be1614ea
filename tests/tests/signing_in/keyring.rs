//! Sign-ins and the real Secret Service: kept there, locked, absent, and appearing later.
#![cfg(target_os = "linux")]

use std::time::Duration;

use app::api::servers::Phase;
use app::api::sign_in::SignInState;
use secrets::Keyring;
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::secret_service::{self, Bus};

use crate::scene::{Person, Protected, claims, until_expired, until_state, view};

const HELLO: &str = r#"{"text":"ciao"}"#;

/// A door to the real keyring that does not wait for ever behind a dialog that nobody sees.
fn keyring() -> Keyring {
    Keyring::platform().with_time_limit(Duration::from_secs(3))
}

#[test]
fn a_sign_in_survives_a_restart_and_a_sign_out_wipes_it() {
    secret_service::below(Bus::Unlocked, async || {
        let server = Protected::start(&["--token-seconds", "1"]);
        let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring()).await;
        let id = server.added_to(&core).await;
        let signed_in = Person::default().signs_in(&core, &id).await;
        assert_eq!(signed_in.news.session_only, None);
        core.connect_well(&id).await;
        until_expired(&core, &id).await;
        let folder = core.close().await;
        // Nothing of it is in a file.
        for entry in std::fs::read_dir(folder.path()).expect("the folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let text =
                    String::from_utf8_lossy(&std::fs::read(&path).expect("a file")).into_owned();
                assert!(!text.contains("access_token"), "{}", path.display());
            }
        }

        let core = Core::start_with(folder, keyring()).await;
        until_state(&core, &id, SignInState::SignedIn).await;
        core.connect_well(&id).await;
        let outcome = core.call(&id, "echo", HELLO).await;
        assert!(text_of(&outcome).contains("ciao"));
        assert_eq!(core.browser().opened(), Vec::<String>::new());
        let timeline = core.unfolded().await;
        assert!(timeline.contains("sign-in refresh"), "{timeline}");
        let _: Value = core.must("sign_out", json!({ "server": id })).await;
        until_state(&core, &id, SignInState::None).await;
        core.until_row("sign-in sign out [2 rounds] — complete")
            .await;
        let name = format!("sign-in {id}");
        let left = keyring().get(&name).await.expect("the keyring");
        let left = left.map(|value| secrets::expose(&value).to_owned());
        assert!(!left.unwrap_or_default().contains("access_token"));
        core.close().await;
    });
}

#[test]
fn a_locked_keyring_is_said_and_the_rest_works() {
    secret_service::below(Bus::Unlocked, async || {
        let server = Protected::start(&[]);
        let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring()).await;
        let id = server.added_to(&core).await;
        Person::default().signs_in(&core, &id).await;
        let folder = core.close().await;
        secret_service::lock();

        let core = Core::start_with(folder, keyring()).await;
        let refused = core.connect(&id).await;
        assert_eq!(refused.phase, Phase::Failed);
        let error = refused.error.expect("an error");
        let said = format!("{} {}", error.message, error.hint.unwrap_or_default());
        assert!(said.contains("nlock"), "{said}");
        // Nobody needs the keyring for the others.
        core.connect_well("demo-stdio").await;
        let outcome = core.call("demo-stdio", "echo", HELLO).await;
        assert!(text_of(&outcome).contains("ciao"));
        secret_service::start_keyring_anew();
        core.connect_well(&id).await;
        assert_eq!(core.browser().opened(), Vec::<String>::new());
        core.close().await;
    });
}

#[test]
fn without_a_keyring_a_sign_in_lasts_for_the_session_until_there_is_one() {
    secret_service::below(Bus::Bare, async || {
        let server = Protected::start(&[]);
        let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring()).await;
        let id = server.added_to(&core).await;
        let signed_in = Person::default().signs_in(&core, &id).await;
        let why = signed_in.news.session_only.expect("for this session only");
        assert!(why.contains("Secret Service"), "{why}");
        core.connect_well(&id).await;
        let outcome = core.call(&id, "echo", HELLO).await;
        assert!(text_of(&outcome).contains("ciao"));

        // It does not help while there is none, and does once there is one.
        let keep = json!({ "server": id, "options": signed_in.options });
        let _: () = core.must("save_sign_in", keep.clone()).await;
        assert!(view(&core, &id).await.news.session_only.is_some());
        secret_service::start_keyring();
        let _: () = core.must("save_sign_in", keep).await;
        let kept = view(&core, &id).await;
        assert_eq!(kept.news.session_only, None);
        let before = claims(&kept);
        let folder = core.close().await;

        let core = Core::start_with(folder, keyring()).await;
        core.connect_well(&id).await;
        assert_eq!(core.connection(&id).phase, Phase::Connected);
        assert_eq!(claims(&view(&core, &id).await), before);
        assert_eq!(core.browser().opened(), Vec::<String>::new());
        core.close().await;
    });
}
