//! Eras and revisions, and how a server's era is told from its answers (2026-07-28 basic/versioning §
//! Backward Compatibility with Initialization-Based Versions).

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;
use wire::message::RpcError;

pub use crate::era::judge::{
    InitializeVerdict, ProbeVerdict, judge_initialize, judge_probe, judge_probe_with,
};
pub use crate::era::refusal::{Remedy, remedy};

mod evidence;
mod judge;
mod refusal;

/// The two ways in which MCP is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// 2026-07-28 and later: stateless, with `_meta` on each request.
    Modern,
    /// 2024-11-05 to 2025-11-25: a session that `initialize` opens.
    Legacy,
}

impl Era {
    /// The era in which a revision is spoken. A name that is not a date is taken for a later draft.
    pub fn of(revision: &Revision) -> Era {
        if is_date(&revision.0) && revision.0 < Revision::V2026_07_28.0 {
            Era::Legacy
        } else {
            Era::Modern
        }
    }

    /// `modern` or `legacy`.
    pub fn as_str(self) -> &'static str {
        match self {
            Era::Modern => "modern",
            Era::Legacy => "legacy",
        }
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A revision of the protocol, by its name: a date, `2026-07-28`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Revision(Cow<'static, str>);

impl Revision {
    /// The first one, with HTTP+SSE.
    pub const V2024_11_05: Revision = Revision(Cow::Borrowed("2024-11-05"));
    /// Streamable HTTP and batches.
    pub const V2025_03_26: Revision = Revision(Cow::Borrowed("2025-03-26"));
    /// Elicitation, structured content, the header `MCP-Protocol-Version`.
    pub const V2025_06_18: Revision = Revision(Cow::Borrowed("2025-06-18"));
    /// The last with `initialize`: URL elicitation and experimental tasks.
    pub const V2025_11_25: Revision = Revision(Cow::Borrowed("2025-11-25"));
    /// The first that is stateless.
    pub const V2026_07_28: Revision = Revision(Cow::Borrowed("2026-07-28"));

    /// The newest modern revision, which the probe asks for.
    pub const LATEST: Revision = Revision::V2026_07_28;
    /// The newest legacy revision, which `initialize` asks for.
    pub const LATEST_LEGACY: Revision = Revision::V2025_11_25;
    /// All that Roundtrip speaks, newest first.
    pub const SPOKEN: [Revision; 5] = [
        Revision::V2026_07_28,
        Revision::V2025_11_25,
        Revision::V2025_06_18,
        Revision::V2025_03_26,
        Revision::V2024_11_05,
    ];

    /// A revision of this name, known or not.
    pub fn new(name: impl Into<String>) -> Revision {
        Revision(Cow::Owned(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The era in which it is spoken.
    pub fn era(&self) -> Era {
        Era::of(self)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What came of the first request on a connection.
#[derive(Clone, Debug)]
pub struct ProbeReply<'a> {
    /// The status, over HTTP.
    pub http_status: Option<u16>,
    /// What the answer was.
    pub answer: ProbeAnswer<'a>,
}

/// An answer to the first request, or what stood in its place.
#[derive(Clone, Debug)]
pub enum ProbeAnswer<'a> {
    /// A JSON-RPC result.
    Result(&'a RawValue),
    /// A JSON-RPC error, with the request's id or without one.
    Error(&'a RpcError),
    /// A body or line that is not a JSON-RPC response: empty, a web page, other JSON.
    Unreadable(&'a [u8]),
    /// Nothing, for so long.
    Silence {
        /// How long it was waited for.
        waited_millis: u64,
    },
    /// The connection or the process is gone.
    Gone {
        /// Why, in a sentence.
        why: String,
    },
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}
