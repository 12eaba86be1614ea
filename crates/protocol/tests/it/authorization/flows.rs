//! Whole flows: what is asked, in which order, and which rule ends it.

use protocol::authorization::client::Preregistered;
use protocol::authorization::flow::{Flow, How, Plan, Reply, Request, Step, Wishes};
use protocol::authorization::redirect::Pkce;
use protocol::authorization::token::Grant;
use protocol::authorization::trace::{Failure, Verdict};
use serde_json::{Value, json};
use url::Url;

const SERVER: &str = "https://mcp.example/mcp";

fn plan() -> Plan {
    Plan {
        server: Url::parse(SERVER).expect("a URL"),
        refusal: Some((
            401,
            vec!["Bearer resource_metadata=\"https://mcp.example/.well-known/oauth-protected-resource/mcp\", scope=\"read\"".to_owned()],
        )),
        before: Vec::new(),
        wishes: Wishes::default(),
        how: How::Person,
        preregistered: None,
        known: Vec::new(),
        redirect_uri: "http://127.0.0.1:5000/callback".to_owned(),
        pkce: Pkce {
            verifier: "the-verifier".to_owned(),
            challenge: "the-challenge".to_owned(),
        },
        state: "the-state".to_owned(),
    }
}

fn resource() -> Value {
    json!({ "resource": SERVER, "authorization_servers": ["https://as.example"] })
}

fn metadata() -> Value {
    json!({
        "issuer": "https://as.example",
        "authorization_endpoint": "https://as.example/authorize?tenant=1",
        "token_endpoint": "https://as.example/token",
        "registration_endpoint": "https://as.example/register",
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": true,
    })
}

/// An authorization server, document by document.
struct Script {
    resource: (u16, Value),
    metadata: (u16, Value),
    registration: (u16, Value),
    token: (u16, Value),
    answer: Vec<(&'static str, &'static str)>,
    /// What was asked, in order.
    asked: Vec<String>,
    bodies: Vec<String>,
}

impl Script {
    fn new() -> Self {
        Self {
            resource: (200, resource()),
            metadata: (200, metadata()),
            registration: (201, json!({ "client_id": "given" })),
            token: (
                200,
                json!({ "access_token": "the-token", "token_type": "Bearer", "expires_in": 60 }),
            ),
            answer: vec![
                ("code", "the-code"),
                ("state", "the-state"),
                ("iss", "https://as.example"),
            ],
            asked: Vec::new(),
            bodies: Vec::new(),
        }
    }

    fn reply(&mut self, request: &Request) -> Reply {
        let path = Url::parse(&request.url).expect("a URL").path().to_owned();
        self.asked.push(path.clone());
        self.bodies.push(request.body.clone());
        let (status, body) = match path.as_str() {
            "/.well-known/oauth-protected-resource/mcp" => self.resource.clone(),
            "/.well-known/oauth-authorization-server" => self.metadata.clone(),
            "/register" => self.registration.clone(),
            "/token" => self.token.clone(),
            _ => (404, json!({})),
        };
        Reply {
            status,
            challenges: Vec::new(),
            body: body.to_string().into_bytes(),
            now_micros: 1_000_000,
        }
    }

    fn play(&mut self, plan: Plan) -> (Flow, Result<Box<Grant>, Failure>) {
        let (mut flow, mut step) = Flow::start(plan, 0);
        loop {
            step = match step {
                Step::Fetch(request) => {
                    let reply = self.reply(&request);
                    flow.fetched(&reply)
                }
                Step::Visit { url } => {
                    self.asked.push(url);
                    let answer: Vec<(String, String)> = self
                        .answer
                        .iter()
                        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                        .collect();
                    flow.returned(&answer, 2_000_000)
                }
                Step::Done(grant) => return (flow, Ok(grant)),
                Step::Failed(failure) => return (flow, Err(failure)),
            };
        }
    }
}

fn failing_clause(flow: &Flow) -> String {
    flow.traces()
        .iter()
        .flat_map(|trace| &trace.checks)
        .find(|check| check.verdict == Verdict::Failed)
        .map(|check| check.clause.clone())
        .unwrap_or_default()
}

#[test]
fn a_sign_in_from_the_refusal_to_the_token() {
    let mut script = Script::new();
    let (flow, outcome) = script.play(plan());
    let grant = outcome.expect("signed in");
    assert_eq!(
        script.asked,
        [
            "/.well-known/oauth-protected-resource/mcp",
            "/.well-known/oauth-authorization-server",
            "/register",
            "https://as.example/authorize?tenant=1&response_type=code&client_id=given&redirect_uri=http%3A%2F%2F127.0.0.1%3A5000%2Fcallback&state=the-state&code_challenge=the-challenge&code_challenge_method=S256&scope=read&resource=https%3A%2F%2Fmcp.example%2Fmcp",
            "/token"
        ]
    );
    assert_eq!(
        script.bodies.last().expect("a body"),
        "grant_type=authorization_code&code=the-code&redirect_uri=http%3A%2F%2F127.0.0.1%3A5000%2Fcallback&code_verifier=the-verifier&resource=https%3A%2F%2Fmcp.example%2Fmcp&client_id=given"
    );
    assert_eq!(grant.access_token, "the-token");
    assert_eq!(grant.client.issuer, "https://as.example");
    assert_eq!(grant.granted, ["read"]);
    assert_eq!(grant.expires_micros, Some(61_000_000));
    // What is shown holds nothing that anybody could use.
    let shown = format!("{:?}", flow.traces());
    for secret in ["the-code", "the-verifier", "the-token"] {
        assert!(!shown.contains(secret), "{secret} is in {shown}");
    }
    assert!(flow.traces().iter().all(|trace| trace.decision.is_some()));
    assert_eq!(failing_clause(&flow), "");
}

#[test]
fn each_rule_that_protects_the_person_ends_the_flow_before_a_token_is_asked_for() {
    type Change = fn(&mut Script);
    let cases: [(&str, Change, &str); 9] = [
        (
            "another issuer",
            |s| s.metadata.1["issuer"] = json!("https://as.example/"),
            "RFC 8414 § 3.3",
        ),
        (
            "another resource",
            |s| s.resource.1["resource"] = json!("https://evil.example/mcp"),
            "RFC 9728 § 3.3",
        ),
        (
            "no PKCE",
            |s| s.metadata.1["code_challenge_methods_supported"] = Value::Null,
            "Code Protection",
        ),
        (
            "only plain PKCE",
            |s| s.metadata.1["code_challenge_methods_supported"] = json!(["plain"]),
            "Code Protection",
        ),
        (
            "plain HTTP",
            |s| s.metadata.1["token_endpoint"] = json!("http://as.example/token"),
            "Communication Security",
        ),
        (
            "no authorization server",
            |s| s.resource.1["authorization_servers"] = json!([]),
            "Authorization Server Location",
        ),
        (
            "another state",
            |s| s.answer[1] = ("state", "guessed"),
            "Open Redirection",
        ),
        (
            "another iss",
            |s| s.answer[2] = ("iss", "https://evil.example"),
            "Authorization Response Validation",
        ),
        (
            "no iss",
            |s| s.answer.truncate(2),
            "Authorization Response Validation",
        ),
    ];
    for (name, change, clause) in cases {
        let mut script = Script::new();
        change(&mut script);
        let (flow, outcome) = script.play(plan());
        let failure = outcome.expect_err(name);
        assert!(
            failing_clause(&flow).contains(clause),
            "{name}: {}",
            failing_clause(&flow)
        );
        assert!(failure.hint.is_some(), "{name}");
        assert!(
            !script.asked.contains(&"/token".to_owned()),
            "{name}: {:?}",
            script.asked
        );
    }
}

#[test]
fn what_another_server_says_is_not_shown() {
    let mut script = Script::new();
    script.answer = vec![
        ("error", "gotcha"),
        ("error_description", "call this number"),
        ("state", "the-state"),
        ("iss", "https://evil.example"),
    ];
    let (flow, outcome) = script.play(plan());
    let failure = outcome.expect_err("refused");
    let shown = format!("{failure:?} {:?}", flow.traces());
    assert!(
        !shown.contains("gotcha") && !shown.contains("call this number"),
        "{shown}"
    );
}

#[test]
fn a_document_that_is_not_there_is_looked_for_elsewhere() {
    let mut script = Script::new();
    script.resource.0 = 404;
    script.metadata.0 = 410;
    let mut plan = plan();
    plan.refusal = Some((401, vec!["Bearer".to_owned()]));
    let (_, outcome) = script.play(plan);
    let failure = outcome.expect_err("nothing is anywhere");
    assert_eq!(
        script.asked,
        [
            "/.well-known/oauth-protected-resource/mcp",
            "/.well-known/oauth-protected-resource",
            "/.well-known/oauth-authorization-server",
            "/.well-known/openid-configuration"
        ]
    );
    assert!(
        failure.message.contains("https://mcp.example"),
        "{}",
        failure.message
    );
}

#[test]
fn a_server_without_registration_asks_for_an_identity() {
    let mut script = Script::new();
    script.metadata.1["registration_endpoint"] = Value::Null;
    let (_, outcome) = script.play(plan());
    let failure = outcome.expect_err("no identity");
    assert!(failure.asks_for_client);
    let hint = failure.hint.expect("what to do");
    assert!(hint.contains("http://127.0.0.1:5000/callback"), "{hint}");
}

#[test]
fn an_identity_of_another_server_is_not_used() {
    let mut script = Script::new();
    let mut plan = plan();
    plan.preregistered = Some(Preregistered {
        id: "mine".to_owned(),
        issuer: Some("https://old.example".to_owned()),
        ..Preregistered::default()
    });
    let (flow, outcome) = script.play(plan);
    assert!(
        outcome
            .expect_err("refused")
            .message
            .contains("https://old.example")
    );
    assert!(failing_clause(&flow).contains("Authorization Server Binding"));
}

#[test]
fn a_refused_resource_leads_to_the_switch() {
    let mut script = Script::new();
    script.token = (
        400,
        json!({ "error": "invalid_request", "error_description": "AADSTS9010010: The resource parameter…" }),
    );
    let (_, outcome) = script.play(plan());
    let hint = outcome.expect_err("refused").hint.expect("a hint");
    assert!(hint.contains("leave it out"), "{hint}");
    let mut script = Script::new();
    let mut plan = plan();
    plan.wishes.omits_resource = true;
    let (_, outcome) = script.play(plan);
    assert_eq!(outcome.expect("signed in").resource, None);
    assert!(
        !script
            .asked
            .iter()
            .chain(&script.bodies)
            .any(|text| text.contains("resource="))
    );
}

#[test]
fn step_up_asks_for_the_union() {
    let mut script = Script::new();
    let mut plan = plan();
    plan.before = vec!["read".to_owned()];
    plan.refusal = Some((
        403,
        vec!["Bearer error=\"insufficient_scope\", scope=\"write\", resource_metadata=\"https://mcp.example/.well-known/oauth-protected-resource/mcp\"".to_owned()],
    ));
    let (_, outcome) = script.play(plan);
    assert_eq!(outcome.expect("signed in").requested, ["read", "write"]);
}

#[test]
fn client_credentials_need_no_browser_and_no_pkce() {
    let mut script = Script::new();
    script.metadata.1["code_challenge_methods_supported"] = Value::Null;
    script.metadata.1["token_endpoint_auth_methods_supported"] = json!(["client_secret_basic"]);
    let mut plan = plan();
    plan.how = How::ClientCredentials;
    plan.preregistered = Some(Preregistered {
        id: "me".to_owned(),
        secret: Some("hush".to_owned()),
        ..Preregistered::default()
    });
    let (_, outcome) = script.play(plan);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(
        script.bodies.last().expect("a body"),
        "grant_type=client_credentials&scope=read&resource=https%3A%2F%2Fmcp.example%2Fmcp"
    );
}
