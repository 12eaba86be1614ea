//! Why a link failed: what, where, and what to try.

use serde::{Deserialize, Serialize};

/// What kind of failure it was; the brief words of a timeline row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkErrorKind {
    /// The program is not in PATH, or not at its path.
    CommandNotFound,
    /// The program is there and cannot be run.
    CannotRun,
    /// The working folder is not there.
    FolderNotFound,
    /// The child closed its stdin or ended.
    ProcessGone,
    /// The child does not read its stdin: too many messages wait for it.
    NotReading,
    /// The URL cannot be used.
    BadUrl,
    /// The file of further certificates cannot be used.
    BadCaFile,
    /// A header's name or value cannot be sent.
    BadHeader,
    /// The host name has no address.
    Dns,
    /// Nothing listens there.
    ConnectionRefused,
    /// TLS could not be agreed on, or the certificate is not trusted.
    Tls,
    /// The connection broke.
    ConnectionLost,
    /// No answer in time.
    TimedOut,
    /// A redirect that is not followed.
    Redirect,
    /// The answer breaks HTTP.
    BadHttp,
    /// A body or line is larger than the limit.
    TooLarge,
    /// Cancelled by the owner.
    Cancelled,
}

/// Why a link failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LinkError {
    /// What kind.
    pub kind: LinkErrorKind,
    /// What failed and where, in one or two sentences.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
}

impl LinkError {
    /// An error without a hint.
    pub fn new(kind: LinkErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
        }
    }

    /// The same error with what to try.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
