//! Tokens that are bound to a key of Roundtrip's: each request with one carries a proof, made for it alone (RFC 9449; MCP's
//! `DPoP` profile). The key is kept where the tokens are.

use client::HttpMethod;
use client::clock::now_micros;
use client::oauth::{self, ProofKey};
use journal::event::ConnectionId;
use protocol::authorization::proof::{self, Proof};

use crate::engine::state::Engine;
use crate::references;

/// A token that goes with a request.
pub(in crate::engine) struct Pass {
    token: String,
    /// Since when it is there.
    pub(in crate::engine) since: u64,
    /// The key that it is bound to.
    key: Option<String>,
    /// What the next proof carries.
    nonce: Option<String>,
}

impl Pass {
    pub(super) fn new(
        (token, since): (String, u64),
        key: Option<String>,
        nonce: Option<String>,
    ) -> Self {
        Self {
            token,
            since,
            key,
            nonce,
        }
    }

    /// The headers that present it with this request.
    fn headers(&self, method: HttpMethod, url: &str, message: &[u8]) -> Vec<(String, String)> {
        let bearer = || format!("Bearer {}", self.token);
        let Some(key) = &self.key else {
            return vec![("Authorization".to_owned(), bearer())];
        };
        let hash = (!message.is_empty()).then(|| oauth::content_hash(message));
        let proof = signed(
            key,
            Proof {
                method: name_of(method),
                url,
                now_seconds: now_micros() / 1_000_000,
                id: "",
                nonce: self.nonce.as_deref(),
                token_hash: Some(&oauth::token_hash(&self.token)),
                content_hash: hash.as_deref(),
            },
        );
        match proof {
            Ok(proof) => vec![
                (
                    "Authorization".to_owned(),
                    format!("{} {}", proof::SCHEME, self.token),
                ),
                (proof::SCHEME.to_owned(), proof),
            ],
            Err(why) => {
                // The server says that the token alone is not enough.
                tracing::warn!(why, "no proof goes with a token that is bound to a key");
                vec![("Authorization".to_owned(), bearer())]
            }
        }
    }
}

fn name_of(method: HttpMethod) -> &'static str {
    match method {
        HttpMethod::Get => "GET",
        HttpMethod::Post => "POST",
        HttpMethod::Delete => "DELETE",
    }
}

/// A proof with an identity of its own, signed by the key that is kept as this text.
///
/// # Errors
/// The key cannot be used.
pub(super) fn signed(key: &str, proof: Proof<'_>) -> Result<String, String> {
    let key = ProofKey::read(key)?;
    let id = oauth::random()?;
    let proof = Proof { id: &id, ..proof };
    key.sign(&Proof::header(&key.public()), &proof.claims())
}

impl Engine {
    /// Presents the token, where there is one, with a request that goes out on this connection; gives since when the token
    /// is there.
    pub(in crate::engine) fn present_token(
        &self,
        connection: ConnectionId,
        (method, message): (HttpMethod, &[u8]),
        headers: &mut Vec<(String, String)>,
    ) -> Option<u64> {
        let pass = self.pass(connection)?;
        let has_own = headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        if has_own {
            return None;
        }
        let address = references::plain_url(&self.address_of(connection));
        headers.extend(pass.headers(method, &address, message));
        Some(pass.since)
    }

    /// A server has said what the next proof for it is to carry (RFC 9449 § 8.2).
    pub(in crate::engine) fn note_nonce(&mut self, connection: ConnectionId, nonce: Option<&str>) {
        let Some(nonce) = nonce.filter(|nonce| !nonce.is_empty()) else {
            return;
        };
        if let Some(server) = self
            .connections
            .get(&connection)
            .map(|connection| connection.server.clone())
        {
            self.sign_ins.of(&server).nonce = Some(nonce.to_owned());
        }
    }
}
