//! Link flows outlive the program: what it takes to go on is in the keyring, and nowhere else.

mod ends;
mod legacy;
mod restarts;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use app::api::feed::{PromptAction, PromptView};
use app::api::servers::EraChoice;
use secrets::Keyring;
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::{self, Listener};
use tokio::time::Instant;

use crate::locker::Locker;
use crate::recordings::files;

/// A state with all that may be escaped in some form, and a part that never is.
const STATE: &str = "STATE-mark-\"7\"/ü-Zx9";
/// The same as the server writes it: what goes back must be this, to the byte.
const TOKEN: &str = r#""\u0053TATE-mark-\"7\"\/\u00fc-Zx9""#;
const STATE_MARK: &str = "mark-";
/// What the person enters into a form beside the link.
const ANSWER: &str = "ANSWER-mark-8";
const URL: &str = "https://login.example.com/connect?ticket=7";

/// A modern server whose tool needs a link to be opened.
struct Files {
    listener: Listener,
    is_done: Arc<AtomicBool>,
}

impl Files {
    /// Starts it. In its first round it asks for a form as well where that is wanted.
    async fn start(with_form: bool) -> Self {
        let is_done = Arc::<AtomicBool>::default();
        let listener = asking(with_form, Arc::clone(&is_done)).await;
        Self { listener, is_done }
    }

    /// What the person does in the browser is done.
    fn set_done(&self) {
        self.is_done.store(true, Ordering::SeqCst);
    }

    /// A core with this keyring, which is connected to it, and its name there.
    async fn connected(&self, keyring: Keyring) -> (Core, String) {
        let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring).await;
        let server = core
            .add_url("files", &self.listener.url(), &[], EraChoice::Modern)
            .await;
        core.connect_well(&server).await;
        (core, server)
    }

    /// The calls that it got.
    fn calls(&self) -> Vec<listener::Received> {
        let received = self.listener.received().into_iter();
        received
            .filter(|received| received.asks() == "tools/call")
            .collect()
    }
}

async fn asking(with_form: bool, is_done: Arc<AtomicBool>) -> Listener {
    Listener::start(move |asked, mut talk| {
        let is_done = Arc::clone(&is_done);
        async move {
            if asked.asks() != "tools/call" {
                listener::modern(&asked, &mut talk).await;
                return;
            }
            let message = asked.message();
            let params = &message["params"];
            let answers = &params["inputResponses"];
            let is_accepted = answers["go"]["action"] == "accept";
            if is_accepted && is_done.load(Ordering::SeqCst) {
                let kept = params["requestState"] == json!(STATE);
                let said = format!("kept: {kept}, who: {}", answers["who"]["content"]["who"]);
                let content = json!([{ "type": "text", "text": said }]);
                let result = json!({ "resultType": "complete", "content": content });
                talk.result(&asked, &result).await;
                return;
            }
            let mut requests = json!({ "go": {
                "method": "elicitation/create",
                "params": { "mode": "url", "url": URL, "message": "Sign in to your files." },
            }});
            if with_form {
                let schema = json!({ "type": "object", "properties": { "who": { "type": "string" } } });
                requests["who"] = json!({
                    "method": "elicitation/create",
                    "params": { "message": "Who are you?", "requestedSchema": schema },
                });
            }
            let result = format!(
                r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"input_required","inputRequests":{requests},"requestState":{TOKEN}}}}}"#,
                message["id"]
            );
            let headers = [("content-type", "application/json")];
            talk.answer("200 OK", &headers, &result).await;
        }
    })
    .await
}

async fn prompt(core: &Core, kind: &str) -> PromptView {
    core.until(kind, |seen| {
        let mut prompts = seen.prompts.iter();
        prompts
            .find(|prompt| json!(prompt.ask)["kind"] == kind)
            .cloned()
    })
    .await
}

/// Waits until what the person sees of their time in the browser is so.
async fn browser(core: &Core, what: &str, is_so: impl Fn(&Value) -> bool) -> PromptView {
    core.until(what, |seen| {
        let mut prompts = seen.prompts.iter();
        prompts
            .find(|prompt| {
                let ask = json!(prompt.ask);
                ask["kind"] == "browser" && is_so(&ask)
            })
            .cloned()
    })
    .await
}

async fn act(core: &Core, prompt: &PromptView, kind: &str) {
    let args = json!({ "prompt": prompt.id, "act": { "kind": kind } });
    let _: () = core.must("link", args).await;
}

/// Starts a call, agrees to its link, and waits until the flow is kept.
async fn into_the_browser(core: &Core, server: &str) -> PromptView {
    core.start_call(server, "echo", r#"{"room":"ROOM"}"#).await;
    let asked = prompt(core, "link").await;
    core.answer(asked.id, PromptAction::Accept, None).await;
    browser(core, "the wait in the browser, kept", |ask| {
        ask["keeping"]["kind"] == "kept"
    })
    .await
}

/// Nothing of the flow is in any file.
fn assert_nothing_in(folder: &Path) {
    let all = files(folder);
    assert!(all.len() >= 3, "{all:?}");
    for file in all {
        let bytes = std::fs::read(&file).expect("a file");
        let text = String::from_utf8_lossy(&bytes);
        for mark in [STATE_MARK, "Zx9", ANSWER, "u0053TATE"] {
            assert!(!text.contains(mark), "{mark} is in {}", file.display());
        }
    }
}

async fn restart(core: Core, keyring: Keyring) -> Core {
    let folder = core.close().await;
    assert_nothing_in(folder.path());
    Core::start_with(folder, keyring).await
}

/// Waits until a flow is offered that goes on from an earlier time.
async fn offered(core: &Core) -> PromptView {
    browser(core, "the offer", |ask| ask["note"].is_string()).await
}

/// Leaves Roundtrip while the person is in the browser, and comes back to what is offered then.
async fn left_and_offered(core: Core, server: &str, keyring: Keyring) -> (Core, PromptView) {
    into_the_browser(&core, server).await;
    let core = restart(core, keyring).await;
    let offer = offered(&core).await;
    (core, offer)
}

async fn wiped(locker: &Locker) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while locker.text() != "{}" {
        assert!(Instant::now() < deadline, "{}", locker.text());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
