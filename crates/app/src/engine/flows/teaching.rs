//! The redactor learns the states and the answers of link flows before they are recorded. What is sent stays as it is.

use journal::event::OperationId;
use protocol::operation::LinkFlow;
use protocol::rounds;
use wire::message::{Message, MessageKind};

use crate::engine::state::{Engine, Place};
use crate::secret_values;

/// An answer's text is learned from this length on: shorter ones are words of the record itself.
const SHORTEST_ANSWER: usize = 8;
/// A state of letters alone is learned from this length on: `text` or `jsonrpc` would be found everywhere.
const SHORTEST_WORD: usize = 8;

impl Engine {
    /// Learns the state in a reply that asks for a link, or goes on after one.
    pub(in crate::engine) fn learn_state(&self, place: Option<Place>, message: &Message<'_>) {
        let Some(place) = place else {
            return;
        };
        match &message.kind {
            MessageKind::Result { result, .. } => {
                if let Some(state) = rounds::state_of(result)
                    && (rounds::asks_for_link(result) || self.has_opened_link(place.operation))
                {
                    self.teach_state(&self.owner_of(place), state.get());
                }
            }
            MessageKind::NotProtocol { .. } => {
                self.learn_broken(Some(place), message.text.as_bytes());
            }
            _ => {}
        }
    }

    /// Learns a state in bytes that are no message, or not all of one.
    pub(in crate::engine) fn learn_broken(&self, place: Option<Place>, bytes: &[u8]) {
        for state in rounds::states_in(bytes) {
            let owner = place.map_or_else(|| "server".to_owned(), |place| self.owner_of(place));
            self.teach_state(&owner, &state);
        }
    }

    /// Learns the answer to a question that is part of a link flow.
    pub(in crate::engine) fn learn_answer(&self, operation: OperationId, answer: &str) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let is_flow = active
            .machine
            .as_ref()
            .is_some_and(|machine| machine.asks_for_link() || machine.has_opened_link());
        if is_flow {
            let place = Place {
                connection: active.connection,
                operation,
                round: 0,
                attempt: 0,
            };
            self.teach_answer(&self.owner_of(place), answer);
        }
    }

    /// Learns all that the flow of this operation holds.
    pub(super) fn teach_flow(&mut self, server: &str, operation: OperationId) {
        let owner = self.name_of_server(server);
        if let Some((_, known)) = self.flows.live(operation) {
            let flow = known.flow.clone();
            self.teach(&owner, &flow);
        }
    }

    /// Learns all that a flow holds.
    pub(super) fn teach(&self, owner: &str, flow: &LinkFlow) {
        for state in flow.states() {
            self.teach_state(owner, &state);
        }
        for answer in flow.answers() {
            self.teach_answer(owner, &answer);
        }
    }

    pub(super) fn name_of_server(&self, server: &str) -> String {
        self.catalog
            .get(server)
            .map_or_else(|| server.to_owned(), |entry| entry.name.clone())
    }

    fn owner_of(&self, place: Place) -> String {
        self.connections
            .get(&place.connection)
            .map_or_else(|| "server".to_owned(), |link| link.server_name.clone())
    }

    fn has_opened_link(&self, operation: OperationId) -> bool {
        self.active
            .get(&operation)
            .and_then(|active| active.machine.as_ref())
            .is_some_and(protocol::operation::Operation::has_opened_link)
    }

    /// A state as it stands in JSON, and as the text that it means.
    fn teach_state(&self, owner: &str, token: &str) {
        let name = format!("{owner}/link state");
        let written = token.trim_matches('"');
        let meant = serde_json::from_str::<String>(token).ok();
        for text in [Some(written), meant.as_deref()].into_iter().flatten() {
            let is_word = text.chars().all(|c| c.is_ascii_alphabetic());
            if !(is_word && text.len() < SHORTEST_WORD) {
                self.redactor.add_made_up(&name, text);
            }
        }
    }

    fn teach_answer(&self, owner: &str, answer: &str) {
        let name = format!("{owner}/link answer");
        secret_values::teach_texts(&self.redactor, &name, answer, SHORTEST_ANSWER);
    }
}
