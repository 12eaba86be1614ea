//! What a call ended with, read from the journal: the record is the only copy.

use bytes::Bytes;
use journal::details::FromCache;
use journal::event::{EventBody, EventSeq, FrameRole, OperationEnd, OperationId};
use journal::log::{Journal, JournalError};
use journal::row::RowRef;
use protocol::caching::Hints;
use protocol::results::{self, Content, Media};
use protocol::{prompts, resources};
use serde_json::value::RawValue;
use wire::frame::Carrier;
use wire::message::{self, IdMatch, Message, MessageKind};

use crate::api::tools::{
    CallOutcome, CallResult, ContentView, PromptMessageView, ResourcePartView,
};
use crate::api::{ErrorCode, ErrorView};

/// What the journal holds of an operation's end: read under its lock, understood without it.
pub struct Ended {
    operation: OperationId,
    method: String,
    from_cache: Option<FromCache>,
    end: Option<OperationEnd>,
    reply: Option<Reply>,
    total_micros: u64,
    totals: journal::details::Totals,
}

/// The frame that holds the last reply.
struct Reply {
    /// The id of the request, as JSON text: a batch may hold replies to others.
    request_id: Option<String>,
    event: EventSeq,
    carrier: Carrier,
    bytes: Bytes,
    /// It answers a poll of a task, and holds the task; what the call ended with is in that.
    is_task: bool,
}

impl Ended {
    /// Reads what there is of an operation.
    ///
    /// # Errors
    /// The journal does not know it or cannot be read.
    pub fn read(
        journal: &Journal,
        operation: OperationId,
        now_micros: u64,
    ) -> Result<Self, JournalError> {
        let summary = journal.operation(operation)?;
        let (last, request_id) = match journal.exchange_index(RowRef::Operation(operation)) {
            Some(index) => (
                journal.exchange(operation, index)?,
                journal.request_id(operation, index)?,
            ),
            None => (None, None),
        };
        let is_task = match last.as_ref().and_then(|exchange| exchange.request) {
            Some(request) => is_poll(&journal.event(request.event)?.body),
            None => false,
        };
        let from_cache = journal.from_cache(operation)?;
        let reply = match last
            .and_then(|exchange| exchange.response)
            .map(|response| response.event)
            .or_else(|| from_cache.map(|cached| cached.event))
        {
            Some(event) => match journal.event(event)?.body {
                EventBody::Frame { carrier, bytes, .. } => Some(Reply {
                    request_id,
                    event,
                    carrier,
                    bytes,
                    is_task,
                }),
                _ => None,
            },
            None => None,
        };
        let ended_micros = summary
            .end
            .as_ref()
            .map_or(now_micros, |(at_micros, _)| *at_micros);
        Ok(Self {
            operation,
            method: summary.method,
            from_cache,
            end: summary.end.map(|(_, end)| end),
            reply,
            total_micros: ended_micros.saturating_sub(summary.start_micros),
            totals: journal.totals(operation, now_micros)?,
        })
    }

    /// How much there is to understand.
    pub fn byte_len(&self) -> usize {
        self.reply.as_ref().map_or(0, |reply| reply.bytes.len())
    }

    /// What is to be shown of it.
    pub fn understood(self) -> CallOutcome {
        let result = match self.end {
            Some(OperationEnd::Cancelled) => CallResult::Cancelled,
            Some(OperationEnd::Failed {
                brief,
                message,
                hint,
            }) => failed(self.reply, &brief, message, hint),
            Some(OperationEnd::Settled { message, .. }) => plain_failure(&message),
            Some(OperationEnd::Complete | OperationEnd::ToolError) => {
                understand(&self.method, self.reply)
            }
            None => plain_failure("The operation has not ended."),
        };
        CallOutcome {
            operation: self.operation,
            result,
            total_micros: self.total_micros,
            server_micros: self.totals.server_micros,
            user_micros: self.totals.user_micros,
            time_micros: self.totals.time_micros,
            from_cache_micros: self.from_cache.map(|cached| cached.fetched_micros),
        }
    }
}

impl Reply {
    /// The message in the frame.
    fn payload(&self) -> std::borrow::Cow<'_, [u8]> {
        let payload = match self.carrier {
            Carrier::SseEvent => wire::sse::data(&self.bytes).unwrap_or_default(),
            Carrier::Line | Carrier::Body => std::borrow::Cow::Borrowed(&self.bytes[..]),
        };
        match message::mend(&payload) {
            Some(mended) => std::borrow::Cow::Owned(mended),
            None => payload,
        }
    }

    /// Whether a message answers the request. An error without an id answers whatever was asked.
    fn is_answered_by(&self, message: &Message<'_>) -> bool {
        let sent = self.request_id.as_deref().and_then(|id| id.parse().ok());
        match (message.kind.id(), sent) {
            (Some(id), Some(sent)) => id.matches(sent) != IdMatch::No,
            _ => true,
        }
    }
}

/// Whether a frame polls a task (SEP-2663 § Task Polling).
fn is_poll(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::Frame {
            role: FrameRole::Request { method },
            ..
        } if method == "tasks/get"
    )
}

fn plain_failure(message: &str) -> CallResult {
    CallResult::Failed {
        code: None,
        error: ErrorView {
            code: ErrorCode::Failed,
            message: message.to_owned(),
            hint: None,
        },
        data: None,
    }
}

fn understand(method: &str, reply: Option<Reply>) -> CallResult {
    let Some(reply) = reply else {
        return plain_failure("The reply is not in the journal.");
    };
    let payload = reply.payload();
    let read = message::read(&payload);
    let result = read
        .messages()
        .iter()
        .filter(|message| reply.is_answered_by(message))
        .find_map(|message| match &message.kind {
            MessageKind::Result { result, .. } => Some(*result),
            _ => None,
        });
    let result = match result {
        Some(task) if reply.is_task => wire::object::get(task, "result"),
        other => other,
    };
    let Some(result) = result else {
        return plain_failure("The reply holds no result.");
    };
    let event = Some(reply.event);
    match method {
        "resources/read" => resource(result, event),
        "prompts/get" => prompt(result, event),
        _ => tool(result, event),
    }
}

/// What a frame's result holds for a person to see: the content of a tool's result, of a resource, of a prompt. Nothing
/// where it holds no such thing.
pub fn content_of(body: &EventBody) -> Vec<ContentView> {
    let EventBody::Frame { carrier, bytes, .. } = body else {
        return Vec::new();
    };
    let reply = Reply {
        request_id: None,
        event: EventSeq(0),
        carrier: *carrier,
        bytes: bytes.clone(),
        is_task: false,
    };
    let payload = reply.payload();
    let read = message::read(&payload);
    let result = read
        .messages()
        .iter()
        .find_map(|message| match &message.kind {
            MessageKind::Result { result, .. } => Some(*result),
            _ => None,
        });
    let Some(result) = result else {
        return Vec::new();
    };
    let holds = |member| wire::object::get(result, member).is_some();
    let shown = if holds("contents") {
        resource(result, None)
    } else if holds("messages") {
        prompt(result, None)
    } else if holds("content") {
        tool(result, None)
    } else {
        return Vec::new();
    };
    match shown {
        CallResult::Tool { content, .. } => content,
        CallResult::Resource { contents, .. } => {
            contents.into_iter().map(|part| part.content).collect()
        }
        CallResult::Prompt { messages, .. } => {
            messages.into_iter().map(|said| said.content).collect()
        }
        CallResult::Failed { .. } | CallResult::Cancelled => Vec::new(),
    }
}

fn resource(result: &RawValue, event: Option<EventSeq>) -> CallResult {
    let hints = Hints::read(result);
    let result = resources::read_resource_result(result);
    CallResult::Resource {
        contents: result
            .contents
            .into_iter()
            .map(|part| ResourcePartView {
                uri: part.uri,
                mime_type: part.mime_type,
                content: content(part.content),
            })
            .collect(),
        problems: result.problems,
        ttl_millis: hints.ttl_millis,
        scope: hints.scope.map(|scope| scope.as_str().to_owned()),
        event,
    }
}

fn prompt(result: &RawValue, event: Option<EventSeq>) -> CallResult {
    let result = prompts::read_prompt_result(result);
    CallResult::Prompt {
        description: result.description,
        messages: result
            .messages
            .into_iter()
            .map(|message| PromptMessageView {
                role: message.role,
                content: content(message.content),
            })
            .collect(),
        problems: result.problems,
        event,
    }
}

fn tool(result: &RawValue, event: Option<EventSeq>) -> CallResult {
    let result = results::read_tool_result(result);
    CallResult::Tool {
        is_error: result.is_error,
        content: result.content.into_iter().map(content).collect(),
        structured: result.structured.as_ref().map(|value| pretty(value.get())),
        problems: result.problems,
        event,
    }
}

fn failed(reply: Option<Reply>, brief: &str, message: String, hint: Option<String>) -> CallResult {
    let mut code = None;
    let mut data = None;
    // `error -32602` came from the server; other failures have no code.
    if let Some(reply) = reply.filter(|_| brief.starts_with("error ")) {
        let payload = reply.payload();
        let read = message::read(&payload);
        let answers = read
            .messages()
            .iter()
            .filter(|message| reply.is_answered_by(message));
        for message in answers {
            match &message.kind {
                MessageKind::Error { error, .. } => {
                    code = Some(error.code);
                    data = error.data.as_ref().map(|data| pretty(data.get()));
                    break;
                }
                // A task's error stands in the task.
                MessageKind::Result { result, .. } if reply.is_task => {
                    let error = wire::object::get(*result, "error");
                    let member = |key| error.and_then(|error| wire::object::get(error, key));
                    code = member("code").and_then(|code| serde_json::from_str(code.get()).ok());
                    data = member("data").map(|data| pretty(data.get()));
                    break;
                }
                _ => {}
            }
        }
    }
    CallResult::Failed {
        code,
        error: ErrorView {
            code: ErrorCode::Failed,
            message,
            hint,
        },
        data,
    }
}

/// JSON laid out over lines; other text as it is.
pub fn pretty(json: &str) -> String {
    wire::pretty::layout(json.as_bytes()).unwrap_or_else(|| json.to_owned())
}

/// A content block as a view sees it.
pub fn content(block: Content) -> ContentView {
    match block {
        Content::Text { text } => ContentView::Text { text },
        Content::Image(Media {
            mime_type,
            base64,
            problem,
        }) => ContentView::Image {
            mime_type,
            base64,
            problem,
        },
        Content::Audio(Media {
            mime_type,
            base64,
            problem,
        }) => ContentView::Audio {
            mime_type,
            base64,
            problem,
        },
        Content::ResourceLink {
            uri,
            name,
            description,
            mime_type,
        } => ContentView::ResourceLink {
            uri,
            name,
            description,
            mime_type,
        },
        Content::Resource {
            uri,
            mime_type,
            text,
            byte_len,
            base64,
        } => ContentView::Resource {
            uri,
            mime_type,
            text,
            byte_len,
            base64,
        },
        Content::Other { raw, problem } => ContentView::Other {
            json: pretty(raw.get()),
            problem,
        },
    }
}
