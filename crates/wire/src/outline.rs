//! JSON text seen as a tree, by offsets: what a value holds is found by scanning the text, and nothing of it is copied,
//! parsed into numbers or put in another order.
//!
//! All functions take text that is one valid JSON value; of any other text they give something and never fail. Nothing
//! recurses.

use std::borrow::Cow;

use crate::object::ValueKind;
use crate::pretty::{end_of_scalar, end_of_string};

/// A value within a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where it begins, in bytes.
    pub start: usize,
    /// The offset after it.
    pub end: usize,
    /// How many members or elements it holds; 0 for what holds none.
    pub len: u32,
}

/// A member of an object or an element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// Where the key's token begins and the offset after it; none in an array.
    pub key: Option<(usize, usize)>,
    /// The value.
    pub value: Extent,
}

/// One value on the way to another: a container and the place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where the container begins.
    pub container: usize,
    /// Which of its children, from 0.
    pub index: u32,
}

/// The value that begins at or after `at`, white space aside.
pub fn value_at(json: &[u8], at: usize) -> Extent {
    let start = skip_space(json, at);
    let Some(byte) = json.get(start) else {
        return Extent {
            start,
            end: start,
            len: 0,
        };
    };
    match byte {
        b'"' => Extent {
            start,
            end: end_of_string(json, start).min(json.len()),
            len: 0,
        },
        b'{' | b'[' => container(json, start),
        _ => Extent {
            start,
            end: end_of_scalar(json, start),
            len: 0,
        },
    }
}

/// What kind of value begins at an offset.
pub fn kind_at(json: &[u8], start: usize) -> ValueKind {
    match json.get(start) {
        Some(b'{') => ValueKind::Object,
        Some(b'[') => ValueKind::Array,
        Some(b'"') => ValueKind::String,
        Some(b't' | b'f') => ValueKind::Boolean,
        Some(b'n') => ValueKind::Null,
        _ => ValueKind::Number,
    }
}

/// The text that a string token stands for; a token that cannot be read (a lone surrogate) stays as it is, without quotes.
pub fn string(token: &[u8]) -> Cow<'_, str> {
    let inner = token.strip_prefix(b"\"").unwrap_or(token);
    let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
    if memchr::memchr(b'\\', inner).is_none() {
        return String::from_utf8_lossy(inner);
    }
    match serde_json::from_slice::<String>(token) {
        Ok(text) => Cow::Owned(text),
        Err(_) => String::from_utf8_lossy(inner),
    }
}

/// Walks the children of one container.
#[derive(Clone, Debug)]
pub struct Children<'a> {
    json: &'a [u8],
    at: usize,
    has_keys: bool,
}

/// The children of the container that begins at `start`; none of anything else.
pub fn children(json: &[u8], start: usize) -> Children<'_> {
    let opens = json.get(start).copied();
    Children {
        json,
        at: if matches!(opens, Some(b'{' | b'[')) {
            start + 1
        } else {
            json.len()
        },
        has_keys: opens == Some(b'{'),
    }
}

impl<'a> Children<'a> {
    /// Goes on from a place that [`Children::place`] gave, in a container that has keys or not.
    pub fn from_place(json: &'a [u8], place: usize, has_keys: bool) -> Self {
        Self {
            json,
            at: place,
            has_keys,
        }
    }

    /// Where the walk stands, before the next child.
    pub fn place(&self) -> usize {
        self.at
    }
}

impl Iterator for Children<'_> {
    type Item = Child;

    fn next(&mut self) -> Option<Child> {
        let mut at = skip_space(self.json, self.at);
        if self.json.get(at) == Some(&b',') {
            at = skip_space(self.json, at + 1);
        }
        match self.json.get(at) {
            None | Some(b'}' | b']') => {
                self.at = self.json.len();
                return None;
            }
            Some(_) => {}
        }
        let key = if self.has_keys {
            let end = end_of_string(self.json, at).min(self.json.len());
            let key = (at, end);
            let colon = skip_space(self.json, end);
            at = if self.json.get(colon) == Some(&b':') {
                colon + 1
            } else {
                colon
            };
            Some(key)
        } else {
            None
        };
        let value = value_at(self.json, at);
        // Text that is no JSON must not hold the walk up.
        self.at = value.end.max(self.at + 1);
        Some(Child { key, value })
    }
}

/// Visits every key and every scalar in order, with the way to it. `visit` gets the way, the key's token, and the value's
/// extent with its token (empty for a container); it says whether to go on.
pub fn walk(json: &[u8], mut visit: impl FnMut(&[Step], Option<&[u8]>, Extent, &[u8]) -> bool) {
    let mut way: Vec<Step> = Vec::new();
    // The walks that wait for the containers within them.
    let mut walks: Vec<Children<'_>> = Vec::new();
    let root = skip_space(json, 0);
    if let Some((start, end)) = scalar(json, root) {
        visit(&way, None, Extent { start, end, len: 0 }, &json[start..end]);
        return;
    }
    way.push(Step {
        container: root,
        index: 0,
    });
    walks.push(children(json, root));
    while let Some(walk) = walks.last_mut() {
        let Some((key, start)) = walk.next_start() else {
            // Behind the closing bracket the walk around it goes on.
            let place = walk.at;
            walks.pop();
            way.pop();
            if let (Some(step), Some(outer)) = (way.last_mut(), walks.last_mut()) {
                step.index += 1;
                outer.at = place;
            }
            continue;
        };
        let key = key.map(|(from, to)| &json[from..to]);
        if let Some((start, end)) = scalar(json, start) {
            walk.at = end.max(walk.at + 1);
            if !visit(&way, key, Extent { start, end, len: 0 }, &json[start..end]) {
                return;
            }
            if let Some(step) = way.last_mut() {
                step.index += 1;
            }
        } else {
            if !visit(
                &way,
                key,
                Extent {
                    start,
                    end: start,
                    len: 0,
                },
                &[],
            ) {
                return;
            }
            walks.push(children(json, start));
            way.push(Step {
                container: start,
                index: 0,
            });
        }
    }
}

impl Children<'_> {
    /// The next child's key and where its value begins, without looking for the value's end. At the end the place is
    /// behind the closing bracket.
    fn next_start(&mut self) -> Option<(Option<(usize, usize)>, usize)> {
        let mut at = skip_space(self.json, self.at);
        if self.json.get(at) == Some(&b',') {
            at = skip_space(self.json, at + 1);
        }
        match self.json.get(at) {
            None => {
                self.at = self.json.len();
                return None;
            }
            Some(b'}' | b']') => {
                self.at = at + 1;
                return None;
            }
            Some(_) => {}
        }
        let mut key = None;
        if self.has_keys {
            let end = end_of_string(self.json, at).min(self.json.len());
            key = Some((at, end));
            let colon = skip_space(self.json, end);
            at = if self.json.get(colon) == Some(&b':') {
                colon + 1
            } else {
                colon
            };
        }
        let start = skip_space(self.json, at);
        self.at = start;
        Some((key, start))
    }
}

/// Where a value that is no container ends.
fn scalar(json: &[u8], start: usize) -> Option<(usize, usize)> {
    match json.get(start) {
        Some(b'{' | b'[') => None,
        Some(b'"') => Some((start, end_of_string(json, start).min(json.len()))),
        Some(_) => Some((
            start,
            end_of_scalar(json, start).max(start + 1).min(json.len()),
        )),
        None => Some((start.min(json.len()), json.len().max(start.min(json.len())))),
    }
}

/// The extent of a container, with the number of its children.
fn container(json: &[u8], start: usize) -> Extent {
    let mut depth = 0_usize;
    let mut len = 0;
    let mut is_empty = true;
    let mut at = start;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => {
                is_empty &= depth != 1;
                at = end_of_string(json, at);
                continue;
            }
            b'{' | b'[' => {
                is_empty &= depth != 1;
                depth += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let len = if is_empty { 0 } else { len + 1 };
                    return Extent {
                        start,
                        end: at + 1,
                        len,
                    };
                }
            }
            b',' => len += u32::from(depth == 1),
            b' ' | b'\t' | b'\n' | b'\r' | b':' => {}
            _ => is_empty &= depth != 1,
        }
        at += 1;
    }
    let len = if is_empty { 0 } else { len + 1 };
    Extent {
        start,
        end: json.len(),
        len,
    }
}

fn skip_space(json: &[u8], at: usize) -> usize {
    json.get(at..)
        .and_then(|rest| {
            rest.iter()
                .position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        })
        .map_or(json.len(), |offset| at + offset)
}
