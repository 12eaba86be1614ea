//! Heads of HTTP responses: such as are none, statuses and content types.

use crate::acts::Act;
use crate::fault::{Fault, Outcome, good};
use crate::heads::{JSON, body, event, response, typed, with_length};
use crate::play::play;

/// A response without the `connection: close` of the others.
fn raw(text: String) -> Vec<Act> {
    vec![Act::say(text)]
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_that_are_none() {
    let rows = vec![
        Fault::http(
            "no head at all",
            |id| raw(good(id)),
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "another protocol's greeting",
            |_| raw("SSH-2.0-OpenSSH_9.6\r\n".to_owned()),
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "a status that is no number",
            |_| raw("HTTP/1.1 OK fine\r\n\r\n".to_owned()),
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "a header without a colon",
            |id| raw(format!("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n{}", good(id))),
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "a NUL in a header",
            |id| raw(format!("HTTP/1.1 200 OK\r\nx-a: b\0c\r\n\r\n{}", good(id))),
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "a header of 10 MB",
            |_| {
                vec![
                    Act::say("HTTP/1.1 200 OK\r\nx-a: "),
                    Act::Repeat(b"x".to_vec(), 10_000_000),
                    Act::UntilClosed,
                ]
            },
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "headers without end",
            |_| {
                vec![
                    Act::say("HTTP/1.1 200 OK\r\n"),
                    Act::Endless(b"x-a: b\r\n".repeat(1000)),
                ]
            },
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "HTTP/1.0",
            |id| raw(format!("HTTP/1.0 200 OK\r\n{JSON}\r\n\r\n{}", good(id))),
            Outcome::complete(),
        ),
        Fault::http(
            "interim responses before the answer",
            |id| {
                let mut acts = vec![
                    Act::say("HTTP/1.1 100 Continue\r\n\r\n".repeat(3)),
                    Act::say("HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n"),
                ];
                acts.extend(body(good(id).as_bytes()));
                acts
            },
            Outcome::complete(),
        ),
        Fault::http(
            "two content types",
            |id| {
                let headers = [JSON, "content-type: text/html"];
                vec![with_length(&headers, good(id).as_bytes())]
            },
            Outcome::complete(),
        ),
        Fault::http(
            "two content types, the stream's second",
            |id| {
                let headers = [JSON, "content-type: text/event-stream"];
                vec![with_length(&headers, good(id).as_bytes())]
            },
            Outcome::complete(),
        ),
        Fault::http(
            "two session ids in the modern era",
            |id| {
                let headers = [JSON, "mcp-session-id: a", "mcp-session-id: b"];
                vec![with_length(&headers, good(id).as_bytes())]
            },
            Outcome::complete(),
        ),
        Fault::http(
            "header values outside UTF-8",
            |id| {
                let mut bytes = format!("HTTP/1.1 200 OK\r\n{JSON}\r\nx-a: ").into_bytes();
                bytes.extend(b"\xff\xfe\r\nconnection: close\r\n\r\n");
                bytes.extend(good(id).as_bytes());
                vec![Act::Say(bytes)]
            },
            Outcome::complete(),
        ),
    ];
    play(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses() {
    let rows = vec![
        Fault::http(
            "an empty body",
            |_| vec![with_length(&[JSON], b"")],
            Outcome::fails("no reply").told(&["HTTP 200"]),
        ),
        Fault::http(
            "204",
            |_| vec![response("204 No Content", &[], b"")],
            Outcome::fails("no reply").told(&["HTTP 204"]),
        ),
        Fault::http(
            "202, as for a notification",
            |_| vec![response("202 Accepted", &["content-length: 0"], b"")],
            Outcome::fails("no reply").told(&["HTTP 202"]),
        ),
        Fault::http(
            "304",
            |_| vec![response("304 Not Modified", &[], b"")],
            Outcome::fails("HTTP 304"),
        ),
        Fault::http(
            "500 with a result",
            |id| {
                vec![response(
                    "500 Internal Server Error",
                    &[JSON],
                    good(id).as_bytes(),
                )]
            },
            Outcome::complete(),
        ),
        Fault::http(
            "500 with a web page",
            |_| {
                vec![response(
                    "500 Internal Server Error",
                    &["content-type: text/html"],
                    b"<h1>Oops</h1>",
                )]
            },
            Outcome::fails("HTTP 500").told(&["web page"]),
        ),
        Fault::http(
            "401 with a body of 8 MB",
            |_| {
                vec![
                    response("401 Unauthorized", &["content-type: text/plain"], b""),
                    Act::Repeat(b"who are you? ".to_vec(), 640_000),
                ]
            },
            // Whether to sign in is asked; the person leaves it.
            Outcome::waits()
                .told(&["who are you?"])
                .shows("sign-in: “The server wants you to sign in"),
        ),
        Fault::http(
            "a redirect without a place",
            |_| {
                vec![response(
                    "307 Temporary Redirect",
                    &["content-length: 0"],
                    b"",
                )]
            },
            Outcome::fails("HTTP 307"),
        ),
        Fault::http(
            "a redirect to a scheme of its own",
            |_| {
                let headers = ["location: file:///etc/passwd", "content-length: 0"];
                vec![response("308 Permanent Redirect", &headers, b"")]
            },
            Outcome::fails("redirect").told(&["file:///etc/passwd"]),
        ),
        Fault::http(
            "a redirect that turns the call into a GET",
            |_| {
                let headers = ["location: /elsewhere", "content-length: 0"];
                vec![response("303 See Other", &headers, b"")]
            },
            Outcome::fails("redirect").told(&["/elsewhere"]),
        ),
    ];
    play(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn content_types() {
    let rows = vec![
        Fault::http(
            "a web page",
            |_| typed("text/html", b"<!doctype html><title>Log in</title>"),
            Outcome::fails("web page").told(&["a web page"]),
        ),
        Fault::http(
            "the reply as a web page",
            |id| typed("text/html", good(id).as_bytes()),
            Outcome::complete(),
        ),
        Fault::http(
            "the reply without a type",
            |id| vec![with_length(&[], good(id).as_bytes())],
            Outcome::complete(),
        ),
        Fault::http(
            "the reply with a charset that is not its own",
            |id| typed("Application/JSON; charset=\"utf-16\"", good(id).as_bytes()),
            Outcome::complete(),
        ),
        Fault::http(
            "JSON that is called a stream",
            |id| typed("text/event-stream", good(id).as_bytes()),
            Outcome::fails("no reply").finds(&["event-cut-off"]),
        ),
        Fault::http(
            "events that are called JSON",
            |id| body(&event(good(id).as_bytes())),
            Outcome::fails("not MCP").told(&["data: {"]),
        ),
    ];
    play(rows).await;
}
