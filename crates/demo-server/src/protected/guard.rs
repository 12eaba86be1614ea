//! What stands before the MCP endpoint: every request brings a token that is for this server, and a call of a tool that
//! needs a further scope brings that (2026-07-28 basic/authorization § Token Handling, § Scope Challenge Handling).

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

use super::keys::Claims;
use super::{BOOK, Demo, READ, metadata, now};

/// The longest message that is read before it is let through.
const LONGEST_MESSAGE: usize = 4 * 1024 * 1024;

/// The tools that need more than reading.
const BOOKING_TOOLS: [&str; 2] = ["book_table", "cancel_booking"];

/// Why a request is not let through.
enum Refusal {
    /// There is no token.
    NoToken,
    /// The token is not taken, for this reason.
    BadToken(&'static str),
    /// The token allows too little.
    TooLittle(&'static str),
}

pub(super) async fn guard(State(demo): State<Arc<Demo>>, request: Request, next: Next) -> Response {
    let claims = match admitted(&demo, &request) {
        Ok(claims) => claims,
        Err(refusal) => return refused(&demo, &refusal),
    };
    let (head, body) = request.into_parts();
    if head.method != Method::POST {
        return next.run(Request::from_parts(head, body)).await;
    }
    let Ok(bytes) = to_bytes(body, LONGEST_MESSAGE).await else {
        return (
            StatusCode::PAYLOAD_TOO_LARGE,
            "The message is longer than 4 MiB, or broke off.\n",
        )
            .into_response();
    };
    if let Some(scope) = lacking(&claims, &bytes) {
        return refused(&demo, &Refusal::TooLittle(scope));
    }
    next.run(Request::from_parts(head, Body::from(bytes))).await
}

/// The claims of the request's token, when it is taken.
fn admitted(demo: &Demo, request: &Request) -> Result<Claims, Refusal> {
    let value = request
        .headers()
        .get(header::AUTHORIZATION)
        .ok_or(Refusal::NoToken)?;
    let token = value
        .to_str()
        .ok()
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .ok_or(Refusal::BadToken("this server takes Bearer tokens"))?;
    let claims = demo.keys.verify(token).ok_or(Refusal::BadToken(
        "the token is not of this server's authorization server",
    ))?;
    if claims.iss != demo.issuer() {
        return Err(Refusal::BadToken("the token is of another issuer"));
    }
    if claims.aud != demo.resource() {
        return Err(Refusal::BadToken("the token is for another server"));
    }
    // Whole seconds: it lasts as long as was said, and up to a second more.
    if claims.exp < now() {
        return Err(Refusal::BadToken("the token has expired"));
    }
    if demo.desk().has_ended(&claims) {
        return Err(Refusal::BadToken("the token was revoked"));
    }
    Ok(claims)
}

/// The scope that the message needs and the token lacks.
fn lacking(claims: &Claims, message: &[u8]) -> Option<&'static str> {
    let has = |scope: &str| claims.scope.split(' ').any(|one| one == scope);
    let needs_booking = match serde_json::from_slice::<Value>(message) {
        // A batch, which an earlier revision had.
        Ok(Value::Array(all)) => all.iter().any(books),
        Ok(one) => books(&one),
        // The endpoint says what is wrong with it.
        Err(_) => false,
    };
    if needs_booking && !has(BOOK) {
        return Some(BOOK);
    }
    (!has(READ)).then_some(READ)
}

fn books(message: &Value) -> bool {
    message["method"] == "tools/call"
        && message["params"]["name"]
            .as_str()
            .is_some_and(|name| BOOKING_TOOLS.contains(&name))
}

fn refused(demo: &Demo, refusal: &Refusal) -> Response {
    let place = metadata::of_resource(demo);
    let (status, challenge, said) = match refusal {
        Refusal::NoToken => (
            StatusCode::UNAUTHORIZED,
            format!("Bearer resource_metadata=\"{place}\", scope=\"{READ}\""),
            "this server wants a sign-in".to_owned(),
        ),
        Refusal::BadToken(why) => (
            StatusCode::UNAUTHORIZED,
            format!(
                "Bearer error=\"invalid_token\", error_description=\"{why}\", resource_metadata=\"{place}\", \
                 scope=\"{READ}\""
            ),
            (*why).to_owned(),
        ),
        Refusal::TooLittle(scope) => (
            StatusCode::FORBIDDEN,
            format!(
                "Bearer error=\"insufficient_scope\", scope=\"{scope}\", resource_metadata=\"{place}\", \
                 error_description=\"this needs the permission {scope}\""
            ),
            format!("this needs the permission {scope}"),
        ),
    };
    let body = serde_json::json!({ "error": said });
    let mut response = (status, axum::Json(body)).into_response();
    if let Ok(challenge) = HeaderValue::from_str(&challenge) {
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}
