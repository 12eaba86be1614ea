//! Refusals of how a request was sent: what is put right, and the request sent once more.

use std::sync::Arc;

use journal::event::{ConnectionId, EventBody, OperationId};
use protocol::era::{self, Remedy, Revision};
use protocol::listing::ListKind;
use protocol::operation::Again;
use protocol::request::Speaker;
use wire::message::RpcError;

use super::operation::Purpose;
use super::state::{Engine, Place};
use crate::lists::AnyList as _;

/// JSON-RPC: the method is not known.
const METHOD_NOT_FOUND: i64 = -32601;

/// What to try about an error that says what it is by its code.
pub(super) fn hint(code: i64, method: &str) -> Option<String> {
    (code == METHOD_NOT_FOUND).then(|| {
        format!(
            "The server is there and does not have {method}; compare its capabilities in Overview."
        )
    })
}

impl Engine {
    /// Whether this error is no answer to what was asked, and is being put right instead.
    pub(super) fn put_right(&mut self, place: Place, error: &RpcError) -> bool {
        let Some(active) = self.active.get(&place.operation) else {
            return false;
        };
        // A handshake has rules of its own.
        if active.purpose == Purpose::Handshake {
            return false;
        }
        let remedy = era::remedy(
            &active.method,
            error,
            &active.speaker.revision,
            &Revision::SPOKEN,
        );
        match remedy {
            None => false,
            Some(Remedy::ListTools) => self.list_for_call(place, error),
            Some(Remedy::Speak(revision)) => self.speak(place, &revision),
            Some(Remedy::Reconnect { message, hint }) => {
                self.fail(
                    place.operation,
                    &format!("error {}", error.code),
                    format!("{}: {message}", error.message),
                    Some(hint),
                );
                true
            }
        }
    }

    /// The call's headers do not fit its arguments, so the tool may have changed: the tools are listed again, and the
    /// call waits for that.
    fn list_for_call(&mut self, place: Place, error: &RpcError) -> bool {
        let can_list = self
            .connections
            .get(&place.connection)
            .is_some_and(|connection| connection.is_over_http() && connection.lists.tools.declared);
        let Some(active) = self.active.get_mut(&place.operation) else {
            return false;
        };
        let may_send = active
            .machine
            .as_ref()
            .is_some_and(|machine| machine.may_send_again(&Again::Headers));
        if !can_list || !may_send {
            return false;
        }
        active.refused = Some(error.clone());
        self.record(
            place.connection,
            Some(place.operation),
            EventBody::WaitStarted {
                reason: "the server refused the headers: the tools are listed again, then the call is sent once more"
                    .to_owned(),
            },
        );
        self.publisher.touch(place.operation);
        self.list(place.connection, ListKind::Tools);
        true
    }

    /// The list that calls wait for has ended, well or not.
    pub(super) fn call_again(&mut self, id: ConnectionId) {
        let is_connected = self
            .connections
            .get(&id)
            .is_some_and(super::connection::Connection::is_connected);
        if !is_connected {
            return;
        }
        let mut waiting: Vec<_> = self
            .active
            .iter()
            .filter(|(_, active)| active.connection == id && active.refused.is_some())
            .map(|(operation, _)| *operation)
            .collect();
        waiting.sort_unstable();
        for operation in waiting {
            self.record(id, Some(operation), EventBody::WaitEnded);
            self.call_once_more(id, operation);
        }
    }

    fn call_once_more(&mut self, id: ConnectionId, operation: OperationId) {
        let (Some(active), Some(connection)) =
            (self.active.get_mut(&operation), self.connections.get(&id))
        else {
            return;
        };
        let Some(refused) = active.refused.take() else {
            return;
        };
        let name = active
            .machine
            .as_ref()
            .and_then(|machine| machine.intent().name.clone())
            .unwrap_or_default();
        let reason = match connection.lists.tools.named(&name) {
            _ if !connection.lists.tools.is_ready() => {
                "the tools could not be listed again".to_owned()
            }
            None => format!("{name} is not in the server's new list of tools"),
            Some(protocol::tools::ToolEntry {
                excluded: Some(why),
                ..
            }) => format!("by the new list, {name} cannot be called over HTTP: {why}"),
            Some(tool) => {
                active.mirrored.clone_from(&tool.mirrored);
                let step = active
                    .machine
                    .as_mut()
                    .and_then(|machine| machine.send_again(&Again::Headers));
                if let Some(step) = step {
                    self.advance(operation, step);
                }
                return;
            }
        };
        self.fail(
            operation,
            &format!("error {}", refused.code),
            format!("{} — {reason}.", refused.message),
            Some("Compare the row of tools/list with the call's headers.".to_owned()),
        );
    }

    /// From now on this revision is spoken on the connection, and what was refused is sent in it.
    fn speak(&mut self, place: Place, revision: &Revision) -> bool {
        let Some(active) = self.active.get_mut(&place.operation) else {
            return false;
        };
        let again = Again::Revision(revision.clone());
        let Some(step) = active
            .machine
            .as_mut()
            .and_then(|machine| machine.send_again(&again))
        else {
            return false;
        };
        let speaker = Arc::new(Speaker {
            revision: revision.clone(),
            ..(*active.speaker).clone()
        });
        active.speaker = Arc::clone(&speaker);
        if let Some(connection) = self.connections.get_mut(&place.connection) {
            connection.speaker = Some(speaker);
            if let Some(report) = &mut connection.report {
                report.revision = revision.to_string();
            }
        }
        self.record(
            place.connection,
            Some(place.operation),
            EventBody::ConnectionEstablished {
                era: revision.era().as_str().to_owned(),
                revision: revision.to_string(),
            },
        );
        self.publisher.servers_changed();
        self.advance(place.operation, step);
        true
    }
}
