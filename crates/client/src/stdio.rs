//! A server as a child process: one message a line on its stdin and stdout
//! (2026-07-28 basic/transports/stdio).

mod pipes;
mod supervisor;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::Outgoing;
use crate::error::{LinkError, LinkErrorKind};
use crate::process::{self, ProcessSpec};
use crate::report::ReportKind;
use crate::reporter::Reporter;

use self::pipes::Pipes;
use self::supervisor::Supervisor;

/// How many messages may wait for a child that does not read its stdin.
const QUEUE_LEN: usize = 1024;

/// The message as the one line that stdio sends: a line break outside a string is only white space
/// in JSON, and becomes a space. (2026-07-28 basic/transports/stdio: messages "MUST NOT contain
/// embedded newlines".) Costs nothing for a message that has none.
pub fn one_line(message: Bytes) -> Bytes {
    let is_break = |byte: u8| byte == b'\n' || byte == b'\r';
    if !message.iter().copied().any(is_break) {
        return message;
    }
    message
        .iter()
        .map(|&byte| if is_break(byte) { b' ' } else { byte })
        .collect()
}

/// A child process and the tasks around it.
#[derive(Debug)]
pub(crate) struct StdioLink {
    queue: mpsc::Sender<Outgoing>,
    closing: CancellationToken,
    reporter: Reporter,
    /// How the child ended, once it has.
    ended: Arc<OnceLock<String>>,
    supervisor: Option<JoinHandle<()>>,
}

impl StdioLink {
    pub(crate) async fn open(spec: ProcessSpec, reporter: Reporter) -> Result<Self, LinkError> {
        let started = process::start(spec).await?;
        // The inbox may be full, so the supervisor reports it: a caller that waits for this
        // function instead of reading its inbox is not held up.
        let started_report = reporter.now(ReportKind::ProcessStarted {
            pid: started.tree.pid(),
        });
        let (queue, queued) = mpsc::channel(QUEUE_LEN);
        let closing = CancellationToken::new();
        let ended = Arc::new(OnceLock::new());
        let pipes = Pipes::new(started.stdin, started.stdout, started.stderr, queued);
        let supervisor = Supervisor {
            tree: started.tree,
            reporter: reporter.clone(),
            closing: closing.clone(),
            ended: Arc::clone(&ended),
        };
        let supervisor = tokio::spawn(supervisor.run(started_report, pipes));
        Ok(Self {
            queue,
            closing,
            reporter,
            ended,
            supervisor: Some(supervisor),
        })
    }

    pub(crate) fn send(&self, outgoing: Outgoing) -> Result<(), LinkError> {
        self.queue
            .try_send(outgoing)
            .map_err(|refused| match refused {
                mpsc::error::TrySendError::Full(_) => LinkError::new(
                    LinkErrorKind::NotReading,
                    format!(
                        "The server does not read its stdin: {QUEUE_LEN} messages wait for it."
                    ),
                )
                .with_hint("It may be stuck. Look at its stderr, or disconnect and connect again."),
                mpsc::error::TrySendError::Closed(_) => self.gone(),
            })
    }

    fn gone(&self) -> LinkError {
        let message = match self.ended.get() {
            Some(status) => format!("The server's process has ended ({status})."),
            None => "The server's process is ending.".to_owned(),
        };
        LinkError::new(LinkErrorKind::ProcessGone, message).with_hint("Connect again.")
    }

    pub(crate) async fn close(mut self) {
        self.closing.cancel();
        if let Some(supervisor) = self.supervisor.take()
            && let Err(error) = supervisor.await
        {
            tracing::error!(%error, "the supervisor of a child process failed");
        }
    }
}

impl Drop for StdioLink {
    /// The supervisor goes on by itself and ends the child, unreported.
    fn drop(&mut self) {
        self.reporter.silence();
        self.closing.cancel();
    }
}
