//! What holds of every codec for every input: found inputs that are worth keeping lie in `corpus/` and run each time.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use wire::header::{decode_value, encode_value};
use wire::line::{Line, LineSplitter};
use wire::message::{Id, IdMatch, MessageKind, mend, read};
use wire::pretty::{hex, layout};
use wire::sse::{SseBlock, SseSplitter, fields};

/// The inputs that were kept, with their names.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut inputs: Vec<_> = fs::read_dir(folder)
        .expect("the corpus")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            (name, fs::read(path).expect("bytes"))
        })
        .collect();
    inputs.sort();
    inputs
}

fn lines(limit: usize, chunks: &[&[u8]]) -> Vec<Line> {
    let mut splitter = LineSplitter::new(limit);
    let mut lines: Vec<_> = chunks
        .iter()
        .flat_map(|chunk| splitter.push(chunk))
        .collect();
    lines.extend(splitter.finish());
    assert_eq!(splitter.pending_len(), 0);
    lines
}

fn blocks(limit: usize, chunks: &[&[u8]]) -> Vec<SseBlock> {
    let mut splitter = SseSplitter::new(limit);
    let mut blocks: Vec<_> = chunks
        .iter()
        .flat_map(|chunk| splitter.push(chunk))
        .collect();
    blocks.extend(splitter.finish());
    assert_eq!(splitter.pending_len(), 0);
    blocks
}

/// The bytes cut at these places.
fn cut<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.sort_unstable();
    places.push(bytes.len());
    let mut from = 0;
    let mut chunks = Vec::new();
    for place in places {
        chunks.push(&bytes[from..place]);
        from = place;
    }
    chunks
}

/// The lines of a stream, read from the whole of it.
fn lines_of_the_whole(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = bytes
        .split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
        .collect();
    // What follows the last line ending is a line only if it is there. A `\r` alone is.
    if bytes.last().is_none_or(|&byte| byte == b'\n') {
        lines.pop();
    }
    lines
}

/// An event as it is dispatched: its type, its data, and the last id.
type Dispatched = (String, Vec<u8>, String);

/// The events of a stream and the last reconnection time, read from the whole of it by the steps of the standard
/// (WHATWG HTML § 9.2.6).
fn events_of_the_whole(bytes: &[u8]) -> (Vec<Dispatched>, Option<u64>) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut lines = vec![Vec::new()];
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'\r' => {
                rest.next_if_eq(&b'\n');
                lines.push(Vec::new());
            }
            b'\n' => lines.push(Vec::new()),
            _ => lines.last_mut().expect("a line").push(byte),
        }
    }
    // The stream breaks off within the last one, but that it says a reconnection time still counts here as there.
    let broken_off = lines.len() - 1;
    let (mut dispatched, mut retry, mut last_retry) = (Vec::new(), None, None);
    let (mut kind, mut data, mut id) = (String::new(), Vec::new(), String::new());
    let mut id_seen = String::new();
    for (index, line) in lines.iter().enumerate() {
        if line.is_empty() {
            if index == broken_off {
                break;
            }
            id.clone_from(&id_seen);
            last_retry = retry.take().or(last_retry);
            if !data.is_empty() {
                data.pop();
                let data = std::mem::take(&mut data);
                dispatched.push((std::mem::take(&mut kind), data, id.clone()));
            }
            kind.clear();
            continue;
        }
        let colon = line.iter().position(|&byte| byte == b':');
        let (name, value) = match colon {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (&line[..], &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = String::from_utf8_lossy(value).into_owned();
        match name {
            b"event" => kind = text,
            b"data" => {
                data.extend_from_slice(value);
                data.push(b'\n');
            }
            b"id" if !value.contains(&0) => id_seen = text,
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                // A time beyond 64 bits is none.
                retry = text.parse().ok();
            }
            _ => {}
        }
    }
    (dispatched, retry.or(last_retry))
}

/// The same from blocks.
fn events_of_blocks(blocks: &[SseBlock]) -> (Vec<Dispatched>, Option<u64>) {
    let (mut dispatched, mut retry) = (Vec::new(), None);
    let mut id = String::new();
    for block in blocks {
        let fields = fields(&block.raw);
        retry = fields.retry_millis.or(retry);
        if !block.ended {
            continue;
        }
        id = fields.id.unwrap_or(id);
        if let Some(data) = fields.data {
            dispatched.push((fields.event.unwrap_or_default(), data, id.clone()));
        }
    }
    (dispatched, retry)
}

/// Everything that must hold of an input, whatever it is.
fn check(bytes: &[u8], chunks: &[&[u8]]) {
    for limit in [1, 7, 1_000_000] {
        let whole = lines(limit, &[bytes]);
        assert_eq!(lines(limit, chunks), whole, "lines of at most {limit}");
        let whole = blocks(limit, &[bytes]);
        assert_eq!(blocks(limit, chunks), whole, "events of at most {limit}");
        let together: Vec<u8> = whole.iter().flat_map(|block| block.raw.to_vec()).collect();
        assert!(bytes.starts_with(&together));
        let left = &bytes[together.len()..];
        assert!(left.iter().all(|byte| b"\r\n\xEF\xBB\xBF".contains(byte)));
    }
    let whole: Vec<Vec<u8>> = lines(1_000_000, chunks)
        .into_iter()
        .map(|line| line.bytes.to_vec())
        .collect();
    assert_eq!(whole, lines_of_the_whole(bytes));
    // A mark within a stream is content there, and is skipped where a block begins with it: see `fields`.
    let has_mark_within = bytes
        .windows(3)
        .skip(1)
        .any(|window| window == b"\xEF\xBB\xBF");
    if !has_mark_within {
        assert_eq!(
            events_of_blocks(&blocks(1_000_000, chunks)),
            events_of_the_whole(bytes)
        );
    }
    check_message(bytes);
    check_layout(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        check_header(text);
    }
}

fn check_message(bytes: &[u8]) {
    for message in read(bytes).messages() {
        match &message.kind {
            MessageKind::NotProtocol { reason } => assert!(!reason.is_empty()),
            MessageKind::Result { id, result } => {
                assert!(is_within(id.token(), bytes) && is_within(result.get(), bytes));
            }
            MessageKind::Request { id, params, .. } => {
                assert!(is_within(id.token(), bytes));
                assert!(params.is_none_or(|params| is_within(params.get(), bytes)));
            }
            MessageKind::Notification { params, .. } => {
                assert!(params.is_none_or(|params| is_within(params.get(), bytes)));
            }
            MessageKind::Error { id, .. } => {
                assert!(id.is_none_or(|id| is_within(id.token(), bytes)));
            }
        }
        assert!(
            message
                .problems
                .iter()
                .all(|problem| !problem.what.is_empty())
        );
    }
    if let Some(mended) = mend(bytes) {
        assert!(std::str::from_utf8(bytes).is_err());
        assert!(std::str::from_utf8(&mended).is_ok());
        assert!(mend(&mended).is_none());
    }
}

/// Whether the text is a part of the bytes themselves, not a copy.
fn is_within(text: &str, bytes: &[u8]) -> bool {
    bytes.as_ptr_range().contains(&text.as_ptr())
        && text.as_bytes().as_ptr_range().end <= bytes.as_ptr_range().end
}

fn check_layout(bytes: &[u8]) {
    assert_eq!(hex(bytes).lines().count(), bytes.len().div_ceil(16));
    if let Some(text) = layout(bytes) {
        assert_eq!(layout(text.as_bytes()).as_deref(), Some(text.as_str()));
    }
}

fn check_header(text: &str) {
    let value = encode_value(text);
    assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')));
    assert_eq!(decode_value(&value).as_deref(), Ok(text));
    match decode_value(text) {
        Ok(meant) => assert_eq!(decode_value(&encode_value(&meant)), Ok(meant)),
        Err(problem) => assert!(!problem.is_empty()),
    }
}

#[test]
fn the_corpus() {
    let inputs = corpus();
    assert!(inputs.len() > 30, "the corpus is not there");
    for (name, bytes) in inputs {
        println!("{name}");
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        check(&bytes, &single);
        // Each place to cut a small one; a large one takes its time.
        let step = bytes.len() / 100 + 1;
        for at in (0..=bytes.len()).step_by(step * step) {
            let (left, right) = bytes.split_at(at);
            check(&bytes, &[left, right]);
        }
    }
}

/// Any bytes, more often than chance would have it those that codecs look for.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let token = prop::sample::select(vec![
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        ":",
        " ",
        "data",
        "data: ",
        "event: ",
        "id: ",
        "retry: ",
        "7",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\"",
        "\\",
        "\\u0000",
        "\"jsonrpc\":\"2.0\"",
        "\"id\":",
        "\"x\"",
        "\"method\":",
        "\"params\":",
        "\"result\":",
        "\"error\":",
        "null",
        "-1e400",
        "=?base64?",
        "?=",
        "SGk=",
        "世",
        "\0",
        "\u{feff}",
    ]);
    let piece = prop_oneof![
        4 => token.prop_map(|token| token.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A message of the protocol with its id.
fn message() -> impl Strategy<Value = (serde_json::Value, Vec<u8>)> {
    let id = prop_oneof![
        any::<u64>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
    ];
    (id, "\\PC{0,12}", 0..3).prop_map(|(id, text, kind)| {
        let mut message = serde_json::json!({ "jsonrpc": "2.0", "id": id });
        match kind {
            0 => {
                message["method"] = text.clone().into();
                message["params"] = serde_json::json!({ "text": text });
            }
            1 => message["result"] = serde_json::json!({ "text": text }),
            _ => message["error"] = serde_json::json!({ "code": -1, "message": text }),
        }
        (id, message.to_string().into_bytes())
    })
}

proptest! {
    #[test]
    fn every_input_is_taken_and_however_it_is_cut(
        bytes in input(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        check(&bytes, &cut(&bytes, &cuts));
    }

    #[test]
    fn a_message_that_was_damaged_on_its_way_is_taken(
        (_, mut bytes) in message(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        len in any::<prop::sample::Index>(),
    ) {
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(len.index(bytes.len() + 1));
        check_message(&bytes);
    }

    #[test]
    fn an_id_comes_back_as_it_was_written((id, bytes) in message()) {
        let reading = read(&bytes);
        let [message] = reading.messages() else {
            panic!("one message");
        };
        prop_assert!(message.problems.is_empty(), "{:?}", message.problems);
        let token = id.to_string();
        prop_assert_eq!(message.kind.id(), Some(Id(&token)));
        prop_assert_eq!(Id(&token).as_u64_exact(), id.as_u64());
    }

    #[test]
    fn a_reply_fits_its_own_request_only(sent in any::<u64>(), other in any::<u64>()) {
        let token = sent.to_string();
        prop_assert_eq!(Id(&token).matches(sent), IdMatch::Exact);
        let quoted = format!("\"{sent}\"");
        prop_assert_eq!(Id(&quoted).matches(sent), IdMatch::Loose);
        if other != sent {
            prop_assert_eq!(Id(&token).matches(other), IdMatch::No);
            prop_assert_eq!(Id(&quoted).matches(other), IdMatch::No);
        }
    }

    #[test]
    fn an_id_of_any_form_is_compared(token in "\\PC{0,12}|-?[0-9]{1,20}(\\.[0-9]{1,3})?([eE]-?[0-9]{1,3})?", sent in any::<u64>()) {
        // That it is no number is not that it fits.
        let fits = Id(&token).matches(sent) != IdMatch::No;
        let digits = token.bytes().any(|byte| byte.is_ascii_digit());
        prop_assert!(!fits || digits);
    }

    #[test]
    fn a_header_of_any_form_is_read(text in any::<String>(), inner in "[A-Za-z0-9+/= ]{0,12}") {
        check_header(&text);
        check_header(&format!("=?base64?{inner}?="));
    }
}
