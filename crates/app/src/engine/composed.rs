//! A message that the person wrote, sent as it is written, also when it is wrong. Nothing is added to it, nothing is put
//! right, and it is never sent again by itself.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use client::HttpMethod;
use journal::event::{ConnectionId, OperationId};
use protocol::headers;
use serde_json::value::RawValue;
use wire::message::{Id, MessageKind};
use wire::object::{self, ValueKind};

use super::input::Answer;
use super::operation::{Active, Purpose, Sent};
use super::state::{Engine, reply};
use crate::api::ErrorView;
use crate::api::composer::ComposeArgs;
use crate::catalog::bad_input;

/// What a message is called in its row that names no method.
const NAMELESS: &str = "message";
/// How long an answer is awaited to what may get none.
const DOUBTFUL_LIMIT: Duration = Duration::from_secs(5);

/// A message to send.
pub struct ComposeInput {
    /// What the person wrote.
    pub args: ComposeArgs,
    /// Its operation.
    pub answer: Answer<OperationId>,
}

/// What is awaited in answer to a message that was written by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// Nothing: it is a notification, or a reply.
    Nothing,
    /// A reply with this id, the text of its JSON.
    Reply(String),
    /// An error that names no id: the message cannot be read.
    Refusal,
}

impl Awaited {
    /// Whether a reply is the one.
    pub(super) fn is(&self, message: &MessageKind<'_>, of_exchange: bool) -> bool {
        match (self, message) {
            (
                Awaited::Reply(wanted),
                MessageKind::Result { id, .. } | MessageKind::Error { id: Some(id), .. },
            ) => is_same(wanted, *id),
            (Awaited::Refusal, MessageKind::Error { id: None, .. }) => true,
            (Awaited::Reply(_), MessageKind::Error { id: None, .. }) => of_exchange,
            _ => false,
        }
    }
}

/// Ids are equal as values: `"\u0061"` is `"a"`.
fn is_same(wanted: &str, id: Id<'_>) -> bool {
    wanted == id.token()
        || object::string(wanted).is_some_and(|wanted| {
            object::string(id.token()).is_some_and(|answered| wanted == answered)
        })
}

/// What a written text is.
struct Written {
    method: Option<String>,
    params: Option<String>,
    awaited: Awaited,
}

impl Written {
    fn read(text: &str) -> Written {
        let Ok(value) = serde_json::from_str::<&RawValue>(text) else {
            return Written {
                method: None,
                params: None,
                awaited: Awaited::Refusal,
            };
        };
        if ValueKind::of(value) == ValueKind::Array {
            // Of a batch the reply to the first request is awaited; the others stand beside it.
            // One of notifications and replies alone gets none (JSON-RPC 2.0 § 6).
            let members: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
            let mut awaited: Vec<Awaited> = members
                .into_iter()
                .map(|member| Written::of_value(member).awaited)
                .collect();
            let first = awaited
                .iter()
                .position(|one| matches!(one, Awaited::Reply(_)));
            let needs_none =
                !awaited.is_empty() && awaited.iter().all(|one| *one == Awaited::Nothing);
            return Written {
                method: None,
                params: None,
                awaited: match first {
                    Some(first) => awaited.swap_remove(first),
                    None if needs_none => Awaited::Nothing,
                    None => Awaited::Refusal,
                },
            };
        }
        Written::of_value(value)
    }

    fn of_value(value: &RawValue) -> Written {
        let method = object::get(value, "method")
            .and_then(object::string)
            .map(Cow::into_owned);
        let id = object::get(value, "id").map(|id| id.get().to_owned());
        let is_reply =
            object::get(value, "result").is_some() || object::get(value, "error").is_some();
        let awaited = match (&method, id) {
            (Some(_), None) => Awaited::Nothing,
            (None, _) if is_reply => Awaited::Nothing,
            (_, Some(id)) => Awaited::Reply(id),
            (None, None) => Awaited::Refusal,
        };
        Written {
            params: object::get(value, "params").map(|params| params.get().to_owned()),
            method,
            awaited,
        }
    }
}

impl Engine {
    pub(super) fn handle_compose(&mut self, ComposeInput { args, answer }: ComposeInput) {
        let sent = self.compose(args);
        reply(answer, sent);
    }

    fn compose(&mut self, args: ComposeArgs) -> Result<OperationId, ErrorView> {
        let id = self.connected(&args.server)?;
        if args.text.is_empty() {
            return Err(bad_input(
                "There is nothing to send.",
                "Write a message, or begin with a template.",
            ));
        }
        let Some((speaker, limit)) = self
            .connections
            .get(&id)
            .and_then(|connection| Some((connection.speaker.clone()?, connection.request_limit())))
        else {
            return Err(super::input::ended());
        };
        let written = Written::read(&args.text);
        let own = args
            .headers
            .iter()
            .map(|one| (one.name.trim().to_owned(), one.value.clone()));
        let own: Vec<(String, String)> = own.filter(|(name, _)| !name.is_empty()).collect();
        let mut headers = Vec::new();
        if args.usual_headers {
            let method = written.method.as_deref().unwrap_or_default();
            headers = headers::for_request(&speaker, method, written.params.as_deref(), &[]);
            let is_given = |name: &str| {
                own.iter()
                    .any(|(given, _)| given.eq_ignore_ascii_case(name))
            };
            headers.retain(|(name, value)| !value.is_empty() && !is_given(name));
        }
        headers.extend(own);
        let method = written.method.as_deref().unwrap_or(NAMELESS);
        let subject = written
            .params
            .as_deref()
            .and_then(|params| serde_json::from_str::<&RawValue>(params).ok())
            .and_then(|params| protocol::naming::subject(method, params));
        let operation = self.open_operation(id, method, subject.as_deref());
        let expects_reply = written.awaited != Awaited::Nothing;
        self.active.insert(
            operation,
            Active {
                limit: match written.awaited {
                    Awaited::Refusal => DOUBTFUL_LIMIT.min(limit),
                    Awaited::Reply(_) | Awaited::Nothing => limit,
                },
                awaited: Some(written.awaited),
                ..Active::new(id, speaker, Purpose::Composed, method, subject.as_deref())
            },
        );
        let sent = Sent {
            http_method: HttpMethod::Post,
            message: Bytes::from(args.text),
            keeps_breaks: args.keeps_breaks,
            headers,
        };
        self.send_attempt(operation, (1, 1), None, Some("as written".to_owned()), sent);
        if !expects_reply && self.is_stdio(id) {
            self.delivered(operation);
        }
        Ok(operation)
    }

    /// The operation of a message that was written by hand and that this replies to.
    pub(super) fn composed_for(
        &self,
        connection: ConnectionId,
        message: &MessageKind<'_>,
    ) -> Option<OperationId> {
        self.active
            .iter()
            .filter(|(_, active)| active.connection == connection && active.current.is_some())
            .find(|(_, active)| {
                active
                    .awaited
                    .as_ref()
                    .is_some_and(|awaited| awaited.is(message, false))
            })
            .map(|(operation, _)| *operation)
    }
}
