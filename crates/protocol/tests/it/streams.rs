//! A stream's place over its reconnections.

use protocol::stream::{Cursor, RETRY_MILLIS, Reconnection};

fn hear(cursor: &mut Cursor, blocks: &[&str]) {
    for block in blocks {
        cursor.take(&wire::sse::read(block.as_bytes()));
    }
}

fn wait(cursor: &mut Cursor) -> u64 {
    match cursor.ended(0.0) {
        Reconnection::After(millis) => millis,
        Reconnection::GivenUp(times) => panic!("given up after {times}"),
    }
}

#[test]
fn the_wait_is_the_servers_and_the_id_the_last_whole_one() {
    let mut cursor = Cursor::default();
    hear(&mut cursor, &["id: e1\nretry: 500\ndata:\n\n"]);
    assert_eq!(cursor.last_event_id(), Some("e1"));
    assert_eq!(wait(&mut cursor), 500);
    // Cut before a new id: the old one holds, and so does the wait.
    hear(
        &mut cursor,
        &[": hello\n\n", "data: {}\n\n", "id: e2\ndata: {}"],
    );
    assert_eq!(cursor.last_event_id(), Some("e1"));
    assert_eq!(wait(&mut cursor), 500);
    // `retry` counts as soon as its line is there, and an empty id takes the id back.
    hear(&mut cursor, &["id\ndata: {}\n\n", "retry: 70\n"]);
    assert_eq!(cursor.last_event_id(), None);
    assert_eq!(wait(&mut cursor), 100, "not without end");
}

#[test]
fn a_stream_that_brings_nothing_backs_off_and_is_given_up() {
    let mut cursor = Cursor::default();
    hear(&mut cursor, &["id: e1\ndata: {}\n\n"]);
    assert_eq!(wait(&mut cursor), RETRY_MILLIS);
    let waits: Vec<u64> = (0..4).map(|_| wait(&mut cursor)).collect();
    assert_eq!(waits, [2_000, 4_000, 8_000, 16_000]);
    assert_eq!(cursor.ended(0.0), Reconnection::GivenUp(5));

    // A message makes up for all of it; comments do not.
    let mut cursor = Cursor::default();
    assert_eq!(wait(&mut cursor), 2_000);
    hear(&mut cursor, &[": ping\n\n"]);
    assert_eq!(wait(&mut cursor), 4_000);
    hear(&mut cursor, &["data: {}\n\n"]);
    assert_eq!(wait(&mut cursor), RETRY_MILLIS);
}

#[test]
fn a_server_that_wants_to_be_polled_is_and_not_for_ever_at_once() {
    let mut cursor = Cursor::default();
    let mut waits = Vec::new();
    for poll in 0..30 {
        hear(&mut cursor, &[&format!("id: e{poll}\nretry: 0\ndata:\n\n")]);
        waits.push(wait(&mut cursor));
    }
    assert_eq!(waits[..20], [100; 20]);
    assert_eq!(waits[20..23], [200, 400, 800]);
    assert_eq!(waits[29], 60_000);
}

#[test]
fn jitter_only_lengthens_and_a_long_retry_is_obeyed() {
    let mut cursor = Cursor::default();
    assert_eq!(cursor.ended(1.0), Reconnection::After(2_500));
    let mut cursor = Cursor::default();
    hear(&mut cursor, &["retry: 3600000\n\n"]);
    assert_eq!(cursor.ended(0.5), Reconnection::After(3_600_000));
}
