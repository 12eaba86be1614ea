//! Links that servers ask the person to open, and the hosts that they agreed to.

pub use protocol::link::Link;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::servers::ServerId;

/// Something to do about a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LinkArgs {
    /// The prompt.
    pub prompt: u32,
    /// What.
    pub act: LinkAct,
}

/// What a person does about a link, beside accepting it (which opens it), declining and cancelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LinkAct {
    /// They agree to it and open it themselves.
    OpenedByHand,
    /// Open one of those that they agreed to once more.
    OpenAgain {
        /// Which, from 0.
        index: u32,
    },
    /// Ask the server again now.
    RetryNow,
}

/// How what it takes to go on after the browser is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FlowKeeping {
    /// Nothing is to be kept, or it is being written.
    #[default]
    None,
    /// In this store: Roundtrip may be closed meanwhile.
    Kept {
        /// Its name.
        store: String,
    },
    /// In memory alone: it ends with Roundtrip.
    SessionOnly {
        /// Why, and what to try.
        why: String,
    },
}

/// The hosts that a person agreed to open links to, for one server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HostList {
    /// By name.
    pub hosts: Vec<AgreedHost>,
}

/// A host that a person agreed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AgreedHost {
    /// Its name, or its address.
    pub host: String,
    /// When they did so first, in microseconds since the Unix epoch.
    pub since_micros: u64,
}

/// A host to forget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ForgetHostArgs {
    /// For which server.
    pub server: ServerId,
    /// Its name.
    pub host: String,
}
