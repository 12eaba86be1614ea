//! One self-contained page that shows the timeline, to be read: it opens offline, runs no script and asks for nothing.
//!
//! Whatever came from elsewhere is text with every sign escaped; bars are drawn by attributes of SVG, so the page's
//! policy lets no style but its own through, and nothing else at all.

use std::fmt::Write as _;
use std::io::Write;

use bytes::Bytes;
use wire::frame::Carrier;

use super::source::Copy;
use super::time::{clock, iso};
use super::words::{shown, visible};
use super::{ExportError, Source};
use crate::details::Exchange;
use crate::event::{EventBody, EventSeq, OperationId};
use crate::log::Journal;
use crate::row::{Filter, Row, RowRef, RowState, SpanKind};
use crate::text::{counted, duration};
use crate::view::View;

/// How much of a body is shown.
const BODY_BYTE_LEN: usize = 64 << 10;
/// How much of all bodies together.
const BODIES_BYTE_LEN: usize = 64 << 20;
/// How many rows inside an operation are shown.
const MOST_CHILDREN: u32 = 2000;
/// How many rows of the top level.
const MOST_ROWS: u32 = 20_000;
const STYLE: &str = include_str!("page.css");
/// The hash of [`STYLE`], which the page's policy lets through.
const STYLE_HASH: &str = "sha256-QVFQ5zkLSdU2zbGFplqhYaXxrgustSjPcG+nfCSi/IM=";

/// Writes the page. Gives what it could not hold.
pub(super) fn write(
    copy: &Copy,
    source: &Source<'_>,
    out: &mut dyn Write,
) -> Result<Vec<String>, ExportError> {
    let journal = &copy.journal;
    let summary = journal.summary();
    let scale = Scale {
        start: summary.start_micros.unwrap_or_default(),
        end: summary.end_micros.unwrap_or_default(),
    };
    let mut view = View::new(Filter::All, None);
    let rows = view.window(journal, 0, MOST_ROWS);
    let all = view.total_rows();
    let title = match &summary.name {
        Some(name) => format!("{name} – Roundtrip"),
        None => format!("{} – Roundtrip", summary.server_names.join(", ")),
    };
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{STYLE_HASH}'; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{}</h1>\n\
         <p>{} to {} (UTC) · {} · {} · read-only, exported by Roundtrip {}</p>\n\
         <p class=\"legend\"><i class=\"server\"></i> on the server <i class=\"user\"></i> waiting on you \
         <i class=\"time\"></i> waiting on time <i class=\"error\"></i> failed</p>\n\
         <div class=\"row head\"><span>Started</span><span>Operation</span><span>Status</span><span>Time</span>\
         <span>{}</span></div>\n",
        escaped(&title),
        escaped(&title),
        iso(scale.start),
        iso(scale.end),
        counted(all, "row"),
        counted(journal.len(), "event"),
        env!("CARGO_PKG_VERSION"),
        duration(scale.end.saturating_sub(scale.start)),
    )?;
    let mut page = Page {
        journal,
        scale,
        room: BODIES_BYTE_LEN,
    };
    for (at, row) in rows.iter().enumerate() {
        source.goes_on(at, rows.len())?;
        let line = page.line(row);
        match (row.operation, row.event) {
            (Some(id), _) => {
                writeln!(out, "<details><summary>{line}</summary>")?;
                page.operation(id, row.child_count, out)?;
                out.write_all(b"</details>\n")?;
            }
            (None, event) => {
                let body = event.map(|seq| page.body_of(seq)).transpose()?;
                writeln!(
                    out,
                    "<details><summary>{line}</summary>\n{}</details>",
                    body.unwrap_or_default()
                )?;
            }
        }
    }
    let mut notes = Vec::new();
    if all > MOST_ROWS {
        notes.push(format!(
            "The page shows the first {MOST_ROWS} of {all} rows; choose fewer, or take a recording."
        ));
    }
    if page.room == 0 {
        notes.push(
            "The page shows the bodies of the first rows only; choose fewer rows, or take a recording.".to_owned(),
        );
    }
    for note in &notes {
        writeln!(out, "<p class=\"note\">{}</p>", escaped(note))?;
    }
    let redacted = source.redacted();
    if redacted.is_empty() {
        out.write_all(b"<p>No known secret was in it.</p>\n")?;
    } else {
        out.write_all(b"<p>Secrets are named where their values stood:</p>\n<ul>\n")?;
        for (name, count) in redacted {
            writeln!(
                out,
                "<li><code>{}</code>: {}</li>",
                escaped(name),
                counted(u32::try_from(*count).unwrap_or(u32::MAX), "time")
            )?;
        }
        out.write_all(b"</ul>\n")?;
    }
    out.write_all(b"</body>\n</html>\n")?;
    Ok(notes)
}

struct Page<'a> {
    journal: &'a Journal,
    scale: Scale,
    /// How many bytes of bodies there is still room for.
    room: usize,
}

impl Page<'_> {
    fn operation(
        &mut self,
        id: OperationId,
        children: u32,
        out: &mut dyn Write,
    ) -> Result<(), ExportError> {
        for place in 1..=children.min(MOST_CHILDREN) {
            if let Some(child) = self.journal.row(RowRef::Child(id, place), false) {
                writeln!(out, "{}", self.line(&child))?;
            }
        }
        if children > MOST_CHILDREN {
            writeln!(
                out,
                "<p class=\"note\">and {} more rows, which are left out here</p>",
                children - MOST_CHILDREN
            )?;
        }
        for exchange in self.journal.exchanges(id)? {
            self.exchange(&exchange, out)?;
        }
        for seen in self.journal.findings(RowRef::Operation(id))? {
            writeln!(
                out,
                "<p class=\"finding\">{} <small>{}</small></p>",
                escaped(&seen.finding.message),
                escaped(&seen.finding.clause)
            )?;
        }
        Ok(())
    }

    fn exchange(&mut self, exchange: &Exchange, out: &mut dyn Write) -> Result<(), ExportError> {
        writeln!(
            out,
            "<h2>{} · {}</h2>",
            escaped(&exchange.label),
            escaped(exchange.outcome.as_deref().unwrap_or("no reply"))
        )?;
        if let Some(http) = &exchange.http {
            let mut heads = format!("{} {}\n", http.request.method, http.request.url);
            for header in &http.request.headers {
                let _infallible = writeln!(heads, "{}: {}", header.name, header.value);
            }
            if let Some(response) = &http.response {
                let _infallible = writeln!(heads, "\n{} {}", response.version, response.status);
                for header in &response.headers {
                    let _infallible = writeln!(heads, "{}: {}", header.name, header.value);
                }
            }
            writeln!(out, "<h3>HTTP</h3><pre>{}</pre>", escaped(&heads))?;
        }
        for (what, frame) in [
            ("Request", exchange.request),
            ("Response", exchange.response),
        ] {
            if let Some(frame) = frame {
                let body = self.body_of(frame.event)?;
                writeln!(out, "<h3>{what}</h3>{body}")?;
            }
        }
        Ok(())
    }

    /// What an event holds, laid out where it is JSON, and cut where it is large.
    fn body_of(&mut self, seq: EventSeq) -> Result<String, ExportError> {
        let bytes = match self.journal.event(seq)?.body {
            EventBody::Frame { carrier, bytes, .. } => match carrier {
                Carrier::SseEvent => wire::sse::data(&bytes)
                    .map_or_else(|| bytes.clone(), |data| Bytes::from(data.into_owned())),
                Carrier::Line | Carrier::Body => bytes,
            },
            EventBody::Stderr { bytes } => bytes,
            EventBody::Note { text } => Bytes::from(text),
            body @ (EventBody::BranchBegan { .. } | EventBody::BranchedOff { .. }) => {
                Bytes::from(crate::rows::branch_told(&body).unwrap_or_default())
            }
            other => Bytes::from(serde_json::to_string(&other).unwrap_or_default()),
        };
        if self.room == 0 {
            return Ok(format!(
                "<pre>{} bytes, which are left out here</pre>",
                bytes.len()
            ));
        }
        let text = escaped(&shown(&bytes, BODY_BYTE_LEN));
        self.room = self.room.saturating_sub(text.len());
        Ok(format!("<pre>{text}</pre>"))
    }

    /// One row, as five cells.
    fn line(&self, row: &Row) -> String {
        let scale = self.scale;
        let mut words = format!("<b>{}</b>", escaped(&row.label));
        for more in row.detail.iter().chain(&row.chips) {
            let _infallible = write!(words, " <span>{}</span>", escaped(more));
        }
        if row.depth == 0 {
            let _infallible = write!(words, " <small>{}</small>", escaped(&row.server_name));
        }
        let end = row.end_micros.unwrap_or(scale.end).max(row.start_micros);
        let took = if row.state == RowState::Note {
            String::new()
        } else {
            duration(end - row.start_micros)
        };
        let mut bars = String::new();
        for span in &row.spans {
            let class = match span.kind {
                SpanKind::Server => "server",
                SpanKind::User => "user",
                SpanKind::Time => "time",
                SpanKind::Error => "error",
            };
            let from = scale.percent(span.start_micros);
            let width = scale.percent(span.end_micros.unwrap_or(scale.end)) - from;
            let _infallible = write!(
                bars,
                "<rect class=\"{class}\" x=\"{from:.3}%\" y=\"1\" width=\"{:.3}%\" height=\"10\"/>",
                width.max(0.3),
            );
        }
        let state = match row.state {
            RowState::Complete => "ok",
            RowState::Error => "error",
            RowState::WaitingOnYou => "user",
            RowState::WaitingOnTime => "time",
            RowState::Running => "server",
            RowState::Cancelled | RowState::Note => "muted",
        };
        format!(
            "<span class=\"row d{}\"><span>{}</span><span>{words}</span><span class=\"{state}\">{}</span>\
             <span>{took}</span><svg aria-hidden=\"true\">{bars}</svg></span>",
            row.depth,
            clock(row.start_micros),
            escaped(&row.state_text),
        )
    }
}

/// Which part of the time stands where.
#[derive(Clone, Copy)]
struct Scale {
    start: u64,
    end: u64,
}

impl Scale {
    fn percent(self, at: u64) -> f64 {
        let whole = self.end.saturating_sub(self.start).max(1);
        let part = at.clamp(self.start, self.end.max(self.start)) - self.start;
        #[allow(clippy::cast_precision_loss)] // a place on a page
        let percent = part as f64 / whole as f64 * 100.0;
        percent
    }
}

/// A text that says nothing but itself.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in visible(text).chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}
