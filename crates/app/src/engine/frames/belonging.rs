//! Whose a message is: the operation that it belongs to, and how it fits what that waits for.

use journal::event::{ConnectionId, FrameRole, OperationId};
use protocol::era::Era;
use protocol::naming;
use wire::message::{Id, IdMatch, Message, MessageKind};

use super::{Progress, Source};
use crate::engine::operation::Purpose;
use crate::engine::state::{Engine, Place};

impl Engine {
    /// Which operation a message belongs to.
    pub(super) fn whose(
        &self,
        connection: ConnectionId,
        source: Source,
        message: &Message<'_>,
    ) -> Option<Place> {
        let carries_replies = match source {
            Source::Exchange(place, _) => return Some(place),
            Source::Stdout => true,
            Source::Stream {
                carries_replies, ..
            } => carries_replies,
        };
        // What names no operation is shown with the call that waits, when only one does; a session's own stream is
        // not about any call.
        let only_waiting = || self.only_waiting(connection).filter(|_| carries_replies);
        self.named_by(connection, message, only_waiting)
            .or_else(|| source.home())
    }

    /// The operation that a message is about by what it says, or else the one that is `supposed`.
    fn named_by(
        &self,
        connection: ConnectionId,
        message: &Message<'_>,
        supposed: impl Fn() -> Option<OperationId>,
    ) -> Option<Place> {
        let operation = match &message.kind {
            MessageKind::Result { id, .. } | MessageKind::Error { id: Some(id), .. } => {
                // A late reply belongs to what was cancelled or timed out.
                if let Some(place) = self.given_up(connection, *id) {
                    return Some(place);
                }
                self.pending(connection, *id)
                    .or_else(|| self.composed_for(connection, &message.kind))
                    .or_else(supposed)
            }
            MessageKind::Notification { method, params } if method == "notifications/progress" => {
                params
                    .and_then(|params| serde_json::from_str::<Progress<'_>>(params.get()).ok())
                    .and_then(|progress| self.pending(connection, Id(progress.token.get())))
            }
            MessageKind::Notification { method, .. } if method == "notifications/message" => {
                supposed()
            }
            MessageKind::Error { id: None, .. } => self
                .composed_for(connection, &message.kind)
                .or_else(supposed),
            MessageKind::Notification { params, .. } => params
                .and_then(protocol::subscriptions::subscription_id)
                .and_then(|id| self.pending(connection, Id(id.get()))),
            _ => None,
        }?;
        self.place_of(operation)
    }

    fn place_of(&self, operation: OperationId) -> Option<Place> {
        let active = self.active.get(&operation)?;
        Some(Place {
            connection: active.connection,
            operation,
            round: active.round,
            attempt: active.current.as_ref().map_or(1, |attempt| attempt.number),
        })
    }

    /// The operation that waits for a reply with this id.
    fn pending(&self, connection: ConnectionId, id: Id<'_>) -> Option<OperationId> {
        let pending = &self.connections.get(&connection)?.pending;
        if let Some(id) = id.as_u64_exact() {
            return pending.get(&id).copied();
        }
        // `"7"` or `7.0` for 7 is rare, and few wait at a time.
        pending
            .iter()
            .find(|(sent, _)| id.matches(**sent) != IdMatch::No)
            .map(|(_, operation)| *operation)
    }

    /// The place of a request that is waited for no more.
    fn given_up(&self, connection: ConnectionId, id: Id<'_>) -> Option<Place> {
        let given_up = &self.connections.get(&connection)?.given_up;
        given_up.get(&id.as_u64_exact()?).copied()
    }

    pub(super) fn only_waiting(&self, connection: ConnectionId) -> Option<OperationId> {
        let pending = &self.connections.get(&connection)?.pending;
        // A stream that is listened to waits for nothing.
        let mut waiting = pending
            .values()
            .filter(|operation| !self.listens.contains_key(operation));
        match (waiting.next(), waiting.next()) {
            (Some(only), None) => Some(*only),
            _ => None,
        }
    }

    pub(super) fn role(
        &self,
        connection: ConnectionId,
        whose: Option<Place>,
        source: Source,
        message: &Message<'_>,
    ) -> FrameRole {
        match &message.kind {
            MessageKind::Result { .. } | MessageKind::Error { .. } => {
                match self.reply_to(whose, source, message) {
                    IdMatch::No => FrameRole::Orphan,
                    IdMatch::Exact | IdMatch::Loose => FrameRole::Reply,
                }
            }
            MessageKind::Notification { method, params } => FrameRole::Notification {
                method: method.to_string(),
                text: naming::note_text(method, *params).map(|text| self.redacted_text(text)),
            },
            MessageKind::Request { method, .. } => match self.era_of(connection) {
                Some(Era::Modern) => FrameRole::NotProtocol {
                    problem: format!(
                        "the server sent the request {method}, which this revision does not have"
                    ),
                },
                _ => FrameRole::Request {
                    method: method.to_string(),
                },
            },
            MessageKind::NotProtocol { reason } => FrameRole::NotProtocol {
                problem: reason.clone(),
            },
        }
    }

    pub(in crate::engine) fn era_of(&self, connection: ConnectionId) -> Option<Era> {
        self.connections
            .get(&connection)?
            .speaker
            .as_ref()
            .map(|speaker| speaker.era)
    }

    /// How a reply's id fits the request that the operation waits for.
    pub(super) fn reply_to(
        &self,
        whose: Option<Place>,
        source: Source,
        message: &Message<'_>,
    ) -> IdMatch {
        let active = whose.and_then(|place| self.active.get(&place.operation));
        let is_handshake = active.is_some_and(|active| active.purpose == Purpose::Handshake);
        let Some(attempt) = active.and_then(|active| active.current.as_ref()) else {
            return IdMatch::No;
        };
        let of_exchange = match source {
            Source::Exchange(_, exchange) if attempt.exchange != exchange => return IdMatch::No,
            Source::Exchange(..) => true,
            Source::Stdout | Source::Stream { .. } => false,
        };
        if let Some(awaited) = active.and_then(|active| active.awaited.as_ref()) {
            return if awaited.is(&message.kind, of_exchange) {
                IdMatch::Exact
            } else {
                IdMatch::No
            };
        }
        let Some(sent) = attempt.request_id else {
            return IdMatch::No;
        };
        match &message.kind {
            MessageKind::Result { id, .. } | MessageKind::Error { id: Some(id), .. } => {
                id.matches(sent)
            }
            // An error without an id answers its HTTP request: the server could not read the id. So it does in a
            // handshake, where nothing else was sent.
            MessageKind::Error { id: None, .. } if of_exchange || is_handshake => IdMatch::Exact,
            _ => IdMatch::No,
        }
    }
}
