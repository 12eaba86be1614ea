//! Messages around a reply, and replies that come before they are asked for or when nobody waits any more.

use crate::acts::Act;
use crate::fault::{Fault, Outcome, error, good, line, over_both};
use crate::play::play;

#[tokio::test(flavor = "multi_thread")]
async fn messages_around_the_reply() {
    let progress = |token: &str, value: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{value}}}}}"#
        )
    };
    let note = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
    };
    let rows = [
        over_both(
            "the reply twice",
            |id| vec![good(id), good(id)],
            Outcome::complete().shows("orphan reply"),
            Outcome::complete().shows("orphan reply"),
        ),
        over_both(
            "an error after the reply",
            |id| vec![good(id), error(id, r#"{"code":-1,"message":"no"}"#)],
            Outcome::complete().shows("orphan reply"),
            Outcome::complete().shows("orphan reply"),
        ),
        over_both(
            "a request with the id of ours",
            |id| {
                let request = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list"}}"#);
                vec![request, good(id)]
            },
            Outcome::complete().finds(&["server-request"]),
            Outcome::complete().finds(&["server-request"]),
        ),
        over_both(
            "progress for a token that nobody gave",
            move |id| vec![progress("\"nobody\"", "1"), good(id)],
            Outcome::complete().shows("notifications/progress 1 — notification"),
            Outcome::complete().shows("notifications/progress 1 — notification"),
        ),
        over_both(
            "progress that goes back",
            move |id| {
                vec![
                    progress(id, "5"),
                    progress(id, "4"),
                    progress(id, "3"),
                    good(id),
                ]
            },
            Outcome::complete().finds(&["progress-not-increasing"]),
            Outcome::complete().finds(&["progress-not-increasing"]),
        ),
        over_both(
            "progress without parameters that are any",
            move |id| {
                vec![
                    note("notifications/progress", "{}"),
                    note(
                        "notifications/progress",
                        r#"{"progressToken":{},"progress":"much"}"#,
                    ),
                    note("notifications/message", r#"{"level":7,"data":null}"#),
                    note("notifications/tools/list_changed", r#"{"tools":"all"}"#),
                    note("notifications/cancelled", r#"{"requestId":{"a":1}}"#),
                    good(id),
                ]
            },
            Outcome::complete(),
            Outcome::complete(),
        ),
        over_both(
            "notifications whose parameters are no object",
            move |id| vec![note("notifications/message", "[1]"), good(id)],
            Outcome::complete().finds(&["envelope"]),
            Outcome::complete().finds(&["envelope"]),
        ),
    ];
    play(rows.concat()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_too_soon_and_too_late() {
    let rows = vec![
        Fault::stdio_at(
            "start",
            "a reply to a call that was not made yet",
            // discover has the id 1, tools/list 2: the call will be 3.
            |_| vec![line(good("3").into_bytes())],
            Outcome::complete().shows("orphan reply"),
        ),
        Fault::stdio(
            "the reply after it was cancelled",
            |id| {
                vec![
                    Act::process_with("wait_for", "notifications/cancelled"),
                    line(good(id).into_bytes()),
                ]
            },
            Outcome::waits().shows("the call came"),
        ),
        Fault::stdio(
            "the reply after its time was over",
            |id| {
                vec![
                    Act::process_with("wait_for", "notifications/cancelled"),
                    line(good(id).into_bytes()),
                ]
            },
            Outcome::times_out().shows("orphan reply"),
        ),
    ];
    play(rows).await;
}
