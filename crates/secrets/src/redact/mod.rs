//! Redaction by value: known secrets are replaced by their names, wherever they turn up.

mod forms;
mod stream;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, Input, MatchKind};
use secrecy::{ExposeSecret as _, SecretString};

use forms::Form;
pub use stream::RedactedStream;

/// Values shorter than this are not looked for: they would be found everywhere.
const SHORTEST: usize = 4;
/// How many values of a name are known that others make up.
const MOST_MADE_UP: usize = 32;
/// How many bytes they have together.
const MADE_UP_BYTE_LEN: usize = 32 << 10;
/// Of a longer one this much is known.
const LONGEST_MADE_UP: usize = 8 << 10;
/// What stands at the end of a text that was cut.
const CUT: char = '…';
/// Before a cut, the beginning of a value is looked for from this length on.
const SHORTEST_CUT: usize = 6;

/// Replaces each known value by `${secret:NAME}`; clones know the same values.
///
/// A value is found as it is, JSON-escaped, URL-encoded and Base64-encoded, also when it is only a part of what was
/// encoded (a password inside `Authorization: Basic …`). Where several forms begin at the same place the longest one
/// is taken. What does not match is left as it is, to the byte. The work is one pass over the bytes, and none at all
/// while no value is known.
///
/// Two forms are beyond it: a value that was compressed, encrypted or hashed, and one that is spread over several
/// buffers; for the latter there is [`Redactor::stream`].
#[derive(Clone, Default)]
pub struct Redactor(Arc<Shared>);

#[derive(Default)]
struct Shared {
    knows_something: AtomicBool,
    known: RwLock<Known>,
}

#[derive(Default)]
struct Known {
    /// By name. A name keeps its earlier values, since replies to earlier requests may still come.
    values: BTreeMap<String, Vec<SecretString>>,
    /// Made by the first redaction after a change.
    matcher: Option<Arc<Matcher>>,
}

/// What finds the values, and what to put in their places.
struct Matcher {
    /// None when it could not be made.
    automaton: Option<AhoCorasick>,
    patterns: Vec<Vec<u8>>,
    /// One for each pattern.
    places: Vec<Place>,
    longest: usize,
}

struct Place {
    replacement: Arc<[u8]>,
    form: Form,
}

/// A value that was found.
struct Hit<'m> {
    /// Where what is replaced begins and ends.
    start: usize,
    end: usize,
    /// Where the value itself begins and ends; the search goes on there.
    found_at: usize,
    resume: usize,
    replacement: &'m [u8],
}

impl Redactor {
    /// One that knows nothing.
    pub fn new() -> Redactor {
        Redactor::default()
    }

    /// Whether it knows no value.
    pub fn is_empty(&self) -> bool {
        !self.0.knows_something.load(Ordering::Acquire)
    }

    /// From now on, `value` is replaced by `${secret:NAME}`. Values of fewer than 4 bytes are ignored.
    pub fn add(&self, name: &str, value: SecretString) {
        self.learn(name, value, |_| {});
    }

    /// The same for what a server makes up as it likes, any number of times and of any length: of a name's values the
    /// latest are known (32 of them, of 32 KiB together), and of a long value its first 8 KiB, without which the rest is
    /// of no use.
    pub fn add_made_up(&self, name: &str, value: &str) {
        let head = &value[..value.floor_char_boundary(LONGEST_MADE_UP)];
        self.learn(name, SecretString::from(head), |values| {
            let mut byte_len = 0;
            let kept = values
                .iter()
                .rev()
                .take(MOST_MADE_UP)
                .take_while(|value| {
                    byte_len += value.expose_secret().len();
                    byte_len <= MADE_UP_BYTE_LEN
                })
                .count();
            values.drain(..values.len() - kept);
        });
    }

    fn learn(&self, name: &str, value: SecretString, limit: impl FnOnce(&mut Vec<SecretString>)) {
        if value.expose_secret().trim().len() < SHORTEST {
            return;
        }
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        let values = known.values.entry(name.to_owned()).or_default();
        let before = values
            .iter()
            .position(|before| before.expose_secret() == value.expose_secret());
        if let Some(place) = before {
            // The latest stands last.
            values[place..].rotate_left(1);
            return;
        }
        values.push(value);
        limit(values);
        known.matcher = None;
        self.0.knows_something.store(true, Ordering::Release);
    }

    /// Forgets every value of that name.
    pub fn remove(&self, name: &str) {
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.values.remove(name).is_some() {
            known.matcher = None;
            self.0
                .knows_something
                .store(!known.values.is_empty(), Ordering::Release);
        }
    }

    /// The bytes with every known value replaced; borrowed when there was none in them.
    pub fn redact<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(matcher) = self.matcher() else {
            return Cow::Borrowed(bytes);
        };
        let mut redacted = Vec::new();
        let (mut done, mut from) = (0, 0);
        while let Some(hit) = matcher.find(bytes, from) {
            redacted.extend_from_slice(&bytes[done..hit.start.max(done)]);
            redacted.extend_from_slice(hit.replacement);
            (done, from) = (hit.end, hit.resume);
        }
        if from == 0 {
            return Cow::Borrowed(bytes);
        }
        redacted.extend_from_slice(&bytes[done..]);
        Cow::Owned(redacted)
    }

    /// Redacts a text. Stays a text: values and their replacements are. A text that was cut, which `…` says, may end
    /// within a value; what is there of it is replaced too.
    pub fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let whole = match self.redact(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        };
        if !whole.contains(CUT) {
            return whole;
        }
        let Some(matcher) = self.matcher() else {
            return whole;
        };
        let mut redacted = String::with_capacity(whole.len());
        let mut rest = &*whole;
        while let Some(at) = rest.find(CUT) {
            match matcher.beginning_at_end(&rest.as_bytes()[..at]) {
                Some((start, replacement)) => {
                    redacted.push_str(&String::from_utf8_lossy(&rest.as_bytes()[..start]));
                    redacted.push_str(&String::from_utf8_lossy(replacement));
                }
                None => redacted.push_str(&rest[..at]),
            }
            redacted.push(CUT);
            rest = &rest[at + CUT.len_utf8()..];
        }
        redacted.push_str(rest);
        Cow::Owned(redacted)
    }

    /// For bytes that come in pieces, where a value may begin in one and end in another.
    pub fn stream(&self) -> RedactedStream {
        RedactedStream::new(self.clone())
    }

    /// The matcher; none when nothing is known.
    fn matcher(&self) -> Option<Arc<Matcher>> {
        if self.is_empty() {
            return None;
        }
        if let Some(matcher) = &self.read().matcher {
            return Some(Arc::clone(matcher));
        }
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.matcher.is_none() && !known.values.is_empty() {
            known.matcher = Some(Arc::new(Matcher::of(&known.values)));
        }
        known.matcher.clone()
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.0.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Redactor {
    /// The number of names, and nothing of the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("names", &self.read().values.len())
            .finish_non_exhaustive()
    }
}

impl Matcher {
    fn of(values: &BTreeMap<String, Vec<SecretString>>) -> Matcher {
        let mut patterns = Vec::new();
        let mut places = Vec::new();
        for (name, values) in values {
            let replacement: Arc<[u8]> = format!("${{secret:{}}}", printable(name))
                .into_bytes()
                .into();
            for (pattern, form) in values
                .iter()
                .flat_map(|value| forms::of(value.expose_secret()))
            {
                patterns.push(pattern);
                places.push(Place {
                    replacement: Arc::clone(&replacement),
                    form,
                });
            }
        }
        let longest = patterns.iter().map(Vec::len).max().unwrap_or(0);
        let automaton = AhoCorasickBuilder::new()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&patterns);
        if let Err(error) = &automaton {
            // Only secrets of gigabytes get here. Nothing may pass unredacted, so nothing passes.
            tracing::error!(%error, "there are too many secrets to look for; everything is redacted");
        }
        Matcher {
            automaton: automaton.ok(),
            patterns,
            places,
            longest,
        }
    }

    /// Where a value begins that the end of these bytes cuts off, and what to put in its place.
    fn beginning_at_end(&self, bytes: &[u8]) -> Option<(usize, &[u8])> {
        let mut found: Option<(usize, &[u8])> = None;
        for (pattern, place) in self.patterns.iter().zip(&self.places) {
            let most = bytes.len().min(pattern.len().saturating_sub(1));
            let kept = (SHORTEST_CUT..=most)
                .rev()
                .find(|kept| bytes.ends_with(&pattern[..*kept]));
            if let Some(kept) = kept
                && found.is_none_or(|(start, _)| bytes.len() - kept < start)
            {
                found = Some((bytes.len() - kept, &place.replacement));
            }
        }
        found
    }

    /// The first value at or after `from`.
    fn find<'m>(&'m self, bytes: &[u8], from: usize) -> Option<Hit<'m>> {
        let Some(automaton) = &self.automaton else {
            let end = bytes.len();
            return (from < end).then_some(Hit {
                start: from,
                end,
                found_at: from,
                resume: end,
                replacement: b"${secret:?}",
            });
        };
        let found = automaton.find(Input::new(bytes).range(from..))?;
        let place = &self.places[found.pattern().as_usize()];
        let (mut start, mut end) = (found.start(), found.end());
        if let Form::Inside { before, after } = place.form {
            // The neighbours hold a few bits of the value.
            if before && start > from && is_base64(bytes[start - 1]) {
                start -= 1;
            }
            if after && bytes.get(end).copied().is_some_and(is_base64) {
                end += 1;
            }
        }
        Some(Hit {
            start,
            end,
            found_at: found.start(),
            resume: found.end(),
            replacement: &place.replacement,
        })
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// A name that breaks neither JSON nor a header nor the `${secret:…}` around it.
fn printable(name: &str) -> String {
    name.chars()
        .map(|character| match character {
            '"' | '\\' | '{' | '}' => '_',
            control if control.is_control() => '_',
            other => other,
        })
        .collect()
}
