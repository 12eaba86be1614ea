//! The details of a row, and bodies, read from the journal.

use journal::details::{BranchPoint, Exchange, OperationSummary, branch_told, duration};
use journal::event::{Event, EventBody, EventSeq, OperationEnd, OperationId};
use journal::log::{Journal, JournalError};
use journal::row::RowRef;
use wire::frame::Carrier;

use crate::api::details::{
    BodyForm, BodyText, BranchView, EventLine, MirrorView, Mirrors, RowDetails, SummaryLine,
};
use crate::api::{ErrorCode, ErrorView};

/// Bytes of a body that are shown when nobody says how many.
const BODY_LIMIT: u64 = 1 << 20;
/// Characters of an event's line.
const LINE_CHARS: usize = 300;
/// Branches given at once.
const BRANCHES_LIMIT: usize = 50;
/// Events given at once.
const EVENTS_LIMIT: u32 = 400;

/// What went wrong with the journal, for a view.
pub fn journal_error(error: &JournalError) -> ErrorView {
    ErrorView {
        code: ErrorCode::Failed,
        message: error.to_string(),
        hint: None,
    }
}

/// The details of the row with this key.
///
/// # Errors
/// The key is no row's, or the journal cannot be read.
pub fn row(journal: &Journal, key: &str, now_micros: u64) -> Result<RowDetails, ErrorView> {
    let row: RowRef = key
        .parse()
        .map_err(|error: journal::row::NotARowKey| ErrorView {
            code: ErrorCode::Gone,
            message: error.to_string(),
            hint: None,
        })?;
    read_row(journal, key, row, now_micros).map_err(|error| journal_error(&error))
}

fn read_row(
    journal: &Journal,
    key: &str,
    row: RowRef,
    now_micros: u64,
) -> Result<RowDetails, JournalError> {
    let findings = journal
        .findings(row)?
        .into_iter()
        .map(|seen| seen.finding)
        .collect();
    let shown_row = journal.row(row, false);
    let server_name = shown_row
        .as_ref()
        .map_or_else(String::new, |row| row.server_name.clone());
    let event = match shown_row.and_then(|row| row.event) {
        Some(seq) => Some(event_line(journal, seq)?),
        None => None,
    };
    let Some(operation) = row.operation() else {
        let summary = event.iter().flat_map(event_summary).collect();
        return Ok(RowDetails {
            key: key.to_owned(),
            operation: None,
            title: event
                .as_ref()
                .map_or_else(String::new, |event| event.kind.clone()),
            method: None,
            name: None,
            server_name,
            summary,
            exchanges: Vec::new(),
            shown_exchange: 0,
            event_count: 0,
            event,
            findings,
            cancellable: false,
            origin: None,
            branches: Vec::new(),
        });
    };
    let figures = journal.operation(operation)?;
    let exchanges = journal.exchanges(operation)?;
    let shown = journal.exchange_index(row).unwrap_or_default();
    let mut summary = operation_summary(journal, &figures, &exchanges, now_micros)?;
    if matches!(row, RowRef::Child(..)) {
        let own = match &event {
            Some(event) => event_summary(event),
            None => exchanges
                .get(shown as usize)
                .map(|exchange| exchange_summary(exchange, now_micros))
                .unwrap_or_default(),
        };
        summary.splice(0..0, own);
    }
    Ok(RowDetails {
        key: key.to_owned(),
        operation: Some(operation),
        title: title(&figures),
        method: Some(figures.method),
        name: figures.name,
        server_name,
        summary,
        exchanges,
        shown_exchange: shown,
        event_count: figures.event_count,
        event,
        findings,
        cancellable: figures.end.is_none(),
        origin: journal
            .origin(operation)?
            .map(|point| branch_view(journal, point)),
        branches: journal
            .branches(operation, BRANCHES_LIMIT)?
            .into_iter()
            .map(|point| branch_view(journal, point))
            .collect(),
    })
}

/// The other end of a branch, as far as this journal knows it.
fn branch_view(journal: &Journal, point: BranchPoint) -> BranchView {
    let words = point.words();
    let is_here = point.recording.is_none();
    let row = is_here
        .then(|| journal.row(RowRef::Operation(point.operation), false))
        .flatten();
    BranchView {
        operation: point.operation,
        title: row
            .as_ref()
            .map_or_else(String::new, |row| match &row.detail {
                Some(subject) => format!("{} {subject}", row.label),
                None => row.label.clone(),
            }),
        round: point.round,
        words,
        took_micros: row
            .as_ref()
            .and_then(|row| Some(row.end_micros?.saturating_sub(row.start_micros))),
        state: row.map_or_else(String::new, |row| row.state_text),
        recording: point.recording,
    }
}

fn title(figures: &OperationSummary) -> String {
    match &figures.name {
        Some(name) => format!("{} {name}", figures.method),
        None => figures.method.clone(),
    }
}

fn line(label: &str, value: impl Into<String>) -> SummaryLine {
    SummaryLine {
        label: label.to_owned(),
        value: value.into(),
    }
}

fn operation_summary(
    journal: &Journal,
    figures: &OperationSummary,
    exchanges: &[Exchange],
    now_micros: u64,
) -> Result<Vec<SummaryLine>, JournalError> {
    let totals = journal.totals(figures.id, now_micros)?;
    let mut lines = vec![line("Operation", title(figures))];
    match &figures.end {
        None => {
            let row = journal.row(RowRef::Operation(figures.id), false);
            lines.push(line(
                "State",
                row.map_or_else(|| "running".to_owned(), |row| row.state_text),
            ));
        }
        Some((_, OperationEnd::Complete)) => lines.push(line("State", "complete")),
        Some((_, OperationEnd::ToolError)) => {
            lines.push(line("State", "the tool answered with isError"));
        }
        Some((_, OperationEnd::Cancelled)) => lines.push(line("State", "cancelled by you")),
        Some((_, OperationEnd::Settled { brief, message })) => {
            lines.push(line("State", brief.clone()));
            lines.push(line("Why", message.clone()));
        }
        Some((
            _,
            OperationEnd::Failed {
                brief,
                message,
                hint,
            },
        )) => {
            lines.push(line("State", brief.clone()));
            lines.push(line("Why", message.clone()));
            if let Some(hint) = hint {
                lines.push(line("What to try", hint.clone()));
            }
        }
    }
    let ids: Vec<&str> = exchanges
        .iter()
        .filter_map(|exchange| {
            exchange
                .label
                .split(" · ")
                .find_map(|part| part.strip_prefix("id "))
        })
        .collect();
    if figures.rounds > 0 {
        let rounds = match ids.as_slice() {
            [] => figures.rounds.to_string(),
            [id] => format!("{} (id {id})", figures.rounds),
            many if many.len() > 12 => format!(
                "{} (ids {} to {})",
                figures.rounds,
                many[0],
                many[many.len() - 1]
            ),
            many => format!("{} (ids {})", figures.rounds, many.join(", ")),
        };
        lines.push(line(
            if figures.is_paged { "Pages" } else { "Rounds" },
            rounds,
        ));
    }
    if let Some(cached) = journal.from_cache(figures.id)? {
        lines.push(line(
            "From cache",
            format!("not sent: fetched {}", clock_time(cached.fetched_micros)),
        ));
    }
    if figures.attempts > figures.rounds {
        lines.push(line(
            "Retries",
            retries(figures.attempts - figures.rounds, exchanges),
        ));
    }
    if figures.prompts > 0 {
        lines.push(line("Prompts", figures.prompts.to_string()));
    }
    let ended = figures
        .end
        .as_ref()
        .map_or(now_micros, |(at_micros, _)| *at_micros);
    lines.push(line(
        "Total time",
        duration(ended.saturating_sub(figures.start_micros)),
    ));
    lines.push(line("On the server", duration(totals.server_micros)));
    lines.push(line("Waiting on you", duration(totals.user_micros)));
    lines.push(line("Waiting on time", duration(totals.time_micros)));
    lines.push(line("Events", figures.event_count.to_string()));
    if figures.finding_count > 0 {
        lines.push(line("Findings", figures.finding_count.to_string()));
    }
    Ok(lines)
}

/// `2 · HTTP 503, waited 500 ms · HTTP 503, waited 1.00 s`: the first few of them with their causes.
fn retries(count: u32, exchanges: &[Exchange]) -> String {
    const TOLD: usize = 3;
    let mut parts = vec![count.to_string()];
    let retried = exchanges.iter().filter(|exchange| exchange.attempt > 1);
    parts.extend(retried.clone().take(TOLD).filter_map(retry_cause));
    if retried.count() > TOLD {
        parts.push("…".to_owned());
    }
    parts.join(" · ")
}

/// `HTTP 503, waited 500 ms`: why an attempt is not the first, and the back-off before it.
fn retry_cause(exchange: &Exchange) -> Option<String> {
    match (&exchange.cause, exchange.waited_micros) {
        (Some(cause), Some(waited)) => Some(format!("{cause}, waited {}", duration(waited))),
        (Some(cause), None) => Some(cause.clone()),
        (None, Some(waited)) => Some(format!("waited {}", duration(waited))),
        (None, None) => None,
    }
}

fn exchange_summary(exchange: &Exchange, now_micros: u64) -> Vec<SummaryLine> {
    let ended = exchange.end_micros.unwrap_or(now_micros);
    let mut lines = vec![
        line("Row", exchange.label.clone()),
        line(
            "Outcome",
            exchange
                .outcome
                .clone()
                .unwrap_or_else(|| "no reply yet".to_owned()),
        ),
        line(
            "Time",
            duration(ended.saturating_sub(exchange.start_micros)),
        ),
    ];
    if let Some(cause) = retry_cause(exchange).filter(|_| exchange.attempt > 1) {
        lines.push(line("Sent again after", cause));
    }
    lines
}

fn event_summary(event: &EventLine) -> Vec<SummaryLine> {
    vec![
        line("Row", event.kind.clone()),
        line("Text", event.text.clone()),
        line("Size", format!("{} bytes", event.byte_len)),
    ]
}

/// A moment as a clock on the wall shows it, with its day.
fn clock_time(micros: u64) -> String {
    i64::try_from(micros)
        .ok()
        .and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok())
        .map_or_else(String::new, |time| {
            let local = time.to_zoned(jiff::tz::TimeZone::system());
            local.strftime("%Y-%m-%d %H:%M:%S%.3f").to_string()
        })
}

/// The headers that mirror an exchange's request, beside the request.
///
/// # Errors
/// The journal does not know the operation or cannot be read.
pub fn mirrors(
    journal: &Journal,
    operation: OperationId,
    exchange: u32,
) -> Result<Mirrors, ErrorView> {
    let read = || -> Result<Mirrors, JournalError> {
        let Some(exchange) = journal.exchange(operation, exchange)? else {
            return Ok(Mirrors::default());
        };
        let (Some(http), Some(request)) = (exchange.http, exchange.request) else {
            return Ok(Mirrors::default());
        };
        let EventBody::Frame { bytes, .. } = journal.event(request.event)?.body else {
            return Ok(Mirrors::default());
        };
        let compared = protocol::mirror_check::compare(&http.request.headers, &bytes);
        Ok(Mirrors {
            headers: compared.into_iter().map(mirror_view).collect(),
        })
    };
    read().map_err(|error| journal_error(&error))
}

fn mirror_view(compared: protocol::mirror_check::Compared) -> MirrorView {
    MirrorView {
        header: compared.header,
        value: compared.value,
        decoded: compared.decoded,
        part: compared.part,
        held: compared.held,
        problem: compared.problem,
    }
}

/// Part of an operation's events.
///
/// # Errors
/// The journal does not know the operation or cannot be read.
pub fn operation_events(
    journal: &Journal,
    operation: OperationId,
    start: u32,
    len: u32,
) -> Result<Vec<EventLine>, ErrorView> {
    journal
        .operation_events(operation, start, len.min(EVENTS_LIMIT))
        .and_then(|events| {
            events
                .into_iter()
                .map(|seq| event_line(journal, seq))
                .collect()
        })
        .map_err(|error| journal_error(&error))
}

fn event_line(journal: &Journal, seq: EventSeq) -> Result<EventLine, JournalError> {
    let preview = journal.preview(seq, LINE_CHARS * 4)?;
    let (direction, carrier) = match preview.event.body {
        EventBody::Frame {
            direction, carrier, ..
        } => (Some(direction), Some(carrier)),
        _ => (None, None),
    };
    Ok(EventLine {
        event: seq,
        at_micros: preview.event.at_micros,
        kind: kind(&preview.event.body),
        direction,
        carrier,
        text: one_line(&text(&preview.event.body)),
        byte_len: preview.byte_len,
    })
}

/// What an event is, in words.
pub fn kind(body: &EventBody) -> String {
    match body {
        EventBody::ConnectionOpened { .. } => "connection opened",
        EventBody::ConnectionClosed { .. } => "connection closed",
        EventBody::ConnectionEstablished { .. } => "connected",
        EventBody::OperationStarted { .. } => "started",
        EventBody::OperationEnded(_) => "ended",
        EventBody::AttemptStarted { .. } => "attempt started",
        EventBody::AnsweredFromCache { .. } => "answered from cache",
        EventBody::AttemptEnded { .. } => "attempt ended",
        EventBody::WaitStarted { .. } => "wait started",
        EventBody::WaitEnded => "wait ended",
        EventBody::Note { .. } => "note",
        EventBody::BranchBegan { .. } | EventBody::BranchedOff { .. } => "branch",
        EventBody::Frame {
            carrier: Carrier::Line,
            ..
        } => "line",
        EventBody::Frame {
            carrier: Carrier::Body,
            ..
        } => "HTTP body",
        EventBody::Frame {
            carrier: Carrier::SseEvent,
            ..
        } => "SSE event",
        EventBody::HttpRequest { .. } => "HTTP request head",
        EventBody::HttpResponse { .. } => "HTTP response head",
        EventBody::HttpEnded { .. } => "HTTP exchange ended",
        EventBody::ProcessStarted { .. } => "process started",
        EventBody::Stderr { .. } => "stderr",
        EventBody::ProcessExited { .. } => "process ended",
        EventBody::PromptOpened { .. } => "prompt opened",
        EventBody::PromptClosed { .. } => "prompt closed",
        EventBody::FindingSeen { .. } => "finding",
    }
    .to_owned()
}

/// All that an event says, in words.
pub fn whole_text(body: &EventBody) -> String {
    text(body)
}

/// One line of an event.
pub fn brief_text(body: &EventBody) -> String {
    one_line(&text(body))
}

fn text(body: &EventBody) -> String {
    match body {
        EventBody::ConnectionOpened {
            server_name,
            address,
            ..
        } => format!("{server_name} · {address}"),
        EventBody::ConnectionClosed { reason }
        | EventBody::WaitStarted { reason }
        | EventBody::Note { text: reason } => reason.clone(),
        EventBody::ConnectionEstablished { era, revision } => format!("{era} · {revision}"),
        EventBody::OperationStarted { method, name } => match name {
            Some(name) => format!("{method} {name}"),
            None => method.clone(),
        },
        EventBody::OperationEnded(end) => match end {
            OperationEnd::Complete => "complete".to_owned(),
            OperationEnd::ToolError => "tool error".to_owned(),
            OperationEnd::Failed { brief, message, .. }
            | OperationEnd::Settled { brief, message } => format!("{brief}: {message}"),
            OperationEnd::Cancelled => "cancelled".to_owned(),
        },
        EventBody::AttemptStarted {
            round, request_id, ..
        } => match request_id {
            Some(id) => format!("round {round} · id {id}"),
            None => format!("round {round}"),
        },
        EventBody::AttemptEnded { outcome, .. } => journal::details::outcome_text(outcome),
        EventBody::AnsweredFromCache {
            round,
            event,
            fetched_micros,
        } => format!(
            "answer {round} · fetched {} · event {}",
            clock_time(*fetched_micros),
            event.0
        ),
        EventBody::WaitEnded => String::new(),
        body @ (EventBody::BranchBegan { .. } | EventBody::BranchedOff { .. }) => {
            branch_told(body).unwrap_or_default()
        }
        EventBody::Frame { carrier, bytes, .. } => match carrier {
            Carrier::SseEvent => match wire::sse::data(bytes) {
                Some(data) if !data.is_empty() => String::from_utf8_lossy(&data).into_owned(),
                _ => String::from_utf8_lossy(bytes).into_owned(),
            },
            Carrier::Line | Carrier::Body => String::from_utf8_lossy(bytes).into_owned(),
        },
        EventBody::HttpRequest { head, .. } => format!("{} {}", head.method, head.url),
        EventBody::HttpResponse { head, .. } => format!(
            "{} {} {}",
            head.version,
            head.status,
            head.header("content-type").unwrap_or_default()
        ),
        EventBody::HttpEnded {
            body_byte_len,
            error,
            ..
        } => match error {
            Some(error) => error.clone(),
            None => format!("{body_byte_len} bytes"),
        },
        EventBody::ProcessStarted { pid, command, .. } => {
            format!("pid {pid} · {}", command.join(" "))
        }
        EventBody::Stderr { bytes } => String::from_utf8_lossy(bytes).into_owned(),
        EventBody::ProcessExited { status, .. } => status.clone(),
        EventBody::PromptOpened {
            method, message, ..
        } => format!("{method} · {message}"),
        EventBody::PromptClosed { outcome, .. } => outcome.clone(),
        EventBody::FindingSeen { finding, .. } => finding.message.clone(),
    }
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(LINE_CHARS + 4));
    for (count, character) in text.chars().enumerate() {
        if count == LINE_CHARS {
            line.push('…');
            break;
        }
        line.push(if matches!(character, '\n' | '\r') {
            ' '
        } else {
            character
        });
    }
    line.trim_end().to_owned()
}

/// A body in the form that is wanted. Laying out a large one takes its time: not to be done under the journal's lock.
pub fn body(recorded: Event, form: BodyForm, limit: u64) -> BodyText {
    let bytes = match recorded.body {
        EventBody::Frame { bytes, carrier, .. } => match (carrier, form) {
            // The message is the event's data; the raw forms show the event's own lines.
            (Carrier::SseEvent, BodyForm::Pretty) => wire::sse::data(&bytes).map_or_else(
                || bytes.clone(),
                |data| bytes::Bytes::from(data.into_owned()),
            ),
            _ => bytes,
        },
        EventBody::Stderr { bytes } => bytes,
        other => bytes::Bytes::from(text(&other)),
    };
    let limit = usize::try_from(if limit == 0 { BODY_LIMIT } else { limit }).unwrap_or(usize::MAX);
    // JSON is laid out whole and cut afterwards: half a document has no layout.
    let laid_out = (form == BodyForm::Pretty)
        .then(|| wire::pretty::layout(&bytes))
        .flatten();
    let is_json = laid_out.is_some();
    let is_utf8 = std::str::from_utf8(&bytes).is_ok();
    let (text, shown) = match (laid_out, form) {
        (Some(text), _) => {
            let len = text.len();
            let (text, cut) = cut(text, limit);
            let shown = if cut {
                bytes.len() * text.len() / len.max(1)
            } else {
                bytes.len()
            };
            (text, shown)
        }
        (None, BodyForm::Hex) => {
            // A row of hex is five times as long as its bytes.
            let shown = bytes.len().min(limit / 5);
            (wire::pretty::hex(&bytes[..shown]), shown)
        }
        (None, BodyForm::Pretty | BodyForm::Raw) => {
            let shown = bytes.len().min(limit);
            (String::from_utf8_lossy(&bytes[..shown]).into_owned(), shown)
        }
    };
    BodyText {
        text,
        is_json,
        is_utf8,
        byte_len: bytes.len() as u64,
        shown_byte_len: shown as u64,
    }
}

fn cut(mut text: String, limit: usize) -> (String, bool) {
    if text.len() <= limit {
        return (text, false);
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    (text, true)
}
