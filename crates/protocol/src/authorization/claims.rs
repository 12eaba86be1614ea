//! What a token that is a JWT says (RFC 7519), for showing. Nothing is verified: a token is opaque to a client.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

/// What a token says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// The claims, laid out.
    pub json: String,
    /// Whom it is for.
    pub audience: Vec<String>,
    /// Its scopes, from `scope` or `scp`.
    pub scopes: Option<Vec<String>>,
    /// When it ends, in microseconds since the Unix epoch.
    pub expires_micros: Option<u64>,
}

/// Reads a token; nothing when it is no JWT, which is no fault.
pub fn read(token: &str) -> Option<Claims> {
    let mut parts = token.split('.');
    let (header, payload, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok();
    super::documents::object(&decoded(header)?).ok()?;
    let claims = super::documents::object(&decoded(payload)?).ok()?;
    let words = |value: &Value| match value {
        Value::String(text) => Some(super::scope::split(text)),
        Value::Array(all) => Some(
            all.iter()
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect(),
        ),
        _ => None,
    };
    Some(Claims {
        json: serde_json::to_string_pretty(&claims).unwrap_or_default(),
        audience: claims.get("aud").and_then(words).unwrap_or_default(),
        scopes: claims
            .get("scope")
            .or_else(|| claims.get("scp"))
            .and_then(words),
        expires_micros: claims
            .get("exp")
            .and_then(Value::as_u64)
            .and_then(|seconds| seconds.checked_mul(1_000_000)),
    })
}
