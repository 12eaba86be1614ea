//! What a person should know about a recording that was opened.

use crate::event::OperationId;

/// What was met when a recording was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenNotes {
    /// Bytes at the end that hold no whole record, as a crash or a full disk leaves them. They are
    /// ignored, and cut off when something is appended.
    pub torn_byte_len: u64,
    /// Where the file is damaged though more follows. What comes before is shown; the file is not written.
    pub damaged_at: Option<u64>,
    /// The file may not be written, or another Roundtrip records into it: what is appended stays in memory.
    pub read_only: bool,
    /// It was opened to be looked at while another Roundtrip records into it: what is shown is how far it was then.
    pub in_use: bool,
    /// Operations that never ended: the recording stopped before they did.
    pub unfinished: Vec<OperationId>,
}

impl OpenNotes {
    /// What a person should know, in sentences; none for a sound recording.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(at) = self.damaged_at {
            sentences.push(format!(
                "The recording is damaged at byte {at}. What was recorded before is shown; the file is left as it is."
            ));
        }
        if self.in_use {
            sentences.push(
                "Another Roundtrip records into this file. What is shown is how far it was when it was opened."
                    .to_owned(),
            );
            // Its end is not written yet, and neither are the ends of what runs.
            return sentences;
        }
        if self.torn_byte_len > 0 {
            sentences.push(format!(
                "The recording was interrupted while it was written: its last {} bytes hold no whole event and are \
                 left out.",
                self.torn_byte_len
            ));
        }
        if self.read_only && self.damaged_at.is_none() {
            sentences.push(
                "The recording can only be read: the file is protected, or in use.".to_owned(),
            );
        }
        if !self.unfinished.is_empty() {
            sentences.push(format!(
                "{} had not ended when the recording stopped.",
                crate::text::counted(
                    u32::try_from(self.unfinished.len()).unwrap_or(u32::MAX),
                    "operation"
                )
            ));
        }
        sentences
    }
}
