//! A recorded request, to be pasted elsewhere.

use journal::event::OperationId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::recordings::RecordingId;

/// As what a request is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CopyForm {
    /// A command line of curl.
    Curl,
    /// Its message, exactly as it was sent.
    JsonRpc,
    /// A command line of `roundtrip-cli`.
    Cli,
}

/// Which request.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CopyArgs {
    /// The operation.
    pub operation: OperationId,
    /// Which of its exchanges, from 0.
    pub exchange: u32,
    /// As what.
    pub form: CopyForm,
    /// Of this recording; absent for the running session.
    #[serde(default)]
    #[ts(optional)]
    pub recording: Option<RecordingId>,
}

/// What is copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CopiedText {
    /// The text.
    pub text: String,
    /// The secrets that are named in it where their values stood.
    pub secrets: Vec<String>,
}
