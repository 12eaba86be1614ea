//! Files that somebody made to break who opens them: each is refused or shown, and none is a panic or takes for ever.

use journal::event::EventSeq;
use journal::export::ExportForm;
use journal::row::Filter;
use journal::view::View;
use proptest::prelude::*;

use crate::session::{all, brought_in, with_stdio};

/// What is done to a file.
#[derive(Clone, Debug)]
enum Harm {
    /// A byte becomes another.
    Flip(prop::sample::Index, u8),
    /// A part is left out.
    Cut(prop::sample::Index, usize),
    /// A part comes twice.
    Double(prop::sample::Index, usize),
    /// Something is put in.
    Put(prop::sample::Index, Vec<u8>),
}

fn harm() -> impl Strategy<Value = Harm> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        (place(), any::<u8>()).prop_map(|(at, byte)| Harm::Flip(at, byte)),
        (place(), 1..200_usize).prop_map(|(at, len)| Harm::Cut(at, len)),
        (place(), 1..200_usize).prop_map(|(at, len)| Harm::Double(at, len)),
        (
            place(),
            prop_oneof![
                Just(b"99999999999999999999".to_vec()),
                Just(b"\"\\ud800\"".to_vec()),
                Just(b"-1".to_vec()),
                Just(b"null".to_vec()),
                Just(b"[[[[[[[[[[[[[[[[[[[[[[".to_vec()),
                Just(vec![0xff; 16]),
                Just(vec![0; 16]),
            ]
        )
            .prop_map(|(at, bytes)| Harm::Put(at, bytes)),
    ]
}

fn harmed(mut bytes: Vec<u8>, harms: &[Harm]) -> Vec<u8> {
    for harm in harms {
        if bytes.is_empty() {
            return bytes;
        }
        match harm {
            Harm::Flip(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Harm::Cut(at, len) => {
                let at = at.index(bytes.len());
                bytes.drain(at..(at + len).min(bytes.len()));
            }
            Harm::Double(at, len) => {
                let at = at.index(bytes.len());
                let part = bytes[at..(at + len).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
            Harm::Put(at, put) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, put.iter().copied());
            }
        }
    }
    bytes
}

/// Everything that is looked at of a file that was brought in.
fn look(bytes: &[u8]) {
    let Ok((journal, notes)) = brought_in(bytes) else {
        return;
    };
    assert!(notes.iter().all(|note| !note.is_empty()));
    let mut view = View::new(Filter::All, None);
    for key in view.top_keys(&journal) {
        if let Some(operation) = key.operation() {
            view.set_expanded(&journal, operation, true);
            journal.exchanges(operation).unwrap();
            journal.totals(operation, u64::MAX).unwrap();
            journal.origin(operation).unwrap();
            journal.branches(operation, 50).unwrap();
        }
    }
    let total = view.total_rows();
    view.window(&journal, 0, total);
    for seq in 0..journal.len() {
        journal.event(EventSeq(seq)).unwrap();
    }
    let density = journal.tree().density();
    assert_eq!(
        density.events().iter().sum::<u32>(),
        journal.len(),
        "every event counts once"
    );
    // It can be taken away again; HAR needs an exchange, which may be what was harmed.
    for form in ExportForm::ALL {
        if form != ExportForm::Har {
            all(&journal, form);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn harmed_files_are_refused_or_shown(harms in prop::collection::vec(harm(), 1..6)) {
        let journal = with_stdio();
        for form in [ExportForm::Recording, ExportForm::JsonLines, ExportForm::Har] {
            let (bytes, _) = all(&journal, form);
            look(&harmed(bytes.clone(), &harms));
            if form == ExportForm::Recording {
                // Within what is compressed, too.
                let mut plain = Vec::new();
                std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut plain).unwrap();
                look(&harmed(plain, &harms));
            }
        }
    }
}

#[test]
fn a_file_that_unpacks_without_end_is_stopped() {
    // 64 MiB of nothing in a few KiB: it is unpacked into a file, never into memory, and is then no form that is known.
    let mut packed = Vec::new();
    let mut encoder = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::best());
    for _ in 0..64 {
        std::io::Write::write_all(&mut encoder, &vec![b' '; 1 << 20]).unwrap();
    }
    encoder.finish().unwrap();
    let Err(told) = brought_in(&packed) else {
        panic!("it was brought in");
    };
    assert!(
        told.starts_with("The file is neither a recording"),
        "{told}"
    );
}
