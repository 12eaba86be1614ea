//! What the tests of this crate share: an owner of a link that writes down what it is told.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod server;

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use client::error::LinkError;
use client::report::{ExchangeId, LinkId, Report, ReportKind};
use client::{HttpMethod, Link, LinkSpec, Outgoing, Route};
use tokio::sync::mpsc;
use wire::frame::{Carrier, Frame};

/// Far longer than anything here takes: a test that reaches it has failed.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// The owner of one link.
pub struct Owner {
    inbox: mpsc::Receiver<Vec<Report>>,
    unread: VecDeque<Report>,
}

impl Owner {
    pub async fn open(spec: LinkSpec) -> (Link, Self) {
        Self::try_open(spec, 64).await.expect("the link opens")
    }

    pub async fn try_open(spec: LinkSpec, inbox_len: usize) -> Result<(Link, Self), LinkError> {
        let (sender, inbox) = mpsc::channel(inbox_len);
        let link = Link::open(LinkId(7), spec, sender).await?;
        let unread = VecDeque::new();
        Ok((link, Self { inbox, unread }))
    }

    /// The next report; `None` when the link is over and everything was read.
    pub async fn next(&mut self) -> Option<ReportKind> {
        while self.unread.is_empty() {
            let batch = tokio::time::timeout(PATIENCE, self.inbox.recv())
                .await
                .expect("a report comes")?;
            assert!(!batch.is_empty(), "no empty batches");
            self.unread.extend(batch);
        }
        let report = self.unread.pop_front()?;
        assert_eq!(report.link, LinkId(7));
        Some(report.what)
    }

    /// Reads up to the first report that the question answers.
    pub async fn until<T>(&mut self, mut question: impl FnMut(&ReportKind) -> Option<T>) -> T {
        loop {
            let report = self.next().await.expect("the link goes on");
            if let Some(answer) = question(&report) {
                return answer;
            }
        }
    }

    pub async fn pid(&mut self) -> u32 {
        self.until(|report| match report {
            ReportKind::ProcessStarted { pid } => Some(*pid),
            _ => None,
        })
        .await
    }

    /// Reads up to this line of stdout.
    pub async fn line(&mut self, wanted: &str) {
        self.until(|report| match report {
            ReportKind::Lines(frames) => frames
                .iter()
                .any(|frame| frame.bytes == wanted.as_bytes())
                .then_some(()),
            _ => None,
        })
        .await;
    }

    /// Everything up to the end of the child, in words.
    pub async fn exit(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        loop {
            let report = self.next().await.expect("the child's end is reported");
            words.extend(in_words(&report));
            if matches!(report, ReportKind::ProcessExited { .. }) {
                return words;
            }
        }
    }

    /// Everything up to the end of the exchange, in words, and its error.
    pub async fn end(&mut self, wanted: u64) -> (Vec<String>, Option<LinkError>) {
        let mut words = Vec::new();
        loop {
            let report = self.next().await.expect("the exchange's end is reported");
            words.extend(in_words(&report));
            if let ReportKind::ExchangeEnded {
                exchange, error, ..
            } = report
                && exchange == ExchangeId(wanted)
            {
                return (words, error);
            }
        }
    }
}

/// One or more lines for each report. The process id and what varies by machine are left out.
pub fn in_words(report: &ReportKind) -> Vec<String> {
    match report {
        ReportKind::ProcessStarted { .. } => vec!["started".to_owned()],
        ReportKind::Lines(frames) => frames
            .iter()
            .map(|frame| format!("out  {}", frame_text(frame)))
            .collect(),
        ReportKind::Stderr(lines) => lines
            .iter()
            .map(|(_, line)| format!("err  {}", line.escape_ascii()))
            .collect(),
        ReportKind::UnfinishedLine { byte_len, head } => {
            vec![format!(
                "out  {byte_len} bytes without an end: {}",
                head.escape_ascii()
            )]
        }
        ReportKind::WriteFailed { exchange, error } => {
            vec![format!("write {} failed: {:?}", exchange.0, error.kind)]
        }
        ReportKind::StdoutClosed => vec!["stdout closed".to_owned()],
        ReportKind::ProcessExited {
            status,
            expected,
            last_stderr,
            heard: _,
        } => {
            let how = if *expected { "as asked" } else { "by itself" };
            let mut words = vec![format!("exited {how}: {status}")];
            words.extend(last_stderr.iter().map(|line| format!("last {line}")));
            words
        }
        ReportKind::RequestHead {
            head,
            body_byte_len,
            ..
        } => vec![format!("> {}, {body_byte_len} bytes", head.method)],
        ReportKind::ResponseHead { head, .. } => {
            vec![format!("< {} {}", head.status, head.version)]
        }
        ReportKind::Frames { frames, .. } => frames.iter().map(frame_text).collect(),
        ReportKind::ExchangeEnded {
            body_byte_len,
            error,
            ..
        } => match error {
            None => vec![format!("end, {body_byte_len} bytes")],
            Some(error) => vec![format!("end, {body_byte_len} bytes, {:?}", error.kind)],
        },
    }
}

fn frame_text(frame: &Frame) -> String {
    let text = frame.bytes.escape_ascii();
    match frame.carrier {
        Carrier::Line => text.to_string(),
        Carrier::Body => format!("body {text}"),
        Carrier::SseEvent => format!("event {text}"),
    }
}

pub fn message(exchange: u64, text: impl Into<Bytes>) -> Outgoing {
    Outgoing {
        keeps_breaks: false,
        exchange: ExchangeId(exchange),
        message: text.into(),
        headers: Vec::new(),
        without: Vec::new(),
        http_method: HttpMethod::Post,
        expects_reply: true,
    }
}

/// `sh -c script`.
pub fn shell(script: &str) -> LinkSpec {
    stdio("/bin/sh", &["-c", script])
}

/// `python3 -c script`, unbuffered.
pub fn python(script: &str) -> LinkSpec {
    stdio("python3", &["-u", "-c", script])
}

pub fn stdio(command: &str, args: &[&str]) -> LinkSpec {
    LinkSpec::Stdio {
        command: command.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        folder: None,
    }
}

pub fn http(url: &str) -> LinkSpec {
    LinkSpec::Http {
        url: url.to_owned(),
        headers: Vec::new(),
        route: Route::default(),
    }
}

/// The live processes of a group, as `/proc` tells.
pub fn members(group: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("Linux has /proc");
    let mut members = Vec::new();
    for process in processes.filter_map(Result::ok) {
        let Ok(pid) = process.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let Some((_, rest)) = stat.rsplit_once(") ") else {
            continue;
        };
        let fields: Vec<&str> = rest.split(' ').collect();
        if fields[0] != "Z" && fields[0] != "X" && fields[2] == group.to_string() {
            members.push(pid);
        }
    }
    members
}

#[cfg(unix)]
pub fn kill(pid: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .expect("a process id");
    kill_process(pid, Signal::KILL).expect("the process is there");
}

/// Waits for a condition that another process brings about.
pub async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while !condition() {
        assert!(
            tokio::time::Instant::now() < deadline,
            "never came true: {what}"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
