//! Messages that the person writes, sent as they are: over stdio and over HTTP, right and wrong.

use app::api::replies::OperationReply;
use app::api::servers::EraChoice;
use journal::event::{OperationEnd, OperationId};
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::{self, Listener, Received};

async fn compose(
    core: &Core,
    server: &str,
    text: &str,
    headers: Value,
    usual: bool,
) -> OperationId {
    let args =
        json!({ "server": server, "text": text, "headers": headers, "usual_headers": usual });
    core.must("compose", args).await
}

async fn reply(core: &Core, operation: OperationId) -> OperationReply {
    core.must("reply", json!({ "operation": operation })).await
}

#[tokio::test(flavor = "multi_thread")]
async fn over_stdio_a_request_with_an_id_of_its_own_is_answered_and_no_other_reply_is_taken_for_it()
{
    for (era, text) in [
        (
            EraChoice::Legacy,
            r#"{"jsonrpc":"2.0","id":"by hand \u0061","method":"tools/call","params":{"name":"echo","arguments":{"text":"ciao"}}}"#,
        ),
        (
            EraChoice::Modern,
            r#"{"jsonrpc":"2.0","id":"by hand \u0061","method":"tools/call","params":{"name":"echo","arguments":{"text":"ciao"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        ),
    ] {
        let core = Core::start().await;
        core.connect_as("demo-stdio", Some(era)).await;
        let operation = compose(&core, "demo-stdio", text, json!([]), true).await;
        let replied = reply(&core, operation).await;
        assert_eq!(replied.end, Some(OperationEnd::Complete), "{replied:#?}");
        assert!(replied.replies[0].text.contains("ciao"), "{replied:#?}");
        let row = core.operation_row(operation).await;
        assert!(row.starts_with("tools/call echo — complete"), "{row}");
        // What left is what was written.
        let details = core.events(operation).await;
        assert!(details.contains(r"by hand \u0061"), "{details}");
        core.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn over_stdio_a_notification_ends_at_once_and_what_is_refused_ends_with_the_error() {
    let core = Core::start().await;
    core.connect_as("demo-stdio", Some(EraChoice::Legacy)).await;
    let text = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}"#;
    let operation = compose(&core, "demo-stdio", text, json!([]), true).await;
    assert_eq!(
        reply(&core, operation).await.end,
        Some(OperationEnd::Complete)
    );

    let text = "{\"jsonrpc\":\"2.0\",\n\"id\":77,\n\"method\":\"no/such\"}";
    let operation = compose(&core, "demo-stdio", text, json!([]), true).await;
    let replied = reply(&core, operation).await;
    assert!(
        matches!(&replied.end, Some(OperationEnd::Failed { brief, .. }) if brief.contains("-32601")),
        "{replied:#?}"
    );
    // The server goes on.
    core.call("demo-stdio", "echo", r#"{"text":"still"}"#).await;
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn over_stdio_what_is_no_json_leaves_as_it_is_and_ends_without_an_answer() {
    let core = Core::start().await;
    let server = core.add_odd("plain", EraChoice::Legacy).await;
    core.connect_well(&server).await;
    let operation = compose(&core, &server, "{\"jsonrpc\": nonsense", json!([]), true).await;
    let events = core.events(operation).await;
    assert!(events.contains("{\"jsonrpc\": nonsense"), "{events}");
    // This server dies of it, or says nothing: either way the row ends.
    let replied = reply(&core, operation).await;
    assert!(
        matches!(replied.end, Some(OperationEnd::Failed { .. })),
        "{replied:#?}"
    );
    core.close().await;
}

/// The last message that came with this body.
fn last(listener: &Listener, body: &str) -> Received {
    let received = listener.received().into_iter().rev();
    received
        .into_iter()
        .find(|received| received.body == body)
        .expect("it came")
}

#[tokio::test(flavor = "multi_thread")]
async fn over_http_bytes_and_headers_are_as_they_were_written() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        match asked.header("x-test") {
            Some("400") => {
                talk.error("400 Bad Request", &asked, -32700, "Parse error")
                    .await;
            }
            Some("503") => {
                talk.answer("503 Service Unavailable", &[], "later").await;
            }
            _ => listener::modern(&asked, &mut talk).await,
        }
    })
    .await;
    let server = core
        .add_url("raw", &listener.url(), &[], EraChoice::Modern)
        .await;
    core.connect_well(&server).await;

    // Another name for the method than in the header, and white space as it was typed.
    let text = "{ \"jsonrpc\" : \"2.0\",\n  \"id\" : 5,\n  \"method\" : \"tools/list\" }";
    let headers = json!([{ "name": "Mcp-Method", "value": "prompts/list" }, { "name": "X-Own", "value": "1" }]);
    let operation = compose(&core, &server, text, headers, true).await;
    reply(&core, operation).await;
    let received = last(&listener, text);
    assert_eq!(received.body, text);
    assert_eq!(received.header("mcp-method"), Some("prompts/list"));
    assert_eq!(received.header("x-own"), Some("1"));
    assert_eq!(received.header("mcp-protocol-version"), Some("2026-07-28"));

    let operation = compose(&core, &server, text, json!([]), false).await;
    reply(&core, operation).await;
    let received = last(&listener, text);
    assert_eq!(received.header("mcp-method"), None);
    assert_eq!(received.header("mcp-protocol-version"), None);

    // An error without an id answers its exchange; a busy server is not asked again.
    let one = |value: &str| json!([{ "name": "X-Test", "value": value }]);
    let operation = compose(&core, &server, "{\"id\":", one("400"), true).await;
    let replied = reply(&core, operation).await;
    assert!(
        matches!(replied.end, Some(OperationEnd::Failed { .. })),
        "{replied:#?}"
    );
    let operation = compose(&core, &server, text, one("503"), true).await;
    let replied = reply(&core, operation).await;
    assert!(
        matches!(&replied.end, Some(OperationEnd::Failed { brief, .. }) if brief == "HTTP 503"),
        "{replied:#?}"
    );
    let marked = |received: &Received| received.header("x-test").is_some();
    assert_eq!(
        listener.received().iter().filter(|one| marked(one)).count(),
        2
    );

    let nothing = core
        .rpc::<OperationId>(
            "compose",
            json!({ "server": server, "text": "", "headers": [], "usual_headers": true }),
        )
        .await
        .expect_err("nothing to send");
    assert!(
        nothing["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("template"))
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_of_notifications_waits_for_nothing_and_one_with_a_request_for_its_reply() {
    let core = Core::start().await;
    let server = core.add_odd("plain", EraChoice::Legacy).await;
    core.connect_well(&server).await;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}"#;
    let before = std::time::Instant::now();
    let operation = compose(&core, &server, &format!("[{note},{note}]"), json!([]), true).await;
    let replied = reply(&core, operation).await;
    assert_eq!(replied.end, Some(OperationEnd::Complete), "{replied:#?}");
    // What may get no answer is waited for five seconds; this is not waited for.
    let took = before.elapsed();
    assert!(took < std::time::Duration::from_secs(4), "{took:?}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn over_stdio_line_breaks_stay_where_the_person_wants_them() {
    let core = Core::start().await;
    core.connect_as("demo-stdio", Some(EraChoice::Legacy)).await;
    let text = "{\"jsonrpc\":\"2.0\",\n\"id\":78,\"method\":\"ping\"}";
    let send = async |keeps_breaks: bool| -> OperationId {
        let args = json!({ "server": "demo-stdio", "text": text, "headers": [], "usual_headers": true,
            "keeps_breaks": keeps_breaks });
        core.must("compose", args).await
    };
    // As one line it means the same.
    let whole = send(false).await;
    assert_eq!(reply(&core, whole).await.end, Some(OperationEnd::Complete));
    // As two lines it is two messages, neither of which is JSON.
    let cut = send(true).await;
    core.call("demo-stdio", "echo", r#"{"text":"after both lines"}"#)
        .await;
    let row = core.operation_row(cut).await;
    assert!(!row.contains("complete"), "{row}");
    let _: () = core.must("cancel", json!({ "operation": cut })).await;
    core.close().await;
}
