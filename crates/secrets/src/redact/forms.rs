//! The forms in which a value travels.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

use super::SHORTEST;

/// How a form stands among the bytes around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// It is all of the value.
    Whole,
    /// It is the middle of a longer Base64 text; the neighbours may hold bits of the value.
    Inside {
        /// The character before it does.
        before: bool,
        /// The character after it does.
        after: bool,
    },
}

/// Of longer values the escaped forms are not looked for within Base64: keys and certificates have nothing to escape but
/// their line ends, and the forms would be many.
const LONGEST_NESTED: usize = 4096;

/// A Base64 form of a part is looked for from this length on: shorter ones turn up by chance.
const SHORTEST_INSIDE: usize = 8;

/// What the WHATWG calls the query, path and userinfo sets, and two common sets of what stays.
const QUERY: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'\'');
const PATH: &AsciiSet = &QUERY
    .remove(b'\'')
    .add(b'?')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'}');
const USERINFO: &AsciiSet = &PATH
    .add(b'/')
    .add(b':')
    .add(b';')
    .add(b'=')
    .add(b'@')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'|');
const STRICT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
const COMPONENT: &AsciiSet = &STRICT
    .remove(b'!')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');
const FORM: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'*')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_');
const FORM_BUT_SPACE: &AsciiSet = &FORM.remove(b' ');

/// Every form of `value` to look for, each once.
pub(super) fn of(value: &str) -> BTreeMap<Vec<u8>, Form> {
    let mut forms = Forms::default();
    for plain in plain(value) {
        forms.add(plain, Form::Whole);
        forms.add_urls(plain, Form::Whole);
        for json in json(plain) {
            // A JSON text inside a JSON text, as tools like to answer.
            forms.add_json(&json, Form::Whole);
            forms.add_urls(&json, Form::Whole);
            forms.add(&json, Form::Whole);
        }
        for engine in [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD] {
            forms.add_encoded(&engine.encode(plain), Form::Whole);
        }
        for text in nested(plain) {
            for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
                for (inside, form) in insides(&engine, text.as_bytes()) {
                    forms.add_encoded(&inside, form);
                }
            }
        }
    }
    forms.0
}

/// The texts that a longer text may hold the value as before it is Base64-encoded: a picture or a file of a result is a
/// whole document, in which the value is escaped as everywhere. Each once.
fn nested(plain: &str) -> BTreeSet<String> {
    let mut texts = BTreeSet::from([plain.to_owned()]);
    if plain.len() <= LONGEST_NESTED {
        texts.extend(json(plain));
        for set in [QUERY, STRICT, COMPONENT, FORM] {
            let upper = utf8_percent_encode(plain, set).to_string();
            texts.insert(lower_hex(&upper));
            texts.insert(upper);
        }
    }
    texts
}

#[derive(Default)]
struct Forms(BTreeMap<Vec<u8>, Form>);

impl Forms {
    fn add(&mut self, text: &str, form: Form) {
        if text.len() >= SHORTEST {
            self.0.entry(text.as_bytes().to_vec()).or_insert(form);
        }
    }

    fn add_json(&mut self, text: &str, form: Form) {
        for json in json(text) {
            self.add(&json, form);
        }
    }

    fn add_urls(&mut self, text: &str, form: Form) {
        for set in [
            QUERY,
            PATH,
            USERINFO,
            STRICT,
            COMPONENT,
            FORM,
            NON_ALPHANUMERIC,
        ] {
            let upper = utf8_percent_encode(text, set).to_string();
            self.add(&lower_hex(&upper), form);
            self.add(&upper, form);
        }
        let upper = utf8_percent_encode(text, FORM_BUT_SPACE)
            .to_string()
            .replace(' ', "+");
        self.add(&lower_hex(&upper), form);
        self.add(&upper, form);
    }

    /// A Base64 text, which may be escaped in turn.
    fn add_encoded(&mut self, text: &str, form: Form) {
        self.add(text, form);
        self.add_json(text, form);
        self.add_urls(text, form);
    }
}

/// The value, without the space around it, and without the scheme before a credential: a server that repeats
/// `Bearer abc` often repeats only `abc`.
fn plain(value: &str) -> Vec<&str> {
    const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "apikey", "api-key"];
    let trimmed = value.trim();
    let credential = trimmed
        .split_once(' ')
        .filter(|(scheme, _)| {
            SCHEMES
                .iter()
                .any(|known| scheme.eq_ignore_ascii_case(known))
        })
        .map(|(_, credential)| credential.trim());
    [Some(value), Some(trimmed), credential]
        .into_iter()
        .flatten()
        .filter(|plain| plain.len() >= SHORTEST)
        .collect()
}

/// What stands for `value` within the Base64 of a longer text, for each place that it may have in a group of three
/// bytes: the characters that the value alone decides.
fn insides(engine: &GeneralPurpose, value: &[u8]) -> Vec<(String, Form)> {
    (0..3)
        .filter_map(|shift| {
            let mut shifted = vec![0; shift];
            shifted.extend_from_slice(value);
            let first = (shift * 8).div_ceil(6);
            let last = shifted.len() * 8 / 6;
            let text = engine.encode(&shifted).get(first..last)?.to_owned();
            let form = Form::Inside {
                before: shift != 0,
                after: shifted.len() % 3 != 0,
            };
            (text.len() >= SHORTEST_INSIDE).then_some((text, form))
        })
        .collect()
}

/// How JSON writers differ.
#[derive(Clone, Copy)]
struct JsonStyle {
    /// Whether `/` becomes `\/`.
    slash: bool,
    ascii_only: bool,
    upper_hex: bool,
    /// What is written as `\u…` though it need not be; `"` among it is not written as `\"`.
    also: &'static str,
}

/// The styles of serde and JavaScript; PHP (two); Python; Jackson; Go; .NET.
const JSON_STYLES: [JsonStyle; 7] = {
    let plain = JsonStyle {
        slash: false,
        ascii_only: false,
        upper_hex: false,
        also: "",
    };
    [
        plain,
        JsonStyle {
            slash: true,
            ..plain
        },
        JsonStyle {
            slash: true,
            ascii_only: true,
            ..plain
        },
        JsonStyle {
            ascii_only: true,
            ..plain
        },
        JsonStyle {
            ascii_only: true,
            upper_hex: true,
            ..plain
        },
        JsonStyle {
            also: "<>&\u{2028}\u{2029}",
            ..plain
        },
        JsonStyle {
            slash: false,
            ascii_only: true,
            upper_hex: true,
            also: "\"<>&'+`\u{7f}",
        },
    ]
};

/// `text` as it stands between the quotes of a JSON string, in each style.
fn json(text: &str) -> impl Iterator<Item = String> + '_ {
    JSON_STYLES.iter().map(|style| style.escape(text))
}

impl JsonStyle {
    fn escape(self, text: &str) -> String {
        let mut escaped = String::with_capacity(text.len());
        for character in text.chars() {
            match character {
                other if self.also.contains(other) => self.push_units(&mut escaped, other),
                '"' => escaped.push_str("\\\""),
                '\\' => escaped.push_str("\\\\"),
                '/' if self.slash => escaped.push_str("\\/"),
                '\u{8}' => escaped.push_str("\\b"),
                '\u{c}' => escaped.push_str("\\f"),
                '\n' => escaped.push_str("\\n"),
                '\r' => escaped.push_str("\\r"),
                '\t' => escaped.push_str("\\t"),
                control if control < ' ' => self.push_units(&mut escaped, control),
                other if self.ascii_only && !other.is_ascii() => {
                    self.push_units(&mut escaped, other);
                }
                other => escaped.push(other),
            }
        }
        escaped
    }

    fn push_units(self, escaped: &mut String, character: char) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            escaped.push_str("\\u");
            for shift in [12, 8, 4, 0] {
                let digit = char::from_digit(u32::from(*unit >> shift & 0xf), 16).unwrap_or('0');
                escaped.push(if self.upper_hex {
                    digit.to_ascii_uppercase()
                } else {
                    digit
                });
            }
        }
    }
}

/// `%2F` as `%2f`.
fn lower_hex(encoded: &str) -> String {
    let mut lower = String::with_capacity(encoded.len());
    let mut hex_left = 0;
    for character in encoded.chars() {
        if character == '%' {
            hex_left = 2;
            lower.push(character);
        } else if hex_left > 0 {
            hex_left -= 1;
            lower.push(character.to_ascii_lowercase());
        } else {
            lower.push(character);
        }
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::{of, plain};

    #[test]
    fn a_plain_token_has_few_forms() {
        // Itself, its Base64 whole (with and without padding) and inside (three places), and `=` encoded.
        let forms = of("sk_live_0123456789");
        assert!(
            forms.len() <= 8,
            "{:?}",
            forms
                .keys()
                .map(|form| String::from_utf8_lossy(form))
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn an_escaped_value_is_known_within_base64() {
        use base64::Engine as _;
        let value = "one+two/three \"4\"";
        let document = "a page with one%2Btwo%2Fthree%20%224%22 in it";
        let encoded = base64::engine::general_purpose::STANDARD.encode(document);
        let found = of(value)
            .into_keys()
            .any(|form| encoded.contains(&*String::from_utf8_lossy(&form)));
        assert!(found, "{encoded}");
    }

    #[test]
    fn schemes_are_no_part_of_a_credential() {
        assert!(plain("Bearer abcdef").contains(&"abcdef"));
        assert!(plain("Basic dXNlcjpwYXNz").contains(&"dXNlcjpwYXNz"));
        assert_eq!(
            plain("correct horse")
                .iter()
                .filter(|plain| **plain != "correct horse")
                .count(),
            0
        );
        assert!(!plain("Token ab").contains(&"ab"));
    }
}
