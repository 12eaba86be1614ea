//! Bytes laid out for reading: JSON over lines, anything else in hexadecimal.

use std::fmt::Write as _;

use memchr::memchr2;
use serde_json::value::RawValue;

/// Containers nested deeper than this stay on one line. Nobody reads them, and their indentation
/// would make the text grow with the square of the depth.
pub const INDENTED_DEPTH: usize = 64;

/// JSON over lines, indented by two spaces, with every token exactly as it came: digits, escapes,
/// the order of keys and duplicates. Only the white space between tokens is changed. `None` when
/// the bytes are not one JSON value (a byte order mark before it is dropped).
///
/// Takes linear time at any depth; the text is at most about 65 times longer than the bytes.
pub fn layout(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).ok()?;
    let value: &RawValue = serde_json::from_str(text).ok()?;
    let mut layout = Layout {
        out: Vec::with_capacity(bytes.len() + bytes.len() / 2),
        depth: 0,
    };
    layout.write(value.get().as_bytes());
    String::from_utf8(layout.out).ok()
}

/// A line break and the deepest indentation.
const LINE_BREAK: [u8; 1 + 2 * INDENTED_DEPTH] = {
    let mut spaces = [b' '; 1 + 2 * INDENTED_DEPTH];
    spaces[0] = b'\n';
    spaces
};

struct Layout {
    out: Vec<u8>,
    depth: usize,
}

impl Layout {
    /// Lays out text that is known to be JSON.
    fn write(&mut self, json: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = json.get(at) {
            match byte {
                b'"' => {
                    let end = end_of_string(json, at);
                    self.out.extend_from_slice(&json[at..end]);
                    at = end;
                    continue;
                }
                b'{' | b'[' => {
                    self.out.push(byte);
                    let next = json[at + 1..]
                        .iter()
                        .position(|byte| !byte.is_ascii_whitespace())
                        .map(|offset| at + 1 + offset);
                    if let Some(next) = next
                        && matches!(json[next], b'}' | b']')
                    {
                        self.out.push(json[next]);
                        at = next + 1;
                        continue;
                    }
                    self.depth += 1;
                    self.break_line(self.depth);
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.break_line(self.depth + 1);
                    self.out.push(byte);
                }
                b',' => {
                    self.out.push(byte);
                    self.break_line(self.depth);
                }
                b':' => self.out.extend_from_slice(b": "),
                b' ' | b'\t' | b'\n' | b'\r' => {}
                _ => {
                    let end = end_of_scalar(json, at);
                    self.out.extend_from_slice(&json[at..end]);
                    at = end;
                    continue;
                }
            }
            at += 1;
        }
    }

    /// Begins a line with the indentation of the current depth, within a container at this depth.
    fn break_line(&mut self, container: usize) {
        if container > INDENTED_DEPTH {
            return;
        }
        self.out.extend_from_slice(&LINE_BREAK[..=2 * self.depth]);
    }
}

/// The offset after the closing quote of the string that begins here.
pub(crate) fn end_of_string(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(offset) = memchr2(b'"', b'\\', json.get(at..).unwrap_or_default()) {
        at += offset;
        if json[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    json.len()
}

/// The offset after the number or literal that begins here.
pub(crate) fn end_of_scalar(json: &[u8], start: usize) -> usize {
    json[start..]
        .iter()
        .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'))
        .map_or(json.len(), |offset| start + offset)
}

/// The bytes in the columns of `hexdump -C`: offset, sixteen bytes, and their ASCII characters. One
/// line for sixteen bytes, without a line break at the end; empty when there are no bytes.
pub fn hex(bytes: &[u8]) -> String {
    hex_from(0, bytes)
}

/// The same of a part: `bytes` begin at `offset`.
pub fn hex_from(offset: usize, bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(16) * 79);
    for (row, line) in bytes.chunks(16).enumerate() {
        if row > 0 {
            text.push('\n');
        }
        hex_line(offset + row * 16, line, &mut text);
    }
    text
}

fn hex_line(offset: usize, line: &[u8], text: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    // Writing to a string does not fail.
    let _written = write!(text, "{offset:08x}");
    for column in 0..16 {
        text.push_str(if column % 8 == 0 { "  " } else { " " });
        match line.get(column) {
            Some(byte) => {
                text.push(char::from(DIGITS[usize::from(byte >> 4)]));
                text.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
            None => text.push_str("  "),
        }
    }
    text.push_str("  |");
    text.extend(line.iter().map(|&byte| match byte {
        b' '..=b'~' => char::from(byte),
        _ => '.',
    }));
    text.push('|');
}
