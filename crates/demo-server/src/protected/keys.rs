//! The key that tokens are signed with, values that nobody can guess, and hashes.

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::{SecureRandom as _, SystemRandom};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _,
    UnparsedPublicKey,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What the one key is called.
const KEY: &str = "demo";

/// What an access token says (RFC 9068 § 2.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Claims {
    pub(super) iss: String,
    pub(super) sub: String,
    pub(super) aud: String,
    pub(super) client_id: String,
    pub(super) scope: String,
    pub(super) iat: u64,
    pub(super) exp: u64,
    pub(super) jti: String,
    /// The consent that it comes from: it ends with that.
    pub(super) sid: String,
}

/// A key pair that lives as long as the process.
pub(super) struct Keys {
    pair: EcdsaKeyPair,
    random: SystemRandom,
}

impl Keys {
    pub(super) fn new() -> Result<Self, String> {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING)
            .map_err(|_| "no key to sign tokens with could be made".to_owned())?;
        Ok(Self {
            pair,
            random: SystemRandom::new(),
        })
    }

    /// 256 bits that nobody can guess.
    pub(super) fn random(&self) -> Result<String, String> {
        let mut bytes = [0; 32];
        self.random
            .fill(&mut bytes)
            .map_err(|_| "the system gives no random values".to_owned())?;
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// An access token with these claims.
    pub(super) fn sign(&self, claims: &Claims) -> Result<String, String> {
        let header = json!({ "alg": "ES256", "typ": "at+jwt", "kid": KEY });
        let claims = serde_json::to_string(claims).map_err(|error| error.to_string())?;
        let signed = format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(header.to_string()),
            URL_SAFE_NO_PAD.encode(claims)
        );
        let signature = self
            .pair
            .sign(&self.random, signed.as_bytes())
            .map_err(|_| "the token could not be signed".to_owned())?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// The claims of a token that this key signed. Nothing else is looked at.
    pub(super) fn verify(&self, token: &str) -> Option<Claims> {
        let (signed, signature) = token.rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let public =
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.pair.public_key().as_ref());
        public.verify(signed.as_bytes(), &signature).ok()?;
        let (_, claims) = signed.split_once('.')?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
    }

    /// The public key, for whoever wants to check a token (RFC 7517).
    pub(super) fn public(&self) -> Value {
        // An uncompressed point: 4, x, y.
        let point = self.pair.public_key().as_ref();
        let (x, y) = point.get(1..).unwrap_or_default().split_at(32);
        json!({ "keys": [{
            "kty": "EC",
            "crv": "P-256",
            "use": "sig",
            "alg": "ES256",
            "kid": KEY,
            "x": URL_SAFE_NO_PAD.encode(x),
            "y": URL_SAFE_NO_PAD.encode(y),
        }] })
    }
}

/// The challenge of a PKCE verifier (RFC 7636 § 4.2).
pub(super) fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()))
}
