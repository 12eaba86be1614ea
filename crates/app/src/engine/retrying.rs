//! Retries: whether a round whose attempt failed on the way is sent again, by itself after a wait or on the person's
//! word. What may do something twice is never repeated by itself.

use std::time::Duration;

use client::clock::now_micros;
use client::error::{LinkError, LinkErrorKind};
use journal::event::{AttemptOutcome, EventBody, OperationId};
use protocol::retry::{self, RETRY_AFTER_CAP_MILLIS, ToolHints};
use tokio::time::Instant;

use super::operation::{Purpose, Wait, WaitFor};
use super::prompts::Answers;
use super::state::Engine;
use crate::api::feed::PromptAsk;
use crate::api::options::RetryChoice;

/// What the question to send again is called in the journal, where a server's question has its method.
const QUESTION: &str = "retry";

/// What stopped an attempt on its way.
#[derive(Clone, Debug)]
pub(super) struct Setback {
    /// For a row.
    pub(super) brief: String,
    /// The whole sentence.
    pub(super) message: String,
    /// What to try.
    pub(super) hint: Option<String>,
}

impl Setback {
    /// A link's failure, when it may pass: the connection broke or could not be made.
    pub(super) fn of_link(error: &LinkError) -> Option<Self> {
        matches!(
            error.kind,
            LinkErrorKind::ConnectionLost
                | LinkErrorKind::ConnectionRefused
                | LinkErrorKind::TimedOut
        )
        .then(|| Self {
            brief: super::ending::brief(error).to_owned(),
            message: error.message.clone(),
            hint: error.hint.clone(),
        })
    }
}

/// What is done about a setback.
enum Plan {
    /// It is sent again after this wait.
    Wait { millis: u64, asked_for: bool },
    /// The person is asked.
    Ask { is_safe: bool },
    /// Nothing, and why not, where that is worth a word.
    End { why: Option<String> },
}

impl Engine {
    /// Says of a tool call what its tool says of a further one.
    pub(super) fn set_tool_hints(&mut self, operation: OperationId, hints: ToolHints) {
        if let Some(active) = self.active.get_mut(&operation) {
            active.tool_hints = hints;
        }
    }

    /// The attempt failed on the way: the round is sent again, or the operation fails.
    pub(super) fn retry_or_fail(&mut self, operation: OperationId, setback: Setback) {
        if let Err(why) = self.retry(operation, &setback) {
            self.fail_for_good(operation, setback, why);
        }
    }

    fn fail_for_good(&mut self, operation: OperationId, setback: Setback, why: Option<String>) {
        let hint = match (setback.hint, why) {
            (Some(hint), Some(why)) => Some(format!("{why} {hint}")),
            (hint, why) => why.or(hint),
        };
        self.fail(operation, &setback.brief, setback.message, hint);
    }

    /// Ends the attempt and sees to it that the round is sent again, now or later.
    ///
    /// # Errors
    /// It is not; with the reason, where that is worth a word. Nothing was changed then.
    pub(super) fn retry(
        &mut self,
        operation: OperationId,
        setback: &Setback,
    ) -> Result<(), Option<String>> {
        let plan = self.plan(operation);
        if let Plan::End { why } = plan {
            return Err(why);
        }
        self.end_attempt(
            operation,
            AttemptOutcome::Transport {
                brief: setback.brief.clone(),
                message: setback.message.clone(),
            },
        );
        match plan {
            Plan::Wait { millis, asked_for } => {
                let whose = if asked_for {
                    ", as the server asks"
                } else {
                    ""
                };
                let wait = Duration::from_millis(millis);
                let reason = format!(
                    "{}: sent again in {:.1} s{whose}",
                    setback.brief,
                    wait.as_secs_f64()
                );
                self.wait_then_send_again(operation, wait, reason);
            }
            Plan::Ask { is_safe } => self.ask_to_send_again(operation, setback, is_safe),
            Plan::End { .. } => {}
        }
        Ok(())
    }

    fn plan(&self, operation: OperationId) -> Plan {
        let end = |why: &str| Plan::End {
            why: Some(why.to_owned()),
        };
        // A task's polls have a back-off of their own.
        if self.is_following(operation) {
            return Plan::End { why: None };
        }
        let Some(active) = self.active.get(&operation) else {
            return Plan::End { why: None };
        };
        let Some(connection) = self
            .connections
            .get(&active.connection)
            .filter(|connection| connection.is_live())
        else {
            return Plan::End { why: None };
        };
        let is_safe = retry::is_safe_to_repeat(&active.method, active.tool_hints);
        let is_ours = match active.purpose {
            // It has no reply to wait for, or is no request of ours.
            Purpose::Notification
            | Purpose::Composed
            | Purpose::Served
            | Purpose::Process
            | Purpose::Stream
            | Purpose::Listen => false,
            // Before the session there is nothing to repeat in, except the question whether there is a server.
            Purpose::Handshake => is_safe,
            _ => is_safe || active.method == "tools/call",
        };
        if !is_ours || active.sending.is_none() {
            return Plan::End { why: None };
        }
        let options = &connection.options;
        match options.retry {
            RetryChoice::Never => Plan::End { why: None },
            // Who is asked while connecting has the button to connect before them.
            RetryChoice::Ask if active.purpose == Purpose::Handshake => Plan::End { why: None },
            RetryChoice::Ask => Plan::Ask { is_safe },
            RetryChoice::Automatic if !is_safe => end(
                "It was not sent again by itself: the tool is marked neither read-only nor idempotent, so it may have done its work already.",
            ),
            RetryChoice::Automatic if active.retries >= options.retry_limit => {
                let times = match active.retries {
                    0 => return Plan::End { why: None },
                    1 => "once".to_owned(),
                    many => format!("{many} times"),
                };
                end(&format!("It was sent again {times}, in vain."))
            }
            RetryChoice::Automatic => {
                let asked_for = active
                    .retry_after
                    .as_deref()
                    .and_then(|value| retry::retry_after_millis(value, now_micros()));
                match asked_for {
                    Some(millis) if millis > RETRY_AFTER_CAP_MILLIS => end(&format!(
                        "The server asks to be left alone for {} s, and Roundtrip waits {} s at most.",
                        millis / 1000,
                        RETRY_AFTER_CAP_MILLIS / 1000
                    )),
                    Some(millis) => Plan::Wait {
                        millis,
                        asked_for: true,
                    },
                    None => Plan::Wait {
                        millis: retry::back_off_millis(active.retries + 1, fastrand::f64()),
                        asked_for: false,
                    },
                }
            }
        }
    }

    /// Waits, visibly, and sends the round again then.
    pub(super) fn wait_then_send_again(
        &mut self,
        operation: OperationId,
        wait: Duration,
        reason: String,
    ) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let until = Instant::now() + wait;
        active.wait = Some(Wait {
            until,
            then: WaitFor::Round,
        });
        let connection = active.connection;
        self.wake_by(until);
        self.record(
            connection,
            Some(operation),
            EventBody::WaitStarted { reason },
        );
    }

    /// The operation stays open until the person says whether it is sent again.
    fn ask_to_send_again(&mut self, operation: OperationId, setback: &Setback, is_safe: bool) {
        let Some(active) = self.active.get(&operation) else {
            return;
        };
        let asked_for = active
            .retry_after
            .as_deref()
            .and_then(|value| retry::retry_after_millis(value, now_micros()));
        let mut advice = if is_safe {
            "It only reads, or its tool says that calling it again does no harm.".to_owned()
        } else {
            "It may have done its work already: its tool is marked neither read-only nor idempotent."
                .to_owned()
        };
        if let Some(millis) = asked_for {
            advice = format!(
                "{advice} The server asks to wait {} s first.",
                millis.div_ceil(1000)
            );
        }
        let attempts = active.attempts;
        self.open_prompt(
            (operation, operation),
            Answers::SendAgain {
                setback: setback.clone(),
            },
            QUESTION,
            QUESTION,
            (
                setback.message.clone(),
                PromptAsk::SendAgain {
                    is_safe,
                    advice,
                    attempts,
                },
            ),
        );
    }

    /// The person has said whether the round is sent again.
    pub(super) fn send_again_answered(
        &mut self,
        operation: OperationId,
        setback: Setback,
        is_wanted: bool,
    ) {
        if is_wanted {
            self.send_round_again(operation);
        } else {
            self.fail_for_good(operation, setback, None);
        }
    }

    /// Sends the round's request again, under an id of its own.
    pub(super) fn send_round_again(&mut self, operation: OperationId) {
        let Some(active) = self.active.get_mut(&operation) else {
            return;
        };
        let Some(sending) = active.sending.clone() else {
            return;
        };
        active.retries += 1;
        active.came = None;
        let round = active.round;
        self.send_round(
            operation,
            round,
            None,
            sending.params.as_deref(),
            sending.label,
        );
    }
}
