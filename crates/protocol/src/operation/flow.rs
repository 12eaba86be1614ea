//! What it takes to go on with a link flow in another run: the person may be in their browser for longer than the
//! program lasts.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::machine::{Asked, Operation, Reply, Stage};
use super::{InputRequest, Intent, Limits, Pages, Step};
use crate::era::Era;

/// An operation whose person has opened a link for it, up to here. It holds the server's `requestState` and the
/// person's answers, so it is a secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFlow {
    /// `modern` or `legacy`: what is sent differs.
    pub era: String,
    /// The method.
    pub method: String,
    /// The tool, prompt or resource.
    pub name: Option<String>,
    /// The request's own parameters.
    pub params: Option<String>,
    /// The URLs that the person has opened.
    pub opened: Vec<String>,
    /// Where it stands.
    pub at: FlowStage,
}

/// Where a link flow stands.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum FlowStage {
    /// These parameters are to be sent, once more or for the first time.
    Resend {
        /// The parameters, with answers and state.
        params: Option<String>,
        /// What the server may say is complete.
        ids: Vec<String>,
    },
    /// Not all is answered yet.
    Asking {
        /// What was asked, in order, with the answers that were given.
        asked: Vec<FlowAnswer>,
        /// The token of `requestState`.
        state: Option<String>,
        /// By an error of the legacy era.
        by_error: bool,
    },
}

/// Something that was asked, and what was answered.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowAnswer {
    /// The server's key.
    pub key: String,
    /// The method.
    pub method: String,
    /// Its parameters: JSON text.
    pub params: String,
    /// The answer: JSON text; absent while it is open.
    pub answer: Option<String>,
    /// The person goes on without answering.
    pub is_left_out: bool,
}

impl LinkFlow {
    /// What must not be written anywhere: the answers that are open to be sent, and the states, as they stand in JSON.
    pub fn states(&self) -> Vec<String> {
        match &self.at {
            FlowStage::Resend { params, .. } => params
                .as_deref()
                .and_then(|params| wire::object::get(params, "requestState"))
                .map(|state| state.get().to_owned())
                .into_iter()
                .collect(),
            FlowStage::Asking { state, .. } => state.clone().into_iter().collect(),
        }
    }

    /// The answers in it: the text of a JSON object, or of several.
    pub fn answers(&self) -> Vec<String> {
        match &self.at {
            FlowStage::Resend { params, .. } => params
                .as_deref()
                .and_then(|params| wire::object::get(params, "inputResponses"))
                .map(|answers| answers.get().to_owned())
                .into_iter()
                .collect(),
            FlowStage::Asking { asked, .. } => {
                asked.iter().filter_map(|one| one.answer.clone()).collect()
            }
        }
    }

    /// Whether it is one of this era.
    pub fn is_of(&self, era: Era) -> bool {
        self.era == word(era)
    }
}

fn word(era: Era) -> &'static str {
    match era {
        Era::Modern => "modern",
        Era::Legacy => "legacy",
    }
}

impl Operation {
    /// What it takes to go on in another run; nothing while no link was opened, or when it is over, or a task's.
    pub fn link_flow(&self) -> Option<LinkFlow> {
        if !self.browsing.has_opened() {
            return None;
        }
        let at = match &self.stage {
            Stage::Asking {
                asked,
                state,
                by_error,
            } => FlowStage::Asking {
                asked: asked.iter().map(Asked::kept).collect(),
                state: state.clone(),
                by_error: *by_error,
            },
            Stage::Browsing { params, ids } => FlowStage::Resend {
                params: params.clone(),
                ids: ids.clone(),
            },
            // What is on its way may never have come.
            Stage::Sent => FlowStage::Resend {
                params: self.sent.clone(),
                ids: Vec::new(),
            },
            Stage::Waiting { state } => FlowStage::Resend {
                params: Some(self.retry_params(None, state.as_deref())),
                ids: Vec::new(),
            },
            Stage::Task | Stage::Over => return None,
        };
        Some(LinkFlow {
            era: word(self.intent.era).to_owned(),
            method: self.intent.method.clone(),
            name: self.intent.name.clone(),
            params: self.own_params().map(str::to_owned),
            opened: self.browsing.opened(),
            at,
        })
    }

    /// Takes a flow of an earlier run up. The first step asks what is still open, or sends what is due: the person has
    /// said that it goes on.
    pub fn resume(flow: LinkFlow, era: Era, declared: String, limits: Limits) -> (Operation, Step) {
        let LinkFlow {
            era: _,
            method,
            name,
            params,
            opened,
            at,
        } = flow;
        let intent = Intent {
            era,
            method,
            name,
            params,
            pages: Pages::One,
            declared,
        };
        let (mut operation, first) = Operation::start(intent, limits);
        if operation.is_over() {
            return (operation, first);
        }
        operation.forget_first_round();
        for url in opened {
            operation.link_opened(&url);
        }
        let step = match at {
            FlowStage::Resend { params, ids } => {
                operation.stage = Stage::Browsing { params, ids };
                operation.retry_now()
            }
            FlowStage::Asking {
                asked,
                state,
                by_error,
            } => operation.ask_again(asked, state, by_error),
        };
        (operation, step)
    }

    fn ask_again(&mut self, kept: Vec<FlowAnswer>, state: Option<String>, by_error: bool) -> Step {
        let requests: Vec<InputRequest> = kept.iter().map(FlowAnswer::request).collect();
        let first = self.ask(requests, state, by_error);
        let mut step = first;
        for one in kept {
            let reply = match one.answer {
                Some(answer) => Reply::Given(answer),
                None if one.is_left_out => Reply::LeftOut,
                None => continue,
            };
            // A key that is there twice was one question.
            if let Ok(next @ Step::Send { .. }) = self.reply(&one.key, reply) {
                return next;
            }
        }
        if let (Step::Ask(requests), Stage::Asking { asked, .. }) = (&mut step, &self.stage) {
            requests.retain(|request| asked.iter().any(|one| one.is_open(&request.key)));
        }
        step
    }
}

impl FlowAnswer {
    fn request(&self) -> InputRequest {
        InputRequest {
            key: self.key.clone(),
            method: self.method.clone(),
            params: RawValue::from_string(self.params.clone())
                .or_else(|_| RawValue::from_string("{}".to_owned()))
                .unwrap_or_default(),
        }
    }
}

impl Asked {
    fn kept(&self) -> FlowAnswer {
        FlowAnswer {
            key: self.request.key.clone(),
            method: self.request.method.clone(),
            params: self.request.params.get().to_owned(),
            answer: match &self.reply {
                Reply::Given(answer) => Some(answer.clone()),
                Reply::Open | Reply::LeftOut => None,
            },
            is_left_out: matches!(self.reply, Reply::LeftOut),
        }
    }

    fn is_open(&self, key: &str) -> bool {
        self.request.key == key && matches!(self.reply, Reply::Open)
    }
}
