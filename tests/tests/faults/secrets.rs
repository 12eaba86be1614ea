//! A secret's value reaches the server, and nothing else.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::{App, Config};
use secrets::Keyring;
use serde_json::{Value, json};
use tests::listener::{self, Listener};
use tests::programs;

use crate::recordings::files;

const VALUE: &str = "hunter2-\"q\"/Zx9";

/// A view that keeps every word that it is told.
pub struct Ear {
    app: App,
    heard: Arc<Mutex<String>>,
}

impl Ear {
    /// Begins to listen.
    pub fn listen(app: App) -> Self {
        let heard = Arc::new(Mutex::new(String::new()));
        let (numbers, mut to_acknowledge) = tokio::sync::mpsc::unbounded_channel();
        let keep = Arc::clone(&heard);
        app.attach(Box::new(move |text| {
            let batch: Value = serde_json::from_str(&text).expect("JSON");
            keep.lock().expect("no panic").push_str(&text);
            numbers.send(batch["number"].clone()).is_ok()
        }));
        let acknowledging = app.clone();
        tokio::spawn(async move {
            while let Some(number) = to_acknowledge.recv().await {
                let args = json!({ "number": number }).to_string();
                acknowledging.rpc("ack", &args).await.expect("ack");
            }
        });
        Self { app, heard }
    }

    /// Runs a command.
    pub async fn ask(&self, name: &str, args: Value) -> Value {
        let text = match self.app.rpc(name, &args.to_string()).await {
            Ok(reply) | Err(reply) => reply,
        };
        self.heard.lock().expect("no panic").push_str(&text);
        serde_json::from_str(&text).expect("JSON")
    }

    /// Saves a server as a person does who takes the offer to keep what looks like a secret. What they typed is theirs: it is
    /// not among what was heard.
    pub async fn save_named(&self, mut args: Value) -> Value {
        let asked = json!({ "endpoint": args["draft"]["endpoint"] });
        let found = self.app.rpc("clear_secrets", &asked.to_string()).await;
        let found: Value = serde_json::from_str(&found.expect("a reply")).expect("JSON");
        assert_ne!(found["secrets"], json!([]), "nothing looks like a secret");
        args["draft"]["endpoint"] = found["endpoint"].clone();
        args["secrets"] = found["secrets"].clone();
        self.ask("save_server", args).await
    }

    /// Runs a command until its reply is as wanted.
    pub async fn until(&self, name: &str, args: Value, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = tokio::time::Instant::now() + Duration::from_mins(1);
        loop {
            let reply = self.ask(name, args.clone()).await;
            if wanted(&reply) {
                return reply;
            }
            assert!(tokio::time::Instant::now() < deadline, "{name}: {reply}");
            tokio::task::yield_now().await;
        }
    }

    /// Asks for all that can be asked about what happened.
    pub async fn ask_for_everything(&self) {
        let look =
            json!({ "start": 0, "len": 400, "follow": false, "filter": "all", "server": null });
        let rows = self.ask("look", json!({ "look": look })).await;
        for row in rows["rows"].as_array().expect("rows") {
            let operation = &row["row"]["operation"];
            if operation.is_number() {
                self.ask("fold", json!({ "operation": operation, "expanded": true }))
                    .await;
                self.ask(
                    "operation_events",
                    json!({ "operation": operation, "start": 0, "len": 500 }),
                )
                .await;
                self.ask("outcome", json!({ "operation": operation["operation"] }))
                    .await;
            }
        }
        let rows = self.ask("look", json!({ "look": look })).await;
        for row in rows["rows"].as_array().expect("rows") {
            self.ask("row", json!({ "key": row["row"]["key"] })).await;
        }
        let mut event = 0;
        while self.ask("body", body(event)).await.get("text").is_some() {
            event += 1;
        }
        assert!(event > 20, "only {event} events");
    }

    /// Every word that the view was told.
    pub fn heard(&self) -> String {
        self.heard.lock().expect("no panic").clone()
    }

    fn assert_silent(&self, folder: &std::path::Path) {
        let heard = self.heard.lock().expect("no panic").clone();
        assert_without(&heard, "what crossed to the view");
        for file in files(folder) {
            let bytes = std::fs::read(&file).expect("a file");
            assert_without(
                &String::from_utf8_lossy(&bytes),
                &file.display().to_string(),
            );
        }
    }
}

fn body(event: u32) -> Value {
    json!({ "event": event, "form": "raw", "limit": 0 })
}

fn assert_without(text: &str, place: &str) {
    // All of the value, and the part of it that no escaping changes.
    for words in [VALUE, "hunter2-", "Zx9"] {
        if let Some(at) = text.find(words) {
            let start = text[..at]
                .char_indices()
                .rev()
                .nth(200)
                .map_or(0, |(start, _)| start);
            panic!("{words} is in {place}: …{}", &text[start..at + words.len()]);
        }
    }
}

/// Repeats the secret wherever a server can.
async fn parrot(asked: listener::Received, mut talk: listener::Talk) {
    let said = asked.header("x-token").unwrap_or_default().to_owned();
    match asked.asks().as_str() {
        "server/discover" => {
            let discovered = json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {}, "experimental": { "x": said } },
                "instructions": format!("Your token is {said}."),
                "ttlMs": 0,
                "cacheScope": "private",
                "_meta": {
                    "io.modelcontextprotocol/serverInfo": { "name": said, "version": said }
                },
            });
            talk.result(&asked, &discovered).await;
        }
        "tools/list" => {
            let schema = json!({ "type": "object", "title": said });
            let list = json!({
                "resultType": "complete",
                "ttlMs": 0,
                "cacheScope": "private",
                "tools": [
                    { "name": "echo", "description": said, "inputSchema": schema },
                    { "name": "fail", "inputSchema": schema },
                    { "name": "page", "inputSchema": schema },
                    { "name": "ask", "inputSchema": schema },
                ],
            });
            talk.result(&asked, &list).await;
        }
        "tools/call" => {
            let message = asked.message();
            match message["params"]["name"].as_str().unwrap_or_default() {
                "fail" => {
                    talk.error("200 OK", &asked, -32000, &format!("not with {said}"))
                        .await;
                }
                "page" => {
                    let headers = [("content-type", "text/plain"), ("x-said", said.as_str())];
                    talk.answer("500 Internal Server Error", &headers, &said)
                        .await;
                }
                "ask" if message["params"].get("inputResponses").is_none() => {
                    let schema = json!({
                        "type": "object",
                        "properties": { "x": { "type": "string", "title": said } },
                    });
                    let ask = json!({
                        "method": "elicitation/create",
                        "params": { "message": said, "requestedSchema": schema },
                    });
                    let result = json!({
                        "resultType": "input_required",
                        "inputRequests": { "k": ask },
                        "requestState": said,
                    });
                    talk.result(&asked, &result).await;
                }
                "ask" => {
                    // The state came back as it was given, though nobody was shown it.
                    let kept = message["params"]["requestState"] == json!(said);
                    let content = json!([{ "type": "text", "text": format!("kept: {kept}") }]);
                    let result = json!({ "resultType": "complete", "content": content });
                    talk.result(&asked, &result).await;
                }
                _ => {
                    let content = json!([{ "type": "text", "text": said }]);
                    let result = json!({ "resultType": "complete", "content": content });
                    talk.result(&asked, &result).await;
                }
            }
        }
        other => {
            talk.error("404 Not Found", &asked, -32601, other).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_header_reaches_the_server_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config {
        data_dir: folder.path().to_path_buf(),
    };
    let app = App::start_with(config, Keyring::in_memory()).expect("the core starts");
    let ear = Ear::listen(app.clone());
    let listener = Listener::start(parrot).await;
    let draft = json!({
        "name": "parrot",
        "era": "auto",
        "endpoint": {
            "transport": "http",
            "url": listener.url(),
            "headers": [{ "name": "X-Token", "value": VALUE, "secret": true }],
        },
    });
    let server = ear
        .ask("save_server", json!({ "server": null, "draft": draft }))
        .await;
    let at = json!({ "server": server });
    ear.ask("connect", json!({ "server": server, "era": null }))
        .await;
    let list = ear
        .until("tools", at.clone(), |reply| {
            reply["state"]["kind"] == json!("ready")
        })
        .await;
    assert_eq!(list["entries"].as_array().map(Vec::len), Some(4));
    for tool in 0..4 {
        let operation = ear
            .ask(
                "call_tool",
                json!({ "server": server, "tool": tool, "name": list["entries"][tool]["name"], "arguments": "{}" }),
            )
            .await;
        if tool == 3 {
            ear.until(
                "answer_prompt",
                json!({ "prompt": 0, "action": "accept", "content": "{}" }),
                Value::is_null,
            )
            .await;
        }
        let outcome = ear
            .ask("outcome", json!({ "operation": operation["operation"] }))
            .await;
        if tool == 3 {
            assert_eq!(
                outcome["result"]["content"][0]["text"],
                json!("kept: true"),
                "{outcome}"
            );
        }
    }
    ear.ask_for_everything().await;
    app.shutdown().await;
    assert!(
        listener
            .received()
            .iter()
            .all(|received| received.header("x-token") == Some(VALUE)),
        "it reaches the server"
    );
    ear.assert_silent(folder.path());
    let servers = std::fs::read_to_string(folder.path().join("servers.json")).expect("the catalog");
    assert!(servers.contains("${secret:"), "{servers}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_variable_reaches_the_process_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config {
        data_dir: folder.path().to_path_buf(),
    };
    let app = App::start_with(config, Keyring::in_memory()).expect("the core starts");
    let ear = Ear::listen(app.clone());
    let draft = json!({
        "name": "environment",
        "era": "auto",
        "endpoint": {
            "transport": "stdio",
            "command": "python3",
            "args": [programs::odd_server(), "environment"],
            "env": [{ "name": "ODD_TOKEN", "value": VALUE, "secret": true }],
            "folder": null,
        },
    });
    let server = ear
        .ask("save_server", json!({ "server": null, "draft": draft }))
        .await;
    ear.ask("connect", json!({ "server": server, "era": null }))
        .await;
    let list = ear
        .until("tools", json!({ "server": server }), |reply| {
            reply["state"]["kind"] == json!("ready")
        })
        .await;
    let operation = ear
        .ask(
            "call_tool",
            json!({ "server": server, "tool": 0, "name": list["entries"][0]["name"], "arguments": "{}" }),
        )
        .await;
    let outcome = ear
        .ask("outcome", json!({ "operation": operation["operation"] }))
        .await;
    let text = outcome["result"]["content"][0]["text"].to_string();
    assert!(
        text.contains(&format!("the token has {} letters", VALUE.len())),
        "it reaches the process: {outcome}"
    );
    ear.ask_for_everything().await;
    app.shutdown().await;
    ear.assert_silent(folder.path());
}
