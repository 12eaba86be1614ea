//! The figures, as a table for people and as JSON for programs.

use std::fmt::Write as _;
use std::{env, fs};

use serde_json::{Map, Value};

use super::Outcome;

/// A figure that was measured.
pub struct Figure {
    /// Its name in the JSON file.
    pub key: &'static str,
    /// What it is, in words.
    pub what: String,
    /// The number that is written.
    pub value: f64,
    /// What it is counted in.
    pub unit: Unit,
    /// What it should be, in the same unit.
    pub goal: Option<Goal>,
    /// What it was made from.
    pub note: String,
}

/// What a figure should be.
#[derive(Clone, Copy)]
pub enum Goal {
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
}

impl Goal {
    fn is_reached(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }

    fn show(self, unit: Unit) -> String {
        match self {
            Self::AtMost(most) => format!("≤ {}", unit.show(most)),
            Self::AtLeast(least) => format!("≥ {}", unit.show(least)),
        }
    }
}

/// What a figure is counted in.
#[derive(Clone, Copy)]
pub enum Unit {
    /// Times something else of the same run.
    Ratio,
    /// Milliseconds.
    Millis,
    /// Bytes, shown in MB.
    Bytes,
    /// Bytes, shown as they are.
    FewBytes,
    /// Mebibytes.
    Mebibytes,
    /// So many a second.
    PerSecond,
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::Ratio => format!("{value:.2} ×"),
            Self::Millis => format!("{value:.1} ms"),
            Self::Bytes => format!("{:.1} MB", value / 1e6),
            Self::FewBytes => format!("{value:.0} B"),
            Self::Mebibytes => format!("{value:.0} MiB"),
            Self::PerSecond => format!("{value:.0} /s"),
        }
    }

    /// The number without digits that mean nothing.
    fn number(self, value: f64) -> Value {
        let places = match self {
            Self::Ratio => 1e4,
            Self::Millis | Self::Mebibytes => 1e2,
            Self::Bytes | Self::FewBytes | Self::PerSecond => 1.0,
        };
        let rounded = (value * places).round() / places;
        match self {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "far below where whole numbers end"
            )]
            Self::Bytes | Self::FewBytes | Self::PerSecond => Value::from(rounded as i64),
            _ => Value::from(rounded),
        }
    }
}

/// The table.
pub fn table(figures: &[Figure], machine: &str) -> String {
    let mut lines = vec![[
        "figure".to_owned(),
        "measured".to_owned(),
        "goal".to_owned(),
        String::new(),
        "made from".to_owned(),
    ]];
    for figure in figures {
        let verdict = match figure.goal {
            Some(goal) if goal.is_reached(figure.value) => "pass",
            Some(_) => "MISS",
            None => "",
        };
        lines.push([
            figure.what.clone(),
            figure.unit.show(figure.value),
            figure
                .goal
                .map_or_else(String::new, |goal| goal.show(figure.unit)),
            verdict.to_owned(),
            figure.note.clone(),
        ]);
    }
    let mut widths = [0; 5];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    let [what, measured, goal, verdict, _] = widths;
    let mut text = String::new();
    for line in &lines {
        let row = format!(
            "{:what$}  {:>measured$}  {:>goal$}  {:verdict$}  {}",
            line[0], line[1], line[2], line[3], line[4]
        );
        // Writing to a string cannot fail.
        let _infallible = writeln!(text, "{}", row.trim_end());
    }
    let _infallible = writeln!(text, "\n{machine}");
    text
}

/// Writes the figures to the file that is asked for, if one is.
///
/// # Errors
/// It cannot be written.
pub fn write(figures: &[Figure]) -> Outcome<()> {
    let Some(file) = env::var_os("ROUNDTRIP_BENCH_FILE") else {
        return Ok(());
    };
    let object: Map<String, Value> = figures
        .iter()
        .map(|figure| (figure.key.to_owned(), figure.unit.number(figure.value)))
        .collect();
    fs::write(&file, format!("{:#}\n", Value::Object(object)))
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))
}
