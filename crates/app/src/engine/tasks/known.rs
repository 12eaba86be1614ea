//! What is known of tasks, whoever follows them.

use std::collections::BTreeSet;

use journal::event::{ConnectionId, OperationEnd, OperationId};
use protocol::tasks::{TaskDesign, TaskHandle, TaskLoss, TaskRun};
use secrets::Redactor;

use super::file::{KeptTask, TaskFile};
use crate::api::servers::ServerId;

/// How many tasks are remembered; of more, the oldest that nobody follows are forgotten.
const REMEMBERED: usize = 1000;

/// What is known of a task.
#[derive(Clone, Debug)]
pub(in crate::engine) struct KnownTask {
    /// Counts up, in this run.
    pub number: u32,
    pub server: ServerId,
    pub server_name: String,
    /// Where it was followed last, in this run.
    pub connection: Option<ConnectionId>,
    /// The operation that follows it, or did last, in this run.
    pub operation: Option<OperationId>,
    /// The tool it came from; empty where that is not known.
    pub title: String,
    pub design: TaskDesign,
    /// What reached the server, in a number.
    pub reach: String,
    pub handle: TaskHandle,
    pub known_micros: u64,
    pub seen_micros: u64,
    /// Polls in a row that failed.
    pub failures: u32,
    /// Why the last poll told nothing, or why nobody polls.
    pub problem: Option<String>,
    pub cancel_refusal: Option<String>,
    pub loss: Option<TaskLoss>,
    pub result_byte_len: Option<u64>,
    /// The server tells of it by itself.
    pub is_listened: bool,
    /// The person does not want it followed.
    pub is_let_go: bool,
    /// Its time to live was said to be over.
    pub is_expired: bool,
    /// How it ended, where that was not well: in a few words, and in a sentence.
    pub end: Option<(String, String)>,
}

impl KnownTask {
    /// When its time to live is over, counted from when it became known here.
    pub fn expires_micros(&self) -> Option<u64> {
        let ttl = self.handle.state.ttl_millis?;
        Some(self.known_micros.saturating_add(ttl.saturating_mul(1000)))
    }

    /// Nothing more will come of it.
    pub fn is_over(&self) -> bool {
        self.handle.state.status.is_terminal() || self.loss.is_some()
    }
}

/// All tasks that are known.
pub(in crate::engine) struct Tasks {
    /// By number, so in the order in which they became known.
    all: Vec<KnownTask>,
    next: u32,
    /// What was forgotten last, in case that was a mistake; and whether each was followed.
    pub(super) forgotten: Vec<(KnownTask, bool)>,
    /// Begun since the last sweep, and perhaps told of by their servers.
    pub unheard: Vec<(ConnectionId, String, OperationId)>,
    pub(super) file: TaskFile,
    /// What the view has yet to be told.
    pub(super) news: News,
}

/// What a view has yet to be told of tasks.
#[derive(Debug, Default)]
pub(super) struct News {
    pub changed: BTreeSet<u32>,
    pub gone: Vec<u32>,
    pub whole: bool,
}

impl Tasks {
    /// Those of earlier runs, and where they are kept.
    pub fn new(file: TaskFile, kept: Vec<KeptTask>) -> Self {
        let mut tasks = Self {
            all: Vec::new(),
            next: 0,
            forgotten: Vec::new(),
            unheard: Vec::new(),
            file,
            news: News::default(),
        };
        for task in kept {
            let number = tasks.next;
            tasks.next += 1;
            tasks.all.push(task.known(number));
        }
        tasks
    }

    /// In the order in which they became known.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &KnownTask> {
        self.all.iter()
    }

    pub fn get(&self, number: u32) -> Option<&KnownTask> {
        let place = self.place(number)?;
        self.all.get(place)
    }

    pub fn get_mut(&mut self, number: u32) -> Option<&mut KnownTask> {
        let place = self.place(number)?;
        self.all.get_mut(place)
    }

    fn place(&self, number: u32) -> Option<usize> {
        self.all
            .binary_search_by_key(&number, |known| known.number)
            .ok()
    }

    pub fn find(&self, server: &str, id: &str) -> Option<&KnownTask> {
        self.all
            .iter()
            .find(|known| known.server == server && known.handle.state.id == id)
    }

    /// The task whose identifier a view was shown without the secret that is in it.
    pub fn find_redacted(&self, server: &str, id: &str, redactor: &Redactor) -> Option<&KnownTask> {
        if redactor.is_empty() {
            return None;
        }
        self.all.iter().find(|known| {
            known.server == server && redactor.redact_text(&known.handle.state.id) == id
        })
    }

    pub fn add(
        &mut self,
        (server, server_name): (&str, &str),
        title: &str,
        reach: String,
        run: &TaskRun,
        now: u64,
    ) -> u32 {
        let number = self.next;
        self.next += 1;
        self.all.push(KnownTask {
            number,
            server: server.to_owned(),
            server_name: server_name.to_owned(),
            connection: None,
            operation: None,
            title: title.to_owned(),
            design: run.design(),
            reach,
            handle: run.handle(),
            known_micros: now,
            seen_micros: now,
            failures: 0,
            problem: None,
            cancel_refusal: None,
            loss: None,
            result_byte_len: None,
            is_listened: false,
            is_let_go: false,
            is_expired: false,
            end: None,
        });
        self.file.is_due = true;
        number
    }

    /// Takes over what the run knows.
    pub fn learn(&mut self, number: u32, run: &TaskRun, now: u64) {
        let Some(entry) = self.get_mut(number) else {
            return;
        };
        let handle = run.handle();
        let polls_aside = |handle: &TaskHandle| TaskHandle {
            polls: 0,
            ..handle.clone()
        };
        // A poll that brought nothing new is not worth a write.
        let is_worth_keeping =
            polls_aside(&entry.handle) != polls_aside(&handle) || entry.loss != run.loss();
        if entry.handle.state != handle.state {
            entry.seen_micros = now;
        }
        entry.design = run.design();
        entry.handle = handle;
        entry.failures = run.failures();
        entry.problem = run.problem().map(str::to_owned);
        entry.cancel_refusal = run.cancel_refusal().map(str::to_owned);
        entry.loss = run.loss();
        entry.result_byte_len = run.result_byte_len().map(|len| len as u64);
        entry.is_listened = run.is_listened();
        self.file.is_due |= is_worth_keeping;
    }

    /// Nobody follows it any more.
    pub fn left(&mut self, number: u32, end: &OperationEnd) {
        let Some(entry) = self.get_mut(number) else {
            return;
        };
        entry.is_listened = false;
        match end {
            OperationEnd::Failed { brief, message, .. } if entry.is_over() => {
                entry.end = Some((brief.clone(), message.clone()));
            }
            OperationEnd::Failed { brief, .. } => entry.problem = Some(brief.clone()),
            OperationEnd::ToolError => {
                entry.end = Some(("tool error".to_owned(), "The tool failed.".to_owned()));
            }
            OperationEnd::Cancelled if !entry.is_over() => entry.is_let_go = true,
            _ => {}
        }
        self.changed(number);
        self.file.is_due = true;
    }

    /// Its line is to be drawn anew.
    pub fn changed(&mut self, number: u32) {
        self.news.changed.insert(number);
    }

    /// The view has nothing yet.
    pub fn all_are_news(&mut self) {
        self.news.whole = true;
        self.news.gone.clear();
        self.news.changed = self.all.iter().map(|known| known.number).collect();
    }

    /// Takes one out.
    pub fn take(&mut self, number: u32) -> Option<KnownTask> {
        let place = self.place(number)?;
        self.news.changed.remove(&number);
        self.news.gone.push(number);
        self.file.is_due = true;
        Some(self.all.remove(place))
    }

    /// Puts one back that was taken out, unless it is known again meanwhile.
    pub fn put_back(&mut self, task: KnownTask) -> bool {
        if self.find(&task.server, &task.handle.state.id).is_some() {
            return false;
        }
        let number = task.number;
        let Err(place) = self.all.binary_search_by_key(&number, |known| known.number) else {
            return false;
        };
        self.all.insert(place, task);
        self.news.gone.retain(|gone| *gone != number);
        self.changed(number);
        self.file.is_due = true;
        true
    }

    pub fn drop_the_oldest(&mut self, is_alive: impl Fn(OperationId) -> bool) {
        if self.all.len() <= REMEMBERED {
            return;
        }
        let oldest = self
            .all
            .iter()
            .find(|known| !known.operation.is_some_and(&is_alive))
            .map(|known| known.number);
        if let Some(number) = oldest {
            self.take(number);
        }
    }

    /// Marks those whose time to live is over, and gives the operations that follow them.
    pub fn expire(&mut self, now: u64) -> Vec<OperationId> {
        let mut over = Vec::new();
        for known in &mut self.all {
            let is_over = !known.is_expired
                && !known.is_over()
                && known.expires_micros().is_some_and(|at| at <= now);
            if is_over {
                known.is_expired = true;
                self.news.changed.insert(known.number);
                over.extend(known.operation);
            }
        }
        over
    }

    /// Writes them, where something changed that a restart should not lose.
    pub fn keep(&mut self, redactor: &Redactor, at_once: bool) {
        if !self.file.wants_writing(at_once) {
            return;
        }
        let kept = self
            .all
            .iter()
            .map(|known| KeptTask::of(known, redactor))
            .collect();
        self.file.write(kept, at_once);
    }
}
