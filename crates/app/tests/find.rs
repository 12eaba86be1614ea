//! Finding rows by a filter line, through the one rpc door.
#![cfg(unix)]

use std::time::Duration;

use app::{App, Config};
use secrets::Keyring;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A core, and a server that only complains and ends: its rows are there to be found.
async fn with_rows() -> (App, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config {
        data_dir: folder.path().join("data"),
    };
    let app = App::start_with(config, Keyring::in_memory()).expect("the core starts");
    let script = "for n in 1 2 3; do echo \"Caf\u{e9} needle $n\" >&2; done; echo hay >&2; exit 3";
    let draft = json!({"server": null, "draft": {"name": "complains", "era": "auto",
        "endpoint": {"transport": "stdio", "command": "sh", "args": ["-c", script], "env": [], "folder": null}}});
    let server = reply(&app, "save_server", draft).await;
    reply(&app, "connect", json!({"server": server, "era": null})).await;
    reply(&app, "settled", json!({"server": server})).await;
    (app, folder)
}

async fn reply(app: &App, name: &str, args: Value) -> Value {
    let reply = app
        .rpc(name, &args.to_string())
        .await
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&reply).expect("JSON")
}

fn look(line: &str) -> Value {
    json!({"look": {"start": 0, "len": 60, "follow": false, "filter": "all", "server": null, "line": line}})
}

/// Looks until the search has gone over everything.
async fn found(app: &App, line: &str) -> Value {
    for _ in 0..200 {
        let patch = reply(app, "look", look(line)).await;
        if patch["find"]["search"].is_null() || patch["find"]["search"]["state"] == "done" {
            return patch;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{line} was never searched to the end");
}

#[tokio::test]
async fn a_line_shows_what_fits_and_steps_through_it() {
    let (app, _folder) = with_rows().await;
    let all = found(&app, "").await;
    assert_eq!(all["find"], Value::Null);
    let total = all["top_rows"].as_u64().expect("a number");

    let process = found(&app, "status:error kind:operation server:complains").await;
    assert_eq!(process["find"]["search"], Value::Null);
    assert!(process["top_rows"].as_u64() >= Some(1), "{process}");

    let needles = found(&app, "needle").await;
    let rows = needles["top_rows"].as_u64().expect("a number");
    assert!(rows >= 1 && rows < total, "{rows} of {total}");
    let first = reply(&app, "step", json!({"from": null, "backwards": false})).await;
    assert_eq!(first["index"], 0);
    assert!(first["event"].is_u64(), "{first}");
    let event = reply(
        &app,
        "body",
        json!({"event": first["event"], "form": "raw", "limit": 0}),
    )
    .await;
    assert!(
        event["text"]
            .as_str()
            .is_some_and(|text| text.contains("needle")),
        "{event}"
    );
    let last = reply(&app, "step", json!({"from": 0, "backwards": true})).await;
    assert!(last["index"].is_u64(), "{last}");

    let without = found(&app, "-needle").await;
    assert_eq!(without["top_rows"].as_u64(), Some(total - rows));
    let nothing = found(&app, "haystack").await;
    assert_eq!(nothing["total_rows"], 0);
    assert_eq!(
        reply(&app, "step", json!({"from": null, "backwards": false})).await,
        Value::Null
    );
    app.shutdown().await;
}

#[tokio::test]
async fn a_line_that_cannot_be_read_is_refused_and_changes_nothing() {
    let (app, _folder) = with_rows().await;
    let before = found(&app, "needle").await;
    let error = app
        .rpc("look", &look("status:eror").to_string())
        .await
        .expect_err("a refusal");
    let error: Value = serde_json::from_str(&error).expect("JSON");
    assert_eq!(error["code"], "bad_input");
    assert_eq!(error["hint"], "Did you mean status:error?");
    let after = found(&app, "needle").await;
    assert_eq!(after["top_rows"], before["top_rows"]);

    // Places are counted as pages count: é and the emoji before them are one and two.
    let reading = reply(
        &app,
        "read_filter",
        json!({"line": "é😀 status:eror", "cursor": 15}),
    )
    .await;
    assert_eq!(reading["problem"]["start"], 11, "{reading}");
    assert_eq!(reading["problem"]["end"], 15);
    let reading = reply(
        &app,
        "read_filter",
        json!({"line": "Café server:", "cursor": 12}),
    )
    .await;
    assert_eq!(
        reading["suggestions"][0]["insert"], "complains",
        "{reading}"
    );
    assert_eq!(
        (&reading["start"], &reading["end"]),
        (&json!(12), &json!(12))
    );
    app.shutdown().await;
}

#[tokio::test]
async fn a_search_follows_what_comes_and_can_be_stopped() {
    let (app, _folder) = with_rows().await;
    let before = found(&app, "needle").await["top_rows"].as_u64();
    let servers = reply(&app, "servers", json!({})).await;
    let server = servers
        .as_array()
        .and_then(|all| all.iter().find(|one| one["name"] == "complains"))
        .map(|one| one["id"].clone())
        .expect("the server");
    reply(&app, "connect", json!({"server": server, "era": null})).await;
    reply(&app, "settled", json!({"server": server})).await;
    let mut after = None;
    for _ in 0..200 {
        after = reply(&app, "look", look("needle")).await["top_rows"].as_u64();
        if after > before {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(after > before, "{after:?} after {before:?}");
    reply(&app, "stop_search", json!({})).await;
    let stopped = reply(&app, "look", look("needle")).await;
    assert_eq!(stopped["top_rows"].as_u64(), after);
    app.shutdown().await;
}
