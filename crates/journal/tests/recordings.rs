//! Files: what a crash, a full disk or a stranger leaves of a recording.
#![allow(clippy::unwrap_used)] // of tests, though not in a test's own function

mod common;

use std::fs;
use std::io::Write;

use common::{Writer, unfolded};
use journal::event::{EventSeq, OperationEnd};
use journal::log::{Journal, JournalError};
use journal::row::Filter;

fn a_recording(path: &std::path::Path) -> Writer {
    let mut writer = Writer::new(Journal::create(Some(path)).unwrap());
    let call = writer.start(0, "tools/call", Some("book_table"));
    writer.attempt(0, call, (1, 1), 1);
    writer.reply(9, call, (1, 1), "complete");
    writer.end(9, call, OperationEnd::Complete);
    writer.start(10, "tools/call", Some("slow"));
    writer.stderr(11, None, "a line");
    writer
}

#[test]
fn events_read_the_same_before_and_after_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    let mut writer = a_recording(&path);
    let (rows, all) = (writer.unfolded(Filter::All), writer.journal.len());
    let before = (0..all)
        .map(|seq| writer.journal.event(EventSeq(seq)).unwrap())
        .collect::<Vec<_>>();
    assert!(writer.journal.needs_flush());
    writer.journal.flush();
    assert!(!writer.journal.needs_flush());
    assert_eq!(
        fs::metadata(&path).unwrap().len(),
        writer.journal.byte_len()
    );
    let after = (0..all)
        .map(|seq| writer.journal.event(EventSeq(seq)).unwrap())
        .collect::<Vec<_>>();
    assert_eq!(before, after);
    assert_eq!(writer.unfolded(Filter::All), rows);
    assert_eq!(writer.journal.problem(), None);
    let missing = writer.journal.event(EventSeq(all)).unwrap_err();
    insta::assert_snapshot!(missing, @"There is no event 9 in this journal of 9 events");
}

#[test]
fn frames_lie_in_the_file_as_they_were_on_the_wire() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    let mut writer = a_recording(&path);
    let exact = b"{\"b\":1.10,  \"a\":1e400,\"a\":\"\\u00e9\xff\"}";
    writer.noise(20, None, exact);
    writer.journal.flush();
    let file = fs::read(&path).unwrap();
    assert!(file.windows(exact.len()).any(|part| part == exact));
}

#[test]
fn a_recording_goes_on_after_it_was_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    drop(a_recording(&path));
    let (journal, notes) = Journal::open(&path).unwrap();
    insta::assert_snapshot!(notes.sentences().join("\n"), @"1 operation had not ended when the recording stopped.");
    let before = journal.len();
    let mut writer = Writer::new(journal);
    writer.fail(50, 1, "interrupted");
    let rows = writer.unfolded(Filter::All);
    drop(writer);
    let (journal, notes) = Journal::open(&path).unwrap();
    assert_eq!(journal.len(), before + 2);
    assert_eq!(notes.sentences(), Vec::<String>::new());
    assert_eq!(common::text(&unfolded(&journal, Filter::All)), rows);
}

#[test]
fn a_torn_tail_is_left_out_and_cut_by_the_next_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    let whole = {
        let mut writer = a_recording(&path);
        writer.journal.flush();
        let last = writer.journal.len() - 1;
        (
            writer.journal.event(EventSeq(last)).unwrap(),
            writer.journal.byte_len(),
            last,
        )
    };
    let (event, byte_len, last) = whole;
    let bytes = fs::read(&path).unwrap();
    let mut last_record = 0;
    for torn in 1..30 {
        fs::write(&path, &bytes[..bytes.len() - torn]).unwrap();
        let (mut journal, notes) = Journal::open(&path).unwrap();
        assert_eq!(journal.len(), last, "{torn}");
        assert_eq!(notes.damaged_at, None);
        last_record = byte_len - journal.byte_len();
        assert_eq!(notes.torn_byte_len, last_record - torn as u64);
        // Looking alone changes nothing.
        assert_eq!(fs::metadata(&path).unwrap().len(), byte_len - torn as u64);
        journal.append(&event);
        journal.flush();
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    assert_eq!(last_record, 30);

    // A lost write that left zeros, and a last record with wrong bytes.
    let end = bytes.len() - usize::try_from(last_record).unwrap();
    let zeros = [&bytes[..end], &[0; 5000]].concat();
    fs::write(&path, zeros).unwrap();
    let (journal, notes) = Journal::open(&path).unwrap();
    assert_eq!(
        (journal.len(), notes.torn_byte_len, notes.damaged_at),
        (last, 5000, None)
    );
    drop(journal);
    let mut wrong = bytes.clone();
    *wrong.last_mut().unwrap() ^= 1;
    fs::write(&path, wrong).unwrap();
    let (journal, notes) = Journal::open(&path).unwrap();
    assert_eq!((journal.len(), notes.torn_byte_len), (last, last_record));
    insta::assert_snapshot!(notes.sentences().join("\n"), @r#"
    The recording was interrupted while it was written: its last 30 bytes hold no whole event and are left out.
    1 operation had not ended when the recording stopped.
    "#);
}

#[test]
fn damage_in_the_middle_keeps_the_file_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    drop(a_recording(&path));
    let mut bytes = fs::read(&path).unwrap();
    bytes[120] ^= 0x40;
    fs::write(&path, &bytes).unwrap();
    let (mut journal, notes) = Journal::open(&path).unwrap();
    insta::assert_snapshot!(notes.sentences().join("\n"), @"The recording is damaged at byte 90. What was recorded before is shown; the file is left as it is.");
    let seen = journal.len();
    assert!(seen > 0 && notes.read_only);
    let event = journal.event(EventSeq(0)).unwrap();
    journal.append(&event);
    journal.flush();
    assert_eq!(journal.event(EventSeq(seen)).unwrap(), event);
    assert!(journal.problem().unwrap().contains("for reading only"));
    drop(journal);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_change_from_outside_is_told_where_it_is_met() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    let mut writer = a_recording(&path);
    writer.journal.flush();
    let mut bytes = fs::read(&path).unwrap();
    for byte in &mut bytes[16..] {
        *byte = !*byte;
    }
    fs::write(&path, &bytes).unwrap();
    let error = writer.journal.event(EventSeq(1)).unwrap_err();
    assert!(matches!(
        error,
        JournalError::Damaged {
            seq: EventSeq(1),
            ..
        }
    ));
    let rows = unfolded(&writer.journal, Filter::All);
    assert_eq!(rows.last().unwrap().label, "unreadable event");
    fs::write(&path, b"").unwrap();
    assert!(matches!(
        writer.journal.event(EventSeq(1)),
        Err(JournalError::Read { .. })
    ));
    assert_eq!(unfolded(&writer.journal, Filter::All).len(), rows.len());
}

#[test]
fn what_is_no_recording_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    let refusal = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = Journal::open(&path).unwrap_err();
        error
            .to_string()
            .replace(folder.path().to_str().unwrap(), "")
    };
    insta::assert_snapshot!(refusal(b""), @"/a.mcpr is not a recording: it does not begin as one");
    insta::assert_snapshot!(refusal(b"<!doctype html><html></html>"), @"/a.mcpr is not a recording: it does not begin as one");
    insta::assert_snapshot!(refusal(b"\x89MCPR\r\n\x1a\x02\0\0\0\0\0\0\0"), @"/a.mcpr was written by a newer Roundtrip (format 2, this one reads up to 1); update it");
    fs::remove_file(&path).unwrap();
    assert!(matches!(
        Journal::open(&path),
        Err(JournalError::File { .. })
    ));
}

#[test]
fn a_record_that_claims_to_be_huge_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    drop(a_recording(&path));
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(&(u64::MAX - 3).to_le_bytes()).unwrap();
    file.write_all(&[1; 100]).unwrap();
    let (_, notes) = Journal::open(&path).unwrap();
    assert_eq!(notes.torn_byte_len, 108);
}

#[test]
fn a_new_recording_overwrites_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    drop(a_recording(&path));
    let before = fs::read(&path).unwrap();
    assert!(matches!(
        Journal::create(Some(&path)),
        Err(JournalError::Exists { .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), before);
    let nowhere = folder.path().join("no/such/folder/a.mcpr");
    assert!(matches!(
        Journal::create(Some(&nowhere)),
        Err(JournalError::File { .. })
    ));
}

#[test]
fn a_recording_that_is_being_written_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    let mut writer = a_recording(&path);
    writer.journal.flush();
    let (other, notes) = Journal::open(&path).unwrap();
    assert!(notes.read_only);
    assert_eq!(other.len(), writer.journal.len());
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_recording() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = folder.path().join("new.mcpr");
    drop(a_recording(&path));
    assert_eq!(mode(&path), 0o600);
    let path = folder.path().join("empty.mcpr");
    fs::write(&path, b"").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    drop(a_recording(&path));
    assert_eq!(mode(&path), 0o600);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing_and_says_so() {
    let mut writer = a_recording(std::path::Path::new("/dev/full"));
    insta::assert_snapshot!(writer.journal.problem().unwrap(), @"The recording /dev/full cannot be written (No space left on device (os error 28)). Nothing is lost: what is missing in the file is kept in memory and is written as soon as that works again. Free some space, or export the recording to another disk.");
    for index in 0..20_000 {
        writer.stderr(index, None, &"x".repeat(500));
    }
    writer.journal.flush();
    assert!(writer.journal.problem().is_some());
    assert!(writer.journal.needs_flush() && !writer.journal.flush_is_urgent());
    let last = writer.journal.len() - 1;
    for seq in [0, 1, 5000, last] {
        writer.journal.event(EventSeq(seq)).unwrap();
    }
    let rows = unfolded(&writer.journal, Filter::All);
    assert_eq!(rows.last().unwrap().label.len(), 300 + "…".len());
}

#[test]
fn a_name_stays_with_the_file_and_is_no_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    let mut writer = a_recording(&path);
    let before = writer.journal.len();
    writer.journal.set_name(Some("the checkout bug"));
    writer.stderr(12, None, "after the name");
    assert_eq!(writer.journal.len(), before + 1);
    let events = |journal: &Journal| {
        (0..journal.len())
            .map(|seq| journal.event(EventSeq(seq)).unwrap())
            .collect::<Vec<_>>()
    };
    let (all, rows) = (events(&writer.journal), writer.unfolded(Filter::All));
    drop(writer);

    let moved = folder.path().join("moved.mcpr");
    fs::rename(&path, &moved).unwrap();
    let (mut journal, notes) = Journal::open(&moved).unwrap();
    assert_eq!((notes.torn_byte_len, notes.damaged_at), (0, None));
    assert_eq!(journal.summary().name.as_deref(), Some("the checkout bug"));
    assert_eq!(events(&journal), all);
    assert_eq!(common::text(&unfolded(&journal, Filter::All)), rows);
    let last = EventSeq(journal.len() - 1);
    assert_eq!(journal.preview(last, 5).unwrap().byte_len, 14);
    journal.set_name(None);
    drop(journal);
    assert_eq!(journal::log::summarize(&moved).unwrap().name, None);
}

#[test]
fn a_recording_is_listed_by_what_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    let mut writer = a_recording(&path);
    writer.connect(1, "filesystem");
    writer.connect(2, "restaurant-bookings");
    writer.journal.set_name(Some("two servers"));
    let said = writer.journal.summary();
    drop(writer);
    let read = journal::log::summarize(&path).unwrap();
    assert_eq!(read, said);
    assert_eq!(read.server_names, ["restaurant-bookings", "filesystem"]);
    assert_eq!((read.event_count, read.operation_count), (11, 2));
    assert_eq!(read.start_micros, Some(common::START));
    assert_eq!(read.end_micros, Some(common::START + 11_000));
    assert_eq!(read.byte_len, fs::metadata(&path).unwrap().len());
}

#[test]
fn a_recording_that_is_looked_at_is_never_written_and_says_whether_it_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcpr");
    let mut writer = a_recording(&path);
    writer.journal.flush();
    let (seen, notes) = Journal::view(&path).unwrap();
    assert!(notes.in_use);
    insta::assert_snapshot!(notes.sentences().join("\n"), @"Another Roundtrip records into this file. What is shown is how far it was when it was opened.");
    let rows = writer.unfolded(Filter::All);
    assert_eq!(common::text(&unfolded(&seen, Filter::All)), rows);
    drop((seen, writer));

    let before = fs::read(&path).unwrap();
    let (seen, notes) = Journal::view(&path).unwrap();
    let (beside, _) = Journal::view(&path).unwrap();
    assert!(!notes.in_use && !notes.read_only);
    // Who looks keeps others from writing, and is kept from it.
    let (_, notes) = Journal::open(&path).unwrap();
    assert!(notes.read_only);
    drop((seen, beside));
    assert_eq!(fs::read(&path).unwrap(), before);
}
