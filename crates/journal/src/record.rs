//! The format of a recording, version 1.
//!
//! ```text
//! file    = magic (8 bytes: 89 "MCPR" 0D 0A 1A) version (u32) reserved (u32, zero) record*
//! record  = payload_byte_len (u64) crc32 of the payload (u32) payload
//! payload = kind (u8) at_micros (u64) connection (varint) operation (varint, 0 = none, else id + 1) body
//! ```
//!
//! Integers are little-endian; a varint is LEB128. A text is its length in bytes (varint) and its
//! UTF-8; an optional text is 0 for none, else its length + 1 and its UTF-8. A part given as JSON
//! is a text that holds JSON. The bodies, by kind:
//!
//! ```text
//!  0 (no event)             name: what the recording is called from here on; empty for nothing
//!  1 ConnectionOpened       server_name, transport, address
//!  2 ConnectionClosed       reason
//!  3 ConnectionEstablished  era, revision
//!  4 OperationStarted       method, name (optional)
//!  5 OperationEnded         JSON
//!  6 AttemptStarted         round, attempt, request_id (optional), label (optional)
//!  7 AttemptEnded           round, attempt, JSON
//!  8 WaitStarted            reason
//!  9 WaitEnded
//! 10 Frame                  direction (u8), carrier (u8), role (u8), round, attempt, byte_len (varint),
//!                           the role's texts and numbers, then the exact bytes up to the end
//! 11 HttpRequest            round, attempt, body_byte_len, JSON
//! 12 HttpResponse           round, attempt, JSON
//! 13 HttpEnded              round, attempt, body_byte_len, error (optional), then, except in older recordings,
//!                           wire_byte_len and first_byte_micros (0 = none, else + 1)
//! 14 ProcessStarted         pid, folder (optional), count, that many texts
//! 15 Stderr                 byte_len (varint), then the exact bytes up to the end
//! 16 ProcessExited          expected (u8), status
//! 17 PromptOpened           prompt, round, key, method, message
//! 18 PromptClosed           prompt, outcome
//! 19 FindingSeen            event (0 = none, else + 1), JSON
//! 20 AnsweredFromCache      round, event, fetched_micros (varints)
//! 21 Note                   text
//! ```
//!
//! The bytes of a frame or a line are stored as they came, never encoded again, so a plain search
//! through the file finds what was on the wire. A reader refuses a version above its own.

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
