//! Link flows outlive the program: what it takes to go on is in the keyring, and nowhere else.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use app::api::feed::{PromptAction, PromptAsk, PromptView};
use app::api::links::FlowKeeping;
use app::api::options::ServerOptions;
use app::api::servers::{EraChoice, Phase};
use app::api::tools::{CallOutcome, CallResult};
use secrets::{Condition, Keyring, SecretStore, SecretString, SecretsError, StoreState, expose};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::core::{Core, text_of};
use tests::listener::{self, Listener};

use crate::recordings::files;

/// A state with all that may be escaped in some form, and a part that never is.
const STATE: &str = "STATE-mark-\"7\"/ü-Zx9";
/// The same as the server writes it: what goes back must be this, to the byte.
const TOKEN: &str = r#""\u0053TATE-mark-\"7\"\/\u00fc-Zx9""#;
const STATE_MARK: &str = "mark-";
/// What the person enters into a form beside the link.
const ANSWER: &str = "ANSWER-mark-8";
const URL: &str = "https://login.example.com/connect?ticket=7";

/// A store that can be locked, and that a further core finds as it was left.
#[derive(Clone, Default)]
pub struct Locker {
    held: Arc<Mutex<HashMap<String, String>>>,
    is_locked: Arc<AtomicBool>,
}

impl Locker {
    /// A door to it.
    pub fn door(&self) -> Keyring {
        Keyring::new(self.clone())
    }

    /// Locks it, or unlocks it.
    pub fn set_locked(&self, is_locked: bool) {
        self.is_locked.store(is_locked, Ordering::SeqCst);
    }

    /// All that it holds.
    fn text(&self) -> String {
        format!("{:?}", self.held.lock().expect("no panic"))
    }

    fn open(&self) -> Result<std::sync::MutexGuard<'_, HashMap<String, String>>, SecretsError> {
        if self.is_locked.load(Ordering::SeqCst) {
            return Err(SecretsError::Locked {
                store: "Test store",
                why: "its password was not given".to_owned(),
            });
        }
        Ok(self.held.lock().expect("no panic"))
    }
}

impl SecretStore for Locker {
    fn name(&self) -> &'static str {
        "Test store"
    }

    fn get(&mut self, name: &str) -> Result<Option<SecretString>, SecretsError> {
        Ok(self.open()?.get(name).cloned().map(SecretString::from))
    }

    fn set(&mut self, name: &str, value: &SecretString) -> Result<(), SecretsError> {
        self.open()?
            .insert(name.to_owned(), expose(value).to_owned());
        Ok(())
    }

    fn delete(&mut self, name: &str) -> Result<(), SecretsError> {
        self.open()?.remove(name);
        Ok(())
    }

    fn describe(&mut self) -> StoreState {
        let is_locked = self.is_locked.load(Ordering::SeqCst);
        StoreState {
            name: "Test store",
            condition: if is_locked {
                Condition::Locked
            } else {
                Condition::Unlocked
            },
        }
    }
}

/// A modern server whose tool needs a link to be opened, and, in its first round, a form as well where that is wanted.
/// It is done when it is told so.
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

fn calls(listener: &Listener) -> Vec<listener::Received> {
    let received = listener.received();
    let calls = received.into_iter();
    calls
        .filter(|received| received.asks() == "tools/call")
        .collect()
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

/// The whole way over HTTP: into the browser, out of Roundtrip, back, and to the end.
async fn http_flow(keyring: impl Fn() -> Keyring) -> TempDir {
    let is_done = Arc::new(AtomicBool::new(false));
    let listener = asking(false, Arc::clone(&is_done)).await;
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring()).await;
    let server = core
        .add_url("files", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;
    into_the_browser(&core, &server).await;
    let core = restart(core, keyring()).await;

    let offered = browser(&core, "the offer", |ask| ask["note"].is_string()).await;
    assert_eq!(offered.message, "Sign in to your files.");
    assert_eq!(offered.operation_title, "link/unfinished echo");
    let PromptAsk::Browser {
        links,
        can_retry,
        note,
        ..
    } = &offered.ask
    else {
        panic!("{offered:#?}");
    };
    assert_eq!(links[0].url, URL);
    assert!(
        *can_retry && offered.lapses_micros.is_some(),
        "{offered:#?}"
    );
    assert!(
        note.as_deref()
            .is_some_and(|note| note.contains("Roundtrip was closed"))
    );
    // The link is there to be opened again, and nothing was asked of the server.
    let args = json!({ "prompt": offered.id, "act": { "kind": "open_again", "index": 0 } });
    let _: () = core.must("link", args).await;
    assert_eq!(core.browser().opened(), [URL]);
    let before = calls(&listener).len();
    assert_eq!(core.connection(&server).phase, Phase::Disconnected);

    is_done.store(true, Ordering::SeqCst);
    act(&core, &offered, "retry_now").await;
    let timeline = core.until_row("tools/call echo — complete").await;
    assert!(timeline.contains("link/unfinished echo"), "{timeline}");
    core.until("no prompt", |seen| seen.prompts.is_empty().then_some(()))
        .await;
    let all = calls(&listener);
    assert_eq!(all.len(), before + 1, "it is asked once");
    let last = all.last().expect("a call");
    assert_eq!(
        last.message()["params"]["arguments"],
        json!({ "room": "ROOM" })
    );
    let body = &last.body;
    assert!(
        body.contains(TOKEN),
        "the state went back as it came: {body}"
    );
    let notes = core.folder().join("link-flows.json");
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_mins(1);
    while std::fs::read_to_string(&notes).expect("the notes").trim() != "{}" {
        assert!(tokio::time::Instant::now() < deadline, "it is wiped");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let folder = core.close().await;
    assert_nothing_in(folder.path());
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_flow_goes_on_after_a_restart() {
    let locker = Locker::default();
    http_flow(|| locker.door()).await;
    assert_eq!(locker.text(), "{}", "it is wiped");
}

/// The same over stdio: the process is another one after the restart.
async fn stdio_flow(keyring: impl Fn() -> Keyring) {
    let own = tempfile::tempdir().expect("a folder");
    let done = own.path().join("done");
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring()).await;
    let server = core
        .add_odd_as(
            "links",
            &[&done.to_string_lossy()],
            EraChoice::Modern,
            ServerOptions::default(),
        )
        .await;
    core.connect_well(&server).await;
    into_the_browser(&core, &server).await;
    let core = restart(core, keyring()).await;
    let offered = browser(&core, "the offer", |ask| ask["note"].is_string()).await;
    std::fs::write(&done, "").expect("a file");
    act(&core, &offered, "retry_now").await;
    let outcome = finished(&core, "echo").await;
    assert_eq!(text_of(&outcome), "kept: True");
    let folder = core.close().await;
    assert_nothing_in(folder.path());
}

/// Waits for the end of the call that a flow went on as.
async fn finished(core: &Core, tool: &str) -> CallOutcome {
    core.until_row(&format!("tools/call {tool} — complete"))
        .await;
    let rows = core.look(0, 400).await.rows;
    let operation = rows
        .iter()
        .filter(|placed| placed.row.label.contains("tools/call"))
        .find_map(|placed| placed.row.operation)
        .expect("a call");
    core.outcome(operation).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_flow_of_a_process_goes_on_after_a_restart() {
    let locker = Locker::default();
    stdio_flow(|| locker.door()).await;
    assert_eq!(locker.text(), "{}", "it is wiped");
}

/// The real Secret Service: this test program anew, below a throwaway one on a bus of its own.
#[test]
fn link_flows_are_kept_in_the_real_secret_service() {
    let is_installed = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !is_installed("dbus-run-session") || !is_installed("gnome-keyring-daemon") {
        eprintln!("skipped: dbus-run-session and gnome-keyring-daemon are not both installed");
        return;
    }
    let unlocked = r#"eval "$(printf %s throwaway | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)"; "$@""#;
    below(
        "case_secret_service",
        &["dbus-run-session", "--", "bash", "-c", unlocked, "_"],
    );
}

#[test]
fn without_a_keyring_a_link_flow_lasts_for_the_session_and_says_so() {
    below(
        "case_absent",
        &["env", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"],
    );
}

/// Runs one of the cases below with a home of its own.
fn below(case: &str, prefix: &[&str]) {
    let home = tempfile::tempdir().expect("a folder");
    for folder in ["run", "data", "home"] {
        std::fs::create_dir_all(home.path().join(folder)).expect("a folder");
    }
    let output = Command::new(prefix[0])
        .args(&prefix[1..])
        .arg(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            &format!("kept_links::{case}"),
            "--ignored",
            "--nocapture",
        ])
        .env("HOME", home.path().join("home"))
        .env("XDG_DATA_HOME", home.path().join("data"))
        .env("XDG_RUNTIME_DIR", home.path().join("run"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .expect("it runs");
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the keyring that the test above makes"]
async fn case_secret_service() {
    let folder = http_flow(Keyring::platform).await;
    let held = Keyring::platform()
        .get("links files")
        .await
        .expect("it is there");
    assert!(held.is_none(), "it is wiped");
    drop(folder);
    stdio_flow(Keyring::platform).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the environment without a keyring that the test above makes"]
async fn case_absent() {
    let is_done = Arc::new(AtomicBool::new(false));
    let listener = asking(false, Arc::clone(&is_done)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let core = Core::start_with(folder, Keyring::platform()).await;
    let server = core
        .add_url("files", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let asked = prompt(&core, "link").await;
    core.answer(asked.id, PromptAction::Accept, None).await;
    let waiting = browser(&core, "the want of a keyring", |ask| {
        ask["keeping"]["kind"] == "session_only"
    })
    .await;
    let PromptAsk::Browser {
        keeping: FlowKeeping::SessionOnly { why },
        ..
    } = &waiting.ask
    else {
        panic!("{waiting:#?}");
    };
    assert!(why.contains("Secret Service cannot be reached"), "{why}");
    is_done.store(true, Ordering::SeqCst);
    // It goes on all the same.
    let outcome = core.outcome(operation).await;
    assert_eq!(text_of(&outcome), "kept: true, who: null");
    let folder = core.close().await;
    assert_nothing_in(folder.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_given_beside_a_link_are_kept_and_open_questions_asked_again() {
    let is_done = Arc::new(AtomicBool::new(true));
    let listener = asking(true, Arc::clone(&is_done)).await;
    let locker = Locker::default();
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), locker.door()).await;
    let server = core
        .add_url("files", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;
    // The link was opened, and the form is still empty.
    into_the_browser(&core, &server).await;
    let core = restart(core, locker.door()).await;
    let offered = browser(&core, "the offer", |ask| ask["note"].is_string()).await;
    act(&core, &offered, "retry_now").await;
    let form = prompt(&core, "form").await;
    assert_eq!(form.message, "Who are you?");
    assert!(
        core.seen()
            .prompts
            .iter()
            .all(|prompt| json!(prompt.ask)["kind"] != "link")
    );
    let content = json!({ "who": ANSWER }).to_string();
    core.answer(form.id, PromptAction::Accept, Some(&content))
        .await;
    core.until_row("tools/call echo — complete").await;
    let last = calls(&listener).pop().expect("a call");
    let answers = &last.message()["params"]["inputResponses"];
    assert_eq!(answers["go"], json!({ "action": "accept" }));
    assert_eq!(
        answers["who"]["content"]["who"],
        json!(ANSWER),
        "it is sent as it is"
    );
    assert_eq!(locker.text(), "{}");
    // What the server says of it is in the record under its name.
    let folder = core.close().await;
    assert_nothing_in(folder.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_the_person_ends_is_wiped() {
    let listener = asking(false, Arc::default()).await;
    let locker = Locker::default();
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), locker.door()).await;
    let server = core
        .add_url("files", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;
    // Cancelled while it waits.
    let waiting = into_the_browser(&core, &server).await;
    assert!(locker.text().contains("links files"), "{}", locker.text());
    core.answer(waiting.id, PromptAction::Cancel, None).await;
    wiped(&locker).await;
    // Cancelled where it is offered.
    into_the_browser(&core, &server).await;
    let core = restart(core, locker.door()).await;
    let offered = browser(&core, "the offer", |ask| ask["note"].is_string()).await;
    let accept = json!({ "prompt": offered.id, "action": "accept", "content": null });
    assert!(core.rpc::<()>("answer_prompt", accept).await.is_err());
    core.answer(offered.id, PromptAction::Cancel, None).await;
    wiped(&locker).await;
    // Its row cancels it too.
    core.connect_well(&server).await;
    into_the_browser(&core, &server).await;
    let core = restart(core, locker.door()).await;
    let offered = browser(&core, "the offer", |ask| ask["note"].is_string()).await;
    let _: () = core
        .must("cancel", json!({ "operation": offered.operation }))
        .await;
    wiped(&locker).await;
    // Its server is removed for good when Roundtrip is closed.
    core.connect_well(&server).await;
    into_the_browser(&core, &server).await;
    let _: () = core
        .must("remove_server", json!({ "server": server }))
        .await;
    core.close().await;
    assert_eq!(locker.text(), "{}", "it is wiped");
}

async fn wiped(locker: &Locker) {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_mins(1);
    while locker.text() != "{}" {
        assert!(tokio::time::Instant::now() < deadline, "{}", locker.text());
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_is_cut_short_is_offered_again_at_once() {
    let is_done = Arc::new(AtomicBool::new(false));
    let listener = asking(false, Arc::clone(&is_done)).await;
    let locker = Locker::default();
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), locker.door()).await;
    let server = core
        .add_url("files", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;
    let operation = {
        into_the_browser(&core, &server).await;
        core.seen().prompts[0].operation.expect("its call")
    };
    let _: () = core.must("disconnect", json!({ "server": server })).await;
    let outcome = core.outcome(operation).await;
    assert!(
        matches!(outcome.result, CallResult::Failed { .. }),
        "{outcome:#?}"
    );
    let offered = browser(&core, "the offer", |ask| {
        ask["note"]
            .as_str()
            .is_some_and(|note| note.contains("connection ended"))
    })
    .await;
    is_done.store(true, Ordering::SeqCst);
    act(&core, &offered, "retry_now").await;
    core.until_row("tools/call echo — complete").await;
    wiped(&locker).await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_leaves_the_offer_with_the_reason() {
    let listener = asking(false, Arc::default()).await;
    let locker = Locker::default();
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), locker.door()).await;
    let server = core
        .add_url("files", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;
    into_the_browser(&core, &server).await;
    let core = restart(core, locker.door()).await;
    drop(listener);
    let offered = browser(&core, "the offer", |ask| ask["note"].is_string()).await;
    act(&core, &offered, "retry_now").await;
    browser(&core, "the reason", |ask| {
        ask["can_retry"] == true
            && ask["note"]
                .as_str()
                .is_some_and(|note| note.contains("could not be connected to"))
    })
    .await;
    assert!(locker.text().contains("links files"));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_keyring_is_named_and_read_once_it_is_unlocked() {
    let listener = asking(false, Arc::default()).await;
    let locker = Locker::default();
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), locker.door()).await;
    let server = core
        .add_url("files", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;
    into_the_browser(&core, &server).await;
    locker.set_locked(true);
    let core = restart(core, locker.door()).await;
    let locked = browser(&core, "the locked keyring", |ask| {
        ask["problem"]
            .as_str()
            .is_some_and(|why| why.contains("Test store is locked"))
    })
    .await;
    assert!(
        json!(locked.ask)["links"]
            .as_array()
            .is_some_and(Vec::is_empty)
    );
    act(&core, &locked, "retry_now").await;
    let still = core
        .until("it is asked again", |seen| {
            let mut prompts = seen.prompts.iter();
            prompts.find(|prompt| prompt.id > locked.id).cloned()
        })
        .await;
    locker.set_locked(false);
    act(&core, &still, "retry_now").await;
    let offered = browser(&core, "the offer", |ask| ask["problem"].is_null()).await;
    assert_eq!(offered.message, "Sign in to your files.");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lapsed_or_belongs_to_another_server_is_wiped_and_never_sent() {
    let listener = asking(false, Arc::default()).await;
    let locker = Locker::default();
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), locker.door()).await;
    let server = core
        .add_url("files", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;
    into_the_browser(&core, &server).await;
    let folder = core.close().await;
    // A day and an hour pass.
    {
        let mut held = locker.held.lock().expect("no panic");
        let value = held.get_mut("links files").expect("the flow");
        let mut layout: Value = serde_json::from_str(value).expect("JSON");
        let asked = layout["flows"][0]["asked_micros"].as_u64().expect("a time");
        layout["flows"][0]["asked_micros"] = json!(asked - 25 * 3_600_000_000);
        *value = layout.to_string();
    }
    let core = Core::start_with(folder, locker.door()).await;
    wiped(&locker).await;
    assert!(core.seen().prompts.is_empty());
    // The entry leads to another server by now.
    core.connect_well(&server).await;
    into_the_browser(&core, &server).await;
    let folder = core.close().await;
    let file = folder.path().join("servers.json");
    let catalog = std::fs::read_to_string(&file).expect("the catalog");
    let other = asking(false, Arc::default()).await;
    std::fs::write(
        &file,
        catalog.replace(&listener.authority(), &other.authority()),
    )
    .expect("written");
    let core = Core::start_with(folder, locker.door()).await;
    wiped(&locker).await;
    assert!(core.seen().prompts.is_empty());
    assert!(other.received().is_empty());
    core.close().await;
}
