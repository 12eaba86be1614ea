//! What is advertised, revision by revision.

use protocol::capabilities::{Offer, declare_tasks, declares};
use protocol::era::Revision;
use serde_json::value::RawValue;

#[test]
fn each_revision_is_told_in_its_own_words() {
    let forms = Offer {
        elicitation_form: true,
        tasks: true,
        ..Offer::default()
    };
    let all = Offer {
        elicitation_url: true,
        sampling: true,
        roots: true,
        ..forms
    };
    let links = Offer {
        elicitation_url: true,
        ..Offer::default()
    };
    let told: Vec<String> = Revision::SPOKEN
        .iter()
        .flat_map(|revision| {
            [forms, all, links, Offer::default()]
                .map(|offer| format!("{revision} {}", offer.capabilities(revision)))
        })
        .collect();
    assert_eq!(
        told,
        [
            r#"2026-07-28 {"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
            r#"2026-07-28 {"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
            r#"2026-07-28 {"elicitation":{"url":{}}}"#,
            "2026-07-28 {}",
            r#"2025-11-25 {"elicitation":{},"tasks":{}}"#,
            r#"2025-11-25 {"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{"listChanged":true},"tasks":{}}"#,
            r#"2025-11-25 {"elicitation":{"url":{}}}"#,
            "2025-11-25 {}",
            r#"2025-06-18 {"elicitation":{}}"#,
            r#"2025-06-18 {"elicitation":{},"sampling":{},"roots":{"listChanged":true}}"#,
            "2025-06-18 {}",
            "2025-06-18 {}",
            "2025-03-26 {}",
            r#"2025-03-26 {"sampling":{},"roots":{"listChanged":true}}"#,
            "2025-03-26 {}",
            "2025-03-26 {}",
            "2024-11-05 {}",
            r#"2024-11-05 {"sampling":{},"roots":{"listChanged":true}}"#,
            "2024-11-05 {}",
            "2024-11-05 {}",
        ]
    );
}

#[test]
fn what_is_declared_is_read_however_it_is_shaped() {
    assert!(declare_tasks(
        r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#
    ));
    for other in [
        "{}",
        r#"{"tasks":{}}"#,
        r#"{"extensions":{"io.modelcontextprotocol/tasks":null}}"#,
        r#"{"extensions":[]}"#,
        "not JSON",
    ] {
        assert!(!declare_tasks(other), "{other}");
    }
    let read = |json: &str, path: &[&str]| {
        let capabilities = RawValue::from_string(json.to_owned()).expect("JSON");
        declares(&capabilities, path)
    };
    assert!(read(
        r#"{"tools":{"listChanged":true}}"#,
        &["tools", "listChanged"]
    ));
    assert!(read(r#"{"logging":{}}"#, &["logging"]));
    for (json, path) in [
        (
            r#"{"tools":{"listChanged":false}}"#,
            &["tools", "listChanged"][..],
        ),
        (r#"{"tools":{}}"#, &["tools", "listChanged"]),
        (r#"{"tools":null}"#, &["tools"]),
        (r#"{"tools":[]}"#, &["tools", "listChanged"]),
        ("7", &["tools"]),
    ] {
        assert!(!read(json, path), "{json} {path:?}");
    }
}
