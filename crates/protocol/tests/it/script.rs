//! A server's part is read from a script; what the operation makes of it becomes a transcript.

use std::fmt::Write as _;

use protocol::era::Era;
use protocol::operation::{Again, Finish, Intent, Limits, Operation, Pages, Step};
use protocol::tasks::TaskStep;
use serde_json::value::RawValue;
use wire::message::RpcError;

/// JSON text as it came.
pub fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("the test's JSON is JSON")
}

/// A JSON-RPC error as it came.
pub fn rpc_error(code: i64, message: &str, data: Option<&str>) -> RpcError {
    RpcError {
        code,
        message: message.to_owned(),
        data: data.map(raw),
    }
}

/// A tool call in the modern era by a client that can elicit.
pub fn call(params: &str) -> Intent {
    Intent {
        era: Era::Modern,
        method: "tools/call".to_owned(),
        name: None,
        params: Some(params.to_owned()),
        pages: Pages::All,
        declared: r#"{"elicitation":{}}"#.to_owned(),
    }
}

/// A list of the modern era, all pages.
pub fn list(method: &str) -> Intent {
    Intent {
        method: method.to_owned(),
        params: None,
        ..call("{}")
    }
}

/// The same by a client that knows tasks.
pub fn task_call() -> Intent {
    Intent {
        declared: r#"{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#
            .to_owned(),
        ..call(r#"{"name":"build"}"#)
    }
}

fn task_step(round: u32, step: &TaskStep) -> String {
    match step {
        TaskStep::Stop => "stop".to_owned(),
        TaskStep::Send {
            method,
            params,
            label,
            is_endless,
        } => {
            let patience = if *is_endless { ", however long" } else { "" };
            format!("→ {round} ({label}) {method} {params}{patience}")
        }
        TaskStep::Wait { millis, .. } => format!("wait {millis} ms"),
        TaskStep::Ask(requests) => requests
            .iter()
            .map(|request| format!("? {}: {}", request.key, request.method))
            .collect::<Vec<_>>()
            .join("\n"),
        TaskStep::Withdraw(keys) => format!("withdraw {}", keys.join(", ")),
        TaskStep::Note(text) => format!("note: {text}"),
        TaskStep::Finished(Finish::Failed { brief, message, .. }) => {
            format!("failed: {brief}: {message}")
        }
        TaskStep::Finished(finish) => format!("over: {finish:?}"),
    }
}

/// An operation and the transcript of what it did.
pub struct Script {
    pub operation: Operation,
    pub transcript: String,
}

impl Script {
    pub fn start(intent: Intent) -> Script {
        Script::start_within(intent, Limits::default())
    }

    pub fn start_within(intent: Intent, limits: Limits) -> Script {
        let (operation, step) = Operation::start(intent, limits);
        let mut script = Script {
            operation,
            transcript: String::new(),
        };
        script.note(&step);
        script
    }

    /// The server answers with a result.
    pub fn result(&mut self, result: &str) -> &mut Script {
        let (step, findings) = self.operation.on_result(&raw(result));
        for finding in findings {
            writeln!(self.transcript, "! {}", finding.rule).expect("a string takes all");
        }
        self.note(&step);
        self
    }

    /// The server answers with an error.
    pub fn error(&mut self, code: i64, message: &str) -> &mut Script {
        let step = self.operation.on_error(&rpc_error(code, message, None));
        self.note(&step);
        self
    }

    /// A legacy server answers that links must be opened first.
    pub fn links_required(&mut self, data: Option<&str>) -> &mut Script {
        let error = rpc_error(-32042, "Sign in first.", data);
        let (step, findings) = self.operation.on_links_required(&error);
        for finding in findings {
            writeln!(self.transcript, "! {}", finding.rule).expect("a string takes all");
        }
        match step {
            Some(step) => self.note(&step),
            None => self.transcript.push_str("not about links\n"),
        }
        self
    }

    /// The person answers.
    pub fn answer(&mut self, key: &str, answer: &str) -> &mut Script {
        match self.operation.answer(key, answer.to_owned()) {
            Ok(step) => self.note(&step),
            Err(error) => {
                writeln!(self.transcript, "refused: {error}").expect("a string takes all");
            }
        }
        self
    }

    /// The person goes on without answering.
    pub fn leave_out(&mut self, key: &str) -> &mut Script {
        match self.operation.leave_out(key) {
            Ok(step) => self.note(&step),
            Err(error) => {
                writeln!(self.transcript, "refused: {error}").expect("a string takes all");
            }
        }
        self
    }

    pub fn waited(&mut self) -> &mut Script {
        let step = self.operation.waited();
        self.note(&step);
        self
    }

    /// The refusal of what was sent last is put right.
    pub fn again(&mut self, again: &Again) -> &mut Script {
        match self.operation.send_again(again) {
            Some(step) => self.note(&step),
            None => self.transcript.push_str("not again\n"),
        }
        self
    }

    pub fn cancel(&mut self) -> &mut Script {
        let step = self.operation.cancel();
        self.note(&step);
        self
    }

    /// No reply came.
    pub fn fails(&mut self, brief: &str) -> &mut Script {
        let step = self
            .operation
            .on_transport_failure(brief, "The wire was cut.", None);
        self.note(&step);
        self
    }

    /// The server told of the task by itself.
    pub fn told(&mut self, task: &str) -> &mut Script {
        let (step, findings) = self.operation.told(&raw(task));
        for finding in findings {
            writeln!(self.transcript, "! {}", finding.rule).expect("a string takes all");
        }
        self.note(&step);
        self
    }

    /// What happens besides.
    pub fn turn(&mut self, turn: impl FnOnce(&mut Operation) -> Step) -> &mut Script {
        let step = turn(&mut self.operation);
        self.note(&step);
        self
    }

    /// The transcript since it was last taken.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.transcript)
    }

    fn note(&mut self, step: &Step) {
        let line = match step {
            Step::Send {
                round,
                params,
                label,
            } => {
                let label = label
                    .as_ref()
                    .map(|label| format!(" ({label})"))
                    .unwrap_or_default();
                format!(
                    "→ {round}{label} {}",
                    params.as_deref().unwrap_or("no params")
                )
            }
            Step::Ask(requests) => {
                let asked = requests.iter().map(|request| {
                    format!(
                        "? {}: {} {}",
                        request.key,
                        request.method,
                        request.params.get()
                    )
                });
                asked.collect::<Vec<_>>().join("\n")
            }
            Step::Wait { millis, .. } => format!("wait {millis} ms"),
            Step::Browse {
                millis: Some(millis),
                asked_again,
            } => format!("in the browser: {asked_again}, {millis} ms"),
            Step::Browse {
                millis: None,
                asked_again,
            } => format!("in the browser: {asked_again}, until the person says"),
            Step::Finished(Finish::Failed { brief, message, .. }) => {
                format!("failed: {brief}: {message}")
            }
            Step::Finished(finish) => format!("over: {finish:?}"),
            Step::Task { round, steps } => steps
                .iter()
                .map(|step| task_step(*round, step))
                .collect::<Vec<_>>()
                .join("\n"),
            Step::Nothing => "nothing".to_owned(),
        };
        writeln!(self.transcript, "{line}").expect("a string takes all");
    }
}
