//! The real Secret Service as the keyring's door: kept, locked, started anew, and not there.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // also in the helpers, which are tests too

use std::time::Duration;

use secrets::{Condition, Keyring, SecretString, SecretsError, expose};
use tests::secret_service::{self, Bus};

#[test]
fn secrets_are_kept() {
    secret_service::below(Bus::Unlocked, async || {
        let keyring = Keyring::platform();
        assert_eq!(
            keyring.describe().await.to_string(),
            "Secret Service, unlocked"
        );
        assert!(keyring.get("github/Authorization").await.unwrap().is_none());
        let long = "é𝄞\n\0 long".repeat(1000);
        for value in ["Bearer abc", "", "two\nlines", &long] {
            keyring
                .set("github/Authorization", SecretString::from(value))
                .await
                .unwrap();
            let read = keyring.get("github/Authorization").await.unwrap().unwrap();
            assert_eq!(expose(&read), value);
        }
        keyring
            .set("other server/Übung", SecretString::from("x"))
            .await
            .unwrap();
        keyring.delete("github/Authorization").await.unwrap();
        keyring.delete("github/Authorization").await.unwrap();
        assert!(keyring.get("github/Authorization").await.unwrap().is_none());
        assert_eq!(
            expose(&keyring.get("other server/Übung").await.unwrap().unwrap()),
            "x"
        );
        // Another door, as after a restart of the app.
        let again = Keyring::platform();
        assert_eq!(
            expose(&again.get("other server/Übung").await.unwrap().unwrap()),
            "x"
        );
    });
}

#[test]
fn a_locked_keyring_is_said_to_be_locked() {
    secret_service::below(Bus::Unlocked, async || {
        let keyring = Keyring::platform();
        keyring
            .set("token", SecretString::from("value"))
            .await
            .unwrap();
        secret_service::lock();
        assert_eq!(
            keyring.describe().await.to_string(),
            "Secret Service, locked"
        );
        // Nobody can be asked for the password here: the store either says so at once or waits for ever.
        let keyring = keyring.with_time_limit(Duration::from_secs(2));
        for error in [
            keyring.get("token").await.map(drop).unwrap_err(),
            keyring
                .set("token", SecretString::from("other"))
                .await
                .unwrap_err(),
            keyring.delete("token").await.unwrap_err(),
        ] {
            assert!(
                matches!(
                    error,
                    SecretsError::Locked { .. } | SecretsError::Silent { .. }
                ),
                "{error:?}"
            );
            assert!(
                error.to_string().contains("Unlock it and try again"),
                "{error}"
            );
        }
    });
}

#[test]
fn a_keyring_that_restarts_is_found_again() {
    secret_service::below(Bus::Unlocked, async || {
        let keyring = Keyring::platform();
        keyring
            .set("token", SecretString::from("value"))
            .await
            .unwrap();
        secret_service::start_keyring_anew();
        assert_eq!(
            expose(&keyring.get("token").await.unwrap().unwrap()),
            "value"
        );
        keyring
            .set("token", SecretString::from("other"))
            .await
            .unwrap();
        assert_eq!(
            expose(&keyring.get("token").await.unwrap().unwrap()),
            "other"
        );
    });
}

#[test]
fn without_a_bus_reading_gives_nothing_and_writing_says_why() {
    secret_service::below(Bus::Absent, async || nothing_is_kept().await);
}

#[test]
fn without_a_keyring_on_the_bus_it_is_the_same() {
    secret_service::below(Bus::Bare, async || nothing_is_kept().await);
}

async fn nothing_is_kept() {
    let keyring = Keyring::platform();
    assert_eq!(keyring.describe().await.condition, Condition::Absent);
    assert_eq!(
        keyring.describe().await.to_string(),
        "Secret Service, not available"
    );
    assert!(keyring.get("token").await.unwrap().is_none());
    for error in [
        keyring
            .set("token", SecretString::from("hush-hush"))
            .await
            .unwrap_err(),
        keyring.delete("token").await.unwrap_err(),
    ] {
        assert!(matches!(error, SecretsError::Absent { .. }), "{error:?}");
        let said = error.to_string();
        assert!(
            said.contains("Secret Service cannot be reached") && said.contains("GNOME Keyring"),
            "{said}"
        );
        assert!(!said.contains("hush-hush"));
    }
}
