//! What a task that goes on needs next: a wait, a poll, or what the person wants of it.

use wire::object::ObjectWriter;

use super::run::{Cancelling, LISTENED_POLL_MILLIS, OnItsWay, TaskRun, TaskStep};

/// How long a paused task waits, in milliseconds: a year, or until the person wants something of it.
const PAUSED_MILLIS: u64 = 31_536_000_000;
/// The longest wait after failed polls, in milliseconds, where the interval itself is not longer.
const LONGEST_BACK_OFF_MILLIS: u64 = 60_000;

impl TaskRun {
    /// What is next while the task goes on: the person's wishes first, then time.
    pub(super) fn go_on(&mut self, steps: &mut Vec<TaskStep>) {
        if self.cancelling == Cancelling::Wanted {
            self.send_cancel(steps);
        } else if self.keys.are_ready() {
            self.send_update(steps);
        } else {
            self.wait(steps);
        }
    }

    pub(super) fn wait(&mut self, steps: &mut Vec<TaskStep>) {
        if self.pace.is_paused {
            steps.push(TaskStep::Wait {
                millis: PAUSED_MILLIS,
                reason: "you paused its polls".to_owned(),
            });
            return;
        }
        let named = self.state.poll_interval_millis;
        let (interval, whose) = self.pace.interval(named, self.polls);
        let (millis, reason) = if self.failures > 0 {
            let longest = interval.max(LONGEST_BACK_OFF_MILLIS);
            let millis = (interval << self.failures.min(6)).min(longest);
            (millis, format!("{} failed in a row", polls(self.failures)))
        } else if self.is_listened {
            (
                interval.max(LISTENED_POLL_MILLIS),
                "the server tells of changes; it is asked now and then all the same".to_owned(),
            )
        } else {
            (
                interval,
                format!(
                    "the task is {}; {whose} interval between polls",
                    self.state.status.as_str()
                ),
            )
        };
        steps.push(TaskStep::Wait { millis, reason });
    }

    pub(super) fn poll(&mut self, steps: &mut Vec<TaskStep>) {
        self.polls += 1;
        let label = format!("poll {}", self.polls);
        self.send("tasks/get", None, label, OnItsWay::Poll, steps);
    }

    pub(super) fn send_update(&mut self, steps: &mut Vec<TaskStep>) {
        let (responses, keys) = self.keys.responses();
        self.send(
            "tasks/update",
            Some(("inputResponses", &responses)),
            "answer".to_owned(),
            OnItsWay::Update(keys),
            steps,
        );
    }

    pub(super) fn send_cancel(&mut self, steps: &mut Vec<TaskStep>) {
        self.cancelling = Cancelling::Asked;
        self.send(
            "tasks/cancel",
            None,
            "cancel".to_owned(),
            OnItsWay::Cancel,
            steps,
        );
    }

    /// The experimental design hands out what it asks, and the result, in the reply to `tasks/result` (2025-11-25
    /// § Input Required Status, § Result Retrieval).
    pub(super) fn look_closer(&mut self, steps: &mut Vec<TaskStep>) {
        if self.cancelling == Cancelling::Wanted {
            self.send_cancel(steps);
        } else {
            self.fetch_result(steps);
        }
    }

    pub(super) fn fetch_result(&mut self, steps: &mut Vec<TaskStep>) {
        self.send(
            "tasks/result",
            None,
            "result".to_owned(),
            OnItsWay::Result,
            steps,
        );
    }

    fn send(
        &mut self,
        method: &'static str,
        more: Option<(&str, &str)>,
        label: String,
        on_its_way: OnItsWay,
        steps: &mut Vec<TaskStep>,
    ) {
        let mut params = ObjectWriter::new();
        params.string("taskId", &self.state.id);
        if let Some((key, json)) = more {
            params.raw(key, json);
        }
        let is_endless = on_its_way == OnItsWay::Result;
        self.on_its_way = on_its_way;
        steps.push(TaskStep::Send {
            method,
            params: params.finish(),
            label,
            is_endless,
        });
    }
}

fn polls(count: u32) -> String {
    match count {
        1 => "1 poll".to_owned(),
        count => format!("{count} polls"),
    }
}
