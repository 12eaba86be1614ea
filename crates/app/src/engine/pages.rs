//! The pages that are fed: the main one, and one for each prompt that has a window of its own.

use std::collections::BTreeMap;

use journal::event::OperationId;

use tokio::sync::oneshot;

use super::input::{Answer, FeedSink};
use super::requested::SamplingAsked;
use super::state::{Engine, reply};

/// What is told of pages, and by them.
pub enum PageInput {
    /// A page wants the feed; it starts with everything.
    Attach {
        /// The prompt whose own window it stands in; nothing for the main page.
        prompt: Option<u32>,
        /// Where the batches go.
        sink: FeedSink,
    },
    /// The window of a prompt is closed.
    Detach {
        /// The prompt.
        prompt: u32,
    },
    /// A page has applied a batch.
    Ack {
        /// The prompt whose own window it stands in; nothing for the main page.
        prompt: Option<u32>,
        /// The batch's number.
        number: u32,
    },
    /// Whether anything is waited for: a prompt is open, or an operation runs.
    Busy {
        /// Whether it is so.
        answer: oneshot::Sender<bool>,
    },
    /// What the person began to answer, to be kept for the page that shows the prompt next.
    KeepDraft {
        /// The prompt.
        prompt: u32,
        /// Text that only the page understands.
        draft: String,
        /// Kept.
        answer: Answer<()>,
    },
    /// A sampling request whole.
    Sampling {
        /// The prompt.
        prompt: u32,
        /// What it asks.
        answer: Answer<SamplingAsked>,
    },
    /// What was kept of an answer.
    Draft {
        /// The prompt.
        prompt: u32,
        /// The text; empty when there is none.
        answer: Answer<String>,
    },
}

impl Engine {
    /// Something of a page.
    pub(super) fn handle_page(&mut self, input: PageInput) {
        match input {
            PageInput::Attach { prompt, sink } => self.attach(prompt, sink),
            PageInput::Detach { prompt } => self.detach(prompt),
            PageInput::Ack { prompt, number } => self.publisher.acknowledge(prompt, number),
            PageInput::Busy { answer } => {
                let is_busy = !self.prompts.is_empty() || self.active.len() > self.listens.len();
                // Whoever asked may have gone.
                let _gone = answer.send(is_busy);
            }
            PageInput::KeepDraft {
                prompt,
                draft,
                answer,
            } => reply(answer, self.keep_draft(prompt, draft)),
            PageInput::Sampling { prompt, answer } => reply(answer, self.sampling_asked(prompt)),
            PageInput::Draft { prompt, answer } => reply(answer, self.draft(prompt)),
        }
    }
}

/// How many batches may be on their way to a page.
const IN_FLIGHT: u32 = 2;

/// What a page has yet to be told.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each names another thing, and any of them may go together"
)]
pub(super) struct Changed {
    pub(super) servers: bool,
    pub(super) prompts: bool,
    pub(super) timeline: bool,
    pub(super) tasks: bool,
}

/// One page, and how far it was told.
pub(super) struct Page {
    sink: FeedSink,
    number: u32,
    acknowledged: u32,
    pub(super) changed: Changed,
    /// Operations that ended since the last batch.
    pub(super) touched: Vec<OperationId>,
}

impl Page {
    /// A page that knows nothing yet.
    pub(super) fn new(sink: FeedSink, shows_timeline: bool) -> Self {
        Self {
            sink,
            number: 0,
            acknowledged: 0,
            changed: Changed {
                servers: true,
                prompts: true,
                timeline: shows_timeline,
                tasks: shows_timeline,
            },
            touched: Vec::new(),
        }
    }

    /// Whether it has something to be told and can take it.
    pub(super) fn is_due(&self) -> bool {
        let Changed {
            servers,
            prompts,
            timeline,
            tasks,
        } = self.changed;
        self.number - self.acknowledged < IN_FLIGHT
            && (servers || prompts || timeline || tasks || !self.touched.is_empty())
    }

    pub(super) fn acknowledge(&mut self, number: u32) {
        // A late acknowledgement of an earlier attach is above what was sent since.
        if number <= self.number {
            self.acknowledged = self.acknowledged.max(number);
        }
    }

    /// The number of the batch that is sent next.
    pub(super) fn next_number(&mut self) -> u32 {
        self.number += 1;
        self.number
    }

    /// Whether the page was there to take it.
    pub(super) fn send(&self, batch: String) -> bool {
        (self.sink)(batch)
    }
}

/// All pages. `None` names the main one, else it is the prompt whose own window it stands in.
#[derive(Default)]
pub(super) struct Pages {
    all: BTreeMap<Option<u32>, Page>,
}

impl Pages {
    pub(super) fn put(&mut self, name: Option<u32>, page: Page) {
        self.all.insert(name, page);
    }

    /// Whether there was one to take away.
    pub(super) fn take(&mut self, name: Option<u32>) -> bool {
        self.all.remove(&name).is_some()
    }

    pub(super) fn get_mut(&mut self, name: Option<u32>) -> Option<&mut Page> {
        self.all.get_mut(&name)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Page> {
        self.all.values()
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Page> {
        self.all.values_mut()
    }

    /// Whether the prompt has a window of its own.
    pub(super) fn has(&self, prompt: u32) -> bool {
        self.all.contains_key(&Some(prompt))
    }

    /// Those that have something to be told and can take it.
    pub(super) fn due(&self) -> Vec<Option<u32>> {
        let due = self.all.iter().filter(|(_, page)| page.is_due());
        due.map(|(name, _)| *name).collect()
    }
}
