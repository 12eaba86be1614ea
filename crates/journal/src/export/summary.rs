//! A summary in Markdown, for an issue report: who talked, what was asked, what went wrong, and the bytes of that.
//!
//! Whatever came from elsewhere stands in code spans and fences that it cannot leave, so it is neither markup nor a
//! mention of somebody.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;

use super::source::Copy;
use super::time::iso;
use super::words::{shown, visible};
use super::{ExportError, Source};
use crate::event::{EventBody, OperationEnd, OperationId};
use crate::log::Journal;
use crate::row::{Filter, Row};
use crate::text::{counted, duration};
use crate::view::View;

/// How many rows are listed.
const MOST_ROWS: u32 = 60;
/// Of how many bad ends the bytes are given.
const MOST_FAILURES: usize = 5;
/// How many findings are listed.
const MOST_FINDINGS: usize = 20;
/// How much of each body.
const BODY_BYTE_LEN: usize = 2000;

/// Writes the summary. Gives what it could not hold.
pub(super) fn write(
    copy: &Copy,
    source: &Source<'_>,
    out: &mut dyn Write,
) -> Result<Vec<String>, ExportError> {
    let journal = &copy.journal;
    let mut view = View::new(Filter::All, None);
    let rows = view.window(journal, 0, MOST_ROWS);
    let all = view.total_rows();
    let mut text = String::from("## MCP session\n\n");
    servers(journal, &mut text);
    table(&rows, all, &mut text);
    failures(journal, &mut text)?;
    findings(journal, &mut text)?;
    let redacted = source.redacted();
    if redacted.is_empty() {
        text.push_str("No known secret was in it.");
    } else {
        text.push_str("Secrets are named where their values stood: ");
        let named: Vec<String> = redacted
            .iter()
            .map(|(name, count)| format!("{} ({count})", code(name)))
            .collect();
        text.push_str(&named.join(", "));
        text.push('.');
    }
    let _infallible = writeln!(
        text,
        " Exported by Roundtrip {} on {}.",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS
    );
    out.write_all(text.as_bytes())?;
    Ok(if all > MOST_ROWS {
        vec![format!(
            "The summary lists the first {MOST_ROWS} of {all} rows, and what ended badly."
        )]
    } else {
        Vec::new()
    })
}

fn servers(journal: &Journal, text: &mut String) {
    let connections: BTreeMap<_, _> = journal.tree().connections().collect();
    for connection in connections.into_values() {
        let spoken = match &connection.established {
            Some((era, revision)) => format!("{} ({})", code(revision), one_line(era)),
            None => "not connected".to_owned(),
        };
        let _infallible = writeln!(
            text,
            "- Server {}: {} over {}, {spoken}, connected {}",
            code(&connection.server_name),
            code(&connection.address),
            code(&connection.transport),
            iso(connection.opened_micros),
        );
    }
    text.push('\n');
}

fn table(rows: &[Row], all: u32, text: &mut String) {
    if rows.is_empty() {
        return;
    }
    text.push_str("| Started (UTC) | What | State | Time |\n|---|---|---|---|\n");
    for row in rows {
        let what = match &row.detail {
            Some(detail) => format!("{} {detail}", row.label),
            None => row.label.clone(),
        };
        let mut words = code(&what);
        for chip in &row.chips {
            let _infallible = write!(words, " {}", code(chip));
        }
        let took = row.end_micros.map_or_else(
            || "runs".to_owned(),
            |end| duration(end.saturating_sub(row.start_micros)),
        );
        let _infallible = writeln!(
            text,
            "| {} | {} | {} | {took} |",
            iso(row.start_micros),
            cell(&words),
            cell(&code(&row.state_text)),
        );
    }
    let more = all.saturating_sub(MOST_ROWS);
    if more > 0 {
        let _infallible = writeln!(text, "\nand {}.", counted(more, "more row"));
    }
    text.push('\n');
}

/// What ended badly, with its last request and reply; a single operation however it ended, for the report is about it.
fn failures(journal: &Journal, text: &mut String) -> Result<(), ExportError> {
    let operations: Vec<OperationId> = journal.tree().operation_ids().collect();
    let mut told = 0;
    for id in &operations {
        let figures = journal.operation(*id)?;
        let why = match &figures.end {
            Some((_, OperationEnd::Failed { brief, message, .. })) => format!("{brief}: {message}"),
            Some((_, OperationEnd::ToolError)) => "the tool answered with isError".to_owned(),
            _ if operations.len() == 1 => String::new(),
            _ => continue,
        };
        told += 1;
        if told > MOST_FAILURES {
            text.push_str("More operations ended badly.\n\n");
            break;
        }
        let title = match &figures.name {
            Some(name) => format!("{} {name}", figures.method),
            None => figures.method.clone(),
        };
        let _infallible = writeln!(text, "### {}\n", code(&title));
        if !why.is_empty() {
            let _infallible = writeln!(text, "> {}\n", code(&why));
        }
        let Some(exchange) = journal.exchanges(*id)?.into_iter().next_back() else {
            continue;
        };
        for (what, frame) in [
            ("Request", exchange.request),
            ("Response", exchange.response),
        ] {
            let Some(frame) = frame else { continue };
            if let EventBody::Frame { carrier, bytes, .. } = journal.event(frame.event)?.body {
                let data = match carrier {
                    wire::frame::Carrier::SseEvent => wire::sse::data(&bytes),
                    _ => None,
                };
                let body = visible(&shown(data.as_deref().unwrap_or(&bytes), BODY_BYTE_LEN));
                let fence = "`".repeat((longest_ticks(&body) + 1).max(3));
                let _infallible = writeln!(text, "{what}:\n\n{fence}json\n{body}\n{fence}\n");
            }
        }
    }
    Ok(())
}

fn findings(journal: &Journal, text: &mut String) -> Result<(), ExportError> {
    let mut seen = BTreeSet::new();
    for seq in journal.tree().finding_events() {
        if let EventBody::FindingSeen { finding, .. } = journal.event(seq)?.body {
            seen.insert(format!(
                "- {} ({})",
                code(&finding.message),
                code(&finding.clause)
            ));
        }
    }
    if seen.is_empty() {
        return Ok(());
    }
    text.push_str("### Findings\n\n");
    for finding in seen.iter().take(MOST_FINDINGS) {
        text.push_str(finding);
        text.push('\n');
    }
    if seen.len() > MOST_FINDINGS {
        text.push_str("- and more\n");
    }
    text.push('\n');
    Ok(())
}

/// A text as code in a line, whatever backticks it holds.
fn code(text: &str) -> String {
    let line = one_line(text);
    let ticks = "`".repeat(longest_ticks(&line) + 1);
    let gap = if line.starts_with('`') || line.ends_with('`') || line.trim().is_empty() {
        " "
    } else {
        ""
    };
    format!("{ticks}{gap}{line}{gap}{ticks}")
}

fn longest_ticks(text: &str) -> usize {
    text.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or_default()
}

fn one_line(text: &str) -> String {
    visible(text).replace(['\n', '\t'], " ")
}

/// In a table a bar would begin the next cell, also within code.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
