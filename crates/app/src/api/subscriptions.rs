//! Subscriptions as a view sees them.

use journal::event::OperationId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::servers::ServerId;

/// What to be told of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SubscriptionFilter {
    /// Changes of the list of tools (modern; a legacy server tells of them unasked).
    pub tools_list_changed: bool,
    /// Changes of the list of prompts.
    pub prompts_list_changed: bool,
    /// Changes of the list of resources.
    pub resources_list_changed: bool,
    /// Resources, by their URIs.
    pub resources: Vec<String>,
    /// Tasks, by their identifiers (modern).
    pub tasks: Vec<String>,
}

/// Subscriptions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SubscriptionList {
    /// In the order of opening.
    pub subscriptions: Vec<SubscriptionView>,
}

/// That a resource changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResourceUpdate {
    /// Which.
    pub uri: String,
    /// How often the server said so since it was subscribed to.
    pub count: u32,
    /// When it said so last, in microseconds since the Unix epoch.
    pub at_micros: u64,
}

/// One subscription: a stream of a modern server, or a resource of a legacy one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SubscriptionView {
    /// Whose it is.
    pub server: ServerId,
    /// The operation that holds it, or that asked for it.
    pub operation: OperationId,
    /// What was wanted.
    pub wanted: SubscriptionFilter,
    /// What the server agreed to; absent before it did, and in the legacy era.
    pub agreed: Option<SubscriptionFilter>,
    /// The resources that the server said have changed since, in the order of their URIs.
    pub updates: Vec<ResourceUpdate>,
    /// Whether it is open: not waiting to be opened again, and not refused.
    pub is_open: bool,
}
