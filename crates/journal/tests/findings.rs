//! Findings by the rule that they are about.

mod common;

use common::{START, Writer, finding};
use journal::event::{ConnectionId, EventBody, OperationEnd};
use protocol::findings::{Finding, Severity};

fn about(writer: &mut Writer, at: u64, operation: Option<u32>, rule: &str, severity: Severity) {
    let finding = Finding {
        rule: rule.into(),
        severity,
        message: format!("seen at {at}"),
        clause: "2026-07-28 basic".into(),
    };
    let event = None;
    writer.append(at, operation, EventBody::FindingSeen { finding, event });
}

/// Two servers, whose findings alternate.
fn two_servers() -> Writer {
    let mut writer = Writer::in_memory();
    let call = writer.start(10, "tools/call", Some("echo"));
    about(&mut writer, 11, Some(call), "note-worthy", Severity::Note);
    about(&mut writer, 12, Some(call), "seldom", Severity::Must);
    about(&mut writer, 13, Some(call), "often", Severity::Must);
    writer.connect(1, "another");
    about(&mut writer, 14, None, "often", Severity::Must);
    writer.connect(0, "restaurant-bookings");
    about(&mut writer, 15, None, "often", Severity::Must);
    writer.find(16, Some(call), None);
    writer.end(17, call, OperationEnd::Complete);
    writer
}

#[test]
fn are_gathered_by_rule_the_worst_and_the_most_frequent_first() {
    let writer = two_servers();
    let mine = |connection| connection == ConnectionId(0);
    let rules = writer.journal.findings_by_rule(&mine).unwrap();
    let seen: Vec<_> = rules
        .iter()
        .map(|found| {
            let millis = |micros: u64| (micros - START) / 1000;
            (
                found.last.rule.as_str(),
                found.count,
                millis(found.first_micros),
                millis(found.last_micros),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("often", 2, 13, 15),
            ("seldom", 1, 12, 12),
            ("result-type-missing", 1, 16, 16),
            ("note-worthy", 1, 11, 11),
        ]
    );
    assert_eq!(rules[0].last.message, "seen at 15");
    assert_eq!(rules[2].last, finding());

    let other = |connection| connection == ConnectionId(1);
    let rules = writer.journal.findings_by_rule(&other).unwrap();
    assert_eq!(rules.len(), 1);
    assert_eq!((rules[0].last.rule.as_str(), rules[0].count), ("often", 1));
    let nobody = |_| false;
    assert_eq!(writer.journal.findings_by_rule(&nobody).unwrap(), []);
}

#[test]
fn about_a_rule_come_by_window_with_the_operation_that_they_were_seen_in() {
    let writer = two_servers();
    let all = |_| true;
    let about = |start, len| {
        writer
            .journal
            .findings_about("often", &all, start, len)
            .unwrap()
            .into_iter()
            .map(|place| (place.finding.message, place.title))
            .collect::<Vec<_>>()
    };
    let first = ("seen at 13".to_owned(), Some("tools/call echo".to_owned()));
    let second = ("seen at 14".to_owned(), None);
    let third = ("seen at 15".to_owned(), None);
    assert_eq!(about(0, 10), [first, second.clone(), third.clone()]);
    assert_eq!(about(1, 1), [second]);
    assert_eq!(about(2, 10), [third]);
    assert_eq!(about(3, 10), []);
    let unknown = writer.journal.findings_about("no-such-rule", &all, 0, 10);
    assert_eq!(unknown.unwrap(), []);
}
