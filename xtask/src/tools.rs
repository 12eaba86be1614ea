//! Programs that cargo installs for the tests, kept in the target folder.

use std::env;
use std::path::PathBuf;

use crate::program::{cargo, find, must, step};
use crate::{Outcome, house};

/// A tool from crates.io.
pub struct Tool {
    name: &'static str,
    version: &'static str,
    purpose: &'static str,
    /// Whether one in PATH will do. Not where the newest version is another program.
    any_will_do: bool,
}

/// Runs the tests, each in a process of its own.
pub const NEXTEST: Tool = Tool {
    name: "cargo-nextest",
    version: "^0.9",
    purpose: "running the tests",
    any_will_do: true,
};

/// Checks licences, sources and advisories of what we depend on.
pub const DENY: Tool = Tool {
    name: "cargo-deny",
    version: "^0.20",
    purpose: "licences, sources and advisories",
    any_will_do: true,
};

/// Speaks `WebDriver` for the app's window.
pub const TAURI_DRIVER: Tool = Tool {
    name: "tauri-driver",
    version: "^2",
    purpose: "driving the real window",
    any_will_do: false,
};

/// The tool's program, installed into the target folder when it is not there.
///
/// # Errors
/// It cannot be installed; the message says what to do.
pub fn cargo_tool(tool: &Tool) -> Outcome<PathBuf> {
    let folder = house::target().join("tools");
    let own = folder
        .join("bin")
        .join(format!("{}{}", tool.name, env::consts::EXE_SUFFIX));
    if own.is_file() {
        return Ok(own);
    }
    if tool.any_will_do
        && let Some(program) = find(&[tool.name])
    {
        return Ok(program);
    }
    step(
        &format!(
            "{} {} for {} (cargo install into {})",
            tool.name,
            tool.version,
            tool.purpose,
            house::shown(&folder)
        ),
        || {
            let mut install = cargo();
            install
                .args([
                    "install",
                    "--locked",
                    "--version",
                    tool.version,
                    tool.name,
                    "--root",
                ])
                .arg(&folder)
                // Ready soon matters more than fast.
                .env("CARGO_PROFILE_RELEASE_LTO", "off")
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
                .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
                .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
                .env("CARGO_TARGET_DIR", folder.join("build"));
            must(&format!("Installing {}", tool.name), &mut install).map_err(|message| {
            format!(
                "{message}\nIs crates.io reachable from here? `cargo install {} --version {}` by hand works too.",
                tool.name, tool.version
            )
        })
        },
    )?;
    Ok(own)
}
