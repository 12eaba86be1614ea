//! Declares the shell's commands to Tauri's permission system, and lets the crate build before the UI has been built.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// The page of a build without a UI. It has neither a script nor an inline style: the strict policy holds here too.
const PLACEHOLDER: &str = "<!doctype html>
<html lang=\"en\">
  <head>
    <meta charset=\"utf-8\" />
    <title>Roundtrip</title>
  </head>
  <body>
    <h1>This build of Roundtrip has no user interface</h1>
    <p>The interface had not been built when the app was compiled. Run <code>cargo xtask run</code>: it builds both.</p>
  </body>
</html>
";

fn main() -> io::Result<()> {
    let interface = Path::new("../ui/dist");
    // Tauri embeds the files of this folder; a new interface makes a new app.
    println!("cargo:rerun-if-changed={}", interface.display());
    println!("cargo:rerun-if-changed=../icons");

    if !interface.join("index.html").is_file() && env::var_os("TAURI_CONFIG").is_none() {
        let folder = placeholder()?;
        println!(
            "cargo:warning=ui/dist/index.html is missing: the app will only show how to build its interface. \
             `cargo xtask run` builds it."
        );
        let merge = serde_json::json!({ "build": { "frontendDist": folder } });
        // Read by `tauri::generate_context!` while it compiles the crate.
        println!("cargo:rustc-env=TAURI_CONFIG={merge}");
    }

    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(
        tauri_build::AppManifest::new().commands(&[
            "rpc",
            "attach",
            "pop_out",
            "close_asked",
            "zoom",
            "pick_folders",
            "save_content_as",
            "save_export",
            "import_file",
        ]),
    ))
    .map_err(|error| io::Error::other(format!("{error:#}")))?;
    link_small();
    Ok(())
}

/// Has the linker make a small release binary: one copy of functions that are the same byte by byte, of which generic
/// code has many, and relocations in their packed form. Only LLD, which is Rust's own linker on this platform, is known
/// to understand the one, and only a glibc from 2.36 on the other: what is built here runs here.
fn link_small() {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|is| is == value);
    if !is("PROFILE", "release") || !is("TARGET", "x86_64-unknown-linux-gnu") {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    if is("HOST", "x86_64-unknown-linux-gnu") && glibc().is_some_and(|version| version >= (2, 36)) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's C library.
fn glibc() -> Option<(u32, u32)> {
    let told = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let told = String::from_utf8(told.stdout).ok()?;
    let (major, minor) = told.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Writes the placeholder page beside cargo's other products of this build.
fn placeholder() -> io::Result<PathBuf> {
    let out = env::var_os("OUT_DIR")
        .ok_or_else(|| io::Error::other("cargo sets OUT_DIR for build scripts"))?;
    let folder = Path::new(&out).join("no-interface");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("index.html"), PLACEHOLDER)?;
    Ok(folder)
}
