//! What to look for when a secret is to be nowhere: its text, and what Base64 makes of it wherever it begins.

/// A secret that was planted, by the part of it that no escaping changes.
#[derive(Clone, Debug)]
pub struct Needle {
    /// What it is.
    pub what: String,
    /// The texts that give it away.
    texts: Vec<String>,
}

impl Needle {
    /// Of a part of letters and digits alone, which JSON and URLs leave as it is.
    ///
    /// # Panics
    /// There is something else in it, or it is so short that it may stand anywhere.
    pub fn of(what: &str, core: &str) -> Self {
        assert!(
            core.len() >= 12 && core.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "{core:?} is no part to look for"
        );
        let mut texts = vec![core.to_owned()];
        for shift in 0..3 {
            let text = base64(format!("{}{core}", &"___"[..shift]).as_bytes());
            // What the core alone decides.
            let inner = &text[(shift * 8).div_ceil(6)..(shift + core.len()) * 8 / 6];
            texts.push(inner.to_owned());
            // The alphabet of URLs.
            texts.push(inner.replace('+', "-").replace('/', "_"));
        }
        Self {
            what: what.to_owned(),
            texts,
        }
    }

    /// Of a whole value: its longest part of letters and digits.
    ///
    /// # Panics
    /// It has no such part that is long enough.
    pub fn in_value(what: &str, value: &str) -> Self {
        let core = value
            .split(|c: char| !c.is_ascii_alphanumeric())
            .max_by_key(|part| part.len())
            .unwrap_or_default();
        Self::of(what, core)
    }

    /// Where it stands in a text.
    pub fn found_in(&self, text: &str) -> Option<(usize, &str)> {
        let mut texts = self.texts.iter();
        texts.find_map(|needle| text.find(needle.as_str()).map(|at| (at, needle.as_str())))
    }
}

/// None of them is in this text.
///
/// # Panics
/// One is; the words around it are told.
pub fn assert_without(text: &str, needles: &[Needle], place: &str) {
    for needle in needles {
        if let Some((at, found)) = needle.found_in(text) {
            let mut before = text[..at].char_indices().rev();
            let from = before.nth(300).map_or(0, |(from, _)| from);
            panic!(
                "the {} is in {place}: …{}",
                needle.what,
                &text[from..at + found.len()]
            );
        }
    }
}

/// Base64, as many write it.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().enumerate().fold(0_u32, |bits, (at, byte)| {
            bits | u32::from(*byte) << (16 - 8 * at)
        });
        for at in 0..4 {
            if at <= group.len() {
                text.push(char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// As in a URL, with nothing but unreserved characters left.
pub fn percent(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("text");
        }
        out
    })
}
