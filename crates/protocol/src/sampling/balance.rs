//! Tool uses and their results in a conversation (client/sampling § Message Content Constraints, § Tool Use and Result
//! Balance).

use std::collections::BTreeSet;

use super::{Block, Message};

/// The first breach, in the words of the specification's examples of errors.
pub(super) fn breach(messages: &[Message]) -> Option<String> {
    for (place, message) in messages.iter().enumerate() {
        let results = results(message);
        if !results.is_empty() && results.len() < message.content.len() {
            return Some("Tool results mixed with other content".to_owned());
        }
        let uses = uses(message);
        let before = place
            .checked_sub(1)
            .and_then(|before| messages.get(before))
            .map(self::uses)
            .unwrap_or_default();
        if let Some(stray) = results.iter().find(|id| !before.contains(*id)) {
            return Some(format!("Tool result {stray:?} belongs to no tool use"));
        }
        if message.role != "assistant" || uses.is_empty() {
            continue;
        }
        let given = messages
            .get(place + 1)
            .map(self::results)
            .unwrap_or_default();
        if uses.iter().any(|id| !given.contains(id)) {
            return Some("Tool result missing in request".to_owned());
        }
    }
    None
}

fn uses(message: &Message) -> BTreeSet<&str> {
    let ids = message.content.iter().filter_map(|block| match block {
        Block::ToolUse { id, .. } => Some(id.as_str()),
        _ => None,
    });
    ids.collect()
}

fn results(message: &Message) -> Vec<&str> {
    let ids = message.content.iter().filter_map(|block| match block {
        Block::ToolResult { tool_use_id, .. } => Some(tool_use_id.as_str()),
        _ => None,
    });
    ids.collect()
}
