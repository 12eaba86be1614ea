//! The life of a child process: from its start to the end of the last process of its group.

use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::process::{ProcessTree, in_words};
use crate::report::{Report, ReportKind};
use crate::reporter::Reporter;

use super::pipes::{Pipes, Running};

/// How long each step of a shutdown waits before the next, harder one.
const GRACE: Duration = Duration::from_secs(2);
/// SIGKILL cannot be refused; a process stuck in the kernel can still take its time.
const KILL_WAIT: Duration = Duration::from_secs(5);
/// A child that ends closes its stdout a moment before.
const STDOUT_CLOSED_WAIT: Duration = Duration::from_millis(500);
/// How long the last reports of a link that is being closed wait for its owner.
const LAST_REPORTS_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Supervisor {
    pub(super) tree: ProcessTree,
    pub(super) reporter: Reporter,
    pub(super) closing: CancellationToken,
    pub(super) ended: Arc<OnceLock<String>>,
}

impl Supervisor {
    pub(super) async fn run(mut self, started: Report, pipes: Pipes) {
        // First of all reports, so before the pipes are read. The child may wait meanwhile, but a
        // link that closes may not.
        let mut started = vec![started];
        tokio::select! {
            biased;
            _ = self.reporter.hand_over(&mut started) => {}
            () = patience(&self.closing) => {}
        }
        let mut pipes = pipes.run(&self.reporter, &self.closing);

        let unasked = self.wait_unasked(&pipes).await;
        let expected = unasked.is_none();
        let status = match unasked {
            Some(status) => status,
            None => self.end_child().await,
        };
        let status = status.map_or_else(|error| format!("unknown status: {error}"), in_words);
        // Set once, here.
        self.ended.get_or_init(|| status.clone());

        let reporter = self.reporter.clone();
        let closing = self.closing.clone();
        let last_reports = async {
            pipes.drain().await;
            let last_stderr = pipes.last_stderr();
            let exited = ReportKind::ProcessExited {
                status,
                expected,
                last_stderr,
                heard: pipes.heard(),
            };
            reporter.report_last(exited).await;
        };
        let group = self.end_group();
        let reports = async {
            tokio::select! {
                () = last_reports => {}
                () = patience(&closing) => {}
            }
        };
        tokio::join!(group, reports);
        self.reporter.silence();
        pipes.drain().await;
    }

    /// Waits for the child to end by itself. `None` when it is to be ended instead.
    async fn wait_unasked(&mut self, pipes: &Running) -> Option<std::io::Result<ExitStatus>> {
        let stdout_closed = async {
            pipes.stdout_ended.cancelled().await;
            sleep(STDOUT_CLOSED_WAIT).await;
            self.reporter.report_last(ReportKind::StdoutClosed).await;
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            status = self.tree.wait() => Some(status),
            () = self.closing.cancelled() => None,
            () = self.reporter.owner_gone() => {
                self.reporter.silence();
                self.closing.cancel();
                None
            }
            () = stdout_closed => None,
        }
    }

    /// Ends the child step by step (2026-07-28 basic/transports/stdio § Shutdown). Its stdin is
    /// being closed by the writer.
    async fn end_child(&mut self) -> std::io::Result<ExitStatus> {
        if let Ok(status) = timeout(GRACE, self.tree.wait()).await {
            return status;
        }
        self.tree.terminate();
        if let Ok(status) = timeout(GRACE, self.tree.wait()).await {
            return status;
        }
        self.tree.kill();
        timeout(KILL_WAIT, self.tree.wait())
            .await
            .unwrap_or_else(|_| Err(std::io::Error::other("it does not end, even by SIGKILL")))
    }

    /// Ends what the child left behind in its group, and makes sure of it.
    async fn end_group(&mut self) {
        if self.tree.wait_gone(Duration::ZERO).await {
            return;
        }
        self.tree.terminate();
        if self.tree.wait_gone(GRACE).await {
            return;
        }
        self.tree.kill();
        if !self.tree.wait_gone(KILL_WAIT).await {
            tracing::warn!(
                pid = self.tree.pid(),
                "processes of the group are left after SIGKILL"
            );
        }
    }
}

/// Completes when a link that is being closed has waited for its owner long enough.
async fn patience(closing: &CancellationToken) {
    closing.cancelled().await;
    sleep(LAST_REPORTS_WAIT).await;
}
