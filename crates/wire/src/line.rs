//! Lines of a stdio stream: one message each (2026-07-28 basic/transports/stdio, "Messages are
//! delimited by newlines").

use bytes::Bytes;
use memchr::memchr;

/// One line, or a part of one that was too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The bytes without the `\n` or `\r\n` that ended them. Empty for an empty line.
    pub bytes: Bytes,
    /// The line was longer than the limit. It is given as several parts in order, and each of
    /// them, the last one too, is marked: none is a message.
    pub cut: bool,
}

/// Cuts a stream into lines.
///
/// Invariants: the lines are the same for every way of chunking the stream; the splitter holds at
/// most `limit` bytes and one chunk; a byte is looked at once.
#[derive(Debug)]
pub struct LineSplitter {
    limit: usize,
    /// The bytes of the line that has not ended, less the parts already given.
    pending: Vec<u8>,
    /// A part of the current line was already given.
    cutting: bool,
}

impl LineSplitter {
    /// A splitter that gives a line of more than `limit` bytes (at least 1) in marked parts.
    pub fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(1),
            pending: Vec::new(),
            cutting: false,
        }
    }

    /// Takes the next bytes of the stream and gives the lines that they complete.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut rest = chunk;
        while let Some(at) = memchr(b'\n', rest) {
            let (head, tail) = rest.split_at(at);
            rest = &tail[1..];
            if self.pending.is_empty() {
                // The common case: the line lies within the chunk, and is copied once.
                self.end(Bytes::copy_from_slice(without_cr(head)), &mut lines);
            } else {
                self.pending.extend_from_slice(head);
                self.end_pending(&mut lines);
            }
        }
        self.pending.extend_from_slice(rest);
        self.cut_pending(&mut lines);
        lines
    }

    /// The stream ended: the last line, if the stream did not end with a line ending.
    pub fn finish(&mut self) -> Option<Line> {
        if self.pending.is_empty() {
            return None;
        }
        let mut lines = Vec::new();
        self.end_pending(&mut lines);
        lines.pop()
    }

    /// Bytes of a line that has not ended yet. Grows when a server forgets the newline.
    pub fn pending_len(&self) -> usize {
        self.pending.len()
    }

    /// Those bytes.
    pub fn pending(&self) -> &[u8] {
        &self.pending
    }

    fn end_pending(&mut self, lines: &mut Vec<Line>) {
        let mut line = std::mem::take(&mut self.pending);
        line.truncate(without_cr(&line).len());
        self.end(Bytes::from(line), lines);
    }

    fn end(&mut self, mut line: Bytes, lines: &mut Vec<Line>) {
        let cut = std::mem::take(&mut self.cutting) || line.len() > self.limit;
        while line.len() > self.limit {
            let bytes = line.split_to(self.limit);
            lines.push(Line { bytes, cut });
        }
        lines.push(Line { bytes: line, cut });
    }

    /// Gives parts while more than `limit` bytes surely belong to the line. A `\r` at the end may
    /// be half of its ending, so it does not count yet.
    fn cut_pending(&mut self, lines: &mut Vec<Line>) {
        let sure = without_cr(&self.pending).len();
        if sure <= self.limit {
            return;
        }
        let parts = (sure - 1) / self.limit;
        let mut given = Bytes::copy_from_slice(&self.pending[..parts * self.limit]);
        self.pending.drain(..parts * self.limit);
        self.cutting = true;
        while !given.is_empty() {
            let bytes = given.split_to(self.limit);
            lines.push(Line { bytes, cut: true });
        }
    }
}

fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
