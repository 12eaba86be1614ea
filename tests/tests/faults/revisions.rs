//! Revisions that a person pinned: exactly that one is spoken, and an answer in another one is told plainly.

use app::api::options::{HttpStyle, ServerOptions};
use app::api::servers::{EraChoice, Phase};
use serde_json::json;
use tests::core::Core;
use tests::listener::{self, Listener, Received, Talk};

fn pinned(revision: &str) -> ServerOptions {
    ServerOptions {
        revision: Some(revision.to_owned()),
        ..ServerOptions::default()
    }
}

/// Answers `initialize` with this revision, or with the one that was asked for.
async fn agreeing(asked: Received, mut talk: Talk, revision: Option<&str>) {
    if asked.asks() == "initialize" {
        let wanted = asked.message()["params"]["protocolVersion"].clone();
        let result = json!({
            "protocolVersion": revision.map_or(wanted, |revision| json!(revision)),
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "listener", "version": "1" },
        });
        let body = listener::reply(&asked, &result).to_string();
        let headers = [
            ("content-type", "application/json"),
            ("mcp-session-id", "s-1"),
        ];
        talk.answer("200 OK", &headers, &body).await;
    } else {
        listener::legacy(&asked, &mut talk).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pinned_legacy_revision_is_the_only_one_that_is_spoken() {
    let core = Core::start().await;
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let listener = Listener::start(|asked, talk| agreeing(asked, talk, None)).await;
        let server = core
            .add_url_with(revision, &listener.url(), EraChoice::Auto, pinned(revision))
            .await;
        let report = core.connect_well(&server).await.report.expect("a report");
        assert_eq!(report.revision, revision);
        assert!(
            report.era_reason.contains(revision),
            "{}",
            report.era_reason
        );
        core.tools(&server).await;
        let received = listener.received();
        assert_eq!(received[0].asks(), "initialize", "nothing is probed");
        let header = received
            .iter()
            .find(|received| received.asks() == "tools/list")
            .expect("a list")
            .header("mcp-protocol-version");
        let expected = (revision >= "2025-06-18").then_some(revision);
        assert_eq!(header, expected, "the header came with 2025-06-18");
    }
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_another_revision_than_the_pinned_one_is_told() {
    let core = Core::start().await;
    let listener = Listener::start(|asked, talk| agreeing(asked, talk, Some("2025-03-26"))).await;
    let server = core
        .add_url_with(
            "other",
            &listener.url(),
            EraChoice::Auto,
            pinned("2025-06-18"),
        )
        .await;
    let failure = core.connect_badly(&server, None).await;
    assert!(
        failure
            .error
            .message
            .contains("answered initialize with the revision 2025-03-26, and only 2025-06-18"),
        "{failure:#?}"
    );
    assert!(failure.error.hint.is_some(), "{failure:#?}");
    assert!(
        !listener
            .received()
            .iter()
            .any(|received| received.asks() == "notifications/initialized"),
        "no session is entered"
    );
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pinned_modern_revision_has_no_fallback() {
    let core = Core::start().await;
    let legacy = Listener::start(|asked, talk| agreeing(asked, talk, None)).await;
    let server = core
        .add_url_with(
            "legacy",
            &legacy.url(),
            EraChoice::Auto,
            pinned("2026-07-28"),
        )
        .await;
    let failure = core.connect_badly(&server, None).await;
    assert!(
        failure
            .error
            .message
            .contains("does not speak the modern era"),
        "{failure:#?}"
    );
    assert!(
        !legacy
            .received()
            .iter()
            .any(|received| received.asks() == "initialize")
    );
    // For one connection the person may choose the other era all the same.
    let connection = core.connect_as(&server, Some(EraChoice::Legacy)).await;
    assert_eq!(connection.phase, Phase::Connected, "{connection:#?}");
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn choices_that_cannot_be_met_are_told_before_anything_is_sent() {
    let core = Core::start().await;
    let listener = Listener::start(|_, _| async { panic!("nothing is sent") }).await;
    let both = ServerOptions {
        http: HttpStyle::Sse,
        ..pinned("2026-07-28")
    };
    for (options, words) in [
        (
            pinned("2023-01-01"),
            "2023-01-01, which Roundtrip does not speak",
        ),
        (both, "the modern era cannot be spoken over it"),
    ] {
        let server = core
            .add_url_with(words, &listener.url(), EraChoice::Auto, options)
            .await;
        let connection = core.connect(&server).await;
        assert_eq!(connection.phase, Phase::Failed);
        let error = connection.error.expect("an error");
        assert!(error.message.contains(words), "{error:#?}");
        assert!(error.hint.is_some(), "{error:#?}");
    }
    assert!(listener.received().is_empty());
    core.close().await;
}
