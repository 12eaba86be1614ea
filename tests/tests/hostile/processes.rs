//! Child processes that do not end, end too soon, or hold on to their pipes.

use crate::acts::Act;
use crate::fault::{Fault, Outcome, good};
use crate::play::play;

fn answer(id: &str) -> Act {
    Act::say(format!("{}\n", good(id)))
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_do_not_end() {
    let rows = vec![
        Fault::stdio(
            "ignores SIGTERM and its stdin's end",
            |id| {
                vec![
                    Act::process_with("ignore", "SIGTERM"),
                    answer(id),
                    Act::process("hang"),
                ]
            },
            Outcome::complete().then_mute(),
        ),
        Fault::stdio(
            "ignores every signal that can be ignored",
            |id| {
                let mut acts: Vec<_> = ["SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE"]
                    .into_iter()
                    .map(|name| Act::process_with("ignore", name))
                    .collect();
                acts.push(answer(id));
                acts
            },
            Outcome::complete(),
        ),
        Fault::stdio(
            "forks a child that heeds no SIGTERM",
            |id| vec![Act::process_with("fork", 600), answer(id)],
            Outcome::complete(),
        ),
        Fault::stdio(
            "forks a child of the group, and ends",
            |_| {
                vec![
                    Act::process_with("fork", 600),
                    Act::process_with("leave", 3),
                ]
            },
            Outcome::fails("process ended")
                .told(&["exit code 3"])
                .loses("exit code 3"),
        ),
        Fault::stdio(
            "leaves a daemon that holds stdout open, and ends",
            |_| {
                vec![
                    Act::process_with("daemon", 15),
                    Act::process_with("leave", 3),
                ]
            },
            Outcome::fails("process ended")
                .told(&["exit code 3"])
                .loses("exit code 3"),
        ),
        Fault::stdio(
            "leaves a daemon that holds stdout open, and goes on",
            |id| vec![Act::process_with("daemon", 15), answer(id)],
            Outcome::complete(),
        ),
        Fault::stdio(
            "stops reading its stdin",
            |_| vec![Act::process("hang")],
            Outcome::waits().then_mute(),
        ),
    ];
    play(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_end_or_close_a_pipe() {
    let rows = vec![
        Fault::stdio(
            "ends in the middle of a line",
            |_| {
                vec![
                    Act::say("{\"jsonrpc\":\"2.0\",\"id\":"),
                    Act::process_with("leave", 0),
                ]
            },
            Outcome::fails("process ended")
                .told(&["exit code 0"])
                .shows("JSON that ends early")
                .finds(&["stdout-not-protocol"])
                .loses("exit code 0"),
        ),
        Fault::stdio(
            "ends after a reply without its line's end",
            |id| vec![Act::say(good(id)), Act::process_with("leave", 0)],
            Outcome::complete().loses("exit code 0"),
        ),
        Fault::stdio(
            "is killed in a call",
            |_| vec![Act::process_with("die", "SIGKILL")],
            Outcome::fails("process ended")
                .told(&["signal 9 (SIGKILL)"])
                .loses("SIGKILL"),
        ),
        Fault::stdio(
            "breaks down with words on stderr",
            |_| {
                vec![
                    Act::stderr(b"panic: no more memory\n", 1),
                    Act::process_with("die", "SIGABRT"),
                ]
            },
            Outcome::fails("process ended")
                .told(&["SIGABRT", "panic: no more memory"])
                .loses("SIGABRT"),
        ),
        Fault::stdio(
            "closes only stdout",
            |_| vec![Act::process_with("close", "stdout"), Act::process("hang")],
            Outcome::fails("stdout closed").loses("closed its stdout"),
        ),
        Fault::stdio(
            "closes only stdin",
            |id| {
                vec![
                    Act::process_with("close", "stdin"),
                    answer(id),
                    Act::process("hang"),
                ]
            },
            Outcome::complete().then_mute(),
        ),
        Fault::stdio(
            "closes only stderr",
            |id| vec![Act::process_with("close", "stderr"), answer(id)],
            Outcome::complete(),
        ),
        Fault::stdio(
            "binary noise on stdout",
            |id| {
                let mut noise: Vec<u8> = (0..=255).collect();
                noise.push(b'\n');
                vec![Act::Say(noise), answer(id)]
            },
            Outcome::complete()
                .shows("not protocol")
                .finds(&["stdout-not-protocol"]),
        ),
        Fault::stdio(
            "its prompt before the reply",
            |id| vec![Act::say(format!("mcp> {}\n", good(id)))],
            Outcome::waits()
                .shows("not protocol mcp>")
                .finds(&["stdout-not-protocol"]),
        ),
        Fault::stdio_at(
            "start",
            "its banner before everything",
            |_| vec![Act::say("Welcome!\n\n\u{1b}[32mready\u{1b}[0m\n")],
            Outcome::complete()
                .shows("not protocol Welcome!")
                .finds(&["stdout-not-protocol"]),
        ),
    ];
    play(rows).await;
}
