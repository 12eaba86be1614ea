//! Headers beside the message that they mirror.

use protocol::mirror_check::{Compared, compare};
use wire::http::Header;

fn sent(headers: &[(&str, &str)]) -> Vec<Header> {
    headers
        .iter()
        .map(|(name, value)| Header {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        })
        .collect()
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book_täble",
    "arguments":{"date":"2026-12-04","seats":42.0,"who":{"city":"Zürich"}},
    "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;

fn line(one: &Compared) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    format!(
        "{} | {} | {} | {} | {}",
        one.header,
        text(&one.decoded),
        text(&one.part),
        text(&one.held),
        text(&one.problem)
    )
}

fn lines(headers: &[(&str, &str)], body: &str) -> Vec<String> {
    compare(&sent(headers), body.as_bytes())
        .iter()
        .map(line)
        .collect()
}

#[test]
fn what_agrees_is_said_with_what_it_stands_for() {
    let found = lines(
        &[
            ("content-type", "application/json"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "=?base64?Ym9va190w6RibGU=?="),
            ("mcp-param-date", "2026-12-04"),
            ("mcp-param-seats", "42"),
            ("mcp-param-town", "=?base64?WsO8cmljaA==?="),
        ],
        CALL,
    );
    insta::assert_snapshot!(found.join("\n"), @r#"
    mcp-protocol-version | - | params._meta["io.modelcontextprotocol/protocolVersion"] | 2026-07-28 | -
    mcp-method | - | method | tools/call | -
    mcp-name | book_täble | params.name | book_täble | -
    mcp-param-date | - | params.arguments.date | 2026-12-04 | -
    mcp-param-seats | - | params.arguments.seats | 42 | -
    mcp-param-town | Zürich | params.arguments.city | Zürich | -
    "#);
}

#[test]
fn what_differs_is_missing_or_cannot_be_read_is_marked() {
    let found = lines(
        &[
            ("mcp-protocol-version", "2025-11-25"),
            ("mcp-name", "=?base64?%%?="),
            ("mcp-param-date", "2026-12-05"),
        ],
        CALL,
    );
    let problems: Vec<_> = found
        .iter()
        .map(|line| line.rsplit(" | ").next().unwrap())
        .collect();
    assert_eq!(problems.len(), 4, "{found:?}");
    assert!(problems[0].contains("2025-11-25") && problems[0].contains("2026-07-28"));
    assert_eq!(problems[1], "The header is missing.");
    assert!(problems[2].contains("not valid Base64"), "{problems:?}");
    assert_eq!(problems[3], "No argument of the message has this value.");
    let twice = lines(
        &[
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "ping"),
            ("mcp-method", "ping"),
        ],
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
    );
    assert!(twice[1].ends_with("sent 2 times."), "{twice:?}");
}

#[test]
fn legacy_messages_mirror_their_revision_only_and_other_bodies_nothing() {
    let legacy = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
    let found = lines(&[("mcp-protocol-version", "2025-11-25")], legacy);
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("| -"));
    assert!(lines(&[("mcp-method", "x")], "not json").is_empty());
    assert!(lines(&[("mcp-method", "x")], "[1]").is_empty());
}
