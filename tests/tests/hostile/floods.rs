//! Very much of what is allowed.

use crate::acts::Act;
use crate::fault::{Fault, Outcome, good};
use crate::heads::{event, stream};
use crate::play::play;

const FLOOD: usize = 100_000;

fn log() -> String {
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%N%"}}"#
        .to_owned()
}

fn progress(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{id},"progress":%N%}}}}"#
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_of_notifications() {
    let rows = vec![
        Fault::http(
            "100 000 notifications before the reply",
            |id| {
                vec![
                    stream(),
                    Act::Numbered(format!("data: {}\n\n", log()), FLOOD),
                    Act::Say(event(good(id).as_bytes())),
                ]
            },
            Outcome::complete().shows("notifications/message info · 1 — notification"),
        ),
        Fault::stdio(
            "100 000 notifications before the reply",
            |id| {
                vec![
                    Act::Numbered(format!("{}\n", log()), FLOOD),
                    Act::say(format!("{}\n", good(id))),
                ]
            },
            Outcome::complete().shows("notifications/message info · 1 — notification"),
        ),
        Fault::http(
            "100 000 steps of progress",
            |id| {
                vec![
                    stream(),
                    Act::Numbered(format!("data: {}\n\n", progress(id)), FLOOD),
                    Act::Say(event(good(id).as_bytes())),
                ]
            },
            Outcome::complete().shows("notifications/progress 1 — notification"),
        ),
    ];
    play(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_of_bytes() {
    let rows = vec![
        Fault::stdio(
            "100 MB on stderr",
            |id| {
                let line = [&b"x".repeat(99_999)[..], b"\n"].concat();
                vec![
                    Act::stderr(&line, 1000),
                    Act::say(format!("{}\n", good(id))),
                ]
            },
            Outcome::complete().shows("xxxx"),
        ),
        Fault::stdio(
            "10 000 lines of noise",
            |id| {
                vec![
                    Act::Repeat(b"noise\n".to_vec(), 10_000),
                    Act::say(format!("{}\n", good(id))),
                ]
            },
            Outcome::complete()
                .shows("not protocol noise")
                .finds(&["stdout-not-protocol"]),
        ),
        Fault::stdio(
            "a line of 2 MB without an end",
            |_| vec![Act::Repeat(b"x".repeat(1000), 2000)],
            // Whatever it says next belongs to that line.
            Outcome::waits().finds(&["stdout-not-protocol"]).then_mute(),
        ),
        Fault::stdio(
            "a reply of 64 MiB",
            |id| {
                let reply = good(id);
                let (before, after) = reply.split_once("hello").expect("it");
                vec![
                    Act::say(before),
                    Act::Repeat(b"x".repeat(1024), 64 * 1024),
                    Act::say(format!("{after}\n")),
                ]
            },
            Outcome::complete().told(&["Bytes: 67108"]),
        ),
    ];
    play(rows).await;
}
