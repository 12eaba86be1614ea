//! The same with a server of the earlier revisions, whose calls end in the error −32042 until its page was visited
//! (2025-11-25 client/elicitation § URL Elicitation Required Error).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use app::api::feed::{PromptAction, PromptAsk};
use app::api::servers::{EraChoice, Phase};
use secrets::Keyring;
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::{self, Listener, Received, Talk};
use tests::secret_service::{self, Bus};
use tokio::sync::Notify;

use super::{act, browser, into_the_browser, offered, prompt, wiped};
use crate::locker::Locker;
use crate::recordings::files;

const ID: &str = "legacy-id-mark-4";
const URL: &str = "https://login.example.com/legacy?ticket=url-mark-4";
const MESSAGE: &str = "Sign in to the archive.";

/// A legacy server: it refuses calls until what it wants is done, and tells of that on the session's stream.
struct Archive {
    listener: Listener,
    is_done: Arc<AtomicBool>,
    completed: Arc<Notify>,
}

impl Archive {
    async fn start() -> Self {
        let (is_done, completed) = (Arc::<AtomicBool>::default(), Arc::<Notify>::default());
        let (done, told) = (Arc::clone(&is_done), Arc::clone(&completed));
        let listener = Listener::start(move |asked, talk| {
            answer(asked, talk, Arc::clone(&done), Arc::clone(&told))
        })
        .await;
        Self {
            listener,
            is_done,
            completed,
        }
    }

    /// What the person does in the browser is done; the client is told of it where it listens.
    fn finish(&self) {
        self.is_done.store(true, Ordering::SeqCst);
        self.completed.notify_one();
    }

    async fn connected(&self, keyring: Keyring) -> (Core, String) {
        let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring).await;
        let server = core
            .add_url("files", &self.listener.url(), &[], EraChoice::Auto)
            .await;
        core.connect_well(&server).await;
        (core, server)
    }

    fn calls(&self) -> Vec<Received> {
        let received = self.listener.received().into_iter();
        received
            .filter(|received| received.asks() == "tools/call")
            .collect()
    }
}

async fn answer(asked: Received, mut talk: Talk, is_done: Arc<AtomicBool>, completed: Arc<Notify>) {
    if asked.method == "GET" && asked.path == "/mcp" {
        talk.stream().await;
        completed.notified().await;
        talk.event(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/elicitation/complete",
            "params": { "elicitationId": ID },
        }))
        .await;
        talk.until_closed().await;
    } else if asked.asks() == "tools/call" && !is_done.load(Ordering::SeqCst) {
        let link = json!({ "mode": "url", "elicitationId": ID, "url": URL, "message": MESSAGE });
        let error = json!({
            "code": -32042,
            "message": "This request requires more information.",
            "data": { "elicitations": [link] },
        });
        let body = json!({ "jsonrpc": "2.0", "id": asked.message()["id"], "error": error });
        talk.json("200 OK", &body).await;
    } else {
        listener::legacy(&asked, &mut talk).await;
    }
}

/// No file has what it takes to go on, but for the recording of what the server itself said.
fn assert_in_recordings_alone(core_folder: &std::path::Path) {
    for file in files(core_folder) {
        if file.extension().is_some_and(|kind| kind == "mcpr") {
            continue;
        }
        let bytes = std::fs::read(&file).expect("a file");
        let text = String::from_utf8_lossy(&bytes);
        for mark in [ID, "url-mark-4", MESSAGE] {
            assert!(!text.contains(mark), "{mark} is in {}", file.display());
        }
    }
}

/// Into the browser, out of Roundtrip, back, refused once more, and to the end by the server's own word.
async fn whole_way(keyring: impl Fn() -> Keyring) {
    let archive = Archive::start().await;
    let (core, server) = archive.connected(keyring()).await;
    into_the_browser(&core, &server).await;
    assert_eq!(core.browser().opened(), [URL]);
    let before = archive.calls().len();

    let folder = core.close().await;
    assert_in_recordings_alone(folder.path());
    let core = Core::start_with(folder, keyring()).await;
    let offer = offered(&core).await;
    assert_eq!(offer.message, MESSAGE);
    assert_eq!(offer.operation_title, "link/unfinished echo");
    let PromptAsk::Browser {
        links, can_retry, ..
    } = &offer.ask
    else {
        panic!("{offer:#?}");
    };
    assert_eq!((links[0].url.as_str(), *can_retry), (URL, true));
    assert!(offer.lapses_micros.is_some(), "{offer:#?}");
    // Nothing was asked of the server, and nothing opened.
    assert_eq!(core.connection(&server).phase, Phase::Disconnected);
    assert_eq!(archive.calls().len(), before);
    assert!(core.browser().opened().is_empty());

    // Too early: the server refuses again, and that is no further question.
    act(&core, &offer, "retry_now").await;
    let waiting = browser(&core, "the wait of the call", |ask| {
        ask["asked_again"] == 1 && ask["note"].is_null()
    })
    .await;
    assert_eq!(core.connection(&server).phase, Phase::Connected);
    assert!(waiting.operation.is_some(), "{waiting:#?}");
    let kinds = core.seen().prompts;
    let kinds: Vec<Value> = kinds
        .iter()
        .map(|prompt| json!(prompt.ask)["kind"].clone())
        .collect();
    assert_eq!(kinds, ["browser"], "nothing is asked once more");

    archive.finish();
    let timeline = core
        .until_row("tools/call echo [2 rounds] — complete")
        .await;
    assert!(timeline.contains("link/unfinished echo"), "{timeline}");
    core.until("no prompt", |seen| seen.prompts.is_empty().then_some(()))
        .await;
    let last = archive.calls().pop().expect("a call");
    assert_eq!(
        last.message()["params"]["arguments"],
        json!({ "room": "ROOM" })
    );
    // A legacy server is sent the request as it was, with nothing of the newer era.
    for word in ["inputResponses", "requestState"] {
        assert!(!last.body.contains(word), "{word} in {}", last.body);
    }
    let notes = core.folder().join("link-flows.json");
    let deadline = tokio::time::Instant::now() + Duration::from_mins(1);
    while std::fs::read_to_string(&notes).expect("the notes").trim() != "{}" {
        assert!(tokio::time::Instant::now() < deadline, "it is wiped");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let folder = core.close().await;
    assert_in_recordings_alone(folder.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_link_flow_goes_on_after_a_restart() {
    let locker = Locker::default();
    whole_way(|| locker.door()).await;
    assert_eq!(locker.text(), "{}", "it is wiped");
}

#[test]
fn a_legacy_link_flow_is_kept_in_the_real_secret_service() {
    secret_service::below(Bus::Unlocked, async || {
        whole_way(Keyring::platform).await;
        let held = Keyring::platform().get("links files").await;
        assert!(held.expect("it is there").is_none(), "it is wiped");
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_link_flow_that_is_kept_stands_in_the_keyring_and_is_wiped_when_it_is_declined() {
    let locker = Locker::default();
    let archive = Archive::start().await;
    let (core, server) = archive.connected(locker.door()).await;
    // Declined before anything was opened: there is nothing to keep.
    core.start_call(&server, "echo", "{}").await;
    let asked = prompt(&core, "link").await;
    core.answer(asked.id, PromptAction::Decline, None).await;
    core.until("no prompt", |seen| seen.prompts.is_empty().then_some(()))
        .await;
    assert_eq!(locker.text(), "{}");
    into_the_browser(&core, &server).await;
    for mark in [ID, "url-mark-4"] {
        assert!(locker.text().contains(mark), "{}", locker.text());
    }
    let folder = core.close().await;
    let core = Core::start_with(folder, locker.door()).await;
    let offer = offered(&core).await;
    core.answer(offer.id, PromptAction::Decline, None).await;
    wiped(&locker).await;
    let folder = core.close().await;
    assert_in_recordings_alone(folder.path());
}
