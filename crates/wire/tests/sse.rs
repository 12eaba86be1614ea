//! An event stream goes in, blocks come out; a block is read by the rules of the standard.

use std::borrow::Cow;

use proptest::prelude::*;
use wire::sse::{SseBlock, SseFields, SseSplitter, data, fields, read};

fn blocks(limit: usize, chunks: &[&[u8]]) -> Vec<SseBlock> {
    let mut splitter = SseSplitter::new(limit);
    let mut blocks = Vec::new();
    for chunk in chunks {
        blocks.extend(splitter.push(chunk));
    }
    blocks.extend(splitter.finish());
    blocks
}

/// The blocks of a stream as texts; every one must have ended.
fn texts(stream: &str) -> Vec<String> {
    let blocks = blocks(1000, &[stream.as_bytes()]);
    assert!(blocks.iter().all(|block| block.ended && !block.cut));
    blocks
        .into_iter()
        .map(|block| String::from_utf8_lossy(&block.raw).into_owned())
        .collect()
}

fn data_of(block: &str) -> Option<String> {
    let bytes = data(block.as_bytes())?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn a_blank_line_ends_a_block_whatever_the_line_endings() {
    assert_eq!(
        texts("data: a\n\ndata: b\n\n"),
        ["data: a\n\n", "data: b\n\n"]
    );
    assert_eq!(
        texts("data: a\r\n\r\ndata: b\r\n\r\n"),
        ["data: a\r\n\r\n", "data: b\r\n\r\n"]
    );
    assert_eq!(
        texts("data: a\r\rdata: b\r\r"),
        ["data: a\r\r", "data: b\r\r"]
    );
    assert_eq!(
        texts("id: 1\rdata: a\r\n\ndata: b\n\r\ndata: c\r\n\rdata: d\r\r"),
        [
            "id: 1\rdata: a\r\n\n",
            "data: b\n\r\n",
            "data: c\r\n\r",
            "data: d\r\r"
        ]
    );
}

#[test]
fn blank_lines_before_an_event_belong_to_it() {
    assert_eq!(
        texts("\n\r\n\rdata: a\n\n\n\n: b\n\n"),
        ["\n\r\n\rdata: a\n\n", "\n\n: b\n\n"]
    );
    assert_eq!(data_of("\n\r\n\rdata: a\n\n").as_deref(), Some("a"));
    assert_eq!(texts("\n\n\n"), [""; 0]);
}

#[test]
fn a_block_is_given_as_soon_as_its_blank_line_is_complete() {
    let mut splitter = SseSplitter::new(1000);
    assert_eq!(splitter.push(b"data: a\n"), []);
    assert_eq!(splitter.push(b"\n").len(), 1);
    assert_eq!(splitter.push(b"data: b\r\n\r\n").len(), 1);
    // In a stream of lone carriage returns the second one is the blank line.
    assert_eq!(splitter.push(b"data: c\r\r").len(), 1);
    // In a stream of CRLF it is half of one.
    assert_eq!(splitter.push(b"data: d\r\n\r"), []);
    let given = splitter.push(b"\n");
    assert_eq!(given.len(), 1);
    assert_eq!(given[0].raw, "data: d\r\n\r\n");
}

#[test]
fn the_end_of_the_stream_tells_a_whole_block_from_an_incomplete_one() {
    let whole = blocks(1000, &[b"data: a\r\n\r"]);
    assert!(whole[0].ended);
    let incomplete = blocks(1000, &[b"data: a\n\ndata: {\"jsonrpc\"\n"]);
    assert_eq!(incomplete.len(), 2);
    assert_eq!(incomplete[1].raw, "data: {\"jsonrpc\"\n");
    assert!(!incomplete[1].ended);
}

#[test]
fn a_byte_order_mark_is_kept_in_the_record_and_skipped_in_reading() {
    assert_eq!(texts("\u{feff}data: a\n\n"), ["\u{feff}data: a\n\n"]);
    assert_eq!(data_of("\u{feff}data: a\n\n").as_deref(), Some("a"));
    // Behind it a blank line is blank: the block does not end before it began.
    assert_eq!(texts("\u{feff}\ndata: a\n\n"), ["\u{feff}\ndata: a\n\n"]);
    // Later in the stream it is content, and a blank line ends the block that it is.
    let later = blocks(1000, &[b"data: x\n\n", "\u{feff}\n\n".as_bytes()]);
    assert_eq!(later.len(), 2);
    assert!(read(&later[1].raw).is_whole);
    // Half a mark is content.
    let half = blocks(1000, &[b"\xEF\xBB", b"\n\n"]);
    assert_eq!(half.len(), 1);
    assert!(half[0].ended);
}

#[test]
fn every_byte_may_be_the_end_of_a_chunk() {
    let stream = "\u{feff}: hello\r\n\r\nevent: message\ndata: {\"text\":\"世界\"}\nid: 7\n\n\
                  data: one\rdata: two\r\r\r\ndata\n\r\nretry: 10\r\n\ndata: cut off";
    let stream = stream.as_bytes();
    let expected = blocks(1000, &[stream]);
    assert_eq!(expected.len(), 6);
    for first in 0..=stream.len() {
        for second in first..=stream.len() {
            let chunks = [&stream[..first], &stream[first..second], &stream[second..]];
            assert_eq!(
                blocks(1000, &chunks),
                expected,
                "cut at {first} and {second}"
            );
        }
    }
}

#[test]
fn a_block_longer_than_the_limit_comes_in_marked_parts() {
    let given = blocks(8, &[b"data: 0123456789\n\nid: 1\n\n"]);
    let seen: Vec<_> = given
        .iter()
        .map(|block| (&block.raw[..], block.cut, block.ended))
        .collect();
    assert_eq!(
        seen,
        [
            (&b"data: 01"[..], true, false),
            (b"23456789", true, false),
            (b"\n\n", true, true),
            (b"id: 1\n\n", false, true),
        ]
    );
}

#[test]
fn lines_of_data_are_joined_and_one_line_is_borrowed() {
    assert_eq!(
        data_of("data: a\ndata: b\r\ndata:  c\n\n").as_deref(),
        Some("a\nb\n c")
    );
    assert!(matches!(
        data(b"id: 1\ndata:{}\n\n"),
        Some(Cow::Borrowed(b"{}"))
    ));
    assert_eq!(data_of("data\n\n").as_deref(), Some(""));
    assert_eq!(data_of("data\ndata\n\n").as_deref(), Some("\n"));
    assert_eq!(data_of(": ping\n\n"), None);
    assert_eq!(data_of("database: x\nDATA: y\n data: z\n\n"), None);
}

#[test]
fn the_other_fields_follow_the_standard() {
    let read = |text: &str| fields(text.as_bytes());
    assert_eq!(
        read(": a\n:b\nevent: first\nevent: message\nid: 42\nretry: 3000\ndata: x\nextra: y\n\n"),
        SseFields {
            event: Some("message".to_owned()),
            data: Some(b"x".to_vec()),
            id: Some("42".to_owned()),
            retry_millis: Some(3000),
            comments: 2,
        }
    );
    assert_eq!(read("id: a\0b\n\n").id, None);
    assert_eq!(read("id: a\nid: b\0\n\n").id.as_deref(), Some("a"));
    assert_eq!(read("id\n\n").id.as_deref(), Some(""));
    assert_eq!(read("event:\n\n").event, None);
    for odd in [
        "retry: -1",
        "retry: 1.5",
        "retry:",
        "retry:  7",
        "retry: 99999999999999999999",
    ] {
        assert_eq!(read(odd).retry_millis, None, "{odd}");
    }
    assert_eq!(
        fields(b"event: \xff\n\n").event.as_deref(),
        Some("\u{fffd}")
    );
    assert_eq!(read(""), SseFields::default());
}

#[test]
fn a_block_alone_tells_whether_the_stream_broke_off_inside_it() {
    for whole in [
        "data: a\n\n",
        "\n\r\nid: 1\r\r",
        "data: a\r\n\r",
        ": ping\n\n",
    ] {
        assert!(read(whole.as_bytes()).is_whole, "{whole:?}");
    }
    for cut in ["", "\n\n", "data: a", "data: a\n", "\n\ndata: a\r\n"] {
        assert!(!read(cut.as_bytes()).is_whole, "{cut:?}");
    }
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\n\n".to_vec()),
        Just(b"data: x".to_vec()),
        Just(b":".to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// The standard's own steps over a whole stream: the data of each event that is dispatched.
fn dispatched_by_the_standard(stream: &str) -> Vec<String> {
    let stream = stream.strip_prefix('\u{feff}').unwrap_or(stream);
    let stream = stream.replace("\r\n", "\n").replace('\r', "\n");
    let Some((complete, _)) = stream.rsplit_once('\n') else {
        return Vec::new();
    };
    let mut dispatched = Vec::new();
    let mut buffer = String::new();
    for line in complete.split('\n') {
        if line.is_empty() {
            if !buffer.is_empty() {
                buffer.pop();
                dispatched.push(std::mem::take(&mut buffer));
            }
            continue;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        if name == "data" {
            buffer.push_str(value.strip_prefix(' ').unwrap_or(value));
            buffer.push('\n');
        }
    }
    dispatched
}

proptest! {
    #[test]
    fn the_events_are_those_of_the_standard(
        stream in "\u{feff}?(data|data:|data: |: |id: 7|x|世|\n|\r|\r\n|\n\n|\r\n\r\n){0,30}",
    ) {
        let read: Vec<String> = blocks(1000, &[stream.as_bytes()])
            .iter()
            .filter(|block| block.ended)
            .filter_map(|block| data(&block.raw))
            .map(|data| String::from_utf8_lossy(&data).into_owned())
            .collect();
        prop_assert_eq!(read, dispatched_by_the_standard(&stream));
    }

    #[test]
    fn any_chunking_gives_the_same_blocks(
        stream in stream(),
        cut in any::<prop::sample::Index>(),
        limit in prop_oneof![1_usize..30, Just(1000)],
    ) {
        let expected = blocks(limit, &[&stream]);
        let (left, right) = stream.split_at(cut.index(stream.len() + 1));
        prop_assert_eq!(&blocks(limit, &[left, right]), &expected);
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        prop_assert_eq!(&blocks(limit, &bytes), &expected);
    }

    #[test]
    fn the_blocks_one_after_the_other_are_the_stream(
        stream in stream(),
        limit in prop_oneof![1_usize..30, Just(1000)],
    ) {
        let given = blocks(limit, &[&stream]);
        prop_assert!(given.iter().all(|block| block.raw.len() <= limit));
        let together: Vec<u8> = given.iter().flat_map(|block| block.raw.to_vec()).collect();
        // Only blank lines at the very end are no block.
        prop_assert!(stream.starts_with(&together));
        let left = &stream[together.len()..];
        prop_assert!(left.iter().all(|byte| b"\r\n\xEF\xBB\xBF".contains(byte)));
    }

    #[test]
    fn a_block_is_whole_when_its_blank_line_came(stream in stream()) {
        for block in blocks(1_000_000, &[&stream]) {
            prop_assert_eq!(read(&block.raw).is_whole, block.ended, "{:?}", block);
        }
    }

    #[test]
    fn reading_any_bytes_agrees_with_itself(raw in stream()) {
        prop_assert_eq!(fields(&raw).data, data(&raw).map(Cow::into_owned));
    }
}
