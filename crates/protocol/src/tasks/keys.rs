//! What a task asks, and what became of each: a key is answered once (SEP-2663 § Task Update Requests).

use wire::object::ObjectWriter;

use super::QUOTED;
use crate::findings::Finding;
use crate::operation::{AnswerError, InputRequest};
use crate::{rules, text};

/// All keys that a task ever asked with.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys(Vec<Key>);

#[derive(Clone, Debug)]
struct Key {
    name: String,
    /// What it asked for; absent where it was answered before this run and only the key is known.
    request: Option<String>,
    reply: Reply,
}

/// What became of what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The person is asked.
    Open,
    /// To be sent when nothing is open any more.
    Given(String),
    /// It was sent, and nobody knows whether it came: to be sent again if the task still asks for it.
    Unsure(String),
    /// The server has it.
    Sent,
    /// The person goes on without.
    LeftOut,
    /// Not asked any more, and never answered.
    Withdrawn,
}

impl Keys {
    /// Of a task that is taken up again: the server has answers to these.
    pub(super) fn of_answered(names: Vec<String>) -> Self {
        let key = |name| Key {
            name,
            request: None,
            reply: Reply::Sent,
        };
        Self(names.into_iter().map(key).collect())
    }

    /// The keys that the server has answers to.
    pub(super) fn answered(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(|key| key.reply == Reply::Sent)
            .map(|key| key.name.as_str())
    }

    /// Takes what the person chose.
    ///
    /// # Errors
    /// It is not open.
    pub(super) fn reply(&mut self, key: &str, reply: Reply) -> Result<(), AnswerError> {
        let open = self
            .0
            .iter_mut()
            .find(|one| one.name == key && one.reply == Reply::Open)
            .ok_or_else(|| AnswerError::NotAsked {
                key: key.to_owned(),
            })?;
        open.reply = reply;
        Ok(())
    }

    /// All that is asked is answered. A server need not take a part of it.
    pub(super) fn are_ready(&self) -> bool {
        self.0.iter().all(|key| key.reply != Reply::Open)
            && self
                .0
                .iter()
                .any(|key| matches!(key.reply, Reply::Given(_)))
    }

    /// The `inputResponses` to send, and whose they are.
    pub(super) fn responses(&self) -> (String, Vec<String>) {
        let mut responses = ObjectWriter::new();
        let mut keys = Vec::new();
        for key in &self.0 {
            if let Reply::Given(answer) = &key.reply {
                responses.raw(&key.name, answer);
                keys.push(key.name.clone());
            }
        }
        (responses.finish(), keys)
    }

    /// The server has these.
    pub(super) fn sent(&mut self, keys: &[String]) {
        for key in self.of(keys) {
            key.reply = Reply::Sent;
        }
    }

    /// The server did not take these: what it asks again is asked again.
    pub(super) fn refused(&mut self, keys: &[String]) {
        for key in self.of(keys) {
            key.reply = Reply::Withdrawn;
        }
    }

    /// Nobody knows whether the server has these.
    pub(super) fn lost(&mut self, keys: &[String]) {
        for key in self.of(keys) {
            if let Reply::Given(answer) = &mut key.reply {
                key.reply = Reply::Unsure(std::mem::take(answer));
            }
        }
    }

    /// Compares what is asked now with what was: gives the keys that are asked no more, and what is to be asked.
    pub(super) fn compare(
        &mut self,
        requests: Vec<InputRequest>,
        findings: &mut Vec<Finding>,
    ) -> (Vec<String>, Vec<InputRequest>) {
        let mut withdrawn = Vec::new();
        for key in &mut self.0 {
            let is_asked = requests.iter().any(|request| request.key == key.name);
            match (&mut key.reply, is_asked) {
                (Reply::Open, false) => {
                    key.reply = Reply::Withdrawn;
                    withdrawn.push(key.name.clone());
                }
                (Reply::Unsure(_), false) => key.reply = Reply::Sent,
                (Reply::Unsure(answer), true) => {
                    key.reply = Reply::Given(std::mem::take(answer));
                }
                _ => {}
            }
        }
        let mut asked = Vec::new();
        for request in requests {
            let content = format!("{} {}", request.method, request.params.get());
            let Some(known) = self.0.iter_mut().find(|key| key.name == request.key) else {
                self.0.push(Key {
                    name: request.key.clone(),
                    request: Some(content),
                    reply: Reply::Open,
                });
                asked.push(request);
                continue;
            };
            if known
                .request
                .as_ref()
                .is_some_and(|before| *before != content)
            {
                findings.push(rules::task_key_reused(&text::excerpt(&known.name, QUOTED)));
            }
            if known.reply == Reply::Withdrawn {
                known.reply = Reply::Open;
                known.request = Some(content);
                asked.push(request);
            }
        }
        (withdrawn, asked)
    }

    fn of(&mut self, keys: &[String]) -> impl Iterator<Item = &mut Key> {
        self.0
            .iter_mut()
            .filter(move |key| keys.contains(&key.name))
    }
}
