//! Tokens that are bound to a key of Roundtrip's (`DPoP`): where a server asks for them, each request carries a proof that is
//! made for it alone, with the nonce that the server gave last; the key never leaves the keyring.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::api::servers::{EraChoice, Phase};
use app::api::sign_in::{SignInState, SignInView};
use protocol::authorization::trace::Verdict;
use secrets::{Keyring, expose};
use serde_json::{Value, json};
use tests::core::{Core, text_of};
use tests::listener::{self, Listener, Received, Talk};
use tests::needles::{Needle, assert_without};
use tests::person;

const JSON: &str = "application/json";

/// The claims of a JWT, with its header.
fn read(jwt: &str) -> (Value, Value) {
    let parts: Vec<&str> = jwt.split('.').collect();
    assert_eq!(parts.len(), 3, "{jwt}");
    let decoded = |part: &str| serde_json::from_slice(&decoded(part)).expect("JSON");
    (decoded(parts[0]), decoded(parts[1]))
}

/// Base64 of the URL alphabet, read.
fn decoded(text: &str) -> Vec<u8> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.chars() {
        let value = LETTERS.find(letter).expect("the alphabet of URLs");
        bits = bits << 6 | u32::try_from(value).expect("six bits");
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).expect("a byte"));
        }
    }
    bytes
}

/// What a server that binds tokens has seen.
#[derive(Default)]
struct Seen {
    /// The identities of the proofs.
    ids: HashSet<String>,
    /// The key that the token is bound to.
    key: Option<Value>,
    /// How many requests carried the token with a proof that fits.
    proven: u32,
    /// The nonces that were wanted.
    asked_for_nonce: u32,
    problems: Vec<String>,
}

/// Whether the proof of a request is as it has to be; what is wrong is noted.
fn is_proven(
    seen: &mut Seen,
    asked: &Received,
    base: &str,
    nonce: &str,
    token: Option<&str>,
) -> bool {
    let proofs: Vec<_> = asked
        .headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("dpop"))
        .collect();
    let [(_, proof)] = proofs.as_slice() else {
        seen.problems
            .push(format!("{} proofs at {}", proofs.len(), asked.path));
        return false;
    };
    let (head, claims) = read(proof);
    let mut wrong = Vec::new();
    let mut expect = |what: &str, is_so: bool| {
        if !is_so {
            wrong.push(format!("{what} at {}: {head} {claims}", asked.path));
        }
    };
    expect("typ", head["typ"] == "dpop+jwt");
    expect("alg", head["alg"] == "ES256");
    expect("private", head["jwk"].get("d").is_none());
    expect("htm", claims["htm"] == json!(asked.method));
    expect(
        "htu",
        claims["htu"] == json!(format!("{base}{}", asked.path)),
    );
    expect("iat", claims["iat"].is_u64());
    expect("ath", claims.get("ath").is_some() == token.is_some());
    let has_digest = claims["content_digest"]
        .as_str()
        .is_some_and(|digest| digest.starts_with("sha-256=:") && digest.ends_with(':'));
    // MCP's profile: of messages to the server, and not at the token endpoint.
    expect("content_digest", has_digest == token.is_some());
    let id = claims["jti"].as_str().unwrap_or_default().to_owned();
    expect("jti", seen.ids.insert(id));
    let key = head["jwk"].clone();
    match &seen.key {
        None => seen.key = Some(key),
        Some(known) => expect("the key", *known == key),
    }
    seen.problems.extend(wrong);
    if claims["nonce"] == json!(nonce) {
        return true;
    }
    seen.asked_for_nonce += 1;
    false
}

async fn answer(seen: Arc<Mutex<Seen>>, asked: Received, mut talk: Talk) {
    let host = asked.header("host").unwrap_or_default().to_owned();
    let base = format!("http://{host}");
    let path = asked.path.split('?').next().unwrap_or_default().to_owned();
    let ok = [("content-type", JSON)];
    if path.starts_with("/.well-known/oauth-protected-resource") {
        let about = json!({ "resource": format!("{base}/mcp"), "authorization_servers": [base] });
        talk.answer("200 OK", &ok, &about.to_string()).await;
    } else if path == "/.well-known/oauth-authorization-server" {
        let about = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "code_challenge_methods_supported": ["S256"],
            "dpop_signing_alg_values_supported": ["ES256"],
        });
        talk.answer("200 OK", &ok, &about.to_string()).await;
    } else if path == "/register" {
        let client = json!({ "client_id": "client-1" });
        talk.answer("201 Created", &ok, &client.to_string()).await;
    } else if path == "/authorize" {
        let url = url::Url::parse(&format!("{base}{}", asked.path)).expect("a URL");
        let of = |name: &str| {
            let mut pairs = url.query_pairs();
            let found = pairs.find(|(key, _)| key == name);
            found
                .map(|(_, value)| value.into_owned())
                .unwrap_or_default()
        };
        let back = format!("{}?code=code-1&state={}", of("redirect_uri"), of("state"));
        talk.answer("302 Found", &[("location", back.as_str())], "")
            .await;
    } else if path == "/token" {
        let proven = is_proven(
            &mut seen.lock().expect("no panic"),
            &asked,
            &base,
            "nonce-as",
            None,
        );
        if !proven {
            let headers = [("content-type", JSON), ("dpop-nonce", "nonce-as")];
            let error = json!({ "error": "use_dpop_nonce" });
            talk.answer("400 Bad Request", &headers, &error.to_string())
                .await;
            return;
        }
        // The first one runs out at once, so that it is refreshed.
        let is_first = asked.body.contains("authorization_code");
        let tokens = json!({
            "access_token": if is_first { "token-1" } else { "token-2" },
            "token_type": "DPoP",
            "refresh_token": "refresh-1",
            "expires_in": if is_first { 1 } else { 3600 },
        });
        talk.answer("200 OK", &ok, &tokens.to_string()).await;
    } else {
        let given = asked.header("authorization").unwrap_or_default().to_owned();
        let challenge = |error: &str| {
            format!(
                "DPoP {error}resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\""
            )
        };
        let Some(token) = given.strip_prefix("DPoP ") else {
            if !given.is_empty() {
                let mut seen = seen.lock().expect("no panic");
                seen.problems.push(format!("the token came as {given}"));
            }
            let challenge = challenge("");
            let headers = [("www-authenticate", challenge.as_str())];
            talk.answer("401 Unauthorized", &headers, "").await;
            return;
        };
        let proven = is_proven(
            &mut seen.lock().expect("no panic"),
            &asked,
            &base,
            "nonce-rs",
            Some(token),
        );
        if !proven {
            let challenge = challenge("error=\"use_dpop_nonce\", ");
            let headers = [
                ("www-authenticate", challenge.as_str()),
                ("dpop-nonce", "nonce-rs"),
            ];
            talk.answer("401 Unauthorized", &headers, "").await;
            return;
        }
        seen.lock().expect("no panic").proven += 1;
        listener::modern(&asked, &mut talk).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_bound_to_a_key_goes_with_a_proof_for_each_request() {
    let seen = Arc::<Mutex<Seen>>::default();
    let of_server = Arc::clone(&seen);
    let listener =
        Listener::start(move |asked, talk| answer(Arc::clone(&of_server), asked, talk)).await;
    let keyring = Keyring::in_memory();
    let core = Core::start_with(tempfile::tempdir().expect("a folder"), keyring.clone()).await;
    let id = core
        .add_url("bound", &listener.url(), &[], EraChoice::Modern)
        .await;
    let view = tokio::select! {
        view = person::signs_in(&core, &id) => view,
        () = person::consents(&core) => panic!("it never ends"),
    };
    assert_eq!(view.error, None, "{view:#?}");
    assert_eq!(view.news.state, SignInState::SignedIn, "{view:#?}");
    assert_eq!(core.connection(&id).phase, Phase::Disconnected);
    core.connect_well(&id).await;
    for words in ["one", "two"] {
        // The first token lasts for a second: the next one is fetched with a proof of the same key.
        tokio::time::sleep(Duration::from_millis(1100)).await;
        let arguments = json!({ "words": words }).to_string();
        let operation = core.start_call(&id, "echo", &arguments).await;
        assert!(text_of(&core.outcome(operation).await).contains(words));
    }

    // The view says what the token is bound to, and which rule says so.
    let view: SignInView = core.must("sign_in_view", json!({ "server": id })).await;
    let bound_to = view.signed_in.and_then(|signed_in| signed_in.bound_to);
    assert_eq!(bound_to.expect("a thumbprint").len(), 43);
    let says_so = view.steps.iter().any(|step| {
        step.trace.checks.iter().any(|check| {
            check.verdict == Verdict::Passed
                && check.what.starts_with("It is bound to Roundtrip's key")
                && check.clause == "MCP DPoP profile; RFC 9449 § 5"
        })
    });
    assert!(says_so, "{:#?}", view.steps);

    {
        let seen = seen.lock().expect("no panic");
        assert!(seen.problems.is_empty(), "{:#?}", seen.problems);
        // discover, the list and two calls.
        assert!(seen.proven >= 4, "{}", seen.proven);
        // Once at the token endpoint, once more for the refresh, and once at the server.
        assert!(
            (2..=4).contains(&seen.asked_for_nonce),
            "{}",
            seen.asked_for_nonce
        );
    }
    let refreshes = listener
        .received()
        .iter()
        .filter(|received| received.body.contains("grant_type=refresh_token"))
        .count();
    assert!(refreshes >= 1, "it was refreshed with a proof");

    // The key is in the keyring, and nowhere else.
    let kept = keyring.get(&format!("sign-in {id}")).await;
    let kept = kept.expect("a keyring").expect("a sign-in");
    let kept: Value = serde_json::from_str(expose(&kept)).expect("JSON");
    let key = kept["proof_key"].as_str().expect("a key").to_owned();
    let folder = core.close().await;
    for file in std::fs::read_dir(folder.path())
        .expect("a folder")
        .flatten()
    {
        if file.path().is_file() {
            let text = std::fs::read(file.path()).expect("a file");
            let text = String::from_utf8_lossy(&text).into_owned();
            let place = file.path().display().to_string();
            assert_without(&text, &[Needle::in_value("key", &key)], &place);
        }
    }
}
