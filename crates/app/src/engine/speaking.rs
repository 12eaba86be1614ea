//! How Roundtrip speaks with one server: what it advertises, the log level it asks for, and what it adds to `_meta`.

use std::sync::Arc;

use protocol::capabilities::Offer;
use protocol::era::{Era, Revision};
use protocol::request::Speaker;

use super::connection::Connection;
use super::state::Engine;
use crate::api::options::{Advertised, ServerOptions};

/// How Roundtrip speaks a revision with a server that is treated so.
pub(super) fn speaker(options: &ServerOptions, revision: Revision) -> Speaker {
    Speaker {
        era: revision.era(),
        client_name: "roundtrip".to_owned(),
        client_version: env!("CARGO_PKG_VERSION").to_owned(),
        capabilities: offer(&options.advertise).capabilities(&revision),
        log_level: options.log_level.clone(),
        meta: options.meta.clone(),
        revision,
    }
}

/// How Roundtrip speaks in the legacy era before a revision is agreed on.
pub(super) fn legacy_speaker(options: &ServerOptions) -> Speaker {
    speaker(options, Revision::LATEST_LEGACY)
}

fn offer(advertise: &Advertised) -> Offer {
    Offer {
        elicitation_form: advertise.elicitation_form,
        elicitation_url: advertise.elicitation_url,
        sampling: advertise.sampling,
        roots: advertise.roots,
        tasks: advertise.tasks,
    }
}

/// A `traceparent` of its own for one request (W3C Trace Context § traceparent Header), sampled.
pub(super) fn traceparent() -> String {
    // The last 62 bits of each are random, and more than the 56 that the recommendation asks for.
    let trace = uuid::Uuid::now_v7().simple().to_string();
    let span = uuid::Uuid::now_v7().simple().to_string();
    format!("00-{trace}-{}-01", &span[16..])
}

impl Connection {
    /// Whether the server's capabilities hold something at this path that is neither null nor false.
    pub(super) fn declares(&self, path: &[&str]) -> bool {
        self.report
            .as_ref()
            .and_then(|report| {
                serde_json::from_str::<&serde_json::value::RawValue>(&report.capabilities).ok()
            })
            .is_some_and(|capabilities| protocol::capabilities::declares(capabilities, path))
    }

    /// How Roundtrip speaks here; the newest legacy revision before one is agreed on.
    pub(super) fn spoken(&self) -> Arc<Speaker> {
        self.speaker
            .clone()
            .unwrap_or_else(|| Arc::new(legacy_speaker(&self.options)))
    }
}

impl Engine {
    /// A server's options were changed: what can change on a live connection does, from the next request on. Legacy
    /// capabilities are settled by `initialize` and stay.
    pub(super) fn options_changed(&mut self, server: &str, options: &ServerOptions) {
        let Some(connection) = self
            .newest
            .get(server)
            .and_then(|id| self.connections.get_mut(id))
        else {
            return;
        };
        connection.options = options.clone();
        if let Some(speaker) = &connection.speaker {
            let anew = self::speaker(options, speaker.revision.clone());
            let capabilities = match speaker.era {
                Era::Modern => anew.capabilities.clone(),
                Era::Legacy => speaker.capabilities.clone(),
            };
            if let Some(report) = &mut connection.report {
                report.client_capabilities = wire::pretty::layout(capabilities.as_bytes())
                    .unwrap_or_else(|| capabilities.clone());
            }
            connection.speaker = Some(Arc::new(Speaker {
                capabilities,
                ..anew
            }));
        }
    }
}
