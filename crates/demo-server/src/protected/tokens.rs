//! Tokens: for a code, for a refresh token, and taken back.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::clients::{self, Client};
use super::consent::check_resource;
use super::desk::{Consent, Stale};
use super::fields::Fields;
use super::keys::{Claims, challenge};
use super::{Demo, OFFLINE, now};

/// Who everybody is.
const PERSON: &str = "demo-person";

/// A refusal (OAuth 2.1 § 3.2.4).
struct Refusal {
    status: StatusCode,
    error: &'static str,
    why: String,
}

impl Refusal {
    fn bad(error: &'static str, why: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            error,
            why: why.into(),
        }
    }

    fn no_client(why: String) -> Self {
        Self {
            status: StatusCode::UNAUTHORIZED,
            error: "invalid_client",
            why,
        }
    }

    fn stale(what: &str, stale: Stale) -> Self {
        let why = match stale {
            Stale::Unknown => format!("the {what} is not known here, or was revoked"),
            Stale::Expired => format!("the {what} has expired"),
            Stale::UsedTwice => {
                format!(
                    "the {what} was used before; what it gave has ended, for somebody else may have it"
                )
            }
        };
        Self::bad("invalid_grant", why)
    }

    fn response(self) -> Response {
        let body = json!({ "error": self.error, "error_description": self.why });
        let mut response = (
            self.status,
            [(header::CACHE_CONTROL, "no-store")],
            Json(body),
        )
            .into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(
                header::WWW_AUTHENTICATE,
                header::HeaderValue::from_static("Basic realm=\"Roundtrip demo\""),
            );
        }
        response
    }
}

/// `POST /auth/token`
pub(super) async fn token(
    State(demo): State<Arc<Demo>>,
    headers: HeaderMap,
    form: String,
) -> Response {
    match give(&demo, &headers, &form).await {
        Ok(body) => ([(header::CACHE_CONTROL, "no-store")], Json(body)).into_response(),
        Err(refusal) => refusal.response(),
    }
}

async fn client_of(demo: &Demo, headers: &HeaderMap, fields: &Fields) -> Result<Client, Refusal> {
    let authorization = headers
        .get(header::AUTHORIZATION)
        .map(|value| value.to_str().unwrap_or_default());
    clients::authenticated(demo, authorization, fields)
        .await
        .map_err(Refusal::no_client)
}

async fn give(demo: &Demo, headers: &HeaderMap, form: &str) -> Result<Value, Refusal> {
    let fields = Fields::read(form);
    if let Some(name) = fields.repeated() {
        return Err(Refusal::bad(
            "invalid_request",
            format!("{name} is there twice"),
        ));
    }
    let client = client_of(demo, headers, &fields).await?;
    check_resource(demo, &fields).map_err(|(error, why)| Refusal::bad(error, why))?;
    match fields.get("grant_type") {
        Some("authorization_code") => for_code(demo, &client, &fields),
        Some("refresh_token") => for_refresh(demo, &client, &fields),
        None => Err(Refusal::bad("invalid_request", "grant_type is missing")),
        Some(other) => Err(Refusal::bad(
            "unsupported_grant_type",
            format!("{other:?} is neither authorization_code nor refresh_token"),
        )),
    }
}

fn for_code(demo: &Demo, client: &Client, fields: &Fields) -> Result<Value, Refusal> {
    let wanted = |name: &str| {
        fields
            .get(name)
            .ok_or_else(|| Refusal::bad("invalid_request", format!("{name} is missing")))
    };
    let key = wanted("code")?;
    let verifier = wanted("code_verifier")?;
    let code = demo
        .desk()
        .code(key)
        .map_err(|stale| Refusal::stale("code", stale))?;
    if code.asked.client.id != client.id {
        return Err(Refusal::bad(
            "invalid_grant",
            "the code was given to another client",
        ));
    }
    if fields
        .get("redirect_uri")
        .is_some_and(|uri| uri != code.asked.redirect_uri)
    {
        return Err(Refusal::bad(
            "invalid_grant",
            "the redirect_uri is another than before",
        ));
    }
    if challenge(verifier) != code.asked.challenge {
        return Err(Refusal::bad(
            "invalid_grant",
            "the code_verifier does not fit (PKCE)",
        ));
    }
    let consent = drawn(demo)?;
    let refresh = code
        .scopes
        .iter()
        .any(|scope| scope == OFFLINE)
        .then(|| drawn(demo))
        .transpose()?;
    let mut desk = demo.desk();
    desk.use_code(
        key,
        consent.clone(),
        Consent::new(client.id.clone(), code.scopes.clone()),
    );
    if let Some(refresh) = &refresh {
        desk.give_refresh(&consent, refresh.clone(), demo.protection.refresh_life);
    }
    drop(desk);
    reply(demo, client, &consent, &code.scopes, refresh)
}

fn for_refresh(demo: &Demo, client: &Client, fields: &Fields) -> Result<Value, Refusal> {
    let token = fields
        .get("refresh_token")
        .ok_or_else(|| Refusal::bad("invalid_request", "refresh_token is missing"))?;
    let fresh = demo.protection.rotates.then(|| drawn(demo)).transpose()?;
    let mut desk = demo.desk();
    let (key, consent) = desk
        .refresh(token)
        .map_err(|stale| Refusal::stale("refresh token", stale))?;
    if consent.client_id != client.id {
        return Err(Refusal::bad(
            "invalid_grant",
            "the refresh token was given to another client",
        ));
    }
    let scopes: Vec<String> = match fields.get("scope") {
        None => consent.scopes,
        Some(wanted) => {
            let wanted: Vec<String> = wanted.split(' ').map(str::to_owned).collect();
            if let Some(more) = wanted.iter().find(|scope| !consent.scopes.contains(scope)) {
                return Err(Refusal::bad(
                    "invalid_scope",
                    format!("{more:?} was not allowed; ask for consent again"),
                ));
            }
            wanted
        }
    };
    if let Some(fresh) = &fresh {
        desk.give_refresh(&key, fresh.clone(), demo.protection.refresh_life);
    }
    drop(desk);
    reply(demo, client, &key, &scopes, fresh)
}

fn drawn(demo: &Demo) -> Result<String, Refusal> {
    demo.keys.random().map_err(broken)
}

fn broken(why: String) -> Refusal {
    Refusal {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        error: "server_error",
        why,
    }
}

fn reply(
    demo: &Demo,
    client: &Client,
    consent: &str,
    scopes: &[String],
    refresh: Option<String>,
) -> Result<Value, Refusal> {
    let (now, life) = (now(), demo.protection.token_life.as_secs());
    let claims = Claims {
        iss: demo.issuer(),
        sub: PERSON.to_owned(),
        aud: demo.resource(),
        client_id: client.id.clone(),
        scope: scopes.join(" "),
        iat: now,
        exp: now + life,
        jti: drawn(demo)?,
        sid: consent.to_owned(),
    };
    let mut body = json!({
        "access_token": demo.keys.sign(&claims).map_err(broken)?,
        "token_type": "Bearer",
        "expires_in": life,
        "scope": claims.scope,
    });
    if let Some(refresh) = refresh {
        body["refresh_token"] = json!(refresh);
    }
    Ok(body)
}

/// `POST /auth/revoke` (RFC 7009). A token that is not known is as good as revoked.
pub(super) async fn revoke(
    State(demo): State<Arc<Demo>>,
    headers: HeaderMap,
    form: String,
) -> Response {
    let fields = Fields::read(&form);
    let client = match client_of(&demo, &headers, &fields).await {
        Ok(client) => client,
        Err(refusal) => return refusal.response(),
    };
    let Some(token) = fields.get("token") else {
        return Refusal::bad("invalid_request", "token is missing").response();
    };
    let claims = demo.keys.verify(token);
    let mut desk = demo.desk();
    match claims {
        Some(claims) if claims.client_id == client.id => desk.end_token(&claims),
        Some(_) => {}
        None => desk.end_refresh(token, &client.id),
    }
    drop(desk);
    StatusCode::OK.into_response()
}
