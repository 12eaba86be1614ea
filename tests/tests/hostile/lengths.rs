//! Lengths, chunks and encodings of HTTP bodies that are not what they say.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::fault::{Fault, Outcome, good};
use crate::heads::{JSON, response, with_length};
use crate::play::play;

/// These bytes packed.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[tokio::test(flavor = "multi_thread")]
async fn lengths() {
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
    ];
    play(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks() {
    // The reply is there whole, so it counts; that its exchange broke is told beside it.
    let broken = || Outcome::complete().told(&["hello", "The connection to 127.0.0.1", "broke:"]);
    let rows = vec![
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
    ];
    play(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn encodings() {
    let rows = vec![
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
