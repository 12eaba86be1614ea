//! An operation whose answer is a task: it goes on as the same operation, and ends with the task.

use serde_json::value::RawValue;

use super::machine::{Operation, Stage};
use super::{AnswerError, Intent, Limits, Step};
use crate::findings::Finding;
use crate::tasks::{Pace, TaskDesign, TaskHandle, TaskRun, TaskStep, created_task, read_task};
use crate::{capabilities, rules, text};
use wire::object;

impl Operation {
    /// Takes a task up again. The first step polls it, after a wait of so many milliseconds.
    pub fn follow(
        intent: Intent,
        limits: Limits,
        handle: TaskHandle,
        after_millis: u64,
    ) -> (Operation, Step) {
        let design = TaskDesign::of(intent.era);
        let declared = intent.declared.clone();
        let (mut operation, _) = Operation::start(intent, limits);
        operation.round = 0;
        let (task, steps) = TaskRun::resume(design, handle, declared, after_millis);
        operation.stage = Stage::Task;
        operation.task = Some(Box::new(task));
        let step = operation.task_step(steps);
        (operation, step)
    }

    /// The task that it became, whether it is over or not.
    pub fn task(&self) -> Option<&TaskRun> {
        self.task.as_deref()
    }

    /// Whether a task is followed.
    pub fn is_following(&self) -> bool {
        matches!(self.stage, Stage::Task)
    }

    /// What came in answer to the round, in a word: a task's status, else the `resultType`, `complete` where there is
    /// none.
    pub fn word_for(&self, result: &RawValue) -> String {
        self.task()
            .and_then(|task| task.word_for(result))
            .or_else(|| {
                object::get(result, "resultType")
                    .and_then(object::string)
                    .map(std::borrow::Cow::into_owned)
            })
            .unwrap_or_else(|| {
                let is_handle = self.wants_task()
                    && matches!(self.stage, Stage::Sent)
                    && created_task(result).is_some();
                if is_handle { "task" } else { "complete" }.to_owned()
            })
    }

    /// Polls a task that is followed at once, unless something is on its way.
    pub fn poll_now(&mut self) -> Step {
        self.with_task(TaskRun::poll_now)
    }

    /// The person wants to hear nothing more of the task that is followed; the server is not told.
    pub fn let_go(&mut self) -> Step {
        self.with_task(TaskRun::let_go)
    }

    /// The person wants the task that is followed polled so.
    pub fn set_pace(&mut self, pace: Pace) -> Step {
        self.with_task(|task| task.set_pace(pace))
    }

    /// The server told of the task that is followed, by a notification.
    pub fn told(&mut self, task: &RawValue) -> (Step, Vec<Finding>) {
        let mut findings = Vec::new();
        let step = self.with_task(|run| run.told(task, &mut findings));
        (step, findings)
    }

    /// Whether the server tells of the task by itself from now on.
    pub fn set_listened(&mut self, is_listened: bool) -> Step {
        self.with_task(|task| task.set_listened(is_listened))
    }

    /// The time to live of the task that is followed is over.
    pub fn expire_task(&mut self) -> Step {
        self.with_task(TaskRun::expire)
    }

    /// The connection is gone: the failure that comes now is the end, also of a task.
    pub fn cut_off(&mut self) {
        self.is_cut_off = true;
    }

    /// Whether the request asks for an experimental task (2025-11-25 basic/utilities/tasks § Creating Tasks).
    pub(super) fn wants_task(&self) -> bool {
        let intent = self.intent();
        TaskDesign::of(intent.era) == TaskDesign::Experimental
            && intent.method == "tools/call"
            && intent
                .params
                .as_deref()
                .is_some_and(|params| object::get(params, "task").is_some())
    }

    pub(super) fn with_task(&mut self, turn: impl FnOnce(&mut TaskRun) -> Vec<TaskStep>) -> Step {
        let (Stage::Task, Some(task)) = (&self.stage, &mut self.task) else {
            return Step::Nothing;
        };
        let steps = turn(task);
        self.task_step(steps)
    }

    pub(super) fn try_with_task(
        &mut self,
        turn: impl FnOnce(&mut TaskRun) -> Result<Vec<TaskStep>, AnswerError>,
    ) -> Result<Step, AnswerError> {
        let (Stage::Task, Some(task)) = (&self.stage, &mut self.task) else {
            return Ok(Step::Nothing);
        };
        let steps = turn(task)?;
        Ok(self.task_step(steps))
    }

    /// An answer whose type is `task` (SEP-2663 § Task Creation).
    pub(super) fn task_created(&mut self, result: &RawValue, findings: &mut Vec<Finding>) -> Step {
        let method = self.intent().method.clone();
        let refused = if !capabilities::declare_tasks(&self.intent().declared) {
            findings.push(rules::task_not_declared());
            Some("which Roundtrip did not say it knows")
        } else if method != "tools/call" {
            findings.push(rules::task_not_for_this(&method));
            Some("which only tools/call may be answered with")
        } else {
            None
        };
        if let Some(why) = refused {
            let message = format!(
                "{} was answered with a task, {why}; such a result is invalid.",
                self.title()
            );
            let hint = "The whole result is in the timeline. Tasks are advertised by a setting of the server.";
            return self.fail("unknown resultType", message, Some(hint));
        }
        self.follow_created(TaskDesign::Extension, result, findings)
    }

    /// The task in the answer of a legacy server; `None` when there is none, and the answer is the result.
    pub(super) fn legacy_task_created(
        &mut self,
        result: &RawValue,
        findings: &mut Vec<Finding>,
    ) -> Option<Step> {
        let Some(task) = created_task(result) else {
            findings.push(rules::task_not_created());
            return None;
        };
        Some(self.follow_created(TaskDesign::Experimental, task, findings))
    }

    fn follow_created(
        &mut self,
        design: TaskDesign,
        task: &RawValue,
        findings: &mut Vec<Finding>,
    ) -> Step {
        match read_task(design, task, findings) {
            Ok(state) => {
                let declared = self.intent().declared.clone();
                let (run, steps) = TaskRun::start(design, state, declared);
                self.stage = Stage::Task;
                self.task = Some(Box::new(run));
                self.task_step(steps)
            }
            Err(why) => {
                findings.push(rules::task_malformed(&why));
                let message = format!(
                    "{} was answered with a task that cannot be followed: {}",
                    self.title(),
                    text::excerpt(&why, 200)
                );
                let hint = "The whole result is in the timeline; the server's answer is at fault.";
                self.fail("no task", message, Some(hint))
            }
        }
    }

    fn task_step(&mut self, steps: Vec<TaskStep>) -> Step {
        if steps
            .iter()
            .any(|step| matches!(step, TaskStep::Send { .. }))
        {
            self.round += 1;
        }
        if steps
            .iter()
            .any(|step| matches!(step, TaskStep::Finished(_)))
        {
            self.stage = Stage::Over;
        }
        if steps.is_empty() {
            return Step::Nothing;
        }
        Step::Task {
            round: self.round,
            steps,
        }
    }
}
