//! The three pipes of a child, each with a task of its own.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use wire::frame::{Carrier, Frame};
use wire::line::{Line, LineSplitter};

use crate::Outgoing;
use crate::clock::now_micros;
use crate::error::{LinkError, LinkErrorKind};
use crate::report::ReportKind;
use crate::reporter::{Reporter, Silenced};

use super::one_line;

/// Standard output: messages.
const STDOUT: Pipe = Pipe {
    line_limit: 256 * 1024 * 1024,
    needs_line_ends: true,
};
/// Standard error: text for people.
const STDERR: Pipe = Pipe {
    line_limit: 1024 * 1024,
    needs_line_ends: false,
};
/// What one read takes at most: as much as a pipe holds on Linux.
const CHUNK_LEN: usize = 64 * 1024;
/// How long a line of stdout may go on before its lack of an end is told.
const UNFINISHED_AFTER: Duration = Duration::from_secs(5);
/// The bytes of it that are told.
const UNFINISHED_HEAD_LEN: usize = 120;
/// How long a pipe that is still open after the child's end is waited for: a descendant may hold it.
const DRAIN_WAIT: Duration = Duration::from_millis(500);
/// What is still read after the child's end at most. A pipe holds less, so all that the child
/// wrote is within it; a descendant that goes on writing is not listened to for ever.
const DRAIN_LEN: usize = 2 * 1024 * 1024;
/// The last lines of stderr that are kept for an error's text.
const LAST_STDERR_LEN: usize = 10;
/// The bytes kept of each of them.
const LAST_STDERR_LINE_LEN: usize = 2000;

/// What a pipe is read for.
#[derive(Clone, Copy, Debug)]
struct Pipe {
    /// A longer line comes in parts.
    line_limit: usize,
    /// A line that does not end holds back what is in it, which is told.
    needs_line_ends: bool,
}

/// The pipes before their tasks run.
#[derive(Debug)]
pub(super) struct Pipes {
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
    queued: mpsc::Receiver<Outgoing>,
}

/// The tasks at work.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) stdin: JoinHandle<()>,
    stdout: JoinHandle<()>,
    stderr: JoinHandle<()>,
    /// Cancelled by the task when stdout has ended.
    pub(super) stdout_ended: CancellationToken,
    /// Cancelled by the supervisor when the child has ended: what is left is written no more, and
    /// read only so long.
    pub(super) child_ended: CancellationToken,
    last_stderr: Arc<Mutex<VecDeque<Bytes>>>,
    /// Set by the writer at its end.
    heard: Arc<AtomicBool>,
}

impl Pipes {
    pub(super) fn new(
        stdin: ChildStdin,
        stdout: ChildStdout,
        stderr: ChildStderr,
        queued: mpsc::Receiver<Outgoing>,
    ) -> Self {
        Self {
            stdin,
            stdout,
            stderr,
            queued,
        }
    }

    /// Starts the tasks. `closing` makes the writer finish its queue and close stdin.
    pub(super) fn run(self, reporter: &Reporter, closing: &CancellationToken) -> Running {
        let stdout_ended = CancellationToken::new();
        let child_ended = CancellationToken::new();
        let last_stderr = Arc::new(Mutex::new(VecDeque::with_capacity(LAST_STDERR_LEN)));
        let heard = Arc::new(AtomicBool::new(false));
        let stdin = Writer {
            stdin: Some(self.stdin),
            queued: self.queued,
            reporter: reporter.clone(),
            closing: closing.clone(),
            child_ended: child_ended.clone(),
            written_len: 0,
            heard: Arc::clone(&heard),
        };
        let stdout = {
            let reporter = reporter.clone();
            let child_ended = child_ended.clone();
            let stdout_ended = stdout_ended.clone().drop_guard();
            async move {
                read_lines(self.stdout, STDOUT, &reporter, &child_ended, stdout_report).await;
                drop(stdout_ended);
            }
        };
        let stderr = {
            let reporter = reporter.clone();
            let child_ended = child_ended.clone();
            let last_stderr = Arc::clone(&last_stderr);
            async move {
                let report = |lines: Vec<Line>| {
                    keep_last(&last_stderr, &lines);
                    stderr_report(lines)
                };
                read_lines(self.stderr, STDERR, &reporter, &child_ended, report).await;
            }
        };
        Running {
            stdin: tokio::spawn(stdin.run()),
            stdout: tokio::spawn(stdout),
            stderr: tokio::spawn(stderr),
            stdout_ended,
            child_ended,
            last_stderr,
            heard,
        }
    }
}

impl Running {
    /// Whether the child had read something; known once the pipes are drained.
    pub(super) fn heard(&self) -> bool {
        self.heard.load(Ordering::Relaxed)
    }

    /// Waits until everything that the child wrote has been reported. The child has ended.
    pub(super) async fn drain(&mut self) {
        self.child_ended.cancel();
        for task in [&mut self.stdin, &mut self.stdout, &mut self.stderr] {
            if !task.is_finished()
                && let Err(error) = task.await
            {
                tracing::error!(%error, "a task of a pipe failed");
            }
        }
    }

    /// The last lines of stderr that are not blank.
    pub(super) fn last_stderr(&self) -> Vec<String> {
        let last = self
            .last_stderr
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        last.iter()
            .map(|line| String::from_utf8_lossy(line).trim_end().to_owned())
            .collect()
    }
}

/// Reads a pipe to its end and reports the lines that each read completes. A slow owner stops the
/// reading, which stops the child when its pipe is full.
async fn read_lines(
    mut pipe: impl AsyncRead + Unpin,
    kind: Pipe,
    reporter: &Reporter,
    child_ended: &CancellationToken,
    report: impl Fn(Vec<Line>) -> Option<ReportKind>,
) {
    let mut splitter = LineSplitter::new(kind.line_limit);
    let mut chunk = vec![0; CHUNK_LEN];
    let mut drain = Drain::default();
    let mut unfinished = Unfinished::default();
    loop {
        let drain_read_began = child_ended.is_cancelled().then(Instant::now);
        let read = tokio::select! {
            biased;
            read = pipe.read(&mut chunk) => read,
            () = drain.is_over(child_ended) => break,
            () = unfinished.is_due() => {
                if reporter.report(unfinished.tell(splitter.pending())).await == Err(Silenced) {
                    return;
                }
                continue;
            }
            () = reporter.silenced().cancelled() => return,
        };
        let drain_waited = drain_read_began.map(|began| began.elapsed());
        let byte_len = match read {
            Ok(0) => break,
            Ok(byte_len) => byte_len,
            Err(error) => {
                tracing::debug!(%error, "a child's pipe could not be read");
                break;
            }
        };
        let lines = splitter.push(&chunk[..byte_len]);
        if kind.needs_line_ends {
            unfinished.see(splitter.pending_len(), !lines.is_empty());
        }
        if let Some(what) = report(lines)
            && reporter.report(what).await == Err(Silenced)
        {
            return;
        }
        if let Some(waited) = drain_waited {
            drain.waited += waited;
            drain.byte_len += byte_len;
            if drain.byte_len > DRAIN_LEN {
                break;
            }
        }
    }
    if let Some(what) = splitter.finish().and_then(|line| report(vec![line])) {
        reporter.report_last(what).await;
    }
}

/// A line that has begun and has not ended.
#[derive(Debug, Default)]
struct Unfinished {
    since: Option<Instant>,
    is_told: bool,
}

impl Unfinished {
    /// Something was read, after which so much of a line stands there.
    fn see(&mut self, pending_len: usize, line_ended: bool) {
        if line_ended || pending_len == 0 {
            *self = Self::default();
        }
        if pending_len > 0 {
            self.since.get_or_insert_with(Instant::now);
        }
    }

    /// Completes when the line should have ended by now; never when that was told.
    async fn is_due(&self) {
        match self.since {
            Some(since) if !self.is_told => {
                tokio::time::sleep_until(since + UNFINISHED_AFTER).await;
            }
            _ => std::future::pending().await,
        }
    }

    fn tell(&mut self, pending: &[u8]) -> ReportKind {
        self.is_told = true;
        ReportKind::UnfinishedLine {
            byte_len: pending.len() as u64,
            head: Bytes::copy_from_slice(&pending[..pending.len().min(UNFINISHED_HEAD_LEN)]),
        }
    }
}

/// How much longer a pipe is read after the child's end.
#[derive(Debug, Default)]
struct Drain {
    /// How long reads have waited since, together. The owner's slowness does not count.
    waited: Duration,
    byte_len: usize,
}

impl Drain {
    /// Completes when the child has ended and what it wrote must have come by now.
    async fn is_over(&self, child_ended: &CancellationToken) {
        child_ended.cancelled().await;
        tokio::time::sleep(DRAIN_WAIT.saturating_sub(self.waited)).await;
    }
}

fn stdout_report(lines: Vec<Line>) -> Option<ReportKind> {
    let at_micros = now_micros();
    let frames: Vec<Frame> = lines
        .into_iter()
        .filter(|line| !line.bytes.is_empty())
        .map(|line| Frame {
            at_micros,
            carrier: Carrier::Line,
            bytes: line.bytes,
        })
        .collect();
    (!frames.is_empty()).then_some(ReportKind::Lines(frames))
}

fn stderr_report(lines: Vec<Line>) -> Option<ReportKind> {
    let at_micros = now_micros();
    let lines: Vec<(u64, Bytes)> = lines
        .into_iter()
        .map(|line| (at_micros, line.bytes))
        .collect();
    (!lines.is_empty()).then_some(ReportKind::Stderr(lines))
}

fn keep_last(last: &Mutex<VecDeque<Bytes>>, lines: &[Line]) {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let lines = lines
        .iter()
        .filter(|line| !line.bytes.trim_ascii().is_empty());
    for line in lines {
        if last.len() == LAST_STDERR_LEN {
            last.pop_front();
        }
        // A copy, so that the ten lines do not keep the buffers they were cut from.
        let byte_len = line.bytes.len().min(LAST_STDERR_LINE_LEN);
        last.push_back(Bytes::copy_from_slice(&line.bytes[..byte_len]));
    }
}

/// Writes messages to stdin, one a line, in the order in which they were sent.
struct Writer {
    stdin: Option<ChildStdin>,
    queued: mpsc::Receiver<Outgoing>,
    reporter: Reporter,
    closing: CancellationToken,
    child_ended: CancellationToken,
    written_len: u64,
    heard: Arc<AtomicBool>,
}

impl Writer {
    async fn run(mut self) {
        self.write_all().await;
        let unread_len = self.stdin.as_ref().map_or(0, unread_len);
        self.heard
            .store(self.written_len > unread_len, Ordering::Relaxed);
    }

    async fn write_all(&mut self) {
        let mut line = Vec::new();
        while let Some(outgoing) = self.next().await {
            let exchange = outgoing.exchange;
            let message = if outgoing.keeps_breaks {
                outgoing.message
            } else {
                one_line(outgoing.message)
            };
            let written = match &mut self.stdin {
                Some(stdin) => tokio::select! {
                    biased;
                    written = write_line(stdin, &message, &mut line) => written,
                    () = self.child_ended.cancelled() => Err(ended()),
                },
                None if self.child_ended.is_cancelled() => Err(ended()),
                None => Err(std::io::ErrorKind::BrokenPipe.into()),
            };
            let Err(error) = written else {
                self.written_len += message.len() as u64 + 1;
                continue;
            };
            if let Some(stdin) = self.stdin.take() {
                self.written_len = self.written_len.saturating_sub(unread_len(&stdin));
            }
            let error = write_error(&error);
            let report = ReportKind::WriteFailed { exchange, error };
            if self.reporter.report(report).await == Err(Silenced) {
                return;
            }
        }
    }

    /// The next message. `None` when the link closes and the queue is empty.
    async fn next(&mut self) -> Option<Outgoing> {
        if !self.queued.is_closed() {
            tokio::select! {
                biased;
                outgoing = self.queued.recv() => return outgoing,
                () = self.closing.cancelled() => {}
                () = self.child_ended.cancelled() => {}
            }
            self.queued.close();
        }
        self.queued.recv().await
    }
}

/// How much of what was written nobody has read, where the system tells it.
#[cfg(target_os = "linux")]
fn unread_len(stdin: &ChildStdin) -> u64 {
    rustix::io::ioctl_fionread(stdin).unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn unread_len(_stdin: &ChildStdin) -> u64 {
    0
}

async fn write_line(
    stdin: &mut ChildStdin,
    message: &[u8],
    line: &mut Vec<u8>,
) -> std::io::Result<()> {
    if message.len() >= CHUNK_LEN {
        stdin.write_all(message).await?;
        return stdin.write_all(b"\n").await;
    }
    // One write a message, so that the child never wakes for half of a small one.
    line.clear();
    line.extend_from_slice(message);
    line.push(b'\n');
    stdin.write_all(line).await
}

fn ended() -> std::io::Error {
    std::io::Error::other("the process has ended")
}

fn write_error(error: &std::io::Error) -> LinkError {
    let why = if error.kind() == std::io::ErrorKind::BrokenPipe {
        "it has closed its stdin".to_owned()
    } else {
        error.to_string()
    };
    LinkError::new(
        LinkErrorKind::ProcessGone,
        format!("The message could not be written to the server: {why}."),
    )
    .with_hint("Look at its stderr for the reason, then connect again.")
}
