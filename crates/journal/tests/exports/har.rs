//! HAR: as its specification has it, and as browsers write it.

use journal::export::ExportForm;
use journal::log::Journal;
use serde_json::Value;

use crate::common::START;
use crate::session::{a_session, all, brought_in, rows, with_stdio};

#[test]
fn har_keeps_to_its_rules() {
    let (bytes, exported) = all(&with_stdio(), ExportForm::Har);
    assert_eq!(
        exported.notes,
        ["1 operation without an HTTP exchange is not in it: HAR holds nothing else."]
    );
    let archive: Value = serde_json::from_slice(&bytes).unwrap();
    har_12(&archive);
    let entries = archive["log"]["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 4);
    assert_eq!(entries[0]["startedDateTime"], "2026-05-28T20:26:40.010000Z");
    assert_eq!(entries[0]["time"], 9.0);
    assert_eq!(entries[0]["timings"]["wait"], 5.0);
    assert_eq!(entries[0]["request"]["queryString"][0]["name"], "key");
    assert_eq!(
        entries[0]["_events"].as_array().unwrap().len(),
        3,
        "the request and two events"
    );
    assert_eq!(entries[0]["_events"][1]["role"]["kind"], "notification");
    assert!(
        archive["log"]["comment"]
            .as_str()
            .unwrap()
            .contains("demo/token (1")
    );
}

/// A member, and whether its value is right.
type Rule<'a> = (&'a str, fn(&Value) -> bool);

/// What HAR 1.2 asks of a file, member by member: <http://www.softwareishard.com/blog/har-12-spec/>.
#[expect(
    clippy::too_many_lines,
    reason = "it is the list that the specification has"
)]
fn har_12(archive: &Value) {
    let has = |value: &Value, kinds: &[Rule<'_>]| {
        for (name, is_right) in kinds {
            assert!(is_right(&value[*name]), "{name}: {:?}", value[*name]);
        }
        for name in value.as_object().unwrap().keys() {
            let is_known = kinds.iter().any(|(known, _)| known == name);
            let is_optional = ["comment", "postData", "encoding", "text"].contains(&name.as_str());
            assert!(
                is_known || is_optional || name.starts_with('_'),
                "{name} is not of HAR"
            );
        }
    };
    let pairs = |value: &Value| {
        for one in value.as_array().unwrap() {
            has(
                one,
                &[("name", Value::is_string), ("value", Value::is_string)],
            );
        }
    };
    let log = &archive["log"];
    has(
        log,
        &[
            ("version", Value::is_string),
            ("creator", Value::is_object),
            ("entries", Value::is_array),
        ],
    );
    assert_eq!(log["version"], "1.2");
    has(
        &log["creator"],
        &[("name", Value::is_string), ("version", Value::is_string)],
    );
    for entry in log["entries"].as_array().unwrap() {
        has(
            entry,
            &[
                ("startedDateTime", |time| {
                    time.as_str().unwrap().parse::<jiff::Timestamp>().is_ok()
                }),
                ("time", |time| time.as_f64().unwrap() >= 0.0),
                ("request", Value::is_object),
                ("response", Value::is_object),
                ("cache", Value::is_object),
                ("timings", Value::is_object),
            ],
        );
        let request = &entry["request"];
        has(
            request,
            &[
                ("method", Value::is_string),
                ("url", Value::is_string),
                ("httpVersion", Value::is_string),
                ("cookies", Value::is_array),
                ("headers", Value::is_array),
                ("queryString", Value::is_array),
                ("headersSize", Value::is_i64),
                ("bodySize", Value::is_i64),
            ],
        );
        pairs(&request["headers"]);
        pairs(&request["queryString"]);
        if let Some(data) = request.get("postData") {
            has(
                data,
                &[("mimeType", Value::is_string), ("text", Value::is_string)],
            );
        }
        let response = &entry["response"];
        has(
            response,
            &[
                ("status", Value::is_i64),
                ("statusText", Value::is_string),
                ("httpVersion", Value::is_string),
                ("cookies", Value::is_array),
                ("headers", Value::is_array),
                ("content", Value::is_object),
                ("redirectURL", Value::is_string),
                ("headersSize", Value::is_i64),
                ("bodySize", Value::is_i64),
            ],
        );
        pairs(&response["headers"]);
        has(
            &response["content"],
            &[("size", Value::is_i64), ("mimeType", Value::is_string)],
        );
        let timings = &entry["timings"];
        let part = |name: &str| timings[name].as_f64().unwrap();
        has(
            timings,
            &[
                ("send", Value::is_number),
                ("wait", Value::is_number),
                ("receive", Value::is_number),
            ],
        );
        let sum = part("send") + part("wait") + part("receive");
        assert!(
            (sum - entry["time"].as_f64().unwrap()).abs() < 0.001,
            "the parts are the whole"
        );
    }
}

#[test]
fn har_brings_its_operations_back() {
    let journal = a_session();
    let (bytes, _) = all(&journal, ExportForm::Har);
    let (again, notes) = brought_in(&bytes).unwrap();
    assert_eq!(notes, [""; 0]);
    // Findings are no part of HAR.
    assert_eq!(rows(&again), rows(&journal).replace(" ⚑1", ""));
    // And once more: nothing is added or lost by the way.
    let (twice, _) = all(&again, ExportForm::Har);
    assert_eq!(
        String::from_utf8(twice).unwrap(),
        String::from_utf8(bytes).unwrap()
    );
}

#[test]
fn har_of_browsers_is_understood() {
    let chrome = include_bytes!("../har/chrome.har");
    let (journal, notes) = brought_in(chrome).unwrap();
    insta::assert_snapshot!(
        "chrome",
        format!("{}\n{}", rows_of_day(&journal), notes.join("\n"))
    );
    let firefox = include_bytes!("../har/firefox.har");
    let (journal, notes) = brought_in(firefox).unwrap();
    insta::assert_snapshot!(
        "firefox",
        format!("{}\n{}", rows_of_day(&journal), notes.join("\n"))
    );
}

/// Rows of a file that tells of the day on which the tests' time begins.
fn rows_of_day(journal: &Journal) -> String {
    assert!(journal.summary().start_micros.unwrap() >= START);
    rows(journal)
}
