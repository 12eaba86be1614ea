//! Heads and bodies of HTTP responses, byte by byte.

use crate::acts::Act;

/// The header line of the usual type.
pub const JSON: &str = "content-type: application/json";

/// A response with these header lines and this body, and nothing more.
pub fn response(status: &str, headers: &[&str], body: &[u8]) -> Act {
    let mut bytes = format!("HTTP/1.1 {status}\r\nconnection: close\r\n").into_bytes();
    for header in headers {
        bytes.extend(header.as_bytes());
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"\r\n");
    bytes.extend(body);
    Act::Say(bytes)
}

/// A whole JSON body with its length.
pub fn body(bytes: &[u8]) -> Vec<Act> {
    typed("application/json", bytes)
}

/// A whole body of this type.
pub fn typed(kind: &str, bytes: &[u8]) -> Vec<Act> {
    let kind = format!("content-type: {kind}");
    vec![with_length(&[&kind], bytes)]
}

/// A whole body with these header lines.
pub fn with_length(headers: &[&str], bytes: &[u8]) -> Act {
    let length = format!("content-length: {}", bytes.len());
    let headers: Vec<_> = headers.iter().copied().chain([length.as_str()]).collect();
    response("200 OK", &headers, bytes)
}

/// The head of a stream of events.
pub fn stream() -> Act {
    response("200 OK", &["content-type: text/event-stream"], b"")
}

/// The head of a body that ends with the connection.
pub fn json_until_close() -> Act {
    response("200 OK", &["content-type: application/json"], b"")
}

/// One event.
pub fn event(data: &[u8]) -> Vec<u8> {
    [b"data: ", data, b"\n\n"].concat()
}
