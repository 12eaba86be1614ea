//! One entry of a HAR file: what browsers write, and what Roundtrip adds.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde::{Deserialize, Deserializer};
use wire::frame::{Carrier, Direction};
use wire::http::Header;
use wire::message::{self, MessageKind, Reading};
use wire::sse::SseSplitter;

use super::BODY;
use crate::event::{AttemptOutcome, FrameRole, OperationEnd};
use crate::export::time::read_iso;
use crate::export::{Own, OwnFrame};

/// How large one event of a stream may be.
const LARGEST_EVENT: usize = 256 << 20;

/// One entry. Whatever a browser may leave out has a default.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    started_date_time: String,
    #[serde(skip)]
    pub(super) start_micros: u64,
    #[serde(default, deserialize_with = "or_default")]
    time: f64,
    pub(super) request: Request,
    pub(super) response: Response,
    #[serde(default, deserialize_with = "or_default")]
    timings: Timings,
    #[serde(default)]
    comment: Option<String>,
    #[serde(rename = "_roundtrip", default)]
    pub(super) own: Option<Own>,
    #[serde(rename = "_events", default)]
    own_events: Option<Vec<OwnFrame>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Timings {
    #[serde(deserialize_with = "or_default")]
    blocked: f64,
    #[serde(deserialize_with = "or_default")]
    dns: f64,
    #[serde(deserialize_with = "or_default")]
    connect: f64,
    #[serde(deserialize_with = "or_default")]
    send: f64,
    #[serde(deserialize_with = "or_default")]
    wait: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) url: String,
    #[serde(default)]
    pub(super) headers: Vec<Header>,
    #[serde(default)]
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
struct PostData {
    #[serde(default, deserialize_with = "or_default")]
    text: String,
    /// Some tools write it, though only the contents of responses have it.
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response {
    #[serde(default, deserialize_with = "or_default")]
    status: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) http_version: String,
    #[serde(default)]
    pub(super) headers: Vec<Header>,
    #[serde(default, deserialize_with = "or_default")]
    content: Content,
    #[serde(rename = "bodySize", default, deserialize_with = "or_default")]
    body_size_float: f64,
    #[serde(skip)]
    pub(super) body_size: i64,
    /// What Chrome says where there is no response.
    #[serde(rename = "_error", default)]
    error: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Content {
    text: Option<String>,
    encoding: Option<String>,
}

/// `null` where the value should be counts as absent.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// A message of an exchange.
pub(super) struct Message {
    pub(super) at_micros: u64,
    pub(super) direction: Direction,
    pub(super) carrier: Carrier,
    pub(super) role: FrameRole,
    pub(super) bytes: Bytes,
}

impl Entry {
    /// Reads an entry's JSON, or says why it cannot be used, as the end of a sentence.
    pub(super) fn read(json: &str) -> Result<Entry, String> {
        let mut entry: Entry = serde_json::from_str(json).map_err(|error| {
            let said = error.to_string();
            said.rsplit_once(" at line ")
                .map_or(said.clone(), |(what, _)| what.to_owned())
        })?;
        entry.start_micros = read_iso(&entry.started_date_time).ok_or_else(|| {
            format!(
                "its startedDateTime {:?} is no ISO 8601 time",
                entry.started_date_time
            )
        })?;
        #[allow(clippy::cast_possible_truncation)] // what is no size is cut to one
        {
            entry.response.body_size = entry.response.body_size_float as i64;
        }
        let content = &entry.response.content;
        if content.encoding.as_deref() == Some("base64")
            && let Some(Err(error)) = content
                .text
                .as_ref()
                .map(|text| BASE64_STANDARD.decode(text))
        {
            return Err(format!("its content is no Base64 ({error})"));
        }
        Ok(entry)
    }

    /// Whether it is MCP's traffic, or Roundtrip wrote it.
    pub(super) fn is_of_mcp(&self) -> bool {
        let has_header = self
            .request
            .headers
            .iter()
            .any(|header| header.name.to_ascii_lowercase().starts_with("mcp-"));
        let is_discovery = self.request.url.contains("/.well-known/oauth-")
            || self
                .request
                .url
                .contains("/.well-known/openid-configuration");
        let sent = self.sent();
        self.own.is_some()
            || has_header && self.request.method != "OPTIONS"
            || is_discovery
            || memchr::memmem::find(&sent, b"\"jsonrpc\"").is_some()
                && !matches!(
                    message::read(&sent).messages(),
                    [one, ..] if matches!(one.kind, MessageKind::NotProtocol { .. })
                )
    }

    /// The protocol revision that its request names.
    pub(super) fn revision(&self) -> Option<&str> {
        let mut headers = self.request.headers.iter();
        let found = headers.find(|header| header.name.eq_ignore_ascii_case("mcp-protocol-version"));
        found.map(|header| header.value.trim())
    }

    /// The response's status; 0 for none.
    pub(super) fn status(&self) -> u16 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range is checked
        let status = if (100.0..1000.0).contains(&self.response.status) {
            self.response.status as u16
        } else {
            0
        };
        status
    }

    /// Why the exchange broke off.
    pub(super) fn error(&self) -> Option<String> {
        match &self.own {
            Some(own) => own.error.clone(),
            None => self
                .response
                .error
                .clone()
                .or_else(|| self.comment.clone())
                .filter(|_| self.status() == 0),
        }
    }

    /// The request's body.
    pub(super) fn sent(&self) -> Bytes {
        let Some(data) = &self.request.post_data else {
            return Bytes::new();
        };
        let own = self.own_events.iter().flatten();
        let exact = own
            .filter(|frame| frame.direction == Direction::Sent)
            .find_map(|frame| frame.raw.as_ref());
        if let Some(exact) = exact {
            return exact.0.clone();
        }
        decoded(&data.text, data.encoding.as_deref())
    }

    /// The response's body.
    pub(super) fn received(&self) -> Bytes {
        let content = &self.response.content;
        content.text.as_ref().map_or_else(Bytes::new, |text| {
            decoded(text, content.encoding.as_deref())
        })
    }

    /// When the response's head came.
    pub(super) fn head_micros(&self) -> u64 {
        let Timings {
            blocked,
            dns,
            connect,
            send,
            wait,
        } = &self.timings;
        // What did not happen is -1.
        let parts = [blocked, dns, connect, send, wait];
        let millis = parts.into_iter().filter(|part| **part > 0.0).sum();
        (self.start_micros + micros(millis)).min(self.end_micros())
    }

    /// When the exchange was over.
    pub(super) fn end_micros(&self) -> u64 {
        self.start_micros + micros(self.time)
    }

    /// The messages in both bodies, and the outcome that the reply tells.
    pub(super) fn messages(
        &self,
        sent: &Bytes,
        received: &Bytes,
    ) -> (Vec<Message>, Option<AttemptOutcome>) {
        if let Some(own) = &self.own_events {
            let messages = own.iter().map(|frame| Message {
                at_micros: frame.at_micros,
                direction: frame.direction,
                carrier: frame.carrier,
                role: frame.role.clone(),
                bytes: match (&frame.raw, frame.direction) {
                    (Some(raw), _) => raw.0.clone(),
                    (None, Direction::Sent) => sent.clone(),
                    (None, Direction::Received) => received.clone(),
                },
            });
            return (messages.collect(), None);
        }
        let mut messages = Vec::new();
        if !sent.is_empty() {
            let (role, _) = role_of(BODY, sent);
            messages.push(Message {
                at_micros: self.start_micros,
                direction: Direction::Sent,
                carrier: BODY,
                role,
                bytes: sent.clone(),
            });
        }
        let mut outcome = None;
        for (carrier, bytes) in frames(received, self.is_stream()) {
            let (role, told) = role_of(carrier, &bytes);
            outcome = told.or(outcome);
            messages.push(Message {
                at_micros: self.end_micros(),
                direction: Direction::Received,
                carrier,
                role,
                bytes,
            });
        }
        (messages, outcome)
    }

    fn is_stream(&self) -> bool {
        self.response.headers.iter().any(|header| {
            header.name.eq_ignore_ascii_case("content-type")
                && header.value.trim_start().starts_with("text/event-stream")
        })
    }
}

fn decoded(text: &str, encoding: Option<&str>) -> Bytes {
    if encoding == Some("base64")
        && let Ok(bytes) = BASE64_STANDARD.decode(text)
    {
        return Bytes::from(bytes);
    }
    Bytes::copy_from_slice(text.as_bytes())
}

/// Milliseconds as microseconds; what is no length of time is none.
fn micros(millis: f64) -> u64 {
    let micros = (millis * 1000.0).round();
    if micros.is_finite() && micros > 0.0 && micros < 1e15 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range is checked
        return micros as u64;
    }
    0
}

/// The parts of a body: the events of a stream, or all of it.
fn frames(body: &Bytes, is_stream: bool) -> Vec<(Carrier, Bytes)> {
    if body.is_empty() {
        return Vec::new();
    }
    if !is_stream {
        return vec![(BODY, body.clone())];
    }
    let mut splitter = SseSplitter::new(LARGEST_EVENT);
    let mut blocks = splitter.push(body);
    blocks.extend(splitter.finish());
    blocks
        .into_iter()
        .map(|block| (Carrier::SseEvent, block.raw))
        .collect()
}

/// What a frame is, and the outcome that it tells.
fn role_of(carrier: Carrier, bytes: &[u8]) -> (FrameRole, Option<AttemptOutcome>) {
    let data = match carrier {
        Carrier::SseEvent => wire::sse::data(bytes).unwrap_or_default(),
        Carrier::Body | Carrier::Line => bytes.into(),
    };
    if data.is_empty() {
        return (FrameRole::KeepAlive, None);
    }
    let reading = message::read(&data);
    let message = match &reading {
        Reading::Batch(messages) => {
            let len = u32::try_from(messages.len()).unwrap_or(u32::MAX);
            return (FrameRole::Batch { len }, None);
        }
        Reading::One(message) => message,
    };
    match &message.kind {
        MessageKind::Request { method, .. } => {
            let method = method.to_string();
            (FrameRole::Request { method }, None)
        }
        MessageKind::Notification { method, params } => {
            let text = protocol::naming::note_text(method, *params);
            let method = method.to_string();
            (FrameRole::Notification { method, text }, None)
        }
        MessageKind::Result { result, .. } => {
            let result_type = wire::object::get(*result, "resultType")
                .and_then(wire::object::string)
                .map_or_else(|| "complete".to_owned(), std::borrow::Cow::into_owned);
            (
                FrameRole::Reply,
                Some(AttemptOutcome::Result { result_type }),
            )
        }
        MessageKind::Error { error, .. } => (
            FrameRole::Reply,
            Some(AttemptOutcome::RpcError {
                code: error.code,
                message: error.message.clone(),
            }),
        ),
        MessageKind::NotProtocol { reason } => (
            FrameRole::NotProtocol {
                problem: format!("this is {reason}"),
            },
            None,
        ),
    }
}

/// How an attempt ended that got no reply.
pub(super) fn without_reply(status: u16, comment: Option<&str>) -> AttemptOutcome {
    match status {
        0 => AttemptOutcome::Transport {
            brief: "no response".to_owned(),
            message: comment.unwrap_or("No response was recorded.").to_owned(),
        },
        200..=399 => AttemptOutcome::Settled {
            brief: format!("HTTP {status}"),
            message: "The response holds no reply.".to_owned(),
        },
        _ => AttemptOutcome::Transport {
            brief: format!("HTTP {status}"),
            message: format!("The server answered HTTP {status}."),
        },
    }
}

/// How an operation ended whose only attempt ended so.
pub(super) fn ended(outcome: &AttemptOutcome) -> OperationEnd {
    match outcome {
        AttemptOutcome::Result { .. } => OperationEnd::Complete,
        AttemptOutcome::RpcError { code, message } => OperationEnd::Failed {
            brief: format!("error {code}"),
            message: message.clone(),
            hint: None,
        },
        AttemptOutcome::Transport { brief, message } => OperationEnd::Failed {
            brief: brief.clone(),
            message: message.clone(),
            hint: None,
        },
        AttemptOutcome::Settled { brief, message } => OperationEnd::Settled {
            brief: brief.clone(),
            message: message.clone(),
        },
        AttemptOutcome::Cancelled | AttemptOutcome::TimedOut => OperationEnd::Cancelled,
    }
}
