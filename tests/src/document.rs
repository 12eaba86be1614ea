//! A Client ID Metadata Document, hosted on this machine.

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Serves the document until the runtime ends, and gives its URL.
///
/// # Panics
/// No port can be listened on.
pub async fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let url = format!("http://{address}/roundtrip.json");
    let body = json!({
        "client_id": url,
        "client_name": "Roundtrip",
        // The port of the way back is free (RFC 8252 § 7.3).
        "redirect_uris": ["http://127.0.0.1/callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    })
    .to_string();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 4096];
            let reply = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            // Whoever left does not need it any more.
            let _read = stream.read(&mut head).await;
            let _written = stream.write_all(reply.as_bytes()).await;
        }
    });
    url
}
