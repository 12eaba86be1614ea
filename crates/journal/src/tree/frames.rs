//! Which frames have a row of their own.

use wire::frame::Direction;

use crate::event::{EventBody, FrameRole};
use crate::row::RowKind;

/// Inside an operation, for a frame that is not its attempt's request or reply.
pub(super) fn row_within(direction: Direction, role: &FrameRole) -> Option<RowKind> {
    match role {
        // What we ask for, and the replies to it, show in their attempts' rows.
        FrameRole::Request { .. } if direction == Direction::Sent => None,
        FrameRole::Reply => None,
        _ => row_of_its_own(direction, role),
    }
}

/// Beside the operations.
pub(super) fn row_of_its_own(direction: Direction, role: &FrameRole) -> Option<RowKind> {
    match (role, direction) {
        (FrameRole::KeepAlive, _)
        // Our answer to a server's request.
        | (FrameRole::Reply, Direction::Sent) => None,
        // What a server asks of the person has a prompt's row.
        (FrameRole::Request { method }, Direction::Received) if is_prompt(method) => None,
        (FrameRole::Request { .. } | FrameRole::Notification { .. } | FrameRole::Batch { .. }, _) => Some(RowKind::Notification),
        // A reply that no operation waits for is an orphan, whatever its role says.
        (FrameRole::Orphan | FrameRole::NotProtocol { .. }, _) | (FrameRole::Reply, Direction::Received) => {
            Some(RowKind::Noise)
        }
    }
}

/// Whether an event is a line of a server's log.
pub(super) fn is_log(body: &EventBody) -> bool {
    match body {
        EventBody::Stderr { .. } => true,
        EventBody::Frame {
            direction: Direction::Received,
            role: FrameRole::Notification { method, .. },
            ..
        } => method == "notifications/message",
        _ => false,
    }
}

fn is_prompt(method: &str) -> bool {
    matches!(method, "elicitation/create" | "sampling/createMessage")
}
