//! Job objects on Windows.

use std::process::ExitStatus;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
use tokio::process::Command;

use super::Started;

/// A child process and all its descendants. The job object ends them when its last handle closes,
/// which the system does even when this process crashes.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    child: Box<dyn ChildWrapper>,
    pid: u32,
}

impl ProcessTree {
    pub(crate) fn start(command: Command) -> std::io::Result<Started> {
        let mut wrap = CommandWrap::from(command);
        // `KillOnDrop` makes the job end its processes when its handle closes.
        wrap.wrap(KillOnDrop).wrap(JobObject);
        let mut child = wrap.spawn()?;
        let pid = child.id();
        let stdin = child.stdin().take();
        let stdout = child.stdout().take();
        let stderr = child.stderr().take();
        let (Some(pid), Some(stdin), Some(stdout), Some(stderr)) = (pid, stdin, stdout, stderr)
        else {
            return Err(std::io::Error::other(
                "the child has no process id or no pipes",
            ));
        };
        Ok(Started {
            tree: Self { child, pid },
            stdin,
            stdout,
            stderr,
        })
    }

    /// The child's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits for the child and the processes of its job.
    pub(crate) async fn wait(&mut self) -> std::io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Windows has no way to ask a console program to end; closing its stdin was the request.
    pub(crate) fn terminate(&mut self) {}

    /// Ends every process of the job.
    pub(crate) fn kill(&mut self) {
        if let Err(error) = self.child.start_kill() {
            tracing::debug!(pid = self.pid, %error, "the job could not be ended");
        }
    }

    /// Waits until the job is empty, or the limit has passed; says which.
    pub(crate) async fn wait_gone(&mut self, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.child.wait()).await.is_ok()
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        self.kill();
    }
}
