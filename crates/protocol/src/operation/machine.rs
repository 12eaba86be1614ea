//! The state machine.

use std::collections::HashSet;

use serde_json::value::RawValue;
use wire::message::RpcError;
use wire::object::{self, ObjectWriter, ValueKind};

use super::browser::Browsing;
use super::{Again, AnswerError, Finish, InputRequest, Intent, Limits, Pages, Step};
use crate::era::Era;
use crate::findings::Finding;
use crate::paging::{Next, Paging};
use crate::request::META_PROTOCOL_VERSION;
use crate::rounds::{self, Required, ResultKind};
use crate::tasks::TaskRun;
use crate::{rules, text};

/// One operation's state.
#[derive(Debug)]
pub struct Operation {
    pub(super) intent: Intent,
    limits: Limits,
    pub(super) round: u32,
    /// Rounds whose reply asked for more, since the page began.
    asked_rounds: u32,
    /// Rounds in a row whose reply had a state and no requests.
    state_only_rounds: u32,
    /// The page's parameters, to which a retry adds.
    params: Option<String>,
    /// What was sent last.
    pub(super) sent: Option<String>,
    sent_again_for_headers: bool,
    sent_again_for_revision: bool,
    paging: Paging,
    pub(super) stage: Stage,
    /// The task that it became, also when that is over.
    pub(super) task: Option<Box<TaskRun>>,
    /// The connection is gone, which ends a task that is followed too.
    pub(super) is_cut_off: bool,
    pub(super) browsing: Browsing,
    reported: HashSet<(String, String)>,
}

#[derive(Debug)]
pub(super) enum Stage {
    /// A request is on its way.
    Sent,
    /// The person is asked.
    Asking {
        asked: Vec<Asked>,
        state: Option<String>,
        /// By an error of the legacy era, which has no answers to send.
        by_error: bool,
    },
    /// The person is in their browser; then these parameters are sent.
    Browsing {
        params: Option<String>,
        /// What the server may say is complete.
        ids: Vec<String>,
    },
    /// A wait before the retry with this state.
    Waiting { state: Option<String> },
    /// A task is followed.
    Task,
    /// Over.
    Over,
}

#[derive(Debug)]
pub(super) struct Asked {
    pub(super) request: InputRequest,
    pub(super) reply: Reply,
}

#[derive(Debug)]
pub(super) enum Reply {
    Open,
    Given(String),
    LeftOut,
}

impl Operation {
    /// Begins an operation. The first step is a `Send`, or the end when the parameters are no JSON object.
    pub fn start(intent: Intent, limits: Limits) -> (Operation, Step) {
        let mut operation = Operation {
            limits,
            round: 0,
            asked_rounds: 0,
            state_only_rounds: 0,
            params: intent.params.clone(),
            sent: None,
            sent_again_for_headers: false,
            sent_again_for_revision: false,
            paging: Paging::new(intent.params.as_deref()),
            stage: Stage::Sent,
            task: None,
            is_cut_off: false,
            browsing: Browsing::default(),
            reported: HashSet::new(),
            intent,
        };
        let step = match &operation.params {
            Some(params) if text::members(params).is_none() => {
                let message = format!(
                    "The parameters of {} are not a JSON object, so nothing was sent: {}",
                    operation.intent.method,
                    text::excerpt(params, 120)
                );
                let hint = "Correct the JSON; a person's arguments must be an object in braces.";
                operation.fail("bad parameters", message, Some(hint))
            }
            _ => operation.send(operation.params.clone(), None),
        };
        (operation, step)
    }

    /// The parameters to which answers and states are added.
    pub(super) fn own_params(&self) -> Option<&str> {
        self.params.as_deref()
    }

    /// Nothing was sent: what begins here was begun in another run.
    pub(super) fn forget_first_round(&mut self) {
        self.round = 0;
        self.sent = None;
    }

    /// What it is about.
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// The round that was sent last, from 1; 0 when none was.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The parameters of the request that was sent last.
    pub fn sent(&self) -> Option<&str> {
        self.sent.as_deref()
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// The request that was sent last got this result.
    pub fn on_result(&mut self, result: &RawValue) -> (Step, Vec<Finding>) {
        let mut findings = Vec::new();
        let step = match &self.stage {
            Stage::Sent => self.judge(result, &mut findings),
            Stage::Task => self.with_task(|task| task.on_result(result, &mut findings)),
            _ => return (Step::Nothing, findings),
        };
        // The pages of one list repeat one fault; it is said once.
        findings.retain(|finding| {
            self.reported
                .insert((finding.rule.clone(), finding.message.clone()))
        });
        (step, findings)
    }

    /// The request that was sent last got this error.
    pub fn on_error(&mut self, error: &RpcError) -> Step {
        if matches!(self.stage, Stage::Task) {
            return self.with_task(|task| task.on_error(error));
        }
        if !matches!(self.stage, Stage::Sent) {
            return Step::Nothing;
        }
        self.finish(Finish::RpcError {
            code: error.code,
            message: error.message.clone(),
        })
    }

    /// The request that was sent last was refused for how it was sent, and that is put right now: the same once more.
    /// `None` when it had its second chance, or nothing is on its way.
    pub fn send_again(&mut self, again: &Again) -> Option<Step> {
        if !self.may_send_again(again) {
            return None;
        }
        let round = self.round + 1;
        let label = match again {
            Again::Headers => {
                self.sent_again_for_headers = true;
                format!("round {round}, with the headers of the new list")
            }
            Again::Revision(revision) => {
                self.sent_again_for_revision = true;
                format!("round {round}, in {revision}")
            }
        };
        let params = self.sent.clone();
        Some(self.send(params, Some(label)))
    }

    /// Whether [`Operation::send_again`] would send.
    pub fn may_send_again(&self, again: &Again) -> bool {
        let was_sent_again = match again {
            Again::Headers => self.sent_again_for_headers,
            // A revision that the person wrote is theirs: it would be sent again as it is.
            Again::Revision(_) => self.sent_again_for_revision || self.names_revision(),
        };
        matches!(self.stage, Stage::Sent) && !was_sent_again
    }

    fn names_revision(&self) -> bool {
        self.sent
            .as_deref()
            .and_then(|params| object::get(params, "_meta"))
            .is_some_and(|meta| object::get(meta, META_PROTOCOL_VERSION).is_some())
    }

    /// The connection failed, or gave an answer that is no message.
    pub fn on_transport_failure(
        &mut self,
        brief: impl Into<String>,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Step {
        let (brief, mut message) = (brief.into(), message.into());
        if let (Stage::Task, Some(task)) = (&self.stage, &self.task) {
            if !self.is_cut_off {
                return self.with_task(|task| task.on_failure(&brief, &message));
            }
            message = format!("{message} {}", task.farewell());
        }
        self.finish(Finish::Failed {
            brief,
            message,
            hint,
        })
    }

    /// The person answered the prompt of this key: the text of the method's result object, sent as it is.
    ///
    /// # Errors
    /// The answer was not taken, and nothing changed.
    pub fn answer(&mut self, key: &str, answer_json: String) -> Result<Step, AnswerError> {
        if matches!(self.stage, Stage::Task) {
            return self.try_with_task(|task| task.answer(key, answer_json));
        }
        self.reply(key, Reply::Given(answer_json))
    }

    /// The person goes on without answering this key, which is then left out of `inputResponses`: the only
    /// way past a request that cannot be answered. The server may ask again.
    ///
    /// # Errors
    /// The operation does not wait for this key.
    pub fn leave_out(&mut self, key: &str) -> Result<Step, AnswerError> {
        if matches!(self.stage, Stage::Task) {
            return self.try_with_task(|task| task.leave_out(key));
        }
        self.reply(key, Reply::LeftOut)
    }

    /// The wait is over.
    pub fn waited(&mut self) -> Step {
        if matches!(self.stage, Stage::Task) {
            return self.with_task(TaskRun::waited);
        }
        if self.is_browsing() {
            return self.retry_now();
        }
        if !matches!(self.stage, Stage::Waiting { .. }) {
            return Step::Nothing;
        }
        let Stage::Waiting { state } = std::mem::replace(&mut self.stage, Stage::Sent) else {
            return Step::Nothing;
        };
        self.retry(None, state.as_deref())
    }

    /// The person cancelled. The driver tells the server, where something is on its way. A task is not over by that:
    /// the server is asked to cancel it, and what it does is waited for.
    pub fn cancel(&mut self) -> Step {
        if matches!(self.stage, Stage::Task) {
            return self.with_task(TaskRun::cancel);
        }
        self.finish(Finish::Cancelled)
    }

    fn judge(&mut self, result: &RawValue, findings: &mut Vec<Finding>) -> Step {
        if self.intent.era == Era::Modern {
            match rounds::judge_result_type(result, findings) {
                ResultKind::Complete => {
                    rounds::judge_caching(&self.intent.method, result, findings);
                }
                ResultKind::InputRequired => return self.input_required(result, findings),
                ResultKind::Task => return self.task_created(result, findings),
                ResultKind::Unknown(token) => {
                    let message = format!(
                        "{} was answered with a result of the type {token}, which Roundtrip did not say it knows; such a result is invalid.",
                        self.title()
                    );
                    let hint = "The whole result is in the timeline. The type may belong to an extension that the server uses unasked.";
                    return self.fail("unknown resultType", message, Some(hint));
                }
            }
        } else if ValueKind::of(result) != ValueKind::Object {
            findings.push(rules::result_not_object());
        } else if self.wants_task()
            && let Some(step) = self.legacy_task_created(result, findings)
        {
            return step;
        }
        if self.intent.pages == Pages::All && Paging::applies_to(&self.intent.method) {
            match self
                .paging
                .next(self.intent.era, result, self.limits.pages, findings)
            {
                Next::End => {}
                Next::Page(cursor) => return self.next_page(&cursor),
                Next::Broken(finish) => return self.finish(finish),
            }
        }
        let is_tool_error = self.intent.method == "tools/call"
            && object::get(result, "isError").is_some_and(|flag| flag.get() == "true");
        self.finish(if is_tool_error {
            Finish::ToolError
        } else {
            Finish::Complete
        })
    }

    fn input_required(&mut self, result: &RawValue, findings: &mut Vec<Finding>) -> Step {
        if !rounds::may_ask(&self.intent.method) {
            findings.push(rules::input_required_not_allowed(&self.intent.method));
        }
        let Required { requests, state } =
            match rounds::read_required(result, &self.intent.declared, findings) {
                Ok(required) => required,
                Err(why) => {
                    let hint = "The result is in the timeline; the server's answer is at fault.";
                    return self.fail("asks for nothing", why, Some(hint));
                }
            };
        if let Some(step) = self.asked_for_opened_links(&requests, state.as_deref()) {
            return step;
        }
        if let Some(over) = self.too_many_questions() {
            return over;
        }
        if requests.is_empty() {
            let millis = back_off_millis(self.state_only_rounds);
            self.state_only_rounds += 1;
            self.stage = Stage::Waiting { state };
            return Step::Wait {
                millis,
                reason: "the server gave a state and asks to be called again".to_owned(),
            };
        }
        self.ask(requests, state, false)
    }

    /// Counts a round that asks for more; the end, where that was one too many.
    pub(super) fn too_many_questions(&mut self) -> Option<Step> {
        self.asked_rounds += 1;
        if self.asked_rounds >= self.limits.rounds {
            let message = format!(
                "{} was answered {} times by asking for more, and never with a result, so Roundtrip stopped.",
                self.title(),
                self.asked_rounds
            );
            let hint = "Compare the rounds in the timeline: a server that asks the same again does not accept the answer, or loses its state.";
            return Some(self.fail("asks without end", message, Some(hint)));
        }
        None
    }

    pub(super) fn ask(
        &mut self,
        requests: Vec<InputRequest>,
        state: Option<String>,
        by_error: bool,
    ) -> Step {
        self.state_only_rounds = 0;
        let asked = requests.iter().map(|request| Asked {
            request: request.clone(),
            reply: Reply::Open,
        });
        self.stage = Stage::Asking {
            asked: asked.collect(),
            state,
            by_error,
        };
        Step::Ask(requests)
    }

    pub(super) fn reply(&mut self, key: &str, reply: Reply) -> Result<Step, AnswerError> {
        let not_asked = || AnswerError::NotAsked {
            key: key.to_owned(),
        };
        let Stage::Asking {
            asked,
            state,
            by_error,
        } = &mut self.stage
        else {
            return Err(not_asked());
        };
        let is_open = |one: &&mut Asked| one.request.key == key && matches!(one.reply, Reply::Open);
        let open = asked.iter_mut().find(is_open).ok_or_else(not_asked)?;
        if matches!(&reply, Reply::Given(answer) if text::members(answer).is_none()) {
            return Err(AnswerError::NotAnObject {
                key: key.to_owned(),
            });
        }
        if *by_error && let Some(is_declined) = refusal(&reply) {
            return Ok(self.link_refused(is_declined));
        }
        open.reply = reply;
        if asked.iter().any(|one| matches!(one.reply, Reply::Open)) {
            return Ok(Step::Nothing);
        }
        if *by_error {
            let ids = asked.iter().map(|one| one.request.key.clone()).collect();
            return Ok(self.browse(ids));
        }
        let mut responses = ObjectWriter::new();
        for one in asked.iter() {
            if let Reply::Given(answer) = &one.reply {
                responses.raw(&one.request.key, answer);
            }
        }
        let state = state.take();
        self.stage = Stage::Sent;
        Ok(self.retry(Some(&responses.finish()), state.as_deref()))
    }

    /// The page's request once more, with this round's responses and state and none of an earlier round's.
    fn retry(&mut self, responses: Option<&str>, state: Option<&str>) -> Step {
        let params = self.retry_params(responses, state);
        self.send(Some(params), self.page_label())
    }

    pub(super) fn retry_params(&self, responses: Option<&str>, state: Option<&str>) -> String {
        let params = self.params.as_deref().unwrap_or("{}");
        let mut params = text::without(params, &["inputResponses", "requestState"]);
        if let Some(responses) = responses {
            params = text::set(&params, "inputResponses", responses);
        }
        if let Some(state) = state {
            params = text::set(&params, "requestState", state);
        }
        params
    }

    fn next_page(&mut self, cursor: &str) -> Step {
        self.asked_rounds = 0;
        self.state_only_rounds = 0;
        let params = text::set(self.params.as_deref().unwrap_or("{}"), "cursor", cursor);
        self.params = Some(params.clone());
        self.send(Some(params), self.page_label())
    }

    fn page_label(&self) -> Option<String> {
        (self.paging.page > 1).then(|| format!("page {}", self.paging.page))
    }

    pub(super) fn send(&mut self, params: Option<String>, label: Option<String>) -> Step {
        self.round += 1;
        self.stage = Stage::Sent;
        self.sent.clone_from(&params);
        Step::Send {
            round: self.round,
            params,
            label,
        }
    }

    pub(super) fn title(&self) -> String {
        match &self.intent.name {
            Some(name) => format!("{} {name}", self.intent.method),
            None => self.intent.method.clone(),
        }
    }

    pub(super) fn fail(&mut self, brief: &str, message: String, hint: Option<&str>) -> Step {
        self.finish(Finish::Failed {
            brief: brief.to_owned(),
            message,
            hint: hint.map(str::to_owned),
        })
    }

    pub(super) fn finish(&mut self, finish: Finish) -> Step {
        if self.is_over() {
            return Step::Nothing;
        }
        self.stage = Stage::Over;
        Step::Finished(finish)
    }
}

/// Whether an answer that is not accept is a decline; `None` for accept.
fn refusal(reply: &Reply) -> Option<bool> {
    let Reply::Given(answer) = reply else {
        return Some(false);
    };
    let action = object::get(answer.as_str(), "action").and_then(object::string);
    match action.as_deref() {
        Some("accept") => None,
        action => Some(action == Some("decline")),
    }
}

/// Half a second, doubled with each round in a row, at most ten seconds. A client may retry at once, but a
/// server that gives a state alone is shedding load.
fn back_off_millis(rounds_before: u32) -> u64 {
    (500_u64 << rounds_before.min(5)).min(10_000)
}
