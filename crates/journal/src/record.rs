#![doc = include_str!("../../../docs/recording-format.md")]

mod decode;
mod encode;
mod fields;

pub(crate) use decode::{Decoded, Unreadable, body_start, decode, decode_name};
pub(crate) use encode::{encode, encode_name, size_hint};

/// The first bytes of a recording. The byte above 0x7F and the line endings show at once when a
/// transfer has mangled the file.
pub(crate) const MAGIC: [u8; 8] = *b"\x89MCPR\r\n\x1a";
/// The version that is written here.
pub(crate) const VERSION: u32 = 1;
/// The size of what stands before the first record.
pub(crate) const FILE_HEAD_BYTE_LEN: usize = 16;
/// The size of what stands before a payload.
pub(crate) const RECORD_HEAD_BYTE_LEN: usize = 12;

/// The kind of a record that is no event: the recording's name. It has no number among the events.
const NAME_KIND: u8 = 0;

/// What stands before the first record.
pub(crate) fn file_head() -> [u8; FILE_HEAD_BYTE_LEN] {
    let mut head = [0; FILE_HEAD_BYTE_LEN];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head
}

/// The length of the payload and its checksum, as a record's head gives them.
pub(crate) fn read_record_head(head: [u8; RECORD_HEAD_BYTE_LEN]) -> (u64, u32) {
    let (mut byte_len, mut checksum) = ([0; 8], [0; 4]);
    byte_len.copy_from_slice(&head[..8]);
    checksum.copy_from_slice(&head[8..]);
    (u64::from_le_bytes(byte_len), u32::from_le_bytes(checksum))
}
