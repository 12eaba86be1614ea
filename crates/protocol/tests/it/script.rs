//! A server's part is read from a script; what the operation makes of it becomes a transcript.

use std::fmt::Write as _;

use protocol::era::Era;
use protocol::operation::{Again, Finish, Intent, Limits, Operation, Pages, Step};
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
            Step::Finished(Finish::Failed { brief, message, .. }) => {
                format!("failed: {brief}: {message}")
            }
            Step::Finished(finish) => format!("over: {finish:?}"),
            Step::Nothing => "nothing".to_owned(),
        };
        writeln!(self.transcript, "{line}").expect("a string takes all");
    }
}
