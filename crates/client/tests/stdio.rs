//! Child processes: what they say, what they are told, and how they end by themselves.
#![cfg(unix)]

mod common;

use bytes::Bytes;
use client::LinkSpec;
use client::error::LinkErrorKind;
use client::report::ReportKind;
use common::{Owner, eventually, kill, message, python, shell, stdio};

#[tokio::test]
async fn a_line_goes_in_and_a_line_comes_out() {
    let (link, mut owner) = Owner::open(stdio("cat", &[])).await;
    link.send(message(1, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#))
        .unwrap();
    owner
        .line(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        .await;
    // A line break outside a string is white space: it must not cut the message in two.
    link.send(message(2, "{\n  \"id\": 2\r\n}")).unwrap();
    owner.line(r#"{   "id": 2  }"#).await;
    link.close().await;
    assert_eq!(owner.exit().await, ["exited as asked: exit code 0"]);
    assert!(
        owner.next().await.is_none(),
        "nothing is reported after close"
    );
}

#[tokio::test]
async fn many_messages_keep_their_order() {
    let (link, mut owner) = Owner::open(stdio("cat", &[])).await;
    let mut received = Vec::new();
    for block in 0..20 {
        for number in block * 500..(block + 1) * 500 {
            link.send(message(number, number.to_string())).unwrap();
        }
        while received.len() < usize::try_from((block + 1) * 500).unwrap() {
            if let Some(ReportKind::Lines(frames)) = owner.next().await {
                received.extend(frames.into_iter().map(|frame| frame.bytes));
            }
        }
    }
    let expected: Vec<Bytes> = (0..10_000)
        .map(|number| number.to_string().into())
        .collect();
    assert_eq!(received, expected);
    link.close().await;
}

#[tokio::test]
async fn noise_on_stdout_comes_as_lines_and_the_session_goes_on() {
    let (link, mut owner) = Owner::open(shell(
        r#"printf 'hello\n\n'; printf '\000\377\376\200 binary\r\n'; read line; printf '{"id":1}\n'"#,
    ))
    .await;
    link.send(message(1, "{}")).unwrap();
    assert_eq!(
        owner.exit().await,
        [
            "started",
            "out  hello",
            r"out  \x00\xff\xfe\x80 binary",
            r#"out  {\"id\":1}"#,
            "exited by itself: exit code 0",
        ]
    );
}

#[tokio::test]
async fn a_server_that_dies_at_once_leaves_its_traceback() {
    let (link, mut owner) = Owner::open(python("import missing_module_of_the_server")).await;
    let words = owner.exit().await;
    let exit = words
        .iter()
        .position(|line| line == "exited by itself: exit code 1")
        .unwrap();
    assert!(
        words[..exit]
            .iter()
            .any(|line| line.starts_with("err  ModuleNotFoundError")),
        "{words:#?}"
    );
    assert!(
        words[exit..]
            .iter()
            .any(|line| line.starts_with("last ModuleNotFoundError")),
        "{words:#?}"
    );

    let error = link.send(message(1, "{}")).unwrap_err();
    assert_eq!(error.kind, LinkErrorKind::ProcessGone);
    assert!(error.message.contains("exit code 1"), "{error}");
    link.close().await;
}

#[tokio::test]
async fn the_last_ten_lines_of_stderr_are_kept() {
    let (_link, mut owner) = Owner::open(shell("for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $n >&2; echo >&2; done; printf 'no end' >&2; kill -9 $$")).await;
    let words = owner.exit().await;
    assert_eq!(words[25], "err  no end");
    assert_eq!(words[26], "exited by itself: signal 9 (SIGKILL)");
    assert_eq!(words[27], "last line 4");
    assert_eq!(words[36..], ["last no end"]);
}

#[tokio::test]
async fn a_large_line_comes_whole() {
    let byte_len = 20_000_000;
    let (link, mut owner) =
        Owner::open(python(&format!("print('x' * {byte_len}); print('after')"))).await;
    let first = owner
        .until(|report| match report {
            ReportKind::Lines(frames) => Some(frames[0].bytes.clone()),
            _ => None,
        })
        .await;
    assert_eq!(first.len(), byte_len);
    assert!(first.iter().all(|byte| *byte == b'x'));
    link.close().await;
}

#[tokio::test]
async fn a_large_message_goes_whole() {
    let (link, mut owner) = Owner::open(python(
        "import sys; print(len(sys.stdin.readline())); sys.stdin.read()",
    ))
    .await;
    link.send(message(1, vec![b'x'; 5_000_000])).unwrap();
    owner.line("5000001").await;
    link.close().await;
}

#[tokio::test]
async fn a_child_that_closes_its_stdin_is_told_apart_from_one_that_ended() {
    let (link, mut owner) = Owner::open(python(
        "import os, signal; os.close(0); print('deaf'); signal.pause()",
    ))
    .await;
    owner.line("deaf").await;
    link.send(message(4, "{}")).unwrap();
    let error = owner
        .until(|report| match report {
            ReportKind::WriteFailed { exchange, error } if exchange.0 == 4 => Some(error.clone()),
            _ => None,
        })
        .await;
    assert_eq!(error.kind, LinkErrorKind::ProcessGone);
    assert!(error.message.contains("closed its stdin"), "{error}");
    link.send(message(5, "{}")).unwrap();
    owner
        .until(|report| match report {
            ReportKind::WriteFailed { exchange, .. } => (exchange.0 == 5).then_some(()),
            _ => None,
        })
        .await;
    link.close().await;
}

#[tokio::test]
async fn messages_that_wait_when_the_child_dies_are_reported_before_its_end() {
    let (link, mut owner) = Owner::open(shell("echo ready; sleep 1000 & wait")).await;
    let pid = owner.pid().await;
    owner.line("ready").await;
    // More than the pipe holds, and one behind it.
    link.send(message(1, vec![b'x'; 4_000_000])).unwrap();
    link.send(message(2, "{}")).unwrap();
    kill(pid);
    assert_eq!(
        owner.exit().await,
        [
            "write 1 failed: ProcessGone",
            "write 2 failed: ProcessGone",
            "exited by itself: signal 9 (SIGKILL)",
        ]
    );
}

#[tokio::test]
async fn a_child_that_reads_nothing_fills_its_queue_and_no_more() {
    let (link, mut owner) = Owner::open(stdio("sleep", &["1000"])).await;
    owner.pid().await;
    let large = Bytes::from(vec![b'x'; 200_000]);
    let refused = (0..5000).find_map(|number| link.send(message(number, large.clone())).err());
    assert_eq!(refused.unwrap().kind, LinkErrorKind::NotReading);
    drop(link);
}

#[tokio::test]
async fn stdout_that_closes_before_the_child_ends_is_reported() {
    let (link, mut owner) =
        Owner::open(shell("echo last words; exec >&-; read line; exit 0")).await;
    let mut words = Vec::new();
    while words.last().is_none_or(|line| line != "stdout closed") {
        words.extend(common::in_words(&owner.next().await.unwrap()));
    }
    assert_eq!(words, ["started", "out  last words", "stdout closed"]);
    link.close().await;
    assert_eq!(owner.exit().await, ["exited as asked: exit code 0"]);
}

#[tokio::test]
async fn everything_that_was_written_before_the_exit_is_reported_before_it() {
    for _ in 0..20 {
        let (_link, mut owner) = Owner::open(shell(
            "for n in 1 2 3; do echo out $n; echo err $n >&2; done; exit 3",
        ))
        .await;
        let words = owner.exit().await;
        for line in ["out  out 1", "out  out 3", "err  err 1", "err  err 3"] {
            assert!(
                words.contains(&line.to_owned()),
                "{line} is missing in {words:#?}"
            );
        }
        assert!(
            words.contains(&"exited by itself: exit code 3".to_owned()),
            "{words:#?}"
        );
    }
}

#[tokio::test]
async fn a_slow_owner_slows_the_child_and_loses_nothing() {
    // Each line has 100 bytes. The child notes in a file how far it is.
    let folder = tempfile::tempdir().unwrap();
    let spec = LinkSpec::Stdio {
        command: "python3".to_owned(),
        args: vec![
            "-c".to_owned(),
            "import os\n\
             note = os.open('written', os.O_RDWR | os.O_CREAT)\n\
             for n in range(100000):\n\
             \x20   os.write(1, b'%099d\\n' % n)\n\
             \x20   if n % 100 == 0: os.pwrite(note, b'%09d' % n, 0)\n"
                .to_owned(),
        ],
        env: Vec::new(),
        folder: Some(folder.path().to_owned()),
    };
    let (_link, mut owner) = Owner::try_open(spec, 1).await.unwrap();
    // In flight at most: the pipe, a chunk in the reader's hands, a batch in the inbox, one here.
    let in_flight = 4 * 64 * 1024 / 100 + 200;
    let mut received = 0;
    loop {
        match owner.next().await.unwrap() {
            ReportKind::Lines(frames) => {
                let written =
                    std::fs::read_to_string(folder.path().join("written")).unwrap_or_default();
                let written: usize = written.parse().unwrap_or_default();
                assert!(
                    written <= received + in_flight,
                    "{written} written, {received} read"
                );
                for frame in frames {
                    assert_eq!(frame.bytes, format!("{received:099}"));
                    received += 1;
                }
            }
            ReportKind::ProcessExited { status, .. } => {
                assert_eq!(status, "exit code 0");
                break;
            }
            _ => {}
        }
    }
    assert_eq!(received, 100_000);
}

#[tokio::test]
async fn a_descendant_that_keeps_the_pipes_does_not_hide_the_exit() {
    // It ignores SIGTERM, too, and keeps on talking.
    let (link, mut owner) = Owner::open(shell(
        "(trap '' TERM; while :; do echo still here; sleep 0.05; done) & echo bye; exit 4",
    ))
    .await;
    let pid = owner.pid().await;
    let words = owner.exit().await;
    assert!(words.contains(&"out  bye".to_owned()), "{words:#?}");
    assert_eq!(words.last().unwrap(), "exited by itself: exit code 4");
    // And it is ended without anybody asking.
    eventually("the group is gone", || common::members(pid).is_empty()).await;
    link.close().await;
}
