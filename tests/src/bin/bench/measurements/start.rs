//! From the start of the program to a window that can be used, and the memory of it when it idles.
//!
//! With `ROUNDTRIP_REPORT_READY` set the program says `roundtrip: ready` on stderr once both are true: its window has
//! been shown, and its page has applied the first batch of the feed (the servers are in the page and its buttons work),
//! which the core learns by the batch's acknowledgement. What is measured ends when that line arrives; the picture
//! follows within a frame. No driver takes part, because one slows the start it would measure. Each start has an empty
//! data folder of its own; the first, which reads the program from the disk, is left out.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, thread};

use tempfile::TempDir;
use tests::programs;

use super::report::{Figure, Goal, Unit};
use super::samples::Samples;
use super::{Outcome, memory};

const RUNS: usize = 7;
const START_GOAL: f64 = 450.0;
const MEMORY_GOAL: f64 = 250.0;
/// How long it idles before its memory is looked at.
const IDLE: Duration = Duration::from_secs(5);
/// A start that takes longer has failed.
const PATIENCE: Duration = Duration::from_mins(1);
/// What the program says.
const READY: &str = "roundtrip: ready";

/// Measures both.
///
/// # Errors
/// The program does not start, or does not say that it is ready.
pub async fn measure() -> Outcome<Vec<Figure>> {
    tokio::task::spawn_blocking(starts)
        .await
        .map_err(|error| error.to_string())?
}

fn starts() -> Outcome<Vec<Figure>> {
    if env::var_os("DISPLAY").is_none() {
        return Err("there is no display; `cargo xtask bench` brings one".to_owned());
    }
    let mut times = Samples::default();
    let mut memory = (0.0, 0);
    for run in 0..=RUNS {
        let window = Window::open()?;
        if run > 0 {
            times.add(window.took);
        }
        if run == RUNS {
            thread::sleep(IDLE);
            memory = memory::pss_mib(window.child.id())?;
        }
    }
    Ok(vec![
        Figure {
            key: "start_to_interactive_ms",
            what: "from the start to a window that can be used".to_owned(),
            value: times.median_millis(),
            unit: Unit::Millis,
            goal: Some(Goal::AtMost(START_GOAL)),
            note: format!(
                "median of {RUNS}; from {:.0} to {:.0} ms",
                times.quantile_millis(0.0),
                times.quantile_millis(1.0)
            ),
        },
        Figure {
            key: "idle_pss_mib",
            what: "memory of all its processes when idle".to_owned(),
            value: memory.0,
            unit: Unit::Mebibytes,
            goal: Some(Goal::AtMost(MEMORY_GOAL)),
            note: format!("{} processes, 5 s after the start", memory.1),
        },
    ])
}

/// A program whose window can be used.
struct Window {
    child: Child,
    took: Duration,
    _folder: TempDir,
}

impl Window {
    fn open() -> Outcome<Self> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
        let program = programs::app();
        let begun = Instant::now();
        let mut child = Command::new(&program)
            .env("ROUNDTRIP_DATA_DIR", folder.path())
            .env("ROUNDTRIP_REPORT_READY", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{} could not be started: {error}", program.display()))?;
        let (said, ready) = mpsc::channel();
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || {
                // Read to the end, so that it never meets a closed pipe.
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    if line == READY {
                        // Only the first counts, and only while somebody waits for it.
                        said.send(Instant::now()).ok();
                    } else {
                        eprintln!("{line}");
                    }
                }
            });
        }
        let ready = ready.recv_timeout(PATIENCE);
        let mut window = Self {
            child,
            took: Duration::ZERO,
            _folder: folder,
        };
        match ready {
            Ok(at) => window.took = at - begun,
            Err(error) => {
                return Err(format!(
                    "{} did not say that it is ready: {error}",
                    program.display()
                ));
            }
        }
        Ok(window)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // In order, so that the web view's processes end with it.
        let pid = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid {
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).ok();
        }
        self.child.wait().ok();
    }
}
