//! `roundtrip-demo-server`: a Model Context Protocol server that shows every flow an inspector should be able to
//! show, with a small restaurant guide as its subject.
//!
//! It is a plain server on the official Rust SDK that any client can use. It speaks revision 2026-07-28 (stateless,
//! input asked for by multi round-trip requests) and the revisions with an `initialize` handshake, over stdio and over
//! Streamable HTTP. It needs no network, no files and no clock, and keeps its bookings in memory.
//! The page that `pay_deposit` sends the person to is on the loopback interface, as all of it.
//! Over HTTP it can be [`protected`], with an authorization server beside it.
//!
//! Invariants:
//! - standard output belongs to the protocol (stdio) or holds the one line that says where it listens (HTTP);
//! - one thread runs everything: notifications leave in the order in which a tool sent them;
//! - no argument, however hostile, makes it panic: a bad call gets an error in words.

mod arguments;
mod bookings;
mod completion;
mod deposits;
mod fixture;
mod guide;
mod http;
mod notices;
mod paging;
mod prompts;
mod protected;
mod resources;
mod server;
mod session;
mod stdio;
mod tools;

use std::io::Write as _;
use std::process::ExitCode;

use arguments::{Command, USAGE};

fn main() -> ExitCode {
    let command = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(command) => command,
        Err(problem) => {
            complain(&format!("{problem}\n\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    let outcome = match command {
        Command::Help => print(USAGE),
        Command::Version => print(concat!("roundtrip-demo-server ", env!("CARGO_PKG_VERSION"))),
        Command::Stdio => on_one_thread(stdio::serve()),
        Command::Http(options) => on_one_thread(http::serve(options)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            complain(&format!("roundtrip-demo-server: {problem}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs `serve` to its end on a runtime of one thread, which keeps notifications in order (see the crate's page).
fn on_one_thread(serve: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("the runtime could not be started: {error}"))?;
    let outcome = runtime.block_on(serve);
    // A read of standard input cannot be interrupted; waiting for it would keep the process alive for ever.
    runtime.shutdown_background();
    outcome
}

fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| format!("standard output could not be written: {error}"))
}

/// Writes to standard error; when even that fails there is nobody left to tell.
fn complain(text: &str) {
    writeln!(std::io::stderr().lock(), "{text}").ok();
}
