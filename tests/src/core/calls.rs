//! What a test asks of a server, what comes of it, and what is asked back.

use std::time::Duration;

use app::api::feed::{FeedBatch, PromptAction, PromptView};
use app::api::lists::ListView;
use app::api::replies::OperationReply;
use app::api::servers::Phase;
use app::api::tools::{CallOutcome, CallResult, CallStarted, ContentView, ListState, ToolList};
use journal::event::OperationId;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{Core, PATIENCE};

impl Core {
    /// Waits until the tools are listed. What a server declares is known only once its handshake is over.
    pub async fn tools(&self, server: &str) -> ToolList {
        for _ in 0..600 {
            let before = self.phase_now(server).await;
            let list: ToolList = self.must("tools", json!({ "server": server })).await;
            let is_settled = before != Phase::Connecting && before == self.phase_now(server).await;
            let has_none = !list.declared && is_settled;
            if has_none || matches!(list.state, ListState::Ready | ListState::Failed { .. }) {
                return list;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the tools never came\n{}", self.timeline());
    }

    /// Waits until one of the lists is there, or has failed: `resources`, `resource_templates` or `prompts`.
    pub async fn list<T: DeserializeOwned>(&self, list: &str, server: &str) -> ListView<T> {
        for _ in 0..600 {
            let view: ListView<T> = self.must(list, json!({ "server": server })).await;
            if !matches!(view.state, ListState::Loading | ListState::Unasked) {
                return view;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the {list} never came\n{}", self.timeline());
    }

    /// Fetches one of the lists, past the cache or not, and waits for it.
    pub async fn fetch<T: DeserializeOwned>(
        &self,
        list: &str,
        server: &str,
        refresh: bool,
    ) -> ListView<T> {
        let args = json!({ "server": server, "list": list, "refresh": refresh });
        let _: () = self.must("fetch_list", args).await;
        self.list(list, server).await
    }

    /// Reads a resource and waits for what comes.
    pub async fn read(&self, server: &str, uri: &str, refresh: bool) -> CallOutcome {
        let args = json!({ "server": server, "uri": uri, "refresh": refresh });
        let operation = self.must("read_resource", args).await;
        self.outcome(operation).await
    }

    /// Calls a tool by its name and gives the operation.
    pub async fn start_call(&self, server: &str, tool: &str, arguments: &str) -> OperationId {
        let list = self.tools(server).await;
        let index = list
            .entries
            .iter()
            .find(|view| view.name == tool)
            .unwrap_or_else(|| {
                panic!(
                    "no tool {tool} among {:?}",
                    list.entries
                        .iter()
                        .map(|tool| &tool.name)
                        .collect::<Vec<_>>()
                )
            })
            .index;
        let started: CallStarted = self
            .must(
                "call_tool",
                json!({ "server": server, "tool": index, "name": tool, "arguments": arguments }),
            )
            .await;
        started.operation
    }

    /// Calls a tool and waits for what comes.
    pub async fn call(&self, server: &str, tool: &str, arguments: &str) -> CallOutcome {
        let operation = self.start_call(server, tool, arguments).await;
        self.outcome(operation).await
    }

    /// Sends any request and waits for its replies as they came. `request` lacks what is usual: the server, one page,
    /// no progress and no limit of its own.
    pub async fn request(&self, server: &str, request: Value) -> OperationReply {
        let mut args = json!({ "server": server, "params": null, "pages": "one", "progress": false, "limit_millis": null });
        for (name, value) in request.as_object().expect("an object") {
            args[name] = value.clone();
        }
        let operation: OperationId = self.must("request", args).await;
        self.must("reply", json!({ "operation": operation })).await
    }

    /// Waits for an operation's outcome.
    pub async fn outcome(&self, operation: OperationId) -> CallOutcome {
        tokio::time::timeout(
            PATIENCE,
            self.must("outcome", json!({ "operation": operation })),
        )
        .await
        .unwrap_or_else(|_| panic!("the operation never ended\n{}", self.timeline()))
    }

    /// Waits for the first open prompt.
    pub async fn prompt(&self) -> PromptView {
        self.until("a prompt", |seen| seen.prompts.first().cloned())
            .await
    }

    /// Waits for a prompt that was asked after this one.
    pub async fn next_prompt(&self, before: u32) -> PromptView {
        self.until("a further prompt", |seen| {
            let mut prompts = seen.prompts.iter();
            prompts.find(|prompt| prompt.id > before).cloned()
        })
        .await
    }

    /// Answers a prompt.
    pub async fn answer(&self, prompt: u32, action: PromptAction, content: Option<&str>) {
        let args = json!({ "prompt": prompt, "action": action, "content": content });
        let _: () = self.must("answer_prompt", args).await;
    }

    /// Opens the page of a prompt's own window: its batches, each to be acknowledged by who takes it.
    pub fn attach_prompt(&self, prompt: u32) -> mpsc::UnboundedReceiver<FeedBatch> {
        let (batches, arrived) = mpsc::unbounded_channel();
        let sink = move |text: String| {
            let batch = serde_json::from_str(&text).expect("a batch");
            batches.send(batch).is_ok()
        };
        self.app.attach_prompt(prompt, Box::new(sink));
        arrived
    }

    /// The page of a prompt's own window has applied a batch.
    pub async fn acknowledge(&self, prompt: u32, number: u32) {
        let args = json!({ "number": number, "prompt": prompt });
        let _: () = self.must("ack", args).await;
    }
}

/// The texts of what a resource holds.
///
/// # Panics
/// The outcome is something else.
pub fn resource_text(outcome: &CallOutcome) -> String {
    let CallResult::Resource { contents, .. } = &outcome.result else {
        panic!("no resource: {outcome:#?}");
    };
    let texts = contents.iter().map(|part| match &part.content {
        ContentView::Text { text } => text.clone(),
        other => format!("{other:?}"),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The text of a result's text blocks.
pub fn text_of(outcome: &CallOutcome) -> String {
    match &outcome.result {
        CallResult::Tool { content, .. } => content
            .iter()
            .filter_map(|block| match block {
                ContentView::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join("\n"),
        other => panic!("not a tool's result: {other:#?}"),
    }
}
