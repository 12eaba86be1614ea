//! The servers file and the hands of others: changes from outside are read, nothing is lost, and nothing is started by
//! them.

use std::path::{Path, PathBuf};

use app::api::secrets::SecretList;
use app::api::servers::{EraChoice, PasteReading, Phase};
use secrets::Keyring;
use serde_json::{Value, json};
use tests::core::Core;

fn file(core: &Core) -> PathBuf {
    core.folder().join("servers.json")
}

fn read(core: &Core) -> Value {
    let text = std::fs::read_to_string(file(core)).expect("the catalog");
    serde_json::from_str(&text).expect("JSON")
}

/// As an editor does it: a new file in the place of the old one.
fn replace(path: &Path, value: &Value) {
    let fresh = path.with_extension("json.new");
    std::fs::write(&fresh, serde_json::to_string_pretty(value).expect("JSON")).expect("written");
    std::fs::rename(&fresh, path).expect("renamed");
}

/// What a server does that must not be started: it leaves a mark.
fn tell_tale(folder: &Path) -> (PathBuf, Value) {
    let mark = folder.join("started");
    let script = format!("touch '{}'", mark.display());
    (mark, json!({ "command": "sh", "args": ["-c", script] }))
}

async fn named(core: &Core, name: &str) -> String {
    core.until(name, |seen| {
        let mut servers = seen.servers.iter();
        servers
            .find(|server| server.name == name)
            .map(|server| server.id.clone())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_from_outside_is_read_and_starts_nothing() {
    let core = Core::start().await;
    let own = core.add_command("own", "true", &[], EraChoice::Auto).await;
    let (mark, entry) = tell_tale(core.folder());
    let mut catalog = read(&core);
    catalog["mcpServers"]["from outside"] = entry;
    catalog["mcpServers"]["from outside"]["theirs"] = json!({ "kept": [1, 2] });
    catalog["mcpServers"]["own"]["command"] = json!("false");
    catalog["other tool"] = json!(7);
    replace(&file(&core), &catalog);
    let server = named(&core, "from outside").await;
    assert_eq!(core.connection(&server).phase, Phase::Disconnected);
    core.until("the changed command", |seen| {
        let mut servers = seen.servers.iter();
        servers
            .find(|server| server.id == own && server.address == "false")
            .map(|_| ())
    })
    .await;
    // What is saved after that keeps what is not ours.
    core.add_command("another", "true", &[], EraChoice::Auto)
        .await;
    let saved = read(&core);
    assert_eq!(saved["other tool"], json!(7));
    assert_eq!(
        saved["mcpServers"]["from outside"]["theirs"],
        json!({ "kept": [1, 2] })
    );
    assert_eq!(saved["mcpServers"]["own"]["command"], json!("false"));
    assert!(saved["mcpServers"]["another"].is_object());
    // Nor does a start of Roundtrip start any of them.
    let folder = core.close().await;
    let core = Core::start_in(folder).await;
    let server = named(&core, "from outside").await;
    assert_eq!(core.connection(&server).phase, Phase::Disconnected);
    assert!(!mark.exists(), "it was started");
    // It was a real command: the person's own word starts it.
    core.connect(&server).await;
    assert!(mark.exists(), "it can be started");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_taken_out_from_outside_goes_and_a_broken_file_changes_nothing() {
    let core = Core::start().await;
    let own = core.add_command("own", "true", &[], EraChoice::Auto).await;
    let other = core
        .add_command("other", "true", &[], EraChoice::Auto)
        .await;
    let whole = read(&core);
    // As an editor does it that writes in place: it is empty for a moment.
    std::fs::write(file(&core), "").expect("written");
    std::fs::write(file(&core), "{ \"mcpServers\": {").expect("written");
    let status = core
        .until("the problem", |seen| seen.status.file_problem.clone())
        .await;
    assert!(
        status.contains("servers.json") && status.contains("Mend the file"),
        "{status}"
    );
    assert!(core.seen().servers.iter().any(|server| server.id == own));
    let draft = json!({ "name": "third", "era": "auto", "endpoint": { "transport": "stdio", "command": "true", "args": [], "env": [], "folder": null } });
    let refused = core
        .rpc::<String>("save_server", json!({ "server": null, "draft": draft }))
        .await;
    assert!(refused.is_err(), "the broken file is not written over");
    assert_eq!(
        std::fs::read_to_string(file(&core)).expect("text"),
        "{ \"mcpServers\": {"
    );
    let mut without = whole;
    without["mcpServers"]
        .as_object_mut()
        .expect("servers")
        .remove("other");
    replace(&file(&core), &without);
    core.until("the end of the other", |seen| {
        let is_gone = seen.servers.iter().all(|server| server.id != other);
        (is_gone && seen.status.file_problem.is_none()).then_some(())
    })
    .await;
    assert!(core.seen().servers.iter().any(|server| server.id == own));
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pasted_block_starts_nothing_and_marks_its_secrets() {
    let core = Core::start().await;
    let (mark, mut entry) = tell_tale(core.folder());
    entry["env"] = json!({ "API_KEY": "sk-clear-1234567890", "MODE": "fast" });
    let block = json!({ "mcpServers": { "pasted": entry } }).to_string();
    let reading: PasteReading = core.must("read_paste", json!({ "text": block })).await;
    let draft = reading.drafts.into_iter().next().expect("a draft");
    let server: String = core
        .must("save_server", json!({ "server": null, "draft": draft }))
        .await;
    let text = std::fs::read_to_string(file(&core)).expect("the catalog");
    assert!(
        !text.contains("sk-clear-1234567890") && text.contains("${secret:pasted/API_KEY}"),
        "{text}"
    );
    assert_eq!(
        read(&core)["mcpServers"]["pasted"]["env"]["MODE"],
        json!("fast")
    );
    assert_eq!(core.connection(&server).phase, Phase::Disconnected);
    assert!(!mark.exists(), "it was started");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_in_the_clear_is_named_and_moved_into_the_keyring() {
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), Keyring::in_memory()).await;
    core.add_command("own", "true", &[], EraChoice::Auto).await;
    let mut catalog = read(&core);
    catalog["mcpServers"]["theirs"] = json!({
        "url": "https://example.com/mcp",
        "headers": { "Authorization": "Bearer clear-1234567890", "X-Mode": "fast" },
        "theirs": true,
    });
    replace(&file(&core), &catalog);
    let server = named(&core, "theirs").await;
    let list: SecretList = core.must("secrets", json!({})).await;
    assert_eq!(list.in_the_clear.len(), 1, "{list:#?}");
    assert_eq!(list.in_the_clear[0].name, "Authorization");
    let args = json!({ "server": server, "name": "Authorization" });
    let _: () = core.must("move_secret", args.clone()).await;
    let text = std::fs::read_to_string(file(&core)).expect("the catalog");
    assert!(!text.contains("clear-1234567890"), "{text}");
    let moved = &read(&core)["mcpServers"]["theirs"];
    assert_eq!(
        moved["headers"]["Authorization"],
        json!("${secret:theirs/Authorization}")
    );
    assert_eq!(moved["headers"]["X-Mode"], json!("fast"));
    assert_eq!(moved["theirs"], json!(true));
    let list: SecretList = core.must("secrets", json!({})).await;
    assert!(list.in_the_clear.is_empty());
    assert_eq!(list.secrets[0].name, "theirs/Authorization");
    assert!(core.rpc::<()>("move_secret", args).await.is_err(), "once");
    core.close().await;
}
