//! Link flows outlive the program: while the person is in their browser, what it takes to go on (the server's
//! `requestState`, and their answers) is in the keyring, under the server's name.
//!
//! - A flow begins when the person agrees to a link, and is written anew with each of its rounds. It ends, and is wiped,
//!   when the server answers with anything but a further question, when the person declines or cancels, or a day after
//!   it was asked for last.
//! - One that was cut short (Roundtrip was closed, the connection failed) is offered again: its prompt stands in the queue,
//!   and goes on when the person says so. Nothing is sent before.
//! - A flow goes back to the server that it is from, reached as it was, and to nobody else.
//! - Beside the catalog stand notes of which servers have flows in the keyring, with no word of what is in them.
//! - The redactor knows each state and each answer before the event that carries it is recorded ([`teaching`]).

mod keeping;
mod known;
mod notes;
mod offering;
mod teaching;

use std::collections::BTreeMap;

use client::clock::now_micros;
use journal::event::{OperationEnd, OperationId};
use tokio::sync::mpsc;

use super::links::AskedLink;
use super::operation::Active;
use super::state::Engine;
use crate::api::feed::PromptAsk;
use crate::api::links::FlowKeeping;
use crate::api::servers::ServerId;
use keeping::Job;
pub(super) use known::KeptFlow;
use known::{KeptLink, Layout};
pub use notes::FlowNotes;

/// How long a flow is kept after it was asked for last.
pub(super) const LIFETIME_MICROS: u64 = 24 * 60 * 60 * 1_000_000;

/// Something about link flows for the engine to do.
pub enum FlowInput {
    /// The keyring was written, or could not be.
    Written {
        /// For which server.
        server: ServerId,
        /// Nothing is left of its flows there.
        is_wiped: bool,
        /// The store's name, or why not.
        outcome: Result<String, String>,
    },
    /// The keyring was read.
    Read {
        /// For which server.
        server: ServerId,
        /// What it held, or why it could not be read.
        outcome: Result<Option<secrets::SecretString>, String>,
    },
}

/// All link flows that have not ended.
pub struct Flows {
    notes: FlowNotes,
    by_server: BTreeMap<ServerId, Vec<KeptFlow>>,
    /// How each server's flows are kept.
    keeping: BTreeMap<ServerId, FlowKeeping>,
    jobs: Option<mpsc::UnboundedSender<Job>>,
    /// What is cut short now goes on in another run.
    pub(super) is_closing: bool,
}

impl Flows {
    pub(super) fn new(notes: FlowNotes) -> Self {
        Self {
            notes,
            by_server: BTreeMap::new(),
            keeping: BTreeMap::new(),
            jobs: None,
            is_closing: false,
        }
    }

    fn of(&self, server: &str) -> &[KeptFlow] {
        self.by_server.get(server).map_or(&[], Vec::as_slice)
    }

    /// The flow that this operation goes through.
    fn live(&mut self, operation: OperationId) -> Option<(ServerId, &mut KeptFlow)> {
        self.by_server.iter_mut().find_map(|(server, flows)| {
            let flow = flows
                .iter_mut()
                .find(|flow| flow.operation == Some(operation))?;
            Some((server.clone(), flow))
        })
    }

    /// The keyring's name for a server's flows, where it has some.
    pub(super) fn kept_as(&self, server: &str) -> Option<String> {
        let note = self.notes.get(server).filter(|note| !note.is_over)?;
        Some(note.kept_as.clone())
    }

    /// How the flows of a server are kept, for their prompts.
    fn keeping_of(&self, server: &str) -> FlowKeeping {
        self.keeping.get(server).cloned().unwrap_or_default()
    }
}

impl Engine {
    pub(super) fn take_flow(&mut self, input: FlowInput) {
        match input {
            FlowInput::Written {
                server,
                is_wiped,
                outcome,
            } => self.flow_written(&server, is_wiped, outcome),
            FlowInput::Read { server, outcome } => self.flows_read(&server, outcome),
        }
    }

    /// The person has agreed to links that this operation waits for.
    pub(super) fn flow_agreed(
        &mut self,
        operation: OperationId,
        key: &str,
        message: &str,
        links: &[AskedLink],
    ) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let Some(flow) = active
            .machine
            .as_ref()
            .and_then(protocol::operation::Operation::link_flow)
        else {
            return;
        };
        let Some(server) = self
            .connections
            .get(&active.connection)
            .map(|connection| connection.server.clone())
        else {
            return;
        };
        let Some(entry) = self.catalog.get(&server) else {
            return;
        };
        let reach = crate::eras::reach_of(entry);
        let opened = links.iter().map(KeptLink::of);
        if let Some((_, known)) = self.flows.live(operation) {
            for link in opened {
                if !known.links.contains(&link) {
                    known.links.push(link);
                }
            }
        } else {
            let now = now_micros();
            let known = KeptFlow {
                id: uuid::Uuid::now_v7().to_string(),
                since_micros: now,
                asked_micros: now,
                reach,
                message: message.to_owned(),
                input_key: key.to_owned(),
                links: opened.collect(),
                flow,
                is_written: false,
                operation: Some(operation),
                is_wanted: false,
            };
            self.flows.by_server.entry(server).or_default().push(known);
        }
        self.flow_moved(operation);
    }

    /// The operation has taken a step: what it takes to go on may be another.
    pub(super) fn flow_moved(&mut self, operation: OperationId) {
        let flow = self
            .active
            .get(&operation)
            .and_then(|active| active.machine.as_ref())
            .and_then(protocol::operation::Operation::link_flow);
        let Some(flow) = flow else {
            return;
        };
        let Some((server, known)) = self.flows.live(operation) else {
            return;
        };
        if !known.is_written || known.flow != flow {
            known.flow = flow;
            known.is_written = true;
            known.asked_micros = now_micros();
            self.teach_flow(&server, operation);
            self.write_flows(&server);
        }
    }

    /// The operation is over: its flow ends with it, or waits to be gone on with.
    pub(super) fn flow_left(
        &mut self,
        operation: OperationId,
        active: &Active,
        end: &OperationEnd,
    ) {
        if *end == OperationEnd::Cancelled {
            self.drop_offered(operation);
        }
        let Some((server, known)) = self.flows.live(operation) else {
            return;
        };
        known.operation = None;
        let id = known.id.clone();
        if !active.is_cut_short {
            self.drop_flow(&server, &id);
        } else if !self.flows.is_closing {
            self.offer_flow(&server, &id, None);
        }
    }

    /// Forgets a flow, and wipes it.
    pub(super) fn drop_flow(&mut self, server: &str, id: &str) {
        if let Some(flows) = self.flows.by_server.get_mut(server) {
            flows.retain(|flow| flow.id != id);
            if flows.is_empty() {
                self.flows.by_server.remove(server);
            }
        }
        self.write_flows(server);
    }

    /// Forgets all flows of a server that was removed, with their offers.
    pub(super) fn forget_flows(&mut self, server: &str) {
        self.withdraw_offers(server);
        let had_some = self.flows.by_server.remove(server).is_some();
        if had_some || self.flows.notes.get(server).is_some() {
            self.write_flows(server);
        }
    }

    /// What the keyring is to hold of a server's flows: nothing when there is none.
    fn layout_of(&self, server: &str) -> Option<Layout> {
        let flows = self.flows.of(server);
        (!flows.is_empty()).then(|| Layout::of(flows))
    }

    /// Ends the offers whose time is over.
    pub(super) fn lapse_flows(&mut self) {
        let now = now_micros();
        let lapsed: Vec<(ServerId, String)> = self
            .flows
            .by_server
            .iter()
            .flat_map(|(server, flows)| {
                flows
                    .iter()
                    .filter(|flow| flow.operation.is_none() && flow.lapses_micros() <= now)
                    .map(|flow| (server.clone(), flow.id.clone()))
            })
            .collect();
        for (server, id) in lapsed {
            self.end_offer(&server, Some(&id), "lapsed");
            self.drop_flow(&server, &id);
        }
    }

    /// Tells the prompts of a server's flows how they are kept.
    fn tell_keeping(&mut self, server: &str) {
        let kept = self.flows.keeping_of(server);
        let mut changed = false;
        for open in &mut self.prompts {
            if open.view.server == server
                && let PromptAsk::Browser { keeping, .. } = &mut open.view.ask
                && *keeping != kept
            {
                keeping.clone_from(&kept);
                changed = true;
            }
        }
        if changed {
            self.publisher.prompts_changed();
        }
    }

    /// How a flow of this operation is kept.
    pub(super) fn keeping_for(&mut self, operation: OperationId) -> FlowKeeping {
        match self.flows.live(operation) {
            Some((server, _)) => self.flows.keeping_of(&server),
            None => FlowKeeping::None,
        }
    }
}
