//! The pages that a person sees: plain, and whole without scripts.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:6vh auto;padding:0 1.5rem}\
h1{font-size:1.4rem}\
fieldset{border:1px solid;border-radius:.4rem;padding:.75rem 1rem;margin:1.25rem 0}\
legend{padding:0 .4rem;font-weight:600}\
label{display:flex;gap:.6rem;padding:.3rem 0;align-items:baseline}\
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}\
dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}\
button{font:inherit;padding:.5rem 1.25rem;margin-right:.75rem;border:1px solid;border-radius:.4rem;cursor:pointer}\
button.yes{background:#1a56c4;color:#fff;border-color:#1a56c4}\
button:focus-visible,input:focus-visible{outline:3px solid #e07b00;outline-offset:2px}\
.note{border-left:.25rem solid;padding-left:.75rem}";

/// Text as it stands in a page and in an attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// A page; `body` is HTML, `title` is text. Its forms lead to this server, and from there to `back`.
pub(super) fn page(status: StatusCode, title: &str, body: &str, back: Option<&str>) -> Response {
    let title = escaped(title);
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title} – Roundtrip demo</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    );
    let mut response = (status, Html(html)).into_response();
    let headers = response.headers_mut();
    // A browser holds a form's redirects to form-action, too.
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'{}",
        back.map(|origin| format!(" {origin}")).unwrap_or_default()
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A page that says that nothing can be done.
pub(super) fn problem(status: StatusCode, what: &str) -> Response {
    let body = format!(
        "<p>{}</p>\n<p>Nothing was allowed. You can close this page.</p>",
        escaped(what)
    );
    page(status, "This sign-in cannot go on", &body, None)
}
