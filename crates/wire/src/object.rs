//! JSON values as they came: raw text read without changing it, and objects written from raw text.
//!
//! Nothing here recurses: a value may be nested as deep as its length allows.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Something that holds JSON text: a [`RawValue`] (also boxed) or a string.
pub trait JsonText {
    /// The text.
    fn json_text(&self) -> &str;
}

impl JsonText for RawValue {
    fn json_text(&self) -> &str {
        self.get()
    }
}

impl JsonText for str {
    fn json_text(&self) -> &str {
        self
    }
}

impl JsonText for String {
    fn json_text(&self) -> &str {
        self
    }
}

impl<T: JsonText + ?Sized> JsonText for &T {
    fn json_text(&self) -> &str {
        (**self).json_text()
    }
}

impl<T: JsonText + ?Sized> JsonText for Box<T> {
    fn json_text(&self) -> &str {
        (**self).json_text()
    }
}

/// What kind of value a JSON text is, told by its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null`
    Null,
}

impl ValueKind {
    /// The kind of this value. Text that is not JSON counts as a number.
    pub fn of<T: JsonText + ?Sized>(raw: &T) -> Self {
        match raw.json_text().trim_start().as_bytes().first() {
            Some(b'{') => Self::Object,
            Some(b'[') => Self::Array,
            Some(b'"') => Self::String,
            Some(b't' | b'f') => Self::Boolean,
            Some(b'n') => Self::Null,
            _ => Self::Number,
        }
    }
}

impl fmt::Display for ValueKind {
    /// With its article, as in "id is an array".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::Null => "null",
        })
    }
}

/// The members of an object in order, duplicates kept; `None` when it is not an object.
///
/// Keys are decoded; half a surrogate pair, which no string can hold, becomes U+FFFD.
pub fn read_members<T: JsonText + ?Sized>(raw: &T) -> Option<Vec<(String, &RawValue)>> {
    let mut members = Vec::new();
    each_member(raw.json_text(), |key, value| {
        members.push((String::from_utf8_lossy(&key).into_owned(), value));
    })
    .ok()?;
    Some(members)
}

/// The value of this member (the last one when the key comes twice, as `JSON.parse` has it);
/// `None` when there is none or it is not an object.
pub fn get<'a, T: JsonText + ?Sized>(raw: &'a T, key: &str) -> Option<&'a RawValue> {
    let mut found = None;
    each_member(raw.json_text(), |name, value| {
        if *name == *key.as_bytes() {
            found = Some(value);
        }
    })
    .ok()?;
    found
}

/// The elements of an array in order; `None` when it is not an array.
pub fn read_elements<T: JsonText + ?Sized>(raw: &T) -> Option<Vec<&RawValue>> {
    let text = raw.json_text();
    if ValueKind::of(text) != ValueKind::Array {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// The text of a JSON string, borrowed when it has no escapes; `None` when it is not a string.
///
/// Half a surrogate pair becomes U+FFFD.
pub fn string<T: JsonText + ?Sized>(raw: &T) -> Option<Cow<'_, str>> {
    let token = raw.json_text();
    let mut reader = serde_json::Deserializer::from_str(token);
    let bytes = reader.deserialize_bytes(StringBytes).ok()?;
    reader.end().ok()?;
    Some(match bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => without_halves(error.as_bytes()),
        }),
    })
}

/// The text in which each half of a surrogate pair, which comes as the three bytes of its number, is one U+FFFD.
fn without_halves(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(half) = rest
        .windows(3)
        .position(|three| three[0] == 0xed && three[1] >= 0xa0)
    {
        text.push_str(&String::from_utf8_lossy(&rest[..half]));
        text.push('\u{fffd}');
        rest = &rest[half + 3..];
    }
    text.push_str(&String::from_utf8_lossy(rest));
    text
}

/// Calls `visit` with each member of the object: the key's bytes (UTF-8, but for half surrogate
/// pairs) and the value.
pub(crate) fn each_member<'a>(
    text: &'a str,
    visit: impl FnMut(Cow<'a, [u8]>, &'a RawValue),
) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.deserialize_map(EachMember(visit))?;
    reader.end()
}

/// Calls `visit` with each element of the array.
pub(crate) fn each_element<'a>(
    text: &'a str,
    visit: impl FnMut(&'a RawValue),
) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.deserialize_seq(EachElement(visit))?;
    reader.end()
}

pub(crate) struct EachMember<F>(pub F);

impl<'de, F: FnMut(Cow<'de, [u8]>, &'de RawValue)> Visitor<'de> for EachMember<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(StringBytes)? {
            (self.0)(key, map.next_value()?);
        }
        Ok(())
    }
}

struct EachElement<F>(F);

impl<'de, F: FnMut(&'de RawValue)> Visitor<'de> for EachElement<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element()? {
            (self.0)(element);
        }
        Ok(())
    }
}

/// Decodes a string as bytes, because a JSON string may hold what a Rust string cannot.
struct StringBytes;

impl<'de> DeserializeSeed<'de> for StringBytes {
    type Value = Cow<'de, [u8]>;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_bytes(self)
    }
}

impl<'de> Visitor<'de> for StringBytes {
    type Value = Cow<'de, [u8]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(bytes))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(bytes.to_vec()))
    }

    // `deserialize_bytes` reads an array too; it is no string.
    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Err(A::Error::custom("expected a string"))
    }
}

/// Writes an object from raw JSON, members in the order in which they are given.
#[derive(Clone, Debug, Default)]
pub struct ObjectWriter {
    text: String,
}

impl ObjectWriter {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member whose value is this JSON text, taken as it is.
    pub fn raw(&mut self, key: &str, json: &str) -> &mut Self {
        self.text.push(if self.text.is_empty() { '{' } else { ',' });
        quote_into(key, &mut self.text);
        self.text.push(':');
        self.text.push_str(json);
        self
    }

    /// Adds a member whose value is this text as a JSON string.
    pub fn string(&mut self, key: &str, text: &str) -> &mut Self {
        self.raw(key, &quote(text))
    }

    /// The object's text. The writer is as new afterwards.
    pub fn finish(&mut self) -> String {
        if self.text.is_empty() {
            self.text.push('{');
        }
        self.text.push('}');
        std::mem::take(&mut self.text)
    }
}

/// The text as a JSON string, quotes included. Escapes only what JSON requires, so the result never
/// has a line break.
pub fn quote(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    quote_into(text, &mut json);
    json
}

fn quote_into(text: &str, json: &mut String) {
    json.push('"');
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..=0x1F => "",
            _ => continue,
        };
        json.push_str(&text[plain_from..at]);
        plain_from = at + 1;
        if short.is_empty() {
            json.push_str("\\u00");
            json.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            json.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        } else {
            json.push_str(short);
        }
    }
    json.push_str(&text[plain_from..]);
    json.push('"');
}
