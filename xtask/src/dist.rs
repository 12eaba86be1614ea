//! `cargo xtask dist`

use std::fs;
use std::process::ExitCode;

use crate::program::{aloud, answer, cargo, command, step};
use crate::{Outcome, debian, house, interface, platform};

pub const HELP: &str = "\
cargo xtask dist

Builds the release app and its packages for this platform, with the demo server in them: on Linux a .deb and, when its
tools can be fetched, an AppImage; on macOS a .dmg; on Windows an installer. They land in target/release/bundle/.
";

/// Runs the command.
///
/// # Errors
/// Something cannot be installed, a build fails, or no package could be made.
pub fn run(arguments: &[String]) -> Outcome<ExitCode> {
    if !arguments.is_empty() {
        return Err(format!("What is {arguments:?}?\n\n{HELP}"));
    }
    platform::ready_to_build()?;
    debian::install(&[debian::TO_DIST])?;
    interface::build()?;
    let beside = demo_server_for_bundle()?;
    let bundles: &[&str] = match std::env::consts::OS {
        "linux" => &["deb", "appimage"],
        "macos" => &["dmg"],
        _ => &["nsis"],
    };
    let config = serde_json::json!({ "bundle": { "externalBin": [beside], "targets": bundles } })
        .to_string();
    let mut made = 0;
    for bundle in bundles {
        let mut build = command(if cfg!(windows) { "npx.cmd" } else { "npx" });
        build.current_dir(house::root().join("src-tauri")).args([
            "--yes",
            "@tauri-apps/cli@2",
            "build",
            "--ci",
            "--bundles",
            bundle,
            "--config",
            &config,
        ]);
        match step(&format!("The package: {bundle}"), || {
            aloud("tauri build", &mut build)
        }) {
            Ok(()) => made += 1,
            // An AppImage needs tools that are fetched while it is built; without them the other package still stands.
            Err(message) => println!("{bundle} could not be made here: {message}"),
        }
    }
    if made == 0 {
        return Err("No package could be made.".into());
    }
    println!(
        "The packages are in {}",
        house::shown(&house::target().join("release/bundle"))
    );
    Ok(ExitCode::SUCCESS)
}

/// Builds the demo server and puts it where Tauri looks for programs to bundle: under the platform's name. Answers with
/// the path that goes into Tauri's configuration.
fn demo_server_for_bundle() -> Outcome<std::path::PathBuf> {
    step("The demo server", || {
        aloud(
            "The demo server's build",
            cargo().args(["build", "--locked", "--release", "-p", "demo-server"]),
        )
    })?;
    let version = answer(command("rustc").arg("-vV")).ok_or("rustc is not in PATH.")?;
    let platform = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or("rustc does not name its host.")?;
    let folder = house::target().join("dist");
    let name = "roundtrip-demo-server";
    let bundled = folder.join(format!("{name}-{platform}{}", std::env::consts::EXE_SUFFIX));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::copy(house::built("release", name), &bundled))
        .map_err(|error| format!("{} cannot be written: {error}", bundled.display()))?;
    Ok(folder.join(name))
}
