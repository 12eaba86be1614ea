//! Reading counts from what test runners print.

use std::fmt;

/// How many tests passed, failed and were skipped. A check without tests of its own counts as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl Counts {
    /// One check, by its success.
    pub fn check(success: bool) -> Self {
        Self {
            passed: u64::from(success),
            failed: u64::from(!success),
            skipped: 0,
        }
    }

    /// What a run is counted as that failed without saying which test did: a build that broke, a runner that crashed.
    pub fn or_failure(self, success: bool) -> Self {
        if success || self.failed > 0 {
            self
        } else {
            Self { failed: 1, ..self }
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// Reads nextest's last summary line. Without one, nothing was counted.
pub fn of_nextest(output: &str) -> Counts {
    let summary = output
        .lines()
        .rev()
        .filter(|line| line.contains("Summary ["))
        .find_map(|line| line.split_once(" run:").map(|(_, counts)| counts));
    let mut counts = Counts::default();
    // What stands in brackets is a part of the passed: "3 passed (1 slow, 1 flaky), 1 failed".
    let mut depth = 0_u32;
    let plain: String = summary
        .unwrap_or("")
        .chars()
        .filter(|letter| {
            depth += u32::from(*letter == '(');
            let keep = depth == 0;
            depth -= u32::from(*letter == ')' && depth > 0);
            keep
        })
        .collect();
    for part in plain.split(',') {
        let Some((number, kind)) = part.trim().split_once(' ') else {
            continue;
        };
        let Ok(number) = number.parse::<u64>() else {
            continue;
        };
        match kind.trim() {
            "passed" => counts.passed += number,
            "skipped" => counts.skipped += number,
            // failed, timed out, exec failed
            _ => counts.failed += number,
        }
    }
    counts
}

/// Reads vitest's JSON report. Without one, nothing was counted.
pub fn of_vitest(report: &str) -> Counts {
    let report: serde_json::Value = serde_json::from_str(report).unwrap_or_default();
    let number = |name: &str| {
        report
            .get(name)
            .and_then(serde_json::Value::as_u64)
            .unwrap_or(0)
    };
    Counts {
        passed: number("numPassedTests"),
        failed: number("numFailedTests"),
        skipped: number("numPendingTests") + number("numTodoTests"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_nextest_is_counted() {
        let output = "        PASS [   0.010s] wire line::tests::one\n------------\n     \
                      Summary [  12.310s] 30 tests run: 26 passed (2 slow, 1 flaky), 3 failed, 1 timed out, 2 skipped\n        \
                      FAIL [   0.007s] wire sse\n";
        assert_eq!(
            of_nextest(output),
            Counts {
                passed: 26,
                failed: 4,
                skipped: 2
            }
        );
        let one = "     Summary [   0.004s] 1 test run: 1 passed, 0 skipped";
        assert_eq!(
            of_nextest(one),
            Counts {
                passed: 1,
                failed: 0,
                skipped: 0
            }
        );
        let none = "error: could not compile `wire` (lib) due to 1 previous error";
        assert_eq!(of_nextest(none), Counts::default());
        assert_eq!(
            of_nextest(none).or_failure(false),
            Counts {
                passed: 0,
                failed: 1,
                skipped: 0
            }
        );
    }

    #[test]
    fn the_report_of_vitest_is_counted() {
        let report = r#"{"numTotalTests":9,"numPassedTests":6,"numFailedTests":1,"numPendingTests":1,"numTodoTests":1,"success":false}"#;
        assert_eq!(
            of_vitest(report),
            Counts {
                passed: 6,
                failed: 1,
                skipped: 2
            }
        );
        assert_eq!(of_vitest(""), Counts::default());
    }
}
