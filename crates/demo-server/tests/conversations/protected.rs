//! The protected server and its authorization server, as a client and a browser see them.

mod clients;
mod consent;
mod tokens;

use std::collections::HashMap;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
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
async fn another_name_for_this_machine_reaches_nothing() {
    let trial = Trial::start(&[]).await;
    let request = trial
        .browser
        .get(format!("{}/jwks", trial.issuer))
        .header("host", "attacker.example");
    let reply = soon(request.send()).await.unwrap();
    assert_eq!(reply.status(), StatusCode::MISDIRECTED_REQUEST);
}
