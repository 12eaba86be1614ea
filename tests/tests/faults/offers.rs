//! Resources, templates, prompts and completions of servers that do as they like: lists that change, answers that may be
//! used again, values that are completed while they are typed.

mod freshness;
mod lists;
mod typing;

use app::api::options::ServerOptions;
use app::api::servers::{Endpoint, EraChoice, ServerDraft};
use serde_json::{Value, json};
use tests::core::Core;
use tests::listener::{Listener, Received, Talk};

/// Discovers as a modern server that has everything.
async fn discover(asked: &Received, talk: &mut Talk) {
    let discovered = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {}, "resources": {}, "prompts": {}, "completions": {} },
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "offers", "version": "1" } },
    });
    talk.result(asked, &discovered).await;
}

/// A complete result with these members, to be kept for so long.
fn complete(members: &Value, ttl_millis: u64) -> Value {
    let mut result =
        json!({ "resultType": "complete", "ttlMs": ttl_millis, "cacheScope": "private" });
    for (key, value) in members.as_object().expect("an object") {
        result[key] = value.clone();
    }
    result
}

fn text_of_file(uri: &str, text: &str) -> Value {
    json!({ "contents": [{ "uri": uri, "mimeType": "text/plain", "text": text }] })
}

/// How many requests of this method came.
fn asked_for(listener: &Listener, method: &str) -> usize {
    let received = listener.received();
    received.iter().filter(|one| one.asks() == method).count()
}

async fn add(core: &Core, listener: &Listener, options: ServerOptions) -> String {
    let server = core
        .add(ServerDraft {
            name: listener.authority(),
            endpoint: Endpoint::Http {
                url: listener.url(),
                headers: Vec::new(),
            },
            era: EraChoice::Auto,
            options,
        })
        .await;
    core.connect_well(&server).await;
    server
}
