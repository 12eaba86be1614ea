//! Where things are.

use std::env;
use std::path::{Path, PathBuf};

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Cargo's target folder, wherever the person has put it.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// A program that the build made. `profile` is the folder's name: `debug` or `release`.
pub fn built(profile: &str, name: &str) -> PathBuf {
    target()
        .join(profile)
        .join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// The folder of the interface's sources.
pub fn interface() -> PathBuf {
    root().join("ui")
}

/// The generated TypeScript.
pub fn bindings() -> PathBuf {
    interface().join("src/lib/bindings")
}

/// A path as a person reads it: from the workspace's folder.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}
