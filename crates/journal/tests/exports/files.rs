//! What every form has in common: what is in it, that it comes back, and what is said of files that cannot be used.

use std::cell::RefCell;
use std::fs;
use std::ops::Deref;

use journal::event::{Event, EventBody, EventSeq};
use journal::export::{self, Chosen, ExportError, ExportForm, Source};
use journal::log::Journal;
use journal::row::Filter;

use crate::common::unfolded;
use crate::session::{SECRET, a_session, all, brought_in, redact, rows, with_stdio, written};

fn events(journal: &Journal) -> Vec<Event> {
    (0..journal.len())
        .map(|seq| journal.event(EventSeq(seq)).unwrap())
        .collect()
}

#[test]
fn recordings_and_lines_bring_everything_back() {
    let journal = with_stdio();
    for form in [ExportForm::Recording, ExportForm::JsonLines] {
        let (bytes, exported) = all(&journal, form);
        assert_eq!(exported.redacted["demo/token"], 13, "{form:?}");
        let (again, notes) = brought_in(&bytes).unwrap();
        assert_eq!(rows(&again), rows(&journal), "{form:?}");
        assert_eq!(again.len(), journal.len());
        assert_eq!(again.summary().name.as_deref(), Some("bookings <1>"));
        // Every byte but those of the secret.
        let has = |end: &[u8]| {
            events(&again).iter().any(|event| match &event.body {
                EventBody::Frame { bytes, .. } => bytes.ends_with(end),
                _ => false,
            })
        };
        assert!(has("${secret:demo/token} 😀 é\"}]}}".as_bytes()));
        assert!(has(b"\xff\x00 no UTF-8"));
        let said = notes.join(" ");
        if form == ExportForm::Recording {
            assert!(said.contains("demo/token (13 times)"), "{said}");
        } else {
            assert_eq!(said, "");
        }
    }
}

#[test]
fn no_form_holds_a_secret() {
    let journal = with_stdio();
    for form in ExportForm::ALL {
        let (bytes, exported) = all(&journal, form);
        let mut plain = bytes.clone();
        if form == ExportForm::Recording {
            plain.clear();
            std::io::Read::read_to_end(
                &mut flate2::read::MultiGzDecoder::new(&bytes[..]),
                &mut plain,
            )
            .unwrap();
            assert!(
                bytes.windows(10).any(|part| part == b"demo/token"),
                "its comment names it"
            );
        }
        let text = String::from_utf8_lossy(&plain);
        assert!(!text.contains(SECRET), "{form:?}");
        assert!(
            text.contains("demo/token"),
            "{form:?} says what it redacted"
        );
        assert!(exported.redacted.contains_key("demo/token"));
    }
}

#[test]
fn chosen_rows_come_with_what_they_need() {
    let journal = with_stdio();
    let shown = unfolded(&journal, Filter::All);
    let key = |label: &str| {
        let row = shown
            .iter()
            .find(|row| row.label.contains(label) || row.detail.as_deref() == Some(label));
        row.unwrap().key.parse().unwrap()
    };
    let chosen = Chosen::rows(&journal, &[key("Beside all operations"), key("slow")]).unwrap();
    assert_eq!(chosen.rows, 2);
    let (bytes, _) = written(&journal, ExportForm::Recording, &chosen);
    let (again, _) = brought_in(&bytes).unwrap();
    insta::assert_snapshot!(rows(&again));
    let (page, _) = written(&journal, ExportForm::Page, &chosen);
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("slow") && !page.contains("book_table"));
    let har = {
        let folder = tempfile::tempdir().unwrap();
        let reader = || -> Box<dyn Deref<Target = Journal>> { Box::new(&journal) };
        let mut source = Source::new(&reader, &redact, &|_, _| true);
        export::write(
            ExportForm::Har,
            &mut source,
            &chosen,
            folder.path(),
            &mut Vec::new(),
        )
    };
    assert!(matches!(har, Err(ExportError::NoExchange)));
}

#[test]
fn an_export_can_be_stopped() {
    let journal = a_session();
    let folder = tempfile::tempdir().unwrap();
    for form in ExportForm::ALL {
        let last = RefCell::new((0, 0));
        let reader = || -> Box<dyn Deref<Target = Journal>> { Box::new(&journal) };
        let watch = |done, all| {
            *last.borrow_mut() = (done, all);
            done < 3
        };
        let mut source = Source::new(&reader, &redact, &watch);
        let stopped = export::write(
            form,
            &mut source,
            &Chosen::all(&journal),
            folder.path(),
            &mut Vec::new(),
        );
        assert!(matches!(stopped, Err(ExportError::Cancelled)), "{form:?}");
        assert_eq!(*last.borrow(), (3, u64::from(journal.len())));
    }
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn files_that_cannot_be_used_say_why_and_where() {
    let (lines, _) = all(&a_session(), ExportForm::JsonLines);
    let lines = String::from_utf8(lines).unwrap();
    let broken = lines.replacen(
        "\"what\":\"http_response\"",
        "\"what\":\"httq_response\"",
        1,
    );
    let newer = lines.replacen("\"version\":1", "\"version\":99", 1);
    let twice = format!("{lines}{lines}");
    let (har, _) = all(&a_session(), ExportForm::Har);
    let har = String::from_utf8(har).unwrap();
    let no_time = har.replacen("2026-05-28T20:26:40.040000Z", "yesterday", 1);
    let no_url = har.replacen("\"url\":", "\"uri\":", 2);
    let (recording, _) = all(&a_session(), ExportForm::Recording);
    let mut damaged = recording.clone();
    damaged.truncate(4);
    let told: Vec<String> = [
        &b""[..],
        b"no file of ours",
        b"\x1f\x8b\x08",
        &damaged,
        b"{\"a\":1}",
        b"{\"log\":{\"entries\":[]}}",
        b"{\"log\":{\"entries\":[{\"startedDateTime\":\"2026-01-01T00:00:00Z\",\"request\":{\"method\":\"GET\",\"url\":\"https://x.test/a.css\"},\"response\":{}}]}}",
        b"{\"log\":\xff}",
        b"\x89MCPR\r\n\x1a\xff\xff\xff\xff\0\0\0\0",
        broken.as_bytes(),
        newer.as_bytes(),
        twice.as_bytes(),
        no_time.as_bytes(),
        no_url.as_bytes(),
    ]
    .iter()
    .map(|bytes| match brought_in(bytes) {
        Ok(_) => panic!("{:?} was brought in", String::from_utf8_lossy(bytes)),
        Err(error) => error.split("/tmp/").map(|part| part.split_once("/file").map_or(part, |(_, rest)| rest)).collect::<Vec<_>>().join("FILE"),
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_was_cut_off_is_shown_as_far_as_it_goes() {
    let journal = a_session();
    let (lines, _) = all(&journal, ExportForm::JsonLines);
    let (again, notes) = brought_in(&lines[..lines.len() * 2 / 3]).unwrap();
    assert!(
        notes.join("").starts_with("The file was cut off in line "),
        "{notes:?}"
    );
    assert!(again.len() > 5 && again.len() < journal.len());
    let (again, notes) =
        brought_in(&lines[..lines.iter().rposition(|byte| *byte == b'{').unwrap()]).unwrap();
    assert_eq!(again.len(), 3.max(again.len()));
    assert!(!notes.is_empty());
    let (recording, _) = all(&journal, ExportForm::Recording);
    let (again, notes) = brought_in(&recording[..recording.len() * 2 / 3]).unwrap();
    assert!(
        notes.join(" ").contains("what came before is shown"),
        "{notes:?}"
    );
    assert!(again.len() > 5);
}
