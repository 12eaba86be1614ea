//! The consent: a page that says who asks for what, and the way back.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use url::Url;

use super::clients::{self, Client};
use super::desk::Asked;
use super::fields::Fields;
use super::page::{escaped, page, problem};
use super::{BOOK, Demo, OFFLINE, READ};

/// An error that goes back to the client (OAuth 2.1 § 4.1.2.1).
type Refusal = (&'static str, String);

/// The scopes, and what each allows.
const SCOPES: [(&str, &str); 3] = [
    (READ, "Look at restaurants, menus and bookings"),
    (BOOK, "Book tables and undo bookings"),
    (OFFLINE, "Stay signed in, without asking you again"),
];

/// `GET /auth/authorize`
pub(super) async fn ask(State(demo): State<Arc<Demo>>, RawQuery(query): RawQuery) -> Response {
    let fields = Fields::read(&query.unwrap_or_default());
    // Before both are known to be right nobody is sent anywhere (OAuth 2.1 § 7.12.2).
    let Some(id) = fields.get("client_id") else {
        return problem(
            StatusCode::BAD_REQUEST,
            "The request does not say which program asks (client_id).",
        );
    };
    let client = match clients::find(&demo, id).await {
        Ok(client) => client,
        Err(why) => return problem(StatusCode::BAD_REQUEST, &why),
    };
    let redirect_uri = match fields.get("redirect_uri") {
        Some(uri) => uri.to_owned(),
        None => {
            return problem(
                StatusCode::BAD_REQUEST,
                "The request does not say where to go back to (redirect_uri).",
            );
        }
    };
    if !client.takes_redirect(&redirect_uri) {
        let why = format!(
            "The program {:?} did not register the way back {redirect_uri}.",
            client.name
        );
        return problem(StatusCode::BAD_REQUEST, &why);
    }
    let state = fields.get("state").map(str::to_owned);
    match read(&demo, &fields, client, redirect_uri.clone(), state.clone()) {
        Ok(asked) => match demo.keys.random() {
            Ok(key) => {
                let shown = consent_page(&key, &asked);
                demo.desk().add_pending(key, asked);
                shown
            }
            Err(why) => problem(StatusCode::INTERNAL_SERVER_ERROR, &why),
        },
        Err((error, why)) => {
            let answer = [("error", error), ("error_description", why.as_str())];
            back(&demo, &redirect_uri, &answer, state.as_deref())
        }
    }
}

fn read(
    demo: &Demo,
    fields: &Fields,
    client: Client,
    redirect_uri: String,
    state: Option<String>,
) -> Result<Asked, Refusal> {
    if let Some(name) = fields.repeated() {
        return Err(("invalid_request", format!("{name} is there twice")));
    }
    match fields.get("response_type") {
        Some("code") => {}
        None => return Err(("invalid_request", "response_type is missing".to_owned())),
        Some(other) => {
            return Err((
                "unsupported_response_type",
                format!("{other:?} is not code"),
            ));
        }
    }
    let challenge = fields
        .get("code_challenge")
        .ok_or_else(|| {
            (
                "invalid_request",
                "PKCE is required: code_challenge is missing".to_owned(),
            )
        })?
        .to_owned();
    if fields.get("code_challenge_method") != Some("S256") {
        return Err((
            "invalid_request",
            "code_challenge_method must be S256".to_owned(),
        ));
    }
    check_resource(demo, fields)?;
    let mut scopes: Vec<String> = Vec::new();
    for scope in fields
        .get("scope")
        .unwrap_or(READ)
        .split(' ')
        .filter(|scope| !scope.is_empty())
    {
        if !SCOPES.iter().any(|(known, _)| *known == scope) {
            return Err(("invalid_scope", format!("there is no scope {scope:?}")));
        }
        if !scopes.iter().any(|known| known == scope) {
            scopes.push(scope.to_owned());
        }
    }
    Ok(Asked {
        client,
        redirect_uri,
        scopes,
        state,
        challenge,
    })
}

/// Every token is for one server, which has to be named (RFC 8707 § 2).
pub(super) fn check_resource(demo: &Demo, fields: &Fields) -> Result<(), Refusal> {
    match fields.get("resource") {
        Some(resource) if resource == demo.resource() => Ok(()),
        Some(other) => Err((
            "invalid_target",
            format!("{other:?} is not the resource {}", demo.resource()),
        )),
        None => Err((
            "invalid_target",
            format!("resource is missing; it is {}", demo.resource()),
        )),
    }
}

fn consent_page(key: &str, asked: &Asked) -> Response {
    let client = &asked.client;
    let name = if client.name.is_empty() {
        "A program without a name"
    } else {
        &client.name
    };
    let host = Url::parse(&asked.redirect_uri)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_else(|| asked.redirect_uri.clone());
    let identity = if client.has_document {
        "Its name is what its document says."
    } else {
        "Its name is what it registered itself with; nobody checked it."
    };
    let is_asked = |scope: &str| asked.scopes.iter().any(|one| one == scope);
    let boxes: Vec<String> = SCOPES
        .iter()
        .filter(|(scope, _)| is_asked(scope))
        .map(|(scope, words)| {
            format!(
                "<label><input type=\"checkbox\" name=\"scope\" value=\"{scope}\" checked> \
                 <span>{words} <code>{scope}</code></span></label>\n"
            )
        })
        .collect();
    let body = format!(
        "<p><strong>{name}</strong> wants to use the Roundtrip demo server in your name.</p>\n\
         <form method=\"post\" action=\"/auth/consent\">\n\
         <input type=\"hidden\" name=\"request\" value=\"{key}\">\n\
         <fieldset><legend>What it may do</legend>\n{boxes}</fieldset>\n\
         <p><button class=\"yes\" name=\"decision\" value=\"allow\">Allow</button>\
         <button name=\"decision\" value=\"deny\">Deny</button></p>\n</form>\n\
         <dl><dt>Program</dt><dd>{id}</dd><dt>Goes back to</dt><dd>{host}</dd></dl>\n\
         <p class=\"note\">{identity} It goes back to an address on this computer, where any program may listen: allow it \
         only when you have just asked for it.</p>\n\
         <p>This is a demo. Nobody logs in, everything is made up, and nothing leaves this computer.</p>",
        boxes = boxes.concat(),
        name = escaped(name),
        key = escaped(key),
        id = escaped(&client.id),
        host = escaped(&host),
    );
    page(
        StatusCode::OK,
        "Allow access?",
        &body,
        Some(&form_target(&asked.redirect_uri)),
    )
}

/// The redirect URI as a source of a content security policy.
fn form_target(redirect_uri: &str) -> String {
    match Url::parse(redirect_uri) {
        Ok(url) if url.origin().is_tuple() => url.origin().ascii_serialization(),
        Ok(url) => format!("{}:", url.scheme()),
        Err(_) => "'self'".to_owned(),
    }
}

/// `POST /auth/consent`
pub(super) async fn answer(State(demo): State<Arc<Demo>>, form: String) -> Response {
    let fields = Fields::read(&form);
    let asked = fields
        .get("request")
        .and_then(|key| demo.desk().take_pending(key));
    let Some(asked) = asked else {
        return problem(
            StatusCode::BAD_REQUEST,
            "This page was answered before, or was open for too long. Start the sign-in again.",
        );
    };
    let state = asked.state.clone();
    let redirect_uri = asked.redirect_uri.clone();
    let denied = || {
        let answer = [
            ("error", "access_denied"),
            ("error_description", "it was not allowed"),
        ];
        back(&demo, &redirect_uri, &answer, state.as_deref())
    };
    if fields.get("decision") != Some("allow") {
        return denied();
    }
    let allowed: Vec<String> = asked
        .scopes
        .iter()
        .filter(|scope| fields.all("scope").any(|one| one == *scope))
        .cloned()
        .collect();
    if allowed.is_empty() {
        return denied();
    }
    match demo.keys.random() {
        Ok(code) => {
            demo.desk().add_code(code.clone(), asked, allowed);
            back(&demo, &redirect_uri, &[("code", &code)], state.as_deref())
        }
        Err(why) => problem(StatusCode::INTERNAL_SERVER_ERROR, &why),
    }
}

/// Sends the person back, with who answers (RFC 9207).
fn back(demo: &Demo, redirect_uri: &str, answer: &[(&str, &str)], state: Option<&str>) -> Response {
    let Ok(mut url) = Url::parse(redirect_uri) else {
        return problem(StatusCode::BAD_REQUEST, "The way back is no URL.");
    };
    url.query_pairs_mut()
        .extend_pairs(answer)
        .extend_pairs(state.map(|state| ("state", state)))
        .append_pair("iss", &demo.issuer());
    match HeaderValue::from_str(url.as_str()) {
        Ok(location) => {
            let mut response = StatusCode::SEE_OTHER.into_response();
            response.headers_mut().insert(header::LOCATION, location);
            response
                .headers_mut()
                .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        Err(_) => problem(StatusCode::BAD_REQUEST, "The way back cannot be gone."),
    }
}
