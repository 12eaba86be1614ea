//! Messages that the person writes.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::servers::ServerId;

/// Send a message exactly as it is written.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ComposeArgs {
    /// To which server.
    pub server: ServerId,
    /// The message: whatever its bytes are to be. Over stdio its line breaks become spaces, for a message is a line; JSON
    /// means the same with them.
    pub text: String,
    /// Over stdio: line breaks stay as they are, so that the server gets several lines.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub keeps_breaks: bool,
    /// Over HTTP: header fields of this message, beside the usual ones or instead of those of the same name.
    pub headers: Vec<HeaderLine>,
    /// Whether the headers that the message's revision wants are sent (`MCP-Protocol-Version`, `Mcp-Method` and so on).
    pub usual_headers: bool,
}

/// A header field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HeaderLine {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}
