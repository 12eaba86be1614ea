//! What a server tells of a task: read, doubted, and what follows from it.

use serde_json::value::RawValue;
use wire::object;

use super::run::{MANY_FAILURES, TaskLoss, TaskRun, TaskStep};
use super::{NOTED, TaskDesign, TaskStatus, end, read_task};
use crate::findings::Finding;
use crate::operation::{Finish, InputRequest};
use crate::{rounds, rules, text};

impl TaskRun {
    /// The server told of the task by itself (SEP-2663 § Task Status Notifications; 2025-11-25 § Task Status
    /// Notification). It is looked at, and then asked for: the record of the operation shall hold its result.
    pub fn told(&mut self, task: &RawValue, findings: &mut Vec<Finding>) -> Vec<TaskStep> {
        match read_task(self.design, task, findings) {
            Ok(state) if state.id == self.state.id => {
                let is_news =
                    state.status != self.state.status || state.status == TaskStatus::InputRequired;
                if !state.status.is_terminal() {
                    self.state = state;
                }
                match is_news {
                    true if self.pace.is_paused => vec![TaskStep::Note(
                        "The server tells of the task; its polls are paused.".to_owned(),
                    )],
                    true => self.poll_now(),
                    false => Vec::new(),
                }
            }
            Ok(_) => Vec::new(),
            Err(why) => {
                findings.push(rules::task_malformed(&why));
                Vec::new()
            }
        }
    }

    pub(super) fn polled(
        &mut self,
        result: &RawValue,
        findings: &mut Vec<Finding>,
        steps: &mut Vec<TaskStep>,
    ) {
        let state = match read_task(self.design, result, findings) {
            Ok(state) => state,
            Err(why) => {
                findings.push(rules::task_malformed(&why));
                self.poll_failed(&why, false, steps);
                return;
            }
        };
        if state.id != self.state.id {
            findings.push(rules::task_of_another_id(&self.state.id, &state.id));
            self.poll_failed("the answer is about another task", false, steps);
            return;
        }
        if self.failures >= MANY_FAILURES {
            steps.push(TaskStep::Note("The server answers polls again.".to_owned()));
        }
        self.failures = 0;
        self.problem = None;
        self.state = state;
        if self.state.status.is_terminal() {
            self.ended(result, findings, steps);
            return;
        }
        if self.design == TaskDesign::Experimental {
            if self.state.status == TaskStatus::InputRequired {
                self.look_closer(steps);
            } else {
                self.go_on(steps);
            }
            return;
        }
        let asked = self.read_requests(result, findings, steps);
        self.go_on(steps);
        // Last: what is answered at once is sent at once, and what is then on its way is not waited for twice.
        if !asked.is_empty() {
            steps.push(TaskStep::Ask(asked));
        }
    }

    /// What is asked now that was not asked before; what is asked no more is withdrawn.
    fn read_requests(
        &mut self,
        result: &RawValue,
        findings: &mut Vec<Finding>,
        steps: &mut Vec<TaskStep>,
    ) -> Vec<InputRequest> {
        let mut requests = Vec::new();
        if self.state.status == TaskStatus::InputRequired {
            match rounds::read_input_requests(result, &self.declared, findings) {
                Some(read) if !read.is_empty() => requests = read,
                _ => findings.push(rules::task_field(
                    self.design,
                    "inputRequests",
                    "missing or empty, though the status is input_required",
                )),
            }
        }
        let (withdrawn, asked) = self.keys.compare(requests, findings);
        if !withdrawn.is_empty() {
            steps.push(TaskStep::Withdraw(withdrawn));
        }
        asked
    }

    fn ended(&mut self, result: &RawValue, findings: &mut Vec<Finding>, steps: &mut Vec<TaskStep>) {
        if self.state.status == TaskStatus::Cancelled {
            steps.push(self.cancelled());
        } else if self.design == TaskDesign::Experimental {
            self.fetch_result(steps);
        } else {
            if self.is_cancel_asked() {
                steps.push(TaskStep::Note(format!(
                    "The task was {} before the wish to cancel it took effect.",
                    self.state.status.as_str()
                )));
            }
            self.result_byte_len = object::get(result, "result").map(|result| result.get().len());
            let finish = end::finish(&self.state, result, findings);
            steps.push(TaskStep::Finished(finish));
        }
    }

    pub(super) fn cancelled(&self) -> TaskStep {
        TaskStep::Finished(if self.is_cancel_asked() {
            Finish::Cancelled
        } else {
            end::cancelled_by_server(&self.state)
        })
    }

    pub(super) fn poll_failed(&mut self, why: &str, is_refusal: bool, steps: &mut Vec<TaskStep>) {
        self.failures += 1;
        self.problem = Some(why.to_owned());
        let is_over = self.is_expired || (is_refusal && self.failures >= MANY_FAILURES);
        if is_over {
            self.loss = Some(if self.is_expired {
                TaskLoss::Expired
            } else {
                TaskLoss::Unknown
            });
            let (brief, message) = if self.is_expired {
                ("task expired", "its time to live is over")
            } else {
                (
                    "task lost",
                    "it does not know the task, or does not serve tasks",
                )
            };
            steps.push(TaskStep::Finished(Finish::Failed {
                brief: brief.to_owned(),
                message: format!(
                    "The server tells nothing more of the task {}: {message} (it was {} last). The last poll: {why}",
                    self.state.id,
                    self.state.status.as_str()
                ),
                hint: Some("Call again; the polls in the timeline show what the server said.".to_owned()),
            }));
            return;
        }
        if self.failures == MANY_FAILURES {
            steps.push(TaskStep::Note(format!(
                "{MANY_FAILURES} polls in a row failed, the last with: {}. Polling goes on, more and more slowly.",
                text::excerpt(why, NOTED).trim_end_matches('.')
            )));
        }
        self.wait(steps);
    }
}
