//! The answers file: what the person says to prompts beforehand. A prompt that it does not name is not answered.

use std::collections::HashSet;
use std::path::Path;

use app::api::feed::{PromptAction, PromptView};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::exit::{Exit, Problem};

/// All answers.
#[derive(Debug, Default)]
pub struct Answers {
    listed: Vec<Answer>,
    used: HashSet<usize>,
}

/// One answer, and which prompt it is for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// The prompt's key in `inputRequests`.
    key: Option<String>,
    /// Words of its message.
    message: Option<String>,
    /// What to do.
    action: PromptAction,
    /// With `accept`: the form's content, sent as it is.
    content: Option<Box<RawValue>>,
    /// It answers any number of prompts.
    #[serde(default)]
    repeat: bool,
}

/// What to say to a prompt.
#[derive(Debug, PartialEq, Eq)]
pub struct Said<'a> {
    /// What to do.
    pub action: PromptAction,
    /// The content: JSON text.
    pub content: Option<&'a str>,
}

impl Answers {
    /// Reads the file.
    ///
    /// # Errors
    /// It cannot be read, or is not in the form that docs/cli.md describes.
    pub fn read(path: &Path) -> Result<Self, Problem> {
        let problem = |why: String| {
            Problem::new(
                Exit::Usage,
                format!("The answers file {} cannot be used: {why}.", path.display()),
            )
            .with_hint("docs/cli.md shows its form.")
        };
        let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
        Self::parse(&text).map_err(problem)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let listed = if text.trim_start().starts_with('{') {
            // By key; the order of the members does not matter.
            let by_key: Vec<(String, Answer)> = serde_json::from_str::<ByKey>(text)
                .map_err(|error| error.to_string())?
                .0;
            let mut listed = Vec::new();
            for (key, answer) in by_key {
                if answer.key.is_some() {
                    return Err(format!("the answer to {key:?} names another key"));
                }
                listed.push(Answer {
                    key: Some(key),
                    repeat: true,
                    ..answer
                });
            }
            listed
        } else {
            serde_json::from_str(text).map_err(|error| error.to_string())?
        };
        Ok(Self {
            listed,
            used: HashSet::new(),
        })
    }

    /// The first answer that is meant for this prompt and was not given to another.
    pub fn to(&mut self, prompt: &PromptView) -> Option<Said<'_>> {
        self.find(&prompt.input_key, &prompt.message)
    }

    fn find(&mut self, key: &str, message: &str) -> Option<Said<'_>> {
        let used = &self.used;
        let place = self.listed.iter().enumerate().position(|(place, answer)| {
            !used.contains(&place)
                && answer.key.as_deref().is_none_or(|wanted| wanted == key)
                && answer
                    .message
                    .as_deref()
                    .is_none_or(|words| message.contains(words))
        })?;
        let answer = &self.listed[place];
        if !answer.repeat {
            self.used.insert(place);
        }
        Some(Said {
            action: answer.action,
            content: answer.content.as_deref().map(RawValue::get),
        })
    }
}

/// The members of the file's object, duplicates refused.
#[derive(Debug)]
struct ByKey(Vec<(String, Answer)>);

impl<'de> Deserialize<'de> for ByKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> serde::de::Visitor<'de> for Members {
            type Value = Vec<(String, Answer)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of answers by key")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Self::Value, A::Error> {
                let mut members: Vec<(String, Answer)> = Vec::new();
                while let Some((key, answer)) = map.next_entry::<String, Answer>()? {
                    if members.iter().any(|(known, _)| *known == key) {
                        return Err(serde::de::Error::custom(format!(
                            "{key:?} is answered twice"
                        )));
                    }
                    members.push((key, answer));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Members).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use app::api::feed::PromptAction;

    use super::{Answers, Said};

    fn said(action: PromptAction, content: Option<&str>) -> Said<'_> {
        Said { action, content }
    }

    #[test]
    fn answers_by_key_answer_each_time_that_key_is_asked() {
        let mut answers = Answers::parse(
            r#"{ "details": {"action": "accept", "content": {"n": 1.10}}, "more": {"action": "decline"} }"#,
        )
        .expect("it reads");
        for _ in 0..2 {
            assert_eq!(
                answers.find("details", ""),
                Some(said(PromptAction::Accept, Some(r#"{"n": 1.10}"#)))
            );
        }
        assert_eq!(
            answers.find("more", ""),
            Some(said(PromptAction::Decline, None))
        );
        assert_eq!(answers.find("else", ""), None);
    }

    #[test]
    fn listed_answers_go_to_the_first_prompt_that_fits_and_only_once() {
        let mut answers = Answers::parse(
            r#"[ {"message": "sure", "action": "cancel"}, {"action": "accept", "content": {}} ]"#,
        )
        .expect("it reads");
        assert_eq!(
            answers.find("a", "Your name?"),
            Some(said(PromptAction::Accept, Some("{}")))
        );
        assert_eq!(answers.find("b", "Your name?"), None);
        assert_eq!(
            answers.find("c", "Are you sure?"),
            Some(said(PromptAction::Cancel, None))
        );
        assert_eq!(answers.find("c", "Are you sure?"), None);
    }

    #[test]
    fn a_file_in_another_form_is_refused() {
        for (text, why) in [
            ("{oops", "key must be a string"),
            (r#"{"a": {"action": "maybe"}}"#, "unknown variant"),
            (r#"[{"action": "accept", "contents": {}}]"#, "unknown field"),
            (
                r#"{"a": {"action": "accept"}, "a": {"action": "cancel"}}"#,
                "answered twice",
            ),
            (
                r#"{"a": {"key": "b", "action": "cancel"}}"#,
                "names another key",
            ),
        ] {
            let problem = Answers::parse(text).expect_err(text);
            assert!(problem.contains(why), "{text}: {problem}");
        }
    }
}
