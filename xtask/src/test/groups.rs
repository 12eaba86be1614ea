//! The groups of tests, in their order: the cheap ones first.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::counts::{self, Counts};
use crate::program::{cargo, command, find, npm, print_block, quietly};
use crate::stage::Stage;
use crate::tools::{DENY, NEXTEST, cargo_tool};
use crate::{Outcome, bindings, conformance, house, interface, run, stage};

/// A group of tests.
pub struct Group {
    /// What `--only` calls it.
    pub name: &'static str,
    /// What it looks at.
    pub what: &'static str,
    /// Installs what only this group needs, and runs it.
    pub run: fn() -> Outcome<Done>,
}

/// What came of a group.
pub struct Done {
    pub counts: Counts,
    pub note: Option<String>,
}

impl From<Counts> for Done {
    fn from(counts: Counts) -> Self {
        Self { counts, note: None }
    }
}

/// All groups.
pub const GROUPS: &[Group] = &[
    Group {
        name: "fmt",
        what: "rustfmt",
        run: fmt,
    },
    Group {
        name: "clippy",
        what: "clippy on all targets, warnings are errors",
        run: clippy,
    },
    Group {
        name: "deny",
        what: "licences, bans, sources and advisories of what we depend on",
        run: deny,
    },
    Group {
        name: "unit",
        what: "the tests of every crate",
        run: unit,
    },
    Group {
        name: "bindings",
        what: "the committed TypeScript is that of the Rust types",
        run: bindings,
    },
    Group {
        name: "svelte-check",
        what: "types of the interface",
        run: svelte_check,
    },
    Group {
        name: "eslint",
        what: "rules of the interface",
        run: eslint,
    },
    Group {
        name: "prettier",
        what: "formatting of the interface",
        run: prettier,
    },
    Group {
        name: "vitest",
        what: "the interface's tests, in jsdom and in a browser",
        run: vitest,
    },
    Group {
        name: "integration",
        what: "the core against real servers, and the house's edges",
        run: integration,
    },
    Group {
        name: "conformance",
        what: "the protocol's conformance suite against a client on the engine, sign-in apart",
        run: conformance,
    },
    Group {
        name: "window",
        what: "the real window, driven as a person would",
        run: window,
    },
];

fn fmt() -> Outcome<Done> {
    check("rustfmt", cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> Outcome<Done> {
    check(
        "clippy",
        cargo().args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ]),
    )
}

fn deny() -> Outcome<Done> {
    let deny = || cargo_tool(&DENY).map(command);
    let rules = quietly(
        "cargo-deny",
        deny()?.args(["--locked", "check", "bans", "licenses", "sources"]),
    )?;
    let mut counts = Counts::check(rules.success);
    if !rules.success {
        print_block(&rules.output);
    }
    let advisories = quietly(
        "cargo-deny",
        deny()?.args(["--locked", "check", "advisories"]),
    )?;
    if !advisories.success && is_unreachable(&advisories.output) {
        let note =
            "the advisory database cannot be reached: advisories were not checked".to_owned();
        println!("    {note}");
        return Ok(Done {
            counts,
            note: Some(note),
        });
    }
    if !advisories.success {
        print_block(&advisories.output);
    }
    let second = Counts::check(advisories.success);
    counts.passed += second.passed;
    counts.failed += second.failed;
    Ok(counts.into())
}

/// Whether cargo-deny failed before it could look at any advisory.
fn is_unreachable(output: &str) -> bool {
    output.contains("failed to fetch advisory database")
        || output.contains("failed to load advisory database")
}

fn unit() -> Outcome<Done> {
    nextest(
        "the crates' tests",
        &["--workspace", "-E", "not package(tests)"],
        Vec::new(),
    )
}

fn bindings() -> Outcome<Done> {
    bindings::check().map(|()| Counts::check(true).into())
}

fn svelte_check() -> Outcome<Done> {
    interface_script("svelte-check", "check")
}

fn eslint() -> Outcome<Done> {
    interface_script("eslint", "lint")
}

fn prettier() -> Outcome<Done> {
    interface_script("prettier", "format:check")
}

fn vitest() -> Outcome<Done> {
    interface::install()?;
    let report = house::target().join("vitest.json");
    if report.exists() {
        fs::remove_file(&report)
            .map_err(|error| format!("{} cannot be removed: {error}", report.display()))?;
    }
    let mut test = npm(&house::interface());
    test.args([
        "test",
        "--silent",
        "--",
        "--reporter=default",
        "--reporter=json",
    ])
    .arg(format!("--outputFile.json={}", report.display()))
    .env("NO_COLOR", "1");
    if let Some(browser) = find(&[
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ]) {
        test.env("CHROMIUM", browser);
    }
    let ended = quietly("vitest", &mut test)?;
    if !ended.success {
        print_block(&ended.output);
    }
    let counts = counts::of_vitest(&fs::read_to_string(&report).unwrap_or_default());
    Ok(counts.or_failure(ended.success).into())
}

fn integration() -> Outcome<Done> {
    interface::build()?;
    build_quietly()?;
    let variables = stage::program_variables("debug")?;
    nextest(
        "the integration tests",
        &["--workspace", "-E", "package(tests) and not binary(window)"],
        variables,
    )
}

fn conformance() -> Outcome<Done> {
    let (passed, broken) = conformance::scenarios()?;
    for scenario in &broken {
        print_block(&format!(
            "{scenario} failed; `cargo xtask conformance` says more"
        ));
    }
    let counts = Counts {
        passed,
        failed: broken.len() as u64,
        ..Counts::default()
    };
    Ok(counts.into())
}

fn window() -> Outcome<Done> {
    if !cfg!(target_os = "linux") {
        let note = "the real window can only be driven on Linux".to_owned();
        return Ok(Done {
            counts: Counts {
                skipped: 1,
                ..Counts::default()
            },
            note: Some(note),
        });
    }
    interface::build()?;
    build_quietly()?;
    // Built before the stage is set: what runs on it should only be tests.
    let program = cargo_tool(&NEXTEST)?;
    let select = ["--workspace", "-E", "package(tests) and binary(window)"];
    let built = quietly(
        "building the window tests",
        nextest_command(&program).args(["--no-run"]).args(select),
    )?;
    if !built.success {
        print_block(&built.output);
        return Err("The window tests do not build.".into());
    }
    let stage = Stage::set("debug")?;
    // One window at a time: each test should see the screen, and the clock, as a person does.
    let mut test = nextest_command(&program);
    test.args(select).args(["--test-threads", "1"]);
    count_nextest("the window tests", &mut stage.command(&test))
}

fn build_quietly() -> Outcome {
    let ended = quietly("building the app", &mut run::build_command(&run::APP))?;
    if ended.success {
        return Ok(());
    }
    print_block(&ended.output);
    Err("The app does not build.".into())
}

/// A check that has no tests of its own to count.
fn check(what: &str, command: &mut Command) -> Outcome<Done> {
    let ended = quietly(what, command)?;
    if !ended.success {
        print_block(&ended.output);
    }
    Ok(Counts::check(ended.success).into())
}

fn interface_script(what: &str, script: &str) -> Outcome<Done> {
    interface::install()?;
    check(
        what,
        npm(&house::interface())
            .args(["run", "--silent", script])
            .env("NO_COLOR", "1"),
    )
}

fn nextest_command(program: &Path) -> Command {
    let mut test = command(program);
    test.args(["nextest", "run", "--locked", "--color", "never"]);
    test
}

fn nextest(what: &str, select: &[&str], variables: Vec<(&'static str, PathBuf)>) -> Outcome<Done> {
    let mut test = nextest_command(&cargo_tool(&NEXTEST)?);
    test.args(select).envs(variables);
    count_nextest(what, &mut test)
}

fn count_nextest(what: &str, test: &mut Command) -> Outcome<Done> {
    // Only what fails is printed, each with all that it printed itself.
    test.args([
        "--no-fail-fast",
        "--status-level",
        "fail",
        "--final-status-level",
        "none",
        "--show-progress",
        "none",
    ]);
    let ended = quietly(what, test)?;
    if !ended.success {
        print_block(&ended.output);
    }
    let counts = counts::of_nextest(&ended.output);
    if ended.success && counts.passed == 0 {
        return Err(format!("{what}: no test ran."));
    }
    Ok(counts.or_failure(ended.success).into())
}
