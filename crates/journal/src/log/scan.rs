//! Reading a recording from its beginning, and telling a torn end from damage.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use bytes::Bytes;

use super::JournalError;
use crate::event::Event;
use crate::record::{
    self, FILE_HEAD_BYTE_LEN, MAGIC, RECORD_HEAD_BYTE_LEN, VERSION, decode, read_record_head,
};

/// What a scan met.
pub(super) struct Scanned {
    /// Where the last whole record ends.
    pub(super) end: u64,
    pub(super) torn_byte_len: u64,
    pub(super) damaged_at: Option<u64>,
}

/// What a whole record holds.
pub(super) enum Content {
    Event(Box<Event>),
    /// The recording's name from here on; empty for none.
    Name(String),
}

/// Reads all whole records in order, each with the place where it begins.
pub(super) fn scan(
    file: &File,
    path: &Path,
    each: &mut dyn FnMut(u64, Content),
) -> Result<Scanned, JournalError> {
    let failed = |source| JournalError::File {
        path: path.to_owned(),
        source,
    };
    let file_byte_len = file.metadata().map_err(failed)?.len();
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    let mut head = [0; FILE_HEAD_BYTE_LEN];
    if file_byte_len < FILE_HEAD_BYTE_LEN as u64 {
        return Err(JournalError::NotARecording {
            path: path.to_owned(),
        });
    }
    reader.read_exact(&mut head).map_err(failed)?;
    if head[..8] != MAGIC {
        return Err(JournalError::NotARecording {
            path: path.to_owned(),
        });
    }
    let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
    if version > VERSION {
        return Err(JournalError::NewerVersion {
            path: path.to_owned(),
            version,
        });
    }

    let mut end = FILE_HEAD_BYTE_LEN as u64;
    loop {
        let rest = file_byte_len - end;
        match next_record(&mut reader, rest).map_err(failed)? {
            Next::Record { content, byte_len } => {
                each(end, content);
                end += byte_len;
            }
            Next::Torn => {
                return Ok(Scanned {
                    end,
                    torn_byte_len: rest,
                    damaged_at: None,
                });
            }
            Next::Damaged => {
                return Ok(Scanned {
                    end,
                    torn_byte_len: 0,
                    damaged_at: Some(end),
                });
            }
        }
    }
}

enum Next {
    Record {
        content: Content,
        byte_len: u64,
    },
    /// The end, or what an interrupted write leaves there.
    Torn,
    Damaged,
}

fn next_record(reader: &mut impl Read, rest: u64) -> io::Result<Next> {
    let Some(payload_room) = rest.checked_sub(RECORD_HEAD_BYTE_LEN as u64) else {
        return Ok(Next::Torn);
    };
    let mut head = [0; RECORD_HEAD_BYTE_LEN];
    reader.read_exact(&mut head)?;
    let (payload_byte_len, checksum) = read_record_head(head);
    // No payload is empty: some systems leave zeros where a write was lost.
    if payload_byte_len == 0 {
        let only_zeros = head == [0; RECORD_HEAD_BYTE_LEN] && are_zeros(reader)?;
        return Ok(if only_zeros {
            Next::Torn
        } else {
            Next::Damaged
        });
    }
    if payload_byte_len > payload_room {
        return Ok(Next::Torn);
    }
    let mut payload = Vec::new();
    let read = reader
        .by_ref()
        .take(payload_byte_len)
        .read_to_end(&mut payload)?;
    if (read as u64) < payload_byte_len {
        return Ok(Next::Torn);
    }
    let is_last = payload_byte_len == payload_room;
    let bad = if is_last { Next::Torn } else { Next::Damaged };
    if crc32fast::hash(&payload) != checksum {
        return Ok(bad);
    }
    let byte_len = RECORD_HEAD_BYTE_LEN as u64 + payload_byte_len;
    let payload = Bytes::from(payload);
    if let Some(name) = record::decode_name(&payload) {
        let content = Content::Name(name);
        return Ok(Next::Record { content, byte_len });
    }
    match decode(&payload, false) {
        Ok(record::Decoded { event, .. }) => Ok(Next::Record {
            content: Content::Event(Box::new(event)),
            byte_len,
        }),
        // Written as it stands, so by something that is not this version.
        Err(_) => Ok(Next::Damaged),
    }
}

fn are_zeros(reader: &mut impl Read) -> io::Result<bool> {
    let mut part = [0; 8 * 1024];
    loop {
        match reader.read(&mut part)? {
            0 => return Ok(true),
            read if part[..read].iter().all(|byte| *byte == 0) => {}
            _ => return Ok(false),
        }
    }
}
