//! Decoding of a compressed body, chunk by chunk: what a chunk completes is there at once, as a
//! stream of events demands.

use std::io::{ErrorKind, Write};

use bytes::Bytes;
use flate2::write::MultiGzDecoder;

/// Decodes a body that came with `content-encoding: gzip`.
#[derive(Debug)]
pub(super) struct Gunzip {
    decoder: MultiGzDecoder<Decoded>,
    has_begun: bool,
}

impl Gunzip {
    /// A decoder that refuses a chunk which decodes to more than `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        let decoded = Decoded {
            bytes: Vec::new(),
            limit,
        };
        Self {
            decoder: MultiGzDecoder::new(decoded),
            has_begun: false,
        }
    }

    /// What the chunk decodes to.
    ///
    /// # Errors
    /// The chunk is not gzip; of the kind [`ErrorKind::FileTooLarge`] when it decodes to too much.
    pub(super) fn push(&mut self, chunk: &[u8]) -> std::io::Result<Bytes> {
        self.has_begun |= !chunk.is_empty();
        self.decoder.write_all(chunk)?;
        self.decoder.flush()?;
        Ok(self.take())
    }

    /// What is left, when the body has ended.
    ///
    /// # Errors
    /// As [`Self::push`]; also when the body broke off. No body at all is none.
    pub(super) fn finish(&mut self) -> std::io::Result<Bytes> {
        if self.has_begun {
            self.decoder.try_finish()?;
        }
        Ok(self.take())
    }

    fn take(&mut self) -> Bytes {
        std::mem::take(&mut self.decoder.get_mut().bytes).into()
    }
}

/// What was decoded and not taken yet. A few bytes can decode to very many, so it is limited.
#[derive(Debug)]
struct Decoded {
    bytes: Vec<u8>,
    limit: usize,
}

impl Write for Decoded {
    fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
        if part.len() > self.limit - self.bytes.len() {
            return Err(ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_bomb_is_refused_without_being_unpacked() {
        let bomb = gzip(&vec![0; 10_000_000]);
        let mut gunzip = Gunzip::new(1_000_000);
        let error = gunzip.push(&bomb).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert!(gunzip.decoder.get_ref().bytes.len() <= 1_000_000);
    }

    #[test]
    fn a_body_that_breaks_off_is_an_error() {
        let body = gzip(b"some words that are long enough to be cut");
        let mut gunzip = Gunzip::new(1_000_000);
        gunzip.push(&body[..body.len() - 9]).unwrap();
        assert!(gunzip.finish().is_err());
    }

    #[test]
    fn no_body_at_all_is_no_error() {
        assert_eq!(Gunzip::new(10).finish().unwrap(), Bytes::new());
    }
}
