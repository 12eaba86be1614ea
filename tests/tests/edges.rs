//! The house's edges: which member may depend on which. ARCHITECTURE.md says why.

use std::collections::BTreeMap;
use std::env;
use std::process::Command;

use serde_json::Value;

/// Every member, and the members that it may depend on, in any kind of dependency.
const ALLOWED: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("protocol", &["wire"]),
    ("journal", &["wire", "protocol"]),
    ("secrets", &[]),
    ("client", &["wire", "protocol", "secrets"]),
    ("app", &["wire", "protocol", "journal", "secrets", "client"]),
    ("roundtrip", &["app"]),
    ("roundtrip-cli", &["app"]),
    ("demo-server", &[]),
];

/// Members that stand outside the house and may use all of it.
const OUTSIDE: &[&str] = &["tests", "xtask"];

#[test]
fn members_depend_only_on_those_they_may() {
    let breaches = breaches(&edges(&metadata()));
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn the_pure_crates_have_no_runtime_and_no_network() {
    let metadata = metadata();
    for member in ["wire", "protocol"] {
        let package = packages(&metadata)
            .find(|package| package["name"] == member)
            .expect("a member of the house");
        for dependency in package["dependencies"].as_array().expect("a list") {
            let name = dependency["name"].as_str().expect("a name");
            let of_tests = dependency["kind"] == "dev";
            let impure = [
                "tokio",
                "reqwest",
                "http",
                "futures-util",
                "tauri",
                "keyring-core",
            ]
            .contains(&name);
            assert!(
                of_tests || !impure,
                "{member} is pure and must not depend on {name}"
            );
        }
    }
}

#[test]
fn an_edge_that_is_not_allowed_is_named() {
    let edge = |from: &str, to: &[&str]| {
        (
            from.to_owned(),
            to.iter().map(|name| (*name).to_owned()).collect(),
        )
    };
    let edges = BTreeMap::from([
        edge("wire", &["protocol"]),
        edge("protocol", &["wire"]),
        edge("roundtrip", &["app", "client"]),
        edge("stranger", &[]),
        edge("tests", &["app", "wire"]),
    ]);
    assert_eq!(
        breaches(&edges),
        [
            "roundtrip must not depend on client",
            "stranger has no place in the house: name it in tests/tests/edges.rs and in ARCHITECTURE.md",
            "wire must not depend on protocol",
        ]
    );
}

fn breaches(edges: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut breaches = Vec::new();
    for (from, to) in edges
        .iter()
        .filter(|(from, _)| !OUTSIDE.contains(&from.as_str()))
    {
        match ALLOWED.iter().find(|(name, _)| name == from) {
            None => breaches.push(format!(
                "{from} has no place in the house: name it in tests/tests/edges.rs and in ARCHITECTURE.md"
            )),
            Some((_, allowed)) => {
                let wrong = to.iter().filter(|name| !allowed.contains(&name.as_str()));
                breaches.extend(wrong.map(|name| format!("{from} must not depend on {name}")));
            }
        }
    }
    breaches
}

/// Each member with the members that it depends on.
fn edges(metadata: &Value) -> BTreeMap<String, Vec<String>> {
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    let members: Vec<String> = packages(metadata).map(name).collect();
    packages(metadata)
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("a list");
            let inner = dependencies
                .iter()
                .map(name)
                .filter(|name| members.contains(name))
                .collect();
            (name(package), inner)
        })
        .collect()
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"]
        .as_array()
        .expect("cargo lists the members")
        .iter()
}

fn metadata() -> Value {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo can be run");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo answers with JSON")
}
