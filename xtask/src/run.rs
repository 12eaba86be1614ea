//! `cargo xtask run`

use std::process::{Command, ExitCode};

use crate::program::{aloud, cargo, command, step};
use crate::{Outcome, house, interface, platform};

pub const HELP: &str = "\
cargo xtask run [--release]

Installs what is missing (Debian packages with apt-get, the interface's packages with npm ci), builds the interface and
the app, and opens the window. A second run only builds what changed.

  --release   Build with optimisations: slower to build, what people get

Environment: ROUNDTRIP_DATA_DIR names another data folder; ROUNDTRIP_THEME is dark or light.
";

/// Runs the command.
///
/// # Errors
/// Something is missing that cannot be installed, or a build fails.
pub fn run(arguments: &[String]) -> Outcome<ExitCode> {
    let release = match arguments {
        [] => false,
        [word] if word == "--release" => true,
        _ => return Err(format!("What is {arguments:?}?\n\n{HELP}")),
    };
    if !platform::has_display() {
        return Err("There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set), so no window can open.\n\
                    `cargo xtask shots` takes pictures of every screen without one, to target/shots/."
            .into());
    }
    platform::ready_to_build()?;
    interface::build()?;
    let profile = build_app(release)?;
    println!("▸ Roundtrip is running; close its window or press Ctrl+C to end it");
    let app = house::built(profile, "roundtrip");
    let status = command(&app)
        .current_dir(std::env::current_dir().unwrap_or_else(|_| house::root()))
        .status()
        .map_err(|error| format!("{} cannot be started: {error}", app.display()))?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The programs that a person gets.
pub const APP: [&str; 3] = ["roundtrip", "roundtrip-demo-server", "roundtrip-cli"];

/// A build of some of the house's programs. The whole workspace is selected each time, because cargo gives dependencies
/// the features that the selected members ask for: another selection would build many of them once more.
pub fn build_command(programs: &[&str]) -> Command {
    let mut build = cargo();
    build.args(["build", "--locked", "--workspace"]);
    for program in programs {
        build.args(["--bin", program]);
    }
    build
}

/// Builds the app and the demo server that sits beside it. Answers with the folder's name in the target folder.
///
/// # Errors
/// The build fails; cargo has said why.
pub fn build_app(release: bool) -> Outcome<&'static str> {
    let mut build = build_command(&APP);
    if release {
        build.arg("--release");
    }
    step(
        "The app and the demo server (cargo build; the first time takes some minutes)",
        || aloud("The build", &mut build),
    )?;
    Ok(if release { "release" } else { "debug" })
}
