//! What the suite said: its summary, and the checks that it keeps in a folder a scenario.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

/// How much of a check's message is printed.
const MESSAGE_CHARS: usize = 300;

/// The results of one run of the suite.
#[derive(Debug, Default)]
pub struct Report {
    scenarios: Vec<Scenario>,
}

#[derive(Debug)]
struct Scenario {
    name: String,
    /// It had checks, and none failed or warned.
    passed: bool,
    /// Why it does not count, where it does not.
    not_scored: Option<String>,
    /// What is wrong, a sentence each.
    faults: Vec<String>,
}

impl Report {
    /// Reads the suite's output and the folder of its results.
    pub fn read(output: &str, results: &Path) -> Self {
        let mut report = Self::default();
        for line in output.lines() {
            if let Some(scenario) = scenario(line) {
                report.scenarios.push(scenario);
            } else if let Some((name, reason)) = unscored(line)
                && let Some(scenario) = report.scenarios.iter_mut().find(|one| one.name == name)
            {
                scenario.not_scored = Some(reason.to_owned());
            }
        }
        for scenario in report.scenarios.iter_mut().filter(|one| !one.passed) {
            scenario.faults = faults(results, &scenario.name);
        }
        report
    }

    /// Whether the suite said nothing.
    pub fn is_empty(&self) -> bool {
        self.scenarios.is_empty()
    }

    /// The scenarios that count and passed.
    pub fn passed(&self) -> impl Iterator<Item = &str> {
        self.scored()
            .filter(|one| one.passed)
            .map(|one| one.name.as_str())
    }

    /// The scenarios that count and failed.
    pub fn broken(&self) -> impl Iterator<Item = &str> {
        self.scored()
            .filter(|one| !one.passed)
            .map(|one| one.name.as_str())
    }

    fn scored(&self) -> impl Iterator<Item = &Scenario> {
        self.scenarios.iter().filter(|one| one.not_scored.is_none())
    }

    /// For `target/conformance.json`.
    pub fn json(&self) -> Value {
        let not_scored: Map<String, Value> = self
            .scenarios
            .iter()
            .filter_map(|one| {
                let reason = one.not_scored.as_ref()?;
                Some((
                    one.name.clone(),
                    json!({ "passed": one.passed, "reason": reason }),
                ))
            })
            .collect();
        let faults: Map<String, Value> = self
            .scenarios
            .iter()
            .filter(|one| !one.passed)
            .map(|one| (one.name.clone(), json!(one.faults)))
            .collect();
        json!({
            "passed": self.passed().collect::<Vec<_>>(),
            "failed": self.broken().collect::<Vec<_>>(),
            "not_scored": not_scored,
            "faults": faults,
        })
    }

    /// Prints the results.
    pub fn print(&self, title: &str) {
        println!(
            "\n{title}: {} passed, {} failed",
            self.passed().count(),
            self.broken().count(),
        );
        for scenario in &self.scenarios {
            let mark = if scenario.passed { "✓" } else { "✗" };
            let reason = match &scenario.not_scored {
                Some(reason) => format!(" (does not count: {reason})"),
                None => String::new(),
            };
            println!("  {mark} {}{reason}", scenario.name);
            for fault in &scenario.faults {
                println!("      {fault}");
            }
        }
    }
}

/// `✓ tools_call: 2 passed, 0 failed`, perhaps with `, 1 warnings`. A scenario that checked nothing has not passed.
fn scenario(line: &str) -> Option<Scenario> {
    let rest = line
        .strip_prefix("✓ ")
        .or_else(|| line.strip_prefix("✗ "))?;
    let (name, figures) = rest.split_once(": ")?;
    let count = |word: &str| {
        figures
            .split(", ")
            .find_map(|part| part.strip_suffix(word)?.trim().parse::<u32>().ok())
    };
    let (passed, failed) = (count("passed")?, count("failed")?);
    Some(Scenario {
        name: name.to_owned(),
        passed: passed > 0 && failed == 0 && count("warnings").unwrap_or_default() == 0,
        not_scored: None,
        faults: Vec::new(),
    })
}

/// `  ✗ auth/dpop (extension)`
fn unscored(line: &str) -> Option<(&str, &str)> {
    let rest = line
        .strip_prefix("  ✓ ")
        .or_else(|| line.strip_prefix("  ✗ "))?;
    rest.strip_suffix(')')?.split_once(" (")
}

/// What the checks of a scenario say: its folder is its name, `server-` before it for a server's, a time after it.
fn faults(results: &Path, name: &str) -> Vec<String> {
    let (parent, last) = match name.rsplit_once('/') {
        Some((parent, last)) => (results.join(parent), last),
        None => (results.to_path_buf(), name),
    };
    let begins = [format!("{last}-2"), format!("server-{last}-2")];
    let folders = fs::read_dir(parent).into_iter().flatten().flatten();
    let folder = folders.map(|entry| entry.path()).find(|path| {
        path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            begins.iter().any(|begin| name.starts_with(begin.as_str()))
        })
    });
    let checks: Value = folder
        .and_then(|folder| fs::read_to_string(folder.join("checks.json")).ok())
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let checks = checks.as_array().cloned().unwrap_or_default();
    checks
        .iter()
        .filter(|check| matches!(check["status"].as_str(), Some("FAILURE" | "WARNING")))
        .map(|check| {
            let said = ["errorMessage", "description"]
                .into_iter()
                .find_map(|key| check[key].as_str())
                .unwrap_or_default();
            let said: String = said.chars().take(MESSAGE_CHARS).collect();
            format!("{}: {}", check["id"].as_str().unwrap_or_default(), said)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Report;

    const SAID: &str = "\
=== SUITE SUMMARY ===

✓ tools_call: 2 passed, 0 failed
✗ request-metadata: 5 passed, 0 failed, 1 warnings
✓ http-standard-headers: 0 passed, 0 failed
✗ auth/metadata-default: 0 passed, 7 failed
✗ auth/dpop: 0 passed, 3 failed
✓ json-schema-2020-12-preservation: 9 passed, 0 failed

Total: 63 passed, 68 failed, 1 warnings

Not scored for 2026-07-28: 2 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ auth/dpop (extension)
  ✓ json-schema-2020-12-preservation (added-after-release)
";

    #[test]
    fn warnings_and_checks_that_nothing_made_are_no_passes() {
        let report = Report::read(SAID, Path::new("/nowhere"));
        assert_eq!(report.passed().collect::<Vec<_>>(), ["tools_call"]);
        assert_eq!(
            report.broken().collect::<Vec<_>>(),
            [
                "request-metadata",
                "http-standard-headers",
                "auth/metadata-default"
            ]
        );
        let json = report.json();
        assert_eq!(json["not_scored"]["auth/dpop"]["passed"], false);
        assert_eq!(
            json["not_scored"]["json-schema-2020-12-preservation"]["reason"],
            "added-after-release"
        );
    }
}
