//! The house's own commands. `cargo xtask help` lists them.
//!
//! They install what is missing, say what and why before they do, and do nothing twice: every step looks at what it
//! made last time. No Tauri here: this crate builds in seconds on a machine that has only Rust.

#![allow(clippy::print_stdout)] // A command-line program: what it prints is what it is for.

mod bench;
mod bindings;
mod conformance;
mod debian;
mod dist;
mod house;
mod interface;
mod platform;
mod program;
mod run;
mod shots;
mod stage;
mod stamp;
mod test;
mod tools;

use std::process::ExitCode;

/// A failure told to the person: what failed, where, and what to try.
type Outcome<T = ()> = Result<T, String>;

/// What a command does with the words after its name.
type Act = fn(&[String]) -> Outcome<ExitCode>;

const HELP: &str = "\
cargo xtask COMMAND

  run          Install what is missing, build the interface and the app, open the window
  test         Install what the tests need, run all of them, end with counts by group
  bench        Measure the release build; prints the figures and writes target/bench.json
  shots        Take a picture of every screen, in both themes and two sizes, to target/shots/
  conformance  Run the protocol's conformance suite: client and demo server
  bindings     Write the TypeScript of what crosses to the interface (ui/src/lib/bindings)
  dist         Build packages of the release app
  help         This text; `cargo xtask COMMAND --help` tells more of one command
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let wants_help = rest.iter().any(|word| word == "--help" || word == "-h");
    let commands: &[(&str, &str, Act)] = &[
        ("run", run::HELP, run::run),
        ("test", test::HELP, test::run),
        ("bench", bench::HELP, bench::run),
        ("shots", shots::HELP, shots::run),
        ("conformance", conformance::HELP, conformance::run),
        ("bindings", bindings::HELP, bindings::run),
        ("dist", dist::HELP, dist::run),
    ];
    if matches!(command, "help" | "--help" | "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let Some((_, help, act)) = commands.iter().find(|(name, ..)| *name == command) else {
        eprintln!("There is no command `{command}`.\n\n{HELP}");
        return ExitCode::FAILURE;
    };
    if wants_help {
        print!("{help}");
        return ExitCode::SUCCESS;
    }
    match act(rest) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("\n{message}");
            ExitCode::FAILURE
        }
    }
}
