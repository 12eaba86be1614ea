//! Where the person comes back to from the browser: one address on this machine's loopback, for as long as a sign-in
//! waits (RFC 8252 § 7.3).

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use url::Url;

/// The path that counts; everything else is not found.
const PATH: &str = "/callback";
/// How large the head of a request may be.
const HEAD_LIMIT: usize = 32 * 1024;
/// How long a browser may take to send it.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// A listener on a port of the loopback. Dropping it ends it.
#[derive(Debug)]
pub struct RedirectListener {
    port: u16,
    arrivals: mpsc::Receiver<Arrival>,
    task: JoinHandle<()>,
}

/// Somebody came back.
#[derive(Debug)]
pub struct Arrival {
    /// What they brought, decoded.
    pub answer: Vec<(String, String)>,
    stream: TcpStream,
}

impl RedirectListener {
    /// Listens on the preferred port, which a registration may hold the client to, or else on a free one.
    ///
    /// # Errors
    /// No port of the loopback can be listened on.
    pub async fn bind(preferred: Option<u16>) -> io::Result<Self> {
        let first = match preferred {
            Some(port) => TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.ok(),
            None => None,
        };
        let listener = match first {
            Some(listener) => listener,
            None => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?,
        };
        let port = listener.local_addr()?.port();
        // One answer ends the wait; a second one finds nobody.
        let (sender, arrivals) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let sender = sender.clone();
                // A browser opens connections in stock, on which nothing may ever come.
                tokio::spawn(async move {
                    if let Some(arrival) = answer_of(stream).await {
                        // Nobody waits any more.
                        let _late = sender.try_send(arrival);
                    }
                });
            }
        });
        Ok(Self {
            port,
            arrivals,
            task,
        })
    }

    /// The redirect URI.
    pub fn uri(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the person.
    pub async fn arrival(&mut self) -> Option<Arrival> {
        self.arrivals.recv().await
    }
}

impl Drop for RedirectListener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Arrival {
    /// Shows the person how it went.
    pub async fn show(mut self, went_well: bool) {
        let (title, text) = if went_well {
            (
                "You can close this page",
                "Roundtrip goes on with the sign-in.",
            )
        } else {
            (
                "The sign-in stopped",
                "Roundtrip shows why. You can close this page.",
            )
        };
        respond(&mut self.stream, "200 OK", &page(title, text)).await;
    }
}

/// Reads one request; nothing when it is not the redirect, which is answered here.
async fn answer_of(mut stream: TcpStream) -> Option<Arrival> {
    let head = tokio::time::timeout(HEAD_TIME, head_of(&mut stream))
        .await
        .ok()??;
    let line = head.lines().next()?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let url = Url::parse("http://127.0.0.1").ok()?.join(target).ok()?;
    if method != "GET" || url.path() != PATH {
        let page = page(
            "Nothing here",
            "This address is for a sign-in of Roundtrip.",
        );
        respond(&mut stream, "404 Not Found", &page).await;
        return None;
    }
    let answer = url.query_pairs().into_owned().collect();
    Some(Arrival { answer, stream })
}

async fn head_of(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let len = stream.read(&mut chunk).await.ok()?;
        if len == 0 || head.len() + len > HEAD_LIMIT {
            return None;
        }
        head.extend_from_slice(&chunk[..len]);
        if head.windows(4).any(|end| end == b"\r\n\r\n") {
            return String::from_utf8(head).ok();
        }
    }
}

async fn respond(stream: &mut TcpStream, status: &str, page: &str) {
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\nReferrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    let written = stream.write_all(response.as_bytes()).await;
    let closed = stream.shutdown().await;
    if written.and(closed).is_err() {
        tracing::debug!("the browser did not wait for its page");
    }
}

fn page(title: &str, text: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>{title}</title><style>body{{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;\
         padding:0 1.5rem}}h1{{font-size:1.4rem}}</style><h1>{title}</h1><p>{text}</p></html>"
    )
}

#[cfg(test)]
mod tests {
    use super::RedirectListener;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    async fn get(port: u16, target: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("open");
        let request = format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await.expect("a reply");
        reply
    }

    #[tokio::test]
    async fn only_the_redirect_counts_and_its_answer_is_decoded() {
        let mut listener = RedirectListener::bind(None).await.expect("a port");
        let port = listener.port;
        assert!(listener.uri().starts_with("http://127.0.0.1:"));
        // A browser's spare connection, which says nothing.
        let _spare = TcpStream::connect(("127.0.0.1", port)).await.expect("open");
        assert!(get(port, "/favicon.ico").await.starts_with("HTTP/1.1 404"));
        let browser = tokio::spawn(async move {
            get(
                port,
                "/callback?code=a%2Fb&state=s&iss=https%3A%2F%2Fas.example",
            )
            .await
        });
        let arrival = tokio::time::timeout(Duration::from_secs(10), listener.arrival())
            .await
            .expect("in time")
            .expect("an arrival");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            arrival.answer,
            [
                pair("code", "a/b"),
                pair("state", "s"),
                pair("iss", "https://as.example")
            ]
        );
        arrival.show(true).await;
        let shown = browser.await.expect("it ended");
        assert!(shown.contains("You can close this page"), "{shown}");
        assert!(
            !shown.contains("a/b"),
            "nothing of the answer is in the page"
        );
    }

    #[tokio::test]
    async fn a_taken_port_is_replaced_by_a_free_one() {
        let first = RedirectListener::bind(None).await.expect("a port");
        let second = RedirectListener::bind(Some(first.port))
            .await
            .expect("another");
        assert_ne!(first.port, second.port);
        let port = second.port;
        drop(second);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let again = RedirectListener::bind(Some(port)).await.expect("the same");
        assert_eq!(again.port, port);
    }
}
