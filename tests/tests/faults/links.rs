//! Links that servers ask to open, in both eras: nothing is opened before the person agrees, the server is told when they
//! do, and they are waited for.

use std::time::Duration;

use app::api::feed::{PromptAction, PromptAsk, PromptView};
use app::api::links::{HostList, Link};
use app::api::options::{Advertised, ServerOptions};
use app::api::servers::EraChoice;
use app::api::tools::CallResult;
use journal::event::OperationId;

use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received, Talk};

const URL: &str = "https://login.example.com/connect?ticket=7";

/// A modern server whose tool needs `url` to be opened, and is done when it was asked so often after that.
async fn asking(url: &'static str, until: usize) -> Listener {
    Listener::start(move |asked, mut talk| async move {
        if asked.asks() == "tools/call" {
            let params = asked.message()["params"].clone();
            let rounds = params["requestState"].as_str().map_or(0, |state| {
                state.trim_start_matches("state-").parse().expect("ours")
            });
            let answer = &params["inputResponses"]["go"];
            let result = if *answer == Value::Null
                || (rounds < until && answer["action"] == "accept")
            {
                let link =
                    json!({ "mode": "url", "url": url, "message": "Sign in to your files." });
                json!({
                    "resultType": "input_required",
                    "inputRequests": { "go": { "method": "elicitation/create", "params": link } },
                    "requestState": format!("state-{}", rounds + 1),
                })
            } else {
                let content = json!([{ "type": "text", "text": answer.to_string() }]);
                json!({ "resultType": "complete", "content": content })
            };
            talk.result(&asked, &result).await;
        } else {
            listener::modern(&asked, &mut talk).await;
        }
    })
    .await
}

async fn prompt(core: &Core, kind: &str) -> PromptView {
    core.until(kind, |seen| {
        seen.prompts
            .iter()
            .find(|prompt| json!(prompt.ask)["kind"] == kind)
            .cloned()
    })
    .await
}

async fn answer(core: &Core, prompt: &PromptView, action: PromptAction) {
    let args = json!({ "prompt": prompt.id, "action": action, "content": null });
    let _: () = core.must("answer_prompt", args).await;
}

async fn act(core: &Core, prompt: &PromptView, act: Value) -> Result<(), Value> {
    core.rpc("link", json!({ "prompt": prompt.id, "act": act }))
        .await
}

fn link_of(prompt: &PromptView) -> (Link, bool) {
    let PromptAsk::Link { link, is_first, .. } = &prompt.ask else {
        panic!("{prompt:#?}");
    };
    ((**link).clone(), *is_first)
}

/// The answers that came to the tool's calls, with their states.
fn answers(listener: &Listener) -> Vec<(Value, Value)> {
    listener
        .received()
        .iter()
        .filter(|received| received.asks() == "tools/call")
        .map(|received| received.message()["params"].clone())
        .map(|params| {
            (
                params["inputResponses"]["go"].clone(),
                params["requestState"].clone(),
            )
        })
        .collect()
}

async fn connected(core: &Core, listener: &Listener) -> String {
    let server = core
        .add_url("files", &listener.url(), &[], EraChoice::Auto)
        .await;
    core.connect_well(&server).await;
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn a_modern_link_is_opened_by_consent_alone_and_waited_for() {
    let core = Core::start().await;
    let listener = asking(URL, 2).await;
    let server = connected(&core, &listener).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let asked = prompt(&core, "link").await;
    assert_eq!(asked.message, "Sign in to your files.");
    assert_eq!(asked.operation, Some(operation));
    let (link, is_first) = link_of(&asked);
    assert_eq!(
        (link.subdomain.as_str(), link.site.as_str(), is_first),
        ("login.", "example.com", true)
    );
    // Nothing happens while they look at it.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(core.browser().opened().is_empty());
    assert_eq!(answers(&listener).len(), 1);

    answer(&core, &asked, PromptAction::Accept).await;
    assert_eq!(core.browser().opened(), [URL]);
    // The server is told at once; it asks for the same again, which is no question any more.
    let waiting = core
        .until("the wait in the browser", |seen| {
            let prompt = seen.prompts.first()?;
            matches!(prompt.ask, PromptAsk::Browser { asked_again: 1, .. }).then(|| prompt.clone())
        })
        .await;
    let PromptAsk::Browser {
        links,
        next_micros,
        can_retry,
        ..
    } = &waiting.ask
    else {
        panic!("{waiting:#?}");
    };
    assert_eq!(links.len(), 1);
    assert!(next_micros.is_some() && *can_retry, "{waiting:#?}");
    act(&core, &waiting, json!({ "kind": "open_again", "index": 0 }))
        .await
        .expect("it is opened again");
    assert_eq!(core.browser().opened(), [URL, URL]);
    act(&core, &waiting, json!({ "kind": "retry_now" }))
        .await
        .expect("the server is asked again");
    let outcome = core.outcome(operation).await;
    assert_eq!(text_of(&outcome), r#"{"action":"accept"}"#);
    assert!(
        outcome.user_micros > 0,
        "the browser's time is the person's"
    );
    let accepted = json!({ "action": "accept" });
    assert_eq!(
        answers(&listener),
        [
            (Value::Null, Value::Null),
            (accepted.clone(), json!("state-1")),
            (accepted, json!("state-2")),
        ]
    );
    core.until("no prompt", |seen| seen.prompts.is_empty().then_some(()))
        .await;
    let timeline = core.unfolded().await;
    for row in [
        "link: “Sign in to your files.” — accepted",
        "in the browser: “Sign in to your files.” — finished",
        "round 3, after the browser",
    ] {
        assert!(timeline.contains(row), "no {row:?} in\n{timeline}");
    }
    let events = core.events(operation).await;
    let wait = "you are in the browser; the server is asked again in 2 s";
    assert!(events.contains(wait), "{events}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_is_asked_again_by_itself() {
    let core = Core::start().await;
    let listener = asking(URL, 2).await;
    let server = connected(&core, &listener).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let asked = prompt(&core, "link").await;
    answer(&core, &asked, PromptAction::Accept).await;
    let outcome = core.outcome(operation).await;
    assert_eq!(text_of(&outcome), r#"{"action":"accept"}"#);
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_cannot_be_started_is_said_and_the_link_can_be_opened_by_hand() {
    let core = Core::start().await;
    core.browser().set_broken(Some("xdg-open was not found."));
    let listener = asking(URL, 1).await;
    let server = connected(&core, &listener).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let asked = prompt(&core, "link").await;
    let args = json!({ "prompt": asked.id, "action": "accept", "content": null });
    let error = core
        .rpc::<()>("answer_prompt", args)
        .await
        .expect_err("it is not opened");
    assert_eq!(
        error["message"],
        "The browser could not be started: xdg-open was not found."
    );
    let still = core
        .until("the problem", |seen| {
            let prompt = seen.prompts.first()?;
            matches!(
                &prompt.ask,
                PromptAsk::Link {
                    problem: Some(_),
                    ..
                }
            )
            .then(|| prompt.clone())
        })
        .await;
    assert_eq!(still.id, asked.id, "it is still asked");
    assert_eq!(
        answers(&listener).len(),
        1,
        "nothing is thrown at the server"
    );
    act(&core, &asked, json!({ "kind": "opened_by_hand" }))
        .await
        .expect("the person did it themselves");
    core.outcome(operation).await;
    assert_eq!(answers(&listener)[1].0, json!({ "action": "accept" }));
    assert!(core.browser().opened().is_empty());
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_opened_cannot_be_accepted_in_any_way() {
    let core = Core::start().await;
    let listener = asking("file:///etc/passwd", 1).await;
    let server = connected(&core, &listener).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let asked = prompt(&core, "link").await;
    let (link, _) = link_of(&asked);
    assert_eq!(link.url, "file:///etc/passwd");
    assert!(
        link.refusal
            .is_some_and(|why| why.contains("scheme is file"))
    );
    let args = json!({ "prompt": asked.id, "action": "accept", "content": null });
    let error = core.rpc::<()>("answer_prompt", args).await;
    let by_hand = act(&core, &asked, json!({ "kind": "opened_by_hand" })).await;
    for error in [error, by_hand] {
        let error = error.expect_err("it is refused");
        assert_eq!(error["code"], "bad_input", "{error}");
    }
    assert!(core.browser().opened().is_empty());
    answer(&core, &asked, PromptAction::Decline).await;
    assert_eq!(
        text_of(&core.outcome(operation).await),
        r#"{"action":"decline"}"#
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_in_the_browser_cancels_the_call() {
    let core = Core::start().await;
    let listener = asking(URL, 100).await;
    let server = connected(&core, &listener).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let asked = prompt(&core, "link").await;
    answer(&core, &asked, PromptAction::Accept).await;
    let waiting = prompt(&core, "browser").await;
    let args = json!({ "prompt": waiting.id, "action": "accept", "content": null });
    assert!(core.rpc::<()>("answer_prompt", args).await.is_err());
    answer(&core, &waiting, PromptAction::Cancel).await;
    let outcome = core.outcome(operation).await;
    assert!(
        matches!(outcome.result, CallResult::Cancelled),
        "{outcome:#?}"
    );
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("in the browser: “Sign in to your files.” — cancelled"),
        "{timeline}"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_new_once_until_it_is_forgotten_also_over_a_restart() {
    let core = Core::start().await;
    let listener = asking(URL, 1).await;
    let server = connected(&core, &listener).await;
    let again = |core: Core, server: String| async move {
        let operation = core.start_call(&server, "echo", "{}").await;
        let asked = prompt(&core, "link").await;
        answer(&core, &asked, PromptAction::Accept).await;
        core.outcome(operation).await;
        core.until("no prompt", |seen| seen.prompts.is_empty().then_some(()))
            .await;
        (core, link_of(&asked).1)
    };
    let (core, was_first) = again(core, server.clone()).await;
    assert!(was_first);
    let (core, was_first) = again(core, server.clone()).await;
    assert!(!was_first);
    let folder = core.close().await;

    let core = Core::start_in(folder).await;
    core.connect_well(&server).await;
    let hosts: HostList = core.must("agreed_hosts", json!({ "server": server })).await;
    assert_eq!(hosts.hosts.len(), 1);
    assert_eq!(hosts.hosts[0].host, "login.example.com");
    let (core, was_first) = again(core, server.clone()).await;
    assert!(!was_first);
    let forget = json!({ "server": server, "host": "login.example.com" });
    let hosts: HostList = core.must("forget_host", forget).await;
    assert!(hosts.hosts.is_empty());
    let (core, was_first) = again(core, server).await;
    assert!(was_first);
    core.close().await;
}

/// A legacy server that asks for a link within the reply to a call, says later that it is complete, and then answers.
async fn asking_within(asked: Received, mut talk: Talk) {
    if asked.asks() != "tools/call" {
        listener::legacy(&asked, &mut talk).await;
        return;
    }
    talk.stream().await;
    let params =
        json!({ "mode": "url", "elicitationId": "e-1", "url": URL, "message": "Sign in." });
    talk.event(
        &json!({ "jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": params }),
    )
    .await;
    let reply = talk
        .until(|received| received.message()["id"] == json!(7))
        .await;
    let done = |id: &str| {
        json!({
            "jsonrpc": "2.0",
            "method": "notifications/elicitation/complete",
            "params": { "elicitationId": id },
        })
    };
    // Ids that nobody knows are ignored.
    talk.event(&done("e-0")).await;
    talk.until(|received| received.path == "/done").await;
    talk.event(&done("e-1")).await;
    talk.until(|received| received.path == "/answer").await;
    let words = reply.message()["result"].to_string();
    let content = json!([{ "type": "text", "text": words }]);
    talk.event(&listener::reply(&asked, &json!({ "content": content })))
        .await;
}

/// What a page of the browser does: it asks the listener for a path.
async fn visit(listener: &Listener, path: &str) {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let mut stream = tokio::net::TcpStream::connect(listener.authority())
        .await
        .expect("it listens");
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n",
        listener.authority()
    );
    stream
        .write_all(request.as_bytes())
        .await
        .expect("it reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("it answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_servers_own_request_is_answered_at_once_and_its_completion_ends_the_wait() {
    let core = Core::start().await;
    let listener = Listener::start(asking_within).await;
    let server = connected(&core, &listener).await;
    let operation = core.start_call(&server, "echo", "{}").await;
    let asked = prompt(&core, "link").await;
    assert_eq!(asked.operation, Some(operation), "{asked:#?}");
    answer(&core, &asked, PromptAction::Accept).await;
    assert_eq!(core.browser().opened(), [URL]);
    listener
        .until(|received| received.message()["result"]["action"] == "accept")
        .await;
    let waiting = prompt(&core, "browser").await;
    assert_eq!(waiting.operation, Some(operation));
    let error = act(&core, &waiting, json!({ "kind": "retry_now" })).await;
    assert!(error.is_err(), "the call is still on its way");
    visit(&listener, "/done").await;
    core.until("the end of the wait", |seen| {
        seen.prompts.is_empty().then_some(())
    })
    .await;
    visit(&listener, "/answer").await;
    let outcome = core.outcome(operation).await;
    assert_eq!(text_of(&outcome), r#"{"action":"accept"}"#);
    let timeline = core.unfolded().await;
    for row in [
        "link: “Sign in.” — accepted",
        "in the browser: “Sign in.” — finished",
    ] {
        assert!(timeline.contains(row), "no {row:?} in\n{timeline}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_server_that_was_not_offered_links_gets_an_error() {
    let core = Core::start().await;
    let listener = Listener::start(asking_within).await;
    let options = ServerOptions {
        advertise: Advertised {
            elicitation_url: false,
            ..Advertised::default()
        },
        ..ServerOptions::default()
    };
    let server = core
        .add_url_with("files", &listener.url(), EraChoice::Auto, options)
        .await;
    core.connect_well(&server).await;
    core.start_call(&server, "echo", "{}").await;
    let refused = listener
        .until(|received| received.message()["id"] == json!(7))
        .await;
    assert_eq!(refused.message()["error"]["code"], json!(-32602));
    core.close().await;
}

/// A legacy server that answers calls by the error −32042 until its page was visited, and tells of that on the session's
/// stream.
async fn requiring(asked: Received, mut talk: Talk) {
    if asked.method == "GET" && asked.path == "/mcp" {
        talk.stream().await;
        talk.until(|received| received.path == "/done").await;
        let params = json!({ "elicitationId": "e-1" });
        let method = "notifications/elicitation/complete";
        talk.event(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
        talk.until_closed().await;
    } else if asked.path == "/done" {
        talk.answer("200 OK", &[], "Thank you.").await;
    } else if asked.asks() == "tools/call" {
        let is_done = tokio::time::timeout(
            Duration::from_millis(50),
            talk.until(|received| received.path == "/done"),
        )
        .await
        .is_ok();
        if is_done {
            listener::legacy(&asked, &mut talk).await;
            return;
        }
        let link =
            json!({ "mode": "url", "elicitationId": "e-1", "url": URL, "message": "Sign in." });
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

async fn required(core: &Core) -> (Listener, OperationId, PromptView) {
    let listener = Listener::start(requiring).await;
    let server = connected(core, &listener).await;
    let operation = core.start_call(&server, "echo", r#"{"n":1}"#).await;
    let asked = prompt(core, "link").await;
    assert_eq!(asked.input_key, "e-1");
    assert_eq!(asked.message, "Sign in.");
    (listener, operation, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_error_of_the_legacy_era_leads_to_a_link_and_the_request_is_sent_again() {
    let core = Core::start().await;
    let (listener, operation, asked) = required(&core).await;
    answer(&core, &asked, PromptAction::Accept).await;
    let waiting = prompt(&core, "browser").await;
    assert!(
        matches!(
            waiting.ask,
            PromptAsk::Browser {
                can_retry: true,
                ..
            }
        ),
        "{waiting:#?}"
    );
    visit(&listener, "/done").await;
    let outcome = core.outcome(operation).await;
    assert_eq!(text_of(&outcome), r#"{"n":1}"#);
    let timeline = core.unfolded().await;
    for row in ["error -32042", "round 2, after the browser", "— finished"] {
        assert!(timeline.contains(row), "no {row:?} in\n{timeline}");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_error_again_and_again_backs_off_and_the_person_can_hurry_it() {
    let core = Core::start().await;
    let (listener, operation, asked) = required(&core).await;
    answer(&core, &asked, PromptAction::Accept).await;
    for times in 1..=3 {
        let waiting = core
            .until("the next time", |seen| {
                let prompt = seen.prompts.first()?;
                let PromptAsk::Browser {
                    asked_again,
                    can_retry,
                    ..
                } = prompt.ask
                else {
                    return None;
                };
                (asked_again + 1 == times && can_retry).then(|| prompt.clone())
            })
            .await;
        act(&core, &waiting, json!({ "kind": "retry_now" }))
            .await
            .expect("it is asked again");
    }
    core.until("the third time", |seen| {
        matches!(
            seen.prompts.first()?.ask,
            PromptAsk::Browser { asked_again: 3, .. }
        )
        .then_some(())
    })
    .await;
    visit(&listener, "/done").await;
    core.outcome(operation).await;
    assert_eq!(core.browser().opened(), [URL], "it was opened once");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_link_of_the_legacy_error_ends_the_call_in_words() {
    let core = Core::start().await;
    let (listener, operation, asked) = required(&core).await;
    answer(&core, &asked, PromptAction::Decline).await;
    let outcome = core.outcome(operation).await;
    let CallResult::Failed { error, .. } = &outcome.result else {
        panic!("{outcome:#?}");
    };
    assert_eq!(
        error.message,
        "tools/call echo needs a link to be opened first, which you declined."
    );
    let calls = listener
        .received()
        .iter()
        .filter(|received| received.asks() == "tools/call")
        .count();
    assert_eq!(calls, 1);
    core.close().await;
}
