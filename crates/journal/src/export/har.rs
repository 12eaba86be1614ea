//! HTTP Archive 1.2 (<http://www.softwareishard.com/blog/har-12-spec/>): the HTTP exchanges of what was chosen.
//!
//! What HAR has no field for stands in `_roundtrip` and `_events`: names that begin with an underscore are left to
//! applications.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wire::frame::{Carrier, Direction};
use wire::http::{Header, RequestHead, ResponseHead};

use super::source::Copy;
use super::time::iso;
use super::{ExportError, Source, exact_bytes, secrets_named};
use crate::event::{
    AttemptOutcome, Event, EventBody, EventSeq, FrameRole, OperationEnd, OperationId,
};
use crate::log::Journal;

/// What HAR has no field for: whose an exchange is, and how that ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Own {
    /// Its connection, as `log._roundtrip` numbers them.
    pub(crate) connection: u32,
    /// Its operation; exchanges of one number belong together.
    pub(crate) operation: Option<u32>,
    /// The operation's method.
    pub(crate) method: Option<String>,
    /// What the operation is about.
    pub(crate) name: Option<String>,
    /// The round, from 1.
    pub(crate) round: u32,
    /// The attempt within the round, from 1.
    pub(crate) attempt: u32,
    /// When its operation and its attempt began, in microseconds since the Unix epoch.
    pub(crate) begun: Option<(u64, u64)>,
    /// What the round is called where it is more than a number.
    pub(crate) label: Option<String>,
    /// When the attempt ended, in microseconds since the Unix epoch, and how.
    pub(crate) outcome: Option<(u64, AttemptOutcome)>,
    /// When the operation ended, in microseconds since the Unix epoch, and how; at its last exchange.
    pub(crate) end: Option<(u64, OperationEnd)>,
    /// Why the exchange broke off.
    pub(crate) error: Option<String>,
}

/// A message of an exchange: an event of a stream, or a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnFrame {
    /// ISO 8601, for people.
    pub(crate) time: String,
    /// Microseconds since the Unix epoch.
    pub(crate) at_micros: u64,
    /// Which way it went.
    pub(crate) direction: Direction,
    /// What carried it.
    pub(crate) carrier: Carrier,
    /// What it is.
    pub(crate) role: FrameRole,
    /// Its exact bytes; absent where they are those of the body in its direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) raw: Option<Raw>,
}

/// Exact bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Raw(#[serde(with = "exact_bytes")] pub(crate) Bytes);

/// A connection that exchanges belong to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct OwnConnection {
    /// Its number.
    pub(crate) connection: u32,
    /// The catalog's name of the server.
    pub(crate) server_name: String,
    /// `stdio` or `http`.
    pub(crate) transport: String,
    /// The URL.
    pub(crate) address: String,
    /// When it was opened.
    pub(crate) opened_micros: u64,
    /// The era and revision.
    pub(crate) established: Option<(String, String)>,
}

/// What the archive says beside its entries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OwnLog {
    /// The connections.
    pub(crate) connections: Vec<OwnConnection>,
}

/// The place of an attempt.
type Place = (Option<OperationId>, u32, u32);

/// The events of one exchange.
struct Exchange {
    place: Place,
    request: EventSeq,
    response: Option<EventSeq>,
    end: Option<EventSeq>,
    frames: Vec<EventSeq>,
}

/// What else is known of attempts and operations.
#[derive(Default)]
struct Known {
    begun: HashMap<Place, u64>,
    labels: HashMap<Place, String>,
    outcomes: HashMap<Place, (u64, AttemptOutcome)>,
    ends: HashMap<OperationId, (u64, OperationEnd)>,
}

/// Writes the exchanges in the order of their beginning. Gives what the file could not hold.
pub(super) fn write(
    copy: &Copy,
    source: &Source<'_>,
    out: &mut dyn Write,
) -> Result<Option<String>, ExportError> {
    let journal = &copy.journal;
    let (exchanges, mut known) = gather(journal)?;
    if exchanges.is_empty() {
        return Err(ExportError::NoExchange);
    }
    let connections: BTreeMap<_, _> = journal.tree().connections().collect();
    let own = OwnLog {
        connections: connections
            .into_iter()
            .map(|(id, connection)| OwnConnection {
                connection: id.0,
                server_name: connection.server_name.to_string(),
                transport: connection.transport.clone(),
                address: connection.address.clone(),
                opened_micros: connection.opened_micros,
                established: connection.established.clone(),
            })
            .collect(),
    };
    let creator = json!({ "name": "Roundtrip", "version": env!("CARGO_PKG_VERSION") });
    write!(
        out,
        "{{\"log\":{{\"version\":\"1.2\",\"creator\":{creator},\"comment\":{},\"_roundtrip\":{},\"entries\":[",
        json!(format!(
            "Exported by Roundtrip. {}",
            secrets_named(source.redacted())
        )),
        json!(own),
    )?;
    let last_of: HashMap<OperationId, usize> = exchanges
        .iter()
        .enumerate()
        .filter_map(|(at, exchange)| Some((exchange.place.0?, at)))
        .collect();
    for (at, exchange) in exchanges.iter().enumerate() {
        source.goes_on(at, exchanges.len())?;
        let is_last = exchange
            .place
            .0
            .is_some_and(|id| last_of.get(&id) == Some(&at));
        let entry = entry(journal, exchange, &mut known, is_last)?;
        out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &entry).map_err(std::io::Error::other)?;
    }
    out.write_all(b"\n]}}\n")?;
    let held: BTreeSet<OperationId> = exchanges.iter().filter_map(|one| one.place.0).collect();
    let left_out = (journal.tree().operation_count() as usize).saturating_sub(held.len());
    Ok((left_out > 0).then(|| {
        format!(
            "{} without an HTTP exchange {} not in it: HAR holds nothing else.",
            crate::text::counted(u32::try_from(left_out).unwrap_or(u32::MAX), "operation"),
            if left_out == 1 { "is" } else { "are" }
        )
    }))
}

fn gather(journal: &Journal) -> Result<(Vec<Exchange>, Known), ExportError> {
    let mut known = Known::default();
    let mut exchanges: Vec<Exchange> = Vec::new();
    // The exchange that an attempt's frames belong to, and messages that were sent before their heads were told of.
    let mut open: HashMap<Place, usize> = HashMap::new();
    let mut before: HashMap<Place, EventSeq> = HashMap::new();
    for seq in (0..journal.len()).map(EventSeq) {
        let Event {
            at_micros,
            operation,
            body,
            ..
        } = journal.preview(seq, 0)?.event;
        match body {
            EventBody::AttemptStarted {
                round,
                attempt,
                label,
                ..
            } => {
                let place = (operation, round, attempt);
                known.begun.insert(place, at_micros);
                if let Some(label) = label {
                    known.labels.insert(place, label);
                }
            }
            EventBody::AttemptEnded {
                round,
                attempt,
                outcome,
            } => {
                known
                    .outcomes
                    .insert((operation, round, attempt), (at_micros, outcome));
            }
            EventBody::OperationEnded(end) => {
                if let Some(id) = operation {
                    known.ends.insert(id, (at_micros, end));
                }
            }
            EventBody::HttpRequest { round, attempt, .. } => {
                let place = (operation, round, attempt);
                open.insert(place, exchanges.len());
                exchanges.push(Exchange {
                    place,
                    request: seq,
                    response: None,
                    end: None,
                    frames: before.remove(&place).into_iter().collect(),
                });
            }
            EventBody::Frame {
                direction,
                carrier: Carrier::Body | Carrier::SseEvent,
                round,
                attempt,
                ..
            } => {
                let place = (operation, round, attempt);
                let exchange = open
                    .get(&place)
                    .and_then(|at| exchanges.get_mut(*at))
                    .filter(|exchange| exchange.end.is_none());
                match (direction, exchange) {
                    (_, Some(exchange)) => exchange.frames.push(seq),
                    (Direction::Sent, None) => {
                        before.insert(place, seq);
                    }
                    (Direction::Received, None) => {}
                }
            }
            EventBody::HttpResponse { round, attempt, .. } => {
                if let Some(at) = open.get(&(operation, round, attempt)) {
                    exchanges[*at].response = Some(seq);
                }
            }
            EventBody::HttpEnded { round, attempt, .. } => {
                if let Some(at) = open.get(&(operation, round, attempt)) {
                    exchanges[*at].end = Some(seq);
                }
            }
            _ => {}
        }
    }
    Ok((exchanges, known))
}

/// The frames of an exchange, with the bodies that they make.
#[derive(Default)]
struct Bodies {
    sent: Vec<u8>,
    received: Vec<u8>,
    frames: Vec<OwnFrame>,
}

impl Bodies {
    fn of(journal: &Journal, frames: &[EventSeq]) -> Result<Bodies, ExportError> {
        let mut bodies = Bodies::default();
        // How many messages of a batch are still to follow: they are no further bytes.
        let mut batch_rest = 0;
        for seq in frames {
            let event = journal.event(*seq)?;
            let EventBody::Frame {
                direction,
                carrier,
                role,
                bytes,
                ..
            } = event.body
            else {
                continue;
            };
            match direction {
                Direction::Sent => bodies.sent.extend_from_slice(&bytes),
                Direction::Received if batch_rest > 0 => batch_rest -= 1,
                Direction::Received => {
                    if let FrameRole::Batch { len } = role {
                        batch_rest = len;
                    }
                    bodies.received.extend_from_slice(&bytes);
                }
            }
            bodies.frames.push(OwnFrame {
                time: iso(event.at_micros),
                at_micros: event.at_micros,
                direction,
                carrier,
                role,
                raw: Some(Raw(bytes)),
            });
        }
        for frame in &mut bodies.frames {
            let whole = match frame.direction {
                Direction::Sent => &bodies.sent,
                Direction::Received => &bodies.received,
            };
            frame.raw.take_if(|raw| {
                raw.0 == *whole
                    && frame.carrier == Carrier::Body
                    && std::str::from_utf8(whole).is_ok()
            });
        }
        Ok(bodies)
    }
}

fn millis(from: u64, to: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)] // durations are far below 2^53 microseconds
    let micros = to.saturating_sub(from) as f64;
    micros / 1000.0
}

fn entry(
    journal: &Journal,
    exchange: &Exchange,
    known: &mut Known,
    is_last: bool,
) -> Result<Value, ExportError> {
    let sent = journal.event(exchange.request)?;
    let EventBody::HttpRequest { head, .. } = sent.body else {
        return Err(journal.damaged(exchange.request).into());
    };
    let response = exchange
        .response
        .map(|seq| journal.event(seq))
        .transpose()?;
    let response = response.and_then(|event| match event.body {
        EventBody::HttpResponse { head, .. } => Some((event.at_micros, head)),
        _ => None,
    });
    let over = exchange.end.map(|seq| journal.event(seq)).transpose()?;
    let (mut end_micros, mut wire_byte_len, mut error) = (None, None, None);
    if let Some(event) = over
        && let EventBody::HttpEnded {
            wire_byte_len: byte_len,
            error: why,
            ..
        } = event.body
    {
        (end_micros, wire_byte_len, error) = (Some(event.at_micros), Some(byte_len), why);
    }
    let bodies = Bodies::of(journal, &exchange.frames)?;
    let start = sent.at_micros;
    let head_at = response.as_ref().map(|(at, _)| *at);
    let last_frame = bodies.frames.last().map(|frame| frame.at_micros);
    let end = end_micros
        .or(last_frame)
        .or(head_at)
        .unwrap_or(start)
        .max(start);
    // HAR's parts add up to the whole: what was sent went at once, as far as is known here.
    let wait_end = head_at.unwrap_or(end).clamp(start, end);
    let (operation, round, attempt) = exchange.place;
    let about = operation.and_then(|id| journal.operation(id).ok());
    let own = Own {
        connection: sent.connection.0,
        operation: operation.map(|id| id.0),
        begun: about.as_ref().map(|about| {
            let attempt = known.begun.get(&exchange.place);
            (about.start_micros, attempt.copied().unwrap_or(start))
        }),
        method: about.as_ref().map(|about| about.method.clone()),
        name: about.and_then(|about| about.name),
        round,
        attempt,
        label: known.labels.remove(&exchange.place),
        outcome: known.outcomes.get(&exchange.place).cloned(),
        end: operation
            .filter(|_| is_last)
            .and_then(|id| known.ends.remove(&id)),
        error: error.clone(),
    };
    let mut entry = json!({
        "startedDateTime": iso(start),
        "time": millis(start, wait_end) + millis(wait_end, end),
        "request": request(&head, &bodies.sent, response.as_ref().map(|(_, head)| head)),
        "response": response_of(response.as_ref().map(|(_, head)| head), &bodies.received, wire_byte_len),
        "cache": {},
        "timings": { "send": 0, "wait": millis(start, wait_end), "receive": millis(wait_end, end) },
        "_resourceType": "fetch",
        "_roundtrip": own,
        "_events": bodies.frames,
    });
    if let Some(error) = error {
        entry["comment"] = json!(error);
    }
    Ok(entry)
}

fn request(head: &RequestHead, sent: &[u8], response: Option<&ResponseHead>) -> Value {
    let RequestHead {
        method,
        url,
        headers,
    } = head;
    let mut request = json!({
        "method": method,
        "url": url,
        "httpVersion": response.map_or("HTTP/1.1", |head| head.version.as_str()),
        "cookies": cookies(headers, "cookie"),
        "headers": headers,
        "queryString": query(url),
        "headersSize": -1,
        "bodySize": sent.len(),
    });
    if !sent.is_empty() {
        let mime = value(headers, "content-type").unwrap_or("application/json");
        request["postData"] = json!({ "mimeType": mime, "text": String::from_utf8_lossy(sent) });
    }
    request
}

fn response_of(head: Option<&ResponseHead>, received: &[u8], wire_byte_len: Option<u64>) -> Value {
    let Some(head) = head else {
        // As browsers write an exchange that got no answer.
        return json!({
            "status": 0, "statusText": "", "httpVersion": "", "cookies": [], "headers": [],
            "content": { "size": 0, "mimeType": "x-unknown" },
            "redirectURL": "", "headersSize": -1, "bodySize": -1,
        });
    };
    let mime = value(&head.headers, "content-type").unwrap_or("x-unknown");
    let mut content = json!({ "size": received.len(), "mimeType": mime });
    if !received.is_empty() {
        if let Ok(text) = std::str::from_utf8(received) {
            content["text"] = json!(text);
        } else {
            content["text"] = json!(BASE64_STANDARD.encode(received));
            content["encoding"] = json!("base64");
        }
    }
    json!({
        "status": head.status,
        "statusText": "",
        "httpVersion": head.version,
        "cookies": cookies(&head.headers, "set-cookie"),
        "headers": head.headers,
        "content": content,
        "redirectURL": value(&head.headers, "location").unwrap_or_default(),
        "headersSize": -1,
        "bodySize": wire_byte_len.map_or(json!(-1), |byte_len| json!(byte_len)),
    })
}

fn value<'a>(headers: &'a [Header], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case(name))
        .map(|header| header.value.as_str())
}

fn cookies(headers: &[Header], name: &str) -> Vec<Value> {
    headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case(name))
        .flat_map(|header| {
            let all = header.value.split(';');
            // Of `set-cookie` only the first part is the cookie itself.
            all.take(if name == "cookie" { usize::MAX } else { 1 })
        })
        .filter_map(|cookie| cookie.trim().split_once('='))
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect()
}

fn query(url: &str) -> Vec<Value> {
    let Some((_, query)) = url.split('#').next().and_then(|url| url.split_once('?')) else {
        return Vec::new();
    };
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect()
}
