//! Recordings: written, exported and imported.

use std::path::Path;

use journal::event::EventSeq;
use journal::log::Journal;
use tempfile::TempDir;
use tests::listening::Listening;

use crate::scene::{run, run_demo, sent, shown};

#[test]
fn a_recording_is_written_where_it_is_asked_for_and_holds_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = folder.path().join("run.mcpr");
    let http = Listening::demo(&[]);
    let secret = "Bearer hunter2-hunter2-hunter2";
    let header = format!("Authorization: {secret}");
    let arguments = [
        "run",
        "--json",
        "--verbose",
        "--server",
        http.url(),
        "--header",
        &header,
        "--method",
        "tools/call",
        "--params",
        r#"{"name":"echo","arguments":{"text":"Bearer hunter2-hunter2-hunter2"}}"#,
        "--record",
        shown(&recording),
    ];
    let ran = run(&arguments).expect(0);
    assert!(!ran.stdout.contains("hunter2"), "{}", ran.stdout);
    let bytes = std::fs::read(&recording).expect("the recording");
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
    assert!(
        sent(&recording)
            .iter()
            .any(|text| text.contains("tools/call"))
    );
    let again = run(&arguments).expect(2);
    assert!(
        again.event("error")["message"]
            .as_str()
            .expect("words")
            .contains("run.mcpr")
    );
}

#[test]
fn recordings_are_written_in_other_forms_and_brought_back() {
    let folder = TempDir::new().expect("a folder");
    let recording = folder.path().join("run.mcpr");
    let arguments = [
        "run",
        "--method",
        "tools/call",
        "--params",
        r#"{"name":"echo","arguments":{"text":"ciao"}}"#,
    ];
    run_demo(&[&arguments[..], &["--record", shown(&recording)]].concat()).expect(0);
    let data = ["--data-dir", shown(folder.path())];
    let mut made = Vec::new();
    for (form, ending) in [
        ("recording", "mcpr.gz"),
        ("jsonl", "jsonl"),
        ("html", "html"),
        ("markdown", "md"),
    ] {
        let export = [&["export", shown(&recording), "--as", form], &data[..]].concat();
        let ran = run(&export).expect(0);
        let path = folder.path().join(format!("run.{ending}"));
        assert_eq!(ran.stdout.trim(), shown(&path), "{}", ran.stderr);
        assert!(path.metadata().expect("the file").len() > 100);
        // What is there stays.
        run(&export).expect(2);
        made.push(path);
    }
    // It went over stdio, and HAR holds nothing of that.
    let har = [&["export", shown(&recording), "--as", "har"], &data[..]].concat();
    let ran = run(&har).expect(7);
    assert!(ran.stderr.contains("HAR"), "{}", ran.stderr);
    let back = folder.path().join("back.mcpr");
    let import = [
        &["import", shown(&made[1]), "--to", shown(&back)],
        &data[..],
    ]
    .concat();
    run(&import).expect(0);
    let events = |path: &Path| {
        let (journal, _) = Journal::view(path).expect("a recording");
        (0..journal.len())
            .map(|seq| journal.event(EventSeq(seq)).expect("an event"))
            .collect::<Vec<_>>()
    };
    assert_eq!(events(&back), events(&recording));
    let ran = run(&[&["import", shown(&made[3])], &data[..]].concat()).expect(7);
    assert!(
        ran.stderr.contains("run.md could not be brought in"),
        "{}",
        ran.stderr
    );
}
