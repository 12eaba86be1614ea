//! The program, run once, and what came of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use journal::event::{EventBody, EventSeq};
use journal::log::Journal;
use serde_json::Value;
use tempfile::TempDir;
use tests::programs;

pub const BOOKING: &str =
    r#"{"name":"book_table","arguments":{"restaurant":"Trattoria Lucia","date":"2026-12-04"}}"#;
pub const FORM: &str =
    r#"{"party_size":4,"seating":"terrace","email":"ana@example.com","remind":true}"#;
pub const ENDLESS: &str = r#"{"name":"slow_count","arguments":{"steps":600,"step_millis":1000}}"#;

/// How a run ended.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// The events of `--json`.
    pub fn events(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect()
    }

    pub fn event(&self, name: &str) -> Value {
        self.events()
            .into_iter()
            .find(|event| event["event"] == name)
            .unwrap_or_else(|| panic!("no {name} in {}\n{}", self.stdout, self.stderr))
    }

    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(programs::cli());
    command
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("ROUNDTRIP_DATA_DIR");
    command
}

pub fn run(arguments: &[&str]) -> Ran {
    Ran::of(command(arguments).output().expect("the program runs"))
}

/// Runs it against the demo server over stdio.
pub fn run_demo(arguments: &[&str]) -> Ran {
    let demo = programs::demo_server();
    let demo = demo.to_string_lossy();
    run(&[arguments, &["--", &demo, "stdio"]].concat())
}

pub fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

pub fn shown(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The events of a recording, as far as a test looks at them: sent messages.
pub fn sent(recording: &Path) -> Vec<String> {
    let (journal, _) = Journal::open(recording).expect("a recording");
    (0..journal.len())
        .filter_map(
            |seq| match journal.event(EventSeq(seq)).expect("an event").body {
                EventBody::Frame {
                    direction: wire_direction,
                    bytes,
                    ..
                } if format!("{wire_direction:?}") == "Sent" => {
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                }
                _ => None,
            },
        )
        .collect()
}
