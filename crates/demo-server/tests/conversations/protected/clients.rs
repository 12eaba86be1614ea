//! Who a client is: registered, with a secret or without, or the URL of a document.

use reqwest::StatusCode;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::{BACK, READ, Trial, VERIFIER, error_of};
use crate::support::{json_body, soon};

#[tokio::test]
async fn clients_with_a_secret_prove_who_they_are_as_they_registered() {
    let trial = Trial::start(&[]).await;
    for method in ["client_secret_basic", "client_secret_post"] {
        let registered = json_body(
            trial
                .register(json!({ "redirect_uris": [BACK], "token_endpoint_auth_method": method }))
                .await,
        )
        .await;
        let id = registered["client_id"].as_str().unwrap();
        let secret = registered["client_secret"].as_str().unwrap();
        let code = trial.code(id, READ).await;
        let without = error_of(trial.exchange(id, &code, &[]).await).await;
        assert_eq!(without, (401, "invalid_client".to_owned()));
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("code_verifier", VERIFIER),
            ("resource", &trial.server.url),
            ("client_id", id),
            ("client_secret", secret),
        ];
        let is_basic = method == "client_secret_basic";
        let kept = if is_basic { &fields[..4] } else { &fields[..] };
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(kept)
            .finish();
        let mut request = trial
            .browser
            .post(format!("{}/token", trial.issuer))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body);
        if is_basic {
            request = request.basic_auth(id, Some(secret));
        }
        let reply = soon(request.send()).await.unwrap();
        assert_eq!(reply.status(), StatusCode::OK, "{method}");
    }
    for (metadata, error) in [
        (json!({}), "invalid_redirect_uri"),
        (
            json!({ "redirect_uris": ["http://example.com/"] }),
            "invalid_redirect_uri",
        ),
        (
            json!({ "redirect_uris": ["javascript:alert(1)"] }),
            "invalid_redirect_uri",
        ),
        (
            json!({ "redirect_uris": [BACK], "token_endpoint_auth_method": "tls_client_auth" }),
            "invalid_client_metadata",
        ),
        (json!([]), "invalid_client_metadata"),
    ] {
        let refused = error_of(trial.register(metadata.clone()).await).await;
        assert_eq!(refused, (400, error.to_owned()), "{metadata}");
    }
    let closed = Trial::start(&["--no-registration"]).await;
    let metadata = json_body(
        closed
            .get("/.well-known/oauth-authorization-server/auth")
            .await,
    )
    .await;
    assert_eq!(metadata.get("registration_endpoint"), None);
    assert_eq!(
        closed.register(json!({})).await.status(),
        StatusCode::NOT_FOUND
    );
}

/// Serves one document, at a path of its own, as often as it is asked for.
async fn document(make: impl Fn(&str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/client.json", listener.local_addr().unwrap());
    let own = url.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 2048];
            let _read = stream.read(&mut head).await;
            let body = make(&own);
            let reply = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let _written = stream.write_all(reply.as_bytes()).await;
        }
    });
    url
}

#[tokio::test]
async fn a_client_may_be_the_url_of_a_document() {
    let trial = Trial::start(&[]).await;
    let id = document(|own| {
        json!({ "client_id": own, "client_name": "Of a document", "redirect_uris": [BACK] })
            .to_string()
    })
    .await;
    let code = trial.code(&id, READ).await;
    assert_eq!(
        trial.exchange(&id, &code, &[]).await.status(),
        StatusCode::OK
    );

    let of_another = document(|_| {
        json!({ "client_id": "https://a.example/x", "client_name": "x", "redirect_uris": [BACK] })
            .to_string()
    })
    .await;
    let nameless =
        document(|own| json!({ "client_id": own, "redirect_uris": [BACK] }).to_string()).await;
    let long = document(|_| "x".repeat(6000)).await;
    for (id, why) in [
        (of_another.as_str(), "its own URL"),
        (nameless.as_str(), "client_name"),
        (long.as_str(), "5 KB"),
        ("https://localhost/x", "https URL with a path"),
        ("https://10.0.0.1/x", "https URL with a path"),
        ("http://example.com/x", "https URL with a path"),
    ] {
        let page = trial.get(&trial.authorize(id, READ, &[])).await;
        assert_eq!(page.status(), StatusCode::BAD_REQUEST, "{id}");
        let page = soon(page.text()).await.unwrap();
        assert!(page.contains(why), "{id}: {page}");
    }
}
