//! What the engine knows of a server's log: whose it is, and from which level on it is asked for.

use std::collections::BTreeSet;

use journal::event::ConnectionId;
use journal::row::RowRef;
use tokio::sync::oneshot;

use super::input::Answer;
use super::state::{Engine, reply};
use crate::api::ErrorView;
use crate::api::servers::ServerId;

/// Something about logs.
pub enum LogInput {
    /// Whose log it is.
    Standing {
        /// Which server.
        server: ServerId,
        /// How its log stands.
        answer: Answer<LogStanding>,
    },
    /// Log from a level on, as long as the connection lasts.
    SetLevel {
        /// Which server.
        server: ServerId,
        /// The level; absent for the server's own choice.
        level: Option<String>,
        /// Done.
        answer: Answer<()>,
    },
    /// Where a row is in the present filter.
    Locate {
        /// Which.
        row: RowRef,
        /// From 0.
        answer: oneshot::Sender<Option<u32>>,
    },
}

/// How a server's log stands.
#[derive(Debug)]
pub struct LogStanding {
    /// The server's connections in this session.
    pub connections: BTreeSet<ConnectionId>,
    /// From which level on messages are asked for.
    pub level: Option<String>,
    /// Whether the server says that it can log; nothing while it is not connected.
    pub can_log: Option<bool>,
}

impl Engine {
    pub(super) fn handle_log(&mut self, input: LogInput) {
        match input {
            LogInput::Standing { server, answer } => reply(answer, Ok(self.log_standing(&server))),
            LogInput::SetLevel {
                server,
                level,
                answer,
            } => {
                let set = self.set_level_of_connection(&server, level);
                reply(answer, set);
            }
            LogInput::Locate { row, answer } => {
                // Whoever asked may have gone.
                let _gone = answer.send(self.locate_row(row));
            }
        }
    }

    fn log_standing(&self, server: &str) -> LogStanding {
        let newest = self
            .newest
            .get(server)
            .and_then(|id| self.connections.get(id));
        LogStanding {
            connections: self
                .connections
                .iter()
                .filter(|(_, connection)| connection.server == server)
                .map(|(id, _)| *id)
                .collect(),
            level: newest.and_then(|connection| connection.options.log_level.clone()),
            can_log: newest
                .filter(|connection| connection.is_connected())
                .map(|connection| connection.declares(&["logging"])),
        }
    }

    fn set_level_of_connection(
        &mut self,
        server: &str,
        level: Option<String>,
    ) -> Result<(), ErrorView> {
        let id = self.connected(server)?;
        let Some(connection) = self.connections.get(&id) else {
            return Err(super::input::ended());
        };
        let mut options = connection.options.clone();
        options.log_level = level;
        self.options_changed(server, &options);
        Ok(())
    }
}
