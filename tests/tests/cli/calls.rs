//! Calls and lists: what is told of them, how they fail, and how they are stopped.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::listening::Listening;
use tests::programs;

use crate::scene::{ENDLESS, Ran, command, run, run_demo, sent, shown};

#[test]
fn a_call_over_both_transports_is_told_event_by_event() {
    let http = Listening::demo(&[]);
    let call = [
        "run",
        "--method",
        "tools/call",
        "--params",
        r#"{"name":"echo","arguments":{"text":"ciao"}}"#,
        "--json",
    ];
    let over_http = [&call[..], &["--server", http.url()]].concat();
    for ran in [run_demo(&call), run(&over_http)] {
        let ran = ran.expect(0);
        let names: Vec<_> = ran
            .events()
            .iter()
            .map(|event| event["event"].as_str().expect("a name").to_owned())
            // That it listens for changes of lists may be told now or later.
            .filter(|name| name != "notification")
            .collect();
        assert_eq!(
            names,
            [
                "connected",
                "operation",
                "round",
                "attempt_end",
                "result",
                "end"
            ],
            "{}",
            ran.stdout
        );
        assert_eq!(ran.event("connected")["era"], "modern");
        assert_eq!(ran.event("connected")["revision"], "2026-07-28");
        assert_eq!(ran.event("result")["result"]["content"][0]["text"], "ciao");
        assert_eq!(ran.event("end")["state"], "complete");
        assert!(ran.event("end")["server_micros"].as_u64() > Some(0));
        assert_eq!(ran.stderr, "", "notes are for people");
    }
}

#[test]
fn people_get_the_result_on_stdout_and_the_rest_on_stderr() {
    let ran = run_demo(&[
        "run",
        "--era",
        "legacy",
        "--method",
        "tools/call",
        "--params",
        r#"{"name":"slow_count","arguments":{"steps":2,"step_millis":1}}"#,
    ])
    .expect(0);
    let result: Value = serde_json::from_str(&ran.stdout).expect("only the result");
    assert!(result["content"].is_array(), "{}", ran.stdout);
    for words in [
        "connected to",
        "(legacy 2025-11-25)",
        "progress: 1.0 of 2.0 Step 1",
    ] {
        assert!(ran.stderr.contains(words), "no {words:?} in {}", ran.stderr);
    }
}

#[test]
fn each_way_to_fail_has_its_exit_code() {
    let fail = |kind: &str| {
        let params = format!(r#"{{"name":"fail","arguments":{{"kind":"{kind}"}}}}"#);
        run_demo(&[
            "run",
            "--json",
            "--method",
            "tools/call",
            "--params",
            &params,
        ])
    };
    let tool = fail("tool_error").expect(1);
    assert_eq!(tool.event("result")["result"]["isError"], true);
    assert_eq!(tool.event("end")["state"], "tool_error");

    let rpc = fail("rpc_error").expect(3);
    assert_eq!(rpc.event("error")["error"]["code"], -32603);
    assert_eq!(
        rpc.event("error")["error"]["data"]["retryAfterSeconds"],
        30,
        "the error as it came"
    );

    let began = Instant::now();
    let silent = run_demo(&[
        "run",
        "--json",
        "--time-limit",
        "1",
        "--method",
        "tools/call",
        "--params",
        ENDLESS,
    ])
    .expect(6);
    assert_eq!(silent.event("error")["kind"], "timed_out");
    assert!(began.elapsed() < Duration::from_secs(20));

    let nobody = run(&["run", "--method", "ping", "--", "no-such-command-here"]).expect(4);
    assert!(
        nobody.stderr.contains("no-such-command-here"),
        "{}",
        nobody.stderr
    );
    assert_eq!(nobody.stdout, "");
    let refused = run(&["list", "--json", "--server", "http://127.0.0.1:9/mcp"]).expect(4);
    assert_eq!(refused.event("end")["exit_code"], 4);
}

#[test]
fn lists_are_whole_and_end_quietly_with_their_reader() {
    let ran = run_demo(&["list", "tools", "--json"]).expect(0);
    let names: Vec<_> = ran
        .events()
        .iter()
        .filter(|event| event["event"] == "item")
        .map(|event| event["item"]["name"].as_str().expect("a name").to_owned())
        .collect();
    assert!(names.len() > 6, "more than one page: {names:?}");
    assert!(names.contains(&"echo".to_owned()), "{names:?}");

    let table = run_demo(&["list"]).expect(0);
    for words in ["book_table  ", "echo  ", "server declares"] {
        let is_there = table.stdout.contains(words);
        assert_eq!(
            is_there,
            words != "server declares",
            "{words:?} in {}",
            table.stdout
        );
    }
    assert!(table.stderr.contains(" prompts"), "{}", table.stderr);
    let methods = run_demo(&["list", "methods", "--era", "legacy"]).expect(0);
    assert!(methods.stdout.contains("ping"), "{}", methods.stdout);
    assert!(
        !methods.stdout.contains("server/discover"),
        "{}",
        methods.stdout
    );

    let script = format!(
        "'{}' list tools --json -- '{}' stdio | head -1; echo \"${{PIPESTATUS[0]}}\"",
        programs::cli().display(),
        programs::demo_server().display()
    );
    let piped = Command::new("bash")
        .args(["-c", &script])
        .output()
        .expect("bash");
    let piped = Ran::of(piped);
    let lines: Vec<_> = piped.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{}", piped.stdout);
    assert!(
        lines[0].starts_with(r#"{"event":"connected""#),
        "{}",
        piped.stdout
    );
    assert!(["141", "0"].contains(&lines[1]), "{}", piped.stdout);
    assert_eq!(piped.stderr, "");
}

#[test]
fn an_interrupt_cancels_the_call_and_leaves_no_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = folder.path().join("run.mcpr");
    let demo = programs::demo_server();
    let mut child = command(&[
        "run",
        "--json",
        "--verbose",
        "--method",
        "tools/call",
        "--params",
        ENDLESS,
        "--record",
        shown(&recording),
        "--",
        shown(&demo),
        "stdio",
    ])
    .stdout(Stdio::piped())
    .spawn()
    .expect("the program runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut seen = Vec::new();
    loop {
        let line = lines.next().expect("it goes on").expect("UTF-8");
        let is_progress = line.contains(r#""event":"progress""#);
        seen.push(line);
        if is_progress {
            break;
        }
    }
    let pid = seen
        .iter()
        .find_map(|line| {
            line.split("pid ")
                .nth(1)?
                .split(' ')
                .next()?
                .parse::<u32>()
                .ok()
        })
        .unwrap_or_else(|| panic!("the process is named: {seen:#?}"));
    interrupt(child.id());
    seen.extend(lines.map(|line| line.expect("UTF-8")));
    assert_eq!(
        child.wait().expect("it ends").code(),
        Some(130),
        "{seen:#?}"
    );
    assert!(
        seen.last()
            .is_some_and(|line| line.contains(r#""state":"interrupted""#)),
        "{seen:#?}"
    );
    assert!(
        !Path::new(&format!("/proc/{pid}")).exists(),
        "{pid} lives on"
    );
    let sent = sent(&recording);
    assert!(
        sent.iter()
            .any(|text| text.contains("notifications/cancelled")),
        "{sent:#?}"
    );
}

fn interrupt(pid: u32) {
    let sent = Command::new("kill")
        .args(["-INT", &pid.to_string()])
        .status()
        .expect("kill");
    assert!(sent.success());
}
