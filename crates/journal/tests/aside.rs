//! Events that go to no file: read in the session like any other, and not in its recording, which is whole without them.
#![allow(clippy::unwrap_used)] // of tests, though not in a test's own function

mod common;

use std::fs;

use common::{START, finding};
use journal::event::{ConnectionId, Event, EventBody, EventSeq};
use journal::log::Journal;
use proptest::prelude::*;

fn event(at: u32, body: EventBody) -> Event {
    Event {
        at_micros: START + u64::from(at),
        connection: ConnectionId(0),
        operation: None,
        body,
    }
}

fn named(body: &EventBody) -> Option<EventSeq> {
    match body {
        EventBody::FindingSeen { event, .. } => *event,
        EventBody::AnsweredFromCache { event, .. } => Some(*event),
        _ => None,
    }
}

proptest! {
    /// Each step: whether it goes aside, what kind of event it is, and which earlier one of its own kind of place it names.
    #[test]
    fn every_event_reads_as_it_was_given_and_the_file_counts_without_the_others(
        steps in proptest::collection::vec((any::<bool>(), 0..4_u8, any::<proptest::sample::Index>()), 1..80),
        flush_at in any::<proptest::sample::Index>(),
        name_at in any::<proptest::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mcpr");
        let mut journal = Journal::create(Some(&path)).unwrap();
        let mut given: Vec<(bool, Event)> = Vec::new();
        for (at, (aside, kind, pick)) in steps.iter().enumerate() {
            let own: Vec<u32> = (0_u32..)
                .zip(&given)
                .filter(|(_, (before, _))| before == aside)
                .map(|(seq, _)| seq)
                .collect();
            let other = (!own.is_empty()).then(|| EventSeq(own[pick.index(own.len())]));
            let body = match (kind, other) {
                (0, other) => EventBody::FindingSeen { finding: finding(), event: other },
                (1, Some(event)) => EventBody::AnsweredFromCache { round: 1, event, fetched_micros: 5 },
                (2, _) => EventBody::Stderr { bytes: format!("secret-{aside}-{at}").into_bytes().into() },
                _ => EventBody::Note { text: format!("note {at}") },
            };
            let event = event(u32::try_from(at).unwrap(), body);
            let seq = if *aside { journal.append_aside(&event) } else { journal.append(&event) };
            prop_assert_eq!(seq.0 as usize, at);
            given.push((*aside, event));
            if at == flush_at.index(steps.len()) {
                journal.flush();
            }
            if at == name_at.index(steps.len()) {
                journal.set_name(Some("a name"));
            }
        }
        for (seq, (_, event)) in (0_u32..).zip(&given) {
            prop_assert_eq!(&journal.event(EventSeq(seq)).unwrap(), event);
            let preview = journal.preview(EventSeq(seq), 3).unwrap();
            if let EventBody::Stderr { bytes } = &event.body {
                prop_assert_eq!(preview.byte_len, bytes.len() as u64);
            } else {
                prop_assert_eq!(&preview.event, event);
            }
        }
        drop(journal);

        let bytes = fs::read(&path).unwrap();
        prop_assert!(!bytes.windows(11).any(|part| part == b"secret-true"));
        let (again, notes) = Journal::open(&path).unwrap();
        prop_assert_eq!((notes.torn_byte_len, notes.damaged_at), (0, None));
        let kept: Vec<(u32, &Event)> = (0_u32..)
            .zip(&given)
            .filter(|(_, (aside, _))| !aside)
            .map(|(seq, (_, event))| (seq, event))
            .collect();
        prop_assert_eq!(again.len() as usize, kept.len());
        for (seq, (_, event)) in (0_u32..).zip(&kept) {
            let read = again.event(EventSeq(seq)).unwrap();
            // What it names is the same event, by its number in the file.
            let target = named(&event.body).map(|other| {
                kept.iter().position(|(seq, _)| *seq == other.0).unwrap()
            });
            prop_assert_eq!(named(&read.body).map(|other| other.0 as usize), target);
            prop_assert_eq!(read.at_micros, event.at_micros);
        }
    }
}
