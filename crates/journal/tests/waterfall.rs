//! What the waterfall and its map of the whole session are drawn from.

mod common;

use common::{START, Writer, frame, unfolded};
use journal::event::{EventBody, FrameRole, OperationEnd, OperationId};
use journal::row::{Filter, Row, SpanKind};
use journal::tree::DENSITY_BUCKETS;
use journal::view::View;
use wire::frame::Direction;

fn poll(writer: &mut Writer, at: u64, operation: u32, number: u32) {
    let place = (1 + number, 1);
    writer.append(
        at - 100,
        Some(operation),
        EventBody::WaitStarted {
            reason: "the task".into(),
        },
    );
    let label = format!("poll {number}");
    writer.labelled_attempt(at, operation, place, 10 + number, Some(&label));
    writer.reply(at + 2, operation, place, "complete");
}

fn labels(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| row.label.as_str()).collect()
}

#[test]
fn polls_in_a_row_are_one_row_and_a_prompt_parts_them() {
    let mut writer = Writer::in_memory();
    let call = writer.start(0, "tools/call", Some("import_menu"));
    writer.attempt(0, call, (1, 1), 1);
    writer.reply(5, call, (1, 1), "task");
    for number in 1..=7 {
        poll(&mut writer, u64::from(number) * 1000, call, number);
    }
    writer.ask(7500, Some(call), 1, "Which menu?");
    writer.answer(7800, Some(call), 1, "accepted");
    for number in 8..=12 {
        poll(&mut writer, u64::from(number) * 1000, call, number);
    }
    writer.end(12_500, call, OperationEnd::Complete);

    let rows = unfolded(&writer.journal, Filter::All);
    assert_eq!(
        labels(&rows),
        [
            "tools/call",
            "round 1 · id 1",
            "7 polls",
            "elicitation: “Which menu?”",
            "5 polls"
        ]
        .map(|label| label.replace("elicitation", "form"))
    );
    assert_eq!(rows[0].chips, ["12 polls"]);
    assert_eq!(rows[0].child_count, 4);
    let first = &rows[2];
    assert_eq!(
        (first.start_micros, first.end_micros),
        (START + 1_000_000, Some(START + 7_002_000))
    );
    let waited: u64 = first
        .spans
        .iter()
        .filter(|span| span.kind == SpanKind::Time)
        .map(|span| span.end_micros.unwrap() - span.start_micros)
        .sum();
    assert_eq!(waited, 700_000, "seven waits of 100 ms");
    // The row is about the last of its polls; each of them can be looked at.
    assert_eq!(
        writer.journal.exchange_index(first.key.parse().unwrap()),
        Some(7)
    );
    assert_eq!(
        writer.journal.exchanges(OperationId(call)).unwrap().len(),
        13
    );
    assert!(rows.iter().all(|row| row.spans.len() <= 64));
}

#[test]
fn a_finding_in_a_later_poll_shows_in_the_polls_row() {
    let mut writer = Writer::in_memory();
    let call = writer.start(0, "tools/call", None);
    writer.attempt(0, call, (1, 1), 1);
    writer.reply(5, call, (1, 1), "task");
    poll(&mut writer, 1000, call, 1);
    poll(&mut writer, 2000, call, 2);
    let seen = writer.append(
        2001,
        Some(call),
        frame(Direction::Received, (3, 1), FrameRole::Orphan, b"{}"),
    );
    writer.find(2001, Some(call), Some(seen));
    let rows = unfolded(&writer.journal, Filter::All);
    let polls = rows.iter().find(|row| row.label == "2 polls").unwrap();
    let own = rows.iter().find(|row| row.event == Some(seen));
    assert_eq!(
        polls.finding_count + own.map_or(0, |row| row.finding_count),
        1
    );
}

#[test]
fn a_retry_says_why_it_is_one_and_how_long_was_waited() {
    let mut writer = Writer::in_memory();
    let call = writer.start(0, "tools/call", None);
    writer.attempt(0, call, (1, 1), 1);
    writer.transport_error(20, call, (1, 1), "HTTP 503");
    writer.append(
        20,
        Some(call),
        EventBody::WaitStarted {
            reason: "HTTP 503".into(),
        },
    );
    writer.attempt(520, call, (1, 2), 2);
    writer.reply(540, call, (1, 2), "complete");
    let rows = unfolded(&writer.journal, Filter::All);
    assert_eq!(
        rows[2].detail.as_deref(),
        Some("after HTTP 503, waited 500 ms")
    );
    let exchanges = writer.journal.exchanges(OperationId(call)).unwrap();
    assert_eq!(exchanges[0].cause, None);
    assert_eq!(exchanges[1].cause.as_deref(), Some("HTTP 503"));
    assert_eq!(exchanges[1].waited_micros, Some(500_000));
}

#[test]
fn density_counts_every_event_once_however_long_the_session() {
    let mut writer = Writer::in_memory();
    let mut errors = 0;
    for index in 0..20_000_u64 {
        // From microseconds apart to hours: the buckets have to grow many times.
        let at = index * index / 40;
        if index % 1000 == 0 {
            writer.noise(at, None, b"noise");
            errors += 1;
        } else {
            writer.stderr(at, None, "a line");
        }
        let density = writer.journal.tree().density();
        if index % 997 == 0 {
            let total: u64 = density.events().iter().map(|count| u64::from(*count)).sum();
            assert_eq!(total, u64::from(writer.journal.len()));
        }
    }
    let density = writer.journal.tree().density();
    assert!(density.events().len() <= DENSITY_BUCKETS);
    assert!(
        density.events().len() > DENSITY_BUCKETS / 2,
        "the buckets stay fine"
    );
    assert_eq!(density.errors().iter().sum::<u32>(), errors);
    assert_eq!(density.start_micros(), START);
    let end = density.start_micros() + density.bucket_micros() * density.events().len() as u64;
    assert!(density.last_micros() < end && density.last_micros() + density.bucket_micros() >= end);
}

#[test]
fn density_bears_clocks_that_jump() {
    let mut writer = Writer::in_memory();
    writer.stderr(1000, None, "later than the connection");
    writer.append(
        0,
        None,
        EventBody::Stderr {
            bytes: "now".into(),
        },
    );
    for at in [u64::MAX / 1000 - START / 1000 - 1, 5] {
        writer.stderr(at, None, "far away, and back");
    }
    let density = writer.journal.tree().density();
    assert_eq!(density.events().iter().sum::<u32>(), writer.journal.len());
    assert!(density.events().len() <= DENSITY_BUCKETS);
}

#[test]
fn the_rows_at_a_time_are_found_in_any_filter() {
    let mut writer = Writer::in_memory();
    for index in 0..1000 {
        let call = writer.start(index * 10, "tools/call", None);
        writer.attempt(index * 10, call, (1, 1), 1);
        writer.reply(index * 10 + 1, call, (1, 1), "complete");
        if index % 10 == 0 {
            writer.fail(index * 10 + 2, call, "error 1");
        } else {
            writer.end(index * 10 + 2, call, OperationEnd::Complete);
        }
        writer.stderr(index * 10 + 5, None, "between");
    }
    let at = |millis: u64| START + millis * 1000;
    let mut all = View::new(Filter::All, None);
    assert_eq!(all.row_at(&writer.journal, 0), Some(0));
    assert_eq!(all.row_at(&writer.journal, at(0)), Some(0));
    assert_eq!(all.row_at(&writer.journal, at(5000)), Some(1000));
    assert_eq!(all.row_at(&writer.journal, at(5001)), Some(1001));
    assert_eq!(all.row_at(&writer.journal, u64::MAX), Some(1999));
    all.set_expanded(&writer.journal, OperationId(0), true);
    assert_eq!(all.row_at(&writer.journal, at(5000)), Some(1001));
    let mut errors = View::new(Filter::Errors, None);
    assert_eq!(errors.row_at(&writer.journal, at(5000)), Some(50));
    assert_eq!(errors.row_at(&writer.journal, at(5001)), Some(51));
    let mut prompts = View::new(Filter::Prompts, None);
    assert_eq!(prompts.row_at(&writer.journal, at(0)), None);
}
