//! What is asked of the program: arguments that cannot be meant, and the catalog.

use tests::programs;

use crate::scene::{BOOKING, file, run, run_demo, shown};

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = file(
        &folder,
        "answers.json",
        r#"{"details": {"action": "maybe"}}"#,
    );
    let data = shown(folder.path());
    let cases: &[(&[&str], &str)] = &[
        (&["run", "--method", "ping"], "No server is given"),
        (&["run", "--server", "x"], "--method"),
        (
            &[
                "run",
                "--method",
                "ping",
                "--server",
                "http://x/",
                "--",
                "y",
            ],
            "a command is given too",
        ),
        (
            &["list", "--header", "A: b", "--", "y"],
            "--header goes with a URL",
        ),
        (
            &["list", "--env", "A=b", "--server", "http://x/"],
            "--env and --cwd go with a command",
        ),
        (
            &["list", "--option", "round_limt=5", "--", "y"],
            "There is no option \"round_limt\"",
        ),
        (
            &["list", "--option", "round_limit=many", "--", "y"],
            "An option's value cannot be used",
        ),
        (&["list", "--time-limit=-1", "--", "y"], "time-limit"),
        (
            &["list", "--data-dir", data, "--server", "nobody"],
            "no server named \"nobody\"",
        ),
        (
            &[
                "run",
                "--method",
                "ping",
                "--answers",
                shown(&bad),
                "--",
                "y",
            ],
            "unknown variant `maybe`",
        ),
    ];
    for (arguments, told) in cases {
        let ran = run(arguments).expect(2);
        assert!(ran.stderr.contains(told), "{arguments:?}: {}", ran.stderr);
    }
    let params = run_demo(&["run", "--method", "tools/list", "--params", "[1]"]).expect(2);
    assert!(
        params.stderr.contains("an array, not an object"),
        "{}",
        params.stderr
    );
}

#[test]
fn the_catalog_is_read_and_left_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let demo = programs::demo_server();
    let catalog =
        serde_json::json!({ "mcpServers": { "mine": { "command": demo, "args": ["stdio"] } } });
    let path = file(&folder, "servers.json", &catalog.to_string());
    let data = shown(folder.path());
    let listed = run(&["list", "servers", "--data-dir", data]).expect(0);
    assert!(listed.stdout.starts_with("mine"), "{}", listed.stdout);
    let ran = run(&[
        "run",
        "--data-dir",
        data,
        "--server",
        "mine",
        "--option",
        "round_limit=1",
        "--json",
        "--method",
        "tools/call",
        "--params",
        BOOKING,
    ])
    .expect(7);
    assert!(
        ran.event("error")["message"]
            .as_str()
            .expect("words")
            .contains("asks without end"),
        "the option counts: {}",
        ran.stdout
    );
    assert_eq!(
        std::fs::read_to_string(&path).expect("the catalog"),
        catalog.to_string()
    );
    let files: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
}
