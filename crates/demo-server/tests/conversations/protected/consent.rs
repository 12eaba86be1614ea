//! The page that asks for consent.

use reqwest::StatusCode;

use super::{READ, Trial, arrived, hidden};
use crate::support::{header, json_body, soon};

#[tokio::test]
async fn what_is_wrong_with_a_request_for_consent_is_said_where_it_is_safe() {
    let trial = Trial::start(&[]).await;
    let client = trial.public_client().await;
    // Nobody is sent to an address that is not known.
    for changed in [
        ("client_id", "nobody"),
        ("client_id", ""),
        ("redirect_uri", "https://elsewhere.example/callback"),
        ("redirect_uri", "http://127.0.0.1:1/callback2"),
        ("redirect_uri", ""),
    ] {
        let page = trial.get(&trial.authorize(&client, READ, &[changed])).await;
        assert_eq!(page.status(), StatusCode::BAD_REQUEST, "{changed:?}");
        assert_eq!(header(&page, "location"), None, "{changed:?}");
    }
    // The port of a loopback address is free (RFC 8252 § 7.3).
    let moved = ("redirect_uri", "http://127.0.0.1:2/callback");
    let page = trial.get(&trial.authorize(&client, READ, &[moved])).await;
    assert_eq!(page.status(), StatusCode::OK);
    for (changed, error) in [
        (("response_type", "token"), "unsupported_response_type"),
        (("code_challenge", ""), "invalid_request"),
        (("code_challenge_method", "plain"), "invalid_request"),
        (("scope", "everything"), "invalid_scope"),
        (("resource", ""), "invalid_target"),
        (
            ("resource", "https://elsewhere.example/mcp"),
            "invalid_target",
        ),
    ] {
        let answer = arrived(&trial.get(&trial.authorize(&client, READ, &[changed])).await);
        assert_eq!(answer["error"], error, "{changed:?}");
        assert_eq!(answer["iss"], trial.issuer);
        assert_eq!(answer["state"], "s t");
    }
}

#[tokio::test]
async fn the_page_is_plain_quotes_nothing_as_markup_and_is_answered_once() {
    let trial = Trial::start(&[]).await;
    let client = trial.public_client().await;
    let page = trial.get(&trial.authorize(&client, READ, &[])).await;
    let policy = header(&page, "content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(
        policy.contains("form-action 'self' http://127.0.0.1:1"),
        "{policy}"
    );
    let page = soon(page.text()).await.unwrap();
    assert!(
        page.contains("Trial &lt;b&gt;") && !page.contains("<script"),
        "{page}"
    );
    assert!(
        page.contains("127.0.0.1") && page.contains("<html lang=\"en\">"),
        "{page}"
    );
    let key = hidden(&page);
    let deny = [("request", key.as_str()), ("decision", "deny")];
    assert_eq!(
        arrived(&trial.form("/consent", &deny).await)["error"],
        "access_denied"
    );
    let again = trial.form("/consent", &deny).await;
    assert_eq!(again.status(), StatusCode::BAD_REQUEST);
    // What is not ticked is not allowed, and what was not asked for neither.
    let answer = trial
        .consent(&client, READ, &["guide:read", "bookings:write"])
        .await;
    let reply = json_body(trial.exchange(&client, &answer["code"], &[]).await).await;
    assert_eq!(reply["scope"], "guide:read");
}
