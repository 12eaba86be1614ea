//! Which rules were broken, where.

use std::collections::BTreeMap;

use crate::event::{ConnectionId, EventSeq};

/// The findings of the whole journal by the rule that they are about. Of each it keeps its event's number alone.
#[derive(Debug, Default)]
pub(crate) struct FoundRules {
    rules: BTreeMap<String, BTreeMap<ConnectionId, Vec<u32>>>,
}

impl FoundRules {
    pub(super) fn add(&mut self, rule: &str, connection: ConnectionId, seq: EventSeq) {
        if !self.rules.contains_key(rule) {
            self.rules.insert(rule.to_owned(), BTreeMap::new());
        }
        if let Some(places) = self.rules.get_mut(rule) {
            places.entry(connection).or_default().push(seq.0);
        }
    }

    /// Each rule.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.keys().map(String::as_str)
    }

    /// The findings about a rule on some connections, in their order.
    pub(crate) fn places(&self, rule: &str, among: &dyn Fn(ConnectionId) -> bool) -> Vec<u32> {
        let mut places: Vec<u32> = self
            .rules
            .get(rule)
            .into_iter()
            .flatten()
            .filter(|(connection, _)| among(**connection))
            .flat_map(|(_, places)| places.iter().copied())
            .collect();
        places.sort_unstable();
        places
    }
}
