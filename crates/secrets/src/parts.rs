//! Long values in several entries, for a store that limits how long one may be.
//!
//! A value that fits is kept as it is. A longer one is cut: the entry of its name holds `HEAD` and the number of
//! parts, and each part has an entry of its own. A short value that happens to begin with `HEAD` is cut as well, so
//! that reading is never in doubt.

/// Marks an entry that stands for several. No token or password begins like this by accident.
const HEAD: &str = "\u{1}roundtrip-parts:";

/// The most parts that are believed of an entry; a longer list is damage.
const MOST_PARTS: usize = 1000;

/// What an entry holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// The value itself.
    Whole,
    /// The value is in so many parts.
    Parts(usize),
    /// It begins like a list of parts but is none.
    Damaged,
}

/// Reads an entry.
pub(crate) fn held(entry: &str) -> Held {
    match entry.strip_prefix(HEAD) {
        None => Held::Whole,
        Some(count) => match count.parse() {
            Ok(count) if (1..=MOST_PARTS).contains(&count) => Held::Parts(count),
            _ => Held::Damaged,
        },
    }
}

/// The name of part `number`, counted from 1.
pub(crate) fn part_name(name: &str, number: usize) -> String {
    format!("{name}#part-{number}")
}

/// What the entry of a cut value holds.
pub(crate) fn head(count: usize) -> String {
    format!("{HEAD}{count}")
}

/// Cuts a value that is longer than `limit` UTF-16 units (how Windows counts); none when it need not be cut.
pub(crate) fn cut(value: &str, limit: usize) -> Option<Vec<&str>> {
    if value.encode_utf16().count() <= limit && !value.starts_with(HEAD) {
        return None;
    }
    let mut parts = Vec::new();
    let (mut start, mut units) = (0, 0);
    for (at, character) in value.char_indices() {
        if units + character.len_utf16() > limit && at > start {
            parts.push(&value[start..at]);
            (start, units) = (at, 0);
        }
        units += character.len_utf16();
    }
    parts.push(&value[start..]);
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::{HEAD, Held, cut, head, held};

    #[test]
    fn what_fits_is_not_cut() {
        assert_eq!(cut("", 4), None);
        assert_eq!(cut("abcd", 4), None);
        assert_eq!(cut("𝄞𝄞", 4), None);
    }

    #[test]
    fn parts_fit_and_make_the_whole() {
        for value in ["abcde", "abcdefghij", "aé𝄞ø𝄞b", "𝄞𝄞𝄞𝄞𝄞"] {
            let parts = cut(value, 4).unwrap();
            assert!(
                parts.iter().all(|part| part.encode_utf16().count() <= 4),
                "{parts:?}"
            );
            assert_eq!(parts.concat(), value);
        }
    }

    #[test]
    fn a_value_that_looks_like_a_list_is_cut() {
        let value = format!("{HEAD}3");
        assert_eq!(cut(&value, 1000), Some(vec![value.as_str()]));
    }

    #[test]
    fn lists_are_read_and_damage_is_seen() {
        assert_eq!(held(&head(3)), Held::Parts(3));
        assert_eq!(held("token"), Held::Whole);
        assert_eq!(held(&head(0)), Held::Damaged);
        assert_eq!(held(&head(1_000_000)), Held::Damaged);
        assert_eq!(held(&format!("{HEAD}x")), Held::Damaged);
    }
}
