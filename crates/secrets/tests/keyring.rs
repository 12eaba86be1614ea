//! The door, over stores of several kinds.
#![allow(clippy::unwrap_used)] // also in the helpers, which are tests too

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use secrets::{
    Condition, Keyring, MemoryStore, SecretStore, SecretString, SecretsError, StoreState, expose,
};

async fn value_of(keyring: &Keyring, name: &str) -> Option<String> {
    keyring
        .get(name)
        .await
        .unwrap()
        .map(|value| expose(&value).to_owned())
}

async fn keeps_and_forgets(keyring: Keyring) {
    assert_eq!(value_of(&keyring, "a/b").await, None);
    keyring.set("a/b", SecretString::from("one")).await.unwrap();
    keyring.set("a/c", SecretString::from("")).await.unwrap();
    keyring
        .clone()
        .set("a/b", SecretString::from("two ✓"))
        .await
        .unwrap();
    assert_eq!(value_of(&keyring, "a/b").await.as_deref(), Some("two ✓"));
    assert_eq!(value_of(&keyring, "a/c").await.as_deref(), Some(""));
    keyring.delete("a/b").await.unwrap();
    keyring.delete("a/b").await.unwrap();
    assert_eq!(value_of(&keyring, "a/b").await, None);
    assert_eq!(keyring.get("").await.unwrap_err(), SecretsError::BadName);
    assert_eq!(
        keyring
            .set("a\nb", SecretString::from("x"))
            .await
            .unwrap_err(),
        SecretsError::BadName
    );
    assert_eq!(
        keyring.describe().await.to_string(),
        "Memory, this session only"
    );
    assert!(!format!("{keyring:?}").contains("two"));
}

#[tokio::test]
async fn a_store_in_memory_keeps_and_forgets() {
    keeps_and_forgets(Keyring::in_memory()).await;
}

#[tokio::test]
async fn so_does_one_on_its_own_thread() {
    keeps_and_forgets(Keyring::new(MemoryStore::new())).await;
}

/// With tokio's clock stopped, a wait for another thread would time out at once.
#[tokio::test(start_paused = true)]
async fn a_store_in_memory_waits_for_nothing() {
    keeps_and_forgets(Keyring::in_memory()).await;
}

/// A store whose calls wait until the test lets them go on, as a locked one does behind its password dialog.
struct Stubborn {
    may_go_on: Receiver<()>,
    written: Arc<Mutex<Vec<String>>>,
}

fn stubborn() -> (Keyring, Sender<()>, Arc<Mutex<Vec<String>>>) {
    let (go_on, may_go_on) = channel();
    let written = Arc::default();
    let keyring = Keyring::new(Stubborn {
        may_go_on,
        written: Arc::clone(&written),
    });
    (keyring, go_on, written)
}

impl SecretStore for Stubborn {
    fn name(&self) -> &'static str {
        "Stubborn"
    }
    fn get(&mut self, _name: &str) -> Result<Option<SecretString>, SecretsError> {
        self.may_go_on.recv().unwrap();
        Ok(None)
    }
    fn set(&mut self, name: &str, _value: &SecretString) -> Result<(), SecretsError> {
        self.may_go_on.recv().unwrap();
        self.written.lock().unwrap().push(name.to_owned());
        Ok(())
    }
    fn delete(&mut self, _name: &str) -> Result<(), SecretsError> {
        panic!("the store breaks");
    }
    fn describe(&mut self) -> StoreState {
        StoreState {
            name: self.name(),
            condition: Condition::Unlocked,
        }
    }
}

#[tokio::test]
async fn a_store_that_blocks_is_not_waited_for_for_ever() {
    let (keyring, go_on, written) = stubborn();
    let hurried = keyring.clone().with_time_limit(Duration::from_millis(20));
    let error = hurried
        .set("first", SecretString::from("value"))
        .await
        .unwrap_err();
    assert_eq!(
        error,
        SecretsError::Silent {
            store: "Stubborn",
            waited: Duration::from_millis(20)
        }
    );
    assert!(
        error.to_string().contains("Stubborn") && error.to_string().contains("Unlock it"),
        "{error}"
    );
    assert_eq!(
        hurried
            .set("second", SecretString::from("value"))
            .await
            .unwrap_err(),
        error
    );
    assert_eq!(
        hurried.describe().await.to_string(),
        "Stubborn, not answering"
    );

    // The person unlocks it: what had begun is done, what had been given up by then is not, and what follows works.
    go_on.send(()).unwrap();
    go_on.send(()).unwrap();
    keyring
        .set("third", SecretString::from("value"))
        .await
        .unwrap();
    assert_eq!(*written.lock().unwrap(), ["first", "third"]);
    assert_eq!(keyring.describe().await.condition, Condition::Unlocked);
}

#[tokio::test]
async fn requests_do_not_pile_up_without_end() {
    let (keyring, go_on, _written) = stubborn();
    let waiting: Vec<_> = (0..100)
        .map(|number| {
            let keyring = keyring.clone();
            async move { keyring.get(&format!("name-{number}")).await }
        })
        .map(|request| tokio::spawn(request))
        .collect();
    for _ in 0..100 {
        go_on.send(()).unwrap();
    }
    let mut busy = 0;
    for request in waiting {
        match request.await.unwrap() {
            Ok(None) => {}
            Err(SecretsError::Busy { store: "Stubborn" }) => busy += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(
        busy <= 36,
        "{busy} of 100 were turned away, though 64 may wait"
    );
}

#[tokio::test]
async fn a_store_that_breaks_is_told() {
    let (keyring, _go_on, _written) = stubborn();
    let error = keyring.delete("name").await.unwrap_err();
    assert!(
        matches!(
            error,
            SecretsError::Failed {
                store: "Stubborn",
                ..
            }
        ),
        "{error:?}"
    );
    let error = keyring.get("name").await.unwrap_err();
    assert!(
        matches!(
            error,
            SecretsError::Failed {
                store: "Stubborn",
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn what_is_kept_for_the_session_goes_before_the_store_and_ends_with_being_kept() {
    let keyring = Keyring::new(secrets::MemoryStore::new());
    keyring
        .set("token", SecretString::from("kept"))
        .await
        .unwrap();
    keyring
        .set_for_session("token", &SecretString::from("of the session"))
        .unwrap();
    assert!(keyring.is_for_session("token"));
    assert_eq!(
        value_of(&keyring, "token").await.as_deref(),
        Some("of the session")
    );
    assert_eq!(
        value_of(&keyring.clone(), "token").await.as_deref(),
        Some("of the session"),
        "clones lead to the same"
    );
    // Deleted, it uncovers nothing that the person did not see before.
    keyring.delete("token").await.unwrap();
    assert!(!keyring.is_for_session("token"));
    assert_eq!(value_of(&keyring, "token").await, None);
    keyring
        .set_for_session("token", &SecretString::from("again"))
        .unwrap();
    keyring
        .set("token", SecretString::from("kept anew"))
        .await
        .unwrap();
    assert!(!keyring.is_for_session("token"));
    assert_eq!(
        value_of(&keyring, "token").await.as_deref(),
        Some("kept anew")
    );
    assert!(
        keyring
            .set_for_session("a\nb", &SecretString::from("x"))
            .is_err()
    );
    keyring.unlock().await.unwrap();
}
