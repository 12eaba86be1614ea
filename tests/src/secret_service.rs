//! The real Secret Service: a throwaway GNOME Keyring on a session bus of its own.
//!
//! The environment decides which bus is used, and it cannot be changed safely inside a process, so a case is an ignored
//! test of the same program, which is run anew with the environment that it needs.

use std::path::Path;
use std::process::{Command, Output};

/// What a case finds on its bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bus {
    /// A keyring, unlocked.
    Unlocked,
    /// No keyring, and nothing that could start one.
    Bare,
}

/// What starts the keyring, unlocked, before what follows.
const UNLOCKED: &str = r#"eval "$(printf %s throwaway | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)"; "$@""#;
/// A bus that starts nothing by itself.
const BARE: &str = "<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context=\"default\">\
                    <allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/></policy>\
                    </busconfig>";

/// Runs the ignored test of this name on such a bus, with a home of its own. Says so and does nothing where the
/// programs for it are not installed.
pub fn run(case: &str, bus: Bus) {
    for program in ["dbus-run-session", "gnome-keyring-daemon"] {
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("skipped: {program} is not installed");
            return;
        }
    }
    let home = tempfile::tempdir().expect("a folder");
    for folder in ["run", "data", "home", "none"] {
        std::fs::create_dir_all(home.path().join(folder)).expect("a folder");
    }
    let mut command = Command::new("dbus-run-session");
    match bus {
        Bus::Unlocked => command.args(["--", "bash", "-c", UNLOCKED, "_"]),
        Bus::Bare => {
            let config = home.path().join("session.conf");
            std::fs::write(&config, BARE).expect("written");
            command
                .arg(format!("--config-file={}", config.display()))
                .arg("--")
                .env("XDG_DATA_DIRS", home.path().join("none"))
        }
    };
    run_case(&mut command, case, home.path());
}

fn run_case(command: &mut Command, case: &str, home: &Path) {
    let program = std::env::current_exe().expect("this program");
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .arg(program)
        .args(["--exact", case, "--ignored", "--nocapture"])
        .env("HOME", home.join("home"))
        .env("XDG_DATA_HOME", home.join("data"))
        .env("XDG_RUNTIME_DIR", home.join("run"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("DBUS_SESSION_BUS_ADDRESS")
        .output()
        .expect("it runs");
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr)
    );
    assert!(status.success() && said.contains("1 passed"), "{said}");
}

/// Starts a keyring on this bus, unlocked.
pub fn start_keyring() {
    shell("printf %s throwaway | gnome-keyring-daemon --unlock --components=secrets");
}

/// Replaces the keyring by one that is unlocked, as a person does who logs in anew.
pub fn start_keyring_anew() {
    shell("printf %s throwaway | gnome-keyring-daemon --replace --unlock --components=secrets");
}

/// Locks the default collection.
pub fn lock() {
    shell(
        "dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
         org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/aliases/default",
    );
}

fn shell(line: &str) {
    let done = Command::new("bash").args(["-c", line]).output();
    let done = done.expect("bash runs");
    assert!(
        done.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}
