//! What SECURITY.md says of the window, read from what the window is built with.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn config() -> Value {
    serde_json::from_str(&text("src-tauri/tauri.conf.json")).expect("JSON")
}

fn sources(folder: &str, endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if endings
                .iter()
                .any(|ending| path.to_string_lossy().ends_with(ending))
            {
                let text = std::fs::read_to_string(&path).expect("text");
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "{folder}");
    found
}

#[test]
fn the_policy_allows_nothing_from_elsewhere() {
    let config = config();
    let policy = config["app"]["security"]["csp"]
        .as_object()
        .expect("a policy");
    let of = |directive: &str| policy[directive].as_str().expect("text");
    assert_eq!(of("default-src"), "'self'");
    assert_eq!(
        of("script-src"),
        "'self'",
        "neither inline scripts nor eval"
    );
    for (directive, none) in [
        ("object-src", "'none'"),
        ("base-uri", "'none'"),
        ("form-action", "'none'"),
    ] {
        assert_eq!(of(directive), none);
    }
    for (directive, sources) in policy {
        for source in sources.as_str().expect("text").split_whitespace() {
            let is_local = matches!(
                source,
                "'self'"
                    | "'none'"
                    | "'unsafe-inline'"
                    | "data:"
                    | "blob:"
                    | "ipc:"
                    | "http://ipc.localhost"
            );
            assert!(is_local, "{directive} allows {source}");
            if source == "'unsafe-inline'" {
                assert_eq!(directive, "style-src", "styles alone");
            }
        }
    }
    assert!(
        config["app"]["security"]
            .get("dangerousRemoteDomainIpcAccess")
            .is_none(),
        "no page from elsewhere reaches the core"
    );
    assert_eq!(config["app"]["withGlobalTauri"], json!(false));
    assert!(
        config["app"]["security"].get("assetProtocol").is_none(),
        "no file of the person's is served"
    );
}

#[test]
fn a_page_is_granted_the_shells_own_commands_and_no_other() {
    let folder = root().join("src-tauri/capabilities");
    let files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .collect();
    assert_eq!(files.len(), 1, "one capability");
    let capability: Value =
        serde_json::from_str(&std::fs::read_to_string(files[0].path()).expect("text"))
            .expect("JSON");
    assert_eq!(
        config()["app"]["security"]["capabilities"],
        json!([capability["identifier"]])
    );
    assert!(capability.get("remote").is_none());
    let granted: BTreeSet<String> = capability["permissions"]
        .as_array()
        .expect("permissions")
        .iter()
        .map(|permission| {
            permission
                .as_str()
                .expect("a name, without a scope")
                .to_owned()
        })
        .collect();
    for permission in &granted {
        assert!(
            !permission.contains(':'),
            "{permission} is of a plugin or of Tauri's core"
        );
    }
    // Each is a command of the shell's, and each command is granted: there is no other door.
    let main = text("src-tauri/src/main.rs");
    let (_, handlers) = main.split_once("generate_handler![").expect("the handlers");
    let handlers = handlers.split_once(']').expect("their end").0;
    let commands: BTreeSet<String> = handlers
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| {
            let name = name.rsplit("::").next().unwrap_or(name);
            format!("allow-{}", name.replace('_', "-"))
        })
        .collect();
    assert_eq!(granted, commands);
}

#[test]
fn the_page_has_no_way_to_a_shell_a_file_or_a_link() {
    let manifest = text("src-tauri/Cargo.toml");
    for plugin in [
        "shell",
        "fs",
        "http",
        "process",
        "deep-link",
        "updater",
        "websocket",
    ] {
        assert!(
            !manifest.contains(&format!("tauri-plugin-{plugin}")),
            "{plugin}"
        );
    }
    let package = text("ui/package.json");
    assert!(
        !package.contains("@tauri-apps/plugin-"),
        "no plugin's script is in the page"
    );
    // A plugin's commands are reached by `plugin:…` alone.
    for (path, source) in sources("ui/src", &[".ts", ".svelte"]) {
        assert!(!source.contains("plugin:"), "{}", path.display());
        let is_host = path.ends_with("lib/host/tauri.ts");
        assert!(
            is_host || !source.contains("@tauri-apps/api"),
            "{} knows Tauri",
            path.display()
        );
        if !path.to_string_lossy().contains(".test.") {
            assert!(
                !source.contains("{@html"),
                "{} draws markup",
                path.display()
            );
            assert!(
                !source.contains("window.open("),
                "{} opens windows",
                path.display()
            );
        }
    }
}

#[test]
fn the_browser_is_started_in_one_place_for_web_addresses_alone() {
    let mut openers = Vec::new();
    for folder in ["src-tauri/src", "crates"] {
        for (path, source) in sources(folder, &[".rs"]) {
            if source.contains("open_url(") || source.contains("open_path(") {
                openers.push(path.file_name().expect("a name").to_owned());
            }
        }
    }
    assert_eq!(openers, ["browser.rs"]);
    let browser = text("src-tauri/src/browser.rs");
    let check = browser
        .find("starts_with(\"https://\")")
        .expect("the check");
    assert!(
        check < browser.find("open_url(").expect("the call"),
        "it is judged first"
    );
}

#[test]
fn no_address_of_the_system_leads_to_roundtrip() {
    let config = config();
    assert!(
        config
            .get("plugins")
            .is_none_or(|plugins| plugins.get("deep-link").is_none())
    );
    let bundle = &config["bundle"];
    assert!(
        bundle.get("fileAssociations").is_none(),
        "no file starts anything"
    );
    for (path, source) in sources("src-tauri/src", &[".rs"]) {
        assert!(!source.contains("on_open_url"), "{}", path.display());
    }
}

#[test]
fn each_line_of_the_document_names_tests_that_there_are() {
    let document = text("SECURITY.md");
    let mut names = 0;
    let all: String = ["tests", "crates", "ui/src"]
        .into_iter()
        .flat_map(|folder| sources(folder, &[".rs", ".ts"]))
        .filter(|(path, _)| !path.to_string_lossy().contains("node_modules"))
        .map(|(_, source)| source)
        .collect();
    for line in document.lines().filter(|line| line.starts_with("| ")) {
        for name in line
            .rsplit('|')
            .nth(1)
            .unwrap_or_default()
            .split('`')
            .skip(1)
            .step_by(2)
        {
            assert!(all.contains(name), "there is no test {name:?}");
            names += 1;
        }
    }
    assert!(names >= 12, "{names} tests are named");
}
