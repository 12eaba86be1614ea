//! Secrets are planted wherever they may occur: headers, variables, arguments, URLs, tokens and client secrets that an
//! authorization server gives, states and answers of link flows. Servers repeat them in every way they can. After a long
//! mixed session none of them is in any file, in any form of export or copy, nor in a word that a view was told.

use std::io::Read as _;
use std::path::Path;

use app::api::sign_in::{SignInState, SignInView};
use app::api::transfers::ExportForm;
use app::{App, Config};
use secrets::Keyring;
use serde_json::{Value, json};
use tests::listener::{Listener, Received, Talk};
use tests::needles::{self, Needle, base64, percent};
use tests::programs;

use crate::recordings::files;
use crate::secrets::Ear;

/// The part of each secret that no escaping changes.
const CORES: [(&str, &str); 9] = [
    ("header", "Canary1HeaderQ7x"),
    ("variable", "Canary2VariableW8y"),
    ("access token", "Canary3AccessE9z"),
    ("refresh token", "Canary4RefreshR1a"),
    ("client secret", "Canary5ClientT2b"),
    ("registration token", "Canary6RegistryY3c"),
    ("link state", "Canary7StateU4d"),
    ("argument", "Canary8ArgumentI5e"),
    ("part of the URL", "Canary9AddressO6f"),
];

/// A value around a core, with all that may be escaped.
fn value(core: &str) -> String {
    format!("{core}-\"q\"/{core}+ü&={core}\\")
}

/// A token: no letters that a header does not take.
fn token(core: &str) -> String {
    format!("{core}.{core}-_~+/{core}=")
}

/// What a server may make of what it was sent.
fn echoes(said: &str) -> Vec<String> {
    vec![
        said.to_owned(),
        base64(said.as_bytes()),
        base64(format!("user:{said}").as_bytes()),
        base64(format!("me:{said}:more").as_bytes()),
        base64(said.as_bytes())
            .replace('+', "-")
            .replace('/', "_")
            .trim_end_matches('=')
            .to_owned(),
        percent(said),
        json!({ "inner": json!({ "token": said }).to_string() }).to_string(),
        format!("Authorization: Bearer {said}"),
    ]
}

/// Repeats in every way what it was sent in `x-token` or as a bearer, in results, errors, findings and headers.
async fn parrot(asked: Received, mut talk: Talk) {
    let query = asked.path.split_once('?').map_or("", |(_, query)| query);
    let key = url::form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "api_key")
        .map(|(_, key)| key.into_owned());
    let header = asked
        .header("x-token")
        .or_else(|| {
            asked
                .header("authorization")
                .map(|value| value.trim_start_matches("Bearer "))
        })
        .unwrap_or_default();
    let said = key.unwrap_or_else(|| header.to_owned());
    repeat(&asked, &mut talk, &said).await;
}

async fn repeat(asked: &Received, talk: &mut Talk, said: &str) {
    let all = echoes(said).join(" | ");
    match asked.asks().as_str() {
        "server/discover" => {
            let discovered = json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {}, "experimental": { "x": all } },
                "instructions": all,
                "ttlMs": 0,
                "cacheScope": "private",
                "_meta": { "io.modelcontextprotocol/serverInfo": { "name": said, "title": all, "version": all } },
            });
            talk.result(asked, &discovered).await;
        }
        "tools/list" => {
            let tool = |name: &str| {
                json!({
                    "name": name,
                    "title": all,
                    "description": all,
                    "inputSchema": { "type": "object", "title": all, "properties": { "x": { "default": all } } },
                })
            };
            let tools: Vec<Value> = ["text", "error", "page", "broken", "ask"]
                .map(tool)
                .to_vec();
            let list = json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools });
            talk.result(asked, &list).await;
        }
        "tools/call" => call(asked, talk, said, &all).await,
        other => {
            talk.error("404 Not Found", asked, -32601, &format!("{other}: {all}"))
                .await;
        }
    }
}

async fn call(asked: &Received, talk: &mut Talk, said: &str, all: &str) {
    let message = asked.message();
    match message["params"]["name"].as_str().unwrap_or_default() {
        "error" => talk.error("200 OK", asked, -32000, all).await,
        "page" => {
            let header = percent(said);
            let headers = [("content-type", "text/plain"), ("x-said", header.as_str())];
            talk.answer("500 Internal Server Error", &headers, all)
                .await;
        }
        "broken" => {
            let headers = [("content-type", "application/json")];
            talk.answer(
                "200 OK",
                &headers,
                &format!("{{\"jsonrpc\": {}", json!(all)),
            )
            .await;
        }
        "ask" => {
            let state = value(CORES[6].1);
            if message["params"]["requestState"] == json!(state) {
                let content = json!([{ "type": "text", "text": echoes(&state).join(" | ") }]);
                let result = json!({ "resultType": "complete", "content": content });
                talk.result(asked, &result).await;
                return;
            }
            let link =
                json!({ "mode": "url", "url": "https://login.example.com/", "message": all });
            let result = json!({
                "resultType": "input_required",
                "inputRequests": { "go": { "method": "elicitation/create", "params": link } },
                "requestState": state,
            });
            talk.result(asked, &result).await;
        }
        _ => {
            let content = json!([
                { "type": "text", "text": all },
                { "type": "image", "mimeType": "image/png", "data": base64(all.as_bytes()) },
                { "type": "resource", "resource": { "uri": format!("x:{}", percent(said)), "text": all } },
            ]);
            let result = json!({
                "resultType": "complete",
                "content": content,
                "structuredContent": { "said": said, "all": all },
            });
            talk.result(asked, &result).await;
        }
    }
}

/// A protected server with its authorization server, which gives tokens and a client secret; then a parrot.
async fn protected(asked: Received, mut talk: Talk) {
    let host = asked.header("host").unwrap_or_default().to_owned();
    let base = format!("http://{host}");
    let path = asked.path.split('?').next().unwrap_or_default().to_owned();
    let ok = [("content-type", "application/json")];
    if path.starts_with("/.well-known/oauth-protected-resource") {
        let about = json!({ "resource": format!("{base}/mcp"), "authorization_servers": [base] });
        talk.answer("200 OK", &ok, &about.to_string()).await;
    } else if path.starts_with("/.well-known/") {
        let about = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            "authorization_response_iss_parameter_supported": true,
        });
        talk.answer("200 OK", &ok, &about.to_string()).await;
    } else if path == "/register" {
        let wanted = asked.message();
        let client = json!({
            "client_id": "client-1",
            "client_secret": token(CORES[4].1),
            "client_secret_expires_at": 0,
            "registration_access_token": token(CORES[5].1),
            "registration_client_uri": format!("{base}/register/1"),
            "redirect_uris": wanted["redirect_uris"],
            "token_endpoint_auth_method": "client_secret_post",
            "grant_types": ["authorization_code", "refresh_token"],
        });
        talk.answer("201 Created", &ok, &client.to_string()).await;
    } else if path == "/authorize" {
        let url = reqwest::Url::parse(&format!("{base}{}", asked.path)).expect("a URL");
        let of = |name: &str| {
            let mut pairs = url.query_pairs();
            pairs
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned())
                .unwrap_or_default()
        };
        let mut back = reqwest::Url::parse(&of("redirect_uri")).expect("a URL");
        back.query_pairs_mut()
            .append_pair("code", "code-1")
            .append_pair("state", &of("state"))
            .append_pair("iss", &base);
        talk.answer("302 Found", &[("location", back.as_str())], "")
            .await;
    } else if path == "/token" {
        let tokens = json!({
            "access_token": token(CORES[2].1),
            "refresh_token": token(CORES[3].1),
            "token_type": "Bearer",
            "expires_in": 3600,
        });
        talk.answer("200 OK", &ok, &tokens.to_string()).await;
    } else if asked.header("authorization").is_none() {
        let challenge =
            format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"");
        talk.answer(
            "401 Unauthorized",
            &[("www-authenticate", challenge.as_str())],
            "",
        )
        .await;
    } else {
        parrot(asked, talk).await;
    }
}

/// Opens what the core hands to the browser.
struct Consenting;

impl app::browser::Browser for Consenting {
    fn open(&self, url: &str) -> Result<(), String> {
        if url.contains("login.example.com") {
            return Ok(());
        }
        let url = url.to_owned();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let client = reqwest::Client::builder()
                    .no_proxy()
                    .build()
                    .expect("a client");
                // One that cannot be opened leaves the sign-in waiting, which the test sees.
                let _shown = client.get(url).send().await;
            });
        });
        Ok(())
    }
}

/// Connects, and calls each tool some times.
async fn use_server(ear: &Ear, server: &Value, rounds: usize) {
    ear.ask("connect", json!({ "server": server, "era": null }))
        .await;
    let list = ear
        .until("tools", json!({ "server": server }), |reply| {
            reply["state"]["kind"] == json!("ready")
        })
        .await;
    let tools = list["entries"].as_array().expect("tools").clone();
    for _ in 0..rounds {
        for (index, tool) in tools.iter().enumerate() {
            let args =
                json!({ "server": server, "tool": index, "name": tool["name"], "arguments": "{}" });
            let call = ear.ask("call_tool", args).await;
            if tool["name"] == "ask" {
                answer_link(ear).await;
            }
            ear.ask("outcome", json!({ "operation": call["operation"] }))
                .await;
        }
    }
}

/// Accepts the newest link.
async fn answer_link(ear: &Ear) {
    let mut prompt = 0;
    loop {
        let args = json!({ "prompt": prompt, "action": "accept", "content": null });
        let taken = ear.ask("answer_prompt", args).await;
        if taken.is_null() {
            return;
        }
        prompt = (prompt + 1) % 200;
        if prompt == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

fn needles() -> Vec<Needle> {
    let needles = CORES.iter().map(|(what, core)| Needle::of(what, core));
    needles.collect()
}

fn assert_without(text: &str, place: &str) {
    needles::assert_without(text, &needles(), place);
}

fn assert_files_without(folder: &Path) {
    for file in files(folder) {
        let mut bytes = std::fs::read(&file).expect("a file");
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut whole = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..])
                .read_to_end(&mut whole)
                .expect("gzip");
            bytes.extend(whole);
        }
        assert_without(
            &String::from_utf8_lossy(&bytes),
            &file.display().to_string(),
        );
    }
}

/// Takes the session away in every form there is, into this folder, and copies each of its requests in every form.
async fn take_away(ear: &Ear, app: &App, folder: &Path) {
    for form in ExportForm::ALL {
        let args = json!({ "scope": { "kind": "all" }, "form": form });
        let transfer = ear.ask("start_export", args).await;
        let state = ear
            .until("transfer", json!({ "transfer": transfer }), |state| {
                state["kind"] != json!("running")
            })
            .await;
        assert_eq!(state["kind"], "prepared", "{form:?}: {state}");
        let redacted = state["file"]["redacted"].as_array().expect("names");
        assert!(!redacted.is_empty(), "{form:?} has the names: {state}");
        let name = state["file"]["name"].as_str().expect("a name");
        let number = u32::try_from(transfer.as_u64().expect("a number")).expect("a small one");
        app.save_export_at(number, folder.join(name))
            .await
            .expect("it is saved");
        ear.ask("export_text", json!({ "transfer": transfer }))
            .await;
    }
    let look = json!({ "start": 0, "len": 400, "follow": false, "filter": "all", "server": null });
    let rows = ear.ask("look", json!({ "look": look })).await;
    let mut copied = 0;
    for row in rows["rows"].as_array().expect("rows") {
        let operation = &row["row"]["operation"];
        for (form, exchange) in ["curl", "json_rpc", "cli"]
            .into_iter()
            .flat_map(|form| [(form, 0), (form, 1)])
        {
            let args = json!({ "operation": operation, "exchange": exchange, "form": form });
            let copy = ear.ask("copy_as", args).await;
            copied += usize::from(copy["text"].is_string());
        }
    }
    assert!(copied > 100, "only {copied} copies");
}

#[tokio::test(flavor = "multi_thread")]
#[expect(
    clippy::too_many_lines,
    reason = "one session, told from its start to its end"
)]
async fn no_planted_secret_comes_out_anywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = |keyring: Keyring| {
        let config = Config {
            data_dir: folder.path().to_path_buf(),
        };
        App::start_on_host(config, keyring, std::sync::Arc::new(Consenting))
            .expect("the core starts")
    };
    let keyring = Keyring::in_memory();
    let app = start(keyring.clone());
    let ear = Ear::listen(app.clone());
    let save = |name: &str, endpoint: Value| json!({ "server": null, "draft": { "name": name, "era": "modern", "endpoint": endpoint } });

    let with_header = Listener::start(parrot).await;
    let headers = json!([{ "name": "X-Token", "value": token(CORES[0].1), "secret": true }]);
    let endpoint = json!({ "transport": "http", "url": with_header.url(), "headers": headers });
    let header = ear.ask("save_server", save("header", endpoint)).await;
    use_server(&ear, &header, 8).await;

    // A key in the URL, which is put into the keyring as the form offers it.
    let in_url = Listener::start(parrot).await;
    let url = format!("{}?api_key={}", in_url.url(), percent(&token(CORES[8].1)));
    let endpoint = json!({ "transport": "http", "url": url, "headers": [] });
    let address = ear.save_named(save("address", endpoint)).await;
    use_server(&ear, &address, 4).await;
    let sent = format!("/mcp?api_key={}", percent(&token(CORES[8].1)));
    let reached = in_url.received();
    assert!(
        reached.iter().all(|received| received.path == sent),
        "the key reaches the server"
    );

    let mut endpoint = json!({
        "transport": "stdio",
        "command": "python3",
        "args": [programs::odd_server(), "environment", format!("--api-key={}", value(CORES[7].1))],
        "env": [{ "name": "ODD_TOKEN", "value": value(CORES[1].1), "secret": true }],
        "folder": null,
    });
    let mut draft = save("variable", endpoint.clone());
    draft["draft"]["era"] = json!("auto");
    let variable = ear.save_named(draft).await;
    use_server(&ear, &variable, 8).await;
    // One that cannot be started says so in words.
    endpoint["command"] = json!("/no/such/program");
    let broken = ear.save_named(save("broken", endpoint)).await;
    ear.ask("connect", json!({ "server": broken, "era": null }))
        .await;

    let behind = Listener::start(protected).await;
    let endpoint = json!({ "transport": "http", "url": behind.url(), "headers": [] });
    let signed_in = ear.ask("save_server", save("signed in", endpoint)).await;
    ear.ask(
        "sign_in",
        json!({ "server": signed_in, "step_by_step": false }),
    )
    .await;
    let view = ear
        .until("sign_in_view", json!({ "server": signed_in }), |view| {
            view["news"]["state"] != json!("running")
        })
        .await;
    let read: SignInView = serde_json::from_value(view.clone()).expect("a view");
    assert_eq!(read.news.state, SignInState::SignedIn, "{view}");
    use_server(&ear, &signed_in, 8).await;
    assert!(
        behind.received().iter().any(|received| {
            received.header("authorization") == Some(&format!("Bearer {}", token(CORES[2].1)))
        }),
        "the token reaches the server"
    );

    for server in [&header, &address, &variable, &signed_in] {
        for command in [
            "tools",
            "resources",
            "prompts",
            "sign_in_view",
            "agreed_hosts",
            "subscriptions",
        ] {
            ear.ask(command, json!({ "server": server })).await;
        }
    }
    for command in [
        "servers",
        "secrets",
        "recordings",
        "tasks",
        "findings",
        "preferences",
        "retention",
    ] {
        ear.ask(command, json!({ "server": null })).await;
    }
    // A token is not for a view, whoever asks.
    let list = ear.ask("secrets", json!({})).await;
    for secret in list["secrets"].as_array().expect("secrets") {
        if secret["kind"] != "value" {
            let shown = ear
                .ask("show_secret", json!({ "name": secret["name"] }))
                .await;
            assert_eq!(shown["code"], "bad_input", "{shown}");
        }
    }
    ear.ask_for_everything().await;
    let taken_away = tempfile::tempdir().expect("a folder");
    take_away(&ear, &app, taken_away.path()).await;
    let files_taken = files(taken_away.path());
    assert_eq!(files_taken.len(), ExportForm::ALL.len(), "{files_taken:?}");
    for server in [&header, &address, &variable, &signed_in] {
        let calls = ear
            .ask("export_calls", json!({ "server": server, "tool": null }))
            .await;
        assert!(calls.is_string(), "{calls}");
    }
    app.shutdown().await;

    // What is read of the record later is as silent.
    let app = start(keyring);
    let later = Ear::listen(app.clone());
    let recordings = later.ask("recordings", json!({})).await;
    for recording in recordings["recordings"].as_array().expect("recordings") {
        later
            .ask("open_recording", json!({ "recording": recording["id"] }))
            .await;
        for event in 0..200 {
            let args =
                json!({ "recording": recording["id"], "event": event, "form": "raw", "limit": 0 });
            later.ask("body", args).await;
        }
    }
    app.shutdown().await;

    for (ear, who) in [
        (&ear, "what a view was told"),
        (&later, "what a later view was told"),
    ] {
        let heard = ear.heard();
        assert!(heard.contains("${secret:"), "{who} has the names");
        assert_without(&heard, who);
    }
    assert_files_without(folder.path());
    assert_files_without(taken_away.path());
}

#[test]
fn the_search_finds_what_it_is_to_find() {
    for (_, core) in CORES {
        for text in echoes(&value(core)).into_iter().chain(echoes(&token(core))) {
            let found = needles()
                .iter()
                .any(|needle| needle.found_in(&text).is_some());
            assert!(found, "{text}");
        }
    }
}
