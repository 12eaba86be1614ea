//! What is left when this process is killed: a small shell that ends the groups of its children.
//!
//! One per app. It reads `+ GROUP` and `- GROUP` from a pipe; when the pipe ends, however this
//! process died, it ends the groups that are still on its list. It runs in a group of its own and
//! ignores the signals of a terminal, so nothing but SIGKILL to itself takes it away; the next
//! tracked child then starts another, which is told everything.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

/// TERM first, KILL after two seconds. Only what every `/bin/sh` has built in, and `sleep`.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM PIPE
groups=
while read -r change group; do
  case $change in
    +) groups="$groups $group" ;;
    -) rest=
       for each in $groups; do
         [ "$each" = "$group" ] || rest="$rest $each"
       done
       groups=$rest ;;
  esac
done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -s TERM -- "-$group"; done
tries=0
while [ "$tries" -lt 20 ]; do
  left=
  for group in $groups; do
    if kill -s 0 -- "-$group"; then left="$left $group"; fi
  done
  groups=$left
  [ -n "$groups" ] || exit 0
  sleep 0.1 || sleep 1
  tries=$((tries + 1))
done
for group in $groups; do kill -s KILL -- "-$group"; done
"#;

#[derive(Debug)]
struct Watchdog {
    child: Child,
    pipe: ChildStdin,
}

#[derive(Debug)]
struct Tracked {
    groups: BTreeSet<i32>,
    watchdog: Option<Watchdog>,
}

static TRACKED: Mutex<Tracked> = Mutex::new(Tracked {
    groups: BTreeSet::new(),
    watchdog: None,
});

/// Puts a group on the list. Starts the watchdog where none runs.
pub(super) fn track(group: Pid) {
    let mut tracked = TRACKED.lock().unwrap_or_else(PoisonError::into_inner);
    let number = group.as_raw_nonzero().get();
    tracked.groups.insert(number);
    if !tracked.tell(&format!("+ {number}\n")) {
        tracked.restart();
    }
}

/// Takes a group off the list, because nothing of it is left.
pub(super) fn forget(group: Pid) {
    let mut tracked = TRACKED.lock().unwrap_or_else(PoisonError::into_inner);
    let number = group.as_raw_nonzero().get();
    if tracked.groups.remove(&number)
        && !tracked.tell(&format!("- {number}\n"))
        && !tracked.groups.is_empty()
    {
        tracked.restart();
    }
}

impl Tracked {
    /// False where no watchdog listens.
    fn tell(&mut self, line: &str) -> bool {
        let Some(watchdog) = &mut self.watchdog else {
            return false;
        };
        watchdog.pipe.write_all(line.as_bytes()).is_ok()
    }

    /// Starts a watchdog and tells it the whole list.
    fn restart(&mut self) {
        if let Some(mut lost) = self.watchdog.take() {
            tracing::warn!("the watchdog process is gone; another is started");
            // Its pipe is broken, so it has ended or soon will: this collects it.
            if let Err(error) = lost.child.kill().and_then(|()| lost.child.wait()) {
                tracing::debug!(%error, "the lost watchdog could not be collected");
            }
        }
        match start() {
            Ok(watchdog) => {
                self.watchdog = Some(watchdog);
                let list: Vec<String> = self
                    .groups
                    .iter()
                    .map(|group| format!("+ {group}\n"))
                    .collect();
                if !self.tell(&list.concat()) {
                    tracing::warn!("the watchdog process does not listen");
                }
            }
            // The children still end with their links; only a crash of this process would leave them.
            Err(error) => tracing::warn!(%error, "the watchdog process could not be started"),
        }
    }
}

fn start() -> std::io::Result<Watchdog> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", SCRIPT, "roundtrip-watchdog"])
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let pipe = child
        .stdin
        .take()
        .ok_or_else(|| std::io::Error::other("the watchdog has no pipe"))?;
    Ok(Watchdog { child, pipe })
}
