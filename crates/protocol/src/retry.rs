//! Whether a request may be sent again after its attempt failed on the way, and after how long.

use std::time::{Duration, UNIX_EPOCH};

use crate::tools::ToolEntry;

/// The longest wait that Roundtrip chooses by itself.
const BACK_OFF_CAP_MILLIS: u64 = 30_000;
/// The wait before the first repetition, before chance is taken from it.
const BACK_OFF_FIRST_MILLIS: u64 = 1_000;
/// The longest `Retry-After` that is waited for; a server that wants more time is left alone.
pub const RETRY_AFTER_CAP_MILLIS: u64 = 300_000;

/// What a tool's annotations say of a further call (2026-07-28 server/tools § Tool, `annotations`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolHints {
    /// `readOnlyHint: true`.
    pub is_read_only: bool,
    /// `idempotentHint: true`.
    pub is_idempotent: bool,
}

impl From<&ToolEntry> for ToolHints {
    fn from(tool: &ToolEntry) -> Self {
        Self {
            is_read_only: tool.read_only == Some(true),
            is_idempotent: tool.idempotent == Some(true),
        }
    }
}

/// Whether a request that may have reached the server can be sent again without doing anything twice: it only reads,
/// or the tool says so of itself.
pub fn is_safe_to_repeat(method: &str, tool: ToolHints) -> bool {
    match method {
        "server/discover"
        | "ping"
        | "tools/list"
        | "resources/list"
        | "resources/templates/list"
        | "resources/read"
        | "prompts/list"
        | "prompts/get"
        | "completion/complete"
        | "tasks/list"
        | "tasks/get"
        | "tasks/result" => true,
        "tools/call" => tool.is_read_only || tool.is_idempotent,
        _ => false,
    }
}

/// Whether an HTTP status says that the server, or what stands before it, could not take the request just now.
pub fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// The wait before the `number`th repetition, counted from 1: doubled each time, half of it left to chance, so that many
/// clients do not come back at one moment. `chance` is from 0 to 1.
pub fn back_off_millis(number: u32, chance: f64) -> u64 {
    let doublings = number.saturating_sub(1).min(16);
    let whole = (BACK_OFF_FIRST_MILLIS << doublings).min(BACK_OFF_CAP_MILLIS);
    let half = whole / 2;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "from 0 to 15 000, both ways"
    )]
    let by_chance = (half as f64 * chance.clamp(0.0, 1.0)) as u64;
    half + by_chance
}

/// How long a `Retry-After` header asks to wait from now on: seconds, or an HTTP date (RFC 9110 § 10.2.3). A date that
/// has passed is no wait; what is neither is none.
pub fn retry_after_millis(value: &str, now_micros: u64) -> Option<u64> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // So many seconds that they have no number are longer than anybody waits.
        return Some(
            value
                .parse::<u64>()
                .map_or(u64::MAX, |seconds| seconds.saturating_mul(1000)),
        );
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let now = UNIX_EPOCH + Duration::from_micros(now_micros);
    let wait = until.duration_since(now).unwrap_or_default();
    Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
}
