//! A journal of a million events, without a window: how soon a window of rows is answered, how long a filter over all of it
//! takes, a search against ripgrep on the same file, opening it anew against reading the file, and the memory of its index.
//!
//! `ROUNDTRIP_BENCH_EVENTS` makes it smaller or larger. What is compared takes turns, and the file is in the page cache for
//! both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use journal::event::{
    AttemptOutcome, ConnectionId, Event, EventBody, EventSeq, FrameRole, OperationEnd, OperationId,
};
use journal::filter::Query;
use journal::log::Journal;
use journal::row::Filter;
use journal::view::View;
use wire::frame::{Carrier, Direction};

use super::report::{Figure, Goal, Unit};
use super::samples::Samples;
use super::{Outcome, memory, scale};

/// The argument with which this program opens a recording and tells what that took of memory.
pub const OPEN: &str = "--open";
const WINDOW_GOAL: f64 = 2.0;
const FILTER_GOAL: f64 = 50.0;
const SEARCH_GOAL: f64 = 0.5;
const REOPEN_GOAL: f64 = 3.0;
const INDEX_GOAL: f64 = 64.0;
const ROWS: u32 = 60;
const WINDOWS: u32 = 4000;
const RUNS: usize = 5;
const EVENTS_EACH: u32 = 11;
const BLOCK_BYTE_LEN: u64 = 512 * 1024;
/// Only the operations of this many places have it.
const RARE: &str = "quinces-in-syrup";
const FILTER: &str = "method:tools/call status:error duration:>2ms";

/// Measures all of it.
///
/// # Errors
/// The file cannot be written or read, or a search misses something.
pub fn measure() -> Outcome<Vec<Figure>> {
    let count = scale::event_count();
    let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
    let path = folder.path().join("scale.mcpr");
    let rare = write(&path, count)?;
    let bytes = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    let journal = open(&path)?;
    let size = format!("{} events, {:.0} MB", journal.len(), mega(bytes));
    let mut figures = vec![
        window(&journal, &size),
        filter(&journal, &size)?,
        search(&journal, &path, rare, &size)?,
    ];
    drop(journal);
    figures.push(reopen(&path, &size)?);
    figures.push(index(&path, count, &size)?);
    Ok(figures)
}

/// Opens the recording that the argument names, and prints by how many bytes this program grew.
///
/// # Errors
/// It cannot be opened, or the kernel does not tell the memory.
pub fn open_and_tell(path: &Path) -> Outcome<String> {
    let before = memory::own_bytes()?;
    let journal = open(path)?;
    let after = memory::own_bytes()?;
    let grown = after.saturating_sub(before);
    // It has to live until it was looked at.
    Ok(format!("{grown} {}", journal.len()))
}

fn open(path: &Path) -> Outcome<Journal> {
    Journal::view(path)
        .map(|(journal, _)| journal)
        .map_err(|error| error.to_string())
}

/// Calls of tools one after the other, each with notifications; one in ten fails. Gives how many have the rare text.
fn write(path: &Path, count: u32) -> Outcome<usize> {
    let mut journal = Journal::create(Some(path)).map_err(|error| error.to_string())?;
    let mut at = 1_780_000_000_000_000;
    let mut put = |operation: Option<u32>, body: EventBody| {
        at += 350;
        journal.append(Event {
            at_micros: at,
            connection: ConnectionId(0),
            operation: operation.map(OperationId),
            body,
        });
    };
    put(
        None,
        EventBody::ConnectionOpened {
            server_name: "restaurant-bookings".to_owned(),
            transport: "http".to_owned(),
            address: "http://localhost:8080/mcp".to_owned(),
        },
    );
    let operations = count / EVENTS_EACH;
    let mut rare = 0;
    for operation in 0..operations {
        let is_rare = operation % (operations / 10).max(1) == 7;
        rare += usize::from(is_rare);
        for body in call(operation, is_rare) {
            put(Some(operation), body);
        }
    }
    journal.flush();
    match journal.problem() {
        Some(problem) => Err(problem.to_owned()),
        None => Ok(rare),
    }
}

fn call(operation: u32, is_rare: bool) -> Vec<EventBody> {
    let subject =
        ["find_restaurants", "book_table", "cancel_booking", "echo"][operation as usize % 4];
    let fails = operation % 10 == 3;
    let frame = |direction, role, text: String| EventBody::Frame {
        direction,
        carrier: Carrier::SseEvent,
        round: 1,
        attempt: 1,
        role,
        bytes: Bytes::from(text),
    };
    let mut bodies = vec![
        EventBody::OperationStarted {
            method: "tools/call".to_owned(),
            name: Some(subject.to_owned()),
        },
        EventBody::AttemptStarted {
            round: 1,
            attempt: 1,
            request_id: Some(operation.to_string()),
            label: None,
        },
        frame(
            Direction::Sent,
            FrameRole::Request {
                method: "tools/call".to_owned(),
            },
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{operation},\"method\":\"tools/call\",\"params\":{{\"name\":\"{subject}\",\
                 \"arguments\":{{\"restaurant\":\"Trattoria Lucia\",\"party\":4,\"date\":\"2026-12-04\"}}}}}}"
            ),
        ),
    ];
    for step in 1..=5 {
        bodies.push(frame(
            Direction::Received,
            FrameRole::Notification {
                method: "notifications/progress".to_owned(),
                text: Some(format!("{step} of 5")),
            },
            format!(
                "event: message\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\
                 \"progressToken\":\"p{operation}\",\"progress\":{step},\"total\":5,\"message\":\"Order {step} of 5 \
                 goes to the kitchen\"}}}}\n\n"
            ),
        ));
    }
    let word = if is_rare { RARE } else { "bread and olives" };
    bodies.push(frame(
        Direction::Received,
        FrameRole::Reply,
        format!(
            "event: message\ndata: {{\"jsonrpc\":\"2.0\",\"id\":{operation},\"result\":{{\"resultType\":\"complete\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"Table {operation} has {word} and is ready.\"}}],\
             \"isError\":{fails}}}}}\n\n"
        ),
    ));
    bodies.push(EventBody::AttemptEnded {
        round: 1,
        attempt: 1,
        outcome: AttemptOutcome::Result {
            result_type: "complete".to_owned(),
        },
    });
    bodies.push(EventBody::OperationEnded(if fails {
        OperationEnd::ToolError
    } else {
        OperationEnd::Complete
    }));
    bodies
}

/// 60 rows at any place, with some operations unfolded.
fn window(journal: &Journal, size: &str) -> Figure {
    let mut view = View::new(Filter::All, None);
    view.sync(journal);
    let operations = journal.tree().operation_count();
    for nth in 0..200 {
        let operation = OperationId(nth * (operations / 200).max(1));
        view.set_expanded(journal, operation, true);
    }
    let total = view.total_rows();
    let mut times = Samples::default();
    let mut place: u64 = 1;
    for _ in 0..WINDOWS {
        // Any order that no cache can foresee.
        place = place
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let start = u32::try_from((place >> 33) % u64::from(total.max(1))).unwrap_or_default();
        let begun = Instant::now();
        let rows = view.window(journal, start, ROWS);
        times.add(begun.elapsed());
        drop(rows);
    }
    Figure {
        key: "window_p99_ms",
        what: format!("a window of {ROWS} rows, 99th percentile"),
        value: times.quantile_millis(0.99),
        unit: Unit::Millis,
        goal: Some(Goal::AtMost(WINDOW_GOAL)),
        note: format!(
            "{WINDOWS} places among {total} rows of {size}; median {:.2} ms",
            times.median_millis()
        ),
    }
}

/// A filter on indexed fields over all entries, anew each time.
fn filter(journal: &Journal, size: &str) -> Outcome<Figure> {
    let query = query(FILTER)?;
    let mut times = Samples::default();
    let mut shown = 0;
    for _ in 0..=RUNS {
        let mut view = View::new(Filter::All, None);
        view.sync(journal);
        let begun = Instant::now();
        view.ask(Some(Arc::clone(&query)));
        view.sync(journal);
        times.add(begun.elapsed());
        shown = view.top_rows();
    }
    if shown == 0 {
        return Err(format!("nothing fits {FILTER}"));
    }
    Ok(Figure {
        key: "filter_ms",
        what: "a filter on indexed fields over all".to_owned(),
        value: times.median_millis(),
        unit: Unit::Millis,
        goal: Some(Goal::AtMost(FILTER_GOAL)),
        note: format!("{FILTER} over {size}: {shown} rows"),
    })
}

/// The search for a text, and ripgrep on the same file.
fn search(journal: &Journal, path: &Path, rare: usize, size: &str) -> Outcome<Figure> {
    let query = query(&format!("text:{RARE}"))?;
    let grep = Grep::find()?;
    let (mut ours, mut theirs) = (Samples::default(), Samples::default());
    for run in 0..=RUNS {
        let begun = Instant::now();
        let mut hits = Vec::new();
        let mut from = EventSeq(0);
        while let Some(block) = journal.block(from, BLOCK_BYTE_LEN) {
            from = block.next();
            let loaded = block.read().map_err(|error| error.to_string())?;
            hits.extend(loaded.search(query.texts()));
        }
        let own = begun.elapsed();
        if hits.len() != rare {
            return Err(format!("{} of {rare} places were found", hits.len()));
        }
        let other = grep.count(path, rare)?;
        if run > 0 {
            ours.add(own);
            theirs.add(other);
        }
    }
    let (own, other) = (ours.median_millis(), theirs.median_millis());
    Ok(Figure {
        key: "search_vs_ripgrep_ratio",
        what: format!("the speed of a text search to {}'s", grep.name),
        value: other / own,
        unit: Unit::Ratio,
        goal: Some(Goal::AtLeast(SEARCH_GOAL)),
        note: format!("{own:.0} ms and {other:.0} ms over {size}, medians of {RUNS} pairs"),
    })
}

/// What the search is compared with: ripgrep, or `grep` where it is not installed.
struct Grep {
    program: PathBuf,
    name: &'static str,
}

impl Grep {
    fn find() -> Outcome<Grep> {
        for name in ["rg", "grep"] {
            let paths = std::env::var_os("PATH").unwrap_or_default();
            let found = std::env::split_paths(&paths)
                .map(|folder| folder.join(name))
                .find(|program| program.is_file());
            if let Some(program) = found {
                let name = if name == "rg" { "ripgrep" } else { "grep" };
                return Ok(Grep { program, name });
            }
        }
        Err("there is neither ripgrep nor grep to compare with".to_owned())
    }

    fn count(&self, path: &Path, expected: usize) -> Outcome<Duration> {
        let mut command = Command::new(&self.program);
        // Any capitals, as the filter line looks for it.
        command.args(["-a", "-c", "-i", "-F", RARE]).arg(path);
        if self.name == "ripgrep" {
            command.arg("--no-config");
        }
        let begun = Instant::now();
        let output = command
            .output()
            .map_err(|error| format!("{} cannot be started: {error}", self.name))?;
        let took = begun.elapsed();
        let told = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if told != expected.to_string() {
            return Err(format!("{} found {told} of {expected} places", self.name));
        }
        Ok(took)
    }
}

/// Opening the recording, and reading its file.
fn reopen(path: &Path, size: &str) -> Outcome<Figure> {
    let (mut opened, mut read) = (Samples::default(), Samples::default());
    for run in 0..=RUNS {
        let begun = Instant::now();
        let journal = open(path)?;
        let opening = begun.elapsed();
        drop(journal);
        let begun = Instant::now();
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        let reading = begun.elapsed();
        drop(bytes);
        if run > 0 {
            opened.add(opening);
            read.add(reading);
        }
    }
    let (open, plain) = (opened.median_millis(), read.median_millis());
    Ok(Figure {
        key: "reopen_vs_read_ratio",
        what: "opening a recording to a plain read of the file".to_owned(),
        value: open / plain,
        unit: Unit::Ratio,
        goal: Some(Goal::AtMost(REOPEN_GOAL)),
        note: format!("{open:.0} ms and {plain:.0} ms, {size}, medians of {RUNS} pairs"),
    })
}

/// What the index and the tree of an opened recording take, in a process that does nothing else.
fn index(path: &Path, count: u32, size: &str) -> Outcome<Figure> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(own)
        .arg(OPEN)
        .arg(path)
        .output()
        .map_err(|error| format!("this program cannot be started again: {error}"))?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = told.split_whitespace().map(str::parse::<u32>);
    let (Some(Ok(grown)), Some(Ok(events))) = (numbers.next(), numbers.next()) else {
        return Err(format!("the memory was not told: {told:?}"));
    };
    if events < count / EVENTS_EACH {
        return Err(format!("only {events} events were opened"));
    }
    Ok(Figure {
        key: "index_bytes_per_event",
        what: "memory of the index and the tree for each event".to_owned(),
        value: f64::from(grown) / f64::from(events),
        unit: Unit::FewBytes,
        goal: Some(Goal::AtMost(INDEX_GOAL)),
        note: format!("a reopened recording of {size}"),
    })
}

fn query(line: &str) -> Outcome<Arc<Query>> {
    Query::parse(line)
        .map_err(|problem| format!("{line}: {problem:?}"))?
        .map(Arc::new)
        .ok_or_else(|| format!("{line} asks nothing"))
}

#[expect(clippy::cast_precision_loss, reason = "a size that is shown")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
