//! How one server is treated, beyond how it is reached. Every field has a default; the catalog's file holds only
//! what differs from it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::sign_in::SignInOptions;

/// What a person may set for one server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct ServerOptions {
    /// Exactly this revision is spoken, `2024-11-05` to `2026-07-28`; it decides the era. Absent: the newest that both
    /// sides speak.
    pub revision: Option<String>,
    /// How HTTP is spoken.
    pub http: HttpStyle,
    /// How long the server may take to answer a request, in milliseconds.
    pub request_limit_millis: u64,
    /// Whether progress (and any other message for a request) starts that limit anew.
    pub progress_resets_limit: bool,
    /// How long a request may take at most, whatever progress it reports, in milliseconds.
    pub hard_limit_millis: u64,
    /// What happens when a connection breaks, or the server says 429, 502, 503 or 504.
    pub retry: RetryChoice,
    /// How often one round is sent again at most.
    pub retry_limit: u32,
    /// How often one operation may be answered by a question before it is stopped.
    pub round_limit: u32,
    /// What happens when the server's process ends by itself.
    pub restart: RestartChoice,
    /// Whether what happens on its connections is written to the recording; else it is kept in memory for as long as
    /// Roundtrip runs. Takes effect with the next connection.
    pub record: bool,
    /// Whether results are kept for as long as the server allows (`ttlMs`, 2026-07-28 server/utilities/caching).
    pub cache: bool,
    /// Lists are fetched a page at a time, each further one when it is asked for.
    pub page_by_page: bool,
    /// What Roundtrip says it can do.
    pub advertise: Advertised,
    /// The least level of log messages asked for, `debug` to `emergency`; absent for none (modern), or the server's own
    /// choice (legacy).
    pub log_level: Option<String>,
    /// Members added to the `_meta` of each request: the text of a JSON object.
    pub meta: Option<String>,
    /// Whether each request carries a `traceparent` of its own in `_meta`.
    pub traceparent: bool,
    /// The proxy for this server, an `http`, `https` or `socks5` URL; absent for the system's.
    pub proxy: Option<String>,
    /// A file with further certificates to trust, PEM.
    pub ca_file: Option<String>,
    /// The folders that are given to a server that asks for roots: `file:` URIs.
    pub roots: Vec<String>,
    /// How it is signed in to.
    pub sign_in: SignInOptions,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            revision: None,
            http: HttpStyle::Auto,
            request_limit_millis: 300_000,
            progress_resets_limit: true,
            hard_limit_millis: 3_600_000,
            retry: RetryChoice::Never,
            retry_limit: 3,
            round_limit: 20,
            restart: RestartChoice::OnRequest,
            record: true,
            cache: true,
            page_by_page: false,
            advertise: Advertised::default(),
            log_level: None,
            meta: None,
            traceparent: false,
            proxy: None,
            ca_file: None,
            roots: Vec::new(),
            sign_in: SignInOptions::default(),
        }
    }
}

/// How HTTP is spoken with a server of the legacy era.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum HttpStyle {
    /// Streamable HTTP, and HTTP+SSE where the server does not take it (2025-11-25 basic/transports § Backwards
    /// Compatibility).
    #[default]
    Auto,
    /// Streamable HTTP only.
    Streamable,
    /// HTTP+SSE of 2024-11-05 only.
    Sse,
}

/// Whether a round is sent again after its attempt failed on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RetryChoice {
    /// The failure is the end.
    #[default]
    Never,
    /// The person is asked.
    Ask,
    /// By itself, where repeating is safe: lists, reads, and tools marked read-only or idempotent.
    Automatic,
}

/// What happens when a server's process ends by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RestartChoice {
    /// It is started anew by the next request.
    #[default]
    OnRequest,
    /// It is started anew at once, a few times.
    AtOnce,
    /// It stays down until the person connects.
    Never,
}

/// The client capabilities and extensions that a server is told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a capability of its own in the specification"
)]
pub struct Advertised {
    /// Elicitation by forms.
    pub elicitation_form: bool,
    /// Elicitation by links.
    pub elicitation_url: bool,
    /// Sampling. Deprecated as of 2026-07-28 and in force until it goes; a person writes each answer.
    pub sampling: bool,
    /// Roots. Deprecated as of 2026-07-28. Off at first: servers ask as soon as they are connected.
    pub roots: bool,
    /// The tasks extension (SEP-2663), or the experimental tasks of 2025-11-25.
    pub tasks: bool,
}

impl Default for Advertised {
    fn default() -> Self {
        Self {
            elicitation_form: true,
            elicitation_url: true,
            sampling: true,
            roots: false,
            tasks: true,
        }
    }
}
