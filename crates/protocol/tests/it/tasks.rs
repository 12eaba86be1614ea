//! Tasks from their handles to their ends, in both designs.

use protocol::era::Era;
use protocol::operation::{Intent, Limits, Operation};
use protocol::tasks::TaskHandle;

use crate::script::{Script, call, list, task_call};

/// A task as the extension's server tells it.
fn task(status: &str, more: &str) -> String {
    format!(
        r#"{{"resultType":"complete","taskId":"t-1","status":"{status}","createdAt":"2026-11-30T10:30:00Z","lastUpdatedAt":"2026-11-30T10:30:00Z","ttlMs":60000,"pollIntervalMs":5000{more}}}"#
    )
}

fn handle(status: &str) -> String {
    task(status, "").replace("\"complete\"", "\"task\"")
}

const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"Your name?","requestedSchema":{"type":"object"}}}"#;

fn asks(requests: &str) -> String {
    task(
        "input_required",
        &format!(r#","inputRequests":{{{requests}}}"#),
    )
}

/// A call that was answered with a task and was polled once.
fn polled() -> Script {
    let mut script = Script::start(task_call());
    script.result(&handle("working")).waited();
    script.take();
    script
}

#[test]
fn a_task_is_polled_in_the_servers_pace_until_its_result_is_the_calls() {
    let mut script = Script::start(task_call());
    script
        .result(&handle("working"))
        .waited()
        .result(&task("working", "").replace("5000", "200"))
        .waited()
        .result(&task(
            "completed",
            r#","result":{"content":[],"isError":false}"#,
        ));
    assert_eq!(
        script.take(),
        r#"→ 1 {"name":"build"}
wait 5000 ms
→ 2 (poll 1) tasks/get {"taskId":"t-1"}
wait 200 ms
→ 3 (poll 2) tasks/get {"taskId":"t-1"}
over: Complete
"#
    );
    assert!(script.operation.is_over());
    assert_eq!(script.operation.task().expect("it was one").polls(), 2);
}

#[test]
fn ends_of_a_task() {
    for (reply, end) in [
        (
            task("completed", r#","result":{"content":[],"isError":true}"#),
            "over: ToolError\n",
        ),
        (
            task(
                "failed",
                r#","error":{"code":-32603,"message":"out of paper"}"#,
            ),
            "over: RpcError { code: -32603, message: \"out of paper\" }\n",
        ),
        (
            task("cancelled", r#","statusMessage":"too many""#),
            "failed: cancelled by the server: The server cancelled the task t-1, unasked by you. It says: too many\n",
        ),
        (
            task("completed", ""),
            "! task-field\nfailed: no result: The server says that the task t-1 is completed, and gives no result.\n",
        ),
        (
            task(
                "failed",
                r#","statusMessage":"it is late","result":{"isError":true}"#,
            ),
            "! task-field\nfailed: task failed: The task t-1 failed, and the server does not say by which error. it is late\n",
        ),
    ] {
        let mut script = polled();
        script.result(&reply);
        assert_eq!(script.take(), end, "{reply}");
    }
}

#[test]
fn a_task_that_asks_is_polled_on_and_each_key_is_answered_once() {
    let mut script = polled();
    let both = asks(&format!(r#""name":{FORM},"age":{FORM}"#));
    script.result(&both);
    assert_eq!(
        script.take(),
        "wait 5000 ms\n? name: elicitation/create\n? age: elicitation/create\n"
    );
    // Still asked: nobody is asked twice.
    script.waited().result(&both);
    assert_eq!(
        script.take(),
        "→ 3 (poll 2) tasks/get {\"taskId\":\"t-1\"}\nwait 5000 ms\n"
    );
    // A part of the answers is kept until there are all; the poll on its way is given up for them.
    script
        .answer("age", r#"{"action":"decline"}"#)
        .waited()
        .answer("name", r#"{"action":"accept","content":{"n":1.10}}"#)
        .answer("name", "{}");
    assert_eq!(
        script.take(),
        r#"nothing
→ 4 (poll 3) tasks/get {"taskId":"t-1"}
stop
→ 5 (answer) tasks/update {"taskId":"t-1","inputResponses":{"name":{"action":"accept","content":{"n":1.10}},"age":{"action":"decline"}}}
refused: The operation no longer waits for an answer to "name".
"#
    );
    // The server has them, and its status lags behind.
    script
        .result(r#"{"resultType":"complete"}"#)
        .waited()
        .result(&both);
    assert_eq!(
        script.take(),
        "wait 5000 ms\n→ 6 (poll 4) tasks/get {\"taskId\":\"t-1\"}\nwait 5000 ms\n"
    );
    // The same key for something else is a fault, and not asked.
    let other = FORM.replace("Your name?", "Your PIN?");
    script.waited().result(&asks(&format!(r#""name":{other}"#)));
    assert_eq!(
        script.take(),
        "→ 7 (poll 5) tasks/get {\"taskId\":\"t-1\"}\n! task-key-reused\nwait 5000 ms\n"
    );
}

#[test]
fn what_the_server_asks_no_more_is_withdrawn() {
    let mut script = polled();
    script.result(&asks(&format!(r#""name":{FORM}"#)));
    script.waited().result(&task("working", ""));
    script.waited().result(&asks(&format!(r#""name":{FORM}"#)));
    script
        .waited()
        .result(&task("failed", r#","error":{"code":1,"message":"m"}"#));
    assert_eq!(
        script.take(),
        r#"wait 5000 ms
? name: elicitation/create
→ 3 (poll 2) tasks/get {"taskId":"t-1"}
withdraw name
wait 5000 ms
→ 4 (poll 3) tasks/get {"taskId":"t-1"}
wait 5000 ms
? name: elicitation/create
→ 5 (poll 4) tasks/get {"taskId":"t-1"}
over: RpcError { code: 1, message: "m" }
"#
    );
}

#[test]
fn an_answer_that_was_lost_or_refused_is_not_lost_for_good() {
    let form = asks(&format!(r#""name":{FORM}"#));
    // Lost, and still asked: sent again.
    let mut script = polled();
    script
        .result(&form)
        .answer("name", r#"{"action":"cancel"}"#);
    script.take();
    script.fails("reset").waited().result(&form);
    assert_eq!(
        script.take(),
        r#"note: The answer may not have reached the server (reset): The wire was cut. It is sent again when the task still asks for it.
wait 5000 ms
→ 4 (poll 2) tasks/get {"taskId":"t-1"}
→ 5 (answer) tasks/update {"taskId":"t-1","inputResponses":{"name":{"action":"cancel"}}}
"#
    );
    // Lost on the way back: not sent again.
    script.fails("reset").waited().result(&task("working", ""));
    assert!(!script.take().contains("tasks/update"));
    script.waited().result(&form);
    assert!(!script.take().contains("? name"), "it was answered");
    // Refused: the person is asked again when the server does.
    let mut script = polled();
    script
        .result(&form)
        .answer("name", r#"{"action":"cancel"}"#);
    script.take();
    script.error(-32602, "no such name").waited().result(&form);
    assert_eq!(
        script.take(),
        r#"note: The server did not take the answer (error -32602: no such name); what it asks again is asked again.
wait 5000 ms
→ 4 (poll 2) tasks/get {"taskId":"t-1"}
wait 5000 ms
? name: elicitation/create
"#
    );
}

#[test]
fn failed_polls_never_end_a_task_and_slow_it_down() {
    let mut script = polled();
    for _ in 0..3 {
        script.fails("reset").waited();
    }
    script.error(-32603, "busy").waited();
    script.result(&task("working", "").replace("t-1", "t-2"));
    assert_eq!(
        script.take(),
        r#"wait 10000 ms
→ 3 (poll 2) tasks/get {"taskId":"t-1"}
wait 20000 ms
→ 4 (poll 3) tasks/get {"taskId":"t-1"}
note: 3 polls in a row failed, the last with: reset. Polling goes on, more and more slowly.
wait 40000 ms
→ 5 (poll 4) tasks/get {"taskId":"t-1"}
wait 60000 ms
→ 6 (poll 5) tasks/get {"taskId":"t-1"}
! task-of-another-id
wait 60000 ms
"#
    );
    script.waited().result("[]").waited();
    script.result(&task("working", ""));
    assert_eq!(
        script.take(),
        r#"→ 7 (poll 6) tasks/get {"taskId":"t-1"}
! task-result-type
! task-malformed
wait 60000 ms
→ 8 (poll 7) tasks/get {"taskId":"t-1"}
note: The server answers polls again.
wait 5000 ms
"#
    );
}

#[test]
fn a_server_that_does_not_know_its_task_is_asked_three_times() {
    let mut script = polled();
    script.error(-32602, "Task not found").waited();
    script.error(-32602, "Task not found").waited();
    script.take();
    script.error(-32602, "Task not found");
    assert_eq!(
        script.take(),
        "failed: task lost: The server tells nothing more of the task t-1: it does not know the task, or does not serve tasks (it was working last). The last poll: error -32602: Task not found\n"
    );
    // Once its time is over, one failure is enough.
    let mut script = polled();
    script.turn(Operation::expire_task).fails("reset");
    assert_eq!(
        script.take(),
        "note: The task's time to live is over: the server may drop it at any time.\nfailed: task expired: The server tells nothing more of the task t-1: its time to live is over (it was working last). The last poll: reset\n"
    );
}

#[test]
fn cancelling_asks_and_tells_what_really_happened() {
    let mut script = polled();
    script
        .cancel()
        .result(r#"{"resultType":"complete"}"#)
        .result(&task("working", ""))
        .waited()
        .result(&task("cancelled", ""));
    assert_eq!(
        script.take(),
        r#"stop
→ 3 (cancel) tasks/cancel {"taskId":"t-1"}
→ 4 (poll 2) tasks/get {"taskId":"t-1"}
wait 5000 ms
→ 5 (poll 3) tasks/get {"taskId":"t-1"}
over: Cancelled
"#
    );
    // Too late.
    let mut script = polled();
    script.cancel().result(r#"{"resultType":"complete"}"#);
    script.take();
    script.result(&task("completed", r#","result":{"content":[]}"#));
    assert_eq!(
        script.take(),
        "note: The task was completed before the wish to cancel it took effect.\nover: Complete\n"
    );
    // Refused; the second time it is let go of.
    let mut script = polled();
    script.cancel().error(-32601, "no such method").cancel();
    assert_eq!(
        script.take(),
        r#"stop
→ 3 (cancel) tasks/cancel {"taskId":"t-1"}
note: The server refused to cancel the task (error -32601: no such method); it is followed on.
→ 4 (poll 2) tasks/get {"taskId":"t-1"}
note: Not followed any more. The server was asked to cancel the task t-1 and has not said that it did.
stop
over: Cancelled
"#
    );
    // While the answer is on its way: after it.
    let mut script = polled();
    script
        .result(&asks(&format!(r#""name":{FORM}"#)))
        .answer("name", "{}");
    script.take();
    script.cancel().result(r#"{"resultType":"complete"}"#);
    assert_eq!(
        script.take(),
        "nothing\n→ 4 (cancel) tasks/cancel {\"taskId\":\"t-1\"}\n"
    );
}

#[test]
fn a_connection_that_is_gone_leaves_the_handle_known() {
    let mut script = polled();
    script.operation.cut_off();
    script.fails("process ended");
    assert_eq!(
        script.take(),
        "failed: process ended: The wire was cut. The task t-1 was working last and may go on at the server; it can be polled again once the server is connected.\n"
    );
    // Taken up again.
    let (operation, step) =
        Operation::follow(task_call(), Limits::default(), TaskHandle::of_id("t-1"), 0);
    let mut script = Script {
        operation,
        transcript: String::new(),
    };
    script.turn(|_| step);
    script.result(&task("completed", r#","result":{"content":[]}"#));
    assert_eq!(
        script.take(),
        "→ 1 (poll 1) tasks/get {\"taskId\":\"t-1\"}\nover: Complete\n"
    );
}

#[test]
fn what_a_server_tells_by_itself_is_asked_for_and_slows_the_polls() {
    let mut script = polled();
    script.result(&task("working", ""));
    script.turn(|operation| operation.set_listened(true));
    script.told(&task("working", ""));
    script.told(&task("completed", r#","result":{}"#).replace("t-1", "t-2"));
    script.told(&task("completed", r#","result":{"content":[]}"#));
    script.result(&task("working", ""));
    script.turn(|operation| operation.set_listened(false));
    assert_eq!(
        script.take(),
        r#"wait 5000 ms
wait 60000 ms
nothing
nothing
→ 3 (poll 2) tasks/get {"taskId":"t-1"}
wait 60000 ms
→ 4 (poll 3) tasks/get {"taskId":"t-1"}
"#
    );
}

#[test]
fn tasks_that_are_none() {
    // Not declared, or not for this.
    let mut script = Script::start(call("{}"));
    script.result(&handle("working"));
    assert_eq!(
        script.take().lines().skip(1).collect::<Vec<_>>(),
        [
            "! task-not-declared",
            "failed: unknown resultType: tools/call was answered with a task, which Roundtrip did not say it knows; such a result is invalid."
        ]
    );
    let mut script = Script::start(Intent {
        declared: task_call().declared,
        ..list("tools/list")
    });
    script.result(&handle("working"));
    assert!(script.take().contains("! task-not-for-this\nfailed: "));
    // Malformed.
    for (handle, words) in [
        (r#"{"resultType":"task"}"#, "no taskId"),
        (r#"{"resultType":"task","taskId":7}"#, "no taskId"),
        (
            r#"{"resultType":"task","taskId":"t","status":"resting"}"#,
            "status is \"resting\"",
        ),
        (r#"{"resultType":"task","taskId":"t"}"#, "status is missing"),
    ] {
        let mut script = Script::start(task_call());
        script.result(handle);
        let transcript = script.take();
        assert!(
            transcript.contains("! task-malformed\nfailed: no task: ")
                && transcript.contains(words),
            "{transcript}"
        );
    }
    // Odd, and followed all the same.
    let mut script = Script::start(task_call());
    script.result(
        r#"{"resultType":"task","taskId":"t","status":"working","ttlMs":-1,"pollIntervalMs":"soon"}"#,
    );
    assert_eq!(
        script.take().lines().skip(1).collect::<Vec<_>>(),
        [
            "! task-field",
            "! task-field",
            "! task-field",
            "! task-field",
            "wait 1000 ms"
        ]
    );
    let mut script = Script::start(task_call());
    script.result(&handle("working").replace("5000", "0"));
    assert!(script.take().ends_with("wait 100 ms\n"));
    let mut script = Script::start(task_call());
    script.result(&handle("working").replace("5000", "1e300"));
    assert!(script.take().ends_with("wait 86400000 ms\n"));
}

/// A call of a tool as an experimental task.
fn experimental() -> Intent {
    Intent {
        era: Era::Legacy,
        declared: r#"{"elicitation":{},"tasks":{}}"#.to_owned(),
        ..call(r#"{"name":"build","task":{}}"#)
    }
}

fn legacy(status: &str) -> String {
    format!(
        r#"{{"taskId":"t-1","status":"{status}","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:40:00Z","ttl":null,"pollInterval":3000}}"#
    )
}

fn legacy_polled() -> Script {
    let mut script = Script::start(experimental());
    script
        .result(&format!(r#"{{"task":{}}}"#, legacy("working")))
        .waited();
    script.take();
    script
}

#[test]
fn an_experimental_task_is_polled_and_its_result_fetched() {
    let mut script = Script::start(experimental());
    script
        .result(&format!(r#"{{"task":{}}}"#, legacy("working")))
        .waited()
        .result(&legacy("completed"))
        .result(r#"{"content":[],"isError":true}"#);
    assert_eq!(
        script.take(),
        r#"→ 1 {"name":"build","task":{}}
wait 3000 ms
→ 2 (poll 1) tasks/get {"taskId":"t-1"}
→ 3 (result) tasks/result {"taskId":"t-1"}, however long
over: ToolError
"#
    );
    // The error of the call is that of tasks/result.
    let mut script = legacy_polled();
    script.result(&legacy("failed")).error(-32000, "no paper");
    assert!(
        script
            .take()
            .ends_with("over: RpcError { code: -32000, message: \"no paper\" }\n")
    );
}

#[test]
fn an_experimental_task_that_asks_is_looked_at_closer() {
    let mut script = legacy_polled();
    script.result(&legacy("input_required")).fails("reset");
    script.waited().result(&legacy("input_required"));
    script.result(r#"{"content":[]}"#);
    assert_eq!(
        script.take(),
        r#"→ 3 (result) tasks/result {"taskId":"t-1"}, however long
wait 6000 ms
→ 4 (poll 2) tasks/get {"taskId":"t-1"}
→ 5 (result) tasks/result {"taskId":"t-1"}, however long
over: Complete
"#
    );
    // Told by itself: it is asked for.
    let mut script = legacy_polled();
    script.result(&legacy("working")).told(&legacy("completed"));
    assert_eq!(
        script.take(),
        "wait 3000 ms\n→ 3 (poll 2) tasks/get {\"taskId\":\"t-1\"}\n"
    );
}

#[test]
fn an_experimental_task_is_cancelled_by_you_and_not_failed() {
    let mut script = legacy_polled();
    script.cancel().result(&legacy("cancelled"));
    assert_eq!(
        script.take(),
        "stop\n→ 3 (cancel) tasks/cancel {\"taskId\":\"t-1\"}\nover: Cancelled\n"
    );
    // A server that says so by an error of the result.
    let mut script = legacy_polled();
    script
        .cancel()
        .result("{}")
        .result(&legacy("failed"))
        .error(-32603, "Task cancelled");
    assert!(script.take().ends_with("over: Cancelled\n"));
    // One that gives no task takes the request for an ordinary one.
    let mut script = Script::start(experimental());
    script.result(r#"{"content":[]}"#);
    assert!(
        script
            .take()
            .ends_with("! task-not-created\nover: Complete\n")
    );
}
