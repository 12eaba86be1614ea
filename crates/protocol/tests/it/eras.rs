//! How a server's era is told from what it answers first.

use protocol::era::{
    Era, ProbeAnswer, ProbeReply, ProbeVerdict, Revision, judge_probe, judge_probe_with,
};

use crate::answers::{Answer, WEB_PAGE, with_reply};
use crate::script::{raw, rpc_error};

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}"#;

fn judge(status: Option<u16>, answer: &Answer) -> String {
    with_reply(status, answer, |reply| short(&judge_probe(reply)))
}

fn short(verdict: &ProbeVerdict) -> String {
    match verdict {
        ProbeVerdict::Modern { revision, .. } => format!("modern {revision}"),
        ProbeVerdict::RetryWith {
            revision,
            contradiction,
        } => {
            let contradiction = contradiction.as_deref().unwrap_or_default();
            format!("retry with {revision}. {contradiction}")
        }
        ProbeVerdict::NoCommonRevision { supported } => format!("no common {supported:?}"),
        ProbeVerdict::Refused { reason } => format!("refused: {reason}"),
        ProbeVerdict::Legacy { reason } => format!("legacy: {reason}"),
        ProbeVerdict::SignIn { status } => format!("sign in {status}"),
        ProbeVerdict::NotMcp { reason } => format!("not MCP: {reason}"),
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn over_stdio_only_a_recognised_modern_answer_is_modern() {
    use Answer::{Body, Error, Gone, Result, Silence};
    for (answer, expected) in [
        (Result(DISCOVERED), "modern 2026-07-28"),
        (
            Result(r#"{"supportedVersions":["2027-01-01","2025-11-25","2026-07-28"]}"#),
            "modern 2026-07-28",
        ),
        (
            Result(r#"{"supportedVersions":["2025-06-18",7,"2025-11-25"],"capabilities":{}}"#),
            "legacy: the server offers 2025-11-25, which is spoken after initialize",
        ),
        (
            Result(r#"{"supportedVersions":["2030-01-01"]}"#),
            r#"no common ["2030-01-01"]"#,
        ),
        (
            Result("{}"),
            "legacy: server/discover was answered with a result that names no supportedVersions",
        ),
        (
            Result(r#"{"supportedVersions":"2026-07-28"}"#),
            "legacy: server/discover was answered with a result that names no supportedVersions",
        ),
        (
            Result("[]"),
            "legacy: server/discover was answered with a result that names no supportedVersions",
        ),
        (
            Error(
                -32022,
                "no",
                Some(r#"{"supported":["2027-01-01"],"requested":"2026-07-28"}"#),
            ),
            r#"no common ["2027-01-01"]"#,
        ),
        (
            Error(-32022, "no", Some(r#"{"supported":["2025-11-25"]}"#)),
            "legacy: the server offers 2025-11-25, which is spoken after initialize",
        ),
        (
            Error(-32022, "no", Some(r#"{"supported":["2026-07-28"]}"#)),
            "retry with 2026-07-28. The server refused the revision 2026-07-28 (error -32022: no), yet names it among those it supports.",
        ),
        (
            Error(-32020, "Header mismatch", None),
            "refused: The server speaks a modern revision and refused server/discover with error -32020: Header mismatch.",
        ),
        (
            Error(
                -32021,
                "Need it",
                Some(r#"{"requiredCapabilities":{"elicitation":{}}}"#),
            ),
            "refused: The server speaks a modern revision and refused server/discover with error -32021: Need it.",
        ),
        // The code without its shape proves nothing.
        (
            Error(-32022, "no", None),
            "legacy: server/discover was answered with error -32022: no",
        ),
        (
            Error(-32022, "no", Some(r#"{"supported":[]}"#)),
            "legacy: server/discover was answered with error -32022: no",
        ),
        (
            Error(-32021, "no", Some(r#"{"requiredCapabilities":1}"#)),
            "legacy: server/discover was answered with error -32021: no",
        ),
        (
            Error(-32601, "Method not found", None),
            "legacy: server/discover was answered with error -32601: Method not found",
        ),
        (
            Error(-32602, "Invalid request parameters", None),
            "legacy: server/discover was answered with error -32602: Invalid request parameters",
        ),
        (
            Error(-32000, "Bad Request:\nnot initialized", None),
            "legacy: server/discover was answered with error -32000: Bad Request: not initialized",
        ),
        (
            Error(
                -32004,
                "Unsupported",
                Some(r#"{"supported":["2026-07-28"]}"#),
            ),
            "legacy: server/discover was answered with error -32004: Unsupported",
        ),
        (
            Error(0, "", None),
            "legacy: server/discover was answered with error 0: ",
        ),
        (
            Body(b"hello"),
            "legacy: server/discover was answered with something that is not JSON: hello",
        ),
        (
            Silence,
            "legacy: server/discover was not answered within 5 s",
        ),
        (Gone, "not MCP: The process exited with code 1."),
    ] {
        assert_eq!(judge(None, &answer), expected);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn over_http_the_status_and_the_body_decide() {
    use Answer::{Body, Error, Gone, Result, Silence};
    for (status, answer, expected) in [
        (200, Result(DISCOVERED), "modern 2026-07-28"),
        (
            400,
            Error(-32022, "no", Some(r#"{"supported":["2027-01-01"]}"#)),
            r#"no common ["2027-01-01"]"#,
        ),
        (
            400,
            Error(-32020, "Header mismatch", None),
            "refused: The server speaks a modern revision and refused server/discover with error -32020: Header mismatch.",
        ),
        (
            500,
            Error(-32022, "no", Some(r#"{"supported":["2027-01-01"]}"#)),
            r#"no common ["2027-01-01"]"#,
        ),
        (
            400,
            Error(-32000, "Bad Request: No valid session ID provided", None),
            "legacy: server/discover was answered with HTTP 400 and error -32000: Bad Request: No valid session ID provided",
        ),
        (
            400,
            Error(-32600, "Missing session ID", None),
            "legacy: server/discover was answered with HTTP 400 and error -32600: Missing session ID",
        ),
        (
            404,
            Error(-32601, "Method not found", None),
            "legacy: server/discover was answered with HTTP 404 and error -32601: Method not found",
        ),
        (
            200,
            Error(-32602, "bad", None),
            "legacy: server/discover was answered with HTTP 200 and error -32602: bad",
        ),
        (
            500,
            Error(-32603, "boom", None),
            "legacy: server/discover was answered with HTTP 500 and error -32603: boom",
        ),
        (
            400,
            Body(b""),
            "legacy: server/discover was answered with HTTP 400 and an empty body",
        ),
        (
            400,
            Body(b"{\"error\":\"bad\"}"),
            "legacy: server/discover was answered with HTTP 400 and JSON that is not JSON-RPC: {\"error\":\"bad\"}",
        ),
        (
            404,
            Body(WEB_PAGE),
            "legacy: server/discover was answered with HTTP 404 and a web page (“Welcome to nginx!”)",
        ),
        (
            405,
            Body(b"Method Not Allowed"),
            "legacy: server/discover was answered with HTTP 405 and something that is not JSON: Method Not Allowed",
        ),
        (
            202,
            Body(b" \n"),
            "legacy: server/discover was answered with HTTP 202 and an empty body",
        ),
        (401, Body(b""), "sign in 401"),
        (403, Error(-32000, "Forbidden", None), "sign in 403"),
        (
            200,
            Body(WEB_PAGE),
            "not MCP: The server answered with HTTP 200 and a web page (“Welcome to nginx!”): this is not an MCP endpoint.",
        ),
        (
            200,
            Body(b"{\"status\":\"ok\"}"),
            "not MCP: The server answered with HTTP 200 and JSON that is not JSON-RPC: {\"status\":\"ok\"}: this is not an MCP endpoint.",
        ),
        (
            200,
            Body(b"\xff\xfe\x00binary"),
            "not MCP: The server answered with HTTP 200 and something that is not JSON: \u{fffd}\u{fffd} binary: this is not an MCP endpoint.",
        ),
        (
            503,
            Body(WEB_PAGE),
            "not MCP: The server answered with HTTP 503 and a web page (“Welcome to nginx!”): it, or a gateway in front of it, is failing.",
        ),
        (
            502,
            Body(b""),
            "not MCP: The server answered with HTTP 502 and an empty body: it, or a gateway in front of it, is failing.",
        ),
        (
            429,
            Body(b""),
            "not MCP: The server answered with HTTP 429 and an empty body: it takes no more requests for now.",
        ),
        (
            407,
            Body(b""),
            "not MCP: The server answered with HTTP 407 and an empty body: a proxy on the way wants credentials.",
        ),
        (
            302,
            Body(b""),
            "not MCP: The server answered with HTTP 302 and an empty body: it points to another address.",
        ),
        (
            200,
            Silence,
            "legacy: server/discover was not answered within 5 s",
        ),
        (200, Gone, "not MCP: The process exited with code 1."),
    ] {
        assert_eq!(judge(Some(status), &answer), expected, "HTTP {status}");
    }
    assert_eq!(
        judge(None, &Silence),
        "legacy: server/discover was not answered within 5 s"
    );
}

#[test]
fn a_client_with_several_modern_revisions_takes_the_newest_that_is_shared() {
    let newer = Revision::new("2027-03-01");
    let spoken = [newer.clone(), Revision::V2026_07_28, Revision::V2025_11_25];
    let error = rpc_error(
        -32022,
        "no",
        Some(r#"{"supported":["2025-11-25","2026-07-28"]}"#),
    );
    let reply = ProbeReply {
        http_status: Some(400),
        answer: ProbeAnswer::Error(&error),
    };
    assert_eq!(
        short(&judge_probe_with(&reply, &newer, &spoken)),
        "retry with 2026-07-28. "
    );
    assert_eq!(
        short(&judge_probe_with(&reply, &Revision::V2026_07_28, &spoken)),
        "retry with 2026-07-28. The server refused the revision 2026-07-28 (error -32022: no), \
         yet names it among those it supports."
    );
    let last = judge_probe_with(&reply, &Revision::V2026_07_28, &spoken).without_retry();
    assert!(short(&last).starts_with("refused: The server refused"));
    let other = judge_probe_with(&reply, &newer, &spoken).without_retry();
    assert_eq!(short(&other), "retry with 2026-07-28. ");
}

#[test]
fn the_verdict_carries_what_the_server_said_and_what_is_wrong_with_it() {
    let result = raw(r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#);
    let reply = ProbeReply {
        http_status: None,
        answer: ProbeAnswer::Result(&result),
    };
    let ProbeVerdict::Modern {
        report, findings, ..
    } = judge_probe(&reply)
    else {
        panic!("a discovery is modern");
    };
    assert_eq!(report.name, None);
    assert_eq!(report.capability_names, ["tools"]);
    assert_eq!(report.revision, Some(Revision::V2026_07_28));
    let rules: Vec<_> = findings
        .iter()
        .map(|finding| finding.rule.as_str())
        .collect();
    assert_eq!(
        rules,
        [
            "result-type-missing",
            "ttl-missing",
            "cache-scope-missing",
            "server-info-missing"
        ]
    );
}

#[test]
fn revisions_belong_to_eras() {
    for revision in Revision::SPOKEN {
        let era = if revision == Revision::V2026_07_28 {
            Era::Modern
        } else {
            Era::Legacy
        };
        assert_eq!(Era::of(&revision), era, "{revision}");
    }
    assert_eq!(Era::of(&Revision::new("2026-07-27")), Era::Legacy);
    assert_eq!(Era::of(&Revision::new("2030-01-01")), Era::Modern);
    assert_eq!(Era::of(&Revision::new("DRAFT-2027")), Era::Modern);
    assert_eq!(
        (Era::Modern.to_string(), Era::Legacy.as_str()),
        ("modern".to_owned(), "legacy")
    );
}
