//! Events of a `text/event-stream` (WHATWG HTML § 9.2.6, Interpreting an event stream).

use std::borrow::Cow;

use bytes::Bytes;
use memchr::{memchr, memchr2};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The lines of one event, or a part of them when they were too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseBlock {
    /// The lines as they came, their endings and the closing blank line included. Blank lines (and
    /// the stream's byte order mark) that came before the first line are at the front, so the
    /// blocks of a stream, one after the other, are the stream.
    pub raw: Bytes,
    /// The block was longer than the limit. It is given as several parts in order, and each of
    /// them, the last one too, is marked.
    pub cut: bool,
    /// A blank line ended it. Without one the event is incomplete, and a browser would drop it.
    pub ended: bool,
}

/// What a block says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseFields {
    /// The event's type. `None` when absent or empty, which means `message`.
    pub event: Option<String>,
    /// The `data` lines joined by `\n`. `None` when there is no `data` line: nothing is dispatched.
    pub data: Option<Vec<u8>>,
    /// The last event id. The empty string takes the id back; an id with a NUL is ignored.
    pub id: Option<String>,
    /// The reconnection time in milliseconds, when the value has only digits.
    pub retry_millis: Option<u64>,
    /// How many comment lines there are. A block of comments alone is a sign of life.
    pub comments: u32,
}

/// How the previous line of the block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// `\n` or `\r\n`, or there was no line yet.
    Lf,
    /// A `\r` that no `\n` followed.
    Cr,
}

/// Where the splitter is in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Before the first byte, with so many bytes of a byte order mark seen.
    Bom(usize),
    /// Within a line, or at its start when `blank`.
    Line { blank: bool },
    /// After a `\r` that ended a line with content (or a blank line before the first one): a `\n`
    /// that follows belongs to it.
    AfterCr,
    /// After the `\r` of the blank line that ends the block: a `\n` that follows belongs to it.
    AfterClosingCr,
}

/// Cuts an event stream into blocks.
///
/// Invariants: the blocks are the same for every way of chunking the stream; the splitter holds at
/// most `limit` bytes and one chunk; a byte is looked at once.
///
/// A block is given when its blank line is complete. A blank line that is a lone `\r` at the end of
/// what has arrived could still become `\r\n`: in a stream whose lines end in `\r` the block is
/// given at once (a `\n` that follows goes to the next block, where it means nothing), in any other
/// stream it waits for the next byte or the end.
#[derive(Debug)]
pub struct SseSplitter {
    limit: usize,
    /// The bytes of the block that has not ended, less the parts already given.
    pending: Vec<u8>,
    at: At,
    previous: Ending,
    /// The block has a line that is not blank.
    started: bool,
    /// A part of the current block was already given.
    cutting: bool,
}

impl SseSplitter {
    /// A splitter that gives a block of more than `limit` bytes (at least 1) in marked parts.
    pub fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(1),
            pending: Vec::new(),
            at: At::Bom(0),
            previous: Ending::Lf,
            started: false,
            cutting: false,
        }
    }

    /// Takes the next bytes of the stream and gives the blocks that they complete.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<SseBlock> {
        let mut blocks = Vec::new();
        // Bytes of the chunk before `taken` are given or pending; those before `at` are read.
        let mut taken = 0;
        let mut at = 0;
        while at < chunk.len() {
            match self.at {
                At::Bom(seen) => {
                    if chunk[at] != BOM[seen] {
                        // Not a mark after all: what was seen of it is content.
                        self.at = At::Line { blank: seen == 0 };
                        self.started = seen > 0;
                        continue;
                    }
                    at += 1;
                    self.at = if seen + 1 == BOM.len() {
                        At::Line { blank: true }
                    } else {
                        At::Bom(seen + 1)
                    };
                }
                At::Line { blank } => {
                    let Some(ending) = memchr2(b'\n', b'\r', &chunk[at..]) else {
                        self.started = true;
                        self.at = At::Line { blank: false };
                        break;
                    };
                    let blank = blank && ending == 0;
                    at += ending;
                    let is_lf = chunk[at] == b'\n';
                    at += 1;
                    if !blank {
                        self.started = true;
                    }
                    let closing = blank && self.started;
                    if is_lf {
                        self.line_ended(Ending::Lf);
                    } else if !closing {
                        self.at = At::AfterCr;
                    } else if self.previous == Ending::Lf {
                        self.at = At::AfterClosingCr;
                    }
                    if closing && (is_lf || self.previous == Ending::Cr) {
                        self.close(&chunk[taken..at], &mut blocks);
                        taken = at;
                    }
                }
                At::AfterCr => {
                    if chunk[at] == b'\n' {
                        at += 1;
                        self.line_ended(Ending::Lf);
                    } else {
                        self.line_ended(Ending::Cr);
                    }
                }
                At::AfterClosingCr => {
                    if chunk[at] == b'\n' {
                        at += 1;
                    }
                    self.close(&chunk[taken..at], &mut blocks);
                    taken = at;
                }
            }
        }
        self.pending.extend_from_slice(&chunk[taken..]);
        self.cut_pending(&mut blocks);
        blocks
    }

    /// The stream ended: the block that no blank line ended, if there is one. (Also a whole one,
    /// see [`SseBlock::ended`], when the stream ends at a `\r` that could have become `\r\n`.)
    /// Blank lines alone are no block.
    pub fn finish(&mut self) -> Option<SseBlock> {
        let ended = self.at == At::AfterClosingCr;
        let partial_mark = matches!(self.at, At::Bom(1..));
        let raw = std::mem::take(&mut self.pending);
        let cut = std::mem::take(&mut self.cutting);
        let started = std::mem::take(&mut self.started);
        self.at = At::Bom(0);
        self.previous = Ending::Lf;
        (!raw.is_empty() && (started || cut || partial_mark)).then(|| SseBlock {
            raw: Bytes::from(raw),
            cut,
            ended,
        })
    }

    /// Bytes of a block that has not ended yet.
    pub fn pending_len(&self) -> usize {
        self.pending.len()
    }

    fn line_ended(&mut self, ending: Ending) {
        self.previous = ending;
        self.at = At::Line { blank: true };
    }

    /// Ends the block with these bytes after the pending ones.
    fn close(&mut self, tail: &[u8], blocks: &mut Vec<SseBlock>) {
        let mut raw = if self.pending.is_empty() {
            Bytes::copy_from_slice(tail)
        } else {
            self.pending.extend_from_slice(tail);
            Bytes::from(std::mem::take(&mut self.pending))
        };
        let cut = std::mem::take(&mut self.cutting) || raw.len() > self.limit;
        while raw.len() > self.limit {
            let part = raw.split_to(self.limit);
            blocks.push(SseBlock {
                raw: part,
                cut,
                ended: false,
            });
        }
        blocks.push(SseBlock {
            raw,
            cut,
            ended: true,
        });
        self.at = At::Line { blank: true };
        self.started = false;
    }

    /// Gives parts while the block has more than `limit` bytes.
    fn cut_pending(&mut self, blocks: &mut Vec<SseBlock>) {
        if self.pending.len() <= self.limit {
            return;
        }
        let parts = (self.pending.len() - 1) / self.limit;
        let mut given = Bytes::copy_from_slice(&self.pending[..parts * self.limit]);
        self.pending.drain(..parts * self.limit);
        self.cutting = true;
        while !given.is_empty() {
            let part = given.split_to(self.limit);
            blocks.push(SseBlock {
                raw: part,
                cut: true,
                ended: false,
            });
        }
    }
}

/// What a block says, borrowed from it where that is possible: what a reader of a stream looks at for each event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The event's type. `None` when absent or empty, which means `message`.
    pub event: Option<Cow<'a, str>>,
    /// The `data` lines joined by `\n`. `None` when there is no `data` line: nothing is dispatched.
    pub data: Option<Cow<'a, [u8]>>,
    /// The last event id. The empty string takes the id back; an id with a NUL is ignored.
    pub id: Option<Cow<'a, str>>,
    /// The reconnection time in milliseconds, when the value has only digits.
    pub retry_millis: Option<u64>,
    /// How many comment lines there are.
    pub comments: u32,
    /// A blank line ended the block. Without one the stream broke off inside it, and nothing of it counts but
    /// `retry` (§ 9.2.6: "any pending data must be discarded").
    pub is_whole: bool,
}

/// Reads a block by the rules of the standard; unknown fields are ignored.
///
/// A byte order mark at the front is skipped: the block may be the stream's first.
pub fn read(raw: &[u8]) -> SseEvent<'_> {
    let mut event = SseEvent::default();
    // Later in a stream a mark is content; at its very start no block ends before another line with content.
    let mut has_mark = raw.starts_with(BOM);
    let mut has_content = false;
    for line in Lines::of(raw) {
        event.is_whole = has_content && line.is_empty();
        has_content |= !line.is_empty() || std::mem::take(&mut has_mark);
        if line.first() == Some(&b':') {
            event.comments = event.comments.saturating_add(1);
            continue;
        }
        let (name, value) = name_and_value(line);
        match name {
            b"event" => event.event = (!value.is_empty()).then(|| String::from_utf8_lossy(value)),
            b"data" => append_data(&mut event.data, value),
            b"id" if memchr(0, value).is_none() => event.id = Some(String::from_utf8_lossy(value)),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                // All digits: only a number beyond 64 bits fails, and no wait is that long.
                event.retry_millis = std::str::from_utf8(value)
                    .ok()
                    .and_then(|digits| digits.parse().ok());
            }
            _ => {}
        }
    }
    event
}

/// [`read`], with everything copied.
pub fn fields(raw: &[u8]) -> SseFields {
    let event = read(raw);
    SseFields {
        event: event.event.map(Cow::into_owned),
        data: event.data.map(Cow::into_owned),
        id: event.id.map(Cow::into_owned),
        retry_millis: event.retry_millis,
        comments: event.comments,
    }
}

fn append_data<'a>(data: &mut Option<Cow<'a, [u8]>>, value: &'a [u8]) {
    match data {
        Some(joined) => {
            let joined = joined.to_mut();
            joined.push(b'\n');
            joined.extend_from_slice(value);
        }
        None => *data = Some(Cow::Borrowed(value)),
    }
}

/// The block's `data` lines joined by `\n`, borrowed when there is one; `None` when there is none.
pub fn data(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut data: Option<Cow<'_, [u8]>> = None;
    for line in Lines::of(raw) {
        let (name, value) = name_and_value(line);
        if name == b"data" {
            append_data(&mut data, value);
        }
    }
    data
}

/// A line without a colon is a name with an empty value; one space after the colon is dropped.
fn name_and_value(line: &[u8]) -> (&[u8], &[u8]) {
    let Some(colon) = memchr(b':', line) else {
        return (line, b"");
    };
    let value = &line[colon + 1..];
    (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
}

/// The lines of a block without their endings; blank ones come as empty slices.
struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    fn of(raw: &'a [u8]) -> Self {
        Self {
            rest: raw.strip_prefix(BOM).unwrap_or(raw),
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let Some(at) = memchr2(b'\n', b'\r', self.rest) else {
            return Some(std::mem::take(&mut self.rest));
        };
        let line = &self.rest[..at];
        let width = if self.rest[at..].starts_with(b"\r\n") {
            2
        } else {
            1
        };
        self.rest = &self.rest[at + width..];
        Some(line)
    }
}
