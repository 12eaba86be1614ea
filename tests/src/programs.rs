//! Where the programs are that the tests run. `cargo xtask` says it by environment variables, after it has built or
//! installed them; a plain `cargo nextest run -p tests` finds what an earlier build left.

use std::env;
use std::path::{Path, PathBuf};

/// The app: a build of `roundtrip` with its interface in it (`ROUNDTRIP_TEST_APP`).
pub fn app() -> PathBuf {
    named("ROUNDTRIP_TEST_APP").unwrap_or_else(|| built("roundtrip"))
}

/// The demo server (`ROUNDTRIP_TEST_DEMO_SERVER`).
pub fn demo_server() -> PathBuf {
    named("ROUNDTRIP_TEST_DEMO_SERVER").unwrap_or_else(|| built("roundtrip-demo-server"))
}

/// The core without a window (`ROUNDTRIP_TEST_CLI`).
pub fn cli() -> PathBuf {
    named("ROUNDTRIP_TEST_CLI").unwrap_or_else(|| built("roundtrip-cli"))
}

/// tauri-driver 2, between a `WebDriver` client and the window (`ROUNDTRIP_TEST_TAURI_DRIVER`).
pub fn tauri_driver() -> PathBuf {
    named("ROUNDTRIP_TEST_TAURI_DRIVER").unwrap_or_else(|| target().join("tools/bin/tauri-driver"))
}

/// The driver of the web view (`ROUNDTRIP_TEST_WEBKIT_DRIVER`).
pub fn web_kit_driver() -> PathBuf {
    named("ROUNDTRIP_TEST_WEBKIT_DRIVER").unwrap_or_else(|| "WebKitWebDriver".into())
}

/// Node.js (`ROUNDTRIP_TEST_NODE`).
pub fn node() -> PathBuf {
    named("ROUNDTRIP_TEST_NODE").unwrap_or_else(|| "node".into())
}

/// The folder of test servers on Node.js, with its packages installed (`ROUNDTRIP_TEST_SERVERS`).
pub fn servers() -> PathBuf {
    named("ROUNDTRIP_TEST_SERVERS")
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("servers"))
}

/// The server that is odd in a chosen way; Python 3 runs it.
pub fn odd_server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("servers/odd.py")
}

/// The server that plays a script of faults; Python 3 runs it.
pub fn hostile_server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("servers/hostile.py")
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

fn built(name: &str) -> PathBuf {
    target()
        .join("debug")
        .join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// The folder that everything is built into.
pub fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target"),
    }
}
