//! A session to take away, and the ways out and in.

use std::fs;
use std::ops::Deref;

use bytes::Bytes;
use journal::event::{AttemptOutcome, EventBody, EventSeq, FrameRole, OperationEnd};
use journal::export::{self, Chosen, ExportForm, Exported, Source};
use journal::import;
use journal::log::Journal;
use journal::row::Filter;
use wire::frame::{Carrier, Direction};
use wire::http::{Header, RequestHead, ResponseHead};

use crate::common::{Writer, text, unfolded};

pub const SECRET: &str = "hunter2-canary";

/// What a keyring's redactor does, for one secret.
pub fn redact(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    text.contains(SECRET)
        .then(|| text.replace(SECRET, "${secret:demo/token}").into_bytes())
}

pub fn written(journal: &Journal, form: ExportForm, chosen: &Chosen) -> (Vec<u8>, Exported) {
    let folder = tempfile::tempdir().unwrap();
    let mut out = Vec::new();
    let reader = || -> Box<dyn Deref<Target = Journal>> { Box::new(journal) };
    let mut source = Source::new(&reader, &redact, &|_, _| true);
    let exported = export::write(form, &mut source, chosen, folder.path(), &mut out).unwrap();
    assert!(
        fs::read_dir(folder.path()).unwrap().next().is_none(),
        "the copy is gone"
    );
    (out, exported)
}

pub fn all(journal: &Journal, form: ExportForm) -> (Vec<u8>, Exported) {
    written(journal, form, &Chosen::all(journal))
}

pub fn brought_in(bytes: &[u8]) -> Result<(Journal, Vec<String>), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, bytes).unwrap();
    let mut journal = Journal::create(None).unwrap();
    let notes = import::read(&path, &|bytes| redact(bytes), &|_, _| true, &mut journal)
        .map_err(|error| error.to_string())?;
    Ok((journal, notes))
}

pub fn rows(journal: &Journal) -> String {
    text(&unfolded(journal, Filter::All))
}

fn http_frame(
    direction: Direction,
    carrier: Carrier,
    (round, attempt): (u32, u32),
    role: FrameRole,
    bytes: &str,
) -> EventBody {
    EventBody::Frame {
        direction,
        carrier,
        round,
        attempt,
        role,
        bytes: Bytes::copy_from_slice(bytes.as_bytes()),
    }
}

/// One HTTP exchange of a call; with `events` the answer is a stream.
fn exchange(
    writer: &mut Writer,
    at: u64,
    call: u32,
    place: (u32, u32),
    events: &[(&str, FrameRole)],
) {
    let (round, attempt) = place;
    let params =
        format!(r#"{{"name":"book_table","arguments":{{"n":{round},"token":"{SECRET}"}}}}"#);
    writer.append(
        at,
        Some(call),
        EventBody::AttemptStarted {
            round,
            attempt,
            request_id: Some(round.to_string()),
            label: None,
        },
    );
    let head = RequestHead {
        method: "POST".into(),
        url: format!("http://localhost:8080/mcp?key={SECRET}"),
        headers: vec![
            Header {
                name: "content-type".into(),
                value: "application/json".into(),
            },
            Header {
                name: "authorization".into(),
                value: format!("Bearer {SECRET}"),
            },
            Header {
                name: "mcp-protocol-version".into(),
                value: "2026-07-28".into(),
            },
        ],
    };
    let sent =
        format!(r#"{{"jsonrpc":"2.0","id":{round},"method":"tools/call","params":{params}}}"#);
    writer.append(
        at,
        Some(call),
        EventBody::HttpRequest {
            round,
            attempt,
            head,
            body_byte_len: sent.len() as u64,
        },
    );
    let role = FrameRole::Request {
        method: "tools/call".into(),
    };
    let frame = http_frame(Direction::Sent, Carrier::Body, place, role, &sent);
    writer.append(at, Some(call), frame);
    let is_stream = events.len() > 1;
    let kind = if is_stream {
        "text/event-stream"
    } else {
        "application/json"
    };
    writer.append(
        at + 5,
        Some(call),
        EventBody::HttpResponse {
            round,
            attempt,
            head: ResponseHead {
                status: 200,
                version: "HTTP/1.1".into(),
                headers: vec![Header {
                    name: "content-type".into(),
                    value: kind.into(),
                }],
            },
        },
    );
    let mut byte_len = 0;
    for (index, (message, role)) in events.iter().enumerate() {
        let (carrier, raw) = if is_stream {
            (
                Carrier::SseEvent,
                format!("event: message\ndata: {message}\n\n"),
            )
        } else {
            (Carrier::Body, (*message).to_owned())
        };
        byte_len += raw.len() as u64;
        let frame = http_frame(Direction::Received, carrier, place, role.clone(), &raw);
        writer.append(at + 6 + index as u64, Some(call), frame);
    }
    writer.append(
        at + 9,
        Some(call),
        EventBody::HttpEnded {
            round,
            attempt,
            body_byte_len: byte_len,
            wire_byte_len: byte_len,
            first_byte_micros: None,
            error: None,
        },
    );
}

/// A call over HTTP in two rounds with a retry, one whose answer is a page, one that runs, and lines beside them.
pub fn a_session() -> Journal {
    let mut writer = Writer::in_memory();
    writer.loose(
        0,
        EventBody::ConnectionEstablished {
            era: "modern".into(),
            revision: "2026-07-28".into(),
        },
    );
    let call = writer.start(10, "tools/call", Some("book_table"));
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"message":"<b>half</b>"}}"#;
    let note = FrameRole::Notification {
        method: "notifications/progress".into(),
        text: Some("1 · <b>half</b>".into()),
    };
    let asks =
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{}}}"#;
    exchange(
        &mut writer,
        10,
        call,
        (1, 1),
        &[(progress, note), (asks, FrameRole::Reply)],
    );
    writer.outcome(20, call, (1, 1), result("input_required"));
    exchange(
        &mut writer,
        40,
        call,
        (2, 1),
        &[("Service Unavailable", not_protocol())],
    );
    writer.transport_error(50, call, (2, 1), "HTTP 503");
    let done = format!(
        r#"{{"jsonrpc":"2.0","id":2,"result":{{"resultType":"complete","content":[{{"type":"text","text":"{SECRET} 😀 é"}}]}}}}"#
    );
    exchange(&mut writer, 60, call, (2, 2), &[(&done, FrameRole::Reply)]);
    writer.outcome(70, call, (2, 2), result("complete"));
    writer.end(70, call, OperationEnd::Complete);
    let read = writer.start(80, "resources/read", Some("file:///a.txt"));
    exchange(
        &mut writer,
        80,
        read,
        (1, 1),
        &[(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"</pre><script>alert(1)</script> `x` |"}}"#,
            FrameRole::Reply,
        )],
    );
    writer.outcome(
        90,
        read,
        (1, 1),
        AttemptOutcome::RpcError {
            code: -32602,
            message: "</pre><script>alert(1)</script>".into(),
        },
    );
    writer.fail(90, read, "error -32602");
    writer.find(90, Some(read), Some(EventSeq(30)));
    writer.journal
}

fn result(kind: &str) -> AttemptOutcome {
    AttemptOutcome::Result {
        result_type: kind.into(),
    }
}

fn not_protocol() -> FrameRole {
    FrameRole::NotProtocol {
        problem: "this is a web page".into(),
    }
}

/// The same with what crosses stdio.
pub fn with_stdio() -> Journal {
    let mut writer = Writer::new(a_session());
    writer.connect(1, "files");
    let call = writer.start(100, "tools/call", Some("slow"));
    writer.attempt(100, call, (1, 1), 1);
    writer.ask(101, Some(call), 7, "How many?");
    writer.answer(109, None, 7, "accepted");
    writer.noise(110, None, b"\xff\x00 no UTF-8");
    writer.stderr(111, None, "\u{1b}[31mred\u{1b}[0m \u{202e}evil");
    writer.ask(112, None, 8, "Beside all operations?");
    writer.answer(113, None, 8, "declined");
    writer.journal.set_name(Some("bookings <1>"));
    writer.journal
}
