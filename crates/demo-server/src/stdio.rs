//! Serving over standard input and output.

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;

use crate::server::DemoServer;

/// Serves one client until standard input ends.
pub(crate) async fn serve() -> Result<(), String> {
    let serving = match DemoServer::new()?
        .serve(rmcp::transport::stdio_pipes())
        .await
    {
        Ok(serving) => serving,
        // A client that leaves before its first request (a probe, an empty pipe) did nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(format!("the client did not begin as MCP asks: {error}")),
    };
    serving
        .waiting()
        .await
        .map(drop)
        .map_err(|error| format!("the server's loop broke: {error}"))
}
