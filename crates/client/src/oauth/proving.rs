//! The key that tokens are bound to, and proofs of it (RFC 9449).

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

/// A key pair on P-256, to be kept where nobody else can read it.
pub struct ProofKey {
    pair: EcdsaKeyPair,
}

/// No part of the key is shown.
impl std::fmt::Debug for ProofKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProofKey").finish_non_exhaustive()
    }
}

impl ProofKey {
    /// Draws a new key; gives the text that it is kept as.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn draw() -> Result<String, String> {
        let document =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
                .map_err(|_| "The system gives no random values.".to_owned())?;
        Ok(URL_SAFE_NO_PAD.encode(document.as_ref()))
    }

    /// Reads a key from the text that it is kept as.
    ///
    /// # Errors
    /// The text is no such key.
    pub fn read(text: &str) -> Result<Self, String> {
        let unfit = || "The key that the token is bound to cannot be read.".to_owned();
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| unfit())?;
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &bytes)
            .map_err(|_| unfit())?;
        Ok(Self { pair })
    }

    /// The public key as a JSON Web Key (RFC 7518 § 6.2.1).
    pub fn public(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        // An uncompressed point: a byte that says so, then both coordinates.
        let (x, y) = point[1..].split_at(32);
        json!({
            "kty": "EC",
            "crv": "P-256",
            "x": URL_SAFE_NO_PAD.encode(x),
            "y": URL_SAFE_NO_PAD.encode(y),
        })
    }

    /// The public key's thumbprint (RFC 7638 § 3), which a bound token carries as `cnf.jkt`.
    pub fn thumbprint(&self) -> String {
        let key = self.public();
        let members = ["crv", "kty", "x", "y"].map(|name| format!("\"{name}\":{}", key[name]));
        URL_SAFE_NO_PAD.encode(digest(
            &SHA256,
            format!("{{{}}}", members.join(",")).as_bytes(),
        ))
    }

    /// A JWT of this header and these claims.
    ///
    /// # Errors
    /// The key could not sign.
    pub fn sign(&self, header: &Value, claims: &Value) -> Result<String, String> {
        let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", encoded(header), encoded(claims));
        let signature = self
            .pair
            .sign(&SystemRandom::new(), signed.as_bytes())
            .map_err(|_| "The key that the token is bound to could not sign.".to_owned())?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// The SHA-256 of a token, in Base64 of the URL alphabet (RFC 9449 § 4.2, `ath`).
pub fn token_hash(token: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, token.as_bytes()))
}

/// The SHA-256 of a message, in Base64 (RFC 9530 § 2).
pub fn content_hash(message: &[u8]) -> String {
    STANDARD.encode(digest(&SHA256, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    #[test]
    fn a_proof_verifies_with_the_key_that_it_names() {
        let kept = ProofKey::draw().expect("a key");
        let key = ProofKey::read(&kept).expect("the same key");
        let jwk = key.public();
        let jwt = key
            .sign(&json!({ "jwk": jwk }), &json!({ "jti": "a" }))
            .expect("signed");
        let (signed, signature) = jwt.rsplit_once('.').expect("three parts");
        let mut point = vec![4];
        for name in ["x", "y"] {
            let text = jwk[name].as_str().expect("a coordinate");
            point.extend(URL_SAFE_NO_PAD.decode(text).expect("Base64"));
        }
        let signature = URL_SAFE_NO_PAD.decode(signature).expect("Base64");
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
            .verify(signed.as_bytes(), &signature)
            .expect("it verifies");
        assert!(ProofKey::read("x").is_err());
        assert_eq!(key.thumbprint().len(), 43);
    }

    #[test]
    fn hashes_are_those_of_the_specifications() {
        // RFC 9449 § 7.1 (its token and `ath`), RFC 9530 appendix B.1.
        assert_eq!(
            token_hash("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"),
            "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
        );
        assert_eq!(
            content_hash(b"{\"hello\": \"world\"}\n"),
            "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
        );
    }
}
