//! The interface: its packages and its build.

use std::path::PathBuf;

use crate::program::{answer, command, must, npm, step};
use crate::stamp::Stamp;
use crate::{Outcome, house};

/// The oldest Node.js that the interface's tools run on.
const NODE_AT_LEAST: (u32, u32) = (20, 19);

/// Installs the interface's packages by its lock file, unless that was done for this lock file.
///
/// # Errors
/// Node.js or npm is missing or too old; or npm fails.
pub fn install() -> Outcome {
    check_node()?;
    install_locked(
        "The interface's packages",
        &house::interface(),
        "interface-packages",
    )
}

/// `npm ci` in a folder, unless it was done for this lock file.
///
/// # Errors
/// npm fails; the message says what to try.
pub fn install_locked(what: &str, folder: &std::path::Path, name: &str) -> Outcome {
    let stamp = Stamp::of(
        name,
        &[
            folder.join("package-lock.json"),
            folder.join("package.json"),
        ],
        &[],
    )?;
    if stamp.is_current() && folder.join("node_modules").is_dir() {
        return Ok(());
    }
    step(
        &format!("{what} (npm ci in {})", house::shown(folder)),
        || {
            must(
                "npm ci",
                npm(folder).args(["ci", "--no-audit", "--no-fund"]),
            )
            .map_err(|message| {
                format!(
                    "{message}\nIs the npm registry reachable from here? `npm ping` in {} tells.",
                    house::shown(folder)
                )
            })
        },
    )?;
    stamp.keep()
}

/// Builds the interface, unless it was built from these sources.
///
/// # Errors
/// The packages cannot be installed, or the build fails.
pub fn build() -> Outcome {
    install()?;
    let folder = house::interface();
    let stamp = Stamp::of(
        "interface",
        &sources(),
        &["node_modules", "dist", "dist-fake", "tests"],
    )?;
    if stamp.is_current() && folder.join("dist/index.html").is_file() {
        return Ok(());
    }
    step("The interface (vite build)", || {
        must(
            "The interface's build",
            npm(&folder).args(["run", "--silent", "build"]),
        )
    })?;
    stamp.keep()
}

/// Everything that the interface is built from.
fn sources() -> Vec<PathBuf> {
    let folder = house::interface();
    [
        "src",
        "public",
        "index.html",
        "package-lock.json",
        "package.json",
        "svelte.config.js",
        "tsconfig.json",
        "vite.config.ts",
    ]
    .iter()
    .map(|name| folder.join(name))
    .collect()
}

/// Whether Node.js and npm are here and new enough.
///
/// # Errors
/// They are not; the message says how to get them.
pub fn check_node() -> Outcome {
    let get = "Get it from https://nodejs.org or from your system's packages; npm comes with it.";
    let (major, minor) = NODE_AT_LEAST;
    let Some(version) = answer(command("node").arg("--version")) else {
        return Err(format!(
            "Node.js {major}.{minor} or newer is needed to build the interface, and `node` is not in PATH. {get}"
        ));
    };
    if read_version(&version).is_none_or(|found| found < NODE_AT_LEAST) {
        return Err(format!(
            "Node.js {major}.{minor} or newer is needed to build the interface; this is {version}. {get}"
        ));
    }
    if answer(npm(&house::root()).arg("--version")).is_none() {
        return Err(format!(
            "npm is needed to build the interface, and it is not in PATH. {get}"
        ));
    }
    Ok(())
}

/// `v20.20.2` → (20, 20)
pub fn read_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().trim_start_matches('v').split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_version_is_read() {
        assert_eq!(read_version("v20.20.2\n"), Some((20, 20)));
        assert_eq!(read_version("22.1.0-nightly"), Some((22, 1)));
        assert_eq!(read_version("unknown"), None);
    }
}
