//! Exchanges that go wrong: what the error says, and that what had come is not lost.
#![allow(clippy::unwrap_used, reason = "a test's own functions are tests, too")]

mod common;

use client::LinkSpec;
use client::error::{LinkError, LinkErrorKind};
use client::report::ExchangeId;
use common::server::Server;
use common::{Owner, http, message};

/// Opens a link, sends a message, and gives the end.
async fn failure(url: &str) -> LinkError {
    let (link, mut owner) = Owner::open(http(url)).await;
    link.send(message(1, "{}")).unwrap();
    let (words, error) = owner.end(1).await;
    assert_eq!(words.len(), 2, "{words:#?}");
    error.expect("it fails")
}

/// A server that answers with these bytes and closes.
async fn answered(bytes: &[u8]) -> (Vec<String>, Option<LinkError>) {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    connection.say(bytes).await;
    drop(connection);
    owner.end(1).await
}

#[tokio::test]
async fn a_port_where_nothing_listens() {
    let server = Server::listen().await;
    let address = server.address();
    drop(server);
    let error = failure(&format!("http://{address}/mcp")).await;
    assert_eq!(error.kind, LinkErrorKind::ConnectionRefused);
    assert!(error.message.contains(&address.to_string()), "{error}");
    assert_eq!(
        error.hint.unwrap(),
        "Is the server started? Is it the right port?"
    );
}

#[tokio::test]
async fn a_host_without_an_address() {
    let error = failure("http://no-such-host.invalid/").await;
    assert_eq!(error.kind, LinkErrorKind::Dns);
    assert!(error.message.contains("no-such-host.invalid"), "{error}");
    assert!(error.hint.unwrap().contains("spelling"));
}

#[tokio::test]
async fn https_to_a_server_without_tls() {
    let server = Server::listen().await;
    let url = format!("https://{}/mcp", server.address());
    let answer = async {
        let mut connection = server.accept().await;
        connection.say("HTTP/1.1 400 Bad Request\r\n\r\n").await;
        connection
    };
    let (_connection, error) = tokio::join!(answer, failure(&url));
    assert_eq!(error.kind, LinkErrorKind::Tls);
    assert!(error.message.contains("does not speak TLS"), "{error}");
    assert!(error.hint.unwrap().contains("http://"));
}

#[tokio::test]
async fn a_server_that_hangs_up_during_the_tls_handshake() {
    let server = Server::listen().await;
    let url = format!("https://{}/mcp", server.address());
    let answer = async { drop(server.accept().await) };
    let ((), error) = tokio::join!(answer, failure(&url));
    assert!(
        matches!(
            error.kind,
            LinkErrorKind::Tls | LinkErrorKind::ConnectionLost
        ),
        "{error:?}"
    );
    assert!(error.hint.is_some());
}

#[tokio::test]
async fn an_answer_that_is_not_http() {
    let (words, error) = answered(b"SSH-2.0-OpenSSH_9.6\r\n").await;
    assert_eq!(words, ["> POST, 2 bytes", "end, 0 bytes, BadHttp"]);
    let error = error.unwrap();
    assert!(error.message.contains("not HTTP"), "{error}");
    // What a TLS server says to plain HTTP.
    let (_, error) = answered(b"\x15\x03\x01\x00\x02\x02\x46").await;
    let error = error.unwrap();
    assert_eq!(error.kind, LinkErrorKind::BadHttp);
    assert!(error.hint.unwrap().contains("https://"));
}

#[tokio::test]
async fn a_connection_closed_without_an_answer() {
    let (words, error) = answered(b"").await;
    assert_eq!(words, ["> POST, 2 bytes", "end, 0 bytes, ConnectionLost"]);
    let error = error.unwrap();
    assert!(error.message.contains("closed the connection"), "{error}");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_reported_as_far_as_it_came() {
    let (words, error) = answered(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"id\":",
    )
    .await;
    assert_eq!(
        words,
        [
            "> POST, 2 bytes",
            "< 200 HTTP/1.1",
            r#"body {\"id\":"#,
            "end, 6 bytes, ConnectionLost"
        ]
    );
    assert!(error.unwrap().hint.is_some());
}

#[tokio::test]
async fn a_stream_that_breaks_off_keeps_its_events() {
    let (words, _) = answered(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n\
          10\r\ndata: 1\n\ndata: 2\r\nzz",
    )
    .await;
    assert_eq!(
        words[..4],
        [
            "> POST, 2 bytes",
            "< 200 HTTP/1.1",
            r"event data: 1\n\n",
            "event data: 2"
        ]
    );
    assert!(words[4].starts_with("end, 16 bytes, "), "{words:#?}");
}

#[tokio::test]
async fn a_body_that_says_gzip_and_is_not() {
    let (words, error) = answered(
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 12\r\n\r\nplain indeed",
    )
    .await;
    assert_eq!(
        words,
        ["> POST, 2 bytes", "< 200 HTTP/1.1", "end, 0 bytes, BadHttp"]
    );
    assert!(error.unwrap().message.contains("gzip"));
}

#[tokio::test]
async fn a_redirect_is_shown_and_not_followed() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    connection
        .say("HTTP/1.1 307 Temporary Redirect\r\nlocation: /mcp/\r\ncontent-length: 5\r\n\r\nmoved")
        .await;
    let (words, error) = owner.end(1).await;
    assert_eq!(
        words,
        [
            "> POST, 2 bytes",
            "< 307 HTTP/1.1",
            "body moved",
            "end, 5 bytes, Redirect"
        ]
    );
    let error = error.unwrap();
    let target = format!("http://{}/mcp/", server.address());
    assert!(error.message.contains(&target), "{error}");
    assert!(error.hint.unwrap().contains(&target));
}

#[tokio::test]
async fn a_cancelled_exchange_closes_its_connection() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    connection.stream("text/event-stream").await;
    connection.say("data: 1\n\n").await;
    let mut words = Vec::new();
    while words.len() < 3 {
        words.extend(common::in_words(&owner.next().await.unwrap()));
    }
    link.cancel(ExchangeId(1));
    let (words, error) = owner.end(1).await;
    assert_eq!(words, ["end, 9 bytes, Cancelled"]);
    assert_eq!(error.unwrap().kind, LinkErrorKind::Cancelled);
    assert!(
        connection.request().await.is_none(),
        "the connection is closed"
    );
    // Once more is nothing.
    link.cancel(ExchangeId(1));
    link.close().await;
    assert!(owner.next().await.is_none());
}

#[tokio::test]
async fn a_cancelled_body_is_reported_as_far_as_it_came() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    connection.stream("application/json").await;
    connection.say("{\"half\":").await;
    for _ in 0..2 {
        owner.next().await.unwrap();
    }
    // Whether the half has been read by now or not, nothing but the half can have come.
    link.cancel(ExchangeId(1));
    let (words, _) = owner.end(1).await;
    assert!(
        words == [r#"body {\"half\":"#, "end, 8 bytes, Cancelled"]
            || words == ["end, 0 bytes, Cancelled"],
        "{words:#?}"
    );
}

#[tokio::test]
async fn an_exchange_that_waits_for_its_answer_can_be_cancelled() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    link.cancel(ExchangeId(1));
    let (words, _) = owner.end(1).await;
    assert_eq!(words, ["> POST, 2 bytes", "end, 0 bytes, Cancelled"]);
    assert!(
        connection.request().await.is_none(),
        "the connection is closed"
    );
}

#[tokio::test]
async fn a_closed_link_drops_its_exchanges_and_says_no_more() {
    let server = Server::listen().await;
    for closed in [true, false] {
        let (link, mut owner) = Owner::open(http(&server.url())).await;
        link.send(message(1, "{}")).unwrap();
        let mut connection = server.accept().await;
        connection.request().await.unwrap();
        owner.next().await.unwrap();
        if closed {
            link.close().await;
        } else {
            drop(link);
        }
        assert!(owner.next().await.is_none());
        assert!(
            connection.request().await.is_none(),
            "the connection is closed"
        );
    }
}

#[tokio::test]
async fn urls_that_cannot_be_used() {
    for (url, hint) in [
        ("", "A URL looks like https://example.com/mcp."),
        (
            "example.com/mcp",
            "Try http://example.com/mcp or https://example.com/mcp.",
        ),
        (
            "localhost:3000/mcp",
            "Try http://localhost:3000/mcp or https://localhost:3000/mcp.",
        ),
        (
            "ftp://example.com/",
            "Servers are reached over http or https.",
        ),
        ("http://", "A URL looks like https://example.com/mcp."),
        (
            "http://host:99999/",
            "A URL looks like https://example.com/mcp.",
        ),
        ("http://host:0/", "Give the server's port."),
        ("http://[::1/", "A URL looks like https://example.com/mcp."),
    ] {
        let error = Owner::try_open(http(url), 8).await.map(|_| ()).unwrap_err();
        assert_eq!(error.kind, LinkErrorKind::BadUrl, "{url}");
        assert_eq!(error.hint.as_deref(), Some(hint), "{url}: {error}");
    }
}

#[tokio::test]
async fn headers_that_cannot_be_sent() {
    for (name, value, told) in [
        ("Bad Name", "x", "Bad Name"),
        ("", "x", "``"),
        ("X-A", "line\r\nbreak", "(character 5)"),
        ("X-A", "nul\0", "X-A"),
        ("Content-Length", "5", "content-length"),
    ] {
        let headers = vec![(name.to_owned(), value.to_owned())];
        let spec = LinkSpec::Http {
            url: "http://127.0.0.1:9/".to_owned(),
            headers: headers.clone(),
            route: client::Route::default(),
        };
        let error = Owner::try_open(spec, 8).await.map(|_| ()).unwrap_err();
        assert_eq!(error.kind, LinkErrorKind::BadHeader);
        assert!(error.message.contains(told), "{error}");

        let (link, _owner) = Owner::open(http("http://127.0.0.1:9/")).await;
        let outgoing = client::Outgoing {
            keeps_breaks: false,
            headers,
            ..message(1, "{}")
        };
        assert_eq!(link.send(outgoing).unwrap_err(), error);
    }
}
