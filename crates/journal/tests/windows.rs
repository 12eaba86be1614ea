//! Windows onto very much.

mod common;

use common::Writer;
use journal::event::{OperationEnd, OperationId};
use journal::row::{Filter, RowKind};
use journal::view::View;

#[test]
fn a_million_notifications_of_one_call_scroll() {
    let mut writer = Writer::in_memory();
    writer.stderr(0, None, "before");
    let call = writer.start(0, "tools/call", Some("flood"));
    let mut view = View::new(Filter::All, None);
    view.set_expanded(&writer.journal, OperationId(call), true);
    writer.attempt(0, call, (1, 1), 1);
    for index in 1..=1_000_000 {
        let text = format!("{index} of 1000000");
        writer.notification(
            index,
            Some(call),
            (1, 1),
            "notifications/progress",
            Some(&text),
        );
        if index % 100_000 == 0 {
            view.sync(&writer.journal);
            assert_eq!(u64::from(view.total_rows()), 3 + index);
        }
    }
    writer.reply(2_000_000, call, (1, 1), "complete");
    writer.end(2_000_000, call, OperationEnd::Complete);
    writer.stderr(2_000_000, None, "after");

    let at = |view: &mut View, start| {
        let rows = view.window(&writer.journal, start, 3);
        rows.iter()
            .map(|row| {
                format!(
                    "{} {}",
                    row.key,
                    row.detail.clone().unwrap_or(row.label.clone())
                )
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    insta::assert_snapshot!(at(&mut view, 0), @"e1 before, o0 flood, o0/1 round 1 · id 1");
    insta::assert_snapshot!(at(&mut view, 500_000), @"o0/499999 499998 of 1000000, o0/500000 499999 of 1000000, o0/500001 500000 of 1000000");
    insta::assert_snapshot!(at(&mut view, 1_000_001), @"o0/1000000 999999 of 1000000, o0/1000001 1000000 of 1000000, e1000008 after");
    assert_eq!(view.total_rows(), 1_000_004);
    assert_eq!(view.window(&writer.journal, 700_000, 60).len(), 60);
    assert_eq!(
        writer
            .journal
            .row("o0".parse().unwrap(), false)
            .unwrap()
            .child_count,
        1_000_001
    );
}

#[test]
fn a_hundred_thousand_operations_scroll_in_each_filter() {
    let mut writer = Writer::in_memory();
    let mut follower = View::new(Filter::Errors, None);
    for index in 0..100_000_u32 {
        let at = u64::from(index) * 10;
        let method = if index % 2 == 0 {
            "tools/call"
        } else {
            "tools/list"
        };
        let operation = writer.start(at, method, Some(&format!("n{}", index % 1000)));
        writer.attempt(at, operation, (1, 1), index);
        writer.reply(at + 5, operation, (1, 1), "complete");
        if index % 1000 == 999 {
            writer.fail(at + 5, operation, "error -32000");
            follower.sync(&writer.journal);
        } else {
            writer.end(at + 5, operation, OperationEnd::Complete);
        }
    }
    let journal = &writer.journal;
    let mut all = View::new(Filter::All, None);
    let mut calls = View::new(Filter::Calls, None);
    for id in (0..100_000).step_by(10) {
        all.set_expanded(journal, OperationId(id), true);
    }
    assert_eq!((all.total_rows(), all.top_rows()), (110_000, 100_000));
    for start in [0, 54_990, 109_940] {
        let rows = all.window(journal, start, 60);
        assert_eq!(rows.len(), 60);
        for (index, row) in rows.iter().enumerate() {
            // Of eleven rows the second is the round of the unfolded first.
            let place = start + u32::try_from(index).unwrap();
            let expected = if place % 11 < 2 {
                place / 11 * 10
            } else {
                place / 11 * 10 + place % 11 - 1
            };
            assert_eq!(row.operation, Some(OperationId(expected)), "{place}");
            assert_eq!(row.kind == RowKind::Round, place % 11 == 1);
        }
    }
    let last = calls.window(journal, 49_999, 60);
    assert_eq!(last.len(), 1);
    assert_eq!(last[0].operation, Some(OperationId(99_998)));
    assert_eq!(calls.locate(journal, OperationId(50_000)), Some(25_000));
    assert_eq!(calls.locate(journal, OperationId(50_001)), None);

    let errors = follower.window(journal, 40, 60);
    assert_eq!((follower.total_rows(), errors.len()), (100, 60));
    assert_eq!(errors[0].operation, Some(OperationId(40_999)));
    follower.look(Filter::All, None);
    assert_eq!(
        follower.window(journal, 99_999, 9)[0].operation,
        Some(OperationId(99_999))
    );
}
