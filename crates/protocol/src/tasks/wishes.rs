//! What the person wants of a task: an answer given, a pace, an end.

use super::Pace;
use super::QUOTED;
use super::keys::Reply;
use super::run::{Cancelling, OnItsWay, TaskRun, TaskStep};
use crate::operation::{AnswerError, Finish};
use crate::text;

impl TaskRun {
    /// The person wants it polled so. A pause that ends is followed by a poll.
    pub fn set_pace(&mut self, pace: Pace) -> Vec<TaskStep> {
        let was = std::mem::replace(&mut self.pace, pace);
        if was == pace {
            return Vec::new();
        }
        let words = pace.in_words(self.state.poll_interval_millis);
        let mut steps = vec![TaskStep::Note(words)];
        if self.on_its_way == OnItsWay::Nothing {
            if was.is_paused && !pace.is_paused {
                self.poll(&mut steps);
            } else {
                self.wait(&mut steps);
            }
        }
        steps
    }

    /// The person wants it cancelled: the server is asked, and what it does is waited for. The second time it is let
    /// go of.
    pub fn cancel(&mut self) -> Vec<TaskStep> {
        if self.cancelling != Cancelling::No {
            return vec![
                TaskStep::Note(format!(
                    "Not followed any more. The server was asked to cancel the task {} and has not said that it did.",
                    self.state.id
                )),
                TaskStep::Stop,
                TaskStep::Finished(Finish::Cancelled),
            ];
        }
        self.cancelling = Cancelling::Wanted;
        let mut steps = Vec::new();
        // A reply that is awaited for the person's answer is worth waiting for; a poll is not.
        if !matches!(self.on_its_way, OnItsWay::Update(_)) {
            if self.on_its_way != OnItsWay::Nothing {
                steps.push(TaskStep::Stop);
            }
            self.send_cancel(&mut steps);
        }
        steps
    }

    /// The person wants to hear nothing more of it. The server is not told.
    pub fn let_go(&mut self) -> Vec<TaskStep> {
        vec![
            TaskStep::Note(format!(
                "Forgotten by you, so it is followed no more. The task {} may go on at the server.",
                self.state.id
            )),
            TaskStep::Stop,
            TaskStep::Finished(Finish::Cancelled),
        ]
    }

    /// The person answered: the text of the method's result object.
    ///
    /// # Errors
    /// The answer was not taken.
    pub fn answer(&mut self, key: &str, answer: String) -> Result<Vec<TaskStep>, AnswerError> {
        if text::members(&answer).is_none() {
            return Err(AnswerError::NotAnObject {
                key: key.to_owned(),
            });
        }
        self.reply(key, Reply::Given(answer))
    }

    /// The person goes on without answering.
    ///
    /// # Errors
    /// The task does not wait for this key.
    pub fn leave_out(&mut self, key: &str) -> Result<Vec<TaskStep>, AnswerError> {
        let mut steps = self.reply(key, Reply::LeftOut)?;
        steps.insert(
            0,
            TaskStep::Note(format!(
                "{:?} was left unanswered, and the task may wait for it; cancel the task to end that.",
                text::excerpt(key, QUOTED)
            )),
        );
        Ok(steps)
    }

    fn reply(&mut self, key: &str, reply: Reply) -> Result<Vec<TaskStep>, AnswerError> {
        self.keys.reply(key, reply)?;
        let mut steps = Vec::new();
        if self.keys.are_ready() {
            match self.on_its_way {
                OnItsWay::Nothing => self.go_on(&mut steps),
                OnItsWay::Poll => {
                    // A server may hold a poll until something changes, which is this answer.
                    steps.push(TaskStep::Stop);
                    self.on_its_way = OnItsWay::Nothing;
                    self.go_on(&mut steps);
                }
                _ => {}
            }
        }
        Ok(steps)
    }
}
