//! Request ids: "a string or integer" (2026-07-28 basic § Requests).

use std::fmt;

/// An id as its JSON token, for example `7`, `"7"` or `7.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Id<'a>(pub &'a str);

/// Whether a reply's id is that of our request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdMatch {
    /// The same integer, written the way JSON writers do.
    Exact,
    /// The same number, but changed on its way: `"7"`, `7.0` or `7e0` for 7.
    Loose,
    /// Another id.
    No,
}

impl<'a> Id<'a> {
    /// The JSON token.
    pub fn token(self) -> &'a str {
        self.0
    }

    /// The id when its token is a plain non-negative integer within 64 bits.
    pub fn as_u64_exact(self) -> Option<u64> {
        let digits = self.0.as_bytes();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.0.parse().ok()
    }

    /// Compares with the id that was sent.
    pub fn matches(self, sent: u64) -> IdMatch {
        if let Some(id) = self.as_u64_exact() {
            return if id == sent {
                IdMatch::Exact
            } else {
                IdMatch::No
            };
        }
        let number = crate::object::string(self.0);
        let number = number.as_deref().unwrap_or(self.0);
        if is_number(number, sent) {
            IdMatch::Loose
        } else {
            IdMatch::No
        }
    }
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

fn is_number(text: &str, sent: u64) -> bool {
    let text = text.trim();
    if let Ok(integer) = text.parse::<u64>() {
        return integer == sent;
    }
    // Not the digits that a float's parser would take beside a number's: "inf", "nan".
    let plain = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    // Integers to 2^53 are exact as floats, and Display writes a float without an exponent.
    plain
        && sent <= 1 << 53
        && text
            .parse::<f64>()
            .is_ok_and(|number| number.abs().to_string() == sent.to_string() && number >= 0.0)
}
