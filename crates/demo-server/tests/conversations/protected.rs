//! The protected server and its authorization server, as a client and a browser see them.

use std::collections::HashMap;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use url::Url;

use crate::support::{Http, call, header, json_body, modern, soon};

const BACK: &str = "http://127.0.0.1:1/callback";
const VERIFIER: &str = "a-verifier-that-is-long-enough-to-be-one-of-them-0";
const READ: &str = "guide:read offline_access";

/// A protected server and whoever tries it: redirects are looked at, not followed.
struct Trial {
    server: Http,
    browser: Client,
    issuer: String,
}

impl Trial {
    async fn start(arguments: &[&str]) -> Self {
        let server = Http::start_with(&[&["--protected"], arguments].concat()).await;
        let browser = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        let issuer = server.url.replace("/mcp", "/auth");
        Self {
            server,
            browser,
            issuer,
        }
    }

    async fn get(&self, path: &str) -> Response {
        let url = Url::parse(&self.server.url).unwrap().join(path).unwrap();
        soon(self.browser.get(url).send()).await.unwrap()
    }

    async fn form(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let request = self
            .browser
            .post(format!("{}{path}", self.issuer))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body);
        soon(request.send()).await.unwrap()
    }

    async fn register(&self, metadata: Value) -> Response {
        let request = self
            .browser
            .post(format!("{}/register", self.issuer))
            .header("content-type", "application/json")
            .body(metadata.to_string());
        soon(request.send()).await.unwrap()
    }

    async fn public_client(&self) -> String {
        let reply = self
            .register(json!({
                "client_name": "Trial <b>",
                "redirect_uris": [BACK],
                "token_endpoint_auth_method": "none",
            }))
            .await;
        assert_eq!(reply.status(), StatusCode::CREATED);
        let reply = json_body(reply).await;
        assert_eq!(reply.get("client_secret"), None);
        reply["client_id"].as_str().unwrap().to_owned()
    }

    /// The address of the consent page; `changed` replaces or, where empty, removes.
    fn authorize(&self, client: &str, scope: &str, changed: &[(&str, &str)]) -> String {
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, VERIFIER.as_bytes()));
        let mut url = Url::parse(&format!("{}/authorize", self.issuer)).unwrap();
        for (name, value) in [
            ("response_type", "code"),
            ("client_id", client),
            ("redirect_uri", BACK),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("state", "s t"),
            ("scope", scope),
            ("resource", &self.server.url),
        ] {
            let value = changed
                .iter()
                .find(|(changed, _)| *changed == name)
                .map_or(value, |(_, value)| value);
            if !value.is_empty() {
                url.query_pairs_mut().append_pair(name, value);
            }
        }
        url.to_string()
    }

    async fn consent(
        &self,
        client: &str,
        scope: &str,
        allowed: &[&str],
    ) -> HashMap<String, String> {
        let page = self.get(&self.authorize(client, scope, &[])).await;
        assert_eq!(page.status(), StatusCode::OK);
        let page = soon(page.text()).await.unwrap();
        let key = hidden(&page);
        let mut fields = vec![("request", key.as_str()), ("decision", "allow")];
        fields.extend(allowed.iter().map(|scope| ("scope", *scope)));
        arrived(&self.form("/consent", &fields).await)
    }

    async fn code(&self, client: &str, scope: &str) -> String {
        let scopes: Vec<&str> = scope.split(' ').collect();
        let answer = self.consent(client, scope, &scopes).await;
        assert_eq!(answer["state"], "s t");
        assert_eq!(answer["iss"], self.issuer);
        answer["code"].clone()
    }

    /// Exchanges a code; `changed` replaces or, where empty, removes.
    async fn exchange(&self, client: &str, code: &str, changed: &[(&str, &str)]) -> Response {
        let fields = [
            ("grant_type", "authorization_code"),
            ("client_id", client),
            ("code", code),
            ("redirect_uri", BACK),
            ("code_verifier", VERIFIER),
            ("resource", &self.server.url),
        ];
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| {
                let change = changed.iter().find(|(changed, _)| changed == name);
                (*name, change.map_or(*value, |(_, value)| *value))
            })
            .filter(|(_, value)| !value.is_empty())
            .collect();
        self.form("/token", &fields).await
    }

    async fn refresh(&self, client: &str, token: &str) -> Response {
        let fields = [
            ("grant_type", "refresh_token"),
            ("client_id", client),
            ("refresh_token", token),
            ("resource", &self.server.url),
        ];
        self.form("/token", &fields).await
    }

    /// Signs in for these scopes; gives the client and what the token endpoint said.
    async fn sign_in(&self, scope: &str) -> (String, Value) {
        let client = self.public_client().await;
        let code = self.code(&client, scope).await;
        let reply = self.exchange(&client, &code, &[]).await;
        assert_eq!(reply.status(), StatusCode::OK);
        assert_eq!(header(&reply, "cache-control"), Some("no-store"));
        (client, json_body(reply).await)
    }

    async fn call_tool(&self, token: Option<&str>, tool: &str) -> Response {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": modern(call(tool, json!({ "text": "hi" }))),
        });
        let bearer = token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", tool),
        ];
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        self.server.post(&message, &headers).await
    }
}

/// The request that a consent page is about.
fn hidden(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"request\" value=\"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

/// What a redirect brings.
fn arrived(reply: &Response) -> HashMap<String, String> {
    assert_eq!(reply.status(), StatusCode::SEE_OTHER);
    let location = header(reply, "location").unwrap();
    assert!(location.starts_with(BACK), "{location}");
    Url::parse(location)
        .unwrap()
        .query_pairs()
        .into_owned()
        .collect()
}

async fn error_of(reply: Response) -> (u16, String) {
    let status = reply.status().as_u16();
    let body = json_body(reply).await;
    assert!(body["error_description"].is_string(), "{body}");
    (status, body["error"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn the_way_from_the_refusal_to_a_call_with_a_token() {
    let trial = Trial::start(&["--token-seconds", "120"]).await;
    let refused = trial.call_tool(None, "echo").await;
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    let challenge = header(&refused, "www-authenticate").unwrap().to_owned();
    assert!(challenge.contains("scope=\"guide:read\""), "{challenge}");
    assert!(!challenge.contains("error="), "{challenge}");
    let (_, place) = challenge.split_once("resource_metadata=\"").unwrap();
    let resource = json_body(trial.get(place.split_once('"').unwrap().0).await).await;
    assert_eq!(resource["resource"], trial.server.url);
    assert_eq!(resource["authorization_servers"], json!([trial.issuer]));
    let metadata = json_body(
        trial
            .get("/.well-known/oauth-authorization-server/auth")
            .await,
    )
    .await;
    assert_eq!(metadata["issuer"], trial.issuer);
    assert_eq!(
        metadata["code_challenge_methods_supported"],
        json!(["S256"])
    );
    assert_eq!(metadata["client_id_metadata_document_supported"], true);

    let (_, tokens) = trial.sign_in(READ).await;
    assert_eq!(tokens["token_type"], "Bearer");
    assert_eq!(tokens["expires_in"], 120);
    assert_eq!(tokens["scope"], READ);
    let token = tokens["access_token"].as_str().unwrap();
    let claims = token.split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    assert_eq!(claims["aud"], trial.server.url);
    assert_eq!(claims["iss"], trial.issuer);
    let answer = json_body(trial.call_tool(Some(token), "echo").await).await;
    assert_eq!(answer["result"]["content"][0]["text"], "hi");
    // The published key is the one that signed.
    let keys = json_body(trial.get("/auth/jwks").await).await;
    let coordinate = |name: &str| {
        URL_SAFE_NO_PAD
            .decode(keys["keys"][0][name].as_str().unwrap())
            .unwrap()
    };
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    aws_lc_rs::signature::UnparsedPublicKey::new(
        &aws_lc_rs::signature::ECDSA_P256_SHA256_FIXED,
        point,
    )
    .verify(
        signed.as_bytes(),
        &URL_SAFE_NO_PAD.decode(signature).unwrap(),
    )
    .unwrap();
}

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

#[tokio::test]
async fn another_name_for_this_machine_reaches_nothing() {
    let trial = Trial::start(&[]).await;
    let request = trial
        .browser
        .get(format!("{}/jwks", trial.issuer))
        .header("host", "attacker.example");
    let reply = soon(request.send()).await.unwrap();
    assert_eq!(reply.status(), StatusCode::MISDIRECTED_REQUEST);
}
