//! Heads and bodies of HTTP that break its rules, or a reader's patience.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::acts::Act;
use crate::fault::{Fault, Outcome, good};
use crate::heads::{body, event, json_until_close, response, stream, typed, with_length};
use crate::play::play;

const JSON: &str = "content-type: application/json";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// A response without the `connection: close` of the others.
fn raw(text: String) -> Vec<Act> {
    vec![Act::say(text)]
}

#[tokio::test(flavor = "multi_thread")]
async fn lengths_and_encodings() {
    // The reply is there whole, so it counts; that its exchange broke is told beside it.
    let broken = || Outcome::complete().told(&["hello", "The connection to 127.0.0.1", "broke:"]);
    let rows = vec![
        Fault::http(
            "a length that is too long",
            |id| {
                let reply = good(id);
                let length = format!("content-length: {}", reply.len() + 10);
                vec![response("200 OK", &[JSON, &length], reply.as_bytes())]
            },
            broken(),
        ),
        Fault::http(
            "a length that is too short",
            |id| {
                let reply = good(id);
                let length = format!("content-length: {}", reply.len() - 10);
                vec![response("200 OK", &[JSON, &length], reply.as_bytes())]
            },
            Outcome::fails("not MCP").shows("JSON that ends early"),
        ),
        Fault::http(
            "a length that is negative",
            |id| {
                vec![response(
                    "200 OK",
                    &[JSON, "content-length: -1"],
                    good(id).as_bytes(),
                )]
            },
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "two lengths that differ",
            |id| {
                let reply = good(id);
                let length = format!("content-length: {}", reply.len());
                let headers = [JSON, &length, "content-length: 7"];
                vec![response("200 OK", &headers, reply.as_bytes())]
            },
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "the same length twice",
            |id| {
                let reply = good(id);
                let length = format!("content-length: {}", reply.len());
                vec![response(
                    "200 OK",
                    &[JSON, &length, &length],
                    reply.as_bytes(),
                )]
            },
            Outcome::complete(),
        ),
        Fault::http(
            "chunks and a length",
            |id| {
                let reply = good(id);
                let chunked = format!("{:x}\r\n{reply}\r\n0\r\n\r\n", reply.len());
                let headers = [JSON, "content-length: 5", "transfer-encoding: chunked"];
                vec![response("200 OK", &headers, chunked.as_bytes())]
            },
            Outcome::complete(),
        ),
        Fault::http(
            "chunks without an end",
            |id| {
                let reply = good(id);
                let chunked = format!("{:x}\r\n{reply}\r\n", reply.len());
                vec![response(
                    "200 OK",
                    &[JSON, "transfer-encoding: chunked"],
                    chunked.as_bytes(),
                )]
            },
            broken(),
        ),
        Fault::http(
            "a chunk that is cut",
            |id| {
                let reply = good(id);
                let chunked = format!("{:x}\r\n{}", reply.len(), &reply[..20]);
                vec![response(
                    "200 OK",
                    &[JSON, "transfer-encoding: chunked"],
                    chunked.as_bytes(),
                )]
            },
            Outcome::fails("connection lost"),
        ),
        Fault::http(
            "a chunk whose size is no number",
            |id| {
                let chunked = format!("zz\r\n{}\r\n0\r\n\r\n", good(id));
                vec![response(
                    "200 OK",
                    &[JSON, "transfer-encoding: chunked"],
                    chunked.as_bytes(),
                )]
            },
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "a chunk of 2^64 bytes",
            |id| {
                let chunked = format!("10000000000000000\r\n{}", good(id));
                vec![response(
                    "200 OK",
                    &[JSON, "transfer-encoding: chunked"],
                    chunked.as_bytes(),
                )]
            },
            Outcome::fails("not HTTP"),
        ),
        Fault::http(
            "gzip that is none",
            |id| {
                vec![with_length(
                    &[JSON, "content-encoding: gzip"],
                    good(id).as_bytes(),
                )]
            },
            Outcome::fails("not HTTP").told(&["content-encoding: gzip"]),
        ),
        Fault::http(
            "gzip that breaks off",
            |id| {
                let packed = gzip(good(id).as_bytes());
                let cut = &packed[..packed.len() - 9];
                vec![with_length(&[JSON, "content-encoding: gzip"], cut)]
            },
            Outcome::complete().told(&["content-encoding: gzip"]),
        ),
        Fault::http(
            "gzip that nobody announced",
            |id| vec![with_length(&[JSON], &gzip(good(id).as_bytes()))],
            Outcome::fails("not MCP"),
        ),
        Fault::http(
            "an encoding that nobody asked for",
            |id| {
                vec![with_length(
                    &[JSON, "content-encoding: br"],
                    good(id).as_bytes(),
                )]
            },
            Outcome::complete(),
        ),
        Fault::http(
            "gzip, as it should be",
            |id| {
                vec![with_length(
                    &[JSON, "content-encoding: gzip"],
                    &gzip(good(id).as_bytes()),
                )]
            },
            Outcome::complete().told(&["hello"]),
        ),
    ];
    play(rows).await;
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
async fn statuses_and_types() {
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
            Outcome::fails("HTTP 401").told(&["sign-in", "who are you?"]),
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
async fn bodies_that_are_huge_or_never_end() {
    let rows = vec![
        Fault::http(
            "a body without end",
            |id| {
                let start = good(id);
                vec![
                    json_until_close(),
                    Act::say(&start[..start.len() - 10]),
                    Act::Drip(b"x".repeat(100_000), 5),
                ]
            },
            Outcome::waits(),
        ),
        Fault::http(
            "a body of 64 MiB",
            |id| {
                let reply = good(id);
                let (before, after) = reply.split_once("hello").expect("it");
                vec![
                    json_until_close(),
                    Act::say(before),
                    Act::Repeat(b"x".repeat(1024), 64 * 1024),
                    Act::say(after),
                ]
            },
            Outcome::complete().told(&["Bytes: 67108"]),
        ),
    ];
    play(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_beyond_the_limit() {
    let rows = vec![
        Fault::http(
            "a body beyond the limit",
            |_| {
                vec![
                    json_until_close(),
                    Act::say("{\"a\":\""),
                    Act::Endless(b"x".repeat(1 << 20)),
                ]
            },
            Outcome::fails("too large").told(&["larger than 256 MiB"]),
        ),
        Fault::http(
            "gzip of a few kilobytes that holds gigabytes",
            |_| {
                // A member of 64 MiB of zeros packs to 64 KB; a hundred of them are 6 GB.
                let member = gzip(&vec![0; 64 << 20]);
                vec![
                    response("200 OK", &[JSON, "content-encoding: gzip"], b""),
                    Act::Repeat(member, 100),
                ]
            },
            Outcome::fails("too large").told(&["larger than 256 MiB"]),
        ),
    ];
    play(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_that_come_slowly() {
    let rows = vec![
        Fault::http(
            "a reply, a byte each 10 ms",
            |id| {
                let reply = good(id);
                let text = format!(
                    "HTTP/1.1 200 OK\r\n{JSON}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{reply}",
                    reply.len()
                );
                vec![Act::Drip(text.into_bytes(), 10)]
            },
            Outcome::complete(),
        ),
        Fault::http(
            "an event, a byte each 10 ms",
            |id| vec![stream(), Act::Drip(event(good(id).as_bytes()), 10)],
            Outcome::complete(),
        ),
        Fault::stdio(
            "a line, a byte each 10 ms",
            |id| vec![Act::Drip(format!("{}\n", good(id)).into_bytes(), 10)],
            Outcome::complete(),
        ),
    ];
    play(rows).await;
}
