//! `cargo xtask shots`

use std::fs;
use std::process::ExitCode;

use crate::program::{must, step};
use crate::stage::{Stage, perform};
use crate::{Outcome, house, interface, platform, run};

pub const HELP: &str = "\
cargo xtask shots

Takes a picture of every screen of the real app, in both themes, at 1440×900 and 960×640, and writes them to
target/shots/. Needs no display: it brings a screen of its own. Linux only.
";

/// Runs the command.
///
/// # Errors
/// Something cannot be installed or built, or the app does not show a screen.
pub fn run(arguments: &[String]) -> Outcome<ExitCode> {
    if !arguments.is_empty() {
        return Err(format!("What is {arguments:?}?\n\n{HELP}"));
    }
    platform::ready_to_build()?;
    interface::build()?;
    let profile = run::build_app(false)?;
    step("The photographer", || {
        must("The build", &mut run::build_command(&["shots"]))
    })?;
    let stage = Stage::set(profile)?;
    let folder = house::target().join("shots");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("{} cannot be emptied: {error}", folder.display()))?;
    }
    fs::create_dir_all(&folder)
        .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    let mut photographer = crate::program::command(house::built(profile, "shots"));
    photographer
        .env("ROUNDTRIP_SHOTS_DIR", &folder)
        // WebDriver's pictures never come from the renderer that the app chooses when nothing is set.
        .env("WEBKIT_DISABLE_DMABUF_RENDERER", "0");
    perform("Taking the pictures", &stage, &photographer)?;
    let count = fs::read_dir(&folder).map_or(0, Iterator::count);
    if count == 0 {
        return Err("No picture was taken.".into());
    }
    println!("{count} pictures are in {}", house::shown(&folder));
    Ok(ExitCode::SUCCESS)
}
