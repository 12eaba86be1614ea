//! Redaction of bytes that come in pieces.

use super::Redactor;

/// Redacts a stream; made by [`Redactor::stream`].
///
/// It holds back as many bytes as the longest known form has, since a value may have begun in them, and gives them out
/// with the next piece or at the end. What it gives out, put together, is what [`Redactor::redact`] makes of the whole.
#[derive(Debug)]
pub struct RedactedStream {
    redactor: Redactor,
    /// What has not been given out.
    held: Vec<u8>,
    /// How much at the start of `held` belongs to a value that was replaced already.
    replaced: usize,
}

impl RedactedStream {
    pub(super) fn new(redactor: Redactor) -> RedactedStream {
        RedactedStream {
            redactor,
            held: Vec::new(),
            replaced: 0,
        }
    }

    /// Takes the next piece; gives out what can no longer be part of a value.
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        let Some(matcher) = self.redactor.matcher() else {
            return self.give_out_rest();
        };
        // Up to `safe`, a value that starts ends within what is held, and so does its neighbour after it; one that
        // starts later takes at most the byte at `safe` as its neighbour before it.
        let Some(safe) = self.held.len().checked_sub(matcher.longest + 1) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        let (mut done, mut from) = (self.replaced, 0);
        while let Some(hit) = matcher
            .find(&self.held, from)
            .filter(|hit| hit.found_at <= safe)
        {
            out.extend_from_slice(&self.held[done..hit.start.max(done)]);
            out.extend_from_slice(hit.replacement);
            (done, from) = (hit.end, hit.resume);
        }
        if done < safe {
            out.extend_from_slice(&self.held[done..safe]);
            done = safe;
        }
        let start = from.max(safe);
        self.held.drain(..start);
        self.replaced = done - start;
        out
    }

    /// The end of the stream: gives out the rest.
    pub fn finish(mut self) -> Vec<u8> {
        let Some(matcher) = self.redactor.matcher() else {
            return self.give_out_rest();
        };
        let mut out = Vec::new();
        let (mut done, mut from) = (self.replaced, 0);
        while let Some(hit) = matcher.find(&self.held, from) {
            out.extend_from_slice(&self.held[done..hit.start.max(done)]);
            out.extend_from_slice(hit.replacement);
            (done, from) = (hit.end, hit.resume);
        }
        out.extend_from_slice(&self.held[done..]);
        out
    }

    fn give_out_rest(&mut self) -> Vec<u8> {
        let mut rest = std::mem::take(&mut self.held);
        rest.drain(..std::mem::take(&mut self.replaced));
        rest
    }
}
