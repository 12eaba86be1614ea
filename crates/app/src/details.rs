//! The details of a row, and bodies, read from the journal.

mod body;
mod words;

use journal::details::{BranchPoint, Exchange, OperationSummary, duration};
use journal::event::{EventBody, EventSeq, OperationEnd, OperationId};
use journal::log::{Journal, JournalError};
use journal::row::RowRef;

use crate::api::details::{BranchView, EventLine, MirrorView, Mirrors, RowDetails, SummaryLine};
use crate::api::{ErrorCode, ErrorView};

pub use self::body::body;
use self::words::LINE_CHARS;
pub use self::words::{brief_text, kind, whole_text};

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
        text: brief_text(&preview.event.body),
        byte_len: preview.byte_len,
    })
}
