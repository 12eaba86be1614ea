//! A core with one server: connecting to it, and following what happens until something has ended.

use std::collections::HashSet;
use std::time::Duration;

use app::App;
use app::api::events::{Happening, JournalEvent, JournalPart};
use app::api::feed::{FeedBatch, PromptAction, PromptAsk, PromptView};
use app::api::replies::OperationReply;
use app::api::servers::{ConnectionView, Phase};
use app::api::tools::CallOutcome;
use app::api::{AttemptOutcome, ErrorCode, ErrorView, OperationId};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::answers::Answers;
use crate::arguments::Reach;
use crate::exit::{Exit, Problem};
use crate::line::Line;
use crate::output::{Figures, Output, brief};
use crate::target::Target;

/// How long the end of a cancelled operation is awaited.
const LAST_WORDS_LIMIT: Duration = Duration::from_secs(2);
/// How much of a text a note shows.
const NOTE_CHARS: usize = 200;

/// Runs a command of the core and reads its reply.
///
/// # Errors
/// What the core says.
pub async fn rpc<T: DeserializeOwned>(app: &App, name: &str, args: Value) -> Result<T, ErrorView> {
    let read = |text: &str, error: &serde_json::Error| ErrorView {
        code: ErrorCode::Failed,
        message: format!("The core's reply to {name} cannot be read: {error}: {text}"),
        hint: None,
    };
    match app.rpc(name, &args.to_string()).await {
        Ok(reply) => serde_json::from_str(&reply).map_err(|error| read(&reply, &error)),
        Err(text) => Err(serde_json::from_str(&text).unwrap_or_else(|error| read(&text, &error))),
    }
}

/// The core at work.
pub struct Session {
    app: App,
    server: String,
    feed: mpsc::UnboundedReceiver<String>,
    answers: Answers,
    verbose: bool,
    next_event: u32,
    answered: HashSet<u32>,
    running: Option<OperationId>,
}

impl Session {
    /// Connects, and says to whom.
    ///
    /// # Errors
    /// The connection was not made.
    pub async fn connect(
        &mut self,
        target: &Target,
        output: &mut Output,
    ) -> Result<ConnectionView, Problem> {
        let failed = |error| Problem::of_core(Exit::ConnectionFailed, error);
        let _: () = rpc(
            &self.app,
            "connect",
            json!({ "server": self.server, "era": target.era }),
        )
        .await
        .map_err(failed)?;
        let view: ConnectionView = rpc(&self.app, "settled", json!({ "server": self.server }))
            .await
            .map_err(failed)?;
        if view.phase != Phase::Connected {
            self.drain(output).await?;
            return Err(failed(view.error.unwrap_or(ErrorView {
                code: ErrorCode::Failed,
                message: "The connection was not made.".to_owned(),
                hint: None,
            })));
        }
        if let Some(report) = &view.report {
            output.event(
                Line::event("connected")
                    .text("era", &report.era)
                    .text("revision", &report.revision)
                    .maybe("name", report.name.as_deref())
                    .maybe("version", report.version.as_deref())
                    .json("capabilities", &report.capabilities),
            );
            let name = report.name.as_deref().unwrap_or("a server without a name");
            let version = report.version.as_deref().unwrap_or_default();
            output.note(&format!(
                "connected to {name} {version} ({} {})",
                report.era, report.revision
            ));
        }
        Ok(view)
    }

    /// A core that is followed.
    pub fn new(target: &Target, reach: &Reach, answers: Answers) -> Self {
        let (batches, feed) = mpsc::unbounded_channel();
        // The core holds back what is not acknowledged, so that little waits here.
        target
            .app
            .attach(Box::new(move |text| batches.send(text).is_ok()));
        Self {
            app: target.app.clone(),
            server: target.server.clone(),
            feed,
            answers,
            verbose: reach.verbose,
            next_event: 0,
            answered: HashSet::new(),
            running: None,
        }
    }

    /// Runs a command of the core.
    ///
    /// # Errors
    /// What the core says.
    pub async fn rpc<T: DeserializeOwned>(&self, name: &str, args: Value) -> Result<T, ErrorView> {
        rpc(&self.app, name, args).await
    }

    /// The server's identity.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Sends a request and follows it to its end.
    ///
    /// # Errors
    /// It could not be sent, or a prompt has no answer.
    pub async fn ask(
        &mut self,
        request: Value,
        output: &mut Output,
    ) -> Result<OperationReply, Problem> {
        let operation: OperationId =
            self.rpc("request", request)
                .await
                .map_err(|error| match error.code {
                    ErrorCode::BadInput => Problem::of_core(Exit::Usage, error),
                    _ => Problem::of_core(Exit::Failed, error),
                })?;
        self.follow(operation, output).await
    }

    /// Follows an operation to its end.
    ///
    /// # Errors
    /// A prompt has no answer, or nobody reads the output.
    pub async fn follow(
        &mut self,
        operation: OperationId,
        output: &mut Output,
    ) -> Result<OperationReply, Problem> {
        self.running = Some(operation);
        let app = self.app.clone();
        let reply = rpc::<OperationReply>(&app, "reply", json!({ "operation": operation }));
        let mut reply = std::pin::pin!(reply);
        let reply = loop {
            tokio::select! {
                biased;
                reply = &mut reply => break reply,
                Some(text) = self.feed.recv() => self.take(&text, output).await?,
            }
        };
        self.drain(output).await?;
        self.running = None;
        if let Ok(outcome) = self
            .rpc::<CallOutcome>("outcome", json!({ "operation": operation }))
            .await
        {
            output.took(Figures {
                total: outcome.total_micros,
                server: outcome.server_micros,
                user: outcome.user_micros,
                time: outcome.time_micros,
            });
        }
        reply.map_err(|error| Problem::of_core(Exit::Internal, error))
    }

    /// Cancels what runs, in the protocol's way, and waits a moment for its end.
    pub async fn cancel(&mut self, output: &mut Output) {
        let Some(operation) = self.running else {
            return;
        };
        let args = json!({ "operation": operation });
        // It may have ended just now.
        let cancelled: Result<(), _> = self.rpc("cancel", args.clone()).await;
        if cancelled.is_ok() {
            let ended = self.rpc::<OperationReply>("reply", args);
            let _over = tokio::time::timeout(LAST_WORDS_LIMIT, ended).await;
        }
        // What cannot be shown any more was no reason to go on.
        let _shown = self.drain(output).await;
    }

    /// Closes the connection; no process is left.
    pub async fn close(self) {
        self.app.shutdown().await;
    }

    /// A batch of the feed: prompts are answered, events shown.
    async fn take(&mut self, text: &str, output: &mut Output) -> Result<(), Problem> {
        let internal = |error| Problem::of_core(Exit::Internal, error);
        let batch: FeedBatch = serde_json::from_str(text)
            .map_err(|error| Problem::new(Exit::Internal, error.to_string()))?;
        let _: () = self
            .rpc("ack", json!({ "number": batch.number }))
            .await
            .map_err(internal)?;
        self.drain(output).await?;
        for prompt in batch.prompts.unwrap_or_default() {
            // While the person is in the browser nothing is asked.
            let is_question = !matches!(prompt.ask, PromptAsk::Browser { .. });
            if is_question && self.answered.insert(prompt.id) {
                self.answer(&prompt, output).await?;
            }
        }
        output.check()
    }

    async fn answer(&mut self, prompt: &PromptView, output: &mut Output) -> Result<(), Problem> {
        // Whatever kinds of prompt there are: what they hold is told by the same words.
        let ask = json!(prompt.ask);
        let part = |key: &str| ask[key].as_str();
        let mut line = Line::event("prompt")
            .number("prompt", prompt.id)
            .text("key", &prompt.input_key)
            .number("round", prompt.round)
            .text("kind", part("kind").unwrap_or_default())
            .text("message", &prompt.message)
            .maybe("url", ask["link"]["url"].as_str());
        if let Some(schema) = part("schema") {
            line = line.json("schema", schema);
        }
        if let Some(request) = part("json") {
            line = line.json("request", request);
        }
        output.event(line);
        output.note(&format!(
            "asked ({}): {}",
            prompt.input_key,
            brief(&prompt.message, NOTE_CHARS)
        ));
        let unanswered = |why: &str| {
            Problem::new(
                Exit::PromptUnanswered,
                format!(
                    "The prompt {:?} ({:?}) was not answered: {why}",
                    prompt.input_key,
                    brief(&prompt.message, NOTE_CHARS)
                ),
            )
            .with_hint(
                "Give an answer for it in the file of --answers; docs/cli.md shows its form.",
            )
        };
        let Some(said) = self.answers.to(prompt) else {
            return Err(unanswered("there is no answer for it."));
        };
        let action = said.action;
        // There is no browser here: whoever let the answer be accept has the link from the line above.
        let (command, args) = if part("kind") == Some("link") && action == PromptAction::Accept {
            let act = json!({ "kind": "opened_by_hand" });
            ("link", json!({ "prompt": prompt.id, "act": act }))
        } else {
            let content = said.content;
            (
                "answer_prompt",
                json!({ "prompt": prompt.id, "action": action, "content": content }),
            )
        };
        self.rpc::<()>(command, args)
            .await
            .map_err(|error| unanswered(&error.message))?;
        let action = json!(action);
        let action = action.as_str().unwrap_or_default();
        output.event(
            Line::event("answer")
                .number("prompt", prompt.id)
                .text("key", &prompt.input_key)
                .text("action", action),
        );
        output.note(&format!("answered ({}): {action}", prompt.input_key));
        Ok(())
    }

    /// Shows the events that came since the last time.
    async fn drain(&mut self, output: &mut Output) -> Result<(), Problem> {
        loop {
            let JournalPart { events } = self
                .rpc("events", json!({ "from": self.next_event, "len": 400 }))
                .await
                .map_err(|error| Problem::of_core(Exit::Internal, error))?;
            let Some(last) = events.last() else {
                return output.check();
            };
            self.next_event = last.event.0 + 1;
            for event in &events {
                self.show(event, output);
            }
            output.check()?;
        }
    }

    fn show(&self, event: &JournalEvent, output: &mut Output) {
        let is_ours = event.operation.is_some() && event.operation == self.running;
        let place = |line: Line| match event.operation {
            Some(operation) => line.number("operation", operation.0),
            None => line,
        };
        match &event.what {
            Happening::Received {
                method: Some(method),
                params,
                ..
            } => received(method, params.as_deref(), &place, output),
            Happening::Received { text, .. } => {
                let text = text.as_deref().unwrap_or_default();
                output.event(place(Line::event("stray")).text("text", text));
                output.note(&format!("not protocol: {}", brief(text, NOTE_CHARS)));
            }
            Happening::Stderr { text } => {
                output.event(Line::event("stderr").text("text", text));
                output.note(&format!("server: {text}"));
            }
            Happening::Found { finding } => {
                output.event(
                    place(Line::event("finding"))
                        .text("rule", &finding.rule)
                        .text("message", &finding.message)
                        .text("clause", &finding.clause),
                );
                output.note(&format!("finding: {}", finding.message));
            }
            // Heads and bodies are in the recording.
            Happening::Other { .. } if !self.verbose => {}
            what if is_ours || self.verbose => step(what, &place, output),
            _ => {}
        }
    }
}

/// What an operation does on its way.
fn step(what: &Happening, place: &dyn Fn(Line) -> Line, output: &mut Output) {
    match what {
        Happening::OperationStarted { method, name } => {
            output.event(
                place(Line::event("operation"))
                    .text("method", method)
                    .maybe("name", name.as_deref()),
            );
        }
        Happening::AttemptStarted {
            round,
            attempt,
            request_id,
            label,
        } => {
            let name = if *attempt == 1 { "round" } else { "attempt" };
            let mut line = place(Line::event(name))
                .number("round", round)
                .number("attempt", attempt)
                .maybe("label", label.as_deref());
            if let Some(id) = request_id {
                line = line.json("id", id);
            }
            output.event(line);
        }
        Happening::AttemptEnded {
            round,
            attempt,
            outcome,
        } => {
            output.event(
                place(Line::event("attempt_end"))
                    .number("round", round)
                    .number("attempt", attempt)
                    .json("outcome", &json!(outcome).to_string()),
            );
            if let AttemptOutcome::Transport { message, .. } = outcome {
                output.note(&format!("round {round}, attempt {attempt}: {message}"));
            }
        }
        Happening::WaitStarted { reason } => {
            output.event(place(Line::event("wait")).text("reason", reason));
            output.note(&format!("waiting: {reason}"));
        }
        Happening::Other { label, text } => {
            output.event(
                place(Line::event("other"))
                    .text("label", label)
                    .text("text", text),
            );
        }
        _ => {}
    }
}

/// A notification or a request of the server.
fn received(method: &str, params: Option<&str>, place: &dyn Fn(Line) -> Line, output: &mut Output) {
    let name = match method {
        "notifications/progress" => "progress",
        "notifications/message" => "log",
        _ if method.starts_with("notifications/") => "notification",
        _ => "request",
    };
    output.event(
        place(Line::event(name))
            .text("method", method)
            .json("params", params.unwrap_or("{}")),
    );
    let value: Value = params
        .and_then(|params| serde_json::from_str(params).ok())
        .unwrap_or_default();
    let text = |key: &str| match &value[key] {
        Value::Null => String::new(),
        Value::String(text) => brief(text, NOTE_CHARS),
        other => brief(&other.to_string(), NOTE_CHARS),
    };
    match name {
        "progress" => output.note(&format!(
            "progress: {} of {} {}",
            text("progress"),
            text("total"),
            text("message")
        )),
        "log" => output.note(&format!("log {}: {}", text("level"), text("data"))),
        _ => output.note(&format!("{name}: {method}")),
    }
}
