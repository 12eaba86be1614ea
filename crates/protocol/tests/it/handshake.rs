//! What the answer to `initialize` says.

use protocol::era::{InitializeVerdict, judge_initialize};

use crate::answers::{Answer, WEB_PAGE, with_reply};

fn judge_handshake(status: Option<u16>, answer: &Answer) -> String {
    with_reply(status, answer, |reply| match judge_initialize(reply) {
        InitializeVerdict::Legacy { revision, .. } => format!("legacy {revision}"),
        InitializeVerdict::ModernOnly { supported, .. } => format!("modern only {supported:?}"),
        InitializeVerdict::NoCommonRevision { supported } => format!("no common {supported:?}"),
        InitializeVerdict::Refused { code, message } => format!("refused {code} {message}"),
        InitializeVerdict::SignIn { status } => format!("sign in {status}"),
        InitializeVerdict::NotMcp { reason } => format!("not MCP: {reason}"),
    })
}

#[test]
fn the_answer_to_initialize() {
    use Answer::{Body, Error, Gone, Result, Silence};
    for (status, answer, expected) in [
        (
            None,
            Result(
                r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#,
            ),
            "legacy 2025-11-25",
        ),
        (
            Some(200),
            Result(r#"{"protocolVersion":"2024-11-05"}"#),
            "legacy 2024-11-05",
        ),
        (
            None,
            Result(r#"{"protocolVersion":"2024-10-07"}"#),
            r#"no common ["2024-10-07"]"#,
        ),
        (
            None,
            Result(r#"{"protocolVersion":"2026-07-28"}"#),
            r#"modern only ["2026-07-28"]"#,
        ),
        (
            None,
            Result("{}"),
            "not MCP: The answer to initialize names no protocolVersion, so no session was opened.",
        ),
        (
            Some(400),
            Error(-32020, "Mcp-Method is missing", None),
            "modern only []",
        ),
        (
            Some(400),
            Error(-32022, "no", Some(r#"{"supported":["2026-07-28"]}"#)),
            r#"modern only ["2026-07-28"]"#,
        ),
        (
            None,
            Error(
                -32601,
                "initialize is gone; this server supports 2026-07-28.",
                None,
            ),
            r#"modern only ["2026-07-28"]"#,
        ),
        (
            None,
            Error(-32602, "no", Some(r#"{"supported":["2027-01-01"]}"#)),
            r#"modern only ["2027-01-01"]"#,
        ),
        (
            None,
            Error(
                -32602,
                "Unsupported protocol version",
                Some(r#"{"supported":["2024-11-05"],"requested":"1.0.0"}"#),
            ),
            "refused -32602 Unsupported protocol version",
        ),
        (
            None,
            Error(-32603, "boom on 2025-01-01", None),
            "refused -32603 boom on 2025-01-01",
        ),
        (Some(401), Body(b""), "sign in 401"),
        (
            Some(404),
            Body(WEB_PAGE),
            "not MCP: There is no MCP endpoint at this URL: initialize was answered with HTTP 404 and a web page (“Welcome to nginx!”).",
        ),
        (
            Some(400),
            Body(b""),
            "not MCP: initialize was answered with HTTP 400 and an empty body.",
        ),
        (
            Some(200),
            Body(WEB_PAGE),
            "not MCP: The server answered with HTTP 200 and a web page (“Welcome to nginx!”): this is not an MCP endpoint.",
        ),
        (
            None,
            Silence,
            "not MCP: The server did not answer initialize within 5 s.",
        ),
        (None, Gone, "not MCP: The process exited with code 1."),
    ] {
        assert_eq!(judge_handshake(status, &answer), expected);
    }
}
