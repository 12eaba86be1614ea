//! Running other programs: aloud, or quietly with their output kept for when they fail.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use crate::{Outcome, house};

/// How often a quiet program that takes long says that it is still at work.
const SIGN_OF_LIFE: Duration = Duration::from_secs(30);

/// What a quiet program did.
pub struct Ended {
    /// Whether it exited with 0.
    pub success: bool,
    /// Both its streams, in the order they came.
    pub output: String,
    /// How it ended, in words.
    pub how: String,
}

/// A program to be started in the workspace's folder.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(house::root());
    command
}

/// The cargo that runs this program.
pub fn cargo() -> Command {
    let mut cargo = command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Set for this program by the cargo that runs it; another cargo would take them for its own package's.
    for name in [
        "CARGO_MANIFEST_DIR",
        "CARGO_MANIFEST_PATH",
        "CARGO_PKG_NAME",
        "CARGO_PKG_VERSION",
    ] {
        cargo.env_remove(name);
    }
    cargo
}

/// npm, by the name that each platform has for it.
pub fn npm(folder: &Path) -> Command {
    let mut npm = command(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.current_dir(folder);
    npm
}

/// The first of `names` that is in PATH.
pub fn find(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names.iter().find_map(|name| {
        folders
            .iter()
            .map(|folder| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
            .find(|file| file.is_file())
    })
}

/// What a program prints on stdout when it succeeds; `None` when it is not there or fails.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a program with this terminal as its own.
///
/// # Errors
/// It cannot be started, or it fails; `what` says what it was for.
pub fn aloud(what: &str, command: &mut Command) -> Outcome {
    let status = command
        .status()
        .map_err(|error| not_started(what, command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{what} failed ({status}): {}", line(command)))
    }
}

/// Runs a program and keeps what it prints. Says every half minute that it is still at work, and what it last printed.
///
/// # Errors
/// It cannot be started.
pub fn quietly(what: &str, command: &mut Command) -> Outcome<Ended> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_started(what, command, &error))?;
    let output = Arc::new(Mutex::new(String::new()));
    let (done, ended) = mpsc::channel::<()>();
    let mut readers = Vec::new();
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|s| Box::new(s) as _),
        child.stderr.take().map(|s| Box::new(s) as _),
    ];
    for stream in streams.into_iter().flatten() {
        let output = Arc::clone(&output);
        let done = done.clone();
        readers.push(thread::spawn(move || {
            keep_lines(stream, &output);
            drop(done);
        }));
    }
    drop(done);
    let started = Instant::now();
    // Nothing is ever sent: the wait ends when both readers have dropped their ends.
    while let Err(mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(SIGN_OF_LIFE) {
        let kept = output.lock().unwrap_or_else(PoisonError::into_inner);
        let last = kept
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("")
            .trim();
        let last: String = last.chars().take(90).collect();
        println!("    … {what}, {} s: {last}", started.elapsed().as_secs());
    }
    for reader in readers {
        if reader.join().is_err() {
            return Err(format!("{what}: its output could not be read"));
        }
    }
    let status = child.wait().map_err(|error| format!("{what}: {error}"))?;
    let output = std::mem::take(&mut *output.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Ended {
        success: status.success(),
        output,
        how: status.to_string(),
    })
}

/// Runs a program quietly, and prints what it printed when it fails.
///
/// # Errors
/// It cannot be started, or it fails.
pub fn must(what: &str, command: &mut Command) -> Outcome {
    let ended = quietly(what, command)?;
    if ended.success {
        return Ok(());
    }
    print_block(&ended.output);
    Err(format!("{what} failed ({}): {}", ended.how, line(command)))
}

/// Does `work` between a line that names it and its duration.
///
/// # Errors
/// Those of `work`.
pub fn step<T>(what: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let started = Instant::now();
    println!("▸ {what}");
    let result = work()?;
    let took = started.elapsed();
    if took >= Duration::from_millis(300) {
        println!("    {}", seconds(took));
    }
    Ok(result)
}

/// A duration for people.
pub fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

/// Prints a program's output as a block that can be told from our own lines.
pub fn print_block(text: &str) {
    let colour = io::stdout().is_terminal();
    let mut out = io::stdout().lock();
    for line in text.lines() {
        let bar = if colour {
            "\u{1b}[2m│\u{1b}[0m"
        } else {
            "│"
        };
        // A closed stdout ends the program at its next line anyway.
        if writeln!(out, "  {bar} {line}").is_err() {
            return;
        }
    }
}

/// The command as a person would type it.
pub fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .map(|word| {
            if word.contains([' ', '"', '(']) {
                format!("'{word}'")
            } else {
                word.into_owned()
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

fn not_started(what: &str, command: &Command, error: &io::Error) -> String {
    let program = command.get_program().to_string_lossy();
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!("{what}: the program `{program}` is not there. Install it, or put it in PATH.")
        }
        _ => format!("{what}: `{program}` cannot be started: {error}"),
    }
}

fn keep_lines(stream: impl Read, output: &Mutex<String>) {
    let mut reader = BufReader::new(stream);
    let mut bytes = Vec::new();
    while reader
        .read_until(b'\n', &mut bytes)
        .is_ok_and(|count| count > 0)
    {
        output
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_str(&String::from_utf8_lossy(&bytes));
        bytes.clear();
    }
}
