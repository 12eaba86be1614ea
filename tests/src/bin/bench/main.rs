//! `cargo xtask bench`: measures Roundtrip, prints the figures beside their goals, and writes them as JSON to the file
//! that `ROUNDTRIP_BENCH_FILE` names. Its arguments are the measurements to make; without any, all are made.
//!
//! What is compared is measured in one run, by turns, on the same machine under the same load, so that a ratio says
//! something of Roundtrip and not of the hour. A goal that is missed is shown and is no failure: a slow machine is none.
//! A measurement that cannot be made is one.

#![allow(clippy::print_stdout, reason = "its table is for the terminal")]

use std::process::ExitCode;

#[cfg(target_os = "linux")]
mod measurements;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    measurements::run()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!(
        "Measurements are made on Linux only: its window can be driven, and it tells what memory is shared."
    );
    ExitCode::FAILURE
}
