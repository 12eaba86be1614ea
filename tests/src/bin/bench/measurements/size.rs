//! The size of the release program.

use std::fs;

use tests::programs;

use super::Outcome;
use super::report::{Figure, Goal, Unit};

/// 20 MB.
const GOAL: f64 = 20e6;

/// Measures it.
///
/// # Errors
/// The program is not there.
pub fn measure() -> Outcome<Vec<Figure>> {
    let path = programs::app();
    let byte_len = fs::metadata(&path)
        .map_err(|error| format!("{} is not there: {error}", path.display()))?
        .len();
    #[expect(
        clippy::cast_precision_loss,
        reason = "far below where whole numbers end"
    )]
    let value = byte_len as f64;
    Ok(vec![Figure {
        key: "binary_bytes",
        what: "the program's file".to_owned(),
        value,
        unit: Unit::Bytes,
        goal: Some(Goal::AtMost(GOAL)),
        note: path.display().to_string(),
    }])
}
