//! `roundtrip-cli` as scripts use it: the real program, its output and its exit codes.

#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use journal::event::{EventBody, EventSeq};
use journal::log::Journal;
use serde_json::Value;
use tempfile::TempDir;
use tests::programs;

const BOOKING: &str =
    r#"{"name":"book_table","arguments":{"restaurant":"Trattoria Lucia","date":"2026-12-04"}}"#;
const FORM: &str =
    r#"{"party_size":4,"seating":"terrace","email":"ana@example.com","remind":true}"#;
const ENDLESS: &str = r#"{"name":"slow_count","arguments":{"steps":600,"step_millis":1000}}"#;

/// How a run ended.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// The events of `--json`.
    fn events(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect()
    }

    fn event(&self, name: &str) -> Value {
        self.events()
            .into_iter()
            .find(|event| event["event"] == name)
            .unwrap_or_else(|| panic!("no {name} in {}\n{}", self.stdout, self.stderr))
    }

    fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(programs::cli());
    command
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("ROUNDTRIP_DATA_DIR");
    command
}

fn run(arguments: &[&str]) -> Ran {
    Ran::of(command(arguments).output().expect("the program runs"))
}

/// Runs it against the demo server over stdio.
fn run_demo(arguments: &[&str]) -> Ran {
    let demo = programs::demo_server();
    let demo = demo.to_string_lossy();
    run(&[arguments, &["--", &demo, "stdio"]].concat())
}

/// The demo server over HTTP.
struct Http {
    child: Child,
    url: String,
}

impl Http {
    fn start() -> Self {
        let mut child = Command::new(programs::demo_server())
            .args(["http", "--until-stdin-closes"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the demo server starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("its address");
        let url = line
            .split_whitespace()
            .last()
            .expect("an address")
            .to_owned();
        Self { child, url }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().expect("it ends");
    }
}

fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The events of a recording, as far as a test looks at them: sent messages.
fn sent(recording: &Path) -> Vec<String> {
    let (journal, _) = Journal::open(recording).expect("a recording");
    (0..journal.len())
        .filter_map(
            |seq| match journal.event(EventSeq(seq)).expect("an event").body {
                EventBody::Frame {
                    direction: wire_direction,
                    bytes,
                    ..
                } if format!("{wire_direction:?}") == "Sent" => {
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                }
                _ => None,
            },
        )
        .collect()
}

#[test]
fn a_call_over_both_transports_is_told_event_by_event() {
    let http = Http::start();
    let call = [
        "run",
        "--method",
        "tools/call",
        "--params",
        r#"{"name":"echo","arguments":{"text":"ciao"}}"#,
        "--json",
    ];
    let over_http = [&call[..], &["--server", &http.url]].concat();
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

#[test]
fn a_recording_is_written_where_it_is_asked_for_and_holds_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = folder.path().join("run.mcpr");
    let http = Http::start();
    let secret = "Bearer hunter2-hunter2-hunter2";
    let header = format!("Authorization: {secret}");
    let arguments = [
        "run",
        "--json",
        "--verbose",
        "--server",
        &http.url,
        "--header",
        &header,
        "--method",
        "tools/call",
        "--params",
        r#"{"name":"echo","arguments":{"text":"Bearer hunter2-hunter2-hunter2"}}"#,
        "--record",
        shown(&recording),
    ];
    let ran = run(&arguments).expect(0);
    assert!(!ran.stdout.contains("hunter2"), "{}", ran.stdout);
    let bytes = std::fs::read(&recording).expect("the recording");
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
    assert!(
        sent(&recording)
            .iter()
            .any(|text| text.contains("tools/call"))
    );
    let again = run(&arguments).expect(2);
    assert!(
        again.event("error")["message"]
            .as_str()
            .expect("words")
            .contains("run.mcpr")
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

#[test]
fn recordings_are_written_in_other_forms_and_brought_back() {
    let folder = TempDir::new().expect("a folder");
    let recording = folder.path().join("run.mcpr");
    let arguments = [
        "run",
        "--method",
        "tools/call",
        "--params",
        r#"{"name":"echo","arguments":{"text":"ciao"}}"#,
    ];
    run_demo(&[&arguments[..], &["--record", shown(&recording)]].concat()).expect(0);
    let data = ["--data-dir", shown(folder.path())];
    let mut made = Vec::new();
    for (form, ending) in [
        ("recording", "mcpr.gz"),
        ("jsonl", "jsonl"),
        ("html", "html"),
        ("markdown", "md"),
    ] {
        let export = [&["export", shown(&recording), "--as", form], &data[..]].concat();
        let ran = run(&export).expect(0);
        let path = folder.path().join(format!("run.{ending}"));
        assert_eq!(ran.stdout.trim(), shown(&path), "{}", ran.stderr);
        assert!(path.metadata().expect("the file").len() > 100);
        // What is there stays.
        run(&export).expect(2);
        made.push(path);
    }
    // It went over stdio, and HAR holds nothing of that.
    let har = [&["export", shown(&recording), "--as", "har"], &data[..]].concat();
    let ran = run(&har).expect(7);
    assert!(ran.stderr.contains("HAR"), "{}", ran.stderr);
    let back = folder.path().join("back.mcpr");
    let import = [
        &["import", shown(&made[1]), "--to", shown(&back)],
        &data[..],
    ]
    .concat();
    run(&import).expect(0);
    let events = |path: &Path| {
        let (journal, _) = Journal::view(path).expect("a recording");
        (0..journal.len())
            .map(|seq| journal.event(EventSeq(seq)).expect("an event"))
            .collect::<Vec<_>>()
    };
    assert_eq!(events(&back), events(&recording));
    let ran = run(&[&["import", shown(&made[3])], &data[..]].concat()).expect(7);
    assert!(
        ran.stderr.contains("run.md could not be brought in"),
        "{}",
        ran.stderr
    );
}
