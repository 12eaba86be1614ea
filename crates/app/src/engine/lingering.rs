//! Response streams that servers leave open after their response: they are closed after a short grace, for they would
//! pile up until the server ends.

use std::time::Duration;

use client::report::ExchangeId;
use protocol::rules;
use tokio::time::Instant;

use super::state::{Engine, Place};

/// How long a response stream may stay open after its response.
const GRACE: Duration = Duration::from_secs(2);

/// A response stream that should end by itself.
#[derive(Clone, Copy, Debug)]
pub struct Lingering {
    due: Instant,
    place: Place,
    exchange: ExchangeId,
}

impl Engine {
    /// The response came on a stream, which the server should end now (2026-07-28 basic/transports/streamable-http §
    /// Receiving Messages, 2025-11-25 basic/transports § Sending Messages to the Server).
    pub(super) fn expect_end(&mut self, place: Place, exchange: ExchangeId) {
        self.lingering.push_back(Lingering {
            due: Instant::now() + GRACE,
            place,
            exchange,
        });
    }

    /// Closes the streams whose grace is over.
    pub(super) fn close_lingering(&mut self, now: Instant) {
        while let Some(lingering) = self.lingering.front().copied() {
            if lingering.due > now {
                return;
            }
            self.lingering.pop_front();
            let Lingering {
                place, exchange, ..
            } = lingering;
            if !self.exchanges.contains_key(&exchange) {
                continue;
            }
            let link = self
                .connections
                .get(&place.connection)
                .and_then(|connection| connection.link.as_ref());
            let Some(link) = link else {
                continue;
            };
            link.cancel(exchange);
            self.left_open.insert(exchange);
            if let Some(era) = self.era_of(place.connection) {
                self.record_findings(
                    place.connection,
                    Some(place.operation),
                    None,
                    vec![rules::stream_left_open(era)],
                );
            }
        }
    }

    /// What the end of an exchange is called when it was closed here for being left open.
    pub(super) fn closed_as_left_open(&mut self, exchange: ExchangeId) -> Option<String> {
        self.left_open.remove(&exchange).then(|| {
            format!(
                "The server left the stream open after its response; Roundtrip closed it after {} s.",
                GRACE.as_secs()
            )
        })
    }
}
