//! Waiting until a connection is made or has failed.

use journal::event::ConnectionId;

use super::input::Answer;
use super::state::Engine;
use crate::api::servers::{ConnectionView, Phase};
use crate::api::{ErrorCode, ErrorView};

impl Engine {
    /// Answers when the server's newest connection is not being made any more, which may be now.
    pub(super) fn await_settled(&mut self, server: &str, answer: Answer<ConnectionView>) {
        let Some(id) = self.newest.get(server).copied() else {
            // Whoever asked may have gone.
            let _gone = answer.send(Err(ErrorView {
                code: ErrorCode::Gone,
                message: "The server is not connected.".to_owned(),
                hint: Some("Connect to it first.".to_owned()),
            }));
            return;
        };
        self.settling.push((id, answer));
        self.tell_settled(id);
    }

    /// Tells whoever waits for this connection what became of it.
    pub(super) fn tell_settled(&mut self, id: ConnectionId) {
        let Some(connection) = self
            .connections
            .get(&id)
            .filter(|connection| connection.phase != Phase::Connecting)
        else {
            return;
        };
        let view = connection.view(0, self.is_asleep(&connection.server));
        for (_, answer) in self.settling.extract_if(.., |(awaited, _)| *awaited == id) {
            // Whoever asked may have gone.
            let _gone = answer.send(Ok(view.clone()));
        }
    }
}
