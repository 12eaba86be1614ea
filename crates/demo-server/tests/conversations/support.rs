//! The client's side of a conversation.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// Only so that a broken server fails a test instead of hanging it.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) async fn soon<T>(waiting: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .expect("the server keeps silent")
}

pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roundtrip-demo-server"));
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// What a client of 2026-07-28 says in every request, and `params` beside it.
pub(crate) fn modern(params: Value) -> Value {
    modern_with(params, json!({ "elicitation": { "form": {} } }), None)
}

/// The same, asking for progress under this token.
pub(crate) fn modern_with_progress(params: Value, token: Value) -> Value {
    modern_with(
        params,
        json!({ "elicitation": { "form": {} } }),
        Some(token),
    )
}

pub(crate) fn modern_with(mut params: Value, capabilities: Value, token: Option<Value>) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "conversation", "version": "1.0" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    if let Some(token) = token {
        params["_meta"]["progressToken"] = token;
    }
    params
}

/// `tools/call` parameters.
pub(crate) fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

/// The server over stdio.
pub(crate) struct Piped {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
    stderr: Lines<BufReader<ChildStderr>>,
    last_id: u64,
}

impl Piped {
    pub(crate) fn start() -> Piped {
        let mut child = program(&["stdio"]).spawn().expect("the program starts");
        Piped {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().expect("stdout")).lines(),
            stderr: BufReader::new(child.stderr.take().expect("stderr")).lines(),
            child,
            last_id: 0,
        }
    }

    /// Starts and shakes hands as an older client does; gives back the answer to `initialize` as well.
    pub(crate) async fn start_legacy(revision: &str, capabilities: Value) -> (Piped, Value) {
        let mut server = Piped::start();
        let answer = server
            .ask(
                "initialize",
                json!({
                    "protocolVersion": revision,
                    "capabilities": capabilities,
                    "clientInfo": { "name": "conversation", "version": "1.0" },
                }),
            )
            .await;
        server
            .say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        (server, answer)
    }

    pub(crate) async fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin
            .write_all(format!("{line}\n").as_bytes())
            .await
            .expect("the server reads");
    }

    pub(crate) async fn say(&mut self, message: &Value) {
        self.write(&message.to_string()).await;
    }

    /// Sends a request; gives back its id.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    /// The next message.
    pub(crate) async fn hear(&mut self) -> Value {
        self.hear_or_end().await.expect("the server goes on")
    }

    /// The next message, or none when the server has closed its output.
    pub(crate) async fn hear_or_end(&mut self) -> Option<Value> {
        let line = soon(self.stdout.next_line()).await.expect("UTF-8")?;
        let message: Value = serde_json::from_str(&line).expect("every line is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// Everything that comes until the answer to `id`, and that answer.
    pub(crate) async fn until_answer(&mut self, id: u64) -> (Vec<Value>, Value) {
        let mut before = Vec::new();
        loop {
            let message = self.hear().await;
            if message["id"] == id && message.get("method").is_none() {
                return (before, message);
            }
            before.push(message);
        }
    }

    /// Sends a request and waits for its answer; nothing else may come.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        let (before, answer) = self.until_answer(id).await;
        assert_eq!(before, Vec::<Value>::new());
        answer
    }

    pub(crate) async fn hear_stderr(&mut self) -> String {
        soon(self.stderr.next_line())
            .await
            .expect("UTF-8")
            .expect("a line on standard error")
    }

    /// Closes the server's input; gives back what still comes, and how the program ended.
    pub(crate) async fn close(mut self) -> (Vec<Value>, ExitStatus) {
        self.stdin = None;
        let mut rest = Vec::new();
        while let Some(message) = self.hear_or_end().await {
            rest.push(message);
        }
        (
            rest,
            soon(self.child.wait()).await.expect("the program ends"),
        )
    }
}

/// The server over HTTP.
pub(crate) struct Http {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    pub(crate) url: String,
    client: reqwest::Client,
}

impl Http {
    pub(crate) async fn start() -> Http {
        Http::start_with(&[]).await
    }

    /// With further arguments.
    pub(crate) async fn start_with(arguments: &[&str]) -> Http {
        let own = ["http", "--port", "0", "--until-stdin-closes"];
        let mut child = program(&[&own, arguments].concat())
            .spawn()
            .expect("the program starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout"));
        let mut line = String::new();
        soon(stdout.read_line(&mut line)).await.expect("a line");
        let url = line
            .strip_prefix("listening on ")
            .and_then(|url| url.strip_suffix('\n'))
            .expect("the address");
        let url = url.to_owned();
        let client = reqwest::Client::builder()
            .no_proxy()
            .build()
            .expect("a client");
        Http {
            stdin: child.stdin.take(),
            child,
            stdout,
            url,
            client,
        }
    }

    /// Posts a message as it is.
    pub(crate) async fn post(
        &self,
        message: &Value,
        headers: &[(&str, &str)],
    ) -> reqwest::Response {
        let mut request = self
            .client
            .post(&self.url)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(message.to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        soon(request.send()).await.expect("an HTTP reply")
    }

    /// Posts a request of 2026-07-28 with the headers that its body asks for.
    pub(crate) async fn ask_modern(
        &self,
        id: u64,
        method: &str,
        params: Value,
    ) -> reqwest::Response {
        let name = params
            .get("name")
            .or_else(|| params.get("uri"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        let date = params
            .pointer("/arguments/date")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let mut headers = vec![
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
        ];
        headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
        headers.extend(date.as_deref().map(|date| ("mcp-param-date", date)));
        self.post(
            &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }),
            &headers,
        )
        .await
    }

    pub(crate) async fn delete(&self, headers: &[(&str, &str)]) -> reqwest::Response {
        let mut request = self.client.delete(&self.url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        soon(request.send()).await.expect("an HTTP reply")
    }

    /// Closes the server's input; gives back what else it printed, and how it ended.
    pub(crate) async fn close(mut self) -> (String, ExitStatus) {
        self.stdin = None;
        let mut rest = String::new();
        soon(self.stdout.read_to_string(&mut rest))
            .await
            .expect("UTF-8");
        (
            rest,
            soon(self.child.wait()).await.expect("the program ends"),
        )
    }
}

pub(crate) fn header<'a>(response: &'a reqwest::Response, name: &str) -> Option<&'a str> {
    response
        .headers()
        .get(name)
        .and_then(|value| value.to_str().ok())
}

pub(crate) async fn json_body(response: reqwest::Response) -> Value {
    assert_eq!(header(&response, "content-type"), Some("application/json"));
    let body = soon(response.bytes()).await.expect("a body");
    serde_json::from_slice(&body).expect("JSON")
}

/// The messages of an SSE reply, one by one.
pub(crate) struct Sse {
    response: reqwest::Response,
    buffer: String,
}

impl Sse {
    pub(crate) fn of(response: reqwest::Response) -> Sse {
        assert_eq!(response.status(), 200);
        assert_eq!(header(&response, "content-type"), Some("text/event-stream"));
        Sse {
            response,
            buffer: String::new(),
        }
    }

    /// The next event that carries a message; none when the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            while let Some(end) = self.buffer.find("\n\n") {
                let event: String = self.buffer.drain(..end + 2).collect();
                let data: String = event
                    .lines()
                    .filter_map(|line| line.strip_prefix("data:"))
                    .map(str::trim_start)
                    .collect();
                if !data.is_empty() {
                    return Some(serde_json::from_str(&data).expect("JSON"));
                }
            }
            let chunk = soon(self.response.chunk())
                .await
                .expect("the stream goes on")?;
            self.buffer
                .push_str(std::str::from_utf8(&chunk).expect("whole characters"));
        }
    }

    pub(crate) async fn all(mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while let Some(message) = self.next().await {
            all.push(message);
        }
        all
    }
}
