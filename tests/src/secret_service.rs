//! The real Secret Service: a throwaway GNOME Keyring on a session bus of its own.
//!
//! The environment decides which bus is used, and it cannot be changed safely inside a process, so [`below`] runs the test
//! that asks for it once more, in a process of its own. What such a test does is done there alone: it never reaches the
//! keyring of whoever runs the tests.

use std::env;
use std::path::Path;
use std::process::{Command, Output};

/// Names the test, in the process that is to do what it does.
const DOES: &str = "ROUNDTRIP_TEST_BELOW_A_BUS";

/// What a test finds on its bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bus {
    /// A keyring, unlocked.
    Unlocked,
    /// No keyring, and nothing that could start one.
    Bare,
    /// There is no bus.
    Absent,
}

/// What starts the keyring, unlocked, before what follows.
const UNLOCKED: &str = r#"eval "$(printf %s throwaway | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)"; "$@""#;
/// A bus that starts nothing by itself.
const BARE: &str = "<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context=\"default\">\
                    <allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/></policy>\
                    </busconfig>";

/// Does what a test does on such a bus, with a home of its own. Says so and does nothing where the programs for it are
/// not installed. What it does is to be written in the test itself, whose name is taken from there.
pub fn below<Does: AsyncFnOnce()>(bus: Bus, does: Does) {
    let name = test_of(std::any::type_name::<Does>());
    if env::var(DOES).is_ok_and(|does| does == name) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(does());
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    for folder in ["run", "data", "home", "none"] {
        std::fs::create_dir_all(home.path().join(folder)).expect("a folder");
    }
    match launcher(bus, home.path()) {
        Ok(launcher) => run(launcher, name, home.path()),
        Err(missing) => eprintln!("skipped: {missing} is not installed"),
    }
}

/// The test that a closure is written in, as the test program calls it.
fn test_of(closure: &'static str) -> &'static str {
    let (_program, path) = closure.split_once("::").expect("a path");
    let (test, _closure) = path.split_once("::{{closure}}").expect("a closure");
    test
}

/// What runs a program on such a bus; or the name of what it lacks for that.
fn launcher(bus: Bus, home: &Path) -> Result<Command, &'static str> {
    if bus == Bus::Absent {
        let mut command = Command::new("env");
        let nowhere = home.join("no-such-bus");
        command.arg(format!(
            "DBUS_SESSION_BUS_ADDRESS=unix:path={}",
            nowhere.display()
        ));
        return Ok(command);
    }
    for program in ["dbus-run-session", "gnome-keyring-daemon"] {
        if Command::new(program).arg("--version").output().is_err() {
            return Err(program);
        }
    }
    let mut command = Command::new("dbus-run-session");
    if bus == Bus::Unlocked {
        command.args(["--", "bash", "-c", UNLOCKED, "_"]);
    } else {
        let config = home.join("session.conf");
        std::fs::write(&config, BARE).expect("written");
        command
            .arg(format!("--config-file={}", config.display()))
            .arg("--")
            .env("XDG_DATA_DIRS", home.join("none"));
    }
    Ok(command)
}

fn run(mut launcher: Command, test: &str, home: &Path) {
    let program = env::current_exe().expect("this program");
    let Output {
        status,
        stdout,
        stderr,
    } = launcher
        .arg(program)
        .args(["--exact", test, "--nocapture"])
        .env(DOES, test)
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
    // One that is not found fails nothing.
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
    assert!(
        env::var_os(DOES).is_some(),
        "only the keyring of a test is touched"
    );
    let done = Command::new("bash").args(["-c", line]).output();
    let done = done.expect("bash runs");
    assert!(
        done.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}
