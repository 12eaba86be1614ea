//! `cargo xtask conformance`

mod report;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, Stdio};
use std::{env, fs};

use serde_json::{Map, Value, json};

use self::report::Report;
use crate::program::{command, quietly, step};
use crate::{Outcome, house, interface, run};

pub const HELP: &str = "\
cargo xtask conformance [--client | --server]

Installs the protocol's own conformance suite and the Node.js that it needs (npm ci in tests/conformance), and runs it
for both revisions that it has requirements for: against a small client on Roundtrip's engine, and against the demo
server's fixture over HTTP. Prints a summary and writes target/conformance.json; each check is under target/conformance/.

  --client   Only the client
  --server   Only the demo server

Fails when a scenario that counts fails.
";

/// The revisions that the suite has requirements for.
const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];

/// Runs the command.
///
/// # Errors
/// The suite cannot be installed or run.
pub fn run(arguments: &[String]) -> Outcome<ExitCode> {
    let (client, server) = match arguments {
        [] => (true, true),
        [word] if word == "--client" => (true, false),
        [word] if word == "--server" => (false, true),
        _ => return Err(format!("What is {arguments:?}?\n\n{HELP}")),
    };
    step("Building the client and the demo server", || {
        crate::program::must(
            "The build",
            &mut run::build_command(&["conformance-client", "roundtrip-demo-server"]),
        )
    })?;
    let suite = Suite::install()?;
    let mut written = Map::new();
    let mut broken = Vec::new();
    if client {
        for revision in REVISIONS {
            let report = suite.client(revision)?;
            report.print(&format!("The client, {revision}"));
            broken.extend(broken_of("client", revision, &report));
            written.insert(revision.to_owned(), report.json());
        }
    }
    if server {
        let mut of_server = Map::new();
        for revision in REVISIONS {
            let report = suite.server(revision)?;
            report.print(&format!("The demo server's fixture, {revision}"));
            broken.extend(broken_of("server", revision, &report));
            of_server.insert(revision.to_owned(), report.json());
        }
        written.insert("server".to_owned(), of_server.into());
    }
    let file = house::target().join("conformance.json");
    keep(&file, written)?;
    println!(
        "\nThe results are in {}; docs/conformance.md says why what fails fails.",
        house::shown(&file)
    );
    if broken.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("These scenarios must pass: {}", broken.join(", "));
    Ok(ExitCode::FAILURE)
}

/// The scenarios that count, of client and server, as a group of `cargo xtask test`: how many passed, and which did not.
///
/// # Errors
/// The suite cannot be installed or run.
pub fn scenarios() -> Outcome<(u64, Vec<String>)> {
    crate::program::must(
        "The build",
        &mut run::build_command(&["conformance-client", "roundtrip-demo-server"]),
    )?;
    let suite = Suite::install()?;
    let (mut passed, mut broken) = (0, Vec::new());
    for revision in REVISIONS {
        for (of, report) in [
            ("client", suite.client(revision)?),
            ("server", suite.server(revision)?),
        ] {
            passed += report.passed().count() as u64;
            broken.extend(broken_of(of, revision, &report));
        }
    }
    Ok((passed, broken))
}

/// The scenarios that had to pass and did not, with what they are of.
fn broken_of(of: &str, revision: &str, report: &Report) -> Vec<String> {
    let broken = report.broken();
    broken
        .map(|scenario| format!("{of} {revision} {scenario}"))
        .collect()
}

/// Writes the results; what was not run this time stays as it was.
fn keep(file: &Path, written: Map<String, Value>) -> Outcome {
    let mut whole: Map<String, Value> = fs::read_to_string(file)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    whole.extend(written);
    let text = serde_json::to_string_pretty(&json!(whole)).unwrap_or_default() + "\n";
    fs::write(file, text).map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// The installed suite.
struct Suite {
    node: PathBuf,
    script: PathBuf,
    results: PathBuf,
}

impl Suite {
    fn install() -> Outcome<Self> {
        let folder = house::root().join("tests/conformance");
        interface::install_locked("The conformance suite", &folder, "conformance-suite")?;
        let modules = folder.join("node_modules");
        let suite = Self {
            node: modules.join(format!("node/bin/node{}", env::consts::EXE_SUFFIX)),
            script: modules.join("@modelcontextprotocol/conformance/dist/index.js"),
            results: house::target().join("conformance"),
        };
        if suite.node.is_file() {
            return Ok(suite);
        }
        Err(format!(
            "{} is not there: npm did not run the install script of its package `node`. `npm approve-scripts node` in {} \
             lets it.",
            suite.node.display(),
            folder.display()
        ))
    }

    fn client(&self, revision: &str) -> Outcome<Report> {
        let client = house::built("debug", "conformance-client");
        self.run(
            &format!("The client against {revision}"),
            &format!("client-{revision}"),
            &[
                "client",
                "--command",
                &client.to_string_lossy(),
                "--requirements",
                revision,
                // All scenarios run at once, which a busy machine takes its time for.
                "--timeout",
                "120000",
            ],
        )
    }

    fn server(&self, revision: &str) -> Outcome<Report> {
        let server = Server::start()?;
        self.run(
            &format!("The demo server's fixture against {revision}"),
            &format!("server-{revision}"),
            &["server", "--url", &server.url, "--requirements", revision],
        )
    }

    fn run(&self, what: &str, name: &str, arguments: &[&str]) -> Outcome<Report> {
        let results = self.results.join(name);
        if results.exists() {
            // Results of another day must not pass for today's.
            fs::remove_dir_all(&results)
                .map_err(|error| format!("{} cannot be removed: {error}", results.display()))?;
        }
        let ended = step(what, || {
            quietly(
                what,
                command(&self.node)
                    .arg(&self.script)
                    .args(arguments)
                    .arg("--output-dir")
                    .arg(&results)
                    .env("NO_COLOR", "1"),
            )
        })?;
        // It exits with 1 whenever anything fails; what matters is which.
        let report = Report::read(&ended.output, &results);
        if report.is_empty() {
            crate::program::print_block(&ended.output);
            return Err(format!(
                "{what}: the suite gave no summary ({}).",
                ended.how
            ));
        }
        Ok(report)
    }
}

/// The demo server's fixture on a free port, until it is dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> Outcome<Self> {
        let program = house::built("debug", "roundtrip-demo-server");
        let mut child = command(&program)
            .args(["http", "--until-stdin-closes", "--fixture"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{} cannot be started: {error}", program.display()))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout)
                .read_line(&mut line)
                .map_err(|error| format!("The demo server said nothing: {error}"))?;
        }
        let url = line
            .split_whitespace()
            .last()
            .unwrap_or_default()
            .to_owned();
        Ok(Self { child, url })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.child.stdin.take());
        if let Err(error) = self.child.wait() {
            eprintln!("The demo server's end was not seen: {error}");
        }
    }
}
