//! `roundtrip-cli`: Roundtrip's core without a window, for scripts and CI. It connects to one server, does one errand
//! and ends.
//!
//! Invariants:
//! - it answers nothing by itself: prompts are answered from the file that the person gave, or the operation ends;
//! - standard output holds what was asked for, as JSON lines or as text; everything else goes to standard error;
//! - nothing of the person's is changed: their catalog is read, and a recording is written only where they ask for one;
//! - each way to end has an exit code of its own ([`exit::Exit`]); `docs/cli.md` documents them and the events.

mod answers;
mod arguments;
mod convert;
mod exit;
mod line;
mod list;
mod output;
mod run;
mod session;
mod target;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::{Arguments, Errand};
use crate::exit::{Exit, Problem};
use crate::output::Output;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => {
            let exit = if told.use_stderr() {
                Exit::Usage
            } else {
                Exit::Complete
            };
            // Whoever would read it has gone.
            let _gone = told.print();
            return exit.into();
        }
    };
    // The core has a thread of its own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            let problem = Problem::new(
                Exit::Internal,
                format!("roundtrip-cli could not be started: {error}"),
            );
            return Output::new(false).end(Err(problem)).into();
        }
    };
    let exit = runtime.block_on(errand(arguments.errand));
    // A read of standard input cannot be interrupted; nothing waits for it.
    runtime.shutdown_background();
    exit.into()
}

async fn errand(errand: Errand) -> Exit {
    match errand {
        Errand::Run(arguments) => {
            let mut output = Output::new(arguments.reach.json);
            let ended = Box::pin(run::run(arguments, &mut output)).await;
            output.end(ended)
        }
        Errand::List(arguments) => {
            let mut output = Output::new(arguments.reach.json);
            let ended = Box::pin(list::list(arguments, &mut output)).await;
            output.end(ended)
        }
        Errand::Export(arguments) => {
            let mut output = Output::new(false);
            let ended = Box::pin(convert::export(arguments, &mut output)).await;
            output.end(ended)
        }
        Errand::Import(arguments) => {
            let mut output = Output::new(false);
            let ended = Box::pin(convert::import(arguments, &mut output)).await;
            output.end(ended)
        }
    }
}
