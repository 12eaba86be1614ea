//! The one rpc door: what it takes, what it refuses, and what it checks.

use app::{App, Config};
use secrets::Keyring;
use serde_json::{Value, json};
use tempfile::TempDir;

fn start() -> (App, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config {
        data_dir: folder.path().join("data"),
    };
    let app = App::start_with(config, Keyring::in_memory()).expect("the core starts");
    (app, folder)
}

async fn reply(app: &App, name: &str, args: Value) -> Value {
    let reply = app
        .rpc(name, &args.to_string())
        .await
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&reply).expect("JSON")
}

async fn refusal(app: &App, name: &str, args: &str) -> Value {
    let error = app.rpc(name, args).await.expect_err("a refusal");
    serde_json::from_str(&error).expect("JSON")
}

#[tokio::test]
async fn what_is_no_command_is_said() {
    let (app, _folder) = start();
    let error = refusal(&app, "fly", "{}").await;
    assert_eq!(error["message"], "There is no command named \"fly\".");
    let error = refusal(&app, "connect", "{\"server\":").await;
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| text.contains("connect")),
        "{error}"
    );
    let error = refusal(&app, "connect", "{\"server\":\"nobody\",\"era\":null}").await;
    assert_eq!(error["code"], "gone");
    app.shutdown().await;
}

#[tokio::test]
async fn a_draft_is_checked_before_anything_is_kept() {
    let (app, _folder) = start();
    let stdio = |name: &str, command: &str| {
        json!({"server": null, "draft": {"name": name, "era": "auto",
            "endpoint": {"transport": "stdio", "command": command, "args": [], "env": [], "folder": null}}})
    };
    let http = |url: &str| {
        json!({"server": null, "draft": {"name": "x", "era": "auto",
            "endpoint": {"transport": "http", "url": url, "headers": []}}})
    };
    for (args, why) in [
        (stdio(" ", "a"), "no name"),
        (stdio("x", "  "), "command is empty"),
        (http("ftp://a.example/"), "not an http or https URL"),
        (http("localhost:8080/mcp"), "not an http or https URL"),
        (http("https://"), "not an http or https URL"),
    ] {
        let error = refusal(&app, "save_server", &args.to_string()).await;
        assert_eq!(error["code"], "bad_input", "{args}");
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| text.contains(why)),
            "{error}"
        );
    }
    app.shutdown().await;
}

#[tokio::test]
async fn a_secret_is_one_servers_own() {
    let (app, folder) = start();
    let draft = |name: &str, value: &str| {
        json!({"name": name, "era": "auto", "endpoint": {"transport": "http", "url": "http://127.0.0.1:1/",
            "headers": [{"name": "Authorization", "value": value, "secret": true}]}})
    };
    let save = |server: Value, draft: Value| json!({"server": server, "draft": draft});
    let first = reply(
        &app,
        "save_server",
        save(json!(null), draft("A", "first value")),
    )
    .await;
    // A second server of this name is refused before its secret could replace the first one's.
    let refused = refusal(
        &app,
        "save_server",
        &save(json!(null), draft("A", "other value")).to_string(),
    )
    .await;
    assert_eq!(refused["code"], "bad_input");
    // Renamed, it keeps its secret; a new server of the old name gets one of its own.
    reply(&app, "save_server", save(first.clone(), draft("B", ""))).await;
    reply(
        &app,
        "save_server",
        save(json!(null), draft("A", "third value")),
    )
    .await;
    let written =
        std::fs::read_to_string(folder.path().join("data/servers.json")).expect("the file");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    let reference = |name: &str| written["mcpServers"][name]["headers"]["Authorization"].clone();
    assert_eq!(reference("B"), "${secret:A/Authorization}");
    assert_eq!(reference("A"), "${secret:A/Authorization 2}");
    // A reference to another server's secret is not taken.
    let stolen = save(json!(null), draft("C", "${secret:A/Authorization}"));
    let refused = refusal(&app, "save_server", &stolen.to_string()).await;
    assert!(
        refused["message"]
            .as_str()
            .is_some_and(|text| text.contains("not this server's")),
        "{refused}"
    );
    app.shutdown().await;
}

#[tokio::test]
async fn a_removed_server_comes_back_with_its_place_and_its_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config {
        data_dir: folder.path().join("data"),
    };
    let keyring = Keyring::in_memory();
    let app = App::start_with(config, keyring.clone()).expect("the core starts");
    let draft = |name: &str| {
        json!({"server": null, "draft": {"name": name, "era": "auto",
            "endpoint": {"transport": "http", "url": "http://127.0.0.1:1/",
                "headers": [{"name": "Authorization", "value": format!("of {name}"), "secret": true}]}}})
    };
    let first = reply(&app, "save_server", draft("A")).await;
    reply(&app, "save_server", draft("B")).await;
    let names = async || -> Vec<String> {
        let servers = reply(&app, "servers", json!({})).await;
        let servers = servers.as_array().expect("servers");
        let own = servers.iter().filter(|server| server["builtin"] == false);
        own.map(|server| server["name"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    reply(&app, "remove_server", json!({"server": first})).await;
    assert_eq!(names().await, ["B"]);
    // A new server of its name neither takes its secret nor lets it come back.
    let second = reply(&app, "save_server", draft("A")).await;
    let refused = refusal(
        &app,
        "restore_server",
        &json!({"server": first}).to_string(),
    )
    .await;
    assert!(
        refused["message"]
            .as_str()
            .is_some_and(|text| text.contains("named \"A\" already")),
        "{refused}"
    );
    reply(&app, "remove_server", json!({"server": second})).await;
    reply(&app, "restore_server", json!({"server": first})).await;
    assert_eq!(names().await, ["A", "B"]);
    let secret = async |name: &str| {
        let kept = keyring.get(name).await.expect("the keyring answers");
        kept.map(|value| secrets::expose(&value).to_owned())
    };
    assert_eq!(secret("A/Authorization").await.as_deref(), Some("of A"));
    // Twice is once.
    let again = refusal(
        &app,
        "restore_server",
        &json!({"server": first}).to_string(),
    )
    .await;
    assert_eq!(again["code"], "gone");
    // What does not come back leaves nothing in the keyring.
    reply(&app, "remove_server", json!({"server": first})).await;
    app.shutdown().await;
    assert_eq!(secret("A/Authorization").await, None);
    assert_eq!(secret("A/Authorization 2").await, None);
    assert_eq!(secret("B/Authorization").await.as_deref(), Some("of B"));
}

#[tokio::test]
async fn errors_of_a_value_are_in_plain_words_at_their_places() {
    let (app, _folder) = start();
    let schema = json!({
        "type": "object",
        "required": ["name", "party"],
        "properties": {
            "name": {"type": "string", "minLength": 2},
            "party": {"type": "integer", "minimum": 1, "maximum": 12},
            "email": {"type": "string", "format": "email"},
            "seating": {"enum": ["in", "out"]},
            "tags": {"type": "array", "maxItems": 1}
        }
    });
    let value =
        json!({"name": "a", "party": 13, "email": "ana@", "seating": "roof", "tags": [1, 2]});
    let checked = reply(
        &app,
        "validate",
        json!({"schema": schema.to_string(), "value": value.to_string()}),
    )
    .await;
    let said: Vec<(String, String)> = checked["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|error| {
            let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
            (text("pointer"), text("message"))
        })
        .collect();
    for expected in [
        ("/name", "Enter at least 2 characters."),
        ("/party", "Enter 12 or less."),
        ("/email", "Enter an email address, like name@example.com."),
        ("/seating", "Choose one of the given values."),
        ("/tags", "Choose or add at most 1 item."),
    ] {
        assert!(
            said.iter()
                .any(|(pointer, message)| (pointer.as_str(), message.as_str()) == expected),
            "{expected:?} is not among {said:?}"
        );
    }
    let missing = reply(
        &app,
        "validate",
        json!({"schema": schema.to_string(), "value": "{\"name\":\"ana\"}"}),
    )
    .await;
    assert_eq!(missing["errors"][0]["pointer"], "/party");
    assert_eq!(missing["errors"][0]["message"], "This is required.");
    app.shutdown().await;
}

#[tokio::test]
async fn a_schema_that_is_none_is_a_problem_of_the_schema() {
    let (app, _folder) = start();
    for schema in [
        "{oops",
        "\"x\"",
        r#"{"type": 5}"#,
        r#"{"$ref": "https://example.com/schema.json"}"#,
        r#"{"$schema": "https://example.com/dialect"}"#,
    ] {
        let checked = reply(&app, "validate", json!({"schema": schema, "value": "{}"})).await;
        assert!(checked["schema_problem"].is_string(), "{schema}: {checked}");
        assert_eq!(checked["errors"], json!([]));
    }
    let all = reply(&app, "validate", json!({"schema": "true", "value": "[1]"})).await;
    assert_eq!(all, json!({"errors": [], "schema_problem": null}));
    let broken = reply(&app, "validate", json!({"schema": "{}", "value": "{oops"})).await;
    assert_eq!(broken["errors"][0]["keyword"], "json");
    app.shutdown().await;
}

#[tokio::test]
async fn preferences_are_remembered_and_a_session_without_events_leaves_no_recording() {
    let (app, folder) = start();
    assert_eq!(reply(&app, "preferences", json!({})).await, json!(""));
    reply(
        &app,
        "save_preferences",
        json!({"json": "{\"panes\":[1,2]}"}),
    )
    .await;
    assert_eq!(
        reply(&app, "preferences", json!({})).await,
        json!("{\"panes\":[1,2]}")
    );
    app.shutdown().await;
    let left = std::fs::read_dir(folder.path().join("data/recordings"))
        .expect("the folder")
        .count();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn saved_calls_outlive_the_core_and_their_secrets_are_in_the_keyring_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let keyring = Keyring::in_memory();
    let begin = || {
        let config = Config {
            data_dir: folder.path().join("data"),
        };
        App::start_with(config, keyring.clone()).expect("the core starts")
    };
    let written =
        || std::fs::read_to_string(folder.path().join("data/calls.json")).expect("the file");
    let whole =
        r#"{"id":12345678901234567890,"auth":{"api_key":"k-123","user":"ana"},"max_tokens":7}"#;
    let of = |more: Value| {
        let mut args = json!({"server": "demo-stdio", "tool": "echo"});
        let members = args.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        args
    };

    let app = begin();
    let refused = refusal(
        &app,
        "save_call",
        &of(json!({"name": " ", "arguments": "{}"})).to_string(),
    )
    .await;
    assert_eq!(refused["code"], "bad_input");
    let refused = refusal(
        &app,
        "save_call",
        &of(json!({"name": "a", "arguments": "{oops"})).to_string(),
    )
    .await;
    assert!(
        refused["message"]
            .as_str()
            .is_some_and(|text| text.contains("not valid JSON")),
        "{refused}"
    );
    reply(
        &app,
        "save_call",
        of(json!({"name": "first", "arguments": "{}"})),
    )
    .await;
    let id = reply(
        &app,
        "save_call",
        of(json!({"name": "first", "arguments": whole})),
    )
    .await;
    assert!(!written().contains("k-123"), "{}", written());
    let kept = reply(&app, "kept_calls", of(json!({}))).await;
    assert_eq!(
        kept["saved"].as_array().map(Vec::len),
        Some(1),
        "the same name is the same call: {kept}"
    );
    assert_eq!(kept["saved"][0]["secrets"], 1);
    app.shutdown().await;

    let app = begin();
    let read = reply(&app, "call_arguments", of(json!({"id": id}))).await;
    assert_eq!(read, json!({"arguments": whole, "missing": 0}));
    let exported = reply(
        &app,
        "export_calls",
        json!({"server": "demo-stdio", "tool": null}),
    )
    .await;
    let exported: Value = serde_json::from_str(exported.as_str().expect("text")).expect("JSON");
    assert_eq!(exported[0]["name"], "first");
    assert_eq!(exported[0]["arguments"]["auth"], json!({"user": "ana"}));
    assert_eq!(exported[0]["secrets_left_out"], 1);

    let ids = of(json!({"ids": [id]}));
    reply(&app, "remove_calls", ids.clone()).await;
    assert_eq!(
        reply(&app, "kept_calls", of(json!({}))).await["saved"],
        json!([])
    );
    reply(&app, "restore_calls", ids.clone()).await;
    let read = reply(&app, "call_arguments", of(json!({"id": id}))).await;
    assert_eq!(read["arguments"], whole);
    reply(&app, "remove_calls", ids.clone()).await;
    app.shutdown().await;

    // What did not come back has left nothing.
    let app = begin();
    assert_eq!(
        refusal(&app, "restore_calls", &ids.to_string()).await["code"],
        "gone"
    );
    let secret = format!("call {}/0", id.as_str().expect("text"));
    assert!(
        keyring
            .get(&secret)
            .await
            .expect("the keyring answers")
            .is_none()
    );
    app.shutdown().await;
}

#[tokio::test]
async fn a_known_secret_is_not_in_the_file_of_calls_under_any_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config {
        data_dir: folder.path().join("data"),
    };
    let app = App::start_with(config, Keyring::in_memory()).expect("the core starts");
    let save = |name: &str, arguments: &str| json!({"server": "s", "tool": "t", "name": name, "arguments": arguments});
    reply(&app, "save_call", save("first", r#"{"api_key":"k-123"}"#)).await;
    let same_value = r#"{"note":"with k-123","list":["k-123",{"n":1}],"plain":"yes"}"#;
    let id = reply(&app, "save_call", save("with k-123", same_value)).await;
    let args = json!({"server": "s", "tool": "t", "id": id});
    let read = reply(&app, "call_arguments", args).await;
    assert_eq!(read, json!({"arguments": same_value, "missing": 0}));
    let deep = format!("{}{{}}{}", r#"{"a":"#.repeat(100), "}".repeat(100));
    let refused = refusal(&app, "save_call", &save("deep", &deep).to_string()).await;
    assert_eq!(refused["code"], "bad_input");
    app.shutdown().await;
    let written = std::fs::read_to_string(folder.path().join("data/calls.json")).expect("a file");
    assert!(!written.contains("k-123"), "{written}");
    assert!(written.contains("plain"), "{written}");
}

#[tokio::test]
async fn a_file_of_calls_that_cannot_be_read_is_put_aside() {
    for unreadable in [&b"{oops"[..], b"{\"servers\":\"\xff\"}"] {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect("a folder");
        std::fs::write(data.join("calls.json"), unreadable).expect("a file");
        let config = Config {
            data_dir: data.clone(),
        };
        let app = App::start_with(config, Keyring::in_memory()).expect("the core starts");
        let args = json!({"server": "s", "tool": "t", "name": "n", "arguments": "{}"});
        reply(&app, "save_call", args).await;
        app.shutdown().await;
        let aside = std::fs::read(data.join("calls.json.unreadable")).expect("the old file");
        assert_eq!(aside, unreadable);
    }
}
