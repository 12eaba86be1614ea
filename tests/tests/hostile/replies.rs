//! Replies that are no replies, or not quite: the same bytes as a body, as an event and as a line.

use crate::fault::{Fault, Outcome, error, good, over_all, reply, structured};
use crate::play::play;

/// Over HTTP, an exchange that ends without a reply ends its call.
fn no_mcp() -> Outcome {
    Outcome::fails("not MCP")
}

/// Over stdio the reply may still come, so the call waits; the line is marked.
fn noise() -> Outcome {
    Outcome::waits()
        .shows("not protocol")
        .finds(&["stdout-not-protocol"])
}

/// It is the reply in spite of everything.
fn read(finds: &[&'static str]) -> [Outcome; 2] {
    [(); 2].map(|()| Outcome::complete().finds(finds))
}

fn all(
    name: &str,
    said: impl Fn(&str) -> String + Send + Sync + 'static,
    [http, stdio]: [Outcome; 2],
) -> Vec<Fault> {
    over_all(name, move |id| said(id).into_bytes(), http, stdio)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_json() {
    let rows = [
        all(
            "JSON that ends early",
            |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":["#),
            [
                no_mcp().told(&["HTTP 200", r#""result":{"content":["#]),
                noise().shows("JSON that ends early"),
            ],
        ),
        over_all(
            "a byte outside UTF-8 between the tokens",
            |id| [b"\xff", good(id).as_bytes()].concat(),
            no_mcp(),
            noise().shows("not UTF-8: byte 0 is 0xff"),
        ),
        all(
            "a NUL within a string",
            |id| good(id).replace("hello", "he\0llo"),
            [no_mcp(), noise().shows("not JSON")],
        ),
        all(
            "NUL bytes alone",
            |_| "\0\0\0\0".to_owned(),
            [no_mcp(), noise().shows("not JSON")],
        ),
        all(
            "a web page where JSON is announced",
            |_| "<!doctype html><title>Hello</title>".to_owned(),
            [no_mcp().told(&["Hello"]), noise().shows("not JSON")],
        ),
        all(
            "a string",
            |_| "\"ok\"".to_owned(),
            [no_mcp(), noise().shows("a string in JSON, not an object")],
        ),
        all(
            "null",
            |_| "null".to_owned(),
            [no_mcp(), noise().shows("null, not a JSON object")],
        ),
        all(
            "an empty object",
            |_| "{}".to_owned(),
            [
                no_mcp(),
                noise().shows("a JSON object with neither method, result nor error"),
            ],
        ),
        all(
            "an id and nothing else",
            |id| format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#),
            [
                no_mcp(),
                noise().shows("a JSON object with neither method, result nor error"),
            ],
        ),
        all(
            "a method that is a number",
            |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":7}}"#),
            [
                no_mcp(),
                noise().shows("a message whose method is a number"),
            ],
        ),
    ];
    play(rows.concat()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_a_reply_in_spite_of_a_breach() {
    let rows = [
        over_all(
            "a byte outside UTF-8 within a string",
            |id| {
                let mut bytes = good(id).into_bytes();
                let at = bytes.windows(5).position(|it| it == b"hello").expect("it");
                bytes[at] = 0xff;
                bytes
            },
            Outcome::complete().finds(&["envelope"]),
            Outcome::complete().finds(&["envelope"]),
        ),
        all(
            "a byte order mark before it",
            |id| format!("\u{feff}{}", good(id)),
            read(&["envelope"]),
        ),
        all(
            "a second value after it",
            |id| format!("{} []", good(id)),
            read(&["envelope"]),
        ),
        all(
            "a NUL after it",
            |id| format!("{}\0", good(id)),
            read(&["envelope"]),
        ),
        all(
            "jsonrpc 1.0",
            |id| good(id).replace("2.0", "1.0"),
            read(&["envelope"]),
        ),
        all(
            "no jsonrpc",
            |id| good(id).replace(r#""jsonrpc":"2.0","#, ""),
            read(&["envelope"]),
        ),
        all(
            "the id twice",
            |id| good(id).replacen(r#""id":"#, &format!(r#""id":{id},"id":"#), 1),
            read(&["envelope"]),
        ),
        all(
            "a method in a reply",
            |id| good(id).replacen(r#""id":"#, r#""method":"tools/call","id":"#, 1),
            read(&["envelope"]),
        ),
        all(
            "an error that is null beside the result",
            |id| good(id).replacen(r#""id":"#, r#""error":null,"id":"#, 1),
            read(&["envelope"]),
        ),
        all(
            "lone surrogates in escapes",
            |id| good(id).replace("hello", "\\ud800 \\udfff"),
            read(&[]),
        ),
        all(
            "white space all around",
            |id| format!("\t  {} \t", good(id)),
            read(&[]),
        ),
    ];
    play(rows.concat()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sizes_and_numbers_beyond_the_usual() {
    let rows = [
        all(
            "nesting of 100 000",
            |id| {
                structured(
                    id,
                    &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
                )
            },
            read(&[]),
        ),
        all(
            "an object of 100 000 keys",
            |id| {
                let members: Vec<_> = (0..100_000)
                    .map(|key| format!("\"k{key}\":{key}"))
                    .collect();
                structured(id, &format!("{{{}}}", members.join(",")))
            },
            read(&[]),
        ),
        all(
            "an envelope of 100 000 keys",
            |id| {
                let members: Vec<_> = (0..100_000)
                    .map(|key| format!("\"k{key}\":{key},"))
                    .collect();
                good(id).replacen('{', &format!("{{{}", members.concat()), 1)
            },
            read(&[]),
        ),
        all(
            "a string of 10 MB",
            |id| good(id).replace("hello", &"x".repeat(10_000_000)),
            read(&[]),
        ),
        all(
            "numbers that no float holds",
            |id| {
                structured(
                    id,
                    r#"{"big":1e400,"long":123456789012345678901234567890,"small":-1e-400}"#,
                )
            },
            [(); 2].map(|()| {
                Outcome::complete().told(&["1e400", "123456789012345678901234567890", "-1e-400"])
            }),
        ),
        all(
            "a key that comes twice in the content",
            |id| structured(id, r#"{"a":1,"a":2}"#),
            [(); 2].map(|()| Outcome::complete().told(&[r#"{"a":1,"a":2}"#])),
        ),
        all(
            "a content that is no list",
            |id| reply(id, r#"{"resultType":"complete","content":"hello"}"#),
            read(&[]),
        ),
    ];
    play(rows.concat()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_that_are_not_the_requests() {
    let wrong = || {
        [
            Outcome::fails("wrong id").told(&["a reply with the id"]),
            Outcome::waits().shows("orphan reply"),
        ]
    };
    let rows = [
        all("another id", |_| good("987654"), wrong()),
        all("a negative id", |_| good("-1"), wrong()),
        all(
            "an id beyond 64 bits",
            |_| good("99999999999999999999"),
            wrong(),
        ),
        all("an empty string for an id", |_| good("\"\""), wrong()),
        all(
            "the id as a string",
            |id| good(&format!("\"{id}\"")),
            read(&["id-type-changed"]),
        ),
        all(
            "the id as a float",
            |id| good(&format!("{id}.0")),
            read(&["envelope", "id-type-changed"]),
        ),
        all(
            "an id that is null",
            |_| good("null"),
            [
                Outcome::fails("wrong id").finds(&["envelope"]),
                Outcome::waits().shows("orphan reply").finds(&["envelope"]),
            ],
        ),
        all(
            "an id that is a list",
            |id| good(&format!("[{id}]")),
            [
                Outcome::fails("wrong id").finds(&["envelope"]),
                Outcome::waits().shows("orphan reply").finds(&["envelope"]),
            ],
        ),
        all(
            "no id",
            |_| r#"{"jsonrpc":"2.0","result":{"resultType":"complete","content":[]}}"#.to_owned(),
            [no_mcp(), noise().shows("a result without an id")],
        ),
        all(
            "the id of a request that has its answer",
            |_| good("1"),
            [
                Outcome::fails("no reply"),
                Outcome::waits().shows("orphan reply"),
            ],
        ),
    ];
    play(rows.concat()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_and_results_of_the_wrong_kind() {
    let fails = |state: &'static str, finds: &[&'static str]| {
        [(); 2].map(|()| Outcome::fails(state).finds(finds))
    };
    let rows = [
        all(
            "an error without a code",
            |id| error(id, r#"{"message":"no"}"#),
            fails("error 0", &["envelope"]),
        ),
        all(
            "an error whose code is a word",
            |id| error(id, r#"{"code":"EFAIL","message":"no"}"#),
            fails("error 0", &["envelope"]),
        ),
        all(
            "an error whose code is a float",
            |id| error(id, r#"{"code":-32603.0,"message":"no"}"#),
            fails("error -32603", &["envelope"]),
        ),
        all(
            "an error that is a string",
            |id| error(id, "\"it broke\""),
            [(); 2].map(|()| {
                Outcome::fails("error 0")
                    .told(&["it broke"])
                    .finds(&["envelope"])
            }),
        ),
        all(
            "an error that is null",
            |id| error(id, "null"),
            fails("error 0", &["envelope"]),
        ),
        all(
            "result and error",
            |id| good(id).replacen(r#""id":"#, r#""error":{"code":-5,"message":"no"},"id":"#, 1),
            fails("error -5", &["envelope"]),
        ),
        all(
            "a result that is null",
            |id| reply(id, "null"),
            fails("complete", &["envelope", "result-not-object"]),
        ),
        all(
            "a result that is a list",
            |id| reply(id, "[1]"),
            fails("complete", &["envelope", "result-not-object"]),
        ),
        all(
            "a result that is a string",
            |id| reply(id, "\"done\""),
            fails("complete", &["envelope", "result-not-object"]),
        ),
        all(
            "a resultType that nobody knows",
            |id| reply(id, r#"{"resultType":"partial","content":[]}"#),
            fails("unknown resultType", &["result-type-unknown"]),
        ),
        all(
            "a resultType that is a number",
            |id| reply(id, r#"{"resultType":1,"content":[]}"#),
            fails("unknown resultType", &["result-type-unknown"]),
        ),
        all(
            "no resultType",
            |id| reply(id, r#"{"content":[]}"#),
            fails("complete", &["result-type-missing"]),
        ),
    ];
    play(rows.concat()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn batches() {
    let rows = [
        all(
            "a batch with the reply",
            |id| format!("[{}]", good(id)),
            read(&["batch"]),
        ),
        all(
            "an empty batch",
            |_| "[]".to_owned(),
            [no_mcp(), noise().shows("an empty JSON array")],
        ),
        all(
            "a batch of batches",
            |id| format!("[[{}]]", good(id)),
            [
                no_mcp(),
                noise().shows("a JSON array without an object in it"),
            ],
        ),
        all(
            "a batch of replies to nothing and the reply",
            |id| format!("[{},{}]", good("987654"), good(id)),
            read(&["batch"]),
        ),
    ];
    play(rows.concat()).await;
}
