use std::sync::Arc;

use keyring_core::{CredentialStore, mock};
use secrecy::{ExposeSecret as _, SecretString};

use super::PlatformStore;
use crate::store::{Condition, SecretStore as _};

/// A store that keeps entries in memory, with room for 8 UTF-16 units in each.
fn small() -> PlatformStore {
    PlatformStore {
        name: "Mock",
        open: || mock::Store::new().map(|store| store as Arc<CredentialStore>),
        opened: None,
        describe: || Condition::Unlocked,
        unlock: || Ok(()),
        entry_limit: Some(8),
        has_labels: false,
    }
}

fn get(store: &mut PlatformStore, name: &str) -> Option<String> {
    store
        .get(name)
        .unwrap()
        .map(|value| value.expose_secret().to_owned())
}

fn set(store: &mut PlatformStore, name: &str, value: &str) {
    store.set(name, &SecretString::from(value)).unwrap();
}

#[test]
fn long_values_survive_a_short_entry() {
    let mut store = small();
    for value in [
        "short",
        "12345678",
        "123456789",
        "a much longer value than one entry takes",
        "𝄞𝄞𝄞𝄞𝄞",
        "",
    ] {
        set(&mut store, "token", value);
        assert_eq!(get(&mut store, "token").as_deref(), Some(value));
    }
}

#[test]
fn no_part_outlives_its_value() {
    let mut store = small();
    set(&mut store, "token", "four parts of eight units each..");
    assert!(store.read("token#part-4").unwrap().is_some());
    set(&mut store, "token", "two parts of it");
    assert!(store.read("token#part-2").unwrap().is_some());
    assert!(store.read("token#part-3").unwrap().is_none());
    store.delete("token").unwrap();
    assert!(store.read("token#part-1").unwrap().is_none());
    assert_eq!(get(&mut store, "token"), None);
    store.delete("token").unwrap();
}

#[test]
fn a_value_that_could_not_be_written_whole_is_absent() {
    let mut store = small();
    set(&mut store, "token", "the first value, in four parts..");
    // The third part cannot be written: the store says so once.
    let third = store.entry("token#part-3").unwrap().unwrap();
    let mock: &mock::Cred = third.as_any().downcast_ref().unwrap();
    mock.set_error(keyring_core::Error::TooLong("password".to_owned(), 8));
    let refused = store.set(
        "token",
        &SecretString::from("another value, of four parts too"),
    );
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(
        get(&mut store, "token"),
        None,
        "neither the one nor a mixture"
    );
    for number in 1..=4 {
        assert!(
            store
                .read(&format!("token#part-{number}"))
                .unwrap()
                .is_none(),
            "part {number}"
        );
    }
    set(&mut store, "token", "another value, of four parts too");
    assert_eq!(
        get(&mut store, "token").as_deref(),
        Some("another value, of four parts too")
    );
}

#[test]
fn a_value_whose_deletion_broke_off_is_absent() {
    let mut store = small();
    set(&mut store, "token", "four parts of eight units each..");
    let second = store.entry("token#part-2").unwrap().unwrap();
    let mock: &mock::Cred = second.as_any().downcast_ref().unwrap();
    mock.set_error(keyring_core::Error::TooLong("password".to_owned(), 8));
    assert!(store.delete("token").is_err());
    assert_eq!(get(&mut store, "token"), None);
}

#[test]
fn a_missing_part_is_told() {
    let mut store = small();
    set(&mut store, "token", "two parts of it");
    store.erase("token#part-2").unwrap();
    let error = store.get("token").unwrap_err().to_string();
    assert!(
        error.contains("\"token\"") && error.contains("missing") && error.contains("Enter"),
        "{error}"
    );
    set(&mut store, "token", "well");
    assert_eq!(get(&mut store, "token").as_deref(), Some("well"));
}

#[test]
fn impossible_names_are_refused() {
    let mut store = small();
    for name in ["", "a\0b", "a\nb"] {
        assert!(store.get(name).is_err(), "{name:?}");
        assert!(
            store.set(name, &SecretString::from("value")).is_err(),
            "{name:?}"
        );
        assert!(store.delete(name).is_err(), "{name:?}");
    }
}
