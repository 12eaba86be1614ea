//! What the server tells by itself: that a list or a resource has changed.
//!
//! A client of 2026-07-28 is told on the stream on which it listens (server/utilities/subscriptions), of what it asked
//! for there; an older one is told of lists unasked, and of the resources that it has subscribed to.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext, SubscriptionSendError};
use tokio::sync::broadcast;

/// How many changes may wait for a client that reads slowly; of more, the oldest are not told.
const WAITING: usize = 64;

/// Something that has changed.
#[derive(Clone, Copy, Debug)]
enum Change {
    Tools,
    Prompts,
    Resources,
    /// What a resource holds.
    Resource(&'static str),
}

/// What has changed, for all sessions of the process.
#[derive(Clone)]
pub(crate) struct Notices {
    changes: broadcast::Sender<Change>,
    /// The season's tool, prompt and resource are offered.
    in_season: Arc<AtomicBool>,
}

/// What one client of an earlier revision has subscribed to.
#[derive(Default)]
pub(crate) struct Subscribed(Mutex<BTreeSet<String>>);

impl Subscribed {
    pub(crate) fn add(&self, uri: String) {
        self.uris().insert(uri);
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.uris().remove(uri);
    }

    fn has(&self, uri: &str) -> bool {
        self.uris().contains(uri)
    }

    fn uris(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Notices {
    pub(crate) fn new() -> Self {
        Self {
            changes: broadcast::Sender::new(WAITING),
            in_season: Arc::default(),
        }
    }

    /// Whether the season's tool, prompt and resource are offered.
    pub(crate) fn is_in_season(&self) -> bool {
        self.in_season.load(Ordering::Relaxed)
    }

    /// Offers what belongs to the season, or takes it away; tells whether it is offered now.
    pub(crate) fn turn_season(&self) -> bool {
        let was = self.in_season.fetch_xor(true, Ordering::Relaxed);
        for change in [Change::Tools, Change::Prompts, Change::Resources] {
            self.tell(change);
        }
        !was
    }

    /// What this resource holds has changed.
    pub(crate) fn updated(&self, uri: &'static str) {
        self.tell(Change::Resource(uri));
    }

    fn tell(&self, change: Change) {
        // Without anybody who listens there is nobody to tell.
        self.changes.send(change).ok();
    }

    /// Tells a client of 2026-07-28 for as long as it listens.
    pub(crate) async fn serve_listener(&self, listener: &SubscriptionContext) {
        let mut changes = self.changes.subscribe();
        let sink = listener.sink();
        loop {
            let change = tokio::select! {
                change = changes.recv() => change,
                () = listener.cancelled() => return,
            };
            let told = match change {
                Ok(Change::Tools) => sink.notify_tool_list_changed().await,
                Ok(Change::Prompts) => sink.notify_prompt_list_changed().await,
                Ok(Change::Resources) => sink.notify_resource_list_changed().await,
                Ok(Change::Resource(uri)) => sink.notify_resource_updated(uri).await,
                Err(broadcast::error::RecvError::Lagged(_)) => Ok(()),
                Err(broadcast::error::RecvError::Closed) => return,
            };
            match told {
                // What it did not ask for is not told.
                Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => {}
                Err(_) => return,
            }
        }
    }

    /// Tells a client of an earlier revision until it goes.
    pub(crate) async fn serve_peer(&self, peer: Peer<RoleServer>, subscribed: Arc<Subscribed>) {
        let mut changes = self.changes.subscribe();
        loop {
            let told = match changes.recv().await {
                Ok(Change::Tools) => peer.notify_tool_list_changed().await,
                Ok(Change::Prompts) => peer.notify_prompt_list_changed().await,
                Ok(Change::Resources) => peer.notify_resource_list_changed().await,
                Ok(Change::Resource(uri)) if subscribed.has(uri) => {
                    let updated = ResourceUpdatedNotificationParam::new(uri);
                    peer.notify_resource_updated(updated).await
                }
                Ok(Change::Resource(_)) | Err(broadcast::error::RecvError::Lagged(_)) => Ok(()),
                Err(broadcast::error::RecvError::Closed) => return,
            };
            if told.is_err() {
                return;
            }
        }
    }
}
