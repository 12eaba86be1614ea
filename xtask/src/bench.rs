//! `cargo xtask bench`

use std::fs;
use std::process::ExitCode;

use crate::program::{aloud, cargo, command, step};
use crate::stage::{Stage, perform};
use crate::{Outcome, debian, house, interface, platform};

pub const HELP: &str = "\
cargo xtask bench [WORDS…]

Builds for release and measures: a call through the whole core against a bare exchange, events a second into the
journal, a journal of a million events (windows of rows, filters, a search against ripgrep, opening it), a million events in
the window, the time from a click to its result on the screen, the start, the size, the memory, roundtrip-cli. Prints the
figures beside their goals and writes target/bench.json. Linux only. With words, only these: size, start, screen, call,
list, journal, body, ingest, flood, overhead, tasks, scale. ROUNDTRIP_BENCH_EVENTS says how many events journal and scale record
(1000000).
";

/// Runs the command.
///
/// # Errors
/// Something cannot be installed or built, or a measurement fails.
pub fn run(arguments: &[String]) -> Outcome<ExitCode> {
    platform::ready_to_build()?;
    interface::build()?;
    // The whole workspace, so that no crate is built twice for another selection's features.
    step(
        "The release build (the first time takes several minutes)",
        || {
            aloud(
                "The release build",
                cargo().args([
                    "build",
                    "--locked",
                    "--release",
                    "--workspace",
                    "--bins",
                    "--lib",
                ]),
            )
        },
    )?;
    if let Err(message) = debian::install(&[debian::TO_MEASURE]) {
        println!("{message}\nGoing on with grep in ripgrep's place.");
    }
    let stage = Stage::set("release")?;
    let file = house::target().join("bench.json");
    if file.exists() {
        // Figures of another day must not pass for today's.
        fs::remove_file(&file)
            .map_err(|error| format!("{} cannot be removed: {error}", file.display()))?;
    }
    let mut bench = command(house::built("release", "bench"));
    bench.args(arguments).env("ROUNDTRIP_BENCH_FILE", &file);
    perform("Measuring", &stage, &bench)?;
    if !file.is_file() {
        return Err(format!(
            "The measuring program wrote no {}.",
            house::shown(&file)
        ));
    }
    println!("The figures are in {}", house::shown(&file));
    Ok(ExitCode::SUCCESS)
}
