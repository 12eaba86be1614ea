//! Prompts, which nobody is there to answer but a file.

use crate::scene::{BOOKING, FORM, file, run_demo, sent, shown};

#[test]
fn prompts_are_answered_from_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let by_key = file(
        &folder,
        "by-key.json",
        &format!(r#"{{ "details": {{"action": "accept", "content": {FORM}}} }}"#),
    );
    let listed = file(
        &folder,
        "listed.json",
        &format!(
            r#"[ {{"message": "no such words", "action": "cancel"}}, {{"action": "accept", "content": {FORM}}} ]"#
        ),
    );
    for (era, answers) in [
        ("modern", &by_key),
        ("modern", &listed),
        ("legacy", &listed),
    ] {
        let ran = run_demo(&[
            "run",
            "--json",
            "--era",
            era,
            "--method",
            "tools/call",
            "--params",
            BOOKING,
            "--answers",
            shown(answers),
        ])
        .expect(0);
        let prompt = ran.event("prompt");
        assert_eq!(prompt["kind"], "form", "{prompt}");
        assert!(
            prompt["schema"]["properties"]["party_size"].is_object(),
            "{prompt}"
        );
        assert_eq!(ran.event("answer")["action"], "accept");
        let result = ran.event("result")["result"].to_string();
        assert!(result.contains("terrace"), "{era}: {result}");
        if era == "modern" {
            let rounds = ran.events();
            let rounds = rounds.iter().filter(|event| event["event"] == "round");
            assert_eq!(rounds.count(), 2, "{}", ran.stdout);
        }
    }
    let declined = file(
        &folder,
        "no.json",
        r#"{ "details": {"action": "decline"} }"#,
    );
    let ran = run_demo(&[
        "run",
        "--json",
        "--method",
        "tools/call",
        "--params",
        BOOKING,
        "--answers",
        shown(&declined),
    ]);
    assert_eq!(ran.event("answer")["action"], "decline");
    assert_ne!(ran.code, Some(5), "it was answered: {}", ran.stdout);
}

#[test]
fn a_prompt_without_an_answer_ends_the_run_and_nothing_is_sent_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = file(
        &folder,
        "other.json",
        r#"{ "else": {"action": "accept", "content": {}} }"#,
    );
    let recording = folder.path().join("run.mcpr");
    let ran = run_demo(&[
        "run",
        "--json",
        "--method",
        "tools/call",
        "--params",
        BOOKING,
        "--answers",
        shown(&other),
        "--record",
        shown(&recording),
    ])
    .expect(5);
    let error = ran.event("error");
    assert_eq!(error["kind"], "prompt_unanswered");
    assert!(
        error["message"]
            .as_str()
            .expect("words")
            .contains("\"details\""),
        "{error}"
    );
    let calls = sent(&recording);
    let calls: Vec<_> = calls
        .iter()
        .filter(|text| text.contains("tools/call"))
        .collect();
    assert_eq!(calls.len(), 1, "one round, and no answer: {calls:?}");
}
