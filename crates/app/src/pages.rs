//! The doors of pages: who is fed, and what the shell sees of prompts beside the pages.

use tokio::sync::{oneshot, watch};

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::{AckArgs, KeepDraftArgs, PromptArgs};
use crate::api::feed::PromptView;
use crate::engine::{FeedSink, Input, PageInput};

impl App {
    /// Makes `sink` the one that feeds the main page; it gets everything first.
    pub fn attach(&self, sink: FeedSink) {
        self.tell_aside(PageInput::Attach { prompt: None, sink });
    }

    /// Makes `sink` the one that feeds the page of this prompt's own window. It is told of servers and prompts; its
    /// batches are numbered and acknowledged apart from the main page's.
    pub fn attach_prompt(&self, prompt: u32, sink: FeedSink) {
        self.tell_aside(PageInput::Attach {
            prompt: Some(prompt),
            sink,
        });
    }

    /// The window of this prompt is closed. The prompt stays as it is.
    pub fn detach_prompt(&self, prompt: u32) {
        self.tell_aside(PageInput::Detach { prompt });
    }

    /// The open prompts, in the order in which they were asked, as they change.
    pub fn open_prompts(&self) -> watch::Receiver<Vec<PromptView>> {
        self.asked.clone()
    }

    /// Whether a prompt is open or an operation runs.
    pub async fn is_busy(&self) -> bool {
        let (answer, is_busy) = oneshot::channel();
        // An engine that has ended does nothing.
        self.engine
            .tell(Input::Page(PageInput::Busy { answer }))
            .await
            .is_ok()
            && is_busy.await.unwrap_or_default()
    }

    fn tell_aside(&self, input: PageInput) {
        let engine = self.engine.clone();
        self.runtime.spawn(async move {
            // An engine that has ended feeds nobody.
            let _ended = engine.tell(Input::Page(input)).await;
        });
    }

    pub(crate) async fn ack(&self, args: AckArgs) -> Result<(), ErrorView> {
        self.engine
            .tell(Input::Page(PageInput::Ack {
                prompt: args.prompt,
                number: args.number,
            }))
            .await
    }

    pub(crate) async fn keep_draft(&self, args: KeepDraftArgs) -> Result<(), ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Page(PageInput::KeepDraft {
                    prompt: args.prompt,
                    draft: args.draft,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn draft(&self, args: PromptArgs) -> Result<String, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::Page(PageInput::Draft {
                    prompt: args.prompt,
                    answer,
                })
            })
            .await
    }
}
