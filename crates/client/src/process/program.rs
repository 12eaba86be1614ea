//! Finding a program, and saying why it cannot be found or run.

use std::ffi::OsString;
use std::io::{BufRead as _, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use crate::error::{LinkError, LinkErrorKind};

use super::login_shell;

/// A program that was found.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// The PATH that the child needs beside it, where that is not the one it inherits: `npx` found
    /// by the login shell's PATH itself looks for `node`.
    pub(super) child_path: Option<OsString>,
}

/// Finds a program as a shell in `folder` would: by PATH if it is a bare name. The person's own
/// PATH is the only one searched where they set one; else the PATH of this process, and the login
/// shell's only where that does not have it.
pub(super) async fn find(
    command: &str,
    env: &[(String, String)],
    folder: Option<&Path>,
) -> Result<Program, LinkError> {
    if command.trim().is_empty() {
        return Err(
            LinkError::new(LinkErrorKind::CommandNotFound, "No command is given.")
                .with_hint("Enter the program that starts the server, for example npx or python3."),
        );
    }
    let here = match folder {
        Some(folder) => folder.to_owned(),
        None => std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
    };
    if command.contains(std::path::is_separator) {
        return at_path(command, &here);
    }

    let search = |path: &OsString| which::which_in(command, Some(path), &here).ok();
    let is_path = |name: &str| {
        if cfg!(windows) {
            name.eq_ignore_ascii_case("PATH")
        } else {
            name == "PATH"
        }
    };
    if let Some((_, own_path)) = env.iter().rev().find(|(name, _)| is_path(name)) {
        return match search(&OsString::from(own_path)) {
            Some(path) => Ok(Program {
                path,
                child_path: None,
            }),
            None => Err(not_found(command, own_path, "the PATH set for this server")),
        };
    }
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    if let Some(path) = search(&inherited) {
        return Ok(Program {
            path,
            child_path: None,
        });
    }
    let Some(login) = login_shell::path().await else {
        return Err(not_found(
            command,
            &inherited.to_string_lossy(),
            "the PATH of this app",
        ));
    };
    let joined = joined(login, &inherited);
    match search(&joined) {
        Some(path) => Ok(Program {
            path,
            child_path: Some(joined),
        }),
        None => Err(not_found(
            command,
            &joined.to_string_lossy(),
            "the PATH of the login shell and of this app",
        )),
    }
}

/// The login shell's folders, then those of this process that are not among them.
fn joined(login: &str, inherited: &OsString) -> OsString {
    let mut folders: Vec<PathBuf> = std::env::split_paths(login).collect();
    for folder in std::env::split_paths(inherited) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    std::env::join_paths(folders).unwrap_or_else(|_| OsString::from(login))
}

/// A leading `~/` becomes the home folder, as people know it from their shell.
pub(super) fn expand_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

fn at_path(command: &str, here: &Path) -> Result<Program, LinkError> {
    let path = here.join(expand_home(Path::new(command)));
    // `which` knows what counts as a program on each system.
    if let Ok(path) = which::which_in(&path, None::<OsString>, here) {
        return Ok(Program {
            path,
            child_path: None,
        });
    }
    let shown = path.display();
    Err(match std::fs::metadata(&path) {
        Ok(meta) if meta.is_dir() => LinkError::new(
            LinkErrorKind::CannotRun,
            format!("{shown} is a folder, not a program."),
        )
        .with_hint("Give the program inside it."),
        Ok(_) => LinkError::new(
            LinkErrorKind::CannotRun,
            format!("{shown} is not marked as a program (no execute permission)."),
        )
        .with_hint(format!(
            "Run chmod +x on it, or start it with its interpreter, for example python3 {command}."
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => LinkError::new(
            LinkErrorKind::CommandNotFound,
            format!("There is no program at {shown}."),
        )
        .with_hint("Check the path. A relative one starts at the working folder."),
        Err(error) => LinkError::new(
            LinkErrorKind::CannotRun,
            format!("The program {shown} cannot be reached: {error}."),
        )
        .with_hint("Check the permissions of the folders above it."),
    })
}

fn not_found(command: &str, searched: &str, whose: &str) -> LinkError {
    let hint = if command.contains(char::is_whitespace) {
        "Put only the program into the command; its arguments go into their own field.".to_owned()
    } else {
        match command {
            "npx" | "npm" | "node" => "Install Node.js, which brings it.".to_owned(),
            "uvx" | "uv" => "Install uv, which brings it.".to_owned(),
            "python" => "Try python3, or install Python.".to_owned(),
            "python3" | "pip" | "pip3" | "pipx" => format!("Install Python and {command}."),
            "docker" | "podman" | "deno" | "java" | "dotnet" | "go" | "cargo" | "ruby" | "php" => {
                format!("Install {command}.")
            }
            "bun" | "bunx" => "Install Bun, which brings it.".to_owned(),
            _ => "Check the spelling, install it, or give the program's full path.".to_owned(),
        }
    };
    let searched = if searched.is_empty() {
        "empty"
    } else {
        searched
    };
    LinkError::new(
        LinkErrorKind::CommandNotFound,
        format!("The command {command} was not found. Searched: {whose} ({searched})."),
    )
    .with_hint(hint)
}

/// Why a program that is there could not be started.
pub(super) fn start_error(error: &std::io::Error, command: &str, path: &Path) -> LinkError {
    let shown = path.display();
    let (what, hint) = match error.kind() {
        ErrorKind::NotFound => match interpreter(path) {
            Some(interpreter) => (
                format!("its first line names {interpreter}, which is not there"),
                format!("Install {interpreter}, or correct the first line of {shown}."),
            ),
            None => (
                "the system does not find what it needs to run it".to_owned(),
                "It may be made for another system: run it in a terminal to see.".to_owned(),
            ),
        },
        ErrorKind::PermissionDenied => (
            "permission denied".to_owned(),
            format!(
                "Check that you may run {shown} in a terminal, and that its disk allows programs."
            ),
        ),
        ErrorKind::ExecutableFileBusy => (
            "the file is being written".to_owned(),
            "Wait until its build or download has finished.".to_owned(),
        ),
        ErrorKind::ArgumentListTooLong => (
            "the arguments and environment are too long".to_owned(),
            "Pass less on the command line; use a file.".to_owned(),
        ),
        ErrorKind::InvalidInput => (
            "an argument holds a NUL character".to_owned(),
            "Correct the arguments.".to_owned(),
        ),
        // ENOEXEC has no kind of its own.
        _ if cfg!(unix) && error.raw_os_error() == Some(8) => (
            "it is neither a program for this machine nor a script with a #! line".to_owned(),
            "Start it with its interpreter, for example python3 or sh.".to_owned(),
        ),
        _ => (
            error.to_string(),
            format!("Run {command} in a terminal to see more."),
        ),
    };
    LinkError::new(
        LinkErrorKind::CannotRun,
        format!("The program {shown} cannot be run: {what}."),
    )
    .with_hint(hint)
}

/// What a script's `#!` line names.
fn interpreter(path: &Path) -> Option<String> {
    let file = std::fs::File::open(path).ok()?;
    let mut line = Vec::new();
    std::io::BufReader::new(file.take(256))
        .read_until(b'\n', &mut line)
        .ok()?;
    let line = String::from_utf8_lossy(&line);
    let interpreter = line.strip_prefix("#!")?.split_ascii_whitespace().next()?;
    Some(interpreter.to_owned())
}
