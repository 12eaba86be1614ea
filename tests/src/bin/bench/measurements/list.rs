//! `roundtrip-cli list` as a whole process, from its start to its end, against one `curl` that makes the same exchange:
//! the same messages and headers, one after another on one connection. What Roundtrip sends is read from a recording of
//! its own first run, so that nothing is left out on either side.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use journal::event::{EventBody, EventSeq};
use journal::log::Journal;
use tests::programs;

use super::Outcome;
use super::demo::OverHttp;
use super::report::{Figure, Unit};
use super::samples::Samples;

const RUNS: usize = 40;
/// The first runs read the programs from the disk.
const WARM_UP: usize = 5;

/// Measures by turns.
///
/// # Errors
/// A program does not run, or they do not get the same.
pub async fn measure() -> Outcome<Vec<Figure>> {
    tokio::task::spawn_blocking(by_turns)
        .await
        .map_err(|error| error.to_string())?
}

fn by_turns() -> Outcome<Vec<Figure>> {
    let server = OverHttp::start()?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let recording = folder.path().join("list.mcpr");
    let mut recorded = cli(&server.url);
    recorded.arg("--record").arg(&recording);
    let listed = output(&mut recorded)?;
    let mut curl = curl(&recording)?;
    // What the list shows must be in what curl got.
    let got = output(&mut curl)?;
    for line in listed.lines() {
        let name = line.split_whitespace().next().unwrap_or_default();
        if !got.contains(&format!("\"{name}\"")) {
            return Err(format!(
                "curl was not told of {name}, so the exchanges differ"
            ));
        }
    }
    let (mut ours, mut bare) = (Samples::default(), Samples::default());
    for run in 0..WARM_UP + RUNS {
        let began = Instant::now();
        output(&mut cli(&server.url))?;
        let took = began.elapsed();
        let began = Instant::now();
        output(&mut curl)?;
        let bare_took = began.elapsed();
        if run >= WARM_UP {
            ours.add(took);
            bare.add(bare_took);
        }
    }
    Ok(vec![Figure {
        key: "cli_list_ratio",
        what: "roundtrip-cli list, the whole process, against curl".to_owned(),
        value: ours.median_millis() / bare.median_millis(),
        unit: Unit::Ratio,
        goal: None,
        note: format!(
            "medians of {RUNS}: {:.1} ms and {:.1} ms",
            ours.median_millis(),
            bare.median_millis()
        ),
    }])
}

fn cli(url: &str) -> Command {
    let mut command = Command::new(programs::cli());
    command
        .args(["list", "tools", "--era", "modern", "--server", url])
        .stdin(Stdio::null());
    command
}

/// One curl with all requests of the recording, in their order.
fn curl(recording: &Path) -> Outcome<Command> {
    let unreadable = |error: journal::log::JournalError| error.to_string();
    let (journal, _) = Journal::open(recording).map_err(unreadable)?;
    let mut command = Command::new("curl");
    command.stdin(Stdio::null());
    let mut message = None;
    let mut count = 0;
    for seq in 0..journal.len() {
        match journal.event(EventSeq(seq)).map_err(unreadable)?.body {
            // A message is recorded before the head that carries it.
            EventBody::Frame {
                role: journal::event::FrameRole::Request { .. },
                bytes,
                ..
            } => message = Some(bytes),
            EventBody::HttpRequest { head, .. } => {
                let Some(body) = message.take() else {
                    continue;
                };
                if count > 0 {
                    command.arg("--next");
                }
                count += 1;
                command.args(["--silent", "--show-error", "--fail", &head.url]);
                for header in &head.headers {
                    let is_own = ["host", "content-length"]
                        .iter()
                        .any(|own| header.name.eq_ignore_ascii_case(own));
                    if !is_own {
                        command.args(["--header", &format!("{}: {}", header.name, header.value)]);
                    }
                }
                command
                    .arg("--data-binary")
                    .arg(String::from_utf8_lossy(&body).into_owned());
            }
            _ => {}
        }
    }
    if count < 2 {
        return Err(format!("the recording holds {count} requests"));
    }
    Ok(command)
}

/// What a program prints, when it succeeds.
fn output(command: &mut Command) -> Outcome<String> {
    let output = command.output().map_err(|error| {
        format!(
            "{} could not be started: {error}",
            command.get_program().display()
        )
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!(
        "{} failed ({}): {}",
        command.get_program().display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    ))
}
