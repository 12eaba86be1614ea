//! `cargo xtask bindings`

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::program::{cargo, must, step};
use crate::{Outcome, house};

pub const HELP: &str = "\
cargo xtask bindings [--check]

Writes the TypeScript of everything that crosses to the interface into ui/src/lib/bindings, from the Rust types.

  --check   Write nothing; fail when what is there is not what would be written
";

/// Runs the command.
///
/// # Errors
/// The types cannot be exported; with `--check`, also when they differ from what is committed.
pub fn run(arguments: &[String]) -> Outcome<ExitCode> {
    match arguments {
        [] => step("The bindings (from crates/app)", write)?,
        [word] if word == "--check" => step("The bindings, compared with crates/app", check)?,
        _ => return Err(format!("What is {arguments:?}?\n\n{HELP}")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails when the committed bindings are not those of the Rust types, naming the files.
///
/// # Errors
/// They differ, or cannot be made.
pub fn check() -> Outcome {
    let fresh = read(&export()?)?;
    let kept = read(&house::bindings())?;
    let mut differing: Vec<String> = Vec::new();
    for name in fresh.keys().chain(kept.keys()) {
        let what = match (kept.get(name), fresh.get(name)) {
            (None, _) => "is missing",
            (_, None) => "is of no type any more",
            (kept, fresh) if kept != fresh => "is out of date",
            _ => continue,
        };
        let line = format!("    {} {what}", house::shown(&house::bindings().join(name)));
        if !differing.contains(&line) {
            differing.push(line);
        }
    }
    if differing.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "The bindings differ from the Rust types:\n{}\n`cargo xtask bindings` writes them anew.",
            differing.join("\n")
        ))
    }
}

fn write() -> Outcome {
    let fresh = read(&export()?)?;
    let folder = house::bindings();
    let told = |error: std::io::Error| format!("{} cannot be written: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(told)?;
    let mut changed = 0;
    for (name, text) in &fresh {
        let file = folder.join(name);
        if fs::read_to_string(&file).is_ok_and(|kept| &kept == text) {
            continue;
        }
        fs::create_dir_all(file.parent().unwrap_or(&folder))
            .and_then(|()| fs::write(&file, text))
            .map_err(told)?;
        changed += 1;
    }
    for name in read(&folder)?
        .keys()
        .filter(|name| !fresh.contains_key(*name))
    {
        fs::remove_file(folder.join(name)).map_err(told)?;
        changed += 1;
    }
    println!("    {} files, {changed} changed", fresh.len());
    Ok(())
}

/// Lets the app crate's export tests write into a folder of the target folder, and answers with it.
fn export() -> Outcome<PathBuf> {
    let folder = house::target().join("bindings");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("{} cannot be emptied: {error}", folder.display()))?;
    }
    let mut test = cargo();
    // The workspace is selected, as in every other build: see `run::build_command`.
    test.args([
        "test",
        "--locked",
        "--workspace",
        "--test",
        "export_bindings",
    ])
    .env("TS_RS_EXPORT_DIR", &folder);
    must("Exporting the types", &mut test)?;
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err("The app crate has no test `export_bindings` that writes to TS_RS_EXPORT_DIR.".into())
    }
}

/// Every TypeScript file below a folder, by its path in it.
fn read(folder: &Path) -> Outcome<BTreeMap<PathBuf, String>> {
    let mut files = BTreeMap::new();
    if folder.is_dir() {
        read_into(folder, folder, &mut files)
            .map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    }
    Ok(files)
}

fn read_into(
    base: &Path,
    folder: &Path,
    files: &mut BTreeMap<PathBuf, String>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_into(base, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "ts") {
            files.insert(
                path.strip_prefix(base).unwrap_or(&path).to_path_buf(),
                fs::read_to_string(&path)?,
            );
        }
    }
    Ok(())
}
