//! A schema that takes for ever to check. A file of its own, because its thread ends with the process alone.

use app::{App, Config};
use secrets::Keyring;
use serde_json::{Value, json};

async fn validate(app: &App, args: &Value) -> Value {
    let reply = app
        .rpc("validate", &args.to_string())
        .await
        .unwrap_or_else(|error| panic!("validate: {error}"));
    serde_json::from_str(&reply).expect("JSON")
}

#[tokio::test]
async fn a_schema_that_takes_for_ever_is_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config {
        data_dir: folder.path().join("data"),
    };
    let app = App::start_with(config, Keyring::in_memory()).expect("the core starts");
    // Each level refers to the next twice: 2^40 checks.
    let mut definitions = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
        definitions.insert(format!("l{level}"), json!({"allOf": [next, next]}));
    }
    definitions.insert("l40".to_owned(), json!({"type": "object"}));
    let schema = json!({"$defs": definitions, "$ref": "#/$defs/l0"});
    let args = json!({"schema": schema.to_string(), "value": "{}"});
    let checked = validate(&app, &args).await;
    assert!(checked["schema_problem"].is_string(), "{checked}");
    // The next one does not wait for it.
    let checked = validate(&app, &args).await;
    assert!(checked["schema_problem"].is_string(), "{checked}");
    drop(folder);
    // The thread cannot be stopped, and the runtime would wait for it: the process ends, which is this test's alone.
    std::process::exit(0);
}
