//! A server over HTTP that does as little as it can, so that what is measured is its reader: it answers `server/discover`
//! and `tools/list`, and `tools/call` with an event stream that is made in large parts, each written as fast as the socket
//! takes it. On threads of its own.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Outcome;

/// How many events are made at once.
const PART: u32 = 100_000;
/// A paced stream is written in so many parts a second.
const PARTS_A_SECOND: u32 = 50;
const CHUNK_LEN: usize = 64 * 1024;

/// The server. It ends with the process.
pub struct Flooder {
    /// Where it listens.
    pub url: String,
    /// When each stream began to be written.
    pub begun: Receiver<Instant>,
}

impl Flooder {
    /// Starts it; a call brings `count` progress notifications, each an event of `bytes_each` bytes or what it needs, then
    /// the result.
    ///
    /// # Errors
    /// No port can be had.
    pub fn start(count: u32, bytes_each: usize) -> Outcome<Self> {
        Self::with(count, bytes_each, None)
    }

    /// The same, with so many events a second and no more.
    ///
    /// # Errors
    /// No port can be had.
    pub fn paced(count: u32, bytes_each: usize, per_second: u32) -> Outcome<Self> {
        Self::with(count, bytes_each, Some(per_second))
    }

    fn with(count: u32, bytes_each: usize, per_second: Option<u32>) -> Outcome<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .map_err(|error| format!("no port to listen on: {error}"))?;
        let address = listener
            .local_addr()
            .map_err(|error| format!("the port is not known: {error}"))?;
        let (sender, begun) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let sender = sender.clone();
                thread::spawn(move || {
                    // A client that has gone needs no answer; the measurement tells what is missing.
                    converse(&stream, (count, bytes_each), per_second, &sender).ok();
                });
            }
        });
        Ok(Self {
            url: format!("http://{address}/mcp"),
            begun,
        })
    }
}

fn converse(
    stream: &TcpStream,
    (count, bytes_each): (u32, usize),
    per_second: Option<u32>,
    begun: &Sender<Instant>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(body) = request(&mut reader)? {
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let id = &message["id"];
        match message["method"].as_str().unwrap_or_default() {
            "tools/call" => {
                let token = &message["params"]["_meta"]["progressToken"];
                let at_once = per_second.map_or(PART, |rate| (rate / PARTS_A_SECOND).max(1));
                let mut part = events(token, 1, count.min(at_once), count, bytes_each);
                // Nobody waits for it during the warm-up.
                begun.send(Instant::now()).ok();
                begin_stream(stream)?;
                let mut due = Instant::now();
                let mut first = 1;
                while first <= count {
                    if per_second.is_some() {
                        thread::sleep(due.saturating_duration_since(Instant::now()));
                        due += Duration::from_secs(1) / PARTS_A_SECOND;
                    }
                    write_part(stream, part.as_bytes())?;
                    first += at_once;
                    let left = count.saturating_sub(first - 1);
                    part = events(token, first, left.min(at_once), count, bytes_each);
                }
                let result = json!({
                    "jsonrpc": "2.0", "id": id,
                    "result": { "resultType": "complete", "content": [{ "type": "text", "text": "done" }] },
                });
                write_part(
                    stream,
                    format!("event: message\ndata: {result}\n\n").as_bytes(),
                )?;
                end_stream(stream)?;
            }
            "tools/list" => answer(
                stream,
                id,
                &json!({
                    "resultType": "complete", "ttlMs": 0, "cacheScope": "public",
                    "tools": [{ "name": "flood", "inputSchema": { "type": "object" } }],
                }),
            )?,
            _ => answer(
                stream,
                id,
                &json!({
                    "resultType": "complete", "ttlMs": 0, "cacheScope": "public",
                    "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
                    "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "flooder", "version": "1" } },
                }),
            )?,
        }
    }
    Ok(())
}

/// The body of the next request; nothing at the end.
fn request(reader: &mut BufReader<&TcpStream>) -> std::io::Result<Option<Vec<u8>>> {
    let mut byte_len = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            byte_len = value.trim().parse().unwrap_or_default();
        }
        if line.is_empty() {
            let mut body = vec![0; byte_len];
            reader.read_exact(&mut body)?;
            return Ok(Some(body));
        }
    }
}

/// Some notifications of a stream, from `first` on.
fn events(token: &Value, first: u32, count: u32, total: u32, bytes_each: usize) -> String {
    let mut events = String::with_capacity(count as usize * bytes_each.max(180));
    for number in first..first + count {
        let begun = events.len();
        // Writing to a string cannot fail.
        let _infallible = write!(
            events,
            "event: message\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\
             \"progressToken\":{token},\"progress\":{number},\"total\":{total},\"message\":\"Order {number} of \
             {total}"
        );
        let written = events.len() - begun + END.len();
        events.extend(std::iter::repeat_n('.', bytes_each.saturating_sub(written)));
        events.push_str(END);
    }
    events
}

/// The end of each of them.
const END: &str = "\"}}\n\n";

fn answer(mut stream: &TcpStream, id: &Value, result: &Value) -> std::io::Result<()> {
    let body = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body.as_str()).as_bytes())
}

fn begin_stream(mut stream: &TcpStream) -> std::io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    )
}

fn write_part(mut stream: &TcpStream, events: &[u8]) -> std::io::Result<()> {
    let mut chunk = Vec::with_capacity(CHUNK_LEN + 16);
    for part in events.chunks(CHUNK_LEN) {
        chunk.clear();
        write!(chunk, "{:x}\r\n", part.len())?;
        chunk.extend_from_slice(part);
        chunk.extend_from_slice(b"\r\n");
        stream.write_all(&chunk)?;
    }
    Ok(())
}

fn end_stream(mut stream: &TcpStream) -> std::io::Result<()> {
    stream.write_all(b"0\r\n\r\n")
}
