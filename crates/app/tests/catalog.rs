//! The servers file: what is written, what is kept, and what happens when it cannot be read.

use std::fs;

use app::api::ErrorCode;
use app::api::options::ServerOptions;
use app::api::servers::{Endpoint, EraChoice, NamedValue, ServerDraft};
use app::catalog::{Catalog, DEMO_HTTP, DEMO_SIGN_IN, DEMO_STDIO};
use serde_json::{Value, json};

fn draft(name: &str) -> ServerDraft {
    ServerDraft {
        name: name.to_owned(),
        endpoint: Endpoint::Stdio {
            command: "npx".to_owned(),
            args: vec!["-y".to_owned(), "a server".to_owned()],
            env: vec![NamedValue {
                name: "API_KEY".to_owned(),
                value: "${secret:files/API_KEY}".to_owned(),
                secret: true,
            }],
            folder: Some("/tmp".to_owned()),
        },
        era: EraChoice::Legacy,
        options: ServerOptions::default(),
    }
}

#[test]
fn a_new_catalog_holds_the_demo_servers_alone_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let (catalog, problem) = Catalog::load(file.clone());
    assert_eq!(problem, None);
    let ids: Vec<&str> = catalog.entries().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, [DEMO_STDIO, DEMO_HTTP, DEMO_SIGN_IN]);
    assert!(!file.exists());
}

#[test]
fn a_saved_server_is_read_again_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let (mut catalog, _) = Catalog::load(file.clone());
    let id = catalog.save(None, &draft("files")).expect("saved");

    let (again, problem) = Catalog::load(file);
    assert_eq!(problem, None);
    let entry = again.get(&id).expect("the server");
    assert_eq!(entry.name, "files");
    assert_eq!(entry.era, EraChoice::Legacy);
    assert_eq!(entry.address(), "npx -y 'a server'");
    let shown = entry.draft().expect("a draft");
    let Endpoint::Stdio { env, .. } = shown.endpoint else {
        panic!("not stdio")
    };
    assert!(env[0].secret);
    assert_eq!(env[0].value, "", "a secret's place is shown empty");
}

#[test]
fn fields_of_others_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let text = json!({
        "theme": "mine",
        "mcpServers": {"old": {"command": "a", "disabled": true, "alwaysAllow": ["x"]}}
    });
    fs::write(&file, text.to_string()).expect("the file");
    let (mut catalog, _) = Catalog::load(file.clone());
    let id = catalog
        .entries()
        .find(|entry| entry.name == "old")
        .expect("the entry")
        .id
        .clone();
    catalog.save(Some(&id), &draft("renamed")).expect("saved");

    let written: Value =
        serde_json::from_str(&fs::read_to_string(&file).expect("the file")).expect("JSON");
    assert_eq!(written["theme"], "mine");
    let entry = &written["mcpServers"]["renamed"];
    assert_eq!(entry["disabled"], true);
    assert_eq!(entry["alwaysAllow"], json!(["x"]));
    assert_eq!(entry["command"], "npx");
    assert_eq!(entry["env"]["API_KEY"], "${secret:files/API_KEY}");
}

#[test]
fn a_file_that_cannot_be_read_is_kept_aside_before_anything_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    fs::write(&file, "{ not json").expect("the file");
    let (mut catalog, problem) = Catalog::load(file.clone());
    let problem = problem.expect("a problem");
    assert!(
        problem.message.contains("servers.json"),
        "{}",
        problem.message
    );
    catalog.save(None, &draft("new")).expect("saved");
    let aside = folder.path().join("servers.json.unreadable-1");
    assert_eq!(fs::read_to_string(aside).expect("the copy"), "{ not json");
}

#[test]
fn an_entry_that_cannot_be_read_hides_no_other_and_is_written_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let text = json!({"mcpServers": {
        "first": {"command": "a"},
        "broken": {"args": ["no command"]},
        "last": {"url": "http://localhost:1/mcp"}
    }});
    fs::write(&file, text.to_string()).expect("the file");
    let (mut catalog, problem) = Catalog::load(file.clone());
    let problem = problem.expect("a problem");
    assert!(
        problem.message.contains("\"broken\""),
        "{}",
        problem.message
    );
    let names: Vec<&str> = catalog.entries().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names[..2], ["first", "last"]);
    catalog.save(None, &draft("new")).expect("saved");
    let written: Value =
        serde_json::from_str(&fs::read_to_string(&file).expect("the file")).expect("JSON");
    assert_eq!(
        written["mcpServers"]["broken"],
        json!({"args": ["no command"]})
    );
    let taken = catalog
        .save(None, &draft("broken"))
        .expect_err("its name is taken");
    assert_eq!(taken.code, ErrorCode::BadInput);
}

#[test]
fn an_entry_copied_by_hand_gets_an_identity_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let text = json!({"mcpServers": {
        "one": {"command": "a", "x-roundtrip": {"id": "same"}},
        "two": {"command": "b", "x-roundtrip": {"id": "same"}},
        "three": {"command": "c", "x-roundtrip": {"id": "demo-stdio"}}
    }});
    fs::write(&file, text.to_string()).expect("the file");
    let (catalog, _) = Catalog::load(file);
    let mut ids: Vec<&str> = catalog.entries().map(|entry| entry.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 6, "{ids:?}");
}

#[test]
fn a_taken_name_and_a_bundled_server_are_refused_and_nothing_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let (mut catalog, _) = Catalog::load(file.clone());
    catalog.save(None, &draft("files")).expect("saved");
    let before = fs::read_to_string(&file).expect("the file");
    let taken = catalog.save(None, &draft("files")).expect_err("taken");
    assert_eq!(taken.code, ErrorCode::BadInput);
    let gone = catalog
        .save(Some(DEMO_STDIO), &draft("mine"))
        .expect_err("bundled");
    assert_eq!(gone.code, ErrorCode::Gone);
    assert_eq!(
        catalog.remove(DEMO_HTTP).expect_err("bundled").code,
        ErrorCode::Gone
    );
    assert_eq!(fs::read_to_string(&file).expect("the file"), before);
}

#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_written_is_said_and_the_list_stays_as_it_was() {
    let missing = tempfile::tempdir()
        .expect("a folder")
        .path()
        .join("gone/servers.json");
    let (mut catalog, _) = Catalog::load(missing);
    let error = catalog.save(None, &draft("files")).expect_err("no folder");
    assert!(error.message.contains("servers.json"), "{}", error.message);
    assert_eq!(catalog.entries().count(), 3);
}

#[test]
fn options_are_kept_as_far_as_they_differ_from_what_is_usual() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let (mut catalog, problem) = Catalog::load(file.clone());
    assert_eq!(problem, None);
    let mut draft = draft("files");
    draft.options.retry_limit = 7;
    let id = catalog.save(None, &draft).expect("saved");

    let written: Value =
        serde_json::from_str(&fs::read_to_string(&file).expect("a file")).expect("JSON");
    assert_eq!(
        written["mcpServers"]["files"]["x-roundtrip"]["options"],
        json!({ "retry_limit": 7 })
    );
    let (catalog, problem) = Catalog::load(file);
    assert_eq!(problem, None);
    let entry = catalog.get(&id).expect("the server");
    assert_eq!(entry.options, draft.options);
}

#[test]
fn options_that_cannot_be_read_are_named_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("servers.json");
    let text = json!({ "mcpServers": { "odd": {
        "command": "true", "x-roundtrip": { "options": { "retry": "sometimes" } }
    } } });
    fs::write(&file, text.to_string()).expect("written");
    let (catalog, problem) = Catalog::load(file);
    let problem = problem.expect("a problem").message;
    assert!(
        problem.contains("\"odd\"") && problem.contains("sometimes"),
        "{problem}"
    );
    assert!(catalog.entries().all(|entry| entry.name != "odd"));
}
