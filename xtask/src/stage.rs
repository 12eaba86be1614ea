//! The stage of window tests, pictures and measurements: a screen, a session bus and a throwaway keyring of their own,
//! so that neither the person's desktop nor their secrets are touched. Linux only.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

use crate::program::{command, find, seconds, step};
use crate::{Outcome, debian, house, interface, tools};

/// Unlocks a new keyring on the session bus; wakes the desktop portal, which every desktop session has running and which
/// GTK asks for the theme (it would bring a locked keyring if it came first); then becomes the command.
const PREPARE: &str = "\
eval \"$(printf %s throwaway | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)\"
dbus-send --session --print-reply --reply-timeout=3000 --dest=org.freedesktop.portal.Desktop \
  /org/freedesktop/portal/desktop org.freedesktop.portal.Settings.Read \
  string:org.freedesktop.appearance string:color-scheme >/dev/null 2>&1 || true
exec \"$@\"";

/// Where the servers of the tests are declared.
fn servers() -> PathBuf {
    house::root().join("tests/servers")
}

/// A stage that stands until it is dropped.
pub struct Stage {
    folder: PathBuf,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Stage {
    /// Builds the stage for the programs of a profile (`debug` or `release`), installing what it needs.
    ///
    /// # Errors
    /// This is not Linux, or something cannot be installed.
    pub fn set(profile: &str) -> Outcome<Self> {
        if !cfg!(target_os = "linux") {
            return Err("The real window can only be driven on Linux: WebKitGTK has a driver, this platform's web view has \
                        none that tauri-driver knows how to use here."
                .into());
        }
        debian::install(&[debian::TO_TEST])?;
        let driver = tools::cargo_tool(&tools::TAURI_DRIVER)?;
        let mut variables = program_variables(profile)?;
        variables.push(("ROUNDTRIP_TEST_TAURI_DRIVER", driver));
        let web_kit = find(&["WebKitWebDriver"]).ok_or(
            "WebKitWebDriver is not in PATH. On Debian it is in the package webkit2gtk-driver.",
        )?;
        variables.push(("ROUNDTRIP_TEST_WEBKIT_DRIVER", web_kit));

        // In the system's folder for such things: a socket's path may have 107 bytes at most.
        let folder = env::temp_dir().join(format!("roundtrip-stage-{}", process::id()));
        for name in ["run", "data", "config", "cache", "home"] {
            make_private(&folder.join(name))
                .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
        }
        Ok(Self { folder, variables })
    }

    /// A command that runs `inner` on the stage. Of `inner` the program, arguments and variables count.
    pub fn command(&self, inner: &Command) -> Command {
        let mut outer = command("xvfb-run");
        outer
            .args([
                "--auto-servernum",
                "--server-args=-screen 0 1600x1000x24",
                "dbus-run-session",
                "--",
                "bash",
                "-c",
                PREPARE,
                "stage",
            ])
            .arg(inner.get_program())
            .args(inner.get_args())
            // Cargo and npm keep their own homes.
            .env("CARGO_HOME", home_of("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", home_of("RUSTUP_HOME", ".rustup"))
            .env("npm_config_cache", home_of("npm_config_cache", ".npm"))
            .env("HOME", self.folder.join("home"))
            .env("XDG_RUNTIME_DIR", self.folder.join("run"))
            .env("XDG_DATA_HOME", self.folder.join("data"))
            .env("XDG_CONFIG_HOME", self.folder.join("config"))
            .env("XDG_CACHE_HOME", self.folder.join("cache"))
            .env("GDK_BACKEND", "x11")
            .env("GSETTINGS_BACKEND", "memory")
            .env("NO_AT_BRIDGE", "1")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("DBUS_SESSION_BUS_ADDRESS")
            .env_remove("ROUNDTRIP_DATA_DIR")
            .env_remove("ROUNDTRIP_THEME");
        for (name, value) in &self.variables {
            outer.env(name, value);
        }
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => outer.env(name, value),
                None => outer.env_remove(name),
            };
        }
        outer
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            eprintln!("{} could not be removed: {error}", self.folder.display());
        }
    }
}

/// The variables that tell tests where the programs are that they run: those of `profile`, Node.js, and the servers from
/// npm, which are installed here.
///
/// # Errors
/// Node.js is missing, or the servers cannot be installed.
pub fn program_variables(profile: &str) -> Outcome<Vec<(&'static str, PathBuf)>> {
    interface::check_node()?;
    let mut variables = vec![
        ("ROUNDTRIP_TEST_APP", house::built(profile, "roundtrip")),
        (
            "ROUNDTRIP_TEST_DEMO_SERVER",
            house::built(profile, "roundtrip-demo-server"),
        ),
        ("ROUNDTRIP_TEST_CLI", house::built(profile, "roundtrip-cli")),
        (
            "ROUNDTRIP_TEST_NODE",
            find(&["node"]).ok_or("`node` is not in PATH.")?,
        ),
    ];
    interface::install_locked("The test servers from npm", &servers(), "test-servers")?;
    variables.push(("ROUNDTRIP_TEST_SERVERS", servers()));
    Ok(variables)
}

/// Runs a program on a stage with this terminal as its own, and says how long it took.
///
/// # Errors
/// It fails or cannot be started.
pub fn perform(what: &str, stage: &Stage, inner: &Command) -> Outcome {
    let started = std::time::Instant::now();
    step(what, || {
        crate::program::aloud(what, &mut stage.command(inner))
    })?;
    println!("{what}: {}", seconds(started.elapsed()));
    Ok(())
}

fn home_of(variable: &str, folder: &str) -> PathBuf {
    env::var_os(variable)
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(folder)))
        .unwrap_or_else(|| PathBuf::from(folder))
}

#[cfg(unix)]
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}
