//! A recording, compressed with gzip: the file that Roundtrip writes, of what was chosen.

use std::io::Write;

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

use super::{Chosen, ExportError, Source, secrets_named};
use crate::record::{encode, encode_name, file_head};

/// How many bytes are compressed at once.
const PART_BYTE_LEN: usize = 64 * 1024;

/// Writes a recording of what was chosen. Its events are numbered anew.
///
/// A second, empty part of the gzip file says in its comment what was redacted: that is known at the end only, and the
/// parts of a gzip file read as one.
pub(super) fn write(
    source: &mut Source<'_>,
    chosen: &Chosen,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let mut packed = GzEncoder::new(&mut *out, Compression::default());
    let mut records = file_head().to_vec();
    for place in 0..chosen.events.len() {
        encode(&source.event(chosen, place)?, &mut records);
        if records.len() >= PART_BYTE_LEN {
            packed.write_all(&records)?;
            records.clear();
        }
    }
    if let Some(name) = source.name() {
        encode_name(&name, &mut records);
    }
    packed.write_all(&records)?;
    packed.finish()?;
    let words = format!(
        "Exported by Roundtrip {}. {}",
        env!("CARGO_PKG_VERSION"),
        secrets_named(source.redacted())
    );
    GzBuilder::new()
        .comment(words.replace('\0', " "))
        .write(out, Compression::default())
        .finish()?;
    Ok(())
}
