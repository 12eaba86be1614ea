//! Servers and authorization servers that break one rule each: the step that fails says which, by which clause, and what is
//! to be changed, and so does what the person is told.

use std::sync::Arc;

use app::api::servers::EraChoice;
use app::api::sign_in::{SignInState, SignInStep, SignInView};
use protocol::authorization::trace::{Check, Stage, Verdict};
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::{Listener, Received, Talk};
use tests::person;

/// What a document says in place of what it should.
#[derive(Clone, Default)]
struct Fault {
    resource: Value,
    server: Value,
    answer: Vec<(&'static str, &'static str)>,
    registration: Option<(&'static str, Value)>,
    token: Option<(&'static str, Value)>,
}

/// The rule, its clause and the advice; `{base}` is where the server is.
struct Rule {
    stage: Stage,
    what: &'static str,
    clause: &'static str,
    advice: &'static str,
}

const OK: &str = "200 OK";
const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

fn with(mut document: Value, changes: &Value, base: &str) -> String {
    for (name, value) in changes.as_object().into_iter().flatten() {
        if value.is_null() {
            document.as_object_mut().expect("an object").remove(name);
        } else {
            document[name] = value.clone();
        }
    }
    document.to_string().replace("{base}", base)
}

async fn answer(fault: Arc<Fault>, asked: Received, mut talk: Talk) {
    let host = asked.header("host").unwrap_or_default().to_owned();
    let base = format!("http://{host}");
    let path = asked.path.split('?').next().unwrap_or_default().to_owned();
    if path.starts_with("/.well-known/oauth-protected-resource") {
        let about = json!({ "resource": "{base}/mcp", "authorization_servers": ["{base}"] });
        talk.answer(OK, &JSON, &with(about, &fault.resource, &base))
            .await;
    } else if path == "/.well-known/oauth-authorization-server" {
        let about = json!({
            "issuer": "{base}",
            "authorization_endpoint": "{base}/authorize",
            "token_endpoint": "{base}/token",
            "registration_endpoint": "{base}/register",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        });
        talk.answer(OK, &JSON, &with(about, &fault.server, &base))
            .await;
    } else if path == "/register" {
        let client =
            json!({ "client_id": "client-1", "redirect_uris": asked.message()["redirect_uris"] });
        let (status, body) = fault
            .registration
            .clone()
            .unwrap_or(("201 Created", client));
        talk.answer(status, &JSON, &body.to_string()).await;
    } else if path == "/authorize" {
        let url = url::Url::parse(&format!("{base}{}", asked.path)).expect("a URL");
        let of = |name: &str| {
            let mut pairs = url.query_pairs();
            let found = pairs.find(|(key, _)| key == name);
            found
                .map(|(_, value)| value.into_owned())
                .unwrap_or_default()
        };
        let mut given = vec![
            ("code", "code-1".to_owned()),
            ("state", of("state")),
            ("iss", base.clone()),
        ];
        for (name, value) in &fault.answer {
            given.retain(|(known, _)| known != name);
            if !value.is_empty() {
                given.push((name, (*value).to_owned()));
            }
        }
        let mut back = url::Url::parse(&of("redirect_uri")).expect("a URL");
        back.query_pairs_mut().extend_pairs(&given);
        talk.answer("302 Found", &[("location", back.as_str())], "")
            .await;
    } else if path == "/token" {
        let tokens = json!({ "access_token": "token-1", "token_type": "Bearer", "expires_in": 60 });
        let (status, body) = fault.token.clone().unwrap_or((OK, tokens));
        talk.answer(status, &JSON, &body.to_string()).await;
    } else if path == "/mcp" {
        let challenge =
            format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"");
        let headers = [("www-authenticate", challenge.as_str())];
        talk.answer("401 Unauthorized", &headers, "").await;
    } else {
        talk.answer("404 Not Found", &[], "").await;
    }
}

/// Signs in to such a server; gives what the person sees then, and where the server was.
async fn signed_in_to(fault: Fault) -> (SignInView, String) {
    let fault = Arc::new(fault);
    let listener =
        Listener::start(move |asked, talk| answer(Arc::clone(&fault), asked, talk)).await;
    let core = Core::start().await;
    let id = core
        .add_url("broken", &listener.url(), &[], EraChoice::Auto)
        .await;
    let view = tokio::select! {
        view = person::signs_in(&core, &id) => view,
        () = person::consents(&core) => panic!("it never ends"),
    };
    core.close().await;
    (view, format!("http://{}", listener.authority()))
}

async fn breaks(fault: Fault, rule: &Rule) {
    let (view, base) = signed_in_to(fault).await;
    assert_ne!(view.news.state, SignInState::SignedIn, "{view:#?}");
    let what = rule.what.replace("{base}", &base);
    let advice = rule.advice.replace("{base}", &base);
    let failed: Vec<(&SignInStep, &Check)> = view
        .steps
        .iter()
        .flat_map(|step| step.trace.checks.iter().map(move |check| (step, check)))
        .filter(|(_, check)| check.verdict == Verdict::Failed)
        .collect();
    let [(step, check)] = failed.as_slice() else {
        panic!("one rule should fail, not {failed:#?}");
    };
    assert_eq!(step.trace.stage, rule.stage);
    assert_eq!(
        **check,
        Check {
            verdict: Verdict::Failed,
            what: what.clone(),
            clause: rule.clause.to_owned(),
            advice: Some(advice.clone()),
        }
    );
    // It is the last step, and what the person is told of the whole is the same.
    let last = view.steps.last().expect("a step");
    assert_eq!(last.trace, step.trace);
    let error = view.error.expect("the person is told");
    assert_eq!(error.message, what);
    let hint = error.hint.expect("and what to try");
    assert!(hint.contains(&advice) || view.asks_for_client, "{hint}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_a_fault_is_signed_in_to() {
    let (view, _) = signed_in_to(Fault::default()).await;
    assert_eq!(view.error, None);
    assert_eq!(view.news.state, SignInState::SignedIn, "{view:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_resource_says_of_itself() {
    breaks(
        Fault {
            resource: json!({ "resource": "https://elsewhere.example/mcp" }),
            ..Fault::default()
        },
        &Rule {
            stage: Stage::ResourceMetadata,
            what: "The metadata is about https://elsewhere.example/mcp, which is not the server {base}/mcp.",
            clause: "RFC 9728 § 3.3",
            advice: "Set \"resource\" to the URL that clients connect to.",
        },
    )
    .await;
    breaks(
        Fault {
            resource: json!({ "authorization_servers": [] }),
            ..Fault::default()
        },
        &Rule {
            stage: Stage::ResourceMetadata,
            what: "The protected resource metadata names no authorization server.",
            clause: "2026-07-28 basic/authorization/authorization-server-discovery § Authorization Server Location",
            advice: "List at least one issuer in \"authorization_servers\".",
        },
    )
    .await;
    breaks(
        Fault {
            resource: json!({ "authorization_servers": ["http://as.example"] }),
            ..Fault::default()
        },
        &Rule {
            stage: Stage::ServerMetadata,
            what: "The authorization server's metadata is at http://as.example/.well-known/oauth-authorization-server, which is not HTTPS.",
            clause: "2026-07-28 basic/authorization/security-considerations § Communication Security",
            advice: "Serve it over HTTPS; plain HTTP is for this machine alone.",
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_authorization_server_says_of_itself() {
    breaks(
        Fault {
            server: json!({ "issuer": "https://evil.example" }),
            ..Fault::default()
        },
        &Rule {
            stage: Stage::ServerMetadata,
            what: "The metadata says that its issuer is https://evil.example, and it was fetched for {base}.",
            clause: "RFC 8414 § 3.3",
            advice: "Set \"issuer\" to exactly the identifier that the resource's metadata names, to the character.",
        },
    )
    .await;
    breaks(
        Fault {
            server: json!({ "code_challenge_methods_supported": ["plain"] }),
            ..Fault::default()
        },
        &Rule {
            stage: Stage::ServerMetadata,
            what: "The authorization server does not take PKCE with S256.",
            clause: "2026-07-28 basic/authorization/security-considerations § Authorization Code Protection",
            advice: "Support S256, and list it in \"code_challenge_methods_supported\".",
        },
    )
    .await;
    breaks(
        Fault {
            server: json!({ "token_endpoint": null }),
            ..Fault::default()
        },
        &Rule {
            stage: Stage::ServerMetadata,
            what: "The authorization server names no token_endpoint.",
            clause: "RFC 8414 § 2",
            advice: "Add \"token_endpoint\" to its metadata.",
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_roundtrip_is() {
    breaks(
        Fault {
            server: json!({ "registration_endpoint": null }),
            ..Fault::default()
        },
        &Rule {
            stage: Stage::Client,
            what: "{base} does not let clients register themselves, and no identity is set for it.",
            clause: "2026-07-28 basic/authorization/client-registration § Client Registration",
            advice: "Register Roundtrip there by hand and enter the client id, or let the authorization server take Client ID Metadata Documents or registrations.",
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_person_comes_back_with() {
    const ANSWER: &str = "2026-07-28 basic/authorization § Authorization Response Validation";
    breaks(
        Fault {
            answer: vec![("iss", "https://evil.example")],
            ..Fault::default()
        },
        &Rule {
            stage: Stage::Consent,
            what: "The answer comes from https://evil.example, and {base} was asked.",
            clause: ANSWER,
            advice: "Set \"iss\" to exactly the issuer of the metadata, to the character.",
        },
    )
    .await;
    breaks(
        Fault {
            answer: vec![("iss", "")],
            ..Fault::default()
        },
        &Rule {
            stage: Stage::Consent,
            what: "The answer does not say which authorization server it comes from, and this one promises to.",
            clause: ANSWER,
            advice: "Add \"iss\" to the answer, or do not set authorization_response_iss_parameter_supported.",
        },
    )
    .await;
    breaks(
        Fault {
            answer: vec![("code", ""), ("error", "access_denied")],
            ..Fault::default()
        },
        &Rule {
            stage: Stage::Consent,
            what: "The authorization server answered access_denied.",
            clause: "OAuth 2.1 § 4.1.2.1",
            advice: "Consent was not given; sign in again to give it.",
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_token_endpoint_gives() {
    breaks(
        Fault {
            token: Some(("400 Bad Request", json!({ "error": "invalid_grant" }))),
            ..Fault::default()
        },
        &Rule {
            stage: Stage::Token,
            what: "The authorization server gave no token. It answered HTTP 400: invalid_grant.",
            clause: "OAuth 2.1 § 3.2.4",
            advice: "The code or assertion was used before, is too old, or was given to another client: sign in again.",
        },
    )
    .await;
    breaks(
        Fault {
            token: Some((
                OK,
                json!({ "access_token": "token-1", "token_type": "mac" }),
            )),
            ..Fault::default()
        },
        &Rule {
            stage: Stage::Token,
            what: "The token is of the kind mac, which Roundtrip did not ask for and cannot present.",
            clause: "OAuth 2.1 § 3.2.3",
            advice: "Give Bearer tokens, or DPoP tokens to those who prove a key.",
        },
    )
    .await;
}
