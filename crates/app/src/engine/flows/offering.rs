//! Flows that were cut short are offered again: a prompt of Roundtrip's own, in an operation of its own, from which the
//! link is opened again, the flow goes on, or ends.

use client::clock::now_micros;
use journal::event::{ConnectionId, OperationEnd, OperationId};
use protocol::operation::{Limits, Operation};
use secrets::SecretString;

use super::{KeptFlow, Layout};
use crate::api::feed::PromptAsk;
use crate::api::links::FlowKeeping;
use crate::api::servers::{Phase, ServerId};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;
use crate::engine::connection::Connection;
use crate::engine::operation::{Active, Patience, Purpose};
use crate::engine::prompts::Answers;
use crate::engine::state::Engine;

/// What the operation is called that holds an offer.
const UNFINISHED: &str = "link/unfinished";
/// What its prompt is called in the journal.
const BROWSER: &str = "browser";

impl Engine {
    /// The keyring was read for a server.
    pub(super) fn flows_read(
        &mut self,
        server: &str,
        outcome: Result<Option<SecretString>, String>,
    ) {
        self.end_offer(server, None, "read");
        let value = match outcome {
            Ok(value) => value,
            Err(why) => {
                self.offer_unread(server, &why);
                return;
            }
        };
        let now = now_micros();
        let known: Vec<String> = self
            .flows
            .of(server)
            .iter()
            .map(|flow| flow.id.clone())
            .collect();
        let reach = self.catalog.get(server).map(crate::eras::reach_of);
        let read = value
            .and_then(|value| Layout::read(secrets::expose(&value)))
            .unwrap_or_default();
        let read_count = read.len();
        let flows: Vec<KeptFlow> = read
            .into_iter()
            .filter(|flow| !known.contains(&flow.id) && flow.lapses_micros() > now)
            // To another server its state would be given away.
            .filter(|flow| Some(&flow.reach) == reach.as_ref())
            .collect();
        let owner = self.name_of_server(server);
        let ids: Vec<String> = flows.iter().map(|flow| flow.id.clone()).collect();
        for flow in &flows {
            self.teach(&owner, &flow.flow);
        }
        if !flows.is_empty() {
            let all = self.flows.by_server.entry(server.to_owned()).or_default();
            all.extend(flows);
        }
        let store = self.keyring.name().to_owned();
        self.flows
            .keeping
            .insert(server.to_owned(), FlowKeeping::Kept { store });
        if read_count == 0 || read_count > ids.len() {
            // What has lapsed, or is not theirs any more, goes; where nothing is left, all does.
            self.write_flows(server);
        }
        for id in ids {
            let note = "Roundtrip was closed while you were in your browser. When you are done there, choose Retry now: \
                        the server is connected to, where it is not, and asked again with what you answered.";
            self.offer_flow(server, &id, Some(note.to_owned()));
        }
    }

    /// Offers a flow that was cut short.
    pub(super) fn offer_flow(&mut self, server: &str, id: &str, note: Option<String>) {
        let Some(flow) = self
            .flows
            .of(server)
            .iter()
            .find(|flow| flow.id == id)
            .cloned()
        else {
            return;
        };
        let title = flow
            .flow
            .name
            .clone()
            .unwrap_or_else(|| flow.flow.method.clone());
        let note = note.unwrap_or_else(|| {
            "The connection ended while you were in your browser. When you are done there, choose Retry now: the \
             server is connected to again, and asked with what you answered."
                .to_owned()
        });
        let links = flow.asked_links();
        let ask = PromptAsk::Browser {
            links: links.iter().map(|asked| asked.link.clone()).collect(),
            asked_again: 0,
            next_micros: None,
            can_retry: true,
            note: Some(note),
            problem: None,
            keeping: self.flows.keeping_of(server),
        };
        let answers = Answers::Unfinished {
            flow: Some(id.to_owned()),
        };
        let what = (flow.input_key.as_str(), flow.message.clone());
        if let Some(operation) = self.open_offer(server, &title, answers, what, ask)
            && let Some(open) = self
                .prompts
                .iter_mut()
                .find(|open| open.operation == operation)
        {
            open.links = links;
        }
    }

    /// The keyring has flows of this server, and does not give them.
    fn offer_unread(&mut self, server: &str, why: &str) {
        let ask = PromptAsk::Browser {
            links: Vec::new(),
            asked_again: 0,
            next_micros: None,
            can_retry: true,
            note: Some(
                "Roundtrip was closed while you were in your browser for this server. What it takes to go on is in the \
                 keyring, which could not be read. Unlock your keyring, then choose Retry now."
                    .to_owned(),
            ),
            problem: Some(why.to_owned()),
            keeping: self.flows.keeping_of(server),
        };
        let answers = Answers::Unfinished { flow: None };
        self.open_offer(server, "", answers, ("", String::new()), ask);
    }

    fn open_offer(
        &mut self,
        server: &str,
        title: &str,
        answers: Answers,
        (key, message): (&str, String),
        ask: PromptAsk,
    ) -> Option<OperationId> {
        let entry = self.catalog.get(server)?.clone();
        let connection = self.open_idle_connection(&entry);
        let speaker = self.connections.get(&connection)?.spoken();
        let name = Some(title).filter(|title| !title.is_empty());
        let operation = self.open_operation(connection, UNFINISHED, name);
        let mut active = Active::new(connection, speaker, Purpose::Call, UNFINISHED, name);
        active.patience = Patience::Endless;
        active.round = 1;
        self.active.insert(operation, active);
        self.open_prompt(
            (operation, operation),
            answers,
            key,
            BROWSER,
            (message, ask),
        );
        Some(operation)
    }

    /// Ends the offer of a flow, or of those that could not be read.
    pub(super) fn end_offer(&mut self, server: &str, id: Option<&str>, brief: &str) {
        let offers: Vec<OperationId> = self
            .prompts
            .iter()
            .filter(|open| open.view.server == server)
            .filter(|open| {
                matches!(&open.answers, Answers::Unfinished { flow } if flow.as_deref() == id)
            })
            .map(|open| open.operation)
            .collect();
        for operation in offers {
            self.end_operation(
                operation,
                OperationEnd::Settled {
                    brief: brief.to_owned(),
                    message: "What was offered here is not offered any more.".to_owned(),
                },
            );
        }
    }

    /// Ends all offers of a server.
    pub(in crate::engine) fn withdraw_offers(&mut self, server: &str) {
        let flows: Vec<Option<String>> = self
            .prompts
            .iter()
            .filter(|open| open.view.server == server)
            .filter_map(|open| match &open.answers {
                Answers::Unfinished { flow } => Some(flow.clone()),
                _ => None,
            })
            .collect();
        for flow in flows {
            self.end_offer(server, flow.as_deref(), "withdrawn");
        }
    }

    /// The person does not want an offered flow any more: it is wiped.
    ///
    /// # Errors
    /// Accept is no answer to it.
    pub(in crate::engine) fn discard_offer(
        &mut self,
        prompt: u32,
        is_accepted: bool,
    ) -> Result<(), ErrorView> {
        let place = self.place_in_queue(prompt)?;
        let open = &self.prompts[place];
        if !matches!(open.answers, Answers::Unfinished { .. }) {
            return Err(gone());
        }
        if is_accepted {
            return Err(bad_input(
                "There is nothing to accept: the flow is offered to be gone on with.",
                "Choose Retry now, or Cancel.",
            ));
        }
        let operation = open.operation;
        self.end_operation(operation, OperationEnd::Cancelled);
        Ok(())
    }

    /// The offer that this operation holds is not wanted any more, and so is what it offers.
    pub(super) fn drop_offered(&mut self, operation: OperationId) {
        let offered = self.prompts.iter().find_map(|open| {
            let Answers::Unfinished { flow } = &open.answers else {
                return None;
            };
            (open.operation == operation).then(|| (open.view.server.clone(), flow.clone()))
        });
        match offered {
            Some((server, Some(id))) => self.drop_flow(&server, &id),
            // Nobody knows what the keyring holds of them.
            Some((server, None)) => self.write_flows(&server),
            None => {}
        }
    }

    /// Offers again what a server that was brought back had.
    pub(in crate::engine) fn offer_again(&mut self, server: &str) {
        let ids: Vec<String> = self
            .flows
            .of(server)
            .iter()
            .filter(|flow| flow.operation.is_none())
            .map(|flow| flow.id.clone())
            .collect();
        for id in ids {
            self.offer_flow(server, &id, None);
        }
    }

    /// The person is done in the browser: the flow goes on, after its server is connected to.
    ///
    /// # Errors
    /// It is not offered any more, or goes on already.
    pub(in crate::engine) fn go_on_with_offer(&mut self, prompt: u32) -> Result<(), ErrorView> {
        let place = self.place_in_queue(prompt)?;
        let open = &self.prompts[place];
        let Answers::Unfinished { flow } = open.answers.clone() else {
            return Err(gone());
        };
        let server = open.view.server.clone();
        let Some(id) = flow else {
            self.say_of_offer(&server, None, false, "The keyring is asked.");
            self.read_flows_of(&server);
            return Ok(());
        };
        let known = self.flows.by_server.get_mut(&server);
        let known = known.and_then(|flows| flows.iter_mut().find(|flow| flow.id == id));
        let Some(known) = known else {
            return Err(gone());
        };
        known.is_wanted = true;
        self.say_of_offer(&server, Some(&id), false, "The server is connected to.");
        let newest = self.newest.get(&server);
        let phase = newest
            .and_then(|newest| self.connections.get(newest))
            .map(|connection| connection.phase);
        match phase {
            Some(Phase::Connected) => self.take_up_flows(&server),
            Some(Phase::Connecting) => {}
            _ => self
                .connect(&server, None)
                .inspect_err(|_| self.flows_not_taken_up(&server))?,
        }
        Ok(())
    }

    /// The server can be asked, or is known not to be there: the flows that are wanted go on.
    pub(in crate::engine) fn take_up_flows(&mut self, server: &str) {
        let wanted: Vec<KeptFlow> = self
            .flows
            .of(server)
            .iter()
            .filter(|flow| flow.is_wanted)
            .cloned()
            .collect();
        if wanted.is_empty() {
            return;
        }
        let newest = self.newest.get(server).copied();
        let state = newest.and_then(|id| self.connections.get(&id));
        if state.is_some_and(|connection| connection.phase == Phase::Connecting) {
            return;
        }
        let connected = newest.filter(|_| state.is_some_and(Connection::is_connected));
        let Some(connection) = connected else {
            self.flows_not_taken_up(server);
            return;
        };
        for flow in wanted {
            self.take_up_flow(connection, server, &flow);
        }
    }

    fn take_up_flow(&mut self, id: ConnectionId, server: &str, kept: &KeptFlow) {
        let Some(connection) = self.connections.get(&id) else {
            return;
        };
        let reach = self.catalog.get(server).map(crate::eras::reach_of);
        let Some(speaker) = connection.speaker.clone() else {
            return;
        };
        if !kept.flow.is_of(speaker.era) || reach.as_deref() != Some(&kept.reach) {
            self.unwant(server, &kept.id);
            let why = "The server is another one by now, or speaks another era, so it is not given what belongs to the \
                       flow. Cancel this, and call the tool anew.";
            self.say_of_offer(server, Some(&kept.id), true, why);
            return;
        }
        let mirrored = match self.mirrored_for(id, &kept.flow) {
            Ok(mirrored) => mirrored,
            Err(error) => {
                self.unwant(server, &kept.id);
                self.say_of_offer(server, Some(&kept.id), true, &error.message);
                return;
            }
        };
        let limits = Limits {
            rounds: connection.options.round_limit,
            ..Limits::default()
        };
        let limit = connection.request_limit();
        self.end_offer(server, Some(&kept.id), "taken up");
        let flow = kept.flow.clone();
        let (method, name) = (flow.method.clone(), flow.name.clone());
        let declared = speaker.capabilities.clone();
        let (machine, step) = Operation::resume(flow, speaker.era, declared, limits);
        let operation = self.open_operation(id, &method, name.as_deref());
        self.active.insert(
            operation,
            Active {
                machine: Some(machine),
                tool: name.clone().filter(|_| method == "tools/call"),
                mirrored,
                limit,
                progress: true,
                ..Active::new(id, speaker, Purpose::Call, &method, name.as_deref())
            },
        );
        let flows = self.flows.by_server.get_mut(server);
        let known = flows.and_then(|flows| flows.iter_mut().find(|flow| flow.id == kept.id));
        if let Some(known) = known {
            (known.operation, known.is_wanted) = (Some(operation), false);
        }
        self.note(
            operation,
            "It goes on where it was cut short while the person was in the browser.".to_owned(),
        );
        self.advance(operation, step);
        self.wait_in_browser(
            operation,
            &kept.input_key,
            kept.message.clone(),
            kept.asked_links(),
        );
    }

    /// The server could not be connected to: the offers stand.
    fn flows_not_taken_up(&mut self, server: &str) {
        let error = self
            .newest
            .get(server)
            .and_then(|id| self.connections.get(id))
            .and_then(|connection| connection.error.clone());
        let why = error.map_or_else(
            || "The server is not connected. Choose Retry now to try again.".to_owned(),
            |error| {
                format!(
                    "The server could not be connected to: {} Choose Retry now to try again.",
                    error.message
                )
            },
        );
        let wanted: Vec<(ServerId, String)> = self
            .flows
            .of(server)
            .iter()
            .filter(|flow| flow.is_wanted)
            .map(|flow| (server.to_owned(), flow.id.clone()))
            .collect();
        for (server, id) in wanted {
            self.unwant(&server, &id);
            self.say_of_offer(&server, Some(&id), true, &why);
        }
    }

    fn unwant(&mut self, server: &str, id: &str) {
        let flows = self.flows.by_server.get_mut(server);
        if let Some(flow) = flows.and_then(|flows| flows.iter_mut().find(|flow| flow.id == id)) {
            flow.is_wanted = false;
        }
    }

    fn say_of_offer(&mut self, server: &str, id: Option<&str>, retry: bool, words: &str) {
        let words = self.redacted_text(words.to_owned());
        for open in &mut self.prompts {
            let is_it = open.view.server == server
                && matches!(&open.answers, Answers::Unfinished { flow } if flow.as_deref() == id);
            if is_it
                && let PromptAsk::Browser {
                    can_retry, note, ..
                } = &mut open.view.ask
            {
                (*can_retry, *note) = (retry, Some(words.clone()));
                self.publisher.prompts_changed();
            }
        }
    }

    /// Until when the flow of this offer is kept.
    pub(in crate::engine) fn offer_lapses_micros(&self, operation: OperationId) -> Option<u64> {
        let open = self
            .prompts
            .iter()
            .find(|open| open.operation == operation)?;
        let Answers::Unfinished { flow: Some(id) } = &open.answers else {
            return None;
        };
        let flows = self.flows.of(&open.view.server);
        let flow = flows.iter().find(|flow| flow.id == *id)?;
        Some(flow.lapses_micros())
    }
}

fn gone() -> ErrorView {
    ErrorView {
        code: ErrorCode::Gone,
        message: "This flow is not offered any more.".to_owned(),
        hint: None,
    }
}
