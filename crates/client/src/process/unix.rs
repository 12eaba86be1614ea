//! Process groups on Linux and macOS.

use std::process::ExitStatus;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::process::{Child, Command};
use tokio::time::Instant;

use super::{Started, watchdog};

/// A process group that must not outlive its guard.
///
/// Invariant: the group is signalled only while it was not seen empty, so that its number, once free
/// for others, is never used again.
#[derive(Debug)]
pub(crate) struct GroupGuard {
    group: Pid,
    is_gone: bool,
}

impl GroupGuard {
    /// Guards the group that the process `leader` leads.
    pub(crate) fn new(leader: u32) -> Option<Self> {
        let group = Pid::from_raw(i32::try_from(leader).ok()?)?;
        watchdog::track(group);
        Some(Self {
            group,
            is_gone: false,
        })
    }

    /// Ends the group at once, without waiting.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    fn signal(&mut self, signal: Signal) {
        if self.is_gone {
            return;
        }
        match kill_process_group(self.group, signal) {
            Ok(()) => {}
            Err(Errno::SRCH) => self.gone(),
            // Seen on macOS when only zombies are left, and for programs of another user.
            Err(error) => {
                tracing::debug!(group = self.group.as_raw_nonzero(), %error, "signal not delivered");
            }
        }
    }

    /// No process of the group is left, zombies aside: those wait for their own parent only.
    fn check_gone(&mut self) -> bool {
        if !self.is_gone {
            match test_kill_process_group(self.group) {
                Err(Errno::SRCH) => self.gone(),
                _ if has_only_zombies(self.group) => self.gone(),
                _ => {}
            }
        }
        self.is_gone
    }

    fn gone(&mut self) {
        self.is_gone = true;
        watchdog::forget(self.group);
    }

    async fn wait_gone(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let mut pause = Duration::from_millis(2);
        while !self.check_gone() {
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(50));
        }
        true
    }
}

impl Drop for GroupGuard {
    fn drop(&mut self) {
        if !self.check_gone() {
            self.signal(Signal::KILL);
            watchdog::forget(self.group);
        }
    }
}

/// A child process and all its descendants that stayed in its group.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    child: Child,
    pid: u32,
    group: GroupGuard,
}

impl ProcessTree {
    pub(crate) fn start(mut command: Command) -> std::io::Result<Started> {
        command.process_group(0);
        let mut child = command.spawn()?;
        // Before anything else: from here on a crash of this process ends the child.
        let leader = child
            .id()
            .and_then(|pid| Some((pid, GroupGuard::new(pid)?)));
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some((pid, group)), (Some(stdin), Some(stdout), Some(stderr))) = (leader, pipes)
        else {
            return Err(std::io::Error::other(
                "the child has no process id or no pipes",
            ));
        };
        let tree = Self { child, pid, group };
        Ok(Started {
            tree,
            stdin,
            stdout,
            stderr,
        })
    }

    /// The child's process id, also the id of its group.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits for the child itself. May be dropped and called again.
    pub(crate) async fn wait(&mut self) -> std::io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Asks every process of the group to end.
    pub(crate) fn terminate(&mut self) {
        self.group.signal(Signal::TERM);
    }

    /// Ends every process of the group.
    pub(crate) fn kill(&mut self) {
        self.group.kill();
    }

    /// Waits until no process of the group is left, or the limit has passed; says which.
    pub(crate) async fn wait_gone(&mut self, limit: Duration) -> bool {
        self.group.wait_gone(limit).await
    }
}

/// A zombie still counts as a member of its group, and one whose parent does not collect it (a
/// container without an init) would count for ever.
#[cfg(target_os = "linux")]
fn has_only_zombies(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return false;
    };
    let group = group.as_raw_nonzero().get();
    processes
        .filter_map(Result::ok)
        .filter(|entry| {
            entry
                .file_name()
                .as_encoded_bytes()
                .first()
                .is_some_and(u8::is_ascii_digit)
        })
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .all(|stat| {
            // `pid (name) state ppid pgrp …`; the name may hold anything.
            let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
            let mut fields = after_name.split_ascii_whitespace();
            let state = fields.next();
            let is_member = fields.nth(1).and_then(|pgrp| pgrp.parse().ok()) == Some(group);
            !is_member || matches!(state, Some("Z" | "X"))
        })
}

#[cfg(not(target_os = "linux"))]
fn has_only_zombies(_group: Pid) -> bool {
    false
}
