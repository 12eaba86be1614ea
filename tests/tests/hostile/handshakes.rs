//! Servers that play their fault from the first request on: no connection is made, and its error says why.

use tests::core::Core;
use tests::listener::Listener;

use app::api::servers::EraChoice;

use crate::acts::{self, Act};
use crate::fault::{error, good, reply};
use crate::heads::{body, response, stream, typed};
use crate::leftovers;

/// One fault of a handshake.
struct Refusal {
    name: &'static str,
    acts: fn(&str) -> Vec<Act>,
    /// The end of the row that explains it.
    row: &'static str,
    /// Words of the error.
    told: &'static str,
}

const REFUSALS: &[Refusal] = &[
    Refusal {
        name: "reset without a word",
        acts: |_| vec![Act::Reset],
        row: "connection lost",
        told: "127.0.0.1",
    },
    Refusal {
        name: "headers without end",
        acts: |_| {
            vec![
                Act::say("HTTP/1.1 200 OK\r\n"),
                Act::Endless(b"x-a: b\r\n".repeat(1000)),
            ]
        },
        row: "not HTTP",
        told: "is not HTTP",
    },
    Refusal {
        name: "JSON that ends early",
        acts: |id| body(&good(id).as_bytes()[..30]),
        row: "not MCP",
        told: "not JSON",
    },
    Refusal {
        name: "a result that is no DiscoverResult",
        acts: |id| body(reply(id, "{}").as_bytes()),
        row: "complete",
        told: "names no supportedVersions",
    },
    Refusal {
        name: "a result that is a list of 100 000 lists",
        acts: |id| {
            body(
                reply(
                    id,
                    &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
                )
                .as_bytes(),
            )
        },
        row: "complete",
        told: "names no supportedVersions",
    },
    Refusal {
        name: "revisions that are no strings",
        acts: |id| {
            let result =
                r#"{"resultType":"complete","supportedVersions":[null,7,{}],"capabilities":[]}"#;
            body(reply(id, result).as_bytes())
        },
        row: "complete",
        told: "names no supportedVersions",
    },
    Refusal {
        name: "an error without anything",
        acts: |id| body(error(id, "{}").as_bytes()),
        row: "error 0",
        told: "",
    },
    Refusal {
        name: "a stream that ends",
        acts: |_| vec![stream()],
        row: "no reply",
        told: "HTTP 200",
    },
    Refusal {
        name: "a web page of 8 MB",
        acts: |_| {
            vec![
                response(
                    "200 OK",
                    &["content-type: text/html"],
                    b"<title>Shop</title>",
                ),
                Act::Repeat(b"<p>buy!</p>".to_vec(), 700_000),
            ]
        },
        row: "web page",
        told: "not an MCP endpoint",
    },
    Refusal {
        name: "an image",
        acts: |_| typed("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        row: "not MCP",
        told: "not an MCP endpoint",
    },
];

#[tokio::test(flavor = "multi_thread")]
async fn refusals() {
    let mut problems = Vec::new();
    let core = Core::start().await;
    for refusal in REFUSALS {
        let acts = refusal.acts;
        let listener = Listener::start(move |asked, talk| async move {
            acts::play(acts(&asked.message()["id"].to_string()), talk).await;
        })
        .await;
        let server = core
            .add_url(refusal.name, &listener.url(), &[], EraChoice::Modern)
            .await;
        let failure = core.connect_badly(&server, None).await;
        if !failure.row.trim_end().ends_with(refusal.row)
            || !failure.error.message.contains(refusal.told)
            || failure.error.hint.is_none()
        {
            problems.push(format!("{}: {failure:#?}", refusal.name));
        }
        for socket in leftovers::sockets_to_port(listener.port()).await {
            problems.push(format!("{}: a socket is left: {socket}", refusal.name));
        }
    }
    core.close().await;
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
