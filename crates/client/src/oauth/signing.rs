//! Random values, PKCE, and JWTs that prove who a client is.

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::{SecureRandom as _, SystemRandom};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm, Ed25519KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::json;

/// For how long an assertion holds, in seconds.
const ASSERTION_SECONDS: u64 = 120;

/// A value that nobody can guess: 256 bits, in Base64 of the URL alphabet.
///
/// # Errors
/// The system has no randomness to give.
pub fn random() -> Result<String, String> {
    let mut bytes = [0; 32];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| "The system gives no random values.".to_owned())?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// A verifier of PKCE and its challenge with S256 (RFC 7636 § 4).
///
/// # Errors
/// The system has no randomness to give.
pub fn pkce() -> Result<(String, String), String> {
    let verifier = random()?;
    let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
    Ok((verifier, challenge))
}

enum Key {
    Ecdsa(EcdsaKeyPair, &'static str),
    Rsa(RsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl Key {
    fn read(pem: &str) -> Result<Self, String> {
        let der = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|error| {
            format!(
                "The private key cannot be read ({error}). It must be in PEM form: -----BEGIN PRIVATE KEY-----."
            )
        })?;
        if let PrivateKeyDer::Pkcs1(der) = &der {
            return RsaKeyPair::from_der(der.secret_pkcs1_der())
                .map(Self::Rsa)
                .map_err(|error| format!("The RSA key cannot be used: {error}."));
        }
        let bytes = der.secret_der();
        let curves: [(&'static EcdsaSigningAlgorithm, &'static str); 2] = [
            (&ECDSA_P256_SHA256_FIXED_SIGNING, "ES256"),
            (&ECDSA_P384_SHA384_FIXED_SIGNING, "ES384"),
        ];
        for (algorithm, name) in curves {
            let pair = match &der {
                PrivateKeyDer::Sec1(_) => EcdsaKeyPair::from_private_key_der(algorithm, bytes),
                _ => EcdsaKeyPair::from_pkcs8(algorithm, bytes),
            };
            if let Ok(pair) = pair {
                return Ok(Self::Ecdsa(pair, name));
            }
        }
        if let Ok(pair) = RsaKeyPair::from_pkcs8(bytes) {
            return Ok(Self::Rsa(pair));
        }
        if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(bytes) {
            return Ok(Self::Ed25519(pair));
        }
        Err(
            "The private key is of a kind that Roundtrip does not sign with: use P-256, P-384, RSA or Ed25519."
                .to_owned(),
        )
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Ecdsa(_, name) => name,
            Self::Rsa(_) => "RS256",
            Self::Ed25519(_) => "EdDSA",
        }
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        let failed = |_| "The private key could not sign.".to_owned();
        let random = SystemRandom::new();
        match self {
            Self::Ecdsa(pair, _) => pair
                .sign(&random, message)
                .map(|signature| signature.as_ref().to_vec())
                .map_err(failed),
            Self::Ed25519(pair) => Ok(pair.sign(message).as_ref().to_vec()),
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature)
                    .map_err(failed)?;
                Ok(signature)
            }
        }
    }
}

/// Whether a private key (PEM) can be signed with; gives its algorithm.
///
/// # Errors
/// It cannot, in words.
pub fn check_key(pem: &str) -> Result<&'static str, String> {
    Key::read(pem).map(|key| key.algorithm())
}

/// A JWT that proves who a client is (RFC 7523 § 3), signed with a private key in PEM form.
///
/// # Errors
/// The key cannot be used, in words.
pub fn sign_assertion(
    pem: &str,
    client_id: &str,
    audience: &str,
    now_seconds: u64,
) -> Result<String, String> {
    let key = Key::read(pem)?;
    let header = json!({ "alg": key.algorithm(), "typ": "JWT" });
    let claims = json!({
        "iss": client_id,
        "sub": client_id,
        "aud": audience,
        "iat": now_seconds,
        "exp": now_seconds + ASSERTION_SECONDS,
        "jti": random()?,
    });
    let encoded = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encoded(&header), encoded(&claims));
    let signature = key.sign(signed.as_bytes())?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

#[cfg(test)]
mod tests {
    use super::{check_key, pkce, sign_assertion};
    use aws_lc_rs::signature::{
        ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P256_SHA256_FIXED, EcdsaKeyPair, KeyPair as _,
        UnparsedPublicKey,
    };
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use std::collections::HashSet;

    #[test]
    fn verifiers_differ_and_fit_the_rule() {
        let drawn: HashSet<String> = (0..20).map(|_| pkce().expect("random").0).collect();
        assert_eq!(drawn.len(), 20);
        for verifier in drawn {
            // RFC 7636 § 4.1.
            assert!((43..=128).contains(&verifier.len()));
            assert!(
                verifier
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
            );
        }
    }

    #[test]
    fn an_assertion_verifies_with_the_public_key() {
        let key = rcgen::KeyPair::generate().expect("a key");
        let pem = format!(
            "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
            STANDARD.encode(key.serialize_der())
        );
        assert_eq!(check_key(&pem), Ok("ES256"));
        let jwt = sign_assertion(&pem, "me", "https://as.example", 100).expect("signed");
        let (signed, signature) = jwt.rsplit_once('.').expect("three parts");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &key.serialize_der())
            .expect("the same key");
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref());
        let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
        assert!(public.verify(signed.as_bytes(), &signature).is_ok());
        let claims = signed.split('.').nth(1).expect("claims");
        let claims: serde_json::Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).expect("base64")).expect("json");
        assert_eq!(claims["iss"], "me");
        assert_eq!(claims["sub"], "me");
        assert_eq!(claims["aud"], "https://as.example");
        assert_eq!(claims["exp"], 220);
    }

    #[test]
    fn a_key_that_is_none_is_refused_in_words() {
        let problem = check_key("hello").expect_err("no key");
        assert!(problem.contains("PEM"), "{problem}");
    }
}
