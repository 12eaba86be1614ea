//! The rules of sign-in, one by one.

use proptest::prelude::*;
use protocol::authorization::challenge::{self, for_tokens};
use protocol::authorization::client::{
    AuthMethod, Choice, Client, ClientKind, Options, Preregistered, choose, registered,
    registration,
};
use protocol::authorization::documents::{ResourceMetadata, ServerMetadata};
use protocol::authorization::redirect::{Refusal, code};
use protocol::authorization::scope::{Sources, select, split};
use protocol::authorization::token::{self, Grant, GrantKind};
use protocol::authorization::{claims, discovery};
use url::Url;

fn words(text: &str) -> Vec<String> {
    split(text)
}

#[test]
fn challenges_are_read_whatever_stands_beside_them() {
    let shown = |value: &str| -> Vec<String> {
        challenge::read(value)
            .iter()
            .map(|one| {
                let parameters: Vec<String> = one
                    .parameters
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                format!("{}[{}]", one.scheme, parameters.join(";"))
            })
            .collect()
    };
    for (value, expected) in [
        ("Bearer", vec!["Bearer[]"]),
        (
            "Bearer realm=\"a, b\", scope=\"x y\"",
            vec!["Bearer[realm=a, b;scope=x y]"],
        ),
        (
            "Basic realm=\"old\", Bearer error=invalid_token, resource_metadata=\"https://a/b\"",
            vec![
                "Basic[realm=old]",
                "Bearer[error=invalid_token;resource_metadata=https://a/b]",
            ],
        ),
        (
            "Negotiate abc==, Bearer scope=\"z\"",
            vec!["Negotiate[]", "Bearer[scope=z]"],
        ),
        (
            "NTLM, bearer SCOPE=\"q\"",
            vec!["NTLM[]", "bearer[scope=q]"],
        ),
        (
            "Bearer error_description=\"say \\\"hi\\\"\"",
            vec!["Bearer[error_description=say \"hi\"]"],
        ),
        (
            "Bearer scope = \"a\" , realm = b",
            vec!["Bearer[scope=a;realm=b]"],
        ),
        (",,\u{0} ;Bearer scope=\"open", vec!["Bearer[scope=open]"]),
        ("", vec![]),
    ] {
        assert_eq!(shown(value), expected, "{value:?}");
    }
}

#[test]
fn of_several_challenges_the_one_with_metadata_counts() {
    let values = [
        "Bearer realm=\"first\"".to_owned(),
        "Bearer resource_metadata=\"https://s/.well-known/oauth-protected-resource\"".to_owned(),
    ];
    let found = for_tokens(&values).expect("a challenge");
    assert_eq!(
        found.resource_metadata(),
        Some("https://s/.well-known/oauth-protected-resource")
    );
    assert_eq!(for_tokens(&["Basic realm=\"x\"".to_owned()]), None);
}

proptest! {
    #[test]
    fn no_challenge_or_document_makes_it_panic(text in ".{0,200}", bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for one in challenge::read(&text) {
            prop_assert!(!one.scheme.is_empty());
        }
        let _read = ResourceMetadata::read(&bytes);
        let _read = ServerMetadata::read(&bytes);
        let _read = token::read(200, &bytes);
        let _read = claims::read(&text);
        let _urls = discovery::server_metadata_urls(&text);
    }
}

#[test]
fn documents_are_looked_for_in_the_specified_order() {
    let of_resource =
        |url: &str| discovery::resource_metadata_urls(&Url::parse(url).expect("a URL"));
    assert_eq!(
        of_resource("https://example.com/public/mcp"),
        [
            "https://example.com/.well-known/oauth-protected-resource/public/mcp",
            "https://example.com/.well-known/oauth-protected-resource"
        ]
    );
    assert_eq!(
        of_resource("https://u:p@example.com/#x"),
        ["https://example.com/.well-known/oauth-protected-resource"]
    );
    assert_eq!(
        discovery::server_metadata_urls("https://auth.example.com/tenant1"),
        [
            "https://auth.example.com/.well-known/oauth-authorization-server/tenant1",
            "https://auth.example.com/.well-known/openid-configuration/tenant1",
            "https://auth.example.com/tenant1/.well-known/openid-configuration"
        ]
    );
    assert_eq!(
        discovery::server_metadata_urls("https://auth.example.com/"),
        [
            "https://auth.example.com/.well-known/oauth-authorization-server",
            "https://auth.example.com/.well-known/openid-configuration"
        ]
    );
    assert!(discovery::server_metadata_urls("not a URL").is_empty());
}

#[test]
fn a_resource_stands_for_its_server_and_what_is_below() {
    let server = Url::parse("https://mcp.example.com/server/mcp").expect("a URL");
    for (resource, stands) in [
        ("https://mcp.example.com/server/mcp", true),
        ("https://mcp.example.com/server/mcp/", true),
        ("https://mcp.example.com/server", true),
        ("https://mcp.example.com", true),
        ("https://mcp.example.com/serv", false),
        ("https://mcp.example.com/server/mcp/deeper", false),
        ("http://mcp.example.com/server/mcp", false),
        ("https://evil.example.com/server/mcp", false),
        ("https://mcp.example.com/server/mcp#x", false),
        ("mcp.example.com", false),
    ] {
        assert_eq!(
            discovery::stands_for(resource, &server),
            stands,
            "{resource}"
        );
    }
    let canonical = |url: &str| discovery::canonical(&Url::parse(url).expect("a URL"));
    assert_eq!(
        canonical("HTTPS://MCP.example.com"),
        "https://mcp.example.com"
    );
    assert_eq!(
        canonical("https://mcp.example.com/mcp"),
        "https://mcp.example.com/mcp"
    );
}

#[test]
fn only_https_and_this_machine_are_protected() {
    for (url, protected) in [
        ("https://a.example", true),
        ("http://a.example", false),
        ("http://127.0.0.1:3000/x", true),
        ("http://[::1]/x", true),
        ("http://localhost/x", true),
        ("http://localhost.evil.example/x", false),
        ("ftp://localhost/x", false),
    ] {
        assert_eq!(
            discovery::is_protected(&Url::parse(url).expect("a URL")),
            protected,
            "{url}"
        );
    }
}

#[test]
fn scopes_are_chosen_by_priority() {
    let some = words("a b");
    let offline = words("a b offline_access");
    let challenged = words("c");
    let before = words("a");
    let empty: Vec<String> = Vec::new();
    let none = Sources::default();
    let chosen = |sources: &Sources<'_>| select(sources).0.join(" ");
    assert_eq!(chosen(&none), "");
    assert_eq!(
        chosen(&Sources {
            of_resource: Some(&some),
            ..none.clone()
        }),
        "a b"
    );
    assert_eq!(
        chosen(&Sources {
            of_resource: Some(&some),
            challenged: &challenged,
            ..none.clone()
        }),
        "c"
    );
    // Step-up: the union, so that nothing is lost.
    assert_eq!(
        chosen(&Sources {
            before: &before,
            challenged: &challenged,
            ..none.clone()
        }),
        "a c"
    );
    // offline_access only where it is offered, and never alone.
    assert_eq!(
        chosen(&Sources {
            of_resource: Some(&some),
            of_server: &offline,
            ..none.clone()
        }),
        "a b offline_access"
    );
    assert_eq!(
        chosen(&Sources {
            of_server: &offline,
            ..none.clone()
        }),
        ""
    );
    assert_eq!(
        chosen(&Sources {
            chosen: Some(&empty),
            challenged: &challenged,
            of_server: &offline,
            ..none
        }),
        "",
        "what the person wants is what is asked for"
    );
}

fn metadata() -> ServerMetadata {
    ServerMetadata {
        issuer: Some("https://as".to_owned()),
        registration_endpoint: Some("https://as/register".to_owned()),
        takes_metadata_documents: true,
        ..ServerMetadata::default()
    }
}

fn dynamic(issuer: &str, redirect_uri: &str) -> Client {
    Client {
        issuer: issuer.to_owned(),
        id: "given".to_owned(),
        secret: Some("s".to_owned()),
        method: AuthMethod::ClientSecretPost,
        kind: ClientKind::Dynamic,
        redirect_uri: Some(redirect_uri.to_owned()),
        secret_expires_seconds: None,
        registration_token: None,
    }
}

#[test]
fn identities_are_chosen_by_priority_and_only_for_their_issuer() {
    let metadata = metadata();
    let entered = Preregistered {
        id: "mine".to_owned(),
        ..Preregistered::default()
    };
    let known = [dynamic("https://as", "http://127.0.0.1:1/callback")];
    let all = Options {
        issuer: "https://as",
        metadata: &metadata,
        preregistered: Some(&entered),
        metadata_document: Some("https://rt.example/client.json"),
        known: &known,
        redirect_uri: "http://127.0.0.1:1/callback",
        now_seconds: 100,
    };
    let id = |options: &Options<'_>| match choose(options) {
        Choice::Use(client, _) => client.id,
        Choice::Register { .. } => "register".to_owned(),
        Choice::Ask => "ask".to_owned(),
        Choice::OfAnother(issuer) => format!("of {issuer}"),
    };
    assert_eq!(id(&all), "mine");
    let without = Options {
        preregistered: None,
        ..all
    };
    assert_eq!(id(&without), "https://rt.example/client.json");
    let without = Options {
        metadata_document: None,
        ..without
    };
    assert_eq!(id(&without), "given");
    assert_eq!(
        id(&Options {
            redirect_uri: "http://127.0.0.1:2/callback",
            ..without
        }),
        "register",
        "another port is another redirect URI"
    );
    assert_eq!(
        id(&Options {
            issuer: "https://other",
            ..without
        }),
        "register",
        "credentials of another authorization server are not reused"
    );
    let mut expired = known.clone();
    expired[0].secret_expires_seconds = Some(100);
    assert_eq!(
        id(&Options {
            known: &expired,
            ..without
        }),
        "register"
    );
    let closed = ServerMetadata {
        registration_endpoint: None,
        ..metadata.clone()
    };
    assert_eq!(
        id(&Options {
            metadata: &closed,
            known: &[],
            ..without
        }),
        "ask"
    );
    let bound = Preregistered {
        issuer: Some("https://elsewhere".to_owned()),
        ..entered.clone()
    };
    assert_eq!(
        id(&Options {
            preregistered: Some(&bound),
            ..all
        }),
        "of https://elsewhere"
    );
}

#[test]
fn a_client_proves_who_it_is_as_the_server_takes_it() {
    let method = |taken: Option<&str>, secret: bool, has_key: bool| {
        let metadata = ServerMetadata {
            token_endpoint_auth_methods: taken.map(words),
            ..ServerMetadata::default()
        };
        let entered = Preregistered {
            id: "me".to_owned(),
            secret: secret.then(|| "secret".to_owned()),
            has_key,
            ..Preregistered::default()
        };
        let choice = choose(&Options {
            issuer: "https://as",
            metadata: &metadata,
            preregistered: Some(&entered),
            metadata_document: None,
            known: &[],
            redirect_uri: "",
            now_seconds: 0,
        });
        match choice {
            Choice::Use(client, _) => client.method.name(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(method(None, true, false), "client_secret_basic");
    assert_eq!(
        method(Some("client_secret_post"), true, false),
        "client_secret_post"
    );
    assert_eq!(
        method(Some("private_key_jwt client_secret_basic"), true, true),
        "private_key_jwt"
    );
    assert_eq!(
        method(Some("private_key_jwt client_secret_basic"), true, false),
        "client_secret_basic"
    );
    assert_eq!(method(Some("none"), false, false), "none");
}

#[test]
fn roundtrip_registers_as_a_native_public_client() {
    let metadata = metadata();
    let body = registration(&metadata, "http://127.0.0.1:1/callback", &words("a b"));
    let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(body["application_type"], "native");
    assert_eq!(body["token_endpoint_auth_method"], "none");
    assert_eq!(body["grant_types"][1], "refresh_token");
    assert_eq!(body["redirect_uris"][0], "http://127.0.0.1:1/callback");
    let reply = br#"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"client_secret_basic"}"#;
    let client = registered(
        reply,
        "https://as",
        "http://127.0.0.1:1/callback",
        &metadata,
    )
    .expect("read");
    assert_eq!(client.method, AuthMethod::ClientSecretBasic);
    assert!(
        !format!("{client:?}").contains("\"s\""),
        "no secret is shown"
    );
    let lacking = br#"{"client_id":"c","token_endpoint_auth_method":"client_secret_basic"}"#;
    let problem = registered(lacking, "https://as", "x", &metadata).expect_err("no secret");
    assert!(problem.contains("no client_secret"), "{problem}");
}

#[test]
fn an_answer_is_checked_before_it_is_used() {
    let answer = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    };
    let check =
        |pairs: &[(&str, &str)], sends_iss| code(&answer(pairs), "S", "https://as", sends_iss);
    let good = [("code", "c"), ("state", "S")];
    assert_eq!(check(&good, false), Ok("c".to_owned()));
    assert_eq!(check(&good, true), Err(Refusal::NoIssuer));
    for iss in [
        "https://evil",
        "https://as/",
        "HTTPS://as",
        "https://as:443",
    ] {
        for sends_iss in [false, true] {
            assert_eq!(
                check(&[("code", "c"), ("state", "S"), ("iss", iss)], sends_iss),
                Err(Refusal::Issuer(iss.to_owned()))
            );
        }
    }
    assert_eq!(
        check(
            &[("code", "c"), ("state", "S"), ("iss", "https://as")],
            true
        ),
        Ok("c".to_owned())
    );
    assert_eq!(
        check(&[("code", "c"), ("state", "s")], false),
        Err(Refusal::State)
    );
    assert_eq!(check(&[("code", "c")], false), Err(Refusal::State));
    assert_eq!(check(&[("state", "S")], false), Err(Refusal::NoCode));
    assert_eq!(
        check(&[("code", "c"), ("code", "d"), ("state", "S")], false),
        Err(Refusal::Twice("code"))
    );
    // An error of another server is not shown as this one's.
    assert_eq!(
        check(
            &[
                ("error", "access_denied"),
                ("state", "S"),
                ("iss", "https://evil")
            ],
            false
        ),
        Err(Refusal::Issuer("https://evil".to_owned()))
    );
    assert_eq!(
        check(
            &[
                ("error", "access_denied"),
                ("error_description", "no"),
                ("state", "S")
            ],
            false
        ),
        Err(Refusal::Error {
            error: "access_denied".to_owned(),
            description: Some("no".to_owned())
        })
    );
}

fn grant(expires_in: u64) -> Grant {
    Grant {
        is_bound: false,
        kind: GrantKind::Person,
        server_url: "https://s/mcp".to_owned(),
        client: dynamic("https://as", "x"),
        resource: Some("https://s/mcp".to_owned()),
        token_endpoint: "https://as/token".to_owned(),
        revocation_endpoint: None,
        access_token: "old-access".to_owned(),
        refresh_token: Some("old-refresh".to_owned()),
        id_token: None,
        requested: words("a"),
        granted: words("a"),
        obtained_micros: 0,
        expires_micros: Some(expires_in * 1_000_000),
    }
}

#[test]
fn a_refresh_keeps_what_it_is_not_given() {
    let old = grant(3600);
    let form = old.refresh_form().expect("there is a refresh token");
    assert_eq!(
        form.body(),
        "grant_type=refresh_token&refresh_token=old-refresh&resource=https%3A%2F%2Fs%2Fmcp"
    );
    assert!(!form.shown().contains("old-refresh"));
    let tokens = token::read(
        200,
        br#"{"access_token":"new","token_type":"Bearer","expires_in":"60"}"#,
    )
    .expect("tokens");
    let fresh = old.refreshed(tokens, 5_000_000);
    assert_eq!(fresh.access_token, "new");
    assert_eq!(fresh.refresh_token.as_deref(), Some("old-refresh"));
    assert_eq!(fresh.granted, words("a"));
    assert_eq!(fresh.expires_micros, Some(65_000_000));
    let rotated =
        token::read(200, br#"{"access_token":"n2","refresh_token":"r2"}"#).expect("tokens");
    assert_eq!(
        old.refreshed(rotated, 0).refresh_token.as_deref(),
        Some("r2")
    );
    assert!(!format!("{old:?}").contains("old-"), "no token is shown");
}

#[test]
fn a_token_runs_out_a_little_before_its_end() {
    let long = grant(3600);
    assert!(!long.is_running_out(3_539_000_000));
    assert!(long.is_running_out(3_540_000_000));
    // A short life leaves a tenth of it.
    let short = grant(10);
    assert!(!short.is_running_out(8_900_000));
    assert!(short.is_running_out(9_000_000));
    assert!(!short.is_over(9_999_999));
    assert!(short.is_over(10_000_000));
}

#[test]
fn refused_tokens_say_why() {
    for (status, body, said) in [
        (
            400,
            r#"{"error":"invalid_grant","error_description":"used before."}"#,
            "HTTP 400: invalid_grant: used before.",
        ),
        (
            200,
            r#"{"error":"access_denied"}"#,
            "HTTP 200: access_denied.",
        ),
        (500, "<html>", "HTTP 500, and it is not JSON"),
        (200, "{}", "no access_token"),
        (401, "{}", "HTTP 401 without an error code"),
    ] {
        let error = token::read(status, body.as_bytes()).expect_err(body);
        assert!(error.message.contains(said), "{body}: {}", error.message);
    }
}

#[test]
fn claims_are_read_and_opaque_tokens_are_no_fault() {
    // {"alg":"none"} . {"aud":"https://s/mcp","scope":"a b","exp":100} . x
    let jwt =
        "eyJhbGciOiJub25lIn0.eyJhdWQiOiJodHRwczovL3MvbWNwIiwic2NvcGUiOiJhIGIiLCJleHAiOjEwMH0.x";
    let claims = claims::read(jwt).expect("claims");
    assert_eq!(claims.audience, ["https://s/mcp"]);
    assert_eq!(claims.scopes, Some(words("a b")));
    assert_eq!(claims.expires_micros, Some(100_000_000));
    for opaque in ["", "abc", "a.b.c", "a.b.c.d", "e30.e30"] {
        assert_eq!(claims::read(opaque), None, "{opaque}");
    }
}
