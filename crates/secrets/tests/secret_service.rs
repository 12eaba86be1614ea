//! The real Secret Service: a throwaway GNOME Keyring on a session bus of its own.
//!
//! The environment decides which bus is used, and it cannot be changed safely inside a process, so each case runs this
//! test program anew, with one of the ignored tests below.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // also in the helpers, which are tests too

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use secret_service::EncryptionType;
use secret_service::blocking::SecretService;
use secrets::{Condition, Keyring, SecretString, SecretsError, expose};

/// Runs one of the cases with a home of its own, after `prefix`, and gives back what it wrote when it fails.
fn run(case: &str, home: &Path, prefix: &[&str], bus: Option<&str>) {
    let program = std::env::current_exe().unwrap();
    let mut words = prefix.to_vec();
    let program = program.to_str().unwrap().to_owned();
    words.extend([
        program.as_str(),
        "--exact",
        case,
        "--ignored",
        "--nocapture",
    ]);
    for folder in ["run", "data", "home", "none"] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
    }
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .env("HOME", home.join("home"))
        .env("XDG_DATA_HOME", home.join("data"))
        .env("XDG_RUNTIME_DIR", home.join("run"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("DBUS_SESSION_BUS_ADDRESS");
    if let Some(bus) = bus {
        command.env("DBUS_SESSION_BUS_ADDRESS", bus);
    }
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr)
    );
    assert!(status.success() && said.contains("1 passed"), "{said}");
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// What starts the keyring, unlocked, before what follows.
const UNLOCKED: &str = r#"eval "$(printf %s throwaway | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)"; "$@""#;

fn with_keyring(case: &str) {
    if !is_installed("dbus-run-session") || !is_installed("gnome-keyring-daemon") {
        eprintln!("skipped: dbus-run-session and gnome-keyring-daemon are not both installed");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    run(
        case,
        home.path(),
        &["dbus-run-session", "--", "bash", "-c", UNLOCKED, "_"],
        None,
    );
}

#[test]
fn secrets_are_kept() {
    with_keyring("case_secrets_are_kept");
}

#[test]
fn a_locked_keyring_is_said_to_be_locked() {
    with_keyring("case_a_locked_keyring");
}

#[test]
fn a_keyring_that_restarts_is_found_again() {
    with_keyring("case_a_keyring_that_restarts");
}

#[test]
fn without_a_bus_reading_gives_nothing_and_writing_says_why() {
    let home = tempfile::tempdir().unwrap();
    let bus = format!("unix:path={}", home.path().join("no-such-bus").display());
    run("case_absent", home.path(), &["env"], Some(&bus));
}

#[test]
fn without_a_keyring_on_the_bus_it_is_the_same() {
    if !is_installed("dbus-run-session") {
        eprintln!("skipped: dbus-run-session is not installed");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    // Nothing that the bus could start.
    let data = format!("XDG_DATA_DIRS={}", home.path().join("none").display());
    let config = home.path().join("session.conf");
    std::fs::write(
        &config,
        "<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>\
         <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/>\
         <allow own=\"*\"/></policy></busconfig>",
    )
    .unwrap();
    let config = format!("--config-file={}", config.display());
    run(
        "case_absent",
        home.path(),
        &["env", &data, "dbus-run-session", &config, "--"],
        None,
    );
}

#[tokio::test]
#[ignore = "needs the bus that `secrets_are_kept` starts"]
async fn case_secrets_are_kept() {
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
}

#[tokio::test]
#[ignore = "needs the bus that `a_locked_keyring_is_said_to_be_locked` starts"]
async fn case_a_locked_keyring() {
    let keyring = Keyring::platform();
    keyring
        .set("token", SecretString::from("value"))
        .await
        .unwrap();
    tokio::task::spawn_blocking(|| {
        let service = SecretService::connect(EncryptionType::Plain).unwrap();
        service.get_default_collection().unwrap().lock().unwrap();
    })
    .await
    .unwrap();
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
}

#[tokio::test]
#[ignore = "needs the bus that `a_keyring_that_restarts_is_found_again` starts"]
async fn case_a_keyring_that_restarts() {
    let keyring = Keyring::platform();
    keyring
        .set("token", SecretString::from("value"))
        .await
        .unwrap();
    let replaced = Command::new("bash")
        .args([
            "-c",
            "printf %s throwaway | gnome-keyring-daemon --replace --unlock --components=secrets",
        ])
        .output()
        .unwrap();
    assert!(replaced.status.success());
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
}

#[tokio::test]
#[ignore = "needs the environment without a keyring that the tests above make"]
async fn case_absent() {
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
