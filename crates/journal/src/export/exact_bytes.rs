//! Exact bytes in JSON: as text where they are UTF-8, else in Base64.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Form<T> {
    Text(T),
    Base64(T),
}

/// Writes bytes.
pub(crate) fn serialize<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Form::Text(text).serialize(serializer),
        Err(_) => Form::Base64(BASE64_STANDARD.encode(bytes).as_str()).serialize(serializer),
    }
}

/// Reads bytes.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
    match Form::<String>::deserialize(deserializer)? {
        Form::Text(text) => Ok(Bytes::from(text)),
        Form::Base64(text) => BASE64_STANDARD
            .decode(text)
            .map(Bytes::from)
            .map_err(D::Error::custom),
    }
}
