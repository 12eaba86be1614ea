//! Subscriptions: the streams of notifications of modern servers, and the resources subscribed to of legacy ones.
//!
//! A stream is an operation that goes on for as long as it is wanted. When it drops it is opened again, after a wait
//! that grows, as a further attempt of its round, under an id of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use client::error::LinkError;
use journal::event::{AttemptOutcome, ConnectionId, EventSeq, OperationId};
use protocol::era::Era;
use protocol::operation::{Finish, Pages};
use protocol::subscriptions::{self, ACKNOWLEDGED, Filter, LISTEN};
use serde_json::value::RawValue;
use wire::object::ObjectWriter;

use super::input::Answer;
use super::operation::{Ask, Patience, Purpose};
use super::state::{Engine, reply};
use crate::api::servers::ServerId;
use crate::api::subscriptions::{
    ResourceUpdate, SubscriptionFilter, SubscriptionList, SubscriptionView,
};
use crate::api::{ErrorCode, ErrorView};
use crate::catalog::bad_input;

/// How long a stream that dropped is left alone at first, in milliseconds; doubled with each drop in a row.
const FIRST_WAIT_MILLIS: u64 = 1_000;
/// The longest such wait, in milliseconds.
const LONGEST_WAIT_MILLIS: u64 = 60_000;

/// How many tasks one stream is asked to tell of.
const TASKS_A_STREAM: usize = 100;

/// What an operation listens to.
#[derive(Clone, Debug)]
pub(super) struct Listen {
    wanted: Filter,
    agreed: Option<Filter>,
    /// It was agreed to once, so that what ends it is a drop and no refusal.
    was_open: bool,
    /// Drops since it was last agreed to.
    drops: u32,
    /// The tasks that it is about, by their identifiers, with the operations that follow them.
    followers: Vec<(String, OperationId)>,
}

/// What a person wants to be told of, for as long as they do not say otherwise.
pub struct Wanted {
    server: ServerId,
    filter: Filter,
    operation: OperationId,
    /// By the resources that were subscribed to: how often, and when last.
    updates: BTreeMap<String, (u32, u64)>,
}

/// What is wanted of subscriptions.
pub enum SubscriptionWish {
    /// Be told of something.
    Open {
        /// By which server.
        server: ServerId,
        /// Of what.
        filter: SubscriptionFilter,
        /// The operation that holds it, or asked for it.
        answer: Answer<OperationId>,
    },
    /// Not any more.
    End {
        /// The operation that [`SubscriptionWish::Open`] gave.
        operation: OperationId,
        /// Under way.
        answer: Answer<()>,
    },
    /// Those that there are.
    List {
        /// Only this server's.
        server: Option<ServerId>,
        /// In the order of opening.
        answer: Answer<SubscriptionList>,
    },
}

impl Engine {
    pub(super) fn take_subscription_wish(&mut self, wish: SubscriptionWish) {
        match wish {
            SubscriptionWish::Open {
                server,
                filter,
                answer,
            } => {
                let opened = self.subscribe(&server, filter);
                reply(answer, opened);
            }
            SubscriptionWish::End { operation, answer } => {
                let ended = self.unsubscribe(operation);
                reply(answer, ended);
            }
            SubscriptionWish::List { server, answer } => {
                let subscriptions = self.subscriptions(server.as_deref());
                reply(answer, Ok(SubscriptionList { subscriptions }));
            }
        }
    }

    fn subscribe(
        &mut self,
        server: &str,
        filter: SubscriptionFilter,
    ) -> Result<OperationId, ErrorView> {
        let connection = self.connected(server)?;
        let filter = read(filter);
        if filter.is_empty() {
            return Err(bad_input(
                "The subscription is about nothing.",
                "Choose lists, resources or tasks.",
            ));
        }
        let is_legacy = self.era_of(connection) == Some(Era::Legacy);
        if is_legacy && filter.resources.len() != 1 {
            return Err(bad_input(
                "A server of this era is subscribed to one resource at a time, and tells of changed lists unasked.",
                "Choose one resource.",
            ));
        }
        let operation = self.open_subscription(connection, &filter, Vec::new());
        let server = server.to_owned();
        self.wanted.push(Wanted {
            server,
            filter,
            operation,
            updates: BTreeMap::new(),
        });
        self.subscriptions_changed(connection);
        Ok(operation)
    }

    /// Opens what is wanted, in the era's way.
    fn open_subscription(
        &mut self,
        connection: ConnectionId,
        filter: &Filter,
        followers: Vec<(String, OperationId)>,
    ) -> OperationId {
        if self.era_of(connection) == Some(Era::Legacy) {
            let uri = filter.resources.first().cloned().unwrap_or_default();
            return self.ask_about_resource(connection, "resources/subscribe", &uri);
        }
        // The operation may end within `start`, so its number is known before.
        let operation = OperationId(self.next_operation);
        self.listens.insert(
            operation,
            Listen {
                wanted: filter.clone(),
                agreed: None,
                was_open: false,
                drops: 0,
                followers,
            },
        );
        let ask = Ask {
            purpose: Purpose::Listen,
            ..self.plain_ask(connection, LISTEN, Some(filter.subject()), filter.params())
        };
        self.begin(connection, ask);
        operation
    }

    /// 2025-11-25 server/resources § Subscriptions.
    fn ask_about_resource(
        &mut self,
        connection: ConnectionId,
        method: &str,
        uri: &str,
    ) -> OperationId {
        let mut params = ObjectWriter::new();
        params.string("uri", uri);
        let ask = self.plain_ask(connection, method, Some(uri.to_owned()), params.finish());
        self.begin(connection, ask)
    }

    pub(super) fn plain_ask(
        &self,
        connection: ConnectionId,
        method: &str,
        name: Option<String>,
        params: String,
    ) -> Ask {
        Ask {
            method: method.to_owned(),
            name,
            params: Some(params),
            pages: Pages::One,
            purpose: Purpose::Call,
            mirrored: Vec::new(),
            limit: self.connections.get(&connection).map_or(
                super::sweep::MESSAGE_LIMIT,
                super::connection::Connection::request_limit,
            ),
            progress: false,
        }
    }

    pub(super) fn begin(&mut self, connection: ConnectionId, ask: Ask) -> OperationId {
        let operation = OperationId(self.next_operation);
        if let Some(speaker) = self
            .connections
            .get(&connection)
            .map(super::connection::Connection::spoken)
        {
            self.start(connection, speaker, ask, None);
        }
        operation
    }

    fn unsubscribe(&mut self, operation: OperationId) -> Result<(), ErrorView> {
        let place = self
            .wanted
            .iter()
            .position(|wanted| wanted.operation == operation);
        let wanted = place.map(|place| self.wanted.remove(place));
        if self.listens.contains_key(&operation) {
            return self.cancel(operation);
        }
        let Some(wanted) = wanted else {
            return Err(ErrorView {
                code: ErrorCode::Gone,
                message: "This subscription has ended already.".to_owned(),
                hint: None,
            });
        };
        if let (Ok(connection), Some(uri)) = (
            self.connected(&wanted.server),
            wanted.filter.resources.first(),
        ) && self.era_of(connection) == Some(Era::Legacy)
        {
            self.ask_about_resource(connection, "resources/unsubscribe", uri);
            self.subscriptions_changed(connection);
        }
        Ok(())
    }

    fn subscriptions(&self, server: Option<&str>) -> Vec<SubscriptionView> {
        let mut views: Vec<SubscriptionView> = self
            .listens
            .iter()
            .filter_map(|(operation, listen)| {
                let active = self.active.get(operation)?;
                let connection = self.connections.get(&active.connection)?;
                Some(SubscriptionView {
                    server: connection.server.clone(),
                    operation: *operation,
                    wanted: view(&listen.wanted),
                    agreed: listen.agreed.as_ref().map(view),
                    updates: self.updates_of(*operation),
                    is_open: listen.agreed.is_some(),
                })
            })
            .collect();
        let held = |operation| self.listens.contains_key(&operation);
        views.extend(
            self.wanted
                .iter()
                .filter(|wanted| !held(wanted.operation))
                .map(|wanted| SubscriptionView {
                    server: wanted.server.clone(),
                    operation: wanted.operation,
                    wanted: view(&wanted.filter),
                    agreed: None,
                    updates: updates(wanted),
                    is_open: self
                        .connected(&wanted.server)
                        .is_ok_and(|connection| self.era_of(connection) == Some(Era::Legacy)),
                }),
        );
        views.retain(|view| server.is_none_or(|server| view.server == server));
        views.sort_by_key(|view| view.operation);
        views
    }

    /// What is known of a connection's subscriptions has changed.
    fn subscriptions_changed(&mut self, connection: ConnectionId) {
        if let Some(link) = self.connections.get_mut(&connection) {
            link.subscriptions_version = link.subscriptions_version.wrapping_add(1);
        }
        self.publisher.servers_changed();
    }

    /// The server says that a resource changed: whoever subscribed to it, or to one that it is a part of, is told.
    pub(super) fn tell_of_update(&mut self, connection: ConnectionId, uri: &str, now_micros: u64) {
        let Some(server) = self.connections.get(&connection).map(|link| &link.server) else {
            return;
        };
        let mut is_wanted = false;
        for wanted in self
            .wanted
            .iter_mut()
            .filter(|wanted| wanted.server == *server)
        {
            let about = wanted
                .filter
                .resources
                .iter()
                .find(|own| uri.starts_with(own.as_str()));
            if let Some(own) = about {
                let (count, at_micros) = wanted.updates.entry(own.clone()).or_default();
                *count = count.saturating_add(1);
                *at_micros = now_micros;
                is_wanted = true;
            }
        }
        if is_wanted {
            self.subscriptions_changed(connection);
        }
    }

    fn updates_of(&self, operation: OperationId) -> Vec<ResourceUpdate> {
        let wanted = self
            .wanted
            .iter()
            .find(|wanted| wanted.operation == operation);
        wanted.map(updates).unwrap_or_default()
    }

    /// The connection is made: what the server promises to tell of is listened to, and what the person wanted before.
    pub(super) fn listen_anew(&mut self, connection: ConnectionId) {
        let Some(link) = self.connections.get(&connection) else {
            return;
        };
        let server = link.server.clone();
        let promised = link.promised();
        if self.era_of(connection) == Some(Era::Modern)
            && let Some(promised) = promised.filter(|promised| !promised.is_empty())
        {
            self.open_subscription(connection, &promised, Vec::new());
        }
        for place in 0..self.wanted.len() {
            let Some(wanted) = self
                .wanted
                .get(place)
                .filter(|wanted| wanted.server == server)
            else {
                continue;
            };
            let filter = wanted.filter.clone();
            let operation = self.open_subscription(connection, &filter, Vec::new());
            if let Some(wanted) = self.wanted.get_mut(place) {
                wanted.operation = operation;
            }
        }
    }

    /// The person disconnects: what they wanted to be told of is for this connection.
    pub(super) fn want_nothing_of(&mut self, server: &str) {
        self.wanted.retain(|wanted| wanted.server != server);
    }

    /// A task began: a server that knows tasks may tell of it by itself. Those that begin together are asked for
    /// together, at the next sweep, so that hundreds need no stream each; what ends before needs none at all.
    pub(super) fn listen_to_task(
        &mut self,
        connection: ConnectionId,
        operation: OperationId,
        task: &str,
    ) {
        if self.may_tell_of_tasks(connection) {
            self.tasks
                .unheard
                .push((connection, task.to_owned(), operation));
        }
    }

    /// Whether the server may tell of tasks by itself. One that did not agree to is not asked again.
    fn may_tell_of_tasks(&self, connection: ConnectionId) -> bool {
        self.era_of(connection) == Some(Era::Modern)
            && self.connections.get(&connection).is_some_and(|link| {
                !link.tells_of_no_tasks
                    && link.is_connected()
                    && link.declares(&["extensions", protocol::identity::TASKS_EXTENSION])
            })
    }

    /// Listens to the tasks that have begun since the last sweep.
    pub(super) fn listen_to_new_tasks(&mut self) {
        let mut unheard = std::mem::take(&mut self.tasks.unheard);
        unheard.retain(|(connection, _, operation)| {
            self.is_following(*operation) && self.may_tell_of_tasks(*connection)
        });
        unheard.sort_by_key(|(connection, _, operation)| (*connection, *operation));
        for group in unheard.chunk_by(|(left, ..), (right, ..)| left == right) {
            for part in group.chunks(TASKS_A_STREAM) {
                let Some((connection, ..)) = part.first() else {
                    continue;
                };
                let filter = Filter {
                    tasks: part.iter().map(|(_, task, _)| task.clone()).collect(),
                    ..Filter::default()
                };
                let followers = part
                    .iter()
                    .map(|(_, task, operation)| (task.clone(), *operation))
                    .collect();
                self.open_subscription(*connection, &filter, followers);
            }
        }
    }

    /// The followers of a stream hear of their tasks by it from now on, or do not any more.
    fn set_listened(&mut self, followers: Vec<(String, OperationId)>, is_listened: bool) {
        for (_, follower) in followers {
            self.turn_task(follower, |machine| machine.set_listened(is_listened));
        }
    }

    /// A notification came that belongs to a subscription.
    pub(super) fn subscription_told(
        &mut self,
        connection: ConnectionId,
        operation: OperationId,
        (method, params): (&str, Option<&RawValue>),
        event: EventSeq,
    ) {
        let Some(listen) = self.listens.get_mut(&operation) else {
            return;
        };
        let findings = if method == ACKNOWLEDGED {
            let agreed = params.map(Filter::read).unwrap_or_default();
            let findings = subscriptions::judge_acknowledged(&listen.wanted, &agreed);
            listen.was_open = true;
            listen.drops = 0;
            let (told, untold): (Vec<_>, Vec<_>) = listen
                .followers
                .iter()
                .cloned()
                .partition(|(task, _)| agreed.tasks.contains(task));
            listen.followers.clone_from(&told);
            listen.agreed = Some(agreed);
            if let Some(active) = self.active.get_mut(&operation) {
                // From here on it is open for as long as both sides like.
                active.patience = Patience::Endless;
                active.retries = 0;
            }
            if told.is_empty() && !untold.is_empty() {
                // It tells of no task, so there is nothing to hear on this stream.
                self.tells_of_no_tasks(connection);
                self.record_findings(connection, Some(operation), Some(event), findings);
                let _ended = self.cancel(operation);
                return;
            }
            self.set_listened(told, true);
            self.subscriptions_changed(connection);
            findings
        } else {
            subscriptions::judge_notification(listen.agreed.as_ref(), method, params)
        };
        self.record_findings(connection, Some(operation), Some(event), findings);
    }

    fn tells_of_no_tasks(&mut self, connection: ConnectionId) {
        if let Some(link) = self.connections.get_mut(&connection) {
            link.tells_of_no_tasks = true;
        }
    }

    /// The stream ended without a reply. One that was open before is opened again.
    pub(super) fn listen_dropped(
        &mut self,
        operation: OperationId,
        error: Option<&LinkError>,
    ) -> bool {
        let Some(listen) = self
            .listens
            .get_mut(&operation)
            .filter(|listen| listen.was_open)
        else {
            return false;
        };
        listen.agreed = None;
        listen.drops += 1;
        let (drops, followers) = (listen.drops, listen.followers.clone());
        let (brief, message) = match error {
            Some(error) => (super::ending::brief(error), error.message.clone()),
            None => (
                "dropped",
                "The stream ended without the reply that says that it is over.".to_owned(),
            ),
        };
        self.end_attempt(
            operation,
            AttemptOutcome::Transport {
                brief: brief.to_owned(),
                message,
            },
        );
        if let Some(active) = self.active.get_mut(&operation) {
            active.patience = Patience::Limited;
        }
        let millis = (FIRST_WAIT_MILLIS << (drops - 1).min(6)).min(LONGEST_WAIT_MILLIS);
        let wait = Duration::from_millis(millis).mul_f64(1.0 + fastrand::f64() / 10.0);
        let reason = format!("{brief}: opened again in {:.1} s", wait.as_secs_f64());
        self.wait_then_send_again(operation, wait, reason);
        self.set_listened(followers, false);
        true
    }

    /// The operation that listens is over.
    pub(super) fn listened(
        &mut self,
        connection: ConnectionId,
        operation: OperationId,
        was_cancelled: bool,
    ) {
        let Some(listen) = self.listens.remove(&operation) else {
            return;
        };
        if was_cancelled {
            self.wanted.retain(|wanted| wanted.operation != operation);
        }
        self.subscriptions_changed(connection);
        if !listen.followers.is_empty() && !listen.was_open && !was_cancelled {
            self.tells_of_no_tasks(connection);
        }
        self.set_listened(listen.followers, false);
    }

    /// A task is over: nobody need tell of it any more.
    pub(super) fn task_over(&mut self, follower: OperationId) {
        let mut unneeded = Vec::new();
        for (operation, listen) in &mut self.listens {
            let before = listen.followers.len();
            listen.followers.retain(|(_, one)| *one != follower);
            if before > 0 && listen.followers.is_empty() {
                unneeded.push(*operation);
            }
        }
        for operation in unneeded {
            // One that has just ended needs no end.
            let _ended = self.cancel(operation);
        }
    }

    /// The connection is closed by us: its streams end in the transport's way, and well.
    pub(super) fn stop_listening(&mut self, connection: ConnectionId) {
        let mut listening: Vec<OperationId> = self
            .listens
            .keys()
            .filter(|operation| {
                self.active
                    .get(operation)
                    .is_some_and(|active| active.connection == connection)
            })
            .copied()
            .collect();
        listening.sort_unstable();
        for operation in listening {
            self.stop_waiting(operation, AttemptOutcome::Cancelled, "disconnected");
            self.finish(operation, Finish::Complete);
        }
    }
}

impl super::connection::Connection {
    fn promised(&self) -> Option<Filter> {
        let report = self.report.as_ref()?;
        let capabilities = serde_json::from_str::<&RawValue>(&report.capabilities).ok()?;
        Some(Filter::promised(capabilities))
    }
}

fn updates(wanted: &Wanted) -> Vec<ResourceUpdate> {
    let update = |(uri, (count, at_micros)): (&String, &(u32, u64))| ResourceUpdate {
        uri: uri.clone(),
        count: *count,
        at_micros: *at_micros,
    };
    wanted.updates.iter().map(update).collect()
}

fn read(filter: SubscriptionFilter) -> Filter {
    Filter {
        tools_list_changed: filter.tools_list_changed,
        prompts_list_changed: filter.prompts_list_changed,
        resources_list_changed: filter.resources_list_changed,
        resources: filter.resources,
        tasks: filter.tasks,
    }
}

fn view(filter: &Filter) -> SubscriptionFilter {
    SubscriptionFilter {
        tools_list_changed: filter.tools_list_changed,
        prompts_list_changed: filter.prompts_list_changed,
        resources_list_changed: filter.resources_list_changed,
        resources: filter.resources.clone(),
        tasks: filter.tasks.clone(),
    }
}
