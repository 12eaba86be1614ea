//! What is kept of a link flow.

use journal::event::OperationId;
use protocol::link::Link;
use protocol::operation::LinkFlow;
use serde::{Deserialize, Serialize};

use super::LIFETIME_MICROS;
use crate::engine::links::AskedLink;

/// How the value in the keyring is laid out.
const LAYOUT: u32 = 1;

/// A flow that has not ended.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::engine) struct KeptFlow {
    pub(super) id: String,
    /// When the person agreed to its first link.
    pub(super) since_micros: u64,
    /// When it took its last step.
    pub(super) asked_micros: u64,
    /// What reaches its server, in a number.
    pub(super) reach: String,
    /// What the server said with the link.
    pub(super) message: String,
    pub(super) input_key: String,
    pub(super) links: Vec<KeptLink>,
    pub(super) flow: LinkFlow,
    /// It was handed to the keyring as it is.
    #[serde(skip)]
    pub(super) is_written: bool,
    /// The operation that goes through it; none while it is offered.
    #[serde(skip)]
    pub(super) operation: Option<OperationId>,
    /// The person wants it to go on, and its server is being connected to.
    #[serde(skip)]
    pub(super) is_wanted: bool,
}

/// A link that the person opened.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptLink {
    pub(super) url: String,
    pub(super) id: Option<String>,
}

/// All flows of a server, as the keyring has them.
#[derive(Serialize, Deserialize)]
pub(super) struct Layout {
    layout: u32,
    flows: Vec<KeptFlow>,
}

impl KeptFlow {
    /// When it is kept no longer.
    pub(super) fn lapses_micros(&self) -> u64 {
        self.asked_micros.saturating_add(LIFETIME_MICROS)
    }

    /// Its links, judged anew.
    pub(super) fn asked_links(&self) -> Vec<AskedLink> {
        let asked = self.links.iter().map(|kept| AskedLink {
            link: Link::judge(&kept.url),
            id: kept.id.clone(),
            is_completed: false,
        });
        asked.collect()
    }
}

impl KeptLink {
    pub(super) fn of(asked: &AskedLink) -> Self {
        Self {
            url: asked.link.url.clone(),
            id: asked.id.clone(),
        }
    }
}

impl Layout {
    pub(super) fn of(flows: &[KeptFlow]) -> Self {
        Self {
            layout: LAYOUT,
            flows: flows.to_vec(),
        }
    }

    /// The text for the keyring.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The flows in a value of the keyring; nothing when a later Roundtrip wrote it, or it is damaged.
    pub(super) fn read(text: &str) -> Option<Vec<KeptFlow>> {
        let layout: Layout = serde_json::from_str(text).ok()?;
        (layout.layout == LAYOUT).then_some(layout.flows)
    }
}
