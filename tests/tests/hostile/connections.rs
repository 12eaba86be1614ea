//! Connections that break, close by half, or stay silent.

use crate::acts::Act;
use crate::fault::{Fault, Outcome, good, reply};
use crate::heads::{JSON, body, event, response, stream};
use crate::play::play;

fn lost() -> Outcome {
    Outcome::fails("connection lost")
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_break() {
    let rows = vec![
        Fault::http("closed without a word", |_| vec![], lost()),
        Fault::http("reset without a word", |_| vec![Act::Reset], lost()),
        Fault::http(
            "closed in the head",
            |_| vec![Act::say("HTTP/1.1 200 OK\r\ncontent-ty")],
            lost(),
        ),
        Fault::http(
            "reset in the head",
            |_| vec![Act::say("HTTP/1.1 200 OK\r\ncontent-ty"), Act::Reset],
            lost(),
        ),
        Fault::http(
            "closed after the head",
            |_| vec![response("200 OK", &[JSON, "content-length: 50"], b"")],
            lost(),
        ),
        Fault::http(
            "reset in the body",
            |_| {
                vec![
                    response("200 OK", &[JSON, "content-length: 50"], b"{\"jsonrpc\""),
                    Act::Reset,
                ]
            },
            lost(),
        ),
        Fault::http(
            "closed in a stream before the reply",
            |_| vec![stream(), Act::say(": hello\n\n")],
            Outcome::fails("no reply"),
        ),
        Fault::http(
            "reset between two events",
            |_| {
                let note = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"working"}}"#;
                vec![stream(), Act::Say(event(note)), Act::Reset]
            },
            lost().shows("notifications/message info · working — notification"),
        ),
        Fault::http(
            "reset after the reply of a stream",
            |id| vec![stream(), Act::Say(event(good(id).as_bytes())), Act::Reset],
            Outcome::complete(),
        ),
        Fault::http(
            "half closed after the reply",
            |id| {
                [
                    body(good(id).as_bytes()),
                    vec![Act::HalfClose, Act::UntilClosed],
                ]
                .concat()
            },
            Outcome::complete(),
        ),
        Fault::http(
            "half closed in the reply",
            |id| {
                let half = &good(id)[..30];
                vec![
                    response("200 OK", &[JSON, "content-length: 200"], half.as_bytes()),
                    Act::HalfClose,
                    Act::UntilClosed,
                ]
            },
            lost(),
        ),
        Fault::http(
            "half closed at once",
            |_| vec![Act::HalfClose, Act::UntilClosed],
            lost(),
        ),
        Fault::http(
            "more bytes after a whole reply",
            |id| {
                let mut acts = body(good(id).as_bytes());
                acts.push(Act::say("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"));
                acts
            },
            Outcome::complete(),
        ),
    ];
    play(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_and_speech_after_the_end() {
    let rows = vec![
        Fault::http(
            "silence until the limit",
            |_| vec![Act::UntilClosed],
            Outcome::times_out().told(&["did not answer tools/call echo within 1.5 seconds"]),
        ),
        Fault::http(
            "silence after the head",
            |_| {
                vec![
                    response("200 OK", &[JSON, "content-length: 50"], b""),
                    Act::UntilClosed,
                ]
            },
            Outcome::times_out(),
        ),
        Fault::http(
            "silence until the person has enough",
            |_| vec![Act::UntilClosed],
            Outcome::waits(),
        ),
        Fault::http(
            "a stream that stays open and empty",
            |_| vec![stream(), Act::UntilClosed],
            Outcome::waits(),
        ),
        Fault::http(
            "the reply after the call was cancelled",
            |id| [vec![Act::UntilClosed], body(good(id).as_bytes())].concat(),
            Outcome::waits(),
        ),
        Fault::http(
            "the reply to another connection's call",
            // The healthy connection's ids run as ours do, so its call of this moment has the same or a near one.
            |id| {
                let near = (1..9)
                    .map(|id| reply(&id.to_string(), r#"{"resultType":"complete","content":[]}"#));
                let others = near.filter(|other| !other.contains(&format!("\"id\":{id},")));
                let mut acts = vec![stream()];
                acts.extend(others.map(|other| Act::Say(event(other.as_bytes()))));
                acts.push(Act::Say(event(good(id).as_bytes())));
                acts
            },
            Outcome::complete().told(&["hello"]).shows("orphan reply"),
        ),
    ];
    play(rows).await;
}
