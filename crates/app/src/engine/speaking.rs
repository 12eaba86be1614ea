//! How Roundtrip speaks with one server: what it advertises, the log level it asks for, and what it adds to `_meta`.

use std::sync::Arc;

use journal::event::ConnectionId;
use protocol::capabilities::Offer;
use protocol::era::{Era, Revision};
use protocol::request::Speaker;
use wire::object::ObjectWriter;

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

/// The `ListRootsResult` of these folders (2026-07-28 and 2025-11-25 client/roots § Listing Roots).
pub(super) fn roots_result(options: &ServerOptions) -> String {
    let roots: Vec<String> = options
        .roots
        .iter()
        .map(|uri| {
            let mut root = ObjectWriter::new();
            root.string("uri", uri);
            let name = uri.trim_end_matches('/').rsplit('/').next();
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                root.string("name", name);
            }
            root.finish()
        })
        .collect();
    format!("{{\"roots\":[{}]}}", roots.join(","))
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
        let before = std::mem::replace(&mut connection.options, options.clone());
        let id = self.newest.get(server).copied();
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
        let Some(id) = id else {
            return;
        };
        if before.log_level != options.log_level {
            self.set_log_level(id);
        }
        if before.roots != options.roots {
            self.roots_changed(id);
        }
    }

    /// Asks a legacy server for its log messages from a level on (2025-11-25 server/utilities/logging § Setting Log
    /// Level). A modern one is told with each request.
    pub(super) fn set_log_level(&mut self, id: ConnectionId) {
        let level = self.connections.get(&id).and_then(|connection| {
            let is_legacy = connection.speaker.as_ref()?.era == Era::Legacy;
            let level = connection.options.log_level.clone()?;
            (is_legacy && connection.is_connected() && connection.declares(&["logging"]))
                .then_some(level)
        });
        if let Some(level) = level {
            let mut params = ObjectWriter::new();
            params.string("level", &level);
            let ask = self.plain_ask(id, "logging/setLevel", Some(level), params.finish());
            self.begin(id, ask);
        }
    }

    /// Tells a legacy server that asks for roots that they are others now (2025-11-25 client/roots § Root List Changes).
    fn roots_changed(&mut self, id: ConnectionId) {
        let told = self.connections.get(&id).and_then(|connection| {
            let speaker = connection.speaker.clone()?;
            let is_declared = wire::object::get(&*speaker.capabilities, "roots").is_some();
            (speaker.era == Era::Legacy && connection.is_connected() && is_declared)
                .then_some(speaker)
        });
        if let Some(speaker) = told {
            self.notify(id, &speaker, "notifications/roots/list_changed", None);
        }
    }
}
