//! Names of secrets inside other texts: `--api-key=${secret:NAME}`, `https://example.com/mcp?key=${secret:NAME}`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};

/// How a reference begins; it ends with a brace.
const BEGIN: &str = "${secret:";

/// What a URL has for itself; the rest of a value stands in it as it is (RFC 3986 § 2.3).
pub const IN_URL: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A piece of a text.
enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let Some((name, behind)) = after.split_once('}') else {
            break;
        };
        pieces.extend([Piece::Text(before), Piece::Name(name)]);
        rest = behind;
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// The names that a text refers to, in order.
pub fn names_in(text: &str) -> Vec<&str> {
    let names = pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Name(name) => Some(name),
        Piece::Text(_) => None,
    });
    names.collect()
}

/// A reference to this name.
pub fn to(name: &str) -> String {
    format!("{BEGIN}{name}}}")
}

/// The text with something in the place of each reference.
pub fn replaced(text: &str, mut with: impl FnMut(&str) -> String) -> String {
    let mut whole = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => whole.push_str(text),
            Piece::Name(name) => whole.push_str(&with(name)),
        }
    }
    whole
}

/// A URL in which something plain stands in the place of each reference: it has the same parts, and names may hold what
/// would end them.
pub fn plain_url(url: &str) -> String {
    replaced(url, |_| "secret".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_wherever_they_stand() {
        let text = "--key=${secret:My server/key}, ${secret:b} ${other} ${secret:unended";
        assert_eq!(names_in(text), ["My server/key", "b"]);
        assert_eq!(
            replaced(text, str::to_uppercase),
            "--key=MY SERVER/KEY, B ${other} ${secret:unended"
        );
        assert_eq!(names_in("nothing"), Vec::<&str>::new());
        assert_eq!(replaced(&to("a"), str::to_owned), "a");
        assert_eq!(
            plain_url("https://u:${secret:a/b@c}@host/"),
            "https://u:secret@host/"
        );
    }
}
