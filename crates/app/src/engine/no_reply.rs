//! Why an HTTP exchange that came to an end holds no reply, in words for a person.

/// Why an HTTP exchange gave no reply.
pub(super) struct NoReply {
    pub(super) brief: String,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// Says why an exchange that ended well for HTTP holds no JSON-RPC reply.
pub(super) fn no_reply(
    status: u16,
    content_type: Option<&str>,
    body: Option<&[u8]>,
    address: &str,
) -> NoReply {
    let kind = content_type
        .and_then(|kind| kind.split(';').next())
        .map_or("", str::trim);
    let html = kind.eq_ignore_ascii_case("text/html");
    let said = body.map(excerpt).filter(|said| !said.is_empty());
    let (brief, what) = if (200..300).contains(&status) {
        match (html, &said) {
            (true, _) => (
                "web page".to_owned(),
                format!("{address} answered with a web page instead of MCP."),
            ),
            (false, Some(said)) => (
                "not MCP".to_owned(),
                format!(
                    "{address} answered HTTP {status} with something that is not a JSON-RPC reply ({}): {said}",
                    named(kind)
                ),
            ),
            (false, None) => (
                "no reply".to_owned(),
                format!(
                    "{address} answered HTTP {status} and ended without a reply to this request."
                ),
            ),
        }
    } else {
        let reason = http_reason(status);
        let what = match (html, &said) {
            (true, _) => format!("{address} answered HTTP {status}{reason} with a web page."),
            (false, Some(said)) => format!("{address} answered HTTP {status}{reason}: {said}"),
            (false, None) => format!("{address} answered HTTP {status}{reason}."),
        };
        (format!("HTTP {status}"), what)
    };
    let hint = match status {
        401 | 403 => {
            "The server wants a sign-in: sign in to it, or add an Authorization header to its entry."
        }
        404 => "Check the URL's path; MCP endpoints often end in /mcp.",
        405 => "The server does not take POST here; check the URL's path.",
        429 | 503 => "The server is busy: try again a little later.",
        500..=599 => "The fault is in the server or in a proxy before it: look at its log.",
        _ if html => "Check the URL: this is where a website answers, not an MCP server.",
        _ => "Look at the Response and HTTP tabs of this row for what came.",
    };
    NoReply {
        brief,
        message: what,
        hint: Some(hint.to_owned()),
    }
}

fn named(content_type: &str) -> &str {
    if content_type.is_empty() {
        "no content type"
    } else {
        content_type
    }
}

fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(400)]);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(200) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

fn http_reason(status: u16) -> &'static str {
    match status {
        400 => " (bad request)",
        401 => " (not signed in)",
        403 => " (forbidden)",
        404 => " (not found)",
        405 => " (method not allowed)",
        406 => " (not acceptable)",
        415 => " (media type not supported)",
        429 => " (too many requests)",
        500 => " (server error)",
        502 => " (bad gateway)",
        503 => " (unavailable)",
        504 => " (gateway timed out)",
        _ => "",
    }
}
