//! The heads of HTTP messages as they were sent and received.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One header field. Order and repetition are kept by the list that holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Header {
    /// The field's name. Lower case as the library hands it over (HTTP/2 has no other).
    pub name: String,
    /// The value; bytes outside UTF-8 are shown as U+FFFD.
    pub value: String,
}

/// The head of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RequestHead {
    /// `POST`, `GET` or `DELETE`.
    pub method: String,
    /// The absolute URL.
    pub url: String,
    /// The header fields in the order in which they were set.
    pub headers: Vec<Header>,
}

/// The head of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResponseHead {
    /// The status code.
    pub status: u16,
    /// `HTTP/1.1`, `HTTP/2` and so on.
    pub version: String,
    /// The header fields as they came.
    pub headers: Vec<Header>,
}

impl ResponseHead {
    /// The first value of the header with this name, compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name))
            .map(|header| header.value.as_str())
    }
}
