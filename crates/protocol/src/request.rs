//! The text of the messages that Roundtrip sends.

use wire::object::quote;

use crate::era::{Era, Revision};
use crate::text;

/// `_meta` key: the revision of a request (2026-07-28 basic § `_meta`).
pub const META_PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// `_meta` key: who sends a request.
pub const META_CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// `_meta` key: what the sender of a request can do.
pub const META_CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// `_meta` key: the least level of log messages wanted for a request.
pub const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// `_meta` key: which server answered.
pub const META_SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// How Roundtrip speaks on one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speaker {
    /// The era.
    pub era: Era,
    /// The revision, sent with each modern request, and offered by `initialize` in the legacy era.
    pub revision: Revision,
    /// The client's name, `roundtrip`.
    pub client_name: String,
    /// The client's version.
    pub client_version: String,
    /// The capabilities that are advertised: the text of a JSON object.
    pub capabilities: String,
    /// The least level of log messages to ask for with each modern request; without one a server must not
    /// send any (2026-07-28 server/utilities/logging § Per-request log level).
    pub log_level: Option<String>,
    /// Members that each request's `_meta` gets besides: the text of a JSON object. They win over those that are
    /// added here; what a request's own `_meta` holds wins over them.
    pub meta: Option<String>,
}

impl Speaker {
    /// The text of a request, on one line.
    ///
    /// `params` is the text of a JSON object and is kept as it was written. In the modern era the members that
    /// each request needs are added to its `_meta`; what is there already stays, also when it is one of them.
    /// With `progress_token` the id becomes the token, in both eras; `traceparent` is that of W3C Trace Context
    /// (2026-07-28 basic § OpenTelemetry trace context). A `params` that is no object is sent as it is, without
    /// `_meta`: what a server makes of it is worth seeing.
    pub fn request(
        &self,
        id: u64,
        method: &str,
        params: Option<&str>,
        progress_token: bool,
        traceparent: Option<&str>,
    ) -> String {
        let params = self.params(params, progress_token.then_some(id), traceparent);
        message(&format!("\"id\":{id},"), method, params.as_deref())
    }

    /// The `params` of `initialize` (2025-11-25 basic/lifecycle § Initialization).
    pub fn initialize_params(&self) -> String {
        format!(
            "{{\"protocolVersion\":{},\"capabilities\":{},\"clientInfo\":{}}}",
            quote(self.revision.as_str()),
            self.capabilities,
            self.client_info()
        )
    }

    fn client_info(&self) -> String {
        format!(
            "{{\"name\":{},\"version\":{}}}",
            quote(&self.client_name),
            quote(&self.client_version)
        )
    }

    fn params(
        &self,
        params: Option<&str>,
        progress_token: Option<u64>,
        traceparent: Option<&str>,
    ) -> Option<String> {
        let mut additions: Vec<(String, String)> = Vec::new();
        if let Some(meta) = &self.meta {
            for member in text::members(meta).unwrap_or_default() {
                let value = meta.get(member.value.clone()).unwrap_or("null").to_owned();
                additions.push((member.key, value));
            }
        }
        if self.era == Era::Modern {
            additions.push((
                META_PROTOCOL_VERSION.to_owned(),
                quote(self.revision.as_str()),
            ));
            additions.push((META_CLIENT_INFO.to_owned(), self.client_info()));
            additions.push((
                META_CLIENT_CAPABILITIES.to_owned(),
                self.capabilities.clone(),
            ));
            if let Some(level) = &self.log_level {
                additions.push((META_LOG_LEVEL.to_owned(), quote(level)));
            }
        }
        if let Some(token) = progress_token {
            additions.push(("progressToken".to_owned(), token.to_string()));
        }
        if let Some(traceparent) = traceparent {
            additions.push(("traceparent".to_owned(), quote(traceparent)));
        }
        if additions.is_empty() {
            return params.map(str::to_owned);
        }
        let params = params.unwrap_or("{}");
        let Some(members) = text::members(params) else {
            return Some(params.to_owned());
        };
        let meta = text::value(params, &members, "_meta").unwrap_or("{}");
        let Some(present) = text::members(meta) else {
            return Some(params.to_owned());
        };
        let mut merged = meta.to_owned();
        let mut keys: Vec<String> = present.into_iter().map(|member| member.key).collect();
        for (key, value) in additions {
            if !keys.contains(&key) {
                merged = text::set(&merged, &key, &value);
                keys.push(key);
            }
        }
        Some(text::set(params, "_meta", &merged))
    }
}

/// The text of a notification, on one line. `params` is the text of a JSON object.
pub fn notification(method: &str, params: Option<&str>) -> String {
    message("", method, params)
}

/// The text of a result response (legacy only; a modern client sends none). `id_token` is the request's id as
/// the JSON text that came, so that a server's `7.0` or `"7"` goes back as it was.
pub fn response(id_token: &str, result: &str) -> String {
    text::one_line(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id_token},\"result\":{result}}}"
    ))
    .into_owned()
}

/// The text of an error response (legacy only).
pub fn error_response(id_token: &str, code: i64, message: &str) -> String {
    let message = quote(message);
    let error = format!("{{\"code\":{code},\"message\":{message}}}");
    text::one_line(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id_token},\"error\":{error}}}"
    ))
    .into_owned()
}

fn message(id: &str, method: &str, params: Option<&str>) -> String {
    let method = quote(method);
    let params = params
        .map(|params| format!(",\"params\":{params}"))
        .unwrap_or_default();
    text::one_line(&format!(
        "{{\"jsonrpc\":\"2.0\",{id}\"method\":{method}{params}}}"
    ))
    .into_owned()
}
