//! Exchanges that go well, down to the bytes.

mod common;

use client::report::{ExchangeId, ReportKind};
use client::{HttpMethod, LinkSpec, Outgoing};
use common::server::Server;
use common::{Owner, http, message};
use wire::http::Header;

#[tokio::test]
async fn a_json_reply_is_one_body() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, r#"{"id":1}"#)).unwrap();
    let mut connection = server.accept().await;
    let request = connection.request().await.unwrap();
    assert_eq!(request.body, br#"{"id":1}"#);
    connection
        .reply("200 OK", "application/json", r#"{"id":1,"result":{}}"#)
        .await;
    let (words, _) = owner.end(1).await;
    assert_eq!(
        words,
        [
            "> POST, 8 bytes",
            "< 200 HTTP/1.1",
            r#"body {\"id\":1,\"result\":{}}"#,
            "end, 20 bytes"
        ]
    );

    // The next exchange uses the same connection.
    link.send(message(2, r#"{"id":2}"#)).unwrap();
    assert_eq!(connection.request().await.unwrap().body, br#"{"id":2}"#);
    connection
        .reply("202 Accepted", "application/json", "")
        .await;
    let (words, _) = owner.end(2).await;
    assert_eq!(words, ["> POST, 8 bytes", "< 202 HTTP/1.1", "end, 0 bytes"]);
    link.close().await;
    assert!(owner.next().await.is_none());
}

#[tokio::test]
async fn the_head_that_is_reported_is_the_head_that_is_sent() {
    let server = Server::listen().await;
    let spec = LinkSpec::Http {
        url: format!("http://user:pa%20ss@{}/mcp?a=b#part", server.address()),
        headers: vec![
            ("X-Team".to_owned(), "blue".to_owned()),
            ("x-colour".to_owned(), "grün".to_owned()),
        ],
        route: client::Route::default(),
    };
    let (link, mut owner) = Owner::open(spec).await;
    link.send(Outgoing {
        keeps_breaks: false,
        headers: vec![
            ("Mcp-Method".to_owned(), "tools/call".to_owned()),
            ("X-Team".to_owned(), "red".to_owned()),
            ("X-Team".to_owned(), "green".to_owned()),
        ],
        ..message(1, "{}")
    })
    .unwrap();
    let request = server.accept().await.request().await.unwrap();
    let head = owner
        .until(|report| match report {
            ReportKind::RequestHead { head, .. } => Some(head.clone()),
            _ => None,
        })
        .await;
    let mut lines = request.head.trim_end().lines();
    assert_eq!(lines.next().unwrap(), "POST /mcp?a=b HTTP/1.1");
    assert_eq!(head.url, format!("http://{}/mcp?a=b", server.address()));
    let sent: Vec<Header> = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            Header {
                name: name.to_owned(),
                value: value.to_owned(),
            }
        })
        .collect();
    assert_eq!(head.headers, sent);
    let expected = [
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("accept-encoding", "gzip"),
        (
            "user-agent",
            concat!("roundtrip/", env!("CARGO_PKG_VERSION")),
        ),
        ("authorization", "Basic dXNlcjpwYSBzcw=="),
        ("x-colour", "grün"),
        ("mcp-method", "tools/call"),
        ("x-team", "red"),
        ("x-team", "green"),
        ("content-length", "2"),
        ("host", &server.address().to_string()),
    ];
    for (name, value) in expected {
        let header = Header {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        assert!(
            sent.contains(&header),
            "{name}: {value} is missing in {sent:#?}"
        );
    }
    assert_eq!(sent.len(), expected.len());
    link.close().await;
}

#[tokio::test]
async fn each_event_of_a_stream_is_reported_as_it_comes() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    connection.stream("Text/Event-Stream; charset=utf-8").await;

    let mut next = async |wanted: &[&str]| {
        let mut words = Vec::new();
        while words.len() < wanted.len() {
            words.extend(common::in_words(&owner.next().await.unwrap()));
        }
        assert_eq!(words, wanted);
    };
    next(&["> POST, 2 bytes", "< 200 HTTP/1.1"]).await;
    connection.say(": ping\n\ndata: {\"a\":1}\r\n").await;
    next(&[r"event : ping\n\n"]).await;
    connection.say("\r").await;
    connection.say("\nid: 7\nda").await;
    next(&[r#"event data: {\"a\":1}\r\n\r\n"#]).await;
    connection
        .say("ta: \u{2713}\n\n\ndata: x\n\ndata: unfinished")
        .await;
    next(&[
        r"event id: 7\ndata: \xe2\x9c\x93\n\n",
        r"event \ndata: x\n\n",
    ])
    .await;
    drop(connection);
    next(&["event data: unfinished", "end, 68 bytes"]).await;
    link.close().await;
}

#[tokio::test]
async fn a_stream_in_chunks_of_one_byte_is_the_same_stream() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    connection
        .say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        .await;
    for byte in b"event: message\r\ndata: one\r\n\r\ndata: two\r\n\r\n" {
        connection
            .say([b"1\r\n", &[*byte][..], b"\r\n"].concat())
            .await;
    }
    connection.say("0\r\n\r\n").await;
    let (words, _) = owner.end(1).await;
    assert_eq!(
        words[2..],
        [
            r"event event: message\r\ndata: one\r\n\r\n",
            r"event data: two\r\n\r\n",
            "end, 42 bytes"
        ]
    );
    link.close().await;
}

#[tokio::test]
async fn an_error_status_comes_with_its_body() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    connection
        .reply("404 Not Found", "text/html", "<h1>no</h1>")
        .await;
    let (words, error) = owner.end(1).await;
    assert_eq!(
        words,
        [
            "> POST, 2 bytes",
            "< 404 HTTP/1.1",
            "body <h1>no</h1>",
            "end, 11 bytes"
        ]
    );
    assert_eq!(error, None);
}

#[tokio::test]
async fn a_compressed_body_is_decoded_and_its_headers_stay() {
    use std::io::Write as _;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"data: one\n\n").unwrap();
    gzip.flush().unwrap();
    let first = std::mem::take(gzip.get_mut());
    gzip.write_all(b"data: two\n\n").unwrap();
    let second = gzip.finish().unwrap();

    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    connection
        .stream("text/event-stream\r\ncontent-encoding: gzip")
        .await;
    connection.say(first).await;
    let head = owner
        .until(|report| match report {
            ReportKind::ResponseHead { head, .. } => Some(head.clone()),
            _ => None,
        })
        .await;
    assert_eq!(head.header("Content-Encoding"), Some("gzip"));
    // The first event is there before the second one was sent.
    let first = owner.next().await.unwrap();
    assert_eq!(common::in_words(&first), [r"event data: one\n\n"]);
    connection.say(second).await;
    drop(connection);
    let (words, _) = owner.end(1).await;
    assert_eq!(words, [r"event data: two\n\n", "end, 22 bytes"]);
}

#[tokio::test]
async fn a_large_body_comes_whole() {
    let body = vec![b'x'; 3_000_000];
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, vec![b'y'; 3_000_000])).unwrap();
    let mut connection = server.accept().await;
    assert_eq!(
        connection.request().await.unwrap().body,
        vec![b'y'; 3_000_000]
    );
    let reply = connection.reply("200 OK", "application/json", &body);
    let frames = owner.until(|report| match report {
        ReportKind::Frames { frames, .. } => Some(frames.clone()),
        _ => None,
    });
    let ((), frames) = tokio::join!(reply, frames);
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].bytes, body);
    link.close().await;
}

#[tokio::test]
async fn a_slow_owner_slows_the_stream_and_loses_nothing() {
    let event = |number: usize| format!("data: {number:0990}\n\n");
    let count = 100_000;
    let server = Server::listen().await;
    let (link, mut owner) = Owner::try_open(http(&server.url()), 1).await.unwrap();
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    connection.stream("text/event-stream").await;

    let said = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = std::sync::Arc::clone(&said);
    let speaker = tokio::spawn(async move {
        for number in 0..count {
            connection.say(event(number)).await;
            counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    });
    let mut received = 0;
    loop {
        match owner.next().await.unwrap() {
            ReportKind::Frames { frames, .. } => {
                let said = said.load(std::sync::atomic::Ordering::Relaxed);
                // Socket buffers of a loopback grow to some megabytes; the stream has a hundred.
                assert!(said <= received + 20_000, "{said} said, {received} read");
                for frame in frames {
                    assert_eq!(frame.bytes, event(received));
                    received += 1;
                }
            }
            ReportKind::ExchangeEnded { error, .. } => {
                assert_eq!(error, None);
                break;
            }
            _ => {}
        }
    }
    speaker.await.unwrap();
    assert_eq!(received, count);
}

#[tokio::test]
async fn the_methods_of_the_legacy_era_are_there() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    for (method, first_line, accept) in [
        (
            HttpMethod::Get,
            "GET /mcp HTTP/1.1",
            "accept: text/event-stream",
        ),
        (
            HttpMethod::Delete,
            "DELETE /mcp HTTP/1.1",
            "accept: application/json",
        ),
    ] {
        link.send(Outgoing {
            keeps_breaks: false,
            exchange: ExchangeId(1),
            message: bytes::Bytes::new(),
            headers: vec![("MCP-Session-Id".to_owned(), "s".to_owned())],
            without: Vec::new(),
            http_method: method,
            expects_reply: false,
        })
        .unwrap();
        let mut connection = server.accept().await;
        let request = connection.request().await.unwrap();
        assert!(request.head.starts_with(first_line), "{}", request.head);
        assert!(request.head.contains(accept), "{}", request.head);
        assert!(
            request.head.contains("mcp-session-id: s\r\n"),
            "{}",
            request.head
        );
        assert!(!request.head.contains("content-"), "{}", request.head);
        connection
            .say("HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n")
            .await;
        drop(connection);
        owner.end(1).await;
    }
}

#[tokio::test]
async fn a_stream_by_get_comes_event_by_event_and_is_closed_by_cancelling() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(Outgoing {
        keeps_breaks: false,
        exchange: ExchangeId(1),
        message: bytes::Bytes::new(),
        headers: vec![("Last-Event-ID".to_owned(), "e1".to_owned())],
        without: Vec::new(),
        http_method: HttpMethod::Get,
        expects_reply: true,
    })
    .unwrap();
    let mut connection = server.accept().await;
    let request = connection.request().await.unwrap();
    assert!(
        request.head.contains("last-event-id: e1\r\n"),
        "{}",
        request.head
    );
    connection.stream("text/event-stream; charset=utf-8").await;
    connection.say(": hello\n\nretry: 5\nid: e2\nda").await;
    let hello = owner
        .until(|report| match report {
            ReportKind::Frames { frames, .. } => Some(frames.clone()),
            _ => None,
        })
        .await;
    assert_eq!(hello.len(), 1);
    assert_eq!(hello[0].bytes, ": hello\n\n");
    // A POST goes its own way meanwhile.
    link.send(message(2, "{}")).unwrap();
    let mut posted = server.accept().await;
    assert_eq!(posted.request().await.unwrap().body, b"{}");
    posted.reply("202 Accepted", "text/plain", "").await;
    let (words, _) = owner.end(2).await;
    assert_eq!(words, ["> POST, 2 bytes", "< 202 HTTP/1.1", "end, 0 bytes"]);
    connection.say("ta: {}\n\ndata: cut off").await;
    let event = owner
        .until(|report| match report {
            ReportKind::Frames { frames, .. } => Some(frames.clone()),
            _ => None,
        })
        .await;
    assert_eq!(event[0].bytes, "retry: 5\nid: e2\ndata: {}\n\n");
    // What had come of the event that was not whole is reported too.
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    link.cancel(ExchangeId(1));
    let (words, _) = owner.end(1).await;
    assert_eq!(words, ["event data: cut off", "end, 48 bytes, Cancelled"]);
    assert!(connection.request().await.is_none(), "it is closed");
}
