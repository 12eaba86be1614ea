//! Decoding of a compressed body, chunk by chunk: what a chunk completes is there at once, as a
//! stream of events demands.

use std::io::Write;

use bytes::Bytes;
use flate2::write::MultiGzDecoder;

/// Decodes a body that came with `content-encoding: gzip`.
pub(super) struct Gunzip {
    decoder: MultiGzDecoder<Vec<u8>>,
}

impl Gunzip {
    pub(super) fn new() -> Self {
        Self {
            decoder: MultiGzDecoder::new(Vec::new()),
        }
    }

    /// What the chunk decodes to. A small part of it at a time is enough for the caller to stop a
    /// body that grows beyond its limit.
    pub(super) fn push(&mut self, chunk: &[u8]) -> std::io::Result<Bytes> {
        self.decoder.write_all(chunk)?;
        self.decoder.flush()?;
        Ok(std::mem::take(self.decoder.get_mut()).into())
    }

    /// What is left, when the body has ended.
    pub(super) fn finish(&mut self) -> std::io::Result<Bytes> {
        self.decoder.try_finish()?;
        Ok(std::mem::take(self.decoder.get_mut()).into())
    }
}
