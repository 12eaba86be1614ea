//! Streams of events as nobody's library writes them (WHATWG HTML § 9.2.6).

use crate::acts::Act;
use crate::fault::{Fault, Outcome, good};
use crate::heads::{event, stream};
use crate::play::play;

fn streamed(
    name: &str,
    said: impl Fn(&str) -> String + Send + Sync + 'static,
    outcome: Outcome,
) -> Fault {
    Fault::http(name, move |id| vec![stream(), Act::say(said(id))], outcome)
}

#[tokio::test(flavor = "multi_thread")]
async fn line_endings_fields_and_comments() {
    let rows = vec![
        streamed(
            "lines that end in CR",
            |id| format!(": hello\r\rid: 1\rdata: {}\r\r", good(id)),
            Outcome::complete(),
        ),
        streamed(
            "lines that end in CRLF",
            |id| format!("data: {}\r\n\r\n", good(id)),
            Outcome::complete(),
        ),
        streamed(
            "line endings of all kinds in one event",
            |id| format!("\r\n\n: a\rid: 1\r\ndata: {}\n\r", good(id)),
            Outcome::complete(),
        ),
        streamed(
            "a byte order mark at the front",
            |id| format!("\u{feff}data: {}\n\n", good(id)),
            Outcome::complete(),
        ),
        streamed(
            "a reply over many lines of data",
            |id| {
                let reply = good(id).replace(',', ",\ndata:");
                format!("data:{reply}\n\n")
            },
            Outcome::complete(),
        ),
        streamed(
            "fields that nobody knows",
            |id| format!("colour: red\ndata: {}\nnonsense\n\u{0}: x\n\n", good(id)),
            Outcome::complete(),
        ),
        streamed(
            "a retry that is negative, and an id with a NUL",
            |id| format!("retry: -5\nid: a\0b\ndata: {}\n\n", good(id)),
            Outcome::complete(),
        ),
        streamed(
            "comments alone",
            |_| ": ping\n\n".repeat(100),
            Outcome::fails("no reply"),
        ),
        streamed(
            "comments, and the reply",
            |id| format!("{}data: {}\n\n", ": ping\n\n".repeat(100), good(id)),
            Outcome::complete(),
        ),
        streamed(
            "events without data, and the reply",
            |id| {
                format!(
                    "id: 7\n\nevent: message\n\ndata:\n\ndata\n\ndata: {}\n\n",
                    good(id)
                )
            },
            Outcome::complete(),
        ),
        streamed(
            "an event that is no message, and the reply",
            |id| format!("data: hello\n\ndata: [DONE]\n\ndata: {}\n\n", good(id)),
            Outcome::complete().shows("not protocol"),
        ),
        streamed(
            "DATA in capitals",
            |id| format!("DATA: {}\n\n", good(id)),
            Outcome::fails("no reply"),
        ),
    ];
    play(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_are_cut_large_or_late() {
    let rows = vec![
        Fault::http(
            "a character in pieces",
            |id| {
                let text = String::from_utf8(event(good(id).replace("hello", "世界").as_bytes()));
                let bytes = text.expect("text").into_bytes();
                let mut acts = vec![stream()];
                for byte in bytes {
                    acts.push(Act::Say(vec![byte]));
                    acts.push(Act::Rest(1));
                }
                acts
            },
            Outcome::complete().told(&["世界"]),
        ),
        Fault::http(
            "an event of 8 MB",
            |id| {
                let reply = good(id);
                let (before, after) = reply.split_once("hello").expect("it");
                vec![
                    stream(),
                    Act::say(format!("data: {before}")),
                    Act::Repeat(b"x".repeat(1000), 8000),
                    Act::say(format!("{after}\n\n")),
                ]
            },
            Outcome::complete(),
        ),
        streamed(
            "bytes outside UTF-8 between events",
            |id| format!("\u{85}\u{2028}\n\ndata: {}\n\n", good(id)),
            Outcome::complete(),
        ),
        streamed(
            "an event without its blank line",
            |_| "data: {\"jsonrpc\":\"2.0\",\"method\":\"notif".to_owned(),
            Outcome::fails("no reply").finds(&["event-cut-off"]),
        ),
        // A browser would drop it too, and so must every reader (WHATWG HTML § 9.2.6).
        streamed(
            "the reply without its blank line",
            |id| format!("data: {}\n", good(id)),
            Outcome::fails("no reply")
                .shows("an event that the stream broke off in")
                .finds(&["event-cut-off"]),
        ),
        streamed(
            "more events after the reply",
            |id| {
                let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"late"}}"#;
                format!(
                    "data: {}\n\ndata: {note}\n\ndata: {}\n\n",
                    good(id),
                    good(id)
                )
            },
            Outcome::complete()
                .shows("notifications/message info · late — notification")
                .shows("orphan reply"),
        ),
        Fault::http(
            "a stream that stays open after the reply",
            |id| {
                vec![
                    stream(),
                    Act::Say(event(good(id).as_bytes())),
                    Act::UntilClosed,
                ]
            },
            Outcome::complete().finds(&["stream-left-open"]),
        ),
        Fault::http(
            "a stream that never ends after the reply",
            |id| {
                vec![
                    stream(),
                    Act::Say(event(good(id).as_bytes())),
                    Act::Drip(b": ping\n\n".repeat(2000), 1),
                ]
            },
            Outcome::complete().finds(&["stream-left-open"]),
        ),
    ];
    play(rows).await;
}
