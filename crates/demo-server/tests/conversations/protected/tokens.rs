//! Tokens: what they are good for, how they are got and renewed, and how they end.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::StatusCode;

use super::{READ, Trial, error_of};
use crate::support::{header, json_body};

#[tokio::test]
async fn a_booking_needs_a_further_scope() {
    let trial = Trial::start(&[]).await;
    let (_, tokens) = trial.sign_in("guide:read").await;
    assert_eq!(
        tokens.get("refresh_token"),
        None,
        "nobody asked to stay signed in"
    );
    let refused = trial
        .call_tool(tokens["access_token"].as_str(), "book_table")
        .await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    let challenge = header(&refused, "www-authenticate").unwrap();
    assert!(
        challenge.contains("error=\"insufficient_scope\""),
        "{challenge}"
    );
    assert!(
        challenge.contains("scope=\"bookings:write\""),
        "{challenge}"
    );
    assert!(challenge.contains("resource_metadata="), "{challenge}");
    let (_, tokens) = trial.sign_in("guide:read bookings:write").await;
    let answer = trial
        .call_tool(tokens["access_token"].as_str(), "book_table")
        .await;
    assert_eq!(answer.status(), StatusCode::OK);
}

#[tokio::test]
async fn tokens_that_are_not_taken() {
    let trial = Trial::start(&["--token-seconds", "1"]).await;
    let other = Trial::start(&[]).await;
    let (_, of_other) = other.sign_in("guide:read").await;
    let (_, short) = trial.sign_in("guide:read").await;
    let short = short["access_token"].as_str().unwrap();
    let changed = {
        // A further scope written into the claims, the signature kept.
        let parts: Vec<&str> = short.split('.').collect();
        let claims = URL_SAFE_NO_PAD.decode(parts[1]).unwrap();
        let claims = String::from_utf8(claims)
            .unwrap()
            .replace("guide:read", "guide:read bookings:write");
        format!(
            "{}.{}.{}",
            parts[0],
            URL_SAFE_NO_PAD.encode(claims),
            parts[2]
        )
    };
    for (token, why) in [
        ("nonsense", "authorization server"),
        (
            of_other["access_token"].as_str().unwrap(),
            "authorization server",
        ),
        (changed.as_str(), "authorization server"),
    ] {
        let refused = trial.call_tool(Some(token), "echo").await;
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
        let challenge = header(&refused, "www-authenticate").unwrap();
        assert!(challenge.contains("error=\"invalid_token\""), "{challenge}");
        assert!(challenge.contains(why), "{challenge}");
    }
    // It ends by itself.
    let mut last = String::new();
    for _ in 0..600 {
        let reply = trial.call_tool(Some(short), "echo").await;
        if reply.status() == StatusCode::UNAUTHORIZED {
            last = header(&reply, "www-authenticate").unwrap().to_owned();
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(last.contains("expired"), "{last}");
}

#[tokio::test]
async fn a_refresh_token_is_good_once_and_a_second_use_ends_everything() {
    let trial = Trial::start(&[]).await;
    let (client, tokens) = trial.sign_in(READ).await;
    let first = tokens["refresh_token"].as_str().unwrap();
    let fresh = json_body(trial.refresh(&client, first).await).await;
    let second = fresh["refresh_token"].as_str().unwrap();
    assert_ne!(first, second);
    let other = trial.public_client().await;
    let stolen = error_of(trial.refresh(&other, second).await).await;
    assert_eq!(stolen, (400, "invalid_grant".to_owned()));
    let access = fresh["access_token"].as_str();
    assert_eq!(
        trial.call_tool(access, "echo").await.status(),
        StatusCode::OK
    );
    let again = error_of(trial.refresh(&client, first).await).await;
    assert_eq!(again, (400, "invalid_grant".to_owned()));
    assert_eq!(
        trial.call_tool(access, "echo").await.status(),
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        trial.refresh(&client, second).await.status(),
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn a_refresh_token_may_be_kept() {
    let trial = Trial::start(&["--keep-refresh-token"]).await;
    let (client, tokens) = trial.sign_in(READ).await;
    let token = tokens["refresh_token"].as_str().unwrap();
    for _ in 0..2 {
        let fresh = json_body(trial.refresh(&client, token).await).await;
        assert_eq!(fresh.get("refresh_token"), None);
        assert!(fresh["access_token"].is_string());
    }
}

#[tokio::test]
async fn revoking_ends_what_was_given() {
    let trial = Trial::start(&[]).await;
    let (client, tokens) = trial.sign_in(READ).await;
    let access = tokens["access_token"].as_str().unwrap();
    let refresh = tokens["refresh_token"].as_str().unwrap();
    let other = trial.public_client().await;
    let by_another = [("token", refresh), ("client_id", other.as_str())];
    assert_eq!(
        trial.form("/revoke", &by_another).await.status(),
        StatusCode::OK
    );
    assert_eq!(
        trial.call_tool(Some(access), "echo").await.status(),
        StatusCode::OK,
        "only its own client takes a token back"
    );
    let own = [("token", refresh), ("client_id", client.as_str())];
    assert_eq!(trial.form("/revoke", &own).await.status(), StatusCode::OK);
    assert_eq!(
        trial.call_tool(Some(access), "echo").await.status(),
        StatusCode::UNAUTHORIZED
    );
    let unknown = [("token", "nonsense"), ("client_id", client.as_str())];
    assert_eq!(
        trial.form("/revoke", &unknown).await.status(),
        StatusCode::OK
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_request_for_a_token() {
    let trial = Trial::start(&[]).await;
    let client = trial.public_client().await;
    let other = trial.public_client().await;
    for (changed, status, error) in [
        (("code", "nonsense"), 400, "invalid_grant"),
        (("code_verifier", "another"), 400, "invalid_grant"),
        (("code_verifier", ""), 400, "invalid_request"),
        (
            ("redirect_uri", "http://127.0.0.1:3/callback"),
            400,
            "invalid_grant",
        ),
        (("client_id", other.as_str()), 400, "invalid_grant"),
        (("client_id", "nobody"), 401, "invalid_client"),
        (("client_id", ""), 401, "invalid_client"),
        (("resource", ""), 400, "invalid_target"),
        (("grant_type", "password"), 400, "unsupported_grant_type"),
    ] {
        let code = trial.code(&client, READ).await;
        let refused = error_of(trial.exchange(&client, &code, &[changed]).await).await;
        assert_eq!(refused, (status, error.to_owned()), "{changed:?}");
        // A refused request does not use the code up.
        let taken = trial.exchange(&client, &code, &[]).await;
        assert_eq!(taken.status(), StatusCode::OK, "{changed:?}");
    }
    let code = trial.code(&client, READ).await;
    let tokens = json_body(trial.exchange(&client, &code, &[]).await).await;
    let again = error_of(trial.exchange(&client, &code, &[]).await).await;
    assert_eq!(again, (400, "invalid_grant".to_owned()));
    assert_eq!(
        trial
            .call_tool(tokens["access_token"].as_str(), "echo")
            .await
            .status(),
        StatusCode::UNAUTHORIZED,
        "a code that was used twice may have been stolen"
    );
}
