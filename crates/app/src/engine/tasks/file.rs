//! The file of task handles: enough to poll each again after a restart, and to say what became of it.
//!
//! It is written whole or not at all, and only its owner can read it. No answer, no question and no result is in it, and
//! no secret: a text that holds one has its name instead. An identifier with a secret in it is therefore known after a
//! restart, and can be polled no more.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use protocol::tasks::{Pace, TaskDesign, TaskHandle, TaskLoss, TaskState, TaskStatus};
use secrets::Redactor;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::known::KnownTask;
use crate::api::servers::ServerId;
use crate::paths::write_whole;

/// How the file is laid out.
const LAYOUT: u32 = 1;
/// The shortest time between two writes.
const PAUSE: Duration = Duration::from_secs(1);
/// Instead of more, a text of a server is cut.
const LONGEST_TEXT: usize = 2000;

/// Where tasks are kept.
#[derive(Debug)]
pub struct TaskFile {
    /// None: what is known lasts as long as the process.
    path: Option<PathBuf>,
    /// Something changed since the last write.
    pub(super) is_due: bool,
    written: Instant,
    turn: u64,
    state: Arc<Mutex<Written>>,
}

/// How the writing goes.
#[derive(Debug, Default)]
struct Written {
    turn: u64,
    problem: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Layout {
    layout: u32,
    tasks: Vec<KeptTask>,
}

/// A task as the file has it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says another thing of a task, and any of them may go together"
)]
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptTask {
    server: ServerId,
    server_name: String,
    /// What reached the server, in a number.
    reach: String,
    task: String,
    /// The identifier held a secret, so it is not the one that the server knows.
    #[serde(default)]
    is_task_redacted: bool,
    title: String,
    /// `extension` or `experimental`.
    design: String,
    status: String,
    message: Option<String>,
    created_at: Option<String>,
    last_updated_at: Option<String>,
    ttl_millis: Option<u64>,
    poll_interval_millis: Option<u64>,
    #[serde(default)]
    own_interval_millis: Option<u64>,
    #[serde(default)]
    is_forced: bool,
    #[serde(default)]
    is_paused: bool,
    /// The keys that the server has answers to.
    #[serde(default)]
    answered: Vec<String>,
    is_cancel_asked: bool,
    #[serde(default)]
    is_let_go: bool,
    polls: u32,
    known_micros: u64,
    seen_micros: u64,
    /// `unknown` or `expired`.
    loss: Option<String>,
    end: Option<(String, String)>,
}

impl KeptTask {
    /// The task as it may be written.
    pub(super) fn of(known: &KnownTask, redactor: &Redactor) -> Self {
        let clean = |text: &str| -> String {
            let text = redactor.redact_text(text);
            text.chars().take(LONGEST_TEXT).collect()
        };
        let TaskHandle {
            state,
            pace,
            answered,
            is_cancel_asked,
            polls,
        } = &known.handle;
        // An identifier is never cut: it would be another one.
        let task = redactor.redact_text(&state.id).into_owned();
        Self {
            server: known.server.clone(),
            server_name: clean(&known.server_name),
            reach: known.reach.clone(),
            is_task_redacted: task != state.id,
            task,
            title: clean(&known.title),
            design: design_word(known.design).to_owned(),
            status: state.status.as_str().to_owned(),
            message: state.message.as_deref().map(clean),
            created_at: state.created_at.as_deref().map(clean),
            last_updated_at: state.last_updated_at.as_deref().map(clean),
            ttl_millis: state.ttl_millis,
            poll_interval_millis: state.poll_interval_millis,
            own_interval_millis: pace.interval_millis,
            is_forced: pace.is_forced,
            is_paused: pace.is_paused,
            answered: answered.iter().map(|key| clean(key)).collect(),
            is_cancel_asked: *is_cancel_asked,
            is_let_go: known.is_let_go,
            polls: *polls,
            known_micros: known.known_micros,
            seen_micros: known.seen_micros,
            loss: known.loss.map(|loss| loss_word(loss).to_owned()),
            end: known
                .end
                .as_ref()
                .map(|(brief, message)| (clean(brief), clean(message))),
        }
    }

    /// What is known of it in this run.
    pub(super) fn known(self, number: u32) -> KnownTask {
        let status = TaskStatus::of(&self.status).unwrap_or(TaskStatus::Working);
        let problem = if self.is_task_redacted {
            "its identifier holds a secret, so it was not kept; it cannot be polled any more"
        } else {
            "from an earlier run"
        };
        let loss = [TaskLoss::Unknown, TaskLoss::Expired]
            .into_iter()
            .find(|loss| self.loss.as_deref() == Some(loss_word(*loss)));
        KnownTask {
            number,
            server: self.server,
            server_name: self.server_name,
            connection: None,
            operation: None,
            title: self.title,
            design: if self.design == design_word(TaskDesign::Experimental) {
                TaskDesign::Experimental
            } else {
                TaskDesign::Extension
            },
            reach: self.reach,
            handle: TaskHandle {
                state: TaskState {
                    id: self.task,
                    status,
                    message: self.message,
                    created_at: self.created_at,
                    last_updated_at: self.last_updated_at,
                    ttl_millis: self.ttl_millis,
                    poll_interval_millis: self.poll_interval_millis,
                },
                pace: Pace {
                    is_paused: self.is_paused,
                    interval_millis: self.own_interval_millis,
                    is_forced: self.is_forced,
                },
                answered: self.answered,
                is_cancel_asked: self.is_cancel_asked,
                polls: self.polls,
            },
            known_micros: self.known_micros,
            seen_micros: self.seen_micros,
            failures: 0,
            problem: (!status.is_terminal() && loss.is_none()).then(|| problem.to_owned()),
            cancel_refusal: None,
            loss,
            result_byte_len: None,
            is_listened: false,
            is_let_go: self.is_let_go || self.is_task_redacted,
            is_expired: false,
            end: self.end,
        }
    }
}

impl TaskFile {
    /// Reads the file. One that cannot be read is left as it is and not written over; the status says so.
    pub fn load(path: PathBuf) -> (Self, Vec<KeptTask>) {
        let read = match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str::<Layout>(&text)
                .map_err(|error| error.to_string())
                .and_then(|layout| match layout.layout {
                    LAYOUT => Ok(layout.tasks),
                    other => Err(format!("its layout is {other}, of a later Roundtrip")),
                }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        };
        match read {
            Ok(tasks) => (Self::at(Some(path)), tasks),
            Err(why) => {
                let file = Self::at(None);
                file.state.lock().problem = Some(format!(
                    "The tasks of earlier runs in {} could not be read: {why}. Mend or remove the file; until then tasks are not kept.",
                    path.display()
                ));
                (file, Vec::new())
            }
        }
    }

    /// Tasks that end with the process.
    pub fn in_memory() -> Self {
        Self::at(None)
    }

    fn at(path: Option<PathBuf>) -> Self {
        Self {
            path,
            is_due: false,
            written: Instant::now(),
            turn: 0,
            state: Arc::default(),
        }
    }

    /// What is wrong with it, in a sentence.
    pub(super) fn problem(&self) -> Option<String> {
        self.state.lock().problem.clone()
    }

    /// Whether a write is due; at the end of the run, whether there is anything to write.
    pub(super) fn wants_writing(&self, at_once: bool) -> bool {
        self.path.is_some() && self.is_due && (at_once || self.written.elapsed() >= PAUSE)
    }

    /// Writes, beside everything else but at the end of the run. A later write is never followed by an earlier one.
    pub(super) fn write(&mut self, tasks: Vec<KeptTask>, at_once: bool) {
        let Some(path) = self.path.clone() else {
            return;
        };
        self.is_due = false;
        self.written = Instant::now();
        self.turn += 1;
        let (turn, state) = (self.turn, Arc::clone(&self.state));
        let write = move || {
            let mut state = state.lock();
            if state.turn > turn {
                return;
            }
            state.turn = turn;
            let layout = Layout {
                layout: LAYOUT,
                tasks,
            };
            let written = serde_json::to_string_pretty(&layout)
                .map_err(std::io::Error::from)
                .and_then(|text| write_whole(&path, &text));
            state.problem = written.err().map(|error| {
                format!(
                    "The tasks could not be written to {}: {error}. They will not be known after a restart.",
                    path.display()
                )
            });
        };
        if at_once {
            write();
        } else {
            tokio::task::spawn_blocking(write);
        }
    }
}

fn design_word(design: TaskDesign) -> &'static str {
    match design {
        TaskDesign::Extension => "extension",
        TaskDesign::Experimental => "experimental",
    }
}

fn loss_word(loss: TaskLoss) -> &'static str {
    match loss {
        TaskLoss::Unknown => "unknown",
        TaskLoss::Expired => "expired",
    }
}
