//! Serving over Streamable HTTP, on the loopback interface only.

use std::io::Read as _;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::arguments::HttpOptions;
use crate::fixture::Fixture;
use crate::protected;
use crate::server::{DemoServer, request_state_codec};

/// How long a person may leave a legacy session alone before the server forgets it.
const SESSION_IDLE: Duration = Duration::from_hours(1);

/// How long open replies get to end once the server is asked to stop.
const GRACE: Duration = Duration::from_secs(1);

/// Serves until the process is ended, or until standard input ends when the options say so.
pub(crate) async fn serve(options: HttpOptions) -> Result<(), String> {
    let port = options.port;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
        format!("port {port} on 127.0.0.1 cannot be listened on: {error}. Try another one, or --port 0 for a free one.")
    })?;
    let address = listener
        .local_addr()
        .map_err(|error| format!("the port is not known: {error}"))?;

    let stop = CancellationToken::new();
    let router = axum::Router::new();
    let (router, pages) = if options.fixture {
        let fixture = Fixture::new(request_state_codec()?);
        let router = router.route_service("/mcp", service(fixture, stop.clone()));
        (router, axum::Router::new())
    } else {
        let server = DemoServer::new()?;
        server.deposits.stand_at(address);
        let pages = server.deposits.pages();
        (
            router.route_service("/mcp", service(server, stop.clone())),
            pages,
        )
    };
    let router = match options.protection {
        Some(protection) => protected::protect(router, format!("http://{address}"), protection)?,
        None => router,
    };
    // A browser brings no token.
    let router = router.merge(pages);
    crate::print(&format!("listening on http://{address}/mcp"))?;

    let stopping = stop.clone();
    let serving = axum::serve(listener, router)
        .with_graceful_shutdown(async move { stopping.cancelled().await });
    let serving = tokio::spawn(async move { serving.await });
    if options.until_stdin_closes {
        end_of_stdin().await;
        stop.cancel();
        // Whoever still reads a reply after the grace loses it: the program that started this one has gone.
        return match tokio::time::timeout(GRACE, serving).await {
            Ok(ended) => ended_well(ended),
            Err(_) => Ok(()),
        };
    }
    ended_well(serving.await)
}

fn ended_well(ended: Result<std::io::Result<()>, tokio::task::JoinError>) -> Result<(), String> {
    match ended {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(format!("serving ended: {error}")),
        Err(error) => Err(format!("serving broke: {error}")),
    }
}

/// One endpoint for both eras: requests of 2026-07-28 are answered without sessions, as JSON or, when something comes
/// before the answer, as an SSE stream; older clients get a session, and SSE.
fn service<H: ServerHandler + Clone + Send>(
    server: H,
    stop: CancellationToken,
) -> StreamableHttpService<H, LocalSessionManager> {
    let mut session_config = SessionConfig::default();
    session_config.keep_alive = Some(SESSION_IDLE);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config = session_config;
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        // A web page of another origin must not drive a server on this machine (transports § Security Warning).
        .with_allowed_origins(["http://127.0.0.1:*", "http://localhost:*"])
        .with_cancellation_token(stop);
    StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions), config)
}

/// Waits for the end of standard input. What arrives there is not looked at.
async fn end_of_stdin() {
    let (ended, end) = oneshot::channel();
    std::thread::spawn(move || {
        let mut waste = [0; 1024];
        let mut stdin = std::io::stdin().lock();
        while !matches!(stdin.read(&mut waste), Ok(0) | Err(_)) {}
        // Nobody waits any more when the server has ended before its input.
        ended.send(()).ok();
    });
    // The sender cannot be dropped before it has sent; either way the input has ended.
    end.await.ok();
}
