//! Child processes: found, started in a group of their own, and ended with all their descendants.

mod login_shell;
mod program;
mod status;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod watchdog;
#[cfg(windows)]
mod windows;

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use crate::error::{LinkError, LinkErrorKind};

pub(crate) use status::in_words;
#[cfg(unix)]
pub(crate) use unix::ProcessTree;
#[cfg(windows)]
pub(crate) use windows::ProcessTree;

/// What to start; see [`crate::LinkSpec::Stdio`].
#[derive(Debug)]
pub(crate) struct ProcessSpec {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) folder: Option<PathBuf>,
}

/// A running child with its pipes.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) tree: ProcessTree,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Finds the program and starts it as the leader of a new process group.
pub(crate) async fn start(spec: ProcessSpec) -> Result<Started, LinkError> {
    let folder = spec.folder.as_deref().map(existing_folder).transpose()?;
    check_environment(&spec.env)?;
    let program = program::find(&spec.command, &spec.env, folder.as_deref()).await?;

    let mut command = Command::new(&program.path);
    command
        .args(&spec.args)
        .envs(utf8_environment(&spec.env))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(path) = program.child_path {
        command.env("PATH", path);
    }
    command.envs(spec.env.iter().map(|(name, value)| (name, value)));
    if let Some(folder) = &folder {
        command.current_dir(folder);
    }
    ProcessTree::start(command)
        .map_err(|error| program::start_error(&error, &spec.command, &program.path))
}

fn existing_folder(folder: &Path) -> Result<PathBuf, LinkError> {
    let folder = program::expand_home(folder);
    let problem = match std::fs::metadata(&folder) {
        Ok(meta) if meta.is_dir() => return Ok(folder),
        Ok(_) => "it is not a folder".to_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            "it does not exist".to_owned()
        }
        Err(error) => error.to_string(),
    };
    Err(LinkError::new(
        LinkErrorKind::FolderNotFound,
        format!(
            "The working folder {} cannot be used: {problem}.",
            folder.display()
        ),
    )
    .with_hint("Choose a folder that exists, or leave it empty."))
}

fn check_environment(env: &[(String, String)]) -> Result<(), LinkError> {
    for (name, value) in env {
        let problem = if name.is_empty() {
            "has no name"
        } else if name.contains('=') {
            "has a name with `=` in it"
        } else if name.contains('\0') || value.contains('\0') {
            "holds a NUL character"
        } else {
            continue;
        };
        return Err(LinkError::new(
            LinkErrorKind::CannotRun,
            format!(
                "The environment variable `{}` {problem}.",
                name.escape_debug()
            ),
        )
        .with_hint("Correct or remove the variable."));
    }
    Ok(())
}

/// Variables that make a child speak UTF-8, as the protocol demands, where nothing says otherwise.
/// The person's own variables are set after these and win.
fn utf8_environment(own: &[(String, String)]) -> Vec<(&'static str, &'static str)> {
    if cfg!(windows) {
        // Python writes the ANSI code page to a pipe otherwise.
        return vec![("PYTHONUTF8", "1"), ("PYTHONIOENCODING", "utf-8")];
    }
    let is_set = |name: &str| {
        own.iter()
            .any(|(own_name, value)| own_name == name && !value.is_empty())
            || std::env::var_os(name).is_some_and(|value| !value.is_empty())
    };
    if ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().any(is_set) {
        Vec::new()
    } else if cfg!(target_os = "macos") {
        // A desktop launcher sets no locale.
        vec![("LC_CTYPE", "UTF-8")]
    } else {
        vec![("LC_CTYPE", "C.UTF-8")]
    }
}
