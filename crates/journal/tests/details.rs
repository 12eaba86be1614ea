//! What the right pane asks: exchanges, totals, findings.

mod common;

use bytes::Bytes;
use common::{START, Writer, request_head, response_head};
use journal::details::Totals;
use journal::event::{AttemptOutcome, EventBody, EventSeq, FrameRole, OperationEnd, OperationId};
use journal::log::JournalError;
use journal::row::RowRef;
use wire::frame::{Carrier, Direction};

/// A call over HTTP: 503, a back-off, then an answer by SSE that asks for input.
fn a_call_over_http() -> (Writer, OperationId) {
    let mut writer = Writer::in_memory();
    let call = writer.start(0, "tools/call", Some("book_table"));
    let http = |writer: &mut Writer, at: u64, attempt: u32, status: u16| {
        writer.attempt(at, call, (1, attempt), 4 + attempt);
        let (round, body_byte_len) = (1, 48);
        let head = request_head();
        writer.append(
            at,
            Some(call),
            EventBody::HttpRequest {
                round,
                attempt,
                head,
                body_byte_len,
            },
        );
        let head = response_head(status);
        writer.append(
            at + 10,
            Some(call),
            EventBody::HttpResponse {
                round,
                attempt,
                head,
            },
        );
    };
    let received = |writer: &mut Writer, at: u64, attempt: u32, carrier, role, bytes: &[u8]| {
        let bytes = Bytes::copy_from_slice(bytes);
        let direction = Direction::Received;
        let body = EventBody::Frame {
            direction,
            carrier,
            round: 1,
            attempt,
            role,
            bytes,
        };
        writer.append(at, Some(call), body)
    };
    http(&mut writer, 0, 1, 503);
    let problem = FrameRole::NotProtocol {
        problem: "a web page".into(),
    };
    received(
        &mut writer,
        20,
        1,
        Carrier::Body,
        problem,
        b"<html>busy</html>",
    );
    let (round, attempt, body_byte_len) = (1, 1, 17);
    writer.append(
        21,
        Some(call),
        EventBody::HttpEnded {
            round,
            attempt,
            body_byte_len,
            wire_byte_len: 9,
            first_byte_micros: Some(20),
            error: None,
        },
    );
    writer.transport_error(21, call, (1, 1), "HTTP 503");
    writer.append(
        22,
        Some(call),
        EventBody::WaitStarted {
            reason: "back-off".into(),
        },
    );
    writer.append(522, Some(call), EventBody::WaitEnded);
    http(&mut writer, 522, 2, 200);
    received(
        &mut writer,
        540,
        2,
        Carrier::SseEvent,
        FrameRole::KeepAlive,
        b": ping\n\n",
    );
    received(
        &mut writer,
        550,
        2,
        Carrier::SseEvent,
        FrameRole::Reply,
        b"data: {}\n\n",
    );
    let result_type = "input_required".to_owned();
    writer.outcome(550, call, (1, 2), AttemptOutcome::Result { result_type });
    writer.ask(550, Some(call), 0, "How many people?");
    (writer, OperationId(call))
}

#[test]
fn exchanges_tell_what_was_sent_and_what_came() {
    let (writer, call) = a_call_over_http();
    let exchanges = writer.journal.exchanges(call).unwrap();
    let [first, second] = exchanges.as_slice() else {
        panic!("{exchanges:#?}")
    };

    assert_eq!(first.label, "round 1 · id 5");
    assert_eq!(first.outcome.as_deref(), Some("HTTP 503"));
    let body = first.response.unwrap();
    assert_eq!((body.byte_len, body.at_micros), (17, START + 20_000));
    let http = first.http.as_ref().unwrap();
    assert_eq!(http.response.as_ref().unwrap().status, 503);
    assert_eq!((http.request_byte_len, http.response_byte_len), (48, 17));
    assert_eq!(http.ended_micros, Some(START + 21_000));

    assert_eq!(second.label, "round 1 · id 6 · retry 1");
    assert_eq!(second.response.unwrap().byte_len, 10);
    let request = writer.journal.event(second.request.unwrap().event).unwrap();
    assert!(matches!(
        request.body,
        EventBody::Frame {
            direction: Direction::Sent,
            ..
        }
    ));
    // The stream is still open: so far two events came.
    let http = second.http.as_ref().unwrap();
    assert_eq!((http.ended_micros, http.response_byte_len), (None, 18));
    assert_eq!(http.sent_micros, START + 522_000);
    assert_eq!(http.head_micros, Some(START + 532_000));
    assert_eq!(
        writer.journal.exchange(call, 1).unwrap().as_ref(),
        Some(second)
    );
    assert_eq!(writer.journal.exchange(call, 2).unwrap(), None);
}

#[test]
fn a_row_knows_its_exchange() {
    let (writer, call) = a_call_over_http();
    let journal = &writer.journal;
    let rows = common::unfolded(journal, journal::row::Filter::All);
    let pairs = rows.iter().map(|row| {
        let index = journal.exchange_index(row.key.parse().unwrap());
        format!("{} {} → {index:?}", row.key, row.label)
    });
    insta::assert_snapshot!(pairs.collect::<Vec<_>>().join("\n"), @r#"
    o0 tools/call → Some(1)
    o0/1 round 1 · id 5 → Some(0)
    o0/2 not protocol → Some(0)
    o0/3 round 1 · id 6 → Some(1)
    o0/4 form: “How many people?” → Some(1)
    "#);
    assert_eq!(journal.exchange_index(RowRef::Child(call, 0)), None);
    assert_eq!(journal.exchange_index(RowRef::Child(call, 99)), None);
    assert_eq!(journal.exchange_index(RowRef::Loose(EventSeq(0))), None);
}

#[test]
fn three_kinds_of_time_are_told_apart() {
    let (mut writer, call) = a_call_over_http();
    let totals =
        |writer: &Writer, now: u64| writer.journal.totals(call, START + now * 1000).unwrap();
    let millis = |server: u64, user: u64, time: u64| Totals {
        server_micros: server * 1000,
        user_micros: user * 1000,
        time_micros: time * 1000,
    };
    assert_eq!(totals(&writer, 1000), millis(21 + 28, 450, 500));
    // A second prompt beside the first counts no time twice.
    writer.ask(1000, Some(call.0), 1, "And when?");
    writer.answer(1500, Some(call.0), 0, "accepted");
    assert_eq!(totals(&writer, 2000), millis(49, 1450, 500));
    writer.answer(2000, Some(call.0), 1, "accepted");
    assert_eq!(totals(&writer, 9000), millis(49, 1450, 500));
    writer.end(2500, call.0, OperationEnd::Complete);
    assert_eq!(totals(&writer, 9000), millis(49, 1450, 500));
}

#[test]
fn an_operation_in_figures() {
    let (mut writer, call) = a_call_over_http();
    let finding = writer.find(600, Some(call.0), None);
    let summary = writer.journal.operation(call).unwrap();
    assert_eq!(
        (summary.method.as_str(), summary.name.as_deref()),
        ("tools/call", Some("book_table"))
    );
    assert_eq!(
        (summary.rounds, summary.attempts, summary.prompts),
        (1, 2, 1)
    );
    assert_eq!(
        (summary.event_count, summary.finding_count, summary.end),
        (19, 1, None)
    );
    let findings = writer.journal.findings(RowRef::Operation(call)).unwrap();
    assert_eq!(findings[0].finding, common::finding());
    assert_eq!(
        writer.journal.operation_events(call, 18, 9).unwrap(),
        [finding]
    );

    writer.fail(700, call.0, "HTTP 404");
    let (at, end) = writer.journal.operation(call).unwrap().end.unwrap();
    assert_eq!(at, START + 700_000);
    assert!(matches!(end, OperationEnd::Failed { brief, .. } if brief == "HTTP 404"));

    let unknown = writer.journal.exchanges(OperationId(7)).unwrap_err();
    assert!(matches!(unknown, JournalError::NoSuchOperation { .. }));
}
