//! What is measured, one module each.

mod bare;
mod body;
mod browse;
mod call;
mod demo;
mod flood;
mod flooder;
mod ingest;
mod journal;
mod list;
mod machine;
mod memory;
mod overhead;
mod report;
mod samples;
mod scale;
mod screen;
mod size;
mod start;
mod tasks;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use report::Figure;

/// What a measurement gives, or why it could not be made.
type Outcome<T> = Result<T, String>;

/// The measurements, in order. Those that load the machine most come last.
const MEASUREMENTS: &[&str] = &[
    "size", "start", "screen", "browse", "call", "list", "journal", "body", "ingest", "flood",
    "overhead", "tasks", "scale",
];

/// Makes the measurements that the arguments name.
pub fn run() -> ExitCode {
    let wanted: Vec<String> = env::args().skip(1).collect();
    if let [flag, path] = wanted.as_slice()
        && flag == journal::OPEN
    {
        return match journal::open_and_tell(Path::new(path)) {
            Ok(told) => {
                println!("{told}");
                ExitCode::SUCCESS
            }
            Err(problem) => {
                eprintln!("bench: {problem}");
                ExitCode::FAILURE
            }
        };
    }
    if let Some(unknown) = wanted
        .iter()
        .find(|name| !MEASUREMENTS.contains(&name.as_str()))
    {
        eprintln!(
            "`{unknown}` is not a measurement: there are {}.",
            MEASUREMENTS.join(", ")
        );
        return ExitCode::from(2);
    }
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("The runtime could not be started: {error}");
            return ExitCode::FAILURE;
        }
    };
    let (figures, problems) = runtime.block_on(measure(&wanted));
    print!("{}", report::table(&figures, &machine::describe()));
    let written = report::write(&figures);
    for problem in problems.iter().chain(written.as_ref().err()) {
        eprintln!("bench: {problem}");
    }
    if problems.is_empty() && written.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

async fn measure(wanted: &[String]) -> (Vec<Figure>, Vec<String>) {
    let mut figures = Vec::new();
    let mut problems = Vec::new();
    for name in MEASUREMENTS {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        eprintln!("measuring: {name} …");
        // A task of its own runs on the runtime's workers, as the commands of the window do.
        let measured = match *name {
            "size" => tokio::spawn(async { size::measure() }).await,
            "start" => tokio::spawn(start::measure()).await,
            // It waits more than it works, and needs no worker.
            "screen" => {
                let runtime = tokio::runtime::Handle::current();
                tokio::task::spawn_blocking(move || runtime.block_on(screen::measure())).await
            }
            "browse" => {
                let runtime = tokio::runtime::Handle::current();
                tokio::task::spawn_blocking(move || runtime.block_on(browse::measure())).await
            }
            "call" => tokio::spawn(call::measure()).await,
            "list" => tokio::spawn(list::measure()).await,
            "journal" => tokio::task::spawn_blocking(journal::measure).await,
            "body" => tokio::spawn(body::measure()).await,
            "scale" => {
                let runtime = tokio::runtime::Handle::current();
                tokio::task::spawn_blocking(move || runtime.block_on(scale::measure())).await
            }
            "ingest" => tokio::spawn(ingest::measure()).await,
            "flood" => tokio::spawn(flood::measure()).await,
            "tasks" => tokio::spawn(tasks::measure()).await,
            _ => tokio::spawn(overhead::measure()).await,
        };
        match measured {
            Ok(Ok(measured)) => figures.extend(measured),
            Ok(Err(problem)) => problems.push(format!("{name}: {problem}")),
            Err(error) => problems.push(format!("{name}: {error}")),
        }
    }
    (figures, problems)
}
