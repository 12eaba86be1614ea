//! Which frames have a row of their own.

use wire::frame::Direction;

use crate::event::FrameRole;
use crate::row::RowKind;

/// Inside an operation, for a frame that is not its attempt's request or reply.
pub(super) fn row_within(direction: Direction, role: &FrameRole) -> Option<RowKind> {
    match role {
        FrameRole::Notification { .. } => Some(RowKind::Notification),
        FrameRole::Orphan | FrameRole::NotProtocol { .. } => Some(RowKind::Noise),
        // What a server asks of the person has a prompt's row.
        FrameRole::Request { method } if direction == Direction::Received && !is_prompt(method) => {
            Some(RowKind::Notification)
        }
        FrameRole::Request { .. } | FrameRole::Reply | FrameRole::KeepAlive => None,
    }
}

/// Beside the operations.
pub(super) fn row_of_its_own(direction: Direction, role: &FrameRole) -> Option<RowKind> {
    match role {
        FrameRole::Notification { .. } => Some(RowKind::Notification),
        FrameRole::Orphan | FrameRole::NotProtocol { .. } => Some(RowKind::Noise),
        FrameRole::Request { method } if direction == Direction::Received && is_prompt(method) => {
            None
        }
        FrameRole::Request { .. } => Some(RowKind::Notification),
        // An answer to a server's request.
        FrameRole::Reply if direction == Direction::Sent => None,
        // A reply that waits for nobody, whatever its role says.
        FrameRole::Reply => Some(RowKind::Noise),
        FrameRole::KeepAlive => None,
    }
}

fn is_prompt(method: &str) -> bool {
    matches!(method, "elicitation/create" | "sampling/createMessage")
}
