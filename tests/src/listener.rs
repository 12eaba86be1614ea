//! An HTTP server that says exactly what a test tells it to, byte by byte.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Longer than anything here takes on a slow machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A listener on a free port of the loopback. Dropping it ends it.
pub struct Listener {
    address: SocketAddr,
    received: watch::Receiver<Vec<Received>>,
    task: JoinHandle<()>,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Received {
    /// The method.
    pub method: String,
    /// The path.
    pub path: String,
    /// The headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

/// The other end of a connection, to answer on. The connection is closed when it is dropped.
pub struct Talk {
    stream: TcpStream,
    received: watch::Receiver<Vec<Received>>,
}

impl Listener {
    /// Answers each request by `answer`; each has a connection of its own.
    pub async fn start<A, F>(answer: A) -> Self
    where
        A: Fn(Received, Talk) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (sender, received) = watch::channel(Vec::new());
        let sender = Arc::new(sender);
        let answer = Arc::new(answer);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (sender, answer) = (Arc::clone(&sender), Arc::clone(&answer));
                tokio::spawn(async move {
                    let received = sender.subscribe();
                    let mut talk = Talk { stream, received };
                    if let Some(request) = talk.request().await {
                        sender.send_modify(|all| all.push(request.clone()));
                        answer(request, talk).await;
                    }
                });
            }
        });
        Self {
            address,
            received,
            task,
        }
    }

    /// `host:port`.
    pub fn authority(&self) -> String {
        self.address.to_string()
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Where it answers.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Waits until such a request has come.
    pub async fn until(&self, mut wanted: impl FnMut(&Received) -> bool) -> Received {
        first(&mut self.received.clone(), &mut wanted).await
    }

    /// What came so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.borrow().clone()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Received {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(&found.1)
    }

    /// The message; null when it is not JSON.
    pub fn message(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// The message's method; empty for a reply, and for what is no message.
    pub fn asks(&self) -> String {
        self.message()["method"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

impl Talk {
    async fn request(&mut self) -> Option<Received> {
        let mut bytes = Vec::new();
        self.read(&mut bytes).await?;
        if !bytes[0].is_ascii_alphabetic() {
            // As servers do when TLS is spoken to a plain port.
            self.say("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
                .await;
            return None;
        }
        let head_len = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            self.read(&mut bytes).await?;
        };
        let head = String::from_utf8_lossy(&bytes[..head_len]).into_owned();
        let mut lines = head.lines();
        let mut first = lines.next()?.split(' ');
        let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut request = Received {
            method,
            path,
            headers,
            body: String::new(),
        };
        let body_len: usize = request
            .header("content-length")
            .map_or(0, |len| len.parse().expect("a length"));
        while bytes.len() < head_len + body_len {
            self.read(&mut bytes).await?;
        }
        request.body = String::from_utf8(bytes.split_off(head_len)).expect("text");
        Some(request)
    }

    async fn read(&mut self, bytes: &mut Vec<u8>) -> Option<()> {
        let read = self.stream.read_buf(bytes).await.ok()?;
        (read > 0).then_some(())
    }

    /// Says this much. A client that has gone does not hear it.
    pub async fn say(&mut self, text: &str) {
        self.say_bytes(text.as_bytes()).await;
    }

    /// Says these bytes, and whether the client took them.
    pub async fn say_bytes(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).await.is_ok()
    }

    /// Ends its own half of the connection, and goes on listening.
    pub async fn half_close(&mut self) {
        let _gone = self.stream.shutdown().await;
    }

    /// Breaks the connection off, as a host does that has crashed: with RST instead of FIN.
    pub fn reset(self) {
        self.stream
            .set_zero_linger()
            .expect("a socket that is open");
    }

    /// A whole answer.
    pub async fn answer(&mut self, status: &str, headers: &[(&str, &str)], body: &str) {
        let mut text = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n",
            body.len()
        );
        for (name, value) in headers {
            text.push_str(name);
            text.push_str(": ");
            text.push_str(value);
            text.push_str("\r\n");
        }
        self.say(&format!("{text}\r\n{body}")).await;
    }

    /// An answer in JSON.
    pub async fn json(&mut self, status: &str, body: &Value) {
        self.answer(
            status,
            &[("content-type", "application/json")],
            &body.to_string(),
        )
        .await;
    }

    /// The result of a request.
    pub async fn result(&mut self, asked: &Received, result: &Value) {
        self.json("200 OK", &reply(asked, result)).await;
    }

    /// The JSON-RPC error for a request.
    pub async fn error(&mut self, status: &str, asked: &Received, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        let body = json!({ "jsonrpc": "2.0", "id": asked.message()["id"], "error": error });
        self.json(status, &body).await;
    }

    /// A notification or reply was taken.
    pub async fn accepted(&mut self) {
        self.answer("202 Accepted", &[], "").await;
    }

    /// The head of a stream of events.
    pub async fn stream(&mut self) {
        self.say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
            .await;
    }

    /// An event of a stream.
    pub async fn event(&mut self, message: &Value) {
        self.say(&format!("event: message\ndata: {message}\n\n"))
            .await;
    }

    /// Waits until such a request has come.
    pub async fn until(&mut self, mut wanted: impl FnMut(&Received) -> bool) -> Received {
        first(&mut self.received, &mut wanted).await
    }

    /// Waits until the client has closed the connection.
    pub async fn until_closed(&mut self) {
        let mut rest = Vec::new();
        while self.read(&mut rest).await.is_some() {}
    }
}

/// Waits for the first request that is wanted.
async fn first(
    received: &mut watch::Receiver<Vec<Received>>,
    wanted: &mut impl FnMut(&Received) -> bool,
) -> Received {
    let mut found = None;
    let coming = received.wait_for(|all| {
        found = all.iter().find(|received| wanted(received)).cloned();
        found.is_some()
    });
    tokio::time::timeout(PATIENCE, coming)
        .await
        .expect("it comes in time")
        .expect("the listener goes on");
    found.expect("it has come")
}

/// The JSON-RPC response to a request.
pub fn reply(asked: &Received, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": asked.message()["id"], "result": result })
}

/// Answers as a modern server with one tool, `echo`.
pub async fn modern(asked: &Received, talk: &mut Talk) {
    let identity = json!({ "name": "listener", "version": "1" });
    match asked.asks().as_str() {
        "server/discover" => {
            let discovered = json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} },
                "ttlMs": 0,
                "cacheScope": "private",
                "_meta": { "io.modelcontextprotocol/serverInfo": identity },
            });
            talk.result(asked, &discovered).await;
        }
        "tools/list" => {
            let list = json!({
                "resultType": "complete",
                "ttlMs": 0,
                "cacheScope": "private",
                "tools": [echo_tool()],
            });
            talk.result(asked, &list).await;
        }
        "tools/call" => {
            let words = asked.message()["params"]["arguments"].to_string();
            let content = json!([{ "type": "text", "text": words }]);
            let result = json!({ "resultType": "complete", "content": content });
            talk.result(asked, &result).await;
        }
        other => {
            talk.error("404 Not Found", asked, -32601, &format!("no {other}"))
                .await;
        }
    }
}

/// Answers as a legacy server with the session `s-1`, one tool, `echo`, and no stream of its own.
pub async fn legacy(asked: &Received, talk: &mut Talk) {
    if asked.method == "GET" {
        talk.answer("405 Method Not Allowed", &[("allow", "POST, DELETE")], "")
            .await;
        return;
    }
    if asked.method == "DELETE" {
        talk.answer("204 No Content", &[], "").await;
        return;
    }
    if asked.asks() != "initialize" && asked.header("mcp-session-id") != Some("s-1") {
        talk.error("400 Bad Request", asked, -32000, "No valid session ID")
            .await;
        return;
    }
    match asked.asks().as_str() {
        "initialize" => {
            let result = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "listener", "version": "1" },
            });
            talk.answer(
                "200 OK",
                &[
                    ("content-type", "application/json"),
                    ("mcp-session-id", "s-1"),
                ],
                &reply(asked, &result).to_string(),
            )
            .await;
        }
        "tools/list" => {
            talk.result(asked, &json!({ "tools": [echo_tool()] })).await;
        }
        "tools/call" => {
            let words = asked.message()["params"]["arguments"].to_string();
            let content = json!([{ "type": "text", "text": words }]);
            talk.result(asked, &json!({ "content": content })).await;
        }
        _ => talk.accepted().await,
    }
}

fn echo_tool() -> Value {
    json!({ "name": "echo", "inputSchema": { "type": "object" } })
}
