//! The rules behind findings: what each is called, how bad it is, and the clause it rests on.

use crate::findings::{Finding, Severity};

mod links;
mod tasks;
mod transport;

pub use links::link_asked_after_completion;
pub(crate) use links::{required_link_malformed, required_links_missing};
pub(crate) use tasks::*;
pub use transport::{
    batch_received, event_cut_off, line_unfinished, response_on_session_stream,
    session_lost_by_400, stream_left_open,
};

pub(crate) const RESULT_TYPE: &str = "2026-07-28 basic § ResultType";
pub(crate) const MRTR_SERVER: &str =
    "2026-07-28 basic/patterns/mrtr § Server Requirements (Basic Workflow)";
pub(crate) const MRTR_REQUESTS: &str = "2026-07-28 basic/patterns/mrtr § Supported Requests";
pub(crate) const CACHEABLE: &str = "2026-07-28 server/utilities/caching § Cacheable Results";
pub(crate) const DISCOVER: &str = "2026-07-28 server/discover § DiscoverResult";
pub(crate) const PER_RESPONSE: &str = "2026-07-28 basic § _meta (per-response protocol fields)";
pub(crate) const PAGINATION: &str = "2026-07-28 server/utilities/pagination § Response Format";

/// A finding whose clause is a place and the words that stand there.
pub(crate) fn finding(
    rule: &str,
    severity: Severity,
    message: impl Into<String>,
    place: &str,
    words: &str,
) -> Finding {
    Finding {
        rule: rule.to_owned(),
        severity,
        message: message.into(),
        clause: format!("{place}: “{words}”"),
    }
}

/// Something on stdout that is not an MCP message. `what` says what it is (`not JSON`, `a batch`).
pub fn stdout_not_protocol(what: &str) -> Finding {
    finding(
        "stdout-not-protocol",
        Severity::Must,
        format!("The server wrote something to stdout that is not an MCP message: {what}."),
        "2026-07-28 basic/transports/stdio",
        "The server MUST NOT write anything to its stdout that is not a valid MCP message.",
    )
}

/// A breach in a message's envelope that did not stop the reading. `problem` says what it is.
pub fn envelope(problem: &str) -> Finding {
    finding(
        "envelope",
        Severity::Must,
        format!("The message breaks JSON-RPC 2.0: {problem}."),
        "2026-07-28 basic § Messages",
        "All messages between MCP clients and servers MUST follow the JSON-RPC 2.0 specification.",
    )
}

/// A request from the server on a modern connection, where it has to ask by `input_required` instead.
pub fn server_request_in_modern_era(method: &str) -> Finding {
    finding(
        "server-request",
        Severity::Must,
        format!(
            "The server sent the request {method} of its own; in this revision it asks within a result (input_required)."
        ),
        "2026-07-28 basic/patterns",
        "Servers MUST NOT initiate JSON-RPC requests, and clients do not send JSON-RPC responses.",
    )
}

/// A reply whose id means the same and is of another type: `"7"` for `7`, or `7.0`. Both are JSON tokens.
pub fn id_type_changed(sent: &str, received: &str) -> Finding {
    finding(
        "id-type-changed",
        Severity::Must,
        format!(
            "The request's id was {sent} and the reply's is {received}; the reply was matched all the same."
        ),
        "2026-07-28 basic § Responses",
        "Result responses MUST include the same ID as the request they correspond to.",
    )
}

/// Progress that did not grow; `None` when it did.
pub fn progress_not_increasing(previous: f64, now: f64) -> Option<Finding> {
    if now > previous {
        return None;
    }
    Some(finding(
        "progress-not-increasing",
        Severity::Must,
        format!("Progress went from {previous} to {now}."),
        "2026-07-28 basic/patterns/progress § Progress Flow",
        "The progress value MUST increase with each notification, even if the total is unknown.",
    ))
}

pub(crate) fn result_type_missing() -> Finding {
    finding(
        "result-type-missing",
        Severity::Must,
        "The result has no resultType; it is treated as complete.",
        RESULT_TYPE,
        "The result MUST include a resultType field to indicate the type of the result. […] clients MUST treat an absent resultType as \"complete\".",
    )
}

pub(crate) fn result_type_unknown(token: &str) -> Finding {
    finding(
        "result-type-unknown",
        Severity::Must,
        format!(
            "The result's resultType is {token}, which Roundtrip does not know and did not advertise."
        ),
        RESULT_TYPE,
        "A resultType of any value unrecognized by the client MUST be considered invalid.",
    )
}

pub(crate) fn result_not_object() -> Finding {
    finding(
        "result-not-object",
        Severity::Must,
        "The result is not a JSON object.",
        "2026-07-28 basic § Result Responses",
        "The result MAY follow any JSON object structure.",
    )
}

pub(crate) fn input_required_empty() -> Finding {
    finding(
        "input-required-empty",
        Severity::Must,
        "The result asks for input, yet has neither inputRequests nor requestState.",
        MRTR_SERVER,
        "Servers MUST include at least one of inputRequests or requestState in every InputRequiredResult response.",
    )
}

pub(crate) fn input_required_not_allowed(method: &str) -> Finding {
    finding(
        "input-required-not-allowed",
        Severity::Must,
        format!(
            "The answer to {method} asks for input; only prompts/get, resources/read and tools/call may be answered so."
        ),
        MRTR_REQUESTS,
        "Servers MUST NOT send InputRequiredResult responses on any other client requests.",
    )
}

pub(crate) fn input_request_unknown_method(key: &str, method: &str) -> Finding {
    finding(
        "input-request-unknown-method",
        Severity::Must,
        format!(
            "The input request {key:?} has the method {method:?}, which is none of the three that may be asked."
        ),
        MRTR_SERVER,
        "inputRequests values are request objects that MUST be one of ElicitRequest, CreateMessageRequest, or ListRootsRequest.",
    )
}

pub(crate) fn input_request_malformed(key: &str, what: &str) -> Finding {
    finding(
        "input-request-malformed",
        Severity::Must,
        format!("The input request {key:?} is not a request: {what}."),
        MRTR_SERVER,
        "inputRequests values are request objects that MUST be one of ElicitRequest, CreateMessageRequest, or ListRootsRequest.",
    )
}

pub(crate) fn input_requests_malformed() -> Finding {
    finding(
        "input-requests-malformed",
        Severity::Must,
        "inputRequests is not an object of requests.",
        "2026-07-28 basic/patterns/mrtr § InputRequests",
        "An InputRequests object is a map of server-client requests.",
    )
}

pub(crate) fn input_request_key_repeated(key: &str) -> Finding {
    finding(
        "input-request-key-repeated",
        Severity::Must,
        format!("The key {key:?} stands more than once in inputRequests; the last one is asked."),
        MRTR_SERVER,
        "inputRequests keys are server assigned identifiers and MUST be unique within the scope of the request.",
    )
}

pub(crate) fn input_request_undeclared(method: &str, capability: &str) -> Finding {
    finding(
        "input-request-undeclared",
        Severity::Must,
        format!(
            "The server asks {method}, though the request did not declare the capability {capability}."
        ),
        MRTR_SERVER,
        "Servers MUST NOT send an inputRequests that the client has not declared support for in its capabilities.",
    )
}

pub(crate) fn request_state_not_string(token: &str) -> Finding {
    finding(
        "request-state-not-string",
        Severity::Must,
        format!("requestState is {token} and not a string."),
        MRTR_SERVER,
        "The InputRequiredResult MAY include a requestState field. If specified, this field is an opaque string meaningful only to the server.",
    )
}

pub(crate) fn ttl_missing(method: &str) -> Finding {
    finding(
        "ttl-missing",
        Severity::Must,
        format!("The result of {method} has no ttlMs; it is taken as stale at once."),
        CACHEABLE,
        "Servers MUST include caching hints on results with resultType: \"complete\" returned by the following operations: […]",
    )
}

pub(crate) fn ttl_invalid(token: &str) -> Finding {
    finding(
        "ttl-invalid",
        Severity::Must,
        format!("ttlMs is {token}; it is taken as 0."),
        "2026-07-28 server/utilities/caching § Time-to-Live (TTL) Field",
        "Servers MUST provide a ttlMs value that is >= 0.",
    )
}

pub(crate) fn cache_scope_missing(method: &str) -> Finding {
    finding(
        "cache-scope-missing",
        Severity::Must,
        format!("The result of {method} has no cacheScope."),
        CACHEABLE,
        "Servers MUST include caching hints on results with resultType: \"complete\" returned by the following operations: […]",
    )
}

pub(crate) fn cache_scope_invalid(token: &str) -> Finding {
    finding(
        "cache-scope-invalid",
        Severity::Must,
        format!("cacheScope is {token}, which is neither \"public\" nor \"private\"."),
        "2026-07-28 server/utilities/caching § Cacheable Model",
        "The Cache Scope Field, cacheScope, indicates the intended scope of the cached response, either \"public\" or \"private\".",
    )
}

pub(crate) fn cache_scope_changes(page: u32) -> Finding {
    finding(
        "cache-scope-changes",
        Severity::Must,
        format!("Page {page} has another cacheScope than the first."),
        "2026-07-28 server/utilities/caching § Interaction with Pagination",
        "Servers MUST apply the same cacheScope to all response pages for a given list request.",
    )
}

pub(crate) fn cursor_not_string(token: &str) -> Finding {
    finding(
        "cursor-not-string",
        Severity::Must,
        format!("nextCursor is {token} and not a string."),
        PAGINATION,
        "The cursor is an opaque string token, representing a position in the result set.",
    )
}

pub(crate) fn cursor_empty() -> Finding {
    finding(
        "cursor-empty",
        Severity::Note,
        "nextCursor is an empty string; in this era it is taken as the end of the list.",
        "2025-11-25 server/utilities/pagination § Implementation Guidelines",
        "Clients SHOULD treat a missing nextCursor as the end of results.",
    )
}

pub(crate) fn server_info_missing() -> Finding {
    finding(
        "server-info-missing",
        Severity::Should,
        "The result does not say which server it is from (_meta has no io.modelcontextprotocol/serverInfo).",
        PER_RESPONSE,
        "Servers SHOULD include the following io.modelcontextprotocol/* field in every result's _meta, unless specifically configured not to do so.",
    )
}

pub(crate) fn server_info_misplaced() -> Finding {
    finding(
        "server-info-misplaced",
        Severity::Should,
        "serverInfo stands beside the capabilities; its place is _meta[\"io.modelcontextprotocol/serverInfo\"].",
        PER_RESPONSE,
        "Servers SHOULD include the following io.modelcontextprotocol/* field in every result's _meta, unless specifically configured not to do so.",
    )
}

pub(crate) fn server_info_invalid(what: &str, modern: bool) -> Finding {
    finding(
        "server-info-invalid",
        Severity::Must,
        format!("serverInfo is not an Implementation: {what}."),
        if modern {
            DISCOVER
        } else {
            "2025-11-25 basic/lifecycle § Initialization"
        },
        if modern {
            "_meta['io.modelcontextprotocol/serverInfo']: Name and version of the server software."
        } else {
            "The server MUST respond with its own capabilities and information."
        },
    )
}

pub(crate) fn capabilities_missing(modern: bool) -> Finding {
    finding(
        "capabilities-missing",
        Severity::Must,
        "The answer has no object capabilities; the server is taken to have none.",
        if modern {
            DISCOVER
        } else {
            "2025-11-25 basic/lifecycle § Initialization"
        },
        if modern {
            "capabilities: Capabilities the server supports (tools, resources, prompts, etc.)"
        } else {
            "The server MUST respond with its own capabilities and information."
        },
    )
}
