//! A stdio stream goes in, lines come out.

use proptest::prelude::*;
use wire::line::{Line, LineSplitter};

/// What the splitter gives for a stream that arrives in these chunks, as `(text, cut)`.
fn lines(limit: usize, chunks: &[&[u8]]) -> Vec<(String, bool)> {
    let mut splitter = LineSplitter::new(limit);
    let mut lines = Vec::new();
    for chunk in chunks {
        lines.extend(splitter.push(chunk));
    }
    lines.extend(splitter.finish());
    lines
        .into_iter()
        .map(|Line { bytes, cut }| (String::from_utf8_lossy(&bytes).into_owned(), cut))
        .collect()
}

fn whole(lines: &[&str]) -> Vec<(String, bool)> {
    lines.iter().map(|&line| (line.to_owned(), false)).collect()
}

fn parts(lines: &[&str]) -> Vec<(String, bool)> {
    lines.iter().map(|&line| (line.to_owned(), true)).collect()
}

#[test]
fn both_line_endings_are_dropped_and_empty_lines_are_kept() {
    assert_eq!(
        lines(100, &[b"one\ntwo\r\n\n\r\nfive\n"]),
        whole(&["one", "two", "", "", "five"])
    );
}

#[test]
fn a_carriage_return_within_a_line_belongs_to_it() {
    assert_eq!(
        lines(100, &[b"progress 1%\rprogress 2%\r\r\n"]),
        whole(&["progress 1%\rprogress 2%\r"])
    );
}

#[test]
fn a_line_is_given_as_soon_as_it_ends() {
    let mut splitter = LineSplitter::new(100);
    assert_eq!(splitter.push(b"{\"id\""), []);
    assert_eq!(splitter.pending_len(), 5);
    let lines = splitter.push(b":1}\n{");
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].bytes, "{\"id\":1}");
    assert_eq!(splitter.pending_len(), 1);
}

#[test]
fn the_end_of_the_stream_ends_the_last_line() {
    assert_eq!(
        lines(100, &[b"one\nlast words"]),
        whole(&["one", "last words"])
    );
    assert_eq!(lines(100, &[b"one\nlast\r"]), whole(&["one", "last"]));
    assert_eq!(lines(100, &[b"one\n"]), whole(&["one"]));
    assert_eq!(lines(100, &[b""]), whole(&[]));
}

#[test]
fn a_character_may_arrive_in_pieces() {
    let text = "{\"text\":\"世界\"}\n".as_bytes();
    for at in 0..text.len() {
        let (left, right) = text.split_at(at);
        assert_eq!(lines(100, &[left, right]), whole(&["{\"text\":\"世界\"}"]));
    }
}

#[test]
fn a_line_longer_than_the_limit_comes_in_marked_parts() {
    let expected = [
        whole(&["ok"]),
        parts(&["abcd", "efgh", "i"]),
        whole(&["fine"]),
    ]
    .concat();
    assert_eq!(lines(4, &[b"ok\nabcdefghi\r\nfine\r\n"]), expected);
    assert_eq!(
        lines(4, &[b"ok\nabc", b"defg", b"hi\r", b"\nfine\r\n"]),
        expected
    );
}

#[test]
fn a_part_is_given_before_the_long_line_ends() {
    let mut splitter = LineSplitter::new(4);
    let given = splitter.push(b"abcdefghi");
    assert_eq!(given.len(), 2);
    assert!(given.iter().all(|line| line.cut));
    assert_eq!(splitter.pending_len(), 1);
}

#[test]
fn a_line_of_exactly_the_limit_is_whole_whatever_its_ending() {
    assert_eq!(lines(4, &[b"abcd\nabcd\r\nabcd"]), whole(&["abcd"; 3]));
    assert_eq!(lines(4, &[b"abcd\r", b"\n"]), whole(&["abcd"]));
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r".to_vec()),
        prop::collection::vec(any::<u8>(), 0..12),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_lines(
        stream in stream(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        limit in 1_usize..30,
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.push(stream.len());
        let mut chunks = Vec::new();
        let mut from = 0;
        for cut in cuts {
            chunks.push(&stream[from..cut]);
            from = cut;
        }
        prop_assert_eq!(lines(limit, &chunks), lines(limit, &[&stream]));
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        prop_assert_eq!(lines(limit, &bytes), lines(limit, &[&stream]));
    }

    #[test]
    fn no_part_is_longer_than_the_limit_and_no_byte_is_lost(
        stream in stream(),
        limit in 1_usize..30,
    ) {
        let mut splitter = LineSplitter::new(limit);
        let mut given = splitter.push(&stream);
        given.extend(splitter.finish());
        prop_assert!(given.iter().all(|line| line.bytes.len() <= limit));
        let content = |bytes: &[u8]| -> Vec<u8> {
            bytes.iter().copied().filter(|byte| !b"\r\n".contains(byte)).collect()
        };
        let together: Vec<u8> = given.iter().flat_map(|line| content(&line.bytes)).collect();
        prop_assert_eq!(together, content(&stream));
    }
}
