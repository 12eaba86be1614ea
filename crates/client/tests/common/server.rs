//! A server that says exactly what a test tells it to, byte by byte.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// One connection to the server.
pub struct Connection {
    stream: TcpStream,
    unread: Vec<u8>,
}

/// A listener on a free port of the loopback.
pub struct Server {
    listener: TcpListener,
}

impl Server {
    pub async fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("the loopback has a free port");
        Self { listener }
    }

    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().expect("it is bound")
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address())
    }

    pub async fn accept(&self) -> Connection {
        let (stream, _) = self.listener.accept().await.expect("a connection comes");
        stream.set_nodelay(true).expect("the option is known");
        Connection {
            stream,
            unread: Vec::new(),
        }
    }
}

/// A request as it came over the socket.
pub struct Received {
    pub head: String,
    pub body: Vec<u8>,
}

impl Connection {
    /// The next request; `None` when the client has closed the connection.
    pub async fn request(&mut self) -> Option<Received> {
        let end = loop {
            if let Some(at) = self
                .unread
                .windows(4)
                .position(|window| window == b"\r\n\r\n")
            {
                break at + 4;
            }
            self.read().await?;
        };
        let head = String::from_utf8(self.unread.drain(..end).collect()).expect("a head is text");
        let byte_len = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map_or(0, |value| value.parse().expect("a length"));
        while self.unread.len() < byte_len {
            self.read().await?;
        }
        let body = self.unread.drain(..byte_len).collect();
        Some(Received { head, body })
    }

    async fn read(&mut self) -> Option<()> {
        let byte_len = self.stream.read_buf(&mut self.unread).await.ok()?;
        (byte_len > 0).then_some(())
    }

    /// Says this much, and has it on its way before it returns.
    pub async fn say(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream
            .write_all(bytes.as_ref())
            .await
            .expect("the client listens");
        self.stream.flush().await.expect("the client listens");
    }

    /// A whole reply with its length.
    pub async fn reply(&mut self, status: &str, content_type: &str, body: impl AsRef<[u8]>) {
        let body = body.as_ref();
        let byte_len = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {byte_len}\r\n\r\n"
        );
        self.say([head.as_bytes(), body].concat()).await;
    }

    /// The head of a reply whose body goes on until the connection closes.
    pub async fn stream(&mut self, content_type: &str) {
        self.say(format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n"
        ))
        .await;
    }
}
