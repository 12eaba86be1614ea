//! What is left on the disk: after a good end, and after none.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use app::api::servers::EraChoice;
use journal::event::{EventBody, EventSeq, OperationEnd};
use journal::log::Journal;
use tests::core::{Core, text_of};

/// Tells the test below, in a process of its own, where to keep its data.
const FOLDER: &str = "ROUNDTRIP_TEST_HOSTS_A_CORE_IN";

/// The only recording in a data folder.
pub fn recording(data: &Path) -> PathBuf {
    let found: Vec<PathBuf> = files(data)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "mcpr"))
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().expect("one")
}

/// All files below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}

fn bodies(journal: &Journal) -> Vec<EventBody> {
    (0..journal.len())
        .map(|seq| journal.event(EventSeq(seq)).expect("an event").body)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_holds_everything_after_the_end() {
    let core = Core::start().await;
    let server = core.add_odd("plain-modern", EraChoice::Auto).await;
    core.connect_well(&server).await;
    let outcome = core.call(&server, "echo", r#"{"marker":"Zx9"}"#).await;
    assert_eq!(text_of(&outcome), r#"{"marker": "Zx9"}"#);
    let seen = core.unfolded().await;
    let folder = core.close().await;

    let (journal, notes) = Journal::open(&recording(folder.path())).expect("it opens");
    assert_eq!(
        (notes.torn_byte_len, notes.damaged_at, notes.unfinished),
        (0, None, Vec::new())
    );
    let bodies = bodies(&journal);
    let first = bodies.first().expect("an event");
    assert!(
        matches!(first, EventBody::ConnectionOpened { .. }),
        "{first:?}"
    );
    assert!(
        bodies
            .iter()
            .any(|body| matches!(body, EventBody::ProcessExited { expected: true, .. })),
        "{bodies:#?}"
    );
    assert!(
        bodies
            .iter()
            .any(|body| matches!(body, EventBody::ConnectionClosed { .. })),
        "{bodies:#?}"
    );
    let with_marker = bodies
        .iter()
        .filter(|body| matches!(body, EventBody::Frame { bytes, .. } if bytes.windows(3).any(|window| window == b"Zx9")))
        .count();
    assert_eq!(with_marker, 2, "the call and its reply");
    let ended = bodies
        .iter()
        .filter(|body| matches!(body, EventBody::OperationEnded(OperationEnd::Complete)))
        .count();
    assert!(ended >= 4, "{seen}\n{bodies:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_without_events_leaves_no_file() {
    let core = Core::start().await;
    let folder = core.close().await;
    let left: Vec<PathBuf> = files(folder.path())
        .into_iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "mcpr"))
        .collect();
    assert_eq!(left, Vec::<PathBuf>::new());
}

/// Hosts a core until it is killed. It is no test of its own: the next one runs it.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by the test that kills it"]
async fn hosts_a_core() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = tempfile::Builder::new()
        .prefix("core")
        .disable_cleanup(true)
        .tempdir_in(folder)
        .expect("a folder");
    let data = folder.path().to_path_buf();
    let core = Core::start_in(folder).await;
    let server = core.add_odd("plain", EraChoice::Auto).await;
    let pid = core.connect_well(&server).await.pid.expect("a process");
    let outcome = core.call(&server, "echo", r#"{"marker":"Zx9"}"#).await;
    // The tail is written soon after, not at once.
    let file = recording(&data);
    while !std::fs::read(&file)
        .expect("the recording")
        .windows(3)
        .any(|window| window == b"Zx9")
    {
        tokio::task::yield_now().await;
    }
    eprintln!("hosting {pid} {}", outcome.operation.0);
    std::future::pending::<()>().await;
}

#[test]
fn a_recording_opens_after_its_writer_was_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut host = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "recordings::hosts_a_core",
            "--ignored",
            "--nocapture",
        ])
        .env(FOLDER, folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this program runs");
    let stderr = host.stderr.take().expect("a pipe");
    let told = BufReader::new(stderr)
        .lines()
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("hosting ").map(str::to_owned))
        .expect("it hosts a core");
    let pid = told.split(' ').next().expect("a process");
    host.kill().expect("SIGKILL");
    host.wait().expect("it ends");

    let (journal, _) = Journal::open(&recording(folder.path())).expect("it opens");
    let bodies = bodies(&journal);
    assert!(
        bodies.iter().any(|body| matches!(body, EventBody::Frame { bytes, .. } if bytes.windows(3).any(|window| window == b"Zx9"))),
        "{bodies:#?}"
    );
    // And the watchdog ends what it had started.
    while Path::new(&format!("/proc/{pid}")).exists() {
        std::thread::yield_now();
    }
}
