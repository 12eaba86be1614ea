//! What a list of recordings says of one: a few figures that follow the log.

use serde::{Deserialize, Serialize};

use crate::event::{Event, EventBody};

/// At most so many servers are named; a recording of more is as well told by these.
const MOST_SERVERS: usize = 32;

/// A recording in a few figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The name that it was given.
    pub name: Option<String>,
    /// The servers, each once, in the order of their first connections.
    pub server_names: Vec<String>,
    /// The first event's time, in microseconds since the Unix epoch; none without events.
    pub start_micros: Option<u64>,
    /// The last event's.
    pub end_micros: Option<u64>,
    /// How many events there are.
    pub event_count: u32,
    /// How many operations began.
    pub operation_count: u32,
    /// How many findings there are.
    pub finding_count: u32,
    /// The size in bytes.
    pub byte_len: u64,
    /// It cannot be read to its end.
    pub is_damaged: bool,
}

impl Summary {
    /// Counts an event in.
    pub(crate) fn observe(&mut self, event: &Event) {
        self.event_count = self.event_count.saturating_add(1);
        self.start_micros = Some(
            self.start_micros
                .map_or(event.at_micros, |start| start.min(event.at_micros)),
        );
        self.end_micros = self.end_micros.max(Some(event.at_micros));
        match &event.body {
            EventBody::ConnectionOpened { server_name, .. }
                if self.server_names.len() < MOST_SERVERS
                    && !self.server_names.contains(server_name) =>
            {
                self.server_names.push(server_name.clone());
            }
            EventBody::OperationStarted { .. } => self.operation_count += 1,
            EventBody::FindingSeen { .. } => self.finding_count += 1,
            _ => {}
        }
    }
}
