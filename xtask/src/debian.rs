//! Debian's packages, and what to do where there are none.

use std::process::Command;

use crate::Outcome;
use crate::program::{aloud, answer, command, find};

/// A package and why it is needed.
pub struct Package {
    /// The package's name.
    pub name: &'static str,
    /// What it is for, to follow "for".
    pub purpose: &'static str,
    /// Any of these programs in PATH will do instead, whatever package they came from.
    pub or_programs: &'static [&'static str],
}

const fn package(name: &'static str, purpose: &'static str) -> Package {
    Package {
        name,
        purpose,
        or_programs: &[],
    }
}

const fn package_or(
    name: &'static str,
    purpose: &'static str,
    or_programs: &'static [&'static str],
) -> Package {
    Package {
        name,
        purpose,
        or_programs,
    }
}

/// What the app is built with.
pub const TO_BUILD: &[Package] = &[
    package(
        "build-essential",
        "the C compiler and linker that Rust calls",
    ),
    package("pkg-config", "finding the libraries below"),
    package(
        "libwebkit2gtk-4.1-dev",
        "the web view that shows the interface",
    ),
];

/// What the tests need more.
pub const TO_TEST: &[Package] = &[
    package_or("xvfb", "a screen for the window tests", &["xvfb-run"]),
    package_or("xauth", "access to that screen", &["xauth"]),
    package_or(
        "webkit2gtk-driver",
        "driving the real window as a person would",
        &["WebKitWebDriver"],
    ),
    package_or(
        "dbus",
        "a session bus of the tests' own",
        &["dbus-run-session"],
    ),
    package_or(
        "gnome-keyring",
        "a throwaway keyring",
        &["gnome-keyring-daemon"],
    ),
    package_or(
        "chromium",
        "the interface's tests in a browser",
        &[
            "chromium",
            "chromium-browser",
            "google-chrome",
            "google-chrome-stable",
        ],
    ),
];

/// What the app is measured against.
pub const TO_MEASURE: &[Package] = &[package_or(
    "ripgrep",
    "the speed of a search to compare with",
    &["rg"],
)];

/// What packages of the app are made with.
pub const TO_DIST: &[Package] = &[
    package("librsvg2-dev", "icons in the AppImage"),
    package_or("file", "telling libraries from data", &["file"]),
    package_or(
        "xdg-utils",
        "desktop integration in the AppImage",
        &["xdg-mime"],
    ),
];

/// Installs those of `packages` that are missing, after saying which and why.
///
/// # Errors
/// This is no Debian and something is missing; or the installation fails. The message says what to do by hand.
pub fn install(packages: &[&[Package]]) -> Outcome {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    if find(&["dpkg-query"]).is_none() {
        return elsewhere(packages);
    }
    let missing: Vec<&Package> = packages
        .iter()
        .copied()
        .flatten()
        .filter(|package| !is_there(package))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("These Debian packages are missing and will be installed with apt-get:");
    for package in &missing {
        println!("    {:<24} for {}", package.name, package.purpose);
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    let by_hand = format!("Install them yourself: apt-get install {}", names.join(" "));
    // The lists may be old or absent; a failure here shows again, and better, in the next command.
    if let Err(message) = aloud("apt-get update", apt_get()?.args(["update", "-q"])) {
        println!("{message}\nGoing on with the package lists that are here.");
    }
    let mut install = apt_get()?;
    install
        .args(["install", "-q", "-y", "--no-install-recommends"])
        .args(&names);
    aloud("Installing Debian packages", &mut install)
        .map_err(|message| format!("{message}\n{by_hand}"))
}

fn is_there(package: &Package) -> bool {
    if !package.or_programs.is_empty() && find(package.or_programs).is_some() {
        return true;
    }
    answer(command("dpkg-query").args(["--show", "--showformat=${db:Status-Status}", package.name]))
        .is_some_and(|status| status == "installed")
}

/// apt-get, through sudo for those who are not root. Never asks a question.
fn apt_get() -> Outcome<Command> {
    let root = answer(command("id").arg("-u")).is_some_and(|id| id == "0");
    if root {
        let mut apt = command("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive");
        return Ok(apt);
    }
    if find(&["sudo"]).is_none() {
        return Err("You are not root and there is no sudo: install the packages above as root, then try again.".into());
    }
    let mut sudo = command("sudo");
    sudo.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    Ok(sudo)
}

/// A Linux without dpkg: looks for what can be looked for, and names it.
fn elsewhere(packages: &[&[Package]]) -> Outcome {
    let mut missing = Vec::new();
    for package in packages.iter().copied().flatten() {
        let there = match package.name {
            "build-essential" => find(&["cc"]).is_some(),
            "pkg-config" => find(&["pkg-config"]).is_some(),
            "libwebkit2gtk-4.1-dev" => {
                answer(command("pkg-config").args(["--exists", "webkit2gtk-4.1"])).is_some()
            }
            _ => package.or_programs.is_empty() || find(package.or_programs).is_some(),
        };
        if !there {
            missing.push(format!("    {:<24} for {}", package.name, package.purpose));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "This Linux has no dpkg, so nothing is installed for you. Missing, by Debian's names:\n{}\n\
         Your distribution's names are at https://v2.tauri.app/start/prerequisites/",
        missing.join("\n")
    ))
}
