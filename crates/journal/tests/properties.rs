//! Whatever happens, in whatever order: nothing is lost, order is kept, and every way of looking agrees.
#![allow(clippy::unwrap_used)] // of tests, though not in a test's own function

mod common;

use std::collections::BTreeSet;

use bytes::Bytes;
use common::{START, finding, request_head, response_head, unfolded};
use journal::event::{
    AttemptOutcome, BranchWay, ConnectionId, Event, EventBody, EventSeq, FrameRole, OperationEnd,
    OperationId,
};
use journal::export::{self, Chosen, ExportForm, Source};
use journal::log::Journal;
use journal::row::{Filter, Row, RowKind, RowRef};
use journal::view::View;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use wire::frame::{Carrier, Direction};

const FILTERS: [Filter; 4] = [Filter::All, Filter::Calls, Filter::Prompts, Filter::Errors];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-z]{1,6}",
        "\\PC{0,12}",
        Just("tools/call".to_owned()),
        "x{300}"
    ]
}

fn role() -> impl Strategy<Value = FrameRole> {
    prop_oneof![
        word().prop_map(|method| FrameRole::Request { method }),
        Just(FrameRole::Request {
            method: "elicitation/create".into()
        }),
        Just(FrameRole::Reply),
        (word(), option::of(word()))
            .prop_map(|(method, text)| FrameRole::Notification { method, text }),
        Just(FrameRole::Orphan),
        word().prop_map(|problem| FrameRole::NotProtocol { problem }),
        Just(FrameRole::KeepAlive),
        any::<u32>().prop_map(|len| FrameRole::Batch { len }),
    ]
}

fn frame() -> impl Strategy<Value = EventBody> {
    let carrier = prop_oneof![
        Just(Carrier::Line),
        Just(Carrier::Body),
        Just(Carrier::SseEvent)
    ];
    let direction = prop_oneof![Just(Direction::Sent), Just(Direction::Received)];
    let bytes = prop_oneof![vec(any::<u8>(), 0..40), vec(Just(b'.'), 1500..1600)];
    (direction, carrier, 1..4_u32, 1..3_u32, role(), bytes).prop_map(
        |(direction, carrier, round, attempt, role, bytes)| EventBody::Frame {
            direction,
            carrier,
            round,
            attempt,
            role,
            bytes: bytes.into(),
        },
    )
}

fn outcome() -> impl Strategy<Value = AttemptOutcome> {
    prop_oneof![
        word().prop_map(|result_type| AttemptOutcome::Result { result_type }),
        (any::<i64>(), word())
            .prop_map(|(code, message)| AttemptOutcome::RpcError { code, message }),
        (word(), word()).prop_map(|(brief, message)| AttemptOutcome::Transport { brief, message }),
        Just(AttemptOutcome::Cancelled),
        Just(AttemptOutcome::TimedOut),
        (word(), word()).prop_map(|(brief, message)| AttemptOutcome::Settled { brief, message }),
    ]
}

fn end() -> impl Strategy<Value = OperationEnd> {
    prop_oneof![
        Just(OperationEnd::Complete),
        Just(OperationEnd::ToolError),
        (word(), word(), option::of(word())).prop_map(|(brief, message, hint)| {
            OperationEnd::Failed {
                brief,
                message,
                hint,
            }
        }),
        Just(OperationEnd::Cancelled),
        (word(), word()).prop_map(|(brief, message)| OperationEnd::Settled { brief, message }),
    ]
}

fn of_rounds() -> impl Strategy<Value = EventBody> {
    let place = || (1..4_u32, 1..3_u32);
    prop_oneof![
        (place(), option::of(word()), option::of(word())).prop_map(
            |((round, attempt), request_id, label)| EventBody::AttemptStarted {
                round,
                attempt,
                request_id,
                label
            }
        ),
        (place(), outcome()).prop_map(|((round, attempt), outcome)| EventBody::AttemptEnded {
            round,
            attempt,
            outcome
        }),
        (place(), any::<u64>()).prop_map(|((round, attempt), body_byte_len)| {
            EventBody::HttpRequest {
                round,
                attempt,
                head: request_head(),
                body_byte_len,
            }
        }),
        (place(), any::<u16>()).prop_map(|((round, attempt), status)| EventBody::HttpResponse {
            round,
            attempt,
            head: response_head(status)
        }),
        (place(), any::<u64>(), option::of(word())).prop_map(
            |((round, attempt), body_byte_len, error)| EventBody::HttpEnded {
                wire_byte_len: body_byte_len / 3,
                first_byte_micros: (body_byte_len % 2 == 0).then_some(body_byte_len),
                round,
                attempt,
                body_byte_len,
                error
            }
        ),
        (1..4_u32, any::<u32>(), any::<u64>()).prop_map(|(round, event, fetched_micros)| {
            EventBody::AnsweredFromCache {
                round,
                event: EventSeq(event),
                fetched_micros,
            }
        }),
        word().prop_map(|reason| EventBody::WaitStarted { reason }),
        word().prop_map(|text| EventBody::Note { text }),
        Just(EventBody::WaitEnded),
    ]
}

fn body() -> impl Strategy<Value = EventBody> {
    prop_oneof![
        3 => (word(), option::of(word()))
            .prop_map(|(method, name)| EventBody::OperationStarted { method, name }),
        1 => end().prop_map(EventBody::OperationEnded),
        4 => of_rounds(),
        4 => frame(),
        1 => (word(), word(), word()).prop_map(|(server_name, transport, address)| {
            EventBody::ConnectionOpened { server_name, transport, address }
        }),
        1 => word().prop_map(|reason| EventBody::ConnectionClosed { reason }),
        1 => (word(), word()).prop_map(|(era, revision)| EventBody::ConnectionEstablished { era, revision }),
        1 => (any::<u32>(), vec(word(), 0..4), option::of(word()))
            .prop_map(|(pid, command, folder)| EventBody::ProcessStarted { pid, command, folder }),
        2 => vec(any::<u8>(), 0..40).prop_map(|bytes| EventBody::Stderr { bytes: bytes.into() }),
        1 => (word(), any::<bool>())
            .prop_map(|(status, expected)| EventBody::ProcessExited { status, expected }),
        2 => (0..4_u32, any::<u32>(), word(), word(), word()).prop_map(
            |(prompt, round, key, method, message)| EventBody::PromptOpened {
                prompt, round, key, method, message
            }
        ),
        2 => (0..4_u32, word()).prop_map(|(prompt, outcome)| EventBody::PromptClosed { prompt, outcome }),
        1 => (0..6_u32, 0..4_u32, option::of(word())).prop_map(|(of, round, recording)| EventBody::BranchBegan {
            of: OperationId(of), round, way: BranchWay::Answered, recording,
        }),
        1 => (0..6_u32, 0..4_u32).prop_map(|(branch, round)| EventBody::BranchedOff {
            branch: OperationId(branch), round, way: BranchWay::Changed,
        }),
        2 => option::of(0..60_u32).prop_map(|event| EventBody::FindingSeen {
            finding: finding(),
            event: event.map(EventSeq),
        }),
    ]
}

/// Times go back and forth, ids are unknown or used twice.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = (
        0..2_000_000_u64,
        0..3_u32,
        option::weighted(0.8, 0..5_u32),
        body(),
    )
        .prop_map(|(at, connection, operation, body)| Event {
            at_micros: START + at,
            connection: ConnectionId(connection),
            operation: operation.map(OperationId),
            body,
        });
    vec(event, 0..80)
}

fn rows_of_all_filters(journal: &Journal) -> Vec<Vec<Row>> {
    FILTERS
        .iter()
        .map(|filter| unfolded_by_ids(journal, *filter))
        .collect()
}

/// Ids are any of 0..5 here, not only those below the count.
fn unfolded_by_ids(journal: &Journal, filter: Filter) -> Vec<Row> {
    let mut view = View::new(filter, None);
    for id in 0..5 {
        view.set_expanded(journal, OperationId(id), true);
    }
    view.window(journal, 0, u32::MAX)
}

fn read_all(journal: &Journal) -> Vec<Event> {
    (0..journal.len())
        .map(|seq| journal.event(EventSeq(seq)).unwrap())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_taken_away_and_brought_in_is_the_same(events in events()) {
        let mut journal = Journal::create(None).unwrap();
        for event in &events {
            journal.append(event);
        }
        let folder = tempfile::tempdir().unwrap();
        for form in [ExportForm::Recording, ExportForm::JsonLines] {
            if events.is_empty() {
                continue;
            }
            let path = folder.path().join(form.extension());
            let mut file = std::fs::File::create(&path).unwrap();
            let reader = || -> Box<dyn std::ops::Deref<Target = Journal>> { Box::new(&journal) };
            let mut source = Source::new(&reader, &|_| None, &|_, _| true);
            export::write(form, &mut source, &Chosen::all(&journal), folder.path(), &mut file).unwrap();
            let mut again = Journal::create(None).unwrap();
            journal::import::read(&path, &|_| None, &|_, _| true, &mut again).unwrap();
            prop_assert_eq!(read_all(&again), read_all(&journal));
            prop_assert_eq!(rows_of_all_filters(&again), rows_of_all_filters(&journal));
        }
    }

    #[test]
    fn any_rows_can_be_taken_away(events in events(), picked in vec(any::<prop::sample::Index>(), 0..6)) {
        let mut journal = Journal::create(None).unwrap();
        for event in &events {
            journal.append(event);
        }
        let rows = View::new(Filter::All, None).window(&journal, 0, u32::MAX);
        prop_assume!(!rows.is_empty() && !picked.is_empty());
        let keys: BTreeSet<String> = picked.iter().map(|index| index.get(&rows).key.clone()).collect();
        let refs: Vec<RowRef> = keys.iter().map(|key| key.parse().unwrap()).collect();
        let chosen = Chosen::rows(&journal, &refs).unwrap();
        prop_assert!(chosen.rows as usize >= keys.len());
        let folder = tempfile::tempdir().unwrap();
        for form in ExportForm::ALL {
            let mut out = Vec::new();
            let reader = || -> Box<dyn std::ops::Deref<Target = Journal>> { Box::new(&journal) };
            let mut source = Source::new(&reader, &|_| None, &|_, _| true);
            match export::write(form, &mut source, &chosen, folder.path(), &mut out) {
                Ok(_) => prop_assert!(!out.is_empty()),
                Err(export::ExportError::NoExchange) => prop_assert_eq!(form, ExportForm::Har),
                Err(error) => prop_assert!(false, "{form:?}: {error}"),
            }
        }
    }

    #[test]
    fn nothing_is_lost_and_a_reopened_recording_shows_the_same(events in events(), flush_every in 1..20_usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recording.mcpr");
        let mut journal = Journal::create(Some(&path)).unwrap();
        let mut in_memory = Journal::create(None).unwrap();
        for (index, event) in events.iter().enumerate() {
            prop_assert_eq!(journal.append(event), EventSeq(u32::try_from(index).unwrap()));
            in_memory.append(event);
            if index % flush_every == 0 {
                journal.flush();
            }
        }
        prop_assert_eq!(&read_all(&journal), &events);
        prop_assert_eq!(&read_all(&in_memory), &events);
        let (rows, byte_len) = (rows_of_all_filters(&journal), journal.byte_len());
        drop(journal);

        let (reopened, notes) = Journal::open(&path).unwrap();
        prop_assert_eq!(&read_all(&reopened), &events);
        prop_assert_eq!(rows_of_all_filters(&reopened), rows);
        prop_assert_eq!(reopened.byte_len(), byte_len);
        prop_assert_eq!(std::fs::metadata(&path).unwrap().len(), byte_len);
        prop_assert_eq!(notes.torn_byte_len, 0);
        prop_assert_eq!(notes.unfinished.len(), reopened.tree().running_count() as usize);
        for id in (0..5).map(OperationId) {
            let now = START + 3_000_000;
            prop_assert_eq!(reopened.totals(id, now).ok(), in_memory.totals(id, now).ok());
            prop_assert_eq!(reopened.exchanges(id).ok(), in_memory.exchanges(id).ok());
            prop_assert_eq!(reopened.operation(id).ok(), in_memory.operation(id).ok());
        }
    }

    #[test]
    fn a_preview_is_the_event_with_its_bytes_cut(events in events(), limit in 0..2000_usize) {
        let mut journal = Journal::create(None).unwrap();
        for event in &events {
            let seq = journal.append(event);
            let preview = journal.preview(seq, limit).unwrap();
            let mut expected = event.clone();
            if let EventBody::Frame { bytes, .. } | EventBody::Stderr { bytes } = &mut expected.body {
                prop_assert_eq!(preview.byte_len, bytes.len() as u64);
                *bytes = Bytes::copy_from_slice(&bytes[..bytes.len().min(limit)]);
            }
            prop_assert_eq!(preview.event, expected);
        }
    }

    #[test]
    fn windows_add_up_to_all_rows_and_a_view_that_followed_agrees_with_a_new_one(
        events in events(),
        step in 1..7_u32,
        unfold in vec((0..80_usize, 0..5_u32, any::<bool>()), 0..12),
        only in option::of(vec(0..3_u32, 0..3)),
    ) {
        let only = only.map(|ids| ids.into_iter().map(ConnectionId).collect::<BTreeSet<_>>());
        let mut journal = Journal::create(None).unwrap();
        let mut views = FILTERS.map(|filter| View::new(filter, only.clone()));
        for (index, event) in events.iter().enumerate() {
            journal.append(event);
            for (at, id, is_expanded) in &unfold {
                if *at == index {
                    for view in &mut views {
                        view.set_expanded(&journal, OperationId(*id), *is_expanded);
                    }
                }
            }
        }
        for view in &mut views {
            let rows = view.window(&journal, 0, u32::MAX);
            prop_assert_eq!(rows.len(), view.total_rows() as usize);
            let parts = (0..view.total_rows()).step_by(step as usize);
            let joined = parts.flat_map(|start| view.window(&journal, start, step)).collect::<Vec<_>>();
            prop_assert_eq!(&joined, &rows);
            prop_assert_eq!(view.window(&journal, view.total_rows(), 5), vec![]);

            let mut fresh = View::new(view.filter(), only.clone());
            for id in (0..5).map(OperationId) {
                fresh.set_expanded(&journal, id, view.is_expanded(&journal, id));
            }
            prop_assert_eq!(fresh.window(&journal, 0, u32::MAX), rows.clone());
            prop_assert_eq!(fresh.top_rows(), view.top_rows());
            prop_assert_eq!(rows.iter().filter(|row| row.depth == 0).count(), view.top_rows() as usize);

            for (index, row) in rows.iter().enumerate() {
                let reference = row.key.parse::<RowRef>().unwrap();
                prop_assert_eq!(&reference.to_string(), &row.key);
                let index = u32::try_from(index).unwrap();
                prop_assert_eq!(view.locate_row(&journal, reference), Some(index), "{}", row.key);
                let alone = journal.row(reference, row.expanded);
                prop_assert_eq!(alone.as_ref(), Some(row));
            }
        }
        let errors = unfolded(&journal, Filter::Errors).iter().filter(|row| row.depth == 0).count();
        prop_assert_eq!(errors, journal.tree().error_count() as usize);
    }

    #[test]
    fn rows_stand_in_the_order_of_events_and_their_bars_are_sound(events in events()) {
        let mut journal = Journal::create(None).unwrap();
        for event in &events {
            journal.append(event);
        }
        let mut tops = Vec::new();
        for row in unfolded_by_ids(&journal, Filter::All) {
            prop_assert!(row.end_micros.is_none_or(|end| end >= row.start_micros), "{row:?}");
            prop_assert!(row.spans.len() <= 64);
            for span in &row.spans {
                prop_assert!(span.end_micros.is_none_or(|end| end >= span.start_micros), "{row:?}");
            }
            if row.depth == 0 {
                tops.push(match row.key.parse().unwrap() {
                    RowRef::Loose(seq) => seq,
                    RowRef::Operation(id) | RowRef::Child(id, _) => {
                        journal.operation_events(id, 0, 1).unwrap()[0]
                    }
                });
            }
            if row.kind == RowKind::Operation {
                let last = row.spans.last().and_then(|span| span.end_micros);
                prop_assert!(row.end_micros.is_none() || last.is_some(), "{row:?}");
                let open = row.spans.iter().filter(|span| span.end_micros.is_none()).count();
                prop_assert!(open <= 1, "{row:?}");
            }
        }
        prop_assert!(tops.is_sorted());
    }

    #[test]
    fn the_events_of_an_operation_are_all_there_by_any_window(events in events(), step in 1..9_u32) {
        let mut journal = Journal::create(None).unwrap();
        for event in &events {
            journal.append(event);
        }
        for id in (0..5).map(OperationId) {
            let started = events.iter().position(|event| {
                event.operation == Some(id) && matches!(event.body, EventBody::OperationStarted { .. })
            });
            let Some(started) = started else {
                prop_assert!(journal.operation_events(id, 0, 9).is_err());
                continue;
            };
            let expected = (started..events.len())
                .filter(|index| events[*index].operation == Some(id))
                .map(|index| EventSeq(u32::try_from(index).unwrap()))
                .collect::<Vec<_>>();
            let count = journal.operation_event_count(id).unwrap();
            let windows = (0..count).step_by(step as usize);
            let all = windows.flat_map(|start| journal.operation_events(id, start, step).unwrap());
            prop_assert_eq!(all.collect::<Vec<_>>(), expected);
            prop_assert_eq!(journal.operation_events(id, count, 5).unwrap(), vec![]);
        }
    }

    #[test]
    fn while_its_stamp_stays_equal_a_window_stays_equal(events in events(), start in 0..12_u32, len in 1..12_u32) {
        let mut journal = Journal::create(None).unwrap();
        let mut views = FILTERS.map(|filter| View::new(filter, None));
        let mut before = FILTERS.map(|_| None);
        let mut version = journal.tree().version();
        for event in &events {
            journal.append(event);
            for id in (0..5).map(OperationId) {
                for view in &mut views {
                    view.set_expanded(&journal, id, true);
                }
            }
            for (view, before) in views.iter_mut().zip(&mut before) {
                let now = (view.stamp(&journal, start, len), view.window(&journal, start, len));
                if let Some((stamp, rows)) = before.replace(now.clone()) {
                    prop_assert!(stamp != now.0 || rows == now.1, "{rows:#?} became {:#?}", now.1);
                    prop_assert!(version != journal.tree().version() || rows == now.1);
                }
            }
            version = journal.tree().version();
        }
    }
}
