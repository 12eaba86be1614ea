//! The way to a server of HTTP+SSE (2025-11-25 basic/transports § Backwards Compatibility).

use std::sync::atomic::Ordering;

use protocol::era::InitializeVerdict;
use tokio::sync::oneshot;

use super::Maker;
use super::failure::Failure;
use crate::api::options::HttpStyle;
use crate::api::{ErrorCode, ErrorView};
use crate::engine::http_sse::ENDPOINT_LIMIT;
use crate::engine::input::HandshakeStep;

impl Maker {
    /// Whether a refusal of `initialize` may mean that the server speaks HTTP+SSE.
    pub(super) fn may_be_http_sse(
        &self,
        verdict: &InitializeVerdict,
        http_status: Option<u16>,
    ) -> bool {
        self.way.http == HttpStyle::Auto
            && !self.speaks_http_sse.load(Ordering::Relaxed)
            && matches!(http_status, Some(400 | 404 | 405))
            && matches!(
                verdict,
                InitializeVerdict::Refused { .. } | InitializeVerdict::NotMcp { .. }
            )
    }

    /// Opens the event stream and waits for its endpoint, where messages go from then on.
    pub(super) async fn open_event_stream(&self) -> Result<(), Failure> {
        self.step("waiting for the event stream of HTTP+SSE").await;
        let (opening, opened) = oneshot::channel();
        self.tell(HandshakeStep::OpenHttpSse {
            connection: self.connection,
            speaker: self.legacy_speaker(),
            opening,
        })
        .await;
        let opened = opened.await.unwrap_or_else(|_| {
            Err(ErrorView {
                code: ErrorCode::Failed,
                message: format!(
                    "The server opened no event stream with an endpoint within {} s.",
                    ENDPOINT_LIMIT.as_secs()
                ),
                hint: Some(
                    "Check the URL; the event stream of an HTTP+SSE server is often at /sse."
                        .to_owned(),
                ),
            })
        });
        opened?;
        self.speaks_http_sse.store(true, Ordering::Relaxed);
        Ok(())
    }
}
