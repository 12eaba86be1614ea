//! Numbers with units, and ranges of them.

use super::words::Unit;

/// Whole numbers from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) from: i64,
    pub(crate) to: i64,
}

impl Range {
    pub(crate) fn contains(self, number: i64) -> bool {
        self.from <= number && number <= self.to
    }

    pub(crate) fn contains_count(self, number: u64) -> bool {
        self.contains(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// Reads `>500ms`, `<=3`, `1..5`, `-32602`. The error is what to try.
pub(super) fn range(value: &str, unit: Unit) -> Result<Range, String> {
    let value = value.trim();
    if let Some((from, to)) = value.split_once("..") {
        let range = Range {
            from: if from.is_empty() {
                i64::MIN
            } else {
                number(from, unit)?
            },
            to: if to.is_empty() {
                i64::MAX
            } else {
                number(to, unit)?
            },
        };
        if range.from > range.to {
            return Err("Put the smaller number first.".to_owned());
        }
        return Ok(range);
    }
    let one = |rest: &str| number(rest, unit);
    if let Some(rest) = value.strip_prefix(">=") {
        return Ok(Range {
            from: one(rest)?,
            to: i64::MAX,
        });
    }
    if let Some(rest) = value.strip_prefix("<=") {
        return Ok(Range {
            from: i64::MIN,
            to: one(rest)?,
        });
    }
    if let Some(rest) = value.strip_prefix('>') {
        return Ok(Range {
            from: one(rest)?.saturating_add(1),
            to: i64::MAX,
        });
    }
    if let Some(rest) = value.strip_prefix('<') {
        return Ok(Range {
            from: i64::MIN,
            to: one(rest)?.saturating_sub(1),
        });
    }
    let exactly = one(value.strip_prefix('=').unwrap_or(value))?;
    if unit == Unit::Time && !value.starts_with('=') {
        return Err(format!(
            "Say whether longer or shorter: >{value} or <{value}, or a range such as {value}..2s."
        ));
    }
    Ok(Range {
        from: exactly,
        to: exactly,
    })
}

/// A number with its unit, in microseconds, bytes or just so.
fn number(text: &str, unit: Unit) -> Result<i64, String> {
    let text = text.trim();
    let split = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '_')))
        .unwrap_or(text.len());
    let (digits, suffix) = text.split_at(split);
    if digits.is_empty() {
        return Err(format!("Write a number, such as {}.", example(unit)));
    }
    let digits = digits.replace('_', "");
    let factor = factor(suffix.trim(), unit)?;
    if unit == Unit::Count {
        return digits
            .parse()
            .map_err(|_| format!("Write a whole number, such as {}.", example(unit)));
    }
    let number: f64 = digits
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite() && *number >= 0.0)
        .ok_or_else(|| format!("Write a number with its unit, such as {}.", example(unit)))?;
    // What does not fit is above every time and size there can be.
    #[allow(clippy::cast_possible_truncation)]
    Ok((number * factor).round() as i64)
}

fn example(unit: Unit) -> &'static str {
    match unit {
        Unit::Time => ">500ms, >1.5s or 1s..1m",
        Unit::Bytes => ">10KiB or >1.5MB",
        Unit::Count => ">1 or 2..5",
    }
}

fn factor(suffix: &str, unit: Unit) -> Result<f64, String> {
    let lower = suffix.to_lowercase();
    match unit {
        Unit::Count if suffix.is_empty() => Ok(1.0),
        Unit::Count => Err("Write a whole number without a unit.".to_owned()),
        Unit::Time => match lower.as_str() {
            "us" | "µs" | "μs" => Ok(1.0),
            "ms" => Ok(1e3),
            "s" | "sec" => Ok(1e6),
            "m" | "min" => Ok(60e6),
            "h" => Ok(3600e6),
            "" => Err("Add a unit: us, ms, s, m or h.".to_owned()),
            _ => Err(format!(
                "“{suffix}” is no unit of time; use us, ms, s, m or h."
            )),
        },
        Unit::Bytes => match lower.as_str() {
            "" | "b" => Ok(1.0),
            "kb" => Ok(1e3),
            "mb" => Ok(1e6),
            "gb" => Ok(1e9),
            "k" | "kib" => Ok(1024.0),
            "m" | "mib" => Ok(1024.0 * 1024.0),
            "g" | "gib" => Ok(1024.0 * 1024.0 * 1024.0),
            _ => Err(format!(
                "“{suffix}” is no unit of size; use B, KB, KiB, MB, MiB, GB or GiB."
            )),
        },
    }
}
