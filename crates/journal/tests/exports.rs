//! What is taken away as a file, and brought in again.
#![allow(clippy::unwrap_used)] // of tests, though not in a test's own function

mod common;

use std::cell::RefCell;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use common::{START, Writer, text, unfolded};
use journal::event::{AttemptOutcome, Event, EventBody, EventSeq, FrameRole, OperationEnd};
use journal::export::{self, Chosen, ExportError, ExportForm, Exported, Source};
use journal::import;
use journal::log::Journal;
use journal::row::Filter;
use serde_json::Value;
use wire::frame::{Carrier, Direction};
use wire::http::{Header, RequestHead, ResponseHead};

const SECRET: &str = "hunter2-canary";

/// What a keyring's redactor does, for one secret.
fn redact(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    text.contains(SECRET)
        .then(|| text.replace(SECRET, "${secret:demo/token}").into_bytes())
}

fn written(journal: &Journal, form: ExportForm, chosen: &Chosen) -> (Vec<u8>, Exported) {
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

fn all(journal: &Journal, form: ExportForm) -> (Vec<u8>, Exported) {
    written(journal, form, &Chosen::all(journal))
}

fn a_file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn brought_in(bytes: &[u8]) -> Result<(Journal, Vec<String>), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = a_file(folder.path(), "file", bytes);
    let mut journal = Journal::create(None).unwrap();
    let notes = import::read(&path, &|bytes| redact(bytes), &|_, _| true, &mut journal)
        .map_err(|error| error.to_string())?;
    Ok((journal, notes))
}

fn rows(journal: &Journal) -> String {
    text(&unfolded(journal, Filter::All))
}

fn events(journal: &Journal) -> Vec<Event> {
    (0..journal.len())
        .map(|seq| journal.event(EventSeq(seq)).unwrap())
        .collect()
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
fn a_session() -> Journal {
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
fn with_stdio() -> Journal {
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

#[test]
fn recordings_and_lines_bring_everything_back() {
    let journal = with_stdio();
    for form in [ExportForm::Recording, ExportForm::JsonLines] {
        let (bytes, exported) = all(&journal, form);
        assert_eq!(exported.redacted["demo/token"], 13, "{form:?}");
        let (again, notes) = brought_in(&bytes).unwrap();
        assert_eq!(rows(&again), rows(&journal), "{form:?}");
        assert_eq!(again.len(), journal.len());
        assert_eq!(again.summary().name.as_deref(), Some("bookings <1>"));
        // Every byte but those of the secret.
        let has = |end: &[u8]| {
            events(&again).iter().any(|event| match &event.body {
                EventBody::Frame { bytes, .. } => bytes.ends_with(end),
                _ => false,
            })
        };
        assert!(has("${secret:demo/token} 😀 é\"}]}}".as_bytes()));
        assert!(has(b"\xff\x00 no UTF-8"));
        let said = notes.join(" ");
        if form == ExportForm::Recording {
            assert!(said.contains("demo/token (13 times)"), "{said}");
        } else {
            assert_eq!(said, "");
        }
    }
}

#[test]
fn no_form_holds_a_secret() {
    let journal = with_stdio();
    for form in ExportForm::ALL {
        let (bytes, exported) = all(&journal, form);
        let mut plain = bytes.clone();
        if form == ExportForm::Recording {
            plain.clear();
            std::io::Read::read_to_end(
                &mut flate2::read::MultiGzDecoder::new(&bytes[..]),
                &mut plain,
            )
            .unwrap();
            assert!(
                bytes.windows(10).any(|part| part == b"demo/token"),
                "its comment names it"
            );
        }
        let text = String::from_utf8_lossy(&plain);
        assert!(!text.contains(SECRET), "{form:?}");
        assert!(
            text.contains("demo/token"),
            "{form:?} says what it redacted"
        );
        assert!(exported.redacted.contains_key("demo/token"));
    }
}

#[test]
fn chosen_rows_come_with_what_they_need() {
    let journal = with_stdio();
    let shown = unfolded(&journal, Filter::All);
    let key = |label: &str| {
        let row = shown
            .iter()
            .find(|row| row.label.contains(label) || row.detail.as_deref() == Some(label));
        row.unwrap().key.parse().unwrap()
    };
    let chosen = Chosen::rows(&journal, &[key("Beside all operations"), key("slow")]).unwrap();
    assert_eq!(chosen.rows, 2);
    let (bytes, _) = written(&journal, ExportForm::Recording, &chosen);
    let (again, _) = brought_in(&bytes).unwrap();
    insta::assert_snapshot!(rows(&again));
    let (page, _) = written(&journal, ExportForm::Page, &chosen);
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("slow") && !page.contains("book_table"));
    let har = {
        let folder = tempfile::tempdir().unwrap();
        let reader = || -> Box<dyn Deref<Target = Journal>> { Box::new(&journal) };
        let mut source = Source::new(&reader, &redact, &|_, _| true);
        export::write(
            ExportForm::Har,
            &mut source,
            &chosen,
            folder.path(),
            &mut Vec::new(),
        )
    };
    assert!(matches!(har, Err(ExportError::NoExchange)));
}

#[test]
fn an_export_can_be_stopped() {
    let journal = a_session();
    let folder = tempfile::tempdir().unwrap();
    for form in ExportForm::ALL {
        let last = RefCell::new((0, 0));
        let reader = || -> Box<dyn Deref<Target = Journal>> { Box::new(&journal) };
        let watch = |done, all| {
            *last.borrow_mut() = (done, all);
            done < 3
        };
        let mut source = Source::new(&reader, &redact, &watch);
        let stopped = export::write(
            form,
            &mut source,
            &Chosen::all(&journal),
            folder.path(),
            &mut Vec::new(),
        );
        assert!(matches!(stopped, Err(ExportError::Cancelled)), "{form:?}");
        assert_eq!(*last.borrow(), (3, u64::from(journal.len())));
    }
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn har_keeps_to_its_rules() {
    let (bytes, exported) = all(&with_stdio(), ExportForm::Har);
    assert_eq!(
        exported.notes,
        ["1 operation without an HTTP exchange is not in it: HAR holds nothing else."]
    );
    let archive: Value = serde_json::from_slice(&bytes).unwrap();
    har_12(&archive);
    let entries = archive["log"]["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 4);
    assert_eq!(entries[0]["startedDateTime"], "2026-05-28T20:26:40.010000Z");
    assert_eq!(entries[0]["time"], 9.0);
    assert_eq!(entries[0]["timings"]["wait"], 5.0);
    assert_eq!(entries[0]["request"]["queryString"][0]["name"], "key");
    assert_eq!(
        entries[0]["_events"].as_array().unwrap().len(),
        3,
        "the request and two events"
    );
    assert_eq!(entries[0]["_events"][1]["role"]["kind"], "notification");
    assert!(
        archive["log"]["comment"]
            .as_str()
            .unwrap()
            .contains("demo/token (1")
    );
}

/// A member, and whether its value is right.
type Rule<'a> = (&'a str, fn(&Value) -> bool);

/// What HAR 1.2 asks of a file, member by member: <http://www.softwareishard.com/blog/har-12-spec/>.
#[expect(
    clippy::too_many_lines,
    reason = "it is the list that the specification has"
)]
fn har_12(archive: &Value) {
    let has = |value: &Value, kinds: &[Rule<'_>]| {
        for (name, is_right) in kinds {
            assert!(is_right(&value[*name]), "{name}: {:?}", value[*name]);
        }
        for name in value.as_object().unwrap().keys() {
            let is_known = kinds.iter().any(|(known, _)| known == name);
            let is_optional = ["comment", "postData", "encoding", "text"].contains(&name.as_str());
            assert!(
                is_known || is_optional || name.starts_with('_'),
                "{name} is not of HAR"
            );
        }
    };
    let pairs = |value: &Value| {
        for one in value.as_array().unwrap() {
            has(
                one,
                &[("name", Value::is_string), ("value", Value::is_string)],
            );
        }
    };
    let log = &archive["log"];
    has(
        log,
        &[
            ("version", Value::is_string),
            ("creator", Value::is_object),
            ("entries", Value::is_array),
        ],
    );
    assert_eq!(log["version"], "1.2");
    has(
        &log["creator"],
        &[("name", Value::is_string), ("version", Value::is_string)],
    );
    for entry in log["entries"].as_array().unwrap() {
        has(
            entry,
            &[
                ("startedDateTime", |time| {
                    time.as_str().unwrap().parse::<jiff::Timestamp>().is_ok()
                }),
                ("time", |time| time.as_f64().unwrap() >= 0.0),
                ("request", Value::is_object),
                ("response", Value::is_object),
                ("cache", Value::is_object),
                ("timings", Value::is_object),
            ],
        );
        let request = &entry["request"];
        has(
            request,
            &[
                ("method", Value::is_string),
                ("url", Value::is_string),
                ("httpVersion", Value::is_string),
                ("cookies", Value::is_array),
                ("headers", Value::is_array),
                ("queryString", Value::is_array),
                ("headersSize", Value::is_i64),
                ("bodySize", Value::is_i64),
            ],
        );
        pairs(&request["headers"]);
        pairs(&request["queryString"]);
        if let Some(data) = request.get("postData") {
            has(
                data,
                &[("mimeType", Value::is_string), ("text", Value::is_string)],
            );
        }
        let response = &entry["response"];
        has(
            response,
            &[
                ("status", Value::is_i64),
                ("statusText", Value::is_string),
                ("httpVersion", Value::is_string),
                ("cookies", Value::is_array),
                ("headers", Value::is_array),
                ("content", Value::is_object),
                ("redirectURL", Value::is_string),
                ("headersSize", Value::is_i64),
                ("bodySize", Value::is_i64),
            ],
        );
        pairs(&response["headers"]);
        has(
            &response["content"],
            &[("size", Value::is_i64), ("mimeType", Value::is_string)],
        );
        let timings = &entry["timings"];
        let part = |name: &str| timings[name].as_f64().unwrap();
        has(
            timings,
            &[
                ("send", Value::is_number),
                ("wait", Value::is_number),
                ("receive", Value::is_number),
            ],
        );
        let sum = part("send") + part("wait") + part("receive");
        assert!(
            (sum - entry["time"].as_f64().unwrap()).abs() < 0.001,
            "the parts are the whole"
        );
    }
}

#[test]
fn har_brings_its_operations_back() {
    let journal = a_session();
    let (bytes, _) = all(&journal, ExportForm::Har);
    let (again, notes) = brought_in(&bytes).unwrap();
    assert_eq!(notes, [""; 0]);
    // Findings are no part of HAR.
    assert_eq!(rows(&again), rows(&journal).replace(" ⚑1", ""));
    // And once more: nothing is added or lost by the way.
    let (twice, _) = all(&again, ExportForm::Har);
    assert_eq!(
        String::from_utf8(twice).unwrap(),
        String::from_utf8(bytes).unwrap()
    );
}

#[test]
fn har_of_browsers_is_understood() {
    let chrome = include_bytes!("har/chrome.har");
    let (journal, notes) = brought_in(chrome).unwrap();
    insta::assert_snapshot!(
        "chrome",
        format!("{}\n{}", rows_of_day(&journal), notes.join("\n"))
    );
    let firefox = include_bytes!("har/firefox.har");
    let (journal, notes) = brought_in(firefox).unwrap();
    insta::assert_snapshot!(
        "firefox",
        format!("{}\n{}", rows_of_day(&journal), notes.join("\n"))
    );
}

/// Rows of a file that tells of the day on which the tests' time begins.
fn rows_of_day(journal: &Journal) -> String {
    assert!(journal.summary().start_micros.unwrap() >= START);
    rows(journal)
}

#[test]
fn files_that_cannot_be_used_say_why_and_where() {
    let (lines, _) = all(&a_session(), ExportForm::JsonLines);
    let lines = String::from_utf8(lines).unwrap();
    let broken = lines.replacen(
        "\"what\":\"http_response\"",
        "\"what\":\"httq_response\"",
        1,
    );
    let newer = lines.replacen("\"version\":1", "\"version\":99", 1);
    let twice = format!("{lines}{lines}");
    let (har, _) = all(&a_session(), ExportForm::Har);
    let har = String::from_utf8(har).unwrap();
    let no_time = har.replacen("2026-05-28T20:26:40.040000Z", "yesterday", 1);
    let no_url = har.replacen("\"url\":", "\"uri\":", 2);
    let (recording, _) = all(&a_session(), ExportForm::Recording);
    let mut damaged = recording.clone();
    damaged.truncate(4);
    let told: Vec<String> = [
        &b""[..],
        b"no file of ours",
        b"\x1f\x8b\x08",
        &damaged,
        b"{\"a\":1}",
        b"{\"log\":{\"entries\":[]}}",
        b"{\"log\":{\"entries\":[{\"startedDateTime\":\"2026-01-01T00:00:00Z\",\"request\":{\"method\":\"GET\",\"url\":\"https://x.test/a.css\"},\"response\":{}}]}}",
        b"{\"log\":\xff}",
        b"\x89MCPR\r\n\x1a\xff\xff\xff\xff\0\0\0\0",
        broken.as_bytes(),
        newer.as_bytes(),
        twice.as_bytes(),
        no_time.as_bytes(),
        no_url.as_bytes(),
    ]
    .iter()
    .map(|bytes| match brought_in(bytes) {
        Ok(_) => panic!("{:?} was brought in", String::from_utf8_lossy(bytes)),
        Err(error) => error.split("/tmp/").map(|part| part.split_once("/file").map_or(part, |(_, rest)| rest)).collect::<Vec<_>>().join("FILE"),
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_was_cut_off_is_shown_as_far_as_it_goes() {
    let journal = a_session();
    let (lines, _) = all(&journal, ExportForm::JsonLines);
    let (again, notes) = brought_in(&lines[..lines.len() * 2 / 3]).unwrap();
    assert!(
        notes.join("").starts_with("The file was cut off in line "),
        "{notes:?}"
    );
    assert!(again.len() > 5 && again.len() < journal.len());
    let (again, notes) =
        brought_in(&lines[..lines.iter().rposition(|byte| *byte == b'{').unwrap()]).unwrap();
    assert_eq!(again.len(), 3.max(again.len()));
    assert!(!notes.is_empty());
    let (recording, _) = all(&journal, ExportForm::Recording);
    let (again, notes) = brought_in(&recording[..recording.len() * 2 / 3]).unwrap();
    assert!(
        notes.join(" ").contains("what came before is shown"),
        "{notes:?}"
    );
    assert!(again.len() > 5);
}

#[test]
fn the_page_lets_nothing_in_or_out() {
    let (bytes, _) = all(&with_stdio(), ExportForm::Page);
    let page = String::from_utf8(bytes).unwrap();
    let style = page
        .split("<style>")
        .nth(1)
        .unwrap()
        .split("</style>")
        .next()
        .unwrap();
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, style.as_bytes());
    let hash = format!("'sha256-{}'", BASE64_STANDARD.encode(digest));
    assert!(
        page.contains(&hash),
        "the policy lets the style through: {hash}"
    );
    assert!(page.contains("content=\"default-src 'none'; style-src "));
    assert!(
        !page.contains("<script") && !page.contains("style=\"") && !page.contains("unsafe-inline")
    );
    for tag in page.split('<').skip(1) {
        let name: String = tag
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '!')
            .collect();
        let known = "!doctype html head meta title style body h1 h2 h3 p i div span b small svg rect details summary pre ul li code";
        assert!(
            tag.starts_with('/') || known.split(' ').any(|one| one == name),
            "<{tag}"
        );
        let attributes = tag.split('>').next().unwrap();
        assert!(
            !attributes.contains(" on")
                && !attributes.contains("src=")
                && !attributes.contains("href="),
            "<{tag}"
        );
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(
        page.contains("⟨U+202E⟩evil"),
        "nothing turns the direction of writing around"
    );
    assert!(page.contains("bookings &lt;1&gt;"));
}

#[test]
fn the_summary_is_no_markup_of_a_server() {
    let (bytes, _) = all(&with_stdio(), ExportForm::Summary);
    let summary = String::from_utf8(bytes).unwrap();
    let (told, last) = summary.trim_end().rsplit_once('\n').unwrap();
    insta::assert_snapshot!(told);
    assert!(
        last.starts_with("Secrets are named where their values stood: `demo/token` ("),
        "{last}"
    );
}
