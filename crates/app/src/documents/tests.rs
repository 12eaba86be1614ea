#![allow(clippy::unwrap_used)]

use journal::event::{ConnectionId, Event, FrameRole};
use wire::frame::Direction;

use super::*;
use crate::api::documents::JsonKind;

fn with(carrier: Carrier, bytes: impl Into<Bytes>) -> (parking_lot::RwLock<Journal>, EventSeq) {
    let mut journal = Journal::create(None).unwrap();
    let seq = journal.append(Event {
        at_micros: 1,
        connection: ConnectionId(0),
        operation: None,
        body: EventBody::Frame {
            direction: Direction::Received,
            carrier,
            round: 1,
            attempt: 1,
            role: FrameRole::Reply,
            bytes: bytes.into(),
        },
    });
    (parking_lot::RwLock::new(journal), seq)
}

#[test]
fn a_large_body_is_laid_out_once_and_read_by_windows() {
    let items: Vec<String> = (0..200_000)
        .map(|n| format!(r#"{{"id":{n},"price":1.10,"name":"dish {n}"}}"#))
        .collect();
    let json = format!(
        r#"{{"jsonrpc":"2.0","result":{{"items":[{}]}}}}"#,
        items.join(",")
    );
    let (journal, seq) = with(Carrier::Line, json.clone());
    let documents = Documents::default();
    let document = documents.open(&journal, seq, true).unwrap();
    let (text, lines) = document.lines(BodyForm::Pretty, 80);
    assert_eq!(lines.count(), 200_000 * 5 + 7);
    let window = lines.window(&text, 500_005, 2);
    assert_eq!(window[0].text.trim(), r#""id": 100000,"#);
    assert_eq!(window[1].text.trim(), r#""price": 1.10,"#);

    let root = document.json_children(None, 0, 1).children.remove(0);
    let result = document.json_children(Some(0), 1, 1).children.remove(0);
    assert_eq!(
        (root.child_count, result.key.as_deref()),
        (2, Some("result"))
    );
    let at = |node: &crate::api::documents::JsonNode| usize::try_from(node.at).unwrap();
    let items = document
        .json_children(Some(at(&result)), 0, 9)
        .children
        .remove(0);
    assert_eq!((items.kind, items.child_count), (JsonKind::Array, 200_000));
    for start in [0, 511, 512, 199_990, 150_000, 3] {
        let part = document.json_children(Some(at(&items)), start, 2);
        assert_eq!(part.total, 200_000);
        let first = document.json_value(at(&part.children[0]));
        assert_eq!(
            first,
            format!(r#"{{"id":{start},"price":1.10,"name":"dish {start}"}}"#)
        );
    }
    let found = document.find_json("DISH 19999");
    assert_eq!(found.total, 11, "19999 and 199990 to 199999");
    assert_eq!(found.hits[0].way.len(), 4);
    assert_eq!(found.hits[0].way[2].index, 19_999);
    assert_eq!(lines.find(&text, "dish 19999").total, 11);

    let again = documents.open(&journal, seq, true).unwrap();
    assert!(Arc::ptr_eq(&document, &again), "kept");
}

#[test]
fn what_is_no_json_has_lines_and_no_tree() {
    let (journal, seq) = with(Carrier::Body, &b"<html>\xff\n<p>no</p>"[..]);
    let documents = Documents::default();
    let document = documents.open(&journal, seq, true).unwrap();
    assert!(!document.is_json && !document.is_utf8);
    assert_eq!(document.json_children(None, 0, 10).total, 0);
    let (text, lines) = document.lines(BodyForm::Pretty, 80);
    let window = lines.window(&text, 0, 9);
    assert_eq!(window[0].text, "<html>\u{fffd}");
    assert_eq!(window.len(), 2);
}

#[test]
fn the_message_in_an_event_of_a_stream_is_told_from_its_bytes() {
    let (journal, seq) = with(Carrier::SseEvent, "event: message\ndata: {\"a\":1}\n\n");
    let documents = Documents::default();
    let message = documents.open(&journal, seq, true).unwrap();
    assert_eq!(&message.bytes[..], b"{\"a\":1}");
    let raw = documents.open(&journal, seq, false).unwrap();
    let (text, lines) = raw.lines(BodyForm::Raw, 80);
    assert_eq!(lines.window(&text, 0, 9)[0].text, "event: message");
}

#[test]
fn few_bodies_are_kept() {
    let (journal, _) = with(Carrier::Line, "1");
    let documents = Documents::default();
    for _ in 0..10 {
        let event = journal.read().event(EventSeq(0)).unwrap();
        let seq = journal.write().append(event);
        documents.open(&journal, seq, true).unwrap();
    }
    assert_eq!(documents.kept.lock().len(), KEPT);
    assert!(documents.open(&journal, EventSeq(999), true).is_err());
}
