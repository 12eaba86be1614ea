//! Values that are completed while they are typed, and the templates that they are filled into.

use app::api::lists::CompletionView;
use app::api::options::ServerOptions;
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::{self, Listener};

use super::{add, discover};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_on_replaces_what_was_being_completed() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, mut talk| async move {
        let message = asked.message();
        match asked.asks().as_str() {
            "server/discover" => discover(&asked, &mut talk).await,
            "completion/complete" if message["params"]["argument"]["value"] == "p" => {
                // Never answered: the next letter comes first.
                talk.until_closed().await;
            }
            "completion/complete" => {
                let values: Vec<_> = (0..120).map(|number| format!("py{number}")).collect();
                let completion = json!({ "values": values, "total": 300, "hasMore": true });
                talk.result(
                    &asked,
                    &json!({ "resultType": "complete", "completion": completion }),
                )
                .await;
            }
            _ => listener::modern(&asked, &mut talk).await,
        }
    })
    .await;
    let server = add(&core, &listener, ServerOptions::default()).await;
    let args = |value: &str| {
        json!({
            "server": server,
            "target": { "kind": "prompt", "name": "review" },
            "argument": "language",
            "value": value,
            "context": r#"{"tone":"warm"}"#,
        })
    };
    let (first, second) = tokio::join!(core.rpc::<CompletionView>("complete", args("p")), async {
        listener
            .until(|asked| asked.asks() == "completion/complete")
            .await;
        core.must::<CompletionView>("complete", args("py")).await
    });
    let first = first.expect_err("it was replaced");
    assert_eq!(first["code"], "gone", "{first}");
    assert_eq!(
        (second.values.len(), second.total, second.has_more),
        (100, Some(300), true)
    );
    assert_eq!(
        second.problems.len(),
        1,
        "more than 100: {:?}",
        second.problems
    );
    let sent = listener
        .until(|asked| asked.message()["params"]["argument"]["value"] == "py")
        .await
        .message();
    assert_eq!(
        sent["params"]["ref"],
        json!({ "type": "ref/prompt", "name": "review" })
    );
    assert_eq!(sent["params"]["context"]["arguments"]["tone"], "warm");
    let timeline = core.unfolded().await;
    assert!(
        timeline.contains("completion/complete review · language — cancelled"),
        "{timeline}"
    );
    let row = core.operation_row(second.operation).await;
    assert_eq!(row, "completion/complete review · language — complete\n");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn templates_are_filled_in_as_the_rfc_says_or_not_at_all() {
    let core = Core::start().await;
    let expand = |template: &str, values: Value| {
        let args = json!({ "uri_template": template, "values": values.to_string() });
        core.rpc::<String>("expand_template", args)
    };
    for (template, values, expected) in [
        (
            "notes://{topic}",
            json!({ "topic": "foo/bar" }),
            "notes://foo%2Fbar",
        ),
        ("notes://x{?topic}", json!({ "topic": "" }), "notes://x"),
        ("notes://x{?topic}", json!({}), "notes://x"),
        (
            "notes://x{?tag*}",
            json!({ "tag": ["a", "b c"] }),
            "notes://x?tag=a&tag=b%20c",
        ),
    ] {
        assert_eq!(
            expand(template, values).await.as_deref(),
            Ok(expected),
            "{template}"
        );
    }
    let error = expand("notes://{topic", json!({ "topic": "x" }))
        .await
        .expect_err("malformed");
    assert_eq!(error["code"], "bad_input");
    assert_eq!(
        error["message"],
        "The URI template is malformed at character 9: the { is not closed."
    );
    let error = expand("notes://{topic}", json!({ "topic": 7 }))
        .await
        .expect_err("no text");
    assert_eq!(error["message"], "The value of topic is a number.");
    core.close().await;
}
