//! The way to a server: proxies, certificates of one's own, HTTP/2, and what is counted on the wire.
#![allow(clippy::unwrap_used, reason = "a test's own functions are tests, too")]

mod common;

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use client::error::{LinkError, LinkErrorKind};
use client::report::ReportKind;
use client::{LinkSpec, Route};
use common::server::Server;
use common::{Owner, http, message};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;

/// A certificate for `localhost` that it signed itself, and a server's settings with it.
fn certificate(alpn: &[&[u8]]) -> (String, TlsAcceptor) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![made.cert.der().clone()],
            made.signing_key.serialize_der().try_into().unwrap(),
        )
        .unwrap();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    (made.cert.pem(), TlsAcceptor::from(Arc::new(config)))
}

/// A TLS server that answers one request on each connection, by HTTP/1.1 or HTTP/2 as was agreed on.
async fn tls_server(acceptor: TlsAcceptor) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // A client that does not trust the certificate hangs up.
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    return;
                };
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    answer_h2(stream).await;
                    return;
                }
                let mut request = Vec::new();
                while !request.ends_with(b"{}") {
                    if stream.read_buf(&mut request).await.unwrap_or_default() == 0 {
                        return;
                    }
                }
                let reply = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 4\r\n\r\ntrue";
                stream.write_all(reply.as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
                // Kept open, as a server does that waits for more.
                let _end = stream.read_buf(&mut request).await;
            });
        }
    });
    address
}

async fn answer_h2(stream: tokio_rustls::server::TlsStream<TcpStream>) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        assert_eq!(request.method(), "POST");
        let response = http::Response::builder()
            .header("content-type", "application/json")
            .body(())
            .unwrap();
        let mut body = respond.send_response(response, false).unwrap();
        body.send_data("true".into(), true).unwrap();
    }
}

fn spec(url: &str, route: Route) -> LinkSpec {
    LinkSpec::Http {
        url: url.to_owned(),
        headers: vec![(
            "Authorization".to_owned(),
            "Bearer of-the-origin".to_owned(),
        )],
        route,
    }
}

fn with_ca(file: &Path) -> Route {
    Route {
        ca_file: Some(file.to_owned()),
        ..Route::default()
    }
}

fn with_proxy(proxy: &str) -> Route {
    Route {
        proxy: Some(proxy.to_owned()),
        ..Route::default()
    }
}

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Sends one message and gives what came of it.
async fn exchange(spec: LinkSpec) -> (Vec<String>, Option<LinkError>) {
    let (link, mut owner) = Owner::open(spec).await;
    link.send(message(1, "{}")).unwrap();
    owner.end(1).await
}

#[tokio::test]
async fn an_untrusted_certificate_is_named_and_a_ca_file_makes_it_trusted() {
    let folder = tempfile::tempdir().unwrap();
    for (alpn, version) in [
        (&[b"http/1.1".as_slice()][..], "HTTP/1.1"),
        (&[b"h2".as_slice(), b"http/1.1"][..], "HTTP/2"),
    ] {
        let (pem, acceptor) = certificate(alpn);
        let address = tls_server(acceptor).await;
        let url = format!("https://localhost:{}/mcp", address.port());

        let (_, error) = exchange(spec(&url, Route::default())).await;
        let error = error.unwrap();
        assert_eq!(error.kind, LinkErrorKind::Tls);
        assert!(
            error.message.contains("signed by an unknown authority"),
            "{error}"
        );
        assert!(error.hint.unwrap().contains("certificate authority"));

        // Beside another one, with words between, as such files are.
        let (other, _) = certificate(&[]);
        let ca = file(&folder, "ca.pem", &format!("# ours\n{other}\nand\n{pem}"));
        let (words, error) = exchange(spec(&url, with_ca(&ca))).await;
        assert_eq!(error, None, "{version}");
        assert_eq!(
            words,
            [
                "> POST, 2 bytes".to_owned(),
                format!("< 200 {version}"),
                "body true".to_owned(),
                "end, 4 bytes".to_owned(),
            ]
        );
        // It is trusted for its name alone.
        let (_, error) = exchange(spec(
            &format!("https://127.0.0.1:{}/mcp", address.port()),
            with_ca(&ca),
        ))
        .await;
        assert!(error.unwrap().message.contains("for another host"));
    }
}

#[tokio::test]
async fn ca_files_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let empty = file(&folder, "empty.pem", "");
    let words = file(&folder, "words.pem", "these are no certificates\n");
    let broken = file(
        &folder,
        "broken.pem",
        "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n",
    );
    let none = file(
        &folder,
        "none.pem",
        "-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n",
    );
    let missing = folder.path().join("missing.pem");
    for (path, told) in [
        (&missing, "No such file"),
        (&folder.path().to_owned(), "directory"),
        (&empty, "holds no certificate"),
        (&words, "holds no certificate"),
        (&broken, "certificate 1 is broken"),
        (&none, "certificate 1 is none"),
    ] {
        let spec = spec("https://localhost:9/", with_ca(path));
        let error = Owner::try_open(spec, 8).await.map(|_| ()).unwrap_err();
        assert_eq!(error.kind, LinkErrorKind::BadCaFile);
        assert!(error.message.contains(told), "{error}");
        assert!(
            error.message.contains(&path.display().to_string()),
            "{error}"
        );
        assert!(error.hint.is_some());
    }
}

#[tokio::test]
async fn a_proxy_carries_what_goes_to_a_host_that_only_it_knows() {
    let proxy = Server::listen().await;
    let route = with_proxy(&format!("http://me:pass%20word@{}", proxy.address()));
    let (link, mut owner) =
        Owner::open(spec("http://only-the-proxy-knows.invalid/mcp", route)).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = proxy.accept().await;
    let asked = connection.request().await.unwrap();
    assert!(
        asked
            .head
            .starts_with("POST http://only-the-proxy-knows.invalid/mcp HTTP/1.1\r\n"),
        "{}",
        asked.head
    );
    // `me:pass word`
    assert!(
        asked
            .head
            .contains("proxy-authorization: Basic bWU6cGFzcyB3b3Jk"),
        "{}",
        asked.head
    );
    connection.reply("200 OK", "application/json", "true").await;
    let (words, error) = owner.end(1).await;
    assert_eq!(error, None);
    assert_eq!(words[1], "< 200 HTTP/1.1");
}

#[tokio::test]
async fn a_proxy_sees_nothing_of_what_goes_through_its_tunnel() {
    let folder = tempfile::tempdir().unwrap();
    let (pem, acceptor) = certificate(&[b"http/1.1"]);
    let target = tls_server(acceptor).await;
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let route = Route {
        proxy: Some(format!("http://{}", proxy.local_addr().unwrap())),
        ca_file: Some(file(&folder, "ca.pem", &pem)),
    };
    let tunnel = tokio::spawn(async move {
        let (mut client, _) = proxy.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            assert!(client.read_buf(&mut head).await.unwrap() > 0);
        }
        let mut server = TcpStream::connect(target).await.unwrap();
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        let _end = tokio::io::copy_bidirectional(&mut client, &mut server).await;
        String::from_utf8(head).unwrap()
    });
    let url = format!("https://localhost:{}/mcp", target.port());
    let (link, mut owner) = Owner::open(spec(&url, route)).await;
    link.send(message(1, "{}")).unwrap();
    let (words, error) = owner.end(1).await;
    assert_eq!(error, None);
    assert_eq!(words[2], "body true");
    link.close().await;
    let head = tunnel.await.unwrap();
    assert!(
        head.starts_with(&format!("CONNECT localhost:{} HTTP/1.1", target.port())),
        "{head}"
    );
    assert!(!head.contains("of-the-origin"), "{head}");
}

#[tokio::test]
async fn proxies_that_cannot_be_used() {
    for (proxy, told) in [
        ("proxy.example.com:3128", "no scheme of a proxy"),
        ("ftp://proxy.example.com", "no scheme of a proxy"),
        ("not a url", "cannot be used"),
        ("http://", "cannot be used"),
    ] {
        let spec = spec("http://localhost:9/", with_proxy(proxy));
        let error = Owner::try_open(spec, 8).await.map(|_| ()).unwrap_err();
        assert_eq!(error.kind, LinkErrorKind::BadUrl);
        assert!(error.message.contains(told), "{error}");
        assert!(error.hint.unwrap().contains("socks5://"));
    }
    // One that is not there is named, without its password.
    let gone = Server::listen().await;
    let address = gone.address();
    drop(gone);
    let route = with_proxy(&format!("http://me:hidden@{address}"));
    let (_, error) = exchange(spec("http://localhost:9/mcp", route)).await;
    let error = error.unwrap();
    assert_eq!(error.kind, LinkErrorKind::ConnectionRefused);
    assert!(
        error
            .message
            .contains(&format!("through the proxy http://{address}")),
        "{error}"
    );
    assert!(!error.message.contains("hidden"), "{error}");
}

#[tokio::test]
async fn a_socks_proxy_is_asked_for_the_host_by_name() {
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let route = with_proxy(&format!("socks5h://{}", proxy.local_addr().unwrap()));
    let asked = tokio::spawn(async move {
        let (mut client, _) = proxy.accept().await.unwrap();
        let mut hello = [0; 3];
        client.read_exact(&mut hello).await.unwrap();
        assert_eq!(hello, [5, 1, 0]);
        client.write_all(&[5, 0]).await.unwrap();
        let mut wish = [0; 5];
        client.read_exact(&mut wish).await.unwrap();
        assert_eq!(wish[..4], [5, 1, 0, 3], "a name");
        let mut rest = vec![0; usize::from(wish[4]) + 2];
        client.read_exact(&mut rest).await.unwrap();
        client
            .write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 80])
            .await
            .unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"{}") {
            assert!(client.read_buf(&mut request).await.unwrap() > 0);
        }
        let reply = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue";
        client.write_all(reply.as_bytes()).await.unwrap();
        String::from_utf8(rest[..rest.len() - 2].to_vec()).unwrap()
    });
    let (words, error) = exchange(spec("http://behind.invalid/mcp", route)).await;
    assert_eq!(error, None, "{words:?}");
    assert_eq!(asked.await.unwrap(), "behind.invalid");
}

#[tokio::test]
async fn a_compressed_body_is_counted_as_it_came_and_as_it_was_meant() {
    let server = Server::listen().await;
    let (link, mut owner) = Owner::open(http(&server.url())).await;
    link.send(message(1, "{}")).unwrap();
    let mut connection = server.accept().await;
    connection.request().await.unwrap();
    let meant = format!("\"{}\"", "a".repeat(5000));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(meant.as_bytes()).unwrap();
    let packed = gzip.finish().unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        packed.len()
    );
    connection.say(head).await;
    tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    connection.say(&packed).await;
    let mut head_micros = 0;
    let (body_len, wire_len, first_byte) = owner
        .until(|report| match report {
            ReportKind::ResponseHead { .. } => {
                head_micros = client::clock::now_micros();
                None
            }
            ReportKind::ExchangeEnded {
                body_byte_len,
                wire_byte_len,
                first_byte_micros,
                ..
            } => Some((*body_byte_len, *wire_byte_len, *first_byte_micros)),
            _ => None,
        })
        .await;
    assert_eq!(body_len, meant.len() as u64);
    assert_eq!(wire_len, packed.len() as u64);
    assert!(first_byte.unwrap() >= head_micros, "the head came before");
}
