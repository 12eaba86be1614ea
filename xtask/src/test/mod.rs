//! `cargo xtask test`

mod counts;
mod groups;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::program::seconds;
use crate::{Outcome, debian, platform};
use counts::Counts;
use groups::GROUPS;

pub const HELP: &str = "\
cargo xtask test [--only GROUP]…

Installs what the tests need and runs all of them, group by group. A group that fails does not stop the next one; the
end is a summary and a last line `N passed, N failed`.

  --only GROUP   Run only this group; may be given several times

Groups, in their order: fmt, clippy, deny, unit, bindings, svelte-check, eslint, prettier, vitest, integration, conformance, window.
";

/// What a group came to.
struct Report {
    name: &'static str,
    counts: Counts,
    /// What a reader of the summary should know.
    note: Option<String>,
    took: Duration,
}

/// Runs the command. Answers with a failure when any test failed.
///
/// # Errors
/// The arguments name no group.
pub fn run(arguments: &[String]) -> Outcome<ExitCode> {
    let chosen = read_arguments(arguments)?;
    // A package that cannot be installed fails the groups that need it, not all of them.
    if let Err(message) =
        platform::ready_to_build().and_then(|()| debian::install(&[debian::TO_TEST]))
    {
        println!("{message}\nGoing on with what is here.");
    }
    let mut reports = Vec::new();
    for group in GROUPS
        .iter()
        .filter(|group| chosen.is_empty() || chosen.contains(&group.name))
    {
        println!("▸ {}: {}", group.name, group.what);
        let started = Instant::now();
        let (counts, note) = match (group.run)() {
            Ok(done) => (done.counts, done.note),
            Err(message) => {
                println!("{message}");
                (
                    Counts {
                        passed: 0,
                        failed: 1,
                        skipped: 0,
                    },
                    message.lines().next().map(str::to_owned),
                )
            }
        };
        let took = started.elapsed();
        let word = if counts.failed == 0 { "ok" } else { "FAILED" };
        println!("    {word}: {counts} in {}", seconds(took));
        reports.push(Report {
            name: group.name,
            counts,
            note,
            took,
        });
    }
    let total = summarize(&reports);
    println!("{} passed, {} failed", total.passed, total.failed);
    Ok(if total.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn read_arguments(arguments: &[String]) -> Outcome<Vec<&'static str>> {
    let mut chosen = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let name = match word.as_str() {
            "--only" => words.next().map(String::as_str),
            other => other.strip_prefix("--only="),
        };
        let group = name.and_then(|name| GROUPS.iter().find(|group| group.name == name));
        chosen.push(
            group
                .ok_or_else(|| format!("What is {arguments:?}?\n\n{HELP}"))?
                .name,
        );
    }
    Ok(chosen)
}

fn summarize(reports: &[Report]) -> Counts {
    let mut total = Counts::default();
    println!(
        "\n{:<14}{:>8}{:>8}{:>9}{:>10}",
        "group", "passed", "failed", "skipped", "time"
    );
    for Report {
        name,
        counts,
        note,
        took,
    } in reports
    {
        let note = note
            .as_deref()
            .map(|note| format!("   {note}"))
            .unwrap_or_default();
        println!(
            "{name:<14}{:>8}{:>8}{:>9}{:>10}{note}",
            counts.passed,
            counts.failed,
            counts.skipped,
            seconds(*took)
        );
        total.passed += counts.passed;
        total.failed += counts.failed;
        total.skipped += counts.skipped;
    }
    println!();
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_group() {
        let names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
        assert!(HELP.contains(&format!("in their order: {}.", names.join(", "))));
    }

    #[test]
    fn an_unknown_group_is_refused() {
        let read = |words: &[&str]| {
            read_arguments(
                &words
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            read(&["--only", "fmt", "--only=unit"]),
            Ok(vec!["fmt", "unit"])
        );
        assert_eq!(read(&[]), Ok(vec![]));
        for words in [&["--only"][..], &["--only", "all"], &["fmt"]] {
            assert!(
                read(words).is_err_and(|message| message.contains("Groups")),
                "{words:?}"
            );
        }
    }
}
