//! What a call ended with, read from the journal: the record is the only copy.

use journal::details::Exchange;
use journal::event::{EventBody, EventSeq, OperationEnd, OperationId};
use journal::log::{Journal, JournalError};
use protocol::results::{self, Content, Media};
use wire::frame::Carrier;
use wire::message::{self, MessageKind};

use crate::api::tools::{CallOutcome, CallResult, ContentView};
use crate::api::{ErrorCode, ErrorView};

/// What an operation that has ended ended with.
///
/// # Errors
/// The journal does not know it or cannot be read.
pub fn outcome(
    journal: &Journal,
    operation: OperationId,
    now_micros: u64,
) -> Result<CallOutcome, JournalError> {
    let summary = journal.operation(operation)?;
    let totals = journal.totals(operation, now_micros)?;
    let ended_micros = summary
        .end
        .as_ref()
        .map_or(now_micros, |(at_micros, _)| *at_micros);
    let last = journal.exchanges(operation)?.pop();
    let result = match summary.end {
        Some((_, OperationEnd::Cancelled)) => CallResult::Cancelled,
        Some((
            _,
            OperationEnd::Failed {
                brief,
                message,
                hint,
            },
        )) => failed(journal, last, &brief, message, hint)?,
        Some((_, OperationEnd::Complete | OperationEnd::ToolError)) => tool(journal, last)?,
        None => CallResult::Failed {
            code: None,
            error: error("The operation has not ended.".to_owned(), None),
            data: None,
        },
    };
    Ok(CallOutcome {
        operation,
        result,
        total_micros: ended_micros.saturating_sub(summary.start_micros),
        server_micros: totals.server_micros,
        user_micros: totals.user_micros,
        time_micros: totals.time_micros,
    })
}

fn error(message: String, hint: Option<String>) -> ErrorView {
    ErrorView {
        code: ErrorCode::Failed,
        message,
        hint,
    }
}

fn tool(journal: &Journal, last: Option<Exchange>) -> Result<CallResult, JournalError> {
    let Some(event) = last
        .and_then(|exchange| exchange.response)
        .map(|response| response.event)
    else {
        return Ok(CallResult::Failed {
            code: None,
            error: error("The reply is not in the journal.".to_owned(), None),
            data: None,
        });
    };
    let payload = payload(journal, event)?;
    let read = message::read(&payload);
    let result = read
        .messages()
        .iter()
        .find_map(|message| match &message.kind {
            MessageKind::Result { result, .. } => Some(*result),
            _ => None,
        });
    let Some(result) = result else {
        return Ok(CallResult::Failed {
            code: None,
            error: error("The reply holds no result.".to_owned(), None),
            data: None,
        });
    };
    let result = results::read_tool_result(result);
    Ok(CallResult::Tool {
        is_error: result.is_error,
        content: result.content.into_iter().map(content).collect(),
        structured: result.structured.as_ref().map(|value| pretty(value.get())),
        problems: result.problems,
        event: Some(event),
    })
}

fn failed(
    journal: &Journal,
    last: Option<Exchange>,
    brief: &str,
    message: String,
    hint: Option<String>,
) -> Result<CallResult, JournalError> {
    let mut code = None;
    let mut data = None;
    // `error -32602` came from the server; other failures have no code.
    if brief.starts_with("error ")
        && let Some(response) = last.and_then(|exchange| exchange.response)
    {
        let payload = payload(journal, response.event)?;
        for message in message::read(&payload).into_messages() {
            if let MessageKind::Error { error, .. } = message.kind {
                code = Some(error.code);
                data = error.data.as_ref().map(|data| pretty(data.get()));
            }
        }
    }
    Ok(CallResult::Failed {
        code,
        error: error(message, hint),
        data,
    })
}

/// The message in a frame.
fn payload(journal: &Journal, event: EventSeq) -> Result<bytes::Bytes, JournalError> {
    Ok(match journal.event(event)?.body {
        EventBody::Frame {
            carrier: Carrier::SseEvent,
            bytes,
            ..
        } => wire::sse::data(&bytes).map_or_else(bytes::Bytes::new, |data| {
            bytes::Bytes::from(data.into_owned())
        }),
        EventBody::Frame { bytes, .. } => bytes,
        _ => bytes::Bytes::new(),
    })
}

fn pretty(json: &str) -> String {
    wire::pretty::layout(json.as_bytes()).unwrap_or_else(|| json.to_owned())
}

fn content(block: Content) -> ContentView {
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
        } => ContentView::Resource {
            uri,
            mime_type,
            text,
            byte_len,
        },
        Content::Other { raw, problem } => ContentView::Other {
            json: pretty(raw.get()),
            problem,
        },
    }
}
