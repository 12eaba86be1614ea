//! The verdicts on a server's first answer.

use serde_json::value::RawValue;
use wire::message::RpcError;

use super::evidence::{self, ModernError};
use super::{Era, ProbeAnswer, ProbeReply, Revision};
use crate::findings::Finding;
use crate::identity::{self, ServerIdentity};
use crate::text;

/// What the answer to `server/discover` says.
#[derive(Clone, Debug)]
pub enum ProbeVerdict {
    /// A modern server with which a revision is shared.
    Modern {
        /// What it said of itself.
        report: Box<ServerIdentity>,
        /// The revision to speak.
        revision: Revision,
        /// What is wrong with the answer.
        findings: Vec<Finding>,
    },
    /// A modern server that wants another revision, which is spoken here: probe again with it.
    RetryWith {
        /// The revision.
        revision: Revision,
        /// What is wrong with that, in a sentence: the revision is the one that was just refused. Where that happens
        /// again it leads nowhere.
        contradiction: Option<String>,
    },
    /// A modern server with which no revision is shared.
    NoCommonRevision {
        /// What it supports.
        supported: Vec<String>,
    },
    /// A modern server that refuses the probe for a reason that a person must see.
    Refused {
        /// What it said, and what that means.
        reason: String,
    },
    /// A legacy server, as far as can be told: try `initialize`.
    Legacy {
        /// Why it is taken for one, without a full stop: `server/discover was answered with error -32601`.
        reason: String,
    },
    /// Someone must sign in first.
    SignIn {
        /// 401 or 403.
        status: u16,
    },
    /// Nothing that MCP can be spoken with.
    NotMcp {
        /// What there is instead, in a sentence.
        reason: String,
    },
}

/// What the answer to `initialize` says.
#[derive(Clone, Debug)]
pub enum InitializeVerdict {
    /// A legacy session with a revision that is spoken here.
    Legacy {
        /// What the server said of itself.
        report: Box<ServerIdentity>,
        /// The revision to speak, which the server chose.
        revision: Revision,
        /// What is wrong with the answer.
        findings: Vec<Finding>,
    },
    /// The server speaks modern revisions only; one that is spoken here may be among them.
    ModernOnly {
        /// What it named, which may be nothing.
        supported: Vec<String>,
        /// How this is known, in a sentence.
        reason: String,
    },
    /// The server chose a revision that is not spoken here.
    NoCommonRevision {
        /// What it named.
        supported: Vec<String>,
    },
    /// The server answered with another error.
    Refused {
        /// The error's code.
        code: i64,
        /// The error's message.
        message: String,
    },
    /// Someone must sign in first.
    SignIn {
        /// 401 or 403.
        status: u16,
    },
    /// Nothing that MCP can be spoken with.
    NotMcp {
        /// What there is instead, in a sentence.
        reason: String,
    },
}

impl ProbeVerdict {
    /// What it is where nothing is asked again: a server that refuses what it says it supports has refused.
    #[must_use]
    pub fn without_retry(self) -> Self {
        match self {
            Self::RetryWith {
                contradiction: Some(reason),
                ..
            } => Self::Refused { reason },
            other => other,
        }
    }
}

/// Judges the answer to `server/discover` at [`Revision::LATEST`] (2026-07-28 basic/transports/stdio and
/// streamable-http, § Backward Compatibility).
///
/// A recognised modern answer settles the era. Anything else means legacy, whatever its code; over HTTP, a web
/// page or a server error without a message means that no MCP is there at all.
pub fn judge_probe(reply: &ProbeReply<'_>) -> ProbeVerdict {
    judge_probe_with(reply, &Revision::LATEST, &Revision::SPOKEN)
}

/// [`judge_probe`] for a probe that asked for `requested`, by a client that speaks `spoken` (newest first).
pub fn judge_probe_with(
    reply: &ProbeReply<'_>,
    requested: &Revision,
    spoken: &[Revision],
) -> ProbeVerdict {
    match &reply.answer {
        ProbeAnswer::Error(error) => {
            if let Some(recognised) = evidence::modern_error(error) {
                return modern_error(error, recognised, requested, spoken);
            }
        }
        ProbeAnswer::Result(result) => {
            if let Some(verdict) = discovered(result, spoken) {
                return verdict;
            }
        }
        _ => {}
    }
    if let Some(failed) = not_spoken_to(reply) {
        return match failed {
            Failed::SignIn(status) => ProbeVerdict::SignIn { status },
            Failed::NotMcp(reason) => ProbeVerdict::NotMcp { reason },
        };
    }
    let status = reply
        .http_status
        .map(|status| format!("HTTP {status} and "))
        .unwrap_or_default();
    let reason = match &reply.answer {
        ProbeAnswer::Result(_) => {
            format!(
                "server/discover was answered with {status}a result that names no supportedVersions"
            )
        }
        ProbeAnswer::Error(error) => format!(
            "server/discover was answered with {status}error {}: {}",
            error.code,
            text::excerpt(&error.message, 120)
        ),
        ProbeAnswer::Unreadable(body) => {
            format!(
                "server/discover was answered with {status}{}",
                evidence::describe(body)
            )
        }
        ProbeAnswer::Silence { waited_millis } => {
            format!(
                "server/discover was not answered within {}",
                seconds(*waited_millis)
            )
        }
        ProbeAnswer::Gone { why } => format!("server/discover was not answered: {why}"),
    };
    ProbeVerdict::Legacy { reason }
}

fn modern_error(
    error: &RpcError,
    recognised: ModernError,
    requested: &Revision,
    spoken: &[Revision],
) -> ProbeVerdict {
    let said = format!(
        "error {}: {}",
        error.code,
        text::excerpt(&error.message, 300)
    );
    let ModernError::Version(supported) = recognised else {
        return ProbeVerdict::Refused {
            reason: format!(
                "The server speaks a modern revision and refused server/discover with {said}."
            ),
        };
    };
    match evidence::common(&supported, spoken, Era::Modern) {
        // One that was refused is asked for once more as well: the client chooses from what the server names
        // (2026-07-28 basic/versioning § Protocol Version Negotiation).
        Some(revision) => ProbeVerdict::RetryWith {
            revision: revision.clone(),
            contradiction: (revision == requested).then(|| {
                format!(
                    "The server refused the revision {requested} ({said}), yet names it among those it supports."
                )
            }),
        },
        None => without_modern(supported, spoken),
    }
}

/// The verdict on a `DiscoverResult`; `None` when it is not one.
fn discovered(result: &RawValue, spoken: &[Revision]) -> Option<ProbeVerdict> {
    let supported = evidence::strings(wire::object::get(result, "supportedVersions")?)?;
    let Some(revision) = evidence::common(&supported, spoken, Era::Modern) else {
        return Some(without_modern(supported, spoken));
    };
    let (mut report, findings) = identity::read_discover(result);
    report.revision = Some(revision.clone());
    Some(ProbeVerdict::Modern {
        report: Box::new(report),
        revision: revision.clone(),
        findings,
    })
}

/// A server that answers as a modern one and shares no modern revision. One that is shared and legacy can only
/// be spoken after `initialize`, so that is what choosing from its list means.
fn without_modern(supported: Vec<String>, spoken: &[Revision]) -> ProbeVerdict {
    match evidence::common(&supported, spoken, Era::Legacy) {
        Some(revision) => ProbeVerdict::Legacy {
            reason: format!("the server offers {revision}, which is spoken after initialize"),
        },
        None => ProbeVerdict::NoCommonRevision { supported },
    }
}

/// Judges the answer to `initialize` (2025-11-25 basic/lifecycle § Version Negotiation).
pub fn judge_initialize(reply: &ProbeReply<'_>) -> InitializeVerdict {
    if let ProbeAnswer::Error(error) = &reply.answer {
        let supported = evidence::named_revisions(error);
        let names_modern = supported
            .iter()
            .any(|name| Revision::new(name.as_str()).era() == Era::Modern);
        if evidence::modern_error(error).is_some() || names_modern {
            return InitializeVerdict::ModernOnly {
                supported,
                reason: format!(
                    "The server refused initialize with error {}: {}",
                    error.code,
                    text::excerpt(&error.message, 300)
                ),
            };
        }
    }
    if let Some(failed) = not_spoken_to(reply) {
        return match failed {
            Failed::SignIn(status) => InitializeVerdict::SignIn { status },
            Failed::NotMcp(reason) => InitializeVerdict::NotMcp { reason },
        };
    }
    let reason = match &reply.answer {
        ProbeAnswer::Result(result) => return initialized(result),
        ProbeAnswer::Error(error) => {
            return InitializeVerdict::Refused {
                code: error.code,
                message: error.message.clone(),
            };
        }
        ProbeAnswer::Unreadable(body) => unreadable_initialize(reply.http_status, body),
        ProbeAnswer::Silence { waited_millis } => {
            format!(
                "The server did not answer initialize within {}.",
                seconds(*waited_millis)
            )
        }
        ProbeAnswer::Gone { why } => why.clone(),
    };
    InitializeVerdict::NotMcp { reason }
}

fn initialized(result: &RawValue) -> InitializeVerdict {
    let (report, findings) = identity::read_initialize(result);
    let Some(revision) = report.revision.clone() else {
        return InitializeVerdict::NotMcp {
            reason: "The answer to initialize names no protocolVersion, so no session was opened."
                .to_owned(),
        };
    };
    if revision.era() == Era::Modern {
        return InitializeVerdict::ModernOnly {
            reason: format!(
                "The server answered initialize with the revision {revision}, which has no initialize."
            ),
            supported: vec![revision.as_str().to_owned()],
        };
    }
    if !Revision::SPOKEN.contains(&revision) {
        return InitializeVerdict::NoCommonRevision {
            supported: vec![revision.as_str().to_owned()],
        };
    }
    InitializeVerdict::Legacy {
        report: Box::new(report),
        revision,
        findings,
    }
}

fn unreadable_initialize(status: Option<u16>, body: &[u8]) -> String {
    let what = evidence::describe(body);
    match status {
        Some(status @ (404 | 405 | 410)) => format!(
            "There is no MCP endpoint at this URL: initialize was answered with HTTP {status} and {what}."
        ),
        Some(status) => format!("initialize was answered with HTTP {status} and {what}."),
        None => format!("initialize was answered with {what}."),
    }
}

enum Failed {
    SignIn(u16),
    NotMcp(String),
}

/// Answers that come from something in front of MCP, or from no MCP at all; the same for both first requests.
fn not_spoken_to(reply: &ProbeReply<'_>) -> Option<Failed> {
    if let ProbeAnswer::Gone { why } = &reply.answer {
        return Some(Failed::NotMcp(why.clone()));
    }
    let status = reply.http_status?;
    let not_mcp = |meaning: &str| {
        let with = match &reply.answer {
            ProbeAnswer::Unreadable(body) => format!(" and {}", evidence::describe(body)),
            _ => String::new(),
        };
        Some(Failed::NotMcp(format!(
            "The server answered with HTTP {status}{with}: {meaning}."
        )))
    };
    // An error status with a JSON-RPC message is a server that speaks, so the message decides.
    let has_message = matches!(reply.answer, ProbeAnswer::Result(_) | ProbeAnswer::Error(_));
    match status {
        401 | 403 => Some(Failed::SignIn(status)),
        407 => not_mcp("a proxy on the way wants credentials"),
        429 => not_mcp("it takes no more requests for now"),
        300..=399 => not_mcp("it points to another address"),
        500.. if !has_message => not_mcp("it, or a gateway in front of it, is failing"),
        200..=299 => match &reply.answer {
            ProbeAnswer::Unreadable(body) if !body.trim_ascii().is_empty() => {
                not_mcp("this is not an MCP endpoint")
            }
            _ => None,
        },
        _ => None,
    }
}

fn seconds(millis: u64) -> String {
    if millis.is_multiple_of(1000) {
        return format!("{} s", millis / 1000);
    }
    format!("{millis} ms")
}
