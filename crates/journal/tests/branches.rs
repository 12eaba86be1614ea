//! Requests that are sent anew: an operation of its own, which has a row inside the one that it is from.

mod common;

use common::{Writer, text, unfolded};
use journal::event::{BranchWay, EventBody, OperationEnd, OperationId};
use journal::log::Journal;
use journal::row::{Filter, RowRef};
use journal::view::View;

/// A call of two rounds, its second answered anew; the branch goes on.
fn with_a_branch(journal: Journal) -> Writer {
    let mut writer = Writer::new(journal);
    let original = writer.start(0, "tools/call", Some("book_table"));
    writer.attempt(1, original, (1, 1), 4);
    writer.reply(10, original, (1, 1), "input_required");
    writer.attempt(20, original, (2, 1), 5);
    writer.reply(30, original, (2, 1), "complete");
    writer.end(30, original, OperationEnd::Complete);
    let branch = writer.start(50, "tools/call", Some("book_table"));
    branches(&mut writer, 50, original, branch);
    writer.attempt(51, branch, (1, 1), 6);
    writer
}

fn branches(writer: &mut Writer, at: u64, original: u32, branch: u32) {
    let way = BranchWay::Answered;
    let began = EventBody::BranchBegan {
        of: OperationId(original),
        round: 2,
        way,
        recording: None,
    };
    writer.append(at, Some(branch), began);
    let branched = EventBody::BranchedOff {
        branch: OperationId(branch),
        round: 2,
        way,
    };
    writer.append(at, Some(original), branched);
}

#[test]
fn a_branch_stands_in_its_original_as_it_stands() {
    let mut writer = with_a_branch(Journal::create(None).unwrap());
    insta::assert_snapshot!(text(&unfolded(&writer.journal, Filter::All)), @r"
    ▼ tools/call book_table [2 rounds] [1 branch] | ● complete | 0–30 | 1=10 20=30
        round 1 · id 4 | ◐ input_required | 1–10 | 1=10
        round 2 · id 5 | ● complete | 20–30 | 20=30
        round 1 answered anew #1 tools/call book_table | ○ running | 50– | 51=
    ▼ tools/call book_table [branch of #0] | ○ running | 50– | 51=
        branch of #0: round 1 answered anew | · branch | 50–50 | 50=50
        round 1 · id 6 | ○ running | 51– | 51=
    ");

    // A view that looks at the original alone learns how the branch ended.
    let mut view = View::new(Filter::All, None);
    view.set_expanded(&writer.journal, OperationId(0), true);
    let before = view.stamp(&writer.journal, 0, 4);
    writer.fail(70, 1, "error -32602");
    assert_ne!(view.stamp(&writer.journal, 0, 4), before);
    let row = view.window(&writer.journal, 3, 1).remove(0);
    assert_eq!(row.label, "round 1 answered anew");
    assert_eq!(row.state_text, "error -32602");
    assert_eq!(row.end_micros, Some(common::START + 70_000));

    let origin = writer.journal.origin(OperationId(1)).unwrap().unwrap();
    assert_eq!((origin.operation, origin.round), (OperationId(0), 2));
    let of_original = writer.journal.branches(OperationId(0), 50).unwrap();
    assert_eq!(of_original.len(), 1);
    assert_eq!(of_original[0].operation, OperationId(1));
    assert_eq!(writer.journal.origin(OperationId(0)).unwrap(), None);
}

#[test]
fn what_a_recording_claims_of_branches_is_borne() {
    let mut writer = with_a_branch(Journal::create(None).unwrap());
    // A branch of itself, of what is not there, of two originals, and in a ring.
    branches(&mut writer, 80, 1, 1);
    branches(&mut writer, 81, 0, 99);
    branches(&mut writer, 82, 99, 0);
    let other = writer.start(83, "ping", None);
    branches(&mut writer, 84, other, 1);
    branches(&mut writer, 85, 1, 0);
    writer.end(90, 1, OperationEnd::Complete);
    let rows = unfolded(&writer.journal, Filter::All);
    let shown = text(&rows);
    assert!(shown.contains("not in this recording"), "{shown}");
    for row in &rows {
        let key: RowRef = row.key.parse().unwrap();
        assert_eq!(writer.journal.row(key, row.expanded).as_ref(), Some(row));
    }
    // One alone shows how it stands.
    assert_eq!(
        writer
            .journal
            .branches(OperationId(other), 50)
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        writer
            .journal
            .origin(OperationId(1))
            .unwrap()
            .unwrap()
            .operation,
        OperationId(0),
        "what is told first holds"
    );
}

#[test]
fn a_reopened_recording_has_its_branches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("branches.mcpr");
    let shown = {
        let mut writer = with_a_branch(Journal::create(Some(&path)).unwrap());
        writer.journal.flush();
        text(&unfolded(&writer.journal, Filter::All))
    };
    let (again, _) = Journal::view(&path).unwrap();
    assert_eq!(text(&unfolded(&again, Filter::All)), shown);
}
