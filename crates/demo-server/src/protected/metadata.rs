//! The documents that say how to sign in.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::{BOOK, Demo, OFFLINE, READ};

/// Protected Resource Metadata (RFC 9728).
pub(super) async fn resource(State(demo): State<Arc<Demo>>) -> Json<Value> {
    Json(json!({
        "resource": demo.resource(),
        "resource_name": "Roundtrip demo",
        "authorization_servers": [demo.issuer()],
        // What basic work needs; what more there is is asked for when it is needed.
        "scopes_supported": [READ],
        "bearer_methods_supported": ["header"],
    }))
}

/// Authorization Server Metadata (RFC 8414).
pub(super) async fn server(State(demo): State<Arc<Demo>>) -> Json<Value> {
    let issuer = demo.issuer();
    let mut document = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "revocation_endpoint": format!("{issuer}/revoke"),
        "jwks_uri": format!("{issuer}/jwks"),
        "scopes_supported": [READ, BOOK, OFFLINE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": super::clients::METHODS,
        "revocation_endpoint_auth_methods_supported": super::clients::METHODS,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
    });
    if demo.protection.registers {
        document["registration_endpoint"] = json!(format!("{issuer}/register"));
    }
    Json(document)
}

/// The key that tokens are signed with.
pub(super) async fn keys(State(demo): State<Arc<Demo>>) -> Json<Value> {
    Json(demo.keys.public())
}

/// Where the resource's document is.
pub(super) fn of_resource(demo: &Demo) -> String {
    format!("{}/.well-known/oauth-protected-resource/mcp", demo.origin)
}
