//! No orphans: however a link ends, no process of its group is left.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test's own functions are tests, too")]

mod common;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use client::report::{LinkId, ReportKind};
use client::{Link, LinkSpec};
use common::{Owner, PATIENCE, eventually, kill, members, message, python, shell, stdio};
use tokio::sync::mpsc;

#[tokio::test]
async fn a_polite_server_ends_when_its_stdin_closes() {
    let (link, mut owner) =
        Owner::open(shell("while read line; do :; done; echo bye; exit 5")).await;
    let pid = owner.pid().await;
    link.close().await;
    assert!(members(pid).is_empty());
    assert_eq!(
        owner.exit().await,
        ["out  bye", "exited as asked: exit code 5"]
    );
    assert!(owner.next().await.is_none());
}

#[tokio::test]
async fn messages_in_the_queue_are_written_before_stdin_closes() {
    let (link, mut owner) = Owner::open(stdio("cat", &[])).await;
    for number in 0..100 {
        link.send(message(number, format!("{number}"))).unwrap();
    }
    link.close().await;
    let words = owner.exit().await;
    assert_eq!(words[100..], ["out  99", "exited as asked: exit code 0"]);
}

#[tokio::test]
async fn a_grandchild_that_outlives_its_launcher_is_ended() {
    let (link, mut owner) = Owner::open(shell(
        "sleep 1000 & (sleep 1000 & sleep 1000) & echo up; read line; exit 0",
    ))
    .await;
    let pid = owner.pid().await;
    owner.line("up").await;
    eventually("all of them run", || members(pid).len() >= 4).await;
    link.close().await;
    assert!(members(pid).is_empty());
    assert_eq!(owner.exit().await, ["exited as asked: exit code 0"]);
}

#[tokio::test]
async fn a_server_that_ignores_sigterm_is_killed() {
    let (link, mut owner) = Owner::open(python(
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up')\nwhile True: signal.pause()",
    ))
    .await;
    let pid = owner.pid().await;
    owner.line("up").await;
    link.close().await;
    assert!(members(pid).is_empty());
    assert_eq!(owner.exit().await, ["exited as asked: signal 9 (SIGKILL)"]);
}

#[tokio::test]
async fn a_server_that_ignores_its_stdin_gets_sigterm() {
    let (link, mut owner) = Owner::open(stdio("sleep", &["1000"])).await;
    let pid = owner.pid().await;
    link.close().await;
    assert!(members(pid).is_empty());
    assert_eq!(owner.exit().await, ["exited as asked: signal 15 (SIGTERM)"]);
}

#[tokio::test]
async fn a_stopped_server_is_ended_too() {
    let (link, mut owner) = Owner::open(shell("kill -STOP $$")).await;
    let pid = owner.pid().await;
    link.close().await;
    assert!(members(pid).is_empty());
    assert_eq!(owner.exit().await, ["exited as asked: signal 9 (SIGKILL)"]);
}

#[tokio::test]
async fn an_owner_that_reads_nothing_can_still_close() {
    let (link, mut owner) = Owner::try_open(stdio("yes", &[]), 1).await.unwrap();
    let pid = owner.pid().await;
    tokio::time::timeout(PATIENCE, link.close())
        .await
        .expect("close ends by itself");
    assert!(members(pid).is_empty());
}

#[tokio::test]
async fn a_dropped_link_ends_its_group() {
    let (link, mut owner) = Owner::open(shell("sleep 1000 & echo up; read line; sleep 1000")).await;
    let pid = owner.pid().await;
    owner.line("up").await;
    drop(link);
    eventually("the group is gone", || members(pid).is_empty()).await;
    assert!(
        owner.next().await.is_none(),
        "a dropped link says nothing more"
    );
}

#[tokio::test]
async fn a_dropped_inbox_ends_the_group_too() {
    let (link, mut owner) = Owner::open(shell("sleep 1000 & echo up; wait")).await;
    let pid = owner.pid().await;
    owner.line("up").await;
    drop(owner);
    eventually("the group is gone", || members(pid).is_empty()).await;
    link.close().await;
}

#[test]
fn a_runtime_that_ends_takes_its_groups_along() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (link, pid) = runtime.block_on(async {
        let (link, mut owner) = Owner::open(shell("sleep 1000 & echo up; wait")).await;
        let pid = owner.pid().await;
        owner.line("up").await;
        (link, pid)
    });
    runtime.shutdown_timeout(Duration::from_secs(30));
    drop(link);
    block_until("the group is gone", || members(pid).is_empty());
}

#[test]
fn a_killed_app_leaves_no_orphan() {
    // The second child ignores SIGTERM, and its group has a grandchild that does so too.
    let (mut app, pids) = app_with_links();
    for pid in &pids {
        assert!(!members(*pid).is_empty());
    }
    app.kill().unwrap();
    app.wait().unwrap();
    for pid in pids {
        block_until("the group is gone", || members(pid).is_empty());
    }
}

#[test]
fn a_killed_watchdog_is_replaced_with_the_next_child() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (first, mut owner) = Owner::open(stdio("cat", &[])).await;
        owner.pid().await;
        let watchdog = watchdogs_of(std::process::id());
        assert_eq!(watchdog.len(), 1);
        kill(watchdog[0]);
        eventually("it is gone", || {
            !watchdogs_of(std::process::id()).contains(&watchdog[0])
        })
        .await;

        let (second, mut owner) = Owner::open(stdio("cat", &[])).await;
        owner.pid().await;
        let replaced = watchdogs_of(std::process::id());
        assert_eq!(replaced.len(), 1);
        assert_ne!(replaced, watchdog);
        first.close().await;
        second.close().await;
    });
}

/// Not a test of its own: the app that is killed. It runs in a process of its own.
#[test]
#[ignore = "run by another test"]
fn an_app_with_links() {
    if std::env::var_os("ROUNDTRIP_TEST_APP").is_none() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (sender, mut inbox) = mpsc::channel(64);
        let scripts = [
            "sleep 1000 & echo up; read line",
            "trap '' TERM; sleep 1000 & echo up; while :; do sleep 1000; done",
        ];
        let mut links = Vec::new();
        for (number, script) in (0..).zip(scripts) {
            let LinkSpec::Stdio { command, args, .. } = shell(script) else {
                unreachable!();
            };
            let spec = LinkSpec::Stdio {
                command,
                args,
                env: Vec::new(),
                folder: None,
            };
            links.push(
                Link::open(LinkId(number), spec, sender.clone())
                    .await
                    .unwrap(),
            );
        }
        let mut up = 0;
        while up < 2 {
            for report in inbox.recv().await.unwrap() {
                match report.what {
                    ReportKind::ProcessStarted { pid } => println!("\ngroup {pid}"),
                    ReportKind::Lines(_) => up += 1,
                    _ => {}
                }
            }
        }
        println!("\nready");
        // Until it is killed, or the test that waits for it has ended.
        let mut end = [0];
        tokio::task::spawn_blocking(move || std::io::stdin().read(&mut end))
            .await
            .unwrap()
            .unwrap();
    });
}

fn app_with_links() -> (std::process::Child, Vec<u32>) {
    let mut app = Command::new(std::env::current_exe().unwrap())
        .args(["an_app_with_links", "--exact", "--ignored", "--nocapture"])
        .env("ROUNDTRIP_TEST_APP", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pids = Vec::new();
    for line in BufReader::new(app.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if let Some(pid) = line.strip_prefix("group ") {
            pids.push(pid.parse().unwrap());
        }
        if line == "ready" {
            break;
        }
    }
    assert_eq!(pids.len(), 2);
    (app, pids)
}

fn watchdogs_of(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
        let Ok(pid) = process.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let is_ours = rest.split(' ').nth(1) == Some(&parent.to_string()) && !rest.starts_with('Z');
        if is_ours && command.ends_with(b"roundtrip-watchdog\0") {
            found.push(pid);
        }
    }
    found
}

fn block_until(what: &str, condition: impl FnMut() -> bool) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(eventually(what, condition));
}
