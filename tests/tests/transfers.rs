//! What is taken away of a session as a file, and brought in again, through the whole core.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use app::api::feed::TimelinePatch;
use app::api::find::FoundRow;
use app::api::recordings::{OpenedRecording, RecordingList, RecordingState};
use app::api::servers::EraChoice;
use app::api::transfers::{ExportForm, ExportedFile, TransferState};
use journal::event::OperationId;
use secrets::Keyring;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::core::{Core, text_of};

/// Longer than anything here takes on a slow machine.
const PATIENCE: Duration = Duration::from_mins(1);
const FORMS: [ExportForm; 5] = ExportForm::ALL;
/// A value that becomes a secret after it was recorded; it has signs that forms and texts encode.
const LATE: &str = "s3cr&t \"canary\"/42";

async fn finished(core: &Core, transfer: u32) -> TransferState {
    let begun = Instant::now();
    loop {
        let state: TransferState = core.must("transfer", json!({ "transfer": transfer })).await;
        if !matches!(state, TransferState::Running { .. }) {
            return state;
        }
        assert!(begun.elapsed() < PATIENCE, "it never ends");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Exports, saves where `folder` is, and gives what the person was told before.
async fn exported(
    core: &Core,
    folder: &Path,
    recording: Option<&str>,
    scope: Value,
    form: ExportForm,
) -> (ExportedFile, PathBuf) {
    let args = json!({ "scope": scope, "form": form, "recording": recording });
    let transfer: u32 = core.must("start_export", args).await;
    let file = match finished(core, transfer).await {
        TransferState::Prepared { file } => file,
        other => panic!("{form:?}: {other:?}"),
    };
    let path = folder.join(&file.name);
    core.app()
        .save_export_at(transfer, path.clone())
        .await
        .expect("it is saved");
    assert_eq!(
        std::fs::metadata(&path).expect("the file").len(),
        file.byte_len
    );
    let _: () = core
        .must("end_transfer", json!({ "transfer": transfer }))
        .await;
    (file, path)
}

/// Brings a file in and opens it.
async fn brought_in(core: &Core, path: &Path) -> (OpenedRecording, Vec<String>) {
    let transfer = core.app().start_import(path.to_owned()).expect("an import");
    match finished(core, transfer).await {
        TransferState::BroughtIn { recording, notes } => {
            let opened = core
                .must("open_recording", json!({ "recording": recording }))
                .await;
            (opened, notes)
        }
        other => panic!("{other:?}"),
    }
}

async fn look(core: &Core, recording: Option<&str>, line: &str) -> TimelinePatch {
    let look = json!({
        "start": 0, "len": 400, "follow": false, "filter": "all", "server": null, "line": line,
    });
    core.must("look", json!({ "look": look, "recording": recording }))
        .await
}

/// The whole timeline of a recording, unfolded, without what differs between runs of it.
async fn rows(core: &Core, recording: Option<&str>) -> Vec<String> {
    for placed in look(core, recording, "").await.rows {
        if let (0, Some(operation)) = (placed.row.depth, placed.row.operation) {
            let fold = json!({ "operation": operation, "expanded": true, "recording": recording });
            let _: () = core.must("fold", fold).await;
        }
    }
    let patch = look(core, recording, "").await;
    let rows = patch.rows.into_iter().map(|placed| placed.row);
    rows.map(|row| {
        format!(
            "{}{} {} {:?} {} {}–{:?} {}",
            "  ".repeat(row.depth.into()),
            row.label,
            row.detail.unwrap_or_default(),
            row.chips,
            row.state_text,
            row.start_micros,
            row.end_micros,
            row.finding_count
        )
    })
    .collect()
}

fn unpacked(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a file");
    if !bytes.starts_with(b"\x1f\x8b") {
        return bytes;
    }
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..])
        .read_to_end(&mut plain)
        .expect("gzip");
    // What the comment says is part of the file.
    plain.extend_from_slice(&bytes);
    plain
}

/// A session over both transports that has said the secret, in several of the forms in which it travels.
async fn a_session(core: &Core) -> OperationId {
    core.connect_well("demo-stdio").await;
    core.connect_well("demo-http").await;
    let forms = [
        LATE.to_owned(),
        "czNjciZ0ICJjYW5hcnkiLzQy".to_owned(),
        "s3cr%26t%20%22canary%22%2F42".to_owned(),
    ];
    for text in forms {
        let arguments = json!({ "text": text }).to_string();
        for server in ["demo-stdio", "demo-http"] {
            let outcome = core.call(server, "echo", &arguments).await;
            assert!(text_of(&outcome).contains(&text));
        }
    }
    let ending = core
        .start_call("demo-http", "echo", r#"{"text":"chosen alone"}"#)
        .await;
    core.outcome(ending).await;
    ending
}

/// A server is added whose token is what was only a text until now.
async fn the_text_becomes_a_secret(core: &Core) {
    core.add_url(
        "late",
        "http://127.0.0.1:9/mcp",
        &[("Authorization", LATE)],
        EraChoice::Auto,
    )
    .await;
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_file_holds_a_secret_and_each_says_what_it_redacted() {
    let keyring = Keyring::in_memory();
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring.clone()).await;
    a_session(&core).await;
    the_text_becomes_a_secret(&core).await;
    let out = tempfile::tempdir().expect("a folder");
    for form in FORMS {
        let (file, path) = exported(&core, out.path(), None, json!({ "kind": "all" }), form).await;
        clean(form, &file, &path);
    }
    // Another run has not connected to anything: it has read no secret yet.
    let folder = core.close().await;
    let core = Core::start_with(folder, keyring).await;
    let list: RecordingList = core.must("recordings", json!({})).await;
    let past = list
        .recordings
        .into_iter()
        .find(|view| view.state == RecordingState::Past)
        .expect("the session before");
    for form in FORMS {
        let scope = json!({ "kind": "all" });
        let (file, path) = exported(&core, out.path(), Some(&past.id), scope, form).await;
        clean(form, &file, &path);
    }
    // A file from elsewhere that holds it is brought in without it.
    let lines = out.path().join("foreign.jsonl");
    let text = serde_json::to_string(LATE).expect("JSON");
    let told = format!(
        "{{\"roundtrip\":\"events\",\"version\":1}}\n{{\"at_micros\":1780000000000000,\"connection\":0,\"operation\":null,\"what\":\"note\",\"text\":{text}}}\n"
    );
    std::fs::write(&lines, told).expect("a file");
    let (opened, _) = brought_in(&core, &lines).await;
    let kept = core.folder().join("recordings").join(opened.view.id);
    let kept = std::fs::read(kept).expect("the recording");
    assert!(!holds(&kept, "canary") && holds(&kept, "${secret:late/Authorization}"));
}

fn clean(form: ExportForm, file: &ExportedFile, path: &Path) {
    let bytes = unpacked(path);
    for trace in ["canary", "czNjciZ0ICJjYW5hcnkiLzQy", "s3cr%26t", "s3cr&t"] {
        assert!(!holds(&bytes, trace), "{form:?} holds {trace:?}");
    }
    assert!(
        holds(&bytes, "late/Authorization"),
        "{form:?} says what it redacted"
    );
    let told = file
        .redacted
        .iter()
        .find(|secret| secret.name == "late/Authorization");
    assert!(
        told.expect("it is told before it is saved").count >= 12,
        "{told:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_comes_back_as_it_was() {
    let core = Core::start().await;
    a_session(&core).await;
    let out = tempfile::tempdir().expect("a folder");
    let folder = core.close().await;
    let core = Core::start_in(folder).await;
    let list: RecordingList = core.must("recordings", json!({})).await;
    let past = list.recordings.last().expect("a recording").id.clone();
    let _: OpenedRecording = core
        .must("open_recording", json!({ "recording": past }))
        .await;
    let before = rows(&core, Some(&past)).await;
    assert!(before.len() > 20, "{before:#?}");
    for form in [ExportForm::Recording, ExportForm::JsonLines] {
        let scope = json!({ "kind": "all" });
        let (file, path) = exported(&core, out.path(), Some(&past), scope, form).await;
        assert!(
            file.name.starts_with("Demo server and 1 more "),
            "{}",
            file.name
        );
        let (opened, _) = brought_in(&core, &path).await;
        assert_eq!(rows(&core, Some(&opened.view.id)).await, before, "{form:?}");
    }
    // HAR has the exchanges, and their operations come back.
    let scope = json!({ "kind": "all" });
    let (file, path) = exported(&core, out.path(), Some(&past), scope, ExportForm::Har).await;
    assert!(
        file.notes[0].contains("without an HTTP exchange"),
        "{:?}",
        file.notes
    );
    let (opened, notes) = brought_in(&core, &path).await;
    assert_eq!(notes, Vec::<String>::new());
    let after = rows(&core, Some(&opened.view.id)).await;
    // Findings are no part of HAR.
    let without_findings = |row: &String| row.rsplit_once(' ').expect("a count").0.to_owned();
    let before: Vec<_> = before.iter().map(without_findings).collect();
    let after: Vec<_> = after.iter().map(without_findings).collect();
    // What a stream of notifications ended with stands beside its exchange.
    let lasts = |row: &str| row.contains("subscriptions/listen");
    let of_requests = after
        .iter()
        .filter(|row| !row.starts_with(' ') && !lasts(row));
    for row in of_requests {
        assert!(
            before.contains(row),
            "{row}\nis not in\n{}",
            before.join("\n")
        );
    }
    assert_eq!(
        after
            .iter()
            .filter(|row| row.contains("tools/call echo"))
            .count(),
        4,
        "{after:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_or_chosen_is_taken_alone() {
    let core = Core::start().await;
    let chosen = a_session(&core).await;
    let out = tempfile::tempdir().expect("a folder");
    let key = format!("o{}", chosen.0);
    let scope = json!({ "kind": "rows", "keys": [key, format!("{key}/1")] });
    let (file, path) = exported(&core, out.path(), None, scope, ExportForm::JsonLines).await;
    assert_eq!(file.rows, 1);
    let lines = std::fs::read_to_string(&path).expect("text");
    assert!(lines.contains("chosen alone") && !lines.contains("canary"));
    assert_eq!(lines.lines().count(), file.events as usize + 2);

    let shown = look(&core, None, "method:tools/call server:\"Demo server\"").await;
    assert!(
        shown.total_rows > 2 && shown.total_rows < 8,
        "{}",
        shown.total_rows
    );
    let scope = json!({ "kind": "shown" });
    let (file, path) = exported(&core, out.path(), None, scope, ExportForm::Summary).await;
    assert_eq!(file.rows, shown.top_rows);
    let summary = std::fs::read_to_string(&path).expect("text");
    assert!(!summary.contains("tools/list"), "{summary}");

    look(&core, None, "method:nothing/like/that").await;
    let args = json!({ "scope": { "kind": "shown" }, "form": "page" });
    let transfer: u32 = core.must("start_export", args).await;
    let TransferState::Failed { error } = finished(&core, transfer).await else {
        panic!("there is nothing to export");
    };
    assert_eq!(error.message, "There is nothing in what was chosen.");
    let refused = core
        .app()
        .save_export_at(transfer, out.path().join("x"))
        .await;
    assert_eq!(refused.expect_err("nothing to save"), error);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_files_are_refused_and_leave_nothing() {
    let core = Core::start().await;
    let out = tempfile::tempdir().expect("a folder");
    let file = out.path().join("broken.har");
    std::fs::write(&file, r#"{"log":{"entries":[{"startedDateTime":"now"}]}}"#).expect("a file");
    let transfer = core.app().start_import(file).expect("an import");
    let TransferState::Failed { error } = finished(&core, transfer).await else {
        panic!("it cannot be used");
    };
    assert_eq!(
        error.message,
        "broken.har could not be brought in. Entry 1 of 1 of the HAR file, which begins in line 1, cannot be used: \
         missing field `request`."
    );
    assert!(error.hint.is_some());
    let recordings = std::fs::read_dir(core.folder().join("recordings")).expect("a folder");
    let left: Vec<_> = recordings
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(left.len(), 1, "the running session alone: {left:?}");
    // A folder that cannot be written is told of, and nothing is half there.
    core.connect_well("demo-stdio").await;
    let args = json!({ "scope": { "kind": "all" }, "form": "json_lines" });
    let transfer: u32 = core.must("start_export", args).await;
    finished(&core, transfer).await;
    let nowhere = out.path().join("not there").join("a.jsonl");
    let refused = core.app().save_export_at(transfer, nowhere).await;
    let message = refused.expect_err("no folder").message;
    assert!(
        message.contains("a.jsonl could not be written"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn past_sessions_are_filtered_and_searched() {
    let core = Core::start().await;
    a_session(&core).await;
    let folder: TempDir = core.close().await;
    let core = Core::start_in(folder).await;
    let list: RecordingList = core.must("recordings", json!({})).await;
    let past = list.recordings.last().expect("a recording").id.clone();
    let all = look(&core, Some(&past), "").await;
    let calls = look(&core, Some(&past), "method:tools/call").await;
    assert_eq!(calls.top_rows, 7);
    assert!(calls.top_rows < all.top_rows);
    // A text is searched for beside; looking again tells how far that is.
    let begun = Instant::now();
    let found = loop {
        let patch = look(&core, Some(&past), "text:\"chosen alone\"").await;
        let search = patch.find.as_ref().and_then(|find| find.search.clone());
        if search.is_some_and(|search| search.state == app::api::find::SearchState::Done) {
            break patch;
        }
        assert!(begun.elapsed() < PATIENCE, "it never ends");
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(found.top_rows, 1, "{:?}", found.rows);
    let step = json!({ "from": null, "backwards": false, "recording": past });
    let row: Option<FoundRow> = core.must("step", step).await;
    let row = row.expect("a row");
    assert_eq!(
        (row.index, row.key.as_str()),
        (0, found.rows[0].row.key.as_str())
    );
    assert!(row.event.is_some(), "where the text is");
    let reading: Value = core
        .must(
            "read_filter",
            json!({ "line": "tool:ec", "cursor": 7, "recording": past }),
        )
        .await;
    assert_eq!(reading["suggestions"][0]["insert"], "echo", "{reading}");
    let wrong = core
        .rpc::<TimelinePatch>(
            "look",
            json!({ "recording": past, "look": {
                "start": 0, "len": 9, "follow": false, "filter": "all", "server": null, "line": "method:",
            } }),
        )
        .await;
    assert_eq!(wrong.expect_err("no filter")["code"], "bad_input");
    let _: () = core.must("stop_search", json!({ "recording": past })).await;
    let _: () = core
        .must("close_recording", json!({ "recording": past }))
        .await;
}

/// What a shell makes of a command line.
fn words(line: &str) -> Vec<String> {
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("printf '%s\\0' {line}")])
        .output()
        .expect("a shell");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.split_terminator('\0').map(str::to_owned).collect()
}

async fn copied(core: &Core, operation: OperationId, form: &str) -> Result<Value, Value> {
    let args = json!({ "operation": operation, "exchange": 0, "form": form });
    core.rpc("copy_as", args).await
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn requests_are_copied_as_what_runs() {
    let core = Core::start().await;
    core.connect_well("demo-http").await;
    core.connect_well("demo-stdio").await;
    let text = r"it's `here` $HOME \ and 12345678901234567890";
    let arguments = json!({ "text": text }).to_string();
    let over_http = core.start_call("demo-http", "echo", &arguments).await;
    core.outcome(over_http).await;
    let over_stdio = core.start_call("demo-stdio", "echo", &arguments).await;
    core.outcome(over_stdio).await;

    let message = copied(&core, over_http, "json_rpc")
        .await
        .expect("JSON-RPC");
    let message: Value =
        serde_json::from_str(message["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(message["params"]["arguments"]["text"], text);

    let curl = copied(&core, over_http, "curl").await.expect("curl");
    let curl = words(curl["text"].as_str().expect("text"));
    assert_eq!(curl[..4], ["curl", "-sS", "-N", "--url"]);
    assert!(curl[4].starts_with("http://127.0.0.1:"), "{curl:?}");
    assert!(
        curl.iter().any(|word| word == "mcp-method: tools/call"),
        "{curl:?}"
    );
    let body = curl.last().expect("a body");
    assert_eq!(serde_json::from_str::<Value>(body).expect("JSON"), message);
    assert!(!curl.iter().any(|word| word.starts_with("content-length")));
    let refused = copied(&core, over_stdio, "curl")
        .await
        .expect_err("no HTTP");
    assert_eq!(refused["message"], "This request did not go over HTTP.");

    // What is copied for roundtrip-cli does the same again.
    let cli = copied(&core, over_stdio, "cli").await.expect("cli");
    let cli = words(cli["text"].as_str().expect("text"));
    assert_eq!(
        cli[..6],
        [
            "roundtrip-cli",
            "run",
            "--server",
            "Demo server",
            "--method",
            "tools/call"
        ]
    );
    assert_eq!(cli[6], "--params");
    let params: Value = serde_json::from_str(&cli[7]).expect("JSON");
    assert_eq!(
        params,
        json!({ "name": "echo", "arguments": { "text": text } })
    );
    let program = std::process::Command::new(tests::programs::cli())
        .args(&cli[1..])
        .args(["--json", "--data-dir"])
        .arg(core.folder())
        .output()
        .expect("the program runs");
    let told = String::from_utf8_lossy(&program.stdout);
    assert!(
        program.status.success(),
        "{told}\n{}",
        String::from_utf8_lossy(&program.stderr)
    );
    assert!(told.contains("it's `here` $HOME"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_copied_by_name() {
    let core = Core::start().await;
    core.connect_well("demo-http").await;
    let ping = core
        .start_call("demo-http", "echo", r#"{"text":"canary-77"}"#)
        .await;
    core.outcome(ping).await;
    core.add_url(
        "late",
        "http://127.0.0.1:9/mcp",
        &[("X-Key", "canary-77")],
        EraChoice::Auto,
    )
    .await;
    for form in ["curl", "json_rpc", "cli"] {
        let copied = copied(&core, ping, form).await.expect("a copy");
        let text = copied["text"].as_str().expect("text");
        assert!(
            !text.contains("canary-77") && text.contains("${secret:late/X-Key}"),
            "{text}"
        );
        assert_eq!(copied["secrets"], json!(["late/X-Key"]));
    }
}
