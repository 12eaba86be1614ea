//! Proofs that whoever presents a token has the key that it is bound to: `DPoP` (RFC 9449), as MCP's profile of it has them.
//!
//! A proof is a JWT, made for one request and signed by whoever sends that. This says what is in it.

use serde_json::{Map, Value, json};
use url::Url;

/// The algorithm of Roundtrip's keys.
pub const ALGORITHM: &str = "ES256";
/// The header that carries a proof, and the scheme of a token that needs one.
pub const SCHEME: &str = "DPoP";
/// The header by which a server says the nonce of the next proof.
pub const NONCE_HEADER: &str = "DPoP-Nonce";

/// What a proof is about.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    /// The request's method.
    pub method: &'a str,
    /// Where it goes.
    pub url: &'a str,
    /// When, in seconds since the Unix epoch.
    pub now_seconds: u64,
    /// Drawn for it alone.
    pub id: &'a str,
    /// The nonce that the server gave last.
    pub nonce: Option<&'a str>,
    /// The SHA-256 of the token that goes with it, in Base64 of the URL alphabet; nothing at a token endpoint.
    pub token_hash: Option<&'a str>,
    /// The SHA-256 of the message that goes with it, in Base64; of requests to MCP servers alone.
    pub content_hash: Option<&'a str>,
}

impl Proof<'_> {
    /// Its header: `jwk` is the public key as a JSON Web Key (RFC 9449 § 4.2).
    pub fn header(jwk: &Value) -> Value {
        json!({ "typ": "dpop+jwt", "alg": ALGORITHM, "jwk": jwk })
    }

    /// Its claims.
    pub fn claims(&self) -> Value {
        let mut claims = Map::new();
        let mut say = |name: &str, value: Value| claims.insert(name.to_owned(), value);
        say("jti", json!(self.id));
        say("htm", json!(self.method));
        say("htu", json!(target(self.url)));
        say("iat", json!(self.now_seconds));
        if let Some(hash) = self.token_hash {
            say("ath", json!(hash));
        }
        if let Some(nonce) = self.nonce {
            say("nonce", json!(nonce));
        }
        if let Some(hash) = self.content_hash {
            // RFC 9530 § 2, which MCP's profile requires.
            say("content_digest", json!(format!("sha-256=:{hash}:")));
        }
        Value::Object(claims)
    }
}

/// A URL without its query and fragment (RFC 9449 § 4.2, `htu`).
fn target(url: &str) -> String {
    match Url::parse(url) {
        Ok(mut url) => {
            url.set_query(None);
            url.set_fragment(None);
            url.to_string()
        }
        Err(_) => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_names_its_request_and_nothing_else() {
        let of_token = Proof {
            method: "POST",
            url: "https://as.example/token?tenant=1#x",
            now_seconds: 7,
            id: "a",
            nonce: None,
            token_hash: None,
            content_hash: None,
        };
        assert_eq!(
            of_token.claims(),
            json!({ "jti": "a", "htm": "POST", "htu": "https://as.example/token", "iat": 7 })
        );
        let of_message = Proof {
            nonce: Some("n"),
            token_hash: Some("t"),
            content_hash: Some("c="),
            ..of_token
        };
        assert_eq!(
            of_message.claims(),
            json!({
                "jti": "a", "htm": "POST", "htu": "https://as.example/token", "iat": 7,
                "ath": "t", "nonce": "n", "content_digest": "sha-256=:c=:",
            })
        );
    }
}
