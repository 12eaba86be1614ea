//! HAR brought in: each entry becomes an operation with its HTTP exchange; those that Roundtrip wrote find their
//! operations, rounds and messages again.

mod entry;

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use wire::frame::{Carrier, Direction};
use wire::http::{RequestHead, ResponseHead};
use wire::message;

use super::{ImportError, Sink};
use crate::event::{AttemptOutcome, ConnectionId, Event, EventBody, OperationId};
use crate::export::OwnLog;
use entry::{Entry, Message, ended, without_reply};

/// The first revision of the modern era.
const MODERN: &str = "2026-07-28";

#[derive(Deserialize)]
struct Archive<'a> {
    #[serde(borrow)]
    log: Log<'a>,
}

#[derive(Deserialize)]
struct Log<'a> {
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
    #[serde(rename = "_roundtrip", default)]
    own: Option<OwnLog>,
}

/// One operation's entries.
struct Group {
    connection: ConnectionId,
    entries: Vec<Entry>,
}

/// The connections that entries belong to.
#[derive(Default)]
struct Connections {
    /// When each began, by its number.
    began: BTreeMap<u32, (u64, EventBody)>,
    established: BTreeMap<u32, (u64, String, String)>,
    by_address: HashMap<String, u32>,
}

/// Brings HAR in.
pub(super) fn read(text: &str, sink: &mut Sink<'_>) -> Result<Vec<String>, ImportError> {
    let archive: Archive<'_> = serde_json::from_str(text).map_err(|error| {
        ImportError::Form(format!(
            "The file is JSON, but neither HAR nor JSON lines: {error}."
        ))
    })?;
    let all = archive.log.entries.len();
    let mut entries = Vec::new();
    let mut others = 0;
    for (number, raw) in (1_u32..).zip(archive.log.entries) {
        let entry =
            Entry::read(raw.get()).map_err(|why| wrong(text, raw.get(), number, all, &why))?;
        if entry.is_of_mcp() {
            entries.push(entry);
        } else {
            others += 1;
        }
    }
    if entries.is_empty() {
        return Err(ImportError::Form(match all {
            0 => "The HAR file has no entries.".to_owned(),
            _ => format!(
                "None of the {all} entries of the HAR file is MCP: none has a JSON-RPC body or an Mcp header. Was it saved \
                 with its contents?"
            ),
        }));
    }
    let (connections, groups) = grouped(archive.log.own.unwrap_or_default(), entries);
    for event in in_order(connections, groups) {
        sink.take(event)?;
    }
    Ok(match others {
        0 => Vec::new(),
        _ => vec![format!(
            "{others} of {all} entries are not MCP and are left out."
        )],
    })
}

/// Says where in the file an entry is wrong.
fn wrong(text: &str, entry: &str, number: u32, all: usize, why: &str) -> ImportError {
    // It is a part of the text.
    let at = (entry.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let line = 1 + memchr::memchr_iter(b'\n', before).count();
    ImportError::Form(format!(
        "Entry {number} of {all} of the HAR file, which begins in line {line}, cannot be used: {why}."
    ))
}

fn grouped(own: OwnLog, entries: Vec<Entry>) -> (Connections, Vec<Group>) {
    let mut connections = Connections::default();
    for one in own.connections {
        let opened = EventBody::ConnectionOpened {
            server_name: one.server_name,
            transport: one.transport,
            address: one.address,
        };
        connections
            .began
            .insert(one.connection, (one.opened_micros, opened));
        if let Some((era, revision)) = one.established {
            connections
                .established
                .insert(one.connection, (one.opened_micros, era, revision));
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut by_operation: HashMap<(u32, u32), usize> = HashMap::new();
    for entry in entries {
        let connection = connections.of(&entry);
        let known = entry
            .own
            .as_ref()
            .and_then(|own| Some((connection, own.operation?)));
        if let Some(group) = known.and_then(|key| by_operation.get(&key)) {
            groups[*group].entries.push(entry);
            continue;
        }
        if let Some(key) = known {
            by_operation.insert(key, groups.len());
        }
        groups.push(Group {
            connection: ConnectionId(connection),
            entries: vec![entry],
        });
    }
    for group in &mut groups {
        group.entries.sort_by_key(|entry| {
            let place = entry.own.as_ref().map(|own| (own.round, own.attempt));
            (place, entry.start_micros)
        });
    }
    groups.sort_by_key(|group| group.entries.iter().map(|entry| entry.start_micros).min());
    (connections, groups)
}

impl Connections {
    /// The number of an entry's connection.
    fn of(&mut self, entry: &Entry) -> u32 {
        let known = entry.own.as_ref().map(|own| own.connection);
        if let Some(known) = known.filter(|known| self.began.contains_key(known)) {
            return known;
        }
        let address = entry
            .request
            .url
            .split(['?', '#'])
            .next()
            .unwrap_or_default();
        let number = if let Some(number) = self.by_address.get(address) {
            *number
        } else {
            let number = self
                .began
                .keys()
                .next_back()
                .map_or(0, |last| last.saturating_add(1));
            let opened = EventBody::ConnectionOpened {
                server_name: host(address).to_owned(),
                transport: "http".to_owned(),
                address: address.to_owned(),
            };
            self.began.insert(number, (entry.start_micros, opened));
            self.by_address.insert(address.to_owned(), number);
            number
        };
        if let Some((began, _)) = self.began.get_mut(&number) {
            *began = entry.start_micros.min(*began);
        }
        if let Some(revision) = entry.revision()
            && !self.established.contains_key(&number)
        {
            let era = if revision >= MODERN {
                "modern"
            } else {
                "legacy"
            };
            let said = (entry.start_micros, era.to_owned(), revision.to_owned());
            self.established.insert(number, said);
        }
        number
    }
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

/// Everything in the order of its time, as it would have been recorded.
fn in_order(connections: Connections, groups: Vec<Group>) -> Vec<Event> {
    let mut events = Vec::new();
    let mut of_connection = |connection: u32, at_micros, body| {
        events.push(Event {
            at_micros,
            connection: ConnectionId(connection),
            operation: None,
            body,
        });
    };
    for (number, (at, opened)) in connections.began {
        of_connection(number, at, opened);
    }
    for (number, (at, era, revision)) in connections.established {
        of_connection(
            number,
            at,
            EventBody::ConnectionEstablished { era, revision },
        );
    }
    for (number, group) in groups.into_iter().enumerate() {
        let operation = OperationId(u32::try_from(number).unwrap_or(u32::MAX));
        let mut of_group = of_group(operation, group);
        // An operation's own events stay in their order whatever their times say.
        let mut latest = 0;
        for event in &mut of_group {
            latest = event.at_micros.max(latest);
            event.at_micros = latest;
        }
        events.extend(of_group);
    }
    // What happened at once keeps the order in which it was put together.
    events.sort_by_key(|event| event.at_micros);
    events
}

fn of_group(operation: OperationId, group: Group) -> Vec<Event> {
    let mut events = Events {
        connection: group.connection,
        operation,
        list: Vec::new(),
    };
    let mut end = None;
    let mut place_before = None;
    let count = group.entries.len();
    let mut pending: Option<(u32, u32, u64, AttemptOutcome)> = None;
    for (number, entry) in (1_u32..).zip(group.entries) {
        let sent = entry.sent();
        let reading = message::read(&sent);
        let asked = reading.messages().first();
        let method = asked.and_then(|message| message.kind.method().map(str::to_owned));
        let begun = entry.own.as_ref().and_then(|own| own.begun);
        let (operation_start, attempt_start) =
            begun.unwrap_or((entry.start_micros, entry.start_micros));
        if number == 1 {
            let subject = asked.and_then(|message| match &message.kind {
                message::MessageKind::Request { method, params, .. } => {
                    protocol::naming::subject(method, (*params)?)
                }
                _ => None,
            });
            events.add(
                operation_start,
                EventBody::OperationStarted {
                    method: entry
                        .own
                        .as_ref()
                        .and_then(|own| own.method.clone())
                        .or_else(|| method.clone())
                        .unwrap_or_else(|| {
                            format!("{} {}", entry.request.method, path(&entry.request.url))
                        }),
                    name: match &entry.own {
                        Some(own) => own.name.clone(),
                        None => subject,
                    },
                },
            );
        }
        let place = entry
            .own
            .as_ref()
            .map_or((number, 1), |own| (own.round.max(1), own.attempt.max(1)));
        if place_before != Some(place) {
            events.end_attempt(pending.take());
            let id = asked.and_then(|message| message.kind.id());
            events.add(
                attempt_start,
                EventBody::AttemptStarted {
                    round: place.0,
                    attempt: place.1,
                    request_id: id.map(|id| id.token().to_owned()),
                    label: entry.own.as_ref().and_then(|own| own.label.clone()),
                },
            );
            place_before = Some(place);
        }
        let (at, told) = events.exchange(&entry, place, &sent);
        let outcome = match &entry.own {
            Some(own) => own.outcome.clone(),
            None => Some((
                at,
                told.unwrap_or_else(|| without_reply(entry.status(), entry.error().as_deref())),
            )),
        };
        end = match &entry.own {
            Some(own) if number as usize == count => own.end.clone(),
            Some(_) => None,
            None => outcome.as_ref().map(|(at, outcome)| (*at, ended(outcome))),
        };
        pending = outcome.map(|(at, outcome)| (place.0, place.1, at, outcome));
    }
    events.end_attempt(pending);
    if let Some((at, end)) = end {
        events.add(at, EventBody::OperationEnded(end));
    }
    events.list
}

fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    path.split(['?', '#']).next().unwrap_or(path)
}

struct Events {
    connection: ConnectionId,
    operation: OperationId,
    list: Vec<Event>,
}

impl Events {
    fn add(&mut self, at_micros: u64, body: EventBody) {
        self.list.push(Event {
            at_micros,
            connection: self.connection,
            operation: Some(self.operation),
            body,
        });
    }

    fn end_attempt(&mut self, ended: Option<(u32, u32, u64, AttemptOutcome)>) {
        if let Some((round, attempt, at, outcome)) = ended {
            self.add(
                at,
                EventBody::AttemptEnded {
                    round,
                    attempt,
                    outcome,
                },
            );
        }
    }

    /// Adds an exchange. Gives when it was over, and the outcome that its reply tells.
    fn exchange(
        &mut self,
        entry: &Entry,
        (round, attempt): (u32, u32),
        sent: &Bytes,
    ) -> (u64, Option<AttemptOutcome>) {
        let frame = |message: Message| EventBody::Frame {
            direction: message.direction,
            carrier: message.carrier,
            round,
            attempt,
            role: message.role,
            bytes: message.bytes,
        };
        self.add(
            entry.start_micros,
            EventBody::HttpRequest {
                round,
                attempt,
                head: RequestHead {
                    method: entry.request.method.clone(),
                    url: entry.request.url.clone(),
                    headers: entry.request.headers.clone(),
                },
                body_byte_len: sent.len() as u64,
            },
        );
        let received = entry.received();
        let (messages, outcome) = entry.messages(sent, &received);
        let (to, from): (Vec<_>, Vec<_>) = messages
            .into_iter()
            .partition(|message| message.direction == Direction::Sent);
        for message in to {
            self.add(message.at_micros, frame(message));
        }
        let status = entry.status();
        if status > 0 {
            let head = ResponseHead {
                status,
                version: entry.response.http_version.clone(),
                headers: entry.response.headers.clone(),
            };
            self.add(
                entry.head_micros(),
                EventBody::HttpResponse {
                    round,
                    attempt,
                    head,
                },
            );
        }
        for message in from {
            self.add(message.at_micros, frame(message));
        }
        let body_byte_len = received.len() as u64;
        self.add(
            entry.end_micros(),
            EventBody::HttpEnded {
                round,
                attempt,
                body_byte_len,
                wire_byte_len: u64::try_from(entry.response.body_size).unwrap_or(body_byte_len),
                first_byte_micros: (body_byte_len > 0).then(|| entry.head_micros()),
                error: entry.error(),
            },
        );
        (entry.end_micros(), outcome)
    }
}

/// The carrier of a body that is not a stream.
const BODY: Carrier = Carrier::Body;
