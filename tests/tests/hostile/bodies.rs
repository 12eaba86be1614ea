//! Bodies of HTTP that are huge, never end, or come slowly.

use crate::acts::Act;
use crate::fault::{Fault, Outcome, good};
use crate::heads::{JSON, event, json_until_close, response, stream};
use crate::lengths::gzip;
use crate::play::play;

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
