//! What the timeline shows is what was sent and received, byte by byte.

use app::api::details::{BodyForm, BodyText, RowDetails};
use app::api::servers::EraChoice;
use app::api::tools::CallResult;
use journal::details::Exchange;
use journal::event::{EventSeq, OperationId};
use serde_json::json;
use tests::core::Core;
use tests::listener::{self, Listener};

async fn body(core: &Core, event: EventSeq, form: BodyForm) -> BodyText {
    core.must("body", json!({ "event": event, "form": form, "limit": 0 }))
        .await
}

async fn exchange(core: &Core, operation: OperationId) -> Exchange {
    let details: RowDetails = core
        .must("row", json!({ "key": format!("o{}", operation.0) }))
        .await;
    details.exchanges.into_iter().next().expect("an exchange")
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_and_events_are_kept_to_the_byte() {
    let core = Core::start().await;
    for is_stream in [false, true] {
        let listener = Listener::start(move |asked, mut talk| async move {
            if asked.asks() != "tools/call" {
                listener::modern(&asked, &mut talk).await;
                return;
            }
            let id = asked.message()["id"].to_string();
            let reply = odd_reply(&id);
            if is_stream {
                talk.stream().await;
                talk.say(&format!(": hello\r\n\r\nid:42\r\ndata:{reply}\r\n\r\n"))
                    .await;
            } else {
                talk.answer("200 OK", &[("content-type", "application/json")], &reply)
                    .await;
            }
        })
        .await;
        let server = core
            .add_url(
                if is_stream { "stream" } else { "body" },
                &listener.url(),
                &[],
                EraChoice::Auto,
            )
            .await;
        core.connect_well(&server).await;
        let arguments = r#"{ "b":1.50,"a" : 12345678901234567890 }"#;
        let outcome = core.call(&server, "echo", arguments).await;
        assert!(
            matches!(outcome.result, CallResult::Tool { .. }),
            "{outcome:#?}"
        );

        let shown = exchange(&core, outcome.operation).await;
        let request = body(&core, shown.request.expect("sent").event, BodyForm::Raw).await;
        let received = listener.received();
        let call = received.last().expect("the call");
        assert_eq!(request.text, call.body);
        assert!(request.text.contains(arguments), "{}", request.text);

        let event = shown.response.expect("answered").event;
        let raw = body(&core, event, BodyForm::Raw).await;
        let id = call.message()["id"].to_string();
        let expected = if is_stream {
            format!("id:42\r\ndata:{}\r\n\r\n", odd_reply(&id))
        } else {
            odd_reply(&id)
        };
        assert_eq!(raw.text, expected);
        assert_eq!(raw.byte_len, expected.len() as u64);
        let pretty = body(&core, event, BodyForm::Pretty).await;
        assert!(pretty.is_json);
        assert!(
            pretty.text.contains("\"n\": 1.50e+3") && pretty.text.contains("\\u0041"),
            "{}",
            pretty.text
        );
        let http = shown.http.expect("over HTTP");
        assert_eq!(http.request_byte_len, call.body.len() as u64);
        for header in &http.request.headers {
            assert_eq!(call.header(&header.name), Some(header.value.as_str()));
        }
        assert_eq!(
            http.request.headers.len(),
            call.headers.len(),
            "{:#?}\n{:#?}",
            http.request.headers,
            call.headers
        );
    }
    core.close().await;
}

/// Odd white space, digits, escapes, and a key that comes twice.
fn odd_reply(id: &str) -> String {
    format!(
        "{{\"jsonrpc\" :\"2.0\", \"id\":{id},\t\"result\":{{\"resultType\":\"complete\",\"content\":[ ],\"structuredContent\":{{\"n\":1.50e+3,\"n\":1.50e+3,\"s\":\"\\u0041/\\/\"}}}}}}"
    )
}
