//! Recordings of past sessions through the whole core: listed, looked at without their servers, named, deleted, limited,
//! and what a process that is killed leaves of one.

use std::path::Path;
use std::time::{Duration, Instant};

use app::api::feed::TimelinePatch;
use app::api::options::ServerOptions;
use app::api::recordings::{
    OpenedRecording, RecordingList, RecordingState, RecordingView, RetentionPlan,
};
use app::api::servers::{Endpoint, EraChoice, ServerDraft};
use journal::event::{EventBody, EventSeq, FrameRole};
use journal::log::Journal;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::core::{Core, text_of};
use tests::programs;

/// Starts a core in which the demo server was called once in an earlier session.
async fn after_a_session() -> (Core, RecordingView, String) {
    let core = Core::start().await;
    core.connect_well("demo-stdio").await;
    let outcome = core.call("demo-stdio", "echo", r#"{"text":"ciao"}"#).await;
    assert!(text_of(&outcome).contains("ciao"));
    let rows = core.unfolded().await;
    let folder = core.close().await;
    let core = restarted(folder).await;
    let past = past(&core).await;
    assert_eq!(past.len(), 1, "{past:#?}");
    (core, past[0].clone(), rows)
}

/// Starts a core in the folder of one that has closed, once that one has let its file go.
async fn restarted(folder: TempDir) -> Core {
    let begun = Instant::now();
    let files = || std::fs::read_dir(folder.path().join("recordings")).expect("a folder");
    while files().any(|entry| is_locked(&entry.expect("an entry").path())) {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "the file is never let go"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Core::start_in(folder).await
}

fn is_locked(path: &Path) -> bool {
    let file = std::fs::File::open(path).expect("a recording");
    file.try_lock().is_err()
}

async fn list(core: &Core) -> Vec<RecordingView> {
    let list: RecordingList = core.must("recordings", json!({})).await;
    list.recordings
}

async fn past(core: &Core) -> Vec<RecordingView> {
    let mut all = list(core).await;
    all.retain(|view| view.state == RecordingState::Past);
    all
}

async fn look(core: &Core, recording: &str) -> TimelinePatch {
    let look = json!({ "start": 0, "len": 400, "follow": false, "filter": "all", "server": null });
    core.must("look", json!({ "look": look, "recording": recording }))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_past_session_is_looked_at_without_its_server() {
    let (core, recording, _) = after_a_session().await;
    assert_eq!(recording.server_names, ["Demo server"]);
    assert_eq!(recording.name, None);
    assert!(recording.operation_count >= 3, "{recording:#?}");
    let (start, end) = (recording.start_micros, recording.end_micros);
    assert!(start < end && end.is_some());
    let path = core.folder().join("recordings").join(&recording.id);
    let byte_len = std::fs::metadata(&path).expect("the file").len();
    assert_eq!(recording.byte_len, byte_len);

    let id = json!({ "recording": recording.id });
    let opened: OpenedRecording = core.must("open_recording", id.clone()).await;
    assert_eq!(opened.notes, Vec::<String>::new());
    let patch = look(&core, &recording.id).await;
    let call = patch
        .rows
        .iter()
        .map(|placed| &placed.row)
        .find(|row| row.detail.as_deref() == Some("echo"))
        .expect("the call");
    let operation = call.operation.expect("an operation");
    let place: Value = core
        .must(
            "locate",
            json!({ "operation": operation, "recording": recording.id }),
        )
        .await;
    assert!(place["index"].is_number(), "{place}");
    let folded = patch.total_rows;
    let _: () = core
        .must(
            "fold",
            json!({ "operation": operation, "expanded": true, "recording": recording.id }),
        )
        .await;
    let unfolded = look(&core, &recording.id).await;
    assert_eq!(unfolded.total_rows, folded + call.child_count);
    assert!(unfolded.revision > patch.revision);

    let row: Value = core
        .must("row", json!({ "key": call.key, "recording": recording.id }))
        .await;
    assert_eq!(row["title"], "tools/call echo");
    let events: Vec<Value> = core
        .must(
            "operation_events",
            json!({ "operation": operation, "start": 0, "len": 400, "recording": recording.id }),
        )
        .await;
    assert_eq!(row["event_count"].as_u64(), Some(events.len() as u64));
    let event = &row["exchanges"][0]["response"]["event"];
    let body: Value = core
        .must(
            "body",
            json!({ "event": event, "form": "pretty", "limit": 0, "recording": recording.id }),
        )
        .await;
    // The live session has no such event: windows of a body are the recording's too.
    let part: Value = core
        .must(
            "body_lines",
            json!({ "event": event, "form": "pretty", "columns": 200, "start": 0, "len": 10, "recording": recording.id }),
        )
        .await;
    assert_eq!(part["lines"][0]["text"], "{", "{part}");
    assert!(
        body["text"].as_str().expect("text").contains("ciao"),
        "{body}"
    );

    // The session that runs now has nothing of it.
    let now = core.look(0, 400).await;
    assert_eq!(now.total_rows, 0);
    let _: () = core.must("close_recording", id).await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_is_listed_first_and_a_start_without_events_is_not_listed_at_all() {
    let core = Core::start().await;
    assert!(matches!(list(&core).await.as_slice(), [one] if one.state == RecordingState::Running));
    let folder = core.close().await;
    let core = restarted(folder).await;
    assert_eq!(past(&core).await, Vec::new());
    core.connect_well("demo-stdio").await;
    let running = list(&core).await.remove(0);
    assert_eq!(running.state, RecordingState::Running);
    assert_eq!(running.server_names, ["Demo server"]);
    assert!(running.event_count > 3);

    // It is named while it runs; it can neither be opened as a past one nor deleted.
    let id = &running.id;
    let _: () = core
        .must(
            "name_recording",
            json!({ "recording": id, "name": "  this session " }),
        )
        .await;
    for command in ["open_recording", "delete_recording"] {
        let error = core
            .rpc::<Value>(command, json!({ "recording": id }))
            .await
            .expect_err("refused");
        assert!(error["hint"].is_string(), "{error}");
    }
    core.call("demo-stdio", "echo", r#"{"text":"after the name"}"#)
        .await;
    let folder = core.close().await;
    let core = restarted(folder).await;
    let past = past(&core).await;
    assert_eq!(past[0].name.as_deref(), Some("this session"));
    assert_eq!(past[0].problem, None);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_kept_in_the_file_and_a_deleted_recording_is_gone() {
    let (core, recording, _) = after_a_session().await;
    let id = recording.id.clone();
    let _: OpenedRecording = core
        .must("open_recording", json!({ "recording": id }))
        .await;
    let before = look(&core, &id).await;
    // Also while it is looked at.
    let _: () = core
        .must(
            "name_recording",
            json!({ "recording": id, "name": "checkout bug" }),
        )
        .await;
    let after = look(&core, &id).await;
    assert_eq!(after.total_rows, before.total_rows);
    assert!(after.revision > before.revision);

    let recordings = core.folder().join("recordings");
    let moved = "renamed by hand.mcpr";
    std::fs::rename(recordings.join(&id), recordings.join(moved)).expect("renamed");
    let found = past(&core).await;
    assert_eq!(found[0].id, moved);
    assert_eq!(found[0].name.as_deref(), Some("checkout bug"));
    assert_eq!(found[0].event_count, recording.event_count);

    let gone = core
        .rpc::<Value>("delete_recording", json!({ "recording": id }))
        .await
        .expect_err("it has another name now");
    assert_eq!(gone["code"], "gone");
    for outside in ["../servers.json", "/etc/passwd", "..", "", "a.txt"] {
        let error = core
            .rpc::<Value>("delete_recording", json!({ "recording": outside }))
            .await
            .expect_err("refused");
        assert_eq!(error["code"], "gone", "{outside}: {error}");
    }
    let _: () = core
        .must("delete_recording", json!({ "recording": moved }))
        .await;
    assert!(past(&core).await.is_empty());
    assert!(!recordings.join(moved).exists());
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_roundtrip_writes_to_is_shown_and_left_alone() {
    let (core, recording, _) = after_a_session().await;
    let path = core.folder().join("recordings").join(&recording.id);
    let (elsewhere, notes) = Journal::open(&path).expect("opened to go on");
    assert!(!notes.read_only);
    let seen = list(&core).await;
    let view = seen
        .iter()
        .find(|view| view.id == recording.id)
        .expect("listed");
    assert_eq!(view.state, RecordingState::InUse);
    let opened: OpenedRecording = core
        .must("open_recording", json!({ "recording": recording.id }))
        .await;
    assert!(opened.notes[0].contains("Another Roundtrip"), "{opened:#?}");
    for (command, args) in [
        ("delete_recording", json!({ "recording": recording.id })),
        (
            "name_recording",
            json!({ "recording": recording.id, "name": "x" }),
        ),
    ] {
        let error = core.rpc::<Value>(command, args).await.expect_err("refused");
        let message = error["message"].as_str().expect("words");
        assert!(
            message.contains("another Roundtrip") || message.contains("Another Roundtrip"),
            "{error}"
        );
    }
    let plan: RetentionPlan = core
        .must(
            "plan_retention",
            json!({ "retention": { "total_mib": 0, "days": null } }),
        )
        .await;
    assert_eq!(plan.recordings, Vec::new());
    drop(elsewhere);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_say_what_they_will_remove_and_keep_what_has_a_name() {
    let (core, first, _) = after_a_session().await;
    core.connect_well("demo-stdio").await;
    let folder = core.close().await;
    let core = restarted(folder).await;
    assert_eq!(past(&core).await.len(), 2);
    let _: () = core
        .must(
            "name_recording",
            json!({ "recording": first.id, "name": "keep me" }),
        )
        .await;
    let limits = json!({ "retention": { "total_mib": 0, "days": null } });
    let plan: RetentionPlan = core.must("plan_retention", limits.clone()).await;
    assert_eq!(plan.recordings.len(), 1);
    assert_eq!(plan.named, 1);
    assert_ne!(plan.recordings[0].id, first.id);
    assert_eq!(past(&core).await.len(), 2, "a plan removes nothing");
    let done: RetentionPlan = core.must("set_retention", limits).await;
    assert_eq!(done, plan);
    assert_eq!(past(&core).await.len(), 1);

    // The next start holds to them as well, and says so.
    core.connect_well("demo-stdio").await;
    let folder = core.close().await;
    let core = restarted(folder).await;
    let told = async {
        loop {
            let list: RecordingList = core.must("recordings", json!({})).await;
            if let Some(removed) = list.removed_at_start {
                return (removed, list.recordings);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let (removed, rest) = tokio::time::timeout(Duration::from_secs(20), told)
        .await
        .expect("the limits were applied");
    assert_eq!(removed.recordings.len(), 1);
    let rest: Vec<_> = rest.iter().map(|view| view.name.as_deref()).collect();
    assert_eq!(rest, [None, Some("keep me")]);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_recorded_is_seen_in_the_session_and_in_no_file() {
    let core = Core::start().await;
    let server = core
        .add(ServerDraft {
            name: "off the record".to_owned(),
            endpoint: Endpoint::Stdio {
                command: programs::demo_server().display().to_string(),
                args: vec!["stdio".to_owned()],
                env: Vec::new(),
                folder: None,
            },
            era: EraChoice::Auto,
            options: ServerOptions {
                record: false,
                ..ServerOptions::default()
            },
        })
        .await;
    core.connect_well(&server).await;
    core.connect_well("demo-stdio").await;
    core.call(&server, "echo", r#"{"text":"between us"}"#).await;
    let outcome = core
        .call("demo-stdio", "echo", r#"{"text":"on the record"}"#)
        .await;
    let rows = core.unfolded().await;
    assert_eq!(rows.matches("tools/call echo").count(), 2, "{rows}");
    let details = core.details(outcome.operation).await;
    let running = list(&core).await.remove(0);
    let path = core.folder().join("recordings").join(&running.id);
    let folder = core.close().await;

    let bytes = std::fs::read(&path).expect("the recording");
    let has = |text: &str| {
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    assert!(has("on the record") && !has("between us") && !has("off the record"));
    // What is left is whole by itself: it opens, and shows the recorded call as the session did.
    let core = restarted(folder).await;
    let past = past(&core).await;
    assert_eq!(past[0].server_names, ["Demo server"]);
    let patch = look(&core, &past[0].id).await;
    let calls: Vec<_> = patch
        .rows
        .iter()
        .filter(|placed| placed.row.detail.as_deref() == Some("echo"))
        .collect();
    assert_eq!(calls.len(), 1);
    let row: Value = core
        .must(
            "row",
            json!({ "key": calls[0].row.key, "recording": past[0].id }),
        )
        .await;
    let state = row["summary"][1]["value"].as_str().expect("a state");
    assert!(details.contains(state), "{details}");
    core.close().await;
}

/// The numbers of the flood's notifications, in the order in which they stand in a recording.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The flood counts in whole numbers.
fn flooded(journal: &Journal) -> Vec<u64> {
    (0..journal.len())
        .filter_map(
            |seq| match journal.event(EventSeq(seq)).expect("an event").body {
                EventBody::Frame {
                    role: FrameRole::Notification { .. },
                    bytes,
                    ..
                } => serde_json::from_slice::<Value>(&bytes).expect("JSON")["params"]["progress"]
                    .as_f64()
                    .map(|progress| progress as u64),
                _ => None,
            },
        )
        .collect()
}

#[cfg(unix)]
fn flood_and_kill(folder: &Path, after: Duration) -> (Journal, Vec<String>, u64) {
    use std::process::{Command, Stdio};
    let recording = folder.join(format!("killed after {} ms.mcpr", after.as_millis()));
    let mut child = Command::new(programs::cli())
        .args(["run", "--method", "tools/call"])
        .args([
            "--params",
            r#"{"name":"flood","arguments":{"count":1000000}}"#,
        ])
        .arg("--record")
        .arg(&recording)
        .arg("--")
        .arg(programs::demo_server())
        .arg("stdio")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let begun = Instant::now();
    // The flood has begun when there is much more than a handshake.
    while std::fs::metadata(&recording).map_or(0, |metadata| metadata.len()) < 400_000 {
        assert!(begun.elapsed() < Duration::from_mins(1), "no flood came");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(after);
    let killed_at = std::time::SystemTime::now();
    // SIGKILL: nothing of the process runs after it.
    child.kill().expect("killed");
    child.wait().expect("gone");
    let killed_micros = killed_at
        .duration_since(std::time::UNIX_EPOCH)
        .expect("after 1970")
        .as_micros();
    let (journal, notes) = Journal::open(&recording).expect("it opens");
    (
        journal,
        notes.sentences(),
        u64::try_from(killed_micros).expect("a time"),
    )
}

#[test]
#[cfg(unix)]
fn a_process_killed_in_a_flood_leaves_a_recording_that_is_whole_up_to_the_last_flush() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut ages = Vec::new();
    for after in [0, 130, 310, 470] {
        let (mut journal, notes, killed_micros) =
            flood_and_kill(folder.path(), Duration::from_millis(after));
        assert!(
            notes
                .iter()
                .any(|note| note.contains("had not ended when the recording stopped")),
            "{notes:?}"
        );
        let seen = flooded(&journal);
        assert!(seen.len() > 500, "only {} of the flood", seen.len());
        let expected: Vec<u64> = (1..=seen.len() as u64).collect();
        assert_eq!(seen, expected, "nothing is missing before the end");
        let last = journal
            .event(EventSeq(journal.len() - 1))
            .expect("the last event");
        ages.push(killed_micros.saturating_sub(last.at_micros));
        // It can be gone on with: the torn tail is cut.
        let before = journal.len();
        journal.append(&last);
        let path = journal.path().expect("a file").to_owned();
        drop(journal);
        let (again, notes) = Journal::open(&path).expect("it opens again");
        assert_eq!(again.len(), before + 1);
        assert!(!notes.sentences().join(" ").contains("interrupted"));
    }
    // The core flushes every 200 ms. A machine that is busy with other things may keep one process waiting, not four.
    ages.sort_unstable();
    assert!(ages[1] <= 250_000, "microseconds lost: {ages:?}");
    assert!(ages[3] <= 2_000_000, "microseconds lost: {ages:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_torn_tail_is_told_when_the_recording_is_opened() {
    let (core, recording, _) = after_a_session().await;
    let path = core.folder().join("recordings").join(&recording.id);
    let bytes = std::fs::read(&path).expect("the file");
    std::fs::write(&path, &bytes[..bytes.len() - 3]).expect("torn");
    let seen = past(&core).await;
    assert_eq!(
        seen[0].event_count,
        recording.event_count - 1,
        "the index follows the file"
    );
    let opened: OpenedRecording = core
        .must("open_recording", json!({ "recording": recording.id }))
        .await;
    assert!(
        opened.notes[0].contains("hold no whole event"),
        "{opened:#?}"
    );
    let middle = bytes.len() / 2;
    let mut damaged = bytes.clone();
    damaged[middle] ^= 0x55;
    std::fs::write(&path, &damaged).expect("damaged");
    let opened: OpenedRecording = core
        .must("open_recording", json!({ "recording": recording.id }))
        .await;
    assert!(opened.notes[0].contains("damaged at byte"), "{opened:#?}");
    let error = core
        .rpc::<Value>(
            "name_recording",
            json!({ "recording": recording.id, "name": "x" }),
        )
        .await
        .expect_err("a damaged file is left as it is");
    assert!(
        error["message"]
            .as_str()
            .expect("words")
            .contains("damaged"),
        "{error}"
    );
    std::fs::write(&path, b"no recording at all, only text").expect("other");
    let seen = past(&core).await;
    assert!(
        seen[0]
            .problem
            .as_deref()
            .is_some_and(|problem| problem.contains("is not a recording"))
    );
    core.close().await;
}
